//! Merges: votes stay where they were put, and count where their policy points.

use stoa_votes::model::PolicyState;
use stoa_votes::ops::release::Release;

use crate::world::{World, code, moves};

#[tokio::test]
async fn votes_of_merged_policies_count_once_and_can_be_withdrawn_once() {
    let world = World::new().await;
    let (ada, ben, moderator) = (world.user(), world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    world.wait(std::time::Duration::from_secs(7 * 86_400));
    world.ask(ben, moves(&[(trees, 40)])).await.unwrap();
    let sources = [trees, parks].into();
    let green = world.votes.merge(moderator.user, sources).await.unwrap();
    let green = green.unwrap();
    assert_eq!(world.total(green).await, 240);
    let statement = world.votes.statement(ben).await.unwrap();
    assert_eq!(statement.positions[&green].total, 140);
    assert_eq!(
        code(world.ask(ben, moves(&[(trees, 1)])).await),
        "policy_merged"
    );
    assert_eq!(
        code(world.ask(ben, moves(&[(green, -141)])).await),
        "too_few_on_policy"
    );
    world.ask(ben, moves(&[(green, -140)])).await.unwrap();
    assert_eq!(world.total(green).await, 100);
    assert_eq!(
        code(world.ask(ben, moves(&[(green, -1)])).await),
        "too_few_on_policy"
    );
    // A merge of a merge.
    let roofs = world.create(world.user()).await;
    let all = world
        .votes
        .merge(moderator.user, [green, roofs].into())
        .await;
    let all = all.unwrap().unwrap();
    assert_eq!(world.total(all).await, 200);
    assert_eq!(world.votes.root(trees).await.unwrap(), all);
    world.assert_books_balance().await;
    assert!(world.votes.release(all, Release::Retire).await.unwrap());
    assert_eq!(world.balance(ada).await, 200);
    assert_eq!(world.balance(ben).await, 200);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_policy_is_merged_once() {
    let world = World::new().await;
    let (ada, ben, moderator) = (world.user(), world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    let first = world.votes.merge(moderator.user, [trees].into()).await;
    let first = first.unwrap().unwrap();
    let second = world
        .votes
        .merge(moderator.user, [trees, parks].into())
        .await;
    let second = second.unwrap().unwrap();
    assert_eq!(world.votes.root(trees).await.unwrap(), first);
    assert_eq!(
        (world.total(first).await, world.total(second).await),
        (100, 100)
    );
    let none = world.votes.merge(moderator.user, [trees].into()).await;
    assert_eq!(none.unwrap(), None);
    assert!(!world.votes.release(trees, Release::Delete).await.unwrap());
    let standing = world.votes.standing(trees).await.unwrap().unwrap();
    assert_eq!(standing.state, PolicyState::Merged);
    world.assert_books_balance().await;
}
