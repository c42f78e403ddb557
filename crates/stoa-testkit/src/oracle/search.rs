//! The smallest script that still shows a difference: steps are left out in chunks, half of them
//! first, then fewer (delta debugging).
//!
//! It asks and is told, so that whoever runs the scripts may be async.

use crate::conformance::Step;

/// A search for fewer steps. The last step is the one that differs, and stays.
#[derive(Debug, Clone)]
pub struct Search {
    best: Vec<Step>,
    last: Step,
    /// How many steps are left out at once, and where.
    chunk: usize,
    start: usize,
    tries_left: usize,
    shrunk: bool,
}

impl Search {
    /// Begins with the steps before the one that differs.
    #[must_use]
    pub fn new(before: Vec<Step>, last: Step, most_tries: usize) -> Self {
        Self {
            chunk: before.len().div_ceil(2),
            best: before,
            last,
            start: 0,
            tries_left: most_tries,
            shrunk: false,
        }
    }

    /// The steps to try next; `None` when the search is over.
    pub fn next_try(&mut self) -> Option<Vec<Step>> {
        if self.start >= self.best.len() {
            self.start = 0;
            match (self.chunk, self.shrunk) {
                (0 | 1, false) => self.chunk = 0,
                (0 | 1, true) => self.chunk = 1,
                _ => self.chunk /= 2,
            }
            self.shrunk = false;
        }
        if self.chunk == 0 || self.tries_left == 0 || self.best.is_empty() {
            return None;
        }
        self.tries_left -= 1;
        let mut steps = self.without_chunk();
        steps.push(self.last.clone());
        Some(steps)
    }

    /// Tells whether the steps tried still show the difference.
    pub fn tell(&mut self, differs: bool) {
        match differs {
            true => {
                self.best = self.without_chunk();
                self.shrunk = true;
            }
            false => self.start += self.chunk,
        }
    }

    /// The fewest steps found.
    #[must_use]
    pub fn into_best(mut self) -> Vec<Step> {
        self.best.push(self.last);
        self.best
    }

    fn without_chunk(&self) -> Vec<Step> {
        let end = self.start.saturating_add(self.chunk);
        let kept = self.best.iter().enumerate();
        let kept = kept.filter(|(index, _)| *index < self.start || *index >= end);
        kept.map(|(_, step)| step.clone()).collect()
    }
}
