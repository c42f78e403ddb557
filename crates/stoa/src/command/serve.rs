//! `stoa serve`: the web app of a community, with everything that is done in the background.
//!
//! docs/serving.md tells operators the rest.

mod background;
mod config;
mod control;
mod figures;
mod folders;
mod load;
pub(super) mod log;
mod mail;
mod stop;

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use stoa_session::{BackEnd, Session};
use stoa_tasks::Task;
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::ops::search::SearchIndex;
use stoa_votes::tasks::catalog::catalog;
use stoa_votes::tasks::refresh_search::search_task;
use stoa_votes::tasks::send_mail::mail_task;
use stoa_votes::tasks::write_export::export_task;
use stoa_votes::{Settings, Votes};
use stoa_web::{App, SiteSettings, gate, server};
use tokio::net::TcpListener;

use self::background::Background;
use self::control::Control;
use self::figures::Figures;
use self::folders::Folders;
use self::mail::MailOptions;
use super::votes::tasks::ledger_folder::LedgerFolder;
use super::votes::tasks::mail_out::Mailer;
use super::votes::{self, demo};
use crate::connect;

#[cfg(unix)]
pub(crate) use self::control::{Answer as ControlAnswer, SOCKET, asked as asked_for};
pub(super) use self::log::LogForm;
pub(super) use self::stop::Signals;

/// Where it listens, if nothing is said.
const LISTEN: &str = "127.0.0.1:8080";
/// The folder that is made where none is named.
const FOLDER: &str = "stoa-data";
/// The keyspace of the domain.
const KEYSPACE: &str = "stoa_votes";
/// How long what could tell who has an account takes at least: more than the work does.
const ALIKE: Duration = Duration::from_millis(400);

#[derive(Args)]
#[command(
    long_about = "Serve the web app of a community.\n\nThe first start on an empty folder creates everything, and prints \
        the address and a link to become the first admin. One folder belongs to one process. Ctrl-C ends it: \
        what is under way may finish; a second one ends it at once.\n\nBeside the folder DIR of the data there are \
        DIR.index, the index of words, and DIR.ledger, the public ledger; both can be made again.",
    after_help = "Examples:\n  \
        stoa serve                                     a community in the folder stoa-data\n  \
        stoa serve --demo                              a living one in memory, to look around in\n  \
        stoa serve --data town --listen 0.0.0.0:8080 --site https://votes.example.org\n  \
        stoa serve --config stoa.toml                  everything said in a file\n  \
        stoa serve --store cql://127.0.0.1/stoa_votes  on a Cassandra cluster"
)]
pub(crate) struct Arguments {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
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
    /// The folder that the public ledger is kept in [default: beside the data]
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
    #[command(flatten)]
    mail: MailOptions,
    /// The file whose first line lets others than this machine read `/metrics`, as a bearer token
    #[arg(long, value_name = "FILE")]
    metrics_token_file: Option<PathBuf>,
    /// How the log is written, on standard error [default: text on a terminal, else json]
    #[arg(long, value_name = "FORM", value_enum)]
    log: Option<LogForm>,
}

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    let arguments = match arguments.config.clone() {
        Some(file) => config::completed(arguments, &file)?,
        None => arguments,
    };
    log::begin(arguments.log);
    let runtime = connect::runtime()?;
    let code = runtime.block_on(serve(&arguments));
    // A thread that still hashes a password keeps nobody waiting.
    runtime.shutdown_background();
    code
}

async fn serve(arguments: &Arguments) -> Result<ExitCode> {
    // What can be wrong is told before anything is made.
    let back_end = place(arguments)?;
    let site = site_settings(arguments)?;
    let (address, community) = (arguments.site.as_deref(), arguments.community.as_deref());
    let mailer = arguments.mail.mailer(address, community)?;
    let listener = listen(arguments).await?;
    let connection = connect::back_end(&back_end).await?;
    let session = Arc::clone(&connection.session);
    votes::create_keyspace(&*session, KEYSPACE).await?;
    let demo = match arguments.demo {
        true => demo::fill_if_empty(Arc::clone(&session), KEYSPACE).await?,
        false => None,
    };
    let folders = Folders::of(&back_end, arguments.ledger.as_deref())?;
    let site = SiteSettings {
        demo,
        ledger: folders.ledger.clone(),
        ..site
    };
    let app = app(site, &back_end, &folders, Arc::clone(&session)).await?;
    let tasks = tasks(&app, &folders, mailer)?;
    let control = Control::begin(&folders, &connection);
    let signals = Signals::listen()?;
    let is_alone = connection.database().is_some();
    let background = Background::begin(session, &app, KEYSPACE, tasks, is_alone).await?;
    let figures = Figures::begin(&app, connection.database());
    welcome(&app, &listener).await?;
    let stop = async {
        signals.first().await;
        app.health.stop();
        app.live.end();
    };
    server::serve(listener, gate::service(&app), stop).await;
    figures.end();
    background.end().await.context("background tasks")?;
    control.end().await;
    drop(app);
    connection.close()?;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

async fn listen(arguments: &Arguments) -> Result<TcpListener> {
    let address = match arguments.listen {
        Some(address) => address,
        None => LISTEN.parse()?,
    };
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}"))
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

/// What was said about the site.
fn site_settings(arguments: &Arguments) -> Result<SiteSettings> {
    let metrics_token = arguments.metrics_token_file.as_deref();
    Ok(SiteSettings {
        community: arguments.community.clone().unwrap_or_default(),
        site: arguments.site.clone(),
        is_behind_proxy: arguments.behind_proxy,
        metrics_token: metrics_token.map(connect::first_line).transpose()?,
        alike: ALIKE,
        ..SiteSettings::default()
    })
}

async fn app(
    site: SiteSettings,
    back_end: &BackEnd,
    folders: &Folders,
    session: Arc<dyn Session>,
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
    let search = match &folders.index {
        Some(folder) => {
            let opened = SearchIndex::open(folder);
            opened.with_context(|| format!("cannot open the index in {}", folder.display()))?
        }
        None => SearchIndex::memory()?,
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

/// Everything that is done in the background here.
fn tasks(app: &App, folders: &Folders, mailer: Option<Mailer>) -> Result<Vec<Arc<dyn Task>>> {
    let votes = &app.votes;
    let mut tasks = catalog(votes);
    if let Some(index) = &app.search {
        tasks.push(search_task(votes, Arc::clone(index)));
    }
    if let Some(folder) = &folders.ledger {
        let folder = LedgerFolder::open(folder).context("--ledger")?;
        tasks.push(export_task(votes, Arc::new(folder)));
    }
    match mailer {
        Some(mailer) => tasks.push(mail_task(votes, Arc::new(mailer))),
        None => tracing::info!("no server for mail: it stays in the outbox, where admins see it"),
    }
    Ok(tasks)
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
