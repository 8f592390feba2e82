//! Checksums of database pages and of the frames of the write-ahead log.
//!
//! Every page of our databases ends with [`RESERVED`] bytes that SQLite does not use:
//!
//! ```text
//! offset      bytes
//! 0           size - 16   the page as SQLite knows it
//! size - 16   8           identity: a random number, drawn when the database was created
//! size - 8    8           checksum of all bytes before, and of the page number
//! ```
//!
//! So a page that was changed, zeroed, moved or copied from another file is detected. Example: page 7 of a database with
//! identity 42 is copied over page 8. Its own checksum was computed with number 7, so verifying it as page 8 fails.
//!
//! Frames of the log carry SQLite's own checksums, which SQLite compares only during recovery; here they are compared
//! whenever a frame is read. This module has no side effects; `vfs.rs` calls it between SQLite and the operating system.

/// The size of a page trailer: the identity of the file, then the checksum.
pub(crate) const RESERVED: usize = 16;

/// The offset of the first frame of a log.
const WAL_HEADER: u64 = 32;
/// The size of the header of a frame.
const FRAME_HEADER: u64 = 24;

const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0xd6e8_feb8_6659_fd93];

/// Whether SQLite supports this page size.
pub(crate) fn is_page_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && (512..=65_536).contains(&bytes)
}

/// The trailer of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) identity: u64,
    pub(crate) checksum: u64,
}

impl Trailer {
    pub(crate) fn of_bytes(bytes: &[u8; RESERVED]) -> Self {
        let [identity, checksum] = [word(&bytes[..8]), word(&bytes[8..])];
        Self { identity, checksum }
    }

    fn at_end_of(page: &[u8]) -> Self {
        page.last_chunk().map_or_else(Self::default, Self::of_bytes)
    }

    /// The contribution of this page to the digest of its file; 0 for a page that was never written.
    pub(crate) fn digest(self, number: u64) -> u64 {
        if self == Self::default() { 0 } else { mixed(self.checksum ^ number.wrapping_mul(FACTORS[1])) }
    }
}

/// Writes the trailer of a page. Page numbers start at 1.
pub(crate) fn stamp(page: &mut [u8], number: u64, identity: u64) -> Trailer {
    let end = page.len();
    page[end - RESERVED..end - 8].copy_from_slice(&identity.to_le_bytes());
    let checksum = checksum(&page[..end - 8], number);
    page[end - 8..].copy_from_slice(&checksum.to_le_bytes());
    Trailer { identity, checksum }
}

/// Whether a page was written with this number to the file with this identity.
pub(crate) fn is_whole(page: &[u8], number: u64, identity: u64) -> bool {
    let trailer = Trailer::at_end_of(page);
    trailer.identity == identity && trailer.checksum == checksum(&page[..page.len() - 8], number)
}

/// A checksum against accidents, not against adversaries: one multiplication per eight bytes, in four independent lanes. The
/// length must be eight less than a multiple of 32.
pub(crate) fn checksum(bytes: &[u8], number: u64) -> u64 {
    let mut lanes = FACTORS;
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, (bytes, factor)) in lanes.iter_mut().zip(words.iter().zip(FACTORS)) {
            *lane = (lane.rotate_left(29) ^ u64::from_le_bytes(*bytes)).wrapping_mul(factor);
        }
    }
    for (lane, bytes) in lanes.iter_mut().zip(rest.chunks(8)) {
        *lane = mixed(*lane ^ word(bytes));
    }
    lanes.iter().fold(mixed(number), |sum, lane| mixed(sum.rotate_left(17) ^ lane))
}

fn mixed(mut value: u64) -> u64 {
    value = (value ^ (value >> 32)).wrapping_mul(FACTORS[0]);
    value = (value ^ (value >> 29)).wrapping_mul(FACTORS[3]);
    value ^ (value >> 32)
}

/// Up to eight bytes as a little-endian number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(word)
}

/// The page layout, from the header of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    pub(crate) size: usize,
    pub(crate) stamped: bool,
}

impl PageLayout {
    /// Parses the first bytes of a database; `None` if they are not a header.
    pub(crate) fn of_header(header: &[u8; 100]) -> Option<Self> {
        let size = match usize::from(u16::from_be_bytes([header[16], header[17]])) {
            1 => 65_536,
            size => size,
        };
        let is_header = header.starts_with(b"SQLite format 3\0") && is_page_size(size);
        is_header.then_some(Self { size, stamped: usize::from(header[20]) == RESERVED })
    }
}

/// The header of a write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalHeader {
    pub(crate) page: usize,
    pub(crate) salts: [u8; 8],
    big_endian: bool,
    sums: [u32; 2],
}

impl WalHeader {
    pub(crate) const BYTES: usize = WAL_HEADER as usize;

    /// Parses the first bytes of a log; `None` if they are damaged.
    pub(crate) fn read(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (magic, page) = (number(0), number(8) as usize);
        let big_endian = magic & 1 == 1;
        let sums = log_sums(&bytes[..24], [0, 0], big_endian);
        let is_header = magic & !1 == 0x377f_0682 && is_page_size(page) && sums == [number(24), number(28)];
        let mut salts = [0; 8];
        salts.copy_from_slice(&bytes[16..24]);
        is_header.then_some(Self { page, salts, big_endian, sums })
    }

    /// The offset of a frame. Frames are numbered from 0.
    pub(crate) fn frame_at(&self, frame: u64) -> u64 {
        Self::frame_of(self.page, frame)
    }

    /// The same for any log with pages of this size.
    pub(crate) fn frame_of(page: usize, frame: u64) -> u64 {
        WAL_HEADER + frame * (FRAME_HEADER + page as u64)
    }

    /// The checksums that the first frame continues.
    pub(crate) fn sums(&self) -> [u32; 2] {
        self.sums
    }

    /// The checksums after a frame; `None` if it does not belong to this log or does not continue the checksums before it.
    pub(crate) fn follow(&self, header: &FrameHeader, page: &[u8], before: [u32; 2]) -> Option<[u32; 2]> {
        let sums = log_sums(&header.bytes[..8], before, self.big_endian);
        let sums = log_sums(page, sums, self.big_endian);
        (header.salts() == self.salts && sums == header.sums()).then_some(sums)
    }
}

/// The header of a frame: the bytes before its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub(crate) bytes: [u8; Self::BYTES],
}

impl FrameHeader {
    pub(crate) const BYTES: usize = FRAME_HEADER as usize;

    fn number(&self, at: usize) -> u32 {
        let bytes = &self.bytes;
        u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    }

    /// Whether the frame ends a transaction.
    pub(crate) fn commits(&self) -> bool {
        self.number(4) != 0
    }

    /// The number of the page in the frame.
    pub(crate) fn page(&self) -> u32 {
        self.number(0)
    }

    pub(crate) fn salts(&self) -> [u8; 8] {
        let mut salts = [0; 8];
        salts.copy_from_slice(&self.bytes[8..16]);
        salts
    }

    pub(crate) fn sums(&self) -> [u32; 2] {
        [self.number(16), self.number(20)]
    }
}

/// The number of the frame whose page begins at an offset of the log.
pub(crate) fn frame_of_page(offset: u64, page: usize) -> Option<u64> {
    let behind = offset.checked_sub(WAL_HEADER + FRAME_HEADER)?;
    let each = FRAME_HEADER + page as u64;
    behind.is_multiple_of(each).then_some(behind / each)
}

/// The number of the frame that begins at an offset of the log.
pub(crate) fn frame_of_header(offset: u64, page: usize) -> Option<u64> {
    frame_of_page(offset + FRAME_HEADER, page)
}

/// The running checksums of a log, as SQLite's file format defines them.
fn log_sums(bytes: &[u8], [mut first, mut second]: [u32; 2], big_endian: bool) -> [u32; 2] {
    let (pairs, _) = bytes.as_chunks::<8>();
    for &[a, b, c, d, e, f, g, h] in pairs {
        let (left, right) = if big_endian {
            (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
        } else {
            (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
        };
        first = first.wrapping_add(left).wrapping_add(second);
        second = second.wrapping_add(right).wrapping_add(first);
    }
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipped_bits_wrong_page_numbers_and_other_files_are_detected() {
        let mut page: Vec<u8> = (0..4096_u32).map(|at| (at * 31 % 251) as u8).collect();
        stamp(&mut page, 7, 42);
        assert!(is_whole(&page, 7, 42));
        assert!(!is_whole(&page, 8, 42), "the page under another number");
        assert!(!is_whole(&page, 7, 43), "the page in another file");
        for bit in 0..page.len() * 8 {
            page[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_whole(&page, 7, 42), "bit {bit}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(!is_whole(&[0; 4096], 7, 42) && !is_whole(&[0; 4096], 7, 0), "zeros are not a valid page");
    }

    #[test]
    fn frames_are_numbered_by_their_offset() {
        assert_eq!(frame_of_page(56, 4096), Some(0));
        assert_eq!(frame_of_page(56 + 3 * 4120, 4096), Some(3));
        assert_eq!(frame_of_header(32 + 3 * 4120, 4096), Some(3));
        assert_eq!((frame_of_page(0, 4096), frame_of_page(57, 4096)), (None, None));
    }
}
