//! What tells one state of a file from another: cheaply by its stamp, surely by its content hash.

use std::fmt;

/// What the file system says of a file: a cheap identity of its content.
///
/// Equal stamps mean "not looked at again"; a stamp that cannot promise that is [`Stamp::untrusted`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// When the content was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When content or attributes were last changed, in nanoseconds since 1970; zero where the platform has none.
    pub ctime_ns: i64,
    /// The number of the file in its file system; zero where the platform has none.
    pub inode: u64,
}

impl Stamp {
    /// The stamp of a file that may have changed while it was read: it equals no stamp a file system gives, so
    /// that the file is looked at again.
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
