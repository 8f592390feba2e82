//! The arguments of an operation as programs send them: the JSON schema of a command, and the command line that a JSON object
//! stands for.
//!
//! Arguments are declared once, for the command line. `{"symbol": "run", "depth": 2, "tests": true}` is read as
//! `--depth=2 --tests -- run`.

use crate::error::{Code, ToolError};
use crate::graph::changed_symbols::ChangeSource;
use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};
use std::any::TypeId;
use std::borrow::Borrow;
use std::convert::Infallible;
use std::error::Error;
use std::str::FromStr;

/// A word of a text that a person types as several words, and a program sends as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word(String);

impl FromStr for Word {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl Word {
    /// As text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

// Lets words be joined as strings are.
impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The name of an argument for programs: its long flag with underscores, or the name of a positional argument.
fn name_of(argument: &Arg) -> String {
    argument.get_long().map_or_else(|| argument.get_id().as_str().to_owned(), |long| long.replace('-', "_"))
}

/// The flags of a command, each with the argument it sets: (`-A`, `after_context`), (`within`, `in`).
pub(crate) fn flags(command: &Command) -> Vec<(String, String)> {
    let mut flags = Vec::new();
    for argument in command.get_arguments() {
        let name = name_of(argument);
        flags.extend(argument.get_short().map(|short| (format!("-{short}"), name.clone())));
        flags.push((argument.get_id().as_str().to_owned(), name));
    }
    flags
}

/// The arguments of a command that its help does not show.
pub(crate) fn hidden(command: &Command) -> Vec<String> {
    command.get_arguments().filter(|argument| argument.is_hide_set()).map(name_of).collect()
}

/// The JSON schema of the arguments of a command, without what no model needs.
pub(crate) fn schema(command: &Command) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in command.get_arguments() {
        let name = name_of(argument);
        if argument.is_required_set() {
            required.push(name.clone());
        }
        properties.insert(name, Value::Object(property(argument)));
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The schema of one argument.
fn property(argument: &Arg) -> Map<String, Value> {
    let mut schema = match (argument.get_action(), value_type(argument)) {
        (ArgAction::SetTrue | ArgAction::SetFalse, _) => of_type("boolean"),
        (ArgAction::Count, _) => of_type("integer"),
        // A program sends the text as one.
        (ArgAction::Append, ValueType::Words) => of_type("string"),
        (ArgAction::Append, item) => {
            let mut list = of_type("array");
            list.insert("items".to_owned(), Value::Object(item_schema(argument, item)));
            list
        }
        (_, item) => item_schema(argument, item),
    };
    if let [default] = argument.get_default_values() {
        let text = default.to_string_lossy();
        let number = schema["type"] == "integer" || schema["type"] == "number";
        let value = if number { text.parse().unwrap_or_default() } else { Value::from(text) };
        schema.insert("default".to_owned(), value);
    }
    let name = name_of(argument);
    // These names say it all.
    let is_limit = name.starts_with("min_") || name.starts_with("max_");
    if let Some(help) = argument.get_help().filter(|_| !is_limit) {
        schema.insert("description".to_owned(), Value::from(help.to_string()));
    }
    schema
}

fn of_type(name: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), Value::from(name))])
}

fn item_schema(argument: &Arg, item: ValueType) -> Map<String, Value> {
    let mut schema = of_type(match item {
        ValueType::Whole => "integer",
        ValueType::Fraction => "number",
        ValueType::Text | ValueType::Words => "string",
    });
    let values = argument.get_possible_values();
    let values: Vec<&str> =
        values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    if !values.is_empty() {
        schema.insert("enum".to_owned(), json!(values));
    }
    schema
}

/// The JSON type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueType {
    Whole,
    Fraction,
    Text,
    Words,
}

fn value_type(argument: &Arg) -> ValueType {
    let parsed = argument.get_value_parser().type_id();
    let whole = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<i64>(),
    ];
    if whole.iter().any(|number| parsed == *number) {
        ValueType::Whole
    } else if parsed == TypeId::of::<f32>() || parsed == TypeId::of::<f64>() {
        ValueType::Fraction
    } else if parsed == TypeId::of::<Word>() {
        ValueType::Words
    } else {
        ValueType::Text
    }
}

/// Parses a JSON object of arguments whose names and types are those of the schema.
pub(crate) fn parse(command: Command, arguments: &Map<String, Value>) -> Result<ArgMatches, ToolError> {
    // The items of a list are separate already: a comma in one of them is part of it.
    let command = command.mut_args(|argument| argument.value_delimiter(None));
    let words = words(&command, arguments)?;
    parse_words(command, &words)
}

/// Parses the words of a command line that a program or another machine sends, without the name of the command.
pub(crate) fn parse_words(command: Command, words: &[String]) -> Result<ArgMatches, ToolError> {
    let name = command.get_name().to_owned();
    let typed = std::iter::once(&name).chain(words);
    let is_change = |argument: &Arg| argument.get_value_parser().type_id() == TypeId::of::<ChangeSource>();
    // A person names a file with a diff. What a program names must not be read from this machine: it sends the diff itself.
    let command = command.mut_args(|argument| {
        if is_change(&argument) { argument.value_parser(ChangeSource::sent) } else { argument }
    });
    command.try_get_matches_from(typed).map_err(|error| ToolError::new(Code::BadArgument, message(&error)))
}

/// What is wrong with a command line, for a program: it knows `limit`, not `--limit <N>`.
fn message(error: &clap::Error) -> String {
    let context = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        _ => None,
    };
    let named = |argument: &str| {
        let flag = argument.split([' ', '=']).next().unwrap_or_default();
        flag.trim_matches(['-', '<', '>', '[', ']', '.']).to_lowercase().replace('-', "_")
    };
    let name = named(&context(ContextKind::InvalidArg).unwrap_or_default());
    let Some(value) = context(ContextKind::InvalidValue) else {
        if let Some(other) = context(ContextKind::PriorArg) {
            return format!("`{name}` cannot be used with `{}`", named(&other));
        }
        if error.kind() == ErrorKind::MissingRequiredArgument {
            return format!("`{name}` is missing");
        }
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        return line.strip_prefix("error: ").unwrap_or(line).to_owned();
    };
    let wrong = format!("`{name}` cannot be \"{value}\"");
    match (error.source(), context(ContextKind::ValidValue)) {
        (Some(reason), _) => format!("{wrong}: {reason}"),
        (None, Some(valid)) => format!("{wrong}; it is one of: {valid}"),
        (None, None) => wrong,
    }
}

/// The command line that a JSON object stands for.
fn words(command: &Command, arguments: &Map<String, Value>) -> Result<Vec<String>, ToolError> {
    let mut options = Vec::new();
    let mut positional = Vec::new();
    let known: Vec<&Arg> = command.get_arguments().collect();
    for argument in &known {
        let name = name_of(argument);
        let value = arguments.get(&name).filter(|value| !value.is_null());
        if argument.is_positional() {
            positional.push((*argument, name, value));
        } else if let Some(value) = value {
            push_option(argument, value, &mut options);
        }
    }
    if let Some(unknown) = arguments.keys().find(|key| !known.iter().any(|known| name_of(known) == **key)) {
        let message = format!("`{}` has no argument `{unknown}`", command.get_name());
        return Err(ToolError::new(Code::BadArgument, message));
    }
    let given = positional.iter().rposition(|(_, _, value)| value.is_some()).map_or(0, |last| last + 1);
    let mut words = options.clone();
    words.extend((given > 0).then(|| "--".to_owned()));
    for (argument, name, value) in positional.into_iter().take(given) {
        let default = argument.get_default_values();
        match value {
            Some(value) => words.extend(texts(value)),
            None if !default.is_empty() => {
                words.extend(default.iter().map(|default| default.to_string_lossy().into_owned()));
            }
            // What follows takes its place. That is meant only if the options stand for it, as `grep -e PATTERN PATH` has it.
            None => {
                let alone = std::iter::once(command.get_name()).chain(options.iter().map(String::as_str));
                if command.clone().try_get_matches_from(alone).is_err() {
                    let message = format!("`{}` needs `{name}`", command.get_name());
                    return Err(ToolError::new(Code::BadArgument, message));
                }
            }
        }
    }
    Ok(words)
}

fn push_option(argument: &Arg, value: &Value, options: &mut Vec<String>) {
    let flag = match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => return,
    };
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => options.extend((*value == json!(true)).then_some(flag)),
        ArgAction::Count => {
            let times = usize::try_from(value.as_u64().unwrap_or_default()).unwrap_or_default();
            options.extend(std::iter::repeat_n(flag, times.min(usize::from(u8::MAX))));
        }
        _ => options.extend(texts(value).into_iter().map(|text| format!("{flag}={text}"))),
    }
}

/// The texts of a value or of the items of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    #[derive(Args)]
    struct Sample {
        /// What to find
        #[arg(required_unless_present = "instead")]
        query: Option<String>,
        /// Where
        paths: Vec<String>,
        /// Only these
        #[arg(long = "of-kind", value_delimiter = ',')]
        kind: Vec<String>,
        /// Instead of a query
        #[arg(long)]
        instead: Option<String>,
        /// How far
        #[arg(long, default_value_t = 3)]
        depth: u32,
        /// How sure
        #[arg(long)]
        min_score: Option<f32>,
        /// Not in tests
        #[arg(short = 'T', long)]
        no_tests: bool,
    }

    #[derive(Args)]
    struct Question {
        /// In words
        #[arg(required = true)]
        question: Vec<Word>,
    }

    fn command() -> Command {
        Sample::augment_args(Command::new("sample"))
    }

    #[test]
    fn the_schema_of_a_command_has_types_defaults_and_descriptions() {
        let expected = json!({ "type": "object", "properties": {
            "query": { "type": "string", "description": "What to find" },
            "paths": { "type": "array", "items": { "type": "string" }, "description": "Where" },
            "of_kind": { "type": "array", "items": { "type": "string" }, "description": "Only these" },
            "instead": { "type": "string", "description": "Instead of a query" },
            "depth": { "type": "integer", "default": 3, "description": "How far" },
            "min_score": { "type": "number" },
            "no_tests": { "type": "boolean", "description": "Not in tests" },
        } });
        assert_eq!(schema(&command()), expected);
        let expected = json!({ "type": "object", "required": ["question"], "properties": {
            "question": { "type": "string", "description": "In words" },
        } });
        assert_eq!(schema(&Question::augment_args(Command::new("ask"))), expected);
    }

    fn line(arguments: &Value) -> Result<String, String> {
        let arguments = arguments.as_object().expect("an object");
        words(&command(), arguments).map(|words| words.join(" ")).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn an_object_stands_for_a_command_line() {
        let sent = json!({ "query": "-x y", "depth": 2, "of_kind": ["a,b", "-c"], "no_tests": true });
        assert_eq!(line(&sent), Ok("--of-kind=a,b --of-kind=-c --depth=2 --no-tests -- -x y".to_owned()));
        assert_eq!(line(&json!({ "query": "x", "no_tests": false })), Ok("-- x".to_owned()));
        assert_eq!(line(&json!({ "paths": ["src"] })), Err("`sample` needs `query`".to_owned()));
        assert_eq!(line(&json!({ "paths": ["src"], "instead": "x" })), Ok("--instead=x -- src".to_owned()));
        assert_eq!(
            line(&json!({ "query": "x", "odd": 1 })),
            Err("`sample` has no argument `odd`".to_owned())
        );
    }

    #[test]
    fn a_wrong_value_is_named_as_programs_name_it() {
        let wrong = |sent: Value| {
            let sent = sent.as_object().expect("an object").clone();
            parse(command(), &sent).expect_err("it is wrong").message().to_owned()
        };
        assert_eq!(
            wrong(json!({ "query": "x", "depth": -1 })),
            "`depth` cannot be \"-1\": -1 is not in 0..=4294967295"
        );
        assert_eq!(wrong(json!({})), "`query` is missing");
    }

    #[test]
    fn a_comma_in_an_item_is_part_of_it() {
        let sent = json!({ "query": "x", "of_kind": ["Map<K, V>"] });
        let matches = parse(command(), sent.as_object().expect("an object")).expect("valid");
        let kinds: Vec<&String> = matches.get_many("kind").into_iter().flatten().collect();
        assert_eq!(kinds, ["Map<K, V>"]);
    }
}
