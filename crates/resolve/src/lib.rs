//! Facts of many files in, edges with their proof out. Pure: one engine for all languages.
//!
//! A [`World`] gives the facts; a [`Resolver`] says what every use in a file means. It declines rather than guesses:
//! what it cannot prove is kept with the reason. What differs between languages comes as data, in
//! [`orient_model::Rules`].

mod afar;
mod arguments;
mod call;
mod collections;
mod components;
mod denote;
mod fit;
mod forms;
mod given;
mod heirs;
mod implicit;
mod import_edges;
mod keyed;
mod lexical;
mod modules;
mod objects;
mod outward;
mod patterns;
mod project;
mod receivers;
mod resolver;
mod runners;
mod session;
mod shared;
mod sight;
mod surface;
mod tables;
mod type_words;
mod types;
mod unit;
mod unknown_bases;
mod uses;
mod value;
mod world;

pub use afar::{Afar, WHOLE, afar, any_member, sorts};
pub use resolver::Resolver;
pub use surface::{path_names, surface};
pub use world::{FileFacts, Inside, MemoryWorld, Named, World};

/// Changes whenever the same facts and rules may give other edges.
pub const RESOLVER: u64 = 12;
