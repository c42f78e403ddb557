//! Programs under test are this binary itself, started again with a task.
//!
//! A child that works through cases says `at N` before each and its verdict after it, so a death
//! is known to be that of case N, and the next child goes on behind it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_testkit::powercut::sweep;

use super::suite::{Effort, WORKERS, shared};
use super::tally::{Tally, Verdict};
use super::verify::guarded;

/// The variable with the task of a child: words separated by tabs.
pub(crate) const TASK: &str = "STOA_DAMAGE_TASK";

/// After so long without a word a child counts as hung.
const SILENCE: Duration = Duration::from_secs(120);

/// The most address space of a child, in KiB: a wild allocation fails instead of being served.
const ADDRESS_SPACE_KIB: u64 = 4 << 20;

/// The task of this process, if it is a child.
pub(crate) fn task() -> Option<Vec<String>> {
    let task = std::env::var(TASK).ok()?;
    Some(task.split('\t').map(str::to_owned).collect())
}

/// This binary with a task. The arguments make a test binary run the test that does it.
pub(crate) fn command(task: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary"));
    dress(&mut command, task);
    command
}

/// The same with a limit on its address space.
fn limited_command(task: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let limit = format!("ulimit -v {ADDRESS_SPACE_KIB} && exec \"$0\" \"$@\"");
    command.args(["-c", &limit]);
    command.arg(std::env::current_exe().expect("this binary"));
    dress(&mut command, task);
    command
}

fn dress(command: &mut Command, task: &[&str]) {
    command.args(["--exact", "damage::tests::program", "--nocapture"]);
    command.env(TASK, task.join("\t"));
    // Fewer arenas: less address space per thread.
    command.env("MALLOC_ARENA_MAX", "2");
    command.stdin(Stdio::null());
}

/// A path as a word of a task.
pub(crate) fn word(path: &Path) -> &str {
    path.to_str().expect("a path of plain characters")
}

/// A running child whose output is read line by line.
pub(crate) struct Talker {
    pub(crate) child: Child,
    lines: Receiver<String>,
}

impl Talker {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a child can be started");
        let out = child.stdout.take().expect("its output");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line, or why there is none.
    pub(crate) fn line(&self) -> Result<String, RecvTimeoutError> {
        self.lines.recv_timeout(SILENCE)
    }

    /// Ends the child and says how it ended and what it last complained about.
    pub(crate) fn end(mut self) -> String {
        // It may have ended by itself.
        let _ = self.child.kill();
        let process = self.child.id();
        let output = self.child.wait_with_output().expect("a child that ended");
        sweep(process).expect("its folders can be removed");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let words = words.trim();
        let last = words.len().saturating_sub(1500);
        let last = (last..words.len()).find(|at| words.is_char_boundary(*at));
        let words = last.and_then(|at| words.get(at..)).unwrap_or_default();
        format!("{}: {words}", output.status)
    }
}

/// Lets children work through so many cases of a task and counts their verdicts.
pub(crate) fn work_through(effort: &Effort, task: &[&str], cases: u64) -> Tally {
    let part = |worker: usize| cases * worker as u64 / WORKERS as u64;
    shared(effort, |worker, tally| {
        let range = (part(worker), part(worker + 1));
        work_through_range(tally, task, range, &|cases| effort.progress(cases));
    })
}

fn work_through_range(
    tally: &mut Tally,
    task: &[&str],
    (mut from, to): (u64, u64),
    progress: &dyn Fn(u64),
) {
    while from < to {
        let (first, last) = (from.to_string(), to.to_string());
        let words: Vec<&str> = task.iter().copied().chain([&*first, &*last]).collect();
        let talker = Talker::start(limited_command(&words));
        let mut at = None;
        let death = loop {
            let line = match talker.line() {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => break Some("hung".to_owned()),
                Err(RecvTimeoutError::Disconnected) => break Some("ended".to_owned()),
            };
            if line == "all done" {
                break None;
            }
            if let Some(case) = line.strip_prefix("at ").and_then(|it| it.parse().ok()) {
                at = Some(case);
            } else if let Some(case) = at
                && let Some(verdict) = parse(&line)
            {
                tally.count(&format!("{} case {case}", task.join(" ")), verdict);
                from = case + 1;
                progress(1);
            } else if let Some(note) = line.strip_prefix("note ") {
                tally.note(note, 1);
            }
        };
        let ending = talker.end();
        match death {
            None => break,
            Some(how) => {
                let case = at.unwrap_or(from);
                tally.count(
                    &format!("{} case {case}", task.join(" ")),
                    Verdict::Dead(format!("{how}, {ending}")),
                );
                from = case + 1;
            }
        }
    }
}

/// The child's side: does the cases that the last two words name.
pub(crate) fn do_cases(words: &[String], mut act: impl FnMut(u64) -> Verdict) {
    let number = |word: Option<&String>| -> u64 {
        let word = word.expect("a task ends with its cases");
        word.parse().expect("a number of a case")
    };
    let mut last = words.iter().rev();
    let to = number(last.next());
    let from = number(last.next());
    let panics: Arc<Mutex<Option<String>>> = Arc::default();
    let seen = Arc::clone(&panics);
    // Threads of the store may panic without the caller seeing it.
    std::panic::set_hook(Box::new(move |panic| {
        *seen.lock().expect("no panic while noting one") = Some(panic.to_string());
    }));
    for case in from..to {
        say(&format!("at {case}"));
        let verdict = guarded(|| act(case));
        let panic = panics.lock().expect("no panic while noting one").take();
        say_verdict(&match panic {
            Some(panic) => Verdict::Dead(format!("{verdict:?}, {panic}")),
            None => verdict,
        });
    }
    say("all done");
}

/// Says something to the parent.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A parent that is gone needs no answer.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Says a verdict to the parent, in one line.
pub(crate) fn say_verdict(verdict: &Verdict) {
    let (word, what) = match verdict {
        Verdict::Right(kept) => ("right", kept.to_string()),
        Verdict::Named(what) => ("named", what.clone()),
        Verdict::Lost(what) => ("lost", what.clone()),
        Verdict::Silent(what) => ("silent", what.clone()),
        Verdict::Dead(what) => ("dead", what.clone()),
    };
    say(&format!("{word} {}", what.replace('\n', " ")));
}

fn parse(line: &str) -> Option<Verdict> {
    let (word, what) = line.split_once(' ')?;
    let what = what.to_owned();
    match word {
        "right" => Some(Verdict::Right(what.parse().ok()?)),
        "named" => Some(Verdict::Named(what)),
        "lost" => Some(Verdict::Lost(what)),
        "silent" => Some(Verdict::Silent(what)),
        "dead" => Some(Verdict::Dead(what)),
        _ => None,
    }
}
