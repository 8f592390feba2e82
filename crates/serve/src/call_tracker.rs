//! One call of a tool: counted for the metrics and written to the log when it is over.

use crate::answer::Answered;
use crate::metrics::Metrics;
use orient_tools::{Class, Code, ToolError, tokens};
use std::sync::Arc;
use std::time::Instant;

/// Counts a call when it is over. One that nobody waited for to the end was interrupted.
pub(crate) struct CallTracker {
    metrics: Arc<Metrics>,
    tool: &'static str,
    pub(crate) begun: Instant,
    outcome: Option<&'static str>,
    /// Ends with the call, and with the work for it.
    pub(crate) span: tracing::Span,
}

impl CallTracker {
    pub(crate) fn new(metrics: &Arc<Metrics>, tool: &'static str) -> Self {
        let empty = tracing::field::Empty;
        let span =
            tracing::info_span!("tool_call", tool, outcome = empty, tokens = empty, generation = empty);
        Self { metrics: metrics.clone(), tool, begun: Instant::now(), outcome: None, span }
    }

    /// Notes what came of it.
    pub(crate) fn came_to(&mut self, answered: &Result<Answered, ToolError>) {
        self.outcome = Some(match answered {
            Ok(answered) if !answered.failed => "ok",
            Ok(_) => "missed",
            Err(error) => error.code().word(),
        });
        match answered {
            Ok(answered) if !self.span.is_disabled() => {
                self.span.record("tokens", tokens(&answered.text)).record("generation", answered.generation);
            }
            Err(error) => {
                let _entered = self.span.enter();
                match (error.code(), error.code().class()) {
                    // Whoever asked is told, and can ask again.
                    (Code::Busy | Code::Interrupted, _) | (_, Class::User) => {}
                    (code, Class::Machine) => tracing::warn!(outcome = code.word(), "the call failed"),
                    (code, Class::Bug) => tracing::error!(outcome = code.word(), "the call failed"),
                }
            }
            Ok(_) => {}
        }
    }
}

impl Drop for CallTracker {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or(Code::Interrupted.word());
        self.metrics.called(self.tool, outcome, self.begun.elapsed());
        self.span.record("outcome", outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_left_counts_as_interrupted() {
        let metrics: Arc<Metrics> = Arc::default();
        drop(CallTracker::new(&metrics, "read"));
        CallTracker::new(&metrics, "read").outcome = Some("ok");
        let page = metrics.text(false, None);
        for outcome in ["interrupted", "ok"] {
            let line = format!("orient_tool_seconds_count{{tool=\"read\",outcome=\"{outcome}\"}} 1");
            assert!(page.contains(&line), "{page}");
        }
    }
}
