//! The tables of files and outlines.

use crate::graph::IndexedFile;
use crate::rows::{FileId, FilePut, FileRow, LanguageCount, ManifestEntry, StampedFile, StatusCount};
use crate::writer::prepared_file::OutlineSummary;
use orient_model::{ContentHash, RepoPath, Role, Stamp};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row, params};

pub(crate) const INSERT: &str = "INSERT INTO file VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";
const UPDATE: &str = "UPDATE file SET path = ?2, name = ?3, lang = ?4, role = ?5, status = ?6, detail = ?7, size = ?8, \
     mtime = ?9, ctime = ?10, inode = ?11, hash = ?12, bytes = ?13, lines = ?14, symbols = ?15, chunks = ?16, \
     issues = ?17, generated = ?18, project = ?19, unparsed = ?20 WHERE id = ?1";
const RESTAMP: &str = "UPDATE file SET size = ?2, mtime = ?3, ctime = ?4, inode = ?5 WHERE path = ?1";
const DELETE: &str = "DELETE FROM file WHERE id = ?1";
const KEY_BY_PATH: &str = "SELECT id, hash, symbols, chunks FROM file WHERE path = ?1";
const STAMPS: &str = "SELECT path, size, mtime, ctime, inode FROM file ORDER BY path";
const STAMPS_IN: &str = "SELECT path, size, mtime, ctime, inode FROM file WHERE path = ?1 \
     UNION ALL SELECT path, size, mtime, ctime, inode FROM file WHERE path >= ?2 AND path < ?3";
const LISTED: &str = "SELECT id, path, status, size, mtime, ctime, inode FROM file ORDER BY path";
const LISTED_AT: &str = "SELECT id, path, status, size, mtime, ctime, inode FROM file WHERE path = ?1";
const PATH_OF: &str = "SELECT path FROM file WHERE id = ?1";
const BRIEFS: &str = "SELECT id, lang, role, path FROM file ORDER BY path";
const LANG: &str = "SELECT lang FROM file WHERE id = ?1";
const BRIEF: &str = "SELECT id, lang, role, path FROM file WHERE id = ?1";
const LANGUAGES: &str = "SELECT lang.name, count(*), sum(bytes), sum(lines), sum(symbols), sum(issues > 0) \
     FROM file LEFT JOIN lang ON lang.id = file.lang WHERE status = 0 GROUP BY lang.name ORDER BY lang.name";
const STATUSES: &str = "SELECT status, count(*) FROM file GROUP BY status ORDER BY status";
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM file)";
const COUNT: &str = "SELECT count(*) FROM file";

macro_rules! select_indexed {
    ($rest:literal) => {
        concat!(
            "SELECT file.id, path, lang.name, role, hash, project ",
            "FROM file LEFT JOIN lang ON lang.id = file.lang WHERE status = 0 AND ",
            $rest
        )
    };
}
const INDEXED_BY_ID: &str = select_indexed!("file.id = ?1");
const INDEXED_BY_PATH: &str = select_indexed!("path = ?1");
const INDEXED_BETWEEN: &str = select_indexed!("path >= ?1 AND path < ?2 ORDER BY path");
const IDS_BETWEEN: &str =
    "SELECT id, path FROM file WHERE status = 0 AND path >= ?1 AND path < ?2 ORDER BY path";
const BY_NAME: &str = "SELECT id, path FROM file WHERE status = 0 AND name = ?1 ORDER BY path";
const PROJECT_FILES: &str = "SELECT id FROM file WHERE project = 1 ORDER BY path";

macro_rules! select_file {
    ($rest:literal) => {
        concat!(
            "SELECT file.id, path, lang.name, role, status, detail, size, mtime, ctime, inode, hash, bytes, lines, ",
            "symbols, chunks, issues, generated, unparsed FROM file LEFT JOIN lang ON lang.id = file.lang ",
            $rest
        )
    };
}
const BY_PATH: &str = select_file!("WHERE path = ?1");
const BY_ID: &str = select_file!("WHERE file.id = ?1");
const ALL: &str = select_file!("ORDER BY path");
/// The condition must be textually equal to that of the index `file_unread`.
const UNREAD: &str = select_file!("WHERE status = 1 OR status = 5 OR unparsed = 1 ORDER BY path");

pub(crate) const OUTLINE_INSERT: &str = "INSERT INTO outline VALUES (?1, ?2, ?3, ?4)";
const OUTLINE_REPLACE: &str = "INSERT OR REPLACE INTO outline VALUES (?1, ?2, ?3, ?4)";
const OUTLINE_DELETE: &str = "DELETE FROM outline WHERE file = ?1";
const OUTLINE: &str = "SELECT symbols, chunks, data FROM outline WHERE file = ?1";
const OUTLINE_DATA: &str = "SELECT data FROM outline WHERE file = ?1";
const OUTLINE_IDS: &str = "SELECT outline.symbols, file.symbols, outline.chunks, file.chunks \
     FROM outline JOIN file ON file.id = outline.file WHERE outline.file = ?1";

/// What a change set needs of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileKey {
    pub(crate) id: i64,
    pub(crate) hash: Option<ContentHash>,
    pub(crate) symbols: usize,
    pub(crate) chunks: usize,
}

/// The fields that filters and sorting need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Brief {
    pub(crate) id: i64,
    pub(crate) lang: Option<i64>,
    pub(crate) role: Role,
    pub(crate) path: RepoPath,
}

/// The stored outline of a file.
pub(crate) struct StoredOutline {
    pub(crate) symbols: Vec<u8>,
    pub(crate) chunks: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

/// The encoded id lists of a file and their lengths.
pub(crate) struct StoredIds {
    pub(crate) symbols: (Vec<u8>, usize),
    pub(crate) chunks: (Vec<u8>, usize),
}

fn write(
    db: &Connection,
    sql: &str,
    id: i64,
    lang: Option<i64>,
    put: &FilePut,
    digest: Option<&OutlineSummary>,
) -> Result<()> {
    let stamp = put.stamp;
    let nothing = OutlineSummary::default();
    let digest = digest.unwrap_or(&nothing);
    db.prepare_cached(sql)?
        .execute(params![
            id,
            put.path.as_bytes(),
            put.path.file_name(),
            lang,
            put.role as u8,
            put.status,
            put.detail,
            stamp.size.cast_signed(),
            stamp.mtime_ns,
            stamp.ctime_ns,
            stamp.inode.cast_signed(),
            put.hash.as_ref().map(|hash| &hash.0[..]),
            put.bytes.cast_signed(),
            digest.lines,
            digest.symbols.len(),
            digest.chunks.len(),
            digest.issues,
            digest.generated,
            digest.is_project_file,
            digest.unparsed,
        ])
        .map(drop)
}

pub(crate) fn insert(
    db: &Connection,
    id: i64,
    lang: Option<i64>,
    put: &FilePut,
    digest: Option<&OutlineSummary>,
) -> Result<()> {
    write(db, INSERT, id, lang, put, digest)
}

pub(crate) fn update(
    db: &Connection,
    id: i64,
    lang: Option<i64>,
    put: &FilePut,
    digest: Option<&OutlineSummary>,
) -> Result<()> {
    write(db, UPDATE, id, lang, put, digest)
}

/// Whether there was a file with this path.
pub(crate) fn restamp(db: &Connection, path: &RepoPath, stamp: Stamp) -> Result<bool> {
    let values = params![
        path.as_bytes(),
        stamp.size.cast_signed(),
        stamp.mtime_ns,
        stamp.ctime_ns,
        stamp.inode.cast_signed()
    ];
    Ok(db.prepare_cached(RESTAMP)?.execute(values)? > 0)
}

pub(crate) fn delete(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached(DELETE)?.execute([id]).map(drop)
}

pub(crate) fn key_by_path(db: &Connection, path: &RepoPath) -> Result<Option<FileKey>> {
    db.prepare_cached(KEY_BY_PATH)?
        .query_row([path.as_bytes()], |row| {
            Ok(FileKey { id: row.get(0)?, hash: hash(row, 1)?, symbols: row.get(2)?, chunks: row.get(3)? })
        })
        .optional()
}

/// Passes the stamps of all files to `see`, by path.
pub(crate) fn stamps(db: &Connection, mut see: impl FnMut(StampedFile)) -> Result<()> {
    let mut statement = db.prepare_cached(STAMPS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(StampedFile { path: path(row, 0)?, stamp: stamp(row, 1)? });
    }
    Ok(())
}

/// Passes the stamps of the file at a path and of those below it to `see`.
pub(crate) fn stamps_in(db: &Connection, top: &RepoPath, mut see: impl FnMut(StampedFile)) -> Result<()> {
    let (from, to) = ([top.as_bytes(), b"/"].concat(), [top.as_bytes(), b"0"].concat());
    let mut statement = db.prepare_cached(STAMPS_IN)?;
    let mut rows = statement.query([top.as_bytes(), &from, &to])?;
    while let Some(row) = rows.next()? {
        see(StampedFile { path: path(row, 0)?, stamp: stamp(row, 1)? });
    }
    Ok(())
}

/// All files as entries of a tree manifest, by path.
pub(crate) fn listed(db: &Connection) -> Result<Vec<ManifestEntry>> {
    db.prepare_cached(LISTED)?.query_map([], read_listed)?.collect()
}

/// One file as an entry of a tree manifest.
pub(crate) fn listed_at(db: &Connection, path: &RepoPath) -> Result<Option<ManifestEntry>> {
    db.prepare_cached(LISTED_AT)?.query_row([path.as_bytes()], read_listed).optional()
}

pub(crate) fn path_of(db: &Connection, id: i64) -> Result<Option<RepoPath>> {
    db.prepare_cached(PATH_OF)?.query_row([id], |row| path(row, 0)).optional()
}

fn read_listed(row: &Row<'_>) -> Result<ManifestEntry> {
    Ok(ManifestEntry {
        id: FileId(row.get(0)?),
        path: path(row, 1)?,
        status: row.get(2)?,
        stamp: stamp(row, 3)?,
    })
}

/// Passes the brief rows of all files to `see`, by path.
pub(crate) fn briefs(db: &Connection, mut see: impl FnMut(Brief)) -> Result<()> {
    let mut statement = db.prepare_cached(BRIEFS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(read_brief(row)?);
    }
    Ok(())
}

pub(crate) fn brief(db: &Connection, id: i64) -> Result<Option<Brief>> {
    db.prepare_cached(BRIEF)?.query_row([id], read_brief).optional()
}

/// The language of a file, if it has one.
pub(crate) fn lang(db: &Connection, id: i64) -> Result<Option<i64>> {
    Ok(db.prepare_cached(LANG)?.query_row([id], |row| row.get(0)).optional()?.flatten())
}

pub(crate) fn by_path(db: &Connection, path: &RepoPath) -> Result<Option<FileRow>> {
    db.prepare_cached(BY_PATH)?.query_row([path.as_bytes()], read_file).optional()
}

pub(crate) fn by_id(db: &Connection, id: FileId) -> Result<Option<FileRow>> {
    db.prepare_cached(BY_ID)?.query_row([id.0], read_file).optional()
}

/// An indexed file, with what resolution needs.
pub(crate) fn indexed(db: &Connection, id: i64) -> Result<Option<IndexedFile>> {
    db.prepare_cached(INDEXED_BY_ID)?.query_row([id], read_indexed).optional()
}

pub(crate) fn indexed_at(db: &Connection, path: &RepoPath) -> Result<Option<IndexedFile>> {
    db.prepare_cached(INDEXED_BY_PATH)?.query_row([path.as_bytes()], read_indexed).optional()
}

/// Passes the indexed files between two paths to `see`, by path.
pub(crate) fn each_indexed(
    db: &Connection,
    (from, to): &(Vec<u8>, Vec<u8>),
    mut see: impl FnMut(IndexedFile),
) -> Result<()> {
    let mut statement = db.prepare_cached(INDEXED_BETWEEN)?;
    let mut rows = statement.query([from, to])?;
    while let Some(row) = rows.next()? {
        see(read_indexed(row)?);
    }
    Ok(())
}

/// Passes the indexed files between two paths to `see`, by path, until it returns something.
pub(crate) fn ids_between<T>(
    db: &Connection,
    from: &[u8],
    to: &[u8],
    mut see: impl FnMut(i64, &[u8]) -> Option<T>,
) -> Result<Option<T>> {
    let mut statement = db.prepare_cached(IDS_BETWEEN)?;
    let mut rows = statement.query([from, to])?;
    while let Some(row) = rows.next()? {
        if let Some(seen) = see(row.get(0)?, row.get_ref(1)?.as_blob()?) {
            return Ok(Some(seen));
        }
    }
    Ok(None)
}

/// The indexed files with a file name, by path.
pub(crate) fn by_name(db: &Connection, name: &[u8]) -> Result<Vec<(i64, RepoPath)>> {
    db.prepare_cached(BY_NAME)?.query_map([name], |row| Ok((row.get(0)?, path(row, 1)?)))?.collect()
}

/// The project files, by path.
pub(crate) fn project_files(db: &Connection) -> Result<Vec<i64>> {
    db.prepare_cached(PROJECT_FILES)?.query_map([], |row| row.get(0))?.collect()
}

/// Passes all files to `see`, by path.
pub(crate) fn all(db: &Connection, mut see: impl FnMut(FileRow)) -> Result<()> {
    let mut statement = db.prepare_cached(ALL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        see(read_file(row)?);
    }
    Ok(())
}

pub(crate) fn languages(db: &Connection) -> Result<Vec<LanguageCount>> {
    let read = |row: &Row<'_>| {
        Ok(LanguageCount {
            language: row.get(0)?,
            files: row.get(1)?,
            bytes: row.get(2)?,
            lines: row.get(3)?,
            symbols: row.get(4)?,
            with_issues: row.get(5)?,
        })
    };
    db.prepare_cached(LANGUAGES)?.query_map([], read)?.collect()
}

/// Files and directories that were too large, unreadable or not parsed, by path.
pub(crate) fn unread(db: &Connection) -> Result<Vec<FileRow>> {
    db.prepare_cached(UNREAD)?.query_map([], read_file)?.collect()
}

pub(crate) fn statuses(db: &Connection) -> Result<Vec<StatusCount>> {
    let read = |row: &Row<'_>| Ok(StatusCount { status: row.get(0)?, files: row.get(1)? });
    db.prepare_cached(STATUSES)?.query_map([], read)?.collect()
}

pub(crate) fn any(db: &Connection) -> Result<bool> {
    db.prepare_cached(ANY)?.query_row([], |row| row.get(0))
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
}

pub(crate) fn insert_outline(
    db: &Connection,
    file: i64,
    symbols: &[u8],
    chunks: &[u8],
    data: &[u8],
) -> Result<()> {
    db.prepare_cached(OUTLINE_INSERT)?.execute(params![file, symbols, chunks, data]).map(drop)
}

pub(crate) fn replace_outline(
    db: &Connection,
    file: i64,
    symbols: &[u8],
    chunks: &[u8],
    data: &[u8],
) -> Result<()> {
    db.prepare_cached(OUTLINE_REPLACE)?.execute(params![file, symbols, chunks, data]).map(drop)
}

pub(crate) fn delete_outline(db: &Connection, file: i64) -> Result<()> {
    db.prepare_cached(OUTLINE_DELETE)?.execute([file]).map(drop)
}

pub(crate) fn outline(db: &Connection, file: i64) -> Result<Option<StoredOutline>> {
    let read =
        |row: &Row<'_>| Ok(StoredOutline { symbols: row.get(0)?, chunks: row.get(1)?, data: row.get(2)? });
    db.prepare_cached(OUTLINE)?.query_row([file], read).optional()
}

/// Passes an encoded outline to `read` without copying it.
pub(crate) fn outline_data<T>(
    db: &Connection,
    file: i64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<Option<T>> {
    db.prepare_cached(OUTLINE_DATA)?.query_row([file], |row| Ok(read(row.get_ref(0)?.as_blob()?))).optional()
}

pub(crate) fn outline_ids(db: &Connection, file: i64) -> Result<Option<StoredIds>> {
    let read = |row: &Row<'_>| {
        Ok(StoredIds { symbols: (row.get(0)?, row.get(1)?), chunks: (row.get(2)?, row.get(3)?) })
    };
    db.prepare_cached(OUTLINE_IDS)?.query_row([file], read).optional()
}

fn read_brief(row: &Row<'_>) -> Result<Brief> {
    Ok(Brief { id: row.get(0)?, lang: row.get(1)?, role: role(row, 2)?, path: path(row, 3)? })
}

fn read_indexed(row: &Row<'_>) -> Result<IndexedFile> {
    Ok(IndexedFile {
        id: FileId(row.get(0)?),
        path: path(row, 1)?,
        language: row.get::<_, Option<String>>(2)?.map(Into::into),
        role: role(row, 3)?,
        hash: hash(row, 4)?,
        is_project_file: row.get(5)?,
    })
}

fn read_file(row: &Row<'_>) -> Result<FileRow> {
    Ok(FileRow {
        id: FileId(row.get(0)?),
        path: path(row, 1)?,
        language: row.get(2)?,
        role: role(row, 3)?,
        status: row.get(4)?,
        detail: row.get(5)?,
        stamp: stamp(row, 6)?,
        hash: hash(row, 10)?,
        bytes: row.get(11)?,
        lines: row.get(12)?,
        symbols: row.get(13)?,
        chunks: row.get(14)?,
        issues: row.get(15)?,
        generated: row.get(16)?,
        unparsed: row.get(17)?,
    })
}

fn path(row: &Row<'_>, column: usize) -> Result<RepoPath> {
    Ok(RepoPath::new(row.get_ref(column)?.as_blob()?))
}

fn role(row: &Row<'_>, column: usize) -> Result<Role> {
    Role::from_number(row.get(column)?)
        .ok_or_else(|| Error::InvalidColumnType(column, "role".to_owned(), Type::Integer))
}

/// A stamp from consecutive columns.
fn stamp(row: &Row<'_>, column: usize) -> Result<Stamp> {
    Ok(Stamp {
        size: row.get::<_, i64>(column)?.cast_unsigned(),
        mtime_ns: row.get(column + 1)?,
        ctime_ns: row.get(column + 2)?,
        inode: row.get::<_, i64>(column + 3)?.cast_unsigned(),
    })
}

fn hash(row: &Row<'_>, column: usize) -> Result<Option<ContentHash>> {
    match row.get_ref(column)?.as_blob_or_null()? {
        None => Ok(None),
        Some(bytes) => bytes
            .try_into()
            .map(|bytes| Some(ContentHash(bytes)))
            .map_err(|_| Error::InvalidColumnType(column, "hash".to_owned(), Type::Blob)),
    }
}
