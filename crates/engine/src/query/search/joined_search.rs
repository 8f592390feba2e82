//! Search over several roots: candidates are retrieved in each, and ranked together.
//!
//! Scores are relative to the best candidates, so those of separate rankings cannot be compared: the best hit of a root that knows
//! nothing about the question would score as high as that of one that does. BM25 weights of terms are those of each root.

use super::hit::{SearchHit, SearchResults};
use super::retrieval::{RetrievedCandidates, ranked_hits};
use super::search_query::SearchQuery;
use crate::{EngineError, Snapshot};
use orient_rank::{Candidate, FileInfo, Pool, RankedChunk};

/// A root to search, under a name.
pub struct SearchedRoot<'r> {
    /// Its snapshot.
    pub snapshot: &'r Snapshot,
    /// Its name, which orders hits that are otherwise equal.
    pub name: &'r str,
    /// The query with the filters of this root. Text, limits and rules are the same for all roots.
    pub query: SearchQuery,
}

/// The hits of several roots.
pub struct JoinedHits {
    /// The number of the root and the hit, best first.
    pub hits: Vec<(usize, SearchHit)>,
    /// The results of each root, without hits; all say whether there are more, and whether anything matches well.
    pub results: Vec<SearchResults>,
}

/// Ranks the chunks of several roots together.
pub fn search_roots(roots: &[SearchedRoot<'_>]) -> Result<JoinedHits, EngineError> {
    let retrieved: Vec<RetrievedCandidates> =
        roots.iter().map(|root| root.snapshot.retrieve(&root.query)).collect::<Result<_, _>>()?;
    let (Some(first), Some(analysed)) = (roots.first(), retrieved.first()) else {
        return Ok(JoinedHits { hits: Vec::new(), results: Vec::new() });
    };
    let (pool, origins) = joined_pool(roots, &retrieved);
    let (hits, more) = ranked_hits(&first.query, &analysed.analysis, &pool, |chunk| {
        let (root, candidate) = origins[chunk.candidate];
        let also = chunk.also.iter().map(|&at| origins[at].1).collect();
        let own = RankedChunk { candidate, also, ..chunk };
        Ok(roots[root].snapshot.hit(&retrieved[root], own)?.map(|hit| (root, hit)))
    })?;
    let confident = pool.is_confident();
    let results = retrieved.iter().map(|one| one.results(confident, more)).collect();
    Ok(JoinedHits { hits, results })
}

/// The candidates of all roots, and the root and the number of each.
fn joined_pool(roots: &[SearchedRoot<'_>], retrieved: &[RetrievedCandidates]) -> (Pool, Vec<(usize, usize)>) {
    let (mut joined, mut origins) = (Pool::default(), Vec::new());
    let many = i64::from(roots.len() as u32);
    joined.missing = f32::MAX;
    for (number, (root, RetrievedCandidates { pool, .. })) in roots.iter().zip(retrieved).enumerate() {
        let files_before = joined.files.len() as u32;
        let named =
            |file: &FileInfo| FileInfo { path: format!("{}/{}", root.name, file.path), ..file.clone() };
        joined.files.extend(pool.files.iter().map(named));
        for (at, candidate) in pool.candidates.iter().enumerate() {
            // Ids of symbols are numbers of one root.
            let owner = candidate.owner.map(|owner| owner * many + i64::from(number as u32));
            let (chunk, file) = (origins.len() as u32, files_before + candidate.file);
            joined.candidates.push(Candidate { chunk, file, owner, ..candidate.clone() });
            origins.push((number, at));
        }
        joined.total = joined.total.max(pool.total);
        joined.missing = joined.missing.min(pool.missing);
        joined.semantic |= pool.semantic;
        joined.packages.push(root.name.to_owned());
        joined.packages.extend(pool.packages.iter().map(|package| format!("{}/{package}", root.name)));
    }
    (joined, origins)
}
