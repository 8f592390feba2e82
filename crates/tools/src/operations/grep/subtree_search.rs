//! A search in a part of the tree: files are searched while the walk finds others; after many files, the index rules out
//! the rest that cannot match.

use crate::error::ToolError;
use crate::session::Session;
use orient_engine::{Engine, EngineError, SearchFile, SearchFileStream, SearchScope, TrigramQuery};
use orient_grep::{Files, batch_size};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::sync::Arc;

/// Number of files searched before the index is consulted: the consultation takes about as long.
const WALK_FIRST: usize = 1000;
/// The same if directories are named, which are usually small.
const WALK_FIRST_NAMED: usize = 4000;
/// The same if the index cannot help; then several threads walk the rest.
const WALK_FIRST_ALL: usize = 10_000;

/// A search in a part of the tree.
pub(super) struct SubtreeSearch {
    engine: Arc<Engine>,
    scope: SearchScope,
    query: TrigramQuery,
    /// The walk, until it is started.
    scan: RefCell<Option<SearchFileStream>>,
}

impl SubtreeSearch {
    /// Prepares the search; also returns the paths that cannot be searched.
    pub(super) fn new(
        session: &Session<'_>,
        scope: SearchScope,
        query: TrigramQuery,
    ) -> Result<(Self, Vec<String>), ToolError> {
        let mut scan = SearchFileStream::begin(session.root(), &scope).map_err(EngineError::from)?;
        let errors = scan.take_errors();
        let engine = session.shared_engine()?;
        Ok((Self { engine, scope, query, scan: RefCell::new(Some(scan)) }, errors))
    }

    /// Starts the walk; paths are shown below the name of a root, if there is one.
    pub(super) fn walk<'p>(&'p self, root: Option<&'p str>) -> io::Result<SubtreeWalk<'p>> {
        let scan = if let Some(scan) = self.scan.take() {
            scan
        } else {
            let mut again =
                SearchFileStream::begin(self.engine.root(), &self.scope).map_err(io::Error::other)?;
            again.take_errors();
            again
        };
        Ok(SubtreeWalk { search: self, root, scan, rest: None, searched: 0, ruled_out: 0 })
    }
}

/// The walk over the files of a search, in batches.
pub(super) struct SubtreeWalk<'p> {
    search: &'p SubtreeSearch,
    root: Option<&'p str>,
    scan: SearchFileStream,
    /// The rest of the files, once the index has been consulted.
    rest: Option<std::vec::IntoIter<SearchFile>>,
    /// Number of files returned.
    pub(super) searched: u64,
    /// Number of files that the index ruled out.
    pub(super) ruled_out: u64,
}

impl SubtreeWalk<'_> {
    /// Errors of the walk.
    pub(super) fn errors(mut self) -> Vec<String> {
        self.scan.take_errors()
    }

    /// The rest of the files, without those that the index rules out.
    fn rest(&mut self) -> Vec<SearchFile> {
        let SubtreeSearch { engine, scope, query, .. } = self.search;
        let mut rest = self.scan.rest();
        // Without a readable index, all files are searched.
        if !query.is_all()
            && let Ok(snapshot) = engine.snapshot()
            && let Ok(out) = snapshot.left_out(query)
            && out.is_selective()
            && let Ok(ruled_out) = snapshot.narrow(&mut rest, &out, scope.threads)
        {
            self.ruled_out = ruled_out as u64;
        }
        rest
    }
}

impl<'p> Iterator for SubtreeWalk<'p> {
    type Item = Files<'p>;

    fn next(&mut self) -> Option<Files<'p>> {
        let SubtreeSearch { query, scope, .. } = self.search;
        let threshold = match (query.is_all(), scope.paths.is_empty()) {
            (true, _) => WALK_FIRST_ALL,
            (false, true) => WALK_FIRST,
            (false, false) => WALK_FIRST_NAMED,
        };
        if self.rest.is_none() && self.searched >= threshold as u64 {
            self.rest = Some(self.rest().into_iter());
        }
        let size = batch_size(self.searched as usize, scope.threads);
        let mut files: Vec<SearchFile> = match &mut self.rest {
            Some(rest) => rest.take(size).collect(),
            None => self.scan.by_ref().take(size).collect(),
        };
        if let Some(root) = self.root {
            for file in &mut files {
                file.shown = super::below(root, &file.shown);
            }
        }
        self.searched += files.len() as u64;
        (!files.is_empty()).then_some(Cow::Owned(files))
    }
}
