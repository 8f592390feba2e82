//! The tools as the protocol lists them: names, descriptions and schemas from the table.

use orient_tools::AgentTool;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// The tools of these offers.
pub(crate) fn tools(offers: &[AgentTool]) -> Vec<Tool> {
    offers.iter().map(tool).collect()
}

/// The tools of these offers as a client gets them, for those who count what they cost.
pub fn listing(offers: &[AgentTool]) -> Value {
    json!({ "tools": tools(offers) })
}

fn tool(offer: &AgentTool) -> Tool {
    // No need to say that nothing is destroyed: that is only asked of what is not read-only.
    let annotations = ToolAnnotations::new().read_only(true).idempotent(true).open_world(false);
    Tool::new(offer.name, offer.about.clone(), object(&offer.input))
        .with_raw_output_schema(object(&output(offer)))
        .with_annotations(annotations)
}

/// What every answer has: the text, whether it is complete, and where it goes on. Operations one by one also give their
/// data, with its schema.
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

    /// What the schemas may cost every agent at every start.
    const MOST: usize = 1_500;

    #[test]
    fn the_default_tools_are_few_and_cost_little() {
        let offers = agent_tools(None).expect("the groups");
        assert!(offers.len() <= 6);
        let listed = listing(&offers)["tools"].to_string();
        // Public tokenizers take four bytes of it for a token; `xtask clients` counts with two of them. This errs on the
        // safe side: three and a half.
        assert!(listed.len() * 2 / 7 <= MOST, "{} bytes", listed.len());
    }

    #[test]
    fn every_tool_says_that_it_only_reads_and_what_it_gives() {
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
