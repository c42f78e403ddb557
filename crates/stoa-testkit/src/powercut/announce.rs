//! What the traced program says about itself: its promises, in the order of the trace.
//!
//! The program writes lines such as `begin 18`, `ack 17` or `read 17` to a file of its
//! own outside the disk under test. The trace holds those writes together with those
//! to the disk, so it is known what had been promised at each moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{File, OpenOptions},
    io::{self, IoSlice, Write},
    path::{Path, PathBuf},
};

use super::disk::{CutPoint, Span};

/// The environment variable that tells a recorded program where to announce.
pub const ANNOUNCEMENTS_VARIABLE: &str = "STOA_POWERCUT_ANNOUNCEMENTS";

/// The program's side: writes one line at a time, at once.
///
/// It uses `writev`, which [`super::Fault`]s do not touch unless they name it: a disk
/// that is full for `write` and `pwrite64` still lets the program say so.
#[derive(Debug)]
pub struct Announcer {
    file: File,
}

impl Announcer {
    /// Opens the file to announce in.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: OpenOptions::new().append(true).create(true).open(path)?,
        })
    }

    /// Opens the file that the recorder named, if the program is being recorded.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn of_environment() -> io::Result<Option<Self>> {
        let path = std::env::var_os(ANNOUNCEMENTS_VARIABLE).map(PathBuf::from);
        path.map(|path| Self::open(&path)).transpose()
    }

    /// Announces one line. Threads may share an announcer.
    ///
    /// # Errors
    /// Those of writing; a line that was written in part only.
    pub fn say(&self, line: &str) -> io::Result<()> {
        let parts = [IoSlice::new(line.as_bytes()), IoSlice::new(b"\n")];
        let count = (&self.file).write_vectored(&parts)?;
        match count == line.len() + 1 {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::WriteZero,
                "announced in part only",
            )),
        }
    }
}

/// One line that the program announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The line, without its end.
    pub line: String,
    pub(super) span: Span,
}

impl Announcement {
    /// The number in a line made of this word and a number, such as `ack 17`.
    #[must_use]
    pub fn number(&self, word: &str) -> Option<u64> {
        number(&self.line, word)
    }
}

fn number(line: &str, word: &str) -> Option<u64> {
    line.strip_prefix(word)?.strip_prefix(' ')?.parse().ok()
}

/// All announcements of a recording, after those that held already when it began.
#[derive(Clone, Debug, Default)]
pub struct Announcements {
    /// Lines of the recordings that this one was built on, certain ones.
    pub(super) inherited_certain: Vec<String>,
    /// Lines of the recordings that this one was built on, certain or not.
    pub(super) inherited_possible: Vec<String>,
    pub(super) own: Vec<Announcement>,
}

impl Announcements {
    /// The announcements of this recording alone, in order.
    #[must_use]
    pub fn own(&self) -> &[Announcement] {
        &self.own
    }

    /// What is known to have been announced before a cut, and what may have been.
    #[must_use]
    pub fn at(&self, point: CutPoint) -> Expectations {
        let lines = |chosen: &dyn Fn(&Announcement) -> bool| -> Vec<String> {
            self.own
                .iter()
                .filter(|one| chosen(one))
                .map(|one| one.line.clone())
                .collect()
        };
        let certain = lines(&|one| one.span.end <= point.0);
        let possible = lines(&|one| one.span.start <= point.0);
        Expectations {
            certain: [self.inherited_certain.clone(), certain].concat(),
            possible: [self.inherited_possible.clone(), possible].concat(),
        }
    }

    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        self.own.iter().map(|one| one.span)
    }
}

/// What the announcements before a cut say about the disk after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// Lines whose announcement was complete before the cut: promises to keep.
    pub certain: Vec<String>,
    /// Those, and the ones being made at the cut. What was not even begun by then
    /// cannot be on the disk.
    pub possible: Vec<String>,
}

impl Expectations {
    /// The numbers announced for certain with this word: with `ack`, what must be
    /// there.
    #[must_use]
    pub fn certain_numbers(&self, word: &str) -> BTreeSet<u64> {
        self.certain
            .iter()
            .filter_map(|line| number(line, word))
            .collect()
    }

    /// The numbers that may have been announced with this word: with `begin`, what may
    /// be there.
    #[must_use]
    pub fn possible_numbers(&self, word: &str) -> BTreeSet<u64> {
        self.possible
            .iter()
            .filter_map(|line| number(line, word))
            .collect()
    }
}

/// Puts lines together from the writes of a trace, which may hold several or a part.
#[derive(Debug, Default)]
pub(super) struct Listener {
    started: BTreeMap<u32, (u64, Vec<u8>)>,
    heard: Vec<Announcement>,
}

impl Listener {
    /// A thread wrote these bytes to the announcements.
    pub(super) fn hear(&mut self, thread: u32, span: Span, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (start, line) = self
                .started
                .entry(thread)
                .or_insert((span.start, Vec::new()));
            let start = *start;
            line.extend_from_slice(piece);
            if let Some(whole) = line.strip_suffix(b"\n") {
                let line = String::from_utf8_lossy(whole).into_owned();
                self.heard.push(Announcement {
                    line,
                    span: Span {
                        start,
                        end: span.end,
                    },
                });
                self.started.remove(&thread);
            }
        }
    }

    /// The lines, ordered by the end of their announcement; those whose writing never
    /// ended last.
    pub(super) fn finish(mut self) -> Vec<Announcement> {
        self.heard.sort_by_key(|one| one.span.end);
        self.heard
    }
}
