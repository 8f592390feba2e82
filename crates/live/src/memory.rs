//! Memory that indexing needed and a server that waits does not.

/// After this many files the C library's allocator holds on to much that is free, scattered among what is not.
const MANY: usize = 500;

/// Gives memory that is free back to the system, where so many files were read.
pub(crate) fn give_back(files: usize) {
    if files >= MANY {
        trim();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the one door to this is a function of the C library")]
fn trim() {
    // SAFETY: it takes no memory of ours, and may be called at any time by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn trim() {}
