//! Edges of calls: to functions, constructors, and functions that are passed as arguments.

use super::markup_edges::is_undefined;
use super::references::ReferenceEdges;
use crate::calls::overloads::{MAX_OVERLOADS, receivers_of};
use crate::file::FileRef;
use crate::names::bindings::LookupKind;
use crate::session::{Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, Ty};
use crate::types::written_types::is_function;
use orient_model::{Atom, Confidence, Edge, EdgeKind, Expr, ExprId, Node, Reason, RefKind, Rule, SymbolKind};

impl ReferenceEdges<'_, '_> {
    pub(super) fn call(&mut self, site: &Site) {
        let (callee, args) = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee, args } => (callee, self.unit.list(args)),
            // A markup element calls or constructs its component.
            Expr::New { ty, .. } => (ty, &[][..]),
            _ => (self.reference.expr, &[][..]),
        };
        if self.reference.kind == RefKind::Decorate && callee != self.reference.expr {
            return self.decorate_by_result(site);
        }
        if self.unit.expr(callee) == Expr::SuperRef {
            if self.unit.rules.super_calls {
                self.call_super(site, args);
            }
            return;
        }
        if self.unit.expr(callee) == Expr::SelfRef && self.unit.rules.super_calls {
            return self.call_own_constructor(site, args);
        }
        let mut found = match self.reference.kind {
            RefKind::Call => self.session.applicable_callees(site, callee, args),
            _ => self.session.callees(site, callee),
        };
        if self.reference.kind == RefKind::Decorate {
            found = self.with_suffix(site, callee, found);
        }
        if self.reference.kind == RefKind::Expand {
            // Macros have a namespace of their own.
            found.retain(|one| match &one.referent {
                Referent::Symbol(sym, _) => self.session.kind(*sym) == Some(SymbolKind::Macro),
                Referent::Value(_) => false,
                Referent::External(..) => true,
            });
        }
        if found.len() >= MAX_OVERLOADS {
            // Nothing is proved among so many, and an edge to each of them from every call would be a quadratic number of edges.
            let first = found.iter().find_map(Target::sym);
            let home = first.and_then(|sym| Some((self.session.unit_of(sym)?, sym.at)));
            if let Some((home, at)) = home {
                return self.push_miss(home.name(at), Reason::Ambiguous);
            }
        }
        self.weaken_library_function(callee, &mut found);
        let found = self.session.resolve_overloads(site, &found, args);
        if found.iter().all(|one| matches!(one.referent, Referent::External(..)))
            && self.constructs_by_maker(site, callee, args)
        {
            return;
        }
        if found.iter().all(is_undefined) && self.follow_markup(site, callee) {
            return;
        }
        if found.is_empty() {
            return self.call_table(site, callee, args);
        }
        if self.unit.rules.value_flow_typing
            && found.iter().all(|one| matches!(self.session.value(one).ty, Ty::Lambda(..)))
        {
            // An anonymous function belongs to the symbol around it.
            self.is_local = true;
            return;
        }
        if self.calls_undefined_value(site, callee, &found) {
            return;
        }
        let targets = self.callables(found);
        if targets.is_empty() {
            return self.call_table(site, callee, args);
        }
        if self.reference.kind == RefKind::Decorate {
            for one in &targets {
                self.wrap_decorated(one);
            }
        }
        self.emit_calls(site, targets, args);
    }

    /// Whether a call means function values without a definition: a parameter, which belongs to the symbol around the call, or a member that the
    /// language defines, which is external.
    fn calls_undefined_value(&mut self, site: &Site, callee: ExprId, found: &[Target]) -> bool {
        let rules = &self.unit.rules;
        let is_function = |ty: &Ty| match ty {
            Ty::Signature(..) | Ty::Returning(_) => true,
            Ty::External(name, _) => is_function(rules, name),
            _ => false,
        };
        let is_value = |one: &Target| matches!(&one.referent, Referent::Value(ty) if is_function(ty));
        if !rules.overloads || rules.type_namespace || found.is_empty() || !found.iter().all(is_value) {
            return false;
        }
        match self.unit.expr(Session::without_type_arguments(site, callee)) {
            Expr::Name(_) => self.is_local = true,
            Expr::Member { name, .. } => self.push_external("", self.unit.text(name)),
            _ => return false,
        }
        true
    }

    /// A decorator that is a call: what it returns is called with the decorated symbol. The call itself is a reference of its own.
    fn decorate_by_result(&mut self, site: &Site) {
        let val = self.session.eval(site, self.reference.expr);
        let mut found = self.callables_of_value(&val, Confidence::Probable);
        found.retain(|one| one.sym().and_then(|sym| self.session.kind(sym)) == Some(SymbolKind::Function));
        for one in &found {
            self.wrap_decorated(one);
        }
        self.emit_calls(site, found, &[]);
        self.is_local = true;
    }

    /// A decorator gets the function that it decorates: what it returns may call it.
    fn wrap_decorated(&mut self, decorator: &Target) {
        let Some(sym) = decorator.sym() else { return };
        let Some(home) = self.session.unit_of(sym) else { return };
        let Some(scope) = home.scope_of(sym.at).filter(|_| home.kind(sym.at) == Some(SymbolKind::Function))
        else {
            return;
        };
        let Some(param) = home.params(scope).first().and_then(|&at| home.binding(at)).map(|one| one.name)
        else {
            return;
        };
        let Some(decorated) = self.unit.next_symbol(self.reference.at) else { return };
        self.pass_function(&home, sym, param, &[self.unit.sym(decorated)]);
    }

    /// A call through a table with a computed key may call every function in the table. Any other call is unresolved.
    fn call_table(&mut self, site: &Site, callee: ExprId, args: &[ExprId]) {
        let access = match self.unit.expr(callee) {
            // A variable that was looked up in a table: `const run = table[key]`.
            Expr::Name(name) => {
                let bindings = self.unit.bindings_around(site.scope, self.unit.text(name));
                bindings.first().and_then(|&at| self.unit.binding(at)?.value)
            }
            _ => Some(callee),
        };
        let found = match access.map(|access| self.unit.expr(access)) {
            Some(Expr::Index { base, key }) => self.session.table_functions(site, base, key),
            _ => Vec::new(),
        };
        if found.is_empty() {
            return self.push_unresolved(site, callee);
        }
        self.emit_calls(site, found, args);
    }

    /// A repository may define a function of the standard library for platforms that lack it.
    fn weaken_library_function(&self, callee: ExprId, found: &mut Vec<Target>) {
        let Expr::Name(name) = self.unit.expr(callee) else { return };
        let name = self.unit.text(name);
        if found.is_empty() || !self.unit.rules.library_functions.iter().any(|known| known == name) {
            return;
        }
        let is_here = |one: &Target| one.sym().is_none_or(|sym| sym.file == self.unit.file);
        if found.iter().any(is_here) {
            return;
        }
        found.retain(|one| one.rule != Rule::Global);
        for one in found.iter_mut() {
            one.confidence = one.confidence.max(Confidence::Probable);
        }
        if found.is_empty() {
            found.push(Target::external("", name));
        }
    }

    /// An annotation or attribute that nothing calls: it refers to a type, a macro, or a function that is an attribute.
    pub(super) fn annotation(&mut self, site: &Site) {
        let name = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee: name, .. } | Expr::New { ty: name, .. } => name,
            _ => self.reference.expr,
        };
        let found = match self.unit.expr(name) {
            Expr::Name(text) => self.session.lookup_as(site, self.unit.text(text), LookupKind::Type),
            _ => self.session.targets(site, name).to_vec(),
        };
        let mut found = self.with_suffix(site, name, found);
        found.retain(|one| one.sym().is_none_or(|sym| self.session.can_annotate(sym)));
        if found.is_empty() {
            return self.push_unresolved(site, name);
        }
        for one in &found {
            match one.sym() {
                Some(sym) => self.push_edge(EdgeKind::References, sym, one.rule, one.confidence),
                None => self.push_external_target(one),
            }
        }
    }

    /// What an attribute means whose name may omit a suffix: `[Route]` for `RouteAttribute`.
    fn with_suffix(&self, site: &Site, callee: ExprId, found: Vec<Target>) -> Vec<Target> {
        let suffix = &self.unit.rules.attribute_suffix;
        let Expr::Name(name) = self.unit.expr(callee) else { return found };
        let is_type = |one: &Target| one.sym().is_some_and(|sym| self.session.is_type(sym));
        if suffix.is_empty() || found.iter().any(is_type) {
            return found;
        }
        let full = format!("{}{suffix}", self.unit.text(name));
        let whole = self.session.lookup_as(site, &full, LookupKind::Type);
        if whole.is_empty() { found } else { whole }
    }

    /// The functions behind the targets: of a variable that holds one, of a callable instance.
    fn callables(&self, found: Vec<Target>) -> Vec<Target> {
        let mut targets = Vec::new();
        for one in found {
            match &one.referent {
                Referent::External(..) => targets.push(one),
                Referent::Symbol(sym, via) => {
                    let Some(home) = self.session.unit_of(*sym) else { continue };
                    let Some(kind) = home.kind(sym.at) else { continue };
                    if kind == SymbolKind::Module {
                        // A module of that name cannot be called.
                        continue;
                    }
                    if kind == SymbolKind::Object {
                        // A singleton object is not constructed: the call goes to its call operator.
                        let held = self.callables_of_value(
                            &Value::new(Ty::instance(*sym), Rule::Static),
                            one.confidence,
                        );
                        if !held.is_empty() {
                            targets.extend(held);
                            continue;
                        }
                    }
                    let calls = (kind.is_callable() && kind != SymbolKind::Property)
                        || kind.is_type()
                        || matches!(
                            kind,
                            SymbolKind::TypeAlias | SymbolKind::EnumMember | SymbolKind::Delegate
                        );
                    if calls {
                        targets.push(one);
                        continue;
                    }
                    let val = self.session.seen_via(self.session.type_of_symbol(*sym), via.as_ref());
                    let held = self.callables_of_value(&val, one.confidence);
                    let is_called = kind == SymbolKind::Property
                        || (home.rules.type_namespace && is_function_type(&val.ty));
                    if held.is_empty() && is_called {
                        targets.push(one);
                    } else if held.is_empty() {
                        targets.push(one.by(Rule::Value).at_most(Confidence::Probable));
                    } else {
                        targets.extend(held);
                    }
                }
                Referent::Value(ty) => {
                    let val = Value { ty: ty.clone(), rule: one.rule, confidence: one.confidence };
                    targets.extend(self.callables_of_value(&val, one.confidence));
                }
            }
        }
        targets
    }

    fn callables_of_value(&self, val: &Value, confidence: Confidence) -> Vec<Target> {
        let session = self.session;
        let less_sure = if val.ty.alternatives().len() > 1 { Confidence::Probable } else { confidence };
        let mut targets = Vec::new();
        for ty in val.ty.alternatives() {
            match ty {
                Ty::Function(sym, via) => {
                    let referent = Referent::Symbol(*sym, via.clone());
                    targets.push(Target {
                        referent,
                        rule: Rule::Value,
                        confidence: less_sure,
                        receiver_distance: 0,
                    });
                }
                Ty::Metatype(sym, _) => targets.push(Target::symbol(*sym, Rule::Value).at_most(less_sure)),
                Ty::Instance(sym, _) => {
                    let Some(home) = session.unit_of(*sym) else { continue };
                    if home.kind(sym.at) == Some(SymbolKind::Delegate) {
                        continue;
                    }
                    if let Some(name) = home.implicit("call") {
                        let (scope, at) = (self.reference.scope, self.reference.at);
                        let site = Site { unit: self.unit.clone(), scope, at };
                        let found = session.member(&val.with(ty.clone()), name, self.unit);
                        let found = session.visible_extensions(&site, found);
                        targets
                            .extend(found.into_iter().map(|one| one.by(Rule::Implicit).at_most(less_sure)));
                    }
                }
                Ty::Module(module) => {
                    let whole = session.default_export(module, self.unit);
                    targets.extend(whole.into_iter().filter(|one| one.sym().is_some()));
                }
                Ty::External(name, _) if !name.is_empty() => targets.push(Target::external("", name)),
                _ => {}
            }
        }
        targets
    }

    /// The base's constructor, or in a method the base's method of the same name.
    fn call_super(&mut self, site: &Site, args: &[ExprId]) {
        let session = self.session;
        let symbol = site.symbol();
        let Some(ty) = session.self_type(self.unit, symbol) else { return };
        let method = symbol.map(|at| self.unit.name(at).to_owned());
        let is_constructor = symbol.is_some_and(|at| self.unit.kind(at) == Some(SymbolKind::Constructor));
        let mut found = match method {
            Some(name) if !is_constructor || self.unit.rules.constructors.contains(&name) => {
                session.type_member(&ty, &name, 1, Rule::Super)
            }
            _ => Vec::new(),
        };
        if found.is_empty() && is_constructor {
            let line = session.mro(&ty);
            for base in line.iter().skip(1) {
                if let Ty::Instance(sym, _) = base {
                    found = self.constructors(*sym);
                    if !found.is_empty() || !self.unit.rules.inherits_constructors {
                        break;
                    }
                }
            }
        }
        let found = session.resolve_overloads(site, &found, args);
        self.emit_calls(site, found.into_iter().map(|one| one.by(Rule::Super)).collect(), args);
    }

    /// Adds the edges of an implicit constructor such as `Cart.new`; returns whether the callee is one.
    fn constructs_by_maker(&mut self, site: &Site, callee: ExprId, args: &[ExprId]) -> bool {
        let name = self.unit.last_name(callee);
        if !self.unit.rules.implicit_constructors.iter().any(|makes| Some(makes.as_str()) == name) {
            return false;
        }
        let val = self.session.receiver_member_result(site, callee, args);
        let mut any = false;
        for ty in val.ty.alternatives() {
            if let Ty::Instance(sym, _) = ty {
                any = true;
                let confidence =
                    if val.ty.alternatives().len() > 1 { Confidence::Probable } else { val.confidence };
                self.emit_construction(
                    site,
                    *sym,
                    &Target::symbol(*sym, Rule::Receiver).at_most(confidence),
                    args,
                );
            }
        }
        any
    }

    /// Another constructor of the same type: `this(…)`.
    fn call_own_constructor(&mut self, site: &Site, args: &[ExprId]) {
        let Some(Ty::Instance(sym, _)) = self.session.self_type(self.unit, site.symbol()) else { return };
        let found = self.session.resolve_overloads(site, &self.makers(sym), args);
        let found: Vec<Target> =
            self.decide(found).into_iter().filter(|one| one.sym() != Some(sym)).collect();
        for one in found.iter().filter_map(Target::sym) {
            self.push_edge(EdgeKind::Calls, one, Rule::Receiver, found[0].confidence);
        }
    }

    /// The definitions behind the targets; none if several have one full name and nothing decides between them.
    pub(super) fn decide(&mut self, targets: Vec<Target>) -> Vec<Target> {
        let mut decided: Vec<Target> = Vec::new();
        for target in targets {
            let mut target = self.session.definition_of(target);
            if let Referent::Symbol(sym, _) = &mut target.referent {
                *sym = self.session.canonical(*sym);
            }
            if target.sym().is_none() || !decided.iter().any(|known| known.sym() == target.sym()) {
                decided.push(target);
            }
        }
        let decided = self.session.prefer_definitions(decided);
        if decided.len() < 2 {
            return decided;
        }
        let names: Vec<Option<String>> =
            decided.iter().map(|one| one.sym().map(|sym| self.session.full_name(sym))).collect();
        let alike =
            |at: usize| names[at].is_some() && names.iter().filter(|name| **name == names[at]).count() > 1;
        if !(0..names.len()).any(alike) {
            return decided;
        }
        if self.session.are_of_several_impls(&decided) {
            self.push_ambiguous(&decided);
            return Vec::new();
        }
        if self.differ_in_receiver_only(&decided) {
            if let Some(selected) = self.selected_by_receiver(&decided) {
                return vec![selected];
            }
            return decided
                .into_iter()
                .map(|one| Target { confidence: Confidence::Probable, ..one })
                .collect();
        }
        let declared = decided.iter().all(|one| one.sym().is_some_and(|sym| self.session.declares(sym)));
        if declared {
            return decided.into_iter().take(1).collect();
        }
        if !self.unit.rules.overloads {
            // Alternatives of conditional compilation: one of them is meant.
            return decided.into_iter().take(1).map(|one| one.at_most(Confidence::Probable)).collect();
        }
        if let Some(nearest) = self.nearest(&decided) {
            return vec![nearest];
        }
        self.push_ambiguous(&decided);
        let mut at = 0..names.len();
        decided.into_iter().filter(|_| at.next().is_some_and(|at| !alike(at))).collect()
    }

    /// The only definition in the directory nearest to this file: each part of a project may have its own.
    fn nearest(&self, found: &[Target]) -> Option<Target> {
        let own = self.unit.path().display().into_owned();
        let near = |one: &Target| {
            let home = one.sym().and_then(|sym| self.session.unit_of(sym));
            let path = home.map(|home| home.path().display().into_owned()).unwrap_or_default();
            own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let best = found.iter().map(near).max()?;
        let mut nearest = found.iter().filter(|one| near(one) == best);
        let first = nearest.next()?.clone();
        nearest.next().is_none().then(|| first.at_most(Confidence::Probable))
    }

    /// Whether two methods have the same parameters and differ in the receiver only, as `const` overloads do.
    fn differ_in_receiver_only(&self, found: &[Target]) -> bool {
        let [one, two] = found else { return false };
        let (Some(one), Some(two)) = (one.sym(), two.sym()) else { return false };
        let is_method = |sym: SymbolId| self.session.kind(sym) == Some(SymbolKind::Method);
        let forwards = self.unit.rules.deref_forwarding && is_method(one) && is_method(two);
        forwards && self.session.has_same_params(one, two)
    }

    /// Of two overloads that differ in the qualifier of their receiver, the one that the receiver of this call selects.
    fn selected_by_receiver(&self, found: &[Target]) -> Option<Target> {
        let Expr::Call { callee, .. } = self.unit.expr(self.reference.expr) else { return None };
        let is_qualified = self.session.is_receiver_qualified(&self.site(), callee)?;
        let takes =
            |one: &&Target| one.sym().is_some_and(|sym| self.session.takes_qualified(sym) == is_qualified);
        let mut selected = found.iter().filter(takes);
        let first = selected.next()?.clone();
        selected.next().is_none().then_some(Target { confidence: Confidence::Exact, ..first })
    }

    fn push_ambiguous(&mut self, found: &[Target]) {
        let Some(sym) = found.iter().find_map(Target::sym) else { return };
        let Some(home) = self.session.unit_of(sym) else { return };
        self.push_miss(home.name(sym.at), Reason::Ambiguous);
    }

    pub(super) fn emit_calls(&mut self, site: &Site, targets: Vec<Target>, args: &[ExprId]) {
        for target in self.decide(targets) {
            let Some(sym) = target.sym() else {
                self.push_external_target(&target);
                continue;
            };
            let Some(home) = self.session.unit_of(sym) else { continue };
            let Some(kind) = home.kind(sym.at) else { continue };
            if kind.is_type() || kind == SymbolKind::TypeAlias {
                let is_made = self.reference.kind == RefKind::Construct
                    || matches!(self.unit.expr(self.reference.expr), Expr::New { .. });
                if is_made || self.unit.rules.calls_construct {
                    let own = self.custom_makers(sym);
                    if let Some(maker) = own.iter().find_map(Target::sym) {
                        self.push_edge(EdgeKind::Calls, maker, target.rule, target.confidence);
                        continue;
                    }
                    self.emit_construction(site, sym, &target, args);
                } else {
                    // A conversion uses the type and constructs nothing.
                    self.push_edge(EdgeKind::TypeOf, sym, target.rule, target.confidence);
                }
                continue;
            }
            if kind == SymbolKind::Module && self.reference.kind == RefKind::Construct {
                // A module can be constructed only by a constructor of its own.
                if let Some(maker) = self.custom_makers(sym).iter().find_map(Target::sym) {
                    self.push_edge(EdgeKind::Calls, maker, target.rule, target.confidence);
                }
                continue;
            }
            match kind {
                SymbolKind::EnumMember => {
                    self.push_edge(EdgeKind::Constructs, sym, target.rule, target.confidence);
                }
                SymbolKind::Constructor => {
                    self.push_edge(EdgeKind::Calls, sym, target.rule, target.confidence);
                    if target.rule != Rule::Super
                        && let Some(at) = home.symbol(sym.at).and_then(|symbol| symbol.parent)
                    {
                        self.push_edge(EdgeKind::Constructs, home.sym(at), target.rule, target.confidence);
                    }
                }
                // A macro is expanded, not called.
                SymbolKind::Macro => {
                    self.push_edge(EdgeKind::References, sym, target.rule, target.confidence);
                }
                kind if kind.is_callable() => {
                    self.push_edge(EdgeKind::Calls, sym, target.rule, target.confidence);
                    let shift = receivers_of(&target, &home, sym.at);
                    self.arguments(site, sym, args, shift);
                }
                kind if self.reference.kind == RefKind::Construct
                    && (self.unit.rules.type_namespace || kind.is_rendered()) =>
                {
                    self.push_edge(EdgeKind::Constructs, sym, target.rule, target.confidence);
                }
                _ => self.push_edge(EdgeKind::Calls, sym, target.rule, target.confidence),
            }
        }
    }

    /// Edges from a function that calls its parameter to the functions that are passed for it.
    pub(super) fn arguments(&mut self, site: &Site, callee: SymbolId, args: &[ExprId], shift: usize) {
        let Some(home) = self.session.unit_of(callee) else { return };
        let Some(scope) = home.scope_of(callee.at) else { return };
        for (place, &arg) in args.iter().enumerate() {
            let (named, value) = match self.unit.expr(arg) {
                Expr::Named { name, value } => (Some(self.unit.text(name)), value),
                Expr::Name(_) | Expr::Member { .. } | Expr::Function(_) => (None, arg),
                _ => continue,
            };
            let given: Vec<SymbolId> = self
                .session
                .eval(site, value)
                .ty
                .alternatives()
                .iter()
                .filter_map(|ty| match ty {
                    Ty::Function(sym, _) => Some(*sym),
                    _ => None,
                })
                .collect();
            if given.is_empty() || given.len() > 3 {
                continue;
            }
            let param = match named {
                Some(name) => home
                    .params(scope)
                    .iter()
                    .copied()
                    .find(|&at| home.binding(at).is_some_and(|b| home.text(b.name) == name)),
                None => home.params(scope).get(place + shift).copied(),
            };
            let Some(name) = param.and_then(|at| home.binding(at)).map(|binding| binding.name) else {
                continue;
            };
            self.pass_function(&home, callee, name, &given);
        }
    }

    /// Edges from a function, and from the functions in it, where they call this parameter of it.
    fn pass_function(&mut self, home: &FileRef, callee: SymbolId, param: Atom, given: &[SymbolId]) {
        let dispatched = home.rules.typed_callbacks;
        let kind = if dispatched { EdgeKind::Dispatches } else { EdgeKind::Calls };
        let (confidence, rule) = (Confidence::Probable, Rule::Argument);
        for (caller, line) in home.called_within(callee.at, param) {
            for &target in given {
                let from = Node { file: callee.file, symbol: Some(caller) };
                let to = Node { file: target.file, symbol: Some(target.at) };
                self.out.edges.push(Edge { from, kind, to, line, confidence, rule });
            }
        }
    }
}

/// Whether values of a declared type can be called.
fn is_function_type(ty: &Ty) -> bool {
    matches!(ty, Ty::Signature(..) | Ty::Returning(_) | Ty::Instance(..))
}
