//! The options of `COPY`, as cqlsh calls them.
//!
//! Those that make sense here are obeyed. Those that tell cqlsh how to divide its work, which is
//! divided otherwise here, are refused with a word of why, so that nobody believes they count.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};

use super::command::path;
use super::csv::Dialect;
use super::csv_value::Style;

/// Everything that may stand after `WITH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopyOptions {
    pub(super) dialect: Dialect,
    pub(super) style: Style,
    /// Whether there is a line of names.
    pub(super) has_header: bool,
    /// How many rows are copied at most.
    pub(super) most_rows: Option<u64>,
    /// How many rows at a time are read from the table.
    pub(super) page_rows: NonZeroU32,
    /// How many records of the file are passed over, after the line of names.
    pub(super) skip_rows: u64,
    /// Columns of the file that are not copied.
    pub(super) skip_columns: Vec<String>,
    /// Where records go that cannot be copied.
    pub(super) error_file: Option<PathBuf>,
    /// After how many records that are no rows to stop.
    pub(super) most_parse_errors: Option<u64>,
    /// After how many rows that are refused to stop.
    pub(super) most_insert_errors: Option<u64>,
    /// How many rows are written in a second at most.
    pub(super) rate: Option<NonZeroU32>,
    /// How many rows are written at a time.
    pub(super) requests: usize,
    /// How often a row is tried.
    pub(super) attempts: u32,
    /// After how many seconds what is copied ends.
    pub(super) ttl: Option<u32>,
}

impl Default for CopyOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::of_cqlsh(),
            style: Style::of_cqlsh(),
            has_header: false,
            most_rows: None,
            page_rows: NonZeroU32::new(1_000).unwrap_or(NonZeroU32::MIN),
            skip_rows: 0,
            skip_columns: Vec::new(),
            error_file: None,
            most_parse_errors: None,
            most_insert_errors: Some(1_000),
            rate: None,
            requests: 64,
            attempts: 5,
            ttl: None,
        }
    }
}

/// Which way rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    To,
    From,
}

/// The options that are obeyed; `None` are those of both ways.
const OBEYED: [(&str, Option<Way>); 20] = [
    ("BOOLSTYLE", None),
    ("DATETIMEFORMAT", None),
    ("DECIMALSEP", None),
    ("DELIMITER", None),
    ("ERRFILE", Some(Way::From)),
    ("ESCAPE", None),
    ("HEADER", None),
    ("INGESTRATE", Some(Way::From)),
    ("MAXATTEMPTS", Some(Way::From)),
    ("MAXINSERTERRORS", Some(Way::From)),
    ("MAXPARSEERRORS", Some(Way::From)),
    ("MAXREQUESTS", Some(Way::From)),
    ("MAXROWS", None),
    ("NULL", None),
    ("PAGESIZE", Some(Way::To)),
    ("QUOTE", None),
    ("SKIPCOLS", Some(Way::From)),
    ("SKIPROWS", Some(Way::From)),
    ("THOUSANDSSEP", None),
    ("TTL", Some(Way::From)),
];

/// Options of cqlsh that are not obeyed, and why.
const REFUSED: [(&str, &str); 17] = [
    (
        "BEGINTOKEN",
        "everything is copied; select a range of tokens with --format csv",
    ),
    ("CHUNKSIZE", "records are not sent to other processes"),
    ("CONFIGFILE", "there is no file of options; write them here"),
    ("DOUBLEPRECISION", "every digit that counts is written"),
    (
        "ENDTOKEN",
        "everything is copied; select a range of tokens with --format csv",
    ),
    ("ENCODING", "files are UTF-8"),
    ("FLOATPRECISION", "every digit that counts is written"),
    ("MAXBATCHSIZE", "rows are written one by one"),
    ("MAXOUTPUTSIZE", "there is one file; MAXROWS ends it early"),
    ("MINBATCHSIZE", "rows are written one by one"),
    (
        "NUMPROCESSES",
        "there is one process; MAXREQUESTS says how many rows are under way",
    ),
    ("PAGETIMEOUT", "the session's own deadline counts"),
    ("PREPAREDSTATEMENTS", "statements are always prepared"),
    ("RATEFILE", "progress is shown on the terminal only"),
    ("REPORTFREQUENCY", "progress is shown all the time"),
    ("CHILDTIMEOUT", "there is one process"),
    ("REQUESTTIMEOUT", "the session's own deadline counts"),
];

impl CopyOptions {
    /// Sets an option; its name is in upper case.
    ///
    /// # Errors
    /// When there is no such option, it is for the other way, or its value makes no sense.
    pub(super) fn set(&mut self, way: Way, name: &str, value: &str) -> anyhow::Result<()> {
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            bail!("COPY does not obey {name}: {why}; leave it out");
        }
        match OBEYED.iter().find(|(obeyed, _)| *obeyed == name) {
            None => bail!("COPY has no option {name}; HELP COPY lists what there is"),
            Some((_, Some(Way::To))) if way == Way::From => bail!("{name} is for COPY TO"),
            Some((_, Some(Way::From))) if way == Way::To => bail!("{name} is for COPY FROM"),
            Some(_) => {}
        }
        self.set_form(name, value)?;
        self.set_amount(name, value)?;
        self.dialect.check()
    }

    /// How fields are written.
    fn set_form(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "HEADER" => {
                let value = value.to_ascii_lowercase();
                self.has_header = value.parse().context("HEADER is true or false")?;
            }
            "DELIMITER" => self.dialect.delimiter = character(name, value)?,
            "QUOTE" => self.dialect.quote = character(name, value)?,
            "ESCAPE" => self.dialect.escape = character(name, value)?,
            "NULL" => value.clone_into(&mut self.dialect.null),
            "DECIMALSEP" => self.style.decimal = character(name, value)?,
            "THOUSANDSSEP" => {
                self.style.thousands = match value {
                    "" => None,
                    some => Some(character(name, some)?),
                };
            }
            "BOOLSTYLE" => {
                let parts = value.split_once([',', ':']);
                let (yes, no) = parts.context("BOOLSTYLE is two words, such as 'yes,no'")?;
                self.style.booleans = (yes.trim().to_owned(), no.trim().to_owned());
            }
            "DATETIMEFORMAT" => self.style.set_time_format(value)?,
            _ => {}
        }
        if Some(self.style.decimal) == self.style.thousands {
            bail!("DECIMALSEP and THOUSANDSSEP must differ");
        }
        Ok(())
    }

    /// How much is copied, and how fast.
    fn set_amount(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "MAXROWS" => self.most_rows = limit(name, value)?,
            "SKIPROWS" => self.skip_rows = number(name, value)?,
            "SKIPCOLS" => {
                let columns = value.split(',').map(|it| it.trim().to_owned());
                self.skip_columns = columns.filter(|it| !it.is_empty()).collect();
            }
            "PAGESIZE" => self.page_rows = number(name, value)?,
            "TTL" => self.ttl = Some(number(name, value)?),
            "ERRFILE" => self.error_file = Some(path(value)),
            "MAXPARSEERRORS" => self.most_parse_errors = limit(name, value)?,
            "MAXINSERTERRORS" => self.most_insert_errors = limit(name, value)?,
            "INGESTRATE" => self.rate = Some(number(name, value)?),
            "MAXREQUESTS" => self.requests = number::<NonZeroUsize>(name, value)?.get(),
            "MAXATTEMPTS" => self.attempts = number::<NonZeroU32>(name, value)?.get(),
            _ => {}
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> anyhow::Result<T> {
    let number = value.parse().ok();
    number.with_context(|| format!("{name} is a number, not '{value}'"))
}

/// A number, or -1 for no limit.
fn limit(name: &str, value: &str) -> anyhow::Result<Option<u64>> {
    match value {
        "-1" => Ok(None),
        value => number(name, value).map(Some),
    }
}

fn character(name: &str, value: &str) -> anyhow::Result<char> {
    if value == "\\t" {
        return Ok('\t');
    }
    let mut characters = value.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) if !matches!(one, '\n' | '\r') => Ok(one),
        _ => Err(anyhow!("{name} is one character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::shell::help;

    #[test]
    fn help_lists_every_option() {
        let text = help::topic("COPY").unwrap();
        let obeyed = OBEYED.iter().map(|(name, _)| *name);
        let refused = REFUSED.iter().map(|(name, _)| *name);
        for name in obeyed.chain(refused) {
            assert!(text.contains(name), "{name}");
        }
    }

    #[test]
    fn options_of_cqlsh_are_obeyed_or_refused_with_a_reason() {
        let mut options = CopyOptions::default();
        for (name, value, way) in [
            ("PAGESIZE", "10", Way::To),
            ("SKIPCOLS", "a, b", Way::From),
            ("MAXROWS", "-1", Way::From),
            ("ESCAPE", "\"", Way::From),
            ("BOOLSTYLE", "yes,no", Way::To),
            ("TTL", "60", Way::From),
        ] {
            options.set(way, name, value).unwrap();
        }
        assert_eq!(options.skip_columns, ["a", "b"]);
        assert_eq!((options.most_rows, options.ttl), (None, Some(60)));
        for (name, value, way, part) in [
            ("PAGESIZE", "10", Way::From, "for COPY TO"),
            ("SKIPROWS", "1", Way::To, "for COPY FROM"),
            ("NUMPROCESSES", "4", Way::To, "does not obey NUMPROCESSES"),
            ("COLOUR", "red", Way::To, "no option COLOUR"),
            ("PAGESIZE", "0", Way::To, "is a number"),
            ("QUOTE", ",", Way::To, "must differ"),
            ("DECIMALSEP", "ab", Way::To, "one character"),
            ("BOOLSTYLE", "yes", Way::To, "two words"),
            ("DATETIMEFORMAT", "%Q", Way::To, "DATETIMEFORMAT"),
        ] {
            let problem = CopyOptions::default().set(way, name, value).unwrap_err();
            assert!(problem.to_string().contains(part), "{problem}");
        }
        let mut options = CopyOptions::default();
        options.set(Way::To, "THOUSANDSSEP", ",").unwrap();
        assert!(options.set(Way::To, "DECIMALSEP", ",").is_err());
    }
}
