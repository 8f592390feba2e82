//! A pack: many objects in one file, found by a second file that is sorted by their names.

use crate::inflate::{LARGEST, inflate};
use crate::oid::{LENGTH, Oid};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// What begins the second version of the list of names.
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FANOUT: u64 = 8;
const NAMES: u64 = FANOUT + 256 * 4;

/// A pack that is open.
pub(crate) struct Pack {
    index: File,
    data: BufReader<File>,
    /// How many names begin with at most each byte.
    fanout: Vec<u32>,
}

/// What stands in a pack.
pub(crate) enum Packed {
    /// An object of the kind with this number.
    Whole(u8, Vec<u8>),
    /// What differs from an object further to the front of the same pack.
    Behind(u64, Vec<u8>),
    /// What differs from the object of that name.
    Named(Oid, Vec<u8>),
}

impl Pack {
    /// Opens a pack by the path of its list; none for a list of the first version, which nobody has written for years.
    pub(crate) fn open(list: &Path) -> io::Result<Option<Self>> {
        let mut index = File::open(list)?;
        let mut head = [0; NAMES as usize];
        index.read_exact(&mut head)?;
        if head[..8] != MAGIC {
            return Ok(None);
        }
        let fanout = head[8..].chunks_exact(4).map(|four| number(four) as u32).collect();
        let data = BufReader::new(File::open(list.with_extension("pack"))?);
        Ok(Some(Self { index, data, fanout }))
    }

    /// Where an object begins, if it is in the pack.
    pub(crate) fn find(&mut self, oid: &Oid) -> io::Result<Option<u64>> {
        let (mut low, mut high) = self.between(oid.0[0]);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle)?.cmp(oid) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.offset(middle).map(Some),
            }
        }
        Ok(None)
    }

    /// The names that begin with these hexadecimal digits, of which there are at least two; no more than `most`.
    pub(crate) fn beginning(&mut self, digits: &[u8], most: usize) -> io::Result<Vec<Oid>> {
        let [high, low, ..] = digits else { return Ok(Vec::new()) };
        let (mut at, end) = self.between(high << 4 | low);
        let mut first = [0; LENGTH];
        for (place, pair) in first.iter_mut().zip(digits.chunks(2)) {
            *place = pair[0] << 4 | pair.get(1).copied().unwrap_or(0);
        }
        let mut after = end;
        while at < after {
            let middle = at + (after - at) / 2;
            if self.name(middle)?.0 < first {
                at = middle + 1;
            } else {
                after = middle;
            }
        }
        let mut found = Vec::new();
        while at < end && found.len() < most {
            let name = self.name(at)?;
            if !name.begins_with(digits) {
                break;
            }
            found.push(name);
            at += 1;
        }
        Ok(found)
    }

    /// What begins at a place.
    pub(crate) fn read(&mut self, offset: u64) -> io::Result<Packed> {
        self.data.seek(SeekFrom::Start(offset))?;
        let mut byte = self.byte()?;
        let kind = byte >> 4 & 7;
        let (mut size, mut shift) = (u64::from(byte & 15), 4);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            size |= u64::from(byte & 0x7f).checked_shl(shift).ok_or_else(damaged)?;
            shift += 7;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "an object is larger than it may be"));
        }
        let packed = match kind {
            1..=4 => Packed::Whole(kind, self.content(size)?),
            6 => {
                let back = self.distance()?;
                // Only to the front, so that no chain of them is a ring.
                let base = offset.checked_sub(back).filter(|_| back > 0).ok_or_else(damaged)?;
                Packed::Behind(base, self.content(size)?)
            }
            7 => {
                let mut name = [0; LENGTH];
                self.data.read_exact(&mut name)?;
                Packed::Named(Oid(name), self.content(size)?)
            }
            _ => return Err(damaged()),
        };
        Ok(packed)
    }

    fn content(&mut self, size: usize) -> io::Result<Vec<u8>> {
        let content = inflate(&mut self.data, size)?;
        if content.len() == size { Ok(content) } else { Err(damaged()) }
    }

    /// A distance in groups of seven bits, the highest first, where each further group counts one more.
    fn distance(&mut self) -> io::Result<u64> {
        let mut byte = self.byte()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            value = (value + 1).checked_mul(128).ok_or_else(damaged)? | u64::from(byte & 0x7f);
        }
        Ok(value)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut one = [0];
        self.data.read_exact(&mut one)?;
        Ok(one[0])
    }

    /// The places of names that begin with a byte.
    fn between(&self, first: u8) -> (u64, u64) {
        let upto = |at: usize| u64::from(self.fanout[at]);
        let at = usize::from(first);
        (if at == 0 { 0 } else { upto(at - 1) }, upto(at))
    }

    fn name(&mut self, at: u64) -> io::Result<Oid> {
        let mut name = [0; LENGTH];
        self.index.seek(SeekFrom::Start(NAMES + at * LENGTH as u64))?;
        self.index.read_exact(&mut name)?;
        Ok(Oid(name))
    }

    fn offset(&mut self, at: u64) -> io::Result<u64> {
        let count = u64::from(self.fanout[255]);
        // Behind the names stand their checksums, then the places, then those that do not fit into 31 bits.
        let places = NAMES + count * (LENGTH as u64 + 4);
        let mut four = [0; 4];
        self.index.seek(SeekFrom::Start(places + at * 4))?;
        self.index.read_exact(&mut four)?;
        let place = number(&four);
        if place & 0x8000_0000 == 0 {
            return Ok(place);
        }
        let mut eight = [0; 8];
        self.index.seek(SeekFrom::Start(places + count * 4 + (place & 0x7fff_ffff) * 8))?;
        self.index.read_exact(&mut eight)?;
        Ok(u64::from_be_bytes(eight))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a pack is damaged")
}
