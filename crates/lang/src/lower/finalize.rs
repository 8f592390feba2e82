//! The steps after the walk: exports, tests, spans of names and definitions, chunks.

use super::headers::attribute_name;
use super::{Lowering, empty_scopes};
use crate::facts::{chunks, ordinals};
use crate::parse::erased_prefix::ErasedPrefix;
use crate::schema::vocabulary::HeaderWord;
use orient_model::{Atom, Expr, Facts, Issue, IssueKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

impl Lowering<'_> {
    pub(super) fn finish(mut self) -> Facts {
        self.end_narrowings();
        self.bind_documented_types();
        self.resolve_function_values();
        self.measure_complexity();
        self.narrow_names();
        self.settle_exports();
        let shown = &self.shown;
        self.conventions.tests.mark(&mut self.outline.symbols, |atom| shown.get(atom));
        if self.too_deep {
            self.outline.issues.push(Issue { kind: IssueKind::Depth, span: Span::default() });
        }
        self.drop_dead_bindings();
        let mut outline = self.outline;
        outline.strings = self.shown.finish();
        self.flow.strings = self.names.finish();
        ordinals::assign(&mut outline);
        outline.lines = chunks::count_lines(self.tree.source);
        outline.chunks = chunks::cut(self.tree.source, &outline);
        let mut facts = Facts { outline, flow: self.flow };
        empty_scopes::drop_empty(&mut facts);
        facts
    }

    /// Drops what a branch binds that is never taken, if the name is bound elsewhere in its scope.
    fn drop_dead_bindings(&mut self) {
        if self.dead_branches.is_empty() {
            return;
        }
        let dead = |at: u32| self.dead_branches.iter().any(|&(start, end)| (start..end).contains(&at));
        let live: FxHashSet<(u32, Atom)> = self
            .flow
            .bindings
            .iter()
            .filter(|binding| !dead(binding.at))
            .map(|binding| (binding.scope, binding.name))
            .collect();
        self.flow
            .bindings
            .retain(|binding| !dead(binding.at) || !live.contains(&(binding.scope, binding.name)));
    }

    /// Narrows the span of a name to the name itself, without qualifiers, quotes and type arguments.
    pub(super) fn narrow_names(&mut self) {
        let source = self.tree.source;
        for symbol in &mut self.outline.symbols {
            let (name, span) = (self.shown.get(symbol.name), &mut symbol.name_span);
            let Some(text) = source.get(span.start as usize..span.end as usize) else { continue };
            if text == name.as_bytes() || name.is_empty() {
                continue;
            }
            // `Map<K, V>` begins with its name, `ns::Map` ends with it.
            let found = if text.starts_with(name.as_bytes()) && text.ends_with(b">") {
                Some(0)
            } else {
                memchr::memmem::rfind(text, name.as_bytes())
            };
            let first_word = text.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            let (start, end) = match found {
                Some(start) => (start, start + name.len()),
                // The name is not written: take the first word.
                None if memchr::memchr(b'\n', text).is_some() => (0, first_word),
                None => continue,
            };
            let line = |at: usize| memchr::memchr_iter(b'\n', &text[..at]).count() as u32;
            span.last_line = span.first_line + line(end);
            span.first_line += line(start);
            (span.start, span.end) = (span.start + start as u32, span.start + end as u32);
        }
    }

    /// Extends definitions over the text that was erased before them, so that they are shown whole.
    ///
    /// Example: `API_X /*…*/ API_Y int f(void);` was parsed as `int f(void);`. Both erased prefixes form one chain, and the
    /// span of `f` begins at `API_X`.
    pub(super) fn extend_over_prefixes(&mut self, erased: &[ErasedPrefix]) {
        if erased.is_empty() {
            return;
        }
        let source = self.tree.source;
        let mut sorted = erased.to_vec();
        sorted.sort_unstable();
        // From the offset where a definition begins in the tree to the chain of prefixes before it.
        let mut before: FxHashMap<u32, Vec<ErasedPrefix>> = FxHashMap::default();
        for it in sorted {
            let mut chain = before.remove(&it.start).unwrap_or_default();
            chain.push(it);
            let gap = source[it.end as usize..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            before.insert(it.end + gap as u32, chain);
        }
        for index in 0..self.outline.symbols.len() {
            if let Some(chain) = before.get(&self.outline.symbols[index].span.start) {
                self.extend_over(index, chain);
            }
        }
    }

    fn extend_over(&mut self, index: usize, chain: &[ErasedPrefix]) {
        let Some(first) = chain.first() else { return };
        let symbol = &mut self.outline.symbols[index];
        let source = self.tree.source;
        let lines = |start: u32, end: u32| {
            memchr::memchr_iter(b'\n', &source[start as usize..end as usize]).count() as u32
        };
        if symbol.header.start == symbol.span.start
            && let Some(plain) = chain.iter().find(|it| !it.attribute)
        {
            symbol.header.first_line -= lines(plain.start, symbol.header.start);
            symbol.header.start = plain.start;
        }
        symbol.span.first_line -= lines(first.start, symbol.span.start);
        symbol.span.start = first.start;
        for (at, attribute) in chain.iter().filter(|it| it.attribute).enumerate() {
            let bytes = &source[attribute.start as usize..attribute.end as usize];
            let bare = crate::facts::display_text::bare_attribute(&crate::facts::display_text::lossy(bytes));
            if let Some(HeaderWord::Modifier(modifier)) =
                self.table.attribute_modifiers.get(attribute_name(&bare))
            {
                symbol.modifiers.insert(*modifier);
            }
            symbol.attributes.insert(at, self.shown.intern(&bare));
        }
    }

    /// Replaces the nodes of function values by the symbols or scopes that they became.
    fn resolve_function_values(&mut self) {
        for expr in &mut self.flow.exprs {
            if let Expr::Lambda(node) = *expr {
                *expr = match self.functions.get(&node) {
                    Some(&(_, Some(symbol))) => Expr::Function(symbol),
                    Some(&(scope, None)) => Expr::Lambda(scope),
                    None => Expr::Unknown,
                };
            }
        }
    }
}
