//! TOML text to its binary form.

use crate::tag;
use toml::{Table, Value};

/// The binary form of a TOML document, or what is wrong with it and where. A date has none.
pub fn encode(text: &str) -> Result<Vec<u8>, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let mut bytes = Vec::new();
    write_table(&table, &mut bytes)?;
    Ok(bytes)
}

fn write(value: &Value, bytes: &mut Vec<u8>) -> Result<(), String> {
    match value {
        Value::Boolean(false) => bytes.push(tag::FALSE),
        Value::Boolean(true) => bytes.push(tag::TRUE),
        Value::Integer(number) => {
            bytes.push(tag::INTEGER);
            bytes.extend(number.to_le_bytes());
        }
        Value::Float(number) => {
            bytes.push(tag::FLOAT);
            bytes.extend(number.to_le_bytes());
        }
        Value::String(text) => {
            bytes.push(tag::STRING);
            write_text(text, bytes)?;
        }
        Value::Array(items) => {
            bytes.push(tag::ARRAY);
            write_length(items.len(), bytes)?;
            for item in items {
                write(item, bytes)?;
            }
        }
        Value::Table(table) => write_table(table, bytes)?,
        Value::Datetime(date) => return Err(format!("{date}: a date has no binary form")),
    }
    Ok(())
}

fn write_table(table: &Table, bytes: &mut Vec<u8>) -> Result<(), String> {
    bytes.push(tag::TABLE);
    write_length(table.len(), bytes)?;
    for (key, value) in table {
        write_text(key, bytes)?;
        write(value, bytes)?;
    }
    Ok(())
}

fn write_text(text: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    write_length(text.len(), bytes)?;
    bytes.extend(text.as_bytes());
    Ok(())
}

fn write_length(length: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    let length = u32::try_from(length).map_err(|_| "a value is longer than 4 GB".to_owned())?;
    bytes.extend(length.to_le_bytes());
    Ok(())
}
