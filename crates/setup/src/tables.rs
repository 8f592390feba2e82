//! Edits of TOML as text: our table goes to the end, or in the place of the one that is there.

use crate::error::Refusal;
use crate::plan::{NAME, Part, Receipt, Registered};
use std::ops::Range;
use toml::{Table, Value};

fn read(text: &str) -> Result<Table, Refusal> {
    text.trim_start_matches('\u{feff}').parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        Refusal::Broken { line, what: error.message().to_owned() }
    })
}

fn servers<'t>(root: &'t Table, keys: &[&str]) -> Result<Option<&'t Table>, Refusal> {
    let mut table = root;
    for (depth, key) in keys.iter().enumerate() {
        match table.get(*key) {
            None => return Ok(None),
            Some(Value::Table(next)) => table = next,
            Some(_) => {
                return Err(Refusal::NotATable { path: format!("`{}`", keys[..=depth].join(".")) });
            }
        }
    }
    Ok(Some(table))
}

/// What our entry says.
pub(crate) fn registered(text: &str, keys: &[&str]) -> Result<Option<Registered>, Refusal> {
    let root = read(text)?;
    let Some(entry) = servers(&root, keys)?.and_then(|servers| servers.get(NAME)) else { return Ok(None) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let args = entry.get("args").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Ok(Some(Registered {
        command: entry.get("command").map(text).unwrap_or_default(),
        args: args.iter().map(text).collect(),
    }))
}

/// Puts our table in, in place of one that is there. Whether the result says what it should is for the caller to check.
pub(crate) fn put(text: &str, keys: &[&str], parts: &[(&str, Part)]) -> Result<Receipt, Refusal> {
    let root = read(text)?;
    let there = servers(&root, keys)?.is_some_and(|servers| servers.contains_key(NAME));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut block = format!("[{}.{NAME}]{newline}", keys.join("."));
    for (key, part) in parts {
        let value = match part {
            Part::Text(text) => quoted(text),
            Part::List(items) => {
                format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
            }
            Part::True => "true".to_owned(),
        };
        block = format!("{block}{key} = {value}{newline}");
    }
    let receipt = if there {
        let span = block_of(text, keys)?;
        Receipt { at: span.start, inserted: block, replaced: text[span].to_owned() }
    } else {
        let gap = match text {
            _ if text.trim().is_empty() => "",
            _ if text.ends_with('\n') => newline,
            _ => {
                return Ok(Receipt {
                    at: text.len(),
                    inserted: [newline, newline, &block].concat(),
                    replaced: String::new(),
                });
            }
        };
        Receipt { at: text.len(), inserted: [gap, &block].concat(), replaced: String::new() }
    };
    same_but_for_us(&root, &read(&receipt.applied(text))?, keys)?;
    Ok(receipt)
}

/// Takes our table out, with the tables in it.
pub(crate) fn remove(text: &str, keys: &[&str]) -> Result<String, Refusal> {
    let root = read(text)?;
    let span = block_of(text, keys)?;
    let without = [&text[..span.start], &text[span.end..]].concat();
    same_but_for_us(&root, &read(&without)?, keys)?;
    Ok(without)
}

/// The lines of our table and of those in it: from its header to the next header of another, without the comments and
/// empty lines before that.
fn block_of(text: &str, keys: &[&str]) -> Result<Range<usize>, Refusal> {
    let path: Vec<&str> = keys.iter().copied().chain([NAME]).collect();
    let (mut start, mut end, mut at) = (None, 0, 0);
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        if let Some(header) = written.strip_prefix('[') {
            let ours = header.split(']').next().is_some_and(|header| is_below(header, &path));
            match start {
                None if ours => start = Some(at),
                Some(_) if !ours => break,
                _ => {}
            }
        }
        at += line.len();
        if start.is_some() && !written.is_empty() && !written.starts_with('#') {
            end = at;
        }
    }
    let unusual = || Refusal::Unusual { what: format!("`{}` is not a table of its own", path.join(".")) };
    start.map(|start| start..end).ok_or_else(unusual)
}

/// Whether a header, without its brackets, names this table or one in it.
fn is_below(header: &str, path: &[&str]) -> bool {
    let parts: Vec<&str> = header.split('.').map(|part| part.trim().trim_matches(['"', '\''])).collect();
    parts.len() >= path.len() && parts[..path.len()] == *path
}

/// Fails unless two documents differ in our entry alone.
fn same_but_for_us(before: &Table, after: &Table, keys: &[&str]) -> Result<(), Refusal> {
    if without_us(before, keys) == without_us(after, keys) {
        return Ok(());
    }
    Err(Refusal::Unusual { what: "the file is written in a way we cannot edit".to_owned() })
}

fn without_us(root: &Table, keys: &[&str]) -> Table {
    fn strip(table: &mut Table, keys: &[&str]) {
        let [key, rest @ ..] = keys else {
            table.remove(NAME);
            return;
        };
        let empty = match table.get_mut(*key) {
            Some(Value::Table(inner)) => {
                strip(inner, rest);
                inner.is_empty()
            }
            _ => false,
        };
        // A table that holds only us may come and go with us.
        if empty {
            table.remove(*key);
        }
    }
    let mut root = root.clone();
    strip(&mut root, keys);
    root
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
