//! JSON output in which invisible and control characters are `\uXXXX`, so that it is harmless on a terminal.

use crate::text::escape::is_invisible;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io;

/// Writes a value as indented JSON, with a final line break.
pub fn write_json(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = out;
    value.serialize(&mut Serializer::with_formatter(&mut out, Escaping(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// Writes a value as JSON on one line.
pub fn write_json_line(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut out = out;
    value.serialize(&mut Serializer::with_formatter(&mut out, Escaping(CompactFormatter)))?;
    out.write_all(b"\n")
}

struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
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

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_key(writer)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
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
        assert_eq!(line, b"[\"a\\u202eb\\u009b\\u001b\\n\\\"\\udb40\\udc41\xc3\xb6\",\"b\"]\n");
    }
}
