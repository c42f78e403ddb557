//! Boards of random policies: paging gives each policy once, neighbours are those of the list, and
//! beating means passing.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use stoa_types::time_uuid;
use uuid::Uuid;

use super::board::{AllFacts, facts_key};
use super::breadth::open_day;
use super::days::{Moved, is_whole, moved, ranking_on, snapshot_of};
use super::*;
use crate::model::{
    Breadth, ClosedDay, Day, Increment, ListedStates, MOST_WINDOW_DAYS, OpenDay, PageFacts,
    PolicyFacts, PolicyId, PolicyState, RankedPolicies, RankingFilter, RankingKind, RankingRefusal,
    Standing, UserId, VoteVersion,
};

const TODAY: Day = Day(20_000);

fn policy(number: u64) -> PolicyId {
    // Several of one moment, so that identifiers decide, too.
    let made = TODAY.plus(-90).start_micros() + i64::try_from(number / 3).unwrap();
    PolicyId(time_uuid::from_unix_micros(made, number))
}

/// One that is made tomorrow.
fn later() -> PolicyId {
    PolicyId(time_uuid::from_unix_micros(TODAY.next().start_micros(), 1))
}

fn day(day: Day, change: i64, closing_total: i64) -> ClosedDay {
    ClosedDay {
        day,
        change,
        gross: change.abs(),
        heat: change << 20,
        voters: 1,
        closing_total,
    }
}

/// A policy that got some votes each day up to yesterday, and more today.
fn facts(number: u64, changes: &[i64], today: i64) -> PolicyFacts {
    let mut total = 0;
    let first = TODAY.plus(-i32::try_from(changes.len()).unwrap());
    let days = changes.iter().zip(0..).map(|(change, nth)| {
        total += change;
        day(first.plus(nth), *change, total)
    });
    let days: Arc<[ClosedDay]> = days.collect();
    let open = OpenDay {
        change: today,
        gross: today.abs(),
        heat: today << 20,
    };
    PolicyFacts {
        policy: policy(number),
        standing: Standing::new(PolicyState::Active),
        page: Some(PageFacts {
            title: format!("policy {number}"),
            category: ["health", "tax", "schools"][usize::try_from(number % 3).unwrap()].into(),
            party: number.is_multiple_of(4).then(|| Uuid::from_u128(7)),
            owner: UserId(Uuid::nil()),
            is_hidden: number % 11 == 10,
            ended_micros: None,
        }),
        total: total + today,
        breadth: Breadth {
            supporters: today.abs(),
            square_roots: total,
            open_days: [(TODAY, open)].into(),
        },
        comments: total % 5,
        people: total % 3,
        days,
    }
}

fn all(facts: impl IntoIterator<Item = PolicyFacts>) -> AllFacts {
    let facts = facts.into_iter();
    facts
        .map(|it| (facts_key(it.policy), Arc::new(it)))
        .collect()
}

fn board(facts: impl IntoIterator<Item = PolicyFacts>) -> RankingBoard {
    RankingBoard::new(all(facts), TODAY.previous(), TODAY, None)
}

const KINDS: [RankingKind; 10] = [
    RankingKind::Total,
    RankingKind::Window(1),
    RankingKind::Window(3),
    RankingKind::Rising,
    RankingKind::Contested,
    RankingKind::Discussed,
    RankingKind::New,
    RankingKind::Random(42),
    RankingKind::Supporters,
    RankingKind::SquareRoots,
];

fn some_facts() -> impl Strategy<Value = Vec<PolicyFacts>> {
    let votes = proptest::collection::vec(-3_i64..5, 0..6);
    let one = (votes, -2_i64..4, 0_u8..6);
    proptest::collection::vec(one, 0..60).prop_map(|all| {
        let all = all.into_iter().zip(0_u64..);
        all.map(|((changes, today, state), number)| {
            let mut facts = facts(number, &changes, today);
            facts.standing.state = match state {
                0 => PolicyState::Retired,
                1 => PolicyState::Deleted,
                _ => PolicyState::Active,
            };
            facts
        })
        .collect()
    })
}

fn some_filter() -> impl Strategy<Value = RankingFilter> {
    let categories = ["health", "tax", "none"].map(|it| Some(it.to_owned()));
    let category = prop_oneof![Just(None), proptest::sample::select(categories.to_vec())];
    let states = [
        ListedStates::Active,
        ListedStates::Retired,
        ListedStates::All,
    ];
    let states = proptest::sample::select(states.to_vec());
    let among = proptest::option::of(proptest::collection::btree_set(0_u64..80, 0..50));
    let party = proptest::option::of(Just(Uuid::from_u128(7)));
    (category, states, among, party).prop_map(|(category, states, among, party)| RankingFilter {
        category,
        party,
        states,
        among: among.map(|numbers| numbers.into_iter().map(policy).collect()),
    })
}

/// What a filter says, without a board.
fn listed(facts: &PolicyFacts, filter: &RankingFilter) -> bool {
    let page = facts.page.as_ref().unwrap();
    let has_state = match (facts.standing.state, filter.states) {
        (PolicyState::Active, states) => states != ListedStates::Retired,
        (PolicyState::Retired, states) => states != ListedStates::Active,
        _ => false,
    };
    has_state
        && !page.is_hidden
        && filter
            .category
            .as_ref()
            .is_none_or(|it| *it == page.category)
        && filter.party.is_none_or(|it| page.party == Some(it))
        && filter
            .among
            .as_ref()
            .is_none_or(|it| it.contains(&facts.policy))
}

fn pages(board: &RankingBoard, kind: RankingKind, filter: &RankingFilter) -> Vec<RankedLine> {
    let mut policies = Vec::new();
    let mut next = None;
    loop {
        let page = board.page(kind, filter, next.as_deref(), 7).unwrap();
        assert!(page.policies.len() <= 7);
        policies.extend(page.policies);
        next = page.next;
        if next.is_none() {
            assert_eq!(page.count, policies.len());
            return policies;
        }
    }
}

proptest! {
    #[test]
    fn paging_through_gives_each_policy_once_in_its_order(
        all in some_facts(),
        filter in some_filter(),
    ) {
        let board = board(all.clone());
        let expected: BTreeSet<PolicyId> =
            all.iter().filter(|it| listed(it, &filter)).map(|it| it.policy).collect();
        for kind in KINDS {
            let found = pages(&board, kind, &filter);
            let policies: BTreeSet<PolicyId> = found.iter().map(|it| it.line.policy()).collect();
            prop_assert_eq!(policies.len(), found.len());
            prop_assert_eq!(&policies, &expected);
            let ranks: Vec<usize> = found.iter().map(|it| it.rank).collect();
            prop_assert_eq!(ranks, (1..=found.len()).collect::<Vec<_>>());
            let key = |it: &RankedLine| (std::cmp::Reverse(it.value), it.line.key());
            prop_assert!(found.is_sorted_by_key(key));
        }
    }

    #[test]
    fn neighbours_are_those_of_the_list_and_beating_means_passing(
        all in some_facts(),
        filter in some_filter(),
        at in 0_usize..60,
    ) {
        let board = board(all.clone());
        for kind in KINDS.into_iter().filter(|kind| !matches!(kind, RankingKind::Random(_))) {
            let list = pages(&board, kind, &filter);
            let Some(own) = list.get(at) else { continue };
            let policy = own.line.policy();
            let found = board.neighbours(kind, policy, &filter, 3).unwrap();
            prop_assert_eq!(&found.own, own);
            prop_assert_eq!(found.count, list.len());
            let above: Vec<&RankedLine> = list[..at].iter().rev().take(3).collect();
            let below: Vec<&RankedLine> = list[at + 1..].iter().take(3).collect();
            prop_assert_eq!(found.above.iter().map(|it| &it.policy).collect::<Vec<_>>(), above);
            prop_assert_eq!(found.below.iter().map(|it| &it.policy).collect::<Vec<_>>(), below);
            if !kind.is_of_votes() {
                prop_assert!(found.above.iter().all(|it| it.needed.is_none()));
                continue;
            }
            for it in &found.above {
                let other = it.policy.line.policy();
                passes(&all, kind, policy, other, it.needed.unwrap());
            }
            for it in &found.below {
                let other = it.policy.line.policy();
                passes(&all, kind, other, policy, it.needed.unwrap());
            }
        }
    }

    #[test]
    fn a_board_made_from_an_earlier_one_is_the_same_as_one_made_anew(
        old in some_facts(),
        new in some_facts(),
    ) {
        let earlier = board(old.clone());
        let mut facts = earlier.facts().clone();
        for it in new.into_iter().step_by(3) {
            facts.insert(facts_key(it.policy), Arc::new(it));
        }
        let one = RankingBoard::new(facts.clone(), TODAY.previous(), TODAY, Some(&earlier));
        let other = RankingBoard::new(facts, TODAY.previous(), TODAY, None);
        let filter = RankingFilter::default();
        for kind in KINDS {
            prop_assert_eq!(pages(&one, kind, &filter), pages(&other, kind, &filter));
        }
    }

    #[test]
    fn the_ranking_of_a_day_has_each_policy_once(all_facts in some_facts()) {
        let facts = all(all_facts);
        let yesterday = ranking_on(TODAY.previous(), &facts);
        prop_assert!(is_whole(&yesterday));
        let snapshot = snapshot_of(TODAY.previous(), &yesterday);
        prop_assert_eq!(snapshot, snapshot_of(TODAY.previous(), &yesterday));
        prop_assert_ne!(snapshot, snapshot_of(TODAY, &yesterday));
    }
}

/// With so many votes more one stands before the other, and with one less it does not.
fn passes(all: &[PolicyFacts], kind: RankingKind, behind: PolicyId, ahead: PolicyId, needed: i64) {
    assert!(needed >= 1);
    for (votes, does_pass) in [(needed, true), (needed - 1, false)] {
        let changed = all.iter().cloned().map(|mut it| {
            it.total += if it.policy == behind { votes } else { 0 };
            it
        });
        let board = board(changed);
        let states = ListedStates::All;
        let filter = RankingFilter {
            states,
            ..RankingFilter::default()
        };
        let list = pages(&board, kind, &filter);
        let first = list
            .iter()
            .map(|it| it.line.policy())
            .find(|it| *it == behind || *it == ahead);
        let expected = if does_pass { behind } else { ahead };
        assert_eq!(first, Some(expected), "{kind:?}: {votes} votes");
    }
}

#[test]
fn windows_count_what_was_gained_since() {
    let board = board([facts(1, &[10, 0, 5, -2], 3)]);
    let line = board.line(policy(1)).unwrap();
    let value = |days| line.value(RankingKind::Window(days), TODAY);
    assert_eq!([1, 2, 3, 4, 5, 6, 400].map(value), [3, 1, 6, 6, 16, 16, 16]);
    assert_eq!(
        board.page(RankingKind::Window(0), &RankingFilter::default(), None, 1),
        Err(RankingRefusal::WindowEmpty)
    );
    let longest = RankingKind::Window(MOST_WINDOW_DAYS);
    let page = |kind| board.page(kind, &RankingFilter::default(), None, 1);
    assert!(page(longest).is_ok());
    assert_eq!(
        page(RankingKind::Window(MOST_WINDOW_DAYS + 1)),
        Err(RankingRefusal::WindowTooLong)
    );
}

#[test]
fn a_day_that_is_not_closed_yet_is_none_of_today() {
    let mut it = facts(1, &[10], 3);
    it.breadth.open_days.insert(
        TODAY.previous(),
        OpenDay {
            change: 10,
            gross: 10,
            heat: 10 << 20,
        },
    );
    it.days = Arc::new([]);
    let facts = all([it]);
    let board = RankingBoard::new(facts, TODAY.plus(-2), TODAY, None);
    let line = board.line(policy(1)).unwrap();
    assert_eq!(line.value(RankingKind::Window(1), TODAY), 3);
    assert_eq!(line.value(RankingKind::Window(2), TODAY), 13);
}

#[test]
fn votes_rise_half_as_much_for_each_day_and_time_alone_changes_no_order() {
    // Four votes the day before yesterday are as much as one today; both days are closed or ended.
    let old = facts(1, &[4, 0], 0);
    let new = facts(2, &[], 1);
    let more = facts(3, &[5, 0], 0);
    let less = facts(4, &[5, 0], -2);
    let board = board([old, new, more, less]);
    let rising = |number| board.line(policy(number)).unwrap().rising;
    assert_eq!(rising(1), rising(2));
    assert!(rising(3) > rising(1));
    assert_eq!(rising(4), 0);
    let later = RankingBoard::new(
        board.facts().clone(),
        TODAY.previous(),
        TODAY.plus(9),
        Some(&board),
    );
    assert_eq!(later.line(policy(3)).unwrap().rising, rising(3));
    assert_eq!(board.rising_first(10).len(), 3);
}

/// What a policy gained on a day by one vote record at an hour of it.
fn gained(at: Day, hour: i64, votes: i64) -> OpenDay {
    let micros = at.start_micros() + hour * 3_600_000_000;
    let vote = Increment {
        version: VoteVersion(time_uuid::from_unix_micros(micros, 1)),
        user: UserId(Uuid::nil()),
        increment: votes,
    };
    open_day(at, &[vote])
}

#[test]
fn closing_a_day_changes_no_order() {
    // Ten votes at night are worth less in the evening than eight of the evening.
    let days = [gained(TODAY, 0, 10), gained(TODAY, 23, 8)];
    let rising = |number: u64, closed: bool| {
        let sum = days[usize::try_from(number - 1).unwrap()];
        let mut it = facts(number, &[], 0);
        it.breadth.open_days = [(TODAY, sum)].into();
        if closed {
            it.breadth.open_days.clear();
            let closed = ClosedDay {
                heat: sum.heat,
                ..day(TODAY, sum.change, sum.change)
            };
            it.days = [closed].into();
        }
        let through = if closed { TODAY } else { TODAY.previous() };
        let board = RankingBoard::new(all([it]), through, TODAY.next(), None);
        board.line(policy(number)).unwrap().rising
    };
    assert!(rising(1, false) < rising(2, false));
    for number in [1, 2] {
        assert_eq!(rising(number, true), rising(number, false));
    }
}

#[test]
fn what_was_said_of_merged_policies_is_said_of_their_target() {
    let mut target = facts(2, &[], 0);
    (target.comments, target.people) = (1, 1);
    target.standing.merged_from = [policy(1)].into();
    let mut source = facts(1, &[], 0);
    (source.comments, source.people) = (5, 3);
    source.standing.state = PolicyState::Merged;
    source.standing.merged_to = Some(policy(2));
    let board = board([target, source]);
    let line = board.line(policy(2)).unwrap();
    let discussed = line.value(RankingKind::Discussed, TODAY);
    assert_eq!((discussed >> 32, discussed & 0xFFFF_FFFF), (4, 6));
}

#[test]
fn what_is_put_on_and_withdrawn_alike_is_contested() {
    let mut it = facts(1, &[], 0);
    let open = OpenDay {
        change: 20,
        gross: 100,
        heat: 0,
    };
    it.breadth.open_days = [(TODAY, open)].into();
    let line = |it| board([it]).line(policy(1)).unwrap().contested;
    // 60 were put on it, 40 withdrawn.
    assert_eq!(line(it), 100 * 1_000 * 40 / 60);
    assert_eq!(line(facts(1, &[5, 5], 5)), 0);
    assert_eq!(line(facts(1, &[5, 0, -5], 0)), 10_000);
}

#[test]
fn merged_policies_count_for_their_target_alone() {
    let mut target = facts(3, &[], 2);
    target.total = 17;
    target.standing.merged_from = [policy(1), policy(2)].into();
    let merged_to = |it: PolicyFacts, to| PolicyFacts {
        standing: Standing {
            merged_to: Some(to),
            ..Standing::new(PolicyState::Merged)
        },
        ..it
    };
    let one = merged_to(facts(1, &[4, 6], 0), policy(3));
    // Merged into another one before.
    let other = merged_to(facts(2, &[100], 0), policy(9));
    let mut known = all([target, one, other]);
    let board = RankingBoard::new(known.clone(), TODAY.previous(), TODAY, None);
    let list = pages(&board, RankingKind::Window(2), &RankingFilter::default());
    let list: Vec<_> = list.iter().map(|it| (it.line.policy(), it.value)).collect();
    assert_eq!(list, [(policy(3), 13)]);
    let yesterday = ranking_on(TODAY.previous(), &known);
    assert_eq!(yesterday, [(1, (policy(3), 10))].into());
    known.remove(&facts_key(policy(3)));
    assert_eq!(ranking_on(TODAY.previous(), &known).len(), 0);
    // Before its target was made it counted for itself.
    let known = all([merged_to(facts(1, &[4, 6], 0), later())]);
    let yesterday = ranking_on(TODAY.previous(), &known);
    assert_eq!(yesterday, [(1, (policy(1), 10))].into());
}

#[test]
fn a_place_stays_where_it_is_when_the_list_changes() {
    let filter = RankingFilter::default();
    let all: Vec<PolicyFacts> = (1..6).map(|it| facts(it, &[], 10)).collect();
    let first = board(all.clone());
    let page = first.page(RankingKind::Total, &filter, None, 2).unwrap();
    let next = page.next.unwrap();
    // The last one of the page goes, and one before it comes.
    let mut changed = all;
    changed.remove(1);
    changed.push(facts(8, &[], 90));
    let second = board(changed);
    let page = second
        .page(RankingKind::Total, &filter, Some(&next), 9)
        .unwrap();
    let list: Vec<_> = page.policies.iter().map(|it| it.line.policy()).collect();
    assert_eq!(list, [3, 4, 5].map(policy));
    assert_eq!(page.policies[0].rank, 3);
    for wrong in [
        "",
        "total",
        "total-",
        "total-é",
        "rising-00",
        &next.replace('l', ""),
    ] {
        let page = second.page(RankingKind::Total, &filter, Some(wrong), 9);
        assert_eq!(page, Err(RankingRefusal::BadCursor), "{wrong}");
    }
    let other = second.page(RankingKind::Rising, &filter, Some(&next), 9);
    assert_eq!(other, Err(RankingRefusal::BadCursor));
}

#[test]
fn every_number_has_an_order_of_its_own() {
    let filter = RankingFilter::default();
    let board = board((0..40).map(|it| facts(it, &[], 1)));
    let list = |seed| {
        let list = pages(&board, RankingKind::Random(seed), &filter);
        list.iter().map(|it| it.line.policy()).collect::<Vec<_>>()
    };
    assert_eq!(list(1), list(1));
    assert_ne!(list(1), list(2));
    assert!(!list(1).is_sorted());
}

#[test]
fn many_windows_are_known_and_the_least_asked_for_is_forgotten() {
    let filter = RankingFilter::default();
    let board = board((0..40).map(|it| facts(it, &[1, 2, 3], 1)));
    for days in 1..200 {
        let kind = RankingKind::Window(days);
        assert_eq!(board.page(kind, &filter, None, 9).unwrap().count, 37);
    }
}

#[test]
fn who_moves_by_much_is_told() {
    let ranking = |order: &[u64]| -> RankedPolicies {
        let policies = order.iter().zip(1..);
        policies
            .map(|(it, rank)| (rank, (policy(*it), 0)))
            .collect()
    };
    let before = ranking(&(1..=40).collect::<Vec<_>>());
    let mut order: Vec<u64> = (1..=40).collect();
    order.swap(9, 10);
    order.swap(20, 35);
    let after = ranking(&order);
    let moves = |number, before, after| Moved {
        policy: policy(number),
        before,
        after,
    };
    assert_eq!(
        moved(&before, &after),
        [
            moves(11, Some(11), 10),
            moves(10, Some(10), 11),
            moves(36, Some(36), 21),
            moves(21, Some(21), 36)
        ]
    );
    assert_eq!(moved(&RankedPolicies::new(), &after).len(), 10);
}

#[test]
fn ranks_of_an_earlier_day_leave_out_what_came_later() {
    let mut late = facts(50, &[], 90);
    late.policy = later();
    // The first led until today.
    let board = board([facts(1, &[9, 1], 0), facts(2, &[1, 1], 40), late]);
    assert_eq!(board.first(RankingKind::Total, 1)[&1].0, later());
    let ranks = board.ranks_on(RankingKind::Total, TODAY.previous());
    assert_eq!(ranks, [(policy(1), 1), (policy(2), 2)].into());
    let ranks = board.ranks_on(RankingKind::Window(1), TODAY.previous());
    assert_eq!(ranks, [(policy(1), 1), (policy(2), 2)].into());
    assert!(board.ranks_on(RankingKind::Rising, TODAY).is_empty());
}
