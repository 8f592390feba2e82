//! Checksums of what SQLite keeps in pages and in the frames of its log.
//!
//! Every page of a database of ours ends with [`RESERVED`] bytes that SQLite leaves alone: the identity of the file, drawn when
//! it was created, and a checksum of the page, its number and that identity. So a page that was changed, zeroed, moved or
//! taken from another file is told from the one that was written. Frames of the log carry SQLite's own checksums, which it
//! compares only when it recovers; here they are compared whenever a frame is read.
//!
//! Pure functions and bookkeeping: `vfs.rs` calls them between SQLite and the operating system.

/// Bytes at the end of every page: the identity of the file, then the checksum.
pub(crate) const RESERVED: usize = 16;

/// Where the log's first frame begins.
const LOG_HEADER: u64 = 32;
/// Bytes in front of the page of a frame.
const FRAME_HEADER: u64 = 24;

const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0xd6e8_feb8_6659_fd93];

/// Whether a length is one that pages can have.
pub(crate) fn is_page_size(bytes: usize) -> bool {
    bytes.is_power_of_two() && (512..=65_536).contains(&bytes)
}

/// What the end of a page says of it.
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

    /// What this page adds to the digest of its file; nothing for one that was never written.
    pub(crate) fn digest(self, number: u64) -> u64 {
        if self == Self::default() { 0 } else { mixed(self.checksum ^ number.wrapping_mul(FACTORS[1])) }
    }
}

/// Writes the trailer of a page, whose number counts from one.
pub(crate) fn stamp(page: &mut [u8], number: u64, identity: u64) -> Trailer {
    let end = page.len();
    page[end - RESERVED..end - 8].copy_from_slice(&identity.to_le_bytes());
    let checksum = checksum(&page[..end - 8], number);
    page[end - 8..].copy_from_slice(&checksum.to_le_bytes());
    Trailer { identity, checksum }
}

/// Whether a page is the one that was written under this number to the file with this identity.
pub(crate) fn is_whole(page: &[u8], number: u64, identity: u64) -> bool {
    let trailer = Trailer::at_end_of(page);
    trailer.identity == identity && trailer.checksum == checksum(&page[..page.len() - 8], number)
}

/// A checksum for accidents, not for adversaries: one multiplication for eight bytes, in four lanes that do not wait for
/// each other. The length is eight less than a multiple of 32.
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

/// Up to eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    u64::from_le_bytes(word)
}

/// What the header of a database says of its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLayout {
    pub(crate) size: usize,
    pub(crate) stamped: bool,
}

impl PageLayout {
    /// Reads the first bytes of a database; none where they are no header.
    pub(crate) fn of_header(header: &[u8; 100]) -> Option<Self> {
        let size = match usize::from(u16::from_be_bytes([header[16], header[17]])) {
            1 => 65_536,
            size => size,
        };
        let is_header = header.starts_with(b"SQLite format 3\0") && is_page_size(size);
        is_header.then_some(Self { size, stamped: usize::from(header[20]) == RESERVED })
    }
}

/// The header of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogHeader {
    pub(crate) page: usize,
    pub(crate) salts: [u8; 8],
    big_endian: bool,
    sums: [u32; 2],
}

impl LogHeader {
    pub(crate) const BYTES: usize = LOG_HEADER as usize;

    /// Reads the first bytes of a log; none where they are damaged.
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

    /// Where the frame with this number begins, counted from zero.
    pub(crate) fn frame_at(&self, frame: u64) -> u64 {
        Self::frame_of(self.page, frame)
    }

    /// The same in any log with pages of this size.
    pub(crate) fn frame_of(page: usize, frame: u64) -> u64 {
        LOG_HEADER + frame * (FRAME_HEADER + page as u64)
    }

    /// The sums the first frame continues.
    pub(crate) fn sums(&self) -> [u32; 2] {
        self.sums
    }

    /// The sums after a frame, if it is one of this log that follows on the sums before it, and whether it ends a transaction.
    pub(crate) fn follow(&self, header: &FrameHeader, page: &[u8], before: [u32; 2]) -> Option<[u32; 2]> {
        let sums = log_sums(&header.bytes[..8], before, self.big_endian);
        let sums = log_sums(page, sums, self.big_endian);
        (header.salts() == self.salts && sums == header.sums()).then_some(sums)
    }
}

/// The bytes in front of a page in the log.
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

    /// Whether it ends a transaction.
    pub(crate) fn commits(&self) -> bool {
        self.number(4) != 0
    }

    /// The number of the page behind it.
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

/// The number of the frame whose page of this size lies at an offset of the log.
pub(crate) fn frame_of_page(offset: u64, page: usize) -> Option<u64> {
    let behind = offset.checked_sub(LOG_HEADER + FRAME_HEADER)?;
    let each = FRAME_HEADER + page as u64;
    behind.is_multiple_of(each).then_some(behind / each)
}

/// The number of the frame that begins at an offset of the log.
pub(crate) fn frame_of_header(offset: u64, page: usize) -> Option<u64> {
    frame_of_page(offset + FRAME_HEADER, page)
}

/// The running sums of a log, as its format defines them.
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
    fn every_flipped_bit_another_number_and_another_file_are_noticed() {
        let mut page: Vec<u8> = (0..4096_u32).map(|at| (at * 31 % 251) as u8).collect();
        stamp(&mut page, 7, 42);
        assert!(is_whole(&page, 7, 42));
        assert!(!is_whole(&page, 8, 42), "a page in the place of another");
        assert!(!is_whole(&page, 7, 43), "a page of another file");
        for bit in 0..page.len() * 8 {
            page[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_whole(&page, 7, 42), "bit {bit}");
            page[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(!is_whole(&[0; 4096], 7, 42) && !is_whole(&[0; 4096], 7, 0), "zeros are no page");
    }

    #[test]
    fn frames_are_found_by_their_offset() {
        assert_eq!(frame_of_page(56, 4096), Some(0));
        assert_eq!(frame_of_page(56 + 3 * 4120, 4096), Some(3));
        assert_eq!(frame_of_header(32 + 3 * 4120, 4096), Some(3));
        assert_eq!((frame_of_page(0, 4096), frame_of_page(57, 4096)), (None, None));
    }
}
