//! One line of a trace, taken apart.
//!
//! `strace -f -y -xx -o FILE` writes `THREAD NAME(ARGUMENTS) = RESULT`. A call during
//! which another thread did something is cut in two lines: `NAME(ARGUMENTS <unfinished
//! ...>` where it starts and `<... NAME resumed>ARGUMENTS) = RESULT` where it ends.
//!
//! With `-xx` every string and every path is written as `\x..` for each byte, so
//! quotes, commas and brackets are always those of the trace and never those of a
//! file's name or content.

use std::{ffi::OsString, os::unix::ffi::OsStringExt, path::PathBuf};

/// A line of a trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A call from its start to its end.
    Whole {
        thread: u32,
        name: &'a str,
        arguments: &'a str,
        result: &'a str,
    },
    /// The start of a call.
    Unfinished {
        thread: u32,
        name: &'a str,
        arguments: &'a str,
    },
    /// The end of a call.
    Resumed {
        thread: u32,
        name: &'a str,
        arguments: &'a str,
        result: &'a str,
    },
    /// A thread or process ended.
    Ended { thread: u32 },
    /// A signal or something else that changes no file.
    Other,
}

/// Takes a line apart; `None` if it is not a line of a trace.
pub(super) fn parse(line: &str) -> Option<Line<'_>> {
    let (thread, rest) = line.trim_end().split_once(' ')?;
    let thread = thread.parse().ok()?;
    let rest = rest.trim_start();
    if rest.starts_with("+++") {
        return Some(Line::Ended { thread });
    }
    if rest.starts_with("---") || rest.contains("???") {
        return Some(Line::Other);
    }
    if let Some(rest) = rest.strip_prefix("<... ") {
        let (name, rest) = rest.split_once(" resumed>")?;
        let (arguments, result) = split_result(rest)?;
        return Some(Line::Resumed {
            thread,
            name,
            arguments,
            result,
        });
    }
    let (name, rest) = rest.split_once('(')?;
    if let Some(arguments) = rest.strip_suffix("<unfinished ...>") {
        return Some(Line::Unfinished {
            thread,
            name,
            arguments: arguments.trim_end(),
        });
    }
    let (arguments, result) = split_result(rest)?;
    Some(Line::Whole {
        thread,
        name,
        arguments,
        result,
    })
}

fn split_result(rest: &str) -> Option<(&str, &str)> {
    let (before, result) = rest.rsplit_once(" = ")?;
    Some((before.trim_end().strip_suffix(')')?, result))
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It succeeded and returned this number and, of a descriptor, its path.
    Done { value: i64, path: Option<PathBuf> },
    /// It failed, or has to be made again: it changed nothing.
    Failed,
    /// The process was ended meanwhile: it may have changed something.
    Unknown,
}

impl Outcome {
    pub(super) fn parse(result: &str) -> Option<Self> {
        let word = result.split(' ').next()?;
        if word == "?" {
            return Some(if result.contains(" ERESTART") {
                Self::Failed
            } else {
                Self::Unknown
            });
        }
        if word.starts_with('-') {
            return Some(Self::Failed);
        }
        let descriptor = Descriptor::parse(word)?;
        Some(Self::Done {
            value: descriptor.number?,
            path: descriptor.path,
        })
    }
}

/// The arguments of a call: split at the commas that are not within brackets.
pub(super) fn arguments(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut depth = 0_usize;
        let comma = text.bytes().position(|byte| {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            byte == b',' && depth == 0
        });
        let (argument, remaining) = match comma {
            Some(at) => (text.get(..at)?, text.get(at + 1..)),
            None => (text, None),
        };
        rest = remaining;
        Some(argument.trim())
    })
}

/// A file descriptor as `-y` writes it: its number and the path it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// `None` stands for the working folder.
    pub(super) number: Option<i64>,
    pub(super) path: Option<PathBuf>,
}

impl Descriptor {
    pub(super) fn parse(argument: &str) -> Option<Self> {
        let (number, rest) = match argument.split_once('<') {
            Some((number, rest)) => (number, rest.split('>').next()),
            None => (argument, None),
        };
        let number = if number == "AT_FDCWD" {
            None
        } else {
            Some(parse_number(number)?)
        };
        let path = rest.and_then(unescape).map(path_of);
        Some(Self { number, path })
    }
}

pub(super) fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// A number as the trace writes it: decimal, or hexadecimal with `0x`.
pub(super) fn parse_number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The bytes of a string argument; `None` if it is not a string or was shortened.
pub(super) fn string(argument: &str) -> Option<Vec<u8>> {
    unescape(argument.strip_prefix('"')?.strip_suffix('"')?)
}

/// The bytes of an array of buffers: `[{iov_base="...", iov_len=2}, ...]`.
pub(super) fn buffers(argument: &str) -> Option<Vec<u8>> {
    let inner = argument.strip_prefix('[')?.strip_suffix(']')?;
    let mut bytes = Vec::new();
    for buffer in arguments(inner).filter(|buffer| !buffer.is_empty()) {
        let fields = buffer.strip_prefix('{')?.strip_suffix('}')?;
        bytes.extend(string(
            arguments(fields).next()?.strip_prefix("iov_base=")?,
        )?);
    }
    Some(bytes)
}

/// Bytes written as `\x..` each.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let groups = text.as_bytes().chunks(4);
    groups
        .map(|group| match group {
            [b'\\', b'x', high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
            _ => None,
        })
        .collect()
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_call_with_padding() {
        let line = r#"15724 write(3<\x2f\x61>, "\x68\x29\x20\x3d\x20", 5)    = 5"#;
        let Some(Line::Whole {
            thread: 15724,
            name: "write",
            arguments: text,
            result: "5",
        }) = parse(line)
        else {
            panic!("{:?}", parse(line))
        };
        let parts: Vec<_> = arguments(text).collect();
        assert_eq!(parts.len(), 3);
        assert_eq!(string(parts[1]).unwrap(), b"h) = ");
        let descriptor = Descriptor::parse(parts[0]).unwrap();
        assert_eq!(
            descriptor,
            Descriptor {
                number: Some(3),
                path: Some("/a".into())
            }
        );
    }

    #[test]
    fn escapes_are_bytes_and_shortened_strings_are_refused() {
        assert_eq!(string(r#""\x00\xff\x0a\x22""#).unwrap(), [0, 255, 10, 34]);
        assert_eq!(string(r#""""#).unwrap(), b"");
        assert_eq!(string(r#""\x61"..."#), None);
        assert_eq!(string("NULL"), None);
        assert_eq!(string(r#""\x6""#), None);
        let two = r#"[{iov_base="\x61\x62", iov_len=2}, {iov_base="\x63", iov_len=1}]"#;
        assert_eq!(buffers(two).unwrap(), b"abc");
        assert_eq!(buffers(r#"[{iov_base="\x61"..., iov_len=2}]"#), None);
    }

    #[test]
    fn a_call_in_two_lines() {
        let start = r"7 fsync(5<\x2f\x74> <unfinished ...>";
        let expected = Line::Unfinished {
            thread: 7,
            name: "fsync",
            arguments: r"5<\x2f\x74>",
        };
        assert_eq!(parse(start), Some(expected));
        let end = "7 <... clone3 resumed> => {parent_tid=[9]}, 88) = 9";
        let arguments = " => {parent_tid=[9]}, 88";
        let expected = Line::Resumed {
            thread: 7,
            name: "clone3",
            arguments,
            result: "9",
        };
        assert_eq!(parse(end), Some(expected));
    }

    #[test]
    fn other_lines_and_what_is_no_line() {
        assert_eq!(
            parse("7 +++ exited with 0 +++"),
            Some(Line::Ended { thread: 7 })
        );
        assert_eq!(
            parse("7 +++ killed by SIGKILL +++"),
            Some(Line::Ended { thread: 7 })
        );
        assert_eq!(
            parse("7 --- SIGCHLD {si_signo=SIGCHLD} ---"),
            Some(Line::Other)
        );
        assert_eq!(parse("strace: something"), None);
        assert_eq!(parse("7 write(3"), None);
    }

    #[test]
    fn outcomes() {
        let done = |value, path| Some(Outcome::Done { value, path });
        assert_eq!(Outcome::parse("0"), done(0, None));
        assert_eq!(Outcome::parse("0x400"), done(1024, None));
        assert_eq!(
            Outcome::parse(r"4<\x2f\x62>(deleted)"),
            done(4, Some("/b".into()))
        );
        let full = "-1 ENOSPC (No space left on device) (INJECTED)";
        assert_eq!(Outcome::parse(full), Some(Outcome::Failed));
        assert_eq!(
            Outcome::parse("? ERESTARTSYS (To be restarted)"),
            Some(Outcome::Failed)
        );
        assert_eq!(Outcome::parse("?"), Some(Outcome::Unknown));
    }
}
