//! One thing that is wrong: where, what, and what to do about it.

use std::fmt;

/// Shown as `path:line: problem [rule]` with the remedy below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) problem: String,
    pub(crate) remedy: String,
}

impl Finding {
    /// A finding of a rule.
    pub(crate) fn new(
        rule: &'static str,
        path: &str,
        line: usize,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            path: path.to_owned(),
            line,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            path,
            line,
            problem,
            remedy,
        } = self;
        write!(f, "{path}:{line}: {problem} [{rule}]\n    {remedy}")
    }
}
