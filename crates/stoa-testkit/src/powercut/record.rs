//! Records what a program does to a folder.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    announce::Announcements,
    disk::{Disk, Tree},
    fault::Fault,
    image::Image,
    snapshot::Snapshot,
    strace::{Run, Strace, TraceFile},
    translate::{Subject, TraceError, translate},
    workshop::Workshop,
};

/// The calls that change files, or that one must see in order to understand those.
const CALLS: &[&str] = &[
    "open",
    "openat",
    "creat",
    "close",
    "close_range",
    "dup",
    "dup2",
    "dup3",
    "fcntl",
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "read",
    "readv",
    "lseek",
    "copy_file_range",
    "sendfile",
    "splice",
    "truncate",
    "ftruncate",
    "fallocate",
    "mmap",
    "fsync",
    "fdatasync",
    "sync",
    "syncfs",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "chdir",
    "fchdir",
    "clone",
    "clone3",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "io_uring_setup",
];

/// Records what programs do to a folder, and what they announce meanwhile.
#[derive(Clone, Debug)]
pub struct Recorder {
    strace: Strace,
    announcements: PathBuf,
    fault: Option<Fault>,
}

/// One recorded run.
#[derive(Debug)]
pub struct Recording {
    /// What it did to the disk.
    pub disk: Disk,
    /// How it ended.
    pub run: Run,
    /// How many calls failed because of a [`Fault`].
    pub injected: u64,
}

/// Why a run could not be recorded.
#[derive(Debug)]
pub enum RecordError {
    /// The tool could not be run, or a file not be read or written.
    InputOutput(io::Error),
    /// The file of announcements lies in the folder that is recorded.
    AnnouncementsInside,
    /// A fault on some paths hides all other calls from the recording.
    FaultOnPaths,
    /// The trace cannot be understood.
    Trace(TraceError),
    /// The model of the disk and the real folder differ at this path after the run:
    /// something changed it that the trace does not show.
    Differs(PathBuf),
}

impl fmt::Display for RecordError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputOutput(error) => write!(formatter, "cannot record: {error}"),
            Self::AnnouncementsInside => {
                write!(
                    formatter,
                    "the announcements lie in the folder that is recorded"
                )
            }
            Self::FaultOnPaths => write!(formatter, "a fault on some paths cannot be recorded"),
            Self::Trace(TraceError {
                line,
                text,
                problem,
            }) => {
                write!(formatter, "line {line} of the trace: {problem}: {text}")
            }
            Self::Differs(path) => {
                write!(formatter, "the trace does not explain {}", path.display())
            }
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::InputOutput(error) => Some(error),
            Self::AnnouncementsInside | Self::FaultOnPaths | Self::Trace(_) | Self::Differs(_) => {
                None
            }
        }
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::InputOutput(error)
    }
}

impl Recorder {
    /// Prepares recordings of programs that announce in this file. It must lie outside
    /// the recorded folder, and is emptied before every run.
    #[must_use]
    pub fn new(strace: Strace, announcements: impl Into<PathBuf>) -> Self {
        Self {
            strace,
            announcements: announcements.into(),
            fault: None,
        }
    }

    /// Lets calls fail while recording. The fault may not be on some paths only.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Runs a program and records what it does to the folder `root`, which is made if
    /// it does not exist. What is there already counts as durable.
    ///
    /// The program gets the given arguments, environment and working folder and an
    /// empty input. There is no limit on the time it takes.
    ///
    /// # Errors
    /// The run cannot be recorded, or the recording does not explain what is in the
    /// folder afterwards. A program that fails is not an error: see [`Run::status`].
    pub fn record(&self, root: &Path, program: &Command) -> Result<Recording, RecordError> {
        fs::create_dir_all(root)?;
        let base = Tree::of_snapshot(&Snapshot::of_folder(root)?);
        self.record_from(root, base, Announcements::default(), program)
    }

    /// Lays out an image and records what a program, a recovery for instance, does to
    /// it. The image counts as durable; what was expected of it is expected of the
    /// images of the new recording too. So cuts can be nested to any depth.
    ///
    /// # Errors
    /// As [`Recorder::record`].
    pub fn record_on(
        &self,
        workshop: &mut Workshop,
        image: &Image,
        program: &Command,
    ) -> Result<Recording, RecordError> {
        workshop.lay(image)?;
        let base = Tree::of_snapshot(image.snapshot());
        let inherited = Announcements {
            inherited_certain: image.expectations().certain.clone(),
            inherited_possible: image.expectations().possible.clone(),
            own: Vec::new(),
        };
        self.record_from(workshop.folder(), base, inherited, program)
    }

    fn record_from(
        &self,
        root: &Path,
        base: Tree,
        inherited: Announcements,
        program: &Command,
    ) -> Result<Recording, RecordError> {
        if self.fault.as_ref().is_some_and(Fault::is_on_paths) {
            return Err(RecordError::FaultOnPaths);
        }
        fs::write(&self.announcements, b"")?;
        let announcements = self.announcements.canonicalize()?;
        if announcements.starts_with(root.canonicalize()?) {
            return Err(RecordError::AnnouncementsInside);
        }
        let working_folder = match program.get_current_dir() {
            Some(folder) => folder.canonicalize()?,
            None => std::env::current_dir()?,
        };
        let trace = TraceFile::new()?;
        let calls: BTreeSet<&str> = CALLS.iter().copied().collect();
        let options = self.fault.as_ref().map(Fault::options).unwrap_or_default();
        let run = self
            .strace
            .run(&calls, trace.path(), &options, &announcements, program)?;
        let subject = Subject {
            root: root.to_owned(),
            announcements,
            working_folder,
        };
        let mut lines = BufReader::new(File::open(trace.path())?);
        let translation =
            translate(&mut lines, &subject, base, inherited).map_err(RecordError::Trace)?;
        if translation.complete {
            let found = Snapshot::of_folder(root)?;
            if let Some(path) = translation.disk.last().first_difference(&found) {
                return Err(RecordError::Differs(path));
            }
        }
        Ok(Recording {
            disk: translation.disk,
            run,
            injected: translation.injected,
        })
    }
}
