//! The tables of posting lists: segments, blocks and recent files. Trigrams and terms have the same three tables each.

use rusqlite::{Connection, Result, Row, params};

/// The statements of one set of tables.
pub(crate) struct PostingTables {
    segment_insert: &'static str,
    segment_update: &'static str,
    segment_delete: &'static str,
    segments: &'static str,
    segment_ids: &'static str,
    segment_by_id: &'static str,
    segment_last: &'static str,
    block_insert: &'static str,
    block_at: &'static str,
    block_after: &'static str,
    blocks: &'static str,
    blocks_delete: &'static str,
    recent_put: &'static str,
    recent_delete: &'static str,
    recent_clear: &'static str,
    recent_count: &'static str,
    recent_ids: &'static str,
    recent_by_id: &'static str,
    recents: &'static str,
}

macro_rules! posting_tables {
    ($name:literal) => {
        PostingTables {
            segment_insert: concat!("INSERT INTO ", $name, "_segment VALUES (?1, ?2)"),
            segment_update: concat!("UPDATE ", $name, "_segment SET files = ?2 WHERE id = ?1"),
            segment_delete: concat!("DELETE FROM ", $name, "_segment WHERE id = ?1"),
            segments: concat!("SELECT id, files FROM ", $name, "_segment ORDER BY id"),
            segment_ids: concat!("SELECT id FROM ", $name, "_segment ORDER BY id"),
            segment_by_id: concat!("SELECT files FROM ", $name, "_segment WHERE id = ?1"),
            segment_last: concat!("SELECT ifnull(max(id), 0) FROM ", $name, "_segment"),
            block_insert: concat!("INSERT INTO ", $name, "_block VALUES (?1, ?2)"),
            block_at: concat!(
                "SELECT key, data FROM ",
                $name,
                "_block WHERE key <= ?1 AND key >= ?2 ORDER BY key DESC LIMIT 1"
            ),
            block_after: concat!(
                "SELECT key, data FROM ",
                $name,
                "_block WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT 1"
            ),
            blocks: concat!(
                "SELECT key, data FROM ",
                $name,
                "_block WHERE key >= ?1 AND key < ?2 ORDER BY key"
            ),
            blocks_delete: concat!("DELETE FROM ", $name, "_block WHERE key >= ?1 AND key < ?2"),
            recent_put: concat!("INSERT OR REPLACE INTO ", $name, "_recent VALUES (?1, ?2)"),
            recent_delete: concat!("DELETE FROM ", $name, "_recent WHERE file = ?1"),
            recent_clear: concat!("DELETE FROM ", $name, "_recent"),
            recent_count: concat!("SELECT count(*) FROM ", $name, "_recent"),
            recent_ids: concat!("SELECT file FROM ", $name, "_recent ORDER BY file"),
            recent_by_id: concat!("SELECT data FROM ", $name, "_recent WHERE file = ?1"),
            recents: concat!("SELECT file, data FROM ", $name, "_recent ORDER BY file"),
        }
    };
}

pub(crate) const TRIGRAMS: PostingTables = posting_tables!("trigram");
pub(crate) const TERMS: PostingTables = posting_tables!("term");

/// The row of a block: the segment above the first 32-bit key of the block.
fn row_key(segment: i64, key: u32) -> i64 {
    segment << 32 | i64::from(key)
}

/// The first key of the block in a row.
fn first_key(row_key: i64) -> u32 {
    row_key.cast_unsigned() as u32
}

/// The bounds of the rows of a segment.
fn segment_rows(segment: i64) -> [i64; 2] {
    [row_key(segment, 0), row_key(segment + 1, 0)]
}

impl PostingTables {
    pub(crate) fn insert_segment(&self, db: &Connection, id: i64, files: &[u8]) -> Result<()> {
        db.prepare_cached(self.segment_insert)?.execute(params![id, files]).map(drop)
    }

    pub(crate) fn update_segment(&self, db: &Connection, id: i64, files: &[u8]) -> Result<()> {
        db.prepare_cached(self.segment_update)?.execute(params![id, files]).map(drop)
    }

    /// Deletes a segment with its blocks.
    pub(crate) fn delete_segment(&self, db: &Connection, id: i64) -> Result<()> {
        db.prepare_cached(self.blocks_delete)?.execute(segment_rows(id))?;
        db.prepare_cached(self.segment_delete)?.execute([id]).map(drop)
    }

    /// The ids and encoded layouts of all segments, oldest first.
    pub(crate) fn segments(&self, db: &Connection) -> Result<Vec<(i64, Vec<u8>)>> {
        db.prepare_cached(self.segments)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    /// The ids of all segments, oldest first.
    pub(crate) fn segment_ids(&self, db: &Connection) -> Result<Vec<i64>> {
        db.prepare_cached(self.segment_ids)?.query_map([], |row| row.get(0))?.collect()
    }

    /// Passes the encoded layout of a segment to `read`.
    pub(crate) fn segment<T>(&self, db: &Connection, id: i64, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        db.prepare_cached(self.segment_by_id)?.query_row([id], |row| Ok(read(row.get_ref(0)?.as_blob()?)))
    }

    /// The id of the newest segment; 0 if there is none.
    pub(crate) fn last_segment(&self, db: &Connection) -> Result<i64> {
        db.prepare_cached(self.segment_last)?.query_row([], |row| row.get(0))
    }

    pub(crate) fn insert_block(&self, db: &Connection, segment: i64, first: u32, data: &[u8]) -> Result<()> {
        db.prepare_cached(self.block_insert)?.execute(params![row_key(segment, first), data]).map(drop)
    }

    /// Passes the only block that can contain a key, with its first key, to `read`.
    pub(crate) fn block_at<T>(
        &self,
        db: &Connection,
        segment: i64,
        key: u32,
        read: impl FnOnce(Option<(u32, &[u8])>) -> T,
    ) -> Result<T> {
        let mut statement = db.prepare_cached(self.block_at)?;
        let mut rows = statement.query([row_key(segment, key), row_key(segment, 0)])?;
        match rows.next()? {
            None => Ok(read(None)),
            Some(row) => Ok(read(Some((first_key(row.get(0)?), row.get_ref(1)?.as_blob()?)))),
        }
    }

    /// The first block of a segment, or the block after the one with a first key.
    pub(crate) fn next_block(
        &self,
        db: &Connection,
        segment: i64,
        after: Option<u32>,
    ) -> Result<Option<(u32, Vec<u8>)>> {
        let [first, end] = segment_rows(segment);
        let after = after.map_or(first - 1, |key| row_key(segment, key));
        let mut statement = db.prepare_cached(self.block_after)?;
        let mut rows = statement.query([after, end])?;
        rows.next()?.map(|row| Ok((first_key(row.get(0)?), row.get(1)?))).transpose()
    }

    /// Passes all blocks of a segment with their first keys to `see`, in order.
    pub(crate) fn each_block<E: From<rusqlite::Error>>(
        &self,
        db: &Connection,
        segment: i64,
        mut see: impl FnMut(u32, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut statement = db.prepare_cached(self.blocks)?;
        let mut rows = statement.query(segment_rows(segment))?;
        while let Some(row) = rows.next()? {
            see(first_key(row.get(0)?), blob(row, 1)?)?;
        }
        Ok(())
    }

    pub(crate) fn put_recent(&self, db: &Connection, file: i64, data: &[u8]) -> Result<()> {
        db.prepare_cached(self.recent_put)?.execute(params![file, data]).map(drop)
    }

    pub(crate) fn delete_recent(&self, db: &Connection, file: i64) -> Result<()> {
        db.prepare_cached(self.recent_delete)?.execute([file]).map(drop)
    }

    pub(crate) fn clear_recent(&self, db: &Connection) -> Result<()> {
        db.prepare_cached(self.recent_clear)?.execute([]).map(drop)
    }

    pub(crate) fn count_recent(&self, db: &Connection) -> Result<usize> {
        db.prepare_cached(self.recent_count)?.query_row([], |row| row.get(0))
    }

    /// Passes the recent files and their encoded keys to `see`, by id.
    pub(crate) fn each_recent<E: From<rusqlite::Error>>(
        &self,
        db: &Connection,
        mut see: impl FnMut(i64, &[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut statement = db.prepare_cached(self.recents)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            see(row.get(0)?, blob(row, 1)?)?;
        }
        Ok(())
    }

    /// The ids of the recent files.
    pub(crate) fn recent_ids(&self, db: &Connection) -> Result<Vec<i64>> {
        db.prepare_cached(self.recent_ids)?.query_map([], |row| row.get(0))?.collect()
    }

    /// The encoded keys of a recent file.
    pub(crate) fn recent(&self, db: &Connection, file: i64) -> Result<Vec<u8>> {
        db.prepare_cached(self.recent_by_id)?.query_row([file], |row| row.get(0))
    }
}

fn blob<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}
