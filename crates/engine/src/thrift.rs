//! Memory that is free and not given back: what many files leave behind in the allocator of the C library.

use crate::progress::{Phase, Progress};
use std::cell::Cell;
use std::time::Duration;

/// After this many files the allocator holds on to much that is free, scattered among what is not.
const MANY: u64 = 500;
/// While work goes on, giving back is worth its time after so many more.
const MANY_MORE: u64 = 2000;

/// Gives memory that is free back to the system, where so many files were read.
pub fn give_back(files: usize) {
    if files as u64 >= MANY {
        trim();
    }
}

/// Passes progress on, and gives memory back between the phases of long work and now and then within them.
pub(crate) struct Thrifty<'p> {
    told: &'p dyn Progress,
    /// Files that passed since.
    files: Cell<u64>,
}

impl<'p> Thrifty<'p> {
    pub(crate) fn new(told: &'p dyn Progress) -> Self {
        Self { told, files: Cell::new(0) }
    }

    fn trim_after(&self, many: u64) {
        if self.files.get() >= many {
            self.files.set(0);
            trim();
        }
    }
}

impl Progress for Thrifty<'_> {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.told.phase(phase, files, bytes);
        self.trim_after(MANY);
    }

    fn tick(&self, files: u64, bytes: u64) {
        self.told.tick(files, bytes);
        self.files.set(self.files.get() + files);
        self.trim_after(MANY_MORE);
    }

    fn waiting(&self, holder: Option<u32>, waited: Duration) {
        self.told.waiting(holder, waited);
    }

    fn done(&self) {
        self.told.done();
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
