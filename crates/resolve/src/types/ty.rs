//! What an expression can mean, and what a value can be.

use orient_model::{Confidence, ExprId, Rule};
use std::rc::Rc;

/// A symbol: its file and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Sym {
    pub(crate) file: u32,
    pub(crate) at: u32,
}

/// Something with members that is not a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Module {
    /// A file.
    File(u32),
    /// A folder: all files directly in it, or its sub-folders.
    Folder(String),
    /// A namespace that files declare.
    Namespace(String),
}

/// Set in the number of a type parameter that stands for the receiver's own type; the rest is the symbol of the type that
/// says so.
pub(crate) const THIS: u32 = 1 << 31;

/// What a value is, as far as it tells what its members are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    /// Nobody knows.
    Unknown,
    /// An instance of a type of ours, with its arguments.
    Of(Sym, Rc<[Ty]>),
    /// A type itself: its static members, its constructors.
    Type(Sym, Rc<[Ty]>),
    /// A function of ours, seen through a receiver where it is a member.
    Function(Sym, Option<Rc<Ty>>),
    /// A function without a name: file, scope.
    Lambda(u32, u32),
    /// An object written out: file, scope, expression.
    Shape(u32, u32, ExprId),
    /// A module.
    Module(Module),
    /// A type parameter: file and binding.
    Param(u32, u32),
    /// Any number of these.
    Many(Rc<Ty>),
    /// These, in order.
    Tuple(Rc<[Ty]>),
    /// The type of a function with this result.
    Gives(Rc<Ty>),
    /// The type of a function with these parameters and this result.
    Signature(Rc<[Ty]>, Rc<Ty>),
    /// A base with its arguments, and the receiver whose base it is: what members of the base are seen through.
    Seen(Rc<Ty>, Rc<Ty>),
    /// One of these.
    Either(Rc<[Ty]>),
    /// A type from outside, by its last name, with its arguments.
    Outside(Rc<str>, Rc<[Ty]>),
}

/// More than this many types a value may be of say nothing.
const CHOICES: usize = 16;
/// From so many on, types that differ only in their arguments count as one.
const FEW: usize = 4;

impl Ty {
    /// No arguments. Most types have none, so all of a thread share these.
    pub(crate) fn none() -> Rc<[Self]> {
        thread_local! {
            static NONE: Rc<[Ty]> = Rc::from([]);
        }
        NONE.with(Rc::clone)
    }

    /// An instance of a type without arguments.
    pub(crate) fn of(sym: Sym) -> Self {
        Self::Of(sym, Self::none())
    }

    /// One of several; unknown ones say nothing.
    pub(crate) fn either(types: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        for ty in types {
            for ty in ty.each().iter().filter(|ty| ty.is_known()) {
                let few = distinct.len() < FEW;
                if distinct.iter().any(|known| known == ty || !few && known.is_like(ty)) {
                    continue;
                }
                // However many more there are, they say nothing.
                if distinct.len() == CHOICES {
                    return Self::Unknown;
                }
                distinct.push(ty.clone());
            }
        }
        match distinct.len() {
            0 => Self::Unknown,
            1 => distinct.remove(0),
            _ => Self::Either(distinct.into()),
        }
    }

    /// Whether it differs from another in type arguments alone.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Of(a, _), Self::Of(b, _)) | (Self::Type(a, _), Self::Type(b, _)) => a == b,
            (Self::Signature(a, _), Self::Signature(b, _)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a == b || a.is_like(b))
            }
            (Self::Param(..), Self::Param(..)) => true,
            _ => false,
        }
    }

    /// Each of what it may be.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Either(types) => types,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        *self != Self::Unknown
    }
}

/// What an expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    /// A symbol, seen through a receiver where it is a member.
    Symbol(Sym, Option<Rc<Ty>>),
    /// A value that has no symbol of its own.
    Value(Ty),
    /// Something outside: package, name.
    Outside(Rc<str>, Rc<str>),
}

/// What an expression names, and how we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) thing: Thing,
    pub(crate) rule: Rule,
    pub(crate) sure: Confidence,
    /// How far the type of the receiver is from the one this was written for.
    pub(crate) far: usize,
}

impl Found {
    /// What was found, to be kept; nothing is kept once for all of a thread.
    pub(crate) fn kept(found: Vec<Self>) -> Rc<[Self]> {
        thread_local! {
            static NOTHING: Rc<[Found]> = Rc::from([]);
        }
        if found.is_empty() { NOTHING.with(Rc::clone) } else { found.into() }
    }

    /// A symbol that is surely meant.
    pub(crate) fn symbol(sym: Sym, rule: Rule) -> Self {
        Self { thing: Thing::Symbol(sym, None), rule, sure: Confidence::Exact, far: 0 }
    }

    /// A value.
    pub(crate) fn value(ty: Ty, rule: Rule) -> Self {
        Self { thing: Thing::Value(ty), rule, sure: Confidence::Exact, far: 0 }
    }

    /// A module.
    pub(crate) fn module(module: Module, rule: Rule) -> Self {
        Self::value(Ty::Module(module), rule)
    }

    /// Something outside.
    pub(crate) fn outside(package: &str, name: &str) -> Self {
        let thing = Thing::Outside(package.into(), name.into());
        Self { thing, rule: Rule::Import, sure: Confidence::Exact, far: 0 }
    }

    /// A member that a base outside of the repository may have; whether it has one is not known.
    pub(crate) fn perhaps_outside(of: &str, name: &str) -> Self {
        Self::outside(of, name).by(Rule::Inherited).at_most(Confidence::Approximate)
    }

    /// Whether nothing proves that this is outside: an unknown base or receiver may have it, or may not.
    pub(crate) fn is_perhaps_outside(&self) -> bool {
        matches!(self.thing, Thing::Outside(..)) && self.sure == Confidence::Approximate
    }

    /// The symbol, if it is one.
    pub(crate) fn sym(&self) -> Option<Sym> {
        match self.thing {
            Thing::Symbol(sym, _) => Some(sym),
            _ => None,
        }
    }

    /// The same, no surer than this.
    pub(crate) fn at_most(mut self, sure: Confidence) -> Self {
        self.sure = self.sure.max(sure);
        self
    }

    /// The same, by this rule.
    pub(crate) fn by(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }
}

/// A value and how we know it.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) ty: Ty,
    pub(crate) rule: Rule,
    pub(crate) sure: Confidence,
}

impl Val {
    /// A value that is surely of this type.
    pub(crate) fn new(ty: Ty, rule: Rule) -> Self {
        Self { ty, rule, sure: Confidence::Exact }
    }

    /// A value nobody knows anything of.
    pub(crate) fn unknown() -> Self {
        Self::new(Ty::Unknown, Rule::Inferred)
    }

    /// The same with another type.
    pub(crate) fn with(&self, ty: Ty) -> Self {
        Self { ty, ..self.clone() }
    }
}
