//! Hints about commands, rewritten for programs: `orient impact --diff HEAD` becomes `graph {"relation": "impact", "diff": "HEAD"}`.
//!
//! Messages are written once, for the command line. A program cannot type a command, but it can call a tool: the operation table
//! says which argument a word of a command sets, and the groups say which tool runs the operation.

use crate::agent::tool_groups::{GROUPS, operation};
use crate::operation::Operation;
use serde_json::{Map, Value, json};

/// Words about flags that no tool has, and what to say to a program instead.
const GLOBAL_FLAGS: &[(&str, &str)] = &[
    ("omit --no-refresh, or run `orient index`", "a person can run `orient index`"),
    (", or answer from the current index with --no-refresh", " and ask again"),
    (", or use another store with --store DIR", ""),
    ("; or use it as --root", "; or serve it as a tree of its own"),
    (
        "pass a unified diff (`git diff | orient impact --diff -`) or a revision",
        "send the text of a unified diff, or a revision",
    ),
    ("(see --", "(see "),
    ("search for plain text with -F", "search for plain text with `fixed`"),
    ("search across lines with -U", "search across lines with `multiline`"),
    ("search binary files as text with -a", "search binary files as text with `text`"),
    (": -g restricts a search", ": `glob` restricts a search"),
];

/// A message with its commands rewritten as calls of tools; of single operations if `alone`.
pub(crate) fn for_programs(text: &str, alone: bool) -> String {
    let mut text = text.to_owned();
    for (words, instead) in GLOBAL_FLAGS {
        text = text.replace(words, instead);
    }
    let mut rest = text.as_str();
    let mut written = String::with_capacity(rest.len());
    while let Some(start) = rest.find("`orient ") {
        let Some(length) = rest[start + 1..].find('`') else { break };
        let command = &rest[start + 1..start + 1 + length];
        written.push_str(&rest[..start]);
        let call = call(command.trim_start_matches("orient "), alone);
        written.extend(["`", call.as_deref().unwrap_or(command), "`"]);
        rest = &rest[start + length + 2..];
    }
    written.push_str(rest);
    written
}

/// The tool call that a command stands for; `None` for commands that no tool offers.
fn call(command: &str, alone: bool) -> Option<String> {
    let words = words(command);
    let (name, words) = words.split_first()?;
    let operation = operation(name)?;
    let mut arguments = arguments(operation, words);
    if arguments.keys().any(|name| operation.terminal_only.contains(&name.as_str())) {
        return None;
    }
    if alone {
        return Some(written(name, &arguments));
    }
    let (group, member) = GROUPS.iter().find_map(|group| {
        let member = group.members.iter().find(|member| member.operation == *name)?;
        Some((group, member))
    })?;
    let mut keys = Map::new();
    if let Some(selector) = group.selector {
        keys.insert(selector.to_owned(), json!(member.choice));
    }
    for (key, argument) in member.arguments {
        if let Some(value) = arguments.remove(*argument) {
            // The parameters of a group are texts where one value is enough.
            let value = match value.as_array().map(Vec::as_slice) {
                Some([one]) => one.clone(),
                _ => value,
            };
            keys.insert((*key).to_owned(), value);
        }
    }
    keys.append(&mut arguments);
    Some(written(group.name, &keys))
}

fn written(tool: &str, arguments: &Map<String, Value>) -> String {
    if arguments.is_empty() {
        tool.to_owned()
    } else {
        format!("{tool} {}", Value::Object(arguments.clone()))
    }
}

/// The arguments that the words of a command set.
fn arguments(operation: &Operation, words: &[String]) -> Map<String, Value> {
    let schema = operation.program_arguments();
    let flags = operation.flags();
    let command = operation.command();
    let mut positional = command.get_positionals().map(|argument| argument.get_id().as_str().to_owned());
    let mut current = positional.next();
    let mut arguments = Map::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let long = word.strip_prefix("--").map(|long| long.replace('-', "_"));
        let short = flags.iter().find(|(flag, _)| flag == word).map(|(_, name)| name.clone());
        let is_flag = word.starts_with('-') && word.len() > 1;
        let Some(name) = long.or(short).or_else(|| current.clone().filter(|_| !is_flag)) else { continue };
        let value = match schema["properties"][&name]["type"].as_str() {
            Some("boolean") => json!(true),
            kind => {
                let text = if is_flag { words.next().cloned().unwrap_or_default() } else { word.clone() };
                match kind {
                    Some("integer") => json!(text.parse::<u64>().unwrap_or_default()),
                    Some("array") => json!([text]),
                    _ => json!(text),
                }
            }
        };
        if let (Some(Value::Array(list)), Value::Array(more)) = (arguments.get_mut(&name), &value) {
            list.extend(more.iter().cloned());
        } else {
            arguments.insert(name.clone(), value);
        }
        let is_list = schema["properties"][&name]["type"] == "array";
        if !is_flag && !is_list {
            current = positional.next();
        }
    }
    arguments
}

/// The words of a command; quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in command.chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_calls_of_the_tool_that_runs_them() {
        let said = |text| for_programs(text, false);
        assert_eq!(
            said("`orient impact Server.Run`, or `orient impact --diff HEAD` for uncommitted changes"),
            "`graph {\"relation\":\"impact\",\"symbol\":\"Server.Run\"}`, or \
             `graph {\"diff\":\"HEAD\",\"relation\":\"impact\"}` for uncommitted changes"
        );
        assert_eq!(said("`orient grep` finds all its matches"), "`grep` finds all its matches");
        assert_eq!(
            said("see `orient files --issues`"),
            "see `overview {\"about\":\"files\",\"issues\":true}`"
        );
        assert_eq!(said("`orient symbols --kind class`"), "`search {\"kind\":\"class\"}`");
        assert_eq!(for_programs("`orient trace FROM TO`", true), "`trace {\"from\":\"FROM\",\"to\":\"TO\"}`");
        assert_eq!(said("run `orient embed allow`"), "run `orient embed allow`", "no tool does that");
        assert_eq!(
            said("see `orient unused --all`"),
            "see `orient unused --all`",
            "for the command line only"
        );
        assert_eq!(said("search for plain text with -F"), "search for plain text with `fixed`");
    }
}
