//! How much address space this process may use. Where it runs out, no program can go on: not even the C library can say so.

use rustix::process::{Resource, getrlimit};

/// What the smallest index needs, with the stacks and the memory pools of its threads.
const LEAST: u64 = 512 << 20;

/// A message if the process may use too little.
pub(crate) fn shortage() -> Option<String> {
    let allowed = getrlimit(Resource::As).current.filter(|allowed| *allowed < LEAST)?;
    Some(format!(
        "this process may use {} MiB of address space, and needs {} MiB (see `ulimit -v`)",
        allowed >> 20,
        LEAST >> 20
    ))
}
