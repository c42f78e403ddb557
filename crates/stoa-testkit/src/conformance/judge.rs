//! Whether an answer is the recorded one.
//!
//! Compared: that it is rows, or done, or an error; the error's number; warnings; names and types
//! of columns; rows and their order. Not compared: the words of an error.

use super::directive::Directives;
use super::expectation::{Expectation, Outcome};
use super::run::is_named;
use super::script::{Script, Step};

/// What stands around the numbers of a list.
const BETWEEN_NUMBERS: [char; 4] = ['[', ']', ',', ' '];

/// One statement that answered otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the statement, counted from 1.
    pub line: usize,
    /// The statement.
    pub statement: String,
    /// What was recorded.
    pub expected: Vec<String>,
    /// What was answered.
    pub actual: Vec<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "line {}: {}", self.line, self.statement)?;
        for line in &self.expected {
            writeln!(f, "    recorded  {line}")?;
        }
        for line in &self.actual {
            writeln!(f, "    answered  {line}")?;
        }
        Ok(())
    }
}

/// Every statement of a script that answered otherwise than recorded.
#[must_use]
pub fn differences(script: &Script, answers: &[Expectation]) -> Vec<Difference> {
    let judge = |(index, step): (usize, &Step)| {
        let actual = answers.get(index);
        let is_same = match (&step.expected, actual) {
            (Some(expected), Some(actual)) => agree(expected, actual, &step.directives),
            _ => false,
        };
        let lines = |answer: Option<&Expectation>| match answer {
            Some(answer) => answer.lines(),
            None => vec!["(nothing)".to_owned()],
        };
        (!is_same).then(|| Difference {
            line: step.line,
            statement: step.statement.clone(),
            expected: lines(step.expected.as_ref()),
            actual: lines(actual),
        })
    };
    script.steps.iter().enumerate().filter_map(judge).collect()
}

/// Whether two answers to a statement are the same, as far as its directives ask.
#[must_use]
pub fn agree(expected: &Expectation, actual: &Expectation, directives: &Directives) -> bool {
    let is_same = match (&expected.outcome, &actual.outcome) {
        (Outcome::Error { code, .. }, Outcome::Error { code: other, .. }) => code == other,
        (
            Outcome::Rows { columns, rows },
            Outcome::Rows {
                columns: other_columns,
                rows: others,
            },
        ) => columns == other_columns && rows_agree(columns, rows, others, directives),
        (expected, actual) => expected == actual,
    };
    is_same && expected.warnings == actual.warnings
}

type Rows = [Vec<String>];

fn rows_agree(columns: &[String], rows: &Rows, others: &Rows, directives: &Directives) -> bool {
    let tolerance = |column: &String| {
        let said = directives
            .within
            .iter()
            .find(|(name, _)| is_named(column, name));
        said.map(|(_, most)| *most)
    };
    let tolerances: Vec<Option<f64>> = columns.iter().map(tolerance).collect();
    let row_agrees = |(row, other): (&Vec<String>, &Vec<String>)| {
        let cells = row.iter().zip(other).zip(&tolerances);
        row.len() == other.len() && cells.into_iter().all(|((a, b), most)| near(a, b, *most))
    };
    let all_agree = |rows: &Rows, others: &Rows| {
        rows.len() == others.len() && rows.iter().zip(others).all(row_agrees)
    };
    if !directives.is_unordered {
        return all_agree(rows, others);
    }
    let (mut rows, mut others) = (rows.to_vec(), others.to_vec());
    rows.sort();
    others.sort();
    all_agree(&rows, &others)
}

/// Whether two texts are the same, numbers in brackets taken one by one.
fn near(left: &str, right: &str, most: Option<f64>) -> bool {
    if left == right {
        return true;
    }
    let Some(most) = most else { return false };
    let (mut left, mut right) = (left.split(BETWEEN_NUMBERS), right.split(BETWEEN_NUMBERS));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if left == right => {}
            (Some(left), Some(right)) => match (left.parse::<f64>(), right.parse::<f64>()) {
                (Ok(left), Ok(right)) if (left - right).abs() <= most => {}
                _ => return false,
            },
            _ => return false,
        }
    }
}
