//! The providers as data: where each is, what it is sent, what it sends back, and how much at a time.

/// What the model inside the binary is called where a provider is named.
pub const BUILT_IN: &str = "built-in";

/// A provider: all that tells it from the others.
#[derive(Debug)]
pub struct Kind {
    /// Its name in the settings.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// Its own address; none for what is somewhere else with everyone.
    pub url: Option<&'static str>,
    /// The model it is known for; none where only the user knows what is loaded.
    pub model: Option<&'static str>,
    /// Where its key comes from.
    pub key: KeyRule,
    /// How much it is sent at a time.
    pub limits: Limits,
    /// What is behind the address.
    pub(crate) path: &'static str,
    pub(crate) request: Request,
    pub(crate) answer: Shape,
}

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRule {
    /// The variable of the environment.
    pub variable: &'static str,
    /// Whether nothing works without it.
    pub needed: bool,
}

/// How much a provider is sent at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Texts in one request.
    pub texts: usize,
    /// Bytes of text in one request, unless one text alone has more.
    pub bytes: usize,
    /// Requests under way at once.
    pub requests: usize,
    /// Requests begun in one minute; 0 for as many as there are.
    pub per_minute: u32,
}

/// The fields of a request; the model is always `model`.
#[derive(Debug)]
pub(crate) struct Request {
    /// The field of the texts.
    pub(crate) texts: &'static str,
    /// The field that tells a question from what is to be found, and its two values.
    pub(crate) role: Option<RoleField>,
    /// The field that asks for a number of values.
    pub(crate) dimensions: Option<&'static str>,
    /// What is sent with every request.
    pub(crate) fixed: &'static [(&'static str, Fixed)],
}

#[derive(Debug)]
pub(crate) struct RoleField {
    pub(crate) field: &'static str,
    pub(crate) passage: &'static str,
    pub(crate) query: &'static str,
}

/// A value that never changes.
#[derive(Debug)]
pub(crate) enum Fixed {
    True,
    Word(&'static str),
    Words(&'static [&'static str]),
}

/// Where the vectors are in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"data": [{"index": 0, "embedding": […]}]}`, in any order.
    Items,
    /// `{"embeddings": [[…]]}`.
    Lists,
    /// `{"embeddings": {"float": [[…]]}}`.
    Typed,
}

/// A server of one's own: one machine, no one counts.
const LOCAL: Limits = Limits { texts: 32, bytes: 64 << 10, requests: 2, per_minute: 0 };

/// OpenAI's protocol, which most servers speak.
const OPENAI: Request = Request {
    texts: "input",
    role: None,
    dimensions: Some("dimensions"),
    fixed: &[("encoding_format", Fixed::Word("float"))],
};

/// A server that speaks OpenAI's protocol and may or may not want a key.
const fn compatible(name: &'static str, title: &'static str, url: Option<&'static str>) -> Kind {
    Kind {
        name,
        title,
        url,
        model: None,
        // A variable of its own: a key for OpenAI must not go to whoever else speaks the protocol.
        key: KeyRule { variable: "OPENAI_COMPATIBLE_API_KEY", needed: false },
        limits: LOCAL,
        path: "/v1/embeddings",
        request: OPENAI,
        answer: Shape::Items,
    }
}

/// Every provider, in the order they are named to users.
///
/// Bytes stay below what is documented in tokens, at two bytes a token: source code has about three. Requests a minute
/// stay below what accounts that pay may do; who may do less is told so by the provider, and waited for.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "ollama",
        title: "Ollama",
        url: Some("http://127.0.0.1:11434"),
        model: Some("nomic-embed-text"),
        key: KeyRule { variable: "OLLAMA_API_KEY", needed: false },
        limits: LOCAL,
        path: "/api/embed",
        request: Request {
            texts: "input",
            role: None,
            dimensions: Some("dimensions"),
            fixed: &[("truncate", Fixed::True)],
        },
        answer: Shape::Lists,
    },
    Kind {
        name: "openai",
        title: "OpenAI",
        url: Some("https://api.openai.com"),
        model: Some("text-embedding-3-small"),
        key: KeyRule { variable: "OPENAI_API_KEY", needed: true },
        limits: Limits { texts: 256, bytes: 400_000, requests: 4, per_minute: 2_000 },
        path: "/v1/embeddings",
        request: OPENAI,
        answer: Shape::Items,
    },
    compatible("openai-compatible", "the OpenAI-compatible server", None),
    compatible("llama-cpp", "llama.cpp", Some("http://127.0.0.1:8080")),
    compatible("vllm", "vLLM", Some("http://127.0.0.1:8000")),
    compatible("lm-studio", "LM Studio", Some("http://127.0.0.1:1234")),
    Kind {
        name: "voyage",
        title: "Voyage",
        url: Some("https://api.voyageai.com"),
        model: Some("voyage-code-3"),
        key: KeyRule { variable: "VOYAGE_API_KEY", needed: true },
        limits: Limits { texts: 256, bytes: 200_000, requests: 4, per_minute: 1_500 },
        path: "/v1/embeddings",
        request: Request {
            texts: "input",
            role: Some(RoleField { field: "input_type", passage: "document", query: "query" }),
            dimensions: Some("output_dimension"),
            fixed: &[("truncation", Fixed::True)],
        },
        answer: Shape::Items,
    },
    Kind {
        name: "nomic",
        title: "Nomic",
        url: Some("https://api-atlas.nomic.ai"),
        model: Some("nomic-embed-text-v1.5"),
        key: KeyRule { variable: "NOMIC_API_KEY", needed: true },
        limits: Limits { texts: 50, bytes: 200_000, requests: 4, per_minute: 1_000 },
        path: "/v1/embedding/text",
        request: Request {
            texts: "texts",
            role: Some(RoleField { field: "task_type", passage: "search_document", query: "search_query" }),
            dimensions: Some("dimensionality"),
            fixed: &[],
        },
        answer: Shape::Lists,
    },
    Kind {
        name: "cohere",
        title: "Cohere",
        url: Some("https://api.cohere.com"),
        model: Some("embed-v4.0"),
        key: KeyRule { variable: "CO_API_KEY", needed: true },
        limits: Limits { texts: 96, bytes: 200_000, requests: 4, per_minute: 1_500 },
        path: "/v2/embed",
        request: Request {
            texts: "texts",
            role: Some(RoleField { field: "input_type", passage: "search_document", query: "search_query" }),
            dimensions: Some("output_dimension"),
            fixed: &[("embedding_types", Fixed::Words(&["float"])), ("truncate", Fixed::Word("END"))],
        },
        answer: Shape::Typed,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endpoint;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_addresses_are_sound() {
        let names: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), KINDS.len());
        assert!(!names.contains(BUILT_IN));
        for kind in KINDS {
            let limits = kind.limits;
            assert!(limits.texts > 0 && limits.bytes > 0 && limits.requests > 0, "{}", kind.name);
            let Some(url) = kind.url else { continue };
            let endpoint = Endpoint::parse(url, kind.path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(endpoint.url(), format!("{url}{}", kind.path));
            assert!(endpoint.is_local() || endpoint.is_encrypted(), "{}", kind.name);
        }
    }

    #[test]
    fn the_settings_page_names_every_provider() {
        let key =
            orient_settings::keys().iter().find(|key| key.path() == "embed.provider").expect("a setting");
        let page = key.doc();
        for name in KINDS.iter().map(|kind| kind.name).chain([BUILT_IN]) {
            assert!(page.contains(&format!("`{name}`")), "{name} is not in: {page}");
        }
    }
}
