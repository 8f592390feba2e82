//! Several roots that act as one: edges between them.
//!
//! Each root keeps its own index. A reference that leads from one root to another is external in its own index; it becomes an edge
//! when its file is resolved again with both roots in view, as if they were two directories of one repository. Only a project whose
//! manifest requires a package may have edges to the project that provides it: names alone never join two roots.

mod cross_root_uses;
mod crossing_edge_cache;
mod joined_repository;
mod package_coordinates;

pub use cross_root_uses::{CrossRootUse, CrossRootUses, RootSnapshot, cross_root_uses};
pub(crate) use crossing_edge_cache::{CrossingEdgeCache, IndexNumber};
pub use package_coordinates::Packages;
pub(crate) use package_coordinates::Projects;
