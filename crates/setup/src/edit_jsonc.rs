//! Edits JSON with comments: inserts, replaces or removes our entry and keeps every other byte.
//!
//! The parser says at which byte each value begins and ends; an edit is one replacement of text at such an offset. (The
//! parser's concrete syntax tree can edit too, but it breaks one-line objects into lines and drops blank lines.)
//!
//! Example: in `{"s":{"a":{}}}` with the path `s`, the last member ends after `{}`, its object is written on one line and
//! has no trailing comma, so `, "orient": { … }` is inserted there.

use crate::error::EditError;
use crate::plan::{Field, NAME, ServerEntry, TextEdit};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};

/// JSON, plus comments and trailing commas.
const SYNTAX: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a document; it has no value if there is nothing but white space and comments.
fn parse(text: &str) -> Result<ParseResult<'_>, EditError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    parse_to_ast(text, &collect, &SYNTAX)
        .map_err(|error| EditError::malformed(text, error.range().start, &error.kind().to_string()))
}

/// Where our entry is, or belongs.
enum Slot<'v, 'k> {
    /// The member of this index.
    Present(&'v Object<'v>, usize),
    /// Below these keys, of which the object has none.
    Absent(&'v Object<'v>, &'k [&'k str]),
}

fn find<'v, 'k>(root: &'v Value<'v>, path: &'k [&'k str]) -> Result<Slot<'v, 'k>, EditError> {
    let mut value = root;
    for (depth, key) in path.iter().enumerate() {
        let object = value.as_object().ok_or_else(|| not_a_table(&path[..depth]))?;
        let is_key = |member: &ObjectProp<'_>| member.name.as_str() == *key;
        let Some(index) = object.properties.iter().position(is_key) else {
            return Ok(Slot::Absent(object, &path[depth..]));
        };
        if object.properties[index + 1..].iter().any(is_key) {
            return Err(EditError::Unsupported { message: format!("the file contains `{key}` twice") });
        }
        if depth + 1 == path.len() {
            return Ok(Slot::Present(object, index));
        }
        value = &object.properties[index].value;
    }
    Err(not_a_table(path))
}

fn not_a_table(path: &[&str]) -> EditError {
    let path = if path.is_empty() { "the whole file".to_owned() } else { format!("`{}`", path.join(".")) };
    EditError::NotATable { path }
}

fn entry_path<'k>(servers: &[&'k str]) -> Vec<&'k str> {
    servers.iter().copied().chain([NAME]).collect()
}

/// Our entry in the document.
pub(crate) fn registered(text: &str, servers: &[&str]) -> Result<Option<ServerEntry>, EditError> {
    let Some(root) = parse(text)?.value else { return Ok(None) };
    let path = entry_path(servers);
    let Slot::Present(object, index) = find(&root, &path)? else { return Ok(None) };
    let field = |key: &str| {
        let members = object.properties[index].value.as_object().map(|entry| entry.properties.as_slice());
        // Of duplicate keys, JSON parsers take the last.
        members.unwrap_or_default().iter().rev().find(|member| member.name.as_str() == key)
    };
    let strings = |key: &str| match field(key).map(|member| &member.value) {
        Some(Value::Array(list)) => list.elements.iter().map(string).collect(),
        Some(value @ Value::StringLit(_)) => vec![string(value)],
        _ => Vec::new(),
    };
    let mut words = strings("command").into_iter().chain(strings("args"));
    Ok(Some(ServerEntry { command: words.next().unwrap_or_default(), args: words.collect() }))
}

fn string(value: &Value<'_>) -> String {
    value.as_string_lit().map(|literal| literal.value.to_string()).unwrap_or_default()
}

/// Inserts our entry, or replaces it.
pub(crate) fn put(text: &str, servers: &[&str], fields: &[(&str, Field)]) -> Result<TextEdit, EditError> {
    let document = parse(text)?;
    let layout = Layout::detect(text, document.value.as_ref());
    let (path, entry) = (entry_path(servers), input(fields));
    let Some(root) = &document.value else {
        let start = if text.trim().is_empty() { "" } else { layout.newline };
        let written = layout.render(nested(&path, entry), "", false);
        return Ok(TextEdit::insertion(text.len(), [start, &written, layout.newline].concat()));
    };
    match find(root, &path)? {
        Slot::Absent(object, keys) => {
            let member = |indent: &str, inline| {
                let key = layout.render(CstInputValue::from(keys[0]), "", true);
                format!("{key}: {}", layout.render(nested(&keys[1..], entry), indent, inline))
            };
            Ok(layout.insert(text, object, last_comma(&document, object), member))
        }
        Slot::Present(object, index) => {
            let Range { start, end } = object.properties[index].value.range();
            let old = &text[start..end];
            let is_empty =
                object.properties[index].value.as_object().is_none_or(|old| old.properties.is_empty());
            let inserted = layout.render(entry, line_indent(text, start), !is_empty && !old.contains('\n'));
            Ok(TextEdit { at: start, inserted, replaced: old.to_owned() })
        }
    }
}

/// Removes our entry. The table of servers stays, even if it is empty now.
pub(crate) fn remove(text: &str, servers: &[&str]) -> Result<String, EditError> {
    let document = parse(text)?;
    let path = entry_path(servers);
    let Some(Slot::Present(object, at)) =
        document.value.as_ref().map(|root| find(root, &path)).transpose()?
    else {
        return Ok(text.to_owned());
    };
    let members = &object.properties;
    let Range { start, end } = members[at].range;
    let before = at.checked_sub(1).map(|at| members[at].range.end);
    let after = members.get(at + 1).map(|member| member.range.start);
    let (open, close) = (object.range.start + 1, object.range.end - 1);
    // No comments: whatever separates the entry from its neighbour goes with it.
    let is_blank = |range: std::ops::Range<usize>| text[range].chars().all(|c| c.is_whitespace() || c == ',');
    match (before, after) {
        (Some(before), _) if is_blank(before..start) => return Ok(without(text, before..end)),
        (None, Some(after)) if is_blank(end..after) => return Ok(without(text, start..after)),
        (None, None) if is_blank(open..start) && is_blank(end..close) => {
            return Ok(without(text, open..close));
        }
        _ => {}
    }
    // Comments stay: only the entry and one comma go, the later one first.
    let tokens = document.tokens.as_deref().unwrap_or_default();
    let comma = |end| comma_after(tokens, end).map(|comma| comma - 1..comma);
    Ok(match (comma(end), before.and_then(comma)) {
        (Some(own), _) => without(&without(text, own), start..end),
        (None, Some(before)) => without(&without(text, start..end), before),
        (None, None) => without(text, start..end),
    })
}

fn without(text: &str, range: std::ops::Range<usize>) -> String {
    [&text[..range.start], &text[range.end..]].concat()
}

/// The end of the comma that follows a value which ends at `end`.
fn comma_after(tokens: &[TokenAndRange<'_>], end: usize) -> Option<usize> {
    let next = tokens.get(tokens.partition_point(|token| token.range.start < end))?;
    (next.token == Token::Comma).then_some(next.range.end)
}

/// The end of an object's trailing comma.
fn last_comma(document: &ParseResult<'_>, object: &Object<'_>) -> Option<usize> {
    comma_after(document.tokens.as_deref()?, object.properties.last()?.range.end)
}

fn input(fields: &[(&str, Field)]) -> CstInputValue {
    let value = |field: &Field| match field {
        Field::String(text) => CstInputValue::from(text.as_str()),
        Field::List(items) => CstInputValue::Array(items.iter().map(|item| item.as_str().into()).collect()),
        Field::True => CstInputValue::Bool(true),
    };
    CstInputValue::Object(fields.iter().map(|(key, field)| ((*key).to_owned(), value(field))).collect())
}

/// The value inside one object per key.
fn nested(keys: &[&str], value: CstInputValue) -> CstInputValue {
    keys.iter().rev().fold(value, |value, key| CstInputValue::Object(vec![((*key).to_owned(), value)]))
}

/// The white space at the beginning of the line of an offset.
fn line_indent(text: &str, offset: usize) -> &str {
    let line = &text[text[..offset].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How a document breaks and indents its lines.
struct Layout<'t> {
    newline: &'static str,
    indent: &'t str,
}

impl<'t> Layout<'t> {
    fn detect(text: &'t str, root: Option<&Value<'_>>) -> Self {
        let first = root.and_then(Value::as_object).and_then(|object| object.properties.first());
        let indent = first.map(|member| line_indent(text, member.range.start)).unwrap_or_default();
        Self {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            indent: if indent.is_empty() { "  " } else { indent },
        }
    }

    /// Writes a value. All lines but the first begin with `indent`.
    fn render(&self, value: CstInputValue, indent: &str, inline: bool) -> String {
        let root = CstRootNode::parse("", &SYNTAX).expect("the empty text has no syntax error");
        root.set_value(value);
        let written = root.to_string();
        let mut lines = written.trim_end().lines();
        let mut result = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let content = line.trim_start();
            // The library indents by two spaces.
            let depth = (line.len() - content.len()) / 2;
            let gap = if inline { " " } else { self.newline };
            let indent = if inline { String::new() } else { indent.to_owned() + &self.indent.repeat(depth) };
            result.extend([gap, &indent, content]);
        }
        result
    }

    /// Inserts a member after the others of an object.
    fn insert(
        &self,
        text: &str,
        object: &Object<'_>,
        trailing_comma: Option<usize>,
        member: impl FnOnce(&str, bool) -> String,
    ) -> TextEdit {
        let (open, close) = (object.range.start + 1, object.range.end - 1);
        let outer = line_indent(text, object.range.start);
        let (Some(first), Some(last)) = (object.properties.first(), object.properties.last()) else {
            return self.insert_first(text, open..close, outer, member);
        };
        let end = trailing_comma.unwrap_or(last.range.end);
        let (before, after) = if trailing_comma.is_some() { ("", ",") } else { (",", "") };
        if !text[open..first.range.start].contains('\n') {
            return TextEdit::insertion(end, format!("{before} {}{after}", member(outer, true)));
        }
        // Comments after the last member stay with it.
        let comments = text[end..close].trim_end();
        let indent = line_indent(text, first.range.start);
        let written = member(indent, false);
        let inserted = format!("{before}{comments}{}{indent}{written}{after}", self.newline);
        TextEdit { at: end, inserted, replaced: comments.to_owned() }
    }

    /// Inserts a member into an object that has none.
    fn insert_first(
        &self,
        text: &str,
        inside: std::ops::Range<usize>,
        outer: &str,
        member: impl FnOnce(&str, bool) -> String,
    ) -> TextEdit {
        let indent = format!("{outer}{}", self.indent);
        let written = format!("{}{indent}{}", self.newline, member(&indent, false));
        let (open, inside) = (inside.start, &text[inside]);
        let comments = inside.trim_end();
        if comments.is_empty() {
            let inserted = format!("{written}{}{outer}", self.newline);
            return TextEdit { at: open, inserted, replaced: inside.to_owned() };
        }
        // The newline that ends a line comment stays in front of the closing brace.
        TextEdit::insertion(open + comments.len(), written)
    }
}
