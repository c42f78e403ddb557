//! What became of background tasks: the last runs, the instances that live, the log; and a round of
//! everything that is due.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use chrono::{DateTime, NaiveDate};
use serde_json::json;
use stoa_tasks::{Level, Runner, Tables, Task};
use stoa_types::{Clock, Date, SystemClock, SystemIds};

use crate::terminal::{self, Palette};

/// Lines of the log that are shown.
const MOST_LINES: u16 = 1_000;

/// The tables of tasks, and how they are shown.
pub(crate) struct TaskRecords {
    pub(crate) tables: Arc<Tables>,
    pub(crate) json: bool,
}

impl TaskRecords {
    /// Runs what is due by what is written of the last runs, once, and what never ran.
    pub(super) async fn run_due(&self, tasks: Vec<Arc<dyn Task>>) -> Result<ExitCode> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let version = env!("CARGO_PKG_VERSION");
        let tables = Arc::clone(&self.tables);
        let ids = SystemIds::new();
        let mut runner = Runner::new(tables, tasks, clock, &ids, version)?;
        // It lives for one round and then says that it lives no more, so nobody asks for its load.
        runner.hurry();
        let bar = terminal::progress();
        bar.set_message("running what is due");
        let round = runner.run_due().await;
        bar.finish_and_clear();
        runner.leave().await?;
        let mut out = std::io::stdout().lock();
        let palette = Palette::for_stdout();
        let cut = round.ran.iter().filter(|ran| ran.shard > 0);
        let cut: BTreeSet<&str> = cut.map(|ran| &*ran.task).collect();
        for ran in &round.ran {
            let (task, run) = (&ran.task, &ran.run);
            let told = run.error.as_deref().or(run.done.as_deref());
            let told = told.unwrap_or_default();
            if self.json {
                let object = json!({
                    "task": task, "shard": ran.shard, "ok": run.is_ok(), "told": told,
                });
                writeln!(out, "{object}")?;
                continue;
            }
            let verdict = match run.is_ok() {
                true => palette.good("done"),
                false => palette.bad("failed"),
            };
            let task = named(task, ran.shard, &cut);
            writeln!(out, "{task}: {verdict} {told}")?;
        }
        for trouble in &round.troubles {
            writeln!(std::io::stderr(), "stoa: {trouble}")?;
        }
        let is_fine = round.troubles.is_empty() && round.ran.iter().all(|ran| ran.run.is_ok());
        Ok(match is_fine {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }

    /// Shows how each task ran last, and who lives.
    pub(crate) async fn runs(&self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        let palette = Palette::for_stdout();
        let records = self.tables.runs.list().await?;
        let cut = records.iter().filter(|record| record.shard > 0);
        let cut: BTreeSet<&str> = cut.map(|record| &*record.task).collect();
        for record in &records {
            let run = &record.run;
            let began = moment(run.began.0.saturating_mul(1_000));
            let told = run.error.as_deref().or(run.done.as_deref());
            let told = told.unwrap_or_default();
            if self.json {
                let object = json!({
                    "task": record.task, "shard": record.shard, "began": began,
                    "took_millis": run.took_millis, "failures": run.failures,
                    "instance": run.instance.to_string(), "told": told,
                });
                writeln!(out, "{object}")?;
                continue;
            }
            let verdict = match run.is_ok() {
                true => palette.good("done"),
                false => palette.bad(&format!("failed {} times in a row", run.failures)),
            };
            let task = named(&record.task, record.shard, &cut);
            writeln!(out, "{task:<26}{began}  {verdict} {told}")?;
        }
        for instance in self.tables.instances.live().await? {
            let started = instance
                .started
                .map(|it| moment(it.0.saturating_mul(1_000)));
            let started = started.unwrap_or_default();
            let (id, version) = (instance.id, &instance.version);
            match self.json {
                true => {
                    let id = id.to_string();
                    let object = json!({
                        "instance": id, "version": version, "started": started,
                        "load": instance.load,
                    });
                    writeln!(out, "{object}")?;
                }
                false => writeln!(out, "instance {id}, version {version}, since {started}")?,
            }
        }
        Ok(())
    }

    /// Shows the log of a day.
    pub(super) async fn log(&self, day: Option<NaiveDate>) -> Result<()> {
        let day = match day {
            Some(day) => day.signed_duration_since(NaiveDate::default()).num_days(),
            None => SystemClock::new().now_micros().div_euclid(86_400_000_000),
        };
        let day = Date::from_days_since_epoch(i32::try_from(day)?);
        let mut out = std::io::stdout().lock();
        let palette = Palette::for_stdout();
        for line in self.tables.log.day(day, MOST_LINES).await? {
            let (at, level) = (moment(line.at_micros()), line.level.name());
            if self.json {
                let object = json!({
                    "at": at, "level": level, "what": line.what,
                    "instance": line.instance.to_string(), "fields": line.fields,
                });
                writeln!(out, "{object}")?;
                continue;
            }
            let level = match line.level {
                Level::Error => palette.bad(level),
                Level::Info | Level::Warning => level.to_owned(),
            };
            write!(out, "{at}  {level}  {}", line.what)?;
            for (name, value) in &line.fields {
                write!(out, "  {name}: {value}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A task, with its shard if it is one of those that are cut into several.
fn named(task: &str, shard: u32, cut: &BTreeSet<&str>) -> String {
    match cut.contains(task) {
        true => format!("{task}/{shard}"),
        false => task.to_owned(),
    }
}

fn moment(micros: i64) -> String {
    let at = DateTime::from_timestamp_micros(micros);
    at.map_or_else(String::new, |at| {
        at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    })
}
