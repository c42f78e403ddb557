//! What a statement's text tells about its effect, before anybody has executed it.
//!
//! It decides what may be said and done after a failure, so it is careful: where the text leaves
//! doubt, the statement counts as the one that is harder to repeat.

use stoa_session::statement::{Batch, BatchItem, BatchKind};
use stoa_session::{Column, DataType, Options};

use crate::words::words;

/// What a statement is, as far as failures are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nature {
    /// It changes nothing.
    pub(crate) is_read: bool,
    /// It has an `IF`: several rounds between replicas, each of which may outlive the others.
    pub(crate) is_conditional: bool,
    /// It may change several partitions one after another, so that a part may happen alone.
    pub(crate) is_partial: bool,
    /// It adds to counters: twice is not once, whatever its author says.
    pub(crate) is_counter: bool,
}

impl Nature {
    /// The nature of a text.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut words = words(text);
        let first = words.next().unwrap_or_default();
        let is = |word: &str, keyword: &str| word.eq_ignore_ascii_case(keyword);
        if ["SELECT", "DESCRIBE", "DESC", "LIST"]
            .iter()
            .any(|keyword| is(first, keyword))
        {
            return Self {
                is_read: true,
                ..Self::default()
            };
        }
        let mut nature = Self {
            is_partial: is(first, "BEGIN"),
            ..Self::default()
        };
        for word in words {
            nature.is_conditional |= is(word, "IF");
            nature.is_partial |= is(word, "IN");
        }
        nature
    }

    /// The nature of a prepared statement.
    pub(crate) fn of_prepared(text: &str, variables: &[Column]) -> Self {
        let is_counter = |variable: &Column| variable.data_type == DataType::Counter;
        Self {
            is_counter: variables.iter().any(is_counter),
            ..Self::of_text(text)
        }
    }

    /// The nature of a batch whose prepared items have these.
    pub(crate) fn of_batch(batch: &Batch, of_item: impl Fn(&BatchItem) -> Self) -> Self {
        let mut nature = Self {
            is_partial: batch.kind != BatchKind::Logged && batch.items().len() > 1,
            is_counter: batch.kind == BatchKind::Counter,
            ..Self::default()
        };
        for item in batch.items().iter().map(of_item) {
            nature.is_conditional |= item.is_conditional;
            nature.is_counter |= item.is_counter;
            nature.is_partial |= item.is_partial && batch.kind != BatchKind::Logged;
        }
        nature
    }

    /// Whether executing it twice has the effect of executing it once.
    pub(crate) fn is_idempotent(self, options: &Options) -> bool {
        self.is_read || (options.is_idempotent && !self.is_conditional && !self.is_counter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_told_by_their_first_word() {
        for text in ["select * from t", " -- x\n/* y */ SELECT 1", "DESC TABLES"] {
            assert!(Nature::of_text(text).is_read, "{text}");
        }
        // A copy of a USE that comes late would undo the next one on its connection.
        for text in [
            "INSERT INTO select_t (a) VALUES (1)",
            "",
            "'select'",
            "USE a",
        ] {
            assert!(!Nature::of_text(text).is_read, "{text}");
        }
    }

    #[test]
    fn conditions_are_told_by_the_word_if() {
        let nature = Nature::of_text("UPDATE t SET a = 1 WHERE k = 2 IF a = 0");
        assert!(nature.is_conditional);
        let quoted = Nature::of_text("UPDATE t SET a = 'if' WHERE \"if\" = 2");
        assert!(!quoted.is_conditional);
    }

    #[test]
    fn several_partitions_may_be_changed_in_part() {
        assert!(Nature::of_text("DELETE FROM t WHERE k IN (1, 2)").is_partial);
        assert!(Nature::of_text("BEGIN UNLOGGED BATCH INSERT").is_partial);
        assert!(!Nature::of_text("DELETE FROM t WHERE k = 1").is_partial);
        let mut batch = Batch::new(BatchKind::Unlogged);
        batch.push_text("INSERT INTO t (k) VALUES (1)");
        let of_item = |_: &BatchItem| Nature::default();
        assert!(!Nature::of_batch(&batch, of_item).is_partial);
        batch.push_text("INSERT INTO t (k) VALUES (2)");
        assert!(Nature::of_batch(&batch, of_item).is_partial);
        batch.kind = BatchKind::Logged;
        assert!(!Nature::of_batch(&batch, of_item).is_partial);
    }

    #[test]
    fn conditions_and_counters_are_never_idempotent() {
        let declared = Options::new().idempotent();
        let plain = Nature::of_text("INSERT INTO t (k) VALUES (1)");
        assert!(plain.is_idempotent(&declared));
        assert!(!plain.is_idempotent(&Options::new()));
        let conditional = Nature::of_text("INSERT INTO t (k) VALUES (1) IF NOT EXISTS");
        assert!(!conditional.is_idempotent(&declared));
        let variable = [Column::new("c", DataType::Counter)];
        let counter = Nature::of_prepared("UPDATE t SET c = c + ? WHERE k = 1", &variable);
        assert!(!counter.is_idempotent(&declared));
        assert!(Nature::of_text("SELECT 1").is_idempotent(&Options::new()));
    }
}
