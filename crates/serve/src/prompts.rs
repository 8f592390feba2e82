//! The MCP prompts: templates that users choose in their client.

use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// A template with one optional argument, which replaces `{}` in the text.
struct PromptTemplate {
    name: &'static str,
    about: &'static str,
    /// Name, description, and whether it is required.
    argument: Option<(&'static str, &'static str, bool)>,
    text: &'static str,
    /// The text without the argument; empty if it is required.
    text_without: &'static str,
}

const TEMPLATES: &[PromptTemplate] = &[
    PromptTemplate {
        name: "understand",
        about: "Understand this codebase",
        argument: Some(("focus", "What to focus on; everything if absent", false)),
        text: "Explain this codebase to a developer who is new to it, with the focus on: {}.",
        text_without: "Explain this codebase to a developer who is new to it.",
    },
    PromptTemplate {
        name: "review",
        about: "Review a change",
        argument: Some(("change", "A diff, or what was changed: symbols or files", true)),
        text: "Review this change:\n\n{}\n\nFind every caller and every implementation it affects, the tests that \
               cover them, and what is missing.",
        text_without: "",
    },
    PromptTemplate {
        name: "plan_change",
        about: "Plan a change",
        argument: Some(("change", "What should change", true)),
        text: "Plan this change: {}\n\nName every place to edit as path:line, in order, with what depends on each.",
        text_without: "",
    },
];

/// The end of every prompt.
const METHOD: &str = "\n\nUse Orient's tools and no guesses: first the map of the repository, then search for the parts \
                      that matter, read them, and follow callers and implementations in the graph. Cite path:line for \
                      every claim, and say where an answer was partial.";

/// Lists all prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |template: &PromptTemplate| {
        let arguments = template.argument.map(|(name, about, required)| {
            vec![PromptArgument::new(name).with_description(about).with_required(required)]
        });
        Prompt::new(template.name, Some(template.about), arguments)
    };
    TEMPLATES.iter().map(prompt).collect()
}

/// Fills in a prompt.
pub(crate) fn get(name: &str, arguments: &Value) -> Result<GetPromptResult, ErrorData> {
    let Some(template) = TEMPLATES.iter().find(|template| template.name == name) else {
        let known: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
        return Err(ErrorData::invalid_params(
            format!("unknown prompt; available: {}", known.join(", ")),
            None,
        ));
    };
    let given = template.argument.and_then(|(name, ..)| arguments.get(name)).and_then(Value::as_str);
    let text = match given.map(str::trim).filter(|given| !given.is_empty()) {
        Some(given) => template.text.replace("{}", given),
        None if template.text_without.is_empty() => {
            let argument = template.argument.map_or("", |(name, ..)| name);
            return Err(ErrorData::invalid_params(
                format!("`{name}` requires the argument `{argument}`"),
                None,
            ));
        }
        None => template.text_without.to_owned(),
    };
    let message = PromptMessage::new_text(Role::User, format!("{text}{METHOD}"));
    Ok(GetPromptResult::new(vec![message]).with_description(template.about))
}
