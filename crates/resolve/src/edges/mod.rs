//! Edges: the output of resolution, one file for each kind of evidence.

mod call_edges;
mod compiled_edges;
pub(crate) mod component_props;
mod construct_edges;
mod hierarchy;
mod implicit_calls;
mod imports;
mod markup_edges;
mod references;
pub(crate) mod test_fixtures;

pub use references::{CallOutcome, CallResult, UnprovedUse};
pub(crate) use references::{call_outcomes, unproved_uses};

use crate::file::FileRef;
use crate::session::Session;
use orient_model::Resolved;

/// Adds all edges, external references and misses of a file.
pub(crate) fn add_all(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    references::edges(session, unit, out);
    imports::edges(session, unit, out);
    hierarchy::edges(session, unit, out);
    implicit_calls::edges(session, unit, out);
    component_props::edges(session, unit, out);
    test_fixtures::edges(session, unit, out);
    compiled_edges::edges(session, unit, out);
}
