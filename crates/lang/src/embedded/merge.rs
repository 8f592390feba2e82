//! Merges the facts of embedded texts into those of the file around them: offsets, ids and parents are shifted, so that the
//! result reads as if the file were written in one language.
//!
//! Example: a page has the symbols `a` (0) and `z` (1), and a script inside `a` has `B` (0) and `B.c` (1). Appending gives
//! `a z B B.c`, where `c` has parent 2 instead of 0; reordering gives `a B B.c z`, where `B` has parent `a`.

use super::EmbeddedText;
use crate::facts::{chunks, ordinals};
use orient_model::{
    Atom, Binding, BindingKind, Expr, ExprId, ExprList, Facts, Flow, IssueKind, Narrowing, Reference, Span,
    Strings, Symbol, Via,
};
use std::collections::HashMap;

/// Adds the facts of embedded texts to those of a file.
pub(crate) struct Merger<'f> {
    facts: &'f mut Facts,
    /// For each symbol so far the embedded text it comes from; none for the file's own.
    origins: Vec<Option<Span>>,
    /// The strings of the flow: names are compared by their atoms, so that each must be there once.
    names: HashMap<Box<str>, Atom>,
}

impl<'f> Merger<'f> {
    pub(crate) fn new(facts: &'f mut Facts) -> Self {
        let origins = vec![None; facts.outline.symbols.len()];
        let names = facts.flow.strings.iter().map(|(atom, text)| (text.into(), atom)).collect();
        Self { facts, origins, names }
    }

    /// Adds the facts of one embedded text.
    pub(crate) fn add(&mut self, text: &EmbeddedText<'_>, mut inner: Facts) {
        let reported = &self.facts.outline.issues;
        // A limit is reported once, even if a fragment reached it.
        inner.outline.issues.retain(|issue| match issue.kind {
            IssueKind::Budget | IssueKind::Memory => reported.iter().all(|it| it.kind != issue.kind),
            _ => !text.fragment,
        });
        let shift = Shift::new(self.facts, &text.span);
        self.origins.extend(std::iter::repeat_n(Some(text.span), inner.outline.symbols.len()));
        shift.add(self.facts, &mut self.names, inner);
    }

    /// Puts everything in the order of the source.
    pub(crate) fn finish(self, source: &[u8]) {
        let Self { facts, origins, .. } = self;
        reorder(facts, &origins);
        facts.flow.bindings.sort_by_key(|binding| binding.at);
        facts.flow.references.sort_by_key(|reference| reference.at);
        facts.outline.issues.sort_by_key(|issue| issue.span);
        ordinals::assign(&mut facts.outline);
        facts.outline.chunks = chunks::cut(source, &facts.outline);
    }
}

/// The offsets that are added to the positions and ids of an embedded text.
struct Shift {
    bytes: u32,
    lines: u32,
    symbols: u32,
    scopes: u32,
    exprs: u32,
    operands: u32,
    imports: u32,
}

impl Shift {
    fn new(facts: &Facts, place: &Span) -> Self {
        Self {
            bytes: place.start,
            lines: place.first_line - 1,
            symbols: facts.outline.symbols.len() as u32,
            // The file scope of an embedded text is that of the file.
            scopes: (facts.flow.scopes.len() as u32).saturating_sub(1),
            exprs: facts.flow.exprs.len() as u32,
            operands: facts.flow.operands.len() as u32,
            imports: facts.outline.imports.len() as u32,
        }
    }

    fn span(&self, span: Span) -> Span {
        Span {
            start: span.start + self.bytes,
            end: span.end + self.bytes,
            first_line: span.first_line + self.lines,
            last_line: span.last_line + self.lines,
        }
    }

    fn scope(&self, scope: u32) -> u32 {
        if scope == 0 { 0 } else { scope + self.scopes }
    }

    fn symbol(&self, symbol: Option<u32>) -> Option<u32> {
        symbol.map(|symbol| symbol + self.symbols)
    }

    fn add(&self, facts: &mut Facts, names: &mut HashMap<Box<str>, Atom>, inner: Facts) {
        let Facts { outline, flow } = inner;
        let shown = append(&mut facts.outline.strings, &outline.strings);
        let text = |atom: Atom| Atom(atom.0 + shown);
        facts.outline.symbols.extend(outline.symbols.into_iter().map(|symbol| self.moved(symbol, &text)));
        facts.outline.imports.extend(outline.imports.into_iter().map(|mut import| {
            import.module = text(import.module);
            import.name = import.name.map(text);
            import.alias = import.alias.map(text);
            import.scope = self.scope(import.scope);
            import.at += self.bytes;
            import.line += self.lines;
            import
        }));
        facts.outline.exports.extend(outline.exports.into_iter().map(|mut export| {
            (export.name, export.public) = (text(export.name), text(export.public));
            (export.at, export.line) = (export.at + self.bytes, export.line + self.lines);
            export
        }));
        let issues = outline.issues.into_iter().filter(|issue| issue.kind != IssueKind::Encoding);
        facts.outline.issues.extend(issues.map(|mut issue| {
            issue.span = if issue.span == Span::default() { issue.span } else { self.span(issue.span) };
            issue
        }));
        facts.outline.package = facts.outline.package.or(outline.package.map(text));
        self.add_flow(&mut facts.flow, names, flow);
    }

    fn moved(&self, mut symbol: Symbol, text: &dyn Fn(Atom) -> Atom) -> Symbol {
        symbol.name = text(symbol.name);
        symbol.parent = self.symbol(symbol.parent);
        symbol.qualifier = symbol.qualifier.map(text);
        symbol.span = self.span(symbol.span);
        symbol.name_span = self.span(symbol.name_span);
        symbol.header = self.span(symbol.header);
        symbol.body = symbol.body.map(|body| self.span(body));
        symbol.signature = text(symbol.signature);
        for param in &mut symbol.params {
            param.name = text(param.name);
            param.ty = param.ty.map(text);
        }
        symbol.returns = symbol.returns.map(text);
        symbol.doc = symbol.doc.map(text);
        symbol.attributes.iter_mut().for_each(|attribute| *attribute = text(*attribute));
        for base in &mut symbol.bases {
            (base.text, base.name) = (text(base.text), text(base.name));
        }
        symbol
    }

    fn add_flow(&self, flow: &mut Flow, names: &mut HashMap<Box<str>, Atom>, inner: Flow) {
        let strings = &mut flow.strings;
        let mut intern = |text: &str| {
            if let Some(&known) = names.get(text) {
                return known;
            }
            let atom = strings.push(text);
            names.insert(text.into(), atom);
            atom
        };
        let atoms: Vec<Atom> = inner.strings.iter().map(|(_, text)| intern(text)).collect();
        let text = |atom: Atom| atoms.get(atom.0 as usize).copied().unwrap_or_default();
        let expr = |id: ExprId| ExprId(id.0 + self.exprs);
        let via = |via: Via| if let Via::Member(name) = via { Via::Member(text(name)) } else { via };
        flow.scopes.extend(inner.scopes.into_iter().skip(1).map(|mut scope| {
            scope.parent = scope.parent.map(|parent| self.scope(parent));
            scope.symbol = self.symbol(scope.symbol);
            (scope.start, scope.end) = (scope.start + self.bytes, scope.end + self.bytes);
            scope
        }));
        flow.bindings.extend(inner.bindings.into_iter().map(|binding| Binding {
            scope: self.scope(binding.scope),
            name: text(binding.name),
            kind: match binding.kind {
                BindingKind::Symbol(symbol) => BindingKind::Symbol(symbol + self.symbols),
                BindingKind::Import(import) => BindingKind::Import(import + self.imports),
                kind => kind,
            },
            ty: binding.ty.map(expr),
            value: binding.value.map(expr),
            via: via(binding.via),
            at: binding.at + self.bytes,
            visible_from: binding.visible_from + self.bytes,
        }));
        flow.exprs.extend(inner.exprs.into_iter().map(|inner| self.expr(inner, &text)));
        flow.operands.extend(inner.operands.into_iter().map(expr));
        flow.references.extend(inner.references.into_iter().map(|reference| Reference {
            expr: expr(reference.expr),
            at: reference.at + self.bytes,
            line: reference.line + self.lines,
            scope: self.scope(reference.scope),
            symbol: self.symbol(reference.symbol),
            ..reference
        }));
        flow.assigns.extend(inner.assigns.into_iter().map(|mut assign| {
            assign.target = expr(assign.target);
            assign.value = assign.value.map(expr);
            assign.ty = assign.ty.map(expr);
            assign.via = via(assign.via);
            assign.scope = self.scope(assign.scope);
            assign.at += self.bytes;
            assign
        }));
        flow.returns.extend(inner.returns.into_iter().map(|mut result| {
            result.scope = self.scope(result.scope);
            result.value = expr(result.value);
            result
        }));
        flow.narrowings.extend(inner.narrowings.into_iter().map(|narrowing| Narrowing {
            name: text(narrowing.name),
            scope: self.scope(narrowing.scope),
            by: expr(narrowing.by),
            start: narrowing.start + self.bytes,
            end: narrowing.end + self.bytes,
            ..narrowing
        }));
    }

    fn expr(&self, inner: Expr, text: &dyn Fn(Atom) -> Atom) -> Expr {
        let id = |id: ExprId| ExprId(id.0 + self.exprs);
        let list = |list: ExprList| ExprList { start: list.start + self.operands, len: list.len };
        match inner {
            Expr::Unknown | Expr::SelfRef | Expr::SuperRef | Expr::Literal(_) => inner,
            Expr::Name(name) => Expr::Name(text(name)),
            Expr::Text(content) => Expr::Text(text(content)),
            Expr::Member { base, name } => Expr::Member { base: id(base), name: text(name) },
            Expr::Call { callee, args } => Expr::Call { callee: id(callee), args: list(args) },
            Expr::New { ty, args } => Expr::New { ty: id(ty), args: list(args) },
            Expr::Index { base, key } => Expr::Index { base: id(base), key: id(key) },
            Expr::Await(value) => Expr::Await(id(value)),
            Expr::Cast { value, ty } => Expr::Cast { value: id(value), ty: id(ty) },
            Expr::Apply { base, args } => Expr::Apply { base: id(base), args: list(args) },
            Expr::Wrap { wrapper, inner } => Expr::Wrap { wrapper, inner: id(inner) },
            Expr::Either(items) => Expr::Either(list(items)),
            Expr::Sequence { kind, items } => Expr::Sequence { kind, items: list(items) },
            Expr::Named { name, value } => Expr::Named { name: text(name), value: id(value) },
            Expr::Function(symbol) => Expr::Function(symbol + self.symbols),
            Expr::Lambda(scope) => Expr::Lambda(self.scope(scope)),
        }
    }
}

/// Appends the strings of one table to another; returns the offset of their ids.
fn append(strings: &mut Strings, more: &Strings) -> u32 {
    let before = strings.len() as u32;
    for (_, text) in more.iter() {
        strings.push(text);
    }
    before
}

/// Moves the symbols of embedded texts to their positions among the others. The symbols of a text stay together, because no
/// symbol of the outer language is inside it; the enclosing symbol becomes their parent.
fn reorder(facts: &mut Facts, blocks: &[Option<Span>]) {
    let symbols = std::mem::take(&mut facts.outline.symbols);
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|&old| blocks[old].map_or(symbols[old].span.start, |piece| piece.start));
    let mut places = vec![0; symbols.len()];
    for (new, &old) in order.iter().enumerate() {
        places[old] = new as u32;
    }
    let place = |symbol: Option<u32>| symbol.and_then(|old| places.get(old as usize)).copied();
    let mut open: Vec<(u32, u32)> = Vec::new();
    for (new, &old) in order.iter().enumerate() {
        let mut symbol = symbols[old].clone();
        let outer = blocks[old].is_none();
        while outer && open.last().is_some_and(|&(_, end)| end <= symbol.span.start) {
            open.pop();
        }
        symbol.parent = match (symbol.parent, blocks[old]) {
            (None, Some(piece)) => {
                open.iter().rev().find(|&&(_, end)| piece.end <= end).map(|&(around, _)| around)
            }
            (parent, _) => place(parent),
        };
        if outer {
            open.push((new as u32, symbol.span.end));
        }
        facts.outline.symbols.push(symbol);
    }
    let flow = &mut facts.flow;
    let outer: Vec<u32> =
        (0..order.len()).filter(|&new| blocks[order[new]].is_none()).map(|new| new as u32).collect();
    flow.scopes.iter_mut().for_each(|scope| scope.symbol = place(scope.symbol));
    let symbols = &facts.outline.symbols;
    for reference in &mut flow.references {
        reference.symbol = place(reference.symbol).or_else(|| around(symbols, &outer, reference.at));
    }
    for binding in &mut flow.bindings {
        if let BindingKind::Symbol(symbol) = &mut binding.kind {
            *symbol = place(Some(*symbol)).unwrap_or(*symbol);
        }
    }
    for expr in &mut flow.exprs {
        if let Expr::Function(symbol) = expr {
            *symbol = place(Some(*symbol)).unwrap_or(*symbol);
        }
    }
}

/// The innermost symbol of the outer language around an offset.
fn around(symbols: &[Symbol], outer: &[u32], place: u32) -> Option<u32> {
    let before = outer.partition_point(|&index| symbols[index as usize].span.start <= place);
    let mut at = before.checked_sub(1).map(|last| outer[last]);
    while let Some(index) = at.filter(|&index| symbols[index as usize].span.end <= place) {
        at = symbols[index as usize].parent;
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::pack::registry::Registry;
    use crate::views::render_facts::render;

    #[test]
    fn a_script_is_part_of_its_page() {
        let page = b"<div id=\"a\">\n<script>\nclass B { c() { d(); } }\nlet e = () => c;\n</script>\n</div>\n<p id=\"z\"></p>\n";
        let pack = Registry::builtin().by_name("html");
        let facts = crate::extract::extract(pack, page);
        let symbols = &facts.outline.symbols;
        let named = |index: u32| facts.outline.qualified(index).join(".");
        let names: Vec<String> = (0..symbols.len() as u32).map(named).collect();
        assert_eq!(names, ["a", "a.B", "a.B.c", "a.e", "z"]);
        assert_eq!(
            (symbols[1].span.first_line, symbols[1].span.of(page)),
            (3, &b"class B { c() { d(); } }"[..])
        );
        for (index, symbol) in symbols.iter().enumerate() {
            assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index));
        }
        let references = render(&facts, "references").unwrap_or_default();
        assert!(references.contains("3: call d() in a.B.c"), "{references}");
        let bindings = render(&facts, "bindings").unwrap_or_default();
        assert!(bindings.contains("B symbol a.B"), "{bindings}");
    }

    #[test]
    fn a_page_without_scripts_stays_as_it_is() {
        let page = b"<script></script><p id=\"z\"></p>";
        let facts = crate::extract::extract(Registry::builtin().by_name("html"), page);
        assert_eq!(facts.outline.symbols.len(), 1);
    }
}
