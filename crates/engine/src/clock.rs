//! The current day, for the age of cache entries.

use std::time::{SystemTime, UNIX_EPOCH};

/// Days since 1970, to find entries that were not used for long.
pub(crate) fn today() -> u32 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u32::try_from(seconds / 86_400).unwrap_or(u32::MAX)
}
