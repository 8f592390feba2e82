//! The global allocator, mimalloc: for Rust, and as `malloc` for the parsers and the database.

use std::ffi::{c_int, c_long};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of mimalloc's option `purge_delay`: milliseconds until free memory goes back to the system.
const PURGE_DELAY: c_int = 15;
/// The default of the allocator.
const USUAL_DELAY: c_long = 10;

#[expect(unsafe_code, reason = "the allocator's crate has no binding for its options")]
unsafe extern "C" {
    /// Sets an option of the allocator; ignores an unknown one.
    safe fn mi_option_set(option: c_int, value: c_long);
    /// Releases the memory that a thread caches, and free memory that belongs to no thread.
    safe fn mi_collect(force: bool);
}

/// Returns free memory to the system immediately, in normal pages. By default the allocator purges only at its next allocation and
/// uses huge pages: an idle process would keep the memory of its last work. Short-lived commands are slightly faster without this.
pub(crate) fn release_memory_early() {
    mi_option_set(PURGE_DELAY, 0);
    disable_huge_pages();
}

/// Lets a server keep memory from one call to the next: returning it at once and zeroing new pages took half of the time of a call.
/// The server calls [`release_free_memory`] when it is idle.
pub(crate) fn keep_memory_between_calls() {
    mi_option_set(PURGE_DELAY, USUAL_DELAY);
}

/// Disables huge pages. The kernel takes a third of a millisecond to zero one, for every thread: a tenth of the time of a 10 ms
/// command. Building an index is 5 % faster with them.
pub(crate) fn disable_huge_pages() {
    #[cfg(target_os = "linux")]
    // A failure costs memory and time, nothing else.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Releases the free memory of the process, and what this thread caches.
pub(crate) fn release_free_memory() {
    mi_collect(true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(unsafe_code, reason = "as above")]
    unsafe extern "C" {
        safe fn mi_option_get(option: c_int) -> c_long;
    }

    #[test]
    fn the_option_number_is_purge_delay() {
        assert_eq!(mi_option_get(PURGE_DELAY), USUAL_DELAY, "the default of the allocator's manual");
        release_memory_early();
        assert_eq!(mi_option_get(PURGE_DELAY), 0);
        keep_memory_between_calls();
        assert_eq!(mi_option_get(PURGE_DELAY), USUAL_DELAY);
    }
}
