//! Who votes for what: page by page where all may know it, and nowhere else.

use std::collections::BTreeMap;
use std::time::Duration;

use stoa_session::Shortcuts;
use stoa_votes::model::{By, PolicyId, PrivacyMode, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::release::Release;

use crate::accounts::{code, join};
use crate::world::{MONDAY, World, moves};

async fn everybody(world: &World, policy: PolicyId, most: i32) -> BTreeMap<UserId, i64> {
    let mut all = BTreeMap::new();
    let mut after = None;
    loop {
        let page = world.votes.supporters(policy, after, most).await.unwrap();
        for (user, votes) in page.supporters {
            assert_eq!(all.insert(user, votes), None, "{user} twice");
        }
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

#[tokio::test]
async fn supporters_come_page_by_page_and_each_once_though_policies_merge() {
    let world = World::new().await;
    let votes = &world.votes;
    let chosen = votes.choose_privacy(By::Operator, PrivacyMode::Public);
    chosen.await.unwrap();
    let users: Vec<Account> = (0..7).map(|_| world.user()).collect();
    let trees = world.create(users[0]).await;
    let parks = world.create(users[1]).await;
    let mut expected = BTreeMap::from([(users[0].user, 100), (users[1].user, 100)]);
    for user in &users[2..] {
        let both = moves(&[(trees, 10), (parks, 5)]);
        world.ask(*user, both).await.unwrap();
        expected.insert(user.user, 15);
    }
    let back = moves(&[(trees, -10), (parks, -5)]);
    world.ask(users[6], back).await.unwrap();
    expected.remove(&users[6].user);
    let merged = votes.merge(users[0].user, [trees, parks].into()).await;
    merged.unwrap();
    for most in [1, 2, 3, 100] {
        assert_eq!(everybody(&world, trees, most).await, expected, "{most}");
    }
}

#[tokio::test]
async fn what_somebody_votes_for_comes_page_by_page_without_what_was_given_back() {
    let world = World::new().await;
    let votes = &world.votes;
    let chosen = votes.choose_privacy(By::Operator, PrivacyMode::Public);
    chosen.await.unwrap();
    let ada = join(&world, "ada").await;
    let mut expected = BTreeMap::new();
    let mut all = Vec::new();
    for number in 1..=5 {
        let policy = world.create(world.user()).await;
        expected.insert(policy, number);
        all.push((policy, number));
    }
    let account = votes.account(ada).await.unwrap();
    world.ask(account, moves(&all)).await.unwrap();
    votes.release(all[0].0, Release::Retire).await.unwrap();
    expected.remove(&all[0].0);
    for most in [1, 2, 100] {
        let mut shown = BTreeMap::new();
        let mut after = None;
        loop {
            let page = votes.votes_of(ada, after, most).await.unwrap();
            shown.extend(page.votes);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(shown, expected, "{most}");
    }
}

#[tokio::test]
async fn in_other_modes_nobody_is_told_who_votes_for_what() {
    for mode in [PrivacyMode::Pseudonymous, PrivacyMode::Tallies] {
        let world = World::new().await;
        let votes = &world.votes;
        votes.choose_privacy(By::Operator, mode).await.unwrap();
        let ada = join(&world, "ada").await;
        let trees = world.create(world.user()).await;
        let refused = votes.supporters(trees, None, 10).await;
        assert_eq!(code(refused), "votes_not_public");
        assert_eq!(
            code(votes.votes_of(ada, None, 10).await),
            "votes_not_public"
        );
    }
}

#[tokio::test]
async fn a_copy_that_is_missing_is_an_error_and_not_a_secret() {
    for (mode, is_error) in [
        (PrivacyMode::Public, true),
        (PrivacyMode::Pseudonymous, true),
        (PrivacyMode::Tallies, false),
    ] {
        let world = World::new().await;
        let votes = &world.votes;
        votes.choose_privacy(By::Operator, mode).await.unwrap();
        let ada = world.user();
        world.create(ada).await;
        world.wait(Duration::from_secs(86_400));
        votes.close_days().await.unwrap();
        assert!(votes.receipt(ada.user, 1).await.unwrap().is_some());
        let forget = "DELETE FROM votes.ledger_records USING TIMESTAMP 9000000000000000 \
            WHERE day = ? AND shard = ?";
        for shard in 0..64_i16 {
            world.session.query(forget, (MONDAY, shard)).await.unwrap();
        }
        let receipt = votes.receipt(ada.user, 1).await;
        assert_eq!(receipt.is_err(), is_error, "{mode:?}");
    }
}
