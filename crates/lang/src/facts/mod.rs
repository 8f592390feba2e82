//! Building blocks of facts that deep languages, shallow languages and scanners share: interned strings, display text, the text of literals,
//! body hashes, chunks, ordinals, and the check whether a file can be resolved in reasonable time.

pub(crate) mod chunks;
pub(crate) mod display_text;
pub(crate) mod hash;
pub(crate) mod interner;
pub(crate) mod ordinals;
pub(crate) mod resolvable;
pub(crate) mod string_text;
