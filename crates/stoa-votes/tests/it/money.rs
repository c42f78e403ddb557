//! Votes as money: what is decided about them, what a change costs before it is made, and what is
//! told to whoever is late.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::Troubled;
use stoa_votes::model::{By, Day, NotDone, PolicyId, RequestId, Role, VotingConfig};
use stoa_votes::ops::submit::{Ask, NotAccepted};
use uuid::Uuid;

use crate::world::{MONDAY, World, code, instance, moves};

const WEEK: Duration = Duration::from_secs(7 * 86_400);

fn told(result: Result<(), NotDone>) -> &'static str {
    match result {
        Ok(()) => "done",
        Err(error) => error.code(),
    }
}

#[tokio::test]
async fn a_decision_holds_from_its_day_and_changes_nothing_before_it() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    let next = VotingConfig {
        salary: 70,
        penalty_percent: 10,
        ..VotingConfig::initial(MONDAY.plus(7))
    };
    let votes = &world.votes;
    assert_eq!(told(votes.decide_config(By::Operator, &next).await), "done");
    let rules = votes.voting_rules().await.unwrap();
    assert_eq!(rules.today, VotingConfig::initial(Day(0)));
    assert_eq!(rules.coming, [next]);
    world.wait(Duration::from_secs(61));
    assert_eq!(world.balance(ben).await, 50);
    world.assert_books_balance().await;
    world.wait(WEEK);
    assert_eq!(world.balance(ben).await, 120);
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    assert_eq!(world.balance(ben).await, 138);
    votes.close_days().await.unwrap();
    world.assert_books_balance().await;
    assert_eq!(votes.voting_rules().await.unwrap().today, next);
}

#[tokio::test]
async fn what_is_decided_is_not_decided_otherwise_and_everybody_can_read_by_whom() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let votes = &world.votes;
    let grant = votes.grant_role(By::Operator, ada.user, Role::Admin).await;
    grant.unwrap();
    let next = VotingConfig::initial(MONDAY.plus(14));
    let (by, other) = (By::User(ada.user), By::User(ben.user));
    assert_eq!(told(votes.decide_config(other, &next).await), "not_allowed");
    for _ in 0..2 {
        assert_eq!(told(votes.decide_config(by, &next).await), "done");
    }
    let otherwise = VotingConfig { salary: 1, ..next };
    let refused = votes.decide_config(by, &otherwise).await;
    assert_eq!(told(refused), "already_decided");
    let soon = VotingConfig::initial(MONDAY.plus(1));
    let refused = votes.decide_config(by, &soon).await;
    assert_eq!(told(refused), "decision_within_period");
    let log = votes.tables().moderation.list(MONDAY).await.unwrap();
    let decisions = log.iter().filter(|entry| entry.action == "decide_config");
    let decisions: Vec<_> = decisions.map(|it| (it.moderator, &*it.target)).collect();
    assert_eq!(decisions, [(ada.user, "2026-11-30")]);
}

#[tokio::test]
async fn the_price_of_a_withdrawal_is_told_before_it_is_paid() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, {
        world.wait(WEEK);
        world.create(ada).await
    });
    world.ask(ben, moves(&[(trees, 51)])).await.unwrap();
    let change = BTreeMap::from([(trees, -31), (parks, 20)]);
    let quote = world.votes.quote(ben, &change).await.unwrap();
    assert_eq!(quote.price(), 16);
    assert_eq!(quote.prices, BTreeMap::from([(trees, 16)]));
    let before = world.votes.statement(ben).await.unwrap();
    assert_eq!(quote.before, before);
    world.ask(ben, Ask::Move(change)).await.unwrap();
    let after = world.votes.statement(ben).await.unwrap();
    assert_eq!(
        (quote.balance, quote.positions),
        (after.balance, after.positions)
    );
    let refused = world
        .votes
        .quote(ben, &BTreeMap::from([(trees, -21)]))
        .await;
    assert_eq!(refused.unwrap_err().code(), "too_few_on_policy");
}

#[tokio::test]
async fn who_is_late_is_told_the_state_there_is() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let late = world.request(ben, moves(&[(trees, 50)])).await;
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    let answer = world.votes.submit(ben, &late).await;
    let Err(NotAccepted::Stale(current)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(*current, world.votes.statement(ben).await.unwrap());
    // The same request for the state there is: it was not answered before.
    let again = stoa_votes::ops::submit::Request {
        basis: current.basis,
        ask: moves(&[(trees, 40)]),
        ..late
    };
    assert_eq!(code(world.votes.submit(ben, &again).await), "accepted");
}

#[tokio::test]
async fn a_hundred_thousand_policies_at_once_are_refused_before_any_is_read() {
    let world = World::new().await;
    let ben = world.user();
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    let many = (0..100_000).map(|at| (PolicyId(Uuid::from_u128(at)), 1));
    let request = world.on(ben, None, Ask::Move(many.collect()));
    let before = counting.calls();
    assert_eq!(code(votes.submit(ben, &request).await), "too_many_changes");
    assert!(counting.calls() - before < 20, "{}", counting.calls());
}

#[test]
fn what_is_no_identifier_names_no_request() {
    for wrong in ["", "1", "67e55044-10b1-426f-9247-bb680e5fe0c", "💣", "null"] {
        let refusal = RequestId::parse(wrong).unwrap_err();
        assert_eq!(refusal.code(), "malformed_request_id", "{wrong:?}");
    }
    let nil = RequestId::parse(&Uuid::nil().to_string());
    assert_eq!(nil.unwrap_err().code(), "malformed_request_id");
    let id = Uuid::from_u128(7).to_string();
    assert_eq!(RequestId::parse(&id).unwrap().to_string(), id);
}

#[tokio::test]
async fn an_instance_far_ahead_closes_no_day() {
    let world = World::new().await;
    world.wait(52 * WEEK);
    world.votes.measure_clock().await.unwrap();
    let closed = world.votes.close_days().await;
    // The engine has the time of the machine, which is not that of the world.
    assert!(closed.is_err(), "{closed:?}");
}
