//! The operations, one module each, and the table of them.

mod absent;
mod audit;
mod blame;
mod callees;
mod callers;
mod changes;
mod commits;
mod config;
mod context;
mod deps;
mod doctor;
mod dump;
mod edges;
mod embed;
mod endpoints;
pub(crate) mod enrich;
mod explain;
mod export;
mod files;
pub(crate) mod find;
mod gc;
mod grep;
mod hierarchy;
mod hotspots;
mod impact;
mod implementations;
mod import;
mod index;
mod insights;
mod introduced;
mod log;
mod map;
mod outline;
mod query;
mod rdeps;
mod references;
mod scip;
mod search;
mod show;
mod similar;
mod source_lines;
mod status;
mod surface;
mod symbol;
mod symbols;
mod task;
mod trace;
mod unused;

pub(crate) use map::{CentralLine, DirectoryLine, EntryLine};

use crate::operation::Operation;
use absent::Absent;
use audit::Audit;
use blame::Blame;
use callees::Callees;
use callers::Callers;
use changes::Changes;
use commits::Commits;
use config::Config;
use context::Context;
use deps::Deps;
use doctor::Doctor;
use dump::Dump;
use edges::Edges;
use embed::Embed;
use endpoints::Endpoints;
use enrich::Enrich;
use explain::Explain;
use export::Export;
use files::Files;
use find::Find;
use gc::Gc;
use grep::Grep;
use hierarchy::Hierarchy;
use hotspots::Hotspots;
use impact::Impact;
use implementations::Implementations;
use import::Import;
use index::Index;
use insights::InsightsReport;
use introduced::Introduced;
use log::Log;
use map::Map;
use outline::Outline;
use query::Query;
use rdeps::Rdeps;
use references::References;
use scip::Scip;
use search::Search;
use show::Show;
use similar::Similar;
use status::Status;
use surface::SurfaceList;
use symbol::SymbolCard;
use symbols::Symbols;
use task::GuidedTask;
use task::plan::Plan;
use trace::Trace;
use unused::Unused;

/// Every operation, in the order of the help.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Index>(),
    Operation::of::<Status>(),
    Operation::of::<Search>(),
    Operation::of::<Context>(),
    Operation::of::<Grep>(),
    Operation::of::<Find>(),
    Operation::of::<Absent>(),
    Operation::of::<Files>(),
    Operation::of::<Symbols>(),
    Operation::of::<SymbolCard>(),
    Operation::of::<Outline>(),
    Operation::of::<Show>(),
    Operation::of::<Similar>(),
    Operation::of::<Callers>(),
    Operation::of::<Callees>(),
    Operation::of::<References>(),
    Operation::of::<Implementations>(),
    Operation::of::<Hierarchy>(),
    Operation::of::<Trace>(),
    Operation::of::<Impact>(),
    Operation::of::<Deps>(),
    Operation::of::<Rdeps>(),
    Operation::of::<Edges>(),
    Operation::of::<Endpoints>(),
    Operation::of::<SurfaceList>(),
    Operation::of::<Unused>(),
    Operation::of::<Map>(),
    Operation::of::<Explain>(),
    Operation::of::<Log>(),
    Operation::of::<Blame>(),
    Operation::of::<Introduced>(),
    Operation::of::<Commits>(),
    Operation::of::<Changes>(),
    Operation::of::<Hotspots>(),
    Operation::of::<Plan>(),
    Operation::of::<GuidedTask>(),
    Operation::of::<InsightsReport>(),
    Operation::of::<Query>(),
    Operation::of::<Audit>(),
    Operation::of::<Scip>(),
    Operation::of::<Enrich>(),
    Operation::of::<Export>(),
    Operation::of::<Import>(),
    Operation::of::<Dump>(),
    Operation::of::<Doctor>(),
    Operation::of::<Embed>(),
    Operation::of::<Gc>(),
    Operation::of::<Config>(),
];
