//! Retry policy: which failures are retried, and exponential backoff with jitter.

use orient_embed::Role;
use std::time::Duration;

/// The backoff after the first attempt; it doubles with each.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
/// Maximum backoff.
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// Maximum total time of a query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

/// How long and how often a request is retried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPolicy {
    /// Maximum number of attempts.
    pub(crate) attempts: u32,
    /// Maximum wait that a provider may ask for.
    pub(crate) max_wait: Duration,
    /// Timeout of one attempt.
    pub(crate) timeout: Duration,
    /// Timeout of all attempts together.
    pub(crate) total: Duration,
}

impl RetryPolicy {
    /// Queries are interactive and have the built-in model as a fallback; passages are embedded in the background.
    pub(crate) fn for_role(role: Role, timeout: Duration) -> Self {
        match role {
            Role::Query => Self {
                attempts: 2,
                max_wait: Duration::from_secs(1),
                timeout: timeout.min(QUERY_TIMEOUT),
                total: QUERY_TIMEOUT,
            },
            Role::Passage => {
                Self { attempts: 6, max_wait: Duration::from_mins(5), timeout, total: Duration::MAX }
            }
        }
    }

    /// The first request: the provider may have to load its model, but the user waits for the result.
    pub(crate) fn first_request(timeout: Duration) -> Self {
        Self { attempts: 2, max_wait: Duration::from_secs(2), timeout, total: Duration::MAX }
    }
}

/// Exponential backoff after this many attempts, with jitter in its upper half: 250 to 500 ms, 500 to 1000 ms, …
pub(crate) fn backoff(attempts: u32, random: u64) -> Duration {
    let full = INITIAL_BACKOFF.saturating_mul(1 << attempts.saturating_sub(1).min(10)).min(MAX_BACKOFF);
    let half = full / 2;
    let more = random % u64::try_from(half.as_millis()).unwrap_or(1).max(1);
    half + Duration::from_millis(more)
}

/// Parses a `Retry-After` header in seconds. Dates are not supported: `None` means our own backoff.
pub(crate) fn retry_after(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    (seconds.is_finite() && (0.0..1e9).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
}

/// Whether a status is transient.
pub(crate) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 520..=529)
}

/// Phrases with which providers reject a request for its size.
const SIZE_PHRASES: &[&str] =
    &["token", "too long", "too large", "context length", "context size", "maximum length"];

/// Whether a request was rejected for its size, so that a smaller one may succeed.
pub(crate) fn is_too_large(status: u16, message: &str) -> bool {
    let message = message.to_lowercase();
    status == 413
        || (matches!(status, 400 | 422) && SIZE_PHRASES.iter().any(|phrase| message.contains(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_a_limit_with_jitter() {
        let least: Vec<u128> = (1..=8).map(|attempts| backoff(attempts, 0).as_millis()).collect();
        assert_eq!(least, [250, 500, 1000, 2000, 4000, 8000, 15000, 15000]);
        assert_eq!(backoff(1, 249).as_millis(), 499);
        assert!(backoff(40, u64::MAX) < MAX_BACKOFF);
    }

    #[test]
    fn retry_after_is_parsed_in_seconds() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.25"), Some(Duration::from_millis(250)));
        for text in ["", "-1", "soon", "NaN", "inf", "1e300", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(retry_after(text), None, "{text}");
        }
    }

    #[test]
    fn size_errors_are_recognised() {
        assert!(is_too_large(413, ""));
        assert!(is_too_large(400, "This model's maximum context length is 8192 tokens"));
        assert!(!is_too_large(400, "unknown model"));
        assert!(!is_too_large(401, "bad token"));
    }
}
