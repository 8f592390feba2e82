//! The bytes of one file, with a hash of them and a stamp that belongs to them.

use crate::text_detection::{self, Text};
use crate::{RootDirectory, SkipReason, stamp};
use orient_model::{ContentHash, RepoPath, Stamp};
use std::fs::File;
use std::io::{self, Read, Seek};

/// How often a file that changes under our hands is read again.
const ATTEMPTS: usize = 4;

/// What was read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The text: the bytes of the file, or their UTF-8 form where `decoded` says so.
    pub bytes: Vec<u8>,
    /// Hash of the bytes on disk.
    pub hash: ContentHash,
    /// What to remember the file by; untrusted where it may have changed while or right before it was read.
    pub stamp: Stamp,
    /// Whether the file is UTF-16 and `bytes` is its UTF-8 form.
    pub decoded: bool,
}

/// A file that gave no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailure {
    /// Why.
    pub reason: SkipReason,
    /// What to remember the file by, so that it need not be opened again; untrusted where it must be.
    pub stamp: Stamp,
}

impl From<SkipReason> for ReadFailure {
    fn from(reason: SkipReason) -> Self {
        Self { reason, stamp: Stamp::untrusted() }
    }
}

impl RootDirectory {
    /// Reads a file of the tree whole, if it is a regular text file of at most `max` bytes.
    pub fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure> {
        let mut file = self.open_file(path)?;
        let (raw, stamp) = read_settled(&mut file, max)?;
        Content::of(raw, stamp).ok_or(ReadFailure { reason: SkipReason::Binary, stamp })
    }
}

impl Content {
    /// What the bytes of a file say; nothing where they are no text.
    pub fn of(raw: Vec<u8>, stamp: Stamp) -> Option<Self> {
        let hash = hash(&raw);
        match text_detection::sniff(&raw) {
            Text::Plain => Some(Self { bytes: raw, hash, stamp, decoded: false }),
            Text::Decoded(bytes) => Some(Self { bytes, hash, stamp, decoded: true }),
            Text::Binary => None,
        }
    }
}

/// Reads until the file stood still from before the first byte to after the last, or patience ends.
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
