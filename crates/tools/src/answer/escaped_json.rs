//! JSON output in which invisible and control characters are `\uXXXX`, so that it is harmless on a terminal.

use crate::text::escape::is_invisible;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io;

/// Writes a value as indented JSON, with a final line break.
pub fn write_json(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    write(value, out, Layout::Indented(PrettyFormatter::new()))?;
    out.write_all(b"\n")
}

/// Writes a value as JSON on one line.
pub fn write_json_line(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    write(value, out, Layout::OneLine(CompactFormatter))?;
    out.write_all(b"\n")
}

/// A value as a tree, from its text: the writer of text is the only serialiser that is generated for each type.
pub(crate) fn to_value(value: &impl Serialize) -> Value {
    let mut text = Vec::new();
    write(value, &mut text, Layout::OneLine(CompactFormatter)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn write(value: &impl Serialize, mut out: &mut dyn io::Write, layout: Layout) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(&mut out, layout))?)
}

/// One type for both layouts, so that a value has one serialiser.
enum Layout {
    Indented(PrettyFormatter<'static>),
    OneLine(CompactFormatter),
}

/// Methods that write the punctuation of the layout.
macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty)?);)*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W $(, $argument: $type)?) -> io::Result<()> {
            match self {
                Self::Indented(formatter) => formatter.$name(writer $(, $argument)?),
                Self::OneLine(formatter) => formatter.$name(writer $(, $argument)?),
            }
        })*
    };
}

impl Formatter for Layout {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_invisible(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    delegate! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_round_trip_and_invisible_characters_are_escaped() {
        let evil = "a\u{202e}b\u{9b}\u{1b}\n\"\u{e0041}ö";
        let mut out = Vec::new();
        write_json(&[evil], &mut out).expect("memory takes everything");
        let text = String::from_utf8(out).expect("JSON is text");
        assert_eq!(text, "[\n  \"a\\u202eb\\u009b\\u001b\\n\\\"\\udb40\\udc41ö\"\n]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).expect("valid"), [evil]);
        let mut line = Vec::new();
        write_json_line(&[evil, "b"], &mut line).expect("memory takes everything");
        assert_eq!(to_value(&[evil, "b"]), serde_json::json!([evil, "b"]));
        assert_eq!(line, b"[\"a\\u202eb\\u009b\\u001b\\n\\\"\\udb40\\udc41\xc3\xb6\",\"b\"]\n");
    }
}
