//! Records one tool call in the metrics and in the log when it ends.

use crate::answer::CallResponse;
use crate::metrics::Metrics;
use orient_tools::{Class, Code, ToolError, tokens};
use std::sync::Arc;
use std::time::Instant;

/// A tool call in progress. Dropped without an outcome, it counts as interrupted.
pub(crate) struct CallTracker {
    metrics: Arc<Metrics>,
    tool: &'static str,
    pub(crate) begun: Instant,
    outcome: Option<&'static str>,
    /// Ends with the call and its work.
    pub(crate) span: tracing::Span,
}

impl CallTracker {
    pub(crate) fn new(metrics: &Arc<Metrics>, tool: &'static str) -> Self {
        let empty = tracing::field::Empty;
        let span =
            tracing::info_span!("tool_call", tool, outcome = empty, tokens = empty, generation = empty);
        Self { metrics: metrics.clone(), tool, begun: Instant::now(), outcome: None, span }
    }

    /// Records the outcome.
    pub(crate) fn set_outcome(&mut self, response: &Result<CallResponse, ToolError>) {
        self.outcome = Some(match response {
            Ok(response) if !response.failed => "ok",
            Ok(_) => "missed",
            Err(error) => error.code().word(),
        });
        match response {
            Ok(response) if !self.span.is_disabled() => {
                self.span.record("tokens", tokens(&response.text)).record("generation", response.generation);
            }
            Err(error) => {
                let _entered = self.span.enter();
                match (error.code(), error.code().class()) {
                    // The client sees these and can react.
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
        self.metrics.record_call(self.tool, outcome, self.begun.elapsed());
        self.span.record("outcome", outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_an_outcome_counts_as_interrupted() {
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
