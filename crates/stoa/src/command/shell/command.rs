//! The commands of the shell itself, which no back end sees.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::anyhow;
use stoa_session::{Consistency, SerialConsistency};

use super::copy::{self, Copy};
use super::script::first_word;
use super::words::{Word, words};

/// A command of the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// `HELP [topic]`; the topic in upper case.
    Help(Option<String>),
    /// `SOURCE 'file'`
    Source(PathBuf),
    /// `CAPTURE ['file' | OFF]`
    Capture(Capture),
    /// `EXPAND [ON | OFF]`
    Expand(Switch),
    /// `TIMING [ON | OFF]`
    Timing(Switch),
    /// `PAGING [ON | OFF | rows]`
    Paging(Paging),
    /// `CONSISTENCY [level]`
    Consistency(Option<Consistency>),
    /// `SERIAL CONSISTENCY [level]`
    SerialConsistency(Option<SerialConsistency>),
    /// `SHOW VERSION`
    ShowVersion,
    /// `CLEAR`
    Clear,
    /// `EXIT`
    Exit,
    /// `COPY table TO | FROM 'file'`
    Copy(Box<Copy>),
}

/// What is done with a setting that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    On,
    Off,
    /// Say which it is.
    Tell,
}

/// What is done with the captured output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Capture {
    To(PathBuf),
    Off,
    Tell,
}

/// What is done with pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    On,
    Off,
    Rows(NonZeroU32),
    Tell,
}

/// First words of commands, for completion.
pub(super) const FIRST_WORDS: [&str; 14] = [
    "CAPTURE",
    "CLEAR",
    "CONSISTENCY",
    "COPY",
    "DESCRIBE",
    "EXIT",
    "EXPAND",
    "HELP",
    "PAGING",
    "QUIT",
    "SERIAL CONSISTENCY",
    "SHOW VERSION",
    "SOURCE",
    "TIMING",
];

/// Reads a command; `None` if the text is a statement for the back end.
pub(super) fn parse(text: &str) -> Option<anyhow::Result<Command>> {
    let read: fn(&[Word]) -> Option<Command> = match first_word(text).as_str() {
        "help" | "?" => help,
        "source" => |rest| match rest {
            [Word::Text(file)] => Some(Command::Source(path(file))),
            _ => None,
        },
        "capture" => capture,
        "expand" => |rest| switch(rest).map(Command::Expand),
        "timing" => |rest| switch(rest).map(Command::Timing),
        "paging" => paging,
        "consistency" => |rest| level(rest).map(Command::Consistency),
        "serial" => |rest| match rest {
            [first, rest @ ..] if first.is("consistency") => {
                level(rest).map(Command::SerialConsistency)
            }
            _ => None,
        },
        "show" => |rest| match rest {
            [what] if what.is("version") => Some(Command::ShowVersion),
            _ => None,
        },
        "clear" | "cls" => |rest| rest.is_empty().then_some(Command::Clear),
        "exit" | "quit" => |rest| rest.is_empty().then_some(Command::Exit),
        "copy" => {
            let command = words(text).and_then(|words| copy::parse(words.get(1..).unwrap_or(&[])));
            return Some(command.map(|copy| Command::Copy(Box::new(copy))));
        }
        _ => return None,
    };
    Some(words(text).and_then(|words| {
        let command = read(words.get(1..).unwrap_or(&[]));
        command.ok_or_else(|| improper(text))
    }))
}

fn improper(text: &str) -> anyhow::Error {
    let word = first_word(text).to_ascii_uppercase();
    anyhow!("improper {word} command; HELP {word} says how it is written")
}

fn help(rest: &[Word]) -> Option<Command> {
    let mut topic = Vec::new();
    for word in rest {
        match word {
            Word::Bare(word) => topic.push(word.to_ascii_uppercase()),
            _ => return None,
        }
    }
    let topic = topic.join(" ");
    Some(Command::Help(Some(topic).filter(|it| !it.is_empty())))
}

fn capture(rest: &[Word]) -> Option<Command> {
    let capture = match rest {
        [] => Capture::Tell,
        [Word::Text(file)] => Capture::To(path(file)),
        [off] if off.is("off") => Capture::Off,
        _ => return None,
    };
    Some(Command::Capture(capture))
}

fn switch(rest: &[Word]) -> Option<Switch> {
    match rest {
        [] => Some(Switch::Tell),
        [word] if word.is("on") => Some(Switch::On),
        [word] if word.is("off") => Some(Switch::Off),
        _ => None,
    }
}

fn paging(rest: &[Word]) -> Option<Command> {
    let paging = match (switch(rest), rest) {
        (Some(Switch::On), _) => Paging::On,
        (Some(Switch::Off), _) => Paging::Off,
        (Some(Switch::Tell), _) => Paging::Tell,
        (None, [Word::Bare(rows)]) => Paging::Rows(rows.parse().ok()?),
        (None, _) => return None,
    };
    Some(Command::Paging(paging))
}

/// A level of consistency, or nothing.
fn level<L: std::str::FromStr>(rest: &[Word]) -> Option<Option<L>> {
    match rest {
        [] => Some(None),
        [Word::Bare(name)] => name.parse().ok().map(Some),
        _ => None,
    }
}

/// The path of a file; `~/` is the user's folder.
pub(super) fn path(text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Command> {
        parse(text).and_then(Result::ok)
    }

    #[test]
    fn commands_are_read_in_any_case() {
        assert_eq!(read("exit"), Some(Command::Exit));
        assert_eq!(read("Expand On"), Some(Command::Expand(Switch::On)));
        assert_eq!(read("TIMING"), Some(Command::Timing(Switch::Tell)));
        let rows = NonZeroU32::new(20).unwrap();
        assert_eq!(read("PAGING 20"), Some(Command::Paging(Paging::Rows(rows))));
        assert_eq!(
            read("consistency local_quorum"),
            Some(Command::Consistency(Some(Consistency::LocalQuorum)))
        );
        assert_eq!(
            read("SERIAL CONSISTENCY"),
            Some(Command::SerialConsistency(None))
        );
        assert_eq!(
            read("CAPTURE 'a b'"),
            Some(Command::Capture(Capture::To(PathBuf::from("a b"))))
        );
        assert_eq!(
            read("? create table"),
            Some(Command::Help(Some("CREATE TABLE".to_owned())))
        );
    }

    #[test]
    fn what_is_improper_says_where_help_is() {
        for text in [
            "EXPAND maybe",
            "PAGING 0",
            "SHOW HOST",
            "CONSISTENCY most",
            "EXIT now",
        ] {
            let problem = parse(text).unwrap().unwrap_err().to_string();
            assert!(problem.contains("HELP"), "{problem}");
        }
        assert!(parse("SELECT 1").is_none());
    }
}
