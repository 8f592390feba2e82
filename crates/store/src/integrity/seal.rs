//! The seal of an index: a record of its database and write-ahead log after the last writer finished.
//!
//! SQLite accepts any log that is beside a database as the log of that database, and cannot detect an older copy of either
//! file. So a writer invalidates the seal before it writes and renews it afterwards, in a file of its own, and every process
//! that opens the index compares. Equal sizes and times of the files suffice. If they differ, the content decides: a digest
//! of all pages, and the end of the log. A store that was copied or restored as a whole passes; a mix of files from
//! different times does not.
//!
//! Example: a backup restores yesterday's `index.db` but not `index.db-wal` and `index.db-seal`. Each page has a valid
//! checksum, but the digest differs from the one in the seal, so the index is reported as damaged and rebuilt.
//!
//! A missing or invalidated seal proves nothing: the writer was killed, and SQLite recovers what was committed.

use crate::connection::database_path::DatabasePath;
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::format_version::Header;
use crate::integrity::damaged_files::{self, FileKey};
use crate::integrity::page_checksum::{self, FrameHeader, PageLayout, Trailer, WalHeader};
use crate::integrity::page_verifier::{self, WalEnd};
use orient_safefs::{Access, Directory};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MAGIC: u64 = u64::from_le_bytes(*b"orntseal");
/// The number of fields in the file, of eight bytes each.
const FIELDS: usize = 18;
const BYTES: usize = FIELDS * 8;

/// The identity, size and times of a file, which detect changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp([u64; 5]);

impl Stamp {
    fn of(directory: &Directory, name: &str) -> Option<Self> {
        let entry = directory.entry(name)?;
        let nanoseconds = |time: Option<SystemTime>| {
            time.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
                .map_or(0, |since| since.as_nanos() as u64)
        };
        let (device, inode) = entry.id;
        Some(Self([device, inode, entry.bytes, nanoseconds(entry.modified), nanoseconds(entry.changed)]))
    }

    fn of_database(database: &DatabasePath) -> Option<Self> {
        Self::of(&database.directory, &database.name)
    }

    /// The same for a log; `None` if it is missing or empty.
    fn of_log(database: &DatabasePath) -> Option<Self> {
        Self::of(&database.directory, &database.beside()[0]).filter(|stamp| stamp.0[2] > 0)
    }
}

/// The path of the seal of an index. Every writer changes the file.
pub fn seal_path(index: &Path) -> PathBuf {
    let mut path = index.as_os_str().to_owned();
    path.push("-seal");
    path.into()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seal {
    /// False while a writer is active.
    whole: bool,
    digest: u64,
    database: Stamp,
    log: Option<(Stamp, WalEnd)>,
}

impl Seal {
    /// The name of the seal's file.
    fn name(database: &DatabasePath) -> String {
        format!("{}-seal", database.name)
    }

    fn read(database: &DatabasePath) -> Option<Self> {
        let bytes = database.directory.read(&Self::name(database), BYTES as u64).ok()??;
        let bytes = <[u8; BYTES]>::try_from(bytes).ok()?;
        let mut fields = [0; FIELDS];
        for (field, bytes) in fields.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *field = u64::from_le_bytes(*bytes);
        }
        let [magic, whole, digest, d0, d1, d2, d3, d4, l0, l1, l2, l3, l4, has_log, salts, frames, sums, sum] =
            fields;
        if magic != MAGIC || sum != page_checksum::checksum(&bytes[..BYTES - 8], 0) {
            return None;
        }
        let sums = [sums as u32, (sums >> 32) as u32];
        let end = WalEnd { salts: salts.to_le_bytes(), frames, sums };
        let log = (has_log != 0).then_some((Stamp([l0, l1, l2, l3, l4]), end));
        Some(Self { whole: whole != 0, digest, database: Stamp([d0, d1, d2, d3, d4]), log })
    }

    /// If this fails, there is no seal or an invalidated one, which is equivalent.
    fn write(&self, database: &DatabasePath) -> io::Result<()> {
        let (stamp, end) =
            self.log.unwrap_or((Stamp::default(), WalEnd { salts: [0; 8], frames: 0, sums: [0; 2] }));
        let mut fields = vec![MAGIC, u64::from(self.whole), self.digest];
        fields.extend(self.database.0);
        fields.extend(stamp.0);
        fields.extend([u64::from(self.log.is_some()), u64::from_le_bytes(end.salts), end.frames]);
        fields.push(u64::from(end.sums[0]) | u64::from(end.sums[1]) << 32);
        let mut bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        bytes.extend(page_checksum::checksum(&bytes, 0).to_le_bytes());
        let name = Self::name(database);
        // Never write to a file that has another hard link or is not a regular file.
        if database.directory.checked(&name).is_err() {
            database.directory.remove(&name)?;
        }
        database.directory.file(&name, Access::Write)?.write_all(&bytes)
    }

    fn is_valid(&self, database: &DatabasePath) -> bool {
        Stamp::of_database(database) == Some(self.database)
            && Stamp::of_log(database) == self.log.map(|(stamp, _)| stamp)
    }

    /// Compares the content; returns what is wrong.
    fn compare(&self, database: &DatabasePath) -> Result<Result<(), String>, StoreError> {
        let (name, path) = (&database.name, &database.path);
        let log = match (self.log, Stamp::of_log(database)) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(format!("{name}-wal belongs to another version of {name}")),
            (Some(_), None) => Err(format!("{name}-wal is missing")),
            (Some((_, end)), Some(_)) if log_end(database, Some(end.frames)).at(path)? == Some(end) => Ok(()),
            (Some(_), Some(_)) => Err(format!("{name}-wal is not the log that was written last")),
        };
        if log.is_err() {
            return Ok(log);
        }
        Ok(match scan(database).at(path)? {
            Err(what) => Err(what),
            Ok(digest) if digest == self.digest => Ok(()),
            Ok(_) => Err(format!("{name} is not the version that was written last")),
        })
    }
}

/// Verifies that the index is the one that was written last. The caller holds the open lock.
pub(crate) fn check(database: &DatabasePath) -> Result<(), StoreError> {
    let Some(mut seal) = Seal::read(database) else { return Ok(()) };
    loop {
        if !seal.whole || seal.is_valid(database) || Stamp::of_database(database).is_none() {
            return Ok(());
        }
        let lock = match WriteLock::try_acquire(database.directory.path()) {
            Ok(Some(lock)) => Some(lock),
            // The writer has verified it, and the seal is invalid while it writes.
            Ok(None) => return Ok(()),
            // The store is not writable, so nobody writes.
            Err(_) => None,
        };
        match Seal::read(database) {
            Some(again) if again == seal => {}
            Some(again) => {
                seal = again;
                continue;
            }
            None => return Ok(()),
        }
        // Another version may have written it.
        Header::read(database)?.check(&database.path)?;
        seal.compare(database)?.map_err(|what| database.damaged(what))?;
        if lock.is_some() {
            let _ = renewed(database, seal.digest, seal.log.map(|(_, end)| end)).write(database);
        }
        return Ok(());
    }
}

/// Compares the content of the index with its seal, whatever the times of its files; returns what is wrong.
pub(crate) fn examine(database: &DatabasePath) -> Result<Option<String>, StoreError> {
    if Stamp::of_database(database).is_none() {
        // The index was removed; open connections still read the file.
        return Ok(None);
    }
    match Seal::read(database) {
        Some(seal) if seal.whole => {
            let wrong = seal.compare(database)?.err();
            // Another process may have written in the meantime.
            Ok(wrong.filter(|_| Seal::read(database) == Some(seal)))
        }
        _ => Ok(scan(database).at(&database.path)?.err()),
    }
}

fn renewed(database: &DatabasePath, digest: u64, end: Option<WalEnd>) -> Seal {
    let log = Stamp::of_log(database).and_then(|stamp| Some((stamp, end?)));
    Seal { whole: true, digest, database: Stamp::of_database(database).unwrap_or_default(), log }
}

/// An invalidated seal. Dropping it renews the seal; drop it after the connection that wrote.
pub(crate) struct Unsealed {
    database: DatabasePath,
    file: Option<FileKey>,
    digest: u64,
    log: Option<WalEnd>,
}

impl Unsealed {
    /// Verifies the index, then invalidates its seal. The caller holds the write lock.
    pub(crate) fn open(database: &DatabasePath) -> Result<Self, StoreError> {
        let path = &database.path;
        let damaged = |what: String| database.damaged(what);
        let file = FileKey::of(database);
        let seal = Seal::read(database).filter(|seal| seal.whole);
        let (digest, log) = match seal {
            Some(seal) => {
                if !seal.is_valid(database) {
                    seal.compare(database)?.map_err(damaged)?;
                }
                (seal.digest, seal.log.map(|(_, end)| end))
            }
            None => (scan(database).at(path)?.map_err(damaged)?, log_end(database, None).at(path)?),
        };
        let broken = Seal { whole: false, ..renewed(database, digest, log) };
        // With a valid seal, what we write would look like damage.
        broken.write(database).at(path)?;
        if let Some(file) = file {
            page_verifier::take_written(file);
        }
        Ok(Self { database: database.clone(), file, digest, log })
    }
}

impl Drop for Unsealed {
    fn drop(&mut self) {
        // A file that was replaced has a seal of its own.
        let Some(file) = self.file.filter(|file| FileKey::of(&self.database) == Some(*file)) else {
            return;
        };
        let written = page_verifier::take_written(file);
        if written.failed {
            // The seal stays invalidated, as if the writer had been killed: SQLite recovers what was committed.
            return;
        }
        let end = written.log.or(self.log);
        let _ = renewed(&self.database, self.digest ^ written.digest, end).write(&self.database);
    }
}

/// Removes the seal of a database that is about to be replaced.
pub(crate) fn remove(database: &DatabasePath) {
    let _ = database.directory.remove(&Seal::name(database));
}

/// Creates the seal of a database that this process has written completely and that has no log.
pub(crate) fn first(database: &DatabasePath) {
    let written = FileKey::of(database).map(|file| {
        damaged_files::forget(file);
        page_verifier::take_written(file)
    });
    let written = written.unwrap_or_default();
    if !written.failed {
        let _ = renewed(database, written.digest, None).write(database);
    }
}

/// Creates the seal of a database that is a copy of another, bytewise and without a log; none if the other has no valid seal.
pub(crate) fn copied(database: &DatabasePath, from: &DatabasePath) {
    FileKey::of(database).into_iter().for_each(damaged_files::forget);
    let is_sound = |seal: &Seal| seal.whole && seal.log.is_none() && seal.is_valid(from);
    if let Some(seal) = Seal::read(from).filter(is_sound) {
        let _ = renewed(database, seal.digest, None).write(database);
    }
}

/// Whether a database has a seal.
pub(crate) fn is_sealed(database: &DatabasePath) -> bool {
    database.directory.entry(&Seal::name(database)).is_some()
}

/// Verifies all pages of a database: returns their digest, or what is wrong with the first damaged page. A page of zeros was
/// never written; if it was, the digest differs.
pub(crate) fn scan(database: &DatabasePath) -> io::Result<Result<u64, String>> {
    let name = &database.name;
    let mut file = database.open_file()?;
    let mut page = vec![0; 100];
    if !filled(&mut file, &mut page)? {
        return Ok(Err(format!("{name} is shorter than its header")));
    }
    let header = page.first_chunk().and_then(PageLayout::of_header);
    let Some(layout) = header else { return Ok(Err(format!("{name} is not a database"))) };
    if !layout.stamped {
        return Ok(Ok(0));
    }
    page.resize(layout.size, 0);
    file.read_exact(&mut page[100..]).or_else(short)?;
    let identity = page.last_chunk().map_or(0, |bytes| Trailer::of_bytes(bytes).identity);
    let (mut digest, mut number) = (0, 1);
    let mut file = BufReader::with_capacity(1 << 20, file);
    loop {
        if !page_checksum::is_whole(&page, number, identity) {
            if number == 1 || page.iter().any(|&byte| byte != 0) {
                return Ok(Err(format!("page {number} of {name} has a wrong checksum")));
            }
        } else if let Some(trailer) = page.last_chunk() {
            digest ^= Trailer::of_bytes(trailer).digest(number);
        }
        number += 1;
        if !filled(&mut file, &mut page)? {
            return Ok(Ok(digest));
        }
    }
}

fn short(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) }
}

/// Fills a buffer; false if the file ends before.
fn filled(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The end of the last transaction among the first `most` frames of the log of a database; `None` if there is no log or its
/// header is damaged.
fn log_end(database: &DatabasePath, most: Option<u64>) -> io::Result<Option<WalEnd>> {
    let log = match database.directory.file(&database.beside()[0], Access::Read) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut log = BufReader::with_capacity(1 << 20, log);
    let mut first = [0; WalHeader::BYTES];
    if !filled(&mut log, &mut first)? {
        return Ok(None);
    }
    let Some(header) = WalHeader::read(&first) else { return Ok(None) };
    let mut sums = header.sums();
    let mut end = WalEnd { salts: header.salts, frames: 0, sums };
    let mut page = vec![0; header.page];
    for frame in 0..most.unwrap_or(u64::MAX) {
        let mut bytes = [0; FrameHeader::BYTES];
        if !filled(&mut log, &mut bytes)? || !filled(&mut log, &mut page)? {
            break;
        }
        let own = FrameHeader { bytes };
        let Some(next) = header.follow(&own, &page, sums) else { break };
        sums = next;
        if own.commits() {
            end = WalEnd { frames: frame + 1, sums, ..end };
        }
    }
    Ok(Some(end))
}
