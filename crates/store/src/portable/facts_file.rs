//! A facts file: the facts of an index alone, for a machine that builds the rest itself. It saves parsing, and is a fraction of the
//! size of a portable index.
//!
//! The container is that of a portable index. Facts are plain in the rows, not compressed one by one: the files of a tree resemble
//! each other, so the body is compressed as a whole.

use super::container::{self, PortableFile, PortableHeader};
use super::error::PortableError;
use super::export::{REPORT_EVERY, RowProgress};
use super::row_stream::NextItem;
use super::tables::FACTS;
use crate::CachedFacts;
use crate::cache::{Cache, CacheKey};
use crate::codec::{Encoded, packed_facts, plain_facts};
use crate::connection::open;
use crate::error::AtPath;
use rusqlite::types::{Value, ValueRef};
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

const CONTENTS: &str = "SELECT hash FROM file WHERE hash IS NOT NULL ORDER BY id";
/// The key, the outline and the flow.
const COLUMNS: usize = 3;
/// The level of compression: a file is written rarely and kept for long.
const LEVEL: i32 = 15;

/// Writes what the cache knows about the contents of an index; returns the number of contents.
pub fn export_facts(
    index: &Path,
    cache: &Path,
    program: &str,
    is_current: &dyn Fn(u64) -> bool,
    to: &mut File,
    progress: &mut RowProgress<'_>,
) -> Result<u64, PortableError> {
    let opened = open::read(index)?;
    let mut contents = opened.db.prepare(CONTENTS).at(index)?;
    let rows = contents.query_map([], |row| row.get::<_, [u8; 16]>(0)).at(index)?;
    let hashes = rows.collect::<Result<Vec<_>, _>>().at(index)?;
    let cache = Cache::open(cache);
    let total = hashes.len() as u64;
    let header = PortableHeader::new(program, opened.meta.extractor, total, total);
    container::write(to, &header, LEVEL, |rows| {
        let (mut seen, mut written) = (HashSet::new(), 0);
        rows.section(FACTS)?;
        let Some(cached) = cache.reading() else { return Ok(0) };
        for (done, hash) in (0_u64..).zip(hashes) {
            if done.is_multiple_of(REPORT_EVERY) && !progress(done, total) {
                return Err(PortableError::Cancelled);
            }
            if !seen.insert(hash) {
                continue;
            }
            // Facts that cannot be read are extracted again.
            for (key, facts) in CacheKey::facts_of(cached, hash, is_current).unwrap_or_default() {
                let plain = (plain_facts(facts.outline.as_bytes()), plain_facts(facts.flow.as_bytes()));
                let (Ok(outline), Ok(flow)) = plain else { continue };
                let values = [key.as_bytes(), outline.as_slice(), flow.as_slice()];
                rows.row(values.map(ValueRef::Blob))?;
                written += 1;
            }
        }
        Ok(written)
    })
}

/// Adds the facts of a file to the cache, all or none; returns the number of contents that were new. If another process writes the
/// cache, none are added.
pub fn import_facts(
    file: &mut PortableFile,
    cache: &Path,
    day: u32,
    progress: &mut RowProgress<'_>,
) -> Result<u64, PortableError> {
    let total = file.header().rows;
    let cache = Cache::open(cache);
    let Some(db) = cache.writing().filter(|db| db.execute_batch("BEGIN IMMEDIATE").is_ok()) else {
        return Ok(0);
    };
    let mut rows = file.rows()?;
    if rows.next()? != NextItem::Section(FACTS) {
        return Err(PortableError::invalid("it does not begin with facts"));
    }
    let (mut values, mut added, mut done) = (Vec::new(), 0, 0_u64);
    loop {
        match rows.next()? {
            NextItem::Row => rows.values(COLUMNS, &mut values)?,
            NextItem::End => break,
            NextItem::Section(_) => return Err(PortableError::invalid("an unknown table")),
        }
        let [Value::Blob(key), Value::Blob(outline), Value::Blob(flow)] = values.as_slice() else {
            return Err(PortableError::invalid("facts of another form"));
        };
        let key = CacheKey::from_bytes(key).ok_or_else(|| PortableError::invalid("a key of another form"))?;
        let pack = |plain: &[u8]| -> Result<Encoded, PortableError> {
            packed_facts(plain).map_err(|_| PortableError::invalid("facts of another form"))
        };
        let facts = CachedFacts { outline: pack(outline)?, flow: pack(flow)? };
        added += u64::from(key.insert(db, &facts, day).at(cache.path())?);
        done += 1;
        if done.is_multiple_of(REPORT_EVERY) && !progress(done, total) {
            return Err(PortableError::Cancelled);
        }
    }
    db.execute_batch("COMMIT").at(cache.path())?;
    Ok(added)
}
