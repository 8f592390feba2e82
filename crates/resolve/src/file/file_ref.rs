//! Access to a file from within one resolution. Every read of another file's facts goes through [`FileRef`], which records
//! the slot that was read ([`crate::invalidation::slots`]).
//!
//! The facts are private to this directory, so a rule cannot read what is not recorded.
//!
//! An expression is read from where it was found: a binding, a declaration, a result. That read is recorded, and the hash of
//! its slot covers the whole expression. So [`FileRef::expr`], [`FileRef::list`] and [`FileRef::text`] record nothing. Neither do
//! scopes: what a scope binds is recorded when it is looked up.

use crate::dependencies::Dependencies;
use crate::file::file_unit::{FileUnit, Identity, Members, last_name};
use crate::file::function_contexts::ContextSite;
use crate::file::self_rebinding;
use crate::file::tables::KeyedAssign;
use crate::invalidation::slots::{BindingSlot, Slot, content_key};
use crate::types::ty::SymbolId;
use orient_model::{
    Assign, Atom, Base, Binding, BindingKind, CompiledFile, ContentHash, Export, Expr, ExprId, ExprList,
    Flow, Import, ImportKind, Modifier, Modifiers, Narrowing, Outline, Param, Reference, Relation, RepoPath,
    Role, Scope, ScopeKind, Span, SymbolKind, Visibility,
};
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

/// A file as one resolution sees it.
#[derive(Clone)]
pub(crate) struct FileRef(Rc<OpenFile>);

/// A file and what one resolution has read of it.
struct OpenFile {
    /// Shared with other threads. The count of the [`Rc`] around is not atomic, because references are cloned all the time.
    unit: Arc<FileUnit>,
    /// The slots that were read; none for the file that is being resolved, which depends on all of itself anyway.
    reads: Option<Reads>,
}

/// The slots of a file that were read.
struct Reads {
    /// For each symbol, a bit for each kind of slot that has its name.
    of_symbols: Box<[Cell<u8>]>,
    /// Reads of slots whose name is no symbol's, and of those of the whole file.
    dependencies: Rc<Dependencies>,
}

/// The kinds of slots that are named after a symbol, each with its bit in [`Reads::of_symbols`].
fn symbol_slots(name: &str) -> [(u8, Slot<'_>); 6] {
    [
        (NAME, Slot::Name(name)),
        (MEMBERS, Slot::Members(name)),
        (BODY, Slot::Body(name)),
        (USES, Slot::Uses(name)),
        (PARAM_CALLS, Slot::ParamCalls(name)),
        (POSITIONS, Slot::Positions(name)),
    ]
}
const NAME: u8 = 1;
const MEMBERS: u8 = 2;
const BODY: u8 = 4;
const USES: u8 = 8;
const PARAM_CALLS: u8 = 16;
const POSITIONS: u8 = 32;

/// A symbol without its positions: these have a slot of their own, since they change with every edit above.
pub(crate) struct Declaration<'f> {
    pub(crate) kind: SymbolKind,
    pub(crate) name: Atom,
    pub(crate) parent: Option<u32>,
    pub(crate) qualifier: Option<Atom>,
    pub(crate) visibility: Visibility,
    pub(crate) modifiers: Modifiers,
    pub(crate) has_body: bool,
    pub(crate) signature: Atom,
    pub(crate) params: &'f [Param],
    pub(crate) attributes: &'f [Atom],
    pub(crate) returns: Option<Atom>,
    pub(crate) bases: &'f [Base],
}

impl Deref for FileRef {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        self.0.unit.identity()
    }
}

impl FileRef {
    /// The file that is being resolved.
    pub(crate) fn own(unit: Arc<FileUnit>) -> Self {
        Self(Rc::new(OpenFile { unit, reads: None }))
    }

    /// Another file: what is read of it is recorded.
    pub(crate) fn other(unit: Arc<FileUnit>, dependencies: Rc<Dependencies>) -> Self {
        let of_symbols = vec![Cell::new(0); unit.outline().symbols.len()].into();
        Self(Rc::new(OpenFile { unit, reads: Some(Reads { of_symbols, dependencies }) }))
    }

    /// Adds the reads of symbols to the dependencies. The other reads are there already.
    pub(crate) fn finish(&self) {
        let Some(reads) = &self.0.reads else { return };
        for (at, read) in (0..).zip(&reads.of_symbols) {
            if read.get() == 0 {
                continue;
            }
            for (_, slot) in
                symbol_slots(self.0.unit.name(at)).iter().filter(|(bit, _)| read.get() & bit != 0)
            {
                reads.dependencies.on_slot(*slot);
            }
        }
    }

    fn unit(&self) -> &FileUnit {
        &self.0.unit
    }

    fn reads_symbol(&self, at: u32, bit: u8) {
        if let Some(read) = self.0.reads.as_ref().and_then(|reads| reads.of_symbols.get(at as usize)) {
            read.set(read.get() | bit);
        }
    }

    fn reads(&self, slot: Slot<'_>) {
        if let Some(reads) = &self.0.reads {
            reads.dependencies.on_slot(slot);
        }
    }

    /// Records a read of a part of what is inside of a symbol, or at the top level of the file.
    fn reads_inside(&self, symbol: Option<u32>, bit: u8) {
        if let Some(at) = symbol {
            return self.reads_symbol(at, bit);
        }
        for (_, slot) in symbol_slots("").into_iter().filter(|(of, _)| *of == bit) {
            self.reads(slot);
        }
    }

    /// Records a read of what a scope binds a name to.
    fn reads_lookup(&self, scope: u32, name: &str) {
        let Some(here) = self.scope(scope).filter(|_| self.0.reads.is_some()) else { return };
        match here.kind {
            ScopeKind::File | ScopeKind::Module | ScopeKind::Type => self.reads(Slot::Name(name)),
            ScopeKind::Function | ScopeKind::Block | ScopeKind::Comprehension => {
                self.reads_inside(here.symbol, BODY);
            }
        }
        // Parameters are part of the header.
        here.symbol.into_iter().for_each(|symbol| self.reads_symbol(symbol, NAME));
    }

    // What is known without the facts.

    /// The path of the file.
    pub(crate) fn path(&self) -> &RepoPath {
        &self.unit().facts().path
    }

    /// The directory of the file.
    pub(crate) fn directory(&self) -> String {
        String::from_utf8_lossy(self.path().directory()).into_owned()
    }

    /// The role of the file.
    pub(crate) fn role(&self) -> Role {
        self.unit().facts().role
    }

    /// The hash of its content.
    pub(crate) fn content(&self) -> ContentHash {
        if let Some(reads) = &self.0.reads {
            reads.dependencies.on_key(&content_key(self.path()));
        }
        self.unit().facts().content
    }

    /// What a compiler says about the file.
    pub(crate) fn compiled(&self) -> Option<&Arc<CompiledFile>> {
        self.unit().facts().compiled.as_ref()
    }

    /// The package or namespace that the file declares. Every reader of the file depends on it.
    pub(crate) fn package(&self) -> &str {
        self.unit().package()
    }

    /// Whether the text says that it is generated. Every reader of the file depends on it.
    pub(crate) fn is_generated(&self) -> bool {
        self.unit().outline().generated
    }

    /// The wildcard imports of a scope. Every reader of the file depends on them.
    pub(crate) fn wildcards(&self, scope: u32) -> impl Iterator<Item = u32> {
        self.unit().wildcards(scope)
    }

    /// Whether a scope may have a name: by a binding or, at the top level, by an export.
    pub(crate) fn may_have(&self, scope: u32, name: &str) -> bool {
        self.reads_lookup(scope, name);
        let is_public = || scope == 0 && self.unit().has_outline_name(name);
        !self.unit().bound(scope, name).is_empty() || is_public()
    }

    /// The member that the language calls implicitly in this case.
    pub(crate) fn implicit(&self, case: &str) -> Option<&str> {
        self.rules.implicit_calls.iter().find(|(name, _)| name == case).map(|(_, member)| member.as_str())
    }

    /// A symbol of this file.
    pub(crate) fn sym(&self, at: u32) -> SymbolId {
        self.unit().sym(at)
    }

    /// A name of a function in the form in which names are compared.
    pub(crate) fn folded<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.unit().folded(name)
    }

    // Expressions and scopes.

    /// The text of an atom of the flow.
    pub(crate) fn text(&self, atom: Atom) -> &str {
        self.unit().text(atom)
    }

    /// The atom of a text, if the flow contains it.
    pub(crate) fn atom(&self, text: &str) -> Option<Atom> {
        self.unit().atom(text)
    }

    /// The text of an atom of the outline.
    pub(crate) fn outline_text(&self, atom: Atom) -> &str {
        self.unit().outline_text(atom)
    }

    /// The expression behind an id.
    pub(crate) fn expr(&self, id: ExprId) -> Expr {
        self.unit().expr(id)
    }

    /// The expressions of a list.
    pub(crate) fn list(&self, list: ExprList) -> &[ExprId] {
        self.unit().flow().list(list)
    }

    /// The last name of a chain.
    pub(crate) fn last_name(&self, expr: ExprId) -> Option<&str> {
        last_name(self.unit().facts(), expr)
    }

    /// The first name of a chain of member and index accesses.
    pub(crate) fn first_name(&self, mut expr: ExprId) -> Option<&str> {
        loop {
            match self.expr(expr) {
                Expr::Name(name) => return Some(self.text(name)),
                Expr::Member { base, .. } | Expr::Index { base, .. } => expr = base,
                _ => return None,
            }
        }
    }

    /// Whether a value is only what documentation states: an alternative of one.
    pub(crate) fn is_documented(&self, value: ExprId) -> bool {
        matches!(self.expr(value), Expr::Either(list) if list.len == 1)
    }

    /// Whether a call runs a block with another `self`: with its receiver, or with the type that it makes.
    pub(crate) fn runs_block_with_another_self(&self, callee: ExprId) -> bool {
        self_rebinding::rebinds(self.unit(), callee)
    }

    /// A scope.
    pub(crate) fn scope(&self, at: u32) -> Option<&Scope> {
        self.unit().flow().scopes.get(at as usize)
    }

    /// The innermost scope around a position.
    pub(crate) fn scope_at(&self, at: u32) -> u32 {
        self.unit().scope_at(at)
    }

    /// The scope that a symbol opens.
    pub(crate) fn scope_of(&self, symbol: u32) -> Option<u32> {
        self.unit().scope_of(symbol)
    }

    /// Whether a scope is another one or inside of it.
    pub(crate) fn is_within(&self, mut scope: u32, outer: u32) -> bool {
        while scope != outer {
            match self.scope(scope).and_then(|scope| scope.parent) {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
        true
    }

    // Symbols.

    /// The header of a symbol.
    pub(crate) fn symbol(&self, at: u32) -> Option<Declaration<'_>> {
        let symbol = self.unit().symbol(at)?;
        self.reads_symbol(at, NAME);
        Some(Declaration {
            kind: symbol.kind,
            name: symbol.name,
            parent: symbol.parent,
            qualifier: symbol.qualifier,
            visibility: symbol.visibility,
            modifiers: symbol.modifiers,
            has_body: symbol.body.is_some(),
            signature: symbol.signature,
            params: &symbol.params,
            attributes: &symbol.attributes,
            returns: symbol.returns,
            bases: &symbol.bases,
        })
    }

    /// The symbol around a symbol. Its nesting is part of its full name, and so of its header.
    pub(crate) fn parent(&self, at: u32) -> Option<u32> {
        self.reads_symbol(at, NAME);
        self.unit().symbol(at)?.parent
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, at: u32) -> &str {
        self.reads_symbol(at, NAME);
        self.unit().name(at)
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, at: u32) -> Option<SymbolKind> {
        self.reads_symbol(at, NAME);
        self.unit().kind(at)
    }

    /// Whether a symbol has a modifier.
    pub(crate) fn is(&self, at: u32, modifier: Modifier) -> bool {
        self.reads_symbol(at, NAME);
        self.unit().is(at, modifier)
    }

    /// The container that a symbol names in its own header.
    pub(crate) fn qualifier(&self, at: u32) -> Option<&str> {
        self.reads_symbol(at, NAME);
        self.unit().qualifier(at)
    }

    /// The full name of a symbol from the outermost namespace on, with dots.
    pub(crate) fn full_name(&self, at: u32) -> Option<&Arc<str>> {
        self.reads_symbol(at, NAME);
        self.unit().full_name(at)
    }

    /// Whether this is the full name of a symbol.
    pub(crate) fn has_full_name(&self, at: u32, full: &str) -> bool {
        self.reads_symbol(at, NAME);
        self.unit().has_full_name(at, full)
    }

    /// The line of the name of a symbol.
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.name_span(at).map_or(0, |span| span.first_line)
    }

    /// Where the name of a symbol is.
    pub(crate) fn name_span(&self, at: u32) -> Option<Span> {
        self.reads_symbol(at, POSITIONS);
        Some(self.unit().symbol(at)?.name_span)
    }

    /// Where a symbol is, and where its header is.
    pub(crate) fn spans(&self, at: u32) -> Option<(Span, Span)> {
        self.reads_symbol(at, POSITIONS);
        let symbol = self.unit().symbol(at)?;
        Some((symbol.span, symbol.header))
    }

    /// Whether a type is written before the name of a symbol.
    pub(crate) fn is_typed_before_its_name(&self, at: u32) -> bool {
        self.reads_symbol(at, NAME);
        self.unit().is_typed_before_its_name(at)
    }

    /// The types that are named in the header of a symbol.
    pub(crate) fn types_in_header(&self, at: u32) -> impl Iterator<Item = &Reference> {
        self.reads_symbol(at, NAME);
        self.unit().types_in_header(at)
    }

    /// All symbols of a name, wherever they are in the file.
    pub(crate) fn symbols_called(&self, name: &str) -> impl Iterator<Item = u32> {
        self.reads(Slot::Name(name));
        let all = 0..self.unit().outline().symbols.len() as u32;
        all.filter(move |&at| self.unit().name(at) == name)
    }

    /// All symbols, by index.
    pub(crate) fn symbols(&self) -> std::ops::Range<u32> {
        self.reads(Slot::Everything);
        0..self.unit().outline().symbols.len() as u32
    }

    /// The direct children of a symbol, or of the file.
    pub(crate) fn children(&self, symbol: Option<u32>) -> &[u32] {
        self.reads_inside(symbol, MEMBERS);
        self.unit().children(symbol)
    }

    /// The direct children of a symbol, or of the file, that have a name.
    pub(crate) fn children_named(&self, symbol: Option<u32>, name: &str) -> impl Iterator<Item = u32> {
        self.reads(Slot::Name(name));
        let children = if self.unit().has_outline_name(name) { self.unit().children(symbol) } else { &[] };
        children.iter().copied().filter(move |&child| self.unit().name(child) == name)
    }

    /// The top-level symbols that are a default export.
    pub(crate) fn default_exports(&self) -> impl Iterator<Item = u32> {
        self.reads(Slot::Name("default"));
        let children = self.unit().children(None).iter().copied();
        children.filter(|&child| self.unit().is(child, Modifier::Default))
    }

    /// The exports under a public name.
    pub(crate) fn exports_named(&self, name: &str) -> impl Iterator<Item = &Export> {
        self.reads(Slot::Name(name));
        let exports = self.unit().exports_if_named(name);
        exports.iter().filter(move |export| self.outline_text(export.public) == name)
    }

    /// The imports of a file that are exported again under a name.
    pub(crate) fn reexports_named(&self, name: &str) -> impl Iterator<Item = u32> {
        self.reads(Slot::Name(name));
        let imports = (0..).zip(self.unit().imports_if_named(name));
        let named = imports.filter(move |(_, import)| {
            let public = import.alias.or(import.name).map(|atom| self.outline_text(atom));
            import.reexport && import.kind != ImportKind::Wildcard && public == Some(name)
        });
        named.map(|(at, _)| at)
    }

    /// The top-level symbols with this name in their qualifier, in source order.
    pub(crate) fn qualified_by(&self, container: &str) -> impl Iterator<Item = u32> {
        self.reads(Slot::Members(""));
        self.unit().qualified_by(container)
    }

    /// The innermost type around a symbol, itself included; a module with methods counts as a type.
    pub(crate) fn type_around(&self, mut symbol: Option<u32>) -> Option<u32> {
        while let Some(at) = symbol {
            let found = self.symbol(at)?;
            let kind = found.kind;
            if kind.is_type() || (kind == SymbolKind::Module && self.has_methods(at)) {
                return Some(at);
            }
            if kind != SymbolKind::TypeAlias && found.qualifier.is_some() {
                return None;
            }
            symbol = found.parent;
        }
        None
    }

    fn has_methods(&self, at: u32) -> bool {
        self.reads_symbol(at, MEMBERS);
        let children = self.unit().children(Some(at));
        children.iter().any(|&child| self.unit().kind(child) == Some(SymbolKind::Method))
    }

    /// The declared bases of a type: expression, scope, relation.
    pub(crate) fn bases(&self, symbol: u32) -> &[(ExprId, u32, Relation)] {
        self.reads_symbol(symbol, NAME);
        self.unit().bases(symbol)
    }

    /// The modules mixed into a type itself, not into its instances.
    pub(crate) fn type_mixins(&self, symbol: u32) -> &[(ExprId, u32)] {
        self.reads_symbol(symbol, NAME);
        self.unit().type_mixins(symbol)
    }

    /// Whether a function runs a block that it is given with another `self`, as far as its file tells.
    pub(crate) fn gives_parameter_another_self(&self, symbol: u32) -> bool {
        self.reads_symbol(symbol, NAME);
        self.unit().rebinds_self(symbol)
    }

    // Bindings.

    /// The bindings of a name in a scope, in source order.
    pub(crate) fn bound(&self, scope: u32, name: &str) -> &[u32] {
        self.reads_lookup(scope, name);
        self.unit().bound(scope, name)
    }

    /// The same, by the atom of the name.
    pub(crate) fn bound_as(&self, scope: u32, name: Atom) -> &[u32] {
        if self.0.reads.is_some() {
            self.reads_lookup(scope, self.text(name));
        }
        self.unit().bound_as(scope, name)
    }

    /// The regions, by tests in a scope, in which the type of a variable of this name is known: those that begin before a
    /// place, the nearest first.
    pub(crate) fn narrowings(&self, scope: u32, name: Atom, at: u32) -> impl Iterator<Item = &Narrowing> {
        if self.0.reads.is_some() {
            self.reads_lookup(scope, self.text(name));
        }
        self.unit().narrowings(scope, name, at)
    }

    /// The bindings of a name in the innermost enclosing scope that has any.
    pub(crate) fn bindings_around(&self, scope: u32, name: &str) -> &[u32] {
        self.scope_binding(scope, name).map_or(&[], |scope| self.bound(scope, name))
    }

    /// The innermost enclosing scope that binds a name.
    pub(crate) fn scope_binding(&self, scope: u32, name: &str) -> Option<u32> {
        let mut next = Some(scope);
        while let Some(at) = next {
            let here = self.scope(at)?;
            let of_type = here.kind == ScopeKind::Type && at != scope;
            if !of_type && !self.bound(at, name).is_empty() {
                return Some(at);
            }
            next = here.parent;
        }
        None
    }

    /// A binding.
    pub(crate) fn binding(&self, at: u32) -> Option<&Binding> {
        let binding = self.unit().binding(at)?;
        if self.0.reads.is_some() {
            match BindingSlot::of(self.unit().flow(), binding.scope, binding.kind) {
                BindingSlot::Name => self.reads(Slot::Name(self.text(binding.name))),
                BindingSlot::Header(symbol) => self.reads_symbol(symbol, NAME),
                BindingSlot::Body(symbol) => self.reads_inside(symbol, BODY),
            }
        }
        Some(binding)
    }

    /// The binding of a symbol: its declared type and its value.
    pub(crate) fn binding_of(&self, symbol: u32) -> Option<&Binding> {
        self.reads_symbol(symbol, NAME);
        self.unit().binding_of(symbol)
    }

    /// The type parameters of a symbol, as bindings.
    pub(crate) fn type_params(&self, symbol: u32) -> &[u32] {
        self.reads_symbol(symbol, NAME);
        self.unit().type_params(symbol)
    }

    /// The parameters of a function's scope, in order, as bindings.
    pub(crate) fn params(&self, scope: u32) -> &[u32] {
        match BindingSlot::of(self.unit().flow(), scope, BindingKind::Param) {
            BindingSlot::Header(symbol) => self.reads_symbol(symbol, NAME),
            BindingSlot::Body(symbol) => self.reads_inside(symbol, BODY),
            // Only functions and types have parameters.
            BindingSlot::Name => {}
        }
        self.unit().params(scope)
    }

    /// Whether an expression is a parameter of the function with this scope.
    pub(crate) fn is_param(&self, scope: u32, arg: ExprId) -> bool {
        self.params(scope);
        self_rebinding::is_param(self.unit(), scope, arg)
    }

    /// All bindings.
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.flow().bindings
    }

    // What is inside of functions.

    /// The values that the function with this scope returns.
    pub(crate) fn returns(&self, scope: u32) -> &[ExprId] {
        self.reads_inside(self.scope(scope).and_then(|scope| scope.symbol), BODY);
        self.unit().returns(scope)
    }

    /// The assignments to a name or to this member of `self`, with their values.
    pub(crate) fn assigned(&self, name: &str) -> impl Iterator<Item = (&Assign, ExprId)> {
        self.reads(Slot::Name(name));
        self.unit().assigned(name)
    }

    /// The assignments under keys of this expression.
    pub(crate) fn assigned_keys(&self, base: ExprId) -> &[KeyedAssign] {
        self.reads(self.last_name(base).map_or(Slot::Everything, Slot::Name));
        self.unit().assigned_keys(base)
    }

    /// Where a function calls this parameter of it: itself, or a function in it that has no parameter of the same name.
    pub(crate) fn called_within(&self, symbol: u32, param: Atom) -> Vec<(u32, u32)> {
        self.reads_symbol(symbol, PARAM_CALLS);
        self.unit().called_within(symbol, param)
    }

    /// Where the function with this scope is written, if that decides the types of its parameters.
    pub(crate) fn function_context(&self, scope: u32) -> Option<&ContextSite> {
        let around = self.scope(scope).and_then(|scope| scope.symbol);
        self.reads_inside(around, BODY);
        self.reads_inside(around, USES);
        // A function with a name is written in what is around it.
        if let Some(at) = around.filter(|&at| self.scope_of(at) == Some(scope)) {
            let outer = self.parent(at);
            self.reads_inside(outer, BODY);
            self.reads_inside(outer, USES);
        }
        self.unit().function_context(scope)
    }

    /// The references directly in a symbol, in source order.
    pub(crate) fn references_in(&self, symbol: u32) -> impl Iterator<Item = &Reference> {
        self.reads_symbol(symbol, USES);
        self.reads_symbol(symbol, POSITIONS);
        self.unit().references_in(symbol)
    }

    /// All references.
    pub(crate) fn references(&self) -> &[Reference] {
        &self.flow().references
    }

    /// The line of the reference with this expression nearest to a position.
    pub(crate) fn line_of(&self, expr: ExprId, near: u32) -> Option<u32> {
        self.reads(Slot::Everything);
        self.unit().line_of(expr, near)
    }

    /// The first symbol whose name comes after a position.
    pub(crate) fn next_symbol(&self, at: u32) -> Option<u32> {
        self.reads(Slot::Everything);
        self.unit().next_symbol(at)
    }

    // The whole file.

    /// All imports.
    pub(crate) fn imports(&self) -> &[Import] {
        self.reads(Slot::Imports);
        &self.unit().outline().imports
    }

    /// An import.
    pub(crate) fn import(&self, at: u32) -> Option<&Import> {
        let import = self.unit().outline().imports.get(at as usize)?;
        if self.0.reads.is_some() {
            self.reads(Slot::Name(self.unit().imported_name(import)));
        }
        Some(import)
    }

    /// The exports.
    pub(crate) fn exports(&self) -> &[Export] {
        self.reads(Slot::Imports);
        &self.unit().outline().exports
    }

    /// Records a read of the members of a type, including those that are declared outside of it.
    pub(crate) fn reads_members(&self, of: u32) {
        self.reads_symbol(of, MEMBERS);
        self.reads(Slot::Members(""));
    }

    /// The first symbol of a name that satisfies a predicate on the outline.
    pub(crate) fn symbol_called(&self, name: &str, is_meant: impl Fn(&Outline, u32) -> bool) -> Option<u32> {
        let outline = self.unit().outline();
        self.symbols_called(name).find(|&at| is_meant(outline, at))
    }

    /// All of the flow.
    pub(crate) fn flow(&self) -> &Flow {
        self.reads(Slot::Everything);
        self.unit().flow()
    }

    /// The members of one declaration of a type, by name. The lookup of a name in it is recorded by the caller.
    pub(crate) fn member_table(&self, of: u32) -> Arc<Members> {
        self.unit().members(of)
    }

    /// The file without a record of what is read. For tables that several resolutions share: the caller records what it looks up in
    /// them.
    pub(crate) fn unrecorded(&self) -> &Arc<FileUnit> {
        &self.0.unit
    }
}
