//! The index of the log, which processes share in memory: whether it leads to the frames of the log.
//!
//! SQLite sums its header and trusts the rest. A slot that was overwritten would hide a page of the log, and an older one would
//! be read in its place. So when a transaction begins, all frames it may read are looked up, unless nothing has changed
//! since they last were.

use crate::pages::{self, FrameHeader, LogHeader};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of a region of the shared memory.
pub(crate) const REGION: usize = 32_768;
/// Where the table of slots begins in a region; in front of it are the page numbers of frames.
const SLOTS: usize = REGION / 2;
const SLOT_COUNT: usize = SLOTS / 2;
/// Bytes in front of the page numbers in the first region.
const HEADER: usize = 136;
const FRAMES_IN_FIRST: usize = (SLOTS - HEADER) / 4;
const FRAMES_IN_OTHERS: usize = SLOTS / 4;

/// What is known of the log an index leads to.
#[derive(Default)]
pub(crate) struct WalIndex {
    salts: [u8; 8],
    /// The page of each frame, as the log says.
    pages: Vec<u32>,
    /// The sum of what was looked at last, and found right.
    right: Option<u64>,
}

impl WalIndex {
    /// Whether copies of the regions of the index, as many as are mapped, lead to every frame of the log.
    pub(crate) fn leads_to(&mut self, log: &Path, regions: &[Vec<u8>]) -> bool {
        let Some(first) = regions.first() else { return true };
        let (is_made, frames) = (first[12] == 1, number(first, 16) as usize);
        if !is_made || frames == 0 {
            return true;
        }
        if self.salts != first[32..40] {
            *self = Self::default();
            self.salts.copy_from_slice(&first[32..40]);
        }
        let page = match u16::from_ne_bytes([first[14], first[15]]) {
            1 => 65_536,
            size => usize::from(size),
        };
        if self.pages.len() < frames && self.read(log, page, frames).is_none() {
            return false;
        }
        let sum = regions.iter().zip(spans(frames)).fold(frames as u64, |sum, (region, span)| {
            let numbers = pages::checksum(&region[span.start..span.start + span.frames * 4], sum);
            pages::checksum(&region[SLOTS..], numbers)
        });
        if self.right == Some(sum) {
            return true;
        }
        let mut before = 0;
        let right = regions.iter().zip(spans(frames)).all(|(region, span)| {
            let pages = &self.pages[before..before + span.frames];
            before += span.frames;
            (1..).zip(pages).all(|(frame, &page)| is_found(region, &span, frame, page))
        });
        self.right = right.then_some(sum);
        right
    }

    /// Reads the pages of frames that are new.
    fn read(&mut self, log: &Path, page: usize, frames: usize) -> Option<()> {
        let mut file = File::open(log).ok()?;
        let mut bytes = [0; FrameHeader::BYTES];
        for frame in self.pages.len()..frames {
            file.seek(SeekFrom::Start(LogHeader::frame_of(page, frame as u64))).ok()?;
            file.read_exact(&mut bytes).ok()?;
            let header = FrameHeader { bytes };
            if header.salts() != self.salts {
                return None;
            }
            self.pages.push(header.page());
        }
        Some(())
    }
}

/// Which frames a region is for.
struct Span {
    start: usize,
    frames: usize,
}

/// The spans of the regions that so many frames take.
fn spans(frames: usize) -> impl Iterator<Item = Span> {
    let first = Span { start: HEADER, frames: frames.min(FRAMES_IN_FIRST) };
    let rest = frames.saturating_sub(FRAMES_IN_FIRST);
    let others = (0..rest.div_ceil(FRAMES_IN_OTHERS)).map(move |region| Span {
        start: 0,
        frames: (rest - region * FRAMES_IN_OTHERS).min(FRAMES_IN_OTHERS),
    });
    std::iter::once(first).chain(others)
}

/// Whether a frame, counted from one in its region, is found by its page.
fn is_found(region: &[u8], span: &Span, frame: usize, page: u32) -> bool {
    if number(region, span.start + (frame - 1) * 4) != page {
        return false;
    }
    let first = (page as usize).wrapping_mul(383) % SLOT_COUNT;
    (0..SLOT_COUNT)
        .map(|step| slot(region, (first + step) % SLOT_COUNT))
        .take_while(|&found| found != 0)
        .any(|found| found == frame)
}

fn number(region: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([region[at], region[at + 1], region[at + 2], region[at + 3]])
}

fn slot(region: &[u8], slot: usize) -> usize {
    let at = SLOTS + slot * 2;
    usize::from(u16::from_ne_bytes([region[at], region[at + 1]]))
}
