//! What is counted, and how it is told to Prometheus. Labels come from our own tables, never from a request.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The upper ends of the buckets, in milliseconds.
const BUCKETS: [u64; 9] = [1, 5, 10, 25, 50, 100, 500, 2_500, 20_000];

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    calls: Mutex<BTreeMap<(&'static str, &'static str), Times>>,
    statuses: Mutex<BTreeMap<u16, u64>>,
    /// Sessions and single requests that are open.
    pub(crate) sessions: AtomicUsize,
}

#[derive(Clone, Copy, Default)]
struct Times {
    count: u64,
    total: Duration,
    below: [u64; BUCKETS.len()],
}

impl Metrics {
    /// Counts an answer of a tool.
    pub(crate) fn called(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let times = calls.entry((tool, outcome)).or_default();
        times.count += 1;
        times.total += took;
        for (below, most) in times.below.iter_mut().zip(BUCKETS) {
            *below += u64::from(took.as_millis() <= u128::from(most));
        }
    }

    /// Counts an HTTP answer.
    pub(crate) fn answered(&self, status: u16) {
        *self.statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// All of it in Prometheus' text form.
    pub(crate) fn text(&self, indexing: bool, generation: Option<u64>) -> String {
        let mut page = String::new();
        let head = |page: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut page, "orient_tool_seconds", "histogram", "How long tools took to answer.");
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((tool, outcome), times) in calls {
            let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
            for (most, below) in BUCKETS.iter().zip(times.below) {
                let (whole, part) = (most / 1000, most % 1000);
                let _ =
                    writeln!(page, "orient_tool_seconds_bucket{{{labels},le=\"{whole}.{part:03}\"}} {below}");
            }
            let _ = writeln!(page, "orient_tool_seconds_bucket{{{labels},le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(page, "orient_tool_seconds_sum{{{labels}}} {}", times.total.as_secs_f64());
            let _ = writeln!(page, "orient_tool_seconds_count{{{labels}}} {}", times.count);
        }
        head(&mut page, "orient_http_requests_total", "counter", "HTTP answers by status.");
        for (status, count) in &*self.statuses.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(page, "orient_http_requests_total{{status=\"{status}\"}} {count}");
        }
        head(&mut page, "orient_sessions", "gauge", "Sessions that are open.");
        let _ = writeln!(page, "orient_sessions {}", self.sessions.load(Ordering::Relaxed));
        head(&mut page, "orient_indexing", "gauge", "Whether the index is being made.");
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
    fn buckets_add_up() {
        let metrics = Metrics::default();
        metrics.called("find", "ok", Duration::from_millis(3));
        metrics.called("find", "ok", Duration::from_mins(1));
        metrics.answered(200);
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
