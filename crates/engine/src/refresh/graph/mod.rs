//! Updating the graph of an index: which files must be resolved again, and resolving them.

mod dependency_index;
mod interface_diff;
mod invalidation;
mod resolve_files;
mod resolver_hooks;
mod resolver_input;
#[cfg(test)]
mod tests;
mod update;

pub(crate) use resolve_files::{GraphResolver, ResolveOutcome};
pub(crate) use resolver_hooks::ResolverHooks;
pub(crate) use resolver_input::{FactsSource, IndexRepository, SnapshotTable, SymbolTable, has_rules};
pub(crate) use update::{
    FilesToResolve, PathsBefore, files_to_resolve, record_before, resolve_in_change_set, resolve_invalidated,
};
