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
use crate::topic::Topic;
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
    Operation::of::<Search>(Topic::Find).for_newcomers(),
    Operation::of::<Symbols>(Topic::Find),
    Operation::of::<Grep>(Topic::Find),
    Operation::of::<Find>(Topic::Find),
    Operation::of::<Files>(Topic::Find),
    Operation::of::<Endpoints>(Topic::Find),
    Operation::of::<SurfaceList>(Topic::Find),
    Operation::of::<Similar>(Topic::Find),
    Operation::of::<Absent>(Topic::Find),
    Operation::of::<Show>(Topic::Read),
    Operation::of::<SymbolCard>(Topic::Read).for_newcomers(),
    Operation::of::<Outline>(Topic::Read),
    Operation::of::<Map>(Topic::Read),
    Operation::of::<Explain>(Topic::Read),
    Operation::of::<Context>(Topic::Read).for_newcomers(),
    Operation::of::<Callers>(Topic::Connect).for_newcomers(),
    Operation::of::<Callees>(Topic::Connect),
    Operation::of::<References>(Topic::Connect),
    Operation::of::<Implementations>(Topic::Connect),
    Operation::of::<Hierarchy>(Topic::Connect),
    Operation::of::<Trace>(Topic::Connect),
    Operation::of::<Deps>(Topic::Connect),
    Operation::of::<Rdeps>(Topic::Connect),
    Operation::of::<Unused>(Topic::Connect),
    Operation::of::<Impact>(Topic::Change).for_newcomers(),
    Operation::of::<Changes>(Topic::Change),
    Operation::of::<Plan>(Topic::Change),
    Operation::of::<GuidedTask>(Topic::Change),
    Operation::of::<Log>(Topic::Time).for_newcomers(),
    Operation::of::<Blame>(Topic::Time),
    Operation::of::<Introduced>(Topic::Time),
    Operation::of::<Commits>(Topic::Time),
    Operation::of::<Hotspots>(Topic::Time),
    Operation::of::<Index>(Topic::Index),
    Operation::of::<Status>(Topic::Index),
    Operation::of::<Doctor>(Topic::Index),
    Operation::of::<Config>(Topic::Index),
    Operation::of::<Embed>(Topic::Index),
    Operation::of::<Enrich>(Topic::Index),
    Operation::of::<Gc>(Topic::Index),
    Operation::of::<Query>(Topic::More),
    Operation::of::<Edges>(Topic::More),
    Operation::of::<Dump>(Topic::More),
    Operation::of::<Audit>(Topic::More),
    Operation::of::<Scip>(Topic::More),
    Operation::of::<Export>(Topic::More),
    Operation::of::<Import>(Topic::More),
    Operation::of::<InsightsReport>(Topic::More),
];
