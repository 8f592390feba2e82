//! Types: what type expressions mean, what type an expression has, and which members a type has.

pub(crate) mod collections;
pub(crate) mod contextual_types;
pub(crate) mod eval;
pub(crate) mod index_access;
pub(crate) mod object_literals;
pub(crate) mod patterns;
pub(crate) mod ty;
pub(crate) mod type_expr;
pub(crate) mod type_forms;
pub(crate) mod written_types;
