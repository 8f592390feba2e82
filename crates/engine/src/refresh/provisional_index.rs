//! A provisional index in memory: what a few seconds tell about a tree whose first index is still being built elsewhere.
//!
//! A question is mostly about names, and whatever defines or uses a name has it as text. So the files whose text or path has a word of the
//! question are read and resolved among themselves, the others are recorded as not read. Example: `callers parse` in 50,000 files, of
//! which 40 contain `parse`: these 40 are parsed; that the callers in them are all there are is left to the index that is being built.

use crate::progress::{Cancel, NoProgress, Pause};
use crate::refresh::apply::PlanWriter;
use crate::refresh::options::RefreshOptions;
use crate::refresh::pipeline::{self, ParallelWork, PipelineLimits};
use crate::refresh::plan::{ReadJob, RefreshPlan};
use crate::refresh::refresh_run::RefreshRun;
use crate::{Engine, EngineError};
use orient_walk::{Skip, SkipReason, TreeReader};
use std::time::{Duration, Instant};

/// Maximum number of files that are parsed for one answer, and of their bytes.
const MAX_PARSED: (usize, u64) = (1000, 16 << 20);
/// A path that has a word of the question counts like this many words in its text.
const PATH_WEIGHT: u32 = 4;
/// Maximum number of words that are searched.
const MAX_WORDS: usize = 16;

/// A provisional index. Nobody else reads it, and it is gone with the engine.
pub struct ProvisionalIndex {
    /// Answers from this index, and never changes it.
    pub engine: Engine,
    /// Number of files that were read.
    pub read: usize,
    /// Number of files with rules of resolution that were resolved, as far as the others allow.
    pub resolved: usize,
    /// Number of files of the tree.
    pub files: usize,
}

impl Engine {
    /// Indexes in memory what a question with these words may be about, in about this time.
    pub fn provisional(
        &self,
        words: &[String],
        budget: Duration,
        cancel: &Cancel,
    ) -> Result<ProvisionalIndex, EngineError> {
        let started = Instant::now();
        let engine =
            Self::of_tree(self.repo.clone(), self.tree.clone(), self.paths.clone(), self.settings.clone())?;
        let options = RefreshOptions {
            cancel: cancel.clone(),
            pause: Some(Pause { asked: cancelled(), after: budget / 2 }),
            ..RefreshOptions::default()
        };
        let run = RefreshRun::new(&engine, &options, &NoProgress);
        let everything = RefreshPlan::everything(run.list()?);
        let files = everything.files();
        let plan = engine.part_of(everything, words, started + budget / 2, cancel)?;
        let deadline = Some(started + budget);
        let writer = PlanWriter { keeps_facts: false, ..run.plan_writer(deadline) };
        let (tally, snapshot) = writer.build_part_in_memory(&plan, &SkipReason::Pending)?;
        let read = plan.jobs.len().saturating_sub(tally.pending.len() + tally.gone);
        engine.in_memory_index.put(snapshot);
        Ok(ProvisionalIndex { engine, read, resolved: tally.graph.resolved, files })
    }

    /// The plan that reads the files with most of the words; the others are skipped.
    fn part_of(
        &self,
        everything: RefreshPlan,
        words: &[String],
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<RefreshPlan, EngineError> {
        let tree = self.tree.open()?;
        let words: Vec<String> = words.iter().take(MAX_WORDS).map(|word| word.to_lowercase()).collect();
        let max_file_size = self.settings.index.max_file_size.bytes();
        let search = WordSearch { tree: &*tree, words: &words, max_file_size, deadline, cancel };
        let limits =
            PipelineLimits { threads: self.threads(), bytes: self.settings.limits.memory.bytes() / 4 };
        let RefreshPlan { jobs, mut skipped, .. } = everything;
        let counts: Vec<u32> = pipeline::run(&search, &jobs, limits, |results| {
            std::iter::from_fn(|| results.next()).collect::<Vec<_>>()
        })?;
        let mut ranked: Vec<(u32, ReadJob)> = jobs
            .into_iter()
            .enumerate()
            .map(|(at, job)| (counts.get(at).copied().unwrap_or(0), job))
            .collect();
        ranked.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.path.cmp(&other.path)));
        let (mut wanted, mut bytes) = (Vec::new(), 0);
        for (count, job) in ranked {
            let is_wanted = (count > 0 || words.is_empty()) && job.skipped.is_none();
            if is_wanted && wanted.len() < MAX_PARSED.0 && bytes + job.size <= MAX_PARSED.1 {
                bytes += job.size;
                wanted.push(job);
            } else {
                let reason = job.skipped.unwrap_or(SkipReason::Pending);
                skipped.push(Skip { path: job.path, reason });
            }
        }
        Ok(RefreshPlan { jobs: wanted, skipped, ..RefreshPlan::default() })
    }
}

/// A request that was made already, so that resolution ends after its time.
fn cancelled() -> Cancel {
    let asked = Cancel::default();
    asked.cancel();
    asked
}

/// Counts how many of the words a file has.
struct WordSearch<'s> {
    tree: &'s dyn TreeReader,
    words: &'s [String],
    max_file_size: u64,
    deadline: Instant,
    cancel: &'s Cancel,
}

impl ParallelWork for WordSearch<'_> {
    type Job = ReadJob;
    type Output = u32;
    type Tools = ();

    fn tools(&self) {}

    fn cost(&self, job: &ReadJob) -> u64 {
        job.size * 2
    }

    fn run(&self, (): &mut (), job: &ReadJob) -> (u32, u64) {
        if self.words.is_empty() || job.skipped.is_some() {
            return (0, 0);
        }
        let path = job.path.display().to_lowercase();
        let mut count =
            PATH_WEIGHT * self.words.iter().filter(|word| path.contains(word.as_str())).count() as u32;
        if let Ok(mut content) = self.tree.read(&job.path, self.max_file_size) {
            content.bytes.make_ascii_lowercase();
            let has = |word: &&String| memchr::memmem::find(&content.bytes, word.as_bytes()).is_some();
            count += self.words.iter().filter(has).count() as u32;
        }
        (count, 0)
    }

    fn stop(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;
    use orient_settings::Settings;

    fn provisional(words: &[&str], budget: Duration) -> ProvisionalIndex {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = directory.path().join("tree");
        std::fs::create_dir(&tree).expect("made");
        for (path, text) in [
            ("cart.py", "def total(items):\n    return sum(items)\n"),
            ("order.py", "import cart\n\ndef price():\n    return cart.total([])\n"),
            ("other.py", "def unrelated():\n    pass\n"),
        ] {
            std::fs::write(tree.join(path), text).expect("written");
        }
        let options = OpenOptions { store: Some(directory.path().join("store")), ..OpenOptions::default() };
        let engine = Engine::open(&tree, Settings::default(), &options).expect("it can be opened");
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let made = engine.provisional(&words, budget, &Cancel::default()).expect("it is made");
        assert!(!engine.store_paths().tree.exists(), "nothing is written");
        made
    }

    fn unread(index: &ProvisionalIndex) -> Vec<String> {
        let query = crate::FileQuery { indexed: Some(false), ..crate::FileQuery::default() };
        let unread = index.engine.snapshot().expect("there is one").files(&query, 0, 9).expect("readable");
        let unread = unread.rows.into_iter().filter(|file| file.status == SkipReason::Pending.number());
        unread.map(|file| file.path.display().into_owned()).collect()
    }

    #[test]
    fn files_with_a_word_of_the_question_are_read_and_the_others_are_named() {
        let index = provisional(&["TOTAL"], Duration::from_mins(1));
        assert_eq!((index.read, index.resolved, index.files), (2, 2, 3));
        assert_eq!(unread(&index), ["other.py"]);
        let status = index.engine.snapshot().expect("there is one").status().expect("readable");
        assert_eq!(status.sizes.symbols, 2, "{status:?}");
    }

    #[test]
    fn a_question_without_words_reads_what_time_allows() {
        assert_eq!(provisional(&[], Duration::from_mins(1)).read, 3);
        let index = provisional(&[], Duration::ZERO);
        assert_eq!((index.read, unread(&index).len()), (0, 3));
    }
}
