//! What is left of a deleted policy: nothing that anybody wrote, wherever the task dies.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Ids;
use stoa_votes::model::{By, CommentState, PolicyId, PolicyState, ProgressKind, RequestId, Role};

use crate::comments::{Scene, scene as talk};
use crate::place;
use crate::world::instance;

const ELEVEN_DAYS: Duration = Duration::from_secs(11 * 86_400);
/// What people wrote; nothing of it may be found afterwards.
const WORDS: [&str; 5] = ["Xtrees", "Xcomment", "Xtag", "Xresponse", "Xsuggested"];

/// A policy that was deleted ten days ago, about which much was written.
async fn deleted() -> Scene {
    let scene = talk().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let ada = votes.account(scene.ada).await.unwrap();
    world.wait(Duration::from_secs(7 * 86_400));
    let policy = world.policy(ada, "Xtrees").await;
    let scene = Scene { policy, ..scene };
    let (world, votes) = (&scene.world, &scene.world.votes);
    let first = scene.say(scene.ben, "Xcomment", None).await;
    scene.say(scene.ada, "Xcomment answered", Some(first)).await;
    let edited = votes.edit_comment(scene.ben, policy, first, "Xcomment", "Xcomment again");
    edited.await.unwrap();
    let gone = scene.say(scene.ben, "Xcomment gone", None).await;
    let removed = votes.remove_own_comment(scene.ben, policy, gone);
    removed.await.unwrap();
    votes.tag_policy(scene.ada, policy, "Xtag").await.unwrap();
    let suggested = votes.suggest_tag(scene.ben, policy, "Xsuggested").await;
    suggested.unwrap();
    let granted = votes.grant_role(By::Operator, scene.moderator, Role::PublishOfficial);
    granted.await.unwrap();
    let request = RequestId(world.ids.uuid());
    let said = votes.publish(
        scene.moderator,
        policy,
        request,
        ProgressKind::Response,
        "Xresponse",
    );
    said.await.unwrap();
    votes.tell_watchers().await.unwrap();
    let deleted = votes.delete_policy(By::Operator, policy, "spam");
    deleted.await.unwrap();
    world.wait(ELEVEN_DAYS);
    scene
}

async fn assert_erased(scene: &Scene, policy: PolicyId, at: &str) {
    let votes = &scene.world.votes;
    let state = votes.tables().policies.settle(policy).await.unwrap();
    assert_eq!(state.unwrap().state, PolicyState::Deleted, "{at}");
    let comments = &votes.tables().talk.comments;
    let all = comments.before(policy, None, 100).await.unwrap();
    assert_eq!(all.len(), 3, "{at}");
    assert!(
        all.iter().all(|it| it.state == CommentState::Erased),
        "{at}"
    );
    assert!(votes.tags_of(policy).await.unwrap().is_empty(), "{at}");
    let discussion = votes.tables().discussion.read(policy).await.unwrap();
    assert_eq!(discussion.map_or(0, |it| it.comments), 0, "{at}");
    for table in [
        "policy_pages",
        "comments",
        "comment_versions",
        "tag_suggestions",
        "policy_progress",
        "policy_happenings",
        "happenings_by_hour",
        "notifications",
    ] {
        let select = format!("SELECT * FROM votes.{table}");
        let rows = scene.world.session.query(&select, ()).await.unwrap();
        let rows = format!("{:?}", rows.into_rows());
        for word in WORDS {
            assert!(!rows.contains(word), "{at}: {word} is in {table}");
        }
    }
}

#[tokio::test]
async fn nothing_that_people_wrote_is_left_of_a_deleted_policy() {
    let scene = deleted().await;
    scene.world.votes.erase_deleted().await.unwrap();
    assert_erased(&scene, scene.policy, "at once").await;
}

#[tokio::test]
async fn erasing_that_dies_anywhere_is_done_by_the_next_run() {
    let calls = {
        let scene = deleted().await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&scene.world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &scene.world.clock, &scene.world.ids).await;
        votes.erase_deleted().await.unwrap();
        counting.calls()
    };
    for call in place::tried(calls) {
        let trouble = match call % 2 {
            0 => Trouble::DiesBefore,
            _ => Trouble::DiesAfter,
        };
        let scene = deleted().await;
        let troubled = Troubled::new(Arc::clone(&scene.world.session), call, trouble);
        let dying = instance(Arc::new(troubled), &scene.world.clock, &scene.world.ids).await;
        let first = dying.erase_deleted().await;
        scene.world.votes.erase_deleted().await.unwrap();
        let at = format!("{trouble:?} at call {call}: {first:?}");
        assert_erased(&scene, scene.policy, &at).await;
    }
}
