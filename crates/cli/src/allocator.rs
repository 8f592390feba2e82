//! Where all memory comes from: that of Rust, of the parsers and of the store, whose own `malloc` it takes the place of.

use std::ffi::{c_int, c_long};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number under which the allocator knows how many milliseconds it keeps what is free.
const PURGE_DELAY: c_int = 15;

#[expect(unsafe_code, reason = "the allocator's crate has no name for its options")]
unsafe extern "C" {
    /// Sets an option of the allocator. An unknown one is left alone.
    safe fn mi_option_set(option: c_int, value: c_long);
    /// Gives back what a thread keeps for its next work.
    safe fn mi_collect(force: bool);
}

/// Has what is free given back to the system at once, in pages of the usual size. By itself the allocator does that when
/// it is next asked for memory, and asks for huge pages: a server that has nothing to do would keep what its last work
/// took, and what lies around the little that is left of it. A command that comes and goes is a little faster without this.
pub(crate) fn give_back_at_once() {
    mi_option_set(PURGE_DELAY, 0);
    do_without_huge_pages();
}

/// Has memory come in pages of the usual size. A huge one takes a third of a millisecond to be made empty, and each thread
/// has its own: for who is done in ten, that is a tenth of the time. Who builds an index is a twentieth faster with them.
pub(crate) fn do_without_huge_pages() {
    #[cfg(target_os = "linux")]
    // Where that cannot be chosen, it costs memory and time and nothing else.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Gives back what the thread keeps for its next work: some memory of every size it ever asked for. A server has twenty
/// threads, and as each of them comes to do every kind of work, that grows to more than all that is in use.
pub(crate) fn give_back_of_thread() {
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
    fn the_option_is_the_one_that_is_meant() {
        assert_eq!(mi_option_get(PURGE_DELAY), 10, "the delay that the allocator's manual names");
        give_back_at_once();
        assert_eq!(mi_option_get(PURGE_DELAY), 0);
    }
}
