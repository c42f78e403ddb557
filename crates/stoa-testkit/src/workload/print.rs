//! Histories as text for people who read a failure.

use crate::facts::{Cell, CellState, Deletion, Expiry, Interval};
use crate::operations::{
    Change, CompareAndSet, Condition, ModelMutation, Order, Read, RowKey, RowUpdate,
};
use crate::text::bytes_text;
use crate::workload::{History, Step};

/// The seed and the setting in the first line, then one line a step.
pub(crate) fn history_text(history: &History) -> String {
    let History {
        seed,
        start_seconds,
        gc_grace_seconds,
        ..
    } = history;
    let mut lines = vec![format!(
        "seed {seed}, clock {start_seconds}, grace {gc_grace_seconds} s"
    )];
    for (index, step) in history.steps.iter().enumerate() {
        lines.push(format!("{index:>4}  {}", step_text(step)));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// One step in one line.
pub(crate) fn step_text(step: &Step) -> String {
    match step {
        Step::Write(batch) => {
            let mutations: Vec<String> = batch.mutations.iter().map(mutation_text).collect();
            format!("write {}", mutations.join(" + "))
        }
        Step::CompareAndSet(request) => request_text(request),
        Step::Read(read) => format!("read {}", read_text(read)),
        Step::Scan { table, now_seconds } => format!("scan table {table} now {now_seconds}"),
        Step::AdvanceClock { now_seconds } => format!("advance clock to {now_seconds}"),
        Step::JumpClock { jump, now_seconds } => format!("jump clock {jump:?} to {now_seconds}"),
        Step::Flush => "flush".to_owned(),
        Step::Compact => "compact".to_owned(),
        Step::Purge {
            now_seconds,
            gc_grace_seconds,
        } => {
            format!("purge at {now_seconds} with grace {gc_grace_seconds} s")
        }
        Step::Reopen => "reopen".to_owned(),
        Step::Truncate(table) => format!("truncate table {table}"),
        Step::OpenSnapshot { slot } => format!("open snapshot {slot}"),
        Step::ReadSnapshot { slot, read } => format!("read snapshot {slot} {}", read_text(read)),
        Step::CloseSnapshot { slot } => format!("close snapshot {slot}"),
    }
}

fn mutation_text(mutation: &ModelMutation) -> String {
    let changes: Vec<String> = mutation.changes.iter().map(change_text).collect();
    let partition = bytes_text(&mutation.partition);
    format!(
        "table {} {partition} {{{}}}",
        mutation.table,
        changes.join("; ")
    )
}

fn change_text(change: &Change) -> String {
    match change {
        Change::DeletePartition(deletion) => format!("delete all{}", deletion_text(deletion)),
        Change::DeleteRange { range, deletion } => {
            format!("delete {}{}", interval_text(range), deletion_text(deletion))
        }
        Change::UpdateRow(update) => update_text(update),
        Change::AddToCounter {
            row,
            column,
            delta,
            timestamp_micros,
        } => {
            format!("{} {column}+={delta}@{timestamp_micros}", row_text(row))
        }
        Change::DeleteCounter {
            row,
            column,
            deletion,
        } => {
            format!("{} {column}=dead{}", row_text(row), deletion_text(deletion))
        }
    }
}

fn update_text(update: &RowUpdate) -> String {
    let mut parts = vec![row_text(&update.row)];
    parts.extend(
        update
            .deletion
            .map(|deletion| format!("delete{}", deletion_text(&deletion))),
    );
    parts.extend(update.liveness.map(|liveness| {
        let end = liveness
            .expiry
            .map(|expiry| expiry_text(&expiry))
            .unwrap_or_default();
        format!("live@{}{end}", liveness.timestamp_micros)
    }));
    for (column, cell) in &update.cells {
        parts.push(format!("{column}={}", cell_text(cell)));
    }
    for (column, deletion) in &update.complex_deletions {
        parts.push(format!("{column}=[]{}", deletion_text(deletion)));
    }
    for element in &update.elements {
        let path = bytes_text(&element.path);
        parts.push(format!(
            "{}[{path}]={}",
            element.column,
            cell_text(&element.cell)
        ));
    }
    parts.join(" ")
}

fn request_text(request: &CompareAndSet) -> String {
    let condition = match &request.condition {
        Condition::RowExists => "exists".to_owned(),
        Condition::RowAbsent => "is absent".to_owned(),
        Condition::ColumnIs { column, value } => {
            let value = value
                .as_ref()
                .map_or_else(|| "null".to_owned(), |it| bytes_text(it));
            format!("{column}=={value}")
        }
    };
    let row = row_text(&request.row);
    let mutation = mutation_text(&request.mutation);
    format!(
        "write {mutation} if {row} {condition} now {}",
        request.now_seconds
    )
}

fn read_text(read: &Read) -> String {
    let slices: Vec<String> = read.slices.iter().map(interval_text).collect();
    let mut text = format!(
        "table {} {} {} now {}",
        read.table,
        bytes_text(&read.partition),
        slices.join(" "),
        read.now_seconds
    );
    if read.order == Order::Reversed {
        text.push_str(" reversed");
    }
    text.extend(read.limit.map(|limit| format!(" limit {limit}")));
    text.extend(read.page_rows.map(|rows| format!(" pages of {rows}")));
    text
}

fn row_text(row: &RowKey) -> String {
    match row {
        RowKey::Static => "static".to_owned(),
        RowKey::Clustering(clustering) => bytes_text(clustering),
    }
}

fn interval_text(interval: &Interval) -> String {
    let end = interval
        .end
        .as_ref()
        .map_or_else(|| "end".to_owned(), |end| bytes_text(end));
    format!("[{}, {end})", bytes_text(&interval.start))
}

fn cell_text(cell: &Cell) -> String {
    let timestamp = cell.timestamp_micros;
    match &cell.state {
        CellState::Live(value) => format!("{}@{timestamp}", bytes_text(value)),
        CellState::Expiring { value, expiry } => {
            format!("{}@{timestamp}{}", bytes_text(value), expiry_text(expiry))
        }
        CellState::Tombstone { deleted_at_seconds } => {
            format!("dead@{timestamp}({deleted_at_seconds})")
        }
    }
}

fn deletion_text(deletion: &Deletion) -> String {
    format!(
        "@{}({})",
        deletion.timestamp_micros, deletion.deleted_at_seconds
    )
}

fn expiry_text(expiry: &Expiry) -> String {
    format!(
        " until {} (ttl {})",
        expiry.expires_at_seconds, expiry.ttl_seconds
    )
}
