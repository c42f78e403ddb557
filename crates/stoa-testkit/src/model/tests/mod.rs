//! The model's rules on whole partitions: shadowing, expiry, conditions and purge.

mod purge;
mod reads;

use super::*;
use crate::facts::{Cell, ColumnId, Deletion, Expiry, Liveness};
use crate::operations::{Change, Element, RowUpdate};

const TABLE: TableId = 1;
const NOW: i64 = 1_000;

fn deletion(timestamp_micros: i64, deleted_at_seconds: i64) -> Deletion {
    Deletion {
        timestamp_micros,
        deleted_at_seconds,
    }
}

fn row(clustering: &str) -> RowKey {
    RowKey::Clustering(clustering.into())
}

fn set(key: RowKey, column: ColumnId, cell: Cell) -> Change {
    Change::UpdateRow(RowUpdate {
        cells: vec![(column, cell)],
        ..RowUpdate::new(key)
    })
}

fn insert(clustering: &str, timestamp_micros: i64, expiry: Option<Expiry>) -> Change {
    let liveness = Some(Liveness {
        timestamp_micros,
        expiry,
    });
    Change::UpdateRow(RowUpdate {
        liveness,
        ..RowUpdate::new(row(clustering))
    })
}

fn delete_row(clustering: &str, deletion: Deletion) -> Change {
    let deletion = Some(deletion);
    Change::UpdateRow(RowUpdate {
        deletion,
        ..RowUpdate::new(row(clustering))
    })
}

fn delete_range(start: &str, end: &str, deletion: Deletion) -> Change {
    Change::DeleteRange {
        range: Interval::new(start, end),
        deletion,
    }
}

fn element(clustering: &str, path: &str, cell: Cell) -> Change {
    let element = Element {
        column: 7,
        path: path.into(),
        cell,
    };
    Change::UpdateRow(RowUpdate {
        elements: vec![element],
        ..RowUpdate::new(row(clustering))
    })
}

fn delete_collection(clustering: &str, deletion: Deletion) -> Change {
    let complex_deletions = vec![(7, deletion)];
    Change::UpdateRow(RowUpdate {
        complex_deletions,
        ..RowUpdate::new(row(clustering))
    })
}

fn write(model: &mut Model, changes: Vec<Change>) {
    model.apply(&ModelMutation {
        table: TABLE,
        partition: b"p".to_vec(),
        changes,
    });
}

fn model(changes: Vec<Change>) -> Model {
    let mut model = Model::new();
    write(&mut model, changes);
    model
}

/// The answer in one line, times of writing left out.
fn shown_at(model: &Model, now_seconds: i64) -> String {
    let answer = model.read(&Read::whole(TABLE, "p", now_seconds));
    let rows = answer.static_row.iter().chain(&answer.rows);
    let lines: Vec<String> = rows.map(ToString::to_string).collect();
    lines.join(" ")
}

fn shown(changes: Vec<Change>) -> String {
    shown_at(&model(changes), NOW)
}
