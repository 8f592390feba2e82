//! The MCP tool list: names, descriptions and schemas from the operation table.

use crate::shared_call::{REPOSITORIES, REPOSITORY};
use orient_tools::AgentTool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// The MCP tools of these agent tools.
pub(crate) fn tools(offers: &[AgentTool]) -> Vec<Tool> {
    offers.iter().map(tool).collect()
}

/// The same for a server of many repositories: every tool takes the name of one, and one lists them.
pub(crate) fn shared_tools(offers: &[AgentTool]) -> Vec<Tool> {
    let mut tools = vec![described(
        REPOSITORIES,
        "The repositories you may read, with their branches.".to_owned(),
        &json!({ "type": "object", "properties": {} }),
    )];
    for offer in offers {
        let mut input = offer.input.clone();
        let about = "a repository, or repository@branch; without it, all that may have an answer";
        input["properties"][REPOSITORY] = json!({ "type": "string", "description": about });
        tools.push(described(offer.name, offer.about.clone(), &input));
    }
    tools
}

/// The tool list as a client receives it, for measuring its size in tokens.
pub fn listing(offers: &[AgentTool]) -> Value {
    json!({ "tools": tools(offers) })
}

/// A tool has no output schema: its answers are text, and the data of single operations is described in the documentation. The
/// schemas of the data would cost an agent eight times what the tools cost, at every start.
fn tool(offer: &AgentTool) -> Tool {
    described(offer.name, offer.about.clone(), &offer.input)
}

fn described(name: &'static str, about: String, input: &Value) -> Tool {
    // The destructive hint applies only to tools that are not read-only.
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(name, about, object(input)).with_annotations(annotations)
}

fn object(value: &Value) -> Arc<JsonObject> {
    Arc::new(value.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_tools::agent_tools;

    /// Maximum size of the default tool list in tokens: every agent loads it at every start.
    const MAX_TOKENS: usize = 1_500;
    /// Maximum size of the list of all operations.
    const MAX_TOKENS_OF_ALL: usize = 12_000;

    /// An estimate: public tokenizers take more than four bytes of the default list for a token, and more than 4.3 of the long
    /// descriptions in the other; `xtask clients` counts with two of them.
    fn estimate(selection: Option<&str>) -> usize {
        let offers = agent_tools(selection).expect("the tools");
        let bytes = listing(&offers)["tools"].to_string().len();
        if selection.is_some() { bytes * 10 / 43 } else { bytes / 4 }
    }

    #[test]
    fn the_default_tool_list_is_small() {
        assert!(agent_tools(None).expect("the groups").len() <= 8);
        let (default, all) = (estimate(None), estimate(Some("all")));
        assert!(default <= MAX_TOKENS, "about {default} tokens of {all}");
        assert!(all <= MAX_TOKENS_OF_ALL, "about {all} tokens");
    }

    #[test]
    fn every_tool_is_read_only_and_takes_a_cursor() {
        for selection in [None, Some("all")] {
            for tool in tools(&agent_tools(selection).expect("offers")) {
                let annotations = tool.annotations.expect("annotations");
                assert_eq!(
                    (annotations.read_only_hint, annotations.idempotent_hint),
                    (Some(true), Some(true))
                );
                assert!(tool.input_schema["properties"]["cursor"].is_object(), "{}", tool.name);
                assert!(tool.input_schema["properties"]["again"].is_object(), "{}", tool.name);
            }
        }
    }
}
