//! What a full purge forgets, and what it must not.

use super::*;

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
