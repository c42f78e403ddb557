//! How busy this process is: how much of the machine's processors it took in the last minute, 1 being
//! all of them.
//!
//! What it took is read where the operating system tells it in a file, `/proc/self/stat` of Linux.
//! Elsewhere nobody knows, and nothing is told.

use std::collections::VecDeque;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
/// What the file counts in: hundredths of a second, on every machine that has it.
const TICK: Duration = Duration::from_millis(10);
/// The places of the time spent in the program and in the system, after the program's name.
const IN_PROGRAM: usize = 11;

/// Looks at what was taken, of the last minute.
#[derive(Debug)]
pub(super) struct Load {
    processors: f64,
    /// When it was, and what the process had taken by then.
    looks: VecDeque<(Duration, Duration)>,
}

impl Load {
    /// On a machine with so many processors.
    pub(super) fn new(processors: usize) -> Self {
        Self {
            processors: processors.max(1) as f64,
            looks: VecDeque::new(),
        }
    }

    /// The load at a moment, of what the process has taken by then; none at the first look.
    pub(super) fn look(&mut self, now: Duration, taken: Duration) -> Option<f64> {
        // One look that is a minute old is what the minute begins with.
        while self.looks.get(1).is_some_and(|(at, _)| *at + MINUTE <= now) {
            self.looks.pop_front();
        }
        let first = self.looks.front().copied();
        self.looks.push_back((now, taken));
        let (began, before) = first.filter(|(began, _)| *began < now)?;
        let possible = (now - began).as_secs_f64() * self.processors;
        Some((taken.saturating_sub(before).as_secs_f64() / possible).min(1.0))
    }
}

/// What this process has taken of processors, if the system tells.
pub(super) fn taken() -> Option<Duration> {
    of_text(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The name of the program stands in brackets and may hold anything, brackets too.
fn of_text(text: &str) -> Option<Duration> {
    let (_, after) = text.rsplit_once(')')?;
    let mut ticks = after.split_ascii_whitespace().skip(IN_PROGRAM);
    let (program, system): (u32, u32) = (ticks.next()?.parse().ok()?, ticks.next()?.parse().ok()?);
    TICK.checked_mul(program.checked_add(system)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_what_was_taken_of_all_processors_in_the_last_minute() {
        let mut load = Load::new(2);
        let mut look = |now, taken| load.look(Duration::from_secs(now), Duration::from_secs(taken));
        assert_eq!(look(100, 7), None);
        assert_eq!(look(110, 17), Some(0.5));
        assert_eq!(look(120, 17), Some(0.25));
        // The same moment once more says nothing new, and no more than all can be taken.
        assert_eq!(look(120, 17), Some(0.25));
        assert_eq!(look(130, 90), Some(1.0));
        // What was taken more than a minute ago counts no more.
        assert_eq!(look(190, 90), Some(0.0));
        assert_eq!(look(500, 90), Some(0.0));
    }

    #[test]
    fn what_was_taken_is_read_past_any_name() {
        let line = |name: &str| {
            let numbers = "S 1 2 3 4 5 6 7 8 9 10 250 50 13 14";
            format!("4711 ({name}) {numbers}\n")
        };
        for name in ["stoa", "a b", ") 1 2 (", ""] {
            let found = of_text(&line(name));
            assert_eq!(found, Some(Duration::from_secs(3)), "{name}");
        }
        for wrong in [
            "",
            "4711 (stoa) S 1 2",
            "4711 (stoa",
            &line("x").replace("250", "x"),
        ] {
            assert_eq!(of_text(wrong), None, "{wrong}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_system_tells() {
        assert!(taken().is_some());
    }
}
