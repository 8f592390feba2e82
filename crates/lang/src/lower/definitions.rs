//! Definitions: functions, types and other symbols, with their scopes, bodies and bases.

use super::definition_names::DefinitionName;
use super::headers::DefinitionHeader;
use super::{Lowering, mark};
use crate::node_table::{NodePath, Rule};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::ExprRole;
use orient_model::{
    ANONYMOUS, Atom, Base, BindingKind, Modifier, RefKind, Relation, Return, ScopeKind, Symbol, SymbolKind,
    Visibility, Wrapper,
};

/// A symbol under construction, before its header is read.
pub(super) struct SymbolDraft<'n> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'n str,
    pub(super) qualifier: Option<String>,
    /// The node that determines the symbol's span, documentation and attributes.
    pub(super) node: NodeId,
    pub(super) name_node: NodeId,
    pub(super) body: Option<NodeId>,
    pub(super) parent: Option<u32>,
}

impl<'t> Lowering<'t> {
    /// Lowers a node that defines a symbol. False if it is only a reference.
    pub(super) fn define(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind) -> bool {
        let body = rule.body.find(self.tree, id);
        if rule.needs_body && body.is_none() {
            return false;
        }
        if rule.only_in_type && !self.in_type() {
            return false;
        }
        if let Some(&symbol) = self.claims.get(&id) {
            self.own_words(id, symbol);
            self.enter_symbol(id, rule, symbol, rule.params.find(self.tree, id), body);
            self.own_name(id, rule, symbol);
            return true;
        }
        let naming = self.find_naming(id, rule);
        let Some(DefinitionName { node, name, qualifier, params, wraps, declarator, .. }) = naming else {
            self.enter_anonymous(id, rule, body);
            return true;
        };
        let words = self.header_words(id);
        let by_part = rule.kinds_by_part.iter().find(|(part, _)| part.find(self.tree, id).is_some());
        let kind = self.kind_here(rule, by_part.map_or(kind, |(_, kind)| *kind), &name, &words);
        let kind =
            if qualifier.is_some() { self.kind_in_type(kind, &name, qualifier.as_deref()) } else { kind };
        let qualifier =
            rule.qualifier.find(self.tree, id).map(|receiver| self.type_name(receiver)).or(qualifier);
        let parent = self.parent_of(id);
        let around = parent
            .and_then(|parent| self.outline.symbols.get(parent as usize))
            .map(|parent| self.shown.get(parent.name));
        // The name of the enclosing type adds nothing.
        let qualifier = qualifier.filter(|qualifier| around != Some(qualifier.as_str()));
        let draft = SymbolDraft { kind, name: &name, qualifier, node: id, name_node: node, body, parent };
        let symbol = self.add_symbol(draft, rule);
        if !rule.name_starts.is_empty() {
            self.span_of_long_name(symbol, id, rule);
        }
        if let Some(base) = rule.named_after.find(self.tree, id).filter(|_| body == Some(id)) {
            // Its header is part of the expression around it.
            self.outline.symbols[symbol as usize].signature = self.phrase(base);
        }
        // The extended type is referenced here, not declared.
        if kind != SymbolKind::Impl {
            self.consume(node);
        }
        let declared = params.is_some();
        let params = rule.params.find(self.tree, id).or(params);
        if rule.inner_name {
            self.flow.bindings.pop();
        }
        self.enter_symbol(id, rule, symbol, params, body);
        if self.table.has_bare_calls {
            self.gates.insert(self.frame().scope);
        }
        self.own_name(id, rule, symbol);
        if declared {
            self.wrap_result(id, rule, symbol, &wraps, declarator);
        }
        true
    }

    /// The kind of a function whose qualified name makes it a member of a type: `void Foo::bar()`.
    fn kind_in_type(&self, kind: SymbolKind, name: &str, owner: Option<&str>) -> SymbolKind {
        if kind != SymbolKind::Function {
            return kind;
        }
        let last = owner.and_then(|owner| owner.rsplit('.').next());
        if self.table.constructor_named_as_type && last == Some(name) {
            SymbolKind::Constructor
        } else {
            SymbolKind::Method
        }
    }

    /// The parent of a definition. A type defined inside a declaration is a sibling of the declared name.
    fn parent_of(&self, id: NodeId) -> Option<u32> {
        let around = self.frame().symbol;
        if !self.has(id, mark::BESIDE) {
            return around;
        }
        around.and_then(|symbol| self.outline.symbols.get(symbol as usize)).and_then(|symbol| symbol.parent)
    }

    /// The result type of a function; a macro that generates the header is none: `TEST(name) {`.
    fn result_type(&self, rule: &Rule, id: NodeId) -> Option<NodeId> {
        let called = |ty: NodeId| {
            let behind = &self.tree.source[self.tree.node(ty).end as usize..];
            behind.first() == Some(&b'(')
        };
        let calls_macro = |ty: NodeId| {
            let preprocessor = self.table.preprocessor.as_ref();
            called(ty) && preprocessor.is_some_and(|known| known.is_macro(self.tree.bytes(ty)))
        };
        rule.returns.find(self.tree, id).filter(|&ty| !calls_macro(ty))
    }

    /// The result type of a function whose declarator wraps the declared type: `char *name(void)`.
    fn wrap_result(
        &mut self,
        id: NodeId,
        rule: &Rule,
        symbol: u32,
        wraps: &[Wrapper],
        declarator: (NodeId, NodeId),
    ) {
        let Some(returns) = self.result_type(rule, id) else { return };
        let text = self.type_phrase(returns, declarator);
        self.outline.symbols[symbol as usize].returns = Some(text);
        let Some(at) =
            self.flow.bindings.iter().rposition(|binding| binding.kind == BindingKind::Symbol(symbol))
        else {
            return;
        };
        if let Some(ty) = self.flow.bindings[at].ty {
            self.flow.bindings[at].ty = Some(self.wrapped(ty, wraps));
        }
    }

    /// Applies the modifiers of an anonymous function to the symbol it is assigned to: `const f = async () => {}`.
    fn own_words(&mut self, id: NodeId, symbol: u32) {
        let modifiers = self.modifiers_at(id);
        self.outline.symbols[symbol as usize].modifiers.0 |= modifiers.0;
    }

    /// Binds a name that is visible only inside the definition.
    fn own_name(&mut self, id: NodeId, rule: &Rule, symbol: u32) {
        if !rule.inner_name {
            return;
        }
        if let Some(node) = rule.name.find(self.tree, id) {
            self.consume(node);
            let name = self.name_text(node);
            self.bind_name(
                self.frame().scope,
                &name,
                BindingKind::Symbol(symbol),
                self.tree.node(node).start,
            );
        }
    }

    fn find_naming(&self, id: NodeId, rule: &Rule) -> Option<DefinitionName> {
        if let Some(first) = rule.name_starts.find(self.tree, id) {
            return self.long_name(first, rule.name.find(self.tree, id)?);
        }
        if let Some(text) = &rule.fixed_name {
            let node = rule.name.find(self.tree, id).unwrap_or(id);
            return Some(DefinitionName::plain(node, text.clone()));
        }
        if rule.symbol == Some(SymbolKind::Impl) {
            let node = rule.name.find(self.tree, id)?;
            let name = self.type_name(node);
            return Some(DefinitionName::plain(node, name));
        }
        match (rule.name.find(self.tree, id), &rule.default_name) {
            (None, Some(name)) => Some(DefinitionName::plain(id, name.clone())),
            (None, None) => self.named_after(id, rule),
            (Some(name), _) => self.naming(name),
        }
    }

    /// The name of an anonymous type that extends or implements another. It is no identifier, so that nothing can mean it by mistake.
    fn named_after(&self, id: NodeId, rule: &Rule) -> Option<DefinitionName> {
        let base = self.type_name(rule.named_after.find(self.tree, id)?);
        let base = base.rsplit(['.', '\\']).next().filter(|base| !base.is_empty())?;
        Some(DefinitionName::plain(id, format!("{base}{ANONYMOUS}")))
    }

    /// The kind of a symbol in its context.
    pub(super) fn kind_here(&self, rule: &Rule, kind: SymbolKind, name: &str, words: &[&[u8]]) -> SymbolKind {
        // A key of several words requires all of them.
        let says = |key: &[u8]| key.split(|&b| b == b' ').all(|word| words.contains(&word));
        let kind = rule.kinds.iter().find(|(key, _)| says(key)).map_or(kind, |(_, kind)| *kind);
        if let Some((owner, _)) = self.member_of() {
            let kind = match (rule.member_kind, kind) {
                (Some(member), _)
                    if rule.kinds.is_empty() || rule.symbol == Some(kind) || rule.declare == Some(kind) =>
                {
                    member
                }
                (_, SymbolKind::Function) => SymbolKind::Method,
                (_, SymbolKind::Variable) => SymbolKind::Field,
                (_, kind) => kind,
            };
            let own = self.outline.symbols.get(owner as usize).map(|symbol| self.shown.get(symbol.name));
            let constructs = self.table.constructors.iter().any(|known| known == name)
                || (self.table.constructor_named_as_type && own == Some(name));
            return if kind == SymbolKind::Method && constructs { SymbolKind::Constructor } else { kind };
        }
        // In languages whose blocks are no scopes for functions, a function in a block belongs to the enclosing type.
        let inside = self.table.has_bare_calls && !rule.name.is_empty() && self.type_around().is_some();
        if kind == SymbolKind::Function && (self.in_type() || inside) {
            return SymbolKind::Method;
        }
        if self.in_function() { rule.local_kind.unwrap_or(kind) } else { kind }
    }

    /// A name without the variable prefix.
    pub(super) fn unmarked<'n>(&self, name: &'n str) -> &'n str {
        self.table.variable_prefix.as_ref().and_then(|mark| name.strip_prefix(mark.as_str())).unwrap_or(name)
    }

    /// Adds a symbol and binds its name; returns its index.
    #[expect(clippy::needless_pass_by_value, reason = "a draft is used up by becoming a symbol")]
    pub(super) fn add_symbol(&mut self, draft: SymbolDraft<'_>, rule: &Rule) -> u32 {
        let DefinitionHeader { modifiers, visibility, attributes, doc, span, header, component } =
            self.read_header(draft.node, draft.body, rule);
        let index = self.outline.symbols.len() as u32;
        let (qualifier, exported) = self.place_of(&draft);
        let mut modifiers = modifiers;
        if draft.parent == self.frame().symbol {
            modifiers = modifiers.with(self.frame().adds);
        }
        if exported {
            modifiers.insert(Modifier::Exported);
        }
        if draft.qualifier.is_some() && rule.qualifier.find(self.tree, draft.node).is_some() {
            modifiers.0 |= rule.modifiers_if_qualified.0;
        }
        let visibility = self.visibility_of(&draft, visibility, modifiers.contains(Modifier::Exported), rule);
        let mut symbol = Symbol {
            kind: draft.kind,
            name: self.shown.intern(self.unmarked(draft.name)),
            parent: draft.parent,
            qualifier: qualifier
                .as_deref()
                .filter(|text| !text.is_empty())
                .map(|text| self.shown.intern(text)),
            ordinal: 0,
            visibility,
            modifiers,
            span,
            name_span: self.tree.span(draft.name_node),
            header,
            body: draft.body.map(|body| self.tree.span(body)),
            signature: self.signature(&header),
            params: Vec::new(),
            returns: None,
            doc,
            attributes,
            bases: Vec::new(),
            body_hash: draft.body.map_or(0, |body| self.bodies.hash(self.tree.bytes(body))),
            complexity: None,
        };
        if component && draft.name.starts_with(char::is_uppercase) {
            symbol.modifiers.insert(Modifier::Component);
        }
        let accessor =
            symbol.modifiers.contains(Modifier::Getter) || symbol.modifiers.contains(Modifier::Setter);
        if symbol.kind == SymbolKind::Method && accessor {
            symbol.kind = SymbolKind::Property;
        }
        if let Some(parent) = symbol.parent {
            self.members.insert((parent, symbol.name));
        }
        self.outline.symbols.push(symbol);
        if draft.kind != SymbolKind::Impl {
            let at = self.tree.node(draft.name_node).start;
            self.bind_name(self.frame().scope, draft.name, BindingKind::Symbol(index), at);
        }
        index
    }

    fn visibility_of(
        &self,
        draft: &SymbolDraft<'_>,
        said: Option<Visibility>,
        exported: bool,
        rule: &Rule,
    ) -> Visibility {
        if let Some(said) = said {
            return said;
        }
        if exported {
            return Visibility::Public;
        }
        if let Some(given) = self.frame().call_visibility.filter(|_| draft.parent == self.frame().symbol) {
            return given;
        }
        if let Some(fixed) = rule.visibility {
            return fixed;
        }
        let conventions = self.conventions;
        let by_name = if conventions
            .private_names
            .as_ref()
            .is_some_and(|private| private.is_match(draft.name))
        {
            Some(Visibility::Private)
        } else {
            conventions.public_names.as_ref().map(|public| {
                if public.is_match(draft.name) { Visibility::Public } else { self.table.default_visibility }
            })
        };
        if let Some(by_name) = by_name {
            return by_name;
        }
        match self.member_of() {
            // An implementation of an interface's member is as visible as that member.
            Some((owner, SymbolKind::Impl)) if !self.outline.symbols[owner as usize].bases.is_empty() => {
                Visibility::Public
            }
            Some((_, kind)) => self.frame().access.unwrap_or_else(|| {
                if self.table.public_member_kinds.contains(&kind) {
                    Visibility::Public
                } else {
                    self.table.default_member_visibility
                }
            }),
            None if self.table.has_bare_calls && draft.kind == SymbolKind::Method => {
                self.frame().access.unwrap_or_default()
            }
            None if self.in_function() && draft.kind != SymbolKind::Field => Visibility::Private,
            None => self.frame().access.unwrap_or(self.table.default_visibility),
        }
    }

    /// Enters a symbol: its scope, parameters, bases and body.
    pub(super) fn enter_symbol(
        &mut self,
        id: NodeId,
        rule: &'t Rule,
        symbol: u32,
        params: Option<NodeId>,
        body: Option<NodeId>,
    ) {
        let binding = self.flow.bindings.len().checked_sub(1);
        let frame_scope = self.frame().scope;
        if let Some(kind) = rule.scope {
            let kind = if self.made.contains(&id) { ScopeKind::Type } else { kind };
            let scope = self.push_scope(id, kind, Some(symbol));
            self.functions.insert(id, (scope, Some(symbol)));
            self.adopt_type_params(id, frame_scope, scope);
        } else {
            self.push_symbol(id, symbol);
        }
        let scope = self.frame().scope;
        let returns = self.result_type(rule, id).or_else(|| rule.ty.find(self.tree, id));
        if let Some(returns) = returns {
            self.mark(returns, mark::TYPE);
            let text = self.phrase(returns);
            let ty = self.expr(returns);
            self.named_results(returns, scope);
            self.outline.symbols[symbol as usize].returns = Some(text);
            if let Some(binding) = binding
                && self.flow.bindings[binding].kind == BindingKind::Symbol(symbol)
            {
                self.flow.bindings[binding].ty = Some(ty);
            }
        }
        if let Some(owner) = rule.receiver_params.find(self.tree, id) {
            self.owner(owner, scope, symbol);
        }
        if let Some(params) = params {
            self.promoting = rule.parameters_declare;
            let params = self.params(params, scope, Some(symbol));
            self.promoting = None;
            self.outline.symbols[symbol as usize].params = params;
        } else if let Some(name) = &rule.implicit_param {
            self.bind_name(scope, name, BindingKind::Param, self.tree.node(id).start);
        }
        self.bases(id, rule, symbol);
        if let Some(body) = body {
            self.enter_body(rule, scope, body);
            self.adopt_body(symbol, body);
        } else {
            self.without_body(rule, symbol, frame_scope);
        }
    }

    /// Moves type parameters of a wrapper into the scope of the wrapped definition.
    pub(super) fn adopt_type_params(&mut self, id: NodeId, outer_scope: u32, scope: u32) {
        let outer = self.outer_of(id);
        if outer == id {
            return;
        }
        let start = self.tree.node(outer).start;
        for binding in self.flow.bindings.iter_mut().rev().take_while(|binding| binding.at >= start) {
            if binding.kind == BindingKind::TypeParam && binding.scope == outer_scope {
                binding.scope = scope;
            }
        }
    }

    /// Gives the body of an anonymous function or type to the symbol that names it.
    fn adopt_body(&mut self, symbol: u32, body: NodeId) {
        let (span, bytes) = (self.tree.span(body), self.tree.bytes(body));
        let docstring = self.docstring(body);
        let symbol = &mut self.outline.symbols[symbol as usize];
        if symbol.body.is_none() {
            symbol.body = Some(span);
            symbol.body_hash = self.bodies.hash(bytes);
        }
        if docstring.is_some() {
            symbol.doc = docstring;
        }
    }

    fn without_body(&mut self, rule: &Rule, symbol: u32, scope: u32) {
        let in_interface = self.flow.scopes[scope as usize]
            .symbol
            .and_then(|owner| self.outline.symbols.get(owner as usize))
            .is_some_and(|owner| matches!(owner.kind, SymbolKind::Interface | SymbolKind::Trait));
        let symbol = &mut self.outline.symbols[symbol as usize];
        if !rule.body.is_empty() && symbol.kind == SymbolKind::Module {
            symbol.modifiers.insert(Modifier::Declaration);
        }
        if rule.body.is_empty()
            || !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
        {
            return;
        }
        let modifiers = &mut symbol.modifiers;
        if in_interface {
            modifiers.insert(Modifier::Abstract);
        } else if !modifiers.contains(Modifier::Abstract) && !modifiers.contains(Modifier::Extern) {
            modifiers.insert(Modifier::Declaration);
        }
    }

    /// Enters an anonymous function or type: a scope whose contents belong to the enclosing symbol.
    fn enter_anonymous(&mut self, id: NodeId, rule: &'t Rule, body: Option<NodeId>) {
        let Some(kind) = rule.scope else { return };
        let scope = self.push_scope(id, kind, None);
        if kind == ScopeKind::Module
            && let Some(frame) = self.frames.last_mut()
        {
            // The contents of an anonymous module cannot be named from elsewhere.
            frame.access = Some(Visibility::Private);
        }
        self.functions.insert(id, (scope, None));
        if let Some(params) = rule.params.find(self.tree, id) {
            self.params(params, scope, None);
        } else if let Some(name) = &rule.implicit_param {
            self.bind_name(scope, name, BindingKind::Param, self.tree.node(id).start);
        }
        if let Some(returns) = rule.returns.find(self.tree, id) {
            self.mark(returns, mark::TYPE);
            self.named_results(returns, scope);
        }
        if let Some(body) = body {
            self.enter_body(rule, scope, body);
        }
    }

    fn enter_body(&mut self, rule: &Rule, scope: u32, body: NodeId) {
        self.mark(body, mark::BODY);
        if self.flow.scopes[scope as usize].kind != ScopeKind::Function {
            return;
        }
        let owner = self.flow.scopes[scope as usize].symbol;
        if owner.is_some_and(|at| self.outline.symbols[at as usize].kind == SymbolKind::Macro)
            && self.tree.named_children(body).next().is_none()
        {
            return self.macro_value(scope, body);
        }
        let body_rule = self.table.rule(self.tree, body);
        let value = if let Some(role) = body_rule.expr.filter(|_| body_rule.scope.is_none()) {
            (role != ExprRole::Opaque).then_some(body)
        } else if body_rule.symbol.is_some() && self.is_unnamed(body) && !self.opens(body, scope) {
            Some(body)
        } else if self.table.implicit_return || rule.returns_last_expression {
            self.last_expression(body)
        } else {
            None
        };
        if let Some(value) = value {
            let value = self.expr(value);
            if self.flow.expr(value) != orient_model::Expr::Unknown {
                self.flow.returns.push(Return { scope, value, yields: false });
            }
        }
    }

    /// Whether a scope belongs to this node: a function may be its own body.
    fn opens(&self, id: NodeId, scope: u32) -> bool {
        let (node, scope) = (self.tree.node(id), &self.flow.scopes[scope as usize]);
        (node.start, node.end) == (scope.start, scope.end)
    }

    fn last_expression(&self, body: NodeId) -> Option<NodeId> {
        let is_statement = |id: &NodeId| {
            !self.table.rule(self.tree, *id).comment && !self.table.rule(self.tree, *id).not_an_item
        };
        let last = self.tree.named_children(body).filter(is_statement).last()?;
        let rule = self.table.rule(self.tree, last);
        (rule.expr.is_some() && !rule.returned).then_some(last)
    }

    /// Adds the bases of a type.
    fn bases(&mut self, id: NodeId, rule: &'t Rule, symbol: u32) {
        for (spec, relation) in [
            (&rule.extends, Relation::Extends),
            (&rule.implements, Relation::Implements),
            (&rule.mixins, Relation::Mixes),
        ] {
            // An interface extends the interfaces it names.
            let interface = self.outline.symbols[symbol as usize].kind == SymbolKind::Interface;
            let relation =
                if interface && relation == Relation::Implements { Relation::Extends } else { relation };
            self.bases_at(id, spec, relation, symbol);
        }
        if !self.table.derive_attributes.is_empty() {
            self.derived(id, symbol);
        }
    }

    fn bases_at(&mut self, id: NodeId, spec: &NodePath, relation: Relation, symbol: u32) {
        let mut pending = spec.find_all(self.tree, id);
        pending.reverse();
        let mut budget = 400;
        while let Some(node) = pending.pop() {
            budget -= 1;
            let rule = self.table.rule(self.tree, node);
            match rule.expr {
                _ if budget == 0 => return,
                _ if rule.skip || rule.comment => {}
                Some(ExprRole::Named) => {}
                // An alternative of several types is no base.
                Some(ExprRole::Either) if self.tree.named_children(node).nth(1).is_some() => {}
                Some(
                    ExprRole::Path
                    | ExprRole::Name
                    | ExprRole::Member
                    | ExprRole::Apply
                    | ExprRole::Call
                    | ExprRole::New,
                ) => {
                    self.add_base(node, relation, symbol);
                }
                _ => {
                    let children: Vec<NodeId> = self.tree.named_children(node).collect();
                    pending.extend(children.into_iter().rev());
                }
            }
        }
    }

    /// A base as written, without the keyword before it.
    fn base_phrase(&mut self, node: NodeId) -> Atom {
        let rule = self.table.rule(self.tree, node);
        let base =
            rule.base.find(self.tree, node).filter(|_| rule.expr == Some(ExprRole::Apply)).unwrap_or(node);
        let bytes = &self.tree.source[self.tree.node(base).start as usize..self.tree.node(node).end as usize];
        let text = crate::facts::display_text::fold(
            &crate::facts::display_text::lossy(bytes),
            crate::facts::display_text::PHRASE_CAP,
        );
        self.shown.intern(&text)
    }

    pub(super) fn add_base(&mut self, node: NodeId, relation: Relation, symbol: u32) {
        let text = self.base_phrase(node);
        let name = self.type_name(node);
        let name = self.shown.intern(name.rsplit(['.', '\\']).next().unwrap_or(&name));
        self.outline.symbols[symbol as usize].bases.push(Base { text, name, relation });
        self.mark(node, mark::TYPE);
        self.part_out(node);
        let expr = self.expr(node);
        self.add_reference(RefKind::Inherit, expr, node);
    }
}
