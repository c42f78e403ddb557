//! The model's rules on whole partitions: shadowing, expiry, conditions and purge.

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

#[test]
fn each_deletion_shadows_its_own_time_and_before() {
    let live = |timestamp| set(row("c"), 1, Cell::live(timestamp, "v"));
    let d = deletion(5, NOW);
    let deletions = [
        ("partition", Change::DeletePartition(d)),
        ("range", delete_range("c", "d", d)),
        ("row", delete_row("c", d)),
        ("cell", set(row("c"), 1, Cell::tombstone(5, NOW))),
    ];
    for (name, deletion) in deletions {
        assert_eq!(
            shown(vec![live(5), deletion.clone()]),
            "",
            "{name}, same time"
        );
        assert_eq!(
            shown(vec![deletion.clone(), live(4)]),
            "",
            "{name}, late write"
        );
        assert_eq!(
            shown(vec![live(6), deletion]),
            "'c'{ 1='v'@6}",
            "{name}, newer write"
        );
    }
}

#[test]
fn a_deletion_shadows_liveness_and_elements_as_well() {
    let changes = |timestamp| {
        vec![
            insert("c", timestamp, None),
            element("c", "x", Cell::live(timestamp, "v")),
            delete_row("c", deletion(5, NOW)),
        ]
    };
    assert_eq!(shown(changes(5)), "");
    assert_eq!(shown(changes(6)), "'c'{live @6 7=['x': 'v'@6]}");
}

#[test]
fn ranges_cover_their_start_and_not_their_end_nor_the_static_row() {
    let at = |key| set(key, 1, Cell::live(1, "v"));
    let changes = vec![
        at(RowKey::Static),
        at(row("a")),
        at(row("b")),
        at(row("bb")),
        at(row("c")),
        delete_range("b", "c", deletion(9, NOW)),
    ];
    assert_eq!(shown(changes), "''{ 1='v'@1} 'a'{ 1='v'@1} 'c'{ 1='v'@1}");
}

#[test]
fn a_partition_deletion_covers_the_static_row() {
    let changes = vec![
        set(RowKey::Static, 1, Cell::live(1, "v")),
        Change::DeletePartition(deletion(1, NOW)),
    ];
    assert_eq!(shown(changes), "");
}

#[test]
fn a_collection_deletion_covers_its_elements_only() {
    let changes = vec![
        set(row("c"), 1, Cell::live(1, "v")),
        element("c", "x", Cell::live(4, "old")),
        element("c", "y", Cell::live(5, "new")),
        element("c", "a", Cell::live(6, "first")),
        delete_collection("c", deletion(4, NOW)),
    ];
    assert_eq!(
        shown(changes),
        "'c'{ 1='v'@1 7=['a': 'first'@6, 'y': 'new'@5]}"
    );
}

#[test]
fn a_row_is_shown_by_its_liveness_or_by_any_live_cell() {
    let expiry = Some(Expiry::after(NOW, 10));
    let model = model(vec![
        insert("a", 1, expiry),
        set(row("a"), 1, Cell::expiring(1, "v", NOW, 20)),
        insert("b", 1, None),
        set(row("b"), 1, Cell::tombstone(1, NOW)),
    ]);
    let inserted = "'b'{live @1}";
    let both = format!("'a'{{live @1 until 1010 1='v'@1 until 1020}} {inserted}");
    assert_eq!(shown_at(&model, NOW + 9), both);
    assert_eq!(
        shown_at(&model, NOW + 10),
        format!("'a'{{ 1='v'@1 until 1020}} {inserted}")
    );
    assert_eq!(shown_at(&model, NOW + 20), inserted);
}

#[test]
fn an_expired_cell_still_hides_older_ones() {
    let model = model(vec![
        set(row("c"), 1, Cell::live(1, "old")),
        set(row("c"), 1, Cell::expiring(2, "new", NOW, 5)),
    ]);
    assert_eq!(shown_at(&model, NOW + 4), "'c'{ 1='new'@2 until 1005}");
    assert_eq!(shown_at(&model, NOW + 5), "");
}

#[test]
fn reads_slice_reverse_and_limit() {
    let changes = ["a", "b", "c", "d"].map(|key| insert(key, 1, None));
    let model = model(changes.to_vec());
    let keys = |read: &Read| -> Vec<Vec<u8>> {
        model
            .read(read)
            .rows
            .into_iter()
            .map(|row| row.clustering)
            .collect()
    };
    let mut read = Read::whole(TABLE, "p", NOW);
    read.slices = vec![
        Interval::new("a", "b"),
        Interval {
            start: b"c".to_vec(),
            end: None,
        },
    ];
    assert_eq!(keys(&read), [b"a", b"c", b"d"]);
    read.order = Order::Reversed;
    read.limit = Some(2);
    assert_eq!(keys(&read), [b"d", b"c"]);
    read.limit = Some(0);
    assert!(keys(&read).is_empty());
}

#[test]
fn conditions_see_the_row_as_a_read_does() {
    let stored = vec![set(row("c"), 1, Cell::expiring(1, "v", NOW, 5))];
    let column_is = |value: Option<&str>| Condition::ColumnIs {
        column: 1,
        value: value.map(|value| value.as_bytes().to_vec()),
    };
    let cases = [
        (Condition::RowExists, NOW, true),
        (Condition::RowExists, NOW + 5, false),
        (Condition::RowAbsent, NOW, false),
        (Condition::RowAbsent, NOW + 5, true),
        (column_is(Some("v")), NOW, true),
        (column_is(Some("w")), NOW, false),
        (column_is(None), NOW, false),
        (column_is(Some("v")), NOW + 5, false),
        (column_is(None), NOW + 5, true),
    ];
    for (condition, now_seconds, applied) in cases {
        let mut model = model(stored.clone());
        let mutation = ModelMutation {
            table: TABLE,
            partition: b"p".to_vec(),
            changes: vec![set(row("c"), 1, Cell::live(2, "new"))],
        };
        let request = CompareAndSet {
            row: row("c"),
            condition,
            now_seconds,
            mutation,
        };
        let answer = model.compare_and_set(&request);
        assert_eq!(
            answer.applied, applied,
            "{:?} at {now_seconds}",
            request.condition
        );
        assert_eq!(answer.seen.is_some(), now_seconds < NOW + 5);
        let after = shown_at(&model, NOW);
        assert_eq!(after.contains("new"), applied, "{after}");
    }
}

#[test]
fn truncating_and_dropping_empty_one_table() {
    let filled = || {
        let mut model = model(vec![insert("c", 1, None)]);
        let changes = vec![insert("c", 1, None)];
        model.apply(&ModelMutation {
            table: 2,
            partition: b"p".to_vec(),
            changes,
        });
        model
    };
    let mut truncated = filled();
    truncated.truncate(TABLE);
    assert!(truncated.scan(TABLE, NOW).is_empty());
    assert_eq!(truncated.scan(2, NOW).len(), 1);
    assert_eq!(truncated.table_ids(), [1, 2]);
    let mut dropped = filled();
    dropped.drop_table(TABLE);
    assert_eq!(dropped.table_ids(), [2]);
}

/// What is shown, after a purge, of late writes that a deletion had hidden.
fn shown_after_purge(before: Vec<Change>, horizon_seconds: i64, late: Vec<Change>) -> String {
    let mut model = model(before);
    model.purge(NOW, NOW - horizon_seconds);
    write(&mut model, late);
    shown_at(&model, NOW)
}

#[test]
fn a_purge_forgets_deletions_older_than_the_horizon() {
    let late = vec![set(row("c"), 1, Cell::live(3, "late"))];
    let d = deletion(5, 100);
    let expired = Some(Expiry::after(90, 10));
    let forgettable = [
        ("partition", Change::DeletePartition(d)),
        ("range", delete_range("a", "d", d)),
        ("row", delete_row("c", d)),
        ("cell", set(row("c"), 1, Cell::tombstone(5, 100))),
        (
            "expired cell",
            set(row("c"), 1, Cell::expiring(5, "v", 90, 10)),
        ),
    ];
    for (name, change) in forgettable {
        let at_horizon = shown_after_purge(vec![change.clone()], 100, late.clone());
        assert_eq!(at_horizon, "", "{name} at the horizon stays");
        let older = shown_after_purge(vec![change], 101, late.clone());
        assert_eq!(older, "'c'{ 1='late'@3}", "{name} before the horizon goes");
    }
    let late = vec![insert("c", 3, None)];
    let liveness = vec![insert("c", 5, expired)];
    assert_eq!(shown_after_purge(liveness.clone(), 100, late.clone()), "");
    assert_eq!(shown_after_purge(liveness, 101, late), "'c'{live @3}");
}

#[test]
fn a_purge_brings_back_nothing_that_was_hidden() {
    let hidden = set(row("c"), 1, Cell::live(3, "hidden"));
    let old = deletion(5, 100);
    let deletions = [
        Change::DeletePartition(old),
        delete_range("a", "d", old),
        delete_row("c", old),
    ];
    for change in deletions {
        assert_eq!(
            shown_after_purge(vec![hidden.clone(), change], 101, vec![]),
            ""
        );
    }
}

#[test]
fn a_purge_forgets_younger_deletions_under_a_forgotten_one() {
    let late = vec![set(row("c"), 1, Cell::live(3, "late"))];
    let young = deletion(4, 900);
    let covered = [
        ("range", delete_range("a", "d", young)),
        ("row", delete_row("c", young)),
        ("cell", set(row("c"), 1, Cell::tombstone(4, 900))),
    ];
    for (name, change) in covered {
        let outer = Change::DeletePartition(deletion(5, 100));
        let shown = shown_after_purge(vec![change.clone(), outer], 500, late.clone());
        assert_eq!(shown, "'c'{ 1='late'@3}", "{name} goes with what covers it");
        let outer = Change::DeletePartition(deletion(3, 100));
        let shown = shown_after_purge(vec![change, outer], 500, late.clone());
        assert_eq!(shown, "", "{name} supersedes what covers it, and stays");
    }
}

#[test]
fn a_purge_cuts_ranges_at_each_other() {
    let wide = delete_range("a", "z", deletion(4, 900));
    let narrow = delete_range("m", "p", deletion(5, 100));
    let late = ["b", "m", "o", "p"].map(|key| insert(key, 3, None));
    let shown = shown_after_purge(vec![wide, narrow], 500, late.to_vec());
    assert_eq!(shown, "'m'{live @3} 'o'{live @3}");
}

#[test]
fn a_purge_keeps_equal_deletions_made_later() {
    let late = vec![set(row("c"), 1, Cell::live(5, "late"))];
    let outer = Change::DeletePartition(deletion(5, 100));
    let later = delete_row("c", deletion(5, 900));
    assert_eq!(shown_after_purge(vec![outer, later], 500, late), "");
}

#[test]
fn a_purge_lets_a_deleted_counter_start_anew() {
    let add = |timestamp_micros, delta| Change::AddToCounter {
        row: row("c"),
        column: 1,
        delta,
        timestamp_micros,
    };
    let delete = Change::DeleteCounter {
        row: row("c"),
        column: 1,
        deletion: deletion(2, 100),
    };
    let before = vec![add(1, 5), delete];
    assert_eq!(shown_after_purge(before.clone(), 100, vec![add(3, 2)]), "");
    assert_eq!(
        shown_after_purge(before, 101, vec![add(3, 2)]),
        "'c'{ 1=2@3}"
    );
    assert_eq!(
        shown_after_purge(vec![add(1, 5)], 101, vec![add(3, 2)]),
        "'c'{ 1=7@3}"
    );
}

#[test]
fn a_purge_forgets_losers_and_empty_partitions() {
    let mut model = model(vec![
        set(row("c"), 1, Cell::live(1, "old")),
        set(row("c"), 1, Cell::live(2, "new")),
        delete_row("d", deletion(9, 100)),
    ]);
    assert_eq!(model.fact_count(), 3);
    model.purge(NOW, 0);
    assert_eq!(model.fact_count(), 1);
    write(&mut model, vec![Change::DeletePartition(deletion(9, NOW))]);
    model.purge(NOW + 1, 0);
    assert_eq!(model.fact_count(), 0);
}
