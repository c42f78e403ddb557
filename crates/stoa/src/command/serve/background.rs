//! What is done in the background while people are served: the tasks of the domain, those of this
//! instance among all that live.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use stoa_session::Session;
use stoa_tasks::{Runner, Tables};
use stoa_types::Clock;
use stoa_votes::tasks::catalog::catalog;
use stoa_votes::tasks::refresh_search::search_task;
use stoa_web::App;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Between two looks at what is due.
const PAUSE: Duration = Duration::from_secs(2);

/// Runs them until it is told to stop.
pub(super) async fn run(
    session: Arc<dyn Session>,
    app: &App,
    keyspace: &str,
    stopping: Arc<Notify>,
) -> Result<JoinHandle<()>> {
    let mut tasks = catalog(&app.votes);
    if let Some(index) = &app.search {
        tasks.push(search_task(&app.votes, Arc::clone(index)));
    }
    let tables = Arc::new(Tables::open(session, keyspace).await?);
    let clock: Arc<dyn Clock> = Arc::clone(&app.clock);
    let version = env!("CARGO_PKG_VERSION");
    let mut runner = Runner::new(tables, tasks, clock, &*app.ids, version)?;
    Ok(tokio::spawn(async move {
        loop {
            let round = runner.run_due().await;
            for ran in round.ran.iter().filter(|ran| !ran.run.is_ok()) {
                let error = ran.run.error.as_deref().unwrap_or_default();
                tracing::error!(task = ran.task, error, "a background task failed");
            }
            for trouble in &round.troubles {
                tracing::error!(%trouble, "background tasks");
            }
            tokio::select! {
                () = stopping.notified() => break,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        if let Err(error) = runner.leave().await {
            tracing::warn!(%error, "this instance did not say that it leaves");
        }
    }))
}
