//! What changed from one generation of the index to the next, as far as this process did it: what was kept of the one is
//! then as true of the other, but for the files that changed.

use orient_model::RepoPath;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many steps are remembered, and of how many files in all: beyond, reading everything takes no longer.
const STEPS: usize = 64;
const FILES: usize = 1000;

/// The steps that are remembered; shared by an engine and its snapshots.
#[derive(Clone, Default)]
pub(crate) struct Steps(Arc<Mutex<Noted>>);

/// From which generation, and the files that may differ in the next.
type Noted = VecDeque<(u64, Vec<RepoPath>)>;

impl Steps {
    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes which files the step from a generation to the next may concern. Whoever calls this alone may write until the
    /// step is dropped: what readers see then is either as before, or that next generation.
    pub(crate) fn begin(&self, from: u64, paths: Vec<RepoPath>) -> Step<'_> {
        let mut steps = self.lock();
        steps.retain(|step| step.0 != from);
        steps.push_back((from, paths));
        let files = |steps: &Noted| steps.iter().map(|step| step.1.len()).sum::<usize>();
        while steps.len() > STEPS || files(&steps) > FILES {
            steps.pop_front();
        }
        Step { steps: self, from, taken: false }
    }

    /// The files that may differ between two generations, by path; none where not all steps between them are known.
    pub(crate) fn between(&self, before: u64, after: u64) -> Option<Vec<RepoPath>> {
        let steps = self.lock();
        let mut all = Vec::new();
        for from in before..after {
            all.extend_from_slice(&steps.iter().find(|step| step.0 == from)?.1);
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Forgets all steps: the index is another one.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }
}

/// A step on its way from one generation to the next; forgotten when dropped, unless it was taken.
pub(crate) struct Step<'s> {
    steps: &'s Steps,
    from: u64,
    taken: bool,
}

impl Step<'_> {
    /// The step led to a generation.
    pub(crate) fn led_to(mut self, generation: u64) {
        self.taken = generation == self.from + 1;
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        if !self.taken {
            self.steps.lock().retain(|step| step.0 != self.from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_that_were_taken_without_a_gap_are_told() {
        let steps = Steps::default();
        steps.begin(3, vec!["b".into(), "a".into()]).led_to(4);
        steps.begin(4, vec!["a".into()]).led_to(5);
        drop(steps.begin(5, vec!["c".into()]));
        steps.begin(6, vec!["d".into()]).led_to(6);
        assert_eq!(steps.between(3, 5), Some(vec!["a".into(), "b".into()]));
        assert_eq!(steps.between(4, 4), Some(Vec::new()));
        for (before, after) in [(2, 4), (4, 6), (6, 7)] {
            assert_eq!(steps.between(before, after), None);
        }
        let step = steps.begin(5, vec!["c".into()]);
        assert_eq!(
            steps.between(5, 6),
            Some(vec!["c".into()]),
            "whoever sees the next generation sees this step"
        );
        drop(step);
        steps.clear();
        assert_eq!(steps.between(3, 5), None);
    }
}
