//! Conventions of a language, compiled from its pack: which symbols are tests, and which names a runtime uses.

pub(crate) mod runtime_names;
pub(crate) mod test_rules;
