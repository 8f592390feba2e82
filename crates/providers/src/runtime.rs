//! Time, randomness and cancellation, as an interface that tests can replace.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The services that requests need besides the network. Tests use one in which time is simulated.
pub trait Runtime: Send + Sync {
    /// The time since a fixed moment.
    fn now(&self) -> Duration;
    /// Sleeps; may return early if [`is_stopped`](Self::is_stopped).
    fn sleep(&self, time: Duration);
    /// A random number, for jitter.
    fn random(&self) -> u64;
    /// Whether the caller cancelled.
    fn is_stopped(&self) -> bool;
}

/// Interval at which a sleep checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The real clock and random numbers.
pub struct SystemRuntime {
    started: Instant,
    state: AtomicU64,
    stopped: Box<dyn Fn() -> bool + Send + Sync>,
}

impl SystemRuntime {
    /// With a function that says whether the caller cancelled.
    pub fn new(stopped: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let seed = RandomState::new().build_hasher().finish();
        Self { started: Instant::now(), state: AtomicU64::new(seed), stopped: Box::new(stopped) }
    }
}

impl Runtime for SystemRuntime {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, time: Duration) {
        let until = self.now() + time;
        while !self.is_stopped() {
            let left = until.saturating_sub(self.now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
    }

    fn random(&self) -> u64 {
        splitmix64(self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed))
    }

    fn is_stopped(&self) -> bool {
        (self.stopped)()
    }
}

/// The output function of `SplitMix64`.
fn splitmix64(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_interrupts_sleep() {
        let runtime = SystemRuntime::new(|| true);
        let begun = Instant::now();
        runtime.sleep(Duration::from_mins(1));
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_ne!(runtime.random(), runtime.random());
    }
}
