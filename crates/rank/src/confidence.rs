//! Whether what was found answers the question, or is only the nearest there is.

use crate::candidate::Pool;

/// So much of the weight of a question stands in one file that is about it. Repeated words count more than once.
const SAID: f32 = 0.6;
/// Where so much of it stands nowhere, the question may be about something that is not there.
const MISSING: f32 = 0.25;
/// A vector as near as this is about the question all the same.
const NEAR: f32 = 0.5;

impl Pool {
    /// Whether the best of it is what a question with an answer usually finds. Only several signs together speak against
    /// it: words of the question that stand nowhere, no file that holds most of the others, and nothing near in meaning.
    pub fn is_confident(&self) -> bool {
        let nearest = self.candidates.iter().map(|one| one.semantic).fold(0.0, f32::max);
        let said = self.files.iter().map(|file| file.lexical.score).fold(0.0, f32::max);
        let is_named = self.candidates.iter().any(|one| one.exact > 0.0);
        is_named
            || nearest >= NEAR
            || said >= SAID * self.total && said > 0.0
            || self.missing < MISSING * self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::FileInfo;
    use crate::lexical::FileEvidence;
    use orient_model::Role;

    fn pool(said: f32, missing: f32) -> Pool {
        let lexical = FileEvidence { score: said };
        let file = FileInfo { path: "a".to_owned(), role: Role::Source, lexical };
        Pool { files: vec![file], candidates: Vec::new(), total: 10.0, missing, semantic: true }
    }

    #[test]
    fn only_several_signs_together_speak_against_an_answer() {
        assert!(
            !pool(5.0, 5.0).is_confident(),
            "half of the words stand nowhere, and no file has the others"
        );
        assert!(pool(5.0, 1.0).is_confident(), "the words are there, in different files");
        assert!(pool(7.0, 3.0).is_confident(), "a file has most of the words");
        assert!(!Pool::default().is_confident(), "nothing was found");
    }
}
