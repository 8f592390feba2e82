//! The refresh lock: one thread refreshes the index at a time, the others wait while a condition of theirs holds.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A mutex whose waiters can give up.
#[derive(Default)]
pub(crate) struct RefreshLock {
    locked: Mutex<bool>,
    changed: Condvar,
}

/// Releases the lock when dropped.
pub(crate) struct RefreshGuard<'l>(&'l RefreshLock);

impl RefreshLock {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.locked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lock while `keeps_waiting` holds; checks that at every notification and after every `poll`.
    pub(crate) fn wait(
        &self,
        poll: Duration,
        mut keeps_waiting: impl FnMut() -> bool,
    ) -> Option<RefreshGuard<'_>> {
        let mut locked = self.lock();
        while *locked {
            if !keeps_waiting() {
                return None;
            }
            locked = self.changed.wait_timeout(locked, poll).unwrap_or_else(PoisonError::into_inner).0;
        }
        *locked = true;
        Some(RefreshGuard(self))
    }

    /// Makes all waiters check whether they still have to wait.
    pub(crate) fn wake_waiters(&self) {
        let _locked = self.lock();
        self.changed.notify_all();
    }
}

impl Drop for RefreshGuard<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        // Several waiters may find their work done: they go on at the same time.
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_holds_the_lock_and_waiters_can_give_up() {
        let lock = RefreshLock::default();
        let first = lock.wait(Duration::ZERO, || false).expect("the lock is free");
        assert!(lock.wait(Duration::ZERO, || false).is_none());
        drop(first);
        assert!(lock.wait(Duration::ZERO, || false).is_some());
        std::thread::scope(|scope| {
            let held = lock.wait(Duration::ZERO, || false).expect("the lock is free");
            let waiting = scope.spawn(|| lock.wait(Duration::from_mins(1), || true).is_some());
            std::thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waiting.join().expect("no panic"));
        });
    }
}
