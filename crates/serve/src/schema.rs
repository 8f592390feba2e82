//! The MCP tool list: names, descriptions and schemas from the operation table.

use orient_tools::AgentTool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// The MCP tools of these agent tools.
pub(crate) fn tools(offers: &[AgentTool]) -> Vec<Tool> {
    offers.iter().map(tool).collect()
}

/// The tool list as a client receives it, for measuring its size in tokens.
pub fn listing(offers: &[AgentTool]) -> Value {
    json!({ "tools": tools(offers) })
}

fn tool(offer: &AgentTool) -> Tool {
    // The destructive hint applies only to tools that are not read-only.
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(offer.name, offer.about.clone(), object(&offer.input))
        .with_raw_output_schema(object(&output(offer)))
        .with_annotations(annotations)
}

/// The output schema of every tool: the text, whether it is complete, and the next cursor. Single operations also return their
/// data with its schema.
fn output(offer: &AgentTool) -> Value {
    let mut properties = json!({
        "text": { "type": "string" },
        "complete": { "type": "boolean" },
        "next": { "type": "string" },
    });
    let mut schema = json!({ "type": "object", "required": ["text", "complete"] });
    if let Some(answer) = &offer.data {
        properties["data"] = answer["properties"]["data"].clone();
        if let Some(defs) = answer.get("$defs") {
            schema["$defs"] = defs.clone();
        }
    }
    schema["properties"] = properties;
    schema
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

    #[test]
    fn the_default_tool_list_is_small() {
        let offers = agent_tools(None).expect("the groups");
        assert!(offers.len() <= 6);
        let listed = listing(&offers)["tools"].to_string();
        // Public tokenizers take four bytes of it for a token; `xtask clients` counts with two of them. This errs on the
        // safe side: three and a half.
        assert!(listed.len() * 2 / 7 <= MAX_TOKENS, "{} bytes", listed.len());
    }

    #[test]
    fn every_tool_is_read_only_and_has_an_output_schema() {
        for selection in [None, Some("all")] {
            for tool in tools(&agent_tools(selection).expect("offers")) {
                let annotations = tool.annotations.expect("annotations");
                assert_eq!(
                    (annotations.read_only_hint, annotations.idempotent_hint),
                    (Some(true), Some(true))
                );
                let output = tool.output_schema.expect("a schema");
                assert_eq!(output["type"], "object");
                assert_eq!(output["properties"]["text"]["type"], "string", "{}", tool.name);
                assert_eq!(output["properties"].get("data").is_some(), selection.is_some(), "{}", tool.name);
            }
        }
    }
}
