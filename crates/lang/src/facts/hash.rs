//! A stable 64-bit hash by multiply and fold: the same on every machine and with every compiler; and the hashes of bodies.

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

/// Folds one word into a running hash.
pub(crate) fn mix(sum: u64, word: u64) -> u64 {
    let wide = u128::from(sum ^ word) * u128::from(PRIME | 1);
    (wide as u64) ^ ((wide >> 64) as u64) ^ sum.rotate_left(23)
}

/// Hashes the bodies of a file's definitions within a budget, because bodies nest.
///
/// Example: in `class A { f() { … 100 bytes … } }` the bytes of `f` are hashed twice, once in the body of `f` and once in
/// that of `A`. A file of 1,000 functions inside one another would hash half a million times its average body; the budget
/// ends that after [`Self::LEVELS`] times the file.
pub(crate) struct BodyHasher {
    /// Number of bytes that may still be hashed.
    left: usize,
}

impl BodyHasher {
    /// The average number of bodies around a byte that the budget allows.
    const LEVELS: usize = 64;

    pub(crate) fn of_file(bytes: usize) -> Self {
        Self { left: bytes.saturating_mul(Self::LEVELS) }
    }

    /// The hash of a body; 0, which means none, once the budget is spent.
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
    fn hashing_stops_when_the_budget_is_spent() {
        let body = vec![b'a'; 100];
        let mut hasher = BodyHasher::of_file(body.len());
        let hashed = (0..100).filter(|_| hasher.hash(&body) != 0).count();
        assert_eq!(hashed, BodyHasher::LEVELS);
    }
}
