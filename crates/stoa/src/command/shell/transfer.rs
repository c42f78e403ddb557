//! Executes `COPY`: pages of rows into a file, or records of a file into rows.
//!
//! Limits: a page has [`PAGE_ROWS`] rows; [`MOST_WRITES`] rows are written at a time, so that the
//! store can sync many of them at once; [`MOST_TOLD`] bad records are told one by one.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use indicatif::ProgressBar;
use stoa_session::pages::Pages;
use stoa_session::{Bound, Column, Error, Options, Prepared};
use stoa_types::Value;
use tokio::task::JoinSet;

use super::copy::{Copy, Direction};
use super::csv::Record;
use super::execute::Shell;
use super::output::say;
use super::{csv_value, result};
use crate::terminal;

const PAGE_ROWS: NonZeroU32 = NonZeroU32::new(1_000).expect("a thousand is not zero");
const MOST_WRITES: usize = 64;
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
                let created = File::create(file);
                let created =
                    created.with_context(|| format!("cannot write {}", file.display()))?;
                let mut out = BufWriter::new(created);
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
        let limit = copy.most_rows.map(|it| format!(" LIMIT {it}"));
        let limit = limit.unwrap_or_default();
        let select = format!("SELECT {columns} FROM {}{limit}", copy.table);
        let options = Options {
            consistency: self.settings.consistency,
            page_size: Some(PAGE_ROWS),
            ..Options::new()
        };
        let bound = self.prepare(&select)?.bind(())?.with(options);
        let bar = terminal::progress();
        let mut pages = Pages::new(&*self.session, &bound, None);
        let mut count = 0;
        let mut has_header = copy.has_header;
        while let Some(answer) = self.runtime.block_on(pages.next())? {
            let rows = answer.into_rows();
            if std::mem::take(&mut has_header) {
                out.write_all(result::csv_header(rows.columns(), &copy.dialect).as_bytes())?;
            }
            out.write_all(result::csv_lines(&rows, &copy.dialect)?.as_bytes())?;
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
        let mut import = Import {
            shell: self,
            insert: self.prepare(&self.insert(copy)?)?,
            writes: JoinSet::new(),
            bar: bar.clone(),
            name: file.display().to_string(),
            written: 0,
            refused: 0,
        };
        let mut input = BufReader::new(bar.wrap_read(opened));
        let mut line = 1;
        if copy.has_header {
            line += copy.dialect.read(&mut input)?.map_or(0, |it| it.lines);
        }
        let mut left = copy.most_rows.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(record) = copy.dialect.read(&mut input)? else {
                break;
            };
            let at = line;
            line += record.lines;
            left -= 1;
            import.take(&record, at)?;
        }
        import.finish()
    }

    /// The statement that writes one row.
    fn insert(&self, copy: &Copy) -> anyhow::Result<String> {
        let columns = if copy.columns.is_empty() {
            let select = self.prepare(&format!("SELECT * FROM {}", copy.table))?;
            let name = |column: &Column| stoa_types::text::identifier::quoted(&column.name);
            select.columns().iter().map(name).collect()
        } else {
            copy.columns.clone()
        };
        let marks = vec!["?"; columns.len()].join(", ");
        let columns = columns.join(", ");
        Ok(format!(
            "INSERT INTO {} ({columns}) VALUES ({marks})",
            copy.table
        ))
    }
}

/// A file on its way into a table.
struct Import<'s> {
    shell: &'s Shell,
    insert: Prepared,
    writes: JoinSet<(u64, Result<(), Error>)>,
    bar: ProgressBar,
    name: String,
    written: u64,
    refused: u64,
}

impl Import<'_> {
    /// Writes a record that begins at a line, when there is room for one more.
    fn take(&mut self, record: &Record, line: u64) -> anyhow::Result<()> {
        // An empty line at the end of a file is no row.
        let is_blank = record.fields.iter().all(Option::is_none);
        if is_blank && record.fields.len() == 1 && self.insert.variables().len() > 1 {
            return Ok(());
        }
        let bound = match self.bind(record) {
            Ok(bound) => bound,
            Err(problem) => return self.refuse(line, &format!("{problem:#}")),
        };
        while self.writes.len() >= MOST_WRITES {
            self.wait()?;
        }
        let session = Arc::clone(&self.shell.session);
        let handle = self.shell.runtime.handle().clone();
        // The engine works in the calling thread: in threads of their own, writes share a sync.
        let write = move || {
            let done = handle.block_on(session.execute(&bound, None));
            (line, done.map(|_| ()))
        };
        self.writes
            .spawn_blocking_on(write, self.shell.runtime.handle());
        Ok(())
    }

    fn bind(&self, record: &Record) -> anyhow::Result<Bound> {
        let variables = self.insert.variables();
        if record.fields.len() != variables.len() {
            bail!(
                "{} fields for {} columns",
                record.fields.len(),
                variables.len()
            );
        }
        let pairs = variables.iter().zip(&record.fields);
        let values = pairs.map(|(column, field)| {
            let value = csv_value::value(&column.data_type, field.as_deref(), &self.shell.clock);
            value.with_context(|| column.name.clone())
        });
        let values: Vec<Value> = values.collect::<anyhow::Result<_>>()?;
        let options = Options {
            consistency: self.shell.settings.consistency,
            ..Options::new()
        };
        Ok(self.insert.bind(values.as_slice())?.with(options))
    }

    /// Waits for one write.
    fn wait(&mut self) -> anyhow::Result<()> {
        match self.shell.runtime.block_on(self.writes.join_next()) {
            Some(Ok((_, Ok(())))) => {
                self.written += 1;
                self.bar.set_message(format!("{} rows", self.written));
                Ok(())
            }
            Some(Ok((line, Err(error)))) => self.refuse(line, &error.to_string()),
            Some(Err(problem)) => Err(problem.into()),
            None => Ok(()),
        }
    }

    fn refuse(&mut self, line: u64, problem: &str) -> anyhow::Result<()> {
        self.refused += 1;
        if self.refused <= MOST_TOLD {
            let told = format!("{}:{line}: {problem}", self.name);
            self.bar.suspend(|| say(&told))?;
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<u64> {
        while !self.writes.is_empty() {
            self.wait()?;
        }
        self.bar.finish_and_clear();
        if self.refused > 0 {
            let (refused, written) = (self.refused, self.written);
            bail!(
                "{refused} records of {} were not copied; {written} were",
                self.name
            );
        }
        Ok(self.written)
    }
}
