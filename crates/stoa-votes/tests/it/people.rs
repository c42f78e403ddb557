//! Accounts as people use them: links that are asked for again and again, names in the world, and
//! where one signed in.

use std::time::Duration;

use stoa_votes::model::{By, RealName, Role};
use stoa_votes::ops::limit_mail::MOST_LINKS_IN_AN_HOUR;
use stoa_votes::ops::register::Registration;
use stoa_votes::rules::secrets::Secret;

use crate::accounts::{code, home, join, request};
use crate::world::{MONDAY, World};

async fn mails(world: &World, kind: &str) -> usize {
    let mails = world.votes.tables().outbox.pending(MONDAY).await.unwrap();
    mails.iter().filter(|mail| mail.kind == kind).count()
}

#[tokio::test]
async fn a_link_is_sent_a_few_times_an_hour_and_the_answers_are_alike() {
    let world = World::new().await;
    let votes = &world.votes;
    join(&world, "ada").await;
    let most = usize::try_from(MOST_LINKS_IN_AN_HOUR).unwrap();
    for _ in 0..most * 2 {
        // By the name and by the address: it is one letterbox.
        for who in ["ada", "ADA@example.org", "nobody", "nobody@example.org"] {
            let asked = votes.request_reset(who, request(&world)).await;
            assert_eq!(code(asked), "done", "{who}");
        }
    }
    assert_eq!(mails(&world, "reset_password").await, most);
    world.wait(Duration::from_secs(3_600));
    votes.request_reset("ada", request(&world)).await.unwrap();
    assert_eq!(mails(&world, "reset_password").await, most + 1);
}

#[tokio::test]
async fn a_confirmation_is_sent_again_with_a_new_secret_and_a_few_times_only() {
    let world = World::new().await;
    let votes = &world.votes;
    let registration = Registration {
        request: request(&world),
        name: "ada".to_owned(),
        email: "ada@example.org".to_owned(),
        password: "correct horse".to_owned(),
        origin: None,
    };
    let ada = votes.register(&registration).await.unwrap();
    let outbox = &votes.tables().outbox;
    let before = outbox.pending(MONDAY).await.unwrap();
    assert_eq!(before.len(), 1);
    let again = request(&world);
    votes.request_verification(ada, again).await.unwrap();
    votes.request_verification(ada, again).await.unwrap();
    let after = outbox.pending(MONDAY).await.unwrap();
    assert_eq!(after.len(), 2);
    let new = after.iter().find(|mail| mail.id != before[0].id).unwrap();
    let secret = &new.fields["token"];
    assert_ne!(secret, &before[0].fields["token"]);
    for _ in 0..20 {
        let asked = votes.request_verification(ada, request(&world)).await;
        assert_eq!(code(asked), "done");
    }
    let most = usize::try_from(MOST_LINKS_IN_AN_HOUR).unwrap();
    // The registration's own is not among those that are asked for, and the second counts twice.
    assert_eq!(outbox.pending(MONDAY).await.unwrap().len(), most);
    let secret = Secret::shown(secret);
    let verified = votes.verify_email(&secret, request(&world)).await;
    assert_eq!(verified.unwrap(), ada);
    world.wait(Duration::from_secs(3_600));
    votes
        .request_verification(ada, request(&world))
        .await
        .unwrap();
    assert_eq!(outbox.pending(MONDAY).await.unwrap().len(), most);
}

#[tokio::test]
async fn a_name_in_the_world_is_shown_only_if_wished_and_erased_at_the_end() {
    let world = World::new().await;
    let votes = &world.votes;
    let ada = join(&world, "ada").await;
    let shown = async || votes.profile(ada).await.unwrap().real_name;
    assert_eq!(shown().await, None);
    let mut name = RealName {
        first: " Augusta ".to_owned(),
        last: "King".to_owned(),
        is_shown: false,
    };
    votes.set_real_name(ada, &name).await.unwrap();
    assert_eq!(shown().await, None);
    name.is_shown = true;
    votes.set_real_name(ada, &name).await.unwrap();
    votes.set_real_name(ada, &name).await.unwrap();
    assert_eq!(shown().await.as_deref(), Some("Augusta King"));
    name.first = "a\nb".to_owned();
    let refused = votes.set_real_name(ada, &name).await;
    assert_eq!(code(refused), "real_name_bad_character");
    name.first = "x".repeat(101);
    let refused = votes.set_real_name(ada, &name).await;
    assert_eq!(code(refused), "real_name_too_long");
    votes.leave(ada).await.unwrap();
    let ended = votes.tables().users.read(ada).await.unwrap().unwrap();
    assert_eq!(ended.real_name, RealName::default());
    name.first.clear();
    let refused = votes.set_real_name(ada, &name).await;
    assert_eq!(code(refused), "account_ended");
}

#[tokio::test]
async fn where_somebody_signed_in_is_for_that_person_and_for_those_who_edit_users() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "ben").await);
    for _ in 0..2 {
        world.wait(Duration::from_secs(1));
        let signed_in = votes.sign_in("ada", "correct horse", &home()).await;
        signed_in.unwrap();
    }
    let own = votes.sign_ins(By::User(ada), ada).await.unwrap();
    assert_eq!(own.len(), 2);
    assert_eq!(own[0].network, "192.0.2.0/24");
    assert_eq!(
        code(votes.sign_ins(By::User(ben), ada).await),
        "not_allowed"
    );
    votes
        .grant_role(By::Operator, ben, Role::EditUsers)
        .await
        .unwrap();
    assert_eq!(votes.sign_ins(By::User(ben), ada).await.unwrap(), own);
    votes.leave(ada).await.unwrap();
    assert_eq!(
        code(votes.sign_ins(By::User(ben), ada).await),
        "account_ended"
    );
}
