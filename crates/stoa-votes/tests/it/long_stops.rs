//! After a stop of the tasks, however long it was, nothing is left undone; watchers are told of the
//! last 14 days.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Shortcuts as _;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock as _, Ids as _};
use stoa_votes::model::{
    By, CommentState, Day, Happening, HappeningKind, PolicyId, TagState, UserId,
};

use crate::comments::scene as talk;
use crate::world::{World, instance};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

async fn happens(world: &World, actor: UserId, policy: PolicyId) -> Happening {
    world.wait(Duration::from_secs(1));
    let happening = Happening {
        id: world.ids.time_uuid(),
        policy: Some(policy),
        kind: HappeningKind::Commented,
        actor,
        about: None,
        detail: String::new(),
    };
    let happenings = &world.votes.tables().happenings;
    happenings.write(policy, &happening).await.unwrap();
    happening
}

#[tokio::test]
async fn who_watches_is_told_of_the_last_14_days_after_a_stop_and_once() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "Trees").await;
    let told = async || {
        for _ in 0..2 {
            world.votes.tell_watchers().await.unwrap();
        }
        let page = world.votes.notifications(ada.user, None, 100).await;
        let told = page.unwrap().notifications.into_iter();
        let mut told: Vec<_> = told.map(|it| it.id).collect();
        told.reverse();
        told
    };
    // It has never run, and there is a mark after it.
    let first = happens(&world, ben.user, trees).await;
    world.wait(5 * DAY);
    assert_eq!(told().await, [first.id]);
    // The tasks stop. What happens in their first hour is too old when they go on.
    happens(&world, ben.user, trees).await;
    world.wait(2 * HOUR);
    let second = happens(&world, ben.user, trees).await;
    world.wait(7 * DAY);
    let third = happens(&world, ben.user, trees).await;
    world.wait(7 * DAY - HOUR);
    assert_eq!(told().await, [first.id, second.id, third.id]);
}

/// How long everything stands still.
const STOP: Duration = Duration::from_secs(200 * 86_400);

#[tokio::test]
async fn what_was_begun_with_comments_before_a_stop_is_finished_after_it() {
    let scene = talk().await;
    let world = &scene.world;
    world.votes.finish_talk().await.unwrap();
    let left = async || {
        let rows = world.session.query("SELECT * FROM votes.talk_intents", ());
        rows.await.unwrap().into_rows().len()
    };
    let mut stopped = 0;
    for call in 4..16 {
        let new = scene.text("half a word", None);
        let troubled = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        let _ = dying.write_comment(scene.ben, &new).await;
        stopped += left().await;
        world.wait(STOP);
        world.votes.finish_talk().await.unwrap();
        assert_eq!(left().await, 0, "call {call}");
    }
    assert!(stopped > 3, "{stopped}");
}

#[tokio::test]
async fn what_was_removed_before_a_stop_is_erased_after_it() {
    let scene = talk().await;
    let (world, votes, policy) = (&scene.world, &scene.world.votes, scene.policy);
    votes.sweep_comments().await.unwrap();
    for _ in 0..2 {
        let comment = scene.say(scene.ben, "secret", None).await;
        let removed = votes.remove_own_comment(scene.ben, policy, comment);
        removed.await.unwrap();
        world.wait(STOP);
        votes.sweep_comments().await.unwrap();
        let read = votes.tables().talk.comments.read(policy, comment).await;
        assert_eq!(read.unwrap().unwrap().state, CommentState::Erased);
    }
}

#[tokio::test]
async fn what_a_moderator_did_to_a_tag_before_a_stop_is_in_the_log_after_it() {
    let scene = talk().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let tags = &votes.tables().tags;
    let mut unlogged = 0;
    for call in 0..8 {
        let name = format!("tag {call}");
        votes.clear_tags(scene.policy).await.unwrap();
        let tagged = votes.tag_policy(scene.ada, scene.policy, &name).await;
        let tag = tagged.unwrap().id;
        votes.rewrite_tags().await.unwrap();
        let troubled = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        let _ = dying.delete_tag(By::Operator, tag, "").await;
        let act = tags.settle(tag).await.unwrap().unwrap();
        let today = Day::of_micros(world.clock.now_micros());
        let logged = async || {
            let log = votes.tables().moderation.list(today).await.unwrap();
            let target = tag.to_string();
            log.iter().filter(|it| it.target == target).count()
        };
        world.wait(STOP);
        if act.state == TagState::Deleted {
            unlogged += usize::from(logged().await == 0);
            votes.rewrite_tags().await.unwrap();
            assert_eq!(logged().await, 1, "call {call}");
        }
    }
    assert!(unlogged > 0);
}
