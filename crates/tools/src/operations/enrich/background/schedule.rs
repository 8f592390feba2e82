//! When servers are asked in the background: once nothing has changed for a while, for a small part of the time, and seldom after failures.

use std::time::{Duration, Instant};

/// How long nothing must have changed.
pub(super) const QUIET: Duration = Duration::from_secs(3);
/// Questions take at most one part in this many of the time.
const SHARE: u32 = 10;
/// Pause after a failure; each further failure doubles it.
const MIN_BACKOFF: Duration = Duration::from_mins(1);
const MAX_BACKOFF: Duration = Duration::from_hours(1);

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Ask.
    Ask,
    /// Files have changed, or are changing.
    Changing,
    /// Everything was asked.
    UpToDate,
    /// It is too early to ask again.
    Later,
}

/// The state of the schedule.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The generation that was seen last, and since when.
    seen: Option<(u64, Instant)>,
    /// The generation whose questions were all asked.
    asked: Option<u64>,
    not_before: Option<Instant>,
    backoff: Option<Duration>,
}

impl Schedule {
    /// What to do, given the generation of the index; `None` if it is not up to date.
    pub(super) fn next(&mut self, generation: Option<u64>, now: Instant) -> NextStep {
        let Some(generation) = generation else {
            self.seen = None;
            return NextStep::Changing;
        };
        let since = match self.seen {
            Some((seen, since)) if seen == generation => since,
            _ => now,
        };
        self.seen = Some((generation, since));
        if self.asked == Some(generation) {
            NextStep::UpToDate
        } else if now.duration_since(since) < QUIET {
            NextStep::Changing
        } else if self.not_before.is_some_and(|until| now < until) {
            NextStep::Later
        } else {
            NextStep::Ask
        }
    }

    /// Everything was asked; `generation` is the one that contains the answers.
    pub(super) fn completed(&mut self, generation: Option<u64>, took: Duration, now: Instant) {
        self.asked = generation;
        self.backoff = None;
        self.not_before = Some(now + took * (SHARE - 1));
    }

    /// Files changed meanwhile. A server that has to be started again and again would do nothing else.
    pub(super) fn interrupted(&mut self, took: Duration, now: Instant) {
        self.not_before = Some(now + took);
    }

    /// Nothing was answered.
    pub(super) fn failed(&mut self, now: Instant) {
        let pause = self.backoff.map_or(MIN_BACKOFF, |before| (before * 2).min(MAX_BACKOFF));
        self.backoff = Some(pause);
        self.not_before = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_asked_once_nothing_has_changed_for_a_while() {
        let (mut schedule, begun) = (Schedule::default(), Instant::now());
        assert_eq!(schedule.next(None, begun), NextStep::Changing, "there is no index yet");
        assert_eq!(schedule.next(Some(1), begun), NextStep::Changing);
        assert_eq!(schedule.next(Some(2), begun + QUIET), NextStep::Changing, "a file was edited");
        let quiet = begun + QUIET * 2;
        assert_eq!(schedule.next(Some(2), quiet), NextStep::Ask);
        schedule.completed(Some(3), Duration::from_mins(1), quiet);
        assert_eq!(schedule.next(Some(3), quiet), NextStep::UpToDate);
        assert_eq!(schedule.next(Some(3), quiet + Duration::from_hours(9)), NextStep::UpToDate);
    }

    #[test]
    fn questions_take_a_tenth_of_the_time_and_failures_are_seldom() {
        let (mut schedule, begun) = (Schedule::default(), Instant::now());
        schedule.completed(Some(1), Duration::from_mins(1), begun);
        schedule.next(Some(2), begun);
        assert_eq!(schedule.next(Some(2), begun + Duration::from_mins(8)), NextStep::Later);
        let mut now = begun + Duration::from_mins(10);
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(schedule.next(Some(2), now), NextStep::Ask);
            schedule.failed(now);
            let early = Duration::from_mins(minutes).saturating_sub(Duration::from_secs(1));
            assert_eq!(schedule.next(Some(2), now + early), NextStep::Later);
            now += Duration::from_mins(minutes);
        }
    }
}
