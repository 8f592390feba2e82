//! Reads one file: content, hash, facts from the cache or the extractor, terms, vectors and trigrams.

use crate::chunk_features::ChunkFeatures;
use crate::extraction::{self, Language};
use crate::file_classifier::FileClassifier;
use crate::progress::Cancel;
use crate::refresh::pipeline::ParallelWork;
use crate::refresh::plan::{IndexedFile, ReadJob};
use crate::skips::large_file_stamp;
use orient_model::{IssueKind, Outline, RepoPath, Role, Stamp};
use orient_store::{Cache, CacheKey, Encoded, FilePut, INDEXED, PreparedFile, encode_flow};
use orient_text::{TrigramExtractor, Trigrams};
use orient_walk::{Content, ReadFailure, SkipReason, TreeReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Memory per file, however small.
const BYTES_PER_FILE: u64 = 64 << 10;

/// A file to read, with what the index has about it.
#[derive(Clone, Debug)]
pub(crate) struct ReadTask {
    pub(crate) job: ReadJob,
    pub(crate) seen: Option<IndexedFile>,
}

/// The result of reading a file.
#[derive(Debug)]
pub(crate) enum ReadOutcome {
    /// The index is up to date.
    Same,
    /// Only the stamp changed.
    Restamp(Stamp),
    /// The file must be written to the index.
    Put(Box<FilePut>, Option<FactsOrigin>),
    /// The file no longer exists.
    Gone,
}

/// Where the facts of a file come from.
#[derive(Debug)]
pub(crate) enum FactsOrigin {
    /// Extracted from its text; to be cached.
    Extracted {
        /// The cache key.
        key: CacheKey,
        /// The encoded flow.
        flow: Encoded,
    },
    /// From the cache.
    Cached(CacheKey),
}

/// Reads files of a tree.
pub(crate) struct FileReader<'e> {
    pub(crate) tree: &'e dyn TreeReader,
    pub(crate) classifier: &'e FileClassifier,
    pub(crate) max_file_size: u64,
    /// The path of the facts cache.
    pub(crate) cache: &'e Path,
    pub(crate) cancel: &'e Cancel,
    pub(crate) deadline: Option<Instant>,
    /// Files whose parser gave up.
    pub(crate) limited: AtomicUsize,
}

/// State of each thread.
pub(crate) struct ReaderTools {
    cache: Cache,
    extractor: TrigramExtractor,
}

impl ReaderTools {
    /// The trigrams of a text; `None` for noise that is better read on every search.
    fn trigrams(&mut self, bytes: &[u8]) -> Option<Trigrams> {
        Some(self.extractor.trigrams(bytes)).filter(|trigrams| !trigrams.are_high_entropy(bytes.len()))
    }
}

impl ParallelWork for FileReader<'_> {
    type Job = ReadTask;
    type Output = ReadOutcome;
    type Tools = ReaderTools;

    fn tools(&self) -> ReaderTools {
        ReaderTools { cache: Cache::open(self.cache), extractor: TrigramExtractor::default() }
    }

    fn cost(&self, task: &ReadTask) -> u64 {
        if task.job.skipped.is_some() {
            // Bytes and trigrams only; nothing is parsed.
            return task.job.size * 2 + BYTES_PER_FILE;
        }
        extraction::usual_memory(task.job.size) + BYTES_PER_FILE
    }

    fn run(&self, tools: &mut ReaderTools, task: &ReadTask) -> (ReadOutcome, u64) {
        if let Some(reason) = &task.job.skipped {
            let outcome = self.grams_alone(&task.job, reason, tools);
            let held = held(&outcome);
            return (outcome, held);
        }
        if let Some(stamp) = self.known_to_be_same(task) {
            let outcome = ReadOutcome::Restamp(stamp);
            let held = held(&outcome);
            return (outcome, held);
        }
        let outcome = match self.tree.read(&task.job.path, self.max_file_size) {
            Ok(content) if is_same(task.seen.as_ref(), &content) => ReadOutcome::Restamp(content.stamp),
            Ok(content) => self.index(&task.job.path, &content, tools),
            Err(ReadFailure { reason: SkipReason::Vanished, .. }) => ReadOutcome::Gone,
            Err(unread) => self.note(task, unread),
        };
        let outcome = match (outcome, &task.seen) {
            (ReadOutcome::Restamp(stamp), Some(seen)) if seen.stamp == stamp => ReadOutcome::Same,
            (outcome, _) => outcome,
        };
        let held = held(&outcome);
        (outcome, held)
    }

    fn stop(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl FileReader<'_> {
    /// The new stamp of an indexed file that need not be read: the index of a working tree became that of a commit.
    fn known_to_be_same(&self, task: &ReadTask) -> Option<Stamp> {
        let seen = task.seen.as_ref().filter(|seen| seen.skipped.is_none() && seen.hash.is_some())?;
        self.tree.stamp_if_same(&task.job.path, &seen.stamp).filter(|stamp| *stamp != seen.stamp)
    }

    /// Records a file that is too large for facts, with its trigrams. If it changed in the meantime, the next refresh
    /// reads it again.
    fn grams_alone(&self, job: &ReadJob, reason: &SkipReason, tools: &mut ReaderTools) -> ReadOutcome {
        let (stamp, trigrams, bytes) = match self.tree.read(&job.path, job.size) {
            Ok(content) => (content.stamp, tools.trigrams(&content.bytes), content.bytes),
            Err(unread) => (unread.stamp, None, Vec::new()),
        };
        let skipped = skipped(self.classifier, job.path.clone(), reason, large_file_stamp(stamp), &bytes);
        ReadOutcome::Put(Box::new(FilePut { trigrams, ..skipped }), None)
    }

    fn note(&self, task: &ReadTask, ReadFailure { reason, stamp }: ReadFailure) -> ReadOutcome {
        if task.seen.as_ref().is_some_and(|seen| seen.skipped.as_ref() == Some(&reason)) {
            return ReadOutcome::Restamp(stamp);
        }
        let put = skipped(self.classifier, task.job.path.clone(), &reason, stamp, &[]);
        ReadOutcome::Put(Box::new(put), None)
    }

    fn index(&self, path: &RepoPath, content: &Content, tools: &mut ReaderTools) -> ReadOutcome {
        let language = self.classifier.detect(path, &content.bytes);
        let key = CacheKey::new(content.hash, Language::version_of(language, path));
        let cached = tools.cache.get_outline(&key);
        let remembered = cached.and_then(|outline| PreparedFile::from_encoded(outline).ok());
        let (facts, outline, origin) = if let Some((facts, outline)) = remembered {
            (facts, outline, FactsOrigin::Cached(key))
        } else {
            let fresh = extracted(key, language, path, &content.bytes);
            count_limit(&self.limited, path, &fresh.1);
            fresh
        };
        let units = ChunkFeatures::of(path, &outline, &content.bytes);
        let put = FilePut {
            path: path.clone(),
            language: language.map(|language| language.name().into()),
            role: self.classifier.role(path, language, facts.generated()),
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
        ReadOutcome::Put(Box::new(put), Some(origin))
    }
}

/// Counts a file whose parser gave up.
fn count_limit(limited: &AtomicUsize, path: &RepoPath, outline: &Outline) {
    let gave_up = |kind| matches!(kind, IssueKind::Budget | IssueKind::Memory | IssueKind::Failed);
    if let Some(issue) = outline.issues.iter().find(|issue| gave_up(issue.kind)) {
        limited.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(path = &*path.display(), reason = issue.kind.as_str(), "the parser gave up");
    }
}

/// Extracts facts in their stored form.
pub(crate) fn extracted(
    key: CacheKey,
    language: Option<Language>,
    path: &RepoPath,
    bytes: &[u8],
) -> (PreparedFile, Outline, FactsOrigin) {
    let facts = extraction::facts(language, path, bytes);
    let origin = FactsOrigin::Extracted { key, flow: encode_flow(&facts.flow) };
    (PreparedFile::new(&facts.outline), facts.outline, origin)
}

fn is_same(seen: Option<&IndexedFile>, content: &Content) -> bool {
    seen.is_some_and(|seen| seen.skipped.is_none() && seen.hash == Some(content.hash))
}

/// The row of a skipped file. For one that is too large, language and role are detected, because they decide whether
/// code is missing.
pub(crate) fn skipped(
    classifier: &FileClassifier,
    path: RepoPath,
    reason: &SkipReason,
    stamp: Stamp,
    bytes: &[u8],
) -> FilePut {
    let detail = reason.detail();
    let (language, role) = if let SkipReason::TooLarge { .. } = reason {
        let language = classifier.detect(&path, bytes);
        (language, classifier.role(&path, language, extraction::generated(bytes)))
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

/// Bytes that an outcome holds.
fn held(outcome: &ReadOutcome) -> u64 {
    let ReadOutcome::Put(put, origin) = outcome else { return 256 };
    let flow = match origin {
        Some(FactsOrigin::Extracted { flow, .. }) => flow.as_bytes().len(),
        _ => 0,
    };
    let facts = put.facts.as_ref().map_or(0, |facts| facts.outline().as_bytes().len() + facts.symbols() * 96);
    let trigrams = put.trigrams.as_ref().map_or(0, |trigrams| trigrams.len() * 4);
    let terms = put.terms.as_ref().map_or(0, |terms| terms.postings.len() * 12);
    (flow + facts + trigrams + terms + put.vectors.len() + 1024) as u64
}
