//! A cluster: nodes that were started together, found again by later commands.
//!
//! ```text
//! BUILD/cassandra/clusters/NAME/lock           held by whoever changes the cluster
//!                               cluster.json   its settings, and whether `up` came to its end
//!                               owner          see `held.rs`
//!                               node1/ ...     see `node.rs`
//! ```
//!
//! 1. Only a process that [`Identity`](super::process::Identity) proves to be ours is signalled.
//! 2. Nodes without a finished `cluster.json` are leftovers of an `up` that died; they are
//!    killed by the next `up` or `down`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::config::Seeds;
use super::node::Node;
use super::process::Activity;
use super::settings::{PASSWORD_VARIABLE, Settings, Size};
use super::watchdog::{Folder, Watchdog};
use super::{held, install, java, ports, ready};
use crate::step::{self, Stopwatch};

/// How long a node may take to write everything out when asked to end.
const END_LIMIT: Duration = Duration::from_secs(30);

/// How long a node may not see the others before it is started again, and how often that is done.
const BLIND_LIMIT: Duration = Duration::from_secs(40);
const BLIND_STARTS: u32 = 2;

/// Receives lines for a person who waits.
pub(crate) type Say<'a> = &'a (dyn Fn(&str) + Sync);

/// A cluster by its folder; it may be up, down, or never started.
#[derive(Debug)]
pub(crate) struct Cluster {
    folder: PathBuf,
}

/// What becomes of the data of an earlier `up`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    Wiped,
    Kept,
}

/// What `up` found to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Raised {
    Started(Duration),
    WasUp,
}

/// What `cluster.json` says.
struct Recorded {
    settings: Settings,
    progress: Progress,
}

/// How far `up` came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Begun,
    Finished,
}

impl Cluster {
    /// The cluster of that name in the build folder.
    pub(crate) fn named(name: &str) -> Result<Self> {
        Self::at(&home()?.join("clusters").join(name))
    }

    /// The cluster in that folder.
    pub(crate) fn at(folder: &Path) -> Result<Self> {
        Ok(Self {
            folder: std::path::absolute(folder)?,
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The settings it was started with last.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let recorded = self.recorded()?;
        Ok(recorded.context(NEVER_STARTED)?.settings)
    }

    /// Its port, if any of its nodes runs.
    pub(crate) fn running_port(&self) -> Result<Option<u16>> {
        let runs = |node: &Node| node.activity() != Activity::Gone;
        let recorded = self.recorded()?;
        let port = recorded.map(|recorded| recorded.settings.port);
        Ok(port.filter(|_| self.all_nodes().iter().any(runs)))
    }

    /// Where its nodes answer, as tests and programs are told.
    pub(crate) fn uri(&self, settings: &Settings) -> String {
        settings.uri(&Node::new(&self.folder, 1).certificate())
    }

    /// How tests and programs find it: variables and their values.
    pub(crate) fn environment(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        let name = self.folder.file_name().unwrap_or_default();
        let mut variables = vec![
            ("STOA_CASSANDRA", self.uri(settings)),
            ("STOA_CASSANDRA_NAME", name.display().to_string()),
        ];
        if let Some(login) = settings.login() {
            variables.push((PASSWORD_VARIABLE, login.password.to_owned()));
        }
        variables
    }

    /// Any node there can be, of any size.
    pub(crate) fn all_nodes(&self) -> Vec<Node> {
        let numbers = Size::Three.numbers();
        numbers
            .map(|number| Node::new(&self.folder, number))
            .collect()
    }

    /// The nodes of these settings.
    pub(crate) fn nodes(&self, settings: &Settings) -> Vec<Node> {
        let numbers = settings.size.numbers();
        numbers
            .map(|number| Node::new(&self.folder, number))
            .collect()
    }

    /// The node of that number, if the cluster has it.
    pub(crate) fn node(&self, number: u8) -> Result<Node> {
        let count = self.settings()?.size.count();
        ensure!(
            (1..=count).contains(&number),
            "there is no node {number}; this cluster has {count}"
        );
        Ok(Node::new(&self.folder, number))
    }

    /// Starts every node and waits until each answers. If we die or fail on the way, nothing
    /// stays behind.
    pub(crate) fn up(&self, settings: &Settings, data: Data, say: Say<'_>) -> Result<Raised> {
        let lock = self.lock(say)?;
        if self.is_up(settings)? {
            return Ok(Raised::WasUp);
        }
        let watchdog = Watchdog::start(self, Folder::Kept)?;
        let started = self.start_all(settings, data, say);
        if started.is_err() {
            self.kill_nodes()?;
        }
        watchdog.release()?;
        drop(lock);
        Ok(Raised::Started(started?))
    }

    /// Starts every node; the caller sees to it that none is left behind.
    pub(super) fn start_all(
        &self,
        settings: &Settings,
        data: Data,
        say: Say<'_>,
    ) -> Result<Duration> {
        held::sweep(self.parent()?)?;
        let installation = install::install(self.home()?)?;
        let java = java::find()?;
        self.kill_nodes()?;
        ports::check_free(settings)?;
        match data {
            Data::Wiped => self.all_nodes().iter().try_for_each(Node::wipe)?,
            Data::Kept => self.check_kept(settings)?,
        }
        self.record(settings, Progress::Begun)?;
        let watch = Stopwatch::start();
        for node in self.nodes(settings) {
            node.spawn(settings, Seeds::StartedBefore, &java, &installation)?;
            ready::listens(&node, settings, say)?;
        }
        for node in self.nodes(settings) {
            ready::answers(&node, settings, say)?;
        }
        ready::is_ring(&self.nodes(settings), settings, say)?;
        self.record(settings, Progress::Finished)?;
        Ok(watch.elapsed())
    }

    /// Lets every node write everything out and end; the answer is how many ran.
    pub(crate) fn down(&self, say: Say<'_>) -> Result<usize> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let _lock = self.lock(say)?;
        let nodes = self.all_nodes();
        let mut ran = 0;
        for node in &nodes {
            ran += usize::from(node.ask_to_end()?);
        }
        let watch = Stopwatch::start();
        for identity in nodes.iter().filter_map(Node::identity) {
            identity.ends_within(END_LIMIT.saturating_sub(watch.elapsed()));
        }
        self.kill_nodes()?;
        Ok(ran)
    }

    /// Kills every node.
    pub(crate) fn kill_all(&self) -> Result<()> {
        let _lock = self.lock(&|_| ())?;
        self.kill_nodes()
    }

    /// Kills one node, as a crash of its machine would.
    pub(crate) fn kill(&self, number: u8) -> Result<bool> {
        self.node(number)?.kill()
    }

    /// Stops a node in place: it keeps its memory and its connections, and answers nothing.
    pub(crate) fn pause(&self, number: u8) -> Result<()> {
        self.node(number)?.pause()
    }

    /// Lets a paused node go on.
    pub(crate) fn resume(&self, number: u8) -> Result<()> {
        self.node(number)?.resume()
    }

    /// Starts a node that was killed, on its data, and waits until it answers and all nodes
    /// that run see each other.
    pub(crate) fn start(&self, number: u8, say: Say<'_>) -> Result<Duration> {
        let node = self.node(number)?;
        let _lock = self.lock(say)?;
        let settings = self.settings()?;
        match node.activity() {
            Activity::Gone => {}
            Activity::Running => bail!("node {number} is already running"),
            Activity::Paused => {
                bail!("node {number} is paused; `cargo xtask cassandra resume {number}`")
            }
        }
        let watch = Stopwatch::start();
        self.spawn_again(&node, &settings, say)?;
        let nodes = self.nodes(&settings);
        // A node whose message to another one is lost while that one starts may be taken for dead
        // for good; an operator then starts whoever does not see the others once more.
        for _ in 0..BLIND_STARTS {
            let Some((blind, _)) = ready::first_blind(&nodes, &settings, say, BLIND_LIMIT) else {
                return Ok(watch.elapsed());
            };
            say(&format!(
                "node {} does not see the others; starting it again",
                blind.number
            ));
            blind.kill()?;
            self.spawn_again(blind, &settings, say)?;
        }
        ready::is_ring(&nodes, &settings, say)?;
        Ok(watch.elapsed())
    }

    /// Starts a node on its data and waits until it answers.
    fn spawn_again(&self, node: &Node, settings: &Settings, say: Say<'_>) -> Result<()> {
        let installation = install::install(self.home()?)?;
        node.spawn(settings, Seeds::All, &java::find()?, &installation)?;
        ready::listens(node, settings, say)?;
        ready::answers(node, settings, say)
    }

    /// Whether the cluster asked for is there already; an error if another one is.
    fn is_up(&self, settings: &Settings) -> Result<bool> {
        let Some(Recorded {
            settings: found,
            progress: Progress::Finished,
        }) = self.recorded()?
        else {
            return Ok(false);
        };
        let nodes = self.nodes(&found);
        if nodes.iter().all(|node| node.activity() == Activity::Gone) {
            return Ok(false);
        }
        ensure!(
            found == *settings,
            "another cluster is up: {found}; end it first: cargo xtask cassandra down"
        );
        for node in &nodes {
            let number = node.number;
            let remedy = match node.activity() {
                Activity::Running => continue,
                Activity::Paused => "resume",
                Activity::Gone => "start",
            };
            bail!(
                "the cluster is up but for node {number}; `cargo xtask cassandra {remedy} {number}`, \
                 or end all of it: cargo xtask cassandra down"
            );
        }
        for node in &nodes {
            ready::answers(node, settings, &|_| ())?;
        }
        Ok(true)
    }

    /// Data is of use only to the shape of cluster that wrote it.
    fn check_kept(&self, settings: &Settings) -> Result<()> {
        let Some(Recorded {
            settings: earlier, ..
        }) = self.recorded()?
        else {
            return Ok(());
        };
        ensure!(
            earlier.size == settings.size && earlier.port == settings.port,
            "the data that --keep would keep was written by {earlier}; leave --keep away"
        );
        Ok(())
    }

    /// The folder of all clusters.
    fn parent(&self) -> Result<&Path> {
        self.folder
            .parent()
            .context("a cluster has a folder of its own")
    }

    /// The folder of all clusters and of what is installed.
    fn home(&self) -> Result<&Path> {
        self.parent()?
            .parent()
            .context("clusters lie below a folder")
    }

    fn kill_nodes(&self) -> Result<()> {
        self.all_nodes()
            .iter()
            .try_for_each(|node| node.kill().map(drop))
    }

    pub(super) fn lock(&self, say: Say<'_>) -> Result<File> {
        fs::create_dir_all(&self.folder)?;
        let lock = File::create(self.folder.join("lock"))?;
        if lock.try_lock().is_err() {
            say("waiting for another command on this cluster");
            lock.lock().context("cannot lock the cluster")?;
        }
        Ok(lock)
    }

    fn recorded(&self) -> Result<Option<Recorded>> {
        let path = self.folder.join("cluster.json");
        let Ok(text) = fs::read_to_string(&path) else {
            return Ok(None);
        };
        let read = || {
            let value: Value = serde_json::from_str(&text)?;
            Ok(Recorded {
                settings: Settings::from_json(value.get("settings").unwrap_or(&Value::Null))?,
                progress: match value.get("finished") {
                    Some(Value::Bool(true)) => Progress::Finished,
                    _ => Progress::Begun,
                },
            })
        };
        let read: Result<Recorded> = read();
        read.map(Some)
            .with_context(|| format!("{} is damaged; remove it", path.display()))
    }

    fn record(&self, settings: &Settings, progress: Progress) -> Result<()> {
        let finished = progress == Progress::Finished;
        let value = json!({ "settings": settings.to_json(), "finished": finished });
        fs::write(self.folder.join("cluster.json"), format!("{value:#}\n"))?;
        Ok(())
    }
}

const NEVER_STARTED: &str = "no cluster was started; `cargo xtask cassandra up` starts one";

/// Where everything of Cassandra's lies in the build folder.
pub(crate) fn home() -> Result<PathBuf> {
    Ok(step::build_folder()?.join("cassandra"))
}
