//! When to try again, and after how long.

use orient_embed::Role;
use std::time::Duration;

/// The wait before the second try; it doubles with each.
const FIRST: Duration = Duration::from_millis(500);
/// No wait of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// No question waits longer for its vector.
const QUESTION: Duration = Duration::from_secs(3);

/// How much trouble a caller puts up with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How often a request is made.
    pub(crate) tries: u32,
    /// How long a provider may make us wait.
    pub(crate) longest: Duration,
    /// How long one request may take.
    pub(crate) timeout: Duration,
    /// How long all of it may take.
    pub(crate) whole: Duration,
}

impl Patience {
    /// Somebody waits for the answer to a question, and the built-in model has one at once; passages are embedded in
    /// passing.
    pub(crate) fn of(role: Role, timeout: Duration) -> Self {
        match role {
            Role::Query => Self {
                tries: 2,
                longest: Duration::from_secs(1),
                timeout: timeout.min(QUESTION),
                whole: QUESTION,
            },
            Role::Passage => {
                Self { tries: 6, longest: Duration::from_mins(5), timeout, whole: Duration::MAX }
            }
        }
    }

    /// The first word to a provider: it may have to load its model, but somebody waits to hear whether it is there.
    pub(crate) fn at_first(timeout: Duration) -> Self {
        Self { tries: 2, longest: Duration::from_secs(2), timeout, whole: Duration::MAX }
    }
}

/// How long to wait after so many tries: twice as long each time, and somewhere in the upper half of that.
pub(crate) fn pause(tries: u32, chance: u64) -> Duration {
    let whole = FIRST.saturating_mul(1 << tries.saturating_sub(1).min(10)).min(LONGEST);
    let half = whole / 2;
    let more = chance % u64::try_from(half.as_millis()).unwrap_or(1).max(1);
    half + Duration::from_millis(more)
}

/// What a `Retry-After` says: seconds, whole or not. A date is not understood, and then our own pause counts.
pub(crate) fn retry_after(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    (seconds.is_finite() && (0.0..1e9).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
}

/// Whether a status may be another one in a moment.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 520..=529)
}

/// Words in a refusal by which providers say that a request was too large for them.
const TOO_MUCH: &[&str] =
    &["token", "too long", "too large", "context length", "context size", "maximum length"];

/// Whether a request was refused for its size: a smaller one may pass.
pub(crate) fn is_too_much(status: u16, said: &str) -> bool {
    let said = said.to_lowercase();
    status == 413 || (matches!(status, 400 | 422) && TOO_MUCH.iter().any(|words| said.contains(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_and_differ_by_chance() {
        let least: Vec<u128> = (1..=8).map(|tries| pause(tries, 0).as_millis()).collect();
        assert_eq!(least, [250, 500, 1000, 2000, 4000, 8000, 15000, 15000]);
        assert_eq!(pause(1, 249).as_millis(), 499);
        assert!(pause(40, u64::MAX) < LONGEST);
    }

    #[test]
    fn a_wait_is_given_in_seconds() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.25"), Some(Duration::from_millis(250)));
        for text in ["", "-1", "soon", "NaN", "inf", "1e300", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(retry_after(text), None, "{text}");
        }
    }

    #[test]
    fn only_refusals_of_size_are_worth_a_smaller_request() {
        assert!(is_too_much(413, ""));
        assert!(is_too_much(400, "This model's maximum context length is 8192 tokens"));
        assert!(!is_too_much(400, "unknown model"));
        assert!(!is_too_much(401, "bad token"));
    }
}
