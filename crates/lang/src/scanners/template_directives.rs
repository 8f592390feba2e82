//! Templates structured by directives: `@section('name') … @endsection`, `<x-card>`.

use super::{LineIndex, skip_space, word_end};
use crate::queries::{Comment, FileDrafts, ImportDraft, ReferenceDraft, SymbolDraft};
use orient_model::{ImportKind, RefKind, SymbolKind};

/// Directives that open a named section, and those that close it.
const SECTIONS: &[(&str, &[&str])] = &[
    ("section", &["endsection", "show", "stop", "append", "overwrite"]),
    ("push", &["endpush"]),
    ("pushOnce", &["endPushOnce"]),
    ("prepend", &["endprepend"]),
    ("slot", &["endslot"]),
    ("fragment", &["endfragment"]),
];
/// Directives that name a slot for other templates to fill.
const PLACES: &[&str] = &["yield", "stack"];
/// Directives that include another template, and the index of the string that names it.
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

/// Scans a template.
pub(super) fn scan(source: &[u8]) -> FileDrafts {
    let mut template = TemplateScanner {
        source,
        places: LineIndex::new(source),
        found: FileDrafts::default(),
        open: Vec::new(),
    };
    let mut at = 0;
    while let Some(step) = memchr::memchr3(b'@', b'<', b'{', &source[at..]) {
        at = template.mark(at + step);
    }
    template.found
}

struct TemplateScanner<'s> {
    source: &'s [u8],
    places: LineIndex,
    found: FileDrafts,
    /// Open sections: the directive and the draft.
    open: Vec<(usize, usize)>,
}

impl TemplateScanner<'_> {
    /// Processes what may begin at a marker; returns the next offset.
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
        if let Some(part) = SECTIONS.iter().position(|(open, _)| *open == word) {
            return self.open_part(at, end, part);
        }
        if SECTIONS.iter().any(|(_, close)| close.contains(&word)) {
            self.close_part(word, end);
        } else if PLACES.contains(&word) {
            self.place(at, end);
        } else if INCLUDES.contains(&word) {
            self.include(at, end);
        }
        end.max(at + 1)
    }

    /// The first string of a directive's arguments, and the end of the arguments.
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
        let mut draft = SymbolDraft::new(SymbolKind::Block, self.places.span(at, after));
        draft.names.push(self.places.span(start, stop));
        // With a second argument the section is complete: `@section('title', 'Home')`.
        let complete = self.source[stop..after].trim_ascii_start().starts_with(b",") && part == 0;
        self.found.symbols.push(draft);
        if !complete {
            self.open.push((part, self.found.symbols.len() - 1));
        }
        after
    }

    fn close_part(&mut self, word: &str, end: usize) {
        let Some(&(part, draft)) = self.open.last() else { return };
        if SECTIONS[part].1.contains(&word) {
            self.open.pop();
            let start = self.found.symbols[draft].span.start as usize;
            self.found.symbols[draft].span = self.places.span(start, end);
        }
    }

    fn place(&mut self, at: usize, end: usize) {
        let Some((start, stop, after)) = self.argument(end) else { return };
        let mut draft = SymbolDraft::new(SymbolKind::Block, self.places.span(at, after));
        draft.names.push(self.places.span(start, stop));
        self.found.symbols.push(draft);
    }

    fn include(&mut self, at: usize, end: usize) {
        let Some((start, stop, after)) = self.argument(end) else { return };
        let (span, module) = (self.places.span(at, after), self.places.span(start, stop));
        let kind = ImportKind::Template;
        self.found.imports.push(ImportDraft { pattern: 0, kind, span, module, item: None, alias: None });
    }

    /// `<x-forms.input …>`: the use of a component; `<x-slot:title>` fills one of its slots.
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
                let mut draft = SymbolDraft::new(SymbolKind::Block, self.places.span(at, after));
                draft.names.push(self.places.span(end - slot.len() + 1, end));
                self.found.symbols.push(draft);
            }
            return end;
        }
        let name = self.places.span(name, end);
        self.found.references.push(ReferenceDraft {
            pattern: 0,
            kind: RefKind::Construct,
            name,
            receiver: None,
            given: None,
        });
        end
    }
}
