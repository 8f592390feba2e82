//! Records one tool call in the metrics, in the log and in the list of recent calls when it ends.

use crate::answer::CallResponse;
use crate::metrics::Metrics;
use crate::recent_calls::{EndedCall, RecentCalls};
use orient_tools::{Class, Code, ToolError, tokens};
use std::sync::Arc;
use std::time::Instant;

/// A tool call in progress. Dropped without an outcome, it counts as interrupted.
pub(crate) struct CallTracker {
    metrics: Arc<Metrics>,
    tool: &'static str,
    pub(crate) begun: Instant,
    outcome: Option<&'static str>,
    tokens: usize,
    /// The client and its question, for the list of recent calls; `None` for a call that is not listed.
    description: Option<CallDescription>,
    /// Ends with the call and its work.
    pub(crate) span: tracing::Span,
}

/// What the list of recent calls shows about a call.
struct CallDescription {
    recent: Arc<RecentCalls>,
    client: String,
    question: String,
}

impl CallTracker {
    pub(crate) fn new(metrics: &Arc<Metrics>, tool: &'static str) -> Self {
        let empty = tracing::field::Empty;
        let span =
            tracing::info_span!("tool_call", tool, outcome = empty, tokens = empty, generation = empty);
        let (metrics, begun) = (metrics.clone(), Instant::now());
        Self { metrics, tool, begun, outcome: None, tokens: 0, description: None, span }
    }

    /// The same call, listed among the recent ones when it ends.
    pub(crate) fn described(mut self, recent: &Arc<RecentCalls>, client: String, question: String) -> Self {
        self.description = Some(CallDescription { recent: recent.clone(), client, question });
        self
    }

    /// Records the outcome.
    pub(crate) fn set_outcome(&mut self, response: &Result<CallResponse, ToolError>) {
        self.outcome = Some(match response {
            Ok(response) if !response.failed => "ok",
            Ok(_) => "missed",
            Err(error) => error.code().word(),
        });
        match response {
            Ok(response) => {
                self.tokens = tokens(&response.text);
                self.span.record("tokens", self.tokens).record("generation", response.generation);
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
        }
    }
}

impl Drop for CallTracker {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or(Code::Interrupted.word());
        let took = self.begun.elapsed();
        self.metrics.record_call(self.tool, outcome, took);
        if let Some(CallDescription { recent, client, question }) = self.description.take() {
            let (begun, tool, tokens) = (self.begun, self.tool, self.tokens);
            recent.record(EndedCall { begun, took, client, tool, question, tokens, outcome });
        }
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

    #[test]
    fn described_calls_are_listed_newest_first_and_bounded() {
        let (metrics, recent): (Arc<Metrics>, Arc<RecentCalls>) = Default::default();
        for number in 0..150 {
            let tracker = CallTracker::new(&metrics, "read");
            drop(tracker.described(&recent, "agent".to_owned(), number.to_string()));
        }
        let calls = recent.list();
        assert_eq!((calls.len(), calls[0].question.as_str(), calls[0].outcome), (100, "149", "interrupted"));
    }
}
