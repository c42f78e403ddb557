//! `COPY`, executed.
//!
//! Writes are sent many at a time, and what is wrong with one does not stop the others, until there
//! are more of them than the options allow.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use indicatif::ProgressBar;
use stoa_session::pages::Pages;
use stoa_session::retry::Retry;
use stoa_session::{Bound, Column, Error, Options, Prepared};
use stoa_types::text::identifier::quoted;
use stoa_types::{Clock as _, Value};
use tokio::task::JoinSet;

use super::copy::{Copy, Direction};
use super::csv::Record;
use super::execute::Shell;
use super::output::say;
use super::{csv_value, result};
use crate::terminal;

/// How many problems are told one by one.
const MOST_TOLD: u64 = 10;

impl Shell {
    /// Copies a table to a file, or a file to a table.
    ///
    /// # Errors
    /// When the table cannot be read, the file cannot be read or written, or a record is not a row.
    pub(super) fn copy(&mut self, copy: &Copy) -> anyhow::Result<()> {
        match &copy.direction {
            Direction::ToStdout => {
                self.export(copy, &mut std::io::stdout().lock())?;
            }
            Direction::ToFile(file) => {
                let mut out = BufWriter::new(created(file)?);
                let rows = self.export(copy, &mut out)?;
                out.flush()?;
                say(&format!("{rows} rows written to {}", file.display()))?;
            }
            Direction::FromFile(file) => {
                let rows = self.import(copy, file)?;
                say(&format!("{rows} rows read from {}", file.display()))?;
            }
        }
        Ok(())
    }

    fn prepare(&self, text: &str) -> anyhow::Result<Prepared> {
        Ok(self.runtime.block_on(self.session.prepare(text))?)
    }

    /// Writes rows and says how many.
    fn export(&self, copy: &Copy, out: &mut dyn Write) -> anyhow::Result<u64> {
        let columns = match copy.columns.as_slice() {
            [] => "*".to_owned(),
            some => some.join(", "),
        };
        let limit = copy.options.most_rows.map(|it| format!(" LIMIT {it}"));
        let limit = limit.unwrap_or_default();
        let select = format!("SELECT {columns} FROM {}{limit}", copy.table);
        let options = Options {
            consistency: self.settings.consistency,
            page_size: Some(copy.options.page_rows),
            is_idempotent: true,
            ..Options::new()
        };
        let bound = self.prepare(&select)?.bind(())?.with(options);
        let bar = terminal::progress();
        let mut pages = Pages::new(&*self.session, &bound, None);
        let mut count = 0;
        let mut has_header = copy.options.has_header;
        let (dialect, style) = (&copy.options.dialect, &copy.options.style);
        loop {
            let page = self.runtime.block_on(self.interrupt.guard(pages.next()))?;
            let Some(answer) = page? else { break };
            let rows = answer.into_rows();
            if std::mem::take(&mut has_header) {
                out.write_all(result::csv_header(rows.columns(), dialect).as_bytes())?;
            }
            out.write_all(result::csv_lines(&rows, dialect, style)?.as_bytes())?;
            count += rows.len() as u64;
            bar.set_message(format!("{count} rows written"));
        }
        bar.finish_and_clear();
        Ok(count)
    }

    /// Reads records, writes them as rows and says how many.
    fn import(&self, copy: &Copy, file: &Path) -> anyhow::Result<u64> {
        let opened = File::open(file);
        let opened = opened.with_context(|| format!("cannot read {}", file.display()))?;
        let bar = terminal::progress_over(opened.metadata()?.len());
        let columns = self.columns(copy)?;
        let errors = match &copy.options.error_file {
            Some(file) => Some(BufWriter::new(created(file)?)),
            None => None,
        };
        let mut import = Import {
            shell: self,
            copy,
            insert: self.prepare(&insert(copy, &columns))?,
            is_taken: columns.iter().map(|it| is_taken(copy, it)).collect(),
            writes: JoinSet::new(),
            bar: bar.clone(),
            name: file.display().to_string(),
            errors,
            begun: self.clock.monotonic(),
            taken: 0,
            written: 0,
            unread: 0,
            refused: 0,
        };
        let mut input = BufReader::new(bar.wrap_read(opened));
        let dialect = &copy.options.dialect;
        let mut line = 1;
        let passed = u64::from(copy.options.has_header) + copy.options.skip_rows;
        for _ in 0..passed {
            line += dialect.read(&mut input)?.map_or(0, |it| it.lines);
        }
        let mut left = copy.options.most_rows.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(record) = dialect.read(&mut input)? else {
                break;
            };
            let at = line;
            line += record.lines;
            left -= 1;
            import.take(record, at)?;
        }
        import.finish()
    }

    /// The columns of the file, as CQL.
    fn columns(&self, copy: &Copy) -> anyhow::Result<Vec<String>> {
        if !copy.columns.is_empty() {
            return Ok(copy.columns.clone());
        }
        let select = self.prepare(&format!("SELECT * FROM {}", copy.table))?;
        let name = |column: &Column| quoted(&column.name);
        Ok(select.columns().iter().map(name).collect())
    }
}

fn created(file: &Path) -> anyhow::Result<File> {
    let created = File::create(file);
    created.with_context(|| format!("cannot write {}", file.display()))
}

/// Whether a column of the file is copied; options name it with or without quotes.
fn is_taken(copy: &Copy, column: &str) -> bool {
    let is_named = |it: &String| it == column || quoted(it) == column;
    !copy.options.skip_columns.iter().any(is_named)
}

/// The statement that writes one row.
fn insert(copy: &Copy, columns: &[String]) -> String {
    let columns = columns.iter().filter(|it| is_taken(copy, it));
    let columns: Vec<&str> = columns.map(String::as_str).collect();
    let marks = vec!["?"; columns.len()].join(", ");
    let columns = columns.join(", ");
    let using = copy.options.ttl.map(|ttl| format!(" USING TTL {ttl}"));
    let using = using.unwrap_or_default();
    format!(
        "INSERT INTO {} ({columns}) VALUES ({marks}){using}",
        copy.table
    )
}

/// What came of a record that was sent.
struct Sent {
    record: Record,
    line: u64,
    done: Result<(), Error>,
}

/// A file on its way into a table.
struct Import<'s> {
    shell: &'s Shell,
    copy: &'s Copy,
    insert: Prepared,
    /// Which columns of the file are copied.
    is_taken: Vec<bool>,
    writes: JoinSet<Sent>,
    bar: ProgressBar,
    name: String,
    errors: Option<BufWriter<File>>,
    begun: Duration,
    /// How many records were sent.
    taken: u64,
    written: u64,
    /// How many records are no rows.
    unread: u64,
    /// How many rows the back end did not take.
    refused: u64,
}

impl Import<'_> {
    /// Writes a record that begins at a line, when there is room for one more.
    fn take(&mut self, record: Record, line: u64) -> anyhow::Result<()> {
        // An empty line at the end of a file is no row.
        let is_blank = record.fields.iter().all(Option::is_none);
        if is_blank && record.fields.len() == 1 && self.is_taken.len() > 1 {
            return Ok(());
        }
        self.shell.interrupt.check()?;
        let bound = match self.bind(&record) {
            Ok(bound) => bound,
            Err(problem) => {
                self.unread += 1;
                self.tell(&record, line, &format!("{problem:#}"))?;
                return stop_after(
                    self.copy.options.most_parse_errors,
                    self.unread,
                    "MAXPARSEERRORS",
                );
            }
        };
        while self.writes.len() >= self.copy.options.requests {
            self.wait()?;
        }
        self.keep_pace();
        self.taken += 1;
        let session = std::sync::Arc::clone(&self.shell.session);
        let retry = Retry {
            attempts: self.copy.options.attempts,
            ..Retry::default()
        };
        let write = async move {
            let done = retry
                .run(|| session.execute(&bound, None), tokio::time::sleep)
                .await;
            let done = done.map(|_| ());
            Sent { record, line, done }
        };
        self.writes.spawn_on(write, self.shell.runtime.handle());
        Ok(())
    }

    /// Waits, if rows would be sent faster than they may.
    fn keep_pace(&self) {
        let Some(rate) = self.copy.options.rate else {
            return;
        };
        let due = Duration::from_secs(1).mul_f64(self.taken as f64 / f64::from(rate.get()));
        let passed = self.shell.clock.monotonic().saturating_sub(self.begun);
        if let Some(left) = due.checked_sub(passed) {
            let pause = async { tokio::time::sleep(left).await };
            self.shell.runtime.block_on(pause);
        }
    }

    fn bind(&self, record: &Record) -> anyhow::Result<Bound> {
        if record.fields.len() != self.is_taken.len() {
            bail!(
                "{} fields for {} columns",
                record.fields.len(),
                self.is_taken.len()
            );
        }
        let fields = record.fields.iter().zip(&self.is_taken);
        let fields = fields.filter(|(_, is_taken)| **is_taken);
        let style = &self.copy.options.style;
        let pairs = self.insert.variables().iter().zip(fields);
        let values = pairs.map(|(column, (field, _))| {
            let value = csv_value::value(
                &column.data_type,
                field.as_deref(),
                style,
                &self.shell.clock,
            );
            value.with_context(|| column.name.clone())
        });
        let values: Vec<Value> = values.collect::<anyhow::Result<_>>()?;
        let options = Options {
            consistency: self.shell.settings.consistency,
            is_idempotent: true,
            ..Options::new()
        };
        Ok(self.insert.bind(values.as_slice())?.with(options))
    }

    /// Waits for one write.
    fn wait(&mut self) -> anyhow::Result<()> {
        match self.shell.runtime.block_on(self.writes.join_next()) {
            Some(Ok(Sent { done: Ok(()), .. })) => {
                self.written += 1;
                self.bar.set_message(format!("{} rows", self.written));
                Ok(())
            }
            Some(Ok(sent)) => {
                let problem = sent.done.err().map(|it| it.to_string());
                self.refused += 1;
                self.tell(&sent.record, sent.line, &problem.unwrap_or_default())?;
                stop_after(
                    self.copy.options.most_insert_errors,
                    self.refused,
                    "MAXINSERTERRORS",
                )
            }
            Some(Err(problem)) => Err(problem.into()),
            None => Ok(()),
        }
    }

    /// Tells what is wrong with a record, and keeps it.
    fn tell(&mut self, record: &Record, line: u64, problem: &str) -> anyhow::Result<()> {
        if self.unread + self.refused <= MOST_TOLD {
            let told = format!("{}:{line}: {problem}", self.name);
            self.bar.suspend(|| say(&told))?;
        }
        if let Some(errors) = &mut self.errors {
            let text = self.copy.options.dialect.record(&record.fields);
            errors.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<u64> {
        while !self.writes.is_empty() {
            self.wait()?;
        }
        self.bar.finish_and_clear();
        if let Some(errors) = &mut self.errors {
            errors.flush()?;
        }
        let (failed, written) = (self.unread + self.refused, self.written);
        if failed > 0 {
            bail!(
                "{failed} records of {} were not copied; {written} were",
                self.name
            );
        }
        Ok(written)
    }
}

/// Ends a copy that has more problems than it may have.
fn stop_after(most: Option<u64>, found: u64, option: &str) -> anyhow::Result<()> {
    match most {
        Some(most) if found > most => {
            bail!("more than {most} records could not be copied, and {option} allows no more")
        }
        _ => Ok(()),
    }
}
