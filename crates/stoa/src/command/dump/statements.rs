//! The statements that write a row again: one for each stamp.
//!
//! 1. The oldest cells of a row are written by an `INSERT`, which also makes the row itself, with
//!    the same stamp. CQL does not tell whether a row was made by an `INSERT`, nor when, so it is
//!    taken to have been: a row that stays although its last cell is deleted is the smaller harm.
//! 2. All other cells are written by `UPDATE`s, one for each stamp, which add to collections and
//!    never replace them.
//! 3. Elements of a list come in the order in which they are added. If their stamps differ, all of
//!    them are in one batch, so that one node gives them their places.

use std::collections::BTreeMap;

use super::row::{Column, Kind, Row};
use super::shape::Shape;
use super::stamp::{Stamp, Using};

/// When a row was made that has nothing but its key. Nothing tells; so early, it hides from no
/// deletion.
const UNKNOWN: Stamp = Stamp {
    micros: 0,
    expires: None,
};

/// The statements for the static columns of a partition.
pub(super) fn of_statics(shape: &Shape, using: Using, row: &Row) -> Vec<String> {
    let writer = Writer {
        shape,
        using,
        place: place(&shape.partition, &row.partition),
    };
    let mut statements = Vec::new();
    if shape.is_counter {
        statements.extend(writer.counters(&row.statics));
    } else {
        writer.updates(&row.statics.iter().collect::<Vec<_>>(), &mut statements);
    }
    statements
}

/// The statements for a row without its static columns.
pub(super) fn of_row(shape: &Shape, using: Using, row: &Row) -> Vec<String> {
    let Some(clustering) = &row.clustering else {
        return Vec::new();
    };
    let keys: Vec<String> = shape.keys().cloned().collect();
    let values: Vec<String> = row.partition.iter().chain(clustering).cloned().collect();
    let writer = Writer {
        shape,
        using,
        place: place(&keys, &values),
    };
    let mut statements = Vec::new();
    if shape.is_counter {
        statements.extend(writer.counters(&row.regulars));
        return statements;
    }
    if row.regulars.is_empty() && row.lost_cells {
        // It was gone by the time from which TTLs count.
        return statements;
    }
    let base = base(&row.regulars);
    let is_first = |it: &&Column| uniform(it) == Some(base);
    let (first, later): (Vec<&Column>, Vec<&Column>) = row.regulars.iter().partition(is_first);
    let names = keys.iter().chain(first.iter().map(|it| &it.name));
    let names: Vec<&str> = names.map(String::as_str).collect();
    let values = values.into_iter().chain(first.iter().map(|it| whole(it)));
    let values: Vec<String> = values.collect();
    // A row of nothing but its key lives no longer than its table lets it.
    let using = match row.regulars.is_empty() {
        true => format!("TIMESTAMP {}", base.micros),
        false => using.text(base),
    };
    statements.push(format!(
        "INSERT INTO {} ({}) VALUES ({}) USING {using}",
        shape.table,
        names.join(", "),
        values.join(", "),
    ));
    writer.updates(&later, &mut statements);
    statements
}

/// The stamp of the oldest column whose cells have one stamp, or of the oldest cell.
fn base(columns: &[Column]) -> Stamp {
    let of_column = columns.iter().filter_map(uniform).min();
    let cells = columns.iter().flat_map(|it| &it.cells);
    let of_cell = cells.map(|it| it.stamp).min();
    of_column.or(of_cell).unwrap_or(UNKNOWN)
}

/// The stamp of all cells of a column, if it is one.
fn uniform(column: &Column) -> Option<Stamp> {
    let first = column.cells.first()?.stamp;
    let is_one = column.cells.iter().all(|it| it.stamp == first);
    is_one.then_some(first)
}

/// `a = 1 AND b = 2`.
fn place(names: &[String], values: &[String]) -> String {
    let pairs = names.iter().zip(values);
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    pairs.join(" AND ")
}

/// A whole column as one term.
fn whole(column: &Column) -> String {
    let texts = column.cells.iter().map(|cell| match &cell.field {
        Some(field) => format!("{field}: {}", cell.text),
        None => cell.text.clone(),
    });
    let texts: Vec<String> = texts.collect();
    let texts = texts.join(", ");
    match column.kind {
        Kind::Whole => texts,
        Kind::List => format!("[{texts}]"),
        Kind::SetOrMap | Kind::Fields => format!("{{{texts}}}"),
    }
}

/// Cells of one column with one stamp.
struct Share<'c> {
    column: &'c Column,
    texts: Vec<&'c str>,
    fields: Vec<Option<&'c str>>,
}

impl Share<'_> {
    /// What stands in a `SET`.
    fn assignment(&self) -> String {
        let name = &self.column.name;
        let texts = self.texts.join(", ");
        match self.column.kind {
            Kind::Whole => format!("{name} = {texts}"),
            Kind::List => format!("{name} = {name} + [{texts}]"),
            Kind::SetOrMap => format!("{name} = {name} + {{{texts}}}"),
            Kind::Fields => {
                let fields = self.fields.iter().zip(&self.texts);
                let fields = fields
                    .map(|(field, text)| format!("{name}.{} = {text}", field.unwrap_or_default()));
                fields.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

struct Writer<'s> {
    shape: &'s Shape,
    using: Using,
    /// What stands after `WHERE`.
    place: String,
}

impl Writer<'_> {
    fn counters(&self, columns: &[Column]) -> Option<String> {
        let mut added = Vec::new();
        for Column { name, cells, .. } in columns {
            added.extend(
                cells
                    .iter()
                    .map(|it| format!("{name} = {name} + {}", it.text)),
            );
        }
        (!added.is_empty()).then(|| {
            let (table, place) = (&self.shape.table, &self.place);
            format!("UPDATE {table} SET {} WHERE {place}", added.join(", "))
        })
    }

    fn update(&self, stamp: Stamp, assignments: &[String]) -> String {
        format!(
            "UPDATE {} USING {} SET {} WHERE {}",
            self.shape.table,
            self.using.text(stamp),
            assignments.join(", "),
            self.place
        )
    }

    /// Writes columns cell by cell.
    fn updates(&self, columns: &[&Column], statements: &mut Vec<String>) {
        let is_mixed = |it: &&&Column| it.kind == Kind::List && uniform(it).is_none();
        let (mixed, others): (Vec<&Column>, Vec<&Column>) = columns.iter().partition(is_mixed);
        let mut by_stamp: BTreeMap<Stamp, Vec<String>> = BTreeMap::new();
        for column in others {
            for (stamp, share) in shares(column) {
                by_stamp.entry(stamp).or_default().push(share.assignment());
            }
        }
        let written = by_stamp.iter();
        statements.extend(written.map(|(stamp, assignments)| self.update(*stamp, assignments)));
        statements.extend(mixed.into_iter().map(|it| self.list(it)));
    }

    /// A list whose elements have different stamps.
    fn list(&self, column: &Column) -> String {
        let runs = column
            .cells
            .chunk_by(|left, right| left.stamp == right.stamp);
        let updates = runs.filter_map(|run| {
            let stamp = run.first()?.stamp;
            let share = Share {
                column,
                texts: run.iter().map(|it| it.text.as_str()).collect(),
                fields: Vec::new(),
            };
            Some(format!("{}; ", self.update(stamp, &[share.assignment()])))
        });
        let updates: String = updates.collect();
        format!("BEGIN UNLOGGED BATCH {updates}APPLY BATCH")
    }
}

/// The cells of a column by their stamps.
fn shares(column: &Column) -> BTreeMap<Stamp, Share<'_>> {
    let mut shares: BTreeMap<Stamp, Share<'_>> = BTreeMap::new();
    for cell in &column.cells {
        let share = shares.entry(cell.stamp).or_insert_with(|| Share {
            column,
            texts: Vec::new(),
            fields: Vec::new(),
        });
        share.texts.push(&cell.text);
        share.fields.push(cell.field.as_deref());
    }
    shares
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::row::Cell;
    use super::*;

    fn shape(has_default_ttl: bool) -> Shape {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Shape {
            table: "k.t".to_owned(),
            primary_key: Vec::new(),
            partition: names(&["p"]),
            clustering: names(&["c"]),
            statics: names(&["s"]),
            regulars: names(&["a", "b", "l", "u"]),
            lists: BTreeSet::new(),
            is_counter: false,
            has_default_ttl,
        }
    }

    fn column(name: &str, kind: Kind, cells: &[(&str, i64, Option<i64>)]) -> Column {
        let cells = cells.iter().map(|(text, micros, expires)| Cell {
            field: (kind == Kind::Fields).then(|| format!("f{text}")),
            text: (*text).to_owned(),
            stamp: Stamp {
                micros: *micros,
                expires: *expires,
            },
        });
        Column {
            name: name.to_owned(),
            kind,
            cells: cells.collect(),
        }
    }

    fn written(has_default_ttl: bool, regulars: Vec<Column>) -> Vec<String> {
        let row = Row {
            partition: vec!["1".to_owned()],
            clustering: Some(vec!["'x'".to_owned()]),
            statics: Vec::new(),
            regulars,
            lost_cells: false,
        };
        let using = Using {
            base: 1_000,
            has_default_ttl,
        };
        of_row(&shape(has_default_ttl), using, &row)
    }

    #[test]
    fn the_oldest_cells_are_inserted_and_the_others_follow() {
        let columns = vec![
            column("a", Kind::Whole, &[("5", 20, None)]),
            column("b", Kind::Whole, &[("6", 10, Some(1_060))]),
            column("u", Kind::Fields, &[("7", 20, None), ("8", 30, None)]),
        ];
        assert_eq!(
            written(false, columns),
            [
                "INSERT INTO k.t (p, c, b) VALUES (1, 'x', 6) USING TIMESTAMP 10 AND TTL 60",
                "UPDATE k.t USING TIMESTAMP 20 SET a = 5, u.f7 = 7 WHERE p = 1 AND c = 'x'",
                "UPDATE k.t USING TIMESTAMP 30 SET u.f8 = 8 WHERE p = 1 AND c = 'x'",
            ]
        );
    }

    #[test]
    fn a_row_of_nothing_but_its_key_is_inserted() {
        let expected = ["INSERT INTO k.t (p, c) VALUES (1, 'x') USING TIMESTAMP 0"];
        assert_eq!(written(false, vec![]), expected);
        assert_eq!(written(true, vec![]), expected);
    }

    #[test]
    fn what_lives_for_ever_says_so_where_the_table_says_otherwise() {
        let columns = vec![column("a", Kind::Whole, &[("5", 20, None)])];
        assert_eq!(
            written(true, columns),
            ["INSERT INTO k.t (p, c, a) VALUES (1, 'x', 5) USING TIMESTAMP 20 AND TTL 0"]
        );
    }

    #[test]
    fn elements_of_a_list_keep_their_order_and_their_stamps() {
        let cells = [("1", 20, None), ("2", 10, None), ("3", 20, None)];
        let columns = vec![column("l", Kind::List, &cells)];
        assert_eq!(
            written(false, columns),
            [
                "INSERT INTO k.t (p, c) VALUES (1, 'x') USING TIMESTAMP 10",
                "BEGIN UNLOGGED BATCH \
                 UPDATE k.t USING TIMESTAMP 20 SET l = l + [1] WHERE p = 1 AND c = 'x'; \
                 UPDATE k.t USING TIMESTAMP 10 SET l = l + [2] WHERE p = 1 AND c = 'x'; \
                 UPDATE k.t USING TIMESTAMP 20 SET l = l + [3] WHERE p = 1 AND c = 'x'; \
                 APPLY BATCH",
            ]
        );
        let columns = vec![column("l", Kind::List, &[("1", 20, None), ("2", 20, None)])];
        assert_eq!(
            written(false, columns),
            ["INSERT INTO k.t (p, c, l) VALUES (1, 'x', [1, 2]) USING TIMESTAMP 20"]
        );
    }
}
