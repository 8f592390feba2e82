//! The likelihood that a hit is among the code that a query is about: a logistic model of what is known about the hit and the
//! query. `evals/calibrate.py` fits the coefficients and reports how far they hold on repositories that they were not fitted to.

use crate::candidate::Pool;
use crate::explanation::RankedChunk;

/// The number of features.
const FEATURES: usize = 9;
/// The fitted intercept.
const INTERCEPT: f32 = -3.476;
/// The fitted weight of each feature.
const COEFFICIENTS: [f32; FEATURES] = [-0.685, 1.473, 0.897, 1.489, -1.421, 0.255, 1.075, 0.121, 1.765];

/// What the likelihood of a hit is estimated from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HitEvidence([f32; FEATURES]);

impl HitEvidence {
    /// The names of the features, in order.
    pub const NAMES: [&'static str; FEATURES] = [
        "place",
        "relative_score",
        "lead",
        "similarity",
        "best_similarity",
        "words",
        "words_of_file",
        "missing_words",
        "named",
    ];

    /// The features with their names.
    pub fn features(&self) -> impl Iterator<Item = (&'static str, f32)> {
        Self::NAMES.into_iter().zip(self.0)
    }

    /// The likelihood, between 0 and 1.
    pub fn likelihood(&self) -> f32 {
        let logit: f32 = self.0.iter().zip(COEFFICIENTS).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + (-(logit + INTERCEPT)).exp())
    }
}

/// Estimates the likelihood of each hit, best first.
pub(crate) fn estimate(pool: &Pool, hits: &mut [RankedChunk]) {
    let share = |part: f32, whole: f32| if whole > 0.0 { (part / whole).clamp(0.0, 1.5) } else { 0.0 };
    let best_similarity = pool.candidates.iter().map(|one| one.semantic).fold(0.0, f32::max);
    let score = |at: usize| hits.get(at).map_or(0.0, |hit: &RankedChunk| hit.score);
    let (first, second) = (score(0), score(1));
    for (place, hit) in (1_u16..).zip(hits) {
        let candidate = &pool.candidates[hit.candidate];
        let file = &pool.files[candidate.file as usize];
        let named = candidate
            .exact
            .min(1.0)
            .max(candidate.named)
            .max(candidate.mentioned)
            .max(candidate.quoted)
            .max(file.mentioned);
        hit.evidence = HitEvidence([
            f32::from(place).ln(),
            share(hit.score, first),
            share(first - second, first),
            candidate.semantic.max(0.0),
            best_similarity,
            share(candidate.lexical.score, pool.total),
            share(file.lexical.score, pool.total),
            share(pool.missing, pool.total),
            named,
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence that differs from the middle only in one feature.
    fn with(name: &str, value: f32) -> HitEvidence {
        let mut values = [0.5; FEATURES];
        let at = HitEvidence::NAMES.iter().position(|known| *known == name).expect("a feature");
        values[at] = value;
        HitEvidence(values)
    }

    #[test]
    fn better_evidence_is_more_likely() {
        for name in ["relative_score", "similarity", "words", "words_of_file", "named"] {
            assert!(with(name, 1.0).likelihood() > with(name, 0.0).likelihood(), "{name}");
        }
        assert!(with("place", 0.0).likelihood() > with("place", 2.0).likelihood(), "the first hit");
    }

    #[test]
    fn a_likelihood_is_between_zero_and_one() {
        for value in [f32::MIN_POSITIVE, 0.0, 1.0, 1e6, -1e6] {
            let likelihood = HitEvidence([value; FEATURES]).likelihood();
            assert!((0.0..=1.0).contains(&likelihood), "{value}: {likelihood}");
        }
    }
}
