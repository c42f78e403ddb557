//! The damages, one for each check.

use stoa_votes::model::{
    ConfigHistory, Day, PolicyState, RecordKind, RequestId, VoteRecord, VoteVersion, VotingConfig,
};
use stoa_votes::ops::submit::Accepted;
use stoa_votes::rules::audit::AuditedPolicy;

use super::world::{ANNA, CLEO, DORA, EMMA, World};
use super::*;
use crate::votes::journal::{Line, Told};
use crate::votes::plan::first_day;

/// What is broken, what is damaged, what the one check that notices says of it, and the damage.
type Row = (
    Invariant,
    &'static str,
    &'static str,
    fn(&mut World) -> Option<()>,
);

/// Each damages one thing.
pub(super) const ROWS: [Row; 36] = [
    (
        Invariant::OnePath,
        "a link",
        "not the record before it",
        |it| it.last_of(ANNA, |record| record.previous = None),
    ),
    (Invariant::OnePath, "a head", "head None", |it| {
        it.books(|books| books.chains.get_mut(&ANNA)?.0.take().map(|_| ()))
    }),
    (
        Invariant::NoOverdraft,
        "a payment is missing",
        "balance -",
        |it| it.books(|books| books.salary.remove(&ANNA).map(|_| ())),
    ),
    (
        Invariant::NothingNegative,
        "a merge is undone",
        "-12 votes on",
        |it| {
            let source = it.source;
            it.policy(source, |policy| {
                policy.standing.state = PolicyState::Active;
                policy.standing.merged_to = None;
            })
        },
    ),
    (Invariant::CountsAgree, "a total", "shows Some(9)", |it| {
        let policy = it.berts;
        it.policy(policy, |policy| policy.total = Some(9))
    }),
    (
        Invariant::CountsAgree,
        "a copy of a record",
        "is None",
        |it| it.books(|books| books.increments.pop_first().map(|_| ())),
    ),
    (Invariant::CountsAgree, "a supporter", "supporter (", |it| {
        it.books(|books| {
            let mut votes = books.supporters.values_mut();
            votes.next().map(|votes| *votes += 1)
        })
    }),
    (
        Invariant::CountsAgree,
        "measured supporters",
        "supporters, not",
        |it| {
            let seen = it.evidence.books.as_mut().ok()?;
            for measured in &mut seen.breadths {
                measured.breadth.supporters += 1;
            }
            seen.breadths.first().map(|_| ())
        },
    ),
    (
        Invariant::DaysAddUp,
        "the change of a day",
        "should be Moved",
        |it| {
            let policy = it.berts;
            it.policy(policy, |policy| {
                for day in policy.days.iter_mut().take(1) {
                    day.change += 1;
                }
            })
        },
    ),
    (
        Invariant::FirstWriterWins,
        "a look at an old state",
        "Look",
        |it| {
            let call = it.journal.begin_look(ANNA);
            it.journal.end_look(call, None);
            Some(())
        },
    ),
    (
        Invariant::AcceptedStays,
        "a record that is gone",
        "it is gone",
        |it| it.tell_of_nothing(),
    ),
    (
        Invariant::Convergence,
        "what a task changed",
        "running the tasks again changed",
        |it| {
            let released = it.released;
            let seen = it.evidence.books.as_mut().ok()?;
            seen.again.policies.get_mut(&released)?.created_by = None;
            Some(())
        },
    ),
    (
        Invariant::Convergence,
        "a task that does not end",
        "do not come to an end",
        |it| {
            it.evidence.books = Err("no".to_owned());
            Some(())
        },
    ),
    (
        Invariant::Convergence,
        "a replica that differs",
        "the replicas differ",
        |it| {
            it.evidence.are_replicas_equal = false;
            Some(())
        },
    ),
    (
        Invariant::PriceExact,
        "the price of a withdrawal",
        "at 50 %",
        |it| {
            it.last_of(ANNA, |record| {
                for change in record.changes.values_mut() {
                    change.entry.burned_hundredths -= 1;
                }
            })
        },
    ),
    (
        Invariant::MergesConserve,
        "a source is not listed",
        "which does not know it",
        |it| {
            let target = it.target;
            it.policy(target, |policy| policy.standing.merged_from.clear())
        },
    ),
    (
        Invariant::ReleasedOnce,
        "a released policy is back",
        "was released, and is",
        |it| {
            it.journal.pages().released.push(it.berts);
            Some(())
        },
    ),
    (
        Invariant::ReleasedOnce,
        "a withdrawn policy is back",
        "was withdrawn, and is",
        |it| {
            it.journal.pages().withdrawn.push(it.berts);
            Some(())
        },
    ),
    (
        Invariant::PaidOnce,
        "another amount that was read",
        "was paid 1",
        |it| {
            let mut pages = it.journal.pages();
            pages.read_payment((ANNA.0, Day(0)), 1);
            pages.read_payment((ANNA.0, Day(0)), 2);
            Some(())
        },
    ),
    (
        Invariant::PaidOnce,
        "the amount of a payment",
        "where the rate is",
        |it| {
            it.books(|books| {
                let payment = books.salary.get_mut(&ANNA)?.first_mut()?;
                payment.amount += 1;
                Some(())
            })
        },
    ),
    (
        Invariant::CreatedVisible,
        "a created policy is hidden",
        "which is Some(Creating)",
        |it| {
            let policy = it.berts;
            it.policy(policy, |policy| {
                policy.standing.state = PolicyState::Creating;
            })
        },
    ),
    (
        Invariant::CreatedVisible,
        "nobody created a policy",
        "no record creates it",
        |it| {
            let berts = it.berts;
            it.books(|books| {
                let like = books.policies.get(&berts)?.clone();
                let policy = AuditedPolicy {
                    created_by: Some((ANNA, VoteVersion(Uuid::nil()))),
                    total: None,
                    days: Vec::new(),
                    ..like
                };
                books.policies.insert(PolicyId(Uuid::nil()), policy);
                Some(())
            })
        },
    ),
    (
        Invariant::ClosedStays,
        "a day is closed again",
        "was closed as",
        |it| {
            let snapshot = it.evidence.closed_as.values_mut().next()?;
            *snapshot = Uuid::nil();
            Some(())
        },
    ),
    (
        Invariant::ClosedStays,
        "a rank of a day is missing",
        "ranks",
        |it| {
            let seen = it.evidence.books.as_mut().ok()?;
            seen.ranked.first_mut()?.1 -= 1;
            Some(())
        },
    ),
    (
        Invariant::ClosedStays,
        "a day is ranked again",
        "was ranked as",
        |it| {
            let seen = it.evidence.books.as_mut().ok()?;
            let day = seen.ranked.first()?.0.day;
            it.journal.pages().ranked_as.push((day, Uuid::nil()));
            Some(())
        },
    ),
    (
        Invariant::NoDayBelowZero,
        "a withdrawal is dated back",
        "with -5 votes",
        |it| it.date_last_back(ANNA, it.berts),
    ),
    (Invariant::OneAnswer, "another answer", ", then ", |it| {
        let mut pages = it.journal.pages();
        let first = pages.lines.first()?.clone();
        let told = Told::Refused("overdraft".to_owned());
        pages.lines.push(Line { told, ..first });
        Some(())
    }),
    (
        Invariant::LedgerVerifies,
        "a line of the ledger",
        "line ",
        |it| {
            let seen = it.evidence.books.as_mut().ok()?;
            let lines = seen.ledger.as_mut().ok()?;
            lines.remove(lines.len() / 2);
            Some(())
        },
    ),
    (
        Invariant::OnePath,
        "a checkpoint",
        "checkpoint 5 is not the sum",
        |it| it.last_of(ANNA, |record| record.checkpoint = Some(BTreeMap::new())),
    ),
    (
        Invariant::OnePath,
        "votes are left at the end",
        "stay on",
        |it| {
            it.last_of(CLEO, |record| {
                for change in record.changes.values_mut() {
                    change.increment += 1;
                    change.entry.total += 1;
                }
            })
        },
    ),
    (
        Invariant::OnePath,
        "a record after the end",
        "follows the end",
        |it| {
            it.books(|books| {
                let (head, records) = books.chains.get_mut(&CLEO)?;
                let last = records.last()?.clone();
                let next = VoteRecord {
                    version: VoteVersion(Uuid::max()),
                    previous: Some(last.version),
                    seq: last.seq + 1,
                    kind: RecordKind::Vote,
                    changes: BTreeMap::new(),
                    ..last
                };
                *head = Some(next.version);
                records.push(next);
                Some(())
            })
        },
    ),
    (
        Invariant::NoOverdraft,
        "votes are spent before a release gives them back",
        "balance -60",
        |it| {
            it.books(|books| {
                let paid = books.salary.get_mut(&EMMA)?;
                let all = paid.len();
                paid.retain(|payment| payment.period != first_day());
                (paid.len() < all).then_some(())
            })
        },
    ),
    (
        Invariant::PriceExact,
        "an undo does not give the price back",
        "takes back something else",
        |it| {
            it.last_of(DORA, |record| {
                for change in record.changes.values_mut() {
                    change.entry.withdrawn = 8;
                    change.entry.burned_hundredths = 400;
                }
            })
        },
    ),
    (
        Invariant::PriceExact,
        "what a policy costs",
        "costs 11 votes",
        |it| {
            it.books(|books| {
                let configs = books.config.all().iter();
                let mut dearer = configs.map(|it| VotingConfig {
                    creation_cost: it.creation_cost + 1,
                    ..*it
                });
                let first = dearer.next()?;
                books.config = ConfigHistory::new(first, dearer.collect::<Vec<_>>());
                Some(())
            })
        },
    ),
    (
        Invariant::PriceExact,
        "the price of an end",
        "the end has a price",
        |it| {
            it.last_of(CLEO, |record| {
                for change in record.changes.values_mut() {
                    change.entry.burned_hundredths += 100;
                }
            })
        },
    ),
    (
        Invariant::NoDayBelowZero,
        "a record is dated before the last one",
        "is of a day before the last record's",
        |it| it.date_last_back(DORA, it.berts),
    ),
];

impl World {
    /// Tells anna of a record that is not there.
    fn tell_of_nothing(&self) -> Option<()> {
        let accepted = Accepted {
            version: VoteVersion(Uuid::nil()),
            seq: 1,
        };
        self.journal.pages().lines.push(Line {
            user: ANNA,
            request: RequestId(Uuid::from_u128(77)),
            told: Told::Accepted(accepted),
        });
        Some(())
    }
}
