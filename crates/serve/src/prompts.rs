//! A few ways to begin, for people who choose them in their client.

use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// A prompt: its name, what it is for, its one argument, and its text with `{}` for what was given.
struct Beginning {
    name: &'static str,
    about: &'static str,
    argument: Option<(&'static str, &'static str, bool)>,
    text: &'static str,
    without: &'static str,
}

const BEGINNINGS: &[Beginning] = &[
    Beginning {
        name: "understand",
        about: "Understand this codebase",
        argument: Some(("focus", "What to look at more closely; all of it without", false)),
        text: "Explain this codebase to a developer who is new to it, with the focus on: {}.",
        without: "Explain this codebase to a developer who is new to it.",
    },
    Beginning {
        name: "review",
        about: "Review a change",
        argument: Some(("change", "A diff, or what was changed: symbols or files", true)),
        text: "Review this change:\n\n{}\n\nFind every caller and every implementation it affects, the tests that \
               cover them, and what is missing.",
        without: "",
    },
    Beginning {
        name: "plan",
        about: "Plan a change",
        argument: Some(("change", "What should change", true)),
        text: "Plan this change: {}\n\nName every place to edit as path:line, in order, with what depends on each.",
        without: "",
    },
];

/// How to go about all of them.
const METHOD: &str = "\n\nUse Orient's tools and no guesses: first the map of the repository, then search for the parts \
                      that matter, read them, and follow callers and implementations in the graph. Cite path:line for \
                      every claim, and say where an answer was partial.";

/// All prompts.
pub(crate) fn list() -> Vec<Prompt> {
    let prompt = |beginning: &Beginning| {
        let arguments = beginning.argument.map(|(name, about, required)| {
            vec![PromptArgument::new(name).with_description(about).with_required(required)]
        });
        Prompt::new(beginning.name, Some(beginning.about), arguments)
    };
    BEGINNINGS.iter().map(prompt).collect()
}

/// A prompt with what was given.
pub(crate) fn get(name: &str, arguments: &Value) -> Result<GetPromptResult, ErrorData> {
    let Some(beginning) = BEGINNINGS.iter().find(|beginning| beginning.name == name) else {
        let known: Vec<&str> = BEGINNINGS.iter().map(|beginning| beginning.name).collect();
        return Err(ErrorData::invalid_params(
            format!("there is no such prompt; there are: {}", known.join(", ")),
            None,
        ));
    };
    let given = beginning.argument.and_then(|(name, ..)| arguments.get(name)).and_then(Value::as_str);
    let text = match given.map(str::trim).filter(|given| !given.is_empty()) {
        Some(given) => beginning.text.replace("{}", given),
        None if beginning.without.is_empty() => {
            let argument = beginning.argument.map_or("", |(name, ..)| name);
            return Err(ErrorData::invalid_params(format!("`{name}` needs `{argument}`"), None));
        }
        None => beginning.without.to_owned(),
    };
    let message = PromptMessage::new_text(Role::User, format!("{text}{METHOD}"));
    Ok(GetPromptResult::new(vec![message]).with_description(beginning.about))
}
