//! Text that was erased before parsing although it belongs to the definition after it.

/// Erased text before a definition: the tree does not show it, but the definition's span must include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ErasedPrefix {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether it is an attribute of the definition.
    pub(crate) attribute: bool,
}
