//! Runs the query over a syntax tree and sorts its captures into drafts.

use super::QuerySet;
use super::captures::{Capture, Pattern};
use super::drafts::{Comment, FileDrafts, ImportDraft, ParamDraft, ReferenceDraft, SymbolDraft, span};
use crate::parse::budget::{Budget, Limit, Work};
use orient_grammars::{Meter, Node, QueryCursorOptions, QueryMatch, StreamingIterator, Tree, query_cursor};
use orient_model::{ImportKind, RefKind, Span, SymbolKind};
use std::cell::Cell;
use std::ops::ControlFlow;

/// Maximum number of open matches. A file that needs more loses some of them, always the same ones.
const MATCH_LIMIT: u32 = 4096;
/// Maximum number of parameters of a symbol.
const PARAMS_CAP: usize = 64;

/// Work of the query between two progress callbacks.
const WORK_PER_REPORT: u64 = 1000;

impl QuerySet {
    /// Runs the query; returns the drafts, and the limit that stopped it early.
    pub(super) fn gather(
        &self,
        tree: &Tree,
        source: &[u8],
        budget: &mut Budget,
    ) -> (FileDrafts, Option<Limit>) {
        let mut file_drafts = FileDrafts::default();
        let work = [Work::of_siblings(sibling_steps(tree)), Work::of_ancestors(ancestor_steps(tree))];
        if !work.into_iter().all(|work| budget.spend(work)) {
            return (file_drafts, Some(Limit::Work));
        }
        let limit = Cell::new(None);
        let begun = Meter::start();
        let mut watch = |_: &_| {
            let work = [Work::of_query(WORK_PER_REPORT), Work::of_open_matches(begun.held())];
            if work.into_iter().all(|work| budget.spend(work)) {
                return ControlFlow::Continue(());
            }
            limit.set(Some(Limit::Work));
            ControlFlow::Break(())
        };
        // A new cursor each time: a used one keeps its memory.
        let mut cursor = query_cursor();
        cursor.set_match_limit(MATCH_LIMIT);
        let options = QueryCursorOptions::new().progress_callback(&mut watch);
        let mut matches = cursor.matches_with_options(&self.query, tree.root_node(), source, options);
        while let Some(found) = matches.next() {
            self.sort(found, source, &mut file_drafts);
        }
        (file_drafts, limit.get())
    }

    /// Sorts one match: its main capture decides what the others belong to.
    fn sort(&self, found: &QueryMatch<'_, '_>, source: &[u8], file_drafts: &mut FileDrafts) {
        let main = found.captures().iter().find_map(|part| match self.captures[part.index as usize] {
            capture @ (Capture::Definition(_) | Capture::Reference(_) | Capture::Import(_)) => {
                Some((capture, part.node))
            }
            _ => None,
        });
        match main {
            Some((Capture::Definition(kind), node)) => {
                self.definition(found, kind, node, source, file_drafts);
            }
            Some((Capture::Reference(kind), node)) => self.reference(found, kind, node, file_drafts),
            Some((Capture::Import(kind), node)) => self.import(found, kind, node, file_drafts),
            _ => self.alone(found, file_drafts),
        }
    }

    fn definition(
        &self,
        found: &QueryMatch<'_, '_>,
        kind: SymbolKind,
        node: Node<'_>,
        source: &[u8],
        file_drafts: &mut FileDrafts,
    ) {
        let pattern: &Pattern = &self.patterns[found.pattern_index];
        let mut draft = SymbolDraft::new(kind, span(node));
        draft.pattern = found.pattern_index;
        draft.node = node.id();
        for part in found.captures() {
            let at = || span(part.node);
            match self.captures[part.index as usize] {
                Capture::Name => draft.names.push(at()),
                Capture::Qualifier => draft.qualifier = Some(at()),
                Capture::Doc | Capture::InnerDoc => draft.docs.push(at()),
                Capture::Body => draft.body = Some(at()),
                Capture::Params => params(part.node, source, &mut draft.params),
                Capture::Param => param(part.node, source, &mut draft.params),
                Capture::Returns => draft.returns = Some(at()),
                Capture::Modifier => draft.words.push(at()),
                Capture::Attribute => draft.attributes.push(at()),
                Capture::Base(relation) => draft.bases.push((at(), relation)),
                _ => {}
            }
        }
        draft.body = draft.body.or_else(|| node.child_by_field_name("body").map(span));
        if draft.attributes.is_empty() {
            attributes(node, &mut draft.attributes);
        }
        draft.given.clone_from(&pattern.name);
        if pattern.markup {
            draft.given = draft.names.first().map(|name| without_tags(name.of(source)));
        }
        if let (Some(prefix), Some(name)) = (&pattern.prefix, draft.names.first()) {
            let name = crate::facts::display_text::lossy(name.of(source));
            draft.given = Some(format!("{prefix}{}", clean_name(&name)));
        }
        draft.mark.clone_from(&pattern.returns);
        draft.join.clone_from(&pattern.join);
        draft.trim.clone_from(&pattern.trim);
        draft.lead = pattern.lead;
        draft.section = pattern.section;
        if draft.section.is_some() && !pattern.free {
            draft.parent_end = node.parent().map_or(source.len(), |parent| parent.end_byte()) as u32;
        }
        draft.merge = pattern.merge;
        draft.line = pattern.line || pattern.section.is_some();
        draft.local = pattern.local;
        draft.fixed.clone_from(&pattern.words);
        file_drafts.symbols.push(draft);
    }

    fn reference(
        &self,
        found: &QueryMatch<'_, '_>,
        kind: RefKind,
        node: Node<'_>,
        file_drafts: &mut FileDrafts,
    ) {
        let (mut name, mut receiver) = (span(node), None);
        for part in found.captures() {
            match self.captures[part.index as usize] {
                Capture::Name => name = span(part.node),
                Capture::Receiver => receiver = Some(span(part.node)),
                _ => {}
            }
        }
        file_drafts.references.push(ReferenceDraft {
            pattern: found.pattern_index,
            kind,
            name,
            receiver,
            given: None,
        });
    }

    fn import(
        &self,
        found: &QueryMatch<'_, '_>,
        kind: ImportKind,
        node: Node<'_>,
        file_drafts: &mut FileDrafts,
    ) {
        let span_of = span(node);
        let mut draft = ImportDraft {
            pattern: found.pattern_index,
            kind,
            span: span_of,
            module: span_of,
            item: None,
            alias: None,
        };
        let mut said = false;
        for part in found.captures() {
            match self.captures[part.index as usize] {
                // Several parts of a path are one module.
                Capture::Module if said => draft.module.end = span(part.node).end,
                Capture::Module => (draft.module, said) = (span(part.node), true),
                Capture::Name => draft.item = Some(span(part.node)),
                Capture::Alias => draft.alias = Some(span(part.node)),
                _ => {}
            }
        }
        file_drafts.imports.push(draft);
    }

    /// Sorts a match without a main capture: its captures belong to something outside of it.
    fn alone(&self, found: &QueryMatch<'_, '_>, file_drafts: &mut FileDrafts) {
        for part in found.captures() {
            let at = span(part.node);
            match self.captures[part.index as usize] {
                Capture::Comment => file_drafts.comments.push(Comment { span: at }),
                Capture::Doc => file_drafts.docs.push(at),
                Capture::InnerDoc => file_drafts.inner_docs.push(at),
                Capture::Attribute => file_drafts.attributes.push(at),
                Capture::Export => {
                    file_drafts.closed |= self.patterns[found.pattern_index].closed;
                    file_drafts.exports.push(at);
                }
                Capture::Package => file_drafts.package = file_drafts.package.or(Some(at)),
                _ => {}
            }
        }
    }
}

/// The number of siblings that a query visits. For each node it searches for the next named sibling. Inside an error node,
/// which may have a hundred thousand unnamed children in a row, that is quadratic, without a progress callback.
fn sibling_steps(tree: &Tree) -> u64 {
    let mut steps = 0;
    if !tree.root_node().has_error() {
        return steps;
    }
    let mut cursor = tree.walk();
    // For each open node, the current number of consecutive unnamed children.
    let mut rows: Vec<u64> = vec![0];
    loop {
        let node = cursor.node();
        if let Some(row) = rows.last_mut() {
            *row = if node.is_named() { 0 } else { *row + 1 };
            steps += *row;
        }
        if node.has_error() && cursor.goto_first_child() {
            rows.push(0);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return steps;
            }
            rows.pop();
        }
    }
}

/// An upper bound of the hidden ancestors that a query visits. For each node it searches for the visible parent. With a
/// left-recursive hidden rule, as in `a.b.b.b`, a whole chain is between them, without a progress callback.
fn ancestor_steps(tree: &Tree) -> u64 {
    /// Memory of a cursor for each ancestor of its node; the cursor doubles its memory when it is full.
    const ENTRY: u64 = 32;
    /// Long lists are balanced trees of hidden nodes.
    const USUAL_LEVELS: u64 = 64;
    /// Trees with fewer nodes have no long chains.
    const FEW_NODES: usize = 2000;
    const MOST: u64 = 1 << 20;
    let nodes = tree.root_node().descendant_count();
    if nodes < FEW_NODES {
        return 0;
    }
    let meter = Meter::start();
    let mut cursor = tree.walk();
    let mut shown = 0;
    'nodes: while meter.held() < MOST {
        if cursor.goto_first_child() {
            shown = shown.max(cursor.depth());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'nodes;
            }
        }
    }
    let hidden = (meter.held() / (2 * ENTRY)).saturating_sub(u64::from(shown));
    if hidden > USUAL_LEVELS { hidden * nodes as u64 } else { 0 }
}

/// The attributes among the modifiers at the beginning of a definition, where most grammars put them.
fn attributes(node: Node<'_>, found: &mut Vec<Span>) {
    let Some(modifiers) = node.child(0).filter(|first| first.kind() == "modifiers") else { return };
    let mut cursor = modifiers.walk();
    for child in modifiers.named_children(&mut cursor) {
        if child.kind().contains("attribute") || child.kind().contains("annotation") {
            found.push(span(child));
        }
    }
}

/// A name without quotes and without white space.
pub(super) fn clean_name(text: &str) -> String {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let quoted = quote.is_some_and(|quote| text.matches(quote).count() == 2 || text.starts_with("\"\"\""));
    let text = if quoted { crate::facts::display_text::unquote(text) } else { text };
    crate::facts::display_text::fold(text, crate::facts::display_text::PHRASE_CAP)
}

/// A text without tags in angle brackets.
fn without_tags(text: &[u8]) -> String {
    let text = crate::facts::display_text::lossy(text);
    let pieces = text.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, behind)| behind));
    clean_name(&pieces.collect::<Vec<_>>().join(" "))
}

/// The parameters under a list.
fn params(list: Node<'_>, source: &[u8], found: &mut Vec<ParamDraft>) {
    let mut cursor = list.walk();
    if list.named_child_count() == 0 {
        if is_name(list, source) {
            param(list, source, found);
        }
        return;
    }
    for child in list.named_children(&mut cursor) {
        // A group of parameters inside the list: `[int n = 1]`.
        if child.kind().ends_with("parameters") {
            let mut inner = child.walk();
            for child in child.named_children(&mut inner) {
                param(child, source, found);
            }
        } else {
            param(child, source, found);
        }
    }
}

fn is_name(node: Node<'_>, source: &[u8]) -> bool {
    span(node)
        .of(source)
        .first()
        .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80)
}

/// One parameter. Most grammars name its parts alike.
fn param(node: Node<'_>, source: &[u8], found: &mut Vec<ParamDraft>) {
    if node.is_extra() || node.is_error() || found.len() >= PARAMS_CAP {
        return;
    }
    let field = |names: &[&str]| names.iter().find_map(|name| node.child_by_field_name(name));
    let named = field(&["name", "pattern", "variable", "parameter", "left"]);
    let sigil = memchr::memchr(b'$', span(node).of(source)).is_some();
    let marked = if sigil { first_leaf(node, &|leaf| span(leaf).of(source).starts_with(b"$")) } else { None };
    let Some(name) = named.or(marked).or_else(|| first_name(node, source)) else { return };
    let name = if name.named_child_count() > 0 { first_name(name, source).unwrap_or(name) } else { name };
    let ty = field(&["type", "type_annotation"]).filter(|ty| ty.id() != name.id()).map(span);
    let ty = ty.or_else(|| type_behind(span(name), span(node), source));
    let default = field(&["default", "default_value", "value", "right"]).is_some();
    let variadic = memchr::memmem::find(span(node).of(source), b"...").is_some();
    found.push(ParamDraft { name: span(name), ty, default, variadic });
}

/// A type after a name and a colon.
fn type_behind(name: Span, node: Span, source: &[u8]) -> Option<Span> {
    let rest = source.get(name.end as usize..node.end as usize)?;
    let behind = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let start = node.end - behind.len() as u32;
    let len = behind.iter().position(|&b| b == b'=').unwrap_or(behind.len());
    let len = behind[..len].trim_ascii_end().len() as u32;
    (len > 0).then_some(Span { start, end: start + len, ..node })
}

/// The first leaf below a node that is a name.
fn first_name<'t>(node: Node<'t>, source: &[u8]) -> Option<Node<'t>> {
    first_leaf(node, &|leaf| is_name(leaf, source))
}

fn first_leaf<'t>(node: Node<'t>, wanted: &dyn Fn(Node<'t>) -> bool) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    for _ in 0..64 {
        let at = cursor.node();
        if at.is_named() && at.child_count() == 0 && wanted(at) {
            return Some(at);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
    None
}
