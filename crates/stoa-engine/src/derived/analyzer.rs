//! How a storage-attached index changes texts before it compares them: its analyzer.
//!
//! ```text
//! case_sensitive: false   all letters small
//! normalize: true         letters and their marks composed (Unicode's form C)
//! ascii: true             letters outside of ASCII by those inside
//! ```
//! The rules are those of Cassandra's `NonTokenizingAnalyzer`, in its order.

mod ascii;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::catalog::{Index, IndexTarget, Table};

/// What an index disregards in texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Analyzer {
    ignores_case: bool,
    composes: bool,
    folds: bool,
}

impl Analyzer {
    /// The analyzer of an index.
    pub(crate) fn of(index: &Index) -> Self {
        let is = |name: &str, value: &str| {
            let given = index.option(name);
            given.is_some_and(|it| it.eq_ignore_ascii_case(value))
        };
        Self {
            ignores_case: is("case_sensitive", "false"),
            composes: is("normalize", "true"),
            folds: is("ascii", "true"),
        }
    }

    /// The analyzer of the index on a column, if it has one.
    pub(crate) fn on(table: &Table, column: &str, target: IndexTarget) -> Self {
        let mut indexes = table.indexes.iter();
        let found = indexes
            .find(|it| it.is_storage_attached() && *it.column == *column && it.target == target);
        found.map_or_else(Self::default, |it| Self::of(it))
    }

    /// Whether texts are compared as they are.
    pub(crate) fn is_plain(self) -> bool {
        self == Self::default()
    }

    /// A text as the index has it. What is no text stays as it is.
    pub(crate) fn apply(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self.is_plain() {
            return Cow::Borrowed(bytes);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Cow::Borrowed(bytes);
        };
        let mut text = match self.ignores_case {
            true => text.to_lowercase(),
            false => text.to_owned(),
        };
        if self.composes {
            text = text.nfc().collect();
        }
        if self.folds {
            text = ascii::folded(&text);
        }
        Cow::Owned(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_disregards_its_own() {
        let all = Analyzer {
            ignores_case: true,
            composes: true,
            folds: true,
        };
        assert_eq!(&*all.apply("Été".as_bytes()), b"ete");
        assert_eq!(&*all.apply("STRA\u{df}E".as_bytes()), b"strasse");
        let composing = Analyzer {
            composes: true,
            ..Analyzer::default()
        };
        assert_eq!(
            composing.apply("E\u{301}".as_bytes()),
            composing.apply("\u{c9}".as_bytes())
        );
        assert_eq!(&*Analyzer::default().apply(b"\xff"), b"\xff");
        assert_eq!(&*all.apply(b"\xff"), b"\xff");
    }
}
