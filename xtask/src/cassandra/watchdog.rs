//! A second process that stops nodes when we die before we could.
//!
//! Nodes have sessions of their own, so an interrupted or killed xtask would leave them behind.
//! The watchdog reads from a pipe whose other end only we hold. When the pipe closes, for
//! whatever reason, it kills the cluster's nodes, unless it read [`KEEP`] before.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::cluster::Cluster;
use super::install::remove;

const KEEP: &[u8] = b"keep";

/// What becomes of the cluster's folder when we die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    Kept,
    Removed,
}

/// Our side. Dropped, it lets the nodes be killed without waiting for that.
#[derive(Debug)]
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Starts it for a cluster, before the cluster's first node.
    pub(crate) fn start(cluster: &Cluster, folder: Folder) -> Result<Self> {
        let mut command = Command::new("setsid");
        command
            // Our program, even if its file has been replaced since we started.
            .arg(format!("/proc/{}/exe", std::process::id()))
            .args(["cassandra", "watch", "--folder"])
            .arg(cluster.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if folder == Folder::Removed {
            command.arg("--remove");
        }
        let child = command.spawn().context("cannot start the watchdog")?;
        Ok(Self(child))
    }

    /// Ends it and leaves the nodes alone.
    pub(crate) fn release(mut self) -> Result<()> {
        if let Some(mut pipe) = self.0.stdin.take() {
            pipe.write_all(KEEP)?;
        }
        self.0.wait()?;
        Ok(())
    }

    /// Lets it stop the nodes, and waits until they are gone.
    pub(crate) fn fire(&mut self) -> Result<()> {
        drop(self.0.stdin.take());
        self.0.wait()?;
        Ok(())
    }
}

/// The other side: what the process does.
pub(crate) fn watch(folder: &Path, after: Folder) -> Result<()> {
    let mut word = Vec::new();
    std::io::stdin().read_to_end(&mut word)?;
    if word == KEEP {
        return Ok(());
    }
    Cluster::at(folder)?.kill_all()?;
    if after == Folder::Removed {
        remove(folder)?;
    }
    Ok(())
}
