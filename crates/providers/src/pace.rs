//! Time and chance as providers meet them, and the gate that keeps requests apart.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What requests need of the machine besides the network. A test brings its own, in which no time is lost.
pub trait World: Send + Sync {
    /// The time since some moment that stays the same.
    fn now(&self) -> Duration;
    /// Waits; may end early when [`is_stopped`](Self::is_stopped).
    fn sleep(&self, time: Duration);
    /// Any number, so that many who failed together do not come back together.
    fn chance(&self) -> u64;
    /// Whether the caller wants to end.
    fn is_stopped(&self) -> bool;
}

/// How long a sleeper may miss that he is to end.
const NAP: Duration = Duration::from_millis(50);

/// The machine as it is.
pub struct Machine {
    begun: Instant,
    state: AtomicU64,
    stopped: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Machine {
    /// With a way to ask whether the caller wants to end.
    pub fn new(stopped: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let seed = RandomState::new().build_hasher().finish();
        Self { begun: Instant::now(), state: AtomicU64::new(seed), stopped: Box::new(stopped) }
    }
}

impl World for Machine {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn sleep(&self, time: Duration) {
        let until = self.now() + time;
        while !self.is_stopped() {
            let left = until.saturating_sub(self.now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(NAP));
        }
    }

    fn chance(&self) -> u64 {
        scattered(self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed))
    }

    fn is_stopped(&self) -> bool {
        (self.stopped)()
    }
}

/// A number that looks like no relation of the one it was made from.
fn scattered(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Lets requests through one by one: so many a minute, and none while the provider wants peace.
#[derive(Debug)]
pub(crate) struct Gate {
    apart: Duration,
    /// When the next request may begin.
    next: Mutex<Duration>,
    /// Until when the provider wants peace.
    closed: Mutex<Duration>,
}

impl Gate {
    /// A gate for so many requests a minute; 0 for no limit.
    pub(crate) fn new(per_minute: u32) -> Self {
        let apart = Duration::from_secs(60).checked_div(per_minute).unwrap_or_default();
        Self { apart, next: Mutex::default(), closed: Mutex::default() }
    }

    /// Waits for one's turn.
    pub(crate) fn pass(&self, world: &dyn World) {
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = world.now().max(*next);
            *next = turn + self.apart;
            turn
        };
        while !world.is_stopped() {
            // Looked at again after every wait: it may have been closed meanwhile.
            let until = turn.max(*self.closed.lock().unwrap_or_else(PoisonError::into_inner));
            let left = until.saturating_sub(world.now());
            if left.is_zero() {
                return;
            }
            world.sleep(left);
        }
    }

    /// Closes it for everybody until that moment.
    pub(crate) fn close(&self, until: Duration) {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        *closed = until.max(*closed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time passes by sleeping only.
    #[derive(Default)]
    struct Still(Mutex<Duration>);

    impl World for Still {
        fn now(&self) -> Duration {
            *self.0.lock().expect("one thread")
        }

        fn sleep(&self, time: Duration) {
            *self.0.lock().expect("one thread") += time;
        }

        fn chance(&self) -> u64 {
            0
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn requests_are_kept_apart_and_all_wait_for_peace() {
        let (gate, world) = (Gate::new(60), Still::default());
        gate.pass(&world);
        assert_eq!(world.now(), Duration::ZERO, "the first need not wait");
        gate.pass(&world);
        gate.pass(&world);
        assert_eq!(world.now(), Duration::from_secs(2));
        gate.close(Duration::from_secs(30));
        gate.pass(&world);
        assert_eq!(world.now(), Duration::from_secs(30));
    }

    #[test]
    fn without_a_limit_nobody_waits() {
        let (gate, world) = (Gate::new(0), Still::default());
        (0..1000).for_each(|_| gate.pass(&world));
        assert_eq!(world.now(), Duration::ZERO);
    }

    #[test]
    fn a_sleeper_wakes_when_it_is_to_end() {
        let machine = Machine::new(|| true);
        let begun = Instant::now();
        machine.sleep(Duration::from_secs(60));
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_ne!(machine.chance(), machine.chance());
    }
}
