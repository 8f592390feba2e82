//! The type of a value, as far as it decides which members the value has.

use orient_model::ExprId;
use std::rc::Rc;

/// A symbol: its file, and its index among the symbols of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SymbolId {
    pub(crate) file: u32,
    pub(crate) at: u32,
}

/// Something with members that is not a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A file.
    File(u32),
    /// A directory: all files directly in it, or its sub-directories.
    Directory(String),
    /// A namespace that files declare.
    Namespace(String),
}

/// A bit of [`Ty::Param`] for the receiver's own type, written `this` or `Self`. The other bits are the index of
/// the declaring type's symbol.
pub(crate) const THIS: u32 = 1 << 31;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    /// Not known.
    Unknown,
    /// An instance of a type of the repository, with its type arguments.
    Instance(SymbolId, Rc<[Ty]>),
    /// A type used as a value: it has static members and constructors.
    Metatype(SymbolId, Rc<[Ty]>),
    /// A function of the repository, with its receiver if it is a member.
    Function(SymbolId, Option<Rc<Ty>>),
    /// An anonymous function: file, scope.
    Lambda(u32, u32),
    /// An object literal: file, scope, expression.
    Shape(u32, u32, ExprId),
    /// A module.
    Module(Module),
    /// A type parameter: file, binding. See [`THIS`].
    Param(u32, u32),
    /// A collection with elements of this type.
    List(Rc<Ty>),
    /// A tuple.
    Tuple(Rc<[Ty]>),
    /// The type of a function with this result and unknown parameters.
    Returning(Rc<Ty>),
    /// The type of a function with these parameters and this result.
    Signature(Rc<[Ty]>, Rc<Ty>),
    /// A base with its type arguments, and the receiver that inherits from it. Members of the base are seen through it.
    SeenThrough(Rc<Ty>, Rc<Ty>),
    /// One of these.
    Union(Rc<[Ty]>),
    /// A type outside of the repository, by its last name, with its type arguments.
    External(Rc<str>, Rc<[Ty]>),
}

/// Maximum number of alternatives of a union; with more, the type counts as unknown.
const MAX_ALTERNATIVES: usize = 16;
/// A union of this many alternatives takes no further one that differs only in its type arguments.
const DISTINCT_ARGUMENTS: usize = 4;

impl Ty {
    /// The empty list of type arguments, shared by all types of a thread.
    pub(crate) fn no_args() -> Rc<[Self]> {
        thread_local! {
            static NONE: Rc<[Ty]> = Rc::from([]);
        }
        NONE.with(Rc::clone)
    }

    /// An instance of a type without type arguments.
    pub(crate) fn instance(sym: SymbolId) -> Self {
        Self::Instance(sym, Self::no_args())
    }

    /// One of several types. Unknown ones are left out.
    pub(crate) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        for ty in types {
            for ty in ty.alternatives().iter().filter(|ty| ty.is_known()) {
                let few = distinct.len() < DISTINCT_ARGUMENTS;
                if distinct.iter().any(|known| known == ty || !few && known.is_like(ty)) {
                    continue;
                }
                if distinct.len() == MAX_ALTERNATIVES {
                    return Self::Unknown;
                }
                distinct.push(ty.clone());
            }
        }
        match distinct.len() {
            0 => Self::Unknown,
            1 => distinct.remove(0),
            _ => Self::Union(distinct.into()),
        }
    }

    /// Whether it differs from another in type arguments alone.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Instance(a, _), Self::Instance(b, _)) | (Self::Metatype(a, _), Self::Metatype(b, _)) => {
                a == b
            }
            (Self::Signature(a, _), Self::Signature(b, _)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a == b || a.is_like(b))
            }
            (Self::Param(..), Self::Param(..)) => true,
            _ => false,
        }
    }

    /// The alternatives of a union; the type itself otherwise.
    pub(crate) fn alternatives(&self) -> &[Self] {
        match self {
            Self::Union(types) => types,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        *self != Self::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(at: u32, args: &[Ty]) -> Ty {
        Ty::Instance(SymbolId { file: 0, at }, args.into())
    }

    #[test]
    fn a_union_drops_duplicates_and_unknown_types() {
        assert_eq!(Ty::union([Ty::Unknown, instance(1, &[]), instance(1, &[])]), instance(1, &[]));
        assert_eq!(Ty::union([Ty::Unknown]), Ty::Unknown);
        assert_eq!(Ty::union([instance(1, &[]), instance(2, &[])]).alternatives().len(), 2);
    }

    #[test]
    fn a_union_of_too_many_types_is_unknown() {
        assert_eq!(Ty::union((0..16).map(|at| instance(at, &[]))).alternatives().len(), 16);
        assert_eq!(Ty::union((0..17).map(|at| instance(at, &[]))), Ty::Unknown);
    }

    #[test]
    fn a_large_union_ignores_type_arguments() {
        let types = (0..4).map(|at| instance(at, &[])).chain([instance(0, &[instance(9, &[])])]);
        assert_eq!(Ty::union(types).alternatives().len(), 4);
    }
}
