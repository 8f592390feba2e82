//! Terms in the index: files are turned around in segments, and segments are merged as edits make holes in them.
//!
//! Every chunk of an indexed file has one place: in a segment, or among the recent files. A change set takes the places
//! of a file away and gives it new ones. What a search reads of them first is the catalogue.

use crate::postings::error::ListError;
use crate::sql::terms as sql;
use orient_text::{TermBlockReader, TermSegment, Terms, TextError};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// More recent files than this become a segment: each is looked at by every search.
const MOST_RECENT: usize = 128;
/// A segment of fewer chunks is merged with others of its kind, once there are several.
const SMALL: u32 = 16_384;
const SEVERAL: usize = 8;

/// The files of a segment, in the order of their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The id of each file, 0 where it is gone, and how many chunks it has.
    pub(crate) files: Vec<(u32, u32)>,
    /// How long each chunk is.
    pub(crate) lengths: Vec<u16>,
}

impl Layout {
    fn push(&mut self, file: i64, lengths: &[u16]) {
        self.files.push((u32::try_from(file).unwrap_or(0), lengths.len() as u32));
        self.lengths.extend_from_slice(lengths);
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.files.len() as u32).to_le_bytes().to_vec();
        bytes.extend(
            self.files.iter().flat_map(|(file, count)| [file.to_le_bytes(), count.to_le_bytes()].concat()),
        );
        bytes.extend(self.lengths.iter().flat_map(|length| length.to_le_bytes()));
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (files, lengths) = Self::split(bytes)?;
        let files: Vec<(u32, u32)> = files.collect();
        let lengths: Vec<u16> =
            lengths.as_chunks::<2>().0.iter().map(|two| u16::from_le_bytes(*two)).collect();
        let chunks: u64 = files.iter().map(|(_, count)| u64::from(*count)).sum();
        if chunks == lengths.len() as u64 { Ok(Self { files, lengths }) } else { Err(TextError::NOT_WHOLE) }
    }

    /// The files of an encoded layout, and what comes behind them.
    pub(crate) fn split(bytes: &[u8]) -> Result<(impl Iterator<Item = (u32, u32)>, &[u8]), TextError> {
        let (count, rest) = bytes.split_first_chunk::<4>().ok_or(TextError::NOT_WHOLE)?;
        let count = u32::from_le_bytes(*count) as usize;
        let (files, lengths) = rest.split_at_checked(count * 8).ok_or(TextError::NOT_WHOLE)?;
        let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let pairs = files.as_chunks::<4>().0.as_chunks::<2>().0;
        Ok((pairs.iter().map(move |[file, count]| (number(file), number(count))), lengths))
    }

    fn live(&self) -> u32 {
        self.files.iter().filter(|(file, _)| *file != 0).map(|(_, count)| count).sum()
    }
}

/// Files on their way into segments.
#[derive(Default)]
pub(crate) struct TermLoad {
    segment: TermSegment,
    layout: Layout,
}

impl TermLoad {
    pub(crate) fn put(&mut self, db: &Connection, file: i64, terms: &Terms) -> rusqlite::Result<()> {
        if terms.lengths.is_empty() {
            return Ok(());
        }
        self.layout.push(file, &terms.lengths);
        self.segment.push(terms);
        if self.segment.is_full() { self.flush(db) } else { Ok(()) }
    }

    /// Writes what was collected as a segment.
    pub(crate) fn flush(&mut self, db: &Connection) -> rusqlite::Result<()> {
        if self.layout.files.is_empty() {
            return Ok(());
        }
        let id = sql::last_segment(db)? + 1;
        self.segment.finish(|(first, data)| sql::insert_block(db, id, first, &data))?;
        sql::insert_segment(db, id, &self.layout.encode())?;
        self.layout = Layout::default();
        Ok(())
    }
}

/// The terms of one change set.
#[derive(Default)]
pub(crate) struct TermChanges {
    /// The newest segment before the change set: new places are in newer ones.
    before: Option<i64>,
    gone: BTreeSet<i64>,
    fresh: Vec<(i64, Vec<u8>)>,
    load: TermLoad,
}

impl TermChanges {
    /// The file has these terms now; none if it was not read or is gone.
    pub(crate) fn put(&mut self, db: &Connection, file: i64, terms: Option<&Terms>) -> rusqlite::Result<()> {
        if self.before.is_none() {
            self.before = Some(sql::last_segment(db)?);
        }
        self.gone.insert(file);
        match terms {
            Some(terms) if terms.lengths.is_empty() => Ok(()),
            Some(terms) if self.fresh.len() < MOST_RECENT => {
                self.fresh.push((file, terms.encode()));
                Ok(())
            }
            Some(terms) => self.load.put(db, file, terms),
            None => Ok(()),
        }
    }

    /// Writes everything, and mends what many edits leave behind.
    pub(crate) fn finish(mut self, db: &Connection) -> Result<(), ListError> {
        let Some(before) = self.before else { return Ok(()) };
        self.load.flush(db)?;
        for (id, bytes) in sql::segments(db)?.into_iter().take_while(|(id, _)| *id <= before) {
            let mut layout = Layout::decode(&bytes)?;
            let mut changed = false;
            for (file, _) in layout.files.iter_mut().filter(|(file, _)| self.gone.contains(&i64::from(*file)))
            {
                (*file, changed) = (0, true);
            }
            if layout.live() == 0 {
                sql::delete_segment(db, id)?;
            } else if changed {
                sql::update_segment(db, id, &layout.encode())?;
            }
        }
        for file in &self.gone {
            sql::delete_recent(db, *file)?;
        }
        for (file, data) in &self.fresh {
            sql::put_recent(db, *file, data)?;
        }
        if sql::count_recent(db)? > MOST_RECENT {
            settle(db)?;
        }
        tidy(db)
    }
}

/// Makes a segment of the recent files.
fn settle(db: &Connection) -> Result<(), ListError> {
    let mut load = TermLoad::default();
    for (file, data) in sql::recents(db)? {
        load.put(db, file, &Terms::decode(&data)?)?;
    }
    load.flush(db)?;
    Ok(sql::clear_recent(db)?)
}

/// Merges small segments, and those that are mostly holes.
fn tidy(db: &Connection) -> Result<(), ListError> {
    let mut small = Vec::new();
    let mut hollow = Vec::new();
    for (id, bytes) in sql::segments(db)? {
        let layout = Layout::decode(&bytes)?;
        let live = layout.live();
        if live < SMALL {
            small.push((id, layout));
        } else if live as usize * 2 < layout.lengths.len() {
            hollow.push((id, layout));
        }
    }
    if small.len() >= SEVERAL {
        rewrite(db, &small)?;
    }
    hollow.iter().try_for_each(|segment| rewrite(db, std::slice::from_ref(segment)))
}

/// Puts one segment in the place of several, without holes. Small ones together are no more than a segment may hold.
fn rewrite(db: &Connection, old: &[(i64, Layout)]) -> Result<(), ListError> {
    let mut load = TermLoad::default();
    for (id, layout) in old {
        let mut places = Vec::with_capacity(layout.lengths.len());
        let mut start = 0;
        for &(file, count) in &layout.files {
            let lengths = &layout.lengths[start..start + count as usize];
            start += count as usize;
            if file == 0 {
                places.resize(start, None);
                continue;
            }
            let first = load.segment.reserve(count);
            places.extend((first..first + count).map(Some));
            load.layout.push(file.into(), lengths);
        }
        let bound = layout.lengths.len() as u32;
        sql::each_block(db, *id, |first, data| {
            let block = TermBlockReader::new(first, data, bound);
            Ok::<_, ListError>(load.segment.push_block(block, |unit| places[unit as usize])?)
        })?;
    }
    load.flush(db)?;
    old.iter().try_for_each(|(id, _)| Ok(sql::delete_segment(db, *id)?))
}
