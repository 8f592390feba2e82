//! The files of a search, one after another while they are found: in the order of [`haystacks`](crate::haystacks).

use crate::haystacks::{Start, failure, haystack, starts, walked, walker};
use crate::{Haystack, Haystacks, SearchScope, WalkError, path};
use ignore::{Walk, WalkBuilder};
use orient_model::RepoPath;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A walk on its way. One thread finds what comes first sooner than many find everything.
pub struct Scan {
    root: PathBuf,
    /// What is still to be walked; the first may have been begun.
    ahead: VecDeque<(Start, WalkBuilder)>,
    walk: Option<Walk>,
    /// The last file that was given of the start at hand.
    last: Option<RepoPath>,
    errors: Vec<String>,
}

impl Scan {
    /// Begins to walk a scope in the tree under `root`, which is canonical.
    pub fn begin(root: &Path, scope: &SearchScope) -> Result<Self, WalkError> {
        let (base, starts, errors) = starts(root, scope)?;
        let mut ahead = VecDeque::with_capacity(starts.len());
        for start in starts {
            let mut builder = walker(root, &base, &start, scope)?;
            builder.sort_by_file_name(std::ffi::OsStr::cmp);
            ahead.push_back((start, builder));
        }
        Ok(Self { root: root.to_owned(), ahead, walk: None, last: None, errors })
    }

    /// What could not be read so far, in words; each is told once.
    pub fn take_errors(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    /// The files that were not given yet, found by many threads at once.
    pub fn rest(&mut self) -> Vec<Haystack> {
        self.walk = None;
        let mut last = self.last.take();
        let mut rest = Vec::new();
        for (start, builder) in self.ahead.drain(..) {
            let Haystacks { mut files, mut errors, .. } = walked(&self.root, &start, &builder, None);
            if let Some(last) = last.take() {
                files.retain(|file| path::by_parts(file.path.as_bytes(), last.as_bytes()).is_gt());
            }
            rest.append(&mut files);
            self.errors.append(&mut errors);
        }
        self.errors.sort_unstable();
        self.errors.dedup();
        rest
    }
}

impl Iterator for Scan {
    type Item = Haystack;

    fn next(&mut self) -> Option<Haystack> {
        loop {
            let (start, builder) = self.ahead.front()?;
            let walk = self.walk.get_or_insert_with(|| builder.build());
            match walk.next() {
                Some(Ok(entry)) => {
                    if let Some(found) = haystack(&self.root, start, &entry) {
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
