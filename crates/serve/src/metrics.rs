//! Counters of the server in the text format of Prometheus. Labels come from our own tables, never from a request.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper bounds of the histogram buckets in milliseconds.
const BUCKETS: [u64; 9] = [1, 5, 10, 25, 50, 100, 500, 2_500, 20_000];

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    calls: Mutex<BTreeMap<(&'static str, &'static str), Histogram>>,
    statuses: Mutex<BTreeMap<u16, u64>>,
    /// Number of open sessions and single requests.
    pub(crate) sessions: AtomicUsize,
}

#[derive(Clone, Copy, Default)]
struct Histogram {
    count: u64,
    total: Duration,
    below: [u64; BUCKETS.len()],
}

impl Metrics {
    /// Counts a tool call.
    pub(crate) fn record_call(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let times = calls.entry((tool, outcome)).or_default();
        times.count += 1;
        times.total += took;
        for (below, bound) in times.below.iter_mut().zip(BUCKETS) {
            *below += u64::from(took.as_millis() <= u128::from(bound));
        }
    }

    /// Counts an HTTP response.
    pub(crate) fn record_response(&self, status: u16) {
        *self.statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// All counters in the text format of Prometheus.
    pub(crate) fn text(&self, indexing: bool, generation: Option<u64>) -> String {
        let mut page = String::new();
        let head = |page: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut page, "orient_tool_seconds", "histogram", "Duration of tool calls.");
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((tool, outcome), times) in calls {
            let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
            for (bound, below) in BUCKETS.iter().zip(times.below) {
                let (whole, part) = (bound / 1000, bound % 1000);
                let _ =
                    writeln!(page, "orient_tool_seconds_bucket{{{labels},le=\"{whole}.{part:03}\"}} {below}");
            }
            let _ = writeln!(page, "orient_tool_seconds_bucket{{{labels},le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(page, "orient_tool_seconds_sum{{{labels}}} {}", times.total.as_secs_f64());
            let _ = writeln!(page, "orient_tool_seconds_count{{{labels}}} {}", times.count);
        }
        head(&mut page, "orient_http_requests_total", "counter", "HTTP responses by status.");
        for (status, count) in &*self.statuses.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(page, "orient_http_requests_total{{status=\"{status}\"}} {count}");
        }
        head(&mut page, "orient_sessions", "gauge", "Number of open sessions.");
        let _ = writeln!(page, "orient_sessions {}", self.sessions.load(Ordering::Relaxed));
        head(&mut page, "orient_indexing", "gauge", "Whether the index is being updated in the background.");
        let _ = writeln!(page, "orient_indexing {}", u8::from(indexing));
        if let Some(generation) = generation {
            head(&mut page, "orient_index_generation", "gauge", "The generation of the index.");
            let _ = writeln!(page, "orient_index_generation {generation}");
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let metrics = Metrics::default();
        metrics.record_call("find", "ok", Duration::from_millis(3));
        metrics.record_call("find", "ok", Duration::from_mins(1));
        metrics.record_response(200);
        let text = metrics.text(true, Some(7));
        for line in [
            "orient_tool_seconds_bucket{tool=\"find\",outcome=\"ok\",le=\"0.001\"} 0",
            "orient_tool_seconds_bucket{tool=\"find\",outcome=\"ok\",le=\"0.005\"} 1",
            "orient_tool_seconds_bucket{tool=\"find\",outcome=\"ok\",le=\"20.000\"} 1",
            "orient_tool_seconds_bucket{tool=\"find\",outcome=\"ok\",le=\"+Inf\"} 2",
            "orient_http_requests_total{status=\"200\"} 1",
            "orient_indexing 1",
            "orient_index_generation 7",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }
}
