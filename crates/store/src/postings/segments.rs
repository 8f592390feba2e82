//! Segments of posting lists in the index: a small log-structured merge tree, shared by trigrams and terms.
//!
//! The keys of a changed file are first stored as they are, as a *recent* file. Many recent files become a segment: an
//! immutable set of posting lists. A file that is changed or removed leaves a tombstone in its segment: its id in the
//! segment's layout becomes 0, and readers skip its documents. Segments that are small, or mostly tombstones, are merged.
//!
//! Example: a segment has the files 7, 8 and 9. An edit of 8 makes the layout 7, 0, 9 and adds recent file 8. After the
//! edits of enough other files the recent files become a second segment, and once more than half of the first one is
//! deleted, a merge replaces it by a segment without tombstones. So each indexed file has exactly one live copy of its keys,
//! and a query never finds the old content of a file.

use super::error::PostingError;
use crate::sql::posting_tables::PostingTables;
use orient_text::{PostingKind, SegmentBuilder, TextError, merge_segments};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// This many small segments are merged.
const MERGED_TOGETHER: usize = 8;

/// Which files a segment covers, in the order of their documents.
pub(crate) trait SegmentLayout: Default {
    /// What one file contributes to a segment.
    type Source;

    /// Adds a file.
    fn push(&mut self, file: u32, source: &Self::Source);

    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Result<Self, TextError>;

    /// How many documents there are, and how many of them are live.
    fn document_counts(&self) -> DocumentCounts;
    /// For each document whether it is live.
    fn live(&self) -> Vec<bool>;

    /// Replaces the ids of deleted files by tombstones. Returns whether there were any.
    fn delete(&mut self, deleted: &BTreeSet<i64>) -> bool;

    /// Appends the live files of another layout.
    fn append_live(&mut self, other: &Self);
}

/// The documents of a segment.
pub(crate) struct DocumentCounts {
    /// Deleted ones included.
    pub(crate) all: usize,
    pub(crate) live: usize,
}

/// A kind of posting lists with its tables.
pub(crate) trait StoredPostings {
    /// The encoding.
    type Kind: PostingKind<Source = <Self::Layout as SegmentLayout>::Source>;
    type Layout: SegmentLayout;

    const TABLES: PostingTables;
    /// The maximum number of recent files. Each costs every query some microseconds.
    const MAX_RECENT: usize;
    /// A segment with fewer live documents is merged with others like it.
    const SMALL: usize;

    /// The keys of a recent file as bytes.
    fn encode(source: &Source<Self>) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Result<Source<Self>, TextError>;
}

/// What one file contributes to a segment.
type Source<S> = <<S as StoredPostings>::Kind as PostingKind>::Source;

/// The id of a file in a layout. Ids start at 1; one beyond 32 bits has no entry and is never excluded from a search.
pub(crate) fn file_number(file: i64) -> u32 {
    u32::try_from(file).unwrap_or(0)
}

/// Builds segments from files.
pub(crate) struct SegmentLoad<S: StoredPostings> {
    builder: SegmentBuilder<S::Kind>,
    layout: S::Layout,
    is_empty: bool,
}

impl<S: StoredPostings> Default for SegmentLoad<S> {
    fn default() -> Self {
        Self { builder: SegmentBuilder::default(), layout: S::Layout::default(), is_empty: true }
    }
}

impl<S: StoredPostings> SegmentLoad<S> {
    pub(crate) fn put(&mut self, db: &Connection, file: i64, source: &Source<S>) -> rusqlite::Result<()> {
        if S::Kind::documents(source) == 0 {
            return Ok(());
        }
        self.layout.push(file_number(file), source);
        self.builder.push(source);
        self.is_empty = false;
        if self.builder.is_full() { self.flush(db) } else { Ok(()) }
    }

    /// Writes the collected files as a segment.
    pub(crate) fn flush(&mut self, db: &Connection) -> rusqlite::Result<()> {
        if self.is_empty {
            return Ok(());
        }
        let id = S::TABLES.last_segment(db)? + 1;
        self.builder.finish(|(first, data)| S::TABLES.insert_block(db, id, first, &data))?;
        S::TABLES.insert_segment(db, id, &std::mem::take(&mut self.layout).encode())?;
        self.is_empty = true;
        Ok(())
    }
}

/// The posting lists of one change set.
pub(crate) struct PostingChanges<S: StoredPostings> {
    /// The newest segment before the change set. Newer ones contain new content only.
    before: Option<i64>,
    /// Files whose old content is to be deleted.
    deleted: BTreeSet<i64>,
    /// New recent files.
    recent: Vec<(i64, Vec<u8>)>,
    load: SegmentLoad<S>,
}

impl<S: StoredPostings> Default for PostingChanges<S> {
    fn default() -> Self {
        Self { before: None, deleted: BTreeSet::new(), recent: Vec::new(), load: SegmentLoad::default() }
    }
}

impl<S: StoredPostings> PostingChanges<S> {
    /// Replaces the keys of a file; `None` if it was not read or was removed.
    pub(crate) fn put(
        &mut self,
        db: &Connection,
        file: i64,
        source: Option<&Source<S>>,
    ) -> rusqlite::Result<()> {
        if self.before.is_none() {
            self.before = Some(S::TABLES.last_segment(db)?);
        }
        self.deleted.insert(file);
        match source.filter(|source| S::Kind::documents(source) > 0) {
            None => Ok(()),
            Some(source) if self.recent.len() < S::MAX_RECENT => {
                self.recent.push((file, S::encode(source)));
                Ok(())
            }
            Some(source) => self.load.put(db, file, source),
        }
    }

    /// Writes everything, then merges segments as needed.
    pub(crate) fn finish(mut self, db: &Connection) -> Result<(), PostingError> {
        let Some(before) = self.before else { return Ok(()) };
        self.load.flush(db)?;
        for (id, bytes) in S::TABLES.segments(db)?.into_iter().take_while(|(id, _)| *id <= before) {
            let mut layout = S::Layout::decode(&bytes)?;
            let changed = layout.delete(&self.deleted);
            if layout.document_counts().live == 0 {
                S::TABLES.delete_segment(db, id)?;
            } else if changed {
                S::TABLES.update_segment(db, id, &layout.encode())?;
            }
        }
        for file in &self.deleted {
            S::TABLES.delete_recent(db, *file)?;
        }
        for (file, data) in &self.recent {
            S::TABLES.put_recent(db, *file, data)?;
        }
        if S::TABLES.count_recent(db)? > S::MAX_RECENT {
            flush_recent::<S>(db)?;
        }
        merge_where_needed::<S>(db)
    }
}

/// Moves the recent files to a segment.
fn flush_recent<S: StoredPostings>(db: &Connection) -> Result<(), PostingError> {
    let mut recent = Vec::new();
    S::TABLES.each_recent(db, |file, data| {
        recent.push((file, S::decode(data)?));
        Ok::<_, PostingError>(())
    })?;
    let mut load = SegmentLoad::<S>::default();
    for (file, source) in &recent {
        load.put(db, *file, source)?;
    }
    load.flush(db)?;
    Ok(S::TABLES.clear_recent(db)?)
}

/// Merges small segments with each other, and rewrites those that are mostly tombstones.
fn merge_where_needed<S: StoredPostings>(db: &Connection) -> Result<(), PostingError> {
    let (mut small, mut mostly_deleted) = (Vec::new(), Vec::new());
    for (id, bytes) in S::TABLES.segments(db)? {
        let layout = S::Layout::decode(&bytes)?;
        let DocumentCounts { all, live } = layout.document_counts();
        if live < S::SMALL {
            small.push((id, layout));
        } else if live * 2 < all {
            mostly_deleted.push((id, layout));
        }
    }
    if small.len() >= MERGED_TOGETHER {
        merge::<S>(db, &small)?;
    }
    mostly_deleted.into_iter().try_for_each(|segment| merge::<S>(db, &[segment]))
}

/// Replaces segments by one without tombstones.
fn merge<S: StoredPostings>(db: &Connection, old: &[(i64, S::Layout)]) -> Result<(), PostingError> {
    let new = S::TABLES.last_segment(db)? + 1;
    let (mut layout, mut inputs) = (S::Layout::default(), Vec::with_capacity(old.len()));
    for (id, part) in old {
        layout.append_live(part);
        let (id, mut last) = (*id, None);
        let blocks = move || {
            let block = S::TABLES.next_block(db, id, last)?;
            last = block.as_ref().map(|(first, _)| *first).or(last);
            Ok(block)
        };
        inputs.push((blocks, part.live()));
    }
    merge_segments::<S::Kind, _, PostingError>(inputs, |(first, data)| {
        Ok(S::TABLES.insert_block(db, new, first, &data)?)
    })?;
    S::TABLES.insert_segment(db, new, &layout.encode())?;
    old.iter().try_for_each(|(id, _)| Ok(S::TABLES.delete_segment(db, *id)?))
}
