//! Edits TOML: appends, replaces or removes our table and keeps every other byte.
//!
//! The parser says where our table and its subtables are; an edit is one replacement of their lines.

use crate::error::EditError;
use crate::plan::{Field, NAME, ServerEntry, TextEdit};
use std::ops::Range;
use toml_edit::{Array, Document, Item, TableLike, Value};

fn parse(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        EditError::malformed(text, error.span().map_or(0, |span| span.start), error.message())
    })
}

/// Our entry. `None` if there is none.
fn find<'d>(document: &'d Document<&str>, servers: &[&str]) -> Result<Option<&'d Item>, EditError> {
    let mut item = document.as_item();
    for (depth, key) in servers.iter().enumerate() {
        let Some(next) = item.get(key) else { return Ok(None) };
        let path = || format!("`{}`", servers[..=depth].join("."));
        match next {
            Item::Table(_) => item = next,
            Item::Value(Value::InlineTable(_)) => {
                return Err(EditError::Unsupported { message: format!("{} is an inline table", path()) });
            }
            _ => return Err(EditError::NotATable { path: path() }),
        }
    }
    Ok(item.get(NAME))
}

/// Our entry in the document.
pub(crate) fn registered(text: &str, servers: &[&str]) -> Result<Option<ServerEntry>, EditError> {
    let document = parse(text)?;
    let Some(entry) = find(&document, servers)? else { return Ok(None) };
    let args = entry.get("args").and_then(Item::as_array).into_iter().flatten();
    Ok(Some(ServerEntry {
        command: entry.get("command").and_then(Item::as_str).unwrap_or_default().to_owned(),
        args: args.map(|arg| arg.as_str().unwrap_or_default().to_owned()).collect(),
    }))
}

/// Appends our table, or replaces it.
pub(crate) fn put(text: &str, servers: &[&str], fields: &[(&str, Field)]) -> Result<TextEdit, EditError> {
    let document = parse(text)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = render(servers, fields, newline);
    if let Some(entry) = find(&document, servers)? {
        let (lines, others) = lines_of(text, entry, servers)?;
        return Ok(TextEdit { at: lines.start, inserted: block + &others, replaced: text[lines].to_owned() });
    }
    let gap = match text {
        _ if text.trim().is_empty() => "",
        _ if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    Ok(TextEdit::insertion(text.len(), [gap, &block].concat()))
}

/// Removes our table and its subtables.
pub(crate) fn remove(text: &str, servers: &[&str]) -> Result<String, EditError> {
    let document = parse(text)?;
    let Some(entry) = find(&document, servers)? else { return Ok(text.to_owned()) };
    let (lines, others) = lines_of(text, entry, servers)?;
    Ok([&text[..lines.start], &others, &text[lines.end..]].concat())
}

fn render(servers: &[&str], fields: &[(&str, Field)], newline: &str) -> String {
    let mut block = format!("[{}.{NAME}]{newline}", servers.join("."));
    for (key, field) in fields {
        let value = match field {
            Field::String(text) => Value::from(text.as_str()),
            Field::List(items) => items.iter().map(String::as_str).collect::<Array>().into(),
            Field::True => Value::from(true),
        };
        block.extend([key, " = ", &value.to_string(), newline]);
    }
    block
}

/// The lines from the header of our table to its last value, and those among them that belong to other tables.
///
/// Example: from `[s.orient]`, `[other]`, `[s.orient.env]`, `[next]` it returns the range of the first three lines and the
/// text of the second.
fn lines_of(text: &str, entry: &Item, servers: &[&str]) -> Result<(Range<usize>, String), EditError> {
    let mut blocks = Vec::new();
    collect_blocks(entry, &mut blocks);
    blocks.sort_by_key(|block| block.start);
    for block in &mut blocks {
        block.start = text[..block.start].rfind('\n').map_or(0, |newline| newline + 1);
        block.end = text[block.end..].find('\n').map_or(text.len(), |newline| block.end + newline + 1);
    }
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        let path = servers.join(".");
        return Err(EditError::Unsupported {
            message: format!("`{path}.{NAME}` has no table header of its own"),
        });
    };
    let gaps = blocks.windows(2).map(|pair| &text[pair[0].end..pair[1].start]);
    let is_comment = |line: &str| line.trim_start().is_empty() || line.trim_start().starts_with('#');
    let others = gaps.filter(|gap| !gap.lines().all(is_comment)).collect();
    Ok((first.start..last.end, others))
}

/// One range per table header below an item: from the header to the last value of the table.
fn collect_blocks(item: &Item, blocks: &mut Vec<Range<usize>>) {
    let tables: Vec<_> = match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        Item::None | Item::Value(_) => return,
    };
    for table in tables {
        if let Some(header) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
            blocks.push(header.start..last_value(table).unwrap_or(0).max(header.end));
        }
        table.iter().for_each(|(_, item)| collect_blocks(item, blocks));
    }
}

/// The end of the last value between the header of a table and the next header.
fn last_value(table: &dyn TableLike) -> Option<usize> {
    let end = |item: &Item| match item {
        Item::Value(value) => value.span().map(|span| span.end),
        Item::Table(table) if table.is_dotted() => last_value(table),
        _ => None,
    };
    table.iter().filter_map(|(_, item)| end(item)).max()
}
