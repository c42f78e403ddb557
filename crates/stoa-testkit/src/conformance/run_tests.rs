//! The runner on a session that answers from a list.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use stoa_session::{
    Answer, Batch, Bound, Error, ErrorKind, PagingState, Prepared, Reply, Session, Statement,
};

use super::{Runner, Script, Waiter};

/// Answers `SELECT` from a list, and everything else with "done".
#[derive(Debug)]
struct Listed(Mutex<VecDeque<Result<Answer, Error>>>);

impl Session for Listed {
    fn prepare<'a>(&'a self, _: &'a str) -> Reply<'a, Prepared> {
        Box::pin(async { Err(Error::not_applied(ErrorKind::Invalid, "not here")) })
    }

    fn execute<'a>(&'a self, _: &'a Bound, _: Option<&'a PagingState>) -> Reply<'a, Answer> {
        Box::pin(async { Ok(Answer::default()) })
    }

    fn batch<'a>(&'a self, _: &'a Batch) -> Reply<'a, Answer> {
        Box::pin(async { Ok(Answer::default()) })
    }

    fn run<'a>(&'a self, wish: &'a Statement, _: Option<&'a PagingState>) -> Reply<'a, Answer> {
        let next = match wish.text.starts_with("SELECT") {
            true => self.0.lock().unwrap().pop_front().unwrap(),
            false => Ok(Answer::default()),
        };
        Box::pin(async { next })
    }
}

struct NoTime;

impl Waiter for NoTime {
    fn wait(&self, _: Duration) -> Reply<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// What a script with one SELECT records, or why it cannot.
fn recorded(answers: Vec<Result<Answer, Error>>) -> Result<String, String> {
    let session = Listed(Mutex::new(answers.into()));
    let script = Script::parse("# t\n\n> SELECT 1\n").unwrap();
    let runner = Runner::new(&session, &NoTime, "k");
    let mut run = pin!(runner.run(&script));
    let mut context = Context::from_waker(Waker::noop());
    match run.as_mut().poll(&mut context) {
        Poll::Ready(Ok(answers)) => Ok(answers[0].lines().join("\n")),
        Poll::Ready(Err(error)) => Err(error.to_string()),
        Poll::Pending => Err("nothing here waits".to_owned()),
    }
}

fn refused(code: u16) -> Result<Answer, Error> {
    Err(Error::not_applied(ErrorKind::Failure, "no").with_code(code))
}

#[test]
fn a_read_that_fails_on_its_replica_is_tried_again() {
    let answers = vec![refused(0x1300), refused(0x1300), Ok(Answer::default())];
    assert_eq!(recorded(answers), Ok("= done".to_owned()));
    let always = (0..20).map(|_| refused(0x1300)).collect();
    assert_eq!(recorded(always), Ok("! 0x1300 no".to_owned()));
}

#[test]
fn an_error_of_the_server_is_an_answer() {
    assert_eq!(
        recorded(vec![refused(0x2200)]),
        Ok("! 0x2200 no".to_owned())
    );
}

#[test]
fn a_failure_of_the_client_is_no_answer() {
    let late = Error::not_applied(ErrorKind::Deadline, "no answer in time");
    assert_eq!(
        recorded(vec![Err(late)]),
        Err("line 3: no answer in time".to_owned())
    );
}
