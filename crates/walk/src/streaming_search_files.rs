//! Streams the files of a search while they are found, in the order of
//! [`list_search_files`](crate::list_search_files).

use crate::search_files::{Start, failure, search_file, starts, walked, walker};
use crate::{SearchFile, SearchFiles, SearchScope, WalkError, path_conversion};
use ignore::{Walk, WalkBuilder};
use orient_model::RepoPath;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A walk in progress. One thread finds the first files sooner than many threads find all of them.
pub struct SearchFileStream {
    root: PathBuf,
    /// The remaining starting points; the first may be in progress.
    ahead: VecDeque<(Start, WalkBuilder)>,
    walk: Option<Walk>,
    /// The last file returned for the current starting point.
    last: Option<RepoPath>,
    errors: Vec<String>,
}

impl SearchFileStream {
    /// Starts a walk in the tree under `root`, a canonical path.
    pub fn begin(root: &Path, scope: &SearchScope) -> Result<Self, WalkError> {
        let (base, starts, errors) = starts(root, scope)?;
        let mut ahead = VecDeque::with_capacity(starts.len());
        for start in starts {
            let mut walker = walker(root, &base, &start, scope)?;
            // Files are found in the order of the results.
            walker.sort_by_file_name(std::ffi::OsStr::cmp);
            ahead.push_back((start, walker));
        }
        Ok(Self { root: root.to_owned(), ahead, walk: None, last: None, errors })
    }

    /// Messages about what could not be read so far; each is returned once.
    pub fn take_errors(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    /// The remaining files, found on many threads.
    pub fn rest(&mut self) -> Vec<SearchFile> {
        self.walk = None;
        let mut last = self.last.take();
        let mut rest = Vec::new();
        for (start, walker) in self.ahead.drain(..) {
            let SearchFiles { mut files, mut errors, .. } = walked(&self.root, &start, &walker, None);
            if let Some(last) = last.take() {
                files.retain(|file| {
                    path_conversion::compare_by_component(file.path.as_bytes(), last.as_bytes()).is_gt()
                });
            }
            rest.append(&mut files);
            self.errors.append(&mut errors);
        }
        self.errors.sort_unstable();
        self.errors.dedup();
        rest
    }
}

impl Iterator for SearchFileStream {
    type Item = SearchFile;

    fn next(&mut self) -> Option<SearchFile> {
        loop {
            let (start, walker) = self.ahead.front_mut()?;
            let walk = self.walk.get_or_insert_with(|| walker.build());
            match walk.next() {
                Some(Ok(entry)) => {
                    if let Some(found) = search_file(&self.root, start, &entry) {
                        self.last = Some(found.path.clone());
                        return Some(found);
                    }
                }
                Some(Err(error)) => self.errors.extend(failure(start, &error)),
                None => {
                    self.ahead.pop_front();
                    (self.walk, self.last) = (None, None);
                }
            }
        }
    }
}
