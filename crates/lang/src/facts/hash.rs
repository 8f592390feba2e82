//! A small, stable hash: the same number on every machine and in every release of the compiler.

const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes bytes, eight at a time.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64 ^ PRIME;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("chunks are of eight bytes"));
        sum = mix(sum, word);
    }
    let mut rest = [0; 8];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    mix(sum, u64::from_le_bytes(rest))
}

/// Folds one number into a sum.
pub(crate) fn mix(sum: u64, word: u64) -> u64 {
    let wide = u128::from(sum ^ word) * u128::from(PRIME | 1);
    (wide as u64) ^ ((wide >> 64) as u64) ^ sum.rotate_left(23)
}

/// Hashes the bodies of a file's definitions, one inside the other.
pub(crate) struct BodyHasher {
    /// How many bytes may still be hashed.
    left: usize,
}

impl BodyHasher {
    /// Hashes each byte of a file once for every body around it, for so many bodies on average.
    const LEVELS: usize = 64;

    pub(crate) fn of_file(bytes: usize) -> Self {
        Self { left: bytes.saturating_mul(Self::LEVELS) }
    }

    /// The hash of a body; 0, which stands for none, once bodies inside one another have added up to too much.
    pub(crate) fn hash(&mut self, body: &[u8]) -> u64 {
        match self.left.checked_sub(body.len()) {
            Some(left) => {
                self.left = left;
                hash(body)
            }
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_same_everywhere() {
        assert_ne!(hash(b""), hash(b"\0"));
        assert_ne!(hash(b"abcdefgh1"), hash(b"abcdefgh2"));
        assert_eq!(hash(b"orient"), hash(&b"xorient"[1..]));
    }

    #[test]
    fn hashing_ends_where_bodies_add_up_to_too_much() {
        let body = vec![b'a'; 100];
        let mut hasher = BodyHasher::of_file(body.len());
        let hashed = (0..100).filter(|_| hasher.hash(&body) != 0).count();
        assert_eq!(hashed, BodyHasher::LEVELS);
    }
}
