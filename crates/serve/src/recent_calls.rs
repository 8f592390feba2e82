//! The recent tool calls, kept in memory for the status page: a user sees what agents ask. Nothing of it is logged.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of calls.
const MAX_CALLS: usize = 100;

/// A call that has ended.
#[derive(Clone, Debug)]
pub(crate) struct EndedCall {
    pub(crate) begun: Instant,
    pub(crate) took: Duration,
    pub(crate) client: String,
    pub(crate) tool: &'static str,
    pub(crate) question: String,
    pub(crate) tokens: usize,
    pub(crate) outcome: &'static str,
}

/// A ring of the recent calls, newest first.
#[derive(Default)]
pub(crate) struct RecentCalls(Mutex<VecDeque<EndedCall>>);

impl RecentCalls {
    /// Adds a call and drops the oldest one at the limit.
    pub(crate) fn record(&self, call: EndedCall) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push_front(call);
        calls.truncate(MAX_CALLS);
    }

    /// The calls, newest first.
    pub(crate) fn list(&self) -> Vec<EndedCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
