//! Hand-written scanners for languages without a grammar. A pack names the scanner it uses.

mod stylesheet;
mod template_directives;

use crate::conventions::Conventions;
use crate::queries::FileDrafts;
use crate::schema::vocabulary::UnknownWord;
use orient_model::{Facts, Span};

/// Extracts the facts of a file without a grammar.
pub(crate) type Scanner = fn(&Conventions, &[u8]) -> Facts;

const SCANNERS: &[(&str, Scanner)] = &[
    ("stylesheet", |conventions, source| facts(conventions, source, stylesheet::scan(source))),
    ("markup", |conventions, source| facts(conventions, source, FileDrafts::default())),
    ("directives", |conventions, source| facts(conventions, source, template_directives::scan(source))),
];

/// The scanner of this name.
pub(crate) fn find(name: &str) -> Result<Scanner, UnknownWord> {
    let known = || SCANNERS.iter().map(|(known, _)| *known).collect();
    let found = SCANNERS.iter().find(|(known, _)| *known == name);
    found.map(|(_, scanner)| *scanner).ok_or_else(|| UnknownWord { what: "scanner", known: known() })
}

fn facts(conventions: &Conventions, source: &[u8], mut file_drafts: FileDrafts) -> Facts {
    for (index, draft) in file_drafts.symbols.iter_mut().enumerate() {
        draft.node = index + 1;
    }
    crate::queries::build(conventions, source, file_drafts)
}

/// Turns offsets into spans with line numbers.
struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
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

/// The first offset at or after `at` that is not white space.
fn skip_space(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_ascii_start().len())
}
