//! The format version of an index, and the check of a database header.

use crate::connection::database_path::DatabasePath;
use crate::error::{AtPath, StoreError};
use crate::integrity::page_checksum::RESERVED;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The format of `index.db` that this program writes. What each format added:
/// 1: files, outlines, names, symbols, tags, chunks.
/// 2: the graph, and which files are project files.
/// 3: trigrams, tree manifests.
/// 4: terms and vectors of chunks.
/// 5: a shorter encoding of posting lists with one document, and of vectors.
/// 6: file dependencies.
/// 7: the version of the embedder, vectors in smaller rows, compressed tree manifests.
/// 8: the files that are owed resolution.
/// 9: a hash that distinguishes names with the same prefix.
/// 10: adjacency lists of edges and of name dependencies.
/// 11: an index of unread files; the roles of large files; issues for the memory limit of parsers; a checksum and the
///     identity of the database in every page.
/// 12: trigrams and terms share one encoding of posting lists; tables renamed.
/// 13: what each file says about the surface of the program.
/// 14: surface entries besides routes.
pub const FORMAT: u32 = 14;

/// The application id in the header of our databases: "Ornt".
pub(crate) const APPLICATION: u32 = 0x4f72_6e74;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Bytes 21 to 23 of every SQLite database, which the file format prescribes.
const FIXED: [u8; 3] = [64, 32, 32];

/// The header of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: u32,
}

impl Header {
    /// Reads and checks the header without opening the database: whether the file is ours and is not truncated.
    pub(crate) fn read(at: &DatabasePath) -> Result<Self, StoreError> {
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
            return Err(StoreError::damaged(path, "its header is invalid"));
        }
        if number(68) != APPLICATION {
            return Err(StoreError::damaged(path, "a database of another program"));
        }
        if number(60) == FORMAT && usize::from(bytes[20]) != RESERVED {
            return Err(StoreError::damaged(path, "its header is invalid"));
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

    /// An error if this program cannot read the format.
    pub(crate) fn check(self, path: &Path) -> Result<(), StoreError> {
        let (path, found, known) = (path.to_path_buf(), self.format, FORMAT);
        match found {
            FORMAT => Ok(()),
            found if found > FORMAT => Err(StoreError::Newer { path, found, known }),
            _ => Err(StoreError::Outdated { path, found, known }),
        }
    }
}
