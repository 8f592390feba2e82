//! Whether the results answer the query, or are only the nearest chunks.

use crate::candidate::Pool;

/// Minimum share of the query weight in one file. Repeated words count more than once.
const MIN_FILE_SHARE: f32 = 0.6;
/// With this share of the query weight missing, the query may be about something that does not exist.
const MAX_MISSING_SHARE: f32 = 0.25;
/// A vector with this similarity answers the query anyway.
const MIN_SIMILARITY: f32 = 0.5;

impl Pool {
    /// Whether the best candidates probably answer the query. Only several signs together speak against it: words of the query
    /// that occur nowhere, no file with most of the others, and no similar vector.
    pub fn is_confident(&self) -> bool {
        let nearest = self.candidates.iter().map(|one| one.semantic).fold(0.0, f32::max);
        let best_file = self.files.iter().map(|file| file.lexical.score).fold(0.0, f32::max);
        let is_named = self.candidates.iter().any(|one| one.exact > 0.0);
        is_named
            || nearest >= MIN_SIMILARITY
            || best_file >= MIN_FILE_SHARE * self.total && best_file > 0.0
            || self.missing < MAX_MISSING_SHARE * self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::FileEvidence;
    use crate::candidate::FileInfo;
    use orient_model::Role;

    fn pool(best_file: f32, missing: f32) -> Pool {
        let lexical = FileEvidence { score: best_file };
        let file =
            FileInfo { path: "a".to_owned(), role: Role::Source, lexical, mentioned: 0.0, project: false };
        Pool { files: vec![file], total: 10.0, missing, semantic: true, ..Pool::default() }
    }

    #[test]
    fn only_several_signs_together_lower_the_confidence() {
        assert!(
            !pool(5.0, 5.0).is_confident(),
            "half of the words occur nowhere, and no file has the others"
        );
        assert!(pool(5.0, 1.0).is_confident(), "the words are there, in different files");
        assert!(pool(7.0, 3.0).is_confident(), "a file has most of the words");
        assert!(!Pool::default().is_confident(), "nothing was found");
    }
}
