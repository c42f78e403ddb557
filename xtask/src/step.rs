//! A timed step: one command, or one function, with its name and how long it took.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The cargo that runs us, started in the workspace's root.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root()).args(arguments);
    command
}

/// The workspace's root: the folder above this crate. Asked at run time, since two checkouts
/// that share a target folder may share this program too.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    let here = here.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_owned)
}

/// The folder cargo builds into, whatever environment or configuration chose it.
pub(crate) fn build_folder() -> Result<PathBuf> {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("cannot start cargo metadata")?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
    let folder = metadata.get("target_directory").and_then(|v| v.as_str());
    Ok(PathBuf::from(
        folder.context("cargo metadata names no target_directory")?,
    ))
}

/// Runs a command to its end with our terminal; the answer is whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    Ok(status.success())
}

/// Calls a function and says how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let watch = Stopwatch::start();
    let answer = work();
    (answer, watch.elapsed())
}

/// The one clock of xtask: durations shown to a person, and limits on waiting.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "xtask waits for other programs; nothing here is ever replayed"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Waits before another program is asked again; there is no event to wait for.
#[expect(
    clippy::disallowed_methods,
    reason = "a process that is not our child announces nothing, it can only be polled"
)]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// A duration as a summary shows it: `0.4 s`, `83.0 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
