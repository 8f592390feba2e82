//! Verifies the pages and frames that SQLite reads and adds trailers to the pages it writes.
//!
//! `vfs.rs` calls this for every page. Everything here is about bytes and offsets; SQLite's interfaces are in `vfs.rs`.

use crate::connection::descriptors::Connected;
use crate::integrity::damaged_files::{self, FileKey};
use crate::integrity::page_checksum::{self, FrameHeader, PageLayout, RESERVED, Trailer, WalHeader};
use crate::integrity::wal_index::WalIndex;
use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The resolution of file times. A file that changed more recently than this may change again without a visible difference.
const STEP: Duration = Duration::from_millis(50);

/// The file below, as the wrapped VFS provides it.
pub(crate) trait RawFile {
    /// Fills the buffer; false if that fails.
    fn read(&self, buffer: &mut [u8], offset: u64) -> bool;
    /// Its length in bytes.
    fn size(&self) -> u64;
}

/// What this process has written to a database and its write-ahead log since the last call of [`take_written`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The change of the digest of all pages.
    pub(crate) digest: u64,
    /// The end of the write-ahead log, if it was written.
    pub(crate) log: Option<WalEnd>,
    /// Whether a write failed: how much of it is in the file is not known, nor whether SQLite writes it again.
    pub(crate) failed: bool,
}

/// The end of the last transaction of a write-ahead log. It determines the content, since every checksum continues the one
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalEnd {
    pub(crate) salts: [u8; 8],
    pub(crate) frames: u64,
    pub(crate) sums: [u32; 2],
}

thread_local! {
    /// The page of the frame that this thread read last.
    static FRAME_READ: Cell<Option<u64>> = const { Cell::new(None) };
}

static WRITTEN: LazyLock<Mutex<HashMap<FileKey, Written>>> = LazyLock::new(Mutex::default);

fn note(file: FileKey, change: impl FnOnce(&mut Written)) {
    change(WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).entry(file).or_default());
}

fn note_failure(file: FileKey) {
    note(file, |written| written.failed = true);
}

/// What was written to a file since the last call.
pub(crate) fn take_written(file: FileKey) -> Written {
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&file).unwrap_or_default()
}

/// Verifies and stamps the pages of one open database.
pub(crate) struct PageVerifier {
    path: PathBuf,
    file: Option<FileKey>,
    _connected: Option<Connected>,
    /// `None` while the file is empty or not a database.
    layout: Option<PageLayout>,
    /// Whether the file was empty when it was opened and its pages are to be stamped.
    fresh: bool,
    identity: u64,
    /// The length of the file as far as this handle knows. Pages beyond are new.
    end: u64,
    /// Mapped pages that were verified since the file last changed.
    checked: Vec<u64>,
    seen: Option<Seen>,
    scratch: Vec<u8>,
    index: WalIndex,
    /// Whether a checkpoint is moving pages from the log into the database.
    pub(crate) moving: bool,
    /// Whether SQLite has used mapped pages. It then also reads through the mapping.
    pub(crate) mapped: bool,
}

/// Detects changes of a file by anybody.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    modified: SystemTime,
    changed: (i64, i64),
    size: u64,
}

impl Seen {
    fn of(path: &Path) -> Option<Self> {
        let file = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            (file.ctime(), file.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = (0, 0);
        Some(Self { modified: file.modified().ok()?, changed, size: file.len() })
    }

    fn is_settled(&self) -> bool {
        self.modified.elapsed().is_ok_and(|age| age > STEP)
    }
}

impl PageVerifier {
    /// A verifier of a file that was just opened. An empty file whose pages are to be stamped comes with an identity.
    pub(crate) fn new(path: &Path, raw: &dyn RawFile, identity: Option<u64>) -> Self {
        let end = raw.size();
        let identity = identity.filter(|_| end == 0);
        let file = FileKey::at(path);
        let mut guard = Self {
            path: path.to_path_buf(),
            file,
            _connected: file.map(Connected::to),
            layout: None,
            fresh: identity.is_some(),
            identity: identity.unwrap_or_default(),
            end,
            checked: Vec::new(),
            seen: Seen::of(path),
            scratch: Vec::new(),
            index: WalIndex::default(),
            moving: false,
            mapped: false,
        };
        if guard.fresh {
            // The recorded damage belongs to an earlier file with this inode.
            if let Some(file) = guard.file {
                take_written(file);
                damaged_files::forget(file);
            }
        } else {
            guard.learn(raw);
        }
        guard
    }

    /// Reads the page layout from the header.
    fn learn(&mut self, raw: &dyn RawFile) {
        let mut header = [0; 100];
        if raw.read(&mut header, 0)
            && let Some(layout) = PageLayout::of_header(&header)
        {
            self.layout = Some(layout);
            let mut trailer = [0; RESERVED];
            if layout.stamped && raw.read(&mut trailer, (layout.size - RESERVED) as u64) {
                self.identity = Trailer::of_bytes(&trailer).identity;
            }
        }
    }

    /// The number of a page that is read or written completely, in a file with stamped pages.
    fn number(&self, length: usize, offset: u64) -> Option<u64> {
        let stamped = self.layout.is_some_and(|layout| layout.stamped && layout.size == length);
        let length = length as u64;
        (stamped && offset.is_multiple_of(length)).then(|| offset / length + 1)
    }

    /// Whether a page is as it was written. `whole` is false if the file ended within it.
    pub(crate) fn check(&self, bytes: &[u8], offset: u64, whole: bool) -> bool {
        let Some(number) = self.number(bytes.len(), offset) else { return true };
        let right = whole && page_checksum::is_whole(bytes, number, self.identity);
        if !right {
            self.report(number);
        }
        right
    }

    fn report(&self, number: u64) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("page {number} of {name} has a wrong checksum");
        if let Some(file) = self.file {
            damaged_files::report(file, &what);
        }
    }

    /// Whether a range is within the file: mapped pages beyond its end must not be touched.
    pub(crate) fn reaches(&self, offset: u64, length: usize) -> bool {
        self.seen.is_none_or(|seen| offset + length as u64 <= seen.size)
    }

    /// Whether a read would touch mapped memory beyond the end of the file, because the file was truncated.
    pub(crate) fn is_cut(&self, offset: u64, length: usize, raw: &dyn RawFile) -> bool {
        self.mapped && !self.reaches(offset, length) && offset + length as u64 > raw.size()
    }

    /// The same as [`Self::check`] for a mapped page; verifies it once until the file changes.
    pub(crate) fn check_mapped(&mut self, bytes: &[u8], offset: u64) -> bool {
        let Some(number) = self.number(bytes.len(), offset) else { return true };
        let (at, bit) = ((number / 64) as usize, 1 << (number % 64));
        if self.checked.get(at).is_some_and(|bits| bits & bit != 0) {
            return true;
        }
        if !self.check(bytes, offset, true) {
            return false;
        }
        if self.checked.len() <= at {
            self.checked.resize(at + 1, 0);
        }
        self.checked[at] |= bit;
        true
    }

    /// Begins a transaction: if the file has changed, pages are verified again.
    pub(crate) fn begin(&mut self, raw: &dyn RawFile) {
        let mut seen = Seen::of(&self.path);
        if seen != self.seen || !seen.is_some_and(|seen| seen.is_settled()) {
            self.checked.clear();
        }
        if let Some(seen) = &mut seen {
            // The path may refer to another file now.
            seen.size = raw.size();
        }
        self.seen = seen;
    }

    /// Whether the WAL index, given as copies of its regions, leads to all frames of the log.
    pub(crate) fn check_index(&mut self, regions: &[Vec<u8>]) -> bool {
        let right = self.index.is_right(regions);
        if !right && let Some(file) = self.file {
            let name = self.path.file_name().unwrap_or_default().to_string_lossy();
            damaged_files::report(file, &format!("{name}-shm hides frames of {name}-wal"));
        }
        right
    }

    /// Observes that a write failed.
    pub(crate) fn write_failed(&self) {
        self.file.into_iter().for_each(note_failure);
    }

    /// Whether a page that a checkpoint writes is the one it read from the log before.
    pub(crate) fn is_moved_rightly(&self, length: usize, offset: u64) -> bool {
        let number = self.number(length, offset).filter(|_| self.moving);
        let right = number.is_none_or(|number| FRAME_READ.get() == Some(number));
        if !right && let Some(number) = number {
            self.report(number);
        }
        right
    }

    /// The page with its trailer, to be written in place of this one. `None` if it is to be written as it is.
    pub(crate) fn stamped(&mut self, bytes: &[u8], offset: u64, raw: &dyn RawFile) -> Option<&[u8]> {
        if self.layout.is_none() && self.fresh && page_checksum::is_page_size(bytes.len()) {
            // Another process may have written the header first.
            self.learn(raw);
            self.layout.get_or_insert(PageLayout { size: bytes.len(), stamped: true });
        }
        let number = self.number(bytes.len(), offset)?;
        let before = self.trailer(number, bytes.len(), raw);
        self.scratch.clear();
        self.scratch.extend_from_slice(bytes);
        let after = page_checksum::stamp(&mut self.scratch, number, self.identity);
        self.end = self.end.max(offset + bytes.len() as u64);
        if let Some(bits) = self.checked.get_mut((number / 64) as usize) {
            *bits &= !(1 << (number % 64));
        }
        if let Some(file) = self.file {
            note(file, |written| written.digest ^= before.digest(number) ^ after.digest(number));
        }
        Some(&self.scratch)
    }

    fn trailer(&self, number: u64, page: usize, raw: &dyn RawFile) -> Trailer {
        let end = number * page as u64;
        let mut bytes = [0; RESERVED];
        if end <= self.end && raw.read(&mut bytes, end - RESERVED as u64) {
            Trailer::of_bytes(&bytes)
        } else {
            Trailer::default()
        }
    }

    /// The file is about to be truncated to `size` bytes.
    pub(crate) fn truncating(&mut self, size: u64, raw: &dyn RawFile) {
        let Some(layout) = self.layout.filter(|layout| layout.stamped) else { return };
        self.end = raw.size();
        let page = layout.size as u64;
        let gone = (size.div_ceil(page) + 1..=self.end / page)
            .fold(0, |digest, number| digest ^ self.trailer(number, layout.size, raw).digest(number));
        if let Some(file) = self.file {
            note(file, |written| written.digest ^= gone);
        }
        self.end = self.end.min(size);
        self.checked.clear();
    }
}

/// Verifies the frames of one open write-ahead log.
pub(crate) struct WalVerifier {
    /// The database of the log.
    path: PathBuf,
    file: Option<FileKey>,
    header: Option<WalHeader>,
    /// The offset from which this handle overwrote its own frames: SQLite recomputes their checksums at commit.
    rewriting_from: Option<u64>,
    /// How far this handle has written.
    end: u64,
}

impl WalVerifier {
    /// A verifier of the log of a database.
    pub(crate) fn new(database: &Path) -> Self {
        let (path, file) = (database.to_path_buf(), FileKey::at(database));
        Self { path, file, header: None, rewriting_from: None, end: 0 }
    }

    /// Whether the page of a frame is as it was written. `whole` is false if the log ended within it.
    pub(crate) fn check(&mut self, page: &[u8], offset: u64, whole: bool, raw: &dyn RawFile) -> bool {
        FRAME_READ.set(None);
        if !page_checksum::is_page_size(page.len()) {
            return true;
        }
        let Some(frame) = page_checksum::frame_of_page(offset, page.len()) else { return true };
        if self.rewriting_from.is_some_and(|from| offset >= from) {
            let mut bytes = [0; FrameHeader::BYTES];
            let read = raw.read(&mut bytes, WalHeader::frame_of(page.len(), frame));
            FRAME_READ.set(read.then(|| u64::from(FrameHeader { bytes }.page())));
            return true;
        }
        if whole && (self.follows(page, frame, raw) || self.reread(raw) && self.follows(page, frame, raw)) {
            return true;
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("frame {} of {name}-wal has a wrong checksum", frame + 1);
        if let Some(file) = self.file {
            damaged_files::report(file, &what);
        }
        false
    }

    fn follows(&self, page: &[u8], frame: u64, raw: &dyn RawFile) -> bool {
        let Some(header) = self.header.filter(|header| header.page == page.len()) else { return false };
        let read = |frame| {
            let mut bytes = [0; FrameHeader::BYTES];
            raw.read(&mut bytes, header.frame_at(frame)).then_some(FrameHeader { bytes })
        };
        let before = match frame.checked_sub(1) {
            None => Some(header.sums()),
            Some(previous) => read(previous).map(|frame| frame.sums()),
        };
        before.zip(read(frame)).is_some_and(|(sums, own)| {
            FRAME_READ.set(Some(u64::from(own.page())));
            header.follow(&own, page, sums).is_some()
        })
    }

    /// Reads the header again: another process may have restarted the log.
    fn reread(&mut self, raw: &dyn RawFile) -> bool {
        let mut bytes = [0; WalHeader::BYTES];
        self.header = raw.read(&mut bytes, 0).then(|| WalHeader::read(&bytes)).flatten();
        self.header.is_some()
    }

    /// Observes a write before it happens.
    pub(crate) fn writing(&mut self, bytes: &[u8], offset: u64, raw: &dyn RawFile) {
        if let (0, Ok(first)) = (offset, <&[u8; WalHeader::BYTES]>::try_from(bytes)) {
            self.header = WalHeader::read(first);
            (self.rewriting_from, self.end) = (None, 0);
            self.ends(0, self.header.map_or([0; 2], |header| header.sums()));
            return;
        }
        if let Ok(header) = <[u8; FrameHeader::BYTES]>::try_from(bytes) {
            let header = FrameHeader { bytes: header };
            if (self.header.is_some() || self.reread(raw))
                && let Some(log) = self.header
                && let Some(frame) = page_checksum::frame_of_header(offset, log.page)
                && header.commits()
            {
                self.ends(frame + 1, header.sums());
            }
        } else if offset < self.end && self.rewriting_from.is_none_or(|from| offset < from) {
            self.rewriting_from = Some(offset);
        }
        self.end = self.end.max(offset + bytes.len() as u64);
    }

    /// Observes that a write failed.
    pub(crate) fn write_failed(&self) {
        self.file.into_iter().for_each(note_failure);
    }

    fn ends(&self, frames: u64, sums: [u32; 2]) {
        if let (Some(file), Some(header)) = (self.file, self.header) {
            note(file, |written| written.log = Some(WalEnd { salts: header.salts, frames, sums }));
        }
    }
}
