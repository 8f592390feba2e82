//! What a process we start gets of the files we were started with: a pipe that it kept would never end for whoever reads it.

use rustix::io::{FdFlags, fcntl_setfd};
use std::os::fd::{BorrowedFd, RawFd};
use std::path::Path;

/// The first file beyond input, output and errors.
const BEYOND: RawFd = 3;

/// Keeps all files beyond input, output and errors from processes that are started from now on. Our own are kept anyway;
/// these are those that whoever started us left open.
pub(crate) fn mark_inherited_files() {
    let folder = Path::new("/proc/self/fd");
    let Ok(entries) = folder.read_dir() else { return };
    let numbers: Vec<RawFd> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number >= BEYOND) {
        // The folder itself was among them, and is closed by now.
        if folder.join(number.to_string()).symlink_metadata().is_ok() {
            #[expect(unsafe_code, reason = "nobody else has a name for what we were started with")]
            // SAFETY: it is open, as was just seen, and nothing is closed while the process is about to end.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            // One that cannot be kept back is no reason to fail.
            let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
        }
    }
}
