//! Trouble at every store call of every action: death, an answer that is lost, a statement that is
//! executed twice. Whatever happens, what was begun is finished or gone after the tasks have run,
//! the books balance, and asking again gives one answer.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_votes::Votes;
use stoa_votes::model::PolicyId;
use stoa_votes::ops::account::Account;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::{Ask, Request};

use crate::place;
use crate::world::{World, code, instance, moves};

/// What is done while there is trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Raise,
    Withdraw,
    Create,
    Undo,
    End,
    Merge,
    Release,
    Close,
    Drain,
}

struct Scene {
    world: World,
    ben: Account,
    trees: PolicyId,
    parks: PolicyId,
    request: Option<Request>,
}

async fn scene(action: Action) -> Scene {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    let parks = world.create(ben).await;
    world.wait(Duration::from_secs(7 * 86_400));
    world.votes.close_days().await.unwrap();
    world.ask(ben, moves(&[(trees, 50)])).await.unwrap();
    world.wait(Duration::from_secs(60));
    world.ask(ben, moves(&[(trees, -10)])).await.unwrap();
    if matches!(action, Action::Drain | Action::Close) {
        // Accepted and not copied.
        let request = world.request(ben, moves(&[(trees, 7)])).await;
        world.votes.submit(ben, &request).await.unwrap();
    }
    let ask = match action {
        Action::Raise => Some(moves(&[(trees, 3), (parks, 2)])),
        Action::Withdraw => Some(moves(&[(trees, -11), (parks, 2)])),
        Action::Create => {
            world.wait(Duration::from_secs(7 * 86_400));
            Some(Ask::Create(None))
        }
        Action::Undo => Some(Ask::Undo),
        Action::End => Some(Ask::End),
        Action::Merge | Action::Release | Action::Close | Action::Drain => None,
    };
    let request = match ask {
        Some(ask) => Some(world.request(ben, ask).await),
        None => None,
    };
    Scene {
        world,
        ben,
        trees,
        parks,
        request,
    }
}

/// Does it; the answer to the request, if there is one.
async fn act(scene: &Scene, votes: &Votes, action: Action) -> Option<String> {
    let (ben, moderator) = (scene.ben, scene.ben.user);
    match action {
        Action::Merge => {
            let sources = [scene.trees, scene.parks].into();
            let _ = votes.merge(moderator, sources).await;
        }
        Action::Release => {
            let _ = votes.release(scene.trees, Release::Retire).await;
        }
        Action::Close => {
            scene.world.wait(Duration::from_secs(86_400));
            let _ = votes.close_days().await;
        }
        Action::Drain => {
            scene.world.wait(Duration::from_secs(600));
            let _ = votes.drain().await;
        }
        _ => {
            let request = scene.request.as_ref()?;
            let answer = votes.submit(ben, request).await;
            if let Ok(accepted) = &answer {
                let _ = votes.sync(ben.user, *accepted).await;
            }
            return Some(code(answer));
        }
    }
    None
}

async fn with_trouble(action: Action, call: u64, trouble: Trouble) {
    let scene = scene(action).await;
    let world = &scene.world;
    let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
    let session: Arc<dyn Session> = Arc::new(troubled);
    let votes = instance(session, &world.clock, &world.ids).await;
    let first = act(&scene, &votes, action).await;
    let at = format!("{action:?}, {trouble:?} at call {call}: {first:?}");
    if trouble == Trouble::Twice {
        assert!(
            first.is_none() || first.as_deref() == Some("accepted"),
            "{at}"
        );
    }
    world.rest().await;
    if let Some(request) = &scene.request {
        // An undo that came to nothing may be too late by now.
        let again = code(world.votes.submit(scene.ben, request).await);
        match first.as_deref() {
            Some("accepted") => assert_eq!(again, "accepted", "{at}"),
            _ if action == Action::Undo => {}
            _ => assert_eq!(again, "accepted", "{at}"),
        }
        assert_eq!(
            code(world.votes.submit(scene.ben, request).await),
            again,
            "{at}"
        );
        world.rest().await;
    }
    let findings = world.votes.audit().await.unwrap();
    assert!(findings.is_empty(), "{at}: {findings:#?}");
}

/// Trouble of every kind at every call of an action.
async fn survives(action: Action) {
    let scene = scene(action).await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&scene.world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &scene.world.clock, &scene.world.ids).await;
    act(&scene, &votes, action).await;
    let calls = counting.calls();
    assert!(calls > 0, "{action:?} makes no calls");
    for trouble in Trouble::ALL {
        for call in place::tried(calls) {
            with_trouble(action, call, trouble).await;
        }
    }
}

// One test for each, so that they run side by side.

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_raise() {
    survives(Action::Raise).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_withdrawal() {
    survives(Action::Withdraw).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_creation() {
    survives(Action::Create).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_an_undo() {
    survives(Action::Undo).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_an_end() {
    survives(Action::End).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_merge() {
    survives(Action::Merge).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_release() {
    survives(Action::Release).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_close() {
    survives(Action::Close).await;
}

#[tokio::test]
async fn the_books_balance_whatever_happens_to_a_drain() {
    survives(Action::Drain).await;
}
