//! What the desk of moderators reads and does: cases and accounts looked at, suggestions turned
//! down, merges counted before anybody is asked.

use std::collections::BTreeSet;

use stoa_votes::model::{By, Role, Target, TargetKind};
use stoa_votes::rules::signals::{Signal, SignalKind};

use crate::accounts::{code, join};
use crate::reports::court;
use crate::world::{MONDAY, World, moves, no_policy};

#[tokio::test]
async fn a_case_is_examined_with_its_reports_and_those_before() {
    let court = court().await;
    let votes = court.votes();
    let (_, target) = court.comment().await;
    assert_eq!(
        code(votes.examine_case(court.judge, target).await),
        "no_such_case"
    );
    court.report(target, 0, 2).await;
    let first = votes.examine_case(court.judge, target).await.unwrap();
    let reporters: Vec<_> = first.reports.iter().map(|it| it.reporter).collect();
    assert_eq!(reporters, court.reporters[0..2]);
    assert!(first.earlier.is_empty());
    let waiting = votes.waiting_cases().await.unwrap();
    assert_eq!(waiting.get(&TargetKind::Comment), Some(&1));
    votes
        .take_case(court.judge, target, first.case.id)
        .await
        .unwrap();
    let rejected = stoa_votes::model::Decision::Rejected;
    let decided = votes.decide_case(court.judge, target, first.case.id, rejected, "It is fine");
    decided.await.unwrap();
    assert!(votes.waiting_cases().await.unwrap().is_empty());
    court.report(target, 2, 3).await;
    let second = votes.examine_case(court.judge, target).await.unwrap();
    assert_eq!((second.reports.len(), second.earlier.len()), (1, 2));
    assert_ne!(second.case.id, first.case.id);
    // Nobody else may.
    let member = By::User(court.scene.ada);
    assert_eq!(
        code(votes.examine_case(member, target).await),
        "not_allowed"
    );
    let commented = Role::ModerateComments;
    votes
        .grant_role(By::Operator, court.scene.ada, commented)
        .await
        .unwrap();
    votes.examine_case(member, target).await.unwrap();
    let of_policy = Target::Policy(court.scene.policy);
    assert_eq!(
        code(votes.examine_case(member, of_policy).await),
        "not_allowed"
    );
}

#[tokio::test]
async fn accounts_are_looked_at_by_those_who_may_and_that_is_written_down() {
    let world = World::new().await;
    let votes = &world.votes;
    let (una, judge, twin) = (
        join(&world, "una").await,
        join(&world, "judge").await,
        join(&world, "twin").await,
    );
    let (una, judge) = (By::User(una), By::User(judge));
    assert_eq!(code(votes.examine_account(una, twin).await), "not_allowed");
    assert_eq!(code(votes.suspected_accounts(una).await), "not_allowed");
    assert_eq!(
        code(votes.find_to_examine(una, "twin").await),
        "not_allowed"
    );
    for (by, role) in [(una, Role::EditUsers), (judge, Role::HandleReports)] {
        votes.grant_role(By::Operator, by.id(), role).await.unwrap();
    }
    assert!(votes.suspected_accounts(judge).await.unwrap().is_empty());
    for (kind, about) in [
        (SignalKind::SimilarVotes, "one"),
        (SignalKind::SimilarVotes, "other"),
        (SignalKind::Reported, "third"),
    ] {
        let about = about.to_owned();
        votes
            .record_signal(twin, &Signal { kind, about })
            .await
            .unwrap();
    }
    for by in [una, judge] {
        let cases = votes.suspected_accounts(by).await.unwrap();
        assert_eq!(cases.len(), 1);
        let account = votes.examine_account(by, twin).await.unwrap();
        assert_eq!((account.name.as_str(), account.score), ("twin", 105));
        assert_eq!(account.signals.len(), 3);
        assert_eq!(account.case.as_ref(), cases.first());
        assert_eq!(votes.find_to_examine(by, "TWIN").await.unwrap(), Some(twin));
    }
    let by_address = votes
        .find_to_examine(una, "twin@example.org")
        .await
        .unwrap();
    assert_eq!(by_address, Some(twin));
    let refused = votes.find_to_examine(judge, "twin@example.org").await;
    assert_eq!(code(refused), "not_allowed");
    let audit = votes.tables().audit.list(MONDAY).await.unwrap();
    let read = audit.iter().filter(|it| it.action == "read_signals");
    assert_eq!(read.count(), 2);
    // One that ended can still be looked at.
    votes.void_account(una, twin, "two of them").await.unwrap();
    let ended = votes.examine_account(una, twin).await.unwrap();
    assert!(ended.name.is_empty() && ended.ending.is_some());
}

#[tokio::test]
async fn a_suggestion_is_turned_down_by_those_who_moderate_tags() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    votes.suggest_tag(ben.user, trees, "green").await.unwrap();
    let by = By::User(ben.user);
    assert_eq!(code(votes.waiting_suggestions(by).await), "not_allowed");
    let waiting = votes.waiting_suggestions(By::Operator).await.unwrap();
    assert_eq!(waiting.len(), 1);
    let tag = waiting[0].tag;
    assert_eq!(
        code(votes.decline_suggestion(by, trees, tag).await),
        "not_allowed"
    );
    for _ in 0..2 {
        votes
            .decline_suggestion(By::Operator, trees, tag)
            .await
            .unwrap();
        assert!(
            votes
                .waiting_suggestions(By::Operator)
                .await
                .unwrap()
                .is_empty()
        );
    }
    assert!(votes.tags_of(trees).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_merge_is_counted_before_anybody_is_asked() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let parks = world.policy(ben, "More parks").await;
    let cars = world.policy(world.member("cid").await, "Fewer cars").await;
    votes.measure().await.unwrap();
    world.wait(std::time::Duration::from_secs(7 * 86_400));
    world
        .ask(ben, moves(&[(trees, 40), (cars, 10)]))
        .await
        .unwrap();
    votes.measure().await.unwrap();
    let board = votes.refresh_board().await.unwrap();
    let sources = BTreeSet::from([trees, parks]);
    let refused = votes.preview_merge(By::User(ada.user), &sources).await;
    assert_eq!(code(refused), "not_allowed");
    let preview = votes.preview_merge(By::Operator, &sources).await.unwrap();
    assert_eq!(preview.all_votes(), 240);
    assert_eq!(preview.supporters.values().sum::<i64>(), 3);
    assert_eq!(preview.together, Some(2));
    // Trees have 140, cars 110, parks 100.
    assert_eq!(board.rank_of(240, &sources), 1);
    assert_eq!(board.rank_of(110, &sources), 2);
    assert_eq!(board.rank_of(110, &BTreeSet::new()), 3);
    assert_eq!(board.rank_of(1, &BTreeSet::from([no_policy()])), 4);
}
