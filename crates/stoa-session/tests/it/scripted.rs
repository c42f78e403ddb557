//! A session whose answers are given in advance, and a way to wait for futures without a runtime.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use stoa_session::statement::PreparedParts;
use stoa_session::{
    Answer, Batch, Bound, Column, Error, ErrorKind, PagingState, Prepared, Reply, Rows, Session,
    Statement,
};

/// Answers in advance; the paging states it was asked for are kept.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) variables: Vec<Column>,
    pub(crate) answers: Mutex<VecDeque<Result<Answer, Error>>>,
    pub(crate) asked: Mutex<Vec<Option<PagingState>>>,
}

impl Scripted {
    pub(crate) fn answering(answers: Vec<Result<Answer, Error>>) -> Self {
        Self {
            answers: Mutex::new(answers.into()),
            ..Self::default()
        }
    }

    fn next(&self, at: Option<&PagingState>) -> Result<Answer, Error> {
        self.asked.lock().unwrap().push(at.cloned());
        let next = self.answers.lock().unwrap().pop_front();
        next.unwrap_or_else(|| Err(Error::not_applied(ErrorKind::Closed, "no answer is left")))
    }
}

impl Session for Scripted {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        let prepared = Prepared::new(PreparedParts {
            text: text.to_owned(),
            variables: self.variables.clone(),
            partition_key: Vec::new(),
            columns: Vec::new(),
            handle: Box::new(()),
        });
        Box::pin(async { Ok(prepared) })
    }

    fn execute<'a>(&'a self, _: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(async move { self.next(at) })
    }

    fn batch<'a>(&'a self, _: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(async { self.next(None) })
    }

    fn run<'a>(&'a self, _: &'a Statement, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(async move { self.next(at) })
    }
}

/// A page of one int column.
pub(crate) fn page(numbers: &[i32], next: Option<&[u8]>) -> Result<Answer, Error> {
    let column = Column::new("n", stoa_session::DataType::Int);
    let mut rows = Rows::with_columns([column].into());
    for number in numbers {
        rows.push([Some(&number.to_be_bytes()[..])]).unwrap();
    }
    Ok(Answer {
        next: next.map(PagingState::from_bytes),
        ..Answer::of_rows(rows)
    })
}

/// Polls a future that is always ready to go on.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
