//! Processes a list on many threads, chunk by chunk.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Calls `each` with every chunk of a list, on many threads, until one call returns false. Returns whether none did.
pub fn parallel_chunks<T: Sync>(
    list: &[T],
    size: usize,
    threads: usize,
    each: impl Fn(&[T]) -> bool + Sync,
) -> bool {
    let size = size.max(1);
    let (next, goes_on) = (AtomicUsize::new(0), AtomicBool::new(true));
    let serve = || {
        while goes_on.load(Ordering::Relaxed) {
            let from = next.fetch_add(size, Ordering::Relaxed);
            let Some(piece) = list.get(from..list.len().min(from + size)).filter(|piece| !piece.is_empty())
            else {
                return;
            };
            if !each(piece) {
                goes_on.store(false, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(list.len().div_ceil(size)) {
            scope.spawn(serve);
        }
        serve();
    });
    goes_on.into_inner()
}
