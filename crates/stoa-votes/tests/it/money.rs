//! Votes as money: what is decided about them, what a change costs before it is made, and what is
//! told to whoever is late.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::Troubled;
use stoa_votes::model::{By, Day, NotDone, PolicyId, RequestId, Role, VotingConfig};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::ops::submit::{Ask, NotAccepted};
use stoa_votes::rules::audit::Invariant;
use stoa_votes::rules::salary::Payment;
use stoa_votes::tasks::check_export::Exported;
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
    decided(&World::new().await).await;
}

pub(crate) async fn decided(world: &World) {
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

/// A world in which something holds from the next Monday on, and that Monday.
async fn world_under(next: VotingConfig) -> World {
    let world = World::new().await;
    let decided = world.votes.decide_config(By::Operator, &next).await;
    assert_eq!(told(decided), "done");
    world.wait(WEEK);
    world.votes.close_days().await.unwrap();
    world
}

/// Closes what is over; the books balance, and the public ledger counts again to the same.
async fn assert_all_is_right(world: &World) {
    world.wait(Duration::from_secs(86_400));
    world.votes.close_days().await.unwrap();
    world.assert_books_balance().await;
    let exported = world.votes.check_export().await.unwrap();
    assert!(
        matches!(exported, Exported::Through(Some(_))),
        "{exported:?}"
    );
}

#[tokio::test]
async fn nobody_is_paid_beyond_the_unspent_votes_that_were_decided() {
    let next = VotingConfig {
        most_unspent: Some(250),
        ..VotingConfig::initial(MONDAY.plus(7))
    };
    let world = world_under(next).await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    assert_eq!(world.balance(ben).await, 200);
    world.wait(WEEK);
    assert_eq!(world.balance(ben).await, 250);
    // A look pays, and what was paid stays, however much is spent later in the week.
    world.ask(ben, moves(&[(trees, 120)])).await.unwrap();
    assert_eq!(world.balance(ben).await, 130);
    world.wait(3 * WEEK);
    assert_eq!(world.balance(ben).await, 250);
    let other = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    assert_eq!(other.statement(ben).await.unwrap().salary, 370);
    world.ask(ben, moves(&[(trees, 250)])).await.unwrap();
    assert_all_is_right(&world).await;
}

#[tokio::test]
async fn where_only_those_who_are_there_are_paid_nobody_else_brings_votes() {
    let next = VotingConfig {
        only_present: true,
        ..VotingConfig::initial(MONDAY.plus(7))
    };
    let world = world_under(next).await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.create(ada).await;
    world.wait(2 * WEEK);
    let paid = async |account: Account| {
        let paid = votes.tables().money.paid(account.user).await.unwrap();
        paid.iter().map(|payment| payment.amount).sum::<i64>()
    };
    // Neither a task nor a look at a profile makes somebody be there.
    assert_eq!(votes.mail_salaries().await.unwrap(), 0);
    assert_eq!(votes.profile(ben.user).await.unwrap().balance, 0);
    assert_eq!(paid(ben).await, 0);
    let origin = Origin {
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        agent: String::new(),
    };
    let signed_in = votes.sign_in("ben", "correct horse", &origin).await;
    signed_in.unwrap();
    // The week of joining, and this one; not the one between.
    assert_eq!(paid(ben).await, 200);
    world.wait(WEEK);
    world.ask(ben, moves(&[(trees, 300)])).await.unwrap();
    assert_eq!(paid(ben).await, 300);
    assert_all_is_right(&world).await;
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
    late(&World::new().await).await;
}

pub(crate) async fn late(world: &World) {
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let late = world.request(ben, moves(&[(trees, 50)])).await;
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    let answer = world.votes.submit(ben, &late).await;
    let current = match answer {
        Err(NotAccepted::Stale(current)) => Some(current),
        _ => None,
    };
    let current = current.unwrap();
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

#[tokio::test]
async fn the_audit_finds_a_payment_of_a_period_before_the_user_joined() {
    let world = World::new().await;
    world.wait(3 * WEEK);
    let ada = world.member("ada").await;
    let trees = world.policy(ada, "Trees").await;
    world.assert_books_balance().await;
    let money = &world.votes.tables().money;
    // Each at the rate of its period: what is wrong is that it was over when she joined.
    let weeks = [MONDAY.plus(7), MONDAY.plus(14)];
    for period in weeks {
        let amount = VotingConfig::initial(Day(0)).salary;
        money
            .pay(ada.user, Payment { period, amount })
            .await
            .unwrap();
    }
    world.ask(ada, moves(&[(trees, 150)])).await.unwrap();
    let findings = world.votes.audit().await.unwrap();
    let found: Vec<Invariant> = findings.iter().map(|it| it.invariant).collect();
    assert_eq!(found, [Invariant::PaidOnce; 2], "{findings:?}");
    for (finding, period) in findings.iter().zip(weeks) {
        let what = format!("got 100 for {period}");
        assert!(finding.what.contains(&what), "{finding}");
        assert!(finding.what.ends_with("joined on 2026-12-07"), "{finding}");
    }
}

#[tokio::test]
async fn the_audit_finds_votes_of_somebody_who_never_joined() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let trees = world.policy(ada, "Trees").await;
    let nobody = world.user();
    world.ask(nobody, moves(&[(trees, 20)])).await.unwrap();
    let findings = world.votes.audit().await.unwrap();
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}");
    };
    assert_eq!(finding.invariant, Invariant::PaidOnce);
    let what = format!("user {} votes and never joined", nobody.user);
    assert_eq!(finding.what, what);
}
