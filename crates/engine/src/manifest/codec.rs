//! The binary encoding of manifests: header, integers, strings, stamps and fingerprints.

use orient_model::Stamp;
use orient_walk::RuleFileState;
use std::path::PathBuf;

/// Version of the encoding.
pub(super) const FORM: u8 = 2;

/// Encoded length of a stamp.
pub(super) const STAMP: usize = 32;
/// The header of a tree manifest.
#[derive(Clone, Copy)]
pub(crate) struct ManifestHeader {
    pub(super) key: [u8; 16],
    /// Hash of directories, ignore files and files with their ids. A search manifest is valid only for the same hash.
    pub(super) base: [u8; 16],
}

impl ManifestHeader {
    /// Encodes the header.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        [&[FORM], self.key.as_slice(), &self.base].concat()
    }

    /// The header of a manifest that was written under the same settings.
    pub(crate) fn read(bytes: &[u8], key: [u8; 16]) -> Option<Self> {
        Decoder(bytes).head(key)
    }
}

/// A 16-byte hash of encoded bytes.
pub(super) fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

/// Encodes a manifest.
pub(super) struct Encoder(pub(super) Vec<u8>);

impl Encoder {
    pub(super) fn number(&mut self, number: usize) {
        self.0.extend_from_slice(&(number as u32).to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.number(text.len());
        self.0.extend_from_slice(text);
    }

    pub(super) fn stamp(&mut self, stamp: Stamp) {
        self.0.extend_from_slice(&stamp.size.to_le_bytes());
        self.0.extend_from_slice(&stamp.mtime_ns.to_le_bytes());
        self.0.extend_from_slice(&stamp.ctime_ns.to_le_bytes());
        self.0.extend_from_slice(&stamp.inode.to_le_bytes());
    }

    pub(super) fn fingerprint<'f>(
        &mut self,
        sources: &[(PathBuf, RuleFileState)],
        directories: impl ExactSizeIterator<Item = (&'f [u8], Stamp)>,
    ) {
        self.number(sources.len());
        for (path, state) in sources {
            self.text(path.as_os_str().as_encoded_bytes());
            match state {
                RuleFileState::Absent => self.0.push(0),
                RuleFileState::Present => self.0.push(1),
                RuleFileState::Stamp(stamp) => {
                    self.0.push(2);
                    self.stamp(*stamp);
                }
            }
        }
        self.number(directories.len());
        for (path, stamp) in directories {
            self.text(path);
            self.stamp(stamp);
        }
    }
}

/// The remaining bytes of a manifest that is being decoded.
pub(super) struct Decoder<'b>(pub(super) &'b [u8]);

impl<'b> Decoder<'b> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        self.0.split_off(..length)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?) as usize)
    }

    pub(super) fn text(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    pub(super) fn id(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn stamp(&mut self) -> Option<Stamp> {
        let ([size, mtime, ctime, inode], _) = self.take(STAMP)?.as_chunks() else { return None };
        Some(Stamp {
            size: u64::from_le_bytes(*size),
            mtime_ns: i64::from_le_bytes(*mtime),
            ctime_ns: i64::from_le_bytes(*ctime),
            inode: u64::from_le_bytes(*inode),
        })
    }

    pub(super) fn head(&mut self, key: [u8; 16]) -> Option<ManifestHeader> {
        let same = self.take(1)? == [FORM] && self.take(16)? == key;
        let base = self.take(16)?.try_into().ok()?;
        same.then_some(ManifestHeader { key, base })
    }

    #[expect(clippy::type_complexity, reason = "two lists of pairs")]
    pub(super) fn fingerprint(&mut self) -> Option<(Vec<(PathBuf, RuleFileState)>, Vec<(&'b [u8], Stamp)>)> {
        let mut sources = Vec::new();
        for _ in 0..self.number()? {
            let path = native(self.text()?)?;
            let state = match self.take(1)? {
                [0] => RuleFileState::Absent,
                [1] => RuleFileState::Present,
                [2] => RuleFileState::Stamp(self.stamp()?),
                _ => return None,
            };
            sources.push((path, state));
        }
        let mut directories = Vec::new();
        for _ in 0..self.number()? {
            directories.push((self.text()?, self.stamp()?));
        }
        Some((sources, directories))
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot express every name")]
fn native(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn native(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
