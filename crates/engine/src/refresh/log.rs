//! Log spans and events of a refresh: durations, counts, errors and repairs.
//!
//! Paths are logged at level `debug` only.

use crate::refresh::tally::RefreshTally;
use crate::{EngineError, RebuildReason, RefreshReport};
use orient_store::StoreError;

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

    /// Records the result.
    pub(crate) fn end(self, done: Result<RefreshReport, EngineError>) -> Result<RefreshReport, EngineError> {
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

/// Logs events that may matter later.
fn warn_of(refresh: &RefreshReport) {
    if let Some(RebuildReason::Damaged(_)) = refresh.rebuilt {
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

fn outcome(refresh: &RefreshReport) -> &'static str {
    match refresh {
        RefreshReport { stuck: Some(_), .. } => "stuck",
        RefreshReport { busy: true, .. } => "busy",
        RefreshReport { in_memory: true, .. } => "in_memory",
        RefreshReport { rebuilt: Some(_), .. } => "built",
        _ if refresh.added + refresh.changed + refresh.removed + refresh.renamed + refresh.resolved > 0 => {
            "changed"
        }
        _ => "same",
    }
}

fn reason(rebuilt: &RebuildReason) -> &'static str {
    match rebuilt {
        RebuildReason::First => "first",
        RebuildReason::Asked => "asked",
        RebuildReason::Outdated => "outdated",
        RebuildReason::Damaged(_) => "damaged",
    }
}

/// The kind of an error. The error's text may contain paths or source, so it is not logged.
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
        EngineError::DanglingNode { .. } | EngineError::Store(StoreError::Damaged { .. }) => "damaged",
        EngineError::VectorsNotStored { .. } => "unkept",
        EngineError::Store(StoreError::Unusable { .. }) => "unusable",
        EngineError::Store(_) => "store",
        EngineError::System(_) => "system",
        EngineError::Portable { .. } => "portable_index",
    }
}

/// The span in which files are read, parsed and passed to the writer.
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

    /// Records the result.
    pub(crate) fn end(self, tally: &RefreshTally) {
        self.0
            .record("parsed", tally.parsed)
            .record("from_cache", tally.from_cache)
            .record("bytes", tally.bytes);
        if tally.limited > 0 {
            tracing::warn!(files = tally.limited, "parse limit reached");
        }
    }
}
