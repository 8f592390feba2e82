//! Correction of the arguments that programs send: synonyms of argument names, numbers and lists as text.
//!
//! Unambiguous mistakes are corrected with a note; an unknown argument is an error with a suggestion. For an operation with
//! `symbol` and `depth`, `{"functionName": "run", "maxDepth": "2"}` becomes `{"symbol": "run", "depth": 2}`.

use crate::error::{Code, ToolError};
use serde_json::{Map, Value};

/// The unit of grouping that a word means: `folder` is a synonym of `directory`.
pub(crate) fn grouping(word: &str) -> &str {
    if word == "folder" { "directory" } else { word }
}

/// Rows of synonyms. An unknown argument is read as a known one of the same row, if the row has exactly one that was not
/// sent itself.
const SYNONYMS: &[&[&str]] = &[
    &[
        "symbol",
        "name",
        "target",
        "handle",
        "symbol_name",
        "function",
        "function_name",
        "method",
        "class",
        "identifier",
        "id",
        "from",
    ],
    &["target", "path", "file", "symbol", "file_path", "filepath", "filename", "uri", "name", "handle"],
    &[
        "query", "q", "name", "pattern", "text", "search", "question", "term", "keywords", "symbol", "input",
        "task", "prompt",
    ],
    &["pattern", "regex", "regexp", "query", "q", "search", "text", "string", "expression", "needle"],
    &[
        "path",
        "paths",
        "file",
        "files",
        "file_path",
        "filepath",
        "filename",
        "dir",
        "directory",
        "folder",
        "in",
        "within",
        "scope",
        "glob",
        "root",
        "include",
    ],
    &["glob", "globs", "include", "file_pattern", "files", "file_glob", "path", "filter"],
    &["paths", "path", "file", "files", "dir", "directory", "folder"],
    &["limit", "max", "count", "n", "k", "top_k", "max_results", "num_results", "max_count", "head_limit"],
    &["depth", "levels", "max_depth", "hops", "level"],
    &["lines", "line", "range", "line_range", "line_numbers", "span"],
    &["cursor", "after", "next", "next_cursor", "page_token", "continue", "offset", "page"],
    &["kind", "kinds", "symbol_kind", "types", "symbol_type", "type"],
    &["lang", "language", "languages", "langs"],
    &["max_tokens", "tokens", "token_budget", "budget", "token_limit", "max_output_tokens"],
    &[
        "relation",
        "relationship",
        "direction",
        "what",
        "mode",
        "action",
        "operation",
        "op",
        "type",
        "kind",
        "edge",
    ],
    &["about", "what", "view", "mode", "kind", "type", "topic", "section"],
    &["view", "mode", "as", "what", "format", "kind"],
    &["to", "target", "destination", "dest", "end", "sink", "callee"],
    &["from", "source", "start", "src", "symbol", "caller"],
    &["ignore_case", "case_insensitive", "insensitive", "i"],
    &["fixed_strings", "fixed", "literal", "fixed_string", "plain"],
    &["context", "context_lines", "around"],
    &["changed", "symbol", "symbols", "files", "file", "target", "paths", "path", "name"],
    &["diff", "patch", "changes"],
    &["task", "query", "question", "prompt", "goal", "description", "q"],
    &["again", "repeat", "force", "full"],
];

/// Names for the two ends of a line range.
const FIRST_LINE: &[&str] = &["start_line", "line_start", "from_line", "start", "first_line", "begin_line"];
const LAST_LINE: &[&str] = &["end_line", "line_end", "to_line", "end", "last_line"];
/// Keys in which some programs wrap all arguments.
const WRAPPERS: &[&str] = &["arguments", "args", "input", "params", "parameters", "kwargs"];

/// Arguments that fit a schema, and the corrections made.
pub(crate) struct CorrectedArguments {
    /// The arguments with the names and types of the schema.
    pub(crate) arguments: Map<String, Value>,
    /// The corrections, in words.
    pub(crate) notes: Vec<String>,
}

/// Fits the arguments sent to `owner` to its schema.
pub(crate) fn correct_arguments(
    owner: &str,
    schema: &Value,
    sent: Value,
) -> Result<CorrectedArguments, ToolError> {
    let none = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut notes = Vec::new();
    let sent = unwrapped(known, object(sent, &mut notes)?, &mut notes);
    let mut reader = ArgumentReader { owner, known, arguments: Map::new(), notes };
    let sent = reader.lines(sent);
    let (own, other): (Vec<_>, Vec<_>) = sent
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(name, _)| known.contains_key(name));
    for (name, value) in own {
        reader.take(&name, value)?;
    }
    for (name, value) in other {
        let known = reader.known_name(&name)?;
        reader.notes.push(format!("`{name}` was read as `{known}`"));
        reader.take(&known, value)?;
    }
    Ok(CorrectedArguments { arguments: reader.arguments, notes: reader.notes })
}

fn object(sent: Value, notes: &mut Vec<String>) -> Result<Map<String, Value>, ToolError> {
    match sent {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        Value::String(text) if let Ok(Value::Object(map)) = serde_json::from_str(&text) => {
            notes.push("the arguments were sent as a string and were parsed as an object".to_owned());
            Ok(map)
        }
        _ => Err(ToolError::new(Code::BadArgument, "the arguments must be an object")
            .hint("send them by name, for example {\"query\": \"…\"}")),
    }
}

fn unwrapped(
    known: &Map<String, Value>,
    sent: Map<String, Value>,
    notes: &mut Vec<String>,
) -> Map<String, Value> {
    if sent.len() == 1
        && let Some((name, inner)) = sent.iter().next()
        && WRAPPERS.contains(&name.as_str())
        && !known.contains_key(name)
        && let Some(inner) = inner.as_object()
    {
        notes.push(format!("the arguments were taken out of `{name}`"));
        return inner.clone();
    }
    sent
}

struct ArgumentReader<'s> {
    owner: &'s str,
    known: &'s Map<String, Value>,
    arguments: Map<String, Value>,
    notes: Vec<String>,
}

impl ArgumentReader<'_> {
    /// Combines the two ends of a line range, if the schema has `lines`.
    fn lines(&mut self, mut sent: Map<String, Value>) -> Map<String, Value> {
        if !self.known.contains_key("lines") || sent.contains_key("lines") {
            return sent;
        }
        let mut end = |names: &[&str]| {
            let name =
                names.iter().find(|name| sent.contains_key(**name) && !self.known.contains_key(**name))?;
            sent.remove(*name).map(|value| value.to_string().trim_matches('"').to_owned())
        };
        let (first, last) = (end(FIRST_LINE), end(LAST_LINE));
        if first.is_some() || last.is_some() {
            let lines = format!("{}-{}", first.unwrap_or_else(|| "1".to_owned()), last.unwrap_or_default());
            self.notes.push(format!("the lines were read as `lines`: \"{lines}\""));
            sent.insert("lines".to_owned(), Value::String(lines));
        }
        sent
    }

    /// The argument that an unknown name means.
    fn known_name(&self, name: &str) -> Result<String, ToolError> {
        let plain = snake(name);
        if self.known.contains_key(&plain) && !self.arguments.contains_key(&plain) {
            return Ok(plain);
        }
        let free = |other: &&&str| self.known.contains_key(**other) && !self.arguments.contains_key(**other);
        for row in SYNONYMS.iter().filter(|row| row.contains(&plain.as_str())) {
            let mut fitting = row.iter().filter(free);
            if let (Some(one), None) = (fitting.next(), fitting.next()) {
                return Ok((*one).to_owned());
            }
        }
        let names: Vec<&str> = self.known.keys().map(String::as_str).collect();
        let hint = match orient_model::nearest(&plain, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "it takes no arguments".to_owned(),
            None => format!("it takes: {}", names.join(", ")),
        };
        Err(ToolError::new(Code::BadArgument, format!("`{}` has no argument `{name}`", self.owner))
            .hint(hint))
    }

    fn take(&mut self, name: &str, value: Value) -> Result<(), ToolError> {
        let expected = ArgumentType::of(&self.known[name]);
        let sent = shown(&value);
        let (value, changed) = expected.convert(value).ok_or_else(|| {
            ToolError::new(Code::BadArgument, format!("`{name}` must be {}, not {sent}", expected.words()))
        })?;
        if changed {
            self.notes.push(format!("`{name}`: {sent} was read as {}", shown(&value)));
        }
        self.arguments.insert(name.to_owned(), value);
        Ok(())
    }
}

/// A name in snake case: `maxTokens` and `max-tokens` as `max_tokens`.
fn snake(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 2);
    let mut small = false;
    for c in name.trim_matches('-').chars() {
        if c.is_ascii_uppercase() && small {
            plain.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        plain.push(if c == '-' || c == ' ' { '_' } else { c.to_ascii_lowercase() });
    }
    plain
}

/// A value shortened for a message.
fn shown(value: &Value) -> String {
    const MAX_CHARS: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    text.chars().take(MAX_CHARS).chain(['…']).collect()
}

/// The type that a schema requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentType {
    Text,
    Number,
    Flag,
    List,
    Any,
}

impl ArgumentType {
    fn of(schema: &Value) -> Self {
        let named = |word: &str| match word {
            "string" => Some(Self::Text),
            "integer" | "number" => Some(Self::Number),
            "boolean" => Some(Self::Flag),
            "array" => Some(Self::List),
            _ => None,
        };
        let of_type = match &schema["type"] {
            Value::String(word) => named(word),
            Value::Array(words) => words.iter().filter_map(Value::as_str).find_map(named),
            _ => None,
        };
        of_type.unwrap_or(Self::Any)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::List => "a list",
            Self::Any => "another value",
        }
    }

    /// The value converted to this type, and whether it changed; `None` if it cannot be converted.
    fn convert(self, value: Value) -> Option<(Value, bool)> {
        match (self, value) {
            (Self::Any, value)
            | (Self::Text, value @ Value::String(_))
            | (Self::Flag, value @ Value::Bool(_)) => Some((value, false)),
            (Self::List, Value::Array(items)) => {
                let texts = items.iter().all(|item| !item.is_object() && !item.is_array());
                texts.then(|| (Value::Array(items.iter().map(text).map(Value::String).collect()), false))
            }
            (Self::Number, Value::Number(number)) if number.is_i64() || number.is_u64() => {
                Some((Value::Number(number), false))
            }
            (Self::Number, value) => whole(&value).map(|number| (Value::from(number), true)),
            (Self::Flag, value) => flag(&value).map(|flag| (Value::Bool(flag), true)),
            (Self::Text, Value::Array(items)) if items.len() == 1 => {
                Self::Text.convert(items[0].clone()).map(|(value, _)| (value, true))
            }
            (Self::Text, value @ (Value::Number(_) | Value::Bool(_))) => {
                Some((Value::String(text(&value)), true))
            }
            (Self::List, value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
                Some((Value::Array(list(&text(&value)).into_iter().map(Value::String).collect()), true))
            }
            _ => None,
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().replace(['_', ','], "").parse().ok(),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        Value::Number(number) => number
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 1e15)
            .map(|number| number as i64),
        _ => None,
    }
}

fn flag(value: &Value) -> Option<bool> {
    match text(value).trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" | "" => Some(false),
        _ => None,
    }
}

/// A list sent as text: a JSON array, or separated by commas.
fn list(text: &str) -> Vec<String> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return items.iter().map(self::text).collect();
    }
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({ "properties": {
            "symbol": { "type": "string" },
            "depth": { "type": ["integer", "null"] },
            "kind": { "type": "array" },
            "no_tests": { "type": "boolean" },
            "lines": { "type": "string" },
        }})
    }

    fn read(sent: Value) -> Result<(Value, Vec<String>), String> {
        correct_arguments("callers", &schema(), sent)
            .map(|corrected| (Value::Object(corrected.arguments), corrected.notes))
            .map_err(|error| format!("{}; {}", error.message(), error.help()))
    }

    #[test]
    fn valid_arguments_pass_without_notes() {
        let sent = json!({ "symbol": "run", "depth": 2, "kind": ["method"], "no_tests": true });
        assert_eq!(read(sent.clone()), Ok((sent, Vec::new())));
        assert_eq!(
            read(json!({ "symbol": "run", "depth": null })),
            Ok((json!({ "symbol": "run" }), Vec::new()))
        );
    }

    #[test]
    fn synonyms_and_convertible_types_are_corrected_with_a_note() {
        let (read_as, notes) = read(
            json!({ "function_name": "run", "maxDepth": "2", "kinds": "method, class", "noTests": "yes" }),
        )
        .expect("understood");
        assert_eq!(
            read_as,
            json!({ "symbol": "run", "depth": 2, "kind": ["method", "class"], "no_tests": true })
        );
        assert!(notes.contains(&"`function_name` was read as `symbol`".to_owned()), "{notes:?}");
        assert!(notes.contains(&"`depth`: \"2\" was read as 2".to_owned()), "{notes:?}");
        assert_eq!(
            read(json!({ "symbol": "a", "kind": "[\"x\", \"y\"]" })).expect("read").0["kind"],
            json!(["x", "y"])
        );
        assert_eq!(
            read(json!({ "symbol": 7, "depth": 2.0 })).expect("read").0,
            json!({ "symbol": "7", "depth": 2 })
        );
    }

    #[test]
    fn first_and_last_line_are_combined_to_a_range() {
        let (read_as, _) = read(json!({ "symbol": "a.c", "start_line": 3, "end_line": "9" })).expect("read");
        assert_eq!(read_as["lines"], "3-9");
    }

    #[test]
    fn arguments_may_be_sent_as_a_string_or_wrapped() {
        assert_eq!(read(json!("{\"symbol\": \"run\"}")).expect("read").0["symbol"], "run");
        assert_eq!(read(json!({ "arguments": { "symbol": "run" } })).expect("read").0["symbol"], "run");
        assert_eq!(read(Value::Null).expect("read").0, json!({}));
        assert!(read(json!([1])).is_err());
    }

    #[test]
    fn an_unknown_argument_is_an_error_with_a_suggestion() {
        assert_eq!(
            read(json!({ "symbol": "a", "dpeth": 1 })),
            Err("`callers` has no argument `dpeth`; did you mean `depth`?".to_owned())
        );
        assert_eq!(
            read(json!({ "symbol": "a", "colour": 1 })),
            Err("`callers` has no argument `colour`; it takes: depth, kind, lines, no_tests, symbol"
                .to_owned())
        );
        assert_eq!(
            read(json!({ "symbol": "a", "depth": "deep" })),
            Err("`depth` must be a number, not \"deep\"; ".to_owned())
        );
        assert!(read(json!({ "symbol": { "a": 1 } })).is_err());
    }
}
