//! Addresses: another one for an account, and nobody who learns which have one.

use std::time::Duration;

use stoa_votes::model::{RequestId, UserId, UserState};
use stoa_votes::ops::limit_mail::MOST_LINKS_IN_AN_HOUR;
use stoa_votes::ops::sign_in::counted_as;
use stoa_votes::rules::secrets::Secret;

use crate::accounts::{PASSWORD, code, home, join, registration, request, secret_of_mail};
use crate::world::{MONDAY, World};

const DAY: Duration = Duration::from_secs(86_400);

/// The kinds of mail that wait for somebody.
async fn waiting(world: &World, to: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    for day in MONDAY.through(MONDAY.plus(30)) {
        let pending = world.votes.tables().outbox.pending(day).await.unwrap();
        let own = pending.into_iter().filter(|mail| mail.recipient == to);
        kinds.extend(own.map(|mail| mail.kind));
    }
    kinds.sort();
    kinds
}

async fn ask(world: &World, user: UserId, email: &str) -> &'static str {
    let asked = request(world);
    code(
        world
            .votes
            .request_address(user, PASSWORD, email, asked)
            .await,
    )
}

async fn signs_in(world: &World, name: &str) -> &'static str {
    code(world.votes.sign_in(name, PASSWORD, &home()).await)
}

async fn confirm(world: &World, secret: &Secret, asked: RequestId) -> &'static str {
    code(world.votes.confirm_address(secret, asked).await)
}

#[tokio::test]
async fn an_address_changes_once_the_new_one_is_confirmed() {
    let world = World::new().await;
    let votes = &world.votes;
    let ada = join(&world, "ada").await;
    let wrong = votes.request_address(ada, "wrong horse", "new@example.org", request(&world));
    assert_eq!(code(wrong.await), "wrong_credentials");
    assert_eq!(ask(&world, ada, "nowhere").await, "email_invalid");
    assert_eq!(ask(&world, ada, "New@example.org").await, "done");
    assert_eq!(waiting(&world, "ada@example.org").await, ["address_asked"]);
    assert_eq!(votes.user(ada).await.unwrap().email, "ada@example.org");
    let reset = votes.request_reset("ada", request(&world)).await;
    reset.unwrap();
    let old_link = secret_of_mail(&world, "reset_password", "ada@example.org").await;

    let secret = secret_of_mail(&world, "change_address", "New@example.org").await;
    let first = request(&world);
    assert_eq!(confirm(&world, &secret, first).await, "done");
    assert_eq!(confirm(&world, &secret, first).await, "done");
    let again = confirm(&world, &secret, request(&world)).await;
    assert_eq!(again, "token_used");
    assert_eq!(votes.user(ada).await.unwrap().email, "New@example.org");
    assert_eq!(signs_in(&world, "new@EXAMPLE.org").await, "done");
    assert_eq!(
        signs_in(&world, "ada@example.org").await,
        "wrong_credentials"
    );
    // What was sent to the old address is worth nothing any more.
    let late = votes.reset_password(&old_link, "another horse", request(&world));
    assert_eq!(code(late.await), "token_invalid");
    // The old address is free at once, and others can have it.
    let ben = registration(&world, "benno", "ada@example.org");
    assert_eq!(code(votes.register(&ben).await), "done");
    let findings = votes.audit().await.unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[tokio::test]
async fn a_link_to_an_address_that_somebody_took_meanwhile_changes_nothing() {
    let world = World::new().await;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "benno").await);
    assert_eq!(ask(&world, ada, "both@example.org").await, "done");
    let of_ada = secret_of_mail(&world, "change_address", "both@example.org").await;
    assert_eq!(ask(&world, ben, "both@example.org").await, "done");
    let of_ben = secret_of_mail(&world, "change_address", "both@example.org").await;
    assert_eq!(confirm(&world, &of_ben, request(&world)).await, "done");
    let late = confirm(&world, &of_ada, request(&world)).await;
    assert_eq!(late, "email_taken");
    let user = world.votes.user(ada).await.unwrap();
    assert_eq!(
        (user.email.as_str(), user.attempt),
        ("ada@example.org", None)
    );
}

#[tokio::test]
async fn a_link_is_good_for_a_day_and_sent_a_few_times_an_hour() {
    let world = World::new().await;
    let ada = join(&world, "ada").await;
    for each in 0..20 {
        let email = format!("{each}@example.org");
        assert_eq!(ask(&world, ada, &email).await, "done");
    }
    let asked = waiting(&world, "ada@example.org").await;
    let most = usize::try_from(MOST_LINKS_IN_AN_HOUR).unwrap();
    assert_eq!(asked, vec!["address_asked"; most]);
    let secret = secret_of_mail(&world, "change_address", "0@example.org").await;
    world.wait(DAY);
    let late = confirm(&world, &secret, request(&world)).await;
    assert_eq!(late, "token_invalid");
}

#[tokio::test]
async fn whoever_asks_for_the_address_of_another_learns_nothing() {
    let world = World::new().await;
    let (ada, _) = (join(&world, "ada").await, join(&world, "benno").await);
    for email in ["benno@example.org", "nobody@example.org"] {
        assert_eq!(ask(&world, ada, email).await, "done");
    }
    assert_eq!(
        waiting(&world, "benno@example.org").await,
        ["address_in_use"]
    );
    assert_eq!(
        waiting(&world, "nobody@example.org").await,
        ["change_address"]
    );
}

#[tokio::test]
async fn an_account_with_an_address_that_has_one_looks_like_any_other() {
    let world = World::new().await;
    let votes = &world.votes;
    join(&world, "ada").await;
    let mut taken = registration(&world, "evelyn", "Ada@example.org");
    let mut free = registration(&world, "francis", "francis@example.org");
    for asked in [&mut taken, &mut free] {
        asked.password = "another horse".to_owned();
    }
    for asked in [&taken, &free] {
        let user = votes.register_quietly(asked).await.unwrap();
        assert_eq!(votes.register_quietly(asked).await.unwrap(), user);
        let known = votes.user(user).await.unwrap();
        assert_eq!((&known.name, &known.email), (&asked.name, &asked.email));
        assert_eq!(known.state, UserState::Unverified);
        // By an address that is not confirmed nobody signs in: whose it is would be told by that.
        for (who, expected) in [(&asked.name, "done"), (&asked.email, "wrong_credentials")] {
            let signed_in = votes.sign_in(who, &asked.password, &home()).await;
            assert_eq!(code(signed_in), expected, "{who}");
        }
        let again = votes.request_verification(user, request(&world)).await;
        assert_eq!(code(again), "done");
        let reset = votes.request_reset(&asked.name, request(&world)).await;
        assert_eq!(code(reset), "done");
    }
    assert_eq!(signs_in(&world, "ada@example.org").await, "done");
    let told = waiting(&world, "ada@example.org").await;
    assert!(told.iter().all(|kind| kind == "address_in_use"), "{told:?}");
    assert_eq!(told.len(), 3);
    // What is never confirmed is given up, an account apart as any other.
    world.wait(DAY * 8);
    votes.sweep_claims().await.unwrap();
    for asked in [&taken, &free] {
        let signed_in = votes.sign_in(&asked.name, &asked.password, &home()).await;
        assert_eq!(code(signed_in), "wrong_credentials");
        join(&world, &asked.name).await;
    }
    assert_eq!(signs_in(&world, "ada@example.org").await, "done");
}

#[tokio::test]
async fn an_account_apart_becomes_one_with_an_address_of_its_own() {
    let world = World::new().await;
    let votes = &world.votes;
    join(&world, "ada").await;
    let asked = registration(&world, "evelyn", "ada@example.org");
    let evelyn = votes.register_quietly(&asked).await.unwrap();
    assert_eq!(ask(&world, evelyn, "evelyn@example.org").await, "done");
    let secret = secret_of_mail(&world, "change_address", "evelyn@example.org").await;
    assert_eq!(confirm(&world, &secret, request(&world)).await, "done");
    assert_eq!(code(votes.account(evelyn).await), "done");
    let (user, _) = votes
        .sign_in("ada@example.org", PASSWORD, &home())
        .await
        .unwrap();
    assert_eq!(user.name, "ada");
}

#[test]
fn tries_are_counted_by_whom_they_find() {
    for alike in [" ADA ", "ada", "Ada"] {
        assert_eq!(counted_as(alike), counted_as("ada"), "{alike}");
    }
    assert_eq!(counted_as("a1ice"), counted_as("alice"));
    assert_eq!(counted_as("A@Example.org"), counted_as("a@example.org"));
    assert_ne!(counted_as("ada@example.org"), counted_as("ada"));
    assert_ne!(counted_as("x y"), counted_as("x z"));
}
