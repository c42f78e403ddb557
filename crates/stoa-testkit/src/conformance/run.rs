//! Executing a script on a session.

use std::num::NonZeroU32;
use std::time::Duration;

use stoa_session::pages::Pages;
use stoa_session::{
    Answer, Batch, BatchKind, Bound, Error, ErrorKind, Options, Reply, Session, Shortcuts,
    Statement,
};
use stoa_types::WriteTime;

use super::directive::{Directives, Form};
use super::expectation::{ANY, Expectation, Outcome};
use super::script::{Script, Step};
use super::terms;

/// Lets time pass: by sleeping, or by moving a clock.
pub trait Waiter: Sync {
    /// Lets this much time pass.
    fn wait(&self, time: Duration) -> Reply<'_, ()>;
}

/// Executes scripts, each in a keyspace of its own.
pub struct Runner<'a> {
    session: &'a dyn Session,
    waiter: &'a dyn Waiter,
    keyspace: String,
    attempts: u32,
}

/// The native protocol's number of a read that failed on a replica.
const READ_FAILURE: u16 = 0x1300;

/// How often a read is tried whose replica fails, and how long between.
const ATTEMPTS: u32 = 12;
const PAUSE: Duration = Duration::from_millis(250);

/// How often a statement that shows times to live is read again because a second passed meanwhile.
const TICKS: u32 = 3;

/// The keyspace's name in a script.
const KEYSPACE: &str = "$KS";

/// The most rows that a statement of a script may answer without pages.
const WHOLE: u32 = 5_000;

impl<'a> Runner<'a> {
    /// Scripts run in the keyspace of this name, which is made for each and dropped.
    #[must_use]
    pub fn new(session: &'a dyn Session, waiter: &'a dyn Waiter, keyspace: &str) -> Self {
        Self {
            session,
            waiter,
            keyspace: keyspace.to_owned(),
            attempts: ATTEMPTS,
        }
    }

    /// The same, but a read whose replica fails is tried only so often.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// Executes every statement and answers what each answered.
    ///
    /// # Errors
    /// When the keyspace cannot be made or dropped, or a page differs from the whole.
    pub async fn run(&self, script: &Script) -> Result<Vec<Expectation>, Error> {
        self.begin().await?;
        let mut answers = Vec::with_capacity(script.steps.len());
        for step in &script.steps {
            answers.push(self.step(step).await?);
        }
        self.end().await?;
        Ok(answers)
    }

    /// Makes the keyspace anew and uses it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub async fn begin(&self) -> Result<(), Error> {
        self.end().await?;
        let create = format!(
            "CREATE KEYSPACE {} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': 1}}",
            self.keyspace
        );
        self.session.run_text(&create).await?;
        self.resume().await
    }

    /// Uses the keyspace, which is there.
    ///
    /// # Errors
    /// When it is not.
    pub async fn resume(&self) -> Result<(), Error> {
        let wish = format!("USE {}", self.keyspace);
        self.session.run_text(&wish).await?;
        Ok(())
    }

    /// Drops the keyspace.
    ///
    /// # Errors
    /// When it cannot be dropped.
    pub async fn end(&self) -> Result<(), Error> {
        for suffix in ["", "_two"] {
            let drop = format!("DROP KEYSPACE IF EXISTS {}{suffix}", self.keyspace);
            self.session.run_text(&drop).await?;
        }
        Ok(())
    }

    /// Executes one statement.
    ///
    /// # Errors
    /// When no server answered it, or a page differs from the whole.
    pub async fn step(&self, step: &Step) -> Result<Expectation, Error> {
        if !step.directives.wait.is_zero() {
            self.waiter.wait(step.directives.wait).await?;
        }
        let neutral = |text: &str| text.replace(&self.keyspace, KEYSPACE);
        let whole = match self.execute_when_ready(step, whole_page()).await {
            Ok(answer) => Expectation::of_answer(answer, neutral),
            // What no server said is no answer: a value that does not fit, a deadline.
            Err(error) if error.code().is_none() => {
                let problem = format!("line {}: {error}", step.line);
                return Err(Error::not_applied(error.kind(), problem));
            }
            Err(error) => Expectation::of_error(&error, neutral),
        };
        let whole = masked(whole, &step.directives);
        if matches!(whole.outcome, Outcome::Error { .. }) {
            return Ok(whole);
        }
        for size in &step.directives.pages {
            self.pages(step, *size, &whole).await?;
        }
        Ok(whole)
    }

    /// Reads in pages what was read as a whole.
    async fn pages(&self, step: &Step, size: NonZeroU32, whole: &Expectation) -> Result<(), Error> {
        let read = async |size| -> Result<Expectation, Error> {
            let answer = self.execute_when_ready(step, size).await?;
            let neutral = |text: &str| text.replace(&self.keyspace, KEYSPACE);
            let answer = Expectation::of_answer(answer, neutral);
            Ok(masked(answer, &step.directives))
        };
        let mut paged = read(size).await?;
        let mut expected = whole.outcome.clone();
        // What is left of a time to live gets less from second to second.
        let shows_time = step.statement.to_ascii_lowercase().contains("ttl(");
        for _ in 0..if shows_time { TICKS } else { 0 } {
            if paged.outcome == expected {
                break;
            }
            expected = read(whole_page()).await?.outcome;
            paged = read(size).await?;
        }
        if paged.outcome == expected {
            return Ok(());
        }
        let problem = format!(
            "line {}: pages of {size} differ from the whole: {}",
            step.line,
            paged.lines().join("; ")
        );
        Err(Error::not_applied(ErrorKind::Server, problem))
    }

    /// Executes a statement, and again while its replica fails: a new index of Cassandra's answers
    /// only some time after it was made.
    async fn execute_when_ready(&self, step: &Step, page: NonZeroU32) -> Result<Answer, Error> {
        let mut attempts = 1;
        loop {
            match self.execute(step, page).await {
                Err(error) if error.code() == Some(READ_FAILURE) && attempts < self.attempts => {
                    attempts += 1;
                    self.waiter.wait(PAUSE).await?;
                }
                answer => return answer,
            }
        }
    }

    async fn execute(&self, step: &Step, page: NonZeroU32) -> Result<Answer, Error> {
        let text = step.statement.replace(KEYSPACE, &self.keyspace);
        let options = options(&step.directives, page);
        match &step.directives.form {
            Form::Text => self.text(Statement::new(text).with(options)).await,
            Form::Prepared(values) => {
                let bound = self.bind(&text, values).await?.with(options);
                let mut pages = Pages::new(self.session, &bound, None);
                let mut whole = Whole::default();
                while let Some(answer) = pages.next().await? {
                    whole.add(answer, page)?;
                }
                Ok(whole.answer)
            }
            Form::Batch(kind) => self.batch(&text, *kind, options).await,
        }
    }

    async fn text(&self, statement: Statement) -> Result<Answer, Error> {
        let page = statement.options.page_size.unwrap_or(whole_page());
        let mut whole = Whole::default();
        let mut at = None;
        loop {
            let answer = self.session.run(&statement, at.as_ref()).await?;
            at = answer.next.clone();
            whole.add(answer, page)?;
            if at.is_none() {
                return Ok(whole.answer);
            }
        }
    }

    async fn bind(&self, text: &str, values: &str) -> Result<Bound, Error> {
        let prepared = self.session.prepare(text).await?;
        let problem = |problem| Error::not_applied(ErrorKind::Value, problem);
        let values = terms::bind(values, prepared.variables()).map_err(problem)?;
        Ok(prepared.bind(values)?)
    }

    async fn batch(&self, text: &str, kind: BatchKind, options: Options) -> Result<Answer, Error> {
        let mut batch = Batch::new(kind).with(options);
        for statement in text.split(';').map(str::trim) {
            if !statement.is_empty() {
                batch.push_text(statement);
            }
        }
        self.session.batch(&batch).await
    }
}

/// The pages of an answer, put together again.
#[derive(Default)]
struct Whole {
    answer: Answer,
    pages: usize,
}

impl Whole {
    fn add(&mut self, next: Answer, page: NonZeroU32) -> Result<(), Error> {
        let problem = |problem: String| Error::not_applied(ErrorKind::Server, problem);
        let limit = usize::try_from(page.get()).unwrap_or(usize::MAX);
        self.pages += 1;
        if self.pages == 1 {
            self.answer = next;
            self.answer.next = None;
            return match self.answer.rows() {
                Some(rows) if rows.len() > limit => {
                    Err(problem(format!("a page over {page} rows")))
                }
                _ => Ok(()),
            };
        }
        let more = next.into_rows();
        if more.len() > limit {
            return Err(problem(format!("a page over {page} rows")));
        }
        let stoa_session::Body::Rows(rows) = &mut self.answer.body else {
            return Err(problem("a second page of what is not rows".to_owned()));
        };
        for row in more.iter() {
            rows.push(row.cells().iter().copied())
                .map_err(|error| problem(error.to_string()))?;
        }
        Ok(())
    }
}

fn whole_page() -> NonZeroU32 {
    NonZeroU32::new(WHOLE).unwrap_or(NonZeroU32::MAX)
}

fn options(directives: &Directives, page: NonZeroU32) -> Options {
    Options {
        consistency: directives.consistency,
        serial_consistency: directives.serial,
        timestamp: directives.timestamp.map(WriteTime::from_stored),
        page_size: Some(page),
        ..Options::new()
    }
}

/// The answer with a star for every value that differs from run to run.
fn masked(mut answer: Expectation, directives: &Directives) -> Expectation {
    if let Outcome::Rows { columns, rows } = &mut answer.outcome {
        for (position, column) in columns.iter().enumerate() {
            if !directives.any.iter().any(|name| is_named(column, name)) {
                continue;
            }
            for row in rows.iter_mut() {
                if let Some(cell) = row.get_mut(position) {
                    ANY.clone_into(cell);
                }
            }
        }
    }
    answer
}

/// Whether a column's text, `name type`, is of this name.
pub(super) fn is_named(column: &str, name: &str) -> bool {
    column
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(' '))
}
