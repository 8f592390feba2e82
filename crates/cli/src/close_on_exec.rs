//! Sets the close-on-exec flag on inherited file descriptors: a daemon that kept a pipe open would block its reader for ever.

use rustix::io::{FdFlags, fcntl_setfd};
use std::os::fd::{BorrowedFd, RawFd};
use std::path::Path;

/// The first descriptor after standard input, output and error.
const FIRST_OTHER: RawFd = 3;

/// Keeps inherited descriptors from processes that are started from now on. The descriptors that we open have the flag already.
pub(crate) fn mark_inherited_files() {
    let directory = Path::new("/proc/self/fd");
    let Ok(entries) = directory.read_dir() else { return };
    let numbers: Vec<RawFd> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number >= FIRST_OTHER) {
        // The listed directory was among them, and is closed now.
        if directory.join(number.to_string()).symlink_metadata().is_ok() {
            #[expect(unsafe_code, reason = "no safe handle exists for inherited descriptors")]
            // SAFETY: it was open just now, and the process closes no descriptors while it is about to exit.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            // A failure for one descriptor is harmless.
            let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
        }
    }
}
