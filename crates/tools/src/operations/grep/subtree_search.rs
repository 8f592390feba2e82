//! A search in a part of the tree: files are searched while others are found, and where there are many the index says
//! which of the rest cannot match.

use crate::error::ToolError;
use crate::session::Session;
use orient_engine::{Engine, EngineError, SearchFile, SearchFileStream, SearchScope, TrigramQuery};
use orient_grep::{Files, batch_size};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::sync::Arc;

/// So many files are searched about as soon as the index would have said which of them need not be.
const WALK_FIRST: usize = 1000;
/// Folders that were named are small more often than not: up to so many files the index is left alone.
const WALK_FIRST_NAMED: usize = 4000;
/// Beyond so many, several threads find the rest sooner than one.
const WALK_FIRST_ALL: usize = 10_000;

/// A part of the tree that is to be searched.
pub(super) struct SubtreeSearch {
    engine: Arc<Engine>,
    scope: SearchScope,
    query: TrigramQuery,
    /// The walk, until it is begun.
    scan: RefCell<Option<SearchFileStream>>,
}

impl SubtreeSearch {
    /// Makes ready; gives what cannot be searched, in words, as well.
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

    /// The files, found as they are asked for.
    pub(super) fn walk(&self) -> io::Result<SubtreeWalk<'_>> {
        let scan = if let Some(scan) = self.scan.take() {
            scan
        } else {
            let mut again =
                SearchFileStream::begin(self.engine.root(), &self.scope).map_err(io::Error::other)?;
            again.take_errors();
            again
        };
        Ok(SubtreeWalk { search: self, scan, rest: None, searched: 0, ruled_out: 0 })
    }
}

/// The files of a part on their way.
pub(super) struct SubtreeWalk<'p> {
    search: &'p SubtreeSearch,
    scan: SearchFileStream,
    /// What comes after the first files, once there are enough to look for it in another way.
    rest: Option<std::vec::IntoIter<SearchFile>>,
    /// How many files were handed on.
    pub(super) searched: u64,
    /// How many the index ruled out.
    pub(super) ruled_out: u64,
}

impl SubtreeWalk<'_> {
    /// What could not be read, in words.
    pub(super) fn errors(mut self) -> Vec<String> {
        self.scan.take_errors()
    }

    /// The rest of the files, without what the index rules out.
    fn rest(&mut self) -> Vec<SearchFile> {
        let SubtreeSearch { engine, scope, query, .. } = self.search;
        let mut rest = self.scan.rest();
        // Without an index that can be read, everything is searched.
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
        let enough = match (query.is_all(), scope.paths.is_empty()) {
            (true, _) => WALK_FIRST_ALL,
            (false, true) => WALK_FIRST,
            (false, false) => WALK_FIRST_NAMED,
        };
        if self.rest.is_none() && self.searched >= enough as u64 {
            self.rest = Some(self.rest().into_iter());
        }
        let size = batch_size(self.searched as usize, scope.threads);
        let files: Vec<SearchFile> = match &mut self.rest {
            Some(rest) => rest.take(size).collect(),
            None => self.scan.by_ref().take(size).collect(),
        };
        self.searched += files.len() as u64;
        (!files.is_empty()).then_some(Cow::Owned(files))
    }
}
