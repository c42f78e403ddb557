//! Merges: votes stay where they were put, and count where their policy points.

use std::time::Duration;

use stoa_votes::model::{ListedStates, PolicyId, PolicyState, RankingFilter, RankingKind};
use stoa_votes::ops::release::Release;

use crate::world::{MONDAY, World, code, moves};

#[tokio::test]
async fn votes_of_merged_policies_count_once_and_can_be_withdrawn_once() {
    merged_twice(&World::new().await).await;
}

pub(crate) async fn merged_twice(world: &World) {
    let (ada, ben, moderator) = (world.user(), world.user(), world.user());
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    world.wait(Duration::from_secs(7 * 86_400));
    world.ask(ben, moves(&[(trees, 40)])).await.unwrap();
    let sources = [trees, parks].into();
    let green = world.votes.merge(moderator.user, sources).await.unwrap();
    let green = green.unwrap();
    assert_eq!(world.total(green).await, 240);
    let statement = world.votes.statement(ben).await.unwrap();
    assert_eq!(statement.positions.get(&green).unwrap().total, 140);
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

/// Every order of a list that a policy may have a rank in.
const KINDS: [RankingKind; 9] = [
    RankingKind::Total,
    RankingKind::Window(1),
    RankingKind::Window(30),
    RankingKind::Rising,
    RankingKind::Contested,
    RankingKind::Discussed,
    RankingKind::New,
    RankingKind::Supporters,
    RankingKind::SquareRoots,
];

/// What people see of a policy whose votes count for another one: where it went, and no number.
async fn assert_only_points(world: &World, source: PolicyId, target: PolicyId, root: PolicyId) {
    let votes = &world.votes;
    let standing = votes.standing(source).await.unwrap().unwrap();
    assert_eq!(standing.state, PolicyState::Merged);
    assert_eq!(standing.merged_to, Some(target));
    assert_eq!(votes.root(source).await.unwrap(), root);
    // What was made by a merge without a proposal has no page.
    if votes.tables().pages.read(source).await.unwrap().is_some() {
        let shown = votes.page(source).await.unwrap();
        assert_eq!(shown.standing, standing);
        assert_eq!(shown.last_rank, None);
        assert!(shown.is_readable() && shown.text.is_some());
    }
    votes.measure().await.unwrap();
    let board = votes.refresh_board().await.unwrap();
    assert!(board.line(source).is_none());
    assert_eq!(board.line(root).unwrap().policy(), root);
    for states in [
        ListedStates::Active,
        ListedStates::Retired,
        ListedStates::All,
    ] {
        let filter = RankingFilter {
            states,
            ..RankingFilter::default()
        };
        for kind in KINDS.into_iter().chain([RankingKind::Random(7)]) {
            let list = board.page(kind, &filter, None, 100).unwrap().policies;
            let listed: Vec<PolicyId> = list.iter().map(|it| it.line.policy()).collect();
            assert!(!listed.contains(&source), "{kind:?}: {listed:?}");
        }
    }
    let filter = RankingFilter::default();
    for kind in KINDS {
        let next = board.neighbours(kind, source, &filter, 5);
        assert_eq!(next.unwrap_err().code(), "policy_not_listed", "{kind:?}");
        let next = board.neighbours(kind, root, &filter, 5).unwrap();
        let around = next.above.iter().chain(&next.below);
        let around: Vec<PolicyId> = around.map(|it| it.policy.line.policy()).collect();
        assert!(!around.contains(&source), "{kind:?}: {around:?}");
    }
}

#[tokio::test]
async fn a_merged_page_points_to_its_target_and_has_no_count_and_no_rank() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben, moderator) = (world.user(), world.user(), world.user());
    let trees = world.policy(ada, "Plant trees").await;
    let parks = world.policy(ben, "Build parks").await;
    let roofs = world.policy(world.user(), "Green roofs").await;
    world.policy(world.user(), "Lower taxes").await;
    world.wait(Duration::from_secs(86_400));
    votes.close_days().await.unwrap();
    votes.rank_days().await.unwrap();
    let before = votes.history(trees, MONDAY, MONDAY.plus(9)).await.unwrap();
    assert!(before.iter().all(|it| it.rank.is_some()), "{before:?}");
    let green = votes.merge(moderator.user, [trees, parks].into()).await;
    let green = green.unwrap().unwrap();
    for source in [trees, parks] {
        assert_only_points(&world, source, green, green).await;
    }
    assert_eq!(world.total(green).await, 200);
    world.ask(ben, moves(&[(green, -50)])).await.unwrap();
    world.wait(Duration::from_secs(86_400));
    votes.close_days().await.unwrap();
    votes.rank_days().await.unwrap();
    // What it was before the merge is history, and nothing is added to that.
    let after = votes.history(trees, MONDAY, MONDAY.plus(9)).await.unwrap();
    assert_eq!(after, before);
    let of_target = votes.history(green, MONDAY, MONDAY.plus(9)).await.unwrap();
    assert_eq!(of_target.last().unwrap().total, 150);
    assert_eq!(of_target.last().unwrap().rank, Some(1));
    // A merge of a merge: each points to its own target, and all of them count for the last.
    let all = votes.merge(moderator.user, [green, roofs].into()).await;
    let all = all.unwrap().unwrap();
    for (source, target) in [(trees, green), (parks, green), (green, all), (roofs, all)] {
        assert_only_points(&world, source, target, all).await;
    }
    assert_eq!(world.total(all).await, 250);
    world.assert_books_balance().await;
}
