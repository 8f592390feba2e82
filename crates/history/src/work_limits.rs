//! Limits on the work of a question about history. A few objects can describe any number of files, lines and comparisons; what does not fit
//! is left out, and the commit is named.

use crate::error::HistoryError;

/// The share of a question's memory that one list of files may use.
const LISTING_SHARE: usize = 2;
/// What an entry of a list takes besides its path.
const ENTRY_BYTES: usize = 160;
/// Limits for a question that states none, in bytes.
const DEFAULT_MEMORY: usize = 512 << 20;

/// The limits of one object store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkLimits {
    listing: usize,
}

impl Default for WorkLimits {
    fn default() -> Self {
        Self::of_memory(DEFAULT_MEMORY)
    }
}

impl WorkLimits {
    /// Limits for a question that may use about this many bytes.
    pub(crate) fn of_memory(bytes: usize) -> Self {
        Self { listing: bytes / LISTING_SHARE }
    }

    /// The room for a list of files.
    pub(crate) fn listing(self) -> ListingRoom {
        ListingRoom { left: self.listing, used: 0 }
    }
}

/// The room that is left for a list of files.
pub(crate) struct ListingRoom {
    left: usize,
    used: usize,
}

impl ListingRoom {
    /// Takes room for an entry. An error if none is left, with the number of entries so far.
    pub(crate) fn take(&mut self, path: &[u8]) -> Result<(), HistoryError> {
        let bytes = ENTRY_BYTES + path.len();
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => return Err(HistoryError::TooManyFiles { commit: String::new(), limit: self.used }),
        }
        self.used += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_take_as_much_room_as_many_files() {
        let count = |path: &[u8]| {
            let mut room = WorkLimits::of_memory(1 << 20).listing();
            (0..1_000_000).take_while(|_| room.take(path).is_ok()).count()
        };
        assert_eq!(count(b""), (1 << 19) / ENTRY_BYTES);
        assert_eq!(count(&vec![b'a'; 1 << 18]), 1);
    }
}
