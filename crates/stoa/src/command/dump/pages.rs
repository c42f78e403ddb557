//! The pages of a table, each with the second at which it was read.
//!
//! A TTL is told as the seconds that are left, so it says when a cell ends only together with the
//! second of the reading. A page whose reading went over the end of a second is read again.
//!
//! The next page is read while the present one is written. Pages have about as many bytes each,
//! whatever the size of rows.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use stoa_session::retry::Retry;
use stoa_session::{Bound, Error, Options, PagingState, Prepared, Rows, Session};
use stoa_types::Clock;
use tokio::task::JoinHandle;

use super::row;

/// How many rows the first page has.
const FIRST_ROWS: u32 = 100;
/// How many rows a page has at most.
const MOST_ROWS: u32 = 5_000;
/// How many bytes a page is to have.
const PAGE_BYTES: u64 = 1 << 20;
/// How often a page is read, until that takes place within one second.
const MOST_READINGS: usize = 4;
/// Reading again changes nothing, so it may be tried for a while.
const PATIENCE: Retry = Retry {
    attempts: 8,
    first_pause: Duration::from_millis(100),
    longest_pause: Duration::from_secs(5),
};

/// Rows, and when they were read.
pub(super) struct Page {
    pub(super) rows: Rows,
    /// The second of the wall clock.
    pub(super) second: i64,
    next: Option<PagingState>,
}

/// What is needed to read a page.
#[derive(Clone)]
struct Source {
    session: Arc<dyn Session>,
    clock: Arc<dyn Clock>,
    select: Prepared,
    /// Which columns of the answer are TTLs.
    ttls: Arc<[usize]>,
}

/// The pages of a table.
pub(super) struct Pages {
    source: Source,
    coming: Option<JoinHandle<anyhow::Result<Page>>>,
}

impl Pages {
    /// Begins to read a table.
    pub(super) async fn begin(
        session: Arc<dyn Session>,
        clock: Arc<dyn Clock>,
        select: &str,
    ) -> anyhow::Result<Self> {
        let select = session.prepare(select).await?;
        let names = select.columns().iter().enumerate();
        // As `TTL(...)` is called in answers; a column of that name is no TTL, and then a page is
        // read once more in vain.
        let ttls = names.filter(|(_, column)| column.name.to_lowercase().starts_with("ttl("));
        let source = Source {
            session,
            clock,
            ttls: ttls.map(|(position, _)| position).collect(),
            select,
        };
        let first = source.clone().page(None, FIRST_ROWS);
        Ok(Self {
            source,
            coming: Some(tokio::spawn(first)),
        })
    }

    /// The next page.
    pub(super) async fn next(&mut self) -> anyhow::Result<Option<Page>> {
        let Some(coming) = self.coming.take() else {
            return Ok(None);
        };
        let page = coming
            .await
            .context("the reading of a page was broken off")??;
        if let Some(next) = page.next.clone() {
            let rows = next_size(&page.rows);
            self.coming = Some(tokio::spawn(self.source.clone().page(Some(next), rows)));
        }
        Ok(Some(page))
    }
}

/// How many rows the next page has, by the bytes of the present one.
fn next_size(rows: &Rows) -> u32 {
    let count = u64::try_from(rows.len()).unwrap_or(u64::MAX).max(1);
    let bytes = u64::try_from(rows.as_bytes().len()).unwrap_or(u64::MAX);
    let wanted = PAGE_BYTES / (bytes / count).max(1);
    u32::try_from(wanted).map_or(MOST_ROWS, |it| it.clamp(1, MOST_ROWS))
}

impl Source {
    async fn page(self, at: Option<PagingState>, rows: u32) -> anyhow::Result<Page> {
        let options = Options {
            page_size: NonZeroU32::new(rows),
            is_idempotent: true,
            ..Options::new()
        };
        let bound = self.select.bind(())?.with(options);
        let mut readings = 0;
        loop {
            readings += 1;
            let before = self.second();
            let answer = self.read(&bound, at.as_ref()).await?;
            let second = self.second();
            let next = answer.next.clone();
            let rows = answer.into_rows();
            if before == second || readings == MOST_READINGS || !self.has_ttl(&rows) {
                return Ok(Page { rows, second, next });
            }
        }
    }

    async fn read(
        &self,
        bound: &Bound,
        at: Option<&PagingState>,
    ) -> Result<stoa_session::Answer, Error> {
        PATIENCE
            .run(|| self.session.execute(bound, at), tokio::time::sleep)
            .await
    }

    fn second(&self) -> i64 {
        self.clock.now_micros().div_euclid(1_000_000)
    }

    fn has_ttl(&self, rows: &Rows) -> bool {
        let is_ttl =
            |cell: Option<&Option<&[u8]>>| cell.copied().flatten().is_some_and(row::has_ttl);
        let mut all = rows.iter();
        all.any(|row| self.ttls.iter().any(|it| is_ttl(row.cells().get(*it))))
    }
}
