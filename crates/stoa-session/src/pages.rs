//! All pages of an answer, fetched as they are wanted.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::answer::{Answer, PagingState};
use crate::error::Error;
use crate::rows::{FromRow, Rows};
use crate::session::{Reply, Session};
use crate::statement::Bound;

/// The pages of one statement's answer. Dropping it between pages costs the back end nothing.
#[derive(Debug)]
pub struct Pages<'a, S: Session + ?Sized> {
    session: &'a S,
    bound: &'a Bound,
    at: Option<PagingState>,
    is_finished: bool,
}

impl<'a, S: Session + ?Sized> Pages<'a, S> {
    /// From the first page on, or from the one that begins `at`.
    pub fn new(session: &'a S, bound: &'a Bound, at: Option<PagingState>) -> Self {
        Self {
            session,
            bound,
            at,
            is_finished: false,
        }
    }

    /// The next page; `None` after the last. After an error the same page may be asked for again.
    ///
    /// # Errors
    /// Why it could not be had.
    pub async fn next(&mut self) -> Result<Option<Answer>, Error> {
        if self.is_finished {
            return Ok(None);
        }
        let answer = self.session.execute(self.bound, self.at.as_ref()).await?;
        self.at.clone_from(&answer.next);
        self.is_finished = answer.next.is_none();
        Ok(Some(answer))
    }
}

/// The rows of all pages as structs or tuples: a `Stream`, and [`RowStream::next`] for who has no
/// use for one. It ends after an error.
pub struct RowStream<'a, T, S: Session + ?Sized> {
    session: &'a S,
    bound: Bound,
    ready: VecDeque<T>,
    state: State<'a>,
}

enum State<'a> {
    /// The page that begins here has not been asked for.
    Before(Option<PagingState>),
    /// It has been asked for.
    Waiting(Reply<'a, Answer>),
    /// There is none.
    Finished,
}

impl<'a, T, S: Session + ?Sized> RowStream<'a, T, S> {
    /// The rows of a statement.
    pub fn new(session: &'a S, bound: Bound) -> Self {
        Self {
            session,
            bound,
            ready: VecDeque::new(),
            state: State::Before(None),
        }
    }

    /// The next row; `None` after the last.
    ///
    /// # Errors
    /// Why it could not be had.
    pub async fn next(&mut self) -> Result<Option<T>, Error>
    where
        T: for<'row> FromRow<'row>,
    {
        std::future::poll_fn(|context| self.poll_row(context))
            .await
            .transpose()
    }

    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error>>>
    where
        T: for<'row> FromRow<'row>,
    {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(row)));
            }
            match &mut self.state {
                State::Finished => return Poll::Ready(None),
                State::Before(at) => {
                    let (session, bound, at) = (self.session, self.bound.clone(), at.take());
                    self.state = State::Waiting(Box::pin(async move {
                        session.execute(&bound, at.as_ref()).await
                    }));
                }
                State::Waiting(reply) => {
                    let answer = std::task::ready!(reply.as_mut().poll(context));
                    if let Err(error) = answer.and_then(|answer| self.take(answer)) {
                        self.state = State::Finished;
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }

    fn take(&mut self, answer: Answer) -> Result<(), Error>
    where
        T: for<'row> FromRow<'row>,
    {
        self.state = match &answer.next {
            Some(next) => State::Before(Some(next.clone())),
            None => State::Finished,
        };
        self.ready.extend(read_all(&answer.into_rows())?);
        Ok(())
    }
}

/// Every row of a page.
pub(crate) fn read_all<T: for<'row> FromRow<'row>>(rows: &Rows) -> Result<Vec<T>, Error> {
    if rows.columns().is_empty() {
        return Ok(Vec::new());
    }
    Ok(rows.typed()?.collect::<Result<_, _>>()?)
}

impl<T: for<'row> FromRow<'row> + Unpin, S: Session + ?Sized> futures_core::Stream
    for RowStream<'_, T, S>
{
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_row(context)
    }
}

impl<T, S: Session + ?Sized> std::fmt::Debug for RowStream<'_, T, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowStream")
            .field("bound", &self.bound)
            .field("ready", &self.ready.len())
            .finish_non_exhaustive()
    }
}
