//! Opens a folder after a misfortune and says what became of the promises.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use stoa_store::{CommitMode, Store, StoreError};
use stoa_testkit::powercut::Expectations;

use super::content::{open, probe, scan, start_clock};
use super::plan::Plan;
use super::tally::Verdict;

/// Between which changes the head must lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) at_least: u64,
    pub(crate) at_most: u64,
}

impl Bounds {
    /// What was announced before a cut: acknowledged or read must be there, and nothing that was
    /// not begun.
    pub(crate) fn of(expectations: &Expectations) -> Self {
        let certain = |word: &str| expectations.certain_numbers(word).last().copied();
        let begun = expectations.possible_numbers("begin").last().copied();
        Self {
            at_least: certain("ack").max(certain("read")).unwrap_or(0),
            at_most: begun.unwrap_or(0),
        }
    }

    /// Exactly this change.
    pub(crate) fn exactly(number: u64) -> Self {
        Self {
            at_least: number,
            at_most: number,
        }
    }
}

/// Opens a folder, compares all of it with the plan, and writes to it.
pub(crate) fn check_folder(folder: &Path, plan: &Plan, bounds: Bounds) -> Verdict {
    guarded(|| {
        let store = match open(folder, CommitMode::Group, &start_clock()) {
            Ok(store) => store,
            Err(error) => return refusal(&error),
        };
        let verdict = check_store(&store, plan, bounds);
        if !matches!(verdict, Verdict::Right(_)) {
            return verdict;
        }
        match probe(&store) {
            Ok(()) => verdict,
            Err(error) => refusal(&error),
        }
    })
}

/// Compares all of an open store with the plan.
pub(crate) fn check_store(store: &Store, plan: &Plan, bounds: Bounds) -> Verdict {
    let found = match store.view().and_then(|view| scan(&view)) {
        Ok(found) => found,
        Err(error) => return refusal(&error),
    };
    let head = found.head;
    if head < bounds.at_least {
        let what = format!("holds {head} changes, {} were promised", bounds.at_least);
        return Verdict::Lost(what);
    }
    if head > bounds.at_most {
        let what = format!("holds {head} changes, {} were begun", bounds.at_most);
        return Verdict::Silent(what);
    }
    let right = plan.state(head).expect("a change of the plan");
    match right.difference(&found) {
        None => Verdict::Right(head),
        Some(difference) => Verdict::Silent(format!("after change {head}: {difference}")),
    }
}

/// An error is fine where damage may be refused, if it says what is wrong.
fn refusal(error: &StoreError) -> Verdict {
    let text = error.to_string();
    match error {
        StoreError::Damaged { place, what } if place.is_empty() || what.is_empty() => {
            Verdict::Silent(format!("an error without a name: {text}"))
        }
        StoreError::Damaged { .. } | StoreError::Format { .. } | StoreError::Io { .. } => {
            Verdict::Named(text)
        }
        _ => Verdict::Silent(format!("an error that does not fit: {error:?}")),
    }
}

/// After a power cut or a kill nothing may be refused.
pub(crate) fn must_open(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Named(what) => Verdict::Lost(format!("refused: {what}")),
        other => other,
    }
}

/// Turns a panic into a verdict.
pub(crate) fn guarded(act: impl FnOnce() -> Verdict) -> Verdict {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
        Verdict::Dead(format!("panic: {}", text.unwrap_or_default()))
    })
}
