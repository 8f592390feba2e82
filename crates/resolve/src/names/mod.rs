//! Names: what a bare name means at a place, by scopes, bindings, imports and visibility.

pub(crate) mod bindings;
pub(crate) mod extensions;
pub(crate) mod implicit_members;
pub(crate) mod labelled_receivers;
pub(crate) mod member_sides;
pub(crate) mod scope_lookup;
pub(crate) mod self_rebinding;
pub(crate) mod unknown_bases;
pub(crate) mod visibility;
