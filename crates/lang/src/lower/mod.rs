//! Lowering: turns a syntax tree into facts in one pre-order walk, driven by the node table of the pack.
//!
//! Nothing here knows a language. The rule of each node says what it means; the other files of this module implement the
//! meanings. A stack of frames holds the current scope, symbol and visibility; an ancestor sets marks on nodes that the
//! walk reaches later.
//!
//! Example: for `class A: def f(self, x): return x.y` the walk
//!
//! 1. defines the symbol `A`, opens its type scope and binds `A` in the file scope;
//! 2. defines `A.f`, opens its function scope, and binds the parameters `self` and `x` there;
//! 3. at `return`, lowers `x.y` to the expression `Member { base: Name(x), name: y }`, records it as a result of the scope,
//!    and marks `x` as part of it;
//! 4. at `x.y`, records one read reference in the scope of `f`; `x` alone is no further reference because of its mark.

mod assigned_exports;
mod assignment_targets;
mod assignments;
mod complexity;
mod declarations;
mod definition_names;
mod definitions;
mod destructuring;
mod documented_types;
mod element_attributes;
mod empty_scopes;
mod expressions;
mod finalize;
mod headers;
mod import_calls;
mod imports;
mod macro_functions;
mod macro_tokens;
mod macro_values;
mod narrowing;
mod parameters;
mod references;

use crate::conventions::Conventions;
use crate::facts::hash::BodyHasher;
use crate::facts::interner::Interner;
use crate::node_table::{NodeTable, Rule};
use crate::parse::erased_prefix::ErasedPrefix;
use crate::parse::flat_tree::{Health, NONE, NodeId, Tree};
use orient_model::{
    Atom, Binding, BindingKind, Expr, ExprId, Facts, Flow, Issue, IssueKind, Modifiers, Outline, Scope,
    ScopeKind, SymbolKind, Via, Visibility,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of syntax errors reported for a file.
const ISSUES_CAP: usize = 20;

/// Maximum length of a name, in bytes.
const NAME_CAP: usize = 4096;

/// Marks on nodes, set by an ancestor before the walk reaches them.
mod mark {
    /// A declared name: no reference.
    pub(super) const CONSUMED: u8 = 1;
    /// Names inside are types.
    pub(super) const TYPE: u8 = 2;
    /// The body of a node that has opened its scope already.
    pub(super) const BODY: u8 = 4;
    /// Completely processed: not visited.
    pub(super) const DONE: u8 = 8;
    /// Written to, not read.
    pub(super) const WRITE: u8 = 16;
    /// Part of a larger expression, which is the reference.
    pub(super) const PART: u8 = 32;
    /// The type of a declaration: symbols that it defines are siblings of the declared names.
    pub(super) const BESIDE: u8 = 64;
}

/// Lowers a tree. `erased` is the text before definitions that the tree does not show although it belongs to them, `macros` the names of
/// macros around items, which it does not show either.
pub(crate) fn lower(
    conventions: &Conventions,
    table: &NodeTable,
    tree: &Tree<'_>,
    erased: &[ErasedPrefix],
    macros: &[Range<usize>],
) -> Facts {
    let mut lowering = Lowering::new(conventions, table, tree);
    lowering.run();
    for name in macros {
        lowering.expand_around_items(name);
    }
    lowering.extend_over_prefixes(erased);
    lowering.finish()
}

/// The context of the current node: an entry of the stack of the walk.
#[derive(Clone, Copy)]
struct Frame {
    /// The first node after the frame.
    after: NodeId,
    scope: u32,
    /// The scope of the innermost function, or [`NONE`].
    function: u32,
    symbol: Option<u32>,
    /// Names are types here.
    types: bool,
    /// The visibility of the members from here on, set by an access specifier.
    access: Option<Visibility>,
    /// The visibility of the definitions inside a call that sets it.
    call_visibility: Option<Visibility>,
    /// Modifiers of the members from here on.
    adds: Modifiers,
}

struct Lowering<'t> {
    conventions: &'t Conventions,
    table: &'t NodeTable,
    tree: &'t Tree<'t>,
    outline: Outline,
    flow: Flow,
    /// Strings of the outline and of the flow.
    shown: Interner,
    names: Interner,
    /// Expressions added so far, to share equal ones.
    known_exprs: FxHashMap<Expr, ExprId>,
    /// The expression of each node; [`NONE`] if it has not been lowered.
    exprs: Vec<u32>,
    marks: Vec<u8>,
    /// Anonymous functions and types, and the symbols that name them.
    claims: FxHashMap<NodeId, u32>,
    /// The scope and symbol of each function node: the meaning of a function value.
    functions: FxHashMap<NodeId, (u32, Option<u32>)>,
    /// Object literals assigned to something that is no symbol: the container of the functions in them.
    objects: FxHashMap<NodeId, assigned_exports::ObjectContainer>,
    /// Calls whose module is bound to a name.
    required: FxHashSet<NodeId>,
    /// Members of types, by owner and name.
    members: FxHashSet<(u32, Atom)>,
    /// The scope of each type.
    type_scopes: FxHashMap<u32, u32>,
    /// Names bound in each scope, if the language distinguishes rebinding from binding.
    bound: FxHashSet<(u32, Atom)>,
    /// For the first name of a chain of tokens: the chain's expression and last token.
    token_chains: FxHashMap<NodeId, (ExprId, NodeId)>,
    /// The macros of the file that define functions, and the arguments that name these.
    naming_macros: FxHashMap<String, Vec<macro_functions::NamingArgument>>,
    /// Calls that create a type, and the blocks that are the bodies of such types.
    made: FxHashSet<NodeId>,
    /// Variables, if a bare name without a variable is a call.
    locals: FxHashSet<(u32, Atom)>,
    /// What is assigned to, and where the assigned value ends.
    assigned_until: Vec<(ExprId, u32)>,
    /// The names of the variables so far.
    variables: FxHashSet<Atom>,
    /// The byte ranges of branches that are never taken.
    dead_branches: Vec<(u32, u32)>,
    /// Scopes that do not see the variables of enclosing scopes.
    gates: FxHashSet<u32>,
    frames: Vec<Frame>,
    bodies: BodyHasher,
    too_deep: bool,
    /// The kind of the member that the current parameters also declare.
    promoting: Option<SymbolKind>,
}

impl<'t> Lowering<'t> {
    fn new(conventions: &'t Conventions, table: &'t NodeTable, tree: &'t Tree<'t>) -> Self {
        let end = tree.source.len() as u32;
        let file = Scope { kind: ScopeKind::File, parent: None, symbol: None, start: 0, end };
        Self {
            conventions,
            table,
            tree,
            outline: Outline::default(),
            flow: Flow { scopes: vec![file], ..Flow::default() },
            shown: Interner::default(),
            names: Interner::default(),
            known_exprs: FxHashMap::default(),
            exprs: vec![NONE; tree.nodes.len()],
            marks: vec![0; tree.nodes.len()],
            claims: FxHashMap::default(),
            functions: FxHashMap::default(),
            objects: FxHashMap::default(),
            required: FxHashSet::default(),
            members: FxHashSet::default(),
            type_scopes: FxHashMap::default(),
            bound: FxHashSet::default(),
            token_chains: FxHashMap::default(),
            naming_macros: FxHashMap::default(),
            made: FxHashSet::default(),
            locals: FxHashSet::default(),
            assigned_until: Vec::new(),
            variables: FxHashSet::default(),
            dead_branches: Vec::new(),
            gates: FxHashSet::default(),
            frames: vec![Frame {
                after: NONE,
                scope: 0,
                function: NONE,
                symbol: None,
                types: false,
                access: None,
                call_visibility: None,
                adds: Modifiers::default(),
            }],
            bodies: BodyHasher::of_file(tree.source.len()),
            too_deep: false,
            promoting: None,
        }
    }

    fn run(&mut self) {
        let count = self.tree.nodes.len() as NodeId;
        let mut id = 0;
        while id < count {
            while self.frame().after <= id {
                self.frames.pop();
            }
            id = self.visit(id);
        }
    }

    /// Processes one node; returns the next one to visit.
    fn visit(&mut self, id: NodeId) -> NodeId {
        let node = *self.tree.node(id);
        if self.has(id, mark::DONE) {
            return node.after;
        }
        if node.health != Health::Good {
            self.issue(id);
        }
        let rule = self.table.rule(self.tree, id);
        if rule.skip || rule.comment {
            return node.after;
        }
        self.context(id, rule);
        if !rule.label.is_empty() {
            for label in rule.label.find_all(self.tree, id) {
                self.mark(label, mark::DONE);
            }
        }
        if rule.import.is_some() {
            if self.import_statement(id, rule) {
                return node.after;
            }
        } else if rule.export.is_some() && self.export_statement(id, rule) {
            return node.after;
        }
        if rule.package {
            self.package(id, rule);
        }
        if self.table.has_tokens
            && self.tree.get(node.parent).is_some()
            && self.table.rule(self.tree, node.parent).unparsed_tokens
        {
            self.token_function(id);
            self.token_use(id);
        }
        let defined = self.definition(id, rule);
        if !defined
            && let Some(kind) = rule.scope
            && !self.has(id, mark::BODY)
        {
            let scope = self.push_scope(id, kind, None);
            // The type of a function binds the names of its parameters.
            if let Some(params) =
                rule.params.find(self.tree, id).filter(|_| rule.symbol.is_none() || rule.only_in_type)
            {
                self.params(params, scope, None);
            } else if let Some(name) =
                rule.implicit_param.as_ref().filter(|_| rule.symbol.is_none() && self.has_word(id, rule))
            {
                let binding = self.bind_name(scope, name, BindingKind::Param, node.start);
                self.flow.bindings[binding].ty = rule.ty.find(self.tree, id).map(|ty| self.expr(ty));
            }
        }
        self.statement(id, rule);
        if let Some(member) = &rule.passes_functions_to {
            self.pass_items(id, member);
        }
        if !defined || rule.expr.is_some() {
            self.reference(id, rule);
        }
        id + 1
    }

    /// Pushes a frame for the context that a node sets for its subtree.
    fn context(&mut self, id: NodeId, rule: &Rule) {
        let frame = self.frame();
        let types = (frame.types || rule.type_context || self.has(id, mark::TYPE)) && !rule.value_context;
        if types != frame.types {
            self.frames.push(Frame { after: self.tree.node(id).after, types, ..frame });
        }
        if rule.access_specifier {
            self.access(id);
        }
        if rule.wrapper
            && let Some(ty) = rule.ty.find(self.tree, id)
        {
            self.mark(ty, mark::TYPE);
        }
        if rule.member_modifiers != Modifiers::default() {
            let frame = self.frame();
            let (after, adds) = (self.tree.node(id).after, frame.adds.with(rule.member_modifiers));
            self.frames.push(Frame { after, access: None, adds, ..frame });
        }
        if rule.markup {
            self.markup();
        }
    }

    /// Lowers a definition; false if the node is none.
    fn definition(&mut self, id: NodeId, rule: &'t Rule) -> bool {
        if let Some(kind) = rule.symbol {
            return self.define(id, rule, kind);
        }
        if let Some(kind) = rule.declare {
            return self.declare(id, rule, kind);
        }
        false
    }

    /// Lowers what is neither a definition nor an expression.
    fn statement(&mut self, id: NodeId, rule: &'t Rule) {
        if !rule.true_conditions.is_empty()
            && let Some(condition) = rule.condition.find(self.tree, id)
            && rule.true_conditions.iter().any(|text| text == self.tree.bytes(condition))
        {
            let dead = rule.otherwise.find_all(self.tree, id).into_iter().map(|at| self.tree.node(at));
            self.dead_branches.extend(dead.map(|node| (node.start, node.end)));
        }
        if rule.narrows {
            self.narrow(id, rule);
        }
        if let Some(via) = rule.bind {
            self.bind(id, rule, via);
        }
        if rule.assign && (rule.bind.is_some() || self.has_word(id, rule)) {
            self.assign(id, rule);
        }
        if rule.returned || rule.yielded {
            self.returned(id, rule);
        }
        if rule.outer_names {
            self.outer(id, rule);
        }
        if rule.param {
            self.unbound_param(id, rule);
        }
        if rule.positional_fields {
            self.positional_fields(id);
        }
        if rule.type_param {
            self.type_param(id, rule);
        }
        if rule.type_bounds {
            self.bounds(id, rule);
        }
        if rule.attribute {
            self.decorate(id, rule);
        }
    }

    fn frame(&self) -> Frame {
        *self.frames.last().expect("the file's own frame is never left")
    }

    fn has(&self, id: NodeId, mark: u8) -> bool {
        self.marks[id as usize] & mark != 0
    }

    fn mark(&mut self, id: NodeId, mark: u8) {
        self.marks[id as usize] |= mark;
    }

    fn push_scope(&mut self, id: NodeId, kind: ScopeKind, symbol: Option<u32>) -> u32 {
        let frame = self.frame();
        let node = self.tree.node(id);
        let scope = self.flow.scopes.len() as u32;
        if let Some(symbol) = symbol.filter(|_| kind == ScopeKind::Type) {
            self.type_scopes.entry(symbol).or_insert(scope);
        }
        let adds = if symbol.is_some() { Modifiers::default() } else { frame.adds };
        let symbol = symbol.or(frame.symbol);
        self.flow.scopes.push(Scope {
            kind,
            parent: Some(frame.scope),
            symbol,
            start: node.start,
            end: node.end,
        });
        let function = if kind == ScopeKind::Function { scope } else { frame.function };
        let access = if kind == ScopeKind::Type { None } else { frame.access };
        self.frames.push(Frame {
            after: node.after,
            scope,
            function,
            symbol,
            types: false,
            access,
            call_visibility: None,
            adds,
        });
        scope
    }

    fn push_symbol(&mut self, id: NodeId, symbol: u32) {
        let frame = self.frame();
        let after = self.tree.node(id).after;
        self.frames.push(Frame {
            after,
            symbol: Some(symbol),
            call_visibility: None,
            adds: Modifiers::default(),
            ..frame
        });
    }

    /// The enclosing symbol and its kind, if it is a type and the current node is directly in it.
    fn member_of(&self) -> Option<(u32, SymbolKind)> {
        let frame = self.frame();
        let scope = self.flow.scopes.get(frame.scope as usize)?;
        let symbol = frame.symbol?;
        let kind = self.outline.symbols.get(symbol as usize)?.kind;
        // A variable of an anonymous type has the members of that type.
        let holds = kind.is_type()
            || matches!(
                kind,
                SymbolKind::Module
                    | SymbolKind::EnumMember
                    | SymbolKind::Variable
                    | SymbolKind::Field
                    | SymbolKind::Constant
            );
        (scope.kind == ScopeKind::Type && scope.symbol == Some(symbol) && holds).then_some((symbol, kind))
    }

    /// Whether the current node is directly in a type or object.
    fn in_type(&self) -> bool {
        let frame = self.frame();
        let scope = &self.flow.scopes[frame.scope as usize];
        scope.kind == ScopeKind::Type && scope.symbol == frame.symbol
    }

    /// Whether a node contains one of the words that its rule requires.
    fn has_word(&self, id: NodeId, rule: &Rule) -> bool {
        rule.only_with_words.is_empty()
            || self.tree.children(id).any(|child| {
                !self.tree.node(child).named
                    && rule.only_with_words.iter().any(|word| word == self.tree.bytes(child))
            })
    }

    fn in_function(&self) -> bool {
        self.frame().function != NONE && self.member_of().is_none()
    }

    fn bind_name(&mut self, scope: u32, name: &str, kind: BindingKind, at: u32) -> usize {
        let name = self.names.intern(name);
        if self.table.rebinds {
            self.bound.insert((scope, name));
        }
        if self.table.has_bare_calls && !matches!(kind, BindingKind::Symbol(_) | BindingKind::Import(_)) {
            self.locals.insert((scope, name));
        }
        if matches!(kind, BindingKind::Param | BindingKind::Local) {
            self.variables.insert(name);
        }
        let (ty, value, via, visible_from) = (None, None, Via::Value, at);
        self.flow.bindings.push(Binding { scope, name, kind, ty, value, via, at, visible_from });
        self.flow.bindings.len() - 1
    }

    /// Notes an assignment to what may be a variable whose type is tested.
    fn note_assigned(&mut self, target: ExprId, at: u32, value: Option<NodeId>) {
        let until = value.map_or(at, |value| self.tree.node(value).end);
        self.assigned_until.push((target, until));
    }

    /// Where a local variable becomes visible: in some languages its value still means outer names.
    fn visible_from(&self, name: NodeId, value: Option<NodeId>) -> u32 {
        let at = self.tree.node(name).start;
        match value.filter(|_| self.table.binds_after_value) {
            Some(value) => self.tree.node(value).end.max(at + 1),
            None => at,
        }
    }

    fn push_expr(&mut self, expr: Expr) -> ExprId {
        let next = ExprId(self.flow.exprs.len() as u32);
        // If a bare name may be a call, each occurrence is an expression of its own.
        let shared = !self.table.has_bare_calls;
        let id = if shared { *self.known_exprs.entry(expr).or_insert(next) } else { next };
        if id == next {
            self.flow.exprs.push(expr);
        }
        id
    }

    /// The beginning of a node's text, up to the maximum length of a name: an expression in place of a name can be as long
    /// as the file, and so can each expression inside it.
    fn beginning(&self, id: NodeId) -> Cow<'t, str> {
        let bytes = self.tree.bytes(id);
        crate::facts::display_text::lossy(&bytes[..bytes.len().min(NAME_CAP)])
    }

    /// The text of a node as a name: without the sigil of the language.
    fn name_text(&self, id: NodeId) -> String {
        let text = self.beginning(id);
        let text = text.trim();
        let text = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
        match &self.table.sigil {
            Some(sigil) => text.strip_prefix(sigil.as_str()).unwrap_or(text).to_owned(),
            None => text.to_owned(),
        }
    }

    /// The text of a node for display: a type, a base.
    fn phrase(&mut self, id: NodeId) -> Atom {
        let text =
            crate::facts::display_text::fold(&self.beginning(id), crate::facts::display_text::PHRASE_CAP);
        let text = text.trim_start_matches([':', '-', '>', ' ']);
        self.shown.intern(text)
    }

    fn issue(&mut self, id: NodeId) {
        // An error inside another is not reported.
        let inside = self.outline.issues.last().is_some_and(|last| last.span.contains(&self.tree.span(id)));
        if !inside && self.outline.issues.len() < ISSUES_CAP {
            self.outline.issues.push(Issue { kind: IssueKind::Syntax, span: self.tree.span(id) });
        }
    }
}
