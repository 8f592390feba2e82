//! Templates whose structure is said by directives: `@section('name') … @endsection`, `<x-card>`.

use super::{Places, skip_space, word_end};
use crate::queries::{Comment, Draft, Gathered, ImportDraft, Mention};
use orient_model::{ImportKind, RefKind, SymbolKind};

/// Directives that open a named part, and those that close it.
const PARTS: &[(&str, &[&str])] = &[
    ("section", &["endsection", "show", "stop", "append", "overwrite"]),
    ("push", &["endpush"]),
    ("pushOnce", &["endPushOnce"]),
    ("prepend", &["endprepend"]),
    ("slot", &["endslot"]),
    ("fragment", &["endfragment"]),
];
/// Directives that name a place which others fill.
const PLACES: &[&str] = &["yield", "stack"];
/// Directives that bring in another template; the number says which string names it.
const INCLUDES: &[&str] = &[
    "extends",
    "include",
    "includeIf",
    "includeWhen",
    "includeUnless",
    "includeFirst",
    "component",
    "componentFirst",
    "each",
    "livewire",
];

/// Reads a template.
pub(super) fn scan(source: &[u8]) -> Gathered {
    let mut template =
        Template { source, places: Places::new(source), found: Gathered::default(), open: Vec::new() };
    let mut at = 0;
    while let Some(step) = memchr::memchr3(b'@', b'<', b'{', &source[at..]) {
        at = template.mark(at + step);
    }
    template.found
}

struct Template<'s> {
    source: &'s [u8],
    places: Places,
    found: Gathered,
    /// Parts that are not closed yet: the directive and the draft.
    open: Vec<(usize, usize)>,
}

impl Template<'_> {
    /// Deals with what may start at a mark; returns where to go on.
    fn mark(&mut self, at: usize) -> usize {
        let rest = &self.source[at..];
        if rest.starts_with(b"{{--") {
            let end = memchr::memmem::find(rest, b"--}}").map_or(rest.len(), |end| end + 4);
            self.found.comments.push(Comment { span: self.places.span(at, at + end) });
            return at + end;
        }
        if rest.starts_with(b"@@") {
            return at + 2;
        }
        if rest[0] == b'@' {
            return self.directive(at);
        }
        for (open, skip) in [(&b"<x-"[..], 1), (b"<livewire:", 10)] {
            if rest.starts_with(open) {
                return self.component(at, at + skip);
            }
        }
        at + 1
    }

    fn directive(&mut self, at: usize) -> usize {
        let name = at + 1;
        let end = word_end(self.source, name);
        let Ok(word) = std::str::from_utf8(&self.source[name..end]) else { return end.max(at + 1) };
        if word == "verbatim" {
            let rest = &self.source[end..];
            return end + memchr::memmem::find(rest, b"@endverbatim").unwrap_or(rest.len());
        }
        if let Some(part) = PARTS.iter().position(|(open, _)| *open == word) {
            return self.open_part(at, end, part);
        }
        if PARTS.iter().any(|(_, close)| close.contains(&word)) {
            self.close_part(word, end);
        } else if PLACES.contains(&word) {
            self.place(at, end);
        } else if INCLUDES.contains(&word) {
            self.include(at, end);
        }
        end.max(at + 1)
    }

    /// The first string of a directive's arguments, and where the arguments end.
    fn argument(&self, at: usize) -> Option<(usize, usize, usize)> {
        let open = skip_space(self.source, at);
        if self.source.get(open) != Some(&b'(') {
            return None;
        }
        let (mut depth, mut end, mut first) = (0_u32, open, None);
        while let Some(&byte) = self.source.get(end) {
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'"' | b'\'' => {
                    let close = memchr::memchr(byte, self.source.get(end + 1..)?)?;
                    first = first.or(Some((end, end + close + 2)));
                    end += close + 1;
                }
                _ => {}
            }
            end += 1;
        }
        first.map(|(start, stop)| (start, stop, (end + 1).min(self.source.len())))
    }

    fn open_part(&mut self, at: usize, end: usize, part: usize) -> usize {
        let Some((start, stop, after)) = self.argument(end) else { return end };
        let mut draft = Draft::new(SymbolKind::Block, self.places.span(at, after));
        draft.names.push(self.places.span(start, stop));
        // With a second argument the part is complete: `@section('title', 'Home')`.
        let complete = self.source[stop..after].trim_ascii_start().starts_with(b",") && part == 0;
        self.found.drafts.push(draft);
        if !complete {
            self.open.push((part, self.found.drafts.len() - 1));
        }
        after
    }

    fn close_part(&mut self, word: &str, end: usize) {
        let Some(&(part, draft)) = self.open.last() else { return };
        if PARTS[part].1.contains(&word) {
            self.open.pop();
            let start = self.found.drafts[draft].span.start as usize;
            self.found.drafts[draft].span = self.places.span(start, end);
        }
    }

    fn place(&mut self, at: usize, end: usize) {
        let Some((start, stop, after)) = self.argument(end) else { return };
        let mut draft = Draft::new(SymbolKind::Block, self.places.span(at, after));
        draft.names.push(self.places.span(start, stop));
        self.found.drafts.push(draft);
    }

    fn include(&mut self, at: usize, end: usize) {
        let Some((start, stop, after)) = self.argument(end) else { return };
        let (span, module) = (self.places.span(at, after), self.places.span(start, stop));
        let kind = ImportKind::Effect;
        self.found.imports.push(ImportDraft { pattern: 0, kind, span, module, item: None, alias: None });
    }

    /// `<x-forms.input …>`: the use of a component; `<x-slot:title>` fills a part of one.
    fn component(&mut self, at: usize, name: usize) -> usize {
        let mut end = word_end(self.source, name);
        while matches!(self.source.get(end), Some(b'.' | b':')) && word_end(self.source, end + 1) > end + 1 {
            end = word_end(self.source, end + 1);
        }
        let shown = &self.source[name..end];
        if let Some(slot) = shown.strip_prefix(b"x-slot") {
            if slot.len() > 1 {
                let rest = &self.source[at..];
                let after = memchr::memmem::find(rest, b"</x-slot").map_or(end, |close| {
                    at + close + memchr::memchr(b'>', &rest[close..]).map_or(0, |more| more + 1)
                });
                let mut draft = Draft::new(SymbolKind::Block, self.places.span(at, after));
                draft.names.push(self.places.span(end - slot.len() + 1, end));
                self.found.drafts.push(draft);
            }
            return end;
        }
        let name = self.places.span(name, end);
        self.found.mentions.push(Mention { pattern: 0, kind: RefKind::Construct, name, receiver: None });
        end
    }
}
