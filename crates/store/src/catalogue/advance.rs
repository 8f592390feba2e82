//! Advances a catalogue to a later generation by reading the changed files only.

use super::Catalogue;
use super::segment::{LiveSegment, Recent, RecentTerms};
use crate::error::StoreError;
use crate::postings::error::PostingError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::files;
use crate::sql::posting_tables::TERMS;
use orient_model::RepoPath;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A catalogue that was advanced, and what is different in it.
#[derive(Clone, Debug)]
pub struct CatalogueUpdate {
    /// The catalogue.
    pub catalogue: Catalogue,
    /// The files that may differ and exist, by id.
    pub changed: Vec<FileId>,
    /// The files that had chunks and have none now, by id.
    pub gone: Vec<FileId>,
}

impl Snapshot {
    /// The catalogue of this generation, derived from that of an earlier one. Only files at `paths`, which has no duplicates,
    /// may differ.
    pub fn catalogue_after(
        &self,
        before: &Catalogue,
        paths: &[RepoPath],
    ) -> Result<CatalogueUpdate, StoreError> {
        advance(&self.db, before, paths).map_err(|error| error.at(&self.path))
    }
}

fn advance(db: &Connection, before: &Catalogue, paths: &[RepoPath]) -> Result<CatalogueUpdate, PostingError> {
    let mut changed = BTreeSet::new();
    for path in paths {
        changed.extend(files::key_by_path(db, path)?.map(|key| FileId(key.id)));
    }
    // Every path has a file that had chunks before, so no file was removed.
    let same_files = changed.len() == paths.len() && changed.iter().all(|file| before.find(*file).is_some());
    let mut advancing = CatalogueAdvance { db, before, changed, segments: Vec::new(), left: Vec::new() };
    let recent = advancing.recent()?;
    advancing.take_segments()?;
    if same_files && advancing.have_moved(&recent) {
        advancing.delete_changed();
    } else {
        advancing.find_deleted()?;
    }
    let CatalogueAdvance { changed, segments, mut left, .. } = advancing;
    left.extend(before.recent.iter().map(|recent| recent.file));
    let shared =
        segments.len() == before.segments.len() && segments.iter().all(|(shared, _)| shared.is_some());
    let segments = segments.into_iter().map(|(_, segment)| segment).collect();
    let catalogue = Catalogue::of(segments, recent, shared.then(|| Arc::clone(&before.by_file)));
    left.retain(|file| catalogue.find(*file).is_none());
    left.sort_unstable();
    left.dedup();
    Ok(CatalogueUpdate { catalogue, changed: changed.into_iter().collect(), gone: left })
}

/// A catalogue while it is advanced.
struct CatalogueAdvance<'f> {
    db: &'f Connection,
    before: &'f Catalogue,
    changed: BTreeSet<FileId>,
    /// Each segment with its index in the earlier catalogue, if it was there.
    segments: Vec<(Option<usize>, LiveSegment)>,
    /// Files that may have lost their chunks.
    left: Vec<FileId>,
}

impl CatalogueAdvance<'_> {
    fn recent(&self) -> Result<Vec<Recent>, PostingError> {
        let mut all = Vec::new();
        for file in TERMS.recent_ids(self.db)?.into_iter().map(FileId) {
            let known = self.before.recent.binary_search_by_key(&file, |recent| recent.file).ok();
            all.push(match known.filter(|_| !self.changed.contains(&file)) {
                Some(at) => self.before.recent[at].clone(),
                None => Recent { file, terms: Arc::new(RecentTerms::read(self.db, file.0)?), first: 0 },
            });
        }
        Ok(all)
    }

    /// Lists the segments: those of the earlier catalogue as they were, others as stored now.
    fn take_segments(&mut self) -> Result<(), PostingError> {
        let before = &self.before.segments;
        let mut changed_in = vec![0; before.len()];
        for (segment, _) in self.changed.iter().filter_map(|file| self.before.position_in_segments(*file)) {
            changed_in[segment] += 1;
        }
        let mut kept = vec![false; before.len()];
        for id in TERMS.segment_ids(self.db)? {
            // A segment that lost all its files is deleted, and another may get its id. Only a segment with an unchanged file
            // is certainly the same.
            let known = before.iter().position(|segment| segment.shared.id == id);
            let known = known.filter(|&at| before[at].files > changed_in[at]);
            self.segments.push(match known {
                Some(at) => {
                    kept[at] = true;
                    (Some(at), before[at].clone())
                }
                None => (None, LiveSegment::read(self.db, id)?),
            });
        }
        for (segment, _) in before.iter().zip(kept).filter(|(_, kept)| !kept) {
            self.left.extend(segment.live().map(|one| one.1));
        }
        Ok(())
    }

    /// Whether all changed files are recent or in new segments, and so deleted from the segments of before.
    fn have_moved(&self, recent: &[Recent]) -> bool {
        let mut rest: BTreeSet<FileId> = self.changed.clone();
        for recent in recent {
            rest.remove(&recent.file);
        }
        for (_, segment) in self.segments.iter().filter(|(shared, _)| shared.is_none()) {
            rest.retain(|file| segment.live().all(|one| one.1 != *file));
        }
        rest.is_empty()
    }

    fn delete_changed(&mut self) {
        for (segment, at) in self.changed.iter().filter_map(|file| self.before.position_in_segments(*file)) {
            for (_, shared) in self.segments.iter_mut().filter(|(shared, _)| *shared == Some(segment)) {
                shared.delete(at);
            }
        }
    }

    /// Finds the deleted files of the shared segments in their stored layouts.
    fn find_deleted(&mut self) -> Result<(), PostingError> {
        for (shared, segment) in self.segments.iter_mut().filter(|(shared, _)| shared.is_some()) {
            let gone = segment.newly_deleted(self.db)?;
            let stays = |(at, file): (u32, FileId)| {
                !self.changed.contains(&file)
                    && gone.as_ref().is_some_and(|gone| gone.binary_search(&at).is_err())
            };
            if let Some(gone) = gone.as_ref().filter(|_| segment.live().any(stays)) {
                self.left.extend(gone.iter().map(|at| segment.shared.file(*at)));
                for at in gone {
                    segment.delete(*at);
                }
            } else {
                self.left.extend(segment.live().map(|one| one.1));
                (*shared, *segment) = (None, LiveSegment::read(self.db, segment.shared.id)?);
            }
        }
        Ok(())
    }
}
