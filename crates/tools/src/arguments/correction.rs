//! Correction of the arguments that programs send: aliases of argument names, numbers and lists as text.
//!
//! Unambiguous mistakes are corrected with a note. An unknown argument that changes nothing is ignored with a note; any other is
//! an error with a suggestion. For an operation with `symbol` and `depth`, `{"functionName": "run", "maxDepth": "2"}` becomes
//! `{"symbol": "run", "depth": 2}`.

use super::argument_aliases::{
    ALIASES, FIRST_LINE, LAST_LINE, LINE_COUNT, LISTS, REWRITES, WRAPPERS, why_ignored,
};
use crate::error::{Code, ToolError};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Arguments that fit a schema, and the corrections made.
pub(crate) struct CorrectedArguments {
    /// The arguments with the names and types of the schema.
    pub(crate) arguments: Map<String, Value>,
    /// The corrections, in words.
    pub(crate) notes: Vec<String>,
}

/// The arguments that a tool takes, and what else they may be called.
pub(crate) struct KnownArguments<'k> {
    /// The tool or operation, for messages.
    pub(crate) owner: &'k str,
    /// The schema of each argument.
    pub(crate) properties: &'k Map<String, Value>,
    /// Further names of arguments, each with the argument: flags of the command line, names of the operation.
    pub(crate) other_names: Vec<(String, String)>,
    /// Arguments that the tool takes for other choices of its selector. They are ignored with a note.
    pub(crate) elsewhere: BTreeSet<String>,
}

impl KnownArguments<'_> {
    fn has(&self, name: &str) -> bool {
        self.properties.contains_key(name)
    }

    /// The argument that a name means exactly: itself, or by another of its names.
    fn named(&self, name: &str) -> Option<&str> {
        let other = self.other_names.iter().find(|(other, _)| other == name).map(|(_, known)| known.as_str());
        self.properties.get_key_value(name).map(|(known, _)| known.as_str()).or(other)
    }
}

/// Fits the arguments of a call to what a tool takes.
pub(crate) fn correct_arguments(
    known: &KnownArguments<'_>,
    sent: Map<String, Value>,
) -> Result<CorrectedArguments, ToolError> {
    let mut reader = ArgumentReader { known, arguments: Map::new(), notes: Vec::new() };
    let sent = reader.lines(sent);
    let sent = reader.rewritten(sent)?;
    let sent = reader.located(sent);
    let (own, other): (Vec<_>, Vec<_>) =
        sent.into_iter().filter(|(_, value)| !value.is_null()).partition(|(name, _)| known.has(name));
    for (name, value) in own {
        reader.take(&name, value)?;
    }
    for (name, value) in other {
        reader.take_other(&name, value)?;
    }
    Ok(CorrectedArguments { arguments: reader.arguments, notes: reader.notes })
}

/// The arguments of a call as an object: parsed if they were sent as text, and taken out of a wrapper.
pub(crate) fn argument_object(
    sent: Value,
    takes: impl Fn(&str) -> bool,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, ToolError> {
    let sent = object(sent, notes)?;
    if sent.len() == 1
        && let Some((name, Value::Object(inner))) = sent.iter().next()
        && WRAPPERS.contains(&name.as_str())
        && !takes(name)
    {
        notes.push(format!("the arguments were taken out of `{name}`"));
        return Ok(inner.clone());
    }
    Ok(sent)
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

/// The names that may mean an argument: its aliases and the targets beside it, each as a row lists them.
pub(crate) fn aliases_of(argument: &str) -> impl Iterator<Item = &'static str> {
    let rows = ALIASES.iter().filter(move |row| row.targets.first() == Some(&argument));
    rows.flat_map(|row| row.names).copied()
}

struct ArgumentReader<'s> {
    known: &'s KnownArguments<'s>,
    arguments: Map<String, Value>,
    notes: Vec<String>,
}

impl ArgumentReader<'_> {
    /// Combines the ends of a line range, or its first line and their number, if the tool takes `lines`.
    fn lines(&mut self, mut sent: Map<String, Value>) -> Map<String, Value> {
        if !self.known.has("lines") || sent.contains_key("lines") {
            return sent;
        }
        let mut number = |names: &[&str]| {
            let known = self.known;
            let name =
                sent.keys().find(|name| names.contains(&snake(name).as_str()) && !known.has(name))?.clone();
            sent.remove(&name).map(|value| text(&value)).filter(|text| !text.is_empty() && text != "null")
        };
        let (first, last) = (number(FIRST_LINE), number(LAST_LINE));
        let count = if last.is_none() { number(LINE_COUNT) } else { None };
        if first.is_some() || last.is_some() || count.is_some() {
            let first = first.filter(|first| first != "0").unwrap_or_else(|| "1".to_owned());
            let last = last.or_else(|| {
                let (first, count) = (first.parse::<u64>().ok()?, count?.parse::<u64>().ok()?);
                Some((first + count.max(1) - 1).to_string())
            });
            let lines = format!("{first}-{}", last.unwrap_or_default());
            self.notes.push(format!("the lines were read as `lines`: \"{lines}\""));
            sent.insert("lines".to_owned(), Value::String(lines));
        }
        sent
    }

    /// Replaces values that say the same as another argument, and exclusions by negated globs.
    fn rewritten(&mut self, sent: Map<String, Value>) -> Result<Map<String, Value>, ToolError> {
        let mut kept = Map::new();
        for (name, value) in sent {
            let plain = snake(&name);
            let word = text(&value).to_ascii_lowercase();
            let means = REWRITES.iter().find(|one| one.name == plain && one.sent == word);
            let target = means.and_then(|rewrite| rewrite.means);
            match (means, target) {
                (Some(_), None) if !self.known.has(&plain) => continue,
                (Some(_), Some((argument, flag))) if let Some(argument) = self.known.named(argument) => {
                    if flag {
                        self.notes.push(format!("`{name}`: {word} was read as `{argument}`: true"));
                        self.arguments.insert(argument.to_owned(), Value::Bool(true));
                    }
                    continue;
                }
                _ => {}
            }
            let excludes = plain == "exclude" || aliases_of("exclude").any(|alias| alias == plain);
            if excludes && !self.known.has("exclude") && self.known.has("glob") {
                let (globs, _) = ArgumentType::List.convert(value).ok_or_else(|| {
                    ToolError::new(Code::BadArgument, format!("`{name}` must be a list of globs"))
                })?;
                let negated = globs.as_array().into_iter().flatten().map(|glob| format!("!{}", text(glob)));
                let globs = self.arguments.entry("glob").or_insert_with(|| Value::Array(Vec::new()));
                if let Some(globs) = globs.as_array_mut() {
                    globs.extend(negated.map(Value::String));
                }
                self.notes.push(format!("`{name}` was read as `glob` with `!`"));
                continue;
            }
            kept.insert(name, value);
        }
        Ok(kept)
    }

    /// Combines a symbol and the file it is in to a handle, if the tool takes no path.
    fn located(&mut self, mut sent: Map<String, Value>) -> Map<String, Value> {
        let path_row = ALIASES.iter().find(|row| row.targets.first() == Some(&"path"));
        let is_path = |name: &String| {
            let plain = snake(name);
            self.known.named(name).is_none()
                && path_row.is_some_and(|row| plain == "path" || row.names.contains(&plain.as_str()))
        };
        let takes_path =
            ["path", "paths", "in", "target"].iter().any(|name| self.known.named(name).is_some());
        let names_symbol = |name: &str| name == "symbol" || aliases_of("symbol").any(|alias| alias == name);
        let symbol = sent.iter().find(|(key, _)| names_symbol(&snake(key)));
        let Some((symbol, Value::String(name))) = symbol.map(|(key, value)| (key.clone(), value.clone()))
        else {
            return sent;
        };
        let file = sent.keys().find(|name| is_path(name)).cloned();
        let Some(file) = file.filter(|_| !takes_path && self.known.has("symbol")) else { return sent };
        let value = sent.remove(&file).unwrap_or_default();
        let path = match &value {
            Value::String(path) => path.as_str(),
            Value::Array(paths) if let [Value::String(path)] = &paths[..] => path.as_str(),
            _ => "",
        };
        let is_file = path.rsplit('/').next().is_some_and(|last| last.contains('.')) && !path.contains('*');
        if is_file && !name.contains('#') {
            let handle = format!("{}#{name}", path.trim_start_matches("./"));
            self.notes.push(format!("`{symbol}` and `{file}` were read as `symbol`: \"{handle}\""));
            sent.remove(&symbol);
            sent.insert("symbol".to_owned(), Value::String(handle));
        } else {
            self.notes.push(format!("`{file}` was ignored: the answer is about the whole tree"));
        }
        sent
    }

    /// Takes an argument under a name that the tool does not list: an alias, one to ignore, or an error.
    fn take_other(&mut self, name: &str, value: Value) -> Result<(), ToolError> {
        if let Some(known) = self.known_name(name) {
            self.notes.push(format!("`{name}` was read as `{known}`"));
            return self.take(&known, value);
        }
        let plain = snake(name);
        if self.known.elsewhere.contains(&plain) {
            self.notes.push(format!("`{name}` does not apply to {} and was ignored", self.known.owner));
            return Ok(());
        }
        if let Some(why) = why_ignored(&plain, &value) {
            self.notes.push(format!("`{name}` was ignored: {why}"));
            return Ok(());
        }
        let names: Vec<&str> = self.known.properties.keys().map(String::as_str).collect();
        let hint = match orient_model::nearest(&plain, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "it takes no arguments".to_owned(),
            None => format!("it takes: {}", names.join(", ")),
        };
        Err(ToolError::new(Code::BadArgument, format!("`{}` has no argument `{name}`", self.known.owner))
            .hint(hint))
    }

    /// The argument that an unlisted name means.
    fn known_name(&self, name: &str) -> Option<String> {
        let plain = snake(name);
        // A list takes the values of several arguments.
        let is_list = |known: &str| ArgumentType::of(&self.known.properties[known]) == ArgumentType::List;
        let is_free = |known: &&str| !self.arguments.contains_key(*known) || is_list(known);
        for name in [name, &plain] {
            if let Some(known) = self.known.named(name).filter(is_free) {
                return Some(known.to_owned());
            }
        }
        let plain = plain.as_str();
        let rows = ALIASES.iter().filter(|row| row.names.contains(&plain) || row.targets.contains(&plain));
        rows.flat_map(|row| row.targets)
            .filter_map(|target| self.known.named(target))
            .find(is_free)
            .map(str::to_owned)
    }

    fn take(&mut self, name: &str, value: Value) -> Result<(), ToolError> {
        if let Value::Array(items) = &value
            && items.len() > 1
            && let Some((_, list)) = LISTS.iter().find(|(one, list)| *one == name && self.known.has(list))
        {
            return self.take(list, value);
        }
        let expected = ArgumentType::of(&self.known.properties[name]);
        let sent = shown(&value);
        let (value, changed) = expected.convert(value).ok_or_else(|| {
            ToolError::new(Code::BadArgument, format!("`{name}` must be {}, not {sent}", expected.words()))
        })?;
        if changed {
            self.notes.push(format!("`{name}`: {sent} was read as {}", shown(&value)));
        }
        // A list may have been begun by another argument.
        if let (Value::Array(new), Some(Value::Array(begun))) = (&value, self.arguments.get_mut(name)) {
            begun.extend(new.iter().cloned());
            return Ok(());
        }
        self.arguments.insert(name.to_owned(), value);
        Ok(())
    }
}

/// A name in snake case: `maxTokens` and `max-tokens` as `max_tokens`.
pub(crate) fn snake(name: &str) -> String {
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
    Fraction,
    Flag,
    List,
    Any,
}

impl ArgumentType {
    fn of(schema: &Value) -> Self {
        let named = |word: &str| match word {
            "string" => Some(Self::Text),
            "integer" => Some(Self::Number),
            "number" => Some(Self::Fraction),
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
            Self::Number | Self::Fraction => "a number",
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
            | (Self::Flag, value @ Value::Bool(_))
            | (Self::Fraction, value @ Value::Number(_)) => Some((value, false)),
            (Self::List, Value::Array(items)) => {
                let texts = items.iter().all(|item| !item.is_object() && !item.is_array());
                texts.then(|| (Value::Array(items.iter().map(text).map(Value::String).collect()), false))
            }
            (Self::Number, Value::Number(number)) if number.is_i64() || number.is_u64() => {
                Some((Value::Number(number), false))
            }
            (Self::Fraction, Value::String(text)) => {
                let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                number.map(|number| (Value::from(number), true))
            }
            (Self::Number, value) => whole(&value).map(|number| (Value::from(number), true)),
            (Self::Flag, value) => flag(&value).map(|flag| (Value::Bool(flag), true)),
            (Self::Text, Value::Array(items)) if items.len() == 2 && items.iter().all(Value::is_number) => {
                Some((Value::String(format!("{}-{}", items[0], items[1])), true))
            }
            (Self::Text, Value::Array(items)) if items.len() == 1 => {
                Self::Text.convert(items[0].clone()).map(|(value, _)| (value, true))
            }
            (Self::Text, value @ (Value::Number(_) | Value::Bool(_))) => {
                Some((Value::String(text(&value)), true))
            }
            (Self::List, value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
                let items = list(&text(&value));
                // One value for a list of one is not worth a note.
                let changed = items.len() != 1 || !value.is_string();
                Some((Value::Array(items.into_iter().map(Value::String).collect()), changed))
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

/// A list sent as text: a JSON array, or separated by commas outside of brackets, so that `*.{c,h}` is one item.
fn list(text: &str) -> Vec<String> {
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return items.iter().map(self::text).collect();
    }
    let mut depth = 0_usize;
    let at_comma = |c: char| {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(at_comma).map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
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
        let schema = schema();
        let properties = schema["properties"].as_object().expect("properties");
        let known = KnownArguments {
            owner: "callers",
            properties,
            other_names: vec![("-d".to_owned(), "depth".to_owned())],
            elsewhere: BTreeSet::from(["to".to_owned()]),
        };
        let mut notes = Vec::new();
        argument_object(sent, |name| properties.contains_key(name), &mut notes)
            .and_then(|sent| correct_arguments(&known, sent))
            .map(|corrected| {
                notes.extend(corrected.notes);
                (Value::Object(corrected.arguments), notes)
            })
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
    fn flags_are_names_and_arguments_of_other_choices_are_ignored() {
        assert_eq!(read(json!({ "symbol": "a", "-d": 2 })).expect("read").0["depth"], 2);
        let (read_as, notes) = read(json!({ "symbol": "a", "to": "b" })).expect("read");
        assert_eq!((read_as, notes.len()), (json!({ "symbol": "a" }), 1), "{notes:?}");
    }

    #[test]
    fn commas_inside_brackets_do_not_separate() {
        assert_eq!(list("*.{c,h}, *.py"), ["*.{c,h}", "*.py"]);
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
