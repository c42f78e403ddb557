//! Numbers, durations and UUIDs: what begins with a digit, and a few that do not.
//!
//! Until eight characters have passed, what begins with a digit may still become a UUID. That is
//! why `1a` is an error, and `1x` is the number 1 and a name.

use super::token::TokenKind;
use super::{Lexed, Lexer};

/// The length of a UUID's first group, after which there is a minus.
const UUID_HEAD: usize = 8;

impl Lexer<'_> {
    /// What begins with a digit.
    pub(super) fn number(&mut self) -> Lexed {
        let digits = self.count_digits(0);
        let hex_digits = self.count_hex_digits();
        let next = self.byte(digits);
        if hex_digits == UUID_HEAD && self.byte(UUID_HEAD) == Some(b'-') && !self.is_float_head() {
            return self.uuid();
        }
        match next {
            Some(b'x' | b'X') if digits == 1 && self.byte(0) == Some(b'0') => self.hex(),
            Some(b'.') => self.with_fraction(digits),
            Some(b'e' | b'E') => self.with_exponent_or_uuid(digits),
            Some(b'd' | b'D') if digits < UUID_HEAD => self.duration_or_uuid(digits),
            Some(b'a'..=b'f' | b'A'..=b'F') if digits < UUID_HEAD => self.uuid(),
            _ => self.integer_or_duration(digits),
        }
    }

    /// What begins with a minus and a digit, which is no UUID.
    pub(super) fn negative_number(&mut self) -> Lexed {
        let digits = 1 + self.count_digits(1);
        match self.byte(digits) {
            Some(b'.') => self.with_fraction(digits),
            Some(b'e' | b'E') => self.exponent(digits),
            _ => self.integer_or_duration(digits),
        }
    }

    fn count_digits(&self, from: usize) -> usize {
        let rest = self.rest().get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// How many hexadecimal digits there are, up to one more than a UUID could begin with.
    fn count_hex_digits(&self) -> usize {
        let head = self.rest().iter().take(UUID_HEAD + 1);
        head.take_while(|byte| byte.is_ascii_hexdigit()).count()
    }

    fn is_hex_digit(&self, ahead: usize) -> bool {
        self.byte(ahead)
            .is_some_and(|byte| byte.is_ascii_hexdigit())
    }

    /// Whether `1234567e-1234` goes on as a float and not as a UUID.
    fn is_float_head(&self) -> bool {
        let is_exponent = matches!(self.byte(UUID_HEAD - 1), Some(b'e' | b'E'));
        if !is_exponent || self.count_digits(0) != UUID_HEAD - 1 {
            return false;
        }
        let group = UUID_HEAD + 1;
        match self.count_digits(group) {
            0 => false,
            digits @ 1..=3 => !self.is_hex_digit(group + digits),
            4 => self.byte(group + 4) != Some(b'-'),
            _ => true,
        }
    }

    fn integer_or_duration(&mut self, digits: usize) -> Lexed {
        if unit_length(self.rest().get(digits..).unwrap_or(&[])) == Unit::None {
            self.take(digits, TokenKind::Integer)
        } else {
            self.duration(digits)
        }
    }

    fn hex(&mut self) -> Lexed {
        let rest = self.rest().get(2..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit());
        let length = 2 + digits.count();
        self.take(length, TokenKind::Hex)
    }

    /// After the point there may be anything, even another point: `1..2` is a slice, and `1...2`
    /// is a slice from `1.`.
    fn with_fraction(&mut self, digits: usize) -> Lexed {
        match (self.byte(digits + 1), self.byte(digits + 2)) {
            (Some(b'.'), Some(b'.')) => self.take(digits + 1, TokenKind::Float),
            (Some(b'.'), _) => self.take(digits, TokenKind::Integer),
            _ => {
                let length = digits + 1 + self.count_digits(digits + 1);
                match self.byte(length) {
                    Some(b'e' | b'E') => self.exponent(length),
                    _ => self.take(length, TokenKind::Float),
                }
            }
        }
    }

    /// A float whose `e` is that far ahead.
    fn exponent(&mut self, letter: usize) -> Lexed {
        let sign = matches!(self.byte(letter + 1), Some(b'+' | b'-'));
        let from = letter + 1 + usize::from(sign);
        match self.count_digits(from) {
            0 => self.fail(from),
            digits => self.take(from + digits, TokenKind::Float),
        }
    }

    fn with_exponent_or_uuid(&mut self, letter: usize) -> Lexed {
        let from = letter + 1;
        let end = from + self.count_digits(from);
        // A hexadecimal digit that is no decimal one leaves only the UUID.
        if end < UUID_HEAD && self.is_hex_digit(end) {
            return self.uuid();
        }
        self.exponent(letter)
    }

    /// `1d2` may become `1d2h`, or a UUID.
    fn duration_or_uuid(&mut self, letter: usize) -> Lexed {
        let mut ahead = letter;
        while matches!(self.byte(ahead), Some(b'd' | b'D')) {
            ahead += 1;
            if !matches!(self.byte(ahead), Some(b'0'..=b'9')) {
                break;
            }
            ahead += self.count_digits(ahead);
        }
        if ahead < UUID_HEAD && self.is_hex_digit(ahead) {
            return self.uuid();
        }
        self.duration(letter)
    }

    /// A duration like `1y2mo`, whose first unit is that far ahead.
    fn duration(&mut self, digits: usize) -> Lexed {
        let mut ahead = digits;
        loop {
            match unit_length(self.rest().get(ahead..).unwrap_or(&[])) {
                Unit::Bytes(length) => ahead += length,
                Unit::Cut(fitting) => return self.fail(ahead + fitting),
                Unit::None => return self.fail(ahead),
            }
            match self.count_digits(ahead) {
                0 => return self.take(ahead, TokenKind::Duration),
                digits => ahead += digits,
            }
        }
    }

    pub(super) fn uuid(&mut self) -> Lexed {
        const PATTERN: &[u8; 36] = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
        self.pattern(0, PATTERN, TokenKind::Uuid)
    }

    /// `P0001-02-03T04:05:06`, after that many bytes.
    pub(super) fn date_duration(&mut self, ahead: usize) -> Lexed {
        self.pattern(ahead, b"P9999-99-99T99:99:99", TokenKind::Duration)
    }

    /// Text in which `x` is a hexadecimal and `9` a decimal digit.
    fn pattern(&mut self, ahead: usize, pattern: &[u8], kind: TokenKind) -> Lexed {
        let fits = |(here, wanted): &(&u8, &u8)| match wanted {
            b'x' => here.is_ascii_hexdigit(),
            b'9' => here.is_ascii_digit(),
            _ => here == wanted,
        };
        let rest = self.rest().get(ahead..).unwrap_or(&[]);
        let fitting = rest.iter().zip(pattern).take_while(fits).count();
        if fitting == pattern.len() {
            self.take(ahead + fitting, kind)
        } else {
            self.fail(ahead + fitting)
        }
    }

    /// `-P1Y` and the like. After `-P` nothing else is possible.
    pub(super) fn negative_iso_duration(&mut self) -> Lexed {
        let rest = self.rest().get(1..).unwrap_or(&[]);
        if rest.get(5) == Some(&b'-') && rest.get(..5).is_some_and(is_start_of_date_duration) {
            return self.date_duration(1);
        }
        let mut progress = IsoDuration::default();
        let mut complete = None;
        for (index, &byte) in rest.iter().enumerate() {
            if !progress.accept(byte) {
                break;
            }
            if progress.is_complete() {
                complete = Some(index + 1);
            }
        }
        match complete {
            Some(length) if length == progress.accepted => {
                self.take(1 + length, TokenKind::Duration)
            }
            _ => self.fail(1 + progress.accepted),
        }
    }
}

/// `P` and four digits, after which a minus can only be the one of a date.
pub(super) fn is_start_of_date_duration(word: &[u8]) -> bool {
    matches!(word, [b'P', year @ ..] if year.len() == 4 && year.iter().all(u8::is_ascii_digit))
}

/// Whether all of a word is a duration like `P1Y2M3DT4H5M6S`, `PT1S` or `P2W`.
pub(super) fn is_iso_duration(word: &[u8]) -> bool {
    let mut progress = IsoDuration::default();
    word.iter().all(|&byte| progress.accept(byte)) && progress.is_complete()
}

/// How far an ISO 8601 duration has been read.
#[derive(Debug, Default)]
struct IsoDuration {
    accepted: usize,
    is_time: bool,
    has_digits: bool,
    /// The unit that was read last, if any; smaller ones must follow.
    last_unit: Option<u8>,
}

impl IsoDuration {
    fn accept(&mut self, byte: u8) -> bool {
        let fits = match (self.accepted, byte) {
            (0, _) => byte == b'P',
            // Nothing smaller can follow days, seconds or weeks.
            (_, b'0'..=b'9') => !matches!(self.last_unit, Some(b'D' | b'S' | b'W')),
            (_, b'T') => !self.is_time && !self.has_digits && self.last_unit != Some(b'W'),
            _ => self.has_digits && self.accepts_unit(byte),
        };
        if !fits {
            return false;
        }
        self.accepted += 1;
        match byte {
            b'0'..=b'9' => self.has_digits = true,
            b'T' => (self.is_time, self.last_unit) = (true, None),
            b'P' => {}
            unit => (self.has_digits, self.last_unit) = (false, Some(unit)),
        }
        true
    }

    fn accepts_unit(&self, unit: u8) -> bool {
        let units: &[u8] = if self.is_time { b"HMS" } else { b"YMD" };
        let place = |unit: u8| units.iter().position(|&other| other == unit);
        match (self.last_unit, place(unit)) {
            (None, None) => unit == b'W' && !self.is_time,
            (None, Some(_)) => true,
            (Some(last), next) => next.is_some() && place(last) < next,
        }
    }

    fn is_complete(&self) -> bool {
        !self.has_digits && self.last_unit.is_some()
    }
}

/// What a duration's unit looks like here.
#[derive(Debug, PartialEq, Eq)]
enum Unit {
    /// So many bytes.
    Bytes(usize),
    /// Only so many bytes of one: `u` without its `s`.
    Cut(usize),
    /// Nothing of one.
    None,
}

fn unit_length(rest: &[u8]) -> Unit {
    let at = |index: usize| rest.get(index).map(u8::to_ascii_lowercase);
    let with_second = |length: usize| match at(length) {
        Some(b's') => Unit::Bytes(length + 1),
        _ => Unit::Cut(length),
    };
    match (at(0), at(1)) {
        (Some(b'm'), Some(b'o' | b's')) => Unit::Bytes(2),
        (Some(b'y' | b'w' | b'd' | b'h' | b'm' | b's'), _) => Unit::Bytes(1),
        (Some(b'u' | b'n'), _) => with_second(1),
        // The micro sign, U+00B5.
        (Some(0xC2), Some(0xB5)) => with_second(2),
        _ => Unit::None,
    }
}
