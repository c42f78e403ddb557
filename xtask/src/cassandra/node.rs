//! One node: its folder, its process, its log.
//!
//! ```text
//! nodeN/process        who it is, see `process.rs`
//! nodeN/cassandra.yaml, logback.xml
//! nodeN/keystore.p12, certificate.pem   with an encrypted port only
//! nodeN/data/          commit log, tables, hints
//! nodeN/triggers/      empty, but it must exist
//! nodeN/system.log     what Cassandra logs
//! nodeN/output.log     what the JVM prints: why it could not start
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::certificate::{self, CERTIFICATE};
use super::config::{self, Seeds};
use super::install::{Installation, remove};
use super::process::{Activity, Identity, Signal};
use super::settings::Settings;

/// What an error shows of a log.
const SHOWN_LINES: usize = 8;
const SHOWN_WIDTH: usize = 200;
/// A process that was killed or paused is so at once, but for a busy machine.
const SIGNAL_LIMIT: Duration = Duration::from_secs(20);

/// A node of a cluster, started or not.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) number: u8,
    folder: PathBuf,
}

impl Node {
    pub(crate) fn new(cluster: &Path, number: u8) -> Self {
        let folder = cluster.join(format!("node{number}"));
        Self { number, folder }
    }

    /// The process that was started last, if any was.
    pub(crate) fn identity(&self) -> Option<Identity> {
        Identity::load(&self.folder.join("process"))
    }

    pub(crate) fn activity(&self) -> Activity {
        let identity = self.identity();
        identity.map_or(Activity::Gone, |identity| identity.activity())
    }

    /// What to trust on its encrypted port.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join(CERTIFICATE)
    }

    pub(crate) fn wipe(&self) -> Result<()> {
        remove(&self.folder)
    }

    /// Writes its files and starts its process, which then belongs to nobody: it has a session
    /// of its own, so that neither the end of ours nor a closed terminal reaches it, and no
    /// stream of ours, so that no pipe stays open for it.
    pub(crate) fn spawn(
        &self,
        settings: &Settings,
        seeds: Seeds,
        java: &Path,
        installation: &Installation,
    ) -> Result<()> {
        for folder in ["data", "triggers"] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        let file = |name: &str| self.folder.join(name);
        fs::write(
            file("cassandra.yaml"),
            config::yaml(settings, self.number, seeds),
        )?;
        fs::write(file("logback.xml"), config::logback(&self.log()))?;
        if settings.tls {
            certificate::make(java, &self.folder, self.number)?;
        }
        let output = File::create(self.output())?;
        let child = Command::new("setsid")
            .arg(java)
            .args(config::arguments(settings, &self.folder, installation)?)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .context("cannot start setsid, which starts java in a session of its own")?;
        Identity::of(child.id(), &config::mark(&self.folder))?.save(&file("process"))
    }

    /// Ends it as a crash of the machine would; the answer is whether it ran.
    pub(crate) fn kill(&self) -> Result<bool> {
        let Some(identity) = self.identity() else {
            return Ok(false);
        };
        let ran = identity.signal(Signal::Kill)?;
        ensure!(
            identity.ends_within(SIGNAL_LIMIT),
            "node {} does not end",
            self.number
        );
        Ok(ran)
    }

    /// Asks it to write everything out and end; a paused one is woken for that.
    pub(crate) fn ask_to_end(&self) -> Result<bool> {
        let Some(identity) = self.identity() else {
            return Ok(false);
        };
        let ran = identity.signal(Signal::Terminate)?;
        identity.signal(Signal::Resume)?;
        Ok(ran)
    }

    /// Stops it in place.
    pub(crate) fn pause(&self) -> Result<()> {
        self.signal(Signal::Pause, Activity::Paused)
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) -> Result<()> {
        self.signal(Signal::Resume, Activity::Running)
    }

    fn signal(&self, signal: Signal, expected: Activity) -> Result<()> {
        let number = self.number;
        let missing = || {
            format!(
                "node {number} is not running; `cargo xtask cassandra start {number}` starts it"
            )
        };
        let identity = self.identity().with_context(missing)?;
        ensure!(identity.signal(signal)?, missing());
        ensure!(
            identity.becomes(expected, SIGNAL_LIMIT),
            "node {number} took no notice of the signal"
        );
        Ok(())
    }

    /// What Cassandra logs.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("system.log")
    }

    /// What the JVM prints.
    fn output(&self) -> PathBuf {
        self.folder.join("output.log")
    }

    /// The end of both logs, for an error.
    pub(crate) fn last_words(&self) -> String {
        let mut words = String::new();
        for path in [self.log(), self.output()] {
            words.push_str(&format!("\n  {}:", path.display()));
            for line in telling(&tail(&path, usize::MAX)) {
                words.push_str(&format!("\n    {line}"));
            }
        }
        words
    }
}

/// The last lines that tell something: no stack frames, no warnings about Java itself, and no
/// more of a line than fits.
fn telling(lines: &[String]) -> Vec<String> {
    let tells = |line: &&String| !line.starts_with("\tat ") && !line.starts_with("WARNING: ");
    let told: Vec<&String> = lines.iter().filter(tells).collect();
    let first = told.len().saturating_sub(SHOWN_LINES);
    let shown = told.into_iter().skip(first);
    shown
        .map(|line| line.chars().take(SHOWN_WIDTH).collect())
        .collect()
}

/// The last lines of a file; none if it cannot be read.
pub(crate) fn tail(path: &Path, count: usize) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(count);
    lines.into_iter().skip(first).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_never_started_is_gone_and_cannot_be_signalled() {
        let node = Node::new(Path::new("/stoa-no-such-folder"), 2);
        assert_eq!(node.activity(), Activity::Gone);
        assert!(!node.kill().unwrap());
        assert!(!node.ask_to_end().unwrap());
        let error = node.pause().unwrap_err().to_string();
        assert!(error.starts_with("node 2 is not running"), "{error}");
    }

    #[test]
    fn an_error_shows_the_cause_and_not_its_stack() {
        let mut lines = vec!["WARNING: Java".to_owned(), "the cause".to_owned()];
        lines.extend((0..90).map(|_| "\tat java.lang.Thread.run".to_owned()));
        assert_eq!(telling(&lines), ["the cause"]);
        let long = telling(&vec!["x".repeat(1000); 50]);
        assert_eq!(long.len(), SHOWN_LINES);
        assert!(long.iter().all(|line| line.len() == SHOWN_WIDTH));
    }

    #[test]
    fn a_tail_is_the_last_lines() {
        let file = std::env::temp_dir().join(format!("stoa-xtask-tail-{}", std::process::id()));
        fs::write(&file, "a\nb\nc\n").unwrap();
        assert_eq!(tail(&file, 2), ["b", "c"]);
        assert_eq!(tail(&file, 9).len(), 3);
        fs::remove_file(&file).unwrap();
        assert!(tail(&file, 2).is_empty());
    }
}
