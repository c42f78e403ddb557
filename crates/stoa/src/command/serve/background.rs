//! What is done in the background while people are served: the tasks of the domain, those of this
//! instance among all that live.
//!
//! 1. A few run at once, so that a long one keeps no short one waiting.
//! 2. When it is told to stop, those under way get a moment to finish; what is cut off is run again
//!    by whoever serves next.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use stoa_session::Session;
use stoa_tasks::{Job, Ran, Runner, Tables, Task};
use stoa_web::App;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use super::load::{self, Load};

/// Between two looks at what is due.
const PAUSE: Duration = Duration::from_secs(2);
/// Tasks at once.
const AT_ONCE: usize = 3;
/// How long tasks under way may go on once it is told to stop.
const LAST: Duration = Duration::from_secs(5);

/// The tasks while they run.
pub(super) struct Background {
    stop: oneshot::Sender<()>,
    worker: JoinHandle<()>,
}

impl Background {
    /// Runs tasks from now on. Whoever is alone, as on a folder of its own, begins with what never ran.
    pub(super) async fn begin(
        session: Arc<dyn Session>,
        app: &Arc<App>,
        keyspace: &str,
        tasks: Vec<Arc<dyn Task>>,
        is_alone: bool,
    ) -> Result<Self> {
        let tables = Arc::new(Tables::open(session, keyspace).await?);
        let clock = Arc::clone(&app.clock);
        let version = env!("CARGO_PKG_VERSION");
        let mut runner = Runner::new(Arc::clone(&tables), tasks, clock, &*app.ids, version)?;
        app.begin_background(stoa_web::Background::of(&runner, tables));
        if is_alone {
            // There are no others to leave a share to: what never ran is done now.
            runner.hurry();
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let worker = Worker {
            runner,
            load: Load::new(processors),
            app: Arc::clone(app),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
        };
        let (stop, stopping) = oneshot::channel();
        let worker = tokio::spawn(worker.work(stopping));
        Ok(Self { stop, worker })
    }

    /// Lets those under way finish, or cuts them off.
    pub(super) async fn end(self) -> Result<()> {
        // Whoever is gone needs not be told.
        let _ = self.stop.send(());
        Ok(self.worker.await?)
    }
}

struct Worker {
    runner: Runner,
    load: Load,
    app: Arc<App>,
    /// Handed out, and not begun.
    waiting: VecDeque<Job>,
    running: JoinSet<Ran>,
}

impl Worker {
    async fn work(mut self, mut stopping: oneshot::Receiver<()>) {
        loop {
            self.tell_load();
            self.begin_due().await;
            tokio::select! {
                // Also where whoever could tell is gone.
                _ = &mut stopping => break,
                Some(ended) = self.running.join_next() => self.note(ended.ok()).await,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        self.waiting.clear();
        let finishing = async {
            while let Some(ended) = self.running.join_next().await {
                self.note(ended.ok()).await;
            }
        };
        if tokio::time::timeout(LAST, finishing).await.is_err() {
            tracing::warn!(left = self.running.len(), "background tasks were cut off");
            self.running.shutdown().await;
        }
        if let Err(error) = self.runner.leave().await {
            tracing::warn!(%error, "this instance did not say that it leaves");
        }
    }

    /// Tells the other instances, with the next refresh, how busy this one is.
    fn tell_load(&mut self) {
        let now = self.app.clock.monotonic();
        if let Some(load) = load::taken().and_then(|taken| self.load.look(now, taken)) {
            self.runner.set_load(load);
        }
    }

    /// Begins what is due, as far as there is room.
    async fn begin_due(&mut self) {
        let now = self.app.clock.now_micros();
        let is_due = self.runner.next_due_micros().is_some_and(|at| at <= now);
        let looked = match (self.runner.keep_up().await, is_due) {
            (Ok(()), true) => self.runner.look().await,
            (kept_up, _) => kept_up,
        };
        match looked {
            Ok(()) => self.app.health.wrote(self.app.clock.monotonic()),
            Err(error) => tracing::error!(%error, "background tasks"),
        }
        if is_due {
            self.waiting.extend(self.runner.tick(now));
        }
        while self.running.len() < AT_ONCE {
            let Some(job) = self.waiting.pop_front() else {
                break;
            };
            self.running.spawn(job.run());
        }
    }

    /// Takes back what ended; one that broke off is found missing by the runner.
    async fn note(&mut self, ended: Option<Ran>) {
        let Some(ran) = ended else {
            tracing::error!("a background task broke off");
            return;
        };
        if !ran.run.is_ok() {
            let error = ran.run.error.as_deref().unwrap_or_default();
            tracing::error!(task = ran.task, error, "a background task failed");
        }
        let took = Duration::from_millis(u64::try_from(ran.run.took_millis).unwrap_or(0));
        let ended_micros = self.app.clock.now_micros();
        let metrics = &self.app.metrics;
        metrics.task_ran(&ran.task, ran.run.is_ok(), took, ended_micros);
        if let Err(error) = self.runner.finish(ran).await {
            tracing::error!(%error, "background tasks");
        }
    }
}
