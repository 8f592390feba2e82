//! Faults: what can happen to the files of a store, drawn at random.

use crate::draw::Draw;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// What happens to a database or to what lies beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Some bits are the other way round.
    FlippedBits,
    /// A page is all zeros.
    ZeroedPage,
    /// A page is random bytes.
    GarbagePage,
    /// The file ends somewhere.
    CutShort,
    /// The file is empty.
    Emptied,
    /// The file is that of another repository.
    OtherRepository,
    /// The file is that of an earlier generation.
    EarlierGeneration,
    /// The log is that of an earlier time.
    StaleLog,
    /// The log is of another repository.
    ForeignLog,
    /// The log is not there.
    DeletedLog,
    /// Some bits of the log are the other way round.
    FlippedLog,
    /// The log ends somewhere.
    CutLog,
    /// What processes share is random bytes.
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

    /// Whether checksums of pages alone must tell, so that the seal may be missing.
    fn shows_in_pages(self) -> bool {
        matches!(
            self,
            Self::FlippedBits | Self::ZeroedPage | Self::GarbagePage | Self::CutShort | Self::Emptied
        )
    }
}

/// The databases that faults are taken from.
pub(crate) struct Spares {
    /// The same store at earlier times.
    pub(crate) earlier: Vec<PathBuf>,
    /// The store of another repository.
    pub(crate) other: PathBuf,
}

/// Lets a fault happen to a database of a store; says what was done.
pub(crate) fn inflict(
    fault: Fault,
    store: &Path,
    name: &str,
    spares: &Spares,
    draw: &mut Draw,
) -> Result<String> {
    let path = super::find(store, name)?;
    let log = beside(&path, "-wal");
    let earlier = &spares.earlier[draw.below(spares.earlier.len())];
    let done = match fault {
        Fault::FlippedBits => flip(&path, draw)?,
        Fault::ZeroedPage => overwrite(&path, draw, |_| 0)?,
        Fault::GarbagePage => overwrite(&path, draw, |draw| draw.below(256) as u8)?,
        Fault::CutShort => cut(&path, draw)?,
        Fault::Emptied => put(&path, Some(Vec::new()), draw)?,
        Fault::OtherRepository => put(&path, fs::read(super::find(&spares.other, name)?).ok(), draw)?,
        Fault::EarlierGeneration => put(&path, fs::read(super::find(earlier, name)?).ok(), draw)?,
        Fault::StaleLog => put(&log, fs::read(beside(&super::find(earlier, name)?, "-wal")).ok(), draw)?,
        Fault::ForeignLog => {
            put(&log, fs::read(beside(&super::find(&spares.other, name)?, "-wal")).ok(), draw)?
        }
        Fault::DeletedLog => put(&log, None, draw)?,
        Fault::FlippedLog => flip(&log, draw)?,
        Fault::CutLog => cut(&log, draw)?,
        Fault::GarbageShared => {
            let shared = beside(&path, "-shm");
            if shared.exists() {
                overwrite(&shared, draw, |draw| draw.below(256) as u8)?
            } else {
                put(&shared, Some(vec![0x5a; 32_768]), draw)?
            }
        }
    };
    let unsealed = fault.shows_in_pages() && draw.below(3) == 0;
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

/// Writes in place: whoever has the file open has it open still.
fn write_at(path: &Path, at: u64, bytes: &[u8]) -> Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)?;
    Ok(())
}

fn flip(path: &Path, draw: &mut Draw) -> Result<String> {
    let Ok(bytes) = fs::read(path) else { return Ok("not there".to_owned()) };
    let mut places = Vec::new();
    for _ in 0..=draw.below(8) {
        if !bytes.is_empty() {
            let at = draw.below(bytes.len());
            write_at(path, at as u64, &[bytes[at] ^ (1 << draw.below(8))])?;
            places.push(at);
        }
    }
    Ok(format!("at {places:?} of {}", bytes.len()))
}

fn overwrite(path: &Path, draw: &mut Draw, byte: impl Fn(&mut Draw) -> u8) -> Result<String> {
    const PAGE: usize = 4096;
    let size = usize::try_from(fs::metadata(path)?.len())?;
    let page = draw.below((size / PAGE).max(1));
    let bytes: Vec<u8> = (0..PAGE).map(|_| byte(draw)).collect();
    write_at(path, (page * PAGE) as u64, &bytes)?;
    Ok(format!("page {page} of {}", size / PAGE))
}

fn cut(path: &Path, draw: &mut Draw) -> Result<String> {
    let Ok(file) = fs::OpenOptions::new().write(true).open(path) else { return Ok("not there".to_owned()) };
    let size = file.metadata()?.len();
    let keep = draw.below(usize::try_from(size)?) as u64;
    file.set_len(keep)?;
    Ok(format!("{keep} of {size} bytes"))
}

/// Puts content in the place of a file, or takes it away: as a new file, or into the one that is there.
fn put(path: &Path, content: Option<Vec<u8>>, draw: &mut Draw) -> Result<String> {
    let anew = content.is_none() || draw.below(2) == 0;
    if anew {
        let _ = fs::remove_file(path);
    }
    if let Some(content) = &content {
        fs::write(path, content)?;
    }
    Ok(format!("{:?} bytes{}", content.map(|content| content.len()), if anew { ", a new file" } else { "" }))
}
