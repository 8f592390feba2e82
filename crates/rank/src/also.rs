//! The other places of a hit's file that are worth naming beside it.

use crate::candidate::Pool;
use crate::explain::Ranked;

/// The places of each file with their scores, best first.
pub(crate) struct Shelves<'p> {
    pool: &'p Pool,
    files: Vec<Vec<(f32, usize)>>,
}

impl<'p> Shelves<'p> {
    /// Of hits in their order.
    pub(crate) fn new(pool: &'p Pool, hits: &[Ranked]) -> Self {
        let mut files = vec![Vec::new(); pool.files.len()];
        for hit in hits {
            let candidate = &pool.candidates[hit.candidate];
            // What the question names is a hit of its own.
            if candidate.exact <= 0.0 {
                files[candidate.file as usize].push((hit.score, hit.candidate));
            }
        }
        Self { pool, files }
    }

    /// The best places beside a hit that is the first of its file: at most so many, each with at least this part of the
    /// best score. Parts of one symbol are one place.
    pub(crate) fn beside(&self, hit: usize, most: usize, part: f32) -> Vec<usize> {
        let candidates = &self.pool.candidates;
        let places = &self.files[candidates[hit].file as usize];
        let least = places.first().map_or(0.0, |best| best.0 * part);
        let mut chosen: Vec<usize> = Vec::new();
        for &(_, at) in places.iter().take_while(|(score, _)| *score >= least) {
            if chosen.len() >= most {
                break;
            }
            let owner = candidates[at].owner;
            let is_same = |other: usize| other == at || (owner.is_some() && candidates[other].owner == owner);
            if !is_same(hit) && !chosen.iter().any(|&other| is_same(other)) {
                chosen.push(at);
            }
        }
        chosen
    }
}
