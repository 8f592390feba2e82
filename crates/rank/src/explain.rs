//! Why a hit stands where it stands.

use crate::rules::Rule;

/// What a hit owes to a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The rule.
    pub rule: Rule,
    /// What it added, or by what it multiplied.
    pub value: f32,
    /// Whether it multiplied.
    pub factor: bool,
}

/// A candidate in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The candidate, as an index into the pool.
    pub candidate: usize,
    /// The score it has there.
    pub score: f32,
    /// What it is made of.
    pub parts: Vec<Part>,
    /// Other places of its file worth naming beside it, best first.
    pub also: Vec<usize>,
}
