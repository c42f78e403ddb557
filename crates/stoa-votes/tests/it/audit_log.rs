//! The audit log: what those with roles do is written down for admins, and a part of it for all.

use stoa_types::Clock as _;
use stoa_votes::model::{By, Day, Decision, ProgressKind, Role, Target, UserId};

use crate::accounts::{code, join, request};
use crate::reports::{Court, court};

const SEVERAL: usize = 3;

/// Action, whether it is public, and who did it: the whole of today, the first first.
async fn audited(court: &Court, by: By) -> Vec<(String, bool, UserId)> {
    let today = Day::of_micros(court.world().clock.now_micros());
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = court.votes().audit_log(by, today, before, SEVERAL).await;
        let page = page.unwrap();
        assert!(page.entries.len() <= SEVERAL);
        all.extend(page.entries);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    let all = all.into_iter().rev();
    all.map(|it| (it.entry.action, it.is_public, it.entry.moderator))
        .collect()
}

#[tokio::test]
async fn admins_read_what_those_with_roles_did_and_everybody_a_part_of_it() {
    let court = court().await;
    let (votes, policy) = (court.votes(), court.scene.policy);
    let admin = join(court.world(), "annie").await;
    let granted = votes.grant_role(By::Operator, admin, Role::Admin);
    granted.await.unwrap();
    for role in [Role::EditUsers, Role::PublishOfficial] {
        let granted = votes.grant_role(By::User(admin), court.judge.id(), role);
        granted.await.unwrap();
    }
    let known = audited(&court, By::User(admin)).await.len();
    let (judge, ada) = (court.judge, court.scene.ada);
    votes.sign_ins(By::User(ada), ada).await.unwrap();
    votes.sign_ins(judge, ada).await.unwrap();
    let (comment, target) = court.comment().await;
    votes
        .comment_for_moderators(judge, policy, comment)
        .await
        .unwrap();
    court.report(target, 0, 1).await;
    let case = court.take(target).await.id;
    court.take(target).await;
    votes.return_case(judge, target, case).await.unwrap();
    court.judge(target, Decision::Rejected).await;
    let removed = votes.remove_comment(judge, policy, comment, "It is spam.");
    removed.await.unwrap();
    votes
        .comment_for_moderators(judge, policy, comment)
        .await
        .unwrap();
    let publish = request(court.world());
    for _ in 0..2 {
        let kind = ProgressKind::Response;
        let said = votes.publish(judge.id(), policy, publish, kind, "We shall.");
        said.await.unwrap();
    }
    let all = audited(&court, By::User(admin)).await;
    let told: Vec<(&str, bool)> = all
        .iter()
        .skip(known)
        .map(|(action, is_public, _)| (&**action, *is_public))
        .collect();
    let expected = [
        ("read_sign_ins", false),
        ("take_case", false),
        ("return_case", false),
        ("take_case", false),
        ("reject_report", true),
        ("remove_comment", true),
        ("read_comment", false),
        ("publish", false),
    ];
    assert_eq!(told, expected);
    assert!(all.iter().skip(known).all(|(_, _, by)| *by == judge.id()));

    let today = Day::of_micros(court.world().clock.now_micros());
    let public = votes.moderation_log(today, None, 100).await.unwrap();
    let public: Vec<&str> = public.entries.iter().map(|it| &*it.action).collect();
    let shown = all.iter().filter(|(_, is_public, _)| *is_public).rev();
    let shown: Vec<&str> = shown.map(|(action, _, _)| &**action).collect();
    assert_eq!(public, shown);
    for nobody in [judge, By::User(ada)] {
        let refused = votes.audit_log(nobody, today, None, 10).await;
        assert_eq!(code(refused), "not_allowed");
    }
}

#[tokio::test]
async fn whoever_reads_what_was_hidden_stands_in_the_audit_log() {
    let court = court().await;
    let (votes, policy) = (court.votes(), court.scene.policy);
    votes.page_for(court.judge, policy).await.unwrap();
    let hidden = Target::Policy(policy);
    court.report(hidden, 0, 3).await;
    assert!(court.is_hidden(hidden).await);
    for viewer in [
        court.judge,
        By::User(court.scene.ada),
        By::User(court.scene.ben),
    ] {
        votes.page_for(viewer, policy).await.unwrap();
    }
    let all = audited(&court, By::Operator).await;
    let reads = all.iter().filter(|(action, _, _)| action == "read_policy");
    let reads: Vec<UserId> = reads.map(|(_, _, by)| *by).collect();
    assert_eq!(reads, [court.judge.id()]);
}
