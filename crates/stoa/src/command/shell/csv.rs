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
    /// Around fields; twice inside them.
    pub(super) quote: char,
    /// What a null is written as.
    pub(super) null: String,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            delimiter: ',',
            quote: '"',
            null: String::new(),
        }
    }
}

impl Dialect {
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
        if text == self.null || text.contains(special) {
            let quote = self.quote.to_string();
            let doubled = text.replace(self.quote, &quote.repeat(2));
            format!("{quote}{doubled}{quote}")
        } else {
            text.to_owned()
        }
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
        let mut was_quoted = false;
        let mut is_inside = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            if character == self.quote {
                if is_inside && characters.peek() == Some(&self.quote) {
                    characters.next();
                    field.push(self.quote);
                } else {
                    is_inside = !is_inside;
                    was_quoted = true;
                }
            } else if character == self.delimiter && !is_inside {
                fields.push(self.taken(&mut field, was_quoted));
                was_quoted = false;
            } else {
                field.push(character);
            }
        }
        if is_inside {
            return None;
        }
        fields.push(self.taken(&mut field, was_quoted));
        Some(fields)
    }

    fn taken(&self, field: &mut String, was_quoted: bool) -> Option<String> {
        let text = std::mem::take(field);
        (was_quoted || text != self.null).then_some(text)
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
                null: "NULL".to_owned(),
            },
        ];
        for dialect in dialects {
            let records = [
                vec![some("a"), None, some("")],
                vec![some("a,b|c"), some("it's \"it\""), some("two\nlines\r\n")],
                vec![some("NULL"), some(" x "), some("é")],
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
