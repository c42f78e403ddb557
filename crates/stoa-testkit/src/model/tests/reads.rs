//! Shadowing, expiry, slices and conditions.

use super::*;

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
