//! Types: what a type expression means, what a type is made of, what it inherits.

use crate::calls::call_result::mentions_param;
use crate::calls::receivers::MemberSide;
use crate::file::file_unit::{FileRef, FileUnit, Members};
use crate::memo::Keep;
use crate::session::{Namesake, Session, Site};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{SymbolId, THIS, Ty};
use crate::types::type_forms::truncate_depth;
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
pub(crate) type Supertypes = Rc<[(Ty, Relation)]>;

impl Session<'_> {
    /// What a type expression means.
    pub(crate) fn ty(&self, site: &Site, expr: ExprId) -> Ty {
        self.nested(|| self.find_ty(site, expr)).unwrap_or(Ty::Unknown)
    }

    fn find_ty(&self, site: &Site, expr: ExprId) -> Ty {
        let unit = &site.unit;
        match unit.expr(expr) {
            Expr::Name(_) | Expr::Member { .. } | Expr::Text(_) => {
                let found = self.find_type_targets(site, expr, 0);
                if found.is_empty() {
                    return self.builtin_type(site, expr, &Ty::no_args());
                }
                Ty::union(found.iter().map(|found| self.instance(found)))
            }
            Expr::SelfRef => match self.self_type(unit, site.symbol()) {
                Some(Ty::Instance(sym, _)) if unit.rules.type_space => Ty::Param(sym.file, sym.at | THIS),
                own => own.unwrap_or(Ty::Unknown),
            },
            Expr::Apply { base, args } => {
                let args: Rc<[Ty]> =
                    unit.facts.flow.list(args).iter().map(|&arg| self.ty(site, arg)).collect();
                self.apply_type_expr(site, base, &args)
            }
            Expr::Index { base, key } if unit.rules.type_space => self.indexed_access_type(site, base, key),
            Expr::Index { base, key } => Self::apply(&self.ty(site, base), &Rc::from([self.ty(site, key)])),
            Expr::Wrap { wrapper, inner } => match wrapper {
                Wrapper::Array | Wrapper::Spread => Ty::List(self.ty(site, inner).into()),
                Wrapper::FunctionType => Ty::Returning(self.ty(site, inner).into()),
                Wrapper::TypeOf => self.eval(site, inner).ty,
                _ => self.ty(site, inner),
            },
            Expr::Either(list) => Ty::union(unit.facts.flow.list(list).iter().map(|&one| self.ty(site, one))),
            Expr::Sequence { kind: Sequence::Map, .. } => Ty::Shape(unit.file, site.scope, expr),
            Expr::Sequence { items, .. } => {
                Ty::Tuple(unit.facts.flow.list(items).iter().map(|&item| self.ty(site, item)).collect())
            }
            Expr::Named { value, .. } => self.ty(site, value),
            Expr::Literal(orient_model::Literal::Null) => Ty::Unknown,
            Expr::Literal(_) => Ty::External("".into(), Ty::no_args()),
            Expr::Function(symbol) => Ty::Function(unit.sym(symbol), None),
            _ => Ty::Unknown,
        }
    }

    /// A type that nothing here is called: the language's own, or from outside.
    pub(crate) fn external_type(&self, site: &Site, expr: ExprId) -> Ty {
        let unit = &site.unit;
        let Some(name) = crate::file::file_unit::last_name(&unit.facts, expr) else {
            return Ty::Unknown;
        };
        let namesakes = self.symbols_named(&unit.rules.family, name);
        let here = namesakes.iter().any(|b| b.kind.is_type() || b.kind == SymbolKind::TypeAlias);
        if here { Ty::Unknown } else { Ty::External(name.into(), Ty::no_args()) }
    }

    /// An instance of what was found, where that is a type.
    pub(crate) fn instance(&self, found: &Target) -> Ty {
        match &found.referent {
            Referent::Symbol(sym, via) => {
                let ty = self.instance_of(*sym);
                via.as_ref().map_or(ty.clone(), |via| self.substitute_receiver(&ty, via))
            }
            Referent::Value(Ty::Metatype(sym, args)) => Ty::Instance(*sym, args.clone()),
            Referent::Value(Ty::Param(file, at)) => Ty::Param(*file, *at),
            Referent::Value(ty @ (Ty::Function(..) | Ty::Lambda(..))) => ty.clone(),
            Referent::Value(_) => Ty::Unknown,
            Referent::External(..) if found.is_maybe_external() => Ty::Unknown,
            Referent::External(_, name) => Ty::External(name.clone(), Ty::no_args()),
        }
    }

    /// The type that an alias is declared to be.
    fn alias_target(&self, unit: &FileRef, sym: SymbolId, binding: &Binding) -> Option<Ty> {
        self.queries.symbol_types.in_progress().enter(&self.limits, &sym, || {
            let scope = unit.scope_of(sym.at).unwrap_or_else(|| unit.scope_at(binding.at));
            let site = Site { unit: unit.clone(), scope, at: binding.at };
            binding.ty.map_or(Ty::Unknown, |ty| self.ty(&site, ty))
        })
    }

    /// What a type with a name of its own is made of, where it is declared as another: of `type Trees []Tree` that holds
    /// what it has no members for, as elements.
    pub(crate) fn underlying_type(&self, ty: &Ty) -> Option<Ty> {
        let Ty::Instance(sym, _) = ty else {
            return None;
        };
        let unit = self.unit_of(*sym).filter(|unit| unit.kind(sym.at) == Some(SymbolKind::TypeAlias))?;
        let binding = unit.binding_of(sym.at)?;
        self.alias_target(&unit, *sym, binding)
            .filter(|underlying_type| underlying_type.is_known() && underlying_type != ty)
    }

    /// An instance of a type; an alias is what it stands for.
    pub(crate) fn instance_of(&self, sym: SymbolId) -> Ty {
        let Some(unit) = self.unit_of(sym) else {
            return Ty::Unknown;
        };
        match unit.kind(sym.at) {
            Some(SymbolKind::TypeAlias) => {
                let alias = unit.binding_of(sym.at).filter(|binding| binding.ty.is_some());
                let Some(binding) = alias else {
                    return Ty::instance(sym);
                };
                self.alias_instance(&unit, sym, binding)
            }
            Some(SymbolKind::Impl) => self.impl_target(&unit, sym.at),
            Some(SymbolKind::Constructor) => unit
                .symbol(sym.at)
                .and_then(|s| s.parent)
                .map_or(Ty::Unknown, |at| Ty::instance(unit.sym(at))),
            Some(kind) if kind.is_type() || kind == SymbolKind::Module => Ty::instance(self.canonical(sym)),
            Some(SymbolKind::Delegate) => Ty::instance(sym),
            Some(SymbolKind::EnumMember) => unit
                .symbol(sym.at)
                .and_then(|s| s.parent)
                .map_or(Ty::Unknown, |at| Ty::instance(unit.sym(at))),
            Some(SymbolKind::Variable | SymbolKind::Constant) => match self.type_of_symbol(sym).ty {
                Ty::Metatype(sym, args) => Ty::Instance(sym, args),
                _ => Ty::Unknown,
            },
            Some(SymbolKind::Function) => Ty::Function(sym, None),
            _ => Ty::Unknown,
        }
    }

    /// An instance of the type an alias stands for; of the alias itself if it has members, or if its type is none that has
    /// any.
    fn alias_instance(&self, unit: &FileRef, sym: SymbolId, binding: &Binding) -> Ty {
        if let Some(known) = self.queries.aliases.get(&sym) {
            return known;
        }
        let Some(target) = self.alias_target(unit, sym, binding) else {
            return Ty::instance(sym);
        };
        let stands_for = matches!(
            target,
            Ty::Instance(..)
                | Ty::Union(_)
                | Ty::Shape(..)
                | Ty::Returning(_)
                | Ty::Signature(..)
                | Ty::Param(..)
        );
        let keep = Keep::OutermostOr(|&sym, ty| *ty != Ty::instance(sym));
        self.queries.aliases.get_or(&self.limits, sym, keep, || {
            if stands_for && !self.has_members(sym) { target } else { Ty::instance(sym) }
        })
    }

    /// Whether methods are declared for a type under its own name, as for a type defined from another.
    pub(crate) fn has_members(&self, sym: SymbolId) -> bool {
        !self.members(sym).is_empty()
    }

    /// A generic type with its arguments. What only holds something is seen as what it holds.
    pub(crate) fn apply(base: &Ty, args: &Rc<[Ty]>) -> Ty {
        match base {
            Ty::Instance(sym, own) if own.is_empty() => Ty::Instance(*sym, args.clone()),
            Ty::External(name, own) if own.is_empty() => Ty::External(name.clone(), args.clone()),
            Ty::Union(types) => Ty::union(types.iter().map(|ty| Self::apply(ty, args))),
            other => other.clone(),
        }
    }

    /// The type a block of members is for.
    pub(crate) fn impl_target(&self, unit: &FileRef, symbol: u32) -> Ty {
        let Some(found) = unit.symbol(symbol) else {
            return Ty::Unknown;
        };
        let name = unit.name(symbol);
        let header = unit.references_in(symbol).find(|reference| {
            reference.kind == RefKind::Type
                && reference.at < found.header.end
                && crate::file::file_unit::last_name(&unit.facts, reference.expr) == Some(name)
        });
        let Some(header) = header else {
            return Ty::Unknown;
        };
        let scope = unit.scope_of(symbol).unwrap_or(header.scope);
        let site = Site { unit: unit.clone(), scope, at: header.at };
        let in_progress = self.queries.symbol_types.in_progress();
        let ty = in_progress.enter(&self.limits, &unit.sym(symbol), || self.ty(&site, header.expr));
        ty.unwrap_or(Ty::Unknown)
    }

    /// What a type inherits from; nothing while that is being found.
    pub(crate) fn bases(&self, sym: SymbolId) -> Supertypes {
        let sym = self.canonical(sym);
        let find = || Some(self.find_bases(sym).into());
        self.queries.supertypes.query(&self.limits, sym, Keep::OutermostOrUncut, find).unwrap_or_default()
    }

    /// Whether the supertypes of a type are being found: then its base lists must not be resolved through them.
    pub(crate) fn finds_supertypes(&self, sym: SymbolId) -> bool {
        self.queries.supertypes.in_progress().contains(&sym)
    }

    fn find_bases(&self, sym: SymbolId) -> Vec<(Ty, Relation)> {
        let mut bases = Vec::new();
        let mut mixed = Vec::new();
        let first = self.unit_of(sym).is_some_and(|unit| unit.rules.mixins_first);
        for &part in self.declarations(sym).iter() {
            let Some(unit) = self.unit_of(part) else {
                continue;
            };
            for &(expr, scope, relation) in unit.bases(part.at) {
                let site = Site { unit: unit.clone(), scope, at: u32::MAX };
                let list = if first && relation == Relation::Mixes { &mut mixed } else { &mut bases };
                list.extend(self.ty(&site, expr).alternatives().iter().map(|ty| (ty.clone(), relation)));
            }
        }
        self.joined(sym, &mut bases);
        mixed.reverse();
        mixed.extend(bases);
        mixed
    }

    /// The members of a type itself, in all its parts, by name.
    pub(crate) fn members(&self, sym: SymbolId) -> Arc<Members> {
        let sym = self.canonical(sym);
        let find = || Some(self.find_members(sym));
        self.queries.members.query(&self.limits, sym, Keep::OutermostOrUncut, find).unwrap_or_default()
    }

    fn find_members(&self, sym: SymbolId) -> Arc<Members> {
        let (parts, elsewhere) = (self.declarations(sym), self.members_elsewhere(sym));
        if let ([only], []) = (&parts[..], &elsewhere[..]) {
            return self.unit_of(*only).map(|unit| unit.members(only.at)).unwrap_or_default();
        }
        self.resolver.members(&[&parts, &[sym], &elsewhere], || {
            let mut members = Members::default();
            for &part in parts.iter() {
                let Some(unit) = self.unit_of(part) else {
                    continue;
                };
                for child in unit.members_in(part.at) {
                    members.entry(unit.name(child).into()).or_default().push(unit.sym(child));
                }
            }
            for &member in &elsewhere {
                if let Some(unit) = self.unit_of(member) {
                    members.entry(unit.name(member.at).into()).or_default().push(member);
                }
            }
            members
        })
    }

    /// All declarations of a type: itself, its other parts, blocks of members.
    pub(crate) fn declarations(&self, sym: SymbolId) -> Rc<[SymbolId]> {
        let find = || self.find_declarations(sym).into();
        self.queries.declarations.get_or(&self.limits, sym, Keep::Uncut, find)
    }

    fn find_declarations(&self, sym: SymbolId) -> Vec<SymbolId> {
        let Some(unit) = self.unit_of(sym) else {
            return vec![sym];
        };
        let mut parts = vec![sym];
        self.depend_on_container(&self.shared_full_name(sym));
        for namesake in self.symbols_named(&unit.rules.family, unit.name(sym.at)).iter() {
            if namesake.sym != sym
                && can_be_same_type(sym, &unit, namesake)
                && self.is_same_type(sym, &unit, namesake.sym)
            {
                parts.push(namesake.sym);
            }
        }
        parts
    }

    fn is_same_type(&self, sym: SymbolId, unit: &FileRef, other: SymbolId) -> bool {
        let Some(home) = self.unit_of(other) else {
            return false;
        };
        let (Some(kind), Some(other_kind)) = (unit.kind(sym.at), home.kind(other.at)) else {
            return false;
        };
        if other_kind == SymbolKind::Impl {
            return matches!(self.impl_target(&home, other.at), Ty::Instance(target, _) if target == sym);
        }
        let both = |modifier| unit.is(sym.at, modifier) && home.is(other.at, modifier);
        let same_place = || unit.full_name(sym.at).is_some_and(|full| home.has_full_name(other.at, full));
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
    fn members_elsewhere(&self, sym: SymbolId) -> Vec<SymbolId> {
        let Some(unit) = self.unit_of(sym) else {
            return Vec::new();
        };
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
            let Some(beside) = self.unit(file) else {
                continue;
            };
            if beside.package() == unit.package() && beside.rules.family == unit.rules.family {
                members.extend(beside.qualified_by(name).map(|child| beside.sym(child)));
            }
        }
        members
    }

    /// A type and all it inherits from, nearest first, each with its arguments as seen from here.
    pub(crate) fn mro(&self, ty: &Ty) -> Rc<[Ty]> {
        if let Some(known) = self.queries.mros.get(ty) {
            return known;
        }
        self.queries.mros.get_or(&self.limits, ty.clone(), Keep::OutermostOrUncut, || self.linearize(ty))
    }

    fn linearize(&self, ty: &Ty) -> Rc<[Ty]> {
        let mut line = Vec::new();
        self.extend_mro(ty, &mut line, 0);
        // Of a base that is reached twice, the later place counts.
        let mut seen = rustc_hash::FxHashSet::default();
        let mut kept: Vec<Ty> = line.into_iter().rev().filter(|ty| seen.insert(key(ty))).collect();
        kept.reverse();
        kept.into()
    }

    fn extend_mro(&self, ty: &Ty, line: &mut Vec<Ty>, depth: usize) {
        if depth > 12 || line.len() > LINE {
            return;
        }
        let Ty::Instance(sym, _) = ty else {
            line.push(ty.clone());
            return;
        };
        if line.iter().filter(|known| key(known) == key(ty)).count() > 3 {
            return;
        }
        line.push(ty.clone());
        for (base, _) in self.bases(*sym).iter() {
            let base = self.substitute_receiver(base, ty);
            self.extend_mro(&base, line, depth + 1);
        }
    }

    /// A type as written inside another, with the other's parameters replaced by its arguments.
    pub(crate) fn substitute_receiver(&self, ty: &Ty, receiver: &Ty) -> Ty {
        if !mentions_param(ty) {
            return ty.clone();
        }
        let (through, this) = match receiver {
            Ty::SeenThrough(through, this) => (&**through, &**this),
            other => (other, other),
        };
        let (Ty::Instance(sym, args) | Ty::Metatype(sym, args)) = through else {
            return ty.clone();
        };
        let Some(unit) = self.unit_of(*sym) else {
            return ty.clone();
        };
        let mut map: Vec<((u32, u32), Ty)> = vec![((sym.file, sym.at | THIS), this.clone())];
        for (place, &at) in unit.type_params(sym.at).iter().enumerate() {
            let arg = match args.get(place) {
                Some(arg) => arg.clone(),
                None => self.type_param_default(&unit, sym.at, at, &map),
            };
            if arg.is_known() {
                map.push(((sym.file, at), arg));
            }
        }
        truncate_depth(&substitute(ty, &map), DEEP)
    }

    /// Members of a type by name: of itself first, then of what it inherits from.
    pub(crate) fn type_member(&self, ty: &Ty, name: &str, skip: usize, base_rule: Rule) -> Vec<Target> {
        self.depend_on(name);
        if let Ty::Instance(sym, _) = ty
            && self.unit_of(*sym).is_some_and(|home| home.rules.split_members)
        {
            let side = if base_rule == Rule::Static { MemberSide::Type } else { MemberSide::Instance };
            let found = self.split_member(ty, name, skip, base_rule, side);
            if base_rule != Rule::Super || !found.is_empty() {
                return found;
            }
            return self.split_member(ty, name, skip, base_rule, MemberSide::Type);
        }
        // What the type has itself needs no look at its bases, which may be what is being found.
        if skip == 0
            && let Ty::Instance(sym, _) = ty
            && let Some(own) = self.members(*sym).get(name)
            && !own.iter().all(|&one| self.is_hidden(one))
        {
            let found = self.member_targets(own, ty, base_rule);
            return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
        }
        for (at, of) in self.mro(ty).iter().enumerate().skip(skip) {
            let Ty::Instance(sym, _) = of else { continue };
            if let Some(members) = self.members(*sym).get(name)
                && !members.iter().all(|&one| self.is_hidden(one))
                && (at == 0 || !self.is_private_to_base(ty, *sym, members))
            {
                let rule = if at == 0 || base_rule == Rule::Super { base_rule } else { Rule::Inherited };
                let through =
                    if at == 0 { of.clone() } else { Ty::SeenThrough(of.clone().into(), ty.clone().into()) };
                let found = self.member_targets(members, &through, rule);
                return if self.may_overload(&found) { self.overloads(ty, name, skip, found) } else { found };
            }
        }
        Vec::new()
    }

    /// Without declarations where the definitions stand beside them.
    pub(crate) fn prefer_definitions(&self, found: Vec<Target>) -> Vec<Target> {
        if found.len() < 2 {
            return found;
        }
        let declares = |found: &Target| {
            found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))).is_some_and(|(unit, sym)| {
                unit.is(sym.at, Modifier::Declaration) || unit.is(sym.at, Modifier::Setter)
            })
        };
        let whole: Vec<Target> = found.iter().filter(|found| !declares(found)).cloned().collect();
        if whole.is_empty() { found } else { whole }
    }

    /// The value of a constant, variable, field or property.
    pub(crate) fn type_of_symbol(&self, sym: SymbolId) -> Value {
        let find = || Some(self.infer_type_of_symbol(sym));
        let keep = Keep::OutermostOr(Value::is_known_answer);
        self.queries.symbol_types.query(&self.limits, sym, keep, find).unwrap_or_else(Value::unknown)
    }

    fn infer_type_of_symbol(&self, sym: SymbolId) -> Value {
        let Some(unit) = self.unit_of(sym) else {
            return Value::unknown();
        };
        if unit.kind(sym.at) == Some(SymbolKind::EnumMember) {
            let parent = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
            return parent
                .map_or_else(Value::unknown, |at| Value::new(Ty::instance(unit.sym(at)), Rule::Declared));
        }
        let Some(binding) = unit.binding_of(sym.at) else {
            return Value::unknown();
        };
        if !unit.rules.field_mark.is_empty() && unit.kind(sym.at) == Some(SymbolKind::Field) {
            // Nothing declares it: all that is put into it counts.
            return self.assigned_field_type(&unit, sym);
        }
        let val = self.value_of_binding(&unit, binding);
        if val.ty.is_known() {
            return val;
        }
        if unit.kind(sym.at) == Some(SymbolKind::Property) {
            let val = self.return_type(&unit, sym.at);
            return if val.ty.is_known() { val } else { self.backing_field_type(&unit, sym) };
        }
        self.assigned_field_type(&unit, sym)
    }

    /// The field a property reads.
    fn backing_field_type(&self, unit: &FileRef, sym: SymbolId) -> Value {
        let around = unit.symbol(sym.at).and_then(|symbol| symbol.parent);
        let (Some(around), false) = (around, unit.rules.field_mark.is_empty()) else {
            return Value::unknown();
        };
        let name = format!("{}{}", unit.rules.field_mark, unit.name(sym.at));
        let members = self.members(unit.sym(around));
        match members.get(name.as_str()).and_then(|fields| fields.first()) {
            Some(&field) => self.type_of_symbol(field),
            None => Value::unknown(),
        }
    }

    /// What methods put into a field that says nothing of its type.
    fn assigned_field_type(&self, unit: &FileRef, sym: SymbolId) -> Value {
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
            let site = Site { unit: unit.clone(), scope: assign.scope, at: assign.at };
            types.push(match assign.ty {
                Some(ty) => self.ty(&site, ty),
                None => self.eval(&site, value).ty,
            });
        }
        Value { ty: Ty::union(types), rule: Rule::Inferred, confidence: orient_model::Confidence::Exact }
    }
}

/// What tells one type of a line from another.
fn key(ty: &Ty) -> Ty {
    match ty {
        Ty::Instance(sym, _) => Ty::instance(*sym),
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
        Ty::Instance(sym, args) if !args.is_empty() => Ty::Instance(*sym, all(args)),
        Ty::Metatype(sym, args) if !args.is_empty() => Ty::Metatype(*sym, all(args)),
        Ty::External(name, args) if !args.is_empty() => Ty::External(name.clone(), all(args)),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        Ty::Union(types) => Ty::union(types.iter().map(|ty| substitute(ty, map))),
        Ty::List(inner) => Ty::List(substitute(inner, map).into()),
        Ty::Returning(inner) => Ty::Returning(substitute(inner, map).into()),
        Ty::Signature(params, result) => Ty::Signature(all(params), substitute(result, map).into()),
        other => other.clone(),
    }
}

/// Whether a symbol of the same name can be a part of a type, as far as it can be told without its file.
fn can_be_same_type(sym: SymbolId, unit: &FileUnit, other: &Namesake) -> bool {
    let Some(kind) = unit.kind(sym.at) else {
        return false;
    };
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
