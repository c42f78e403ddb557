//! Programs that serve while they are measured: this binary again, in processes of their own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result};

use crate::command::bench::child::Child;

/// One of them; it is killed when this goes.
pub(super) struct Served {
    process: Process,
    pub(super) address: SocketAddr,
    /// Held open: whoever prints to nobody ends.
    _out: BufReader<ChildStdout>,
}

impl Served {
    /// `stoa serve` on a folder, which believes what a proxy says.
    pub(super) fn community(data: &Path) -> Result<Self> {
        let me = std::env::current_exe().context("cannot find the own binary")?;
        let mut command = Command::new(me);
        command
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--behind-proxy",
                "--data",
            ])
            .arg(data);
        Self::of(command, "Stoa is at http://")
    }

    /// A server that answers so many bytes, and nothing else.
    pub(super) fn bare(bytes: usize) -> Result<Self> {
        let child = Child::Bare {
            dir: PathBuf::from("."),
            bytes,
        };
        Self::of(child.command(&[])?, "")
    }

    fn of(mut command: Command, before: &str) -> Result<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start the own binary again")?;
        let out = process.stdout.take().context("a process without output")?;
        let (mut out, mut line) = (BufReader::new(out), String::new());
        out.read_line(&mut line)?;
        let address = line.trim().strip_prefix(before);
        let address = address.with_context(|| format!("a server said {line:?}"))?;
        Ok(Self {
            address: address
                .parse()
                .with_context(|| format!("no address: {line:?}"))?,
            process,
            _out: out,
        })
    }

    /// The memory that it has in use.
    pub(super) fn resident_mib(&self) -> Result<f64> {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).context("memory is measured on Linux only")?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
        let kib = line.and_then(|it| it.split_whitespace().next());
        let kib: f64 = kib.context("no VmRSS")?.parse()?;
        Ok(kib / 1_024.0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself; there is nobody to tell either way.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
