//! Trigrams in the index: texts are turned around in segments, and segments are merged as edits make holes in them.
//!
//! Every indexed text has one place: in a segment, or among the recent ones. A change set takes the old place away and
//! gives a new one, so that a search never sees the trigrams of a text that is gone.

use crate::error::StoreError;
use crate::postings::error::ListError;
use crate::reader::snapshot::Snapshot;
use crate::rows::FileId;
use crate::sql::trigrams as sql;
use orient_text::{
    BlockReader, Grams, List, Lists, Query, SegmentBuilder, Slots, TextError, admits, find, merge,
};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// More recent files than this become a segment: looking at one costs microseconds, for every search.
const MOST_RECENT: usize = 256;
/// A segment of fewer texts is merged with others of its kind, once there are several.
const SMALL: usize = 2048;
const SEVERAL: usize = 8;

/// Files on their way into segments.
#[derive(Default)]
pub(crate) struct GramLoad {
    builder: SegmentBuilder,
    files: Vec<u32>,
}

impl GramLoad {
    pub(crate) fn put(&mut self, db: &Connection, file: i64, grams: &Grams) -> rusqlite::Result<()> {
        self.files.push(slot_of(file));
        self.builder.push(grams);
        if self.builder.is_full() { self.flush(db) } else { Ok(()) }
    }

    /// Writes what was collected as a segment.
    pub(crate) fn flush(&mut self, db: &Connection) -> rusqlite::Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let segment = sql::last_segment(db)? + 1;
        self.builder.finish(|(first, data)| sql::insert_block(db, segment, first, &data))?;
        sql::insert_segment(db, segment, &to_bytes(&self.files))?;
        self.files.clear();
        Ok(())
    }
}

/// The trigrams of one change set.
#[derive(Default)]
pub(crate) struct GramChanges {
    /// The newest segment before the change set: new places are in newer ones.
    before: Option<i64>,
    /// Files whose old places are to be taken away.
    gone: BTreeSet<i64>,
    fresh: Vec<(i64, Vec<u8>)>,
    load: GramLoad,
}

impl GramChanges {
    /// The file has these trigrams now; none if it was not read or is gone.
    pub(crate) fn put(&mut self, db: &Connection, file: i64, grams: Option<&Grams>) -> rusqlite::Result<()> {
        if self.before.is_none() {
            self.before = Some(sql::last_segment(db)?);
        }
        self.gone.insert(file);
        match grams {
            None => Ok(()),
            Some(grams) if self.fresh.len() < MOST_RECENT => {
                self.fresh.push((file, grams.encode()));
                Ok(())
            }
            Some(grams) => self.load.put(db, file, grams),
        }
    }

    /// Writes everything, and mends what many edits leave behind.
    pub(crate) fn finish(mut self, db: &Connection) -> Result<(), ListError> {
        let Some(before) = self.before else { return Ok(()) };
        self.load.flush(db)?;
        for (id, files) in sql::segments(db)?.into_iter().take_while(|(id, _)| *id <= before) {
            let mut files = from_bytes(&files)?;
            let mut changed = false;
            for file in files.iter_mut().filter(|file| self.gone.contains(&i64::from(**file))) {
                (*file, changed) = (0, true);
            }
            if files.iter().all(|file| *file == 0) {
                sql::delete_segment(db, id)?;
            } else if changed {
                sql::update_segment(db, id, &to_bytes(&files))?;
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
    let mut load = GramLoad::default();
    let mut all = Vec::new();
    sql::each_recent(db, |file, data| all.push((file, Grams::decode(data))))?;
    for (file, grams) in all {
        load.put(db, file, &grams?)?;
    }
    load.flush(db)?;
    Ok(sql::clear_recent(db)?)
}

/// Merges small segments, and those that are mostly holes.
fn tidy(db: &Connection) -> Result<(), ListError> {
    let mut small = Vec::new();
    let mut hollow = Vec::new();
    for (id, files) in sql::segments(db)? {
        let files = from_bytes(&files)?;
        let live = files.iter().filter(|file| **file != 0).count();
        if live < SMALL {
            small.push((id, files));
        } else if live * 2 < files.len() {
            hollow.push((id, files));
        }
    }
    if small.len() >= SEVERAL {
        rewrite(db, small)?;
    }
    hollow.into_iter().try_for_each(|segment| rewrite(db, vec![segment]))
}

/// Puts one segment in the place of several, without holes.
fn rewrite(db: &Connection, old: Vec<(i64, Vec<u32>)>) -> Result<(), ListError> {
    let new = sql::last_segment(db)? + 1;
    let ids: Vec<i64> = old.iter().map(|(id, _)| *id).collect();
    let files: Vec<u32> =
        old.iter().flat_map(|(_, files)| files).copied().filter(|file| *file != 0).collect();
    let mut sides = Vec::new();
    for (id, files) in old {
        let mut last = None;
        let blocks = move || {
            let block = sql::next_block(db, id, last)?;
            last = block.as_ref().map(|(first, _)| *first).or(last);
            Ok(block)
        };
        sides.push((blocks, files.iter().map(|file| *file != 0).collect()));
    }
    merge(sides, |(first, data)| sql::insert_block(db, new, first, &data).map_err(ListError::from))?;
    sql::insert_segment(db, new, &to_bytes(&files))?;
    ids.into_iter().try_for_each(|id| Ok(sql::delete_segment(db, id)?))
}

/// The files a search may leave out: those whose trigrams are known and do not admit a match.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    bits: Vec<u64>,
    /// How many files have trigrams.
    known: usize,
}

impl LeftOut {
    /// Whether a file may be left out.
    pub fn contains(&self, file: FileId) -> bool {
        let at = usize::try_from(file.0).unwrap_or(usize::MAX);
        self.bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Whether so many files are left out that knowing it is worth a look at all stamps.
    pub fn is_worth(&self) -> bool {
        let left_out: usize = self.bits.iter().map(|word| word.count_ones() as usize).sum();
        left_out * 2 > self.known
    }

    fn add(&mut self, file: u32) {
        let at = file as usize;
        if self.bits.len() <= at / 64 {
            self.bits.resize(at / 64 + 1, 0);
        }
        self.bits[at / 64] |= 1 << (at % 64);
        self.known += usize::from(file != 0);
    }

    fn take(&mut self, file: u32) {
        if let Some(word) = self.bits.get_mut(file as usize / 64) {
            *word &= !(1 << (file % 64));
        }
    }
}

impl Snapshot {
    /// The files in which nothing can match what asks for these trigrams. Files without trigrams are never among them.
    pub fn left_out(&self, query: &Query) -> Result<LeftOut, StoreError> {
        self.find_left_out(query).map_err(|error| error.at(&self.path))
    }

    fn find_left_out(&self, query: &Query) -> Result<LeftOut, ListError> {
        let (mut left_out, mut admitted) = (LeftOut::default(), Vec::new());
        if query.is_all() {
            return Ok(left_out);
        }
        for (id, files) in sql::segments(&self.db)? {
            let files = from_bytes(&files)?;
            for file in &files {
                left_out.add(*file);
            }
            match find(query, &mut Segment { db: &self.db, id, texts: files.len() as u32 })? {
                Slots::All => admitted.extend_from_slice(&files),
                Slots::Some(slots) => admitted.extend(slots.into_iter().map(|slot| files[slot as usize])),
            }
        }
        let mut failed = Ok(());
        sql::each_recent(&self.db, |file, data| match Grams::decode(data) {
            Ok(grams) => {
                left_out.add(slot_of(file));
                if admits(query, &grams) {
                    admitted.push(slot_of(file));
                }
            }
            Err(error) => failed = Err(error),
        })?;
        failed?;
        // A file with two places is left out only if neither admits it.
        for file in admitted.into_iter().chain([0]) {
            left_out.take(file);
        }
        Ok(left_out)
    }

    /// What is wrong with the trigrams, in words.
    pub(crate) fn check_grams(&self, wrong: &mut Vec<String>) -> Result<(), StoreError> {
        let checked = self.read_all_grams();
        match checked {
            Ok(()) => Ok(()),
            Err(ListError::Text(error)) => {
                wrong.push(error.to_string());
                Ok(())
            }
            Err(error) => Err(error.at(&self.path)),
        }
    }

    fn read_all_grams(&self) -> Result<(), ListError> {
        for (id, files) in sql::segments(&self.db)? {
            let texts = from_bytes(&files)?.len() as u32;
            let mut last = None;
            while let Some((first, data)) = sql::next_block(&self.db, id, last)? {
                for entry in BlockReader::new(first, &data, texts) {
                    let (_, list) = entry?;
                    list.slots().try_for_each(|slot| slot.map(drop))?;
                }
                last = Some(first);
            }
        }
        let mut read = Ok(());
        sql::each_recent(&self.db, |_, data| {
            if let Err(error) = Grams::decode(data) {
                read = Err(error);
            }
        })?;
        Ok(read?)
    }
}

/// The lists of one segment, in their table.
struct Segment<'s> {
    db: &'s Connection,
    id: i64,
    texts: u32,
}

impl Lists for Segment<'_> {
    type Error = ListError;

    fn list<T>(
        &mut self,
        gram: u32,
        read: impl FnOnce(Option<List<'_>>) -> Result<T, ListError>,
    ) -> Result<T, ListError> {
        sql::block_at(self.db, self.id, gram, |block| match block {
            None => read(None),
            Some((first, data)) => read(BlockReader::new(first, data, self.texts).find(gram)?),
        })?
    }
}

/// Ids are counted from one and kept in four bytes. One beyond that has no place, and is always searched.
fn slot_of(file: i64) -> u32 {
    u32::try_from(file).unwrap_or(0)
}

fn to_bytes(files: &[u32]) -> Vec<u8> {
    files.iter().flat_map(|file| file.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Result<Vec<u32>, TextError> {
    let (files, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        Ok(files.iter().map(|file| u32::from_le_bytes(*file)).collect())
    } else {
        Err(TextError::NOT_WHOLE)
    }
}
