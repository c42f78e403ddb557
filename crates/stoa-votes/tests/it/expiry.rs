//! What is kept for a while is gone afterwards, and not before: rows that expire, by an engine whose
//! clock is the community's.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, Ids};
use stoa_votes::model::RequestId;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::secrets::Secret;

use crate::accounts::{code, home};
use crate::world::{self, World, instance, moves};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// What expires, and after how many seconds.
const EXPIRES: &[(i64, &str)] = &[
    (HOUR, "tokens WHERE kind = 'reset_password' ALLOW FILTERING"),
    (DAY, "policy_changes"),
    (2 * DAY, "rates"),
    (
        7 * DAY,
        "tokens WHERE kind = 'verify_email' ALLOW FILTERING",
    ),
    (7 * DAY, "outbox"),
    (15 * DAY, "told_happenings"),
    (30 * DAY, "logins"),
    (30 * DAY, "logins_of_users"),
    (30 * DAY, "recent_comments"),
    (90 * DAY, "login_records"),
    (90 * DAY, "users_by_joined"),
    (90 * DAY, "users_by_origin"),
    (90 * DAY, "origins_by_user"),
    (90 * DAY, "account_signals"),
    (90 * DAY, "vote_chain WHERE slot = 1 ALLOW FILTERING"),
    // How many were written lately stays with the author.
    (
        90 * DAY,
        "comment_requests WHERE digest >= '' ALLOW FILTERING",
    ),
    (90 * DAY, "notifications"),
    (90 * DAY, "rank_hours"),
    (90 * DAY, "policy_rank_hour"),
];

/// Everything that leaves something that expires, within a minute.
async fn busy_world() -> World {
    let world = World::of_one_clock().await;
    let votes = &world.votes;
    for name in ["ada", "benno"] {
        let registration = Registration {
            request: RequestId(world.ids.uuid()),
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            password: "correct horse".to_owned(),
            origin: Some(home()),
        };
        votes.register(&registration).await.unwrap();
    }
    let signed_in = votes.sign_in("ada", "correct horse", &home()).await;
    signed_in.unwrap();
    let request = RequestId(world.ids.uuid());
    votes.request_reset("ada", request).await.unwrap();
    let cleo = world.member("cleo").await;
    let dora = world.member("dora").await;
    let trees = world.policy(cleo, "Plant trees").await;
    votes.watch(dora.user, trees).await.unwrap();
    let new = NewComment {
        request: RequestId(world.ids.uuid()),
        policy: trees,
        answers: None,
        subject: String::new(),
        body: "Shade for all".to_owned(),
    };
    votes.write_comment(cleo.user, &new).await.unwrap();
    votes.tell_watchers().await.unwrap();
    votes.rank_hours().await.unwrap();
    world
}

async fn count(world: &World, what: &str) -> usize {
    let (table, rest) = what.split_once(' ').unwrap_or((what, ""));
    let text = format!("SELECT * FROM votes.{table} {rest}");
    let rows = world.session.query(&text, ()).await.unwrap();
    rows.into_rows().len()
}

#[tokio::test]
async fn what_expires_is_there_until_its_time_and_gone_after_it() {
    let world = busy_world().await;
    let began = world.clock.now_micros();
    let until = |seconds: i64| {
        let left = began + seconds * 1_000_000 - world.clock.now_micros();
        world
            .clock
            .advance(Duration::from_micros(u64::try_from(left).unwrap_or(0)));
    };
    let mut times: Vec<i64> = EXPIRES.iter().map(|(seconds, _)| *seconds).collect();
    times.dedup();
    for time in times {
        let of_time = EXPIRES.iter().filter(|(seconds, _)| *seconds == time);
        let of_time: Vec<&str> = of_time.map(|(_, what)| *what).collect();
        // All of it was written within the last minute before the beginning.
        until(time - 60);
        for what in &of_time {
            assert!(count(&world, what).await > 0, "{what} before {time} s");
        }
        until(time);
        for what in &of_time {
            assert_eq!(count(&world, what).await, 0, "{what} after {time} s");
        }
    }
}

#[tokio::test]
async fn somebody_stays_signed_in_for_thirty_days_after_being_seen() {
    let world = World::of_one_clock().await;
    let ada = world.member("ada").await;
    let days = |days: u64| Duration::from_secs(days * 86_400);
    let votes = &world.votes;
    let signed_in = votes.sign_in("ada", "correct horse", &home()).await;
    let (_, secret) = signed_in.unwrap();
    let is_there = async |secret: &Secret| {
        let login = votes.tables().logins.read(&secret.digest()).await;
        login.unwrap().is_some()
    };
    for _ in 0..3 {
        world.wait(days(30) - Duration::from_secs(60));
        assert_eq!(votes.signed_in(&secret).await.unwrap().id, ada.user);
    }
    world.wait(days(30) - Duration::from_secs(60));
    assert!(is_there(&secret).await);
    world.wait(Duration::from_secs(61));
    assert!(!is_there(&secret).await);
    assert_eq!(code(votes.signed_in(&secret).await), "not_signed_in");
    // Signing in was longer ago than it is remembered.
    let sign_ins = votes.tables().logins.records(ada.user).await.unwrap();
    assert!(sign_ins.is_empty());
}

/// The answer is forgotten after 90 days, but what it was made for has passed: asking again spends
/// nothing twice.
#[tokio::test]
async fn a_request_is_answered_again_for_ninety_days_and_never_accepted_twice() {
    let world = World::of_one_clock().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let votes = &world.votes;
    let request = world.request(ben, moves(&[(trees, 30)])).await;
    let refused = world.on(ben, request.basis, moves(&[(trees, 101)]));
    assert_eq!(world::code(votes.submit(ben, &refused).await), "overdraft");
    let accepted = votes.submit(ben, &request).await.unwrap();
    votes.sync(ben.user, accepted).await.unwrap();
    world.wait(Duration::from_secs(90 * 86_400 - 60));
    votes.close_days().await.unwrap();
    assert_eq!(votes.submit(ben, &request).await.unwrap(), accepted);
    assert_eq!(world::code(votes.submit(ben, &refused).await), "overdraft");
    world.wait(Duration::from_secs(61));
    for late in [&request, &refused] {
        let given = votes.tables().chain.answer(ben.user, late.id).await;
        assert_eq!(given.unwrap(), None);
        assert_eq!(world::code(votes.submit(ben, late).await), "stale_basis");
    }
    assert_eq!(world.total(trees).await, 130);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_name_that_somebody_was_about_to_take_is_free_after_a_quarter_of_an_hour() {
    let world = World::of_one_clock().await;
    let registration = |email: &str| Registration {
        request: RequestId(world.ids.uuid()),
        name: "ada".to_owned(),
        email: email.to_owned(),
        password: "correct horse".to_owned(),
        origin: None,
    };
    // Who registers dies at a later call each time, until the name is reserved.
    for call in 0..10 {
        let dying = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesBefore);
        let dying: Arc<dyn Session> = Arc::new(dying);
        let votes = instance(dying, &world.clock, &world.ids).await;
        let first = registration(&format!("first{call}@example.org"));
        assert!(votes.register(&first).await.is_err());
        let second = registration(&format!("second{call}@example.org"));
        match world.votes.register(&second).await {
            Ok(user) => {
                // Nothing was reserved yet. The name goes back for the next one.
                world.votes.leave(user).await.unwrap();
                world.wait(Duration::from_secs(91 * 86_400));
            }
            Err(taken) => {
                assert_eq!(taken.code(), "name_taken", "at call {call}");
                world.wait(Duration::from_secs(900 - 60));
                assert_eq!(code(world.votes.register(&second).await), "name_taken");
                world.wait(Duration::from_secs(61));
                assert_eq!(code(world.votes.register(&second).await), "done");
                return;
            }
        }
    }
    panic!("the name was never reserved");
}
