//! The operations, one file each.

mod config;
mod dump;
mod files;
mod gc;
mod grep;
mod index;
mod outline;
mod show;
mod status;
mod symbols;

pub(crate) use config::Config;
pub(crate) use dump::Dump;
pub(crate) use files::Files;
pub(crate) use gc::Gc;
pub(crate) use grep::Grep;
pub(crate) use index::Index;
pub(crate) use outline::Outline;
pub(crate) use show::Show;
pub(crate) use status::Status;
pub(crate) use symbols::Symbols;
