//! Which files a text search must look at: those of its scope, less what the trigrams of the index rule out.

use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_text::Query;
use orient_walk::{Haystack, Haystacks, SearchScope, haystacks};
use std::collections::HashSet;

/// What there is to search.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The files, in the order of the paths asked for, then by path.
    pub files: Vec<Haystack>,
    /// How many files of the scope cannot match and are left out.
    pub left_out: usize,
    /// What could not be read, in words.
    pub errors: Vec<String>,
}

impl Snapshot {
    /// The files of a scope that may have what a query asks for. Files the index does not know, has not read, or may be
    /// wrong about (`pending`) are always among them.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        query: &Query,
        pending: &[RepoPath],
    ) -> Result<Candidates, EngineError> {
        let Haystacks { mut files, errors } = haystacks(&self.root, scope)?;
        let before = files.len();
        if !query.is_all() && !files.is_empty() {
            let out = self.store.left_out(query)?;
            let mut without = HashSet::new();
            self.store.each_id(|id, path| {
                if out.contains(id) {
                    without.insert(path);
                }
            })?;
            for path in pending {
                without.remove(path);
            }
            files.retain(|file| !without.contains(&file.path));
        }
        Ok(Candidates { left_out: before - files.len(), files, errors })
    }
}
