//! Skipped files as the index stores them.

use orient_model::Stamp;
use orient_store::{FileRow, INDEXED};
use orient_walk::SkipReason;

/// Why a file was skipped.
pub(crate) fn skip_reason(row: &FileRow) -> Option<SkipReason> {
    if row.status == INDEXED {
        return None;
    }
    SkipReason::from_parts(row.status, row.detail.as_deref().unwrap_or_default())
}

/// The stamp stored for a file that is too large for facts: one that no file has, so that the file is read again once it is within the
/// limit, because it shrank or the limit grew.
pub(crate) fn large_file_stamp(stamp: Stamp) -> Stamp {
    if stamp.is_trusted() { Stamp { size: !stamp.size, ..stamp } } else { stamp }
}
