//! The table of operations. Every surface iterates it; nothing else names an operation.

use crate::ops::{
    Audit, Callees, Callers, Config, Context, Deps, Doctor, Dump, Edges, Files, Gc, Grep, Hierarchy, Impact,
    Implementations, Index, Map, Outline, Rdeps, References, Search, Show, Similar, Status, Symbols, Trace,
    Unused,
};
use crate::tool::Tool;

/// Every operation, in the order of the help.
pub const TOOLS: &[Tool] = &[
    Tool::of::<Index>(),
    Tool::of::<Status>(),
    Tool::of::<Search>(),
    Tool::of::<Context>(),
    Tool::of::<Grep>(),
    Tool::of::<Files>(),
    Tool::of::<Symbols>(),
    Tool::of::<Outline>(),
    Tool::of::<Show>(),
    Tool::of::<Similar>(),
    Tool::of::<Callers>(),
    Tool::of::<Callees>(),
    Tool::of::<References>(),
    Tool::of::<Implementations>(),
    Tool::of::<Hierarchy>(),
    Tool::of::<Trace>(),
    Tool::of::<Impact>(),
    Tool::of::<Deps>(),
    Tool::of::<Rdeps>(),
    Tool::of::<Edges>(),
    Tool::of::<Unused>(),
    Tool::of::<Map>(),
    Tool::of::<Audit>(),
    Tool::of::<Dump>(),
    Tool::of::<Doctor>(),
    Tool::of::<Gc>(),
    Tool::of::<Config>(),
];
