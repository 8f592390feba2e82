//! Scanners of ours for languages that have no grammar. A pack asks for one by name.

mod stylesheet;
mod template_directives;

use crate::pack::Pack;
use crate::queries::Gathered;
use crate::schema::vocabulary::Unknown;
use orient_model::{Facts, Span};

/// Reads a file by hand.
pub(crate) type Scanner = fn(&Pack, &[u8]) -> Facts;

const SCANNERS: &[(&str, Scanner)] = &[
    ("stylesheet", |pack, source| facts(pack, source, stylesheet::scan(source))),
    ("directives", |pack, source| facts(pack, source, template_directives::scan(source))),
];

/// The scanner of this name.
pub(crate) fn find(name: &str) -> Result<Scanner, Unknown> {
    let known = || SCANNERS.iter().map(|(known, _)| *known).collect();
    let found = SCANNERS.iter().find(|(known, _)| *known == name);
    found.map(|(_, scanner)| *scanner).ok_or_else(|| Unknown { what: "scanner", known: known() })
}

fn facts(pack: &Pack, source: &[u8], mut gathered: Gathered) -> Facts {
    for (index, draft) in gathered.drafts.iter_mut().enumerate() {
        draft.node = index + 1;
    }
    crate::queries::build(pack, source, gathered)
}

/// Turns offsets into places.
struct Places {
    starts: Vec<u32>,
}

impl Places {
    fn new(source: &[u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', source).map(|at| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let line = |at: u32| self.starts.partition_point(|&start| start <= at) as u32;
        let (start, end) = (start as u32, end as u32);
        Span { start, end, first_line: line(start), last_line: line(end.saturating_sub(1).max(start)) }
    }
}

/// The end of the word that starts at `at`.
fn word_end(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|&b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b >= 0x80))
        .unwrap_or(rest.len())
}

/// The first place at or after `at` that is no white space.
fn skip_space(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_ascii_start().len())
}
