//! Compares what this crate reads with what git prints, on repositories that git creates.

mod any_bytes;
mod branches;
mod commit_trees;
mod faults;
mod fixture;
mod hostile;
mod logs;
mod planted_bytes;
mod revisions;
mod storage;
