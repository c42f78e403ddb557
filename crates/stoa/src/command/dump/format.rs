//! The lines of a dump that are no CQL: its first line, its checks, its last line.
//!
//! ```text
//! -- stoa dump, format 1
//! -- TTLs count from 1763277600 (2025-11-16T07:20:00.000Z)
//! -- check 0123456789abcdef
//! -- end of dump: 2 tables, 30 rows, 34 statements, check 0123456789abcdef
//! ```
//!
//! All of them are comments, so that any CQL shell reads a dump. A check is the XXH3 of every byte
//! before its own line, in the last line also of what it says; docs/formats/dump.md draws it.

use std::io::Write;

use xxhash_rust::xxh3::Xxh3;

/// What every line that names a format begins with.
pub(crate) const HEADER: &str = "-- stoa dump, format ";
/// The one format there is.
pub(crate) const VERSION: &str = "1";
const TTL_BASE: &str = "-- TTLs count from ";
const CHECK: &str = "-- check ";
const END: &str = "-- end of dump: ";
/// How many statements there are between two checks: damage is found to within as many.
const CHECK_EVERY: u64 = 1_000;

/// What is said in a line of a dump that is no CQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The TTLs below it are the seconds from this second on.
    TtlBase(i64),
    /// The checksum of everything before it.
    Check(u64),
    /// Nothing follows.
    End(Totals),
}

/// How much there is in a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) tables: u64,
    pub(crate) rows: u64,
    pub(crate) statements: u64,
    /// The checksum of everything before it.
    pub(crate) check: u64,
}

impl Mark {
    /// What a line says; `None` if it is another comment.
    ///
    /// # Errors
    /// When it begins as a mark does and then makes no sense.
    pub(crate) fn read(line: &str) -> Result<Option<Self>, DamagedMark> {
        let mark = if let Some(rest) = line.strip_prefix(TTL_BASE) {
            let second = rest.split(' ').next().and_then(|it| it.parse().ok());
            second.map(Self::TtlBase)
        } else if let Some(rest) = line.strip_prefix(CHECK) {
            check(rest).map(Self::Check)
        } else if let Some(rest) = line.strip_prefix(END) {
            totals(rest).map(Self::End)
        } else {
            return Ok(None);
        };
        mark.map(Some).ok_or(DamagedMark)
    }
}

/// A line that begins as a mark does and then makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DamagedMark;

fn totals(text: &str) -> Option<Totals> {
    let mut parts = text.split(", ");
    let mut count = |unit: &str| {
        let (number, name) = parts.next()?.split_once(' ')?;
        (name == unit).then(|| number.parse::<u64>().ok()).flatten()
    };
    let (tables, rows, statements) = (count("tables")?, count("rows")?, count("statements")?);
    let check = parts.next()?.strip_prefix("check ")?;
    Some(Totals {
        tables,
        rows,
        statements,
        check: self::check(check)?,
    })
}

/// A checksum exactly as it is written.
fn check(text: &str) -> Option<u64> {
    let check = u64::from_str_radix(text, 16).ok()?;
    (format!("{check:016x}") == text).then_some(check)
}

/// What a check in the last line covers of the line itself.
pub(crate) fn checked_part(line: &str) -> &str {
    line.rfind("check ")
        .and_then(|at| line.get(..at))
        .unwrap_or("")
}

/// Writes the lines of a dump and checks between them.
pub(crate) struct Writer<'w> {
    out: &'w mut dyn Write,
    hash: Xxh3,
    unchecked: u64,
    pub(crate) tables: u64,
    pub(crate) rows: u64,
    pub(crate) statements: u64,
}

impl<'w> Writer<'w> {
    /// Writes the first line.
    pub(crate) fn begin(out: &'w mut dyn Write) -> std::io::Result<Self> {
        let mut writer = Self {
            out,
            hash: Xxh3::new(),
            unchecked: 0,
            tables: 0,
            rows: 0,
            statements: 0,
        };
        writer.text(&format!("{HEADER}{VERSION}\n"))?;
        Ok(writer)
    }

    /// Writes a comment, or an empty line.
    pub(crate) fn comment(&mut self, text: &str) -> std::io::Result<()> {
        match text {
            "" => self.text("\n"),
            some => self.text(&format!("-- {some}\n")),
        }
    }

    /// Says from when on TTLs count.
    pub(crate) fn ttl_base(&mut self, second: i64, shown: &str) -> std::io::Result<()> {
        self.text(&format!("{TTL_BASE}{second} ({shown})\n"))
    }

    /// Writes a statement, which has no semicolon at its end.
    pub(crate) fn statement(&mut self, statement: &str) -> std::io::Result<()> {
        self.text(statement)?;
        self.text(";\n")?;
        self.statements += 1;
        self.unchecked += 1;
        if self.unchecked == CHECK_EVERY {
            self.unchecked = 0;
            let check = self.hash.digest();
            self.text(&format!("{CHECK}{check:016x}\n"))?;
        }
        Ok(())
    }

    /// Writes the last line; answers how many tables and rows there are.
    pub(crate) fn end(mut self) -> std::io::Result<(u64, u64)> {
        let (tables, rows, statements) = (self.tables, self.rows, self.statements);
        self.text("\n")?;
        self.text(&format!(
            "{END}{tables} tables, {rows} rows, {statements} statements, "
        ))?;
        let check = self.hash.digest();
        self.text(&format!("check {check:016x}\n"))?;
        self.out.flush()?;
        Ok((tables, rows))
    }

    fn text(&mut self, text: &str) -> std::io::Result<()> {
        self.hash.update(text.as_bytes());
        self.out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_as_they_are_written() {
        let mut out = Vec::new();
        let mut writer = Writer::begin(&mut out).unwrap();
        writer.ttl_base(5, "then").unwrap();
        for _ in 0..CHECK_EVERY {
            writer.statement("USE a").unwrap();
        }
        writer.comment("rows of a.b").unwrap();
        writer.end().unwrap();
        let text = String::from_utf8(out).unwrap();
        let marks: Vec<Mark> = text
            .lines()
            .filter_map(|line| Mark::read(line).unwrap())
            .collect();
        let [Mark::TtlBase(5), Mark::Check(first), Mark::End(totals)] = marks.as_slice() else {
            panic!("{marks:?}");
        };
        let before = |mark: &str| text.get(..text.find(mark).unwrap()).unwrap();
        let hash = |text: &str| xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        assert_eq!(*first, hash(before(CHECK)));
        assert_eq!((totals.statements, totals.rows), (CHECK_EVERY, 0));
        let last = text.lines().last().unwrap();
        let covered = format!("{}{}", before(END), checked_part(last));
        assert_eq!(totals.check, hash(&covered));
    }

    #[test]
    fn what_is_cut_short_is_no_mark() {
        let end = "-- end of dump: 1 tables, 2 rows, 3 statements, check 00000000000000ff";
        assert!(matches!(Mark::read(end), Ok(Some(Mark::End(_)))));
        for line in [
            "-- end of dump: 1 tables, 2 rows",
            "-- end of dump: 1 rows, 2 rows, 3 statements, check 00000000000000ff",
            "-- check 00000000000000FF",
            "-- check 0ff",
            "-- check",
            "-- check x",
            "-- TTLs count from now",
        ] {
            let is_whole = matches!(Mark::read(line), Ok(Some(_)));
            assert!(!is_whole, "{line}");
        }
        assert_eq!(Mark::read("-- rows of a.b"), Ok(None));
    }
}
