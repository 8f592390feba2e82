//! The encoding of the history index: segments of the commit graph, changed symbols of a file, and terms of a commit.

use super::CodecError;
use super::varint::{Decoder, Encoder, option};
use orient_model::SymbolKind;

/// A commit of the graph. Commits are numbered in the order in which they were indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphCommit {
    /// Its id.
    pub id: Vec<u8>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The numbers of its parents.
    pub parents: Vec<u32>,
    /// Whether it has parents that are not in the graph.
    pub is_cut: bool,
    /// Whether it is no longer in the repository.
    pub is_gone: bool,
}

/// A symbol that a commit changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedSymbol {
    /// Its qualified name after the change; before it, if it was removed.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// What changed: a set of bits that the caller defines.
    pub parts: u8,
    /// The previous name of a renamed or moved symbol.
    pub old_name: Option<String>,
    /// The number of the file that it was moved from.
    pub old_path: Option<u32>,
    /// Its number of lines.
    pub lines: u32,
}

/// A term of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitTerm {
    /// The hash of the term.
    pub term: u32,
    /// How often the message has it.
    pub in_message: u8,
    /// How often the changed lines, paths and symbols have it.
    pub in_diff: u8,
}

/// Encodes commits whose first has the number `first`.
pub(crate) fn encode_commits(first: u32, commits: &[GraphCommit]) -> Vec<u8> {
    let mut to = Encoder::default();
    let length = commits.first().map_or(0, |commit| commit.id.len());
    to.number(commits.len() as u32);
    to.number(length as u32);
    let mut time = 0;
    for (number, commit) in (first..).zip(commits) {
        let flags = u32::from(commit.is_cut) | u32::from(commit.is_gone) << 1;
        to.number((commit.parents.len() as u32) << 2 | flags);
        for parent in &commit.parents {
            to.step(i64::from(*parent), i64::from(number));
        }
        to.step(commit.time, time);
        time = commit.time;
        let mut id = commit.id.clone();
        id.resize(length, 0);
        to.bytes.extend_from_slice(&id);
    }
    to.bytes
}

/// Passes each commit of a segment to `take`.
pub(crate) fn decode_commits(
    first: u32,
    bytes: &[u8],
    mut take: impl FnMut(GraphCommit),
) -> Result<(), CodecError> {
    let mut from = Decoder { bytes };
    let (count, length) = (from.number()?, from.number()? as usize);
    let mut time = 0;
    for number in first..first.checked_add(count).ok_or(CodecError)? {
        let header = from.number()?;
        let parents = from.rows((header >> 2) as usize, |from| {
            u32::try_from(from.step(i64::from(number))?).map_err(|_| CodecError)
        })?;
        time = from.step(time)?;
        let (id, rest) = from.bytes.split_at_checked(length).ok_or(CodecError)?;
        from.bytes = rest;
        let (is_cut, is_gone) = (header & 1 != 0, header & 2 != 0);
        take(GraphCommit { id: id.to_vec(), time, parents, is_cut, is_gone });
    }
    from.end()
}

/// Encodes the symbols that a commit changed in a file.
pub(crate) fn encode_symbols(symbols: &[ChangedSymbol]) -> Vec<u8> {
    let mut to = Encoder::default();
    to.number(symbols.len() as u32);
    for symbol in symbols {
        to.number(symbol.kind as u32);
        to.number(u32::from(symbol.parts));
        to.number(symbol.lines);
        to.wide(option(symbol.old_path));
        to.wide(option(symbol.old_name.as_ref().map(|name| name.len() as u32)));
        to.number(symbol.name.len() as u32);
        to.bytes.extend_from_slice(symbol.name.as_bytes());
        to.bytes.extend_from_slice(symbol.old_name.as_deref().unwrap_or_default().as_bytes());
    }
    to.bytes
}

/// Decodes the symbols that a commit changed in a file.
pub(crate) fn decode_symbols(bytes: &[u8]) -> Result<Vec<ChangedSymbol>, CodecError> {
    let mut from = Decoder { bytes };
    let count = from.count()?;
    let symbols = from.rows(count, |from| {
        let kind = u8::try_from(from.number()?).ok().and_then(SymbolKind::from_number).ok_or(CodecError)?;
        let parts = u8::try_from(from.number()?).map_err(|_| CodecError)?;
        let (lines, old_path, old_length) = (from.number()?, from.option()?, from.option()?);
        let length = from.number()? as usize;
        let mut text = |length: usize| {
            let (text, rest) = from.bytes.split_at_checked(length).ok_or(CodecError)?;
            from.bytes = rest;
            String::from_utf8(text.to_vec()).map_err(|_| CodecError)
        };
        let name = text(length)?;
        let old_name = old_length.map(|length| text(length as usize)).transpose()?;
        Ok(ChangedSymbol { name, kind, parts, old_name, old_path, lines })
    })?;
    from.end()?;
    Ok(symbols)
}

/// Encodes the terms of a commit, sorted by hash. The two counts share a byte.
pub(crate) fn encode_terms(terms: &[CommitTerm]) -> Vec<u8> {
    let mut to = Encoder::default();
    let mut before = 0;
    for term in terms {
        to.number(term.term.wrapping_sub(before));
        to.bytes.push(term.in_message.min(15) << 4 | term.in_diff.min(15));
        before = term.term;
    }
    to.bytes
}

/// Passes the terms of a commit to `take`.
pub(crate) fn decode_terms(bytes: &[u8], mut take: impl FnMut(CommitTerm)) -> Result<(), CodecError> {
    let mut from = Decoder { bytes };
    let mut term = 0_u32;
    while !from.bytes.is_empty() {
        term = term.wrapping_add(from.number()?);
        let (&counts, rest) = from.bytes.split_first().ok_or(CodecError)?;
        from.bytes = rest;
        take(CommitTerm { term, in_message: counts >> 4, in_diff: counts & 15 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph_commit() -> impl Strategy<Value = GraphCommit> {
        let flags = (any::<bool>(), any::<bool>());
        (any::<[u8; 20]>(), any::<i64>(), prop::collection::vec(any::<u32>(), 0..4), flags).prop_map(
            |(id, time, parents, (is_cut, is_gone))| GraphCommit {
                id: id.to_vec(),
                time,
                parents,
                is_cut,
                is_gone,
            },
        )
    }

    fn changed_symbol() -> impl Strategy<Value = ChangedSymbol> {
        let kind = prop::sample::select(SymbolKind::ALL);
        let old = (prop::option::of(".{0,9}"), prop::option::of(0..9_u32));
        (".{0,9}", kind, any::<u8>(), old, any::<u32>()).prop_map(|(name, kind, parts, old, lines)| {
            ChangedSymbol { name, kind, parts, old_name: old.0, old_path: old.1, lines }
        })
    }

    proptest! {
        #[test]
        fn graph_segments_are_read_as_written(
            commits in prop::collection::vec(graph_commit(), 0..20),
            first in 0..1000_u32,
        ) {
            let mut read = Vec::new();
            decode_commits(first, &encode_commits(first, &commits), |commit| read.push(commit)).expect("it is valid");
            prop_assert_eq!(read, commits);
        }

        #[test]
        fn symbols_and_terms_are_read_as_written(
            symbols in prop::collection::vec(changed_symbol(), 0..20),
            hashes in prop::collection::btree_set(any::<u32>(), 0..20),
        ) {
            prop_assert_eq!(decode_symbols(&encode_symbols(&symbols)).expect("it is valid"), symbols);
            let terms: Vec<CommitTerm> = hashes
                .into_iter()
                .map(|term| CommitTerm { term, in_message: (term % 16) as u8, in_diff: (term % 7) as u8 })
                .collect();
            let mut read = Vec::new();
            decode_terms(&encode_terms(&terms), |term| read.push(term)).expect("it is valid");
            prop_assert_eq!(read, terms);
        }

        #[test]
        fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_commits(0, &bytes, drop);
            let _ = decode_symbols(&bytes);
            let _ = decode_terms(&bytes, |_| {});
        }
    }
}
