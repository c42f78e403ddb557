//! A cluster for one run of xtask: a port of its own, and gone when the run ends.
//!
//! The folder is named after our process and has a file `owner` that proves which process that
//! is. The watchdog removes nodes and folder however the run ends; where even that was killed,
//! [`sweep`] does it at the next start of any cluster.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::cluster::{Cluster, Data, Say, home};
use super::install::remove;
use super::ports;
use super::process::{Activity, Identity};
use super::settings::Settings;
use super::watchdog::{Folder, Watchdog};

const OWNER: &str = "owner";

/// A running cluster that ends with this value.
pub(crate) struct Held {
    pub(crate) cluster: Cluster,
    pub(crate) settings: Settings,
    /// How long the start took.
    pub(crate) took: Duration,
    watchdog: Watchdog,
}

impl Held {
    /// Starts a cluster of these settings, but on a free port. `purpose` becomes part of its
    /// name.
    pub(crate) fn start(purpose: &str, settings: &Settings, say: Say<'_>) -> Result<Self> {
        let pid = std::process::id();
        let cluster = Cluster::at(&home()?.join("clusters").join(format!("{purpose}-{pid}")))?;
        let settings = Settings {
            port: ports::choose(settings, pid)?,
            ..*settings
        };
        let mark = std::env::args().next().context("no program name")?;
        std::fs::create_dir_all(cluster.folder())?;
        Identity::of(pid, &mark)?.save(&cluster.folder().join(OWNER))?;
        let watchdog = Watchdog::start(&cluster, Folder::Removed)?;
        let mut held = Self {
            cluster,
            settings,
            took: Duration::ZERO,
            watchdog,
        };
        let lock = held.cluster.lock(say)?;
        let started = held.cluster.start_all(&settings, Data::Wiped, say);
        drop(lock);
        held.took = started?;
        Ok(held)
    }

    /// What a program needs to know to use it, as environment variables.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        self.cluster.environment(&self.settings)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Err(error) = self.watchdog.fire() {
            eprintln!("cassandra: cannot stop the nodes: {error:#}");
        }
    }
}

/// Removes clusters whose owners are gone, with nodes that still run.
pub(super) fn sweep(clusters: &Path) -> Result<()> {
    let entries = clusters.read_dir().into_iter().flatten().flatten();
    for folder in entries.map(|entry| entry.path()) {
        let Some(owner) = Identity::load(&folder.join(OWNER)) else {
            continue;
        };
        if owner.activity() == Activity::Gone {
            Cluster::at(&folder)?.kill_all()?;
            remove(&folder)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clusters_whose_owner_is_gone_are_removed() {
        let clusters =
            std::env::temp_dir().join(format!("stoa-xtask-sweep-{}", std::process::id()));
        let mark = std::env::args().next().unwrap();
        let ours = Identity::of(std::process::id(), &mark).unwrap();
        let folder = |name: &str| {
            let folder = clusters.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            folder
        };
        folder("main");
        ours.save(&folder("test-1").join(OWNER)).unwrap();
        // No process has this id: it is above what the kernel gives out.
        std::fs::write(folder("test-2").join(OWNER), "4294967295\n1\nx\n").unwrap();
        sweep(&clusters).unwrap();
        assert!(clusters.join("main").exists(), "started by hand");
        assert!(clusters.join("test-1").exists(), "its owner runs");
        assert!(!clusters.join("test-2").exists());
        remove(&clusters).unwrap();
    }
}
