//! A counting allocator for the parser runtime, so that a parse can be stopped before it takes too much memory.
//!
//! The runtime takes its allocator as four C functions. Ours write the requested size in front of each block and keep sums
//! per thread, so that the memory of a parse is the same number on every machine, independent of other threads and of the
//! rounding of the allocator below. External scanners of grammars allocate by themselves and are not counted; the
//! runtime's buffer for their state bounds what they keep.
#![expect(unsafe_code, reason = "the runtime takes its allocator as C functions over raw pointers")]

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;
use tree_sitter::{Allocator, Parser, QueryCursor};

/// Size of the header in front of each block: the alignment that `malloc` guarantees.
const HEADER: usize = 16;
/// The size of the list that the runtime allocates when it begins to recover from an error: a pointer and two numbers.
/// Nothing else of that size comes from `malloc`, so that counting these blocks counts recoveries, which the runtime does
/// not report.
const SUMMARY: usize = size_of::<*mut c_void>() + 2 * size_of::<u32>();

/// Minimum size of a large block: larger than any node of a tree or of the parser's stack.
const LARGE: usize = 512;

thread_local! {
    static HELD: Cell<u64> = const { Cell::new(0) };
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static RECOVERIES: Cell<u64> = const { Cell::new(0) };
    static COPIED: Cell<u64> = const { Cell::new(0) };
}

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// A parser whose memory is counted.
#[must_use]
pub fn parser() -> Parser {
    install();
    Parser::new()
}

/// A query cursor whose memory is counted.
#[must_use]
pub fn query_cursor() -> QueryCursor {
    install();
    QueryCursor::new()
}

/// Measures what the runtime allocates on this thread, from its creation on.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    held: u64,
    allocations: u64,
    recoveries: u64,
    copied: u64,
}

impl Meter {
    /// Starts counting. Call it before creating the parser to measure.
    #[must_use]
    pub fn start() -> Self {
        Self {
            held: HELD.get(),
            allocations: ALLOCATIONS.get(),
            recoveries: RECOVERIES.get(),
            copied: COPIED.get(),
        }
    }

    /// The number of bytes currently held, by requested size.
    #[must_use]
    pub fn held(&self) -> u64 {
        HELD.get().saturating_sub(self.held)
    }

    /// The number of error recoveries of the parser.
    #[must_use]
    pub fn recoveries(&self) -> u64 {
        RECOVERIES.get().wrapping_sub(self.recoveries)
    }

    /// The number of bytes allocated in large blocks: copies of a large scanner state, which takes as long again to read back
    /// for every token, and copies of long lists of nodes.
    #[must_use]
    pub fn copied(&self) -> u64 {
        COPIED.get().wrapping_sub(self.copied)
    }

    /// The number of allocations.
    #[must_use]
    pub fn allocations(&self) -> u64 {
        ALLOCATIONS.get().wrapping_sub(self.allocations)
    }
}

/// Makes the runtime use the counting allocator. Only this crate creates objects of the runtime that allocate, and it calls
/// this first, so that no block of another allocator ever gets here.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let counting = Allocator {
            malloc: counting_malloc,
            calloc: counting_calloc,
            realloc: counting_realloc,
            free: counting_free,
        };
        // SAFETY: the four functions belong together, never return null for a size above zero (they abort instead), keep
        // the alignment of `malloc`, and are set before any object of the runtime exists; `Once` keeps threads apart.
        unsafe { tree_sitter::set_allocator(Some(counting)) }
    });
}

fn count(size: usize) {
    HELD.set(HELD.get().wrapping_add((size + HEADER) as u64));
    ALLOCATIONS.set(ALLOCATIONS.get().wrapping_add(1));
}

fn uncount(size: usize) {
    // Wraps if a block is freed on another thread than it was allocated on; only differences are used.
    HELD.set(HELD.get().wrapping_sub((size + HEADER) as u64));
}

/// The size of a block with its header. On overflow the process aborts, as it would without memory.
fn with_header(size: usize) -> usize {
    size.checked_add(HEADER).unwrap_or_else(|| std::process::abort())
}

/// Writes the size of a block into its header; returns the address after the header.
///
/// # Safety
///
/// `block` comes from `malloc` and its kin, with room for the header, or is null.
unsafe fn sealed(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // As the runtime does by default: there is no way to report an allocation failure to it.
        std::process::abort();
    }
    // SAFETY: the block has room for the header, and is aligned for any type of that size.
    unsafe {
        block.cast::<usize>().write(size);
        block.byte_add(HEADER)
    }
}

/// The block with its header, and its size.
///
/// # Safety
///
/// `behind` was returned by [`sealed`] and not freed since.
unsafe fn opened(behind: *mut c_void) -> (*mut c_void, usize) {
    // SAFETY: the header is in front of it.
    unsafe {
        let block = behind.byte_sub(HEADER);
        (block, block.cast::<usize>().read())
    }
}

unsafe extern "C" fn counting_malloc(size: usize) -> *mut c_void {
    // SAFETY: a plain call; the result has room for header and size.
    let block = unsafe { sealed(malloc(with_header(size)), size) };
    count(size);
    if size == SUMMARY {
        RECOVERIES.set(RECOVERIES.get().wrapping_add(1));
    } else if size >= LARGE {
        COPIED.set(COPIED.get().wrapping_add(size as u64));
    }
    block
}

unsafe extern "C" fn counting_calloc(items: usize, size: usize) -> *mut c_void {
    let size = items.checked_mul(size).unwrap_or_else(|| std::process::abort());
    // SAFETY: a plain call; the result has room for header and size.
    let block = unsafe { sealed(calloc(1, with_header(size)), size) };
    count(size);
    block
}

unsafe extern "C" fn counting_realloc(behind: *mut c_void, size: usize) -> *mut c_void {
    if behind.is_null() {
        // SAFETY: without a block this is `malloc`.
        return unsafe { counting_malloc(size) };
    }
    // SAFETY: the runtime only hands us blocks of ours, each once.
    unsafe {
        let (block, before) = opened(behind);
        let block = sealed(realloc(block, with_header(size)), size);
        uncount(before);
        count(size);
        block
    }
}

unsafe extern "C" fn counting_free(behind: *mut c_void) {
    if behind.is_null() {
        return;
    }
    // SAFETY: the runtime only hands us blocks of ours, each once.
    unsafe {
        let (block, size) = opened(behind);
        uncount(size);
        free(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(meter: &Meter, text: &str) -> u64 {
        let mut parser = parser();
        parser
            .set_language(&crate::grammar("json").expect("it is compiled in"))
            .expect("it fits the runtime");
        let tree = parser.parse(text, None).expect("it parses");
        drop(parser);
        let held = meter.held();
        drop(tree);
        held
    }

    #[test]
    fn what_a_parse_holds_is_the_same_whatever_was_parsed_before() {
        let text = "[1, {\"a\": [2, 3]}]".repeat(50);
        let held: Vec<u64> = (0..3).map(|_| parse(&Meter::start(), &text)).collect();
        assert!(held[0] > 1000 && held.iter().all(|&it| it == held[0]), "{held:?}");
        let meter = Meter::start();
        parse(&meter, "[1]");
        assert_eq!(meter.held(), 0, "all of it is given back");
        assert!(meter.allocations() > 0);
    }

    #[test]
    fn other_threads_do_not_count() {
        let meter = Meter::start();
        std::thread::scope(|scope| drop(scope.spawn(|| parse(&Meter::start(), "[1, 2, 3]"))));
        assert_eq!((meter.held(), meter.allocations()), (0, 0));
    }
}
