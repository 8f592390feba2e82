//! The caller–callee pairs of a SCIP index.

use super::ground_truth::{GroundTruth, Location};
use orient_scip::{Document, Occurrence, Part, Range, is_function, is_local};
use std::collections::BTreeMap;

/// The caller–callee pairs of an index; `None` if the bytes are not a SCIP index.
pub(super) fn read(bytes: &[u8]) -> Option<GroundTruth> {
    let mut documents: Vec<Document> = Vec::new();
    orient_scip::read(bytes, |part| {
        if let Part::Document(document) = part {
            documents.push(document);
        }
    })
    .ok()?;
    if documents.is_empty() {
        return None;
    }
    let mut defined: BTreeMap<&str, Location> = BTreeMap::new();
    for document in &documents {
        for one in document.occurrences.iter().filter(|one| one.is_definition() && !is_local(&one.symbol)) {
            defined.entry(&one.symbol).or_insert_with(|| (document.path.clone(), line(one.range)));
        }
    }
    let mut truth = GroundTruth { any_use: true, ..GroundTruth::default() };
    for document in &documents {
        truth.files.insert(document.path.clone());
        for one in document.occurrences.iter().filter(|one| !one.is_definition()) {
            let Some(callee) = defined.get(one.symbol.as_str()) else { continue };
            let caller = (document.path.clone(), caller(&document.occurrences, one.range));
            let is_required = is_function(&one.symbol) && !one.is_import() && caller.1 != 0;
            truth.add(&[caller], std::slice::from_ref(callee), is_required);
        }
    }
    Some(truth)
}

fn line(range: Range) -> u32 {
    range.start.0 + 1
}

/// The line of the innermost definition around a range; 0 for top-level code.
fn caller(occurrences: &[Occurrence], at: Range) -> u32 {
    // Modules are left out: code directly in them is top-level code.
    let around = |one: &&Occurrence| {
        one.is_definition()
            && !is_local(&one.symbol)
            && !one.symbol.ends_with('/')
            && one.enclosing.is_some_and(|range| range.start <= at.start && at.start < range.end)
    };
    let innermost =
        occurrences.iter().filter(around).max_by_key(|one| one.enclosing.map(|range| range.start));
    innermost.map_or(0, |one| line(one.range))
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
