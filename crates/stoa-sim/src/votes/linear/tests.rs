//! Good and bad histories of one user.

use stoa_votes::model::{Day, UserId};
use uuid::Uuid;

use super::*;

fn version(number: u128) -> VoteVersion {
    VoteVersion(Uuid::from_u128(number))
}

fn request(number: u128) -> RequestId {
    RequestId(Uuid::from_u128(number))
}

/// A basis of 0 is the beginning.
fn state(number: u128) -> Option<VoteVersion> {
    (number > 0).then(|| version(number))
}

fn sent(id: u128, basis: u128, answer: Answer) -> Deed {
    Deed::Submit {
        request: request(id),
        basis: state(basis),
        is_end: false,
        answer,
    }
}

fn accepted(id: u128, basis: u128, as_version: u128) -> Deed {
    sent(id, basis, Answer::Accepted(version(as_version)))
}

/// Records by version and by the request that they were made for.
fn chain(records: &[(u128, u128)]) -> Vec<VoteRecord> {
    let mut previous = None;
    let records = records.iter().enumerate();
    records
        .map(|(at, (as_version, id))| {
            let record = VoteRecord {
                version: version(*as_version),
                previous,
                seq: i64::try_from(at).unwrap() + 1,
                day: Day(0),
                kind: RecordKind::Vote,
                changes: BTreeMap::new(),
                roots: BTreeMap::new(),
                policy_created: None,
                request: request(*id),
                actor: UserId(Uuid::nil()),
                checkpoint: None,
            };
            previous = Some(record.version);
            record
        })
        .collect()
}

fn is_possible(history: &[Operation<Deed>], records: &[(u128, u128)]) -> bool {
    check(history, &chain(records)).is_ok()
}

#[test]
fn calls_one_after_the_other_are_a_chain() {
    let history = [
        Operation::new(1, 2, accepted(1, 0, 1)),
        Operation::new(3, 4, sent(2, 0, Answer::Stale)),
        Operation::new(5, 6, Deed::Look(state(1))),
        Operation::new(7, 8, accepted(3, 1, 2)),
    ];
    assert!(is_possible(&history, &[(1, 1), (2, 3)]));
}

#[test]
fn the_first_of_two_with_one_basis_wins_and_only_one() {
    let loser = |answer| Operation::new(2, 5, sent(2, 0, answer));
    let winner = Operation::new(1, 4, accepted(1, 0, 1));
    assert!(is_possible(
        &[winner.clone(), loser(Answer::Stale)],
        &[(1, 1)]
    ));
    let both = [winner, loser(Answer::Accepted(version(2)))];
    assert!(!is_possible(&both, &[(1, 1), (2, 2)]));
    assert!(!is_possible(&both, &[(2, 2)]));
}

#[test]
fn stale_may_only_be_told_where_the_head_is_another() {
    let alone = [Operation::new(1, 2, sent(1, 0, Answer::Stale))];
    assert!(!is_possible(&alone, &[]));
    // It ended before the other began, so it cannot have lost to it.
    let before = [
        Operation::new(1, 2, sent(1, 0, Answer::Stale)),
        Operation::new(3, 4, accepted(2, 0, 1)),
    ];
    assert!(!is_possible(&before, &[(1, 2)]));
    let meanwhile = [
        Operation::new(1, 4, sent(1, 0, Answer::Stale)),
        Operation::new(2, 3, accepted(2, 0, 1)),
    ];
    assert!(is_possible(&meanwhile, &[(1, 2)]));
}

#[test]
fn what_nobody_knows_may_come_later_or_never_but_not_earlier() {
    let unknown = Operation::unknown(1, sent(1, 0, Answer::Unknown));
    let look = |at, seen| Operation::new(at, at + 1, Deed::Look(state(seen)));
    assert!(is_possible(&[unknown.clone(), look(3, 0)], &[]));
    assert!(is_possible(
        &[unknown.clone(), look(3, 0), look(5, 1)],
        &[(1, 1)]
    ));
    assert!(!is_possible(&[unknown, look(3, 1), look(5, 0)], &[(1, 1)]));
    let too_late = [
        look(1, 1),
        Operation::unknown(3, sent(1, 0, Answer::Unknown)),
    ];
    assert!(!is_possible(&too_late, &[(1, 1)]));
}

#[test]
fn an_accepted_record_that_another_one_replaced_is_noticed() {
    let history = [
        Operation::new(1, 2, accepted(1, 0, 1)),
        Operation::new(3, 4, accepted(2, 0, 2)),
    ];
    assert!(!is_possible(&history, &[(2, 2)]));
}

#[test]
fn a_request_that_comes_again_has_its_answer_even_if_the_head_moved() {
    let refused = || Answer::Refused("overdraft".to_owned());
    let history = [
        Operation::new(1, 2, sent(1, 0, refused())),
        Operation::new(3, 4, accepted(2, 0, 1)),
        Operation::new(5, 6, sent(1, 0, refused())),
        Operation::new(7, 8, accepted(2, 0, 1)),
    ];
    assert!(is_possible(&history, &[(1, 2)]));
    // Decided at a head that was not its basis.
    let late = [
        Operation::new(1, 2, accepted(2, 0, 1)),
        Operation::new(3, 4, sent(1, 0, refused())),
    ];
    assert!(!is_possible(&late, &[(1, 2)]));
    // A refusal that nobody was told of, before the head moved.
    let told_late = [
        Operation::unknown(1, sent(1, 0, Answer::Unknown)),
        Operation::new(2, 3, accepted(2, 0, 1)),
        Operation::new(4, 5, sent(1, 0, refused())),
    ];
    assert!(is_possible(&told_late, &[(1, 2)]));
}

#[test]
fn nothing_follows_the_end_of_an_account() {
    let end = Deed::Submit {
        request: request(1),
        basis: None,
        is_end: true,
        answer: Answer::Accepted(version(1)),
    };
    let mut records = chain(&[(1, 1)]);
    records[0].kind = RecordKind::Final;
    let ended = Operation::new(3, 4, sent(2, 1, Answer::Ended));
    let history = [Operation::new(1, 2, end.clone()), ended.clone()];
    assert_eq!(check(&history, &records), Ok(()));
    assert!(check(&[ended], &records).is_err());
    let after = [
        Operation::new(1, 2, end),
        Operation::new(3, 4, accepted(2, 1, 2)),
    ];
    assert!(!is_possible(&after, &[(1, 1), (2, 2)]));
}

#[test]
fn a_record_that_nobody_asked_for_is_explained_by_a_withdrawal_that_had_begun() {
    let vote = Operation::new(1, 2, accepted(1, 0, 1));
    let look = |at, seen| Operation::new(at, at + 1, Deed::Look(state(seen)));
    let records = [(1, 1), (2, 9)];
    assert!(!is_possible(std::slice::from_ref(&vote), &records));
    let withdrawal = Operation::unknown(5, Deed::Withdraw);
    let history = [vote.clone(), withdrawal.clone(), look(6, 1), look(8, 2)];
    assert!(is_possible(&history, &records));
    let too_early = [vote, look(3, 2), withdrawal];
    assert!(!is_possible(&too_early, &records));
}
