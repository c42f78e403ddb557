//! Every invariant is found: a healthy world, one thing damaged, and what is said first.

mod world;

use stoa_votes::model::{Day, PolicyState, RequestId, VoteVersion};
use stoa_votes::ops::submit::Accepted;
use stoa_votes::rules::audit::AuditedPolicy;

use super::*;
use crate::votes::journal::{Line, Told};
use world::World;

type Row = (Invariant, &'static str, fn(&mut World) -> Option<()>);

/// Each damages one thing.
const ROWS: [Row; 28] = [
    (Invariant::OnePath, "a link", |it| {
        it.last_of_anna(|record| record.previous = None)
    }),
    (Invariant::OnePath, "a head", |it| {
        let anna = it.anna;
        it.books(|books| books.chains.get_mut(&anna)?.0.take().map(|_| ()))
    }),
    (Invariant::NoOverdraft, "a payment is missing", |it| {
        let anna = it.anna;
        it.books(|books| books.salary.remove(&anna).map(|_| ()))
    }),
    (Invariant::NothingNegative, "a merge is undone", |it| {
        let source = it.source;
        it.policy(source, |policy| {
            policy.standing.state = PolicyState::Active;
            policy.standing.merged_to = None;
        })
    }),
    (Invariant::CountsAgree, "a total", |it| {
        let policy = it.berts;
        it.policy(policy, |policy| policy.total = Some(9))
    }),
    (Invariant::CountsAgree, "a copy of a record", |it| {
        it.books(|books| books.increments.pop_first().map(|_| ()))
    }),
    (Invariant::CountsAgree, "a supporter", |it| {
        it.books(|books| {
            let mut votes = books.supporters.values_mut();
            votes.next().map(|votes| *votes += 1)
        })
    }),
    (Invariant::CountsAgree, "measured supporters", |it| {
        let seen = it.evidence.books.as_mut().ok()?;
        for measured in &mut seen.breadths {
            measured.breadth.supporters += 1;
        }
        seen.breadths.first().map(|_| ())
    }),
    (Invariant::DaysAddUp, "the change of a day", |it| {
        let policy = it.berts;
        it.policy(policy, |policy| {
            for day in policy.days.iter_mut().take(1) {
                day.change += 1;
            }
        })
    }),
    (Invariant::FirstWriterWins, "a look at an old state", |it| {
        let call = it.journal.begin_look(it.anna);
        it.journal.end_look(call, None);
        Some(())
    }),
    (Invariant::AcceptedStays, "a record that is gone", |it| {
        it.tell(RequestId(Uuid::from_u128(77)))
    }),
    (Invariant::Convergence, "what a task changed", |it| {
        let released = it.released;
        let seen = it.evidence.books.as_mut().ok()?;
        seen.again.policies.get_mut(&released)?.created_by = None;
        Some(())
    }),
    (Invariant::Convergence, "a task that does not end", |it| {
        it.evidence.books = Err("no".to_owned());
        Some(())
    }),
    (Invariant::Convergence, "a replica that differs", |it| {
        it.evidence.are_replicas_equal = false;
        Some(())
    }),
    (Invariant::PriceExact, "the price of a withdrawal", |it| {
        it.last_of_anna(|record| {
            for change in record.changes.values_mut() {
                change.entry.burned_hundredths -= 1;
            }
        })
    }),
    (Invariant::MergesConserve, "a source is not listed", |it| {
        let target = it.target;
        it.policy(target, |policy| policy.standing.merged_from.clear())
    }),
    (Invariant::ReleasedOnce, "a released policy is back", |it| {
        it.journal.pages().released.push(it.berts);
        Some(())
    }),
    (
        Invariant::ReleasedOnce,
        "a withdrawn policy is back",
        |it| {
            it.journal.pages().withdrawn.push(it.berts);
            Some(())
        },
    ),
    (Invariant::PaidOnce, "another amount that was read", |it| {
        let (anna, mut pages) = (it.anna, it.journal.pages());
        pages.read_payment((anna.0, Day(0)), 1);
        pages.read_payment((anna.0, Day(0)), 2);
        Some(())
    }),
    (Invariant::PaidOnce, "the amount of a payment", |it| {
        let anna = it.anna;
        it.books(|books| {
            let payment = books.salary.get_mut(&anna)?.first_mut()?;
            payment.amount += 1;
            Some(())
        })
    }),
    (
        Invariant::CreatedVisible,
        "a created policy is hidden",
        |it| {
            let released = it.released;
            it.policy(released, |policy| {
                policy.standing.state = PolicyState::Creating;
            })
        },
    ),
    (Invariant::CreatedVisible, "nobody created a policy", |it| {
        let (berts, anna) = (it.berts, it.anna);
        it.books(|books| {
            let like = books.policies.get(&berts)?.clone();
            let policy = AuditedPolicy {
                created_by: Some((anna, VoteVersion(Uuid::nil()))),
                total: None,
                days: Vec::new(),
                ..like
            };
            books.policies.insert(PolicyId(Uuid::nil()), policy);
            Some(())
        })
    }),
    (Invariant::ClosedStays, "a day is closed again", |it| {
        let snapshot = it.evidence.closed_as.values_mut().next()?;
        *snapshot = Uuid::nil();
        Some(())
    }),
    (Invariant::ClosedStays, "a rank of a day is missing", |it| {
        let seen = it.evidence.books.as_mut().ok()?;
        seen.ranked.first_mut()?.1 -= 1;
        Some(())
    }),
    (Invariant::ClosedStays, "a day is ranked again", |it| {
        let seen = it.evidence.books.as_mut().ok()?;
        let day = seen.ranked.first()?.0.day;
        it.journal.pages().ranked_as.push((day, Uuid::nil()));
        Some(())
    }),
    (
        Invariant::NoDayBelowZero,
        "a withdrawal is dated back",
        |it| it.date_last_of_anna_back(),
    ),
    (Invariant::OneAnswer, "another answer", |it| {
        let request = it.journal.pages().lines.first()?.request;
        it.tell(request)
    }),
    (Invariant::LedgerVerifies, "a line of the ledger", |it| {
        let seen = it.evidence.books.as_mut().ok()?;
        let lines = seen.ledger.as_mut().ok()?;
        lines.remove(lines.len() / 2);
        Some(())
    }),
];

impl World {
    /// Tells anna of a record that is not there.
    fn tell(&self, request: RequestId) -> Option<()> {
        let accepted = Accepted {
            version: VoteVersion(Uuid::nil()),
            seq: 1,
        };
        self.journal.pages().lines.push(Line {
            user: self.anna,
            request,
            told: Told::Accepted(accepted),
        });
        Some(())
    }
}

#[test]
fn a_healthy_world_has_nothing_wrong() {
    assert_eq!(World::healthy().judged(), []);
}

#[test]
fn whatever_is_damaged_is_found_first_under_its_own_name() {
    for (invariant, what, damage) in ROWS {
        let mut world = World::healthy();
        assert_eq!(damage(&mut world), Some(()), "{what} cannot be damaged");
        let findings = world.judged();
        let first = findings.first().map(|it| it.invariant);
        assert_eq!(first, Some(invariant), "{what}: {findings:?}");
    }
}

#[test]
fn clocks_are_judged_by_how_far_they_are_off() {
    let bound = MOST_OFF_MICROS;
    let unsure = bound + MOST_UNSURE_MICROS;
    let cases = [
        (0, false, true),
        (0, true, false),
        (bound, true, false),
        (-bound, true, false),
        (bound + 1, true, true),
        (bound + 1, false, true),
        (unsure, false, true),
        (unsure + 1, false, false),
        (-unsure - 1, false, false),
        (-unsure - 1, true, true),
    ];
    for (off_micros, is_refused, is_right) in cases {
        let world = World::healthy();
        world.journal.pages().clock_answers.push(ClockAnswer {
            off_micros,
            is_refused,
        });
        let invariants: Vec<_> = world.judged().iter().map(|it| it.invariant).collect();
        let expected = match is_right {
            true => vec![],
            false => vec![Invariant::ClockBound],
        };
        assert_eq!(invariants, expected, "{off_micros}, {is_refused}");
    }
}

/// A number for each; whoever adds one is told here to add a row.
fn number(invariant: Invariant) -> usize {
    match invariant {
        Invariant::OnePath => 0,
        Invariant::NoOverdraft => 1,
        Invariant::NothingNegative => 2,
        Invariant::CountsAgree => 3,
        Invariant::DaysAddUp => 4,
        Invariant::FirstWriterWins => 5,
        Invariant::AcceptedStays => 6,
        Invariant::Convergence => 7,
        Invariant::PriceExact => 8,
        Invariant::MergesConserve => 9,
        Invariant::ReleasedOnce => 10,
        Invariant::PaidOnce => 11,
        Invariant::CreatedVisible => 12,
        Invariant::ClosedStays => 13,
        Invariant::NoDayBelowZero => 14,
        Invariant::OneAnswer => 15,
        Invariant::LedgerVerifies => 16,
        // Has a test of its own, above.
        Invariant::ClockBound => 17,
    }
}

#[test]
fn every_invariant_has_a_row() {
    let mut numbers: BTreeSet<_> = ROWS.iter().map(|(it, ..)| number(*it)).collect();
    numbers.insert(number(Invariant::ClockBound));
    assert_eq!(numbers, (0..18).collect());
}

#[test]
fn a_day_that_is_open_again_is_found() {
    let told = [(Day(1), Uuid::from_u128(1)), (Day(2), Uuid::from_u128(2))];
    let mut closed_as = BTreeMap::from(told);
    assert_eq!(closed_otherwise(&told, &closed_as), []);
    closed_as.remove(&Day(2));
    let found = closed_otherwise(&told, &closed_as);
    let invariants: Vec<_> = found.iter().map(|it| it.invariant).collect();
    assert_eq!(invariants, [Invariant::ClosedStays]);
}
