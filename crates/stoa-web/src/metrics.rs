//! What an instance counts, as Prometheus reads it.
//!
//! Names of routes, tasks and outcomes are few and ours, so there are few series: nothing that people
//! send is ever a label.

mod requests;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use stoa_votes::model::UserId;

use self::requests::Requests;

/// For how long somebody counts as being here.
const HERE: Duration = Duration::from_secs(15 * 60);
/// People who are remembered as being here at most.
const MOST_HERE: usize = 100_000;

/// Something that goes up and down, or is counted elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gauge {
    /// Mail that waits in the outbox.
    OutboxMails,
    /// What the store has on disk.
    StoreDiskBytes,
    /// What the store holds in memory before it is written to tables.
    StoreBufferedBytes,
    /// The number of the store's last commit.
    StoreCommits,
    /// Memory of the process.
    MemoryBytes,
    /// Who listens to totals.
    LiveListeners,
    /// Who waits for a password to be hashed.
    HashingWaiting,
}

/// Something that is counted by how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// Votes that people sent.
    Votes(VoteEnd),
    /// Tries to sign in.
    SignIns(SignInEnd),
}

/// How votes that people sent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VoteEnd {
    /// They are saved.
    Accepted,
    /// They may not be.
    Refused,
    /// They were made for a state that has passed.
    Stale,
    /// Nobody knows yet.
    Unknown,
}

/// How a try to sign in ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignInEnd {
    /// Somebody is signed in.
    Accepted,
    /// The name or the password is wrong.
    Refused,
}

impl Gauge {
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::OutboxMails => ("stoa_outbox_mails", "Mail that waits to be sent."),
            Self::StoreDiskBytes => ("stoa_store_disk_bytes", "What the store has on disk."),
            Self::StoreBufferedBytes => (
                "stoa_store_buffered_bytes",
                "What the store holds in memory before it is written to tables.",
            ),
            Self::StoreCommits => ("stoa_store_commits", "The number of the last commit."),
            Self::MemoryBytes => (
                "process_resident_memory_bytes",
                "Memory that the process has in use.",
            ),
            Self::LiveListeners => ("stoa_live_listeners", "Browsers that listen to totals."),
            Self::HashingWaiting => (
                "stoa_hashing_waiting",
                "People who wait for a password to be hashed.",
            ),
        }
    }
}

impl Counter {
    const ALL: [Self; 6] = [
        Self::Votes(VoteEnd::Accepted),
        Self::Votes(VoteEnd::Refused),
        Self::Votes(VoteEnd::Stale),
        Self::Votes(VoteEnd::Unknown),
        Self::SignIns(SignInEnd::Accepted),
        Self::SignIns(SignInEnd::Refused),
    ];

    fn described(self) -> (&'static str, &'static str, &'static str) {
        let votes = |end| {
            (
                "stoa_votes_total",
                "Votes that people sent, by how that ended.",
                end,
            )
        };
        let sign_ins = |end| {
            (
                "stoa_sign_ins_total",
                "Tries to sign in, by how they ended.",
                end,
            )
        };
        match self {
            Self::Votes(VoteEnd::Accepted) => votes("accepted"),
            Self::Votes(VoteEnd::Refused) => votes("refused"),
            Self::Votes(VoteEnd::Stale) => votes("stale"),
            Self::Votes(VoteEnd::Unknown) => votes("unknown"),
            Self::SignIns(SignInEnd::Accepted) => sign_ins("accepted"),
            Self::SignIns(SignInEnd::Refused) => sign_ins("refused"),
        }
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    requests: Requests,
    counters: BTreeMap<Counter, u64>,
    gauges: BTreeMap<Gauge, u64>,
    tasks: BTreeMap<String, TaskCounts>,
    here: HashMap<UserId, Duration>,
}

#[derive(Debug, Clone, Copy, Default)]
struct TaskCounts {
    succeeded: u64,
    failed: u64,
    took: Duration,
    ended_micros: i64,
}

impl Metrics {
    fn with<T>(&self, work: impl FnOnce(&mut Counts) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts an answer.
    pub fn count(&self, method: &'static str, path: &'static str, status: u16, took: Duration) {
        self.with(|counts| counts.requests.count(method, path, status, took));
    }

    /// Counts something by how it ended.
    pub fn add(&self, counter: Counter) {
        self.with(|counts| *counts.counters.entry(counter).or_default() += 1);
    }

    /// Notes how much there is of something.
    pub fn set(&self, gauge: Gauge, value: u64) {
        self.with(|counts| counts.gauges.insert(gauge, value));
    }

    /// Notes that a background task ran here.
    pub fn task_ran(&self, task: &str, is_ok: bool, took: Duration, ended_micros: i64) {
        self.with(|counts| {
            let ran = counts.tasks.entry(task.to_owned()).or_default();
            match is_ok {
                true => ran.succeeded += 1,
                false => ran.failed += 1,
            }
            (ran.took, ran.ended_micros) = (took, ended_micros);
        });
    }

    /// Notes that somebody who is signed in is here.
    pub fn seen(&self, user: UserId, now: Duration) {
        self.with(|counts| {
            if counts.here.len() >= MOST_HERE {
                counts.forget_gone(now);
            }
            if counts.here.len() < MOST_HERE {
                counts.here.insert(user, now);
            }
        });
    }

    /// All of it as text.
    #[must_use]
    pub fn text(&self, now: Duration) -> String {
        self.with(|counts| {
            counts.forget_gone(now);
            let mut text = counts.requests.text();
            counts.write_counters(&mut text);
            counts.write_gauges(&mut text);
            counts.write_tasks(&mut text);
            text
        })
    }
}

impl Counts {
    fn forget_gone(&mut self, now: Duration) {
        self.here.retain(|_, seen| now.saturating_sub(*seen) < HERE);
    }

    fn write_counters(&self, text: &mut String) {
        let mut last = "";
        for counter in Counter::ALL {
            let (name, help, end) = counter.described();
            if name != last {
                head(text, name, help, "counter");
                last = name;
            }
            let count = self.counters.get(&counter).copied().unwrap_or(0);
            let _ = writeln!(text, "{name}{{result=\"{end}\"}} {count}");
        }
    }

    fn write_gauges(&self, text: &mut String) {
        let name = "stoa_people_here";
        let help = "People who are signed in and were seen here in the last quarter of an hour.";
        head(text, name, help, "gauge");
        let _ = writeln!(text, "{name} {}", self.here.len());
        for (gauge, value) in &self.gauges {
            let (name, help) = gauge.described();
            head(text, name, help, "gauge");
            let _ = writeln!(text, "{name} {value}");
        }
    }

    fn write_tasks(&self, text: &mut String) {
        let name = "stoa_task_runs_total";
        head(text, name, "Runs of background tasks here.", "counter");
        for (task, ran) in &self.tasks {
            for (end, count) in [("ok", ran.succeeded), ("failed", ran.failed)] {
                let _ = writeln!(text, "{name}{{task=\"{task}\",result=\"{end}\"}} {count}");
            }
        }
        let name = "stoa_task_last_run_seconds";
        head(
            text,
            name,
            "When a task last ended here, since 1970.",
            "gauge",
        );
        for (task, ran) in &self.tasks {
            let seconds = ran.ended_micros.div_euclid(1_000_000);
            let _ = writeln!(text, "{name}{{task=\"{task}\"}} {seconds}");
        }
        let name = "stoa_task_last_duration_seconds";
        head(text, name, "How long the last run of a task took.", "gauge");
        for (task, ran) in &self.tasks {
            let seconds = ran.took.as_secs_f64();
            let _ = writeln!(text, "{name}{{task=\"{task}\"}} {seconds}");
        }
    }
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn everything_is_told_and_what_never_was_is_zero() {
        let (metrics, at) = (Metrics::default(), Duration::from_secs);
        metrics.add(Counter::Votes(VoteEnd::Accepted));
        metrics.set(Gauge::OutboxMails, 7);
        metrics.set(Gauge::OutboxMails, 3);
        metrics.task_ran("votes.audit", true, at(2), 5_000_000);
        metrics.task_ran("votes.audit", false, at(1), 9_000_000);
        metrics.seen(UserId(Uuid::from_u128(1)), at(0));
        metrics.seen(UserId(Uuid::from_u128(2)), at(890));
        let text = metrics.text(at(900));
        for line in [
            "stoa_votes_total{result=\"accepted\"} 1",
            "stoa_votes_total{result=\"stale\"} 0",
            "stoa_outbox_mails 3",
            "stoa_people_here 1",
            "stoa_task_runs_total{task=\"votes.audit\",result=\"ok\"} 1",
            "stoa_task_runs_total{task=\"votes.audit\",result=\"failed\"} 1",
            "stoa_task_last_run_seconds{task=\"votes.audit\"} 9",
            "stoa_task_last_duration_seconds{task=\"votes.audit\"} 1",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in {text}");
        }
        // Each series is described once, as the format wants it.
        let mut heads: Vec<&str> = text.lines().filter(|it| it.starts_with("# TYPE")).collect();
        let all = heads.len();
        heads.sort_unstable();
        heads.dedup();
        assert_eq!(heads.len(), all);
    }
}
