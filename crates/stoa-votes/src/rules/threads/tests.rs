//! Every comment has one place, whatever the links are.

use proptest::prelude::*;

use super::*;

fn id(number: u32) -> CommentId {
    CommentId(time_uuid::from_unix_micros(i64::from(number), 7))
}

fn leaf(number: u32, parent: Option<u32>, up: u32, down: u32) -> Leaf {
    Leaf {
        id: id(number),
        parent: parent.map(id),
        score: Score { up, down },
    }
}

fn shown(threads: &[Thread]) -> Vec<(i64, usize)> {
    let all = threads.iter().flat_map(|thread| &thread.comments);
    all.map(|placed| (placed.id.made_at_micros(), placed.level))
        .collect()
}

fn some() -> Vec<Leaf> {
    vec![
        leaf(1, None, 1, 0),
        leaf(2, Some(1), 0, 0),
        leaf(3, None, 9, 1),
        leaf(4, Some(2), 0, 0),
        leaf(5, Some(1), 5, 0),
        leaf(6, Some(99), 0, 3),
    ]
}

#[test]
fn threads_are_read_from_the_root_down() {
    let oldest = shown(&threads(&some(), ThreadOrder::Oldest));
    let expected = [(1, 0), (2, 1), (4, 2), (5, 1), (3, 0), (6, 0)];
    assert_eq!(oldest, expected);
    let newest = shown(&threads(&some(), ThreadOrder::Newest));
    assert_eq!(newest, [(6, 0), (3, 0), (1, 0), (2, 1), (4, 2), (5, 1)]);
    let best = shown(&threads(&some(), ThreadOrder::Best));
    assert_eq!(best, [(3, 0), (1, 0), (5, 1), (2, 1), (4, 2), (6, 0)]);
}

#[test]
fn a_long_thread_is_read_part_by_part() {
    let leaves: Vec<Leaf> = (1..8)
        .map(|id| leaf(id, (id > 1).then_some(1), 0, 0))
        .collect();
    let whole = threads(&leaves, ThreadOrder::Oldest);
    let all: Vec<Placed> = whole.iter().flat_map(|it| it.comments.clone()).collect();
    let (root, mut read) = (all[0].id, vec![all[0]]);
    for left in [4, 2, 0] {
        let last = read[read.len() - 1].id;
        let (part, left_out) = rest_of_thread(whole.clone(), root, last, 2);
        assert_eq!((part.len(), left_out), (2, left));
        read.extend(part);
    }
    assert_eq!(read, all);
    let last = all[6].id;
    assert_eq!(rest_of_thread(whole.clone(), root, last, 2), (vec![], 0));
    assert_eq!(rest_of_thread(whole, last, root, 2), (vec![], 0));
}

#[test]
fn comments_that_point_at_each_other_are_shown_once() {
    let leaves = [
        leaf(1, Some(2), 0, 0),
        leaf(2, Some(1), 0, 0),
        leaf(3, Some(3), 0, 0),
    ];
    let all = shown(&threads(&leaves, ThreadOrder::Oldest));
    assert_eq!(all, [(1, 0), (2, 1), (3, 0)]);
}

#[test]
fn a_thread_may_be_as_deep_as_it_likes() {
    let leaves: Vec<Leaf> = (0..50_000_u32)
        .map(|number| leaf(number, number.checked_sub(1), 0, 0))
        .collect();
    let all = threads(&leaves, ThreadOrder::Best);
    assert_eq!(all.len(), 1);
    let deepest = all.first().unwrap().comments.last().unwrap();
    assert_eq!(deepest.level, 49_999);
}

#[test]
fn merit_grows_with_certainty() {
    let merit = |up, down| merit(Score { up, down });
    assert_eq!(merit(0, 0), 0);
    assert_eq!(merit(0, 5), 0);
    assert!(merit(1, 0) < merit(2, 0));
    assert!(merit(1, 0) < merit(90, 10));
    assert!(merit(90, 10) < merit(900, 100));
    assert!(merit(900, 100) < 900_000);
    // By hand: 0.9 of 10 marks.
    assert!((717_550..717_560).contains(&merit(9, 1)), "{}", merit(9, 1));
    assert!(merit(u32::MAX, u32::MAX) < 500_000);
}

#[test]
fn a_thread_longer_than_a_page_says_what_is_left_out() {
    let mut leaves = vec![leaf(1, None, 0, 0), leaf(1_000, None, 0, 0)];
    leaves.extend((2..100).map(|number| leaf(number, Some(1), 0, 0)));
    let order = ThreadOrder::Oldest;
    let (placed, next, left_out) = page(threads(&leaves, order), order, None, 5, 10);
    assert_eq!((placed.len(), left_out), (10, 89));
    let (placed, next, left_out) = page(threads(&leaves, order), order, next, 5, 10);
    assert_eq!((placed.len(), next, left_out), (1, None, 0));
}

fn any_leaves() -> impl Strategy<Value = Vec<Leaf>> {
    let any = (
        0..40_u32,
        proptest::option::of(0..45_u32),
        0..9_u32,
        0..9_u32,
    );
    let any = any.prop_map(|(number, parent, up, down)| leaf(number, parent, up, down));
    proptest::collection::vec(any, 0..60)
}

proptest! {
    #[test]
    fn every_comment_has_exactly_one_place(leaves in any_leaves()) {
        for order in [ThreadOrder::Best, ThreadOrder::Newest, ThreadOrder::Oldest] {
            let threads = threads(&leaves, order);
            let mut placed: Vec<CommentId> = Vec::new();
            for thread in &threads {
                let mut above = 0;
                for (index, it) in thread.comments.iter().enumerate() {
                    prop_assert_eq!(index == 0, it.level == 0);
                    prop_assert!(it.level <= above + 1);
                    above = it.level;
                    placed.push(it.id);
                }
            }
            let wanted: BTreeSet<CommentId> = leaves.iter().map(|leaf| leaf.id).collect();
            prop_assert_eq!(placed.len(), wanted.len());
            prop_assert_eq!(placed.into_iter().collect::<BTreeSet<_>>(), wanted);
        }
    }

    #[test]
    fn pages_together_are_the_whole(leaves in any_leaves(), most in 1..5_usize) {
        for order in [ThreadOrder::Best, ThreadOrder::Newest, ThreadOrder::Oldest] {
            let whole = threads(&leaves, order);
            let all: Vec<Placed> = whole.iter().flat_map(|it| it.comments.clone()).collect();
            let (mut read, mut after) = (Vec::new(), None);
            loop {
                let (placed, next, left_out) = page(whole.clone(), order, after, most, 60);
                prop_assert_eq!(left_out, 0);
                read.extend(placed);
                after = next;
                if after.is_none() {
                    break;
                }
            }
            prop_assert_eq!(read, all);
        }
    }

    #[test]
    fn merit_rises_with_help_and_falls_without(up in 0..10_000_u32, down in 0..10_000_u32) {
        let it = merit(Score { up, down });
        let (helped, hurt) = (Score { up: up + 1, down }, Score { up, down: down + 1 });
        prop_assert!(it <= 1_000_000);
        prop_assert!(merit(helped) >= it);
        prop_assert!(merit(hurt) <= it);
    }
}
