//! The graph against a truth from elsewhere: what a compiler says, read from a file.

mod scip;
mod truth;
mod verdict;

pub(crate) use truth::{Pair, Place, Truth};
pub(crate) use verdict::{Ours, Tally, Verdicts, judge, share};
