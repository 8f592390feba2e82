//! The SQL functions of raw queries: words for stored numbers, fields of outlines, regular expressions.

use crate::codec;
use orient_model::{Handle, Modifier, Modifiers, Outline, Role, SymbolKind, Visibility};
use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Error, Result};
use std::sync::{Mutex, PoisonError};

/// Maximum size of a compiled regular expression, in bytes.
const MAX_REGEX: usize = 1 << 20;

type BoxedError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// Adds the functions to a connection.
pub(super) fn add(db: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("path_text", 1, flags, |context| text(context, 0))?;
    db.create_scalar_function("path_directory", 1, flags, |context| {
        Ok(text(context, 0)?.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned()))
    })?;
    db.create_scalar_function("role_word", 1, flags, |context| {
        let number: u8 = context.get(0)?;
        Ok(Role::ALL.iter().find(|role| **role as u8 == number).map(|role| role.as_str()))
    })?;
    db.create_scalar_function("kind_word", 1, flags, |context| {
        Ok(SymbolKind::from_number(context.get(0)?).map(SymbolKind::as_str))
    })?;
    db.create_scalar_function("visibility_word", 1, flags, |context| {
        Ok(Visibility::from_number(context.get(0)?).map(Visibility::as_str))
    })?;
    db.create_scalar_function("modifier_words", 1, flags, |context| {
        let words: Vec<&str> = Modifiers(context.get(0)?).iter().map(Modifier::as_str).collect();
        Ok(words.join(" "))
    })?;
    let last: Mutex<Option<(i64, Outline)>> = Mutex::new(None);
    db.create_scalar_function("symbol_field", 4, flags, move |context| {
        let (what, file, at): (String, i64, u32) = (context.get(0)?, context.get(1)?, context.get(2)?);
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        // Rows of one file follow each other, so that most find their outline decoded.
        if last.as_ref().is_none_or(|(known, _)| *known != file) {
            let data =
                context.get_raw(3).as_blob().map_err(|error| Error::UserFunctionError(error.into()))?;
            let outline =
                codec::decode_outline(data).map_err(|error| Error::UserFunctionError(error.into()))?;
            *last = Some((file, outline));
        }
        Ok(last.as_ref().map_or(Value::Null, |(_, outline)| field(outline, at, &what)))
    })?;
    db.create_scalar_function("regexp", 2, flags, |context| {
        let regex = context.get_or_create_aux(0, |pattern| -> std::result::Result<Regex, BoxedError> {
            let pattern = pattern.as_str()?;
            Ok(RegexBuilder::new(pattern).size_limit(MAX_REGEX).build()?)
        })?;
        let text = context.get_raw(1);
        Ok(text
            .as_bytes_or_null()
            .ok()
            .flatten()
            .and_then(|text| std::str::from_utf8(text).ok())
            .map(|text| regex.is_match(text)))
    })
}

fn text(context: &Context<'_>, at: usize) -> Result<String> {
    let bytes = context.get_raw(at).as_bytes().map_err(|error| Error::UserFunctionError(error.into()))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// A field of a symbol of an outline.
fn field(outline: &Outline, at: u32, what: &str) -> Value {
    let Some(symbol) = outline.symbols.get(at as usize) else { return Value::Null };
    let text = |atom| outline.strings.get(atom).to_owned();
    let lines = |atoms: &mut dyn Iterator<Item = orient_model::Atom>| {
        let lines: Vec<&str> = atoms.map(|atom| outline.strings.get(atom)).collect();
        Value::Text(lines.join("\n"))
    };
    match what {
        "qualified_name" => Value::Text(Handle::join(outline.qualified(at))),
        "signature" => Value::Text(text(symbol.signature)),
        "doc" => symbol.doc.map(text).map_or(Value::Null, Value::Text),
        "returns" => symbol.returns.map(text).map_or(Value::Null, Value::Text),
        "parameters" => Value::Integer(i64::try_from(symbol.params.len()).unwrap_or(i64::MAX)),
        "attributes" => lines(&mut symbol.attributes.iter().copied()),
        "bases" => lines(&mut symbol.bases.iter().map(|base| base.text)),
        _ => Value::Null,
    }
}
