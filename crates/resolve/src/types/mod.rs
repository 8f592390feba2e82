//! Types: what type expressions mean, what type an expression has, and which members a type has.

pub(crate) mod binding_types;
pub(crate) mod collections;
pub(crate) mod contextual_types;
pub(crate) mod declarations;
pub(crate) mod destructuring;
pub(crate) mod eval;
pub(crate) mod generics;
pub(crate) mod hierarchy;
pub(crate) mod index_access;
pub(crate) mod library;
pub(crate) mod member_access;
pub(crate) mod members;
mod narrowing;
pub(crate) mod object_literals;
pub(crate) mod patterns;
pub(crate) mod self_type;
pub(crate) mod target;
pub(crate) mod ty;
pub(crate) mod type_expr;
pub(crate) mod written_types;
