//! Edits of JSON as text: one entry goes in or out, all else stays.

use crate::error::Refusal;
use crate::jsonc::{Node, Value, quoted, read};
use crate::plan::{NAME, Part, Receipt, Registered};

/// How a document is laid out.
struct Layout<'t> {
    newline: &'t str,
    unit: String,
}

/// What our entry says.
pub(crate) fn registered(text: &str, keys: &[&str]) -> Result<Option<Registered>, Refusal> {
    let Some(root) = read(text)? else { return Ok(None) };
    let Found::Servers(servers) = find(&root, keys)? else { return Ok(None) };
    let Some(entry) = servers.get(NAME) else { return Ok(None) };
    let texts = |node: &Node| -> Vec<String> {
        let items = node.items().unwrap_or_default().iter();
        items.map(|item| item.text().unwrap_or_default().to_owned()).collect()
    };
    let command = entry.get("command");
    let mut all: Vec<String> = match command.and_then(Node::text) {
        Some(command) => vec![command.to_owned()],
        None => command.map(texts).unwrap_or_default(),
    };
    all.extend(entry.get("args").map(texts).unwrap_or_default());
    let mut all = all.into_iter();
    Ok(Some(Registered { command: all.next().unwrap_or_default(), args: all.collect() }))
}

/// Puts our entry in, in place of one that is there.
pub(crate) fn put(text: &str, keys: &[&str], parts: &[(&str, Part)]) -> Result<Receipt, Refusal> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some(root) = read(text)? else {
        let layout = Layout { newline, unit: "  ".to_owned() };
        let start = if text.trim_start_matches('\u{feff}').trim().is_empty() { "" } else { newline };
        let inserted = [start, &layout.nested(keys, parts, "", false), newline].concat();
        return Ok(Receipt { at: text.len(), inserted, replaced: String::new() });
    };
    let layout = Layout { newline, unit: unit(text, &root) };
    match find(&root, keys)? {
        Found::Missing { object, keys } => Ok(layout.insert(text, object, keys[0], |indent, inline| {
            layout.nested(&keys[1..], parts, indent, inline)
        })),
        Found::Servers(servers) => match servers.get(NAME) {
            Some(old) => {
                let inline =
                    !text[old.span.clone()].contains('\n') && old.members().is_some_and(|m| !m.is_empty());
                let inserted = layout.entry(parts, line_indent(text, old.span.start), inline);
                Ok(Receipt { at: old.span.start, inserted, replaced: text[old.span.clone()].to_owned() })
            }
            None => {
                Ok(layout.insert(text, servers, NAME, |indent, inline| layout.entry(parts, indent, inline)))
            }
        },
    }
}

/// Takes our entry out. The table of servers stays, even where it is empty now.
pub(crate) fn remove(text: &str, keys: &[&str]) -> Result<String, Refusal> {
    let root = read(text)?;
    let Some(Found::Servers(servers)) = root.as_ref().map(|root| find(root, keys)).transpose()? else {
        return Ok(text.to_owned());
    };
    let members = servers.members().unwrap_or_default();
    let Some(at) = members.iter().position(|member| member.key == NAME) else { return Ok(text.to_owned()) };
    let (before, after) = (at.checked_sub(1).map(|at| &members[at]), members.get(at + 1));
    let span = match (before, after) {
        // From the end of the one before: its comma goes, ours stays.
        (Some(before), _) => before.node.span.end..members[at].node.span.end,
        (None, Some(after)) => members[at].start..after.start,
        (None, None) => servers.span.start + 1..servers.span.end - 1,
    };
    Ok([&text[..span.start], &text[span.end..]].concat())
}

/// Where our entry belongs.
enum Found<'n, 'k> {
    /// In this table of servers.
    Servers(&'n Node),
    /// In a table that is not there yet: below these keys of this object.
    Missing { object: &'n Node, keys: &'k [&'k str] },
}

fn find<'n, 'k>(root: &'n Node, keys: &'k [&'k str]) -> Result<Found<'n, 'k>, Refusal> {
    let mut node = root;
    for (depth, key) in keys.iter().enumerate() {
        let members = object(node, &keys[..depth])?;
        if members.iter().filter(|member| member.key == *key).count() > 1 {
            return Err(Refusal::Unusual { what: format!("`{key}` stands there twice") });
        }
        match node.get(key) {
            Some(next) => node = next,
            None => return Ok(Found::Missing { object: node, keys: &keys[depth..] }),
        }
    }
    let servers = object(node, keys)?;
    if servers.iter().filter(|member| member.key == NAME).count() > 1 {
        return Err(Refusal::Unusual { what: format!("`{NAME}` stands there twice") });
    }
    Ok(Found::Servers(node))
}

fn object<'n>(node: &'n Node, path: &[&str]) -> Result<&'n [crate::jsonc::Member], Refusal> {
    let shown =
        || if path.is_empty() { "the whole file".to_owned() } else { format!("`{}`", path.join(".")) };
    node.members().ok_or_else(|| Refusal::NotATable { path: shown() })
}

/// How far one level is indented.
fn unit(text: &str, root: &Node) -> String {
    let first = root.members().and_then(<[_]>::first).map(|member| line_indent(text, member.start));
    first.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned()
}

/// The space at the beginning of the line of a place.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

impl Layout<'_> {
    /// Puts a member behind the others of an object.
    fn insert(&self, text: &str, object: &Node, key: &str, value: impl Fn(&str, bool) -> String) -> Receipt {
        let member = |indent: &str, inline| format!("{}: {}", quoted(key), value(indent, inline));
        let (members, comma) = match &object.value {
            Value::Object(members, comma) => (members.as_slice(), *comma),
            _ => (&[][..], None),
        };
        let close = object.span.end - 1;
        let (Some(first), Some(last)) = (members.first(), members.last()) else {
            return self.fill(text, object, member);
        };
        let end = comma.unwrap_or(last.node.span.end);
        let missing = if comma.is_none() { "," } else { "" };
        let again = if comma.is_some() { "," } else { "" };
        if !text[object.span.start..first.start].contains('\n') {
            let inserted = format!("{missing} {}{again}", member(line_indent(text, object.span.start), true));
            return Receipt { at: end, inserted, replaced: String::new() };
        }
        // Comments behind the last member stay with it.
        let tail = text[end..close].trim_end();
        let indent = line_indent(text, first.start);
        let inserted = format!("{missing}{tail}{}{indent}{}{again}", self.newline, member(indent, false));
        Receipt { at: end, inserted, replaced: tail.to_owned() }
    }

    /// Puts a member into an object without any.
    fn fill(&self, text: &str, object: &Node, member: impl Fn(&str, bool) -> String) -> Receipt {
        let outer = line_indent(text, object.span.start);
        let indent = format!("{outer}{}", self.unit);
        let inside = &text[object.span.start + 1..object.span.end - 1];
        let comments = inside.trim_end();
        let start = format!("{}{indent}{}", self.newline, member(&indent, false));
        if comments.is_empty() {
            let inserted = format!("{start}{}{outer}", self.newline);
            return Receipt { at: object.span.start + 1, inserted, replaced: inside.to_owned() };
        }
        // A line comment needs the line to end behind it, which it does: what closes the object is not part of it.
        Receipt { at: object.span.start + 1 + comments.len(), inserted: start, replaced: String::new() }
    }

    /// Objects in objects, with our entry in the innermost.
    fn nested(&self, keys: &[&str], parts: &[(&str, Part)], indent: &str, inline: bool) -> String {
        let inner = format!("{indent}{}", self.unit);
        let (key, value) = match keys {
            [] => (NAME, self.entry(parts, &inner, inline)),
            [key, rest @ ..] => (*key, self.nested(rest, parts, &inner, inline)),
        };
        self.object(&[(quoted(key), value)], indent, inline)
    }

    fn entry(&self, parts: &[(&str, Part)], indent: &str, inline: bool) -> String {
        let list = |items: &[String]| items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ");
        let value = |part: &Part| match part {
            Part::Text(text) => quoted(text),
            Part::List(items) => format!("[{}]", list(items)),
            Part::True => "true".to_owned(),
        };
        let members: Vec<_> = parts.iter().map(|(key, part)| (quoted(key), value(part))).collect();
        self.object(&members, indent, inline)
    }

    fn object(&self, members: &[(String, String)], indent: &str, inline: bool) -> String {
        let inner = if inline { String::new() } else { format!("{}{indent}{}", self.newline, self.unit) };
        let lines: Vec<String> =
            members.iter().map(|(key, value)| format!("{inner}{key}: {value}")).collect();
        if inline {
            return format!("{{ {} }}", lines.join(", "));
        }
        format!("{{{}{}{indent}}}", lines.join(","), self.newline)
    }
}
