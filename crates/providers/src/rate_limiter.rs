//! A rate limiter: spaces requests evenly and pauses all of them while the provider asks for it (`Retry-After`).

use crate::Runtime;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Limits the number of requests per minute, and pauses all of them while the provider asks for it.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    interval: Duration,
    /// When the next request may start.
    next: Mutex<Duration>,
    /// The end of the pause.
    paused_until: Mutex<Duration>,
}

impl RateLimiter {
    /// At most this many requests per minute; 0 means no limit.
    pub(crate) fn new(per_minute: u32) -> Self {
        let interval = Duration::from_mins(1).checked_div(per_minute).unwrap_or_default();
        Self { interval, next: Mutex::default(), paused_until: Mutex::default() }
    }

    /// Waits until a request may start.
    pub(crate) fn acquire(&self, runtime: &dyn Runtime) {
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = runtime.now().max(*next);
            *next = turn + self.interval;
            turn
        };
        while !runtime.is_stopped() {
            // Checked again after every wait: another request may have paused it.
            let until = turn.max(*self.paused_until.lock().unwrap_or_else(PoisonError::into_inner));
            let left = until.saturating_sub(runtime.now());
            if left.is_zero() {
                return;
            }
            runtime.sleep(left);
        }
    }

    /// Pauses all requests until then.
    pub(crate) fn pause_until(&self, until: Duration) {
        let mut paused_until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *paused_until = until.max(*paused_until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time passes only by sleeping.
    #[derive(Default)]
    struct SimulatedTime(Mutex<Duration>);

    impl Runtime for SimulatedTime {
        fn now(&self) -> Duration {
            *self.0.lock().expect("one thread")
        }

        fn sleep(&self, time: Duration) {
            *self.0.lock().expect("one thread") += time;
        }

        fn random(&self) -> u64 {
            0
        }

        fn is_stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn requests_are_spaced_and_wait_for_the_pause() {
        let (limiter, runtime) = (RateLimiter::new(60), SimulatedTime::default());
        limiter.acquire(&runtime);
        assert_eq!(runtime.now(), Duration::ZERO, "the first does not wait");
        limiter.acquire(&runtime);
        limiter.acquire(&runtime);
        assert_eq!(runtime.now(), Duration::from_secs(2));
        limiter.pause_until(Duration::from_secs(30));
        limiter.acquire(&runtime);
        assert_eq!(runtime.now(), Duration::from_secs(30));
    }

    #[test]
    fn no_limit_means_no_wait() {
        let (limiter, runtime) = (RateLimiter::new(0), SimulatedTime::default());
        (0..1000).for_each(|_| limiter.acquire(&runtime));
        assert_eq!(runtime.now(), Duration::ZERO);
    }
}
