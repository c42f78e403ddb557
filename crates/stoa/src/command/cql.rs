//! `stoa cql`: a database on a port, for CQL drivers and cqlsh.
//!
//! docs/cql-server.md says what it speaks.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use stoa_session::BackEnd;
use tokio::net::TcpListener;

use super::serve::LogForm;
use super::serve::{Signals, log};
use crate::connect;

#[derive(Args)]
#[command(
    long_about = "Open a database to CQL drivers and cqlsh, as a node of Cassandra is.\n\nNobody is asked who they are: \
        listen where only those who may do everything can connect. One folder belongs to one process. Ctrl-C ends \
        it: what is under way may finish; a second one ends it at once.",
    after_help = "Examples:\n  \
        stoa cql --memory                 a database to try drivers on, at 127.0.0.1:9042\n  \
        stoa cql --data town              the database in the folder town\n  \
        stoa cql --data town --listen 127.0.0.1:9043\n  \
        cqlsh 127.0.0.1 9043              and what to say to it"
)]
pub(crate) struct Arguments {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9042")]
    listen: SocketAddr,
    /// The database in this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,
    /// A database in memory, gone when the command ends
    #[arg(long, required_unless_present = "data")]
    memory: bool,
    /// How the log is written, on standard error [default: text on a terminal, else json]
    #[arg(long, value_name = "FORM", value_enum)]
    log: Option<LogForm>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    log::begin(arguments.log);
    let runtime = connect::runtime()?;
    runtime.block_on(serve(arguments))
}

async fn serve(arguments: &Arguments) -> Result<ExitCode> {
    let listener = TcpListener::bind(arguments.listen).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", arguments.listen))?;
    let address = listener.local_addr()?;
    let back_end = match &arguments.data {
        Some(folder) => BackEnd::File(folder.clone()),
        None => BackEnd::Memory,
    };
    let connection = connect::back_end(&back_end).await?;
    let Some(database) = connection.database().cloned() else {
        bail!("only a database of this process can be served");
    };
    let signals = Signals::listen()?;
    if !address.ip().is_loopback() {
        tracing::warn!(%address, "whoever can connect may read and change everything");
    }
    writeln!(std::io::stdout(), "CQL is at {address}")?;
    stoa_server::serve(listener, database, signals.first()).await;
    connection.close()?;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
