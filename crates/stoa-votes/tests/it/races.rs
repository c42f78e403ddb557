//! Small races, by every order in which their store calls can take turns with up to two
//! interruptions: whatever the order, one of two wins, and the books balance.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::turns::{Orders, Racer, TakingTurns};
use stoa_votes::Votes;
use stoa_votes::model::PolicyId;
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};

use crate::world::{World, code, instance, moves};

const INTERRUPTIONS: usize = 2;

struct Scene {
    world: World,
    ben: Account,
    trees: PolicyId,
    parks: PolicyId,
    told: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    async fn new() -> Self {
        let world = World::new().await;
        let (ada, ben) = (world.user(), world.user());
        let (trees, parks) = (world.create(ada).await, world.create(ben).await);
        world.wait(Duration::from_secs(7 * 86_400));
        world.votes.close_days().await.unwrap();
        Self {
            world,
            ben,
            trees,
            parks,
            told: Arc::default(),
        }
    }

    /// An instance of its own, with a memory of its own, that waits for its turns.
    async fn instance(&self) -> Votes {
        let turns = TakingTurns::new(
            Arc::clone(&self.world.session),
            Arc::clone(&self.world.clock),
        );
        let session: Arc<dyn Session> = Arc::new(turns);
        instance(session, &self.world.clock, &self.world.ids).await
    }

    async fn submitting(&self, request: &Request) -> Racer {
        let (votes, ben, request) = (self.instance().await, self.ben, request.clone());
        let told = Arc::clone(&self.told);
        Box::pin(async move {
            let answer = votes.submit(ben, &request).await;
            if let Ok(accepted) = &answer {
                votes.sync(ben.user, *accepted).await.unwrap();
            }
            told.lock().unwrap().push(code(answer));
        })
    }

    fn told(&self) -> Vec<String> {
        let mut told = self.told.lock().unwrap().clone();
        told.sort();
        told
    }
}

/// Runs a race by every order, and judges each end.
async fn race<R, J>(prepare: R, judge: J)
where
    R: AsyncFn(&Scene) -> Vec<Racer>,
    J: AsyncFn(&Scene, &str),
{
    let mut orders = Orders::with_interruptions(INTERRUPTIONS);
    loop {
        let scene = Scene::new().await;
        let racers = prepare(&scene).await;
        let Some(order) = orders.run(racers) else {
            break;
        };
        scene.world.rest().await;
        let at = format!("{order:?}");
        judge(&scene, &at).await;
        let findings = scene.world.votes.audit().await.unwrap();
        assert!(findings.is_empty(), "{at}: {findings:#?}");
    }
    assert!(orders.tried() > 20, "{} orders", orders.tried());
}

#[tokio::test]
async fn two_windows() {
    let prepare = async |scene: &Scene| {
        let one = scene
            .world
            .request(scene.ben, moves(&[(scene.trees, 100)]))
            .await;
        let other = scene
            .world
            .on(scene.ben, one.basis, moves(&[(scene.parks, 100)]));
        vec![scene.submitting(&one).await, scene.submitting(&other).await]
    };
    race(prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted", "stale_basis"], "{at}");
    })
    .await;
}

#[tokio::test]
async fn one_request_sent_twice() {
    let prepare = async |scene: &Scene| {
        let one = scene
            .world
            .request(scene.ben, moves(&[(scene.trees, 100)]))
            .await;
        vec![scene.submitting(&one).await, scene.submitting(&one).await]
    };
    race(prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted", "accepted"], "{at}");
        assert_eq!(scene.world.balance(scene.ben).await, 0, "{at}");
    })
    .await;
}

#[tokio::test]
async fn an_undo_against_spending_again() {
    let prepare = async |scene: &Scene| {
        let spend = moves(&[(scene.trees, 60)]);
        scene.world.ask(scene.ben, spend).await.unwrap();
        let undo = scene.world.request(scene.ben, Ask::Undo).await;
        let other = scene
            .world
            .on(scene.ben, undo.basis, moves(&[(scene.parks, 40)]));
        vec![
            scene.submitting(&undo).await,
            scene.submitting(&other).await,
        ]
    };
    race(prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted", "stale_basis"], "{at}");
    })
    .await;
}

#[tokio::test]
async fn a_merge_against_a_vote() {
    let prepare = async |scene: &Scene| {
        let request = scene
            .world
            .request(scene.ben, moves(&[(scene.parks, -30)]))
            .await;
        let (votes, sources) = (scene.instance().await, [scene.trees, scene.parks].into());
        let moderator = scene.ben.user;
        let merging: Racer = Box::pin(async move {
            votes.merge(moderator, sources).await.unwrap();
        });
        vec![scene.submitting(&request).await, merging]
    };
    race(prepare, async |scene, at| {
        let root = scene.world.votes.root(scene.trees).await.unwrap();
        let expected = match scene.told().first().map(String::as_str) {
            Some("accepted") => 170,
            _ => 200,
        };
        assert_eq!(scene.world.total(root).await, expected, "{at}");
    })
    .await;
}

#[tokio::test]
async fn a_drain_against_a_vote() {
    let prepare = async |scene: &Scene| {
        let request = scene
            .world
            .request(scene.ben, moves(&[(scene.trees, 30)]))
            .await;
        let votes = scene.instance().await;
        let world = (Arc::clone(&scene.world.clock), votes);
        let draining: Racer = Box::pin(async move {
            // Whatever was begun is old enough to be taken up at once.
            world.0.advance(Duration::from_secs(300));
            world.1.drain().await.unwrap();
        });
        vec![scene.submitting(&request).await, draining]
    };
    race(prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted"], "{at}");
        assert_eq!(scene.world.total(scene.trees).await, 130, "{at}");
    })
    .await;
}

#[tokio::test]
async fn two_closers_and_a_vote_across_midnight() {
    let prepare = async |scene: &Scene| {
        let request = scene
            .world
            .request(scene.ben, moves(&[(scene.trees, 30)]))
            .await;
        // The closer's clock is past midnight, the user's instance decides by its own.
        let voting = scene.submitting(&request).await;
        let (votes, clock) = (scene.instance().await, Arc::clone(&scene.world.clock));
        let closing: Racer = Box::pin(async move {
            clock.advance(Duration::from_secs(15 * 3_600));
            votes.close_days().await.unwrap();
        });
        vec![voting, closing]
    };
    race(prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted"], "{at}");
        scene.world.votes.close_days().await.unwrap();
        let total = scene.world.votes.recount(scene.trees).await.unwrap();
        assert_eq!(total, 130, "{at}");
    })
    .await;
}

#[tokio::test]
async fn two_closers() {
    let prepare = async |scene: &Scene| {
        scene
            .world
            .ask(scene.ben, moves(&[(scene.trees, 30)]))
            .await
            .unwrap();
        scene.world.wait(Duration::from_secs(86_400));
        let mut closers = Vec::new();
        for _ in 0..2 {
            let votes = scene.instance().await;
            let closing: Racer = Box::pin(async move {
                votes.close_days().await.unwrap();
            });
            closers.push(closing);
        }
        closers
    };
    race(prepare, async |scene, at| {
        let total = scene.world.votes.recount(scene.trees).await.unwrap();
        assert_eq!(total, 130, "{at}");
    })
    .await;
}
