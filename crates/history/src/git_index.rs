//! Reads git's index file: the content and `stat` data that git last saw of each working file.

use crate::oid::{self, Oid};
use gix_hash::Kind as HashKind;
use orient_model::{RepoPath, Stamp};
use orient_safefs::UntrustedDirectory;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Maximum size of the index. If it is larger, working files are read instead.
const MAX_SIZE: u64 = 256 << 20;
const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Size of the numbers of an entry, before its object id.
const NUMBERS: usize = 10 * 4;

/// The entries of the index, by path.
#[derive(Default)]
pub(crate) struct GitIndex(BTreeMap<RepoPath, IndexEntry>);

struct IndexEntry {
    oid: Oid,
    /// Seconds and nanoseconds.
    ctime: (u32, u32),
    mtime: (u32, u32),
    inode: u32,
    size: u32,
}

impl GitIndex {
    /// Reads the index; empty if it is missing or malformed.
    pub(crate) fn open(git_dir: &UntrustedDirectory, hash: HashKind) -> Self {
        let read = || {
            let file = git_dir.file(Path::new("index"))?;
            let metadata = file.metadata()?;
            if metadata.len() > MAX_SIZE {
                return Err(std::io::ErrorKind::FileTooLarge.into());
            }
            let mut bytes = Vec::new();
            file.take(MAX_SIZE).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>((metadata.modified()?, bytes))
        };
        let Ok((written, bytes)) = read() else { return Self::default() };
        let Ok(written) = written.duration_since(std::time::UNIX_EPOCH) else { return Self::default() };
        let mut files = parse(&bytes, hash).unwrap_or_default();
        // A file modified in the second in which the index was written may have changed again in that second.
        files.retain(|_, entry| u64::from(entry.mtime.0) < written.as_secs());
        Self(files)
    }

    /// The object ids of all files that assign attributes to paths.
    pub(crate) fn attribute_files(&self) -> impl Iterator<Item = Oid> {
        let is_named =
            |path: &RepoPath| path.as_bytes().rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes");
        self.0.iter().filter(move |(path, _)| is_named(path)).map(|(_, entry)| entry.oid)
    }

    /// The object id of a file's content, if its stamp equals the one git saw.
    pub(crate) fn content(&self, path: &RepoPath, stamp: &Stamp) -> Option<Oid> {
        let entry = self.0.get(path).filter(|_| stamp.is_trusted())?;
        let is_same = |time: (u32, u32), now: i64| {
            let fits = i64::from(time.1) == now.rem_euclid(NANOS_PER_SECOND) || time.1 == 0;
            i64::from(time.0) == now.div_euclid(NANOS_PER_SECOND) && fits
        };
        // Git stores the low 32 bits of size and inode.
        let is_unchanged = entry.size == stamp.size as u32
            && entry.inode == stamp.inode as u32
            && is_same(entry.mtime, stamp.mtime_ns)
            && is_same(entry.ctime, stamp.ctime_ns);
        is_unchanged.then_some(entry.oid)
    }
}

fn parse(bytes: &[u8], hash: HashKind) -> Option<BTreeMap<RepoPath, IndexEntry>> {
    let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    // The fixed part of an entry ends with two bytes of flags; its path follows.
    let fixed = NUMBERS + hash.len_in_bytes() + 2;
    let (mut at, mut path, mut files) = (12, Vec::new(), BTreeMap::new());
    for _ in 0..number(8)? {
        let start = at;
        let entry = IndexEntry {
            ctime: (number(at)?, number(at + 4)?),
            mtime: (number(at + 8)?, number(at + 12)?),
            inode: number(at + 20)?,
            size: number(at + 36)?,
            oid: oid::read(bytes.get(at + NUMBERS..)?, hash)?,
        };
        let flags = u16::from_be_bytes(*bytes.get(at + fixed - 2..)?.first_chunk()?);
        at += fixed;
        let extended = version > 2 && flags & 0x4000 != 0;
        at += if extended { 2 } else { 0 };
        if version == 4 {
            let dropped = usize::try_from(offset_varint(bytes, &mut at)?).ok()?;
            path.truncate(path.len().checked_sub(dropped)?);
        } else {
            path.clear();
        }
        let length = bytes.get(at..)?.iter().position(|&byte| byte == 0)?;
        path.extend_from_slice(&bytes[at..at + length]);
        // Up to version 3, one to eight NUL bytes pad an entry to a multiple of eight bytes.
        at = if version == 4 { at + length + 1 } else { start + (at + length - start) / 8 * 8 + 8 };
        // Entries in a merge conflict have several stages.
        if flags & 0x3000 == 0 {
            files.insert(RepoPath::new(path.clone()), entry);
        }
    }
    Some(files)
}

/// Reads git's offset varint: groups of seven bits, most significant first, plus one for each group but the last.
fn offset_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut next = || {
        let byte = *bytes.get(*at)?;
        *at += 1;
        Some(byte)
    };
    let mut byte = next()?;
    let mut value = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next()?;
        value = (value + 1).checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some(value)
}
