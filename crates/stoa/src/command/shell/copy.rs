//! `COPY`: a table to a CSV file, or a CSV file to a table.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use stoa_types::text::identifier;

use super::command::path;
use super::copy_options::{CopyOptions, Way};
use super::words::Word;

/// A `COPY` command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copy {
    /// The table as CQL text, with its keyspace if one was given.
    pub(super) table: String,
    /// The columns as CQL text; all of them if empty.
    pub(super) columns: Vec<String>,
    pub(super) direction: Direction,
    pub(super) options: CopyOptions,
}

/// From where to where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Direction {
    ToFile(PathBuf),
    ToStdout,
    FromFile(PathBuf),
}

/// Reads what follows the word `COPY`.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(words: &[Word]) -> anyhow::Result<Copy> {
    let mut words = Words(words);
    let mut table = words.name().context("COPY needs a table")?;
    if words.take_sign('.') {
        table = format!("{table}.{}", words.name().context("COPY needs a table")?);
    }
    let mut columns = Vec::new();
    if words.take_sign('(') {
        loop {
            columns.push(words.name().context("COPY needs names of columns")?);
            if !words.take_sign(',') {
                break;
            }
        }
        if !words.take_sign(')') {
            bail!("the list of columns is not closed");
        }
    }
    let direction = match (words.next(), words.next()) {
        (Some(to), Some(Word::Text(file))) if to.is("to") => Direction::ToFile(path(file)),
        (Some(to), Some(out)) if to.is("to") && out.is("stdout") => Direction::ToStdout,
        (Some(from), Some(Word::Text(file))) if from.is("from") => Direction::FromFile(path(file)),
        _ => bail!("COPY needs TO 'file', TO STDOUT or FROM 'file'"),
    };
    let mut copy = Copy {
        table,
        columns,
        direction,
        options: CopyOptions::default(),
    };
    if let Some(with) = words.next() {
        if !with.is("with") {
            bail!("after the file there may be WITH and options, nothing else");
        }
        options(&mut copy, &mut words)?;
    }
    Ok(copy)
}

/// Reads `NAME = value AND NAME = value`.
fn options(copy: &mut Copy, words: &mut Words<'_>) -> anyhow::Result<()> {
    let way = match copy.direction {
        Direction::ToFile(_) | Direction::ToStdout => Way::To,
        Direction::FromFile(_) => Way::From,
    };
    loop {
        let name = match words.next() {
            Some(Word::Bare(name)) => name.to_ascii_uppercase(),
            _ => bail!("WITH needs options, such as HEADER = true"),
        };
        if !words.take_sign('=') {
            bail!("{name} needs = and a value");
        }
        let sign = if words.take_sign('-') { "-" } else { "" };
        let value = match words.next() {
            Some(Word::Bare(value) | Word::Text(value)) => format!("{sign}{value}"),
            _ => bail!("{name} needs a value, such as 'x'"),
        };
        copy.options.set(way, &name, &value)?;
        match words.next() {
            None => return Ok(()),
            Some(word) if word.is("and") => {}
            Some(_) => bail!("options are joined by AND"),
        }
    }
}

/// The words that are left.
struct Words<'w>(&'w [Word]);

impl<'w> Words<'w> {
    fn next(&mut self) -> Option<&'w Word> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn take_sign(&mut self, sign: char) -> bool {
        match self.0.split_first() {
            Some((Word::Sign(first), rest)) if *first == sign => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// A name, as CQL text.
    fn name(&mut self) -> Option<String> {
        match self.next()? {
            Word::Bare(name) => Some(name.to_ascii_lowercase()),
            Word::Name(name) => Some(identifier::quoted(name)),
            Word::Text(_) | Word::Sign(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn read(text: &str) -> anyhow::Result<Copy> {
        parse(&words(text).unwrap())
    }

    #[test]
    fn a_copy_is_read() {
        let copy = read("ks.\"T\" (a, \"B\") TO 'x.csv' WITH HEADER = TRUE AND delimiter='|'");
        let copy = copy.unwrap();
        assert_eq!(copy.table, "ks.\"T\"");
        assert_eq!(copy.columns, ["a", "\"B\""]);
        assert_eq!(copy.direction, Direction::ToFile(PathBuf::from("x.csv")));
        assert!(copy.options.has_header);
        assert_eq!(copy.options.dialect.delimiter, '|');
        let copy = read("t FROM 'x' WITH MAXROWS = -1 AND SKIPROWS = 2").unwrap();
        assert_eq!((copy.options.most_rows, copy.options.skip_rows), (None, 2));
        assert_eq!(read("t TO STDOUT").unwrap().direction, Direction::ToStdout);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "table"),
            ("t", "TO 'file'"),
            ("t TO 'x' WITH", "options"),
            ("t TO 'x' WITH COLOUR = red", "no option COLOUR"),
            ("t TO 'x' WITH DELIMITER = 'ab'", "one character"),
            ("t TO 'x' WITH QUOTE = ','", "must differ"),
            ("t (a TO 'x'", "not closed"),
            ("t TO 'x' HEADER", "WITH"),
        ] {
            let problem = format!("{:#}", read(text).unwrap_err());
            assert!(problem.contains(part), "{problem}");
        }
    }
}
