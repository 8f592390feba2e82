//! What the log says of a refresh: how long it and its phases took, what they did, and what went wrong or was repaired.
//! Counts, never names: a path is logged at the level `debug` alone.

use crate::refresh::apply::Tally;
use crate::{EngineError, Rebuilt, Refresh};
use orient_model::{IssueKind, Outline, RepoPath};
use orient_store::StoreError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The span of one refresh.
pub(crate) struct RefreshLog(tracing::span::EnteredSpan);

impl RefreshLog {
    pub(crate) fn begin() -> Self {
        let span = tracing::info_span!(
            "refresh",
            outcome = tracing::field::Empty,
            reason = tracing::field::Empty,
            generation = tracing::field::Empty,
            added = tracing::field::Empty,
            changed = tracing::field::Empty,
            removed = tracing::field::Empty,
            parsed = tracing::field::Empty,
            from_cache = tracing::field::Empty,
            resolved = tracing::field::Empty,
            owed = tracing::field::Empty,
            bytes = tracing::field::Empty
        );
        Self(span.entered())
    }

    /// Notes what came of it.
    pub(crate) fn end(self, done: Result<Refresh, EngineError>) -> Result<Refresh, EngineError> {
        let span = &self.0;
        if span.is_disabled() {
            return done;
        }
        match &done {
            Ok(refresh) => {
                span.record("outcome", outcome(refresh)).record("generation", refresh.generation);
                if let Some(rebuilt) = &refresh.rebuilt {
                    span.record("reason", reason(rebuilt));
                }
                for (name, count) in [
                    ("added", refresh.added),
                    ("changed", refresh.changed),
                    ("removed", refresh.removed),
                    ("parsed", refresh.parsed),
                    ("from_cache", refresh.from_cache),
                    ("resolved", refresh.resolved),
                ] {
                    span.record(name, count);
                }
                span.record("owed", refresh.owed).record("bytes", refresh.bytes);
                warn_of(refresh);
            }
            Err(error) => {
                span.record("outcome", word(error));
                if !matches!(error, EngineError::Cancelled | EngineError::Busy { .. }) {
                    tracing::error!(reason = word(error), "the index could not be brought up to date");
                }
            }
        }
        done
    }
}

/// What happened on the way that somebody may want to know of later.
fn warn_of(refresh: &Refresh) {
    if let Some(Rebuilt::Damaged(_)) = refresh.rebuilt {
        tracing::warn!(files = refresh.added, "the index was damaged and has been rebuilt");
    }
    if refresh.stuck.is_some() {
        tracing::warn!(holder = refresh.stuck, "the process that writes the index does not respond");
    } else if refresh.in_memory {
        tracing::warn!("the store cannot be written; the index is held in memory");
    }
    if refresh.unresolved > 0 {
        tracing::warn!(files = refresh.unresolved, "the resolver failed");
    }
}

fn outcome(refresh: &Refresh) -> &'static str {
    match refresh {
        Refresh { stuck: Some(_), .. } => "stuck",
        Refresh { busy: true, .. } => "busy",
        Refresh { in_memory: true, .. } => "in_memory",
        Refresh { rebuilt: Some(_), .. } => "built",
        _ if refresh.added + refresh.changed + refresh.removed + refresh.renamed + refresh.resolved > 0 => {
            "changed"
        }
        _ => "same",
    }
}

fn reason(rebuilt: &Rebuilt) -> &'static str {
    match rebuilt {
        Rebuilt::First => "first",
        Rebuilt::Asked => "asked",
        Rebuilt::Outdated => "outdated",
        Rebuilt::Damaged(_) => "damaged",
    }
}

/// The kind of an error. Its text may name files or quote them.
fn word(error: &EngineError) -> &'static str {
    match error {
        EngineError::Refused(_) => "refused",
        EngineError::Walk(_) => "walk",
        EngineError::Setting { .. } => "setting",
        EngineError::NoStore => "no_store",
        EngineError::NotIndexed => "not_indexed",
        EngineError::Busy { .. } => "busy",
        EngineError::Stuck { .. } => "stuck",
        EngineError::Cancelled => "cancelled",
        EngineError::Unreadable { .. } => "unreadable",
        EngineError::Lost { .. } | EngineError::Store(StoreError::Damaged { .. }) => "damaged",
        EngineError::Unkept { .. } => "unkept",
        EngineError::Store(StoreError::Unusable { .. }) => "unusable",
        EngineError::Store(_) => "store",
        EngineError::System(_) => "system",
    }
}

/// The span in which files are read, parsed and handed to the writer.
pub(crate) struct ParseLog(tracing::span::EnteredSpan);

impl ParseLog {
    pub(crate) fn begin(files: usize) -> Self {
        Self(
            tracing::debug_span!(
                "parse",
                files,
                parsed = tracing::field::Empty,
                from_cache = tracing::field::Empty,
                bytes = tracing::field::Empty
            )
            .entered(),
        )
    }

    /// Notes what came of it.
    pub(crate) fn end(self, tally: &Tally) {
        self.0
            .record("parsed", tally.parsed)
            .record("from_cache", tally.from_cache)
            .record("bytes", tally.bytes);
        if tally.limited > 0 {
            tracing::warn!(files = tally.limited, "parse limit reached");
        }
    }
}

/// Counts a file whose parser gave up.
pub(crate) fn count_limit(limited: &AtomicUsize, path: &RepoPath, outline: &Outline) {
    let gave_up = |kind| matches!(kind, IssueKind::Budget | IssueKind::Memory | IssueKind::Failed);
    if let Some(issue) = outline.issues.iter().find(|issue| gave_up(issue.kind)) {
        limited.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(path = &*path.display(), reason = issue.kind.as_str(), "the parser gave up");
    }
}
