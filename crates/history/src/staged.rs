//! What git remembers of working files: which content each had when git last looked, and how to see that it still has.

use crate::oid::{LENGTH, Oid};
use orient_model::{RepoPath, Stamp};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Larger lists are not read: the files are then read instead.
const LARGEST: u64 = 1 << 30;
const SECOND: i64 = 1_000_000_000;

/// Numbers and name of one entry before its path.
const FIXED: usize = 10 * 4 + LENGTH + 2;

/// The files git remembers.
#[derive(Default)]
pub(crate) struct Staged(BTreeMap<RepoPath, Seen>);

struct Seen {
    oid: Oid,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

impl Staged {
    /// Reads the list. A list that is missing or not understood remembers nothing.
    pub(crate) fn open(git_dir: &Path) -> Self {
        let path = git_dir.join("index");
        let Ok(metadata) = fs::metadata(&path) else { return Self::default() };
        let written =
            metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let (Some(written), true) = (written, metadata.is_file() && metadata.len() <= LARGEST) else {
            return Self::default();
        };
        let Ok(bytes) = fs::read(path) else { return Self::default() };
        let mut files = parse(&bytes).unwrap_or_default();
        // A file that changed in the moment the list was written may have changed once more in the same moment.
        files.retain(|_, seen| u64::from(seen.modified.0) < written.as_secs());
        Self(files)
    }

    /// The content a file has, where its stamp says that it is what git saw.
    pub(crate) fn content(&self, path: &RepoPath, stamp: &Stamp) -> Option<Oid> {
        let seen = self.0.get(path).filter(|_| stamp.is_trusted())?;
        let same = |time: (u32, u32), now: i64| {
            let fits = i64::from(time.1) == now.rem_euclid(SECOND) || time.1 == 0;
            i64::from(time.0) == now.div_euclid(SECOND) && fits
        };
        // Git keeps the low half of both numbers.
        let fits = seen.size == stamp.size as u32
            && seen.inode == stamp.inode as u32
            && same(seen.modified, stamp.mtime_ns)
            && same(seen.changed, stamp.ctime_ns);
        fits.then_some(seen.oid)
    }
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<RepoPath, Seen>> {
    let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut path, mut files) = (12, Vec::new(), BTreeMap::new());
    for _ in 0..number(8)? {
        let start = at;
        let seen = Seen {
            changed: (number(at)?, number(at + 4)?),
            modified: (number(at + 8)?, number(at + 12)?),
            inode: number(at + 20)?,
            size: number(at + 36)?,
            oid: Oid::read(bytes.get(at + 40..)?)?,
        };
        let flags = u16::from_be_bytes(*bytes.get(at + FIXED - 2..)?.first_chunk()?);
        at += FIXED;
        let extended = version > 2 && flags & 0x4000 != 0;
        at += if extended { 2 } else { 0 };
        if version == 4 {
            let dropped = usize::try_from(distance(bytes, &mut at)?).ok()?;
            path.truncate(path.len().checked_sub(dropped)?);
        } else {
            path.clear();
        }
        let length = bytes.get(at..)?.iter().position(|&byte| byte == 0)?;
        path.extend_from_slice(&bytes[at..at + length]);
        // Up to version three an entry is filled up to a multiple of eight bytes, with at least one of them.
        at = if version == 4 { at + length + 1 } else { start + (at + length - start) / 8 * 8 + 8 };
        // What is being merged has several contents.
        if flags & 0x3000 == 0 {
            files.insert(RepoPath::new(path.clone()), seen);
        }
    }
    Some(files)
}

/// A number in groups of seven bits, the highest first, where each further group counts one more.
fn distance(bytes: &[u8], at: &mut usize) -> Option<u64> {
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
