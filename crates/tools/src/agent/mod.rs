//! What programs see of the operations: MCP tools, their calls, and resources.

pub(crate) mod command_hints;
pub(crate) mod resources;
pub(crate) mod skill;
pub(crate) mod tool_calls;
pub(crate) mod tool_groups;
