//! The shell itself: executes statements one after another and prints what they answer.
//!
//! Invariants:
//! 1. A statement that fails is told on standard error and counted; the next one is executed.
//! 2. Errors, warnings and progress never go to where results go, so that a program can read those.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use stoa_session::{
    Answer, Body, Consistency, Error, Options, PagingState, Rows, SerialConsistency, Session,
    Statement,
};
use stoa_types::{Clock as _, SystemClock};
use tokio::runtime::Runtime;

use super::csv::Dialect;
use super::csv_value::Style;
use super::interrupt::{Interrupt, Interrupted};
use super::output::{Output, say};
use super::script::{Script, first_word};
use super::table::Page;
use super::{Format, command, describe, result, trouble};
use crate::terminal::Palette;

/// As many rows as a page of cqlsh has.
pub(super) const PAGE_ROWS: NonZeroU32 = NonZeroU32::new(100).expect("a hundred is not zero");

/// Executes statements and prints what they answer.
pub(super) struct Shell {
    pub(super) session: Arc<dyn Session>,
    pub(super) runtime: Runtime,
    pub(super) clock: SystemClock,
    pub(super) output: Output,
    pub(super) settings: Settings,
    pub(super) interrupt: Interrupt,
    /// The keyspace in use.
    pub(super) keyspace: Option<String>,
    /// How many statements have failed.
    pub(super) failures: usize,
    /// How long the back end took for the statement that is executed; a person who reads a page
    /// takes longer.
    waited: Duration,
    /// How many scripts are being executed, each by the one before it.
    pub(super) depth: usize,
    /// Whether `EXIT` was said.
    pub(super) is_over: bool,
    /// Whether a statement may have changed the schema since somebody looked.
    pub(super) has_new_schema: bool,
}

/// What the commands of the shell change.
pub(super) struct Settings {
    pub(super) format: Format,
    pub(super) is_expanded: bool,
    /// Whether the time of each statement is printed.
    pub(super) is_timed: bool,
    /// How many rows are fetched at a time; all at once if `None`.
    pub(super) page_rows: Option<NonZeroU32>,
    pub(super) consistency: Option<Consistency>,
    pub(super) serial_consistency: Option<SerialConsistency>,
}

/// Where a script comes from; errors say so.
pub(super) enum Source {
    /// The command line.
    Argument,
    /// A file or a pipe of this name.
    Named(String),
}

/// Where a page is in its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the first.
    First,
    /// This many rows are before it.
    After(usize),
}

/// What is wrong with a statement.
enum Problem {
    /// The back end says so.
    Session(Error),
    /// The shell says so.
    Shell(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        match error.into().downcast::<Error>() {
            Ok(error) => Self::Session(error),
            Err(other) => Self::Shell(other),
        }
    }
}

impl Shell {
    pub(super) fn new(session: Arc<dyn Session>, runtime: Runtime, format: Format) -> Self {
        Self {
            session,
            runtime,
            clock: SystemClock::new(),
            output: Output::new(),
            settings: Settings {
                format,
                is_expanded: false,
                is_timed: false,
                page_rows: Some(PAGE_ROWS),
                consistency: None,
                serial_consistency: None,
            },
            interrupt: Interrupt::default(),
            keyspace: None,
            failures: 0,
            waited: Duration::ZERO,
            depth: 0,
            is_over: false,
            has_new_schema: true,
        }
    }

    /// Executes all statements of a text.
    ///
    /// # Errors
    /// When results cannot be written. What is wrong with a statement is told and counted.
    pub(super) fn run_script(&mut self, text: &str, source: &Source) -> anyhow::Result<()> {
        for piece in Script::new(text) {
            if self.is_over {
                break;
            }
            let statement = text.get(piece.range.clone()).unwrap_or("");
            let done = match source {
                Source::Named(_) if !piece.is_finished => {
                    Err(anyhow!("the last statement has no semicolon; it was not executed").into())
                }
                Source::Named(_) | Source::Argument => self.run_piece(statement),
            };
            if let Err(problem) = done {
                let line = |offset: usize| {
                    let before = text.get(..piece.range.start + offset).unwrap_or("");
                    before.matches('\n').count() + 1
                };
                self.tell(&problem, statement, source, &line)?;
                // Whoever types Ctrl-C does not want the rest either.
                if matches!(&problem, Problem::Shell(error) if error.is::<Interrupted>()) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Tells what is wrong with a statement. `line` says in which line of the script an offset of
    /// the statement is.
    fn tell(
        &mut self,
        problem: &Problem,
        statement: &str,
        source: &Source,
        line: &dyn Fn(usize) -> usize,
    ) -> anyhow::Result<()> {
        self.failures += 1;
        let (told, offset) = match problem {
            Problem::Session(error) => {
                let place = trouble::place(error, statement);
                let offset = place.map_or(0, |place| place.start);
                (trouble::describe(error, statement), offset)
            }
            Problem::Shell(error) if is_closed_pipe(error) => {
                return Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into());
            }
            Problem::Shell(error) => (format!("{error:#}"), 0),
        };
        let place = match source {
            Source::Argument => String::new(),
            Source::Named(name) => format!("{name}:{}: ", line(offset)),
        };
        let mut lines = told.splitn(2, '\n');
        let palette = Palette::for_stderr();
        let first = lines.next().unwrap_or("");
        self.output.flush()?;
        say(&palette.bad(&format!("{place}{first}")))?;
        if let Some(rest) = lines.next() {
            say(rest)?;
        }
        Ok(())
    }

    /// Executes a command of the shell or a statement.
    fn run_piece(&mut self, text: &str) -> Result<(), Problem> {
        self.interrupt.clear();
        let done = self.run_command_or_statement(text);
        if self.interrupt.check().is_err() {
            // The terminal has written ^C, and its line goes on.
            say("")?;
        }
        done
    }

    fn run_command_or_statement(&mut self, text: &str) -> Result<(), Problem> {
        if let Some(command) = command::parse(text) {
            return Ok(self.obey(command?)?);
        }
        self.waited = Duration::ZERO;
        let done = self.run_statement(text);
        if self.settings.is_timed && self.interrupt.check().is_ok() {
            let millis = self.waited.as_secs_f64() * 1_000.0;
            self.output.tell(&format!("Time: {millis:.3} ms"))?;
        }
        done
    }

    fn run_statement(&mut self, text: &str) -> Result<(), Problem> {
        self.has_new_schema |= changes_schema(text);
        let first = self.ask(text, None)?;
        if let Body::UsedKeyspace(name) = &first.body {
            self.keyspace = Some(name.clone());
        }
        for warning in &first.warnings {
            say(&format!("Warning: {warning}"))?;
        }
        if first.rows().is_some() {
            match first_word(text).as_str() {
                _ if is_describe(text) => self.print_description(text, first)?,
                "select" | "list" => self.print_pages(text, first)?,
                _ => self.print_applied(&first.into_rows())?,
            }
        }
        Ok(self.output.flush()?)
    }

    /// Executes a statement and answers the page that begins `at`, or the first.
    fn ask(&mut self, text: &str, at: Option<&PagingState>) -> anyhow::Result<Answer> {
        let options = Options {
            consistency: self.settings.consistency,
            serial_consistency: self.settings.serial_consistency,
            // A list of names is printed as a whole.
            page_size: self.settings.page_rows.filter(|_| !is_describe(text)),
            ..Options::new()
        };
        let statement = Statement::new(text).with(options);
        let start = self.clock.monotonic();
        let answer = self.interrupt.guard(self.session.run(&statement, at));
        let answer = self.runtime.block_on(answer);
        self.waited += self.clock.monotonic().saturating_sub(start);
        Ok(answer??)
    }

    /// Prints a result page by page, as `print_result` of cqlsh does.
    fn print_pages(&mut self, text: &str, first: Answer) -> anyhow::Result<()> {
        let mut printed = 0;
        let mut answer = first;
        let mut place = Place::First;
        self.begin_result()?;
        loop {
            let next = answer.next.take();
            let rows = answer.into_rows();
            // A page may be empty although more follow.
            if place == Place::First || !rows.is_empty() {
                self.print_page(&rows, place)?;
                printed += rows.len();
                place = Place::After(printed);
            }
            let Some(next) = next else { break };
            if self.pause()?.is_break() {
                break;
            }
            answer = self.ask(text, Some(&next))?;
        }
        if self.settings.format == Format::Table {
            if !self.output.is_watched() {
                writeln!(self.output.results())?;
            }
            writeln!(self.output.results(), "({printed} rows)")?;
        }
        Ok(())
    }

    fn begin_result(&mut self) -> std::io::Result<()> {
        match self.settings.format {
            Format::Table => writeln!(self.output.results()),
            Format::Json | Format::Csv => Ok(()),
        }
    }

    fn print_page(&mut self, rows: &Rows, place: Place) -> anyhow::Result<()> {
        let text = match self.settings.format {
            Format::Table => self.table_text(rows, place)?,
            Format::Json => result::json_lines(rows)?,
            Format::Csv => {
                let dialect = Dialect::default();
                let header = match place {
                    Place::First => result::csv_header(rows.columns(), &dialect),
                    Place::After(_) => String::new(),
                };
                format!(
                    "{header}{}",
                    result::csv_lines(rows, &dialect, &Style::default())?
                )
            }
        };
        Ok(self.output.results().write_all(text.as_bytes())?)
    }

    fn table_text(&self, rows: &Rows, place: Place) -> anyhow::Result<String> {
        let palette = self.output.palette();
        let page = Page::of(rows)?;
        if rows.is_empty() {
            return Ok(format!("{}\n", page.header(palette)));
        }
        if self.settings.is_expanded {
            let before = match place {
                Place::First => 0,
                Place::After(rows) => rows,
            };
            return Ok(page.expanded(before, palette));
        }
        let is_watched = self.output.is_watched();
        let mut text = String::new();
        if place == Place::First || is_watched {
            text.push_str(&page.header(palette));
        }
        text.push_str(&page.lines(palette));
        if is_watched {
            text.push('\n');
        }
        Ok(text)
    }

    /// Prints what a conditional write answers.
    fn print_applied(&mut self, rows: &Rows) -> anyhow::Result<()> {
        self.begin_result()?;
        self.print_page(rows, Place::First)
    }

    fn print_description(&mut self, text: &str, first: Answer) -> anyhow::Result<()> {
        let mut answer = first;
        let mut place = Place::First;
        loop {
            let next = answer.next.take();
            let rows = answer.into_rows();
            match self.settings.format {
                Format::Table => {
                    let described = describe::text(&rows, self.keyspace.as_deref())?;
                    self.output.results().write_all(described.as_bytes())?;
                }
                Format::Json | Format::Csv => self.print_page(&rows, place)?,
            }
            place = Place::After(rows.len());
            match next {
                Some(next) => answer = self.ask(text, Some(&next))?,
                None => return Ok(()),
            }
        }
    }

    /// Lets a person read a page before the next one; `q` ends the result.
    fn pause(&mut self) -> anyhow::Result<ControlFlow<()>> {
        if !self.output.is_watched() || !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
            return Ok(ControlFlow::Continue(()));
        }
        self.output.flush()?;
        let read = DefaultEditor::new()?.readline("---MORE--- (Enter; q to stop)");
        Ok(match read {
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => ControlFlow::Break(()),
            Err(problem) => return Err(problem.into()),
            Ok(line) if line.trim().eq_ignore_ascii_case("q") => ControlFlow::Break(()),
            Ok(_) => ControlFlow::Continue(()),
        })
    }
}

/// Whether names may be others afterwards; asked of the text, because clusters do not tell.
fn changes_schema(text: &str) -> bool {
    matches!(first_word(text).as_str(), "create" | "alter" | "drop")
}

fn is_describe(text: &str) -> bool {
    matches!(first_word(text).as_str(), "desc" | "describe")
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let source = error.downcast_ref::<std::io::Error>();
    source.is_some_and(|it| it.kind() == std::io::ErrorKind::BrokenPipe)
}
