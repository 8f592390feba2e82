//! The operations, one file each.

mod callees;
mod callers;
mod config;
mod deps;
mod dump;
mod files;
mod gc;
mod hierarchy;
mod impact;
mod implementations;
mod index;
mod outline;
mod rdeps;
mod references;
mod show;
mod status;
mod symbols;
mod trace;

pub(crate) use callees::Callees;
pub(crate) use callers::Callers;
pub(crate) use config::Config;
pub(crate) use deps::Deps;
pub(crate) use dump::Dump;
pub(crate) use files::Files;
pub(crate) use gc::Gc;
pub(crate) use hierarchy::Hierarchy;
pub(crate) use impact::Impact;
pub(crate) use implementations::Implementations;
pub(crate) use index::Index;
pub(crate) use outline::Outline;
pub(crate) use rdeps::Rdeps;
pub(crate) use references::References;
pub(crate) use show::Show;
pub(crate) use status::Status;
pub(crate) use symbols::Symbols;
pub(crate) use trace::Trace;
