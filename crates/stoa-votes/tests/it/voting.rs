//! One user moves votes: what it costs, what is refused, what a repeated request is answered.

use std::time::Duration;

use stoa_votes::model::RequestId;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::{Ask, NotAccepted};
use uuid::Uuid;

use crate::world::{World, code, moves, no_policy};

pub(crate) const WEEK: Duration = Duration::from_secs(7 * 86_400);

#[tokio::test]
async fn votes_are_paid_spent_withdrawn_and_counted() {
    paid_spent_withdrawn(&World::new().await).await;
}

pub(crate) async fn paid_spent_withdrawn(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    assert_eq!(world.balance(ada).await, 100);
    let trees = world.create(ada).await;
    assert_eq!(
        (world.balance(ada).await, world.total(trees).await),
        (0, 100)
    );
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    assert_eq!(
        (world.balance(ben).await, world.total(trees).await),
        (40, 160)
    );
    // Half of what is withdrawn is lost.
    world.ask(ben, moves(&[(trees, -10)])).await.unwrap();
    assert_eq!(
        (world.balance(ben).await, world.total(trees).await),
        (45, 150)
    );
    // Ten more for a single one are the price of splitting: none.
    for _ in 0..10 {
        world.ask(ben, moves(&[(trees, -1)])).await.unwrap();
    }
    assert_eq!(
        (world.balance(ben).await, world.total(trees).await),
        (50, 140)
    );
    world.wait(WEEK);
    assert_eq!(world.balance(ben).await, 150);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn an_undo_gives_back_exactly_what_was_paid() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 50)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -25)])).await.unwrap();
    assert_eq!(
        (world.balance(ben).await, world.total(trees).await),
        (62, 125)
    );
    world.ask(ben, Ask::Undo).await.unwrap();
    assert_eq!(
        (world.balance(ben).await, world.total(trees).await),
        (50, 150)
    );
    assert_eq!(code(world.ask(ben, Ask::Undo).await), "not_undoable");
    assert_eq!(code(world.ask(ada, Ask::Undo).await), "not_undoable");
    world.ask(ben, moves(&[(trees, -2)])).await.unwrap();
    world.wait(Duration::from_secs(601));
    assert_eq!(code(world.ask(ben, Ask::Undo).await), "not_undoable");
    assert_eq!(
        code(world.ask(world.user(), Ask::Undo).await),
        "nothing_to_undo"
    );
    world.assert_books_balance().await;
}

#[tokio::test]
async fn every_bad_request_has_a_refusal_of_its_own_and_writes_no_vote() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    world.wait(WEEK);
    let closed = world.create(ada).await;
    assert!(world.votes.release(closed, Release::Retire).await.unwrap());
    let many = (0..201).map(|id| (stoa_votes::model::PolicyId(Uuid::from_u128(id)), 1));
    let cases = [
        (moves(&[]), "nothing_to_do"),
        (moves(&[(trees, 0)]), "nothing_to_do"),
        (moves(&[(trees, 101)]), "overdraft"),
        (moves(&[(trees, i64::MAX)]), "too_many_votes"),
        (moves(&[(trees, i64::MIN)]), "too_many_votes"),
        (moves(&[(parks, -101)]), "too_few_on_policy"),
        (moves(&[(trees, -1)]), "too_few_on_policy"),
        (moves(&[(no_policy(), 1)]), "no_such_policy"),
        (moves(&[(closed, 1)]), "policy_closed"),
        (Ask::Move(many.collect()), "too_many_changes"),
    ];
    for (ask, expected) in cases {
        assert_eq!(code(world.ask(ben, ask).await), expected);
    }
    assert_eq!(
        world.votes.books().await.unwrap().chains[&ben.user].1.len(),
        1
    );
    world.assert_books_balance().await;
}

#[tokio::test]
async fn one_request_has_one_answer() {
    asked_again(&World::new().await).await;
}

pub(crate) async fn asked_again(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let request = world.request(ben, moves(&[(trees, 60)])).await;
    let first = world.votes.submit(ben, &request).await.unwrap();
    assert_eq!(world.votes.submit(ben, &request).await.unwrap(), first);
    let mut other = request.clone();
    other.ask = moves(&[(trees, 61)]);
    assert_eq!(
        code(world.votes.submit(ben, &other).await),
        "request_reused"
    );
    // A refusal stays one, though the next salary would allow it.
    let request = world.request(ben, moves(&[(trees, 41)])).await;
    assert_eq!(code(world.votes.submit(ben, &request).await), "overdraft");
    world.wait(WEEK);
    let again = world.votes.submit(ben, &request).await;
    assert!(matches!(again, Err(NotAccepted::RefusedBefore { .. })));
    assert_eq!(code(again), "overdraft");
    let request = world.request(ben, moves(&[(trees, 41)])).await;
    assert_eq!(code(world.votes.submit(ben, &request).await), "accepted");
    world.rest().await;
    world.assert_books_balance().await;
}

#[tokio::test]
async fn of_two_windows_one_is_told_that_the_other_came_first() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let one = world.request(ben, moves(&[(trees, 100)])).await;
    let other = world.on(ben, one.basis, moves(&[(trees, 100)]));
    let (one, other) = tokio::join!(
        world.votes.submit(ben, &one),
        world.votes.submit(ben, &other)
    );
    let mut codes = [code(one), code(other)];
    codes.sort();
    assert_eq!(codes, ["accepted", "stale_basis"]);
    world.rest().await;
    assert_eq!(world.total(trees).await, 200);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_released_policy_gives_votes_and_their_price_back() {
    released(&World::new().await).await;
}

pub(crate) async fn released(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 80)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    assert_eq!(world.balance(ben).await, 30);
    assert!(world.votes.release(trees, Release::Delete).await.unwrap());
    assert!(!world.votes.release(trees, Release::Retire).await.unwrap());
    assert_eq!(world.balance(ben).await, 100);
    assert_eq!(world.balance(ada).await, 100);
    assert_eq!(
        code(world.ask(ben, moves(&[(trees, -1)])).await),
        "policy_closed"
    );
    world.assert_books_balance().await;
}

#[tokio::test]
async fn an_account_that_ended_has_nothing_and_does_nothing() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 80)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    world.ask(ben, Ask::End).await.unwrap();
    assert_eq!(world.total(trees).await, 100);
    assert_eq!(
        code(world.ask(ben, moves(&[(trees, 1)])).await),
        "account_ended"
    );
    assert_eq!(code(world.ask(ben, Ask::End).await), "account_ended");
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_long_chain_is_read_from_its_last_checkpoint() {
    long_chain(&World::new().await).await;
}

pub(crate) async fn long_chain(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    for at in 1..=105 {
        let votes = if at % 2 == 1 { 1 } else { -1 };
        world.ask(ben, moves(&[(trees, votes)])).await.unwrap();
        if at > 1 && at % 50 < 2 {
            // Before, at and after a checkpoint the last record can be taken back.
            world.ask(ben, Ask::Undo).await.unwrap();
        }
    }
    let books = world.votes.books().await.unwrap();
    let records = &books.chains.get(&ben.user).unwrap().1;
    let checkpoints = records.iter().filter(|it| it.checkpoint.is_some());
    assert_eq!(checkpoints.map(|it| it.seq).collect::<Vec<_>>(), [50, 100]);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn an_unknown_request_identifier_is_new() {
    let world = World::new().await;
    let ben = world.user();
    let answers = &world.votes.tables().chain;
    let unknown = RequestId(Uuid::from_u128(1));
    assert_eq!(answers.answer(ben.user, unknown).await.unwrap(), None);
}
