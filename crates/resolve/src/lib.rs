//! Facts of many files in, edges with their proof out. Pure: one engine for all languages.
//!
//! A [`World`] gives the facts; a [`Resolver`] says what every use in a file means. It declines rather than guesses:
//! what it cannot prove is kept with the reason. What differs between languages comes as data, in
//! [`orient_model::Rules`].

mod calls;
mod edges;
mod file;
mod invalidation;
mod modules;
mod names;
mod repository;
mod resolver;
mod session;
mod sharded_cache;
mod types;

pub use invalidation::interface_hash::{path_names, surface};
pub use invalidation::name_reach::{Afar, WHOLE, afar, any_member, sorts};
pub use repository::{FileFacts, Inside, MemoryWorld, Named, World};
pub use resolver::Resolver;

/// Changes whenever the same facts and rules may give other edges.
pub const RESOLVER: u64 = 12;
