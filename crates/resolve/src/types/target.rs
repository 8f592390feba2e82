//! What an expression refers to, and what its value is, each with the rule that proves it and the confidence.

use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{Confidence, Rule};
use std::rc::Rc;

/// What an expression refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Referent {
    /// A symbol, with its receiver if it is a member.
    Symbol(SymbolId, Option<Rc<Ty>>),
    /// A value that has no symbol of its own.
    Value(Ty),
    /// Something outside of the repository: package, name.
    External(Rc<str>, Rc<str>),
}

/// One thing that an expression may refer to, and the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) referent: Referent,
    pub(crate) rule: Rule,
    pub(crate) confidence: Confidence,
    /// Number of steps in the MRO from the receiver's type to the type that an extension is declared for.
    pub(crate) receiver_distance: usize,
}

impl Target {
    /// The targets as a memo table stores them. All empty lists of a thread share one allocation.
    pub(crate) fn stored(found: Vec<Self>) -> Rc<[Self]> {
        thread_local! {
            static NOTHING: Rc<[Target]> = Rc::from([]);
        }
        if found.is_empty() { NOTHING.with(Rc::clone) } else { found.into() }
    }

    /// A symbol, with exact confidence.
    pub(crate) fn symbol(sym: SymbolId, rule: Rule) -> Self {
        Self {
            referent: Referent::Symbol(sym, None),
            rule,
            confidence: Confidence::Exact,
            receiver_distance: 0,
        }
    }

    /// A value, with exact confidence.
    pub(crate) fn value(ty: Ty, rule: Rule) -> Self {
        Self { referent: Referent::Value(ty), rule, confidence: Confidence::Exact, receiver_distance: 0 }
    }

    /// A module.
    pub(crate) fn module(module: Module, rule: Rule) -> Self {
        Self::value(Ty::Module(module), rule)
    }

    /// Something outside of the repository.
    pub(crate) fn external(package: &str, name: &str) -> Self {
        let referent = Referent::External(package.into(), name.into());
        Self { referent, rule: Rule::Import, confidence: Confidence::Exact, receiver_distance: 0 }
    }

    /// A member that a base outside of the repository may have or may not have.
    pub(crate) fn maybe_external(of: &str, name: &str) -> Self {
        Self::external(of, name).by(Rule::Inherited).at_most(Confidence::Approximate)
    }

    /// Whether nothing proves that this is outside of the repository: an unknown base or receiver may have it.
    pub(crate) fn is_maybe_external(&self) -> bool {
        matches!(self.referent, Referent::External(..)) && self.confidence == Confidence::Approximate
    }

    /// The symbol, if it is one.
    pub(crate) fn sym(&self) -> Option<SymbolId> {
        match self.referent {
            Referent::Symbol(sym, _) => Some(sym),
            _ => None,
        }
    }

    /// The same target with at most this confidence.
    pub(crate) fn at_most(mut self, confidence: Confidence) -> Self {
        self.confidence = self.confidence.max(confidence);
        self
    }

    /// The same target, proven by this rule.
    pub(crate) fn by(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }
}

/// The type of a value, and the evidence.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Ty,
    pub(crate) rule: Rule,
    pub(crate) confidence: Confidence,
}

impl Value {
    /// A value of this type, with exact confidence.
    pub(crate) fn new(ty: Ty, rule: Rule) -> Self {
        Self { ty, rule, confidence: Confidence::Exact }
    }

    /// A value of unknown type.
    pub(crate) fn unknown() -> Self {
        Self::new(Ty::Unknown, Rule::Inferred)
    }

    /// Whether the type is known: then the answer to a query for it is complete, even inside of a cycle.
    pub(crate) fn is_known_answer<K>(_: &K, value: &Self) -> bool {
        value.ty.is_known()
    }

    /// The same evidence for another type.
    pub(crate) fn with(&self, ty: Ty) -> Self {
        Self { ty, ..self.clone() }
    }
}
