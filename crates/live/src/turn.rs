//! One brings the index up to date at a time; the others wait for their turn, as long as they can.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Whose turn it is.
#[derive(Default)]
pub(crate) struct Turns {
    taken: Mutex<bool>,
    given_back: Condvar,
}

/// A turn; given back when dropped.
pub(crate) struct Turn<'t>(&'t Turns);

impl Turns {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn while `patient` says so, which is asked again and again.
    pub(crate) fn wait(&self, every: Duration, mut patient: impl FnMut() -> bool) -> Option<Turn<'_>> {
        let mut taken = self.lock();
        while *taken {
            if !patient() {
                return None;
            }
            taken = self.given_back.wait_timeout(taken, every).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = true;
        Some(Turn(self))
    }

    /// Lets all who wait ask whether they still have to.
    pub(crate) fn look_up(&self) {
        let _taken = self.lock();
        self.given_back.notify_all();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.lock() = false;
        // Many may find that what they waited for is done: they go on at once, not one after the other.
        self.0.given_back.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_had_by_one_at_a_time_and_patience_ends() {
        let turns = Turns::default();
        let first = turns.wait(Duration::ZERO, || false).expect("nobody has it");
        assert!(turns.wait(Duration::ZERO, || false).is_none());
        drop(first);
        assert!(turns.wait(Duration::ZERO, || false).is_some());
        std::thread::scope(|scope| {
            let held = turns.wait(Duration::ZERO, || false).expect("nobody has it");
            let waiting = scope.spawn(|| turns.wait(Duration::from_mins(1), || true).is_some());
            std::thread::sleep(Duration::from_millis(20));
            drop(held);
            assert!(waiting.join().expect("no panic"));
        });
    }
}
