//! A session that remembers what was prepared and which tables were written, so that a world can be
//! emptied and used again: preparing everything anew takes longer than a race.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::statement::BatchItem;
use stoa_session::{
    Answer, Batch, Bound, Error, PagingState, Prepared, Reply, Session, Shortcuts, Statement,
};
use tokio::task::JoinSet;

/// How often a table is tried to be emptied, and after which pauses.
const ATTEMPTS: usize = 120;
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Stage {
    inner: Arc<dyn Session>,
    prepared: Mutex<HashMap<String, Prepared>>,
    written: Written,
    writes: AtomicU64,
    lately: Mutex<VecDeque<String>>,
}

/// How many statements that write are remembered.
const REMEMBERED: usize = 16;

/// Tables that were written.
pub(crate) type Written = Arc<Mutex<BTreeSet<String>>>;

impl Stage {
    /// On a session; `written` was written before.
    pub(crate) fn new(inner: Arc<dyn Session>, written: Written) -> Self {
        Self {
            inner,
            prepared: Mutex::default(),
            written,
            writes: AtomicU64::new(0),
            lately: Mutex::default(),
        }
    }

    /// How many statements there were that write.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::SeqCst)
    }

    /// The last statements that write, the earliest first; no more of them than are remembered.
    pub(crate) fn last_writes(&self, count: u64) -> Vec<String> {
        let lately = self.lately.lock().unwrap();
        let count = usize::try_from(count).unwrap();
        lately.iter().take(count).rev().cloned().collect()
    }

    /// Empties every table that was written. A node that is down holds that up until it is back.
    pub(crate) async fn clear(&self) {
        let written = std::mem::take(&mut *self.written.lock().unwrap());
        let mut emptied = JoinSet::new();
        for table in written {
            let inner = Arc::clone(&self.inner);
            emptied.spawn(async move {
                let text = format!("TRUNCATE {table}");
                for _ in 1..ATTEMPTS {
                    if inner.run_text(&text).await.is_ok() {
                        return;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                inner.run_text(&text).await.unwrap();
            });
        }
        while let Some(done) = emptied.join_next().await {
            done.unwrap();
        }
    }

    fn note(&self, text: &str) {
        let mut words = text.split_whitespace();
        if words.next() == Some("SELECT") {
            return;
        }
        self.writes.fetch_add(1, Ordering::SeqCst);
        let mut lately = self.lately.lock().unwrap();
        lately.truncate(REMEMBERED - 1);
        lately.push_front(text.to_owned());
        drop(lately);
        if let Some(table) = words.find(|word| word.contains('.')) {
            let mut written = self.written.lock().unwrap();
            if !written.contains(table) {
                written.insert(table.to_owned());
            }
        }
    }

    async fn prepare_once(&self, text: &str) -> Result<Prepared, Error> {
        let known = self.prepared.lock().unwrap().get(text).cloned();
        if let Some(prepared) = known {
            return Ok(prepared);
        }
        let prepared = self.inner.prepare(text).await?;
        let mut known = self.prepared.lock().unwrap();
        known.insert(text.to_owned(), prepared.clone());
        Ok(prepared)
    }
}

impl Session for Stage {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        Box::pin(self.prepare_once(text))
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        self.note(bound.prepared().text());
        self.inner.execute(bound, at)
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        for item in batch.items() {
            match item {
                BatchItem::Bound(bound) => self.note(bound.prepared().text()),
                BatchItem::Text(text) => self.note(text),
            }
        }
        self.inner.batch(batch)
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        self.note(&statement.text);
        self.inner.run(statement, at)
    }
}
