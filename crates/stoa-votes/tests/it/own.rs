//! What a user may see and do of one's own: logins, the password, comments, marks.

use std::time::Duration;

use stoa_votes::model::{Mark, PolicyId, UserId};
use stoa_votes::ops::write_comment::NewComment;

use crate::accounts::{code, home, join, request};
use crate::world::World;

const PASSWORD: &str = "correct horse";
const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn logins_are_listed_and_ended_one_by_one_or_all_but_one() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "ben").await);
    let mut cookies = Vec::new();
    for _ in 0..3 {
        let (_, cookie) = votes.sign_in("ada", PASSWORD, &home()).await.unwrap();
        cookies.push(cookie);
        world.wait(Duration::from_secs(60));
    }
    let (_, other) = votes.sign_in("ben", PASSWORD, &home()).await.unwrap();
    world.wait(HOUR * 2);
    // Whoever is seen comes first, and the network is still known.
    votes.signed_in(&cookies[0]).await.unwrap();
    let own = votes.own_logins(ada).await.unwrap();
    let digests: Vec<&str> = own.iter().map(|it| it.digest.as_str()).collect();
    let expected = [0, 2, 1].map(|at| cookies[at].digest());
    assert_eq!(digests, expected.each_ref().map(String::as_str));
    assert!(own.iter().all(|it| it.network == "192.0.2.0/24"));
    assert!(own[0].seen_micros > own[0].created_micros + 7_000_000_000);

    // A login of somebody else is left alone.
    votes.end_login(ada, &other.digest()).await.unwrap();
    assert_eq!(votes.signed_in(&other).await.unwrap().id, ben);
    votes.end_login(ada, &cookies[1].digest()).await.unwrap();
    assert_eq!(code(votes.signed_in(&cookies[1]).await), "not_signed_in");
    assert_eq!(votes.own_logins(ada).await.unwrap().len(), 2);
    votes.end_other_logins(ada, &cookies[0]).await.unwrap();
    assert_eq!(votes.signed_in(&cookies[0]).await.unwrap().id, ada);
    assert_eq!(code(votes.signed_in(&cookies[2]).await), "not_signed_in");
    votes.sign_out(&cookies[0]).await.unwrap();
    assert!(votes.own_logins(ada).await.unwrap().is_empty());
    assert_eq!(votes.own_logins(ben).await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_password_is_changed_by_whoever_knows_it_and_ends_all_logins() {
    let world = World::new().await;
    let votes = &world.votes;
    let ada = join(&world, "ada").await;
    let (_, cookie) = votes.sign_in("ada", PASSWORD, &home()).await.unwrap();
    let (asked, new) = (request(&world), "another horse");
    let wrong = votes
        .change_password(ada, "a wrong horse", new, asked)
        .await;
    assert_eq!(code(wrong), "wrong_credentials");
    let short = votes.change_password(ada, PASSWORD, "short", asked).await;
    assert_eq!(code(short), "password_too_short");
    assert_eq!(votes.signed_in(&cookie).await.unwrap().id, ada);
    for _ in 0..2 {
        let done = votes.change_password(ada, PASSWORD, new, asked).await;
        assert_eq!(code(done), "done");
    }
    assert_eq!(code(votes.signed_in(&cookie).await), "not_signed_in");
    assert!(votes.own_logins(ada).await.unwrap().is_empty());
    let old = votes.check_own_password(ada, PASSWORD).await;
    assert_eq!(code(old), "wrong_credentials");
    assert_eq!(code(votes.check_own_password(ada, new).await), "done");
    world.wait(Duration::from_secs(1));
    let (_, cookie) = votes.sign_in("ada", new, &home()).await.unwrap();
    assert_eq!(votes.signed_in(&cookie).await.unwrap().id, ada);
}

async fn say(world: &World, author: UserId, policy: PolicyId, body: &str) {
    let new = NewComment {
        request: request(world),
        policy,
        answers: None,
        subject: String::new(),
        body: body.to_owned(),
    };
    world.votes.write_comment(author, &new).await.unwrap();
    world.wait(Duration::from_secs(200));
}

#[tokio::test]
async fn an_author_finds_every_comment_and_a_reader_every_mark() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ada, "Plant trees").await;
    for number in 0..101 {
        say(&world, ada.user, policy, &format!("text {number}")).await;
    }
    say(&world, ben.user, policy, "another").await;
    let first = votes.own_comments(ada.user, None).await.unwrap();
    assert_eq!(first.comments.len(), 100);
    assert_eq!(first.comments[0].body, "text 100");
    let last = votes.own_comments(ada.user, first.next).await.unwrap();
    assert_eq!((last.comments.len(), last.next), (1, None));
    let (new, old) = (first.comments[0].id, last.comments[0].id);
    votes
        .remove_own_comment(ada.user, policy, new)
        .await
        .unwrap();
    let first = votes.own_comments(ada.user, None).await.unwrap();
    assert_eq!(first.comments[0].body, "");

    let marked = votes.mark_comment(ben.user, policy, old, Mark::Down).await;
    marked.unwrap();
    let own = async |user| {
        let marks = votes.own_marks(user, policy, &[old, new]).await.unwrap();
        [old, new].map(|comment| marks[&comment])
    };
    assert_eq!(own(ben.user).await, [Mark::Down, Mark::None]);
    assert_eq!(own(ada.user).await, [Mark::None, Mark::None]);
}

#[tokio::test]
async fn news_are_unread_until_they_are_seen() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ada, "Plant trees").await;
    let votes = &world.votes;
    assert!(!votes.has_unread(ada.user).await.unwrap());
    say(&world, ben.user, policy, "a comment").await;
    votes.tell_watchers().await.unwrap();
    assert!(votes.has_unread(ada.user).await.unwrap());
    assert!(!votes.has_unread(ben.user).await.unwrap());
    let told = votes.notifications(ada.user, None, 1).await.unwrap();
    let last = told.notifications.first().unwrap().id;
    votes.see_notifications(ada.user, last).await.unwrap();
    assert!(!votes.has_unread(ada.user).await.unwrap());
}
