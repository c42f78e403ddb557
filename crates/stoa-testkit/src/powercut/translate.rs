//! Turns the lines of a trace into operations on a disk and announcements.
//!
//! The position of an event is the number of its line. The trace writes a start before
//! the system sees the call, and an end after the system has done it, so the recorded
//! span of a call contains the real one: of two calls whose spans do not overlap, the
//! order is certain.
//!
//! What the model cannot follow is an error and never a guess: a file mapped for
//! writing, a descriptor of unknown origin, an append that overlaps another.

mod bytes;
mod calls;
mod paths;

use std::{collections::BTreeMap, fmt, io::BufRead, path::PathBuf};

use super::{
    announce::{Announcements, Listener},
    descriptors::{Descriptors, OpenId, Sharing},
    disk::{Disk, NEVER, Span, Tree},
    ledger::{Ledger, Unknown},
    line::{self, Descriptor, Line, Outcome},
};
use paths::Roots;

/// Why a trace cannot be understood.
#[derive(Debug)]
pub enum TraceProblem {
    /// The trace could not be read.
    Read(std::io::Error),
    /// The line or an argument has a form that is not known, or data is missing.
    Form,
    /// The call changes files in a way that the model does not follow.
    Unsupported(&'static str),
    /// The descriptor was opened where the trace did not see it.
    Descriptor,
    /// Two threads did something at once, and its result depends on their order.
    Ambiguous,
    /// The call succeeded on a path that no operation had made.
    Path(PathBuf),
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(formatter, "the trace cannot be read: {error}"),
            Self::Form => write!(formatter, "a line of unknown form, or with data missing"),
            Self::Unsupported(what) => write!(formatter, "not followed by the model: {what}"),
            Self::Descriptor => write!(formatter, "a descriptor that no traced call opened"),
            Self::Ambiguous => write!(formatter, "two threads at once, with an unknown order"),
            Self::Path(path) => Unknown(path.clone()).fmt(formatter),
        }
    }
}

impl From<Unknown> for TraceProblem {
    fn from(unknown: Unknown) -> Self {
        Self::Path(unknown.0)
    }
}

/// Where in a trace a problem is.
#[derive(Debug)]
pub struct TraceError {
    /// The number of the line, from 1.
    pub line: u64,
    /// The beginning of the line.
    pub text: String,
    /// What is wrong with it.
    pub problem: TraceProblem,
}

/// Longest part of a line that an error repeats.
const SHOWN: usize = 400;

/// What a trace is about.
pub(super) struct Subject {
    /// The folder under test.
    pub(super) root: PathBuf,
    /// The file of announcements.
    pub(super) announcements: PathBuf,
    /// Where relative paths start.
    pub(super) working_folder: PathBuf,
}

/// What a trace says.
pub(super) struct Translation {
    pub(super) disk: Disk,
    /// Calls that were made to fail.
    pub(super) injected: u64,
    /// Whether every call ended: if not, the last state of the disk is not known.
    pub(super) complete: bool,
}

/// Reads a trace. Announcements that were inherited are passed through.
pub(super) fn translate(
    trace: &mut dyn BufRead,
    subject: &Subject,
    base: Tree,
    inherited: Announcements,
) -> Result<Translation, TraceError> {
    let mut translator = Translator::new(subject, base);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let count = trace
            .read_until(b'\n', &mut buffer)
            .map_err(|error| translator.error(&[], TraceProblem::Read(error)))?;
        if count == 0 {
            break;
        }
        translator.position += 1;
        let line = str::from_utf8(&buffer).ok();
        let outcome = line
            .ok_or(TraceProblem::Form)
            .and_then(|line| translator.line(line));
        outcome.map_err(|problem| translator.error(&buffer, problem))?;
    }
    translator
        .abandon_all()
        .map_err(|problem| translator.error(&[], problem))?;
    Ok(translator.finish(inherited))
}

/// A call that has started.
#[derive(Debug)]
struct Begun {
    name: String,
    arguments: String,
    start: u64,
    files: [Option<OpenId>; 2],
}

/// A call that has ended.
#[derive(Debug)]
struct Call<'a> {
    thread: u32,
    name: &'a str,
    arguments: &'a str,
    /// The open files that its descriptors stood for when it started.
    files: [Option<OpenId>; 2],
    span: Span,
    outcome: Outcome,
}

struct Translator {
    roots: Roots,
    announcements: PathBuf,
    descriptors: Descriptors,
    ledger: Ledger,
    listener: Listener,
    /// When the last call that changed the length of a file ended.
    resized: BTreeMap<super::names::Inode, u64>,
    begun: BTreeMap<u32, Begun>,
    position: u64,
    injected: u64,
    complete: bool,
}

impl Translator {
    fn new(subject: &Subject, base: Tree) -> Self {
        Self {
            roots: Roots::new(&subject.root),
            announcements: subject.announcements.clone(),
            descriptors: Descriptors::new(subject.working_folder.clone()),
            ledger: Ledger::new(base),
            listener: Listener::default(),
            resized: BTreeMap::new(),
            begun: BTreeMap::new(),
            position: 0,
            injected: 0,
            complete: true,
        }
    }

    fn error(&self, line: &[u8], problem: TraceProblem) -> TraceError {
        let shown = line.get(..SHOWN).unwrap_or(line);
        let text = String::from_utf8_lossy(shown).trim_end().to_owned();
        TraceError {
            line: self.position,
            text,
            problem,
        }
    }

    fn finish(self, inherited: Announcements) -> Translation {
        let announcements = Announcements {
            own: self.listener.finish(),
            ..inherited
        };
        Translation {
            disk: self.ledger.close(announcements),
            injected: self.injected,
            complete: self.complete,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), TraceProblem> {
        match line::parse(line).ok_or(TraceProblem::Form)? {
            Line::Whole {
                thread,
                name,
                arguments,
                result,
            } => {
                let files = self.begin(thread, name, arguments)?;
                let begun = (files, self.position);
                self.end(thread, name, arguments, begun, result)
            }
            Line::Unfinished {
                thread,
                name,
                arguments,
            } => {
                let files = self.begin(thread, name, arguments)?;
                let (name, arguments) = (name.to_owned(), arguments.to_owned());
                let begun = Begun {
                    name,
                    arguments,
                    start: self.position,
                    files,
                };
                self.begun.insert(thread, begun);
                Ok(())
            }
            Line::Resumed {
                thread,
                name,
                arguments,
                result,
            } => {
                let begun = self.begun.remove(&thread).ok_or(TraceProblem::Form)?;
                if begun.name != name {
                    return Err(TraceProblem::Form);
                }
                let arguments = format!("{}{arguments}", begun.arguments);
                self.end(thread, name, &arguments, (begun.files, begun.start), result)
            }
            Line::Ended { thread } => {
                self.abandon(thread)?;
                self.descriptors.ended(thread);
                Ok(())
            }
            Line::Other => Ok(()),
        }
    }

    /// A call starts: its descriptors mean what they mean now.
    fn begin(
        &mut self,
        thread: u32,
        name: &str,
        arguments: &str,
    ) -> Result<[Option<OpenId>; 2], TraceProblem> {
        if !self.descriptors.meet(thread) {
            return Err(TraceProblem::Ambiguous);
        }
        let positions: &[usize] = match name {
            "clone" | "clone3" | "fork" | "vfork" => {
                let shared = arguments.contains("CLONE_FILES");
                let sharing = if shared {
                    Sharing::Shared
                } else {
                    Sharing::Copied
                };
                self.descriptors.expect_child(thread, sharing);
                return Ok([None; 2]);
            }
            "copy_file_range" | "splice" => &[0, 2],
            "sendfile" => &[1, 0],
            "mmap" => &[4],
            "close" | "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" | "read"
            | "readv" | "lseek" | "ftruncate" | "fallocate" | "fsync" | "fdatasync" | "syncfs"
            | "dup" | "dup2" | "dup3" | "fcntl" | "fchdir" => &[0],
            _ => return Ok([None; 2]),
        };
        let mut files = [None; 2];
        for (file, position) in files.iter_mut().zip(positions) {
            let argument = line::arguments(arguments)
                .nth(*position)
                .ok_or(TraceProblem::Form)?;
            let descriptor = Descriptor::parse(argument).ok_or(TraceProblem::Form)?;
            let number = descriptor.number.ok_or(TraceProblem::Form)?;
            *file = self.descriptors.find(thread, number);
            if file.is_none()
                && descriptor
                    .path
                    .is_some_and(|path| self.roots.contain(&path))
            {
                return Err(TraceProblem::Descriptor);
            }
            if name == "close" {
                self.descriptors.close_range(thread, number, number);
            }
        }
        Ok(files)
    }

    fn end(
        &mut self,
        thread: u32,
        name: &str,
        arguments: &str,
        (files, start): ([Option<OpenId>; 2], u64),
        result: &str,
    ) -> Result<(), TraceProblem> {
        self.injected += u64::from(result.ends_with("(INJECTED)"));
        let outcome = Outcome::parse(result).ok_or(TraceProblem::Form)?;
        let end = if outcome == Outcome::Unknown {
            NEVER
        } else {
            self.position
        };
        let span = Span { start, end };
        self.apply(&Call {
            thread,
            name,
            arguments,
            files,
            span,
            outcome,
        })
    }

    /// A thread is gone; what it was doing may have been done.
    fn abandon(&mut self, thread: u32) -> Result<(), TraceProblem> {
        let Some(begun) = self.begun.remove(&thread) else {
            return Ok(());
        };
        self.apply(&Call {
            thread,
            name: &begun.name,
            arguments: &begun.arguments,
            files: begun.files,
            span: Span {
                start: begun.start,
                end: NEVER,
            },
            outcome: Outcome::Unknown,
        })
    }

    fn abandon_all(&mut self) -> Result<(), TraceProblem> {
        let threads: Vec<_> = self.begun.keys().copied().collect();
        threads
            .into_iter()
            .try_for_each(|thread| self.abandon(thread))
    }
}

#[cfg(test)]
mod tests;
