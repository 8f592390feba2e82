//! The files that a search reads: paths, exclusions and roles, and what was left out of them.

use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::ToolError;
use crate::session::Session;
use orient_engine::{FileQuery, FileRow, PathPattern, SkipReason, Snapshot, TrigramQuery};
use orient_model::{RepoPath, Role};
use std::collections::HashSet;

/// Files, directories and globs to search, and those to leave out.
pub(crate) struct FileScope {
    within: Vec<PathPattern>,
    exclude: Vec<PathPattern>,
    roles: Vec<Role>,
    /// Notes about named files that are not indexed.
    pub(crate) notes: Vec<String>,
}

impl FileScope {
    /// The scope of the arguments. Without a path, the whole tree.
    pub(crate) fn new(
        session: &Session<'_>,
        snapshot: &Snapshot,
        paths: &[String],
        exclude: &[String],
        roles: &[String],
    ) -> Result<Self, ToolError> {
        let mut scope = Self {
            within: Vec::new(),
            exclude: Vec::new(),
            roles: enum_values::roles(roles)?,
            notes: Vec::new(),
        };
        for path in paths {
            let named = path_argument::resolve(session, snapshot, path)?;
            scope.notes.extend(named.not_indexed());
            scope.within.push(named.pattern);
        }
        for path in exclude {
            scope.exclude.push(path_argument::pattern_from_root(session, path)?);
        }
        Ok(scope)
    }

    /// The single pattern of the scope, if it is one.
    pub(crate) fn single(&self) -> Option<&PathPattern> {
        self.within.first().filter(|_| self.within.len() == 1)
    }

    /// Whether a path is in the scope.
    pub(crate) fn contains(&self, path: &RepoPath) -> bool {
        (self.within.is_empty() || self.within.iter().any(|pattern| pattern.matches(path)))
            && !self.exclude.iter().any(|pattern| pattern.matches(path))
    }

    /// The indexed files of the scope in these languages, or in any.
    pub(crate) fn indexed(
        &self,
        snapshot: &Snapshot,
        languages: &[String],
    ) -> Result<Vec<FileRow>, ToolError> {
        let query = FileQuery {
            path: self.single().cloned(),
            languages: languages.to_vec(),
            roles: self.roles.clone(),
            indexed: Some(true),
            with_issues: false,
        };
        let mut files = snapshot.files(&query, 0, usize::MAX)?.rows;
        files.retain(|file| self.contains(&file.path));
        Ok(files)
    }

    /// The files of the scope that exist but are not indexed, with the reason.
    pub(crate) fn skipped(&self, snapshot: &Snapshot) -> Result<Vec<(RepoPath, SkipReason)>, ToolError> {
        let query = FileQuery {
            path: self.single().cloned(),
            roles: self.roles.clone(),
            indexed: Some(false),
            ..FileQuery::default()
        };
        let rows = snapshot.files(&query, 0, usize::MAX)?.rows;
        let skipped = rows.into_iter().filter(|file| self.contains(&file.path));
        Ok(skipped.filter_map(|file| Some((file.path.clone(), Snapshot::skip_reason(&file)?))).collect())
    }
}

/// Leaves out files that cannot contain a match, because they lack a trigram that every match contains. Files that the index
/// may be stale about stay.
pub(crate) fn candidates(
    session: &Session<'_>,
    snapshot: &Snapshot,
    mut files: Vec<FileRow>,
    required: &TrigramQuery,
) -> Result<Vec<FileRow>, ToolError> {
    if !required.is_all() {
        let excluded = snapshot.left_out(required)?;
        let pending: HashSet<RepoPath> = session.pending().into_iter().collect();
        files.retain(|file| !excluded.contains(file.id) || pending.contains(&file.path));
    }
    Ok(files)
}
