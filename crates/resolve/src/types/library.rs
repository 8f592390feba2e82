//! Types outside of the repository: the results of their members, and the types of the callbacks they take, as packs state
//! them.
//!
//! Example: with `"Stream<T>" = "map(fn(T): R): Stream<R>"`, the result of `carts.map(c -> c.owner())` for a `Stream<Cart>` is a
//! `Stream<Owner>`: `T` is the receiver's type argument, `R` the result of the lambda, whose parameter is a `Cart`.

use crate::session::{Session, Site};
use crate::types::generics::{mentions_param, substitute, unify};
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::Ty;
use orient_model::{Expr, ExprId, LibraryExpr, LibraryMember, LibraryType, Modules, Rule, Rules};

/// The file of type parameters of library types, which are in no file.
const LIBRARY: u32 = u32::MAX;
/// The number of the type parameter for the receiver.
const RECEIVER: u32 = u32::MAX;
/// The name of arrays and lists among library types.
const ARRAY: &str = "[]";
/// The member that states the type of the elements of a collection.
const EACH: &str = "[each]";
/// Maximum number of bases to follow.
const MAX_BASES: usize = 8;
/// Maximum number of supertypes to compare.
const MAX_SUPERTYPES: usize = 32;

/// Type parameters of library types with their values.
type TypeArguments = Vec<((u32, u32), Ty)>;

/// A member of a library type, and the type arguments of the type that has it.
struct LibraryTarget<'r> {
    member: &'r LibraryMember,
    args: TypeArguments,
}

impl Session<'_> {
    /// The result of calling a member of a type outside of the repository, or a function there.
    pub(crate) fn library_result(&self, site: &Site, callee: ExprId, args: &[ExprId]) -> Value {
        let unit = &site.unit;
        if unit.rules.library.is_empty() {
            return Value::unknown();
        }
        let (callee, stated) = match unit.expr(callee) {
            Expr::Apply { base, args } => (base, unit.list(args)),
            _ => (callee, &[][..]),
        };
        let (receiver, name) = match unit.expr(callee) {
            Expr::Member { base, name } => (self.library_receiver(site, base), unit.text(name)),
            Expr::Name(name) if find_type(&unit.rules, "").is_some() => {
                let name = unit.text(name);
                let is_free = self.lookup(site, name).iter().all(|one| one.sym().is_none());
                (if is_free { named("") } else { Value::unknown() }, name)
            }
            _ => return Value::unknown(),
        };
        let each = receiver.ty.alternatives().iter().map(|ty| {
            let Some(found) = library_member(&unit.rules, ty, name) else { return Ty::Unknown };
            let mut map = found.args;
            for (&param, &ty) in found.member.stated.iter().zip(stated) {
                map.push(((LIBRARY, param), self.ty(site, ty)));
            }
            self.infer_from_arguments(site, found.member, args, &mut map);
            let result = substitute(&type_of(&found.member.result), &map);
            if mentions_param(&result) { Ty::Unknown } else { result }
        });
        let rule = if receiver.rule == Rule::Declared { Rule::Declared } else { Rule::Inferred };
        Value { rule, ..receiver.with(Ty::union(each)) }
    }

    /// The value of a member of a type outside of the repository that is read, not called.
    pub(crate) fn library_value(&self, site: &Site, base: ExprId, name: &str) -> Value {
        if site.unit.rules.library.is_empty() {
            return Value::unknown();
        }
        let receiver = self.library_receiver(site, base);
        let each = receiver.ty.alternatives().iter().map(|ty| {
            match library_member(&site.unit.rules, ty, name).filter(|found| found.member.params.is_none()) {
                Some(found) => closed(&substitute(&type_of(&found.member.result), &found.args)),
                None => Ty::Unknown,
            }
        });
        let rule = if receiver.rule == Rule::Declared { Rule::Declared } else { Rule::Inferred };
        Value { rule, ..receiver.with(Ty::union(each)) }
    }

    /// The type of the function that a member of a type outside of the repository takes at this position.
    pub(super) fn library_callback(&self, site: &Site, callee: ExprId, at: usize) -> Ty {
        let unit = &site.unit;
        let Expr::Member { base, name } = unit.expr(callee) else { return Ty::Unknown };
        if unit.rules.library.is_empty() {
            return Ty::Unknown;
        }
        let each = self.library_receiver(site, base).ty;
        Ty::union(each.alternatives().iter().map(|ty| {
            let found = library_member(&unit.rules, ty, unit.text(name));
            let wanted = found.and_then(|found| Some((found.member.params.as_ref()?.get(at)?, found.args)));
            match wanted {
                Some((wanted @ LibraryExpr::Function(..), map)) => {
                    closed(&substitute(&type_of(wanted), &map))
                }
                _ => Ty::Unknown,
            }
        }))
    }

    fn library_receiver(&self, site: &Site, base: ExprId) -> Value {
        let unit = &site.unit;
        let Expr::Name(name) = unit.expr(base) else { return self.eval(site, base) };
        let name = unit.text(name);
        let is_namespace = unit.rules.library_namespaces.iter().any(|space| space == name);
        // A type that needs no import, or a namespace.
        let is_bound = || {
            // Any name may be the first part of a qualified name.
            let is_space = |one: &Target| matches!(one.referent, Referent::Value(Ty::Module(_)));
            !self.lookup(site, name).iter().all(is_space)
        };
        if is_namespace || find_type(&unit.rules, name).is_some() && !is_bound() {
            return named(name);
        }
        self.with_underlying(self.eval(site, base))
    }

    /// A value whose type is an alias of a type outside of the repository has that type.
    fn with_underlying(&self, val: Value) -> Value {
        match self.underlying_type(&val.ty) {
            Some(ty @ (Ty::External(..) | Ty::List(_))) => val.with(ty),
            _ => val,
        }
    }

    /// A type that a type outside of the repository declares: `vector<T>::iterator`.
    pub(super) fn library_member_type(&self, site: &Site, base: ExprId, name: &str) -> Option<Ty> {
        let rules = &site.unit.rules;
        if rules.library.is_empty() || rules.modules != Modules::Include {
            return None;
        }
        let of = self.with_underlying(Value::new(self.ty(site, base), Rule::Declared));
        let found = library_member(rules, &of.ty, name).filter(|found| found.member.params.is_none())?;
        Some(closed(&substitute(&type_of(&found.member.result), &found.args)))
    }

    /// The value of a call that constructs a type outside of the repository: `unique_ptr<T>(…)`.
    pub(crate) fn constructed_library_type(&self, site: &Site, callee: ExprId) -> Value {
        let unit = &site.unit;
        let is_type = unit.rules.calls_construct
            && unit.rules.modules == Modules::Include
            && matches!(unit.expr(callee), Expr::Apply { .. });
        let name = unit.last_name(callee).filter(|_| is_type);
        match name.filter(|name| find_type(&unit.rules, name).is_some()) {
            Some(_) => Value::new(self.ty(site, callee), Rule::Inferred),
            None => Value::unknown(),
        }
    }

    /// Infers the member's own type parameters from the arguments of a call.
    fn infer_from_arguments(
        &self,
        site: &Site,
        member: &LibraryMember,
        args: &[ExprId],
        map: &mut TypeArguments,
    ) {
        if !mentions_param(&substitute(&type_of(&member.result), map)) {
            return;
        }
        for (wanted, &arg) in member.params.iter().flatten().zip(args) {
            let (wanted, given) = match wanted {
                LibraryExpr::TypeArgument(ty) => (type_of(ty), self.ty(site, arg)),
                wanted => (type_of(wanted), self.eval(site, arg).ty),
            };
            let wanted = substitute(&wanted, map);
            match (&wanted, &given) {
                (Ty::Signature(_, result), Ty::Function(..) | Ty::Lambda(..) | Ty::Instance(..)) => {
                    unify(result, &self.called_value(&given, &[], Some(site)).ty, map);
                }
                _ => unify(&wanted, &given, map),
            }
        }
    }
}

/// The type of the elements of a collection outside of the repository, if its pack states one.
pub(super) fn library_element(rules: &Rules, ty: &Ty) -> Option<Ty> {
    let found = library_member(rules, ty, EACH)?;
    Some(closed(&substitute(&type_of(&found.member.result), &found.args)))
}

/// Whether a type outside of the repository is a subtype of the one with this name; none if the pack does not list both.
pub(crate) fn is_library_subtype(rules: &Rules, ty: &Ty, name: &str) -> Option<bool> {
    let holder = |ty: &Ty| match ty {
        Ty::External(name, _) => name.clone(),
        Ty::List(_) => ARRAY.into(),
        _ => "".into(),
    };
    find_type(rules, name)?;
    let mut pending = vec![holder(ty)];
    find_type(rules, &pending[0]).filter(|found| !found.name.is_empty())?;
    for _ in 0..MAX_SUPERTYPES {
        let Some(of) = pending.pop() else { break };
        if *of == *name {
            return Some(true);
        }
        let bases = find_type(rules, &of).map_or(&[][..], |known| &known.bases);
        pending.extend(bases.iter().map(|base| holder(&type_of(base))));
    }
    Some(false)
}

/// Whether the pack lists a type outside of the repository.
pub(crate) fn is_library_type(rules: &Rules, name: &str) -> bool {
    !name.is_empty() && find_type(rules, name).is_some()
}

/// Whether the pack says that a type outside of the repository has a member of this name.
pub(crate) fn has_library_member(rules: &Rules, ty: &Ty, name: &str) -> bool {
    library_member(rules, ty, name).is_some()
}

fn named(name: &str) -> Value {
    Value::new(Ty::External(name.into(), Ty::no_args()), Rule::Inferred)
}

fn find_type<'r>(rules: &'r Rules, name: &str) -> Option<&'r LibraryType> {
    let at = rules.library.binary_search_by(|ty| ty.name.as_str().cmp(name)).ok()?;
    rules.library.get(at)
}

/// A member of a library type or of one of its bases.
fn library_member<'r>(rules: &'r Rules, ty: &Ty, name: &str) -> Option<LibraryTarget<'r>> {
    let mut pending = vec![ty.clone()];
    for _ in 0..MAX_BASES {
        let of = pending.pop()?;
        let (holder, args) = match &of {
            Ty::External(name, args) => (&**name, &args[..]),
            Ty::List(inner) => (ARRAY, std::slice::from_ref(&**inner)),
            _ => continue,
        };
        let Some(known) = find_type(rules, holder) else { continue };
        let param = |at: u32| args.get(at as usize).cloned().unwrap_or(Ty::Unknown);
        let mut map: TypeArguments = (0..known.params).map(|at| ((LIBRARY, at), param(at))).collect();
        if let Some(member) = known.members.iter().find(|member| member.name == name) {
            map.push(((LIBRARY, RECEIVER), ty.clone()));
            return Some(LibraryTarget { member, args: map });
        }
        pending.extend(known.bases.iter().rev().map(|base| substitute(&type_of(base), &map)));
    }
    None
}

/// A type as packs state it.
fn type_of(expr: &LibraryExpr) -> Ty {
    let all = |list: &[LibraryExpr]| list.iter().map(type_of).collect();
    match expr {
        LibraryExpr::Unknown => Ty::Unknown,
        LibraryExpr::Receiver => Ty::Param(LIBRARY, RECEIVER),
        LibraryExpr::Param(at) => Ty::Param(LIBRARY, *at),
        LibraryExpr::Named(name, args) => Ty::External(name.as_str().into(), all(args)),
        LibraryExpr::List(inner) => Ty::List(type_of(inner).into()),
        LibraryExpr::Tuple(items) => Ty::Tuple(all(items)),
        LibraryExpr::Function(params, result) => Ty::Signature(all(params), type_of(result).into()),
        LibraryExpr::TypeArgument(ty) => type_of(ty),
    }
}

/// A type in which no parameter of a library type is left.
fn closed(ty: &Ty) -> Ty {
    let all = |types: &std::rc::Rc<[Ty]>| types.iter().map(closed).collect();
    match ty {
        Ty::Param(LIBRARY, _) => Ty::Unknown,
        Ty::External(name, args) => Ty::External(name.clone(), all(args)),
        Ty::List(inner) => Ty::List(closed(inner).into()),
        Ty::Tuple(items) => Ty::Tuple(all(items)),
        Ty::Signature(params, result) => Ty::Signature(all(params), closed(result).into()),
        other => other.clone(),
    }
}
