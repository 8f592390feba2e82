//! What is done with one file: read, hash, look up or extract, encode.

use crate::chunk_features::Units;
use crate::extraction::{self, Language};
use crate::file_classifier::Languages;
use crate::progress::Cancel;
use crate::refresh::log::count_limit;
use crate::refresh::pipeline::Work;
use crate::refresh::plan::{Job, Seen, veiled};
use orient_model::{Outline, RepoPath, Role, Stamp};
use orient_store::{Cache, CacheKey, Encoded, FilePut, INDEXED, PreparedFile, encode_flow};
use orient_text::{TrigramExtractor, Trigrams};
use orient_walk::{Content, ReadFailure, RootDirectory, SkipReason};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

/// What any file takes, however small.
const BYTES_PER_FILE: u64 = 64 << 10;

/// A file to read, with what the index holds of it.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) job: Job,
    pub(crate) seen: Option<Seen>,
}

/// What became of a file.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The index is right about it.
    Same,
    /// Only its stamp changed.
    Restamp(Stamp),
    /// It must be put into the index.
    Put(Box<FilePut>, Option<Origin>),
    /// There is nothing any more.
    Gone,
}

/// Where the facts of a file come from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// From its text; now to be remembered.
    Extracted {
        /// What to remember them by.
        key: CacheKey,
        /// What resolution needs of them.
        flow: Encoded,
    },
    /// From the cache.
    Cached(CacheKey),
}

/// Reads files of a tree.
pub(crate) struct Reading<'e> {
    pub(crate) tree: &'e RootDirectory,
    pub(crate) languages: &'e Languages,
    pub(crate) max_file_size: u64,
    /// Where facts may be found that were extracted before.
    pub(crate) cache: &'e Path,
    pub(crate) cancel: &'e Cancel,
    pub(crate) deadline: Option<Instant>,
    /// Files whose parser gave up.
    pub(crate) limited: AtomicUsize,
}

/// What each thread keeps.
pub(crate) struct Tools {
    cache: Cache,
    extractor: TrigramExtractor,
}

impl Tools {
    /// The trigrams of a text; none for what is better searched every time.
    fn trigrams(&mut self, bytes: &[u8]) -> Option<Trigrams> {
        Some(self.extractor.trigrams(bytes)).filter(|trigrams| !trigrams.are_high_entropy(bytes.len()))
    }
}

impl Work for Reading<'_> {
    type Job = Task;
    type Output = Outcome;
    type Tools = Tools;

    fn tools(&self) -> Tools {
        Tools { cache: Cache::open(self.cache), extractor: TrigramExtractor::default() }
    }

    fn cost(&self, task: &Task) -> u64 {
        if task.job.skipped.is_some() {
            // Its bytes, and its trigrams: nothing is parsed.
            return task.job.size * 2 + BYTES_PER_FILE;
        }
        extraction::usual_memory(task.job.size) + BYTES_PER_FILE
    }

    fn run(&self, tools: &mut Tools, task: &Task) -> (Outcome, u64) {
        if let Some(reason) = &task.job.skipped {
            let outcome = self.grams_alone(&task.job, reason, tools);
            let held = held(&outcome);
            return (outcome, held);
        }
        let outcome = match self.tree.read(&task.job.path, self.max_file_size) {
            Ok(content) if is_same(task.seen.as_ref(), &content) => Outcome::Restamp(content.stamp),
            Ok(content) => self.index(&task.job.path, &content, tools),
            Err(ReadFailure { reason: SkipReason::Vanished, .. }) => Outcome::Gone,
            Err(unread) => self.note(task, unread),
        };
        let outcome = match (outcome, &task.seen) {
            (Outcome::Restamp(stamp), Some(seen)) if seen.stamp == stamp => Outcome::Same,
            (outcome, _) => outcome,
        };
        let held = held(&outcome);
        (outcome, held)
    }

    fn stop(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Reading<'_> {
    /// Notes a file that is too large for facts, with its trigrams. One that has grown or gone meanwhile is met again
    /// next time.
    fn grams_alone(&self, job: &Job, reason: &SkipReason, tools: &mut Tools) -> Outcome {
        let (stamp, trigrams, bytes) = match self.tree.read(&job.path, job.size) {
            Ok(content) => (content.stamp, tools.trigrams(&content.bytes), content.bytes),
            Err(unread) => (unread.stamp, None, Vec::new()),
        };
        let skipped = skipped(self.languages, job.path.clone(), reason, veiled(stamp), &bytes);
        Outcome::Put(Box::new(FilePut { trigrams, ..skipped }), None)
    }

    fn note(&self, task: &Task, ReadFailure { reason, stamp }: ReadFailure) -> Outcome {
        if task.seen.as_ref().is_some_and(|seen| seen.skipped.as_ref() == Some(&reason)) {
            return Outcome::Restamp(stamp);
        }
        let put = skipped(self.languages, task.job.path.clone(), &reason, stamp, &[]);
        Outcome::Put(Box::new(put), None)
    }

    fn index(&self, path: &RepoPath, content: &Content, tools: &mut Tools) -> Outcome {
        let language = self.languages.detect(path, &content.bytes);
        let key = CacheKey::new(content.hash, Language::version(language));
        let cached = tools.cache.get_outline(&key);
        let remembered = cached.and_then(|outline| PreparedFile::from_encoded(outline).ok());
        let (facts, outline, origin) = if let Some((facts, outline)) = remembered {
            (facts, outline, Origin::Cached(key))
        } else {
            let fresh = extracted(key, language, &content.bytes);
            count_limit(&self.limited, path, &fresh.1);
            fresh
        };
        let units = Units::of(path, &outline, &content.bytes);
        let put = FilePut {
            path: path.clone(),
            language: language.map(|language| language.name().into()),
            role: self.languages.role(path, language, facts.generated()),
            status: INDEXED,
            detail: None,
            stamp: content.stamp,
            hash: Some(content.hash),
            bytes: content.bytes.len() as u64,
            facts: Some(facts),
            trigrams: tools.trigrams(&content.bytes),
            terms: Some(units.terms),
            vectors: units.vectors,
        };
        Outcome::Put(Box::new(put), Some(origin))
    }
}

/// The facts of a text, in the form in which they are kept.
pub(crate) fn extracted(
    key: CacheKey,
    language: Option<Language>,
    bytes: &[u8],
) -> (PreparedFile, Outline, Origin) {
    let facts = extraction::facts(language, bytes);
    let origin = Origin::Extracted { key, flow: encode_flow(&facts.flow) };
    (PreparedFile::new(&facts.outline), facts.outline, origin)
}

fn is_same(seen: Option<&Seen>, content: &Content) -> bool {
    seen.is_some_and(|seen| seen.skipped.is_none() && seen.hash == Some(content.hash))
}

/// How the index notes a file that was not indexed. Of one that is too large it notes what it is for, as far as its name
/// and what was read of it tell: whether code is missing depends on that.
pub(crate) fn skipped(
    languages: &Languages,
    path: RepoPath,
    reason: &SkipReason,
    stamp: Stamp,
    bytes: &[u8],
) -> FilePut {
    let detail = reason.detail();
    let (language, role) = if let SkipReason::TooLarge { .. } = reason {
        let language = languages.detect(&path, bytes);
        (language, languages.role(&path, language, extraction::generated(bytes)))
    } else {
        (None, Role::Source)
    };
    FilePut {
        path,
        language: language.map(|language| language.name().into()),
        role,
        status: reason.number(),
        detail: (!detail.is_empty()).then_some(detail),
        stamp,
        hash: None,
        bytes: if let SkipReason::TooLarge { size, .. } = reason { *size } else { 0 },
        facts: None,
        trigrams: None,
        terms: None,
        vectors: Vec::new(),
    }
}

/// How many bytes an outcome holds on to.
fn held(outcome: &Outcome) -> u64 {
    let Outcome::Put(put, origin) = outcome else { return 256 };
    let flow = match origin {
        Some(Origin::Extracted { flow, .. }) => flow.as_bytes().len(),
        _ => 0,
    };
    let facts = put.facts.as_ref().map_or(0, |facts| facts.outline().as_bytes().len() + facts.symbols() * 96);
    let trigrams = put.trigrams.as_ref().map_or(0, |trigrams| trigrams.len() * 4);
    let terms = put.terms.as_ref().map_or(0, |terms| terms.postings.len() * 12);
    (flow + facts + trigrams + terms + put.vectors.len() + 1024) as u64
}
