//! The fields of a form or of the query of an address, read with limits.
//!
//! A field may be missing, there twice, huge or no text at all; none of it is an error here. The
//! first of a name holds, and what is missing is empty: the domain says what is wrong with it.

use std::borrow::Cow;

use stoa_types::CivilDate;
use stoa_votes::model::Day;

/// Fields of one form at most.
const MOST_FIELDS: usize = 1_000;

/// Fields, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The fields of an encoded form; those beyond a thousand are left out.
    #[must_use]
    pub fn parse(encoded: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(encoded).take(MOST_FIELDS);
        let owned =
            |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into_owned(), lines(&value));
        Self(pairs.map(owned).collect())
    }

    /// The value of a name; empty if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    /// The value of a name, without space around it.
    #[must_use]
    pub fn trimmed(&self, name: &str) -> &str {
        self.get(name).trim()
    }

    /// The value of a name, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether a box was ticked. What a box of ours never says does not tick it.
    #[must_use]
    pub fn is_ticked(&self, name: &str) -> bool {
        self.get(name) == "1"
    }

    /// The number of a name: of a plain integer, with a sign or without.
    #[must_use]
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        self.trimmed(name).parse().ok()
    }

    /// Every value whose name begins so, with the rest of the name.
    pub fn beginning<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().filter_map(move |(name, value)| {
            let rest = name.strip_prefix(prefix)?;
            Some((rest, value.as_str()))
        })
    }

    /// All of them, in their order.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The day of a text such as `2026-11-18`.
#[must_use]
pub fn day_of(text: &str) -> Option<Day> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if !(1970..=9_999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let date = CivilDate { year, month, day };
    let days = date.to_days();
    let is_real = CivilDate::from_days(days) == date;
    i32::try_from(days).ok().filter(|_| is_real).map(Day)
}

/// Browsers send the ends of lines as two characters; texts have one.
fn lines(value: &str) -> String {
    value.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_empty_and_the_first_holds() {
        let fields = Fields::parse(b"a=1&b=x%0D%0Ay&a=2&v_1=7&v_2=8&%FF=%00");
        assert_eq!((fields.get("a"), fields.get("none")), ("1", ""));
        assert_eq!(fields.get("b"), "x\ny");
        assert_eq!(fields.number::<i64>("a"), Some(1));
        assert_eq!(fields.number::<i64>("b"), None);
        let votes: Vec<_> = fields.beginning("v_").collect();
        assert_eq!(votes, [("1", "7"), ("2", "8")]);
    }

    #[test]
    fn a_day_is_one_of_the_calendar() {
        assert_eq!(day_of("2026-11-16"), Some(Day(20_773)));
        for other in [
            "",
            "2026",
            "2026-11",
            "2026-02-30",
            "1969-12-31",
            "x-y-z",
            "2026-11-16-1",
        ] {
            assert_eq!(day_of(other), None, "{other}");
        }
    }

    #[test]
    fn there_are_a_thousand_fields_at_most() {
        let many = "a=1&".repeat(5_000);
        assert_eq!(Fields::parse(many.as_bytes()).all().count(), MOST_FIELDS);
    }
}
