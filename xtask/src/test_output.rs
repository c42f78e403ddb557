//! Reads the output of `cargo test`: which part is running, and what it answered.
//!
//! Lines that matter:
//!
//! ```text
//!      Running unittests src/lib.rs (target/debug/deps/stoa_types-8f0e2a)
//!      Running tests/it/main.rs (target/debug/deps/it-77c1d0)
//!    Doc-tests stoa_types
//! test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.04s
//! ```

use std::fmt;

/// The tests of one file or of one crate's docs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// Such as `stoa-types: unit tests`.
    pub(crate) name: String,
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// As cargo printed it; empty when the part never answered.
    pub(crate) time: String,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            passed,
            failed,
            ignored,
            time,
        } = self;
        let verdict = if *failed > 0 || time.is_empty() {
            "FAILED"
        } else {
            "passed"
        };
        write!(
            f,
            "{name:<44} {time:>9}  {verdict}: {passed} passed, {failed} failed"
        )?;
        if *ignored > 0 {
            write!(f, ", {ignored} ignored")
        } else {
            Ok(())
        }
    }
}

/// Collects the parts line by line.
#[derive(Default)]
pub(crate) struct Reader {
    /// The crate whose unit tests ran last; its integration tests follow them.
    crate_name: String,
    running: Option<Part>,
    parts: Vec<Part>,
}

impl Reader {
    /// Takes the next line of output.
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Running ") {
            let name = self.binary(rest);
            self.start(name);
        } else if let Some(library) = line.strip_prefix("Doc-tests ") {
            self.start(format!("{}: doc tests", library.replace('_', "-")));
        } else if line.starts_with("test result: ") {
            self.answer(line);
        }
    }

    /// The parts that had tests or did not answer.
    pub(crate) fn finish(mut self) -> Vec<Part> {
        self.parts.extend(self.running.take());
        let speaks =
            |part: &Part| part.passed + part.failed + part.ignored > 0 || part.time.is_empty();
        self.parts.retain(speaks);
        self.parts
    }

    fn start(&mut self, name: String) {
        // A part without a result line died; it stays in the table as it is.
        self.parts.extend(self.running.replace(Part {
            name,
            ..Part::default()
        }));
    }

    /// Names the part behind `unittests src/lib.rs (target/debug/deps/stoa_types-8f0e2a)`.
    fn binary(&mut self, rest: &str) -> String {
        let (source, file) = rest.split_once(" (").unwrap_or((rest, ""));
        let Some(source) = source.strip_prefix("unittests ") else {
            return format!("{}: {source}", self.crate_name);
        };
        let file = file.rsplit('/').next().unwrap_or(file);
        let library = file.rsplit_once('-').map_or(file, |(library, _)| library);
        if source == "src/lib.rs" || source == "src/main.rs" {
            self.crate_name = library.replace('_', "-");
            return format!("{}: unit tests", self.crate_name);
        }
        format!("{}: {source}", self.crate_name)
    }

    fn answer(&mut self, line: &str) {
        let mut part = self.running.take().unwrap_or_default();
        part.passed = count(line, "passed");
        part.failed = count(line, "failed");
        part.ignored = count(line, "ignored");
        part.time = line
            .rsplit_once("finished in ")
            .map_or("done", |(_, time)| time)
            .to_owned();
        self.parts.push(part);
    }
}

/// The number before a word, as in `12 passed;`.
fn count(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let number = words.windows(2).find_map(|pair| match pair {
        [number, found] if *found == word => number.parse().ok(),
        _ => None,
    });
    number.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(output: &str) -> Vec<String> {
        let mut reader = Reader::default();
        output.lines().for_each(|line| reader.line(line));
        reader.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn parts_are_named_counted_and_timed() {
        let parts = read(
            "     Running unittests src/lib.rs (target/debug/deps/stoa_types-8f0e2a)\n\
             test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.04s\n\
             \u{20}    Running tests/it/main.rs (target/debug/deps/it-77c1d0)\n\
             test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.50s\n\
             \u{20}  Doc-tests stoa_types\n\
             test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n",
        );
        let expected = [
            "stoa-types: unit tests                           0.04s  passed: 12 passed, 0 failed",
            "stoa-types: tests/it/main.rs                     1.50s  FAILED: 3 passed, 2 failed, 1 ignored",
            "stoa-types: doc tests                            0.10s  passed: 1 passed, 0 failed",
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn empty_parts_are_left_out_and_dead_ones_are_not() {
        let parts = read(
            "Running unittests src/main.rs (target/debug/deps/stoa-1)\n\
             test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             Running unittests src/lib.rs (target/debug/deps/stoa_store-2)\n\
             Doc-tests stoa_store\n",
        );
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("stoa-store: unit tests") && parts[0].contains("FAILED"));
    }
}
