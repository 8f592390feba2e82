//! The seal of an index: what its database and its log were when the last writer was done with them.
//!
//! SQLite takes any log that is beside a database for the log of that database, and any older copy of either for the newest.
//! So whoever writes breaks the seal before and renews it after, in a file of its own, and whoever opens the index compares.
//! Sizes and times of the files are enough where nothing happened. Where they differ, the content decides: a digest of all
//! pages, and where the log ends. A store that was copied or restored as a whole passes; files of different times do not.
//!
//! A seal that is missing or broken says nothing: the writer was killed, and SQLite recovers what was committed.

use crate::connection::database_path::Located;
use crate::connection::write_lock::WriteLock;
use crate::error::{AtPath, StoreError};
use crate::format_version::Header;
use crate::integrity::damaged_files::{self, FileKey};
use crate::integrity::page_checksum::{self, FrameHeader, LogHeader, PageLayout, Trailer};
use crate::integrity::page_verifier::{self, LogEnd};
use orient_safefs::{Access, Folder};
use std::io::{self, BufReader, Read, Write};
use std::time::{SystemTime, UNIX_EPOCH};

const MAGIC: u64 = u64::from_le_bytes(*b"orntseal");
/// Numbers in the file, each of eight bytes.
const FIELDS: usize = 18;
const BYTES: usize = FIELDS * 8;

/// What tells whether anybody changed a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp([u64; 5]);

impl Stamp {
    fn of(folder: &Folder, name: &str) -> Option<Self> {
        let entry = folder.entry(name)?;
        let nanoseconds = |time: Option<SystemTime>| {
            time.and_then(|time| time.duration_since(UNIX_EPOCH).ok())
                .map_or(0, |since| since.as_nanos() as u64)
        };
        let (device, inode) = entry.id;
        Some(Self([device, inode, entry.bytes, nanoseconds(entry.modified), nanoseconds(entry.changed)]))
    }

    fn of_database(database: &Located) -> Option<Self> {
        Self::of(&database.folder, &database.name)
    }

    /// The same for a log; none where there is none, or nothing in it.
    fn of_log(database: &Located) -> Option<Self> {
        Self::of(&database.folder, &database.beside()[0]).filter(|stamp| stamp.0[2] > 0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seal {
    /// Whether nobody writes.
    whole: bool,
    digest: u64,
    database: Stamp,
    log: Option<(Stamp, LogEnd)>,
}

impl Seal {
    /// The name of its file.
    fn name(database: &Located) -> String {
        format!("{}-seal", database.name)
    }

    fn read(database: &Located) -> Option<Self> {
        let bytes = database.folder.read(&Self::name(database), BYTES as u64).ok()??;
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
        let end = LogEnd { salts: salts.to_le_bytes(), frames, sums };
        let log = (has_log != 0).then_some((Stamp([l0, l1, l2, l3, l4]), end));
        Some(Self { whole: whole != 0, digest, database: Stamp([d0, d1, d2, d3, d4]), log })
    }

    /// Where that fails there is none, or a broken one, which is the same.
    fn write(&self, database: &Located) -> io::Result<()> {
        let (stamp, end) =
            self.log.unwrap_or((Stamp::default(), LogEnd { salts: [0; 8], frames: 0, sums: [0; 2] }));
        let mut fields = vec![MAGIC, u64::from(self.whole), self.digest];
        fields.extend(self.database.0);
        fields.extend(stamp.0);
        fields.extend([u64::from(self.log.is_some()), u64::from_le_bytes(end.salts), end.frames]);
        fields.push(u64::from(end.sums[0]) | u64::from(end.sums[1]) << 32);
        let mut bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        bytes.extend(page_checksum::checksum(&bytes, 0).to_le_bytes());
        let name = Self::name(database);
        // What has another name, or is no plain file, is not ours to write.
        if database.folder.checked(&name).is_err() {
            database.folder.remove(&name)?;
        }
        database.folder.file(&name, Access::Write)?.write_all(&bytes)
    }

    fn stands(&self, database: &Located) -> bool {
        Stamp::of_database(database) == Some(self.database)
            && Stamp::of_log(database) == self.log.map(|(stamp, _)| stamp)
    }

    /// Compares the content; says what is wrong with it.
    fn compare(&self, database: &Located) -> Result<Result<(), String>, StoreError> {
        let (name, path) = (&database.name, &database.path);
        let log = match (self.log, Stamp::of_log(database)) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(format!("{name}-wal belongs to another state of {name}")),
            (Some(_), None) => Err(format!("{name}-wal is missing")),
            (Some((_, end)), Some(_)) if log_end(database, Some(end.frames)).at(path)? == Some(end) => Ok(()),
            (Some(_), Some(_)) => Err(format!("{name}-wal is not what was written")),
        };
        if log.is_err() {
            return Ok(log);
        }
        Ok(match scan(database).at(path)? {
            Err(what) => Err(what),
            Ok(digest) if digest == self.digest => Ok(()),
            Ok(_) => Err(format!("{name} is not the state that was written last")),
        })
    }
}

/// Whether the index at a path is the one that was written last. Asked by whoever opens it, while nobody can replace it.
pub(crate) fn check(database: &Located) -> Result<(), StoreError> {
    let Some(mut seal) = Seal::read(database) else { return Ok(()) };
    loop {
        if !seal.whole || seal.stands(database) || Stamp::of_database(database).is_none() {
            return Ok(());
        }
        let lock = match WriteLock::try_acquire(database.folder.path()) {
            Ok(Some(lock)) => Some(lock),
            // Whoever writes has looked, and a seal is broken while they do.
            Ok(None) => return Ok(()),
            // Nobody can write.
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

/// Compares the content of the index with its seal, whatever the times of its files say; says what is wrong.
pub(crate) fn examine(database: &Located) -> Result<Option<String>, StoreError> {
    if Stamp::of_database(database).is_none() {
        // Whoever still has it open reads a file without a name.
        return Ok(None);
    }
    match Seal::read(database) {
        Some(seal) if seal.whole => {
            let wrong = seal.compare(database)?.err();
            // Somebody may have written meanwhile.
            Ok(wrong.filter(|_| Seal::read(database) == Some(seal)))
        }
        _ => Ok(scan(database).at(&database.path)?.err()),
    }
}

fn renewed(database: &Located, digest: u64, end: Option<LogEnd>) -> Seal {
    let log = Stamp::of_log(database).and_then(|stamp| Some((stamp, end?)));
    Seal { whole: true, digest, database: Stamp::of_database(database).unwrap_or_default(), log }
}

/// A broken seal, renewed when this is dropped: behind the connection that wrote.
pub(crate) struct Broken {
    database: Located,
    file: Option<FileKey>,
    digest: u64,
    log: Option<LogEnd>,
}

impl Broken {
    /// Compares, then breaks the seal. The caller holds the lock.
    pub(crate) fn open(database: &Located) -> Result<Self, StoreError> {
        let path = &database.path;
        let damaged = |what: String| database.damaged(what);
        let file = FileKey::of(database);
        let seal = Seal::read(database).filter(|seal| seal.whole);
        let (digest, log) = match seal {
            Some(seal) => {
                if !seal.stands(database) {
                    seal.compare(database)?.map_err(damaged)?;
                }
                (seal.digest, seal.log.map(|(_, end)| end))
            }
            None => (scan(database).at(path)?.map_err(damaged)?, log_end(database, None).at(path)?),
        };
        let broken = Seal { whole: false, ..renewed(database, digest, log) };
        // Without a seal that says otherwise, what we write would look like damage.
        broken.write(database).at(path)?;
        if let Some(file) = file {
            page_verifier::take_written(file);
        }
        Ok(Self { database: database.clone(), file, digest, log })
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        // A file that was replaced has a seal of its own.
        let Some(file) = self.file.filter(|file| FileKey::of(&self.database) == Some(*file)) else {
            return;
        };
        let written = page_verifier::take_written(file);
        let end = written.log.or(self.log);
        let _ = renewed(&self.database, self.digest ^ written.digest, end).write(&self.database);
    }
}

/// Removes the seal of a database that is about to be replaced.
pub(crate) fn remove(database: &Located) {
    let _ = database.folder.remove(&Seal::name(database));
}

/// Seals a database that this process has written from its first page, and that has no log.
pub(crate) fn first(database: &Located) {
    let digest = FileKey::of(database).map_or(0, |file| {
        damaged_files::forget(file);
        page_verifier::take_written(file).digest
    });
    let _ = renewed(database, digest, None).write(database);
}

/// Whether a database is one that is sealed.
pub(crate) fn is_sealed(database: &Located) -> bool {
    database.folder.entry(&Seal::name(database)).is_some()
}

/// Reads all pages of a database: the digest of them, or what is wrong with the first that is not what was written. A page of
/// zeros was never written; where it was, the digest tells.
pub(crate) fn scan(database: &Located) -> io::Result<Result<u64, String>> {
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
                return Ok(Err(format!("page {number} of {name} is not what was written")));
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

/// Fills a buffer; false where the file ends before.
fn filled(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Where the last transaction of the log of a database ends, among the first so many frames; none where there is no log, or
/// one that is damaged before.
fn log_end(database: &Located, most: Option<u64>) -> io::Result<Option<LogEnd>> {
    let log = match database.folder.file(&database.beside()[0], Access::Read) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut log = BufReader::with_capacity(1 << 20, log);
    let mut first = [0; LogHeader::BYTES];
    if !filled(&mut log, &mut first)? {
        return Ok(None);
    }
    let Some(header) = LogHeader::read(&first) else { return Ok(None) };
    let mut sums = header.sums();
    let mut end = LogEnd { salts: header.salts, frames: 0, sums };
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
            end = LogEnd { frames: frame + 1, sums, ..end };
        }
    }
    Ok(Some(end))
}
