//! The identity of a file's content: a cheap stamp, and a content hash.

use std::fmt;

/// The metadata of a file: a cheap identity of its content.
///
/// A file with an equal stamp is not read again; a stamp that does not guarantee equal content is
/// [`Stamp::untrusted`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// The mtime in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The ctime in nanoseconds since 1970; zero if the platform has none.
    pub ctime_ns: i64,
    /// The inode; zero if the platform has none.
    pub inode: u64,
}

impl Stamp {
    /// The stamp of a file that may have changed while it was read: it equals no stamp of a file system, so that the
    /// file is read again.
    pub fn untrusted() -> Self {
        Self::default()
    }

    /// Whether an equal stamp means equal content.
    pub fn is_trusted(&self) -> bool {
        *self != Self::untrusted()
    }
}

/// The first sixteen bytes of the cryptographic hash of a file's content.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 16]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_stamp_is_told_from_a_real_one() {
        assert!(!Stamp::untrusted().is_trusted());
        assert!(Stamp { size: 0, mtime_ns: 1, ctime_ns: 1, inode: 7 }.is_trusted());
    }

    #[test]
    fn a_hash_is_shown_as_hexadecimal() {
        let mut bytes = [0; 16];
        bytes[0] = 0xab;
        assert_eq!(ContentHash(bytes).to_string(), "ab000000000000000000000000000000");
    }
}
