//! What models want to read before a text, where their server does not add it.

use orient_embed::Role;

/// Words that a family of models was trained with.
struct Prompt {
    /// What the name of the model contains.
    model: &'static str,
    passage: &'static str,
    query: &'static str,
}

/// From the cards of the models; the first whose name fits counts. Others get the bare text.
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

/// What to write before a text for this model.
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
    fn a_family_is_known_by_its_name_whoever_serves_it() {
        assert_eq!(prompt("nomic-ai/nomic-embed-text-v1.5-GGUF", Role::Passage), "search_document: ");
        assert_eq!(prompt("nomic-embed-text:latest", Role::Query), "search_query: ");
        assert_eq!(prompt("text-embedding-3-small", Role::Query), "");
    }
}
