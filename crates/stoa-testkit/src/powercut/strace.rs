//! The tool that shows what a program asks of the system.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU64, Ordering},
};

use super::announce::ANNOUNCEMENTS_VARIABLE;

/// The environment variable with the parts that the runner of the tests skips on
/// purpose, separated by commas.
pub const SKIPPED_VARIABLE: &str = "STOA_SKIPPED";

/// The name of this part in [`SKIPPED_VARIABLE`].
pub const PART: &str = "powercut";

/// A working strace.
#[derive(Clone, Copy, Debug)]
pub struct Strace {
    /// Whether the kernel can pick out the calls to trace, which spares the program a
    /// stop at every other call.
    filters_in_kernel: bool,
}

/// Why there is no working strace.
#[derive(Debug)]
pub enum Unavailable {
    /// The runner skips this part on purpose: [`SKIPPED_VARIABLE`] names it.
    Skipped,
    /// It is not installed.
    NotInstalled,
    /// It is installed but may not trace; with what it said.
    NotPermitted(String),
    /// It could not be started.
    Failed(io::Error),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skipped => write!(
                formatter,
                "skipped on purpose: {SKIPPED_VARIABLE} has {PART}"
            ),
            Self::NotInstalled => write!(formatter, "strace is not installed"),
            Self::NotPermitted(said) => write!(formatter, "strace may not trace: {}", said.trim()),
            Self::Failed(error) => write!(formatter, "strace cannot be started: {error}"),
        }
    }
}

impl std::error::Error for Unavailable {}

/// How a traced program ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its exit status; a signal that ended it is there too.
    pub status: ExitStatus,
    /// What it wrote to its output.
    pub stdout: Vec<u8>,
    /// What it wrote to its error output.
    pub stderr: Vec<u8>,
}

/// Longest string that is recorded whole. The tool reserves five times as much memory
/// but touches only what it uses.
const LONGEST_BYTES: u32 = 32 << 20;

impl Strace {
    /// Looks for a strace that works here.
    ///
    /// # Errors
    /// Why there is none.
    pub fn probe() -> Result<Self, Unavailable> {
        let skipped = std::env::var(SKIPPED_VARIABLE).unwrap_or_default();
        if skipped.split(',').any(|part| part.trim() == PART) {
            return Err(Unavailable::Skipped);
        }
        let mut said = String::new();
        for filters_in_kernel in [true, false] {
            let strace = Self { filters_in_kernel };
            let calls = BTreeSet::from(["write"]);
            let output = strace
                .command(&calls, Path::new("/dev/null"), &[])
                .arg("true")
                .output();
            match output {
                Ok(output) if output.status.success() => return Ok(strace),
                Ok(output) => said = String::from_utf8_lossy(&output.stderr).into_owned(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Unavailable::NotInstalled);
                }
                Err(error) => return Err(Unavailable::Failed(error)),
            }
        }
        Err(Unavailable::NotPermitted(said))
    }

    fn command(self, calls: &BTreeSet<&str>, trace: &Path, options: &[OsString]) -> Command {
        let mut command = Command::new("strace");
        command
            .args(["-f", "-q", "-y", "-xx", "-a", "1", "-s"])
            .arg(LONGEST_BYTES.to_string());
        if self.filters_in_kernel {
            command.arg("--seccomp-bpf");
        }
        // A question mark lets the tool pass over calls that this machine does not have.
        let calls: Vec<_> = calls.iter().map(|call| format!("?{call}")).collect();
        command.arg("-e").arg(format!("trace={}", calls.join(",")));
        command.arg("-e").arg("raw=read,readv");
        command.args(options).arg("-o").arg(trace).arg("--");
        command.stdin(Stdio::null());
        command
    }

    /// Runs a program with its arguments, environment and working folder, tells it where
    /// to announce, and traces these calls to a file.
    pub(super) fn run(
        self,
        calls: &BTreeSet<&str>,
        trace: &Path,
        options: &[OsString],
        announcements: &Path,
        program: &Command,
    ) -> io::Result<Run> {
        let mut command = self.command(calls, trace, options);
        command.arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.env(ANNOUNCEMENTS_VARIABLE, announcements);
        if let Some(folder) = program.get_current_dir() {
            command.current_dir(folder);
        }
        let output = command.output()?;
        Ok(Run {
            status: output.status,
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }
}

/// A file for a trace, gone when dropped.
#[derive(Debug)]
pub(super) struct TraceFile {
    path: PathBuf,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl TraceFile {
    pub(super) fn new() -> io::Result<Self> {
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("stoa-trace-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match fs::File::create_new(&path) {
                Ok(_) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        // Nobody could act on a failure here.
        let _ = fs::remove_file(&self.path);
    }
}
