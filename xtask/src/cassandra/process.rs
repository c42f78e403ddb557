//! A process that outlives us: who it is, whether it still runs, and signals to it.
//!
//! A process id is used again after its process ends. So an [`Identity`] also has the time the
//! process started, in the kernel's ticks, and before every signal the command line is looked
//! at: a process is ours only if all three agree. All of it is read from `/proc`.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::step::{self, Stopwatch};

/// One process, never to be mistaken for a later one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) pid: u32,
    started_ticks: u64,
    /// A word of its command line.
    mark: String,
}

/// What a process is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Running,
    /// Stopped by a signal; it keeps its memory and its connections.
    Paused,
    Gone,
}

/// What can be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Signal {
    Kill,
    Terminate,
    Pause,
    Resume,
}

impl Identity {
    /// Of a process that runs now.
    pub(crate) fn of(pid: u32, mark: &str) -> Result<Self> {
        let stat = stat(pid).with_context(|| format!("no process {pid}"))?;
        Ok(Self {
            pid,
            started_ticks: stat.started_ticks,
            mark: mark.to_owned(),
        })
    }

    /// From the file that [`Self::save`] wrote; nothing if there is none or it is cut off.
    pub(crate) fn load(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let mut lines = text.lines();
        Some(Self {
            pid: lines.next()?.parse().ok()?,
            started_ticks: lines.next()?.parse().ok()?,
            mark: lines.next()?.to_owned(),
        })
    }

    pub(crate) fn save(&self, file: &Path) -> Result<()> {
        let Self {
            pid,
            started_ticks,
            mark,
        } = self;
        fs::write(file, format!("{pid}\n{started_ticks}\n{mark}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    }

    pub(crate) fn activity(&self) -> Activity {
        match stat(self.pid) {
            Some(stat) if stat.started_ticks == self.started_ticks && self.is_marked() => {
                stat.activity
            }
            _ => Activity::Gone,
        }
    }

    /// Sends a signal, unless the process is gone; the answer is whether it was sent.
    pub(crate) fn signal(&self, signal: Signal) -> Result<bool> {
        if self.activity() == Activity::Gone {
            return Ok(false);
        }
        // The shell has `kill` built in, while the program of that name is an extra package.
        let status = Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", signal.name()])
            .arg(self.pid.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cannot start sh to send a signal")?;
        let sent = status.success();
        ensure!(
            sent || self.activity() == Activity::Gone,
            "process {} may not be signalled by this user",
            self.pid
        );
        Ok(sent)
    }

    /// Waits for the end; the answer is whether it came within the limit.
    pub(crate) fn ends_within(&self, limit: Duration) -> bool {
        self.becomes(Activity::Gone, limit)
    }

    /// Waits until it does what is expected; the answer is whether it did within the limit.
    pub(crate) fn becomes(&self, expected: Activity, limit: Duration) -> bool {
        let watch = Stopwatch::start();
        while self.activity() != expected {
            if watch.elapsed() > limit {
                return false;
            }
            step::pause(Duration::from_millis(20));
        }
        true
    }

    /// While a process turns into another program its command line is empty for a moment.
    fn is_marked(&self) -> bool {
        let arguments = command_line(self.pid).unwrap_or_default();
        let mut words = arguments.split(|byte| *byte == 0);
        arguments.is_empty() || words.any(|word| word == self.mark.as_bytes())
    }
}

impl Signal {
    fn name(self) -> &'static str {
        match self {
            Self::Kill => "KILL",
            Self::Terminate => "TERM",
            Self::Pause => "STOP",
            Self::Resume => "CONT",
        }
    }
}

/// More than any command line of ours has.
const COMMAND_LINE_BYTES: usize = 1 << 20;

/// The words, each with a zero byte behind it. In one read, which the kernel answers from one
/// program: of a process that becomes another one in between, two reads would show a part of each.
fn command_line(pid: u32) -> std::io::Result<Vec<u8>> {
    let mut line = vec![0; COMMAND_LINE_BYTES];
    let length = File::open(format!("/proc/{pid}/cmdline"))?.read(&mut line)?;
    line.truncate(length);
    Ok(line)
}

/// What `/proc/PID/stat` says.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    activity: Activity,
    started_ticks: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything, so fields are counted from its end: the state
/// comes first, the start time is the 20th. A zombie has ended; it only waits to be reaped.
fn parse(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let activity = match fields.next()? {
        "T" | "t" => Activity::Paused,
        "Z" | "X" | "x" => Activity::Gone,
        _ => Activity::Running,
    };
    Some(Stat {
        activity,
        started_ticks: fields.nth(18)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::process::Child;

    use super::*;

    #[test]
    fn the_state_and_start_are_read_past_any_name() {
        let line = |state: &str| {
            format!("42 (a) Z (b) {state} 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 77123 8 9")
        };
        let read = |state: &str| parse(&line(state)).unwrap();
        assert_eq!(read("S").started_ticks, 77123);
        assert_eq!(read("S").activity, Activity::Running);
        assert_eq!(read("T").activity, Activity::Paused);
        assert_eq!(read("Z").activity, Activity::Gone);
        assert_eq!(parse("42 (cut"), None);
    }

    /// A process that waits for its input to end, with a word on its command line.
    /// A process that waits, once it has become the program that it is told to be.
    fn waiting(mark: &str) -> Child {
        let child = Command::new("sh")
            .args(["-c", "read line", mark])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let command_line = format!("/proc/{}/cmdline", child.id());
        while !fs::read_to_string(&command_line).unwrap().contains(mark) {
            step::pause(Duration::from_millis(1));
        }
        child
    }

    #[test]
    fn a_process_is_paused_resumed_and_killed() {
        let mut child = waiting("mark-a");
        let identity = Identity::of(child.id(), "mark-a").unwrap();
        assert_eq!(identity.activity(), Activity::Running);
        assert!(identity.signal(Signal::Pause).unwrap());
        while identity.activity() != Activity::Paused {
            std::thread::yield_now();
        }
        assert!(identity.signal(Signal::Resume).unwrap());
        assert!(identity.signal(Signal::Kill).unwrap());
        assert!(identity.ends_within(Duration::from_secs(60)));
        assert!(!identity.signal(Signal::Kill).unwrap(), "already gone");
        child.wait().unwrap();
        assert_eq!(identity.activity(), Activity::Gone);
    }

    #[test]
    fn a_process_that_turns_into_another_program_is_not_taken_for_gone() {
        let padding = "x".repeat(60_000);
        for _ in 0..60 {
            let mut child = Command::new("setsid")
                .args(["sh", "-c", "read line", &padding, "mark-d"])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let identity = Identity::of(child.id(), "mark-d").unwrap();
            for _ in 0..60 {
                assert_eq!(identity.activity(), Activity::Running);
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn another_process_with_the_same_id_is_left_alone() {
        let mut child = waiting("mark-b");
        let ours = Identity::of(child.id(), "mark-b").unwrap();
        let earlier = Identity {
            started_ticks: ours.started_ticks.wrapping_sub(1),
            ..ours.clone()
        };
        let other_command = Identity {
            mark: "mark-c".to_owned(),
            ..ours.clone()
        };
        for other in [earlier, other_command] {
            assert_eq!(other.activity(), Activity::Gone, "{other:?}");
            assert!(!other.signal(Signal::Kill).unwrap());
        }
        assert_eq!(ours.activity(), Activity::Running);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn an_identity_survives_its_file_and_a_cut_one_is_none() {
        let file = std::env::temp_dir().join(format!("stoa-xtask-pid-{}", std::process::id()));
        let identity = Identity {
            pid: 7,
            started_ticks: 8,
            mark: "-Da=b c".to_owned(),
        };
        identity.save(&file).unwrap();
        assert_eq!(Identity::load(&file), Some(identity));
        fs::write(&file, "7\n8").unwrap();
        assert_eq!(Identity::load(&file), None);
        fs::remove_file(&file).unwrap();
        assert_eq!(Identity::load(&file), None);
    }
}
