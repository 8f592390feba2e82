//! Instruction prefixes that some models require before a text, if their server does not add them.

use orient_embed::Role;

/// The prefixes that a family of models was trained with.
struct Prompt {
    /// A part of the name of the model.
    model: &'static str,
    passage: &'static str,
    query: &'static str,
}

/// From the model cards; the first match applies. Other models get no prefix.
const PROMPTS: &[Prompt] = &[
    Prompt {
        model: "nomic-embed-code",
        passage: "",
        query: "Represent this query for searching relevant code: ",
    },
    Prompt { model: "nomic-embed-text", passage: "search_document: ", query: "search_query: " },
    Prompt {
        model: "mxbai-embed",
        passage: "",
        query: "Represent this sentence for searching relevant passages: ",
    },
    Prompt {
        model: "embeddinggemma",
        passage: "title: none | text: ",
        query: "task: code retrieval | query: ",
    },
    Prompt { model: "multilingual-e5", passage: "passage: ", query: "query: " },
];

/// The prefix of a text for this model.
pub(crate) fn prompt(model: &str, role: Role) -> &'static str {
    let name = model.to_ascii_lowercase();
    PROMPTS.iter().find(|prompt| name.contains(prompt.model)).map_or("", |prompt| match role {
        Role::Passage => prompt.passage,
        Role::Query => prompt.query,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_family_is_recognised_by_name() {
        assert_eq!(prompt("nomic-ai/nomic-embed-text-v1.5-GGUF", Role::Passage), "search_document: ");
        assert_eq!(prompt("nomic-embed-text:latest", Role::Query), "search_query: ");
        assert_eq!(prompt("text-embedding-3-small", Role::Query), "");
    }
}
