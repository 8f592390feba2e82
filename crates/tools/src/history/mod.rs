//! What operations about the history of the code share: targets, filters, dates, commit lines and patches.

pub(crate) mod calendar;
pub(crate) mod commit_filter;
pub(crate) mod commit_line;
pub(crate) mod patch;
pub(crate) mod symbol_log;
pub(crate) mod target;

use crate::error::{Code, ToolError};
use crate::session::Session;
use orient_history::{History, HistoryError};

/// Opens the git repository of the tree.
pub(crate) fn open(session: &Session<'_>) -> Result<History, ToolError> {
    let mut history = History::open(session.root()).map_err(|error| history_error(&error))?;
    let cancel = session.cancel().clone();
    history.stop_when(move || cancel.is_cancelled());
    Ok(history)
}

/// An error of the git history, with a hint.
pub(crate) fn history_error(error: &HistoryError) -> ToolError {
    let code = match error {
        HistoryError::Unknown { .. } => Code::NotFound,
        HistoryError::Unusable { .. } | HistoryError::NoRepository(_) | HistoryError::Unsupported(_) => {
            Code::BadArgument
        }
        HistoryError::Damaged(_) | HistoryError::NotFetched(_) | HistoryError::Io(_) => Code::Io,
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
        HistoryError::Damaged(_) => "`git fsck` lists what is damaged".to_owned(),
        HistoryError::NotFetched(_) => "`git fetch --refetch` with `--filter` removed".to_owned(),
        HistoryError::Stopped => return ToolError::new(code, "stopped before the end of the history"),
        HistoryError::Io(_) => "check the permissions of `.git`".to_owned(),
    };
    ToolError::new(code, error.to_string()).hint(hint)
}

/// The remark about a shallow clone: what is older was not cloned.
pub(crate) fn shallow_note(history: &History) -> Option<&'static str> {
    history
        .is_shallow()
        .then_some("the clone is shallow: older commits are unknown; `git fetch --unshallow` gets them")
}
