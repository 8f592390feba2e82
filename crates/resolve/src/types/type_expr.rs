//! Types: what a type expression means, what a type is made of, what it inherits.

use crate::calls::call_result::mentions_param;
use crate::calls::receivers::Side;
use crate::file::file_unit::{Held, Members, Unit};
use crate::session::{Bearer, Frame, Question, Session};
use crate::types::ty::{Found, Sym, THIS, Thing, Ty, Val};
use crate::types::type_forms::pruned;
use orient_model::{
    Binding, Expr, ExprId, Modifier, Modules, RefKind, Relation, Rule, Sequence, SymbolKind, Wrapper,
};

use std::rc::Rc;
use std::sync::Arc;

/// How many bases are followed; enough for any hierarchy written by hand.
const LINE: usize = 64;
/// How deep the arguments of types are followed.
const DEEP: usize = 4;

/// What a type inherits from, in all its parts, in the order of the source.
pub(crate) type Bases = Rc<[(Ty, Relation)]>;

impl Session<'_> {
    /// What a type expression means.
    pub(crate) fn ty(&self, frame: &Frame, expr: ExprId) -> Ty {
        self.nested(|| self.find_ty(frame, expr)).unwrap_or(Ty::Unknown)
    }

    fn find_ty(&self, frame: &Frame, expr: ExprId) -> Ty {
        let unit = &frame.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } | Expr::Text(_) => {
                let found = self.find_type(frame, expr, 0);
                if found.is_empty() {
                    return self.global_type(frame, expr, &Ty::none());
                }
                Ty::either(found.iter().map(|found| self.instance(found)))
            }
            Expr::SelfRef => match self.self_type(unit, frame.symbol()) {
                Some(Ty::Of(sym, _)) if unit.rules.type_space => Ty::Param(sym.file, sym.at | THIS),
                own => own.unwrap_or(Ty::Unknown),
            },
            Expr::Apply { base, args } => {
                let args: Rc<[Ty]> =
                    unit.facts.flow.list(args).iter().map(|&arg| self.ty(frame, arg)).collect();
                self.applied(frame, base, &args)
            }
            Expr::Index { base, key } if unit.rules.type_space => self.indexed_type(frame, base, key),
            Expr::Index { base, key } => Self::apply(&self.ty(frame, base), &Rc::from([self.ty(frame, key)])),
            Expr::Wrap { wrapper, inner } => match wrapper {
                Wrapper::Array | Wrapper::Spread => Ty::Many(self.ty(frame, inner).into()),
                Wrapper::FunctionType => Ty::Gives(self.ty(frame, inner).into()),
                Wrapper::TypeOf => self.eval(frame, inner).ty,
                _ => self.ty(frame, inner),
            },
            Expr::Either(list) => {
                Ty::either(unit.facts.flow.list(list).iter().map(|&one| self.ty(frame, one)))
            }
            Expr::Sequence { kind: Sequence::Map, .. } => Ty::Shape(unit.file, frame.scope, expr),
            Expr::Sequence { items, .. } => {
                Ty::Tuple(unit.facts.flow.list(items).iter().map(|&item| self.ty(frame, item)).collect())
            }
            Expr::Named { value, .. } => self.ty(frame, value),
            Expr::Literal(orient_model::Literal::Null) => Ty::Unknown,
            Expr::Literal(_) => Ty::Outside("".into(), Ty::none()),
            Expr::Function(symbol) => Ty::Function(unit.sym(symbol), None),
            _ => Ty::Unknown,
        }
    }

    /// A type that nothing here is called: the language's own, or from outside.
    pub(crate) fn foreign(&self, frame: &Frame, expr: ExprId) -> Ty {
        let unit = &frame.unit;
        let Some(name) = crate::file::file_unit::last_name(&unit.facts, expr) else { return Ty::Unknown };
        let bearers = self.named(&unit.rules.family, name);
        let here = bearers.iter().any(|b| b.kind.is_type() || b.kind == SymbolKind::TypeAlias);
        if here { Ty::Unknown } else { Ty::Outside(name.into(), Ty::none()) }
    }

    /// An instance of what was found, where that is a type.
    pub(crate) fn instance(&self, found: &Found) -> Ty {
        match &found.thing {
            Thing::Symbol(sym, via) => {
                let ty = self.instance_of(*sym);
                via.as_ref().map_or(ty.clone(), |via| self.seen_through(&ty, via))
            }
            Thing::Value(Ty::Type(sym, args)) => Ty::Of(*sym, args.clone()),
            Thing::Value(Ty::Param(file, at)) => Ty::Param(*file, *at),
            Thing::Value(ty @ (Ty::Function(..) | Ty::Lambda(..))) => ty.clone(),
            Thing::Value(_) => Ty::Unknown,
            Thing::Outside(..) if found.is_perhaps_outside() => Ty::Unknown,
            Thing::Outside(_, name) => Ty::Outside(name.clone(), Ty::none()),
        }
    }

    /// The type that an alias is declared to be.
    fn written_out(&self, unit: &Held, sym: Sym, binding: &Binding) -> Option<Ty> {
        self.once(Question::TypeOf(sym), || {
            let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
            let frame = Frame { unit: unit.clone(), scope, at: binding.at };
            binding.ty.map_or(Ty::Unknown, |ty| self.ty(&frame, ty))
        })
    }

    /// What a type with a name of its own is made of, where it is declared as another: of `type Trees []Tree` that holds
    /// what it has no members for, as elements.
    pub(crate) fn made_of(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Of(sym, _) = ty else { return None };
        let unit = self.home(*sym).filter(|unit| unit.kind(sym.at) == Some(SymbolKind::TypeAlias))?;
        let binding = unit.binding_of(sym.at)?;
        self.written_out(&unit, *sym, binding).filter(|made_of| made_of.is_known() && made_of != ty)
    }

    /// An instance of a type; an alias is what it stands for.
    pub(crate) fn instance_of(&self, sym: Sym) -> Ty {
        let Some(unit) = self.home(sym) else { return Ty::Unknown };
        match unit.kind(sym.at) {
            Some(SymbolKind::TypeAlias) => {
                let alias = unit.binding_of(sym.at).filter(|binding| binding.ty.is_some());
                let Some(binding) = alias else { return Ty::of(sym) };
                if let Some(known) = self.aliases.borrow().get(&sym) {
                    return known.clone();
                }
                let of = match self.written_out(&unit, sym, binding) {
                    Some(
                        ty @ (Ty::Of(..)
                        | Ty::Either(_)
                        | Ty::Shape(..)
                        | Ty::Gives(_)
                        | Ty::Signature(..)
                        | Ty::Param(..)),
                    ) if !self.has_members(sym) => ty,
                    None => return Ty::of(sym),
                    _ => Ty::of(sym),
                };
                if self.is_top() || of != Ty::of(sym) {
                    self.aliases.borrow_mut().insert(sym, of.clone());
                }
                of
            }
            Some(SymbolKind::Impl) => self.impl_target(&unit, sym.at),
            Some(SymbolKind::Constructor) => {
                unit.symbol(sym.at).and_then(|s| s.parent).map_or(Ty::Unknown, |at| Ty::of(unit.sym(at)))
            }
            Some(kind) if kind.is_type() || kind == SymbolKind::Module => Ty::of(self.canonical(sym)),
            Some(SymbolKind::Delegate) => Ty::of(sym),
            Some(SymbolKind::EnumMember) => {
                unit.symbol(sym.at).and_then(|s| s.parent).map_or(Ty::Unknown, |at| Ty::of(unit.sym(at)))
            }
            Some(SymbolKind::Variable | SymbolKind::Constant) => match self.type_of(sym).ty {
                Ty::Type(sym, args) => Ty::Of(sym, args),
                _ => Ty::Unknown,
            },
            Some(SymbolKind::Function) => Ty::Function(sym, None),
            _ => Ty::Unknown,
        }
    }

    /// Whether methods are declared for a type under its own name, as for a type defined from another.
    pub(crate) fn has_members(&self, sym: Sym) -> bool {
        !self.members(sym).is_empty()
    }

    /// A generic type with its arguments. What only holds something is seen as what it holds.
    pub(crate) fn apply(base: &Ty, args: &Rc<[Ty]>) -> Ty {
        match base {
            Ty::Of(sym, own) if own.is_empty() => Ty::Of(*sym, args.clone()),
            Ty::Outside(name, own) if own.is_empty() => Ty::Outside(name.clone(), args.clone()),
            Ty::Either(types) => Ty::either(types.iter().map(|ty| Self::apply(ty, args))),
            other => other.clone(),
        }
    }

    /// The type a block of members is for.
    pub(crate) fn impl_target(&self, unit: &Held, symbol: u32) -> Ty {
        let Some(found) = unit.symbol(symbol) else { return Ty::Unknown };
        let name = unit.name(symbol);
        let header = unit.references_in(symbol).find(|reference| {
            reference.kind == RefKind::Type
                && reference.at < found.header.end
                && crate::file::file_unit::last_name(&unit.facts, reference.expr) == Some(name)
        });
        let Some(header) = header else { return Ty::Unknown };
        let scope = unit.scope_of(symbol).unwrap_or(header.scope);
        let frame = Frame { unit: unit.clone(), scope, at: header.at };
        self.once(Question::TypeOf(unit.sym(symbol)), || self.ty(&frame, header.expr)).unwrap_or(Ty::Unknown)
    }

    /// What a type inherits from; nothing while that is being found.
    pub(crate) fn bases(&self, sym: Sym) -> Bases {
        let sym = self.canonical(sym);
        if let Some(known) = self.bases.borrow().get(&sym) {
            return known.clone();
        }
        let before = self.cut();
        let bases = self.once(Question::Bases(sym), || self.find_bases(sym));
        let Some(bases) = bases else { return Bases::default() };
        let bases: Bases = bases.into();
        if self.is_top() || before == self.cut() {
            self.bases.borrow_mut().insert(sym, bases.clone());
        }
        bases
    }

    fn find_bases(&self, sym: Sym) -> Vec<(Ty, Relation)> {
        let mut bases = Vec::new();
        let mut mixed = Vec::new();
        let first = self.home(sym).is_some_and(|unit| unit.rules.mixins_first);
        for &part in self.parts(sym).iter() {
            let Some(unit) = self.home(part) else { continue };
            for &(expr, scope, relation) in unit.bases(part.at) {
                let frame = Frame { unit: unit.clone(), scope, at: u32::MAX };
                let list = if first && relation == Relation::Mixes { &mut mixed } else { &mut bases };
                list.extend(self.ty(&frame, expr).each().iter().map(|ty| (ty.clone(), relation)));
            }
        }
        self.joined(sym, &mut bases);
        mixed.reverse();
        mixed.extend(bases);
        mixed
    }

    /// The members of a type itself, in all its parts, by name.
    pub(crate) fn members(&self, sym: Sym) -> Arc<Members> {
        let sym = self.canonical(sym);
        if let Some(known) = self.members.borrow().get(&sym) {
            return known.clone();
        }
        let before = self.cut();
        let members = self.once(Question::Members(sym), || self.find_members(sym));
        let Some(members) = members else { return Arc::default() };
        if self.is_top() || before == self.cut() {
            self.members.borrow_mut().insert(sym, members.clone());
        }
        members
    }

    fn find_members(&self, sym: Sym) -> Arc<Members> {
        let (parts, elsewhere) = (self.parts(sym), self.members_elsewhere(sym));
        if let ([only], []) = (&parts[..], &elsewhere[..]) {
            return self.home(*only).map(|unit| unit.members(only.at)).unwrap_or_default();
        }
        self.resolver.members(&[&parts, &[sym], &elsewhere], || {
            let mut members = Members::default();
            for &part in parts.iter() {
                let Some(unit) = self.home(part) else { continue };
                for child in unit.members_in(part.at) {
                    members.entry(unit.name(child).into()).or_default().push(unit.sym(child));
                }
            }
            for &member in &elsewhere {
                if let Some(unit) = self.home(member) {
                    members.entry(unit.name(member.at).into()).or_default().push(member);
                }
            }
            members
        })
    }

    /// All declarations of a type: itself, its other parts, blocks of members.
    pub(crate) fn parts(&self, sym: Sym) -> Rc<[Sym]> {
        if let Some(known) = self.parts.borrow().get(&sym) {
            return known.clone();
        }
        let before = self.cut();
        let parts: Rc<[Sym]> = self.find_parts(sym).into();
        if before == self.cut() {
            self.parts.borrow_mut().insert(sym, parts.clone());
        }
        parts
    }

    fn find_parts(&self, sym: Sym) -> Vec<Sym> {
        let Some(unit) = self.home(sym) else { return vec![sym] };
        let mut parts = vec![sym];
        self.ask_around(&self.known_name(sym));
        for bearer in self.named(&unit.rules.family, unit.name(sym.at)).iter() {
            if bearer.sym != sym && can_be_part(sym, &unit, bearer) && self.is_part(sym, &unit, bearer.sym) {
                parts.push(bearer.sym);
            }
        }
        parts
    }

    fn is_part(&self, sym: Sym, unit: &Held, other: Sym) -> bool {
        let Some(home) = self.home(other) else { return false };
        let (Some(kind), Some(other_kind)) = (unit.kind(sym.at), home.kind(other.at)) else { return false };
        if other_kind == SymbolKind::Impl {
            return matches!(self.impl_target(&home, other.at), Ty::Of(target, _) if target == sym);
        }
        let both = |modifier| unit.is(sym.at, modifier) && home.is(other.at, modifier);
        let same_place = || unit.full_name(sym.at).is_some_and(|full| home.is_known_as(other.at, full));
        let either_declares =
            unit.is(sym.at, Modifier::Declaration) || home.is(other.at, Modifier::Declaration);
        let is_type = |kind: SymbolKind| kind.is_type() || kind == SymbolKind::Module;
        if !is_type(kind) || !is_type(other_kind) {
            return false;
        }
        let is_open = unit.rules.reopens || kind == SymbolKind::Module;
        if both(Modifier::Partial) || is_open {
            let alike = || unit.type_params(sym.at).len() == home.type_params(other.at).len();
            return same_place() && alike();
        }
        if either_declares && kind != SymbolKind::Module {
            return same_place();
        }
        unit.rules.merges && sym.file == other.file && same_place()
    }

    /// Members that stand outside of their type and name it: methods with a receiver.
    fn members_elsewhere(&self, sym: Sym) -> Vec<Sym> {
        let Some(unit) = self.home(sym) else { return Vec::new() };
        let name = unit.name(sym.at);
        if unit.rules.type_space {
            let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            let beside = unit.children(parent).iter();
            return beside.filter(|&&at| unit.qualifier(at) == Some(name)).map(|&at| unit.sym(at)).collect();
        }
        if unit.rules.shares != orient_model::Shares::Folder {
            return Vec::new();
        }
        let mut members = Vec::new();
        for &file in self.folder(&unit.folder()).iter() {
            let Some(beside) = self.unit(file) else { continue };
            if beside.package() == unit.package() && beside.rules.family == unit.rules.family {
                members.extend(beside.qualified_by(name).map(|child| beside.sym(child)));
            }
        }
        members
    }

    /// A type and all it inherits from, nearest first, each with its arguments as seen from here.
    pub(crate) fn line(&self, ty: &Ty) -> Rc<[Ty]> {
        if let Some(known) = self.lines.borrow().get(ty) {
            return known.clone();
        }
        let before = self.cut();
        let mut line = Vec::new();
        self.extend_line(ty, &mut line, 0);
        // Of a base that is reached twice, the later place counts.
        let mut seen = rustc_hash::FxHashSet::default();
        let mut kept: Vec<Ty> = line.into_iter().rev().filter(|ty| seen.insert(key(ty))).collect();
        kept.reverse();
        let line: Rc<[Ty]> = kept.into();
        if self.is_top() || before == self.cut() {
            self.lines.borrow_mut().insert(ty.clone(), line.clone());
        }
        line
    }

    fn extend_line(&self, ty: &Ty, line: &mut Vec<Ty>, depth: usize) {
        if depth > 12 || line.len() > LINE {
            return;
        }
        let Ty::Of(sym, _) = ty else {
            line.push(ty.clone());
            return;
        };
        if line.iter().filter(|known| key(known) == key(ty)).count() > 3 {
            return;
        }
        line.push(ty.clone());
        for (base, _) in self.bases(*sym).iter() {
            let base = self.seen_through(base, ty);
            self.extend_line(&base, line, depth + 1);
        }
    }

    /// A type as written inside another, with the other's parameters replaced by its arguments.
    pub(crate) fn seen_through(&self, ty: &Ty, receiver: &Ty) -> Ty {
        if !mentions_param(ty) {
            return ty.clone();
        }
        let (through, this) = match receiver {
            Ty::Seen(through, this) => (&**through, &**this),
            other => (other, other),
        };
        let (Ty::Of(sym, args) | Ty::Type(sym, args)) = through else { return ty.clone() };
        let Some(unit) = self.home(*sym) else { return ty.clone() };
        let mut map: Vec<((u32, u32), Ty)> = vec![((sym.file, sym.at | THIS), this.clone())];
        for (place, &at) in unit.type_params(sym.at).iter().enumerate() {
            let arg = match args.get(place) {
                Some(arg) => arg.clone(),
                None => self.default_of(&unit, sym.at, at, &map),
            };
            if arg.is_known() {
                map.push(((sym.file, at), arg));
            }
        }
        pruned(&substitute(ty, &map), DEEP)
    }

    /// Members of a type by name: of itself first, then of what it inherits from.
    pub(crate) fn type_member(&self, ty: &Ty, name: &str, skip: usize, base_rule: Rule) -> Vec<Found> {
        self.ask(name);
        if let Ty::Of(sym, _) = ty
            && self.home(*sym).is_some_and(|home| home.rules.split_members)
        {
            let side = if base_rule == Rule::Static { Side::Type } else { Side::Instance };
            let found = self.split_member(ty, name, skip, base_rule, side);
            if base_rule != Rule::Super || !found.is_empty() {
                return found;
            }
            return self.split_member(ty, name, skip, base_rule, Side::Type);
        }
        // What the type has itself needs no look at its bases, which may be what is being found.
        if skip == 0
            && let Ty::Of(sym, _) = ty
            && let Some(own) = self.members(*sym).get(name)
            && !own.iter().all(|&one| self.is_hidden(one))
        {
            let found = self.seen_members(own, ty, base_rule);
            return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
        }
        for (at, of) in self.line(ty).iter().enumerate().skip(skip) {
            let Ty::Of(sym, _) = of else { continue };
            if let Some(members) = self.members(*sym).get(name)
                && !members.iter().all(|&one| self.is_hidden(one))
                && (at == 0 || !self.is_kept_from(ty, *sym, members))
            {
                let rule = if at == 0 || base_rule == Rule::Super { base_rule } else { Rule::Inherited };
                let through =
                    if at == 0 { of.clone() } else { Ty::Seen(of.clone().into(), ty.clone().into()) };
                let found = self.seen_members(members, &through, rule);
                return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
            }
        }
        Vec::new()
    }

    /// Without declarations where the definitions stand beside them.
    pub(crate) fn whole(&self, found: Vec<Found>) -> Vec<Found> {
        if found.len() < 2 {
            return found;
        }
        let declares = |found: &Found| {
            found.sym().and_then(|sym| Some((self.home(sym)?, sym))).is_some_and(|(unit, sym)| {
                unit.is(sym.at, Modifier::Declaration) || unit.is(sym.at, Modifier::Setter)
            })
        };
        let whole: Vec<Found> = found.iter().filter(|found| !declares(found)).cloned().collect();
        if whole.is_empty() { found } else { whole }
    }

    /// The value of a constant, variable, field or property.
    pub(crate) fn type_of(&self, sym: Sym) -> Val {
        if let Some(known) = self.types.borrow().get(&sym) {
            return known.clone();
        }
        let val = self.once(Question::TypeOf(sym), || self.find_type_of(sym));
        let Some(val) = val else { return Val::unknown() };
        if self.is_top() || val.ty.is_known() {
            self.types.borrow_mut().insert(sym, val.clone());
        }
        val
    }

    fn find_type_of(&self, sym: Sym) -> Val {
        let Some(unit) = self.home(sym) else { return Val::unknown() };
        if unit.kind(sym.at) == Some(SymbolKind::EnumMember) {
            let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            return parent.map_or_else(Val::unknown, |at| Val::new(Ty::of(unit.sym(at)), Rule::Declared));
        }
        let Some(binding) = unit.binding_of(sym.at) else { return Val::unknown() };
        if !unit.rules.field_mark.is_empty() && unit.kind(sym.at) == Some(SymbolKind::Field) {
            // Nothing declares it: all that is put into it counts.
            return self.assigned_to(&unit, sym);
        }
        let val = self.value_of_binding(&unit, binding);
        if val.ty.is_known() {
            return val;
        }
        if unit.kind(sym.at) == Some(SymbolKind::Property) {
            let val = self.returned(&unit, sym.at);
            return if val.ty.is_known() { val } else { self.read_by(&unit, sym) };
        }
        self.assigned_to(&unit, sym)
    }

    /// The field a property reads.
    fn read_by(&self, unit: &Held, sym: Sym) -> Val {
        let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let (Some(around), false) = (around, unit.rules.field_mark.is_empty()) else { return Val::unknown() };
        let name = format!("{}{}", unit.rules.field_mark, unit.name(sym.at));
        let members = self.members(unit.sym(around));
        match members.get(name.as_str()).and_then(|fields| fields.first()) {
            Some(&field) => self.type_of(field),
            None => Val::unknown(),
        }
    }

    /// What methods put into a field that says nothing of its type.
    fn assigned_to(&self, unit: &Held, sym: Sym) -> Val {
        let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let mut types = Vec::new();
        for (assign, value) in unit.assigned(unit.name(sym.at)) {
            let scope = unit.facts.flow.scopes.get(assign.scope as usize).and_then(|scope| scope.symbol);
            let is_member = matches!(unit.expr(assign.target), Expr::Member { .. });
            if is_member && unit.type_around(scope) != around {
                continue;
            }
            if unit.expr(value) == Expr::Literal(orient_model::Literal::Null) {
                continue;
            }
            let frame = Frame { unit: unit.clone(), scope: assign.scope, at: assign.at };
            types.push(match assign.ty {
                Some(ty) => self.ty(&frame, ty),
                None => self.eval(&frame, value).ty,
            });
        }
        Val { ty: Ty::either(types), rule: Rule::Inferred, sure: orient_model::Confidence::Exact }
    }
}

/// What tells one type of a line from another.
fn key(ty: &Ty) -> Ty {
    match ty {
        Ty::Of(sym, _) => Ty::of(*sym),
        other => other.clone(),
    }
}

/// A type with parameters replaced.
pub(crate) fn substitute(ty: &Ty, map: &[((u32, u32), Ty)]) -> Ty {
    let all = |types: &Rc<[Ty]>| -> Rc<[Ty]> { types.iter().map(|ty| substitute(ty, map)).collect() };
    match ty {
        Ty::Param(file, at) => {
            let found = map.iter().find(|(param, _)| *param == (*file, *at));
            found.map_or_else(|| ty.clone(), |(_, ty)| ty.clone())
        }
        Ty::Of(sym, args) if !args.is_empty() => Ty::Of(*sym, all(args)),
        Ty::Type(sym, args) if !args.is_empty() => Ty::Type(*sym, all(args)),
        Ty::Outside(name, args) if !args.is_empty() => Ty::Outside(name.clone(), all(args)),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        Ty::Either(types) => Ty::either(types.iter().map(|ty| substitute(ty, map))),
        Ty::Many(inner) => Ty::Many(substitute(inner, map).into()),
        Ty::Gives(inner) => Ty::Gives(substitute(inner, map).into()),
        Ty::Signature(params, result) => Ty::Signature(all(params), substitute(result, map).into()),
        other => other.clone(),
    }
}

/// Whether a symbol of the same name can be a part of a type, as far as it can be told without its file.
fn can_be_part(sym: Sym, unit: &Unit, other: &Bearer) -> bool {
    let Some(kind) = unit.kind(sym.at) else { return false };
    if other.kind == SymbolKind::Impl {
        return true;
    }
    if !other.kind.is_type() && other.kind != SymbolKind::Module {
        return false;
    }
    if sym.file == other.sym.file {
        return true;
    }
    // Where each file is a module, what has the same name elsewhere is another.
    let apart = match unit.rules.modules {
        Modules::Path | Modules::Dotted => true,
        Modules::Tree => kind == SymbolKind::Module,
        _ => false,
    };
    let open = unit.rules.reopens || kind == SymbolKind::Module || unit.is(sym.at, Modifier::Partial);
    !apart
        && (open || unit.is(sym.at, Modifier::Declaration) || other.modifiers.contains(Modifier::Declaration))
}
