//! Reads one file: its bytes, their hash, and a stamp that belongs to them.

use crate::text_detection::{self, Text};
use crate::{RootDirectory, SkipReason, stamp};
use orient_model::{ContentHash, RepoPath, Stamp};
use std::fs::File;
use std::io::{self, Read, Seek};

/// Maximum number of attempts to read a file that is being changed.
const ATTEMPTS: usize = 4;

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text: the bytes of the file, or their UTF-8 form if `decoded` is set.
    pub bytes: Vec<u8>,
    /// Hash of the bytes on disk.
    pub hash: ContentHash,
    /// The stamp to store; untrusted if the file may have changed during or right before the read.
    pub stamp: Stamp,
    /// Whether the file is UTF-16 and `bytes` is its UTF-8 form.
    pub decoded: bool,
}

/// A file without readable text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// The reason.
    pub reason: SkipReason,
    /// The stamp to store, so that the file need not be opened again; untrusted if it must be.
    pub stamp: Stamp,
}

impl From<SkipReason> for ReadFailure {
    fn from(reason: SkipReason) -> Self {
        Self { reason, stamp: Stamp::untrusted() }
    }
}

impl RootDirectory {
    /// Reads a whole file of the tree if it is a regular text file of at most `max` bytes.
    pub fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure> {
        let mut file = self.open_file(path)?;
        let (raw, stamp) = read_settled(&mut file, max)?;
        Content::of(raw, stamp).ok_or(ReadFailure { reason: SkipReason::Binary, stamp })
    }
}

impl Content {
    /// The text of a file's bytes; `None` if they are not text.
    pub fn of(raw: Vec<u8>, stamp: Stamp) -> Option<Self> {
        let hash = hash(&raw);
        match text_detection::sniff(&raw) {
            Text::Plain => Some(Self { bytes: raw, hash, stamp, decoded: false }),
            Text::Decoded(bytes) => Some(Self { bytes, hash, stamp, decoded: true }),
            Text::Binary => None,
        }
    }
}

/// Reads until the file did not change from before the first byte to after the last, or the attempts are exhausted.
fn read_settled(file: &mut File, max: u64) -> Result<(Vec<u8>, Stamp), ReadFailure> {
    let failed = |error: io::Error| ReadFailure::from(SkipReason::from_io(&error));
    let mut raw = Vec::new();
    for _ in 0..ATTEMPTS {
        let now = stamp::now();
        let before = file.metadata().map_err(failed)?;
        if !before.is_file() {
            let reason = if before.is_dir() { SkipReason::Vanished } else { SkipReason::Special };
            return Err(reason.into());
        }
        let seen = stamp::of(&before);
        if seen.size > max {
            let reason = SkipReason::TooLarge { size: seen.size, limit: max };
            return Err(ReadFailure { reason, stamp: stamp::trusted_at(seen, now) });
        }
        raw.clear();
        raw.reserve_exact(usize::try_from(seen.size).unwrap_or(0) + 1);
        file.rewind().map_err(failed)?;
        file.by_ref().take(max.saturating_add(1)).read_to_end(&mut raw).map_err(failed)?;
        let after = stamp::of(&file.metadata().map_err(failed)?);
        if after == seen && raw.len() as u64 == seen.size {
            return Ok((raw, stamp::trusted_at(seen, now)));
        }
    }
    let size = raw.len() as u64;
    if size > max {
        return Err(SkipReason::TooLarge { size, limit: max }.into());
    }
    Ok((raw, Stamp::untrusted()))
}

fn hash(bytes: &[u8]) -> ContentHash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    ContentHash(short)
}
