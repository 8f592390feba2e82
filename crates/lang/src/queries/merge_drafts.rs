//! Merges drafts: one for each symbol, in the order of the source, with sections extended to their ends, and with the
//! attributes and documentation that precede them.
//!
//! Example: one pattern matches `def f(a, b)` with its name, a second pattern matches it once for each parameter. The
//! three drafts have the same node, so they become one draft with two parameters.

use super::drafts::{Comment, FileDrafts, SymbolDraft};
use orient_model::Span;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Maximum number of comments to look back over before a definition.
const LOOK_BACK_CAP: usize = 200;

/// Leaves one draft for each symbol, in the order of the source, outer symbols first.
pub(super) fn merge(file_drafts: &mut FileDrafts, source: &[u8]) {
    let drafts = &mut file_drafts.symbols;
    drafts.retain(|draft| draft.given.is_some() || !draft.names.is_empty());
    // `local x = require "x"` imports a module and defines nothing.
    let mut aliases: Vec<u32> =
        file_drafts.imports.iter().filter_map(|import| import.alias).map(|alias| alias.start).collect();
    aliases.sort_unstable();
    drafts.retain(|draft| draft.names.first().is_none_or(|name| aliases.binary_search(&name.start).is_err()));
    whole_names(drafts, source);
    one_for_each_name(drafts);
    let mut first: HashMap<usize, usize> = HashMap::with_capacity(drafts.len());
    for draft in drafts.iter() {
        let pattern = first.entry(draft.node).or_insert(draft.pattern);
        *pattern = draft.pattern.min(*pattern);
    }
    drafts.retain(|draft| first.get(&draft.node) == Some(&draft.pattern));
    drafts.sort_by_key(|draft| {
        (draft.span.start, Reverse(draft.span.end), draft.pattern, draft.name_span().start)
    });
    sections(drafts, source);
    for draft in drafts.iter_mut() {
        if draft.lead {
            lead(draft, source);
        }
        draft.span = crate::facts::display_text::trimmed(draft.span, source);
        draft.params.sort_by_key(|param| param.name.start);
        draft.bases.sort_by_key(|(span, _)| span.start);
        draft.attributes.sort_unstable();
    }
    attributes(drafts, &mut file_drafts.attributes, source);
    // Sections and attributes have changed some spans.
    drafts.sort_by_key(|draft| {
        (draft.span.start, Reverse(draft.span.end), draft.pattern, draft.name_span().start)
    });
    docs(file_drafts);
}

/// Joins names of several parts: several matches of one pattern at a node are parts of one name.
fn whole_names(drafts: &mut [SymbolDraft], source: &[u8]) {
    let mut whole: HashMap<(usize, usize), Vec<Span>> = HashMap::new();
    for draft in drafts.iter().filter(|draft| draft.join.is_some()) {
        whole.entry((draft.node, draft.pattern)).or_default().extend_from_slice(&draft.names);
    }
    for draft in drafts.iter_mut() {
        if let Some(mut names) =
            draft.join.as_ref().and_then(|_| whole.get(&(draft.node, draft.pattern)).cloned())
        {
            names.sort_unstable();
            names.dedup();
            draft.names = names;
        }
        let join = draft.join.as_deref().unwrap_or(".");
        let trim = draft.trim.as_deref().unwrap_or_default();
        if draft.join.is_none() && draft.names.len() < 2 && trim.is_empty() || draft.names.is_empty() {
            continue;
        }
        let clean = |&name: &Span| {
            let text = super::text_at(source, name);
            super::run_query::clean_name(text.trim_matches(|c: char| c.is_whitespace() || trim.contains(c)))
        };
        let mut name = draft.names.iter().map(clean).collect::<Vec<_>>().join(join);
        // A separator after the last part belongs to the name: `setObject:forKey:`.
        let end = draft.names.last().map_or(0, |last| last.end as usize);
        if source.get(end..).unwrap_or_default().trim_ascii_start().starts_with(join.as_bytes())
            && draft.join.is_some()
        {
            name.push_str(join);
        }
        draft.given = Some(name);
    }
}

/// Maximum distance to the beginning of a symbol's line: a whole file can be one line.
const LEAD_CAP: usize = 200;

/// Extends a symbol over the words before it on its line: `let rec` before a binding.
fn lead(draft: &mut SymbolDraft, source: &[u8]) {
    let start = draft.span.start as usize;
    let before = &source[start.saturating_sub(LEAD_CAP)..start];
    let line = match memchr::memrchr(b'\n', before) {
        Some(at) => at + 1,
        None if before.len() < LEAD_CAP => 0,
        None => return,
    };
    let words = before[line..].trim_ascii_start();
    if words.iter().all(|b| b.is_ascii_lowercase() || *b == b' ' || *b == b'-') {
        draft.span.start -= words.len() as u32;
    }
}

/// Leaves one draft for each name. The first pattern decides about it; later matches of the same node add their parameters,
/// bases and so on, because a pattern with one match for each is simpler to write.
fn one_for_each_name(drafts: &mut Vec<SymbolDraft>) {
    drafts.sort_by_key(|draft| {
        let name = draft.name_span();
        (name.start, name.end, draft.pattern, draft.span.start, Reverse(draft.span.end))
    });
    drafts.dedup_by(|later, kept| {
        let (name, other) = (kept.name_span(), later.name_span());
        let same = (name.start, name.end) == (other.start, other.end)
            && (!name.is_empty() || kept.node == later.node);
        if same && kept.node == later.node {
            kept.absorb(later);
        }
        same
    });
}

impl SymbolDraft {
    /// Adds what another match found at the same node.
    fn absorb(&mut self, other: &mut Self) {
        for base in other.bases.drain(..) {
            if !self.bases.iter().any(|(span, _)| *span == base.0) {
                self.bases.push(base);
            }
        }
        for param in other.params.drain(..) {
            if !self.params.iter().any(|own| own.name.start == param.name.start) {
                self.params.push(param);
            }
        }
        for (own, others) in [
            (&mut self.words, &mut other.words),
            (&mut self.attributes, &mut other.attributes),
            (&mut self.docs, &mut other.docs),
        ] {
            for span in others.drain(..) {
                if !own.contains(&span) {
                    own.push(span);
                }
            }
        }
        self.body = self.body.or(other.body);
        self.returns = self.returns.or(other.returns);
        self.qualifier = self.qualifier.or(other.qualifier);
    }
}

/// Extends each section to the next one of its level or a lower one, or to the end of its parent node.
fn sections(drafts: &mut [SymbolDraft], source: &[u8]) {
    let mut ahead: Vec<(u8, u32)> = Vec::new();
    for draft in drafts.iter_mut().rev() {
        let Some(level) = draft.section else { continue };
        while ahead.last().is_some_and(|&(other, _)| other > level) {
            ahead.pop();
        }
        let next = ahead.last().map_or(source.len() as u32, |&(_, start)| start);
        ahead.push((level, draft.span.start));
        let end = next.min(draft.parent_end);
        if end <= draft.span.end {
            continue;
        }
        let more = &source[draft.span.end as usize..end as usize];
        let more = more.trim_ascii_end();
        // In some grammars the line break after a heading belongs to it.
        let counted = source[..draft.span.end as usize].ends_with(b"\n");
        draft.span.last_line +=
            memchr::memchr_iter(b'\n', more).count() as u32 + u32::from(counted && !more.is_empty());
        draft.span.end += more.len() as u32;
    }
}

/// Gives attributes that patterns of their own matched to the symbol after them.
fn attributes(drafts: &mut [SymbolDraft], attributes: &mut [Span], source: &[u8]) {
    if attributes.is_empty() {
        return;
    }
    attributes.sort_unstable();
    let mut free = 0;
    for draft in drafts.iter_mut() {
        let mut at = attributes.partition_point(|attribute| attribute.start < draft.span.start);
        let last = at;
        while at > free {
            let attribute = attributes[at - 1];
            let between = source.get(attribute.end as usize..draft.span.start as usize).unwrap_or_default();
            if attribute.end > draft.span.start || !between.trim_ascii().is_empty() {
                break;
            }
            draft.attributes.insert(0, attribute);
            (draft.span.start, draft.span.first_line) = (attribute.start, attribute.first_line);
            at -= 1;
        }
        free = free.max(last);
    }
}

/// Gives documentation that patterns of its own matched to the symbol after it.
fn docs(file_drafts: &mut FileDrafts) {
    for &doc in &file_drafts.docs {
        let next = file_drafts.symbols.partition_point(|draft| draft.span.start < doc.end);
        if let Some(draft) = file_drafts.symbols.get_mut(next)
            && draft.docs.is_empty()
        {
            draft.docs.push(doc);
        }
    }
    file_drafts.comments.sort_by_key(|comment| comment.span);
    file_drafts.comments.dedup_by_key(|comment| comment.span);
}

/// The run of comments directly before a span, without a blank line or code between.
pub(super) fn comments_before(comments: &[Comment], place: Span, source: &[u8]) -> Option<Span> {
    let mut at = comments.partition_point(|comment| comment.span.end <= place.start);
    let (mut start, mut run) = (place, None::<Span>);
    for _ in 0..LOOK_BACK_CAP {
        let Some(comment) = at.checked_sub(1).and_then(|before| comments.get(before)) else { break };
        let comment = comment.span;
        let between = source.get(comment.end as usize..start.start as usize).unwrap_or_default();
        let breaks =
            memchr::memchr_iter(b'\n', between).count() + usize::from(comment.of(source).ends_with(b"\n"));
        if breaks > 1 || !between.trim_ascii().is_empty() || is_trailing(comment, source) {
            break;
        }
        let end = run.map_or(comment, |run| run);
        run = Some(Span {
            start: comment.start,
            end: end.end,
            first_line: comment.first_line,
            last_line: end.last_line,
        });
        start = comment;
        at -= 1;
    }
    run
}

/// Whether a comment follows code on the same line.
fn is_trailing(comment: Span, source: &[u8]) -> bool {
    let before = &source[..comment.start as usize];
    let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    !before[line..].iter().all(u8::is_ascii_whitespace)
}
