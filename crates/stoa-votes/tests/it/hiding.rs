//! Pages that reports hide: they leave every list at once, and a case shows what it hid alone.

use std::time::Duration;

use stoa_votes::model::{By, Decision, HappeningKind, Mark, Measure, Target};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::rules::front_page::Featured;
use stoa_votes::rules::threads::ThreadOrder;

use crate::accounts::{code, join};
use crate::reports::{Court, court, spam};
use crate::world::MONDAY;

/// Longer than a board is given without being brought up to date.
const REFRESHED: Duration = Duration::from_secs(11);

impl Court {
    fn policy(&self) -> Target {
        Target::Policy(self.scene.policy)
    }

    async fn is_on_the_board(&self) -> bool {
        self.world().wait(REFRESHED);
        let board = self.votes().board().await.unwrap();
        board.line(self.scene.policy).is_some()
    }

    async fn set(&self, visibility: Visibility) {
        let votes = self.votes();
        let set = votes.set_visibility(By::Operator, self.scene.policy, visibility, "so it is");
        set.await.unwrap();
    }
}

#[tokio::test]
async fn a_policy_that_reports_hide_leaves_the_board_at_once() {
    let court = court().await;
    assert!(court.is_on_the_board().await);
    court.report(court.policy(), 0, 3).await;
    assert!(!court.is_on_the_board().await);
    court.judge(court.policy(), Decision::Rejected).await;
    assert!(court.is_on_the_board().await);
}

#[tokio::test]
async fn what_a_moderator_hid_before_or_after_a_case_stays_hidden() {
    let before = court().await;
    before.set(Visibility::Hidden).await;
    before.report(before.policy(), 0, 3).await;
    before.judge(before.policy(), Decision::Rejected).await;
    assert!(before.is_hidden(before.policy()).await);

    let after = court().await;
    after.report(after.policy(), 0, 3).await;
    after.set(Visibility::Hidden).await;
    after.judge(after.policy(), Decision::Rejected).await;
    assert!(after.is_hidden(after.policy()).await);
    after.set(Visibility::Shown).await;
    assert!(!after.is_hidden(after.policy()).await);
}

#[tokio::test]
async fn what_an_earlier_case_hid_for_good_stays_hidden() {
    let court = court().await;
    let target = court.policy();
    court.report(target, 0, 1).await;
    court.judge(target, Decision::Upheld(Measure::Hide)).await;
    assert!(court.is_hidden(target).await);
    for name in ["frida", "gina", "hans"] {
        let reporter = join(court.world(), name).await;
        court.votes().report(reporter, &spam(target)).await.unwrap();
    }
    court.judge(target, Decision::Rejected).await;
    assert!(court.is_hidden(target).await);
}

#[tokio::test]
async fn a_reporter_who_watches_is_told_of_the_outcome_too() {
    let court = court().await;
    let (votes, ben) = (court.votes(), court.scene.ben);
    votes.watch(ben, court.scene.policy).await.unwrap();
    court.report(court.policy(), 0, 3).await;
    court.judge(court.policy(), Decision::Rejected).await;
    votes.tell_watchers().await.unwrap();
    let told = votes.notifications(ben, None, 10).await.unwrap();
    let kinds: Vec<_> = told.notifications.iter().map(|it| it.kind).collect();
    for kind in [
        HappeningKind::Hidden,
        HappeningKind::Shown,
        HappeningKind::ReportDecided,
    ] {
        assert!(kinds.contains(&kind), "{kind:?} is not in {kinds:?}");
    }
}

#[tokio::test]
async fn a_hidden_policy_is_in_no_list_of_tags_and_not_on_the_front_page() {
    let court = court().await;
    let (votes, world) = (court.votes(), court.world());
    let (ada, trees) = (court.scene.ada, court.scene.policy);
    let ben = votes.account(court.scene.ben).await.unwrap();
    let parks = world.policy(ben, "Parks").await;
    let green = votes.tag_policy(ada, trees, "green").await.unwrap().id;
    votes.tag_policy(ben.user, parks, "green").await.unwrap();
    votes.count_tags().await.unwrap();
    let today = MONDAY;
    let featured = Featured {
        policy: trees,
        from: today,
        through: today.plus(7),
    };
    let put = votes.feature(By::Operator, None, &[featured]).await;
    put.unwrap();
    let lists = || async {
        let by_tag = votes.policies_by_tags(&[green]).await.unwrap();
        let related = votes.related_policies(parks).await.unwrap();
        (by_tag, related, votes.featured().await.unwrap())
    };
    let shown = (vec![trees, parks], vec![trees], vec![trees]);
    assert_eq!(lists().await, shown);
    court.set(Visibility::Hidden).await;
    assert_eq!(lists().await, (vec![parks], vec![], vec![]));
    court.set(Visibility::Shown).await;
    assert_eq!(lists().await, shown);
}

#[tokio::test]
async fn what_is_said_about_a_hidden_policy_rests_and_is_not_read() {
    let court = court().await;
    let (votes, scene) = (court.votes(), &court.scene);
    let (comment, _) = court.comment().await;
    let (ada, ben, policy) = (scene.ada, scene.ben, scene.policy);
    let edit = || votes.edit_comment(ada, policy, comment, "", "other words");
    let mark = || votes.mark_comment(ben, policy, comment, Mark::Up);
    court.set(Visibility::Hidden).await;
    assert_eq!(code(edit().await), "policy_hidden");
    assert_eq!(code(mark().await), "policy_hidden");
    let read = || async {
        let threads = votes.comment_threads(policy, ThreadOrder::Best, None, 10);
        let since = votes.policy_comments_since(policy, 0, 10);
        let history = votes.comment_history(policy, comment);
        (
            threads.await.unwrap().comments.len(),
            since.await.unwrap().len(),
            votes.comment(policy, comment).await.unwrap().is_some(),
            history.await.unwrap().len(),
        )
    };
    assert_eq!(read().await, (0, 0, false, 0));
    court.set(Visibility::Shown).await;
    assert_eq!(code(edit().await), "done");
    assert_eq!(code(mark().await), "done");
    assert_eq!(read().await, (1, 1, true, 1));
    let deleted = votes.delete_policy(By::Operator, policy, "spam");
    deleted.await.unwrap();
    assert_eq!(code(mark().await), "policy_deleted");
    assert_eq!(read().await, (0, 0, false, 0));
}
