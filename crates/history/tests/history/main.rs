//! Compares what this crate reads with what git prints, on repositories that git creates.

mod branches;
mod commit_trees;
mod faults;
mod fixture;
mod hostile;
mod logs;
mod revisions;
mod storage;
