//! Style sheets with nested rules, variables and mixins, structured by their braces.

use super::{LineIndex, skip_space, word_end};
use crate::queries::{Comment, FileDrafts, ImportDraft, ReferenceDraft, SymbolDraft};
use orient_model::{ImportKind, RefKind, SymbolKind};

/// Scans a style sheet.
pub(super) fn scan(source: &[u8]) -> FileDrafts {
    let mut sheet = StylesheetScanner {
        source,
        places: LineIndex::new(source),
        found: FileDrafts::default(),
        open: Vec::new(),
        start: 0,
    };
    sheet.run();
    sheet.found
}

struct StylesheetScanner<'s> {
    source: &'s [u8],
    places: LineIndex,
    found: FileDrafts,
    /// The enclosing blocks, each with its symbol if it has one.
    open: Vec<Option<usize>>,
    /// The offset where the statement began.
    start: usize,
}

impl StylesheetScanner<'_> {
    fn run(&mut self) {
        let (mut at, mut round) = (0, 0_u32);
        while let Some(&byte) = self.source.get(at) {
            let next = self.source.get(at + 1).copied();
            match (byte, next) {
                (b'/', Some(b'*' | b'/')) if next == Some(b'*') || !self.is_address(at) => {
                    at = self.comment(at);
                    continue;
                }
                (b'"' | b'\'', _) => {
                    at = self.string(at);
                    continue;
                }
                (b'#' | b'@', Some(b'{')) => {
                    let rest = &self.source[at..];
                    at += memchr::memchr(b'}', rest).map_or(rest.len(), |end| end + 1);
                    continue;
                }
                (b'$', Some(b'a'..=b'z' | b'A'..=b'Z' | b'_')) => {
                    let end = word_end(self.source, at + 1);
                    self.reference(RefKind::Read, at, end);
                    at = end;
                    continue;
                }
                (b'(', _) => round += 1,
                (b')', _) => round = round.saturating_sub(1),
                (b'{', _) => {
                    self.open_block(at);
                    (self.start, round) = (at + 1, 0);
                }
                (b'}', _) => {
                    self.statement(at);
                    self.close_block(at + 1);
                    (self.start, round) = (at + 1, 0);
                }
                (b';', _) if round == 0 => {
                    self.statement(at);
                    self.start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        let end = self.source.trim_ascii_end().len();
        while !self.open.is_empty() {
            self.close_block(end);
        }
    }

    /// Whether two slashes are part of a URL and not a comment.
    fn is_address(&self, at: usize) -> bool {
        at > 0
            && self.source[at - 1] == b':'
            && self.source.get(at + 2).is_some_and(|b| !b.is_ascii_whitespace())
    }

    fn comment(&mut self, at: usize) -> usize {
        let rest = &self.source[at..];
        let end = if rest.starts_with(b"/*") {
            memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
        } else {
            memchr::memchr(b'\n', rest).unwrap_or(rest.len())
        };
        self.found.comments.push(Comment { span: self.places.span(at, at + end) });
        if self.source[self.start..at].trim_ascii().is_empty() {
            self.start = at + end;
        }
        at + end
    }

    fn string(&self, at: usize) -> usize {
        let quote = self.source[at];
        let mut end = at + 1;
        while let Some(&byte) = self.source.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' => return end,
                _ if byte == quote => return end + 1,
                _ => {}
            }
            end += 1;
        }
        self.source.len()
    }

    fn reference(&mut self, kind: RefKind, start: usize, end: usize) {
        let name = self.places.span(start, end);
        self.found.references.push(ReferenceDraft { pattern: 0, kind, name, receiver: None, given: None });
    }

    /// Opens a block: a rule, a mixin, or something unnamed.
    fn open_block(&mut self, at: usize) {
        let start = skip_space(self.source, self.start).min(at);
        let prelude = self.source[start..at].trim_ascii_end();
        let end = start + prelude.len();
        let mut symbol = None;
        if let Some(rest) = prelude.strip_prefix(b"@") {
            let word = start + 1;
            let word_end = word_end(self.source, word);
            let name = skip_space(self.source, word_end).min(end);
            match &rest[..(word_end - word).min(rest.len())] {
                b"mixin" | b"function" => {
                    symbol = self.named(SymbolKind::Function, start, name, self.path_end(name));
                }
                b"include" => self.reference(RefKind::Call, name, self.path_end(name)),
                b"if" | b"else" | b"for" | b"each" | b"while" | b"at-root" => {}
                _ => symbol = self.named(SymbolKind::Rule, start, start, end),
            }
        } else if !prelude.is_empty() {
            let mentioned = selectors(prelude);
            let is_one = matches!(mentioned[..], [(0, to)] if to == prelude.len());
            let kind = if is_one { SymbolKind::Selector } else { SymbolKind::Rule };
            symbol = self.named(kind, start, start, end);
            for (from, to) in mentioned.into_iter().filter(|_| !is_one) {
                self.named(SymbolKind::Selector, start + from, start + from, start + to);
            }
        }
        if let Some(index) = symbol {
            self.found.symbols[index].body = Some(self.places.span(at, at + 1));
        }
        self.open.push(symbol);
    }

    fn named(&mut self, kind: SymbolKind, start: usize, name: usize, end: usize) -> Option<usize> {
        if name >= end {
            return None;
        }
        let mut draft = SymbolDraft::new(kind, self.places.span(start, end));
        draft.names.push(self.places.span(name, end));
        self.found.symbols.push(draft);
        Some(self.found.symbols.len() - 1)
    }

    fn path_end(&self, at: usize) -> usize {
        let mut end = word_end(self.source, at);
        while self.source.get(end) == Some(&b'.') {
            end = word_end(self.source, end + 1);
        }
        end
    }

    fn close_block(&mut self, end: usize) {
        let Some(Some(index)) = self.open.pop() else { return };
        let draft = &mut self.found.symbols[index];
        let start = draft.span.start as usize;
        draft.span = self.places.span(start, end);
        if let Some(body) = draft.body {
            draft.body = Some(self.places.span(body.start as usize, end));
        }
    }

    /// Ends a statement: a variable, an import, the use of a mixin.
    fn statement(&mut self, at: usize) {
        let start = skip_space(self.source, self.start).min(at);
        let text = self.source[start..at].trim_ascii_end();
        let end = start + text.len();
        let Some(mark) = text.first() else { return };
        let name = word_end(self.source, start + 1).min(end);
        let declares = self.source[name..end].trim_ascii_start().starts_with(b":");
        match mark {
            b'$' | b'@' if declares => self.variable(start, name, end),
            b'-' if declares && text.starts_with(b"--") => self.variable(start, name, end),
            b'@' => self.directive(start, name, end),
            _ => {}
        }
    }

    fn variable(&mut self, start: usize, name: usize, end: usize) {
        let kind = SymbolKind::Variable;
        let mut draft = SymbolDraft::new(kind, self.places.span(start, end));
        draft.names.push(self.places.span(start, name));
        self.found.symbols.push(draft);
    }

    fn directive(&mut self, start: usize, word_end: usize, end: usize) {
        let argument = skip_space(self.source, word_end).min(end);
        match &self.source[start + 1..word_end] {
            b"use" | b"forward" | b"import" => self.imports(start, argument, end),
            b"include" => self.reference(RefKind::Call, argument, self.path_end(argument).min(end)),
            b"extend" => self.reference(RefKind::Inherit, argument, end),
            _ => {}
        }
    }

    /// `@use "a" as b`, `@import 'a', 'b'`.
    fn imports(&mut self, start: usize, argument: usize, end: usize) {
        let mut at = argument;
        while at < end {
            if !matches!(self.source[at], b'"' | b'\'') {
                at += 1;
                continue;
            }
            let close = self.string(at).min(end);
            let module = self.places.span(at, close);
            let after = self.source[close..end].trim_ascii_start();
            let alias = after.strip_prefix(b"as ").map(|_| {
                let from = skip_space(self.source, skip_space(self.source, close) + 2);
                self.places.span(from, word_end(self.source, from).max(from + 1).min(end))
            });
            let kind = if alias.is_some() { ImportKind::Module } else { ImportKind::Effect };
            // The first one represents the statement.
            let first = self.found.imports.last().is_none_or(|last| (last.span.start as usize) < start);
            let span = if first { self.places.span(start, close) } else { module };
            self.found.imports.push(ImportDraft { pattern: 0, kind, span, module, item: None, alias });
            at = close;
        }
    }
}

/// The classes and ids in the head of a rule, as ranges: `.card` and `#top` of `.card > #top:hover`.
fn selectors(head: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = memchr::memchr2(b'.', b'#', &head[at..]) {
        let start = at + step;
        let end = word_end(head, start + 1);
        let begins = head.get(start + 1).is_some_and(|b| !b.is_ascii_digit());
        // `.btn-#{$size}` is computed, and so is `.btn-@{size}`.
        let is_whole = !matches!(head.get(end), Some(b'#' | b'@')) || end == start + 1;
        if end > start + 1 && begins && is_whole {
            found.push((start, end));
        }
        at = end.max(start + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_ids_of_a_selector() {
        let texts = |head: &str| -> Vec<String> {
            let found = selectors(head.as_bytes());
            found.into_iter().map(|(from, to)| head[from..to].to_owned()).collect()
        };
        assert_eq!(texts(".card > #top:hover, a.b.c"), [".card", "#top", ".b", ".c"]);
        assert_eq!(texts("&:nth-child(2.5) .x-y"), [".x-y"]);
        assert!(texts(".btn-#{$size}").is_empty());
    }
}
