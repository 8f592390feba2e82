//! From the catalogue of one generation to that of a later one.

use super::Catalogue;
use super::segment::{Part, Recent, RecentTerms};
use crate::error::StoreError;
use crate::postings::error::ListError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::{files, terms as sql};
use orient_model::RepoPath;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A catalogue that follows from another, and what is different in it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The catalogue.
    pub catalogue: Catalogue,
    /// The files that may differ and are there, by id.
    pub changed: Vec<FileId>,
    /// Those that had chunks and have none, by id.
    pub gone: Vec<FileId>,
}

impl Snapshot {
    /// The catalogue of this generation, given that of an earlier one from which no files but those at these paths may
    /// differ. No path is there twice.
    pub fn catalogue_after(&self, before: &Catalogue, paths: &[RepoPath]) -> Result<Followed, StoreError> {
        follow(&self.db, before, paths).map_err(|error| error.at(&self.path))
    }
}

fn follow(db: &Connection, before: &Catalogue, paths: &[RepoPath]) -> Result<Followed, ListError> {
    let mut changed = BTreeSet::new();
    for path in paths {
        changed.extend(files::key_by_path(db, path)?.map(|key| FileId(key.id)));
    }
    // As many files as paths, all of which had chunks: then they are the files that were there, and none is gone.
    let same_files = changed.len() == paths.len() && changed.iter().all(|file| before.find(*file).is_some());
    let mut following = Following { db, before, changed, parts: Vec::new(), left: Vec::new() };
    let recent = following.recent()?;
    following.take_parts()?;
    if same_files && following.are_elsewhere(&recent) {
        following.take_changed_away();
    } else {
        following.look_at_parts()?;
    }
    let Following { changed, parts, mut left, .. } = following;
    left.extend(before.recent.iter().map(|recent| recent.file));
    let shared = parts.len() == before.parts.len() && parts.iter().all(|(shared, _)| shared.is_some());
    let parts = parts.into_iter().map(|(_, part)| part).collect();
    let catalogue = Catalogue::of(parts, recent, shared.then(|| Arc::clone(&before.by_file)));
    left.retain(|file| catalogue.find(*file).is_none());
    left.sort_unstable();
    left.dedup();
    Ok(Followed { catalogue, changed: changed.into_iter().collect(), gone: left })
}

/// A catalogue on its way.
struct Following<'f> {
    db: &'f Connection,
    before: &'f Catalogue,
    changed: BTreeSet<FileId>,
    /// Each with its place among those before, where it was one of them.
    parts: Vec<(Option<usize>, Part)>,
    /// Files that are not where they were.
    left: Vec<FileId>,
}

impl Following<'_> {
    fn recent(&self) -> Result<Vec<Recent>, ListError> {
        let mut all = Vec::new();
        for file in sql::recent_ids(self.db)?.into_iter().map(FileId) {
            let known = self.before.recent.binary_search_by_key(&file, |recent| recent.file).ok();
            all.push(match known.filter(|_| !self.changed.contains(&file)) {
                Some(at) => self.before.recent[at].clone(),
                None => Recent { file, terms: Arc::new(RecentTerms::read(self.db, file.0)?), first: 0 },
            });
        }
        Ok(all)
    }

    /// Takes the segments there are: those of before as they were, others as they are.
    fn take_parts(&mut self) -> Result<(), ListError> {
        let before = &self.before.parts;
        let mut changed_in = vec![0; before.len()];
        for (part, _) in self.changed.iter().filter_map(|file| self.before.settled_at(*file)) {
            changed_in[part] += 1;
        }
        let mut kept = vec![false; before.len()];
        for id in sql::segment_ids(self.db)? {
            // A segment that has lost all its files is deleted, and another one may get its number. So only one with a
            // file that has not changed is surely the same.
            let known = before.iter().position(|part| part.segment.id == id);
            let known = known.filter(|&at| before[at].files > changed_in[at]);
            self.parts.push(match known {
                Some(at) => {
                    kept[at] = true;
                    (Some(at), before[at].clone())
                }
                None => (None, Part::read(self.db, id)?),
            });
        }
        for (part, _) in before.iter().zip(kept).filter(|(_, kept)| !kept) {
            self.left.extend(part.live().map(|one| one.1));
        }
        Ok(())
    }

    /// Whether all changed files are among the recent ones, or in new segments: then they are gone from the others.
    fn are_elsewhere(&self, recent: &[Recent]) -> bool {
        let mut rest: BTreeSet<FileId> = self.changed.clone();
        for recent in recent {
            rest.remove(&recent.file);
        }
        for (_, part) in self.parts.iter().filter(|(shared, _)| shared.is_none()) {
            rest.retain(|file| part.live().all(|one| one.1 != *file));
        }
        rest.is_empty()
    }

    fn take_changed_away(&mut self) {
        for (part, at) in self.changed.iter().filter_map(|file| self.before.settled_at(*file)) {
            for (_, shared) in self.parts.iter_mut().filter(|(shared, _)| *shared == Some(part)) {
                shared.take_away(at);
            }
        }
    }

    /// Looks which files of the shared segments are gone.
    fn look_at_parts(&mut self) -> Result<(), ListError> {
        for (shared, part) in self.parts.iter_mut().filter(|(shared, _)| shared.is_some()) {
            let gone = part.newly_gone(self.db)?;
            let stays = |(at, file): (u32, FileId)| {
                !self.changed.contains(&file)
                    && gone.as_ref().is_some_and(|gone| gone.binary_search(&at).is_err())
            };
            if let Some(gone) = gone.as_ref().filter(|_| part.live().any(stays)) {
                self.left.extend(gone.iter().map(|at| part.segment.file(*at)));
                for at in gone {
                    part.take_away(*at);
                }
            } else {
                self.left.extend(part.live().map(|one| one.1));
                (*shared, *part) = (None, Part::read(self.db, part.segment.id)?);
            }
        }
        Ok(())
    }
}
