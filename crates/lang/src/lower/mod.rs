//! Lowers a parsed file into facts: one walk over the tree, driven by the pack's table.
//!
//! Nothing here knows a language. Each visited node asks its rule what it is; the files beside this one say what
//! follows from each answer.

mod assigned_exports;
mod assignment_targets;
mod assignments;
mod declarations;
mod definition_names;
mod definitions;
mod destructuring;
mod empty_scopes;
mod expressions;
mod finalize;
mod headers;
mod import_calls;
mod imports;
mod macro_tokens;
mod parameters;
mod references;

pub(crate) use finalize::number;

use crate::facts::hash::BodyHasher;
use crate::facts::interner::Atoms;
use crate::grammar_repair::Opened;
use crate::node_table::{Rule, Table};
use crate::pack::Pack;
use crate::parse::flat_tree::{Health, NONE, NodeId, Tree};
use orient_model::{
    Atom, Binding, BindingKind, Expr, ExprId, Facts, Flow, Issue, IssueKind, Modifiers, Outline, Scope,
    ScopeKind, SymbolKind, Via, Visibility,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Issues kept per file: enough to show where it goes wrong.
const ISSUES_CAP: usize = 20;

/// Longest text read as a name, in bytes.
const NAME_CAP: usize = 4096;

/// Marks on nodes, set by an ancestor before the walk reaches them.
mod mark {
    /// A name being declared: no reference.
    pub(super) const CONSUMED: u8 = 1;
    /// Names inside are types.
    pub(super) const TYPE: u8 = 2;
    /// The body of something that opened a scope already.
    pub(super) const BODY: u8 = 4;
    /// Wholly dealt with: not visited.
    pub(super) const DONE: u8 = 8;
    /// Written to, not read.
    pub(super) const WRITE: u8 = 16;
    /// Part of a larger expression that is the reference.
    pub(super) const PART: u8 = 32;
    /// The type of a declaration: what it defines stands beside what is declared.
    pub(super) const BESIDE: u8 = 64;
}

/// Lowers a tree. `opened` are the places before definitions that belong to them although the tree does not show them.
pub(crate) fn lower(pack: &Pack, table: &Table, tree: &Tree<'_>, opened: &[Opened]) -> Facts {
    let mut lowering = Lowering::new(pack, table, tree);
    lowering.run();
    lowering.open_spans(opened);
    lowering.finish()
}

/// What holds at a place of the walk.
#[derive(Clone, Copy)]
struct Frame {
    /// The first node after what the frame is for.
    after: NodeId,
    scope: u32,
    /// The scope of the innermost function, or [`NONE`].
    function: u32,
    symbol: Option<u32>,
    /// Names are types here.
    types: bool,
    /// The visibility that members get from here on, where the language says it in between.
    access: Option<Visibility>,
    /// The visibility of whatever is defined inside a call that gives it.
    given: Option<Visibility>,
    /// What is said of the members from here on.
    adds: Modifiers,
}

struct Lowering<'t> {
    pack: &'t Pack,
    table: &'t Table,
    tree: &'t Tree<'t>,
    outline: Outline,
    flow: Flow,
    /// Strings of the outline and of the flow.
    shown: Atoms,
    names: Atoms,
    /// Expressions that are there already.
    known_exprs: FxHashMap<Expr, ExprId>,
    /// For each node its expression, [`NONE`] where there is none yet.
    exprs: Vec<u32>,
    marks: Vec<u8>,
    /// Functions and types without a name, and the symbol that they give a body to.
    claims: FxHashMap<NodeId, u32>,
    /// For each function node its scope and symbol: what a function value turns out to be.
    functions: FxHashMap<NodeId, (u32, Option<u32>)>,
    /// Object literals put into something that is no symbol: what the functions in them belong to.
    objects: FxHashMap<NodeId, assigned_exports::Place>,
    /// Calls whose module was bound to a name.
    required: FxHashSet<NodeId>,
    /// Members of types, by owner and name.
    members: FxHashSet<(u32, Atom)>,
    /// The scope of each type.
    type_scopes: FxHashMap<u32, u32>,
    /// Names bound in each scope, where binding again must be told from binding.
    bound: FxHashSet<(u32, Atom)>,
    /// For the first name of a chain of tokens: the chain's expression and last token.
    token_chains: FxHashMap<NodeId, (ExprId, NodeId)>,
    /// Calls whose value is a type, and the blocks that are the bodies of such types.
    made: FxHashSet<NodeId>,
    /// Variables, where a name that is none is a call.
    locals: FxHashSet<(u32, Atom)>,
    /// Scopes that do not see the variables around them.
    gates: FxHashSet<u32>,
    frames: Vec<Frame>,
    bodies: BodyHasher,
    too_deep: bool,
    /// The kind of member that the parameters now read also are.
    promoting: Option<SymbolKind>,
}

impl<'t> Lowering<'t> {
    fn new(pack: &'t Pack, table: &'t Table, tree: &'t Tree<'t>) -> Self {
        let end = tree.source.len() as u32;
        let file = Scope { kind: ScopeKind::File, parent: None, symbol: None, start: 0, end };
        Self {
            pack,
            table,
            tree,
            outline: Outline::default(),
            flow: Flow { scopes: vec![file], ..Flow::default() },
            shown: Atoms::default(),
            names: Atoms::default(),
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
            made: FxHashSet::default(),
            locals: FxHashSet::default(),
            gates: FxHashSet::default(),
            frames: vec![Frame {
                after: NONE,
                scope: 0,
                function: NONE,
                symbol: None,
                types: false,
                access: None,
                given: None,
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

    /// Deals with one node; returns the next one to visit.
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
            && self.table.rule(self.tree, node.parent).tokens
        {
            self.token_use(id);
        }
        let defined = self.definition(id, rule);
        if !defined
            && let Some(kind) = rule.scope
            && !self.has(id, mark::BODY)
        {
            let scope = self.push_scope(id, kind, None);
            // A function's type binds the names of its parameters.
            if let Some(params) =
                rule.params.find(self.tree, id).filter(|_| rule.symbol.is_none() || rule.if_member)
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
        if !defined || rule.expr.is_some() {
            self.reference(id, rule);
        }
        id + 1
    }

    /// What a node changes for all below it.
    fn context(&mut self, id: NodeId, rule: &Rule) {
        let frame = self.frame();
        let types = (frame.types || rule.types || self.has(id, mark::TYPE)) && !rule.values;
        if types != frame.types {
            self.frames.push(Frame { after: self.tree.node(id).after, types, ..frame });
        }
        if rule.access {
            self.access(id);
        }
        if rule.wrapper
            && let Some(ty) = rule.ty.find(self.tree, id)
        {
            self.mark(ty, mark::TYPE);
        }
        if rule.members_add != Modifiers::default() {
            let frame = self.frame();
            let (after, adds) = (self.tree.node(id).after, frame.adds.with(rule.members_add));
            self.frames.push(Frame { after, access: None, adds, ..frame });
        }
        if rule.markup {
            self.markup();
        }
    }

    /// A definition, if the node is one.
    fn definition(&mut self, id: NodeId, rule: &'t Rule) -> bool {
        if let Some(kind) = rule.symbol {
            return self.define(id, rule, kind);
        }
        if let Some(kind) = rule.declare {
            return self.declare(id, rule, kind);
        }
        false
    }

    /// What is neither definition nor expression.
    fn statement(&mut self, id: NodeId, rule: &'t Rule) {
        if let Some(via) = rule.bind {
            self.bind(id, rule, via);
        }
        if rule.assign && (rule.bind.is_some() || self.has_word(id, rule)) {
            self.assign(id, rule);
        }
        if rule.returned || rule.yielded {
            self.returned(id, rule);
        }
        if rule.outer {
            self.outer(id, rule);
        }
        if rule.param {
            self.unbound_param(id, rule);
        }
        if rule.type_param {
            self.type_param(id, rule);
        }
        if rule.bounds {
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
            given: None,
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
            given: None,
            adds: Modifiers::default(),
            ..frame
        });
    }

    /// The kind of the symbol around, if it is a type whose members stand directly here.
    fn member_of(&self) -> Option<(u32, SymbolKind)> {
        let frame = self.frame();
        let scope = self.flow.scopes.get(frame.scope as usize)?;
        let symbol = frame.symbol?;
        let kind = self.outline.symbols.get(symbol as usize)?.kind;
        // A variable of a type without a name has the members of that type.
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

    /// Whether members of a type or object stand directly here.
    fn in_type(&self) -> bool {
        let frame = self.frame();
        let scope = &self.flow.scopes[frame.scope as usize];
        scope.kind == ScopeKind::Type && scope.symbol == frame.symbol
    }

    /// Whether a node has one of the words its rule waits for.
    fn has_word(&self, id: NodeId, rule: &Rule) -> bool {
        rule.if_words.is_empty()
            || self.tree.children(id).any(|child| {
                !self.tree.node(child).named
                    && rule.if_words.iter().any(|word| word == self.tree.bytes(child))
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
        self.flow.bindings.push(Binding { scope, name, kind, ty: None, value: None, via: Via::Value, at });
        self.flow.bindings.len() - 1
    }

    fn push_expr(&mut self, expr: Expr) -> ExprId {
        let next = ExprId(self.flow.exprs.len() as u32);
        // Where a bare name may turn out to be a call, each of its places is an expression of its own.
        let shared = !self.table.has_bare_calls;
        let id = if shared { *self.known_exprs.entry(expr).or_insert(next) } else { next };
        if id == next {
            self.flow.exprs.push(expr);
        }
        id
    }

    /// The text of a node, of which no more is read than the longest name may have: an expression that stands where a name
    /// might can be as long as the file, and so can each of the expressions inside it.
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

    /// The text of a node as a phrase to be shown: a type, a base.
    fn phrase(&mut self, id: NodeId) -> Atom {
        let text =
            crate::facts::display_text::fold(&self.beginning(id), crate::facts::display_text::PHRASE_CAP);
        let text = text.trim_start_matches([':', '-', '>', ' ']);
        self.shown.intern(text)
    }

    fn issue(&mut self, id: NodeId) {
        // An error inside an error tells nothing new.
        let inside = self.outline.issues.last().is_some_and(|last| last.span.contains(&self.tree.span(id)));
        if !inside && self.outline.issues.len() < ISSUES_CAP {
            self.outline.issues.push(Issue { kind: IssueKind::Syntax, span: self.tree.span(id) });
        }
    }
}
