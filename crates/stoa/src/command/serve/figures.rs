//! What this process measures of itself now and then, for `/metrics`: what the store and the outbox
//! hold, how much memory is taken.

use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::Error;
use stoa_votes::Votes;
use stoa_votes::model::Day;
use stoa_web::App;
use stoa_web::metrics::Gauge;
use tokio::task::JoinHandle;

/// Between two measurements.
const PAUSE: Duration = Duration::from_secs(30);
/// Days for which mail is kept, and today.
const MAIL_DAYS: i32 = 7;

/// The measurements while they go on.
pub(super) struct Figures(JoinHandle<()>);

impl Figures {
    /// Measures from now on.
    pub(super) fn begin(app: &Arc<App>, database: Option<&Database>) -> Self {
        let (app, database) = (Arc::clone(app), database.cloned());
        Self(tokio::spawn(async move {
            loop {
                measure(&app, database.as_ref()).await;
                tokio::time::sleep(PAUSE).await;
            }
        }))
    }

    pub(super) fn end(self) {
        self.0.abort();
    }
}

async fn measure(app: &App, database: Option<&Database>) {
    let metrics = &app.metrics;
    if let Some(database) = database {
        let figures = database.store().figures();
        metrics.set(Gauge::StoreDiskBytes, figures.disk_bytes);
        metrics.set(Gauge::StoreBufferedBytes, figures.buffered_bytes);
        metrics.set(Gauge::StoreCommits, figures.commits);
    }
    if let Some(bytes) = resident_bytes() {
        metrics.set(Gauge::MemoryBytes, bytes);
    }
    let today = Day::of_micros(app.clock.now_micros());
    match waiting_mail(&app.votes, today).await {
        Ok(mails) => metrics.set(Gauge::OutboxMails, mails),
        Err(error) => tracing::warn!(%error, "the outbox was not counted"),
    }
}

async fn waiting_mail(votes: &Votes, today: Day) -> Result<u64, Error> {
    let mut mails = 0_u64;
    for day in today.plus(-MAIL_DAYS).through(today) {
        let pending = votes.tables().outbox.queue(day).await?.len();
        mails = mails.saturating_add(u64::try_from(pending).unwrap_or(u64::MAX));
    }
    Ok(mails)
}

/// Memory that this process has in use, where the system tells.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib.saturating_mul(1_024))
}
