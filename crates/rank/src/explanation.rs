//! The explanation of a score: the contribution of each rule.

use crate::likelihood::HitEvidence;
use crate::rules::Rule;

/// The contribution of a rule to a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// The rule.
    pub rule: Rule,
    /// The summand or factor.
    pub value: f32,
    /// Whether it is a factor.
    pub factor: bool,
}

/// A ranked chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedChunk {
    /// The index of the candidate in the pool.
    pub candidate: usize,
    /// Its score.
    pub score: f32,
    /// The contributions to the score.
    pub parts: Vec<ScorePart>,
    /// Other good chunks of its file, best first.
    pub also: Vec<usize>,
    /// What the likelihood that it answers the query is estimated from.
    pub evidence: HitEvidence,
    /// The package or directory that it represents, if the question is about every part of the repository.
    pub part: Option<String>,
}
