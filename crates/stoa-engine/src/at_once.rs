//! What is executed in the caller's own thread, because it takes little and waits for nobody.
//!
//! Handing a request to another thread and waiting for its answer costs more than reading or
//! writing a row. So a write of one row named by its whole key, and a read of one partition, are
//! executed where they are asked for, if nobody has to be waited for: not the disk, no other
//! writer, no change of the schema. Everything else is handed over ([`crate::workers`]), and so is
//! a read that turns out to be long: what was read until then is read again.
//!
//! Invariants:
//! 1. Nothing here waits for a sync, for the leader of a commit group or for a change of the schema.
//! 2. No more than [`ROWS_AT_ONCE`] rows are read, those that were deleted among them.
//! 3. A caller that is answered at once again and again lets others run now and then.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use stoa_session::Answer;
use stoa_session::bind::BoundValues;
use stoa_store::StoreError;

use crate::consistency;
use crate::database::{Inner, Terms};
use crate::deadline::Effect;
use crate::failure::Failure;
use crate::statement::{Plan, Statement, Write, is_computed};
use crate::write::Modification;
use crate::write::execute::Time;

/// Every so many answers the caller lets others run: often enough that one of many callers does not
/// wait for long runs of the others, seldom enough that it costs little.
const YIELD_EVERY: u32 = 8;

/// How many rows are read at once: about as many as take as long as handing a request over.
pub(crate) const ROWS_AT_ONCE: u32 = 128;

impl Inner {
    /// Executes a statement, or leaves it to be handed over.
    pub(crate) fn execute_at_once(
        &self,
        statement: &Statement,
        bound: &BoundValues,
        terms: &Terms<'_>,
    ) -> Option<Result<Answer, Failure>> {
        if bound.len() != statement.variables.len() {
            return None;
        }
        match &statement.plan {
            Plan::Select(select) => {
                let table = &select.table;
                let is_current = statement.version == self.version();
                if !is_current || !select.rows.names_one_partition() || is_computed(table) {
                    return None;
                }
                let view = self.store.view_at_once()?;
                match self.select(select, bound, terms, Some(view)) {
                    // Dropped a moment ago: to be resolved by the schema that says so.
                    Err(Failure::Store(StoreError::NoSuchTable(_)) | Failure::TooMuch) => None,
                    answer => Some(answer),
                }
            }
            // Where writes are synced, nothing is prepared that would be prepared again.
            Plan::Write(Write::Plain(write)) if !self.store.writes_wait() => {
                let _schema = self.try_begin_writing()?;
                let is_current = statement.version == self.version();
                is_current
                    .then(|| self.write_at_once(write, bound, terms))
                    .flatten()
            }
            _ => None,
        }
    }

    /// Writes; the caller keeps the schema as it is.
    fn write_at_once(
        &self,
        write: &Modification,
        bound: &BoundValues,
        terms: &Terms<'_>,
    ) -> Option<Result<Answer, Failure>> {
        if !write.rows.names_one_row(&write.table) || self.must_decide(write) {
            return None;
        }
        let updates = || {
            consistency::check_write(terms.consistency, &[write])?;
            let time = Time::Default(self.timestamp(terms)?);
            let updates = self.updates(write, bound, time, None)?;
            terms.call.begin_effect(Effect::Plain)?;
            Ok(updates)
        };
        match updates() {
            Ok(updates) => {
                let written = self.store.write_at_once(updates)?;
                Some(written.map(|()| Answer::default()).map_err(Failure::from))
            }
            Err(failure) => Some(Err(failure)),
        }
    }
}

/// Counts answers, so that others run now and then.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    given: AtomicU32,
}

impl Turns {
    /// The answer, ready or after others had a chance to run.
    pub(crate) fn give<T>(&self, answer: T) -> Turn<T> {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        Turn {
            answer: Some(answer),
            is_ready: !given.is_multiple_of(YIELD_EVERY),
        }
    }
}

/// An answer that is there.
pub(crate) struct Turn<T> {
    answer: Option<T>,
    /// Whether it may be taken without letting others run first.
    is_ready: bool,
}

impl<T: Unpin> Future for Turn<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        if self.is_ready
            && let Some(answer) = self.answer.take()
        {
            return Poll::Ready(answer);
        }
        self.is_ready = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use stoa_session::{Bound, Session, Statement as Text};
    use stoa_store::{Options, Store};
    use stoa_types::{Clock, SystemClock, SystemIds};

    use super::*;
    use crate::{Database, Embedded};

    /// A session on a store without a thread of its own, so that only the test leads.
    fn session() -> Embedded {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let options = Options {
            background: false,
            ..Options::default()
        };
        let store = Store::memory(options, Arc::clone(&clock)).unwrap();
        let database = Database::with_store(store, clock, Arc::new(SystemIds::new()));
        let session = database.unwrap().session();
        for text in [
            "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE ks.t (p int, c int, v int, s int static, PRIMARY KEY (p, c))",
            "CREATE TABLE ks.indexed (p int PRIMARY KEY, v int)",
            "CREATE INDEX ON ks.indexed (v)",
        ] {
            session.run_now(&Text::new(text), None).unwrap();
        }
        session
    }

    fn bound(session: &Embedded, text: &str) -> Bound {
        session.prepare_now(text).unwrap().bind(()).unwrap()
    }

    /// How often a future must be polled until it is ready; it gets no help from other threads.
    fn polls(session: &Embedded, bound: &Bound) -> usize {
        let mut future = session.execute(bound, None);
        let mut context = Context::from_waker(Waker::noop());
        for polls in 1..=2 {
            if let Poll::Ready(answer) = future.as_mut().poll(&mut context) {
                answer.unwrap();
                return polls;
            }
        }
        panic!("the future waits for somebody");
    }

    #[test]
    fn one_row_is_written_and_read_by_the_caller_who_lets_others_run_now_and_then() {
        let session = session();
        let insert = bound(&session, "INSERT INTO ks.t (p, c, v) VALUES (1, 2, 3)");
        let select = bound(&session, "SELECT v FROM ks.t WHERE p = 1 AND c = 2");
        let mut all = 0;
        for _ in 0..YIELD_EVERY {
            all += polls(&session, &insert) + polls(&session, &select);
        }
        let calls = 2 * YIELD_EVERY as usize;
        assert_eq!(all, calls + 2);
        let answer = session.execute_now(&select, None).unwrap();
        let row = answer.rows().unwrap().first().unwrap();
        assert_eq!(row.get::<i32>("v"), Ok(3));
    }

    #[test]
    fn what_may_take_long_or_decides_is_handed_over() {
        let session = session();
        for text in [
            "SELECT v FROM ks.t WHERE p IN (1, 2) AND c = 2",
            "SELECT v FROM ks.t",
            "SELECT p FROM ks.indexed WHERE v = 1",
            "SELECT cluster_name FROM system.local WHERE key = 'local'",
            "INSERT INTO ks.t (p, c, v) VALUES (1, 2, 3) IF NOT EXISTS",
            "INSERT INTO ks.indexed (p, v) VALUES (1, 2)",
            "UPDATE ks.t SET v = 1 WHERE p = 1 AND c IN (1, 2)",
            "DELETE FROM ks.t WHERE p = 1",
            "BEGIN BATCH INSERT INTO ks.t (p, c, v) VALUES (1, 2, 3); APPLY BATCH",
        ] {
            let bound = bound(&session, text);
            assert!(session.execute_at_once(&bound, None).is_none(), "{text}");
        }
    }

    #[test]
    fn a_partition_is_read_at_once_unless_it_has_many_rows_or_had_them() {
        let session = session();
        let most = i32::try_from(ROWS_AT_ONCE).unwrap();
        let select = bound(&session, "SELECT v FROM ks.t WHERE p = 1");
        let slice = bound(&session, "SELECT v FROM ks.t WHERE p = 1 AND c > 100000");
        let page = bound(&session, "SELECT v FROM ks.t WHERE p = 1 LIMIT 5");
        let write = |text: &str, c: i32| {
            let text = Text::new(text.replace("$C", &c.to_string()));
            session.run_now(&text, None).unwrap();
        };
        // Beginning the partition counts, too.
        for c in 1..most {
            write("INSERT INTO ks.t (p, c, v) VALUES (1, $C, 3)", c);
        }
        let answer = session.execute_at_once(&select, None).unwrap().unwrap();
        assert_eq!(answer.rows().unwrap().len(), most as usize - 1);
        write("INSERT INTO ks.t (p, c, v) VALUES (1, $C, 3)", most);
        for c in 0..most {
            write("DELETE FROM ks.t WHERE p = 1 AND c = $C", 200_000 + c);
        }
        assert!(session.execute_at_once(&select, None).is_none());
        assert!(session.execute_at_once(&slice, None).is_none());
        let answer = session.execute_at_once(&page, None).unwrap().unwrap();
        assert_eq!(answer.rows().unwrap().len(), 5);
        let answer = session.execute_now(&select, None).unwrap();
        assert_eq!(answer.rows().unwrap().len(), most as usize);
    }

    #[test]
    fn refusals_come_at_once_too() {
        let session = session();
        let insert = session
            .prepare_now("INSERT INTO ks.t (p, c) VALUES (?, 2)")
            .unwrap();
        let bound = insert.bind((None::<i32>,)).unwrap();
        let refused = session.execute_at_once(&bound, None).unwrap();
        assert!(refused.unwrap_err().to_string().contains("null value"));
    }
}
