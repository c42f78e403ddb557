//! Who is told of what: owners, reporters and authors, in lists and in digests.

use std::time::Duration;

use stoa_session::Shortcuts;
use stoa_types::{Clock, Ids};
use stoa_votes::model::{
    By, Day, Decision, DigestFrequency, HappeningKind, RequestId, Role, Target,
};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::tables::outbox::Mail;

use crate::reports::court;
use crate::world::{MONDAY, World};

const DAY: Duration = Duration::from_secs(86_400);

/// The mails of a kind that wait to be sent.
pub(crate) async fn mails(world: &World, kind: &str) -> Vec<Mail> {
    let today = Day::of_micros(world.clock.now_micros());
    let mut found = Vec::new();
    for day in MONDAY.through(today) {
        found.extend(world.votes.tables().outbox.pending(day).await.unwrap());
    }
    found.retain(|mail| mail.kind == kind);
    found
}

#[tokio::test]
async fn each_source_of_a_proposed_merge_is_told_to_its_owners_and_watchers() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let cid = world.member("cid").await;
    let trees = world.policy(ada, "Trees").await;
    world.wait(7 * DAY);
    let lawns = world.policy(ada, "Lawns").await;
    let parks = world.policy(ben, "Parks").await;
    for policy in [trees, lawns, parks] {
        votes.watch(cid.user, policy).await.unwrap();
    }
    votes.watch(ada.user, trees).await.unwrap();
    let page = world.new_page("Green").await;
    let sources = [trees, lawns, parks].into();
    let request = RequestId(world.ids.uuid());
    let mut proposal = None;
    for _ in 0..2 {
        let proposed = votes.propose_merge(By::Operator, request, &sources, &page);
        proposal = Some(proposed.await.unwrap().id);
    }
    votes.tell_watchers().await.unwrap();
    for (user, expected) in [
        (ada.user, [trees, lawns].into()),
        (ben.user, [parks].into()),
        (cid.user, sources.clone()),
    ] {
        let told = votes.notifications(user, None, 50).await.unwrap();
        let mut told = told.notifications;
        told.retain(|it| it.kind == HappeningKind::MergeProposed);
        assert_eq!(told.len(), expected.len());
        assert!(told.iter().all(|it| it.about == proposal));
        let policies: std::collections::BTreeSet<_> =
            told.into_iter().filter_map(|it| it.policy).collect();
        assert_eq!(policies, expected);
    }
}

#[tokio::test]
async fn a_reply_an_outcome_and_a_proposal_make_a_digest_due() {
    let court = court().await;
    let (world, votes) = (court.world(), court.votes());
    let (ada, ben) = (court.scene.ada, court.scene.ben);
    for user in [ada, ben] {
        let set = votes.set_digest(user, DigestFrequency::Daily);
        set.await.unwrap();
    }
    world.wait(DAY);
    votes.send_digests().await.unwrap();
    assert!(mails(world, "digest").await.is_empty());
    // Ada is answered, on the next day Ben's report is decided.
    let (comment, _) = court.comment().await;
    court.scene.say(ben, "no", Some(comment)).await;
    world.wait(DAY);
    votes.send_digests().await.unwrap();
    let sent = mails(world, "digest").await;
    let to: Vec<&str> = sent.iter().map(|it| &*it.recipient).collect();
    assert_eq!(to, ["ada@example.org"]);
    court.report(Target::Policy(court.scene.policy), 0, 1).await;
    let target = Target::Policy(court.scene.policy);
    court.judge(target, Decision::Rejected).await;
    world.wait(DAY);
    votes.send_digests().await.unwrap();
    let sent = mails(world, "digest").await;
    let to = sent.iter().filter(|it| it.recipient == "benno@example.org");
    assert_eq!(to.count(), 1);
}

#[tokio::test]
async fn what_is_said_counts_on_the_board_at_once() {
    let court = court().await;
    let (world, votes) = (court.world(), court.votes());
    votes.board().await.unwrap();
    court.comment().await;
    world.wait(Duration::from_secs(11));
    let board = votes.board().await.unwrap();
    let line = board.line(court.scene.policy).unwrap();
    assert_eq!((line.facts.comments, line.facts.people), (1, 1));
}

#[tokio::test]
async fn owners_are_told_of_their_policies_until_they_say_otherwise() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let (trees, parks) = (
        world.policy(ada, "Trees").await,
        world.policy(ben, "Parks").await,
    );
    let hide = |policy| votes.set_visibility(By::Operator, policy, Visibility::Hidden, "look");
    let kinds = |user| async move {
        votes.tell_watchers().await.unwrap();
        let told = votes.notifications(user, None, 50).await.unwrap();
        let told = told.notifications.into_iter();
        told.map(|it| it.kind).collect::<Vec<_>>()
    };
    hide(trees).await.unwrap();
    assert_eq!(kinds(ada.user).await, [HappeningKind::Hidden]);
    world.wait(Duration::from_secs(1));
    votes.unwatch(ben.user, parks).await.unwrap();
    hide(parks).await.unwrap();
    assert!(kinds(ben.user).await.is_empty());

    // Whoever owned a source owns and watches what it was merged into.
    let moderator = world.member("mia").await;
    let role = Role::MergePolicies;
    let granted = votes.grant_role(By::Operator, moderator.user, role);
    granted.await.unwrap();
    let page = world.new_page("Green").await;
    let propose = || {
        let request = RequestId(world.ids.uuid());
        let (page, sources) = (&page, [trees, parks].into());
        async move {
            let by = By::User(moderator.user);
            let proposed = votes.propose_merge(by, request, &sources, page);
            proposed.await.unwrap()
        }
    };
    let first = propose().await;
    world.wait(DAY);
    for _ in 0..2 {
        let objected = votes.object_to_merge(ben.user, first.id, "parks are not trees");
        objected.await.unwrap();
    }
    let told = votes.notifications(moderator.user, None, 50).await.unwrap();
    let told = told.notifications.into_iter();
    let mut objections = told.filter(|it| it.kind == HappeningKind::MergeObjected);
    let told = objections.next().unwrap();
    assert_eq!((told.about, told.actor), (Some(first.id), ben.user));
    assert!(objections.next().is_none(), "told once");
    assert!(told.at_micros() > first.proposed_micros());
    let second = propose().await;
    for owner in [ada, ben] {
        let agreed = votes.agree_to_merge(owner.user, second.id);
        agreed.await.unwrap();
    }
    for owner in [ada, ben] {
        assert_eq!(votes.watchlist(owner.user).await.unwrap().len(), 1);
        let told = kinds(owner.user).await;
        assert!(told.contains(&HappeningKind::Merged), "{told:?}");
    }
}

#[tokio::test]
async fn the_subject_of_a_comment_is_shown_while_it_may_be_read_and_not_copied() {
    let court = court().await;
    let (votes, scene) = (court.votes(), &court.scene);
    let new = NewComment {
        subject: "About roots".to_owned(),
        ..scene.text("They need room.", None)
    };
    let comment = votes.write_comment(scene.ben, &new).await.unwrap();
    votes.tell_watchers().await.unwrap();
    let detail = || async {
        let told = votes.notifications(scene.ada, None, 10).await.unwrap();
        let told = told.notifications.into_iter();
        let mut told: Vec<_> = told.filter(|it| it.about == Some(comment.0)).collect();
        told.pop().unwrap().detail
    };
    assert_eq!(detail().await, "About roots");
    let removed = votes.remove_own_comment(scene.ben, scene.policy, comment);
    removed.await.unwrap();
    assert_eq!(detail().await, "");
    for table in ["policy_happenings", "happenings_by_hour", "notifications"] {
        let select = format!("SELECT detail FROM votes.{table}");
        let rows = court.world().session.query(&select, ()).await.unwrap();
        let rows = format!("{:?}", rows.into_rows());
        assert!(!rows.contains("About roots"), "{table}: {rows}");
    }
}
