//! Failures of the parts of a task: one that cannot be done keeps no other from being done, and the
//! run tells of the first of them.
//!
//! Where part after part fails for a while only, the store is gone rather than a part broken: then
//! the run ends, or it would wait for a deadline with each of thousands of parts.

use stoa_session::{Error, Outcome};

use crate::model::NotDone;

/// So many parts may fail in a row, each of which may succeed a little later.
const MOST_IN_A_ROW: u32 = 32;

/// What failed of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    parts: u64,
    failed: u64,
    in_a_row: u32,
    first: Option<Error>,
}

impl Failures {
    /// Takes what became of a part; what it gave, if it was done.
    ///
    /// # Errors
    /// What [`end`](Self::end) says, where going on makes no sense.
    pub(crate) fn part<T>(&mut self, done: Result<T, Error>) -> Result<Option<T>, Error> {
        self.parts += 1;
        let error = match done {
            Ok(done) => {
                self.in_a_row = 0;
                return Ok(Some(done));
            }
            Err(error) => error,
        };
        self.failed += 1;
        self.in_a_row = match error.kind().is_transient() {
            true => self.in_a_row + 1,
            false => 0,
        };
        self.first.get_or_insert(error);
        match self.in_a_row < MOST_IN_A_ROW {
            true => Ok(None),
            false => std::mem::take(self).end().map(|()| None),
        }
    }

    /// The same of a part that asks for nothing that could be refused: if it is, something is wrong
    /// with it.
    pub(crate) fn unrefused<T>(&mut self, done: Result<T, NotDone>) -> Result<Option<T>, Error> {
        self.part(done.map_err(|not_done| match not_done {
            NotDone::Unknown(error) => error,
            NotDone::Refused(refused) => {
                Error::not_applied(stoa_session::ErrorKind::Invalid, refused.to_string())
            }
        }))
    }

    /// The end of the run.
    ///
    /// # Errors
    /// The first failure, and of how many parts it was.
    pub(crate) fn end(self) -> Result<(), Error> {
        let Some(first) = self.first else {
            return Ok(());
        };
        if self.failed == 1 && self.parts == 1 {
            return Err(first);
        }
        let (failed, parts) = (self.failed, self.parts);
        let what = format!(
            "{failed} of {parts} were not done; the first: {}",
            first.message()
        );
        Err(match first.outcome() {
            Outcome::NotApplied => Error::not_applied(first.kind(), what),
            Outcome::Unknown => Error::unknown(first.kind(), what),
        })
    }
}

#[cfg(test)]
mod tests {
    use stoa_session::ErrorKind;

    use super::*;

    fn failure(kind: ErrorKind) -> Result<(), Error> {
        Err(Error::unknown(kind, "the reason"))
    }

    #[test]
    fn a_part_that_fails_keeps_no_other_from_being_done_and_is_told_at_the_end() {
        let mut failures = Failures::default();
        for _ in 0..100 {
            assert_eq!(failures.part(failure(ErrorKind::Storage)).unwrap(), None);
        }
        assert_eq!(failures.part(Ok(7)).unwrap(), Some(7));
        let error = failures.end().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        assert_eq!(error.outcome(), Outcome::Unknown);
        let expected = "100 of 101 were not done; the first: the reason";
        assert_eq!(error.message(), expected);
        assert!(Failures::default().end().is_ok());
    }

    #[test]
    fn a_run_ends_where_the_store_is_gone() {
        let mut failures = Failures::default();
        for _ in 0..10 {
            for _ in 1..MOST_IN_A_ROW {
                failures.part(failure(ErrorKind::Timeout)).unwrap();
            }
            failures.part(Ok(())).unwrap();
        }
        for _ in 1..MOST_IN_A_ROW {
            failures.part(failure(ErrorKind::Timeout)).unwrap();
        }
        let over = failures.part(failure(ErrorKind::Timeout)).unwrap_err();
        assert_eq!(over.kind(), ErrorKind::Timeout);
    }
}
