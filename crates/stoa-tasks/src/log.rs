//! `task_log`: what instances tell, by day and instance.
//!
//! A day of an instance is a partition, and a second table says who told something on a day. The
//! write time of a line is that of its identifier, so that it may be written again. Both are
//! forgotten after thirty days. What must be kept for ever belongs elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use stoa_types::{Date, Ids, time_uuid};
use uuid::Uuid;

use crate::tables::{Base, quorum, write};

/// How long a line is kept.
pub const KEPT: Duration = Duration::from_secs(30 * 86_400);

const DAY_MICROS: i64 = 86_400_000_000;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What happens in an ordinary day.
    Info,
    /// Something that someone should look at some time.
    Warning,
    /// Something that someone should look at now.
    Error,
}

impl Level {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// What another version of the program calls otherwise is taken for a warning.
    fn of_name(name: Option<&str>) -> Self {
        match name {
            Some("info") => Self::Info,
            Some("error") => Self::Error,
            _ => Self::Warning,
        }
    }
}

/// Something that an instance tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who tells it.
    pub instance: Uuid,
    /// When, as a time UUID.
    pub at: Uuid,
    /// How much it matters.
    pub level: Level,
    /// What happened, in words that are the same each time.
    pub what: String,
    /// What is different each time.
    pub fields: BTreeMap<String, String>,
}

impl Line {
    /// Something that happens now.
    #[must_use]
    pub fn new(ids: &dyn Ids, instance: Uuid, level: Level, what: impl Into<String>) -> Self {
        Self {
            instance,
            at: ids.time_uuid(),
            level,
            what: what.into(),
            fields: BTreeMap::new(),
        }
    }

    /// The same with one more field.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// When it happened, in microseconds since 1970.
    #[must_use]
    pub fn at_micros(&self) -> i64 {
        time_uuid::unix_micros(&self.at).unwrap_or(0)
    }

    /// The day it belongs to.
    #[must_use]
    pub fn day(&self) -> Date {
        let days = self.at_micros().div_euclid(DAY_MICROS);
        Date::from_days_since_epoch(i32::try_from(days).unwrap_or(i32::MAX))
    }
}

#[derive(FromRow)]
struct LineRow {
    at: Uuid,
    level: Option<String>,
    what: Option<String>,
    fields: Option<BTreeMap<String, String>>,
}

#[derive(FromRow)]
struct WriterRow {
    instance: Uuid,
}

/// The tables.
#[derive(Debug)]
pub struct LogTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    name_writer: Prepared,
    writers: Prepared,
    lines: Prepared,
    /// The day and the instance that were named last.
    named: Mutex<Option<(Date, Uuid)>>,
}

impl LogTable {
    pub(crate) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let kept = KEPT.as_secs();
        let insert = format!(
            "INSERT INTO {{ks}}.task_log (day, instance, at, level, what, fields) \
             VALUES (?, ?, ?, ?, ?, ?) USING TTL {kept}"
        );
        // A day longer than its lines: it is named before the last of them.
        let name_writer = format!(
            "INSERT INTO {{ks}}.task_log_writers (day, instance) VALUES (?, ?) USING TTL {}",
            kept + 86_400
        );
        Ok(Self {
            session: base.session(),
            insert: base.prepare(&insert).await?,
            name_writer: base.prepare(&name_writer).await?,
            writers: base
                .prepare("SELECT instance FROM {ks}.task_log_writers WHERE day = ?")
                .await?,
            lines: base
                .prepare(
                    "SELECT at, level, what, fields FROM {ks}.task_log \
                     WHERE day = ? AND instance = ? LIMIT ?",
                )
                .await?,
            named: Mutex::default(),
        })
    }

    /// Writes a line.
    ///
    /// # Errors
    /// Those of the session; the same line may be written again.
    pub async fn write(&self, line: &Line) -> Result<(), Error> {
        let (day, at_micros) = (line.day(), line.at_micros());
        let writer = Some((day, line.instance));
        if *self.named.lock().unwrap_or_else(PoisonError::into_inner) != writer {
            let values = (day, line.instance);
            write(&*self.session, &self.name_writer, values, at_micros).await?;
            *self.named.lock().unwrap_or_else(PoisonError::into_inner) = writer;
        }
        let level = line.level.name();
        let values = (day, line.instance, line.at, level, &line.what, &line.fields);
        write(&*self.session, &self.insert, values, at_micros).await
    }

    /// The newest lines of a day, of all instances together, the newest first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn day(&self, day: Date, most: u16) -> Result<Vec<Line>, Error> {
        let bound = self.writers.bind((day,))?.with(quorum());
        let mut lines = Vec::new();
        for WriterRow { instance } in self.session.all(&bound).await? {
            lines.extend(self.of_instance(day, instance, most).await?);
            lines.sort_by(|left, right| {
                time_uuid::compare(&right.at, &left.at).then(right.instance.cmp(&left.instance))
            });
            lines.truncate(usize::from(most));
        }
        Ok(lines)
    }

    /// The newest lines of a day of one instance, the newest first.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_instance(
        &self,
        day: Date,
        instance: Uuid,
        most: u16,
    ) -> Result<Vec<Line>, Error> {
        let values = (day, instance, i32::from(most.max(1)));
        let bound = self.lines.bind(values)?.with(quorum());
        let rows = self.session.all::<LineRow>(&bound).await?;
        let lines = rows.into_iter().map(|row| Line {
            instance,
            at: row.at,
            level: Level::of_name(row.level.as_deref()),
            what: row.what.unwrap_or_default(),
            fields: row.fields.unwrap_or_default(),
        });
        Ok(lines.collect())
    }
}
