//! One difference: where it was found, how it looks, the least script that shows it.

use stoa_testkit::conformance::expectation::Outcome;
use stoa_testkit::conformance::{Expectation, Script, Step};
use stoa_testkit::oracle::Given;
use stoa_testkit::random::Family;

/// A difference.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) seed: u64,
    /// Like differences have like marks.
    pub(crate) mark: String,
    pub(crate) statement: String,
    pub(crate) theirs: Vec<String>,
    pub(crate) ours: Vec<String>,
    /// A script with Cassandra's answers, if it was made small.
    pub(crate) script: Option<String>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seed {}: {}\n  {}", self.seed, self.mark, self.statement)?;
        for line in self.theirs.iter().take(MOST_LINES) {
            writeln!(f, "    cassandra  {line}")?;
        }
        for line in self.ours.iter().take(MOST_LINES) {
            writeln!(f, "    stoa       {line}")?;
        }
        if let Some(script) = &self.script {
            for line in script.lines() {
                writeln!(f, "  | {line}")?;
            }
        }
        Ok(())
    }
}

/// So many lines of an answer are shown.
const MOST_LINES: usize = 12;

/// Like differences have like marks: the family, and the classes and words of both answers.
pub(crate) fn mark(family: Family, theirs: &Given, ours: &Given) -> String {
    let how = match (theirs, ours) {
        (Given::Answer(theirs), Given::Answer(ours)) => contrast(theirs, ours),
        _ => None,
    };
    match how {
        Some(how) => format!("{family:?}: {how}"),
        None => format!("{family:?}: {} / {}", class(theirs), class(ours)),
    }
}

/// What of two answers differs, where both are rows or both are done.
fn contrast(theirs: &Expectation, ours: &Expectation) -> Option<String> {
    if let (Outcome::Done, Outcome::Done) = (&theirs.outcome, &ours.outcome) {
        return Some("warnings".to_owned());
    }
    let Outcome::Rows { columns, rows } = &theirs.outcome else {
        return None;
    };
    let Outcome::Rows {
        columns: our_columns,
        rows: our_rows,
    } = &ours.outcome
    else {
        return None;
    };
    if columns != our_columns {
        return Some("columns".to_owned());
    }
    if rows == our_rows {
        return Some("warnings".to_owned());
    }
    if rows.len() != our_rows.len() {
        let how = if rows.len() < our_rows.len() {
            "more"
        } else {
            "fewer"
        };
        return Some(format!("{how} rows than there should be"));
    }
    let mut sorted = (rows.clone(), our_rows.clone());
    sorted.0.sort();
    sorted.1.sort();
    if sorted.0 == sorted.1 {
        return Some("order of rows".to_owned());
    }
    let rows = rows.iter().zip(our_rows);
    let mut cells = rows.flat_map(|(row, our)| row.iter().zip(our).zip(columns));
    let differing = cells.find(|((cell, our), _)| cell != our);
    let data_type = differing.and_then(|(_, column)| column.split_once(' '));
    let data_type = data_type.map_or("", |(_, data_type)| data_type);
    Some(format!("values of {data_type}"))
}

fn class(given: &Given) -> String {
    match given {
        Given::Answer(answer) => {
            let first = answer.lines().into_iter().next().unwrap_or_default();
            match given.code() {
                Some(_) => words(&first),
                None => first.split(' ').take(2).collect::<Vec<_>>().join(" "),
            }
        }
        Given::Problem(text) if text.contains("differ from the whole") => "? pages".to_owned(),
        Given::Problem(text) => words(&format!("? {text}")),
        Given::Nothing(_) => "?? nothing".to_owned(),
    }
}

/// The first words, without names and numbers.
fn words(line: &str) -> String {
    let is_word = |word: &&str| {
        let plain = |c: char| c.is_ascii_alphabetic() || ",.:'()".contains(c);
        word.starts_with("0x") || (word.chars().all(plain) && word.len() > 2)
    };
    line.split(' ')
        .filter(is_word)
        .take(9)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A script of these steps with these answers.
pub(crate) fn script_of(seed: u64, steps: Vec<Step>, given: &[Given]) -> String {
    let answers: Vec<_> = given
        .iter()
        .filter_map(|it| match it {
            Given::Answer(answer) => Some(answer.clone()),
            Given::Problem(_) | Given::Nothing(_) => None,
        })
        .collect();
    let empty = Script {
        header: Vec::new(),
        steps: Vec::new(),
    };
    let script = empty.with_steps(&format!("Found by seed {seed}."), steps);
    script.with_answers(&answers)
}
