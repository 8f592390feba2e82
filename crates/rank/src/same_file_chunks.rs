//! The other good chunks of a hit's file, listed beside the hit.

use crate::candidate::Pool;
use crate::explanation::RankedChunk;

/// The chunks of each file with their scores, best first.
pub(crate) struct FileChunks<'p> {
    pool: &'p Pool,
    files: Vec<Vec<(f32, usize)>>,
}

impl<'p> FileChunks<'p> {
    /// Groups ranked chunks by file.
    pub(crate) fn new(pool: &'p Pool, hits: &[RankedChunk]) -> Self {
        let mut files = vec![Vec::new(); pool.files.len()];
        for hit in hits {
            let candidate = &pool.candidates[hit.candidate];
            // A chunk that the query names exactly is a hit of its own.
            if candidate.exact <= 0.0 {
                files[candidate.file as usize].push((hit.score, hit.candidate));
            }
        }
        Self { pool, files }
    }

    /// The best other chunks beside the first hit of a file: at most `max`, each with at least `min_share` of the best score,
    /// and only one per symbol.
    pub(crate) fn beside(&self, hit: usize, max: usize, min_share: f32) -> Vec<usize> {
        let candidates = &self.pool.candidates;
        let chunks = &self.files[candidates[hit].file as usize];
        let min_score = chunks.first().map_or(0.0, |best| best.0 * min_share);
        let mut chosen: Vec<usize> = Vec::new();
        for &(_, at) in chunks.iter().take_while(|(score, _)| *score >= min_score) {
            if chosen.len() >= max {
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
