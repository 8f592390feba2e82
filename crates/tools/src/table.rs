//! The table of operations. Every surface iterates it; nothing else names an operation.

use crate::ops::{Config, Dump, Files, Gc, Grep, Index, Outline, Show, Status, Symbols};
use crate::tool::Tool;

/// Every operation, in the order of the help.
pub const TOOLS: &[Tool] = &[
    Tool::of::<Index>(),
    Tool::of::<Status>(),
    Tool::of::<Grep>(),
    Tool::of::<Files>(),
    Tool::of::<Symbols>(),
    Tool::of::<Outline>(),
    Tool::of::<Show>(),
    Tool::of::<Dump>(),
    Tool::of::<Gc>(),
    Tool::of::<Config>(),
];
