//! Comma-separated values: records of fields, some of them in quotes.
//!
//! A field is quoted if it holds the delimiter, a quote, or the end of a line, and if it would
//! otherwise be taken for a null. So an empty text (`""`) and a null (nothing) are kept apart:
//! what is quoted is never null.

use std::io::BufRead;

/// How fields are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dialect {
    /// Between fields.
    pub(super) delimiter: char,
    /// Around fields.
    pub(super) quote: char,
    /// Before a quote, or one of its own kind, that is a part of a field. If it is the quote, then
    /// quotes are doubled inside quotes, and nowhere else is anything escaped.
    pub(super) escape: char,
    /// What a null is written as.
    pub(super) null: String,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: ',',
            quote: '"',
            escape: '"',
            null: String::new(),
        }
    }
}

impl Dialect {
    /// What cqlsh writes, unless it is told otherwise.
    pub(super) fn of_cqlsh() -> Self {
        Self {
            escape: '\\',
            ..Self::default()
        }
    }

    /// Whether the characters can be told apart.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if self.delimiter == self.quote {
            anyhow::bail!("DELIMITER and QUOTE must differ");
        }
        if self.delimiter == self.escape {
            anyhow::bail!("DELIMITER and ESCAPE must differ");
        }
        Ok(())
    }

    /// A record with the end of its line; `None` is null.
    pub(super) fn record(&self, fields: &[Option<String>]) -> String {
        let written = fields.iter().map(|field| self.field(field.as_deref()));
        let written: Vec<String> = written.collect();
        format!("{}\n", written.join(&self.delimiter.to_string()))
    }

    fn field(&self, field: Option<&str>) -> String {
        let Some(text) = field else {
            return self.null.clone();
        };
        let special = [self.delimiter, self.quote, '\n', '\r'];
        let quote = self.quote;
        if text == self.null || text.contains(special) {
            return format!("{quote}{}{quote}", self.escaped(text));
        }
        match self.escape == quote {
            true => text.to_owned(),
            false => self.escaped(text),
        }
    }

    fn escaped(&self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            if character == self.quote || character == self.escape {
                escaped.push(self.escape);
            }
            escaped.push(character);
        }
        escaped
    }

    /// The next record, and how many lines it has; `None` at the end. A quoted field may go over
    /// lines.
    ///
    /// # Errors
    /// When the text cannot be read, or ends within quotes.
    pub(super) fn read(&self, input: &mut dyn BufRead) -> anyhow::Result<Option<Record>> {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut lines = 1;
        loop {
            if let Some(fields) = self.fields(without_line_end(&line)) {
                return Ok(Some(Record { fields, lines }));
            }
            if input.read_line(&mut line)? == 0 {
                anyhow::bail!("the text ends within quotes");
            }
            lines += 1;
        }
    }

    /// The fields of a record; `None` if it ends within quotes.
    fn fields(&self, text: &str) -> Option<Vec<Option<String>>> {
        let mut fields = Vec::new();
        let mut field = String::new();
        let mut start = 0;
        let mut is_inside = false;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            if character == self.escape && self.escape != self.quote {
                // An escape at the end of a line takes the line's end with it.
                field.push(characters.next()?.1);
            } else if character == self.quote {
                let is_doubled = characters
                    .peek()
                    .is_some_and(|(_, next)| *next == self.quote);
                if is_inside && is_doubled {
                    characters.next();
                    field.push(self.quote);
                } else {
                    is_inside = !is_inside;
                }
            } else if character == self.delimiter && !is_inside {
                fields.push(self.taken(&mut field, text.get(start..at)?));
                start = at + character.len_utf8();
            } else {
                field.push(character);
            }
        }
        if is_inside {
            return None;
        }
        fields.push(self.taken(&mut field, text.get(start..)?));
        Some(fields)
    }

    /// A field, unless it is written as a null is.
    fn taken(&self, field: &mut String, written: &str) -> Option<String> {
        let text = std::mem::take(field);
        (written != self.null).then_some(text)
    }
}

/// What was read of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Its fields; `None` is null.
    pub(super) fields: Vec<Option<String>>,
    /// How many lines it goes over.
    pub(super) lines: u64,
}

fn without_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let dialects = [
            Dialect::default(),
            Dialect {
                delimiter: '|',
                quote: '\'',
                escape: '\'',
                null: "NULL".to_owned(),
            },
            Dialect::of_cqlsh(),
        ];
        for dialect in dialects {
            let records = [
                vec![some("a"), None, some("")],
                vec![some("a,b|c"), some("it's \"it\""), some("two\nlines\r\n")],
                vec![some("NULL"), some(" x "), some("é")],
                vec![some("back\\slash"), some("\\"), some("\\\"\\n\n")],
            ];
            let text: String = records.iter().map(|it| dialect.record(it)).collect();
            let mut input = text.as_bytes();
            for record in records {
                let read = dialect.read(&mut input).unwrap().unwrap();
                assert_eq!(read.fields, record, "{text}");
            }
            assert_eq!(dialect.read(&mut input).unwrap(), None);
        }
    }

    #[test]
    fn what_cqlsh_writes_is_read() {
        let line = "2,\"comma, and \\\"quote\\\" and \\\\back\",two\\\\n\n";
        let read = Dialect::of_cqlsh()
            .read(&mut line.as_bytes())
            .unwrap()
            .unwrap();
        let expected = [
            some("2"),
            some("comma, and \"quote\" and \\back"),
            some("two\\n"),
        ];
        assert_eq!(read.fields, expected);
    }

    #[test]
    fn a_null_and_an_empty_text_differ() {
        let dialect = Dialect::default();
        assert_eq!(dialect.record(&[None, some("")]), ",\"\"\n");
    }

    #[test]
    fn open_quotes_are_an_error() {
        let problem = Dialect::default()
            .read(&mut "a,\"b\n".as_bytes())
            .unwrap_err();
        assert_eq!(problem.to_string(), "the text ends within quotes");
    }
}
