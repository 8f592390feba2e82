//! What operations about the history of the code share: targets, filters, dates, commit lines and patches.

pub(crate) mod breakage;
pub(crate) mod broken_uses;
pub(crate) mod calendar;
pub(crate) mod commit_filter;
pub(crate) mod commit_line;
pub(crate) mod contract_changes;
pub(crate) mod contract_users;
pub(crate) mod diff_breakage;
pub(crate) mod file_pairs;
pub(crate) mod former_names;
pub(crate) mod last_change;
pub(crate) mod line_correspondence;
pub(crate) mod patch;
pub(crate) mod target;

use crate::answer::{Cause, Doubt};
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::number_format::count;
use orient_history::{History, HistoryError, Oid, short_id};
use orient_settings::{Loaded, Settings};
use orient_timeline::{HistoryIndex, HistoryLimits, index_history};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How long a question that only the index can answer extends it first.
const CATCH_UP: Duration = Duration::from_secs(1);
/// Maximum number of commits that a question adds. Commits are added in one step, in a fraction of [`CATCH_UP`].
const CATCH_UP_COMMITS: u64 = 20_000;

/// Opens the git repository of the tree.
pub(crate) fn open(session: &Session<'_>) -> Result<History, ToolError> {
    let mut history = History::open(session.root()).map_err(|error| history_error(&error))?;
    let cancel = session.cancel().clone();
    history.stop_when(move || cancel.is_cancelled());
    history.limit_memory(session.loaded().settings.limits.memory.bytes());
    Ok(history)
}

/// The history index of the tree's repository. It may be empty.
pub(crate) fn open_index(session: &Session<'_>) -> Result<HistoryIndex, ToolError> {
    Ok(HistoryIndex::open(session.engine()?.store_paths()))
}

/// The history index of the tree's repository, extended for at most [`CATCH_UP`] if it lacks something. The history of a small
/// repository is complete after that; of a large one, every question adds a part, the newest first.
pub(crate) fn extended_index(
    session: &Session<'_>,
    history: &mut History,
    head: &Oid,
) -> Result<HistoryIndex, ToolError> {
    let mut index = open_index(session)?;
    let coverage = index.coverage();
    if coverage.is_complete() && index.has_commit(head) {
        return Ok(index);
    }
    let mut limits = limits(&session.loaded().settings);
    let most = usize::try_from(coverage.commits + CATCH_UP_COMMITS).unwrap_or(usize::MAX);
    limits.commits = limits.commits.min(most);
    let begun = Instant::now();
    let extended = index_history(session.engine()?, history, limits, &mut |_, _, _| {
        let is_over = begun.elapsed() >= CATCH_UP || session.cancel().is_cancelled();
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if extended.is_err() {
        // The answer says how much is indexed.
        tracing::debug!("the history index is incomplete");
    }
    open_index(session)
}

/// How much of the history the settings want indexed.
pub(crate) fn limits(settings: &Settings) -> HistoryLimits {
    let age = i64::try_from(settings.history.age).unwrap_or(i64::MAX).saturating_mul(86_400);
    let since = (age > 0).then(|| calendar::now().saturating_sub(age));
    HistoryLimits { commits: settings.history.commits.max(1), since }
}

/// How much of the history a server indexes while it is idle; nothing if the settings say so.
pub fn background_history(loaded: &Loaded) -> Option<HistoryLimits> {
    loaded.settings.history.background.then(|| limits(&loaded.settings))
}

/// The remark about a history index that is missing or incomplete.
pub(crate) fn coverage_note(index: &HistoryIndex) -> Option<String> {
    let coverage = index.coverage();
    if coverage.commits == 0 {
        return Some("the history is not indexed; `orient index --history` does it".to_owned());
    }
    if coverage.is_complete() {
        return None;
    }
    let (done, all) = (count(coverage.symbols), count(coverage.commits));
    Some(format!("the history index has {done} of {all} commits; `orient index --history` completes it"))
}

/// An error of the git history, with a hint.
pub(crate) fn history_error(error: &HistoryError) -> ToolError {
    let code = match error {
        HistoryError::Unknown { .. } => Code::NotFound,
        HistoryError::Unusable { .. } | HistoryError::NoRepository(_) | HistoryError::Unsupported(_) => {
            Code::BadArgument
        }
        HistoryError::Damaged(_)
        | HistoryError::NotFetched(_)
        | HistoryError::Refused(_)
        | HistoryError::TooManyFiles { .. }
        | HistoryError::Io(_) => Code::Io,
        HistoryError::Stopped => Code::Interrupted,
    };
    let hint = match error {
        HistoryError::Unknown { near, .. } if !near.is_empty() => {
            format!("did you mean `{}`?", near.join("`, `"))
        }
        HistoryError::Unknown { .. } | HistoryError::Unusable { .. } => {
            "a branch, a tag, a commit, `HEAD~3` or `main@{1}`".to_owned()
        }
        HistoryError::NoRepository(_) => "history is read from git; run it inside a clone".to_owned(),
        HistoryError::Unsupported(_) => "convert the repository, or ask git".to_owned(),
        HistoryError::Refused(_) => "a repository's files are read only if git wrote them there".to_owned(),
        HistoryError::TooManyFiles { .. } => "`limits.memory` in your settings allows more".to_owned(),
        HistoryError::Damaged(_) => "`git fsck` lists what is damaged".to_owned(),
        HistoryError::NotFetched(_) => "`git fetch --refetch` with `--filter` removed".to_owned(),
        HistoryError::Stopped => return ToolError::new(code, "stopped before the end of the history"),
        HistoryError::Io(_) => "check the permissions of `.git`".to_owned(),
    };
    ToolError::new(code, error.to_string()).hint(hint)
}

/// Maximum number of commits that a remark names.
const MAX_NAMED: usize = 5;

/// The doubt about commits of which something was left out, because they have or change more than is compared.
pub(crate) fn left_out_commits(commits: &BTreeSet<Oid>) -> Option<Doubt> {
    if commits.is_empty() {
        return None;
    }
    let mut named: Vec<String> = commits.iter().take(MAX_NAMED).map(short_id).collect();
    if commits.len() > MAX_NAMED {
        named.push(format!("{} more", count((commits.len() - MAX_NAMED) as u64)));
    }
    let text = format!(
        "not everything of these commits is compared, so that something may be missing: {}; each is too large for \
         `limits.memory`, or its own ancestor",
        named.join(", ")
    );
    Some(Doubt::new(Cause::History, commits.len() as u64, text))
}

/// The remark about a shallow clone, or one with other parents: what is older was not cloned.
pub(crate) fn shallow_note(history: &History) -> Option<&'static str> {
    if history.is_shallow() {
        return Some("the clone is shallow: older commits are unknown; `git fetch --unshallow` gets them");
    }
    history
        .is_grafted()
        .then_some("`info/grafts` replaces the parents of commits: the history is not what was committed")
}
