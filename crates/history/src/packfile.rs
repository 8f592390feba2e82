//! Packfiles: many objects in one `.pack` file, looked up in an `.idx` file sorted by object id.

use crate::inflate::{MAX_OBJECT, inflate};
use crate::oid::{LENGTH, Oid};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The magic number and version of an index of version 2.
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// Offset of the fan-out table.
const FANOUT: u64 = 8;
/// Offset of the sorted object ids.
const OIDS: u64 = FANOUT + 256 * 4;

/// An open packfile and its index.
pub(crate) struct Packfile {
    index: File,
    data: BufReader<File>,
    /// For each first byte, the number of ids whose first byte is at most that.
    fanout: Vec<u32>,
}

/// An entry of a packfile.
pub(crate) enum PackEntry {
    /// An object: its type number and content.
    Object(u8, Vec<u8>),
    /// A delta against the object at an earlier offset of the same packfile.
    OffsetDelta(u64, Vec<u8>),
    /// A delta against the object with that id.
    RefDelta(Oid, Vec<u8>),
}

impl Packfile {
    /// Opens a packfile by the path of its index. `None` for an index of version 1, which is obsolete.
    pub(crate) fn open(index_path: &Path) -> io::Result<Option<Self>> {
        let mut index = File::open(index_path)?;
        let mut head = [0; OIDS as usize];
        index.read_exact(&mut head)?;
        if head[..8] != MAGIC {
            return Ok(None);
        }
        let fanout = head[8..].chunks_exact(4).map(|bytes| big_endian(bytes) as u32).collect();
        let data = BufReader::new(File::open(index_path.with_extension("pack"))?);
        Ok(Some(Self { index, data, fanout }))
    }

    /// The offset of an object, if it is in the packfile.
    pub(crate) fn find(&mut self, oid: &Oid) -> io::Result<Option<u64>> {
        let (mut low, mut high) = self.range_of(oid.0[0]);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.oid_at(middle)?.cmp(oid) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset(middle).map(Some),
            }
        }
        Ok(None)
    }

    /// Up to `limit` ids that start with these hexadecimal digits, of which there must be at least two.
    pub(crate) fn with_prefix(&mut self, digits: &[u8], limit: usize) -> io::Result<Vec<Oid>> {
        let [high, low, ..] = digits else { return Ok(Vec::new()) };
        let (mut at, end) = self.range_of(high << 4 | low);
        let mut first = [0; LENGTH];
        for (byte, pair) in first.iter_mut().zip(digits.chunks(2)) {
            *byte = pair[0] << 4 | pair.get(1).copied().unwrap_or(0);
        }
        let mut after = end;
        while at < after {
            let middle = at + (after - at) / 2;
            if self.oid_at(middle)?.0 < first {
                at = middle + 1;
            } else {
                after = middle;
            }
        }
        let mut found = Vec::new();
        while at < end && found.len() < limit {
            let oid = self.oid_at(at)?;
            if !oid.starts_with(digits) {
                break;
            }
            found.push(oid);
            at += 1;
        }
        Ok(found)
    }

    /// Reads the entry at an offset.
    pub(crate) fn read(&mut self, offset: u64) -> io::Result<PackEntry> {
        self.data.seek(SeekFrom::Start(offset))?;
        let mut byte = self.byte()?;
        let kind = byte >> 4 & 7;
        let (mut size, mut shift) = (u64::from(byte & 15), 4);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            size |= u64::from(byte & 0x7f).checked_shl(shift).ok_or_else(corrupt)?;
            shift += 7;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > MAX_OBJECT {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "an object is too large"));
        }
        let entry = match kind {
            1..=4 => PackEntry::Object(kind, self.content(size)?),
            6 => {
                let back = self.offset_varint()?;
                // Only backwards, so that a delta chain cannot be cyclic.
                let base = offset.checked_sub(back).filter(|_| back > 0).ok_or_else(corrupt)?;
                PackEntry::OffsetDelta(base, self.content(size)?)
            }
            7 => {
                let mut oid = [0; LENGTH];
                self.data.read_exact(&mut oid)?;
                PackEntry::RefDelta(Oid(oid), self.content(size)?)
            }
            _ => return Err(corrupt()),
        };
        Ok(entry)
    }

    fn content(&mut self, size: usize) -> io::Result<Vec<u8>> {
        let content = inflate(&mut self.data, size)?;
        if content.len() == size { Ok(content) } else { Err(corrupt()) }
    }

    /// Reads git's offset varint: groups of seven bits, most significant first, plus one for each group but the last.
    fn offset_varint(&mut self) -> io::Result<u64> {
        let mut byte = self.byte()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            value = (value + 1).checked_mul(128).ok_or_else(corrupt)? | u64::from(byte & 0x7f);
        }
        Ok(value)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut one = [0];
        self.data.read_exact(&mut one)?;
        Ok(one[0])
    }

    /// The positions of the ids with this first byte.
    fn range_of(&self, first: u8) -> (u64, u64) {
        let up_to = |at: usize| u64::from(self.fanout[at]);
        let at = usize::from(first);
        (if at == 0 { 0 } else { up_to(at - 1) }, up_to(at))
    }

    fn oid_at(&mut self, at: u64) -> io::Result<Oid> {
        let mut oid = [0; LENGTH];
        self.index.seek(SeekFrom::Start(OIDS + at * LENGTH as u64))?;
        self.index.read_exact(&mut oid)?;
        Ok(Oid(oid))
    }

    fn offset(&mut self, at: u64) -> io::Result<u64> {
        let count = u64::from(self.fanout[255]);
        // The index contains ids, checksums, 31-bit offsets, then the offsets that need 64 bits.
        let offsets = OIDS + count * (LENGTH as u64 + 4);
        let mut four = [0; 4];
        self.index.seek(SeekFrom::Start(offsets + at * 4))?;
        self.index.read_exact(&mut four)?;
        let offset = big_endian(&four);
        if offset & 0x8000_0000 == 0 {
            return Ok(offset);
        }
        let mut eight = [0; 8];
        self.index.seek(SeekFrom::Start(offsets + count * 4 + (offset & 0x7fff_ffff) * 8))?;
        self.index.read_exact(&mut eight)?;
        Ok(u64::from_be_bytes(eight))
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn corrupt() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a packfile is corrupt")
}
