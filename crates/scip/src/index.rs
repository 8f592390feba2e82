//! Reads an index as a stream of documents.

use crate::error::ScipError;
use crate::wire::{Fields, Value, numbers};
use std::io::{BufReader, Read};

/// Maximum size of a message at the top level. The largest document seen in practice has a few megabytes.
const MAX_MESSAGE: u64 = 64 << 20;

const DEFINITION: u32 = 1;
const IMPORT: u32 = 2;

/// A part of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The program that wrote the index, and the root that paths are relative to, as a URL.
    Tool {
        /// Its name and version.
        name: String,
        /// The root.
        root: String,
    },
    /// A document.
    Document(Document),
}

/// What an index says about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its path, relative to the root.
    pub path: String,
    /// Its text, if the index contains it.
    pub text: Option<String>,
    /// What characters of a range count.
    pub encoding: PositionEncoding,
    /// Definitions and references.
    pub occurrences: Vec<Occurrence>,
    /// Relationships of its symbols.
    pub relations: Vec<Relation>,
}

/// What characters of a range count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// The index does not say.
    #[default]
    Unspecified,
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Code points.
    Utf32,
}

/// A half-open range of lines and characters, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The first line and character.
    pub start: (u32, u32),
    /// The last line, and one past the last character.
    pub end: (u32, u32),
}

/// A definition or reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrence {
    /// The name.
    pub range: Range,
    /// The whole definition, if it is one and the index says.
    pub enclosing: Option<Range>,
    /// The symbol.
    pub symbol: String,
    roles: u32,
}

impl Occurrence {
    /// Whether it defines the symbol.
    pub fn is_definition(&self) -> bool {
        self.roles & DEFINITION != 0
    }

    /// Whether it imports the symbol.
    pub fn is_import(&self) -> bool {
        self.roles & IMPORT != 0
    }
}

/// A symbol that implements, overrides or inherits another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// The symbol.
    pub symbol: String,
    /// What it implements.
    pub base: String,
}

/// Reads an index from a stream; `visit` receives its parts in order. An empty stream is malformed.
pub fn read(from: impl Read, mut visit: impl FnMut(Part)) -> Result<(), ScipError> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut buffer = Vec::new();
    let mut any = false;
    while let Some(key) = stream_varint(&mut from)? {
        if key & 7 != 2 {
            return Err(ScipError::Malformed);
        }
        let length = stream_varint(&mut from)?.ok_or(ScipError::Malformed)?;
        if length > MAX_MESSAGE {
            return Err(ScipError::TooLarge(MAX_MESSAGE));
        }
        buffer.clear();
        // Grows with what is there, not with what the length claims.
        let got = from.by_ref().take(length).read_to_end(&mut buffer)?;
        if got as u64 != length {
            return Err(ScipError::Malformed);
        }
        match key >> 3 {
            1 => visit(metadata(&buffer).ok_or(ScipError::Malformed)?),
            2 => visit(Part::Document(document(&buffer).ok_or(ScipError::Malformed)?)),
            _ => {}
        }
        any = true;
    }
    if any { Ok(()) } else { Err(ScipError::Malformed) }
}

/// A varint of the stream; `None` at its end.
fn stream_varint(from: &mut impl Read) -> Result<Option<u64>, ScipError> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        if from.read(&mut byte)? == 0 {
            return if shift == 0 { Ok(None) } else { Err(ScipError::Malformed) };
        }
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(Some(number));
        }
    }
    Err(ScipError::Malformed)
}

fn metadata(bytes: &[u8]) -> Option<Part> {
    let (mut name, mut version, mut root) = (String::new(), String::new(), String::new());
    for field in Fields(bytes) {
        match field? {
            (2, Value::Bytes(tool)) => {
                for field in Fields(tool) {
                    match field? {
                        (1, Value::Bytes(bytes)) => name = text(bytes)?,
                        (2, Value::Bytes(bytes)) => version = text(bytes)?,
                        _ => {}
                    }
                }
            }
            (3, Value::Bytes(bytes)) => root = text(bytes)?,
            _ => {}
        }
    }
    Some(Part::Tool { name: format!("{name} {version}").trim().to_owned(), root })
}

fn document(bytes: &[u8]) -> Option<Document> {
    let mut document = Document::default();
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(bytes)) => document.path = text(bytes)?,
            (2, Value::Bytes(bytes)) => occurrence(bytes, &mut document.occurrences)?,
            (3, Value::Bytes(bytes)) => relations(bytes, &mut document.relations)?,
            (5, Value::Bytes(bytes)) if !bytes.is_empty() => document.text = Some(text(bytes)?),
            (6, Value::Number(encoding)) => {
                document.encoding = match encoding {
                    1 => PositionEncoding::Utf8,
                    2 => PositionEncoding::Utf16,
                    3 => PositionEncoding::Utf32,
                    _ => PositionEncoding::Unspecified,
                };
            }
            _ => {}
        }
    }
    Some(document)
}

/// Adds an occurrence, if it has a range.
fn occurrence(bytes: &[u8], into: &mut Vec<Occurrence>) -> Option<()> {
    let (mut one, mut at, mut enclosing) = (Occurrence::default(), Vec::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, value) => numbers(&mut at, value)?,
            (2, Value::Bytes(bytes)) => one.symbol = text(bytes)?,
            (3, Value::Number(roles)) => one.roles = u32::try_from(roles).ok()?,
            (7, value) => numbers(&mut enclosing, value)?,
            _ => {}
        }
    }
    one.enclosing = range(&enclosing);
    into.extend(range(&at).map(|range| Occurrence { range, ..one }));
    Some(())
}

/// The implementation relationships of a symbol.
fn relations(bytes: &[u8], into: &mut Vec<Relation>) -> Option<()> {
    let (mut symbol, mut bases) = (String::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, Value::Bytes(bytes)) => symbol = text(bytes)?,
            (4, Value::Bytes(bytes)) => {
                let (mut base, mut implements) = (String::new(), false);
                for field in Fields(bytes) {
                    match field? {
                        (1, Value::Bytes(bytes)) => base = text(bytes)?,
                        (3, Value::Number(flag)) => implements = flag != 0,
                        _ => {}
                    }
                }
                bases.extend(implements.then_some(base));
            }
            _ => {}
        }
    }
    into.extend(bases.into_iter().map(|base| Relation { symbol: symbol.clone(), base }));
    Some(())
}

/// A range of four numbers, or of three if it is on one line.
fn range(numbers: &[u32]) -> Option<Range> {
    match *numbers {
        [first, from, last, to] => Some(Range { start: (first, from), end: (last, to) }),
        [line, from, to] => Some(Range { start: (line, from), end: (line, to) }),
        _ => None,
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(number: u8, bytes: &[u8]) -> Vec<u8> {
        let (low, high) = (bytes.len() as u8 | 0x80, u8::try_from(bytes.len() >> 7).expect("small"));
        [&[number << 3 | 2, low, high][..], bytes].concat()
    }

    fn index() -> Vec<u8> {
        let occurrence =
            [message(1, &[4, 2, 5]), message(2, b"s m p v f()."), vec![3 << 3, 1], message(7, &[4, 0, 6, 1])];
        let relation = [
            message(1, b"s m p v A#f()."),
            message(4, &[message(1, b"s m p v B#f()."), vec![3 << 3, 1]].concat()),
        ];
        let document = [
            message(1, b"src/a.ts"),
            message(2, &occurrence.concat()),
            message(3, &relation.concat()),
            vec![6 << 3, 2],
        ];
        let tool = [message(1, b"scip-x"), message(2, b"1.2")];
        let metadata = [message(2, &tool.concat()), message(3, b"file:///repo")];
        [message(1, &metadata.concat()), message(2, &document.concat()), message(3, b"")].concat()
    }

    #[test]
    fn an_index_is_read_part_by_part() {
        let mut parts = Vec::new();
        read(index().as_slice(), |part| parts.push(part)).expect("it is well formed");
        let [Part::Tool { name, root }, Part::Document(document)] = parts.as_slice() else {
            panic!("{parts:?}");
        };
        assert_eq!((name.as_str(), root.as_str()), ("scip-x 1.2", "file:///repo"));
        assert_eq!((document.path.as_str(), document.encoding), ("src/a.ts", PositionEncoding::Utf16));
        let one = &document.occurrences[0];
        assert!(one.is_definition() && !one.is_import());
        assert_eq!(one.range, Range { start: (4, 2), end: (4, 5) });
        assert_eq!(one.enclosing, Some(Range { start: (4, 0), end: (6, 1) }));
        assert_eq!(document.relations[0].base, "s m p v B#f().");
    }

    #[test]
    fn malformed_and_hostile_bytes_are_rejected() {
        for bytes in [
            &b""[..],
            b"plain text",
            b"\xff\xff\xff",
            b"\x12\x7f",
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        ] {
            assert!(read(bytes, |_| {}).is_err(), "{bytes:?}");
        }
        let huge = [&[0x12][..], &[0x80, 0x80, 0x80, 0x80, 0x10]].concat();
        assert!(matches!(read(huge.as_slice(), |_| {}), Err(ScipError::TooLarge(_))));
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), at in 0_usize..200, by in any::<u8>()) {
            let _ = read(bytes.as_slice(), |_| {});
            let mut damaged = index();
            let place = at % damaged.len();
            damaged[place] = by;
            let _ = read(damaged.as_slice(), |_| {});
        }
    }
}
