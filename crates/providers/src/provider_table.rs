//! The table of providers: URL, request and response format, and limits of each.

/// The name of the built-in model in the settings.
pub const BUILT_IN: &str = "built-in";

/// A provider.
#[derive(Debug)]
pub struct ProviderKind {
    /// Its name in the settings.
    pub name: &'static str,
    /// Its name in messages.
    pub title: &'static str,
    /// Its default URL, if it has one.
    pub url: Option<&'static str>,
    /// Its default model, if it has one.
    pub model: Option<&'static str>,
    /// The source of its API key.
    pub key: KeySource,
    /// Limits on the size and number of requests.
    pub limits: Limits,
    /// The path of its API.
    pub(crate) path: &'static str,
    /// Where it writes texts in the format of the `OpenAI` protocol, if it does.
    pub(crate) chat_path: Option<&'static str>,
    pub(crate) request: RequestFormat,
    pub(crate) response: ResponseFormat,
}

/// The source of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySource {
    /// The environment variable.
    pub variable: &'static str,
    /// Whether the provider requires it.
    pub needed: bool,
}

/// Limits on the size and number of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of texts per request.
    pub texts: usize,
    /// Maximum number of bytes per request, unless a single text is larger.
    pub bytes: usize,
    /// Maximum number of concurrent requests.
    pub requests: usize,
    /// Maximum number of requests per minute; 0 means no limit.
    pub per_minute: u32,
}

/// The fields of a request; the model is always in `model`.
#[derive(Debug)]
pub(crate) struct RequestFormat {
    /// The field of the texts.
    pub(crate) texts: &'static str,
    /// The field that distinguishes queries from passages, and its values.
    pub(crate) role: Option<RoleField>,
    /// The field for the number of dimensions.
    pub(crate) dimensions: Option<&'static str>,
    /// Fields with constant values.
    pub(crate) fixed: &'static [(&'static str, Fixed)],
}

#[derive(Debug)]
pub(crate) struct RoleField {
    pub(crate) field: &'static str,
    pub(crate) passage: &'static str,
    pub(crate) query: &'static str,
}

/// A constant value.
#[derive(Debug)]
pub(crate) enum Fixed {
    True,
    Word(&'static str),
    Words(&'static [&'static str]),
}

/// Where the vectors are in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// `{"data": [{"index": 0, "embedding": […]}]}`, in any order.
    Items,
    /// `{"embeddings": [[…]]}`.
    Lists,
    /// `{"embeddings": {"float": [[…]]}}`.
    Typed,
}

/// Where servers with the `OpenAI` protocol, and Ollama, write texts.
const CHAT_PATH: &str = "/v1/chat/completions";

/// Limits of a local server.
const LOCAL: Limits = Limits { texts: 32, bytes: 64 << 10, requests: 2, per_minute: 0 };

/// The `OpenAI` protocol, which most servers support.
const OPENAI: RequestFormat = RequestFormat {
    texts: "input",
    role: None,
    dimensions: Some("dimensions"),
    fixed: &[("encoding_format", Fixed::Word("float"))],
};

/// A server with the `OpenAI` protocol and an optional key.
const fn compatible(name: &'static str, title: &'static str, url: Option<&'static str>) -> ProviderKind {
    ProviderKind {
        name,
        title,
        url,
        model: None,
        // A separate variable: a key for OpenAI must not be sent to other servers.
        key: KeySource { variable: "OPENAI_COMPATIBLE_API_KEY", needed: false },
        limits: LOCAL,
        path: "/v1/embeddings",
        chat_path: Some(CHAT_PATH),
        request: OPENAI,
        response: ResponseFormat::Items,
    }
}

/// All providers, in the order of listings.
///
/// The byte limits are below the documented token limits at two bytes per token; source code has about three. The rate
/// limits are below those of paid accounts; for lower ones, the provider asks to wait.
pub const KINDS: &[ProviderKind] = &[
    ProviderKind {
        name: "ollama",
        title: "Ollama",
        url: Some("http://127.0.0.1:11434"),
        model: Some("nomic-embed-text"),
        key: KeySource { variable: "OLLAMA_API_KEY", needed: false },
        limits: LOCAL,
        path: "/api/embed",
        chat_path: Some(CHAT_PATH),
        request: RequestFormat {
            texts: "input",
            role: None,
            dimensions: Some("dimensions"),
            fixed: &[("truncate", Fixed::True)],
        },
        response: ResponseFormat::Lists,
    },
    ProviderKind {
        name: "openai",
        title: "OpenAI",
        url: Some("https://api.openai.com"),
        model: Some("text-embedding-3-small"),
        key: KeySource { variable: "OPENAI_API_KEY", needed: true },
        limits: Limits { texts: 256, bytes: 400_000, requests: 4, per_minute: 2_000 },
        path: "/v1/embeddings",
        chat_path: Some(CHAT_PATH),
        request: OPENAI,
        response: ResponseFormat::Items,
    },
    compatible("openai-compatible", "the OpenAI-compatible server", None),
    compatible("llama-cpp", "llama.cpp", Some("http://127.0.0.1:8080")),
    compatible("vllm", "vLLM", Some("http://127.0.0.1:8000")),
    compatible("lm-studio", "LM Studio", Some("http://127.0.0.1:1234")),
    ProviderKind {
        name: "voyage",
        title: "Voyage",
        url: Some("https://api.voyageai.com"),
        model: Some("voyage-code-3"),
        key: KeySource { variable: "VOYAGE_API_KEY", needed: true },
        limits: Limits { texts: 256, bytes: 200_000, requests: 4, per_minute: 1_500 },
        path: "/v1/embeddings",
        chat_path: None,
        request: RequestFormat {
            texts: "input",
            role: Some(RoleField { field: "input_type", passage: "document", query: "query" }),
            dimensions: Some("output_dimension"),
            fixed: &[("truncation", Fixed::True)],
        },
        response: ResponseFormat::Items,
    },
    ProviderKind {
        name: "nomic",
        title: "Nomic",
        url: Some("https://api-atlas.nomic.ai"),
        model: Some("nomic-embed-text-v1.5"),
        key: KeySource { variable: "NOMIC_API_KEY", needed: true },
        limits: Limits { texts: 50, bytes: 200_000, requests: 4, per_minute: 1_000 },
        path: "/v1/embedding/text",
        chat_path: None,
        request: RequestFormat {
            texts: "texts",
            role: Some(RoleField { field: "task_type", passage: "search_document", query: "search_query" }),
            dimensions: Some("dimensionality"),
            fixed: &[],
        },
        response: ResponseFormat::Lists,
    },
    ProviderKind {
        name: "cohere",
        title: "Cohere",
        url: Some("https://api.cohere.com"),
        model: Some("embed-v4.0"),
        key: KeySource { variable: "CO_API_KEY", needed: true },
        limits: Limits { texts: 96, bytes: 200_000, requests: 4, per_minute: 1_500 },
        path: "/v2/embed",
        chat_path: None,
        request: RequestFormat {
            texts: "texts",
            role: Some(RoleField { field: "input_type", passage: "search_document", query: "search_query" }),
            dimensions: Some("output_dimension"),
            fixed: &[("embedding_types", Fixed::Words(&["float"])), ("truncate", Fixed::Word("END"))],
        },
        response: ResponseFormat::Typed,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endpoint;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_urls_are_valid() {
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
    fn settings_reference_lists_every_provider() {
        let key =
            orient_settings::keys().iter().find(|key| key.path() == "embed.provider").expect("a setting");
        let page = key.doc();
        for name in KINDS.iter().map(|kind| kind.name).chain([BUILT_IN]) {
            assert!(page.contains(&format!("`{name}`")), "{name} is not in: {page}");
        }
    }
}
