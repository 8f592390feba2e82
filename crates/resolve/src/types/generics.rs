//! Type parameters: substitution, unification, bounds and defaults.

use crate::file::FileRef;
use crate::names::extensions::is_same_type;
use crate::session::{Session, Site};
use crate::types::target::Value;
use crate::types::ty::{THIS, Ty};
use orient_model::{Rule, SymbolKind};
use std::rc::Rc;

/// Type parameters, by file and binding, with their values.
pub(crate) type TypeArguments = Vec<((u32, u32), Ty)>;

/// Maximum depth of nested type arguments.
const DEEP: usize = 4;

impl Session<'_> {
    /// Replaces the type parameters of a receiver's type by its type arguments.
    pub(crate) fn substitute_receiver(&self, ty: &Ty, receiver: &Ty) -> Ty {
        if !mentions_param(ty) {
            return ty.clone();
        }
        let (through, this) = match receiver {
            Ty::SeenThrough(through, this) => (&**through, &**this),
            other => (other, other),
        };
        let (Ty::Instance(sym, args) | Ty::Metatype(sym, args)) = through else { return ty.clone() };
        let Some(unit) = self.unit_of(*sym) else { return ty.clone() };
        if !unit.rules.type_namespace && unit.kind(sym.at).is_some_and(SymbolKind::is_callable) {
            // The type arguments that a call states for a function, and its receiver.
            let params = unit.type_params(sym.at).iter().map(|&at| (sym.file, at));
            let stated: TypeArguments = params.zip(args.iter().cloned()).collect();
            return self.substitute_receiver(&substitute(ty, &stated), this);
        }
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

    /// Unification with the supertypes of what is given: `Id<T>` and a subtype of `Id<Cart>` give `T = Cart`.
    pub(crate) fn infer(&self, wanted: &Ty, given: &Ty, map: &mut TypeArguments) {
        let base = match (wanted, given) {
            (Ty::Instance(..) | Ty::External(..), Ty::Instance(..)) => {
                self.mro(given).iter().find(|of| is_same_type(of, wanted)).cloned()
            }
            _ => None,
        };
        unify(wanted, base.as_ref().unwrap_or(given), map);
    }

    /// The default of a type parameter.
    fn type_param_default(&self, unit: &FileRef, symbol: u32, param: u32, map: &[((u32, u32), Ty)]) -> Ty {
        let Some(default) = unit.binding(param).and_then(|binding| binding.value) else { return Ty::Unknown };
        let site = Site { unit: unit.clone(), scope: unit.scope_of(symbol).unwrap_or(0), at: u32::MAX };
        let in_progress = self.queries.binding_values.in_progress();
        let ty = in_progress.enter(&self.limits, &(unit.file, param), || self.ty(&site, default));
        ty.map_or(Ty::Unknown, |ty| substitute(&ty, map))
    }

    /// The upper bound of a type parameter.
    pub(crate) fn type_param_bound(&self, unit: &FileRef, param: u32) -> Value {
        let Some(ty) =
            unit.binding(param).and_then(|binding| binding.ty).filter(|_| unit.rules.type_namespace)
        else {
            return self.bound_value(unit, param);
        };
        let scope = unit.binding(param).map_or(0, |binding| binding.scope);
        let site = Site { unit: unit.clone(), scope, at: u32::MAX };
        let in_progress = self.queries.binding_values.in_progress();
        let ty = in_progress.enter(&self.limits, &(unit.file, param), || self.ty(&site, ty));
        Value::new(ty.unwrap_or(Ty::Unknown), Rule::Declared)
    }
}

/// Replaces type parameters by types.
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

/// Replaces type arguments below this depth by unknown types.
fn truncate_depth(ty: &Ty, depth: usize) -> Ty {
    let all = |types: &Rc<[Ty]>| -> Rc<[Ty]> {
        match depth {
            0 => types.iter().map(|_| Ty::Unknown).collect(),
            _ => types.iter().map(|ty| truncate_depth(ty, depth - 1)).collect(),
        }
    };
    match ty {
        Ty::Instance(sym, args) if !args.is_empty() => Ty::Instance(*sym, all(args)),
        Ty::Metatype(sym, args) if !args.is_empty() => Ty::Metatype(*sym, all(args)),
        Ty::External(name, args) if !args.is_empty() => Ty::External(name.clone(), all(args)),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        Ty::Signature(params, result) => Ty::Signature(all(params), truncate_depth(result, depth).into()),
        Ty::Union(types) => Ty::union(types.iter().map(|ty| truncate_depth(ty, depth))),
        Ty::List(inner) => Ty::List(truncate_depth(inner, depth).into()),
        other => other.clone(),
    }
}

/// Whether a type contains a type parameter.
pub(crate) fn mentions_param(ty: &Ty) -> bool {
    match ty {
        Ty::Param(..) => true,
        Ty::Instance(_, args)
        | Ty::Metatype(_, args)
        | Ty::External(_, args)
        | Ty::Tuple(args)
        | Ty::Union(args) => args.iter().any(mentions_param),
        Ty::List(inner) | Ty::Returning(inner) => mentions_param(inner),
        Ty::Signature(params, result) => params.iter().any(mentions_param) || mentions_param(result),
        _ => false,
    }
}

/// Unification: finds what the type parameters of `wanted` must be for it to equal `given`. For example, `List<T>` and
/// `List<Cart>` give `T = Cart`.
pub(crate) fn unify(wanted: &Ty, given: &Ty, map: &mut Vec<((u32, u32), Ty)>) {
    match (wanted, given) {
        (_, Ty::Unknown) => {}
        (Ty::Param(file, at), _) if map.iter().any(|(param, _)| *param == (*file, *at)) => {}
        (Ty::Param(file, at), given) => map.push(((*file, *at), given.clone())),
        (Ty::Instance(a, left), Ty::Instance(b, right)) if a == b => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
        }
        (Ty::External(_, left), Ty::External(_, right)) => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
        }
        (Ty::External(_, left), Ty::Metatype(sym, args)) => {
            if let Some(first) = left.first() {
                unify(first, &Ty::Instance(*sym, args.clone()), map);
            }
        }
        (Ty::List(left), Ty::External(_, args)) if args.len() == 1 => unify(left, &args[0], map),
        (Ty::External(_, args), Ty::List(right)) if args.len() == 1 => unify(&args[0], right, map),
        (Ty::List(left), Ty::Tuple(items)) => unify(left, &Ty::union(items.iter().cloned()), map),
        (Ty::List(left), Ty::List(right)) | (Ty::Returning(left), Ty::Returning(right)) => {
            unify(left, right, map);
        }
        (Ty::Signature(left, gives), Ty::Signature(right, given)) => {
            left.iter().zip(right.iter()).for_each(|(left, right)| unify(left, right, map));
            unify(gives, given, map);
        }
        (Ty::Union(types), given) => types.iter().for_each(|ty| unify(ty, given, map)),
        _ => {}
    }
}
