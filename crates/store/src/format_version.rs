//! Which files are ours, and which of them this program can read.

use crate::connection::database_path::Located;
use crate::error::{AtPath, StoreError};
use crate::integrity::page_checksum::RESERVED;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The format of `index.db` this program writes. One line of history per number:
/// 1: files, outlines, names, symbols, tags, chunks.
/// 2: the graph, and which files say where modules are; made from facts, so an older index is built anew.
/// 3: trigrams, sheets.
/// 4: terms and vectors of chunks.
/// 5: trigrams of one file only, and vectors, in fewer bits.
/// 6: which files a file looked at.
/// 7: what made the vectors, and these in smaller rows; sheets packed.
/// 8: which files have yet to be resolved.
/// 9: names are told apart by a mark where they begin alike.
/// 10: edges and names asked for, many in a row.
/// 11: which files could not be read, found without a look at all others; what large files are for; issues say that a parser
///     reached its limit on memory; every page ends with the identity of its file and a checksum.
pub const FORMAT: u32 = 11;

/// Says in the header of the file that it is ours: "Ornt".
pub(crate) const APPLICATION: u32 = 0x4f72_6e74;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes 21 to 23 of every database: three numbers the format prescribes.
const FIXED: [u8; 3] = [64, 32, 32];

/// What the first bytes of a database say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: u32,
}

impl Header {
    /// Reads and checks the header without opening the database: our file, known format, not cut short.
    pub(crate) fn read(at: &Located) -> Result<Self, StoreError> {
        let (path, mut file) = (&at.path, at.file()?);
        let mut bytes = [0; 100];
        match file.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(StoreError::damaged(path, "shorter than its header"));
            }
            Err(error) => return Err(StoreError::io(path, error)),
        }
        let number = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if &bytes[..16] != MAGIC {
            return Err(StoreError::damaged(path, "not a database"));
        }
        if !bytes[18..20].iter().all(|version| matches!(version, 1 | 2)) || bytes[21..24] != FIXED {
            return Err(StoreError::damaged(path, "its header makes no sense"));
        }
        if number(68) != APPLICATION {
            return Err(StoreError::damaged(path, "a database of another program"));
        }
        if number(60) == FORMAT && usize::from(bytes[20]) != RESERVED {
            return Err(StoreError::damaged(path, "its header makes no sense"));
        }
        let page = match u64::from(u16::from_be_bytes([bytes[16], bytes[17]])) {
            1 => 65_536,
            size => size,
        };
        let (pages, sure) = (u64::from(number(28)), number(24) == number(92));
        let length = file.length().at(path)?;
        if sure && length < pages * page && !at.has_log() {
            return Err(StoreError::damaged(
                path,
                format!("{length} bytes long, should be {}", pages * page),
            ));
        }
        Ok(Self { format: number(60) })
    }

    /// Refuses what this program cannot read.
    pub(crate) fn check(self, path: &Path) -> Result<(), StoreError> {
        let (path, found, known) = (path.to_path_buf(), self.format, FORMAT);
        match found {
            FORMAT => Ok(()),
            found if found > FORMAT => Err(StoreError::Newer { path, found, known }),
            _ => Err(StoreError::Outdated { path, found, known }),
        }
    }
}
