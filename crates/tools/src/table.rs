//! The table of operations. Every surface iterates it; nothing else names an operation.

use crate::ops::{
    Callees, Callers, Config, Dump, Files, Gc, Hierarchy, Impact, Implementations, Index, Outline,
    References, Show, Status, Symbols, Trace,
};
use crate::tool::Tool;

/// Every operation, in the order of the help.
pub const TOOLS: &[Tool] = &[
    Tool::of::<Index>(),
    Tool::of::<Status>(),
    Tool::of::<Files>(),
    Tool::of::<Symbols>(),
    Tool::of::<Outline>(),
    Tool::of::<Show>(),
    Tool::of::<Callers>(),
    Tool::of::<Callees>(),
    Tool::of::<References>(),
    Tool::of::<Implementations>(),
    Tool::of::<Hierarchy>(),
    Tool::of::<Trace>(),
    Tool::of::<Impact>(),
    Tool::of::<Dump>(),
    Tool::of::<Gc>(),
    Tool::of::<Config>(),
];
