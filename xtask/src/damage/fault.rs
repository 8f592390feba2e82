//! Faults: random damage to the files of a store.

use crate::random::Random;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// A kind of damage to a database or the files beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Flipped bits.
    FlippedBits,
    /// A page of zeros.
    ZeroedPage,
    /// A page of random bytes.
    GarbagePage,
    /// The file is truncated.
    CutShort,
    /// The file is empty.
    Emptied,
    /// The file of another repository.
    OtherRepository,
    /// The file of an earlier generation.
    EarlierGeneration,
    /// The log of an earlier generation.
    StaleLog,
    /// The log of another repository.
    ForeignLog,
    /// The log is missing.
    DeletedLog,
    /// Flipped bits in the log.
    FlippedLog,
    /// The log is truncated.
    CutLog,
    /// Random bytes in the shared-memory file.
    GarbageShared,
}

impl Fault {
    pub(crate) const ALL: [Self; 13] = [
        Self::FlippedBits,
        Self::ZeroedPage,
        Self::GarbagePage,
        Self::CutShort,
        Self::Emptied,
        Self::OtherRepository,
        Self::EarlierGeneration,
        Self::StaleLog,
        Self::ForeignLog,
        Self::DeletedLog,
        Self::FlippedLog,
        Self::CutLog,
        Self::GarbageShared,
    ];

    /// Whether page checksums alone must detect it, so that the seal may be missing.
    fn shows_in_pages(self) -> bool {
        matches!(
            self,
            Self::FlippedBits | Self::ZeroedPage | Self::GarbagePage | Self::CutShort | Self::Emptied
        )
    }
}

/// The databases that replacements are taken from.
pub(crate) struct Spares {
    /// The same store at earlier times.
    pub(crate) earlier: Vec<PathBuf>,
    /// The store of another repository.
    pub(crate) other: PathBuf,
}

/// Damages a database of a store. Returns a description.
pub(crate) fn damage_database(
    fault: Fault,
    store: &Path,
    name: &str,
    spares: &Spares,
    random: &mut Random,
) -> Result<String> {
    let path = super::find(store, name)?;
    let log = beside(&path, "-wal");
    let earlier = &spares.earlier[random.below(spares.earlier.len())];
    let done = match fault {
        Fault::FlippedBits => flip(&path, random)?,
        Fault::ZeroedPage => overwrite(&path, random, |_| 0)?,
        Fault::GarbagePage => overwrite(&path, random, |random| random.below(256) as u8)?,
        Fault::CutShort => cut(&path, random)?,
        Fault::Emptied => put(&path, Some(Vec::new()), random)?,
        Fault::OtherRepository => put(&path, fs::read(super::find(&spares.other, name)?).ok(), random)?,
        Fault::EarlierGeneration => put(&path, fs::read(super::find(earlier, name)?).ok(), random)?,
        Fault::StaleLog => put(&log, fs::read(beside(&super::find(earlier, name)?, "-wal")).ok(), random)?,
        Fault::ForeignLog => {
            put(&log, fs::read(beside(&super::find(&spares.other, name)?, "-wal")).ok(), random)?
        }
        Fault::DeletedLog => put(&log, None, random)?,
        Fault::FlippedLog => flip(&log, random)?,
        Fault::CutLog => cut(&log, random)?,
        Fault::GarbageShared => {
            let shared = beside(&path, "-shm");
            if shared.exists() {
                overwrite(&shared, random, |random| random.below(256) as u8)?
            } else {
                put(&shared, Some(vec![0x5a; 32_768]), random)?
            }
        }
    };
    let unsealed = fault.shows_in_pages() && random.below(3) == 0;
    if unsealed {
        let _ = fs::remove_file(beside(&path, "-seal"));
    }
    Ok(format!("{fault:?} of {name}: {done}{}", if unsealed { ", without a seal" } else { "" }))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Writes in place, so that open descriptors see the change.
fn write_at(path: &Path, at: u64, bytes: &[u8]) -> Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)?;
    Ok(())
}

fn flip(path: &Path, random: &mut Random) -> Result<String> {
    let Ok(bytes) = fs::read(path) else { return Ok("not there".to_owned()) };
    let mut places = Vec::new();
    for _ in 0..=random.below(8) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            write_at(path, at as u64, &[bytes[at] ^ (1 << random.below(8))])?;
            places.push(at);
        }
    }
    Ok(format!("at {places:?} of {}", bytes.len()))
}

fn overwrite(path: &Path, random: &mut Random, byte: impl Fn(&mut Random) -> u8) -> Result<String> {
    const PAGE: usize = 4096;
    let size = usize::try_from(fs::metadata(path)?.len())?;
    let page = random.below((size / PAGE).max(1));
    let bytes: Vec<u8> = (0..PAGE).map(|_| byte(random)).collect();
    write_at(path, (page * PAGE) as u64, &bytes)?;
    Ok(format!("page {page} of {}", size / PAGE))
}

fn cut(path: &Path, random: &mut Random) -> Result<String> {
    let Ok(file) = fs::OpenOptions::new().write(true).open(path) else { return Ok("not there".to_owned()) };
    let size = file.metadata()?.len();
    let keep = random.below(usize::try_from(size)?) as u64;
    file.set_len(keep)?;
    Ok(format!("{keep} of {size} bytes"))
}

/// Replaces the content of a file, or removes it: as a new file, or in place.
fn put(path: &Path, content: Option<Vec<u8>>, random: &mut Random) -> Result<String> {
    let new_file = content.is_none() || random.below(2) == 0;
    if new_file {
        let _ = fs::remove_file(path);
    }
    if let Some(content) = &content {
        fs::write(path, content)?;
    }
    Ok(format!(
        "{:?} bytes{}",
        content.map(|content| content.len()),
        if new_file { ", a new file" } else { "" }
    ))
}
