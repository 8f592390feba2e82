//! Every use in a file: what it leads to, and what is kept of it when it leads nowhere.

use crate::file::file_unit::{Held, last_name};
use crate::invalidation::name_reach;
use crate::names::bindings::Want;
use crate::session::{Frame, Session};
use crate::types::ty::{Found, Sym, Thing, Ty, Val};
use orient_model::{
    Confidence, Edge, EdgeKind, Expr, ExprId, Miss, Node, Outside, Reason, RefKind, Reference, Resolved,
    Rule, SymbolKind,
};

/// The edges of all uses in a file.
pub(crate) fn edges(session: &Session<'_>, unit: &Held, out: &mut Resolved) {
    for reference in unit.references() {
        session.next_use();
        let mut uses = Uses { session, unit, reference, whole: true, receives: false, out };
        uses.follow();
    }
}

/// One use on its way to its edges.
struct Uses<'a, 'r> {
    session: &'a Session<'r>,
    unit: &'a Held,
    reference: &'a Reference,
    /// Whether it is used for its own sake, and not only named on the way to what is.
    whole: bool,
    /// Whether it is what a member is called on, where modules are objects.
    receives: bool,
    out: &'a mut Resolved,
}

impl Uses<'_, '_> {
    fn follow(&mut self) {
        let frame = Frame { unit: self.unit.clone(), scope: self.reference.scope, at: self.reference.at };
        match self.reference.kind {
            RefKind::Call | RefKind::Expand | RefKind::Decorate => self.call(&frame),
            RefKind::Construct => self.construct(&frame),
            RefKind::Read | RefKind::Write => self.mention(&frame, EdgeKind::References),
            RefKind::Type => self.mention(&frame, EdgeKind::TypeOf),
            RefKind::Inherit => return,
        }
        self.on_the_way(&frame);
    }

    /// What a use names on its way: `a` and `b` in `a.b.c()`.
    fn on_the_way(&mut self, frame: &Frame) {
        let mut expr = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee: expr, .. } | Expr::New { ty: expr, .. } => expr,
            _ => self.reference.expr,
        };
        let mut named = Vec::new();
        while let Expr::Member { base: inner, .. }
        | Expr::Apply { base: inner, .. }
        | Expr::Wrap { inner, .. } = self.unit.expr(expr)
        {
            expr = inner;
            if matches!(self.unit.expr(expr), Expr::Name(_) | Expr::Member { .. }) {
                named.push(expr);
            }
        }
        let told = named.len().saturating_sub(self.reference.apart as usize);
        let calls = self.unit.rules.split_members && self.reference.kind == RefKind::Call;
        for (place, &expr) in named[..told].iter().enumerate() {
            let reference = &Reference { kind: RefKind::Read, expr, ..*self.reference };
            let Self { session, unit, .. } = *self;
            let receives = calls && place == 0;
            Uses { session, unit, reference, whole: false, receives, out: self.out }
                .mention(frame, EdgeKind::References);
        }
    }

    fn call(&mut self, frame: &Frame) {
        let (callee, args) = match self.unit.expr(self.reference.expr) {
            Expr::Call { callee, args } => (callee, self.unit.facts.flow.list(args)),
            _ => (self.reference.expr, &[][..]),
        };
        if self.unit.expr(callee) == Expr::SuperRef {
            if self.unit.rules.super_calls {
                self.call_super(frame, args);
            }
            return;
        }
        if self.unit.expr(callee) == Expr::SelfRef && self.unit.rules.super_calls {
            return self.call_own(frame, args);
        }
        let mut found = self.session.callees(frame, callee);
        if self.reference.kind == RefKind::Decorate {
            found = self.with_suffix(frame, callee, found);
        }
        if self.reference.kind == RefKind::Expand {
            // Macros have names of their own.
            found.retain(|one| match &one.thing {
                Thing::Symbol(sym, _) => self.session.kind(*sym) == Some(SymbolKind::Macro),
                Thing::Value(_) => false,
                Thing::Outside(..) => true,
            });
        }
        let found = self.session.fitting(frame, &found, args);
        if found.iter().all(|one| matches!(one.thing, Thing::Outside(..))) && self.makes(frame, callee, args)
        {
            return;
        }
        if found.is_empty() {
            return self.miss(frame, callee);
        }
        if self.unit.rules.dynamic
            && found.iter().all(|one| matches!(self.session.value(one).ty, Ty::Lambda(..)))
        {
            // A function without a name belongs to the symbol around it.
            return;
        }
        let targets = self.callables(found);
        if targets.is_empty() {
            return self.miss(frame, callee);
        }
        self.emit_calls(frame, targets, args);
        let is_call = matches!(self.unit.expr(self.reference.expr), Expr::Call { .. });
        if self.reference.kind == RefKind::Decorate && is_call && self.unit.rules.dynamic {
            // What the call gives is the decorator, and is called with what it stands before.
            let val = self.session.eval(frame, self.reference.expr);
            let mut found = self.held(&val, Confidence::Probable);
            found
                .retain(|one| one.sym().and_then(|sym| self.session.kind(sym)) == Some(SymbolKind::Function));
            self.emit_calls(frame, found, &[]);
        }
    }

    /// What an attribute means whose name may leave out its last part: `[Route]` for `RouteAttribute`.
    fn with_suffix(&self, frame: &Frame, callee: ExprId, found: Vec<Found>) -> Vec<Found> {
        let suffix = &self.unit.rules.attribute_suffix;
        let Expr::Name(name) = self.unit.expr(callee) else { return found };
        let is_type = |one: &Found| one.sym().is_some_and(|sym| self.session.is_type(sym));
        if suffix.is_empty() || found.iter().any(is_type) {
            return found;
        }
        let full = format!("{}{suffix}", self.unit.text(name));
        let whole = self.session.lookup_as(frame, &full, Want::Type);
        if whole.is_empty() { found } else { whole }
    }

    /// Functions behind what was found: a variable that holds one, an instance that can be called.
    fn callables(&self, found: Vec<Found>) -> Vec<Found> {
        let mut targets = Vec::new();
        for one in found {
            match &one.thing {
                Thing::Outside(..) => targets.push(one),
                Thing::Symbol(sym, via) => {
                    let Some(home) = self.session.home(*sym) else { continue };
                    let Some(kind) = home.kind(sym.at) else { continue };
                    if kind == SymbolKind::Module {
                        // A module may have the name of a function, and is none.
                        continue;
                    }
                    if kind == SymbolKind::Object {
                        // An object is never made again: what is called is its member.
                        let held = self.held(&Val::new(Ty::of(*sym), Rule::Static), one.sure);
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
                    let val = self.session.through(self.session.type_of(*sym), via.as_ref());
                    let held = self.held(&val, one.sure);
                    let is_called =
                        kind == SymbolKind::Property || (home.rules.type_space && is_function_type(&val.ty));
                    if held.is_empty() && is_called {
                        targets.push(one);
                    } else if held.is_empty() {
                        targets.push(one.by(Rule::Value).at_most(Confidence::Probable));
                    } else {
                        targets.extend(held);
                    }
                }
                Thing::Value(ty) => {
                    let val = Val { ty: ty.clone(), rule: one.rule, sure: one.sure };
                    targets.extend(self.held(&val, one.sure));
                }
            }
        }
        targets
    }

    fn held(&self, val: &Val, sure: Confidence) -> Vec<Found> {
        let session = self.session;
        let unsure = if val.ty.each().len() > 1 { Confidence::Probable } else { sure };
        let mut targets = Vec::new();
        for ty in val.ty.each() {
            match ty {
                Ty::Function(sym, via) => {
                    let thing = Thing::Symbol(*sym, via.clone());
                    targets.push(Found { thing, rule: Rule::Value, sure: unsure, far: 0 });
                }
                Ty::Type(sym, _) => targets.push(Found::symbol(*sym, Rule::Value).at_most(unsure)),
                Ty::Of(sym, _) => {
                    let Some(home) = session.home(*sym) else { continue };
                    if home.kind(sym.at) == Some(SymbolKind::Delegate) {
                        continue;
                    }
                    if let Some(name) = home.implicit("call") {
                        let (scope, at) = (self.reference.scope, self.reference.at);
                        let frame = Frame { unit: self.unit.clone(), scope, at };
                        let found = session.member(&val.with(ty.clone()), name, self.unit);
                        let found = session.in_sight(&frame, found);
                        targets.extend(found.into_iter().map(|one| one.by(Rule::Implicit).at_most(unsure)));
                    }
                }
                Ty::Module(module) => {
                    let whole = session.whole_module(module, self.unit);
                    targets.extend(whole.into_iter().filter(|one| one.sym().is_some()));
                }
                Ty::Outside(name, _) if !name.is_empty() => targets.push(Found::outside("", name)),
                _ => {}
            }
        }
        targets
    }

    /// The base's constructor, or in a method the base's method of the same name.
    fn call_super(&mut self, frame: &Frame, args: &[ExprId]) {
        let session = self.session;
        let symbol = frame.symbol();
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
            let line = session.line(&ty);
            for base in line.iter().skip(1) {
                if let Ty::Of(sym, _) = base {
                    found = self.constructors(*sym);
                    if !found.is_empty() || !self.unit.rules.inherits_constructors {
                        break;
                    }
                }
            }
        }
        let found = session.fitting(frame, &found, args);
        self.emit_calls(frame, found.into_iter().map(|one| one.by(Rule::Super)).collect(), args);
    }

    /// A member of a type that makes an instance without being written; whether it is one.
    fn makes(&mut self, frame: &Frame, callee: ExprId, args: &[ExprId]) -> bool {
        let name = last_name(&self.unit.facts, callee);
        if !self.unit.rules.makers.iter().any(|makes| Some(makes.as_str()) == name) {
            return false;
        }
        let val = self.session.handed(frame, callee, args);
        let mut any = false;
        for ty in val.ty.each() {
            if let Ty::Of(sym, _) = ty {
                any = true;
                let sure = if val.ty.each().len() > 1 { Confidence::Probable } else { val.sure };
                self.emit_construction(frame, *sym, &Found::symbol(*sym, Rule::Receiver).at_most(sure), args);
            }
        }
        any
    }

    /// Another constructor of the same type: `this(…)`.
    fn call_own(&mut self, frame: &Frame, args: &[ExprId]) {
        let Some(Ty::Of(sym, _)) = self.session.self_type(self.unit, frame.symbol()) else { return };
        let found = self.session.fitting(frame, &self.makers(sym), args);
        let found: Vec<Found> =
            self.decided(found).into_iter().filter(|one| one.sym() != Some(sym)).collect();
        for one in found.iter().filter_map(Found::sym) {
            self.edge(EdgeKind::Calls, one, Rule::Receiver, found[0].sure);
        }
    }

    /// The constructors of a type; the type itself stands for the one in its header.
    fn makers(&self, sym: Sym) -> Vec<Found> {
        let mut found = self.constructors(sym);
        let header = self.session.home(sym).is_some_and(|home| {
            home.rules.overloads && home.symbol(sym.at).is_some_and(|symbol| !symbol.params.is_empty())
        });
        if header && !found.is_empty() {
            found.push(Found::symbol(sym, Rule::Constructor));
        }
        found
    }

    fn construct(&mut self, frame: &Frame) {
        let (ty, args) = match self.unit.expr(self.reference.expr) {
            Expr::New { ty, args } | Expr::Call { callee: ty, args } => (ty, self.unit.facts.flow.list(args)),
            _ => (self.reference.expr, &[][..]),
        };
        let found = match self.unit.expr(ty) {
            Expr::SelfRef => {
                let own = self.session.self_type(self.unit, frame.symbol());
                let own = own.map(|ty| Found::value(ty, Rule::Receiver));
                own.into_iter().collect()
            }
            Expr::Apply { base, args } if self.unit.rules.overloads => {
                self.session.find_type(frame, base, args.len as usize)
            }
            Expr::Apply { base, args } => self.session.with_arity(frame, base, args.len as usize),
            Expr::Name(_) if self.unit.rules.overloads && !self.unit.rules.type_space => {
                // A member of the name of a type hides it nowhere that something is made.
                let mut found = self.session.find_type(frame, ty, 0);
                if found.is_empty() {
                    found = self.session.denote(frame, ty).to_vec();
                    found.retain(|one| one.sym().is_none_or(|sym| self.session.is_type(sym)));
                }
                found
            }
            _ => self.session.denote(frame, ty).to_vec(),
        };
        let found = self.session.only(found, Want::Value);
        let mut targets = Vec::new();
        let type_space = self.unit.rules.type_space && self.unit.expr(ty) != Expr::SelfRef;
        let named = ty == self.reference.expr && self.unit.rules.dynamic;
        for one in found {
            match &one.thing {
                // A value of a type is no type that can be made.
                Thing::Value(Ty::Of(..)) if type_space => return,
                // Neither is what is only named: `raise error`.
                Thing::Value(Ty::Of(..) | Ty::Either(_)) if named => return,
                Thing::Symbol(sym, _) if named && !self.session.is_type(*sym) => {
                    match self.session.value(&one).ty {
                        Ty::Type(of, _) => targets.push(Found::symbol(of, Rule::Implicit).at_most(one.sure)),
                        _ => return,
                    }
                }
                Thing::Symbol(sym, _) if named => {
                    targets.push(Found::symbol(*sym, Rule::Implicit).at_most(one.sure));
                }
                Thing::Value(Ty::Module(module)) => {
                    let whole = self.session.whole_module(module, self.unit);
                    targets.extend(whole.into_iter().filter(|one| one.sym().is_some()));
                }
                Thing::Value(Ty::Of(sym, _) | Ty::Type(sym, _)) => {
                    targets.push(Found::symbol(*sym, one.rule).at_most(one.sure));
                }
                Thing::Value(_) => {}
                Thing::Symbol(sym, _) => match self.session.instance_of(*sym) {
                    Ty::Of(of, _) if self.session.is_type(*sym) => {
                        targets.push(Found::symbol(of, one.rule).at_most(one.sure));
                    }
                    // A name that holds a class.
                    Ty::Of(of, _) if type_space || self.holds(*sym) => {
                        targets.push(Found::symbol(of, Rule::Value).at_most(one.sure));
                    }
                    _ if self.holds(*sym) => {}
                    _ => targets.push(one),
                },
                Thing::Outside(..) => targets.push(one),
            }
        }
        if targets.is_empty() {
            return self.miss(frame, ty);
        }
        self.emit_calls(frame, targets, args);
    }

    /// Whether a symbol is a name for something else, where every type is a value.
    fn holds(&self, sym: Sym) -> bool {
        let kind = self.session.kind(sym);
        !self.unit.rules.makers.is_empty()
            && matches!(kind, Some(SymbolKind::Constant | SymbolKind::Variable))
    }

    /// What a type has itself in place of the maker of the language.
    fn own_makers(&self, sym: Sym) -> Vec<Found> {
        let session = self.session;
        let mut found = Vec::new();
        for name in &self.unit.rules.makers {
            found.extend(session.type_member(&Ty::of(sym), name, 0, Rule::Static));
        }
        found
    }

    /// The constructors a type declares itself.
    fn constructors(&self, sym: Sym) -> Vec<Found> {
        let members = self.session.members(sym);
        let Some(home) = self.session.home(sym) else { return Vec::new() };
        let mut names: Vec<&str> = home.rules.constructors.iter().map(String::as_str).collect();
        names.push(home.name(sym.at));
        let mut found = Vec::new();
        for name in names {
            for &member in members.get(name).into_iter().flatten() {
                let is = self
                    .session
                    .home(member)
                    .is_some_and(|unit| unit.kind(member.at) == Some(SymbolKind::Constructor));
                if is {
                    found.push(Found::symbol(member, Rule::Constructor));
                }
            }
        }
        self.session.ask(home.name(sym.at));
        found
    }

    /// The definitions behind the targets; none where several of one full name fit and nothing says which is meant.
    fn decided(&mut self, targets: Vec<Found>) -> Vec<Found> {
        let mut decided: Vec<Found> = Vec::new();
        for target in targets {
            let mut target = self.session.defined(target);
            if let Thing::Symbol(sym, _) = &mut target.thing {
                *sym = self.session.canonical(*sym);
            }
            if target.sym().is_none() || !decided.iter().any(|known| known.sym() == target.sym()) {
                decided.push(target);
            }
        }
        let decided = self.session.whole(decided);
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
        if self.are_twins(&decided) {
            return decided.into_iter().map(|one| Found { sure: Confidence::Probable, ..one }).collect();
        }
        let declared = decided.iter().all(|one| one.sym().is_some_and(|sym| self.session.declares(sym)));
        if declared {
            return decided.into_iter().take(1).collect();
        }
        if !self.unit.rules.overloads {
            // Written twice for different builds: one of them is meant.
            return decided.into_iter().take(1).map(|one| one.at_most(Confidence::Probable)).collect();
        }
        if let Some(nearest) = self.nearest(&decided) {
            return vec![nearest];
        }
        self.ambiguous(&decided);
        let mut at = 0..names.len();
        decided.into_iter().filter(|_| at.next().is_some_and(|at| !alike(at))).collect()
    }

    /// Of definitions in different files, the only one nearest to this file: each part of a project has its own.
    fn nearest(&self, found: &[Found]) -> Option<Found> {
        let own = self.unit.facts.path.display().into_owned();
        let near = |one: &Found| {
            let home = one.sym().and_then(|sym| self.session.home(sym));
            let path = home.map(|home| home.facts.path.display().into_owned()).unwrap_or_default();
            own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let best = found.iter().map(near).max()?;
        let mut nearest = found.iter().filter(|one| near(one) == best);
        let first = nearest.next()?.clone();
        nearest.next().is_none().then(|| first.at_most(Confidence::Probable))
    }

    /// Whether members of one type take the same and differ in what only the receiver tells: one for constants, one for all
    /// others.
    fn are_twins(&self, found: &[Found]) -> bool {
        let [one, two] = found else { return false };
        let (Some(one), Some(two)) = (one.sym(), two.sym()) else { return false };
        let is_method = |sym: Sym| self.session.kind(sym) == Some(SymbolKind::Method);
        let forwards = self.unit.rules.forwards && is_method(one) && is_method(two);
        forwards && self.session.same_params(one, two)
    }

    fn ambiguous(&mut self, found: &[Found]) {
        let Some(sym) = found.iter().find_map(Found::sym) else { return };
        let Some(home) = self.session.home(sym) else { return };
        self.keep_miss(home.name(sym.at), Reason::Ambiguous);
    }

    fn emit_calls(&mut self, frame: &Frame, targets: Vec<Found>, args: &[ExprId]) {
        for target in self.decided(targets) {
            let Some(sym) = target.sym() else {
                self.outside(&target);
                continue;
            };
            let Some(home) = self.session.home(sym) else { continue };
            let Some(kind) = home.kind(sym.at) else { continue };
            if kind.is_type() || kind == SymbolKind::TypeAlias {
                if self.reference.kind == RefKind::Construct || self.unit.rules.calls_construct {
                    let own = self.own_makers(sym);
                    if let Some(maker) = own.iter().find_map(Found::sym) {
                        self.edge(EdgeKind::Calls, maker, target.rule, target.sure);
                        continue;
                    }
                    self.emit_construction(frame, sym, &target, args);
                } else {
                    // A conversion uses the type and makes nothing.
                    self.edge(EdgeKind::TypeOf, sym, target.rule, target.sure);
                }
                continue;
            }
            if kind == SymbolKind::Module && self.reference.kind == RefKind::Construct {
                // A module makes nothing but what it says itself.
                if let Some(maker) = self.own_makers(sym).iter().find_map(Found::sym) {
                    self.edge(EdgeKind::Calls, maker, target.rule, target.sure);
                }
                continue;
            }
            match kind {
                SymbolKind::EnumMember => self.edge(EdgeKind::Constructs, sym, target.rule, target.sure),
                SymbolKind::Constructor => {
                    self.edge(EdgeKind::Calls, sym, target.rule, target.sure);
                    if target.rule != Rule::Super
                        && let Some(at) = home.symbol(sym.at).and_then(|symbol| symbol.parent)
                    {
                        self.edge(EdgeKind::Constructs, home.sym(at), target.rule, target.sure);
                    }
                }
                // The text of a macro is put here; nothing is called.
                SymbolKind::Macro => self.edge(EdgeKind::References, sym, target.rule, target.sure),
                kind if kind.is_callable() => {
                    self.edge(EdgeKind::Calls, sym, target.rule, target.sure);
                    let shift = crate::calls::overloads::receivers_of(&target, &home, sym.at);
                    self.arguments(frame, sym, args, shift);
                }
                _ if self.reference.kind == RefKind::Construct && self.unit.rules.type_space => {
                    self.edge(EdgeKind::Constructs, sym, target.rule, target.sure);
                }
                _ => self.edge(EdgeKind::Calls, sym, target.rule, target.sure),
            }
        }
    }

    fn emit_construction(&mut self, frame: &Frame, sym: Sym, target: &Found, args: &[ExprId]) {
        self.edge(EdgeKind::Constructs, sym, target.rule, target.sure);
        let line = self.session.line(&Ty::of(sym));
        let reach = if self.unit.rules.inherits_constructors { line.len() } else { 1 };
        for (at, base) in line.iter().enumerate().take(reach) {
            let Ty::Of(of, _) = base else { break };
            let mut found = self.makers(*of);
            if self.unit.rules.overloads {
                found.retain(|one| self.session.takes(one, args.len()));
            }
            if found.is_empty() {
                continue;
            }
            let fitting = self.session.fitting(frame, &found, args);
            if fitting.iter().any(|one| one.sym() == Some(*of)) {
                break;
            }
            for one in self.decided(fitting) {
                if let Some(constructor) = one.sym() {
                    let rule = match target.rule {
                        Rule::Implicit => Rule::Implicit,
                        _ if at == 0 => Rule::Constructor,
                        _ => Rule::Inherited,
                    };
                    self.edge(EdgeKind::Calls, constructor, rule, target.sure.max(one.sure));
                    self.arguments(frame, constructor, args, 0);
                }
            }
            break;
        }
    }

    /// Functions given as arguments to a function that calls its parameter.
    fn arguments(&mut self, frame: &Frame, callee: Sym, args: &[ExprId], shift: usize) {
        let Some(home) = self.session.home(callee) else { return };
        let Some(scope) = home.scope_of(callee.at) else { return };
        for (place, &arg) in args.iter().enumerate() {
            let (named, value) = match self.unit.expr(arg) {
                Expr::Named { name, value } => (Some(self.unit.text(name)), value),
                Expr::Name(_) | Expr::Member { .. } | Expr::Function(_) => (None, arg),
                _ => continue,
            };
            let given: Vec<Sym> = self
                .session
                .eval(frame, value)
                .ty
                .each()
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
            self.session.ask(&name_reach::called_params(home.name(callee.at)));
            for &line in home.called(callee.at, name) {
                for &target in &given {
                    let from = Node { file: callee.file, symbol: Some(callee.at) };
                    let to = Node { file: target.file, symbol: Some(target.at) };
                    let dispatched = home.rules.typed_callbacks;
                    let kind = if dispatched { EdgeKind::Dispatches } else { EdgeKind::Calls };
                    let rule = Rule::Argument;
                    self.out.edges.push(Edge {
                        from,
                        kind,
                        to,
                        line,
                        confidence: Confidence::Probable,
                        rule,
                    });
                }
            }
        }
    }

    fn mention(&mut self, frame: &Frame, kind: EdgeKind) {
        // Markup makes something of what it names, and so names it.
        let expr = match self.unit.expr(self.reference.expr) {
            Expr::New { ty, .. } => ty,
            _ => self.reference.expr,
        };
        let want = if kind == EdgeKind::TypeOf { Want::Type } else { Want::Value };
        let found = match self.unit.expr(expr) {
            Expr::Name(name) if want == Want::Type => {
                self.session.lookup_as(frame, self.unit.text(name), want)
            }
            _ => self.session.denote(frame, expr).to_vec(),
        };
        let mut found = self.session.only(found, want);
        if !self.whole && !self.receives && !found.is_empty() {
            // A namespace on the way to what it holds is no use of it, and its name stands in all files that open it.
            let is_space = |sym: Sym| self.session.kind(sym) == Some(SymbolKind::Module);
            found.retain(|one| !one.sym().is_some_and(is_space));
            if found.is_empty() {
                return;
            }
        }
        if found.is_empty() {
            match self.unit.expr(expr) {
                Expr::Name(name) if kind == EdgeKind::References => {
                    let name = self.unit.text(name);
                    if self.is_called_here(expr, name) {
                        self.keep_miss(name, Reason::Unknown);
                    }
                }
                Expr::Name(_) | Expr::Member { .. } => self.miss(frame, expr),
                _ if kind == EdgeKind::TypeOf => self.miss(frame, expr),
                _ => {}
            }
            return;
        }
        let several = found.len() > 1 && found.iter().filter_map(Found::sym).count() > 1;
        for one in &found {
            let sure = if several { one.sure.max(Confidence::Probable) } else { one.sure };
            match one.sym() {
                Some(sym) => {
                    self.edge(kind, sym, one.rule, sure);
                }
                None => self.outside(one),
            }
        }
    }

    fn edge(&mut self, kind: EdgeKind, sym: Sym, rule: Rule, confidence: Confidence) {
        let from = Node { file: self.unit.file, symbol: self.reference.symbol };
        let to = Node { file: sym.file, symbol: Some(sym.at) };
        if from == to && kind == EdgeKind::References {
            return;
        }
        if confidence == Confidence::Approximate
            && let Some(home) = self.session.home(sym)
        {
            // Little more than the name is known, so it counts as a candidate by its name.
            self.keep_miss(home.name(sym.at), Reason::Ambiguous);
        }
        self.out.edges.push(Edge { from, kind, to, line: self.reference.line, confidence, rule });
    }

    fn outside(&mut self, found: &Found) {
        let Thing::Outside(package, name) = &found.thing else { return };
        if found.is_perhaps_outside() && self.is_called_here(self.reference.expr, name) {
            let inherited = found.rule == Rule::Inherited;
            return self.keep_miss(name, if inherited { Reason::Base } else { Reason::Receiver });
        }
        self.beyond(package, name);
    }

    fn beyond(&mut self, package: &str, name: &str) {
        if name.is_empty() || !self.whole {
            return;
        }
        self.out.outside.push(Outside {
            from: self.reference.symbol,
            kind: self.reference.kind,
            package: package.to_owned(),
            name: name.to_owned(),
            line: self.reference.line,
        });
    }

    /// Keeps what was not resolved, with the reason.
    fn miss(&mut self, frame: &Frame, expr: ExprId) {
        let expr = match self.unit.expr(expr) {
            Expr::Apply { base, .. } => base,
            _ => expr,
        };
        let Some(name) = last_name(&self.unit.facts, expr) else { return };
        let name = name.rsplit('\\').next().unwrap_or(name);
        let reason = match self.unit.expr(expr) {
            Expr::Member { base, .. } => {
                let val = self.session.eval(frame, base);
                match val.ty {
                    Ty::Unknown => Reason::Receiver,
                    Ty::Outside(..) => Reason::Unknown,
                    _ => Reason::Member,
                }
            }
            Expr::Name(_) => Reason::Unknown,
            _ => Reason::Computed,
        };
        if !self.is_called_here(expr, name) {
            // It is the language's own, or of a package that is not here.
            return self.beyond("", name);
        }
        self.keep_miss(name, reason);
    }

    /// Whether something in the repository has this name that the expression could mean.
    fn is_called_here(&self, expr: ExprId, name: &str) -> bool {
        let bearers = self.session.named(&self.unit.rules.family, name);
        let bare = matches!(self.unit.expr(expr), Expr::Name(_)) && !self.unit.rules.bare_members;
        let is_member =
            |kind: SymbolKind| matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
        let expands = self.reference.kind == RefKind::Expand;
        bearers.iter().any(|bearer| match bearer.kind {
            SymbolKind::Macro => true,
            kind => !(expands || bare && is_member(kind)),
        })
    }

    fn keep_miss(&mut self, name: &str, reason: Reason) {
        self.out.misses.push(Miss {
            from: self.reference.symbol,
            kind: self.reference.kind,
            name: name.to_owned(),
            line: self.reference.line,
            reason,
        });
    }
}

/// Whether a declared type says that its values can be called.
fn is_function_type(ty: &Ty) -> bool {
    matches!(ty, Ty::Signature(..) | Ty::Gives(_) | Ty::Of(..))
}
