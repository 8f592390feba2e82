//! Reader of the definitions and references in a SCIP index (protocol buffers).

use super::ground_truth::{GroundTruth, Location};
use std::collections::BTreeMap;

const DOCUMENTS: u64 = 2;
const DOCUMENT_PATH: u64 = 1;
const DOCUMENT_OCCURRENCES: u64 = 2;
const OCCURRENCE_RANGE: u64 = 1;
const OCCURRENCE_SYMBOL: u64 = 2;
const OCCURRENCE_ROLES: u64 = 3;
const OCCURRENCE_ENCLOSING: u64 = 7;
const DEFINITION: u64 = 1;
const IMPORT: u64 = 2;

/// A reference or a definition.
#[derive(Default)]
struct Occurrence {
    symbol: String,
    range: Vec<u32>,
    roles: u64,
    enclosing: Vec<u32>,
}

/// The caller–callee pairs of an index; `None` if the bytes are not a SCIP index.
pub(super) fn read(bytes: &[u8]) -> Option<GroundTruth> {
    let mut documents = Vec::new();
    for field in Fields(bytes) {
        let (number, value) = field?;
        if let (DOCUMENTS, Value::Bytes(document)) = (number, value) {
            documents.push(read_document(document)?);
        }
    }
    if documents.is_empty() {
        return None;
    }
    let mut defined: BTreeMap<&str, Location> = BTreeMap::new();
    for (path, occurrences) in &documents {
        for one in occurrences.iter().filter(|one| one.roles & DEFINITION != 0 && is_global(&one.symbol)) {
            defined.entry(&one.symbol).or_insert_with(|| (path.clone(), line(&one.range)));
        }
    }
    let mut truth = GroundTruth { any_use: true, ..GroundTruth::default() };
    for (path, occurrences) in &documents {
        truth.files.insert(path.clone());
        for one in occurrences.iter().filter(|one| one.roles & DEFINITION == 0) {
            let Some(callee) = defined.get(one.symbol.as_str()) else { continue };
            let caller = (path.clone(), caller(occurrences, &one.range));
            let is_required = is_function(&one.symbol) && one.roles & IMPORT == 0 && caller.1 != 0;
            truth.add(&[caller], std::slice::from_ref(callee), is_required);
        }
    }
    Some(truth)
}

fn read_document(bytes: &[u8]) -> Option<(String, Vec<Occurrence>)> {
    let (mut path, mut occurrences) = (String::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (DOCUMENT_PATH, Value::Bytes(text)) => path = String::from_utf8(text.to_vec()).ok()?,
            (DOCUMENT_OCCURRENCES, Value::Bytes(message)) => occurrences.push(read_occurrence(message)?),
            _ => {}
        }
    }
    Some((path, occurrences))
}

fn read_occurrence(bytes: &[u8]) -> Option<Occurrence> {
    let mut one = Occurrence::default();
    for field in Fields(bytes) {
        match field? {
            (OCCURRENCE_RANGE, value) => numbers(&mut one.range, value)?,
            (OCCURRENCE_ENCLOSING, value) => numbers(&mut one.enclosing, value)?,
            (OCCURRENCE_SYMBOL, Value::Bytes(text)) => one.symbol = String::from_utf8(text.to_vec()).ok()?,
            (OCCURRENCE_ROLES, Value::Number(roles)) => one.roles = roles,
            _ => {}
        }
    }
    Some(one)
}

/// Whether a symbol has the same meaning in every file.
fn is_global(symbol: &str) -> bool {
    !symbol.is_empty() && !symbol.starts_with("local ")
}

/// Whether the last descriptor of a symbol is a function, method or macro: `name().`, `name(+1).`, `name!`.
fn is_function(symbol: &str) -> bool {
    is_global(symbol) && (symbol.ends_with(").") || symbol.ends_with('!'))
}

fn line(range: &[u32]) -> u32 {
    range.first().map_or(0, |line| line + 1)
}

/// The line of the innermost definition around a range; 0 for top-level code.
fn caller(occurrences: &[Occurrence], range: &[u32]) -> u32 {
    let [line_at, column, ..] = range else { return 0 };
    let at = (*line_at, *column);
    // Modules are left out: code directly in them is top-level code.
    let around = |one: &&Occurrence| {
        one.roles & DEFINITION != 0
            && is_global(&one.symbol)
            && !one.symbol.ends_with('/')
            && bounds(&one.enclosing).is_some_and(|(start, end)| start <= at && at < end)
    };
    let innermost = occurrences.iter().filter(around).max_by_key(|one| bounds(&one.enclosing).map(|it| it.0));
    innermost.map_or(0, |one| line(&one.range))
}

/// The start and end of a range: four numbers, or three if it is on one line.
fn bounds(range: &[u32]) -> Option<((u32, u32), (u32, u32))> {
    match *range {
        [first, from, last, to] => Some(((first, from), (last, to))),
        [line, from, to] => Some(((line, from), (line, to))),
        _ => None,
    }
}

fn numbers(into: &mut Vec<u32>, value: Value<'_>) -> Option<()> {
    match value {
        Value::Number(number) => into.push(u32::try_from(number).ok()?),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                into.push(u32::try_from(varint(&mut packed)?).ok()?);
            }
        }
    }
    Some(())
}

#[derive(Clone, Copy)]
enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The fields of a message; an item is `None` if the bytes are malformed.
struct Fields<'b>(&'b [u8]);

impl<'b> Iterator for Fields<'b> {
    type Item = Option<(u64, Value<'b>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'b> Fields<'b> {
    fn read(&mut self) -> Option<(u64, Value<'b>)> {
        let key = varint(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut self.0)?),
            1 => Value::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u8, bytes: &[u8]) -> Vec<u8> {
        let (low, high) = (bytes.len() as u8 | 0x80, u8::try_from(bytes.len() >> 7).expect("small"));
        [&[number << 3 | 2, low, high][..], bytes].concat()
    }

    fn occurrence(symbol: &str, roles: u8, range: &[u8], enclosing: &[u8]) -> Vec<u8> {
        let parts =
            [message(1, range), message(2, symbol.as_bytes()), vec![3 << 3, roles], message(7, enclosing)];
        message(2, &parts.concat())
    }

    #[test]
    fn references_to_functions_become_pairs() {
        let document = [
            message(1, b"src/a.rs"),
            occurrence("x m/", 1, &[0, 0, 0], &[0, 0, 9, 0]),
            occurrence("x g().", 0, &[5, 4, 5], &[]),
            occurrence("x f().", 1, &[0, 3, 4], &[0, 0, 4, 1]),
            occurrence("x g().", 1, &[6, 3, 4], &[6, 0, 8, 1]),
            occurrence("x g().", 0, &[2, 4, 5], &[]),
            occurrence("x T#", 0, &[2, 9, 10], &[]),
            occurrence("local 1", 0, &[3, 4, 5], &[]),
        ];
        let truth = read(&message(2, &document.concat())).expect("an index");
        let place = |line| ("src/a.rs".to_owned(), line);
        assert_eq!(truth.required.into_iter().collect::<Vec<_>>(), [(place(1), place(7))]);
        assert!(truth.any_use);
        assert!(
            truth.accepted.contains_key(&(place(0), place(7))),
            "an import is accepted, but not required"
        );
    }

    #[test]
    fn malformed_bytes_are_rejected() {
        for bytes in [&b"\xff\xff\xff"[..], b"plain text", b"\x12\x7f", b""] {
            assert!(read(bytes).is_none(), "{bytes:?}");
        }
    }
}
