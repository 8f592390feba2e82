//! Calls: which functions a call may mean, which overload takes its arguments, and what type the call returns.

pub(crate) mod argument_types;
pub(crate) mod call_result;
pub(crate) mod callees;
mod macro_arguments;
mod nearest_overloads;
pub(crate) mod overloads;
pub(crate) mod receiver_qualifiers;
pub(crate) mod specificity;
mod trait_impls;
