//! Verifies the WAL index: the hash table in shared memory that maps pages to frames of the write-ahead log.
//!
//! SQLite protects only its header with a checksum. An overwritten slot would hide a page of the log, and SQLite would read
//! an older version of it. So at the beginning of a transaction all frames that it may read are looked up, unless nothing
//! has changed since the last time.

use crate::integrity::page_checksum;

/// The size of a region of the shared memory.
pub(crate) const REGION: usize = 32_768;
/// The offset of the hash slots in a region. The page numbers of the frames come before.
const SLOTS: usize = REGION / 2;
const SLOT_COUNT: usize = SLOTS / 2;
/// The size of the header in the first region, before the page numbers.
const HEADER: usize = 136;
const FRAMES_IN_FIRST: usize = (SLOTS - HEADER) / 4;
const FRAMES_IN_OTHERS: usize = SLOTS / 4;

/// The checksum of the regions that were last found correct.
#[derive(Default)]
pub(crate) struct WalIndex {
    right: Option<u64>,
}

impl WalIndex {
    /// Whether every frame is found by its page, in copies of all mapped regions. SQLite stores the page numbers and the
    /// slots that lead to them separately, so damage to either shows.
    pub(crate) fn is_right(&mut self, regions: &[Vec<u8>]) -> bool {
        let Some(first) = regions.first() else { return true };
        let (is_made, frames) = (first[12] == 1, number(first, 16) as usize);
        if !is_made || frames == 0 {
            return true;
        }
        let sum = regions.iter().zip(spans(frames)).fold(frames as u64, |sum, (region, span)| {
            let numbers = page_checksum::checksum(&region[span.start..span.start + span.frames * 4], sum);
            page_checksum::checksum(&region[SLOTS..], numbers)
        });
        if self.right == Some(sum) {
            return true;
        }
        let right = regions
            .iter()
            .zip(spans(frames))
            .all(|(region, span)| (1..=span.frames).all(|frame| is_found(region, &span, frame)));
        self.right = right.then_some(sum);
        right
    }
}

/// The frames of a region.
struct Span {
    start: usize,
    frames: usize,
}

/// The spans of the regions for a number of frames.
fn spans(frames: usize) -> impl Iterator<Item = Span> {
    let first = Span { start: HEADER, frames: frames.min(FRAMES_IN_FIRST) };
    let rest = frames.saturating_sub(FRAMES_IN_FIRST);
    let others = (0..rest.div_ceil(FRAMES_IN_OTHERS)).map(move |region| Span {
        start: 0,
        frames: (rest - region * FRAMES_IN_OTHERS).min(FRAMES_IN_OTHERS),
    });
    std::iter::once(first).chain(others)
}

/// Whether a frame, numbered from 1 in its region, is found by its page.
fn is_found(region: &[u8], span: &Span, frame: usize) -> bool {
    let page = number(region, span.start + (frame - 1) * 4) as usize;
    let first = page.wrapping_mul(383) % SLOT_COUNT;
    let mut slots = (0..SLOT_COUNT).map(|step| slot(region, (first + step) % SLOT_COUNT));
    page != 0 && slots.by_ref().take_while(|&found| found != 0).any(|found| found == frame)
}

fn number(region: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([region[at], region[at + 1], region[at + 2], region[at + 3]])
}

fn slot(region: &[u8], slot: usize) -> usize {
    let at = SLOTS + slot * 2;
    usize::from(u16::from_ne_bytes([region[at], region[at + 1]]))
}
