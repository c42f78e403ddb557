//! `stoa serve`: the web app of a community, with everything that is done in the background.

mod background;
mod config;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use stoa_session::{BackEnd, Session};
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::ops::search::SearchIndex;
use stoa_votes::{Settings, Votes};
use stoa_web::{App, SiteSettings, gate, server};
use tokio::net::TcpListener;

use super::votes::{self, demo};
use crate::connect;

/// The folder that is made where none is named.
const FOLDER: &str = "stoa-data";
/// The keyspace of the domain.
const KEYSPACE: &str = "stoa_votes";

#[derive(Args)]
#[command(
    long_about = "Serve the web app of a community.\n\nThe first start on an empty folder creates everything, and prints \
        the address and a link to become the first admin. One folder belongs to one process. Ctrl-C ends it: \
        what is under way may finish.",
    after_help = "Examples:\n  \
        stoa serve                                     a community in the folder stoa-data\n  \
        stoa serve --demo                              a living one in memory, to look around in\n  \
        stoa serve --data town --listen 0.0.0.0:8080 --site https://votes.example.org\n  \
        stoa serve --store cql://127.0.0.1/stoa_votes  on a Cassandra cluster"
)]
pub(crate) struct Arguments {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The database in this folder, which is made if it is not there [default: stoa-data]
    #[arg(long, value_name = "DIR", conflicts_with = "store")]
    data: Option<PathBuf>,
    /// This back end: `memory:`, `file:DIR` or `cql://USER@HOST:PORT,HOST/KEYSPACE?KEY=VALUE`
    #[arg(long, value_name = "URI")]
    store: Option<String>,
    /// Fill it with a living community first, if nobody is there; in memory, if no place is named
    #[arg(long)]
    demo: bool,
    /// Settings in TOML, under the names of these options; what is said here is stronger
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What the community is called
    #[arg(long, value_name = "NAME")]
    community: Option<String>,
    /// The address that people use, such as `https://votes.example.org`
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// A proxy in front says in X-Forwarded-For who asks
    #[arg(long)]
    behind_proxy: bool,
    /// How the log is written, on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogForm::Text)]
    log: LogForm,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogForm {
    /// Lines for people
    Text,
    /// An object of JSON for each line
    Json,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let arguments = match arguments.config.clone() {
        Some(file) => config::completed(arguments, &file)?,
        None => arguments,
    };
    begin_log(arguments.log);
    connect::runtime()?.block_on(serve(&arguments))
}

fn begin_log(form: LogForm) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO);
    match form {
        LogForm::Text => builder.init(),
        LogForm::Json => builder.json().flatten_event(true).init(),
    }
}

async fn serve(arguments: &Arguments) -> Result<ExitCode> {
    let back_end = place(arguments)?;
    let connection = connect::back_end(&back_end).await?;
    let session = Arc::clone(&connection.session);
    // Before anything long is done: an address that is taken is told at once.
    let listener = TcpListener::bind(arguments.listen).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", arguments.listen))?;
    votes::create_keyspace(&*session, KEYSPACE).await?;
    let demo = match arguments.demo {
        true => demo::fill_if_empty(Arc::clone(&session), KEYSPACE).await?,
        false => None,
    };
    let app = app(arguments, &back_end, Arc::clone(&session), demo).await?;
    let stopping = Arc::new(tokio::sync::Notify::new());
    let tasks = background::run(session, &app, KEYSPACE, Arc::clone(&stopping)).await?;
    welcome(&app, &listener).await?;
    server::serve(listener, gate::service(&app), stop()).await;
    tracing::info!("stopping");
    stopping.notify_one();
    tasks.await.context("background tasks")?;
    drop(app);
    connection.close()?;
    Ok(ExitCode::SUCCESS)
}

fn place(arguments: &Arguments) -> Result<BackEnd> {
    if let Some(uri) = &arguments.store {
        return Ok(uri.parse()?);
    }
    Ok(match &arguments.data {
        Some(folder) => BackEnd::File(folder.clone()),
        None if arguments.demo => BackEnd::Memory,
        None => BackEnd::File(PathBuf::from(FOLDER)),
    })
}

async fn app(
    arguments: &Arguments,
    back_end: &BackEnd,
    session: Arc<dyn Session>,
    demo: Option<(String, String)>,
) -> Result<Arc<App>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
    let settings = match back_end {
        BackEnd::File(_) | BackEnd::Memory => Settings::embedded(),
        BackEnd::Cluster(_) => Settings::default(),
    };
    let votes = Votes::open(
        session,
        KEYSPACE,
        Arc::clone(&clock),
        Arc::clone(&ids),
        settings,
    );
    let votes = votes.await?;
    votes.measure_clock().await?;
    votes
        .check_clock()
        .context("set the clock of this machine first")?;
    votes.close_days().await?;
    votes.refresh_board().await?;
    let search = match back_end {
        BackEnd::File(folder) => {
            let folder = folder.with_extension("index");
            let opened = SearchIndex::open(&folder);
            opened.with_context(|| format!("cannot open the index in {}", folder.display()))?
        }
        BackEnd::Memory | BackEnd::Cluster(_) => SearchIndex::memory()?,
    };
    let site = SiteSettings {
        community: arguments.community.clone().unwrap_or_default(),
        site: arguments.site.clone(),
        is_behind_proxy: arguments.behind_proxy,
        demo,
    };
    let search = Some(Arc::new(search));
    Ok(Arc::new(App::new(
        Arc::new(votes),
        clock,
        ids,
        site,
        search,
    )))
}

/// Prints where it is and, while there is no admin, how to become one.
async fn welcome(app: &App, listener: &TcpListener) -> Result<()> {
    let address = match &app.settings.site {
        Some(site) => site.trim_end_matches('/').to_owned(),
        None => format!("http://{}", listener.local_addr()?),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "Stoa is at {address}")?;
    if let Some((name, password)) = &app.settings.demo {
        writeln!(out, "Sign in as {name} with the password {password}")?;
    }
    drop(out);
    if let Some(secret) = app.welcome_admin().await? {
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "Become the first admin: {address}/first-admin?token={}",
            secret.reveal()
        )?;
    }
    Ok(())
}

/// Done when somebody asks it to stop.
async fn stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without a signal there is nobody to ask: it ends when it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
