//! Uses in markup that a grammar has no node for: components, templates, classes and handlers, found by regular expressions.

use crate::queries::{FileDrafts, ImportDraft, ReferenceDraft};
use crate::schema::error::PackError;
use crate::schema::manifest::{PackManifest, UseSpec};
use crate::schema::vocabulary::UnknownWord;
use orient_model::{ImportKind, RefKind, Span};
use regex::bytes::Regex;

/// Maximum length of the name of a class, component or template.
const NAME_CAP: usize = 120;

/// A compiled [`UseSpec`].
pub(crate) struct MarkupUse {
    what: Used,
    pattern: Regex,
    each: bool,
}

/// What is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Used {
    Template,
    /// By a reference; its name has this in front, which keeps classes and ids apart from other names.
    Name(RefKind, &'static str),
}

const WORDS: &[(&str, Used)] = &[
    ("component", Used::Name(RefKind::Construct, "")),
    ("template", Used::Template),
    ("class", Used::Name(RefKind::Read, ".")),
    ("id", Used::Name(RefKind::Read, "#")),
    ("name", Used::Name(RefKind::Read, "")),
    ("call", Used::Name(RefKind::Call, "")),
];

impl MarkupUse {
    pub(super) fn compile(manifest: &PackManifest, spec: &UseSpec) -> Result<Self, PackError> {
        let found = WORDS.iter().find(|(word, _)| *word == spec.is);
        let &(_, what) = found.ok_or_else(|| {
            let known = WORDS.iter().map(|(word, _)| *word).collect();
            UnknownWord { what: "use", known }.at(&manifest.name, "use", &spec.is)
        })?;
        let pattern = Regex::new(&spec.pattern).map_err(|error| manifest.pattern_error("use", &error))?;
        Ok(Self { what, pattern, each: spec.each })
    }

    /// Adds the uses that the pattern matches.
    pub(crate) fn add(&self, source: &[u8], drafts: &mut FileDrafts) {
        let mut line = LineCounter::default();
        for found in self.pattern.captures_iter(source) {
            let (Some(all), Some(names)) = (found.get(0), found.iter().skip(1).flatten().next()) else {
                continue;
            };
            let mut from = names.start();
            let pieces: Vec<&[u8]> = if self.each {
                names.as_bytes().split(u8::is_ascii_whitespace).collect()
            } else {
                vec![names.as_bytes()]
            };
            for piece in pieces {
                let (start, end) = (from, from + piece.len());
                from = end + 1;
                if piece.is_empty() || piece.len() > NAME_CAP || !self.is_name(piece) {
                    continue;
                }
                let line = line.at(source, start);
                let span = |start: usize| Span {
                    start: start as u32,
                    end: end as u32,
                    first_line: line,
                    last_line: line,
                };
                self.push(span(start), span(all.start()), piece, drafts);
            }
        }
    }

    fn push(&self, name: Span, whole: Span, text: &[u8], drafts: &mut FileDrafts) {
        match self.what {
            Used::Template => drafts.imports.push(ImportDraft {
                pattern: 0,
                kind: ImportKind::Template,
                span: Span { first_line: name.first_line, ..whole },
                module: name,
                item: None,
                alias: None,
            }),
            Used::Name(kind, mark) => {
                let given = format!("{mark}{}", String::from_utf8_lossy(text));
                // Of several uses at one place the first is kept, and an id is also a definition: the mark makes another place.
                let name = Span { start: name.start - mark.len() as u32, ..name };
                let given = Some(given).filter(|_| !mark.is_empty());
                drafts.references.push(ReferenceDraft { pattern: 0, kind, name, receiver: None, given });
            }
        }
    }

    /// Whether a text is a name and not partly computed: `btn-{{ kind }}`.
    fn is_name(&self, text: &[u8]) -> bool {
        let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-') || *b >= 0x80;
        let path = |b: &u8| plain(b) || matches!(b, b'.' | b'/' | b':' | b'~' | b'@');
        match self.what {
            Used::Template | Used::Name(RefKind::Construct, _) => text.iter().all(path),
            Used::Name(..) => text.iter().all(plain) && !text[0].is_ascii_digit(),
        }
    }
}

/// Counts lines up to ascending offsets.
struct LineCounter {
    at: usize,
    line: u32,
}

impl Default for LineCounter {
    fn default() -> Self {
        Self { at: 0, line: 1 }
    }
}

impl LineCounter {
    fn at(&mut self, source: &[u8], to: usize) -> u32 {
        self.line += memchr::memchr_iter(b'\n', &source[self.at..to]).count() as u32;
        self.at = to;
        self.line
    }
}
