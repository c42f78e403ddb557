//! What becomes of a write of a dump before it is executed; pure functions.
//!
//! - A TTL counts from a second that the dump tells, and a back end counts from now. What is gone
//!   by now is left out.
//! - Elements that are added to a list get new places each time, so a list that is loaded twice
//!   would have all of them twice. Where rows may be there already, elements that are equal to
//!   those to come and not newer are taken out first.

use stoa_cql::ast::{
    Assignment, Batch, BatchKind, Comparison, Insert, Literal, LiteralKind, Modification,
    Operation, Relation, Statement, Term, Update, Using, UsingOption,
};

use stoa_types::text::identifier::quoted;

use crate::command::dump::shape::Shape;

/// The longest TTL that Cassandra takes, in seconds: 20 years.
const LONGEST_TTL: i64 = 630_720_000;

/// A write of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Write {
    writes: Vec<Modification>,
    is_batch: bool,
}

impl Write {
    /// The write that a statement is; `None` if it is something else, or has a condition.
    pub(super) fn of(statement: Statement) -> Option<Self> {
        let (writes, is_batch) = match statement {
            Statement::Insert(insert) if !insert.if_not_exists => {
                (vec![Modification::Insert(insert)], false)
            }
            Statement::Update(update) if update.condition.is_none() => {
                (vec![Modification::Update(update)], false)
            }
            Statement::Batch(batch) => (batch.statements, true),
            _ => return None,
        };
        let is_plain = |it: &Modification| match it {
            Modification::Insert(insert) => !insert.if_not_exists,
            Modification::Update(update) => update.condition.is_none(),
            Modification::InsertJson(_) | Modification::Delete(_) => false,
        };
        writes
            .iter()
            .all(is_plain)
            .then_some(Self { writes, is_batch })
    }

    /// The table that is written to, with its keyspace.
    pub(super) fn table(&self) -> Option<(&str, &str)> {
        let table = match self.writes.first()? {
            Modification::Insert(insert) => &insert.table,
            Modification::Update(update) => &update.table,
            Modification::InsertJson(_) | Modification::Delete(_) => return None,
        };
        Some((table.keyspace.as_ref()?.as_str(), table.name.as_str()))
    }

    /// Whether something of it ends.
    pub(super) fn has_ttl(&self) -> bool {
        self.writes.iter().any(|it| ttl(it).is_some())
    }

    /// Counts TTLs from `now` instead of from `base`; both are seconds. What is gone is left out.
    pub(super) fn count_from(&mut self, base: i64, now: i64) {
        self.writes.retain_mut(|write| {
            let Some(seconds) = ttl(write) else {
                return true;
            };
            let left = base.saturating_add(seconds).saturating_sub(now);
            set_ttl(write, left.min(LONGEST_TTL));
            left > 0
        });
    }

    /// Whether nothing is left of it.
    pub(super) fn is_gone(&self) -> bool {
        self.writes.is_empty()
    }

    /// Whether elements of lists are added.
    pub(super) fn adds_to_lists(&self, shape: &Shape) -> bool {
        self.writes.iter().any(|it| discard(it, shape).is_some())
    }

    /// Takes out first what is added to lists, so that it may be executed again.
    pub(super) fn discard_first(&mut self, shape: &Shape) {
        let discards = self.writes.iter().filter_map(|it| discard(it, shape));
        let discards: Vec<Modification> = discards.map(Modification::Update).collect();
        self.writes.splice(..0, discards);
        self.is_batch = true;
    }

    /// An `INSERT` with variables for all it writes, its timestamp and TTL among them, and what
    /// they are to be; `None` if it is something else.
    pub(super) fn with_markers(&self) -> Option<(String, Vec<&Term>)> {
        let [Modification::Insert(insert)] = self.writes.as_slice() else {
            return None;
        };
        let names = insert.columns.iter().map(|it| quoted(it.as_str()));
        let names: Vec<String> = names.collect();
        let marks = vec!["?"; insert.values.len()].join(", ");
        let (keyspace, table) = self.table()?;
        let mut text = format!(
            "INSERT INTO {}.{} ({}) VALUES ({marks})",
            quoted(keyspace),
            quoted(table),
            names.join(", ")
        );
        let mut terms: Vec<&Term> = insert.values.iter().collect();
        for (index, option) in insert.using.0.iter().enumerate() {
            let (name, term) = match option {
                UsingOption::Timestamp(term) => ("TIMESTAMP", term),
                UsingOption::TimeToLive(term) => ("TTL", term),
            };
            let joint = if index == 0 { "USING" } else { "AND" };
            text.push_str(&format!(" {joint} {name} ?"));
            terms.push(term);
        }
        Some((text, terms))
    }

    /// As CQL.
    pub(super) fn text(&self) -> String {
        match self.writes.as_slice() {
            [single] if !self.is_batch => Statement::from(single.clone()).to_string(),
            all => Statement::Batch(Batch {
                kind: BatchKind::Unlogged,
                using: Using::default(),
                statements: all.to_vec(),
            })
            .to_string(),
        }
    }
}

fn using(write: &Modification) -> Option<&Using> {
    match write {
        Modification::Insert(insert) => Some(&insert.using),
        Modification::Update(update) => Some(&update.using),
        Modification::InsertJson(_) | Modification::Delete(_) => None,
    }
}

/// The seconds after which a write ends; `None` if it does not.
fn ttl(write: &Modification) -> Option<i64> {
    match using(write)?.time_to_live()? {
        Term::Literal(literal) => literal.text.parse().ok().filter(|seconds| *seconds != 0),
        _ => None,
    }
}

fn set_ttl(write: &mut Modification, seconds: i64) {
    let using = match write {
        Modification::Insert(insert) => &mut insert.using,
        Modification::Update(update) => &mut update.using,
        Modification::InsertJson(_) | Modification::Delete(_) => return,
    };
    for option in &mut using.0 {
        if let UsingOption::TimeToLive(term) = option {
            *term = Term::Literal(Literal {
                kind: LiteralKind::Integer,
                text: seconds.to_string().into(),
            });
        }
    }
}

/// What takes out the elements that a write adds to lists.
fn discard(write: &Modification, shape: &Shape) -> Option<Update> {
    let (table, using, added, relations) = match write {
        Modification::Insert(insert) => {
            let added = insert.columns.iter().zip(&insert.values);
            let added: Vec<_> = added
                .filter(|(name, _)| shape.lists.contains(*name))
                .collect();
            (&insert.table, &insert.using, added, key_of(insert, shape))
        }
        Modification::Update(update) => {
            let added = update
                .assignments
                .iter()
                .filter_map(|it| match &it.operation {
                    Operation::Add(term) if shape.lists.contains(&it.column) => {
                        Some((&it.column, term))
                    }
                    _ => None,
                });
            let relations = update.relations.clone();
            (&update.table, &update.using, added.collect(), relations)
        }
        Modification::InsertJson(_) | Modification::Delete(_) => return None,
    };
    if added.is_empty() {
        return None;
    }
    let times = using
        .0
        .iter()
        .filter(|it| matches!(it, UsingOption::Timestamp(_)));
    let subtract = |(column, term): (&stoa_cql::ast::Name, &Term)| Assignment {
        column: column.clone(),
        operation: Operation::Subtract(term.clone()),
    };
    Some(Update {
        table: table.clone(),
        using: Using(times.cloned().collect()),
        assignments: added.into_iter().map(subtract).collect(),
        relations,
        condition: None,
    })
}

/// The row that is inserted, as an `UPDATE` names it.
fn key_of(insert: &Insert, shape: &Shape) -> Vec<Relation> {
    let columns = insert.columns.iter().zip(&insert.values);
    let keys = columns.filter(|(name, _)| shape.primary_key.contains(*name));
    let keys = keys.map(|(name, value)| Relation::Column {
        column: name.clone(),
        comparison: Comparison::Equal,
        value: value.clone(),
    });
    keys.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(text: &str) -> Statement {
        stoa_cql::parse(text).unwrap().statement
    }

    fn write(text: &str) -> Write {
        Write::of(statement(text)).unwrap()
    }

    fn shape() -> Shape {
        match statement("CREATE TABLE k.t (p int, c int, l list<int>, PRIMARY KEY (p, c))") {
            Statement::CreateTable(table) => Shape::of(&table),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ttls_count_from_now() {
        let text = "INSERT INTO k.t (p) VALUES (1) USING TIMESTAMP 5 AND TTL 100";
        let mut later = write(text);
        later.count_from(1_000, 1_030);
        assert_eq!(
            later.text(),
            "INSERT INTO k.t (p) VALUES (1) USING TIMESTAMP 5 AND TTL 70"
        );
        let mut gone = write(text);
        gone.count_from(1_000, 1_100);
        assert!(gone.is_gone());
        let text = "UPDATE k.t USING TIMESTAMP 5 AND TTL 0 SET v = 1 WHERE p = 1";
        let mut kept = write(text);
        assert!(!kept.has_ttl());
        kept.count_from(1_000, 5_000);
        assert_eq!(kept.text(), text);
    }

    #[test]
    fn a_batch_loses_what_is_gone() {
        let mut batch = write(
            "BEGIN UNLOGGED BATCH \
             UPDATE k.t USING TIMESTAMP 1 AND TTL 10 SET l = l + [1] WHERE p = 1 AND c = 2; \
             UPDATE k.t USING TIMESTAMP 2 AND TTL 99 SET l = l + [2] WHERE p = 1 AND c = 2; \
             APPLY BATCH",
        );
        batch.count_from(0, 50);
        assert_eq!(batch.writes.len(), 1);
        assert!(batch.text().contains("TTL 49"), "{}", batch.text());
    }

    #[test]
    fn lists_are_emptied_of_what_will_be_added() {
        let shape = shape();
        let mut insert =
            write("INSERT INTO k.t (p, c, l) VALUES (1, 2, [3]) USING TIMESTAMP 9 AND TTL 5");
        assert!(insert.adds_to_lists(&shape));
        insert.discard_first(&shape);
        let text = insert.text();
        assert!(
            text.contains(
                "UPDATE k.t USING TIMESTAMP 9 SET l -= [3] WHERE p = 1 AND c = 2; INSERT"
            ),
            "{text}"
        );
        let plain = write("INSERT INTO k.t (p, c) VALUES (1, 2) USING TIMESTAMP 9");
        assert!(!plain.adds_to_lists(&shape));
    }

    #[test]
    fn inserts_are_prepared_with_variables() {
        let insert =
            write("INSERT INTO k.t (p, \"C\") VALUES (1, ['a']) USING TIMESTAMP 9 AND TTL 5");
        let (text, terms) = insert.with_markers().unwrap();
        assert_eq!(
            text,
            "INSERT INTO k.t (p, \"C\") VALUES (?, ?) USING TIMESTAMP ? AND TTL ?"
        );
        assert_eq!(terms.len(), 4);
        let update = write("UPDATE k.t SET v = 1 WHERE p = 1");
        assert_eq!(update.with_markers(), None);
    }

    #[test]
    fn what_no_dump_holds_is_no_write() {
        for text in [
            "DELETE FROM k.t WHERE p = 1",
            "INSERT INTO k.t (p) VALUES (1) IF NOT EXISTS",
            "UPDATE k.t SET v = 1 WHERE p = 1 IF EXISTS",
            "BEGIN BATCH DELETE FROM k.t WHERE p = 1; APPLY BATCH",
            "SELECT * FROM k.t",
        ] {
            assert_eq!(Write::of(statement(text)), None, "{text}");
        }
    }
}
