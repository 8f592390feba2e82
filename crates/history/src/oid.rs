//! Object ids: the SHA-1 of an object's type, size and content.

use sha1_smol::Sha1;
use std::fmt;
use std::io::{self, Read};

/// Length of an object id, in bytes.
pub(crate) const LENGTH: usize = 20;

/// The id of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Oid(pub(crate) [u8; LENGTH]);

impl Oid {
    /// Parses forty hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = nibbles(text)?;
        let mut bytes = [0; LENGTH];
        if digits.len() != 2 * LENGTH {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Some(Self(bytes))
    }

    /// Reads the first twenty bytes.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(*bytes.first_chunk()?))
    }

    /// Whether it starts with these hexadecimal digits.
    pub(crate) fn starts_with(&self, digits: &[u8]) -> bool {
        digits.iter().enumerate().all(|(at, &digit)| {
            self.0.get(at / 2).is_some_and(|byte| (if at % 2 == 0 { byte >> 4 } else { byte & 15 }) == digit)
        })
    }

    /// The id of a blob with this content. `None` if the content is not `size` bytes long.
    pub(crate) fn of_blob(mut content: impl Read, size: u64) -> io::Result<Option<Self>> {
        let mut sha = Sha1::new();
        sha.update(format!("blob {size}\0").as_bytes());
        let (mut buffer, mut seen) = (vec![0; 64 * 1024], 0_u64);
        loop {
            let read = content.read(&mut buffer)?;
            if read == 0 {
                return Ok((seen == size).then(|| Self(sha.digest().bytes())));
            }
            seen += read as u64;
            if seen > size {
                return Ok(None);
            }
            sha.update(&buffer[..read]);
        }
    }
}

/// The values of hexadecimal digits. `None` if there is any other character.
pub(crate) fn nibbles(text: &str) -> Option<Vec<u8>> {
    text.bytes().map(|byte| char::from(byte).to_digit(16).map(|digit| digit as u8)).collect()
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_id_is_the_one_git_computes() {
        let oid = Oid::of_blob(&b"hello\n"[..], 6).expect("it is read").expect("of that size");
        assert_eq!(oid.to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(Oid::parse(&oid.to_string()), Some(oid));
        assert!(oid.starts_with(&nibbles("ce013").expect("digits")));
        assert!(!oid.starts_with(&nibbles("ce014").expect("digits")));
        assert_eq!(Oid::of_blob(&b"hello\n"[..], 5).expect("it is read"), None);
        assert_eq!(Oid::parse("ce01"), None);
    }
}
