//! Creates stamps from file metadata, and decides when they can be trusted.

use orient_model::Stamp;
use std::fs::Metadata;
use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: i64 = 1_000_000_000;
/// File systems that store whole seconds have a resolution of one or two seconds.
const COARSE_STEP: i64 = 2 * SECOND;
/// Times with fractions come from the kernel's tick: at most 10 ms, here with a margin of factor ten.
const FINE_STEP: i64 = SECOND / 10;

/// The stamp of a file from its metadata.
#[cfg(unix)]
pub(crate) fn of(metadata: &Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    Stamp {
        size: metadata.len(),
        mtime_ns: metadata.mtime().saturating_mul(SECOND).saturating_add(metadata.mtime_nsec()),
        ctime_ns: metadata.ctime().saturating_mul(SECOND).saturating_add(metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

/// The same from the result of the system call.
#[cfg(unix)]
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::unnecessary_cast,
    reason = "the types differ from system to system; times and sizes fit all of them"
)]
pub(crate) fn of_stat(stat: &rustix::fs::Stat) -> Stamp {
    let time = |seconds: i64, nanoseconds: i64| seconds.saturating_mul(SECOND).saturating_add(nanoseconds);
    Stamp {
        size: stat.st_size as u64,
        mtime_ns: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
    }
}

/// The stamp of a file from its metadata.
#[cfg(not(unix))]
pub(crate) fn of(metadata: &Metadata) -> Stamp {
    let mtime_ns = metadata.modified().map_or(0, nanoseconds);
    Stamp { size: metadata.len(), mtime_ns, ctime_ns: 0, inode: 0 }
}

/// The current time on the clock of stamps.
pub(crate) fn now() -> i64 {
    nanoseconds(SystemTime::now())
}

/// The stamp to store for content read at `now`: untrusted if the file changed so recently that another change could
/// have the same time.
pub(crate) fn trusted_at(stamp: Stamp, now: i64) -> Stamp {
    let changed = stamp.ctime_ns != 0 && stamp.ctime_ns >= now - step(stamp.ctime_ns);
    // A time in the future was set explicitly; a ctime, if there is one, cannot be.
    let near = step(stamp.mtime_ns);
    let ahead = stamp.mtime_ns > now + near && stamp.ctime_ns != 0;
    let modified = stamp.mtime_ns >= now - near && !ahead;
    if changed || modified { Stamp::untrusted() } else { stamp }
}

/// The minimum difference between two changes that this time can tell apart.
fn step(time: i64) -> i64 {
    if time % SECOND == 0 { COARSE_STEP } else { FINE_STEP }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(mtime_ns: i64, ctime_ns: i64) -> Stamp {
        Stamp { size: 1, mtime_ns, ctime_ns, inode: 1 }
    }

    #[test]
    fn a_stamp_is_trusted_once_the_clock_has_moved_on() {
        let now = 1_000 * SECOND + 7;
        let old = stamp(900 * SECOND + 1, 900 * SECOND + 1);
        assert_eq!(trusted_at(old, now), old);
        let just_now = stamp(now - 5, now - 5);
        assert_eq!(trusted_at(just_now, now), Stamp::untrusted());
        let fine = stamp(now - FINE_STEP - 5, now - FINE_STEP - 5);
        assert_eq!(trusted_at(fine, now), fine);
    }

    #[test]
    fn whole_seconds_are_taken_for_a_coarse_clock() {
        let now = 1_000 * SECOND + 7;
        assert_eq!(trusted_at(stamp(999 * SECOND, 999 * SECOND), now), Stamp::untrusted());
        assert_eq!(trusted_at(stamp(999 * SECOND, 0), now), Stamp::untrusted());
        let unpacked = stamp(5 * SECOND, 999 * SECOND + 3);
        assert_eq!(trusted_at(unpacked, now), unpacked, "an old time from an archive, changed a second ago");
    }

    #[test]
    fn a_time_in_the_future_is_trusted_only_where_a_ctime_vouches_for_it() {
        let now = 1_000 * SECOND + 7;
        let future = stamp(5_000 * SECOND, 900 * SECOND + 1);
        assert_eq!(trusted_at(future, now), future);
        assert_eq!(trusted_at(stamp(5_000 * SECOND, 0), now), Stamp::untrusted());
        assert_eq!(trusted_at(stamp(1, 5_000 * SECOND), now), Stamp::untrusted());
    }
}
