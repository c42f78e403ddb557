//! Reads a dump piece by piece: its statements with their lines, its checks on the way.
//!
//! Invariants:
//! 1. A dump whose end was reached has exactly the bytes that were written: checks are compared
//!    where they stand, and nothing may be missing before the last line, nor follow it.
//! 2. No more of the text is in memory than [`FIRST_BYTES`], or twice the longest statement.

use std::collections::VecDeque;
use std::io::Read;

use anyhow::{anyhow, bail};
use xxhash_rust::xxh3::Xxh3;

use crate::command::dump::format::{HEADER, Mark, Totals, VERSION, checked_part};

/// How many bytes are read at a time.
const FIRST_BYTES: usize = 1 << 18;
/// How long a statement may be; no back end takes one as long.
const MOST_BYTES: usize = 1 << 28;

/// A statement of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Without a semicolon.
    pub(super) text: String,
    /// The line it begins in, counted from 1.
    pub(super) line: u64,
    /// The second from which its TTL counts.
    pub(super) ttl_base: Option<i64>,
}

/// Whether a dump must be as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It must.
    Checked,
    /// Somebody may have edited it.
    Unchecked,
}

/// Reads a dump.
pub(super) struct Reader<R> {
    input: R,
    /// What the dump is called in errors.
    name: String,
    trust: Trust,
    /// What was read and is not yet used.
    pending: Vec<u8>,
    is_at_end: bool,
    ready: VecDeque<Item>,
    place: Place,
    ttl_base: Option<i64>,
    statements: u64,
    totals: Option<Totals>,
}

/// How far a dump has been looked at.
struct Place {
    hash: Xxh3,
    line: u64,
    /// The last line where a check was right.
    checked_line: u64,
    has_header: bool,
}

impl Place {
    /// Goes over a text.
    fn pass(&mut self, text: &str) {
        self.hash.update(text.as_bytes());
        let ends = text.bytes().filter(|byte| *byte == b'\n').count();
        self.line += u64::try_from(ends).unwrap_or(u64::MAX);
    }
}

impl<R: Read> Reader<R> {
    pub(super) fn new(name: &str, input: R, trust: Trust) -> Self {
        Self {
            input,
            name: name.to_owned(),
            trust,
            pending: Vec::new(),
            is_at_end: false,
            ready: VecDeque::new(),
            place: Place {
                hash: Xxh3::new(),
                line: 1,
                checked_line: 1,
                has_header: false,
            },
            ttl_base: None,
            statements: 0,
            totals: None,
        }
    }

    /// The next statement; `None` after the last, when all is whole.
    ///
    /// # Errors
    /// When the dump cannot be read, or is not as it was written.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Item>> {
        while self.ready.is_empty() && !self.is_at_end {
            self.fill()?;
        }
        let item = self.ready.pop_front();
        if item.is_none() && self.totals.is_none() && self.trust == Trust::Checked {
            let line = self.place.line;
            return Err(self.wrong(
                line,
                "the file ends here, but a dump ends with a line `-- end of dump`: it was cut \
                 short; make it again, or copy it again",
            ));
        }
        Ok(item)
    }

    /// What the last line says, once it was read.
    pub(super) fn totals(&self) -> Option<&Totals> {
        self.totals.as_ref()
    }

    fn wrong(&self, line: u64, problem: &str) -> anyhow::Error {
        anyhow!("{}:{line}: {problem}", self.name)
    }

    /// Reads until there is a statement, or the end.
    fn fill(&mut self) -> anyhow::Result<()> {
        let mut wanted = FIRST_BYTES;
        loop {
            self.read(wanted)?;
            let cut = match self.is_at_end {
                true => self.pending.len(),
                // A comment must not be cut.
                false => self
                    .pending
                    .iter()
                    .rposition(|byte| *byte == b'\n')
                    .map_or(0, |at| at + 1),
            };
            let whole = self.pending.get(..cut).unwrap_or_default();
            let text = match std::str::from_utf8(whole) {
                Ok(text) => text.to_owned(),
                Err(problem) => return Err(self.not_text(whole, problem.valid_up_to())),
            };
            let split = stoa_cql::split(&text);
            let is_stuck = split.statements.is_empty() && split.unfinished.is_some();
            if (cut == 0 || is_stuck) && !self.is_at_end {
                if wanted >= MOST_BYTES {
                    let line = self.place.line;
                    return Err(self.wrong(line, "a statement does not end; is a quote open?"));
                }
                wanted = wanted.saturating_mul(2);
                continue;
            }
            let used = self.take(&text, &split)?;
            self.pending.drain(..used);
            return Ok(());
        }
    }

    /// Reads on until so many bytes are there, or the end.
    fn read(&mut self, wanted: usize) -> anyhow::Result<()> {
        let missing = wanted.saturating_sub(self.pending.len());
        let missing = u64::try_from(missing).unwrap_or(u64::MAX);
        let read = self
            .input
            .by_ref()
            .take(missing)
            .read_to_end(&mut self.pending);
        let read = read.map_err(|problem| anyhow!("cannot read {}: {problem}", self.name))?;
        self.is_at_end = u64::try_from(read).unwrap_or(u64::MAX) < missing;
        Ok(())
    }

    fn not_text(&self, bytes: &[u8], valid: usize) -> anyhow::Error {
        let before = bytes.get(..valid).unwrap_or_default();
        let ends = before.iter().filter(|byte| **byte == b'\n').count();
        let line = self.place.line + u64::try_from(ends).unwrap_or(0);
        self.wrong(
            line,
            "there are bytes that are no text: the file is damaged",
        )
    }

    /// Looks at a text that was cut into statements; answers how many bytes are used up.
    fn take(&mut self, text: &str, split: &stoa_cql::Split) -> anyhow::Result<usize> {
        self.header(text)?;
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or("");
        let mut at = 0;
        for range in &split.statements {
            self.between(part(at, range.start))?;
            let statement = part(range.start, range.end);
            if self.totals.is_some() {
                bail!(self.wrong(self.place.line, "something follows the end of the dump"));
            }
            self.statements += 1;
            self.ready.push_back(Item {
                text: statement.to_owned(),
                line: self.place.line,
                ttl_base: self.ttl_base,
            });
            self.place.pass(statement);
            at = range.end;
        }
        match &split.unfinished {
            Some(rest) => {
                self.between(part(at, rest.start))?;
                if self.is_at_end {
                    let problem = "the file ends within this statement: it was cut short; make it \
                                   again, or copy it again";
                    bail!(self.wrong(self.place.line, problem));
                }
                Ok(rest.start)
            }
            None => {
                self.between(part(at, text.len()))?;
                Ok(text.len())
            }
        }
    }

    fn header(&mut self, text: &str) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.place.has_header, true) {
            return Ok(());
        }
        let first = text.lines().next().unwrap_or("");
        match first.strip_prefix(HEADER) {
            Some(VERSION) => Ok(()),
            Some(version) => bail!(
                "{}: the dump has format {version:?}, and this stoa reads format {VERSION}",
                self.name
            ),
            None => bail!(
                "{}: this is no dump, which begins with `{HEADER}{VERSION}`; `stoa shell -f` runs \
                 other scripts",
                self.name
            ),
        }
    }

    /// Looks at what stands between two statements: spaces, comments, marks.
    fn between(&mut self, text: &str) -> anyhow::Result<()> {
        for line in text.split_inclusive('\n') {
            let number = self.place.line;
            // Without its end, the line may have been longer.
            let is_whole = line.ends_with('\n');
            match Mark::read(line.trim_end_matches('\n')) {
                Ok(Some(mark)) if is_whole => self.mark(&mark, line, number)?,
                Ok(None) => {}
                Ok(Some(_)) | Err(_) if self.trust == Trust::Unchecked => {}
                Ok(Some(_)) | Err(_) => {
                    bail!(self.wrong(number, "this line of the dump is damaged or cut short"));
                }
            }
            self.place.pass(line);
        }
        Ok(())
    }

    fn mark(&mut self, mark: &Mark, text: &str, line: u64) -> anyhow::Result<()> {
        let mut hash = self.place.hash.clone();
        if matches!(mark, Mark::End(_)) {
            hash.update(checked_part(text).as_bytes());
        }
        let found = hash.digest();
        let is_right = |check: u64| check == found || self.trust == Trust::Unchecked;
        match mark {
            Mark::TtlBase(second) => self.ttl_base = Some(*second),
            Mark::Check(check) if is_right(*check) => self.place.checked_line = line,
            Mark::End(totals) if is_right(totals.check) => {
                if totals.statements != self.statements && self.trust == Trust::Checked {
                    bail!(self.wrong(line, "the dump does not have as many statements as it says"));
                }
                self.totals = Some(totals.clone());
            }
            Mark::Check(_) | Mark::End(_) => {
                let from = self.place.checked_line;
                let problem = format!(
                    "the file is damaged, or was edited, between line {from} and here; make it \
                     again, or copy it again; --unchecked loads what was edited on purpose"
                );
                bail!(self.wrong(line, &problem));
            }
        }
        Ok(())
    }
}

/// Reads a dump to its end and says whether it is whole.
///
/// # Errors
/// What is wrong with it.
pub(super) fn verify<R: Read>(mut reader: Reader<R>) -> anyhow::Result<()> {
    while reader.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::dump::format::Writer;

    /// A dump with long and short statements over many lines.
    fn dump(statements: usize) -> String {
        let mut out = Vec::new();
        let mut writer = Writer::begin(&mut out).unwrap();
        writer.comment("").unwrap();
        for number in 0..statements {
            if number == statements / 2 {
                writer.ttl_base(77, "then").unwrap();
            }
            let text = "é\n-- check 00\n".repeat(number % 40);
            writer
                .statement(&format!("INSERT {number} '{text};'"))
                .unwrap();
        }
        writer.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn read(text: &[u8]) -> anyhow::Result<Vec<Item>> {
        let mut reader = Reader::new("x.cql", text, Trust::Checked);
        let mut items = Vec::new();
        while let Some(item) = reader.next()? {
            items.push(item);
        }
        assert!(reader.totals().is_some());
        Ok(items)
    }

    #[test]
    fn statements_come_with_their_lines() {
        let text = dump(5_000);
        let items = read(text.as_bytes()).unwrap();
        assert_eq!(items.len(), 5_000);
        let lines: Vec<&str> = text.lines().collect();
        for (number, item) in items.iter().enumerate() {
            let index = usize::try_from(item.line).unwrap() - 1;
            assert!(lines[index].starts_with(&format!("INSERT {number} ")));
            assert_eq!(item.ttl_base, (number >= 2_500).then_some(77));
        }
    }

    #[test]
    fn a_statement_may_be_longer_than_what_is_read_at_once() {
        let mut out = Vec::new();
        let mut writer = Writer::begin(&mut out).unwrap();
        let long = format!("INSERT '{}'", "x\n".repeat(FIRST_BYTES));
        writer.statement(&long).unwrap();
        writer.statement("INSERT 2").unwrap();
        writer.end().unwrap();
        let items = read(&out).unwrap();
        assert_eq!(items[0].text, long);
        assert_eq!(items[1].text, "INSERT 2");
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let whole = dump(16).into_bytes();
        for length in 0..whole.len() {
            let problem = read(&whole[..length]);
            assert!(problem.is_err(), "cut at {length}");
        }
        for index in 0..whole.len() {
            let mut changed = whole.clone();
            changed[index] ^= 1;
            assert!(read(&changed).is_err(), "changed at {index}");
        }
        let mut twice = whole.clone();
        twice.extend_from_slice(&whole);
        let problem = read(&twice).unwrap_err().to_string();
        assert!(problem.contains("follows the end"), "{problem}");
    }

    #[test]
    fn damage_is_found_between_two_checks() {
        let text = dump(3_500).replacen("INSERT 1500 ", "INSERT 1501 ", 1);
        let problem = read(text.as_bytes()).unwrap_err().to_string();
        let checks: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.starts_with("-- check ") && line.len() == 25)
            .map(|(index, _)| index + 1)
            .collect();
        let expected = format!(
            "x.cql:{}: the file is damaged, or was edited, between line {} and here",
            checks[1], checks[0]
        );
        assert!(problem.starts_with(&expected), "{problem}");
        let mut reader = Reader::new("x.cql", text.as_bytes(), Trust::Unchecked);
        let mut count = 0;
        while reader.next().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 3_500);
    }

    #[test]
    fn what_is_no_dump_is_refused() {
        let problem = read(b"CREATE KEYSPACE a;").unwrap_err().to_string();
        assert!(problem.contains("stoa shell -f"), "{problem}");
        let problem = read(b"-- stoa dump, format 9\n").unwrap_err().to_string();
        assert!(problem.contains("reads format 1"), "{problem}");
    }
}
