//! Symbols that a grammar has no node for, found by regular expressions over the source.

use super::drafts::SymbolDraft;
use crate::schema::error::PackError;
use crate::schema::manifest::RegexSymbolSpec;
use crate::schema::vocabulary;
use orient_model::{Span, SymbolKind};
use regex::bytes::Regex;

/// A compiled [`RegexSymbolSpec`].
pub(super) struct RegexSymbol {
    kind: SymbolKind,
    pattern: Regex,
    until: Option<Regex>,
}

impl RegexSymbol {
    pub(super) fn compile(pack: &str, spec: &RegexSymbolSpec) -> Result<Self, PackError> {
        let regex = |pattern: &str| {
            Regex::new(pattern).map_err(|error| PackError::Pattern {
                pack: pack.to_owned(),
                place: "regex_symbol".to_owned(),
                message: error.to_string(),
            })
        };
        let kind =
            vocabulary::symbol(&spec.kind).map_err(|unknown| unknown.at(pack, "regex_symbol", &spec.kind))?;
        Ok(Self {
            kind,
            pattern: regex(&spec.pattern)?,
            until: spec.until.as_deref().map(regex).transpose()?,
        })
    }

    /// Adds the symbols that the pattern matches, except at names that the queries found already.
    pub(super) fn add(&self, source: &[u8], drafts: &mut Vec<SymbolDraft>) {
        let mut known: Vec<u32> = drafts.iter().map(|draft| draft.name_span().start).collect();
        known.sort_unstable();
        let mut lines = (0, 1);
        for found in self.pattern.captures_iter(source) {
            let (Some(all), Some(name)) = (found.get(0), found.get(1)) else { continue };
            if known.binary_search(&(name.start() as u32)).is_ok() {
                continue;
            }
            let start = all.start() + (all.len() - all.as_bytes().trim_ascii_start().len());
            let rest = &source[all.end()..];
            let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let end = match &self.until {
                Some(until) => until.find(rest).map_or(rest.len(), |end| end.end()),
                None => line,
            };
            let first = line_of(source, start, &mut lines);
            let breaks = |text: &[u8]| memchr::memchr_iter(b'\n', text).count() as u32;
            let (start, end) = (start as u32, (all.end() + end) as u32);
            let span = Span { start, end, first_line: first, last_line: first };
            let last_line = first + breaks(span.of(source).trim_ascii_end());
            let mut draft = SymbolDraft::new(
                self.kind,
                crate::facts::display_text::trimmed(Span { last_line, ..span }, source),
            );
            let name_line = first + breaks(&source[start as usize..name.start()]);
            let (name_start, name_end) = (name.start() as u32, name.end() as u32);
            draft.names.push(Span {
                start: name_start,
                end: name_end,
                first_line: name_line,
                last_line: name_line,
            });
            draft.pattern = usize::MAX;
            draft.node = name.start();
            draft.line = true;
            drafts.push(draft);
        }
    }
}

/// The line of an offset, counting from the previous call's offset.
fn line_of(source: &[u8], at: usize, last: &mut (usize, u32)) -> u32 {
    last.1 += memchr::memchr_iter(b'\n', &source[last.0..at]).count() as u32;
    last.0 = at;
    last.1
}
