//! Installs the log subscriber: on request for a command, always for servers and background processes.

use orient_logging::{Filter, Sinks, VARIABLE, install};
use orient_tools::ReplyResult;
use std::io::Write;

/// Installs the subscriber. A command logs to standard error if `--verbose` or the environment variable asks for it; a
/// long-running process logs to a file in its store. Returns whether standard error shows the log.
pub(crate) fn start(verbose: bool, long_running: bool, quiet: bool) -> bool {
    let wanted = std::env::var(VARIABLE).ok().filter(|text| !text.trim().is_empty());
    let wanted = wanted.and_then(|text| match Filter::parse(&text) {
        Ok(filter) => Some(filter),
        Err(error) => {
            if !quiet {
                // A failure to write to the standard error cannot be reported anywhere.
                let _ = writeln!(std::io::stderr(), "orient: {VARIABLE} is ignored: {error}");
            }
            None
        }
    });
    let sinks = Sinks { stderr: verbose || !long_running && wanted.is_some(), file: long_running };
    let usual = if verbose { Filter::DEBUG } else { Filter::INFO };
    let shown = sinks.stderr;
    install(wanted.unwrap_or(usual), sinks);
    shown
}

/// The log span of one command.
pub(crate) struct CallSpan(tracing::span::EnteredSpan);

impl CallSpan {
    pub(crate) fn begin(tool: &'static str) -> Self {
        Self(tracing::info_span!("tool_call", tool, outcome = tracing::field::Empty).entered())
    }

    /// Records the outcome.
    pub(crate) fn set_outcome(&self, replies: &ReplyResult) {
        self.0.record("outcome", replies.as_ref().map_or_else(|error| error.code().word(), |_| "ok"));
    }
}
