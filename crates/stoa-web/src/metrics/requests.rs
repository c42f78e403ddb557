//! Requests by route and status, and how long they took.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Limits of the buckets of durations, in milliseconds.
const BUCKETS: [u64; 9] = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];

/// The counters. Routes and statuses are few, so there are few of them.
#[derive(Debug, Default)]
pub(super) struct Requests(BTreeMap<(&'static str, &'static str, u16), Counted>);

#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    requests: u64,
    micros: u64,
    buckets: [u64; BUCKETS.len()],
}

impl Requests {
    /// Counts an answer.
    pub(super) fn count(
        &mut self,
        method: &'static str,
        path: &'static str,
        status: u16,
        took: Duration,
    ) {
        let counted = self.0.entry((method, path, status)).or_default();
        counted.requests += 1;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        counted.micros = counted.micros.saturating_add(micros);
        for (bucket, most) in counted.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(micros <= most * 1_000);
        }
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(
            "# HELP stoa_http_request_seconds How long requests took, by route and status.\n\
             # TYPE stoa_http_request_seconds histogram\n",
        );
        for ((method, path, status), it) in &self.0 {
            let labels = format!("method=\"{method}\",route=\"{path}\",status=\"{status}\"");
            let name = "stoa_http_request_seconds";
            for (count, most) in it.buckets.iter().zip(BUCKETS) {
                let seconds = most as f64 / 1_000.0;
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{seconds}\"}} {count}");
            }
            let (requests, seconds) = (it.requests, it.micros as f64 / 1e6);
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {requests}");
            let _ = writeln!(text, "{name}_sum{{{labels}}} {seconds}");
            let _ = writeln!(text, "{name}_count{{{labels}}} {requests}");
        }
        text
    }
}
