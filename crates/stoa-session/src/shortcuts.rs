//! What programs call: a statement and its values in, typed rows out. Every session has it.

use crate::answer::Answer;
use crate::bind::ToValues;
use crate::error::{Error, ErrorKind};
use crate::options::Options;
use crate::pages::{Pages, RowStream, read_all};
use crate::rows::{FromRow, Rows};
use crate::session::Session;
use crate::statement::{Bound, Statement};

/// What a conditional write answers.
#[derive(Debug, Clone)]
pub enum Applied {
    /// The condition held, and the write happened.
    Yes,
    /// The condition did not hold. The rows are those it was tested against, as far as the back
    /// end tells; their first column is `[applied]`.
    No(Rows),
}

impl Applied {
    /// Whether the write happened.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// Calls that are short to write, on every [`Session`].
pub trait Shortcuts: Session {
    /// Executes a statement with values and answers its first page. The text is prepared once.
    fn query(
        &self,
        text: &str,
        values: impl ToValues + Send,
    ) -> impl Future<Output = Result<Answer, Error>> + Send {
        self.query_with(text, values, Options::new())
    }

    /// As [`query`](Shortcuts::query), with options.
    fn query_with(
        &self,
        text: &str,
        values: impl ToValues + Send,
        options: Options,
    ) -> impl Future<Output = Result<Answer, Error>> + Send {
        async move {
            let bound = self.prepare(text).await?.bind(values)?.with(options);
            self.execute(&bound, None).await
        }
    }

    /// Executes a statement that has no variables and is not worth preparing, such as a change of
    /// the schema.
    fn run_text(&self, text: &str) -> impl Future<Output = Result<Answer, Error>> + Send {
        async move { self.run(&Statement::new(text), None).await }
    }

    /// The first row of an answer, or `None`.
    fn first<T: for<'row> FromRow<'row> + Send>(
        &self,
        bound: &Bound,
    ) -> impl Future<Output = Result<Option<T>, Error>> + Send {
        async move {
            let mut pages = Pages::new(self, bound, None);
            // A page may be empty although more follow.
            while let Some(answer) = pages.next().await? {
                let rows = answer.into_rows();
                if !rows.is_empty() {
                    return Ok(rows.typed()?.next().transpose()?);
                }
            }
            Ok(None)
        }
    }

    /// Every row of an answer. Use [`stream`](Shortcuts::stream) where there may be many.
    fn all<T: for<'row> FromRow<'row> + Send>(
        &self,
        bound: &Bound,
    ) -> impl Future<Output = Result<Vec<T>, Error>> + Send {
        async move {
            let mut pages = Pages::new(self, bound, None);
            let mut all = Vec::new();
            while let Some(answer) = pages.next().await? {
                all.extend(read_all::<T>(&answer.into_rows())?);
            }
            Ok(all)
        }
    }

    /// The rows of an answer as they come, page after page.
    fn stream<T: for<'row> FromRow<'row>>(&self, bound: Bound) -> RowStream<'_, T, Self> {
        RowStream::new(self, bound)
    }

    /// Executes a conditional write.
    fn apply(&self, bound: &Bound) -> impl Future<Output = Result<Applied, Error>> + Send {
        async move { applied(self.execute(bound, None).await?) }
    }
}

impl<S: Session + ?Sized> Shortcuts for S {}

/// Reads the `[applied]` of an answer.
///
/// # Errors
/// When it has none: the statement was not conditional, and has been executed.
pub fn applied(answer: Answer) -> Result<Applied, Error> {
    let rows = answer.into_rows();
    let is_applied = rows.first().map(|row| row.get::<bool>("[applied]"));
    match is_applied {
        Some(Ok(true)) => Ok(Applied::Yes),
        Some(Ok(false)) => Ok(Applied::No(rows)),
        Some(Err(_)) | None => Err(Error::unknown(
            ErrorKind::Value,
            "the answer has no column [applied]; is the statement conditional?",
        )),
    }
}
