//! Calls that fail: a full disk, a sync that reports an error.
//!
//! strace lets chosen calls fail without the system seeing them. It counts for each
//! thread and for each kind of call by itself: the third `write` means the third
//! `write` of every thread, whatever it did with `pwrite64` in between.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    line::{self, Line},
    strace::{Run, Strace, TraceFile},
};

/// The error that a call reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultError {
    /// `ENOSPC`: the disk is full.
    NoSpace,
    /// `EIO`: the device failed.
    InputOutput,
    /// `EDQUOT`: the user's share of the disk is used up.
    Quota,
}

impl FaultError {
    fn name(self) -> &'static str {
        match self {
            Self::NoSpace => "ENOSPC",
            Self::InputOutput => "EIO",
            Self::Quota => "EDQUOT",
        }
    }
}

/// Which calls of each kind and thread fail, counted from 1. The tool counts to 65,535.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// This one.
    Once(u16),
    /// This one and all after it.
    From(u16),
    /// From the first to the second, both included: the fault goes away again.
    Between(u16, u16),
}

/// Calls that fail.
#[derive(Clone, Debug)]
pub struct Fault {
    calls: Vec<&'static str>,
    error: FaultError,
    when: When,
    paths: Vec<PathBuf>,
}

/// Calls that need space, except `writev`, which announcements use.
pub const WRITING_CALLS: [&str; 6] = [
    "write",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "ftruncate",
    "fallocate",
];

/// Calls that make something durable.
pub const SYNCING_CALLS: [&str; 2] = ["fsync", "fdatasync"];

impl Fault {
    /// Lets these calls report this error.
    #[must_use]
    pub fn new(calls: &[&'static str], error: FaultError, when: When) -> Self {
        Self {
            calls: calls.to_vec(),
            error,
            when,
            paths: Vec::new(),
        }
    }

    /// Only calls on these paths fail and are counted, and the rest works: the
    /// program's output for instance. Paths are absolute.
    #[must_use]
    pub fn on(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.paths.extend(paths);
        self
    }

    /// Whether only calls on some paths fail.
    pub(super) fn is_on_paths(&self) -> bool {
        !self.paths.is_empty()
    }

    pub(super) fn options(&self) -> Vec<OsString> {
        let when = match self.when {
            When::Once(number) => number.to_string(),
            When::From(number) => format!("{number}+"),
            When::Between(first, last) => format!("{first}..{last}"),
        };
        let calls: Vec<_> = self.calls.iter().map(|call| format!("?{call}")).collect();
        let (calls, error) = (calls.join(","), self.error.name());
        let inject = OsString::from(format!("inject={calls}:error={error}:when={when}"));
        let paths = path_options(&self.paths);
        [OsString::from("-e"), inject]
            .into_iter()
            .chain(paths)
            .collect()
    }
}

fn path_options(paths: &[PathBuf]) -> impl Iterator<Item = OsString> {
    paths
        .iter()
        .flat_map(|path| [OsString::from("-P"), path.clone().into_os_string()])
}

/// A program that met a fault.
#[derive(Clone, Debug)]
pub struct FaultRun {
    /// How it ended.
    pub run: Run,
    /// What it announced, in order.
    pub announcements: Vec<String>,
    /// How many calls failed. If none did, the program does not get that far.
    pub injected: u64,
}

/// How many calls a program made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCount {
    /// In all.
    pub total: u64,
    /// The most of one kind in one thread: with [`When::Once`] from 1 up to this number
    /// every call fails in one of the runs.
    pub most: u64,
}

impl Strace {
    /// Runs a program, in which calls fail. It finds the path of `announcements` in
    /// [`super::ANNOUNCEMENTS_VARIABLE`]; the file is emptied first.
    ///
    /// # Errors
    /// Those of running the tool and of reading what it and the program wrote.
    pub fn run_with_fault(
        self,
        fault: &Fault,
        announcements: &Path,
        program: &Command,
    ) -> io::Result<FaultRun> {
        fs::write(announcements, b"")?;
        let trace = TraceFile::new()?;
        let calls: BTreeSet<&str> = fault.calls.iter().copied().collect();
        let run = self.run(
            &calls,
            trace.path(),
            &fault.options(),
            announcements,
            program,
        )?;
        let mut injected = 0;
        each_line(trace.path(), |line| {
            injected += u64::from(line.ends_with("(INJECTED)"));
        })?;
        let said = String::from_utf8_lossy(&fs::read(announcements)?).into_owned();
        let announcements = said.lines().map(str::to_owned).collect();
        Ok(FaultRun {
            run,
            announcements,
            injected,
        })
    }

    /// Counts the calls of these kinds that a program makes, on these paths or, if
    /// there are none, on any.
    ///
    /// # Errors
    /// Those of running the tool and of reading what it wrote.
    pub fn count(
        self,
        calls: &[&str],
        paths: &[PathBuf],
        announcements: &Path,
        program: &Command,
    ) -> io::Result<CallCount> {
        fs::write(announcements, b"")?;
        let trace = TraceFile::new()?;
        let calls: BTreeSet<&str> = calls.iter().copied().collect();
        let options: Vec<_> = path_options(paths).collect();
        self.run(&calls, trace.path(), &options, announcements, program)?;
        let mut counts: BTreeMap<(u32, String), u64> = BTreeMap::new();
        each_line(trace.path(), |line| {
            if let Some(Line::Whole { thread, name, .. } | Line::Unfinished { thread, name, .. }) =
                line::parse(line)
            {
                *counts.entry((thread, name.to_owned())).or_default() += 1;
            }
        })?;
        Ok(CallCount {
            total: counts.values().sum(),
            most: counts.values().copied().max().unwrap_or(0),
        })
    }
}

fn each_line(trace: &Path, mut see: impl FnMut(&str)) -> io::Result<()> {
    let mut lines = BufReader::new(fs::File::open(trace)?);
    let mut line = String::new();
    while lines.read_line(&mut line)? > 0 {
        see(line.trim_end());
        line.clear();
    }
    Ok(())
}
