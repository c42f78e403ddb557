//! Small races, by every order in which their store calls can take turns: whatever the order, one of
//! two wins, and the books balance.
//!
//! Of orders that differ only in calls that do not touch the same, one is tried (see
//! `stoa_testkit::turns`). Calls that move the clock touch everything, and of three tasks there are too
//! many orders: such races are tried by every order with one interruption, and by all of them where
//! `STOA_ALL_ORDERS` is set. Each has a variant of two tasks with clocks of their own that stand still,
//! of which all orders are tried.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_testkit::turns::{Orders, Racer, Run, TakingTurns, before_all_see};
use stoa_types::{Clock as _, ManualClock};
use stoa_votes::Votes;
use stoa_votes::model::{Day, PolicyId, PolicyState};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::rules::named::{Rule, Rules};

use crate::world::{World, code, instance, instance_with, moves};

/// How many orders a race has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Some hundred: all are tried, and those with two interruptions also where they end the same.
    Small,
    /// More: those with one interruption.
    Large,
    /// A variant of a large one: all, and nothing else.
    Variant,
}

impl Size {
    fn searches(self) -> Vec<Orders> {
        let is_asked = std::env::var_os("STOA_ALL_ORDERS").is_some();
        match self {
            Self::Small => vec![Orders::with_interruptions(2), Orders::all()],
            Self::Large if is_asked => vec![Orders::with_interruptions(1), Orders::all()],
            Self::Large => vec![Orders::with_interruptions(1)],
            Self::Variant => vec![Orders::all()],
        }
    }
}

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    trees: PolicyId,
    parks: PolicyId,
    told: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    async fn of(size: Size, world: World) -> Self {
        match size {
            Size::Small | Size::Large => Self::on(world).await,
            Size::Variant => Self::of_a_day(world).await,
        }
    }

    /// One policy, and one day before today: there are many orders, and each begins anew.
    async fn of_a_day(world: World) -> Self {
        let (ada, ben) = (world.user(), world.user());
        let trees = world.create(ada).await;
        world.wait(Duration::from_secs(86_400));
        world.votes.close_days().await.unwrap();
        Self {
            world,
            ada,
            ben,
            trees,
            parks: trees,
            told: Arc::default(),
        }
    }

    async fn on(world: World) -> Self {
        let (ada, ben) = (world.user(), world.user());
        let (trees, parks) = (world.create(ada).await, world.create(ben).await);
        world.wait(Duration::from_secs(7 * 86_400));
        world.votes.close_days().await.unwrap();
        Self {
            world,
            ada,
            ben,
            trees,
            parks,
            told: Arc::default(),
        }
    }

    /// An instance of its own, with a memory of its own, that waits for its turns.
    async fn instance(&self) -> Votes {
        self.instance_on(Arc::clone(&self.world.session)).await
    }

    async fn instance_on(&self, session: Arc<dyn Session>) -> Votes {
        let turns = TakingTurns::new(session, Arc::clone(&self.world.clock));
        let session: Arc<dyn Session> = Arc::new(turns);
        instance(session, &self.world.clock, &self.world.ids).await
    }

    /// One that does not know a rule.
    async fn instance_without(&self, rule: Rule) -> Votes {
        let session = Arc::clone(&self.world.session);
        let turns = TakingTurns::new(session, Arc::clone(&self.world.clock));
        let session: Arc<dyn Session> = Arc::new(turns);
        let rules = Rules::without(rule);
        instance_with(session, &self.world.clock, &self.world.ids, rules).await
    }

    async fn submitting(&self, request: &Request) -> Racer {
        self.submitting_on(self.instance().await, request)
    }

    fn submitting_on(&self, votes: Votes, request: &Request) -> Racer {
        let (ben, request) = (self.ben, request.clone());
        let told = Arc::clone(&self.told);
        Box::pin(async move {
            let answer = votes.submit(ben, &request).await;
            if let Ok(accepted) = &answer {
                // Whoever is dead by now leaves it to the drain.
                let _ = votes.sync(ben.user, *accepted).await;
            }
            told.lock().unwrap().push(code(answer));
        })
    }

    async fn vote_for_trees(&self) -> Request {
        let votes = moves(&[(self.trees, 30)]);
        self.world.request(self.ben, votes).await
    }

    /// Closing what is over at five past midnight.
    async fn closing(&self) -> Racer {
        let (votes, clock) = (self.instance().await, Arc::clone(&self.world.clock));
        let midnight = Day::of_micros(clock.now_micros()).next().start_micros();
        Box::pin(async move {
            before_all_see().await;
            let left = midnight + 300_000_000 - clock.now_micros();
            clock.advance(Duration::from_micros(u64::try_from(left).unwrap_or(0)));
            votes.close_days().await.unwrap();
        })
    }

    /// Midnight and a half past it, and an instance for which it is not yet midnight.
    async fn across_midnight(&self) -> Votes {
        let clock = &self.world.clock;
        let midnight = Day::of_micros(clock.now_micros()).next().start_micros();
        clock.set_micros(midnight + 90_000_000);
        let late = Arc::new(ManualClock::at_micros(midnight - 90_000_000));
        let turns = TakingTurns::new(Arc::clone(&self.world.session), Arc::clone(&late));
        instance(Arc::new(turns), &late, &self.world.ids).await
    }

    /// Closing the day before, by a clock that says that it is over.
    async fn closing_yesterday(&self) -> Racer {
        let votes = self.instance().await;
        let yesterday = Day::of_micros(self.world.clock.now_micros()).previous();
        Box::pin(async move {
            votes.close_day(yesterday).await.unwrap();
        })
    }

    /// Taking up whatever was begun, as if it were old.
    async fn draining(&self) -> Racer {
        let (votes, clock) = (self.instance().await, Arc::clone(&self.world.clock));
        Box::pin(async move {
            before_all_see().await;
            clock.advance(Duration::from_secs(300));
            votes.drain().await.unwrap();
        })
    }

    fn told(&self) -> Vec<String> {
        let mut told = self.told.lock().unwrap().clone();
        told.sort();
        told
    }
}

/// Runs a race by every order of a search, and judges each end. Says how many there were.
async fn each_end<R, J>(size: Size, mut orders: Orders, prepare: &R, judge: &J) -> u64
where
    R: AsyncFn(&Scene) -> Vec<Racer>,
    J: AsyncFn(&Scene, &str),
{
    let mut world = World::new().await;
    loop {
        let scene = Scene::of(size, world).await;
        match orders.run(prepare(&scene).await) {
            Run::Ended(order) => {
                scene.world.rest().await;
                judge(&scene, &format!("{order:?}")).await;
            }
            Run::Same => {}
            Run::Over => return orders.tried(),
        }
        world = scene.world.begun_again().await;
    }
}

/// Runs a race by every order that its size allows. After each the books balance.
async fn race<R, J>(size: Size, prepare: R, judge: J)
where
    R: AsyncFn(&Scene) -> Vec<Racer>,
    J: AsyncFn(&Scene, &str),
{
    let judge = async |scene: &Scene, at: &str| {
        judge(scene, at).await;
        let findings = scene.world.votes.audit().await.unwrap();
        assert!(findings.is_empty(), "{at}: {findings:#?}");
    };
    for orders in size.searches() {
        let tried = each_end(size, orders, &prepare, &judge).await;
        assert!(tried > 10, "{size:?}: {tried} orders");
    }
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
    race(Size::Small, prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted", "stale_basis"], "{at}");
    })
    .await;
}

/// The negative control: were the head not compared, an order would be found that spends twice.
#[tokio::test]
async fn two_windows_that_do_not_compare_the_head_are_found_out() {
    let prepare = async |scene: &Scene| {
        let one = moves(&[(scene.trees, 100)]);
        let one = scene.world.request(scene.ben, one).await;
        let other = moves(&[(scene.parks, 100)]);
        let other = scene.world.on(scene.ben, one.basis, other);
        let mut racers = Vec::new();
        for request in [&one, &other] {
            let votes = scene.instance_without(Rule::HeadCas).await;
            racers.push(scene.submitting_on(votes, request));
        }
        racers
    };
    let caught = Mutex::new(0);
    let judge = async |scene: &Scene, _: &str| {
        let findings = scene.world.votes.audit().await.unwrap();
        if !findings.is_empty() {
            assert_eq!(scene.told(), ["accepted", "accepted"]);
            *caught.lock().unwrap() += 1;
        }
    };
    let tried = each_end(Size::Small, Orders::all(), &prepare, &judge).await;
    let caught = *caught.lock().unwrap();
    assert!(0 < caught && caught < tried, "{caught} of {tried}");
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
    race(Size::Small, prepare, async |scene, at| {
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
    race(Size::Small, prepare, async |scene, at| {
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
    race(Size::Small, prepare, async |scene, at| {
        let root = scene.world.votes.root(scene.trees).await.unwrap();
        let expected = match scene.told().first().map(String::as_str) {
            Some("accepted") => 170,
            _ => 200,
        };
        assert_eq!(scene.world.total(root).await, expected, "{at}");
    })
    .await;
}

/// Somebody puts more on a policy that is merged just then: the votes count for the new one, or they
/// are refused and can be put there.
#[tokio::test]
async fn a_merge_against_more_votes_for_what_is_merged() {
    let prepare = async |scene: &Scene| {
        // The voter has some on it before, which the new policy takes over.
        let some = moves(&[(scene.trees, 20)]);
        scene.world.ask(scene.ben, some).await.unwrap();
        let more = moves(&[(scene.trees, 30)]);
        let request = scene.world.request(scene.ben, more).await;
        let (votes, sources) = (scene.instance().await, [scene.trees, scene.parks].into());
        let moderator = scene.ben.user;
        let merging: Racer = Box::pin(async move {
            votes.merge(moderator, sources).await.unwrap();
        });
        vec![scene.submitting(&request).await, merging]
    };
    let ends = Mutex::new(BTreeSet::new());
    race(Size::Small, prepare, async |scene, at| {
        let (world, ben) = (&scene.world, scene.ben);
        let root = world.votes.root(scene.trees).await.unwrap();
        assert_ne!(root, scene.trees, "{at}");
        let told = scene.told().remove(0);
        let more = match told.as_str() {
            "accepted" => 30,
            "policy_merged" => 0,
            other => panic!("{at}: {other}"),
        };
        assert_eq!(world.total(root).await, 220 + more, "{at}");
        let statement = world.votes.statement(ben).await.unwrap();
        let held = statement.positions.iter();
        let held: BTreeMap<PolicyId, i64> = held.map(|(policy, it)| (*policy, it.total)).collect();
        assert_eq!(held, BTreeMap::from([(root, 120 + more)]), "{at}");
        assert_eq!(statement.balance, 80 - more, "{at}");
        ends.lock().unwrap().insert(told);
        // What is left can be spent there, to the last vote and not beyond it.
        let too_much = world.ask(ben, moves(&[(root, 81 - more)])).await;
        assert_eq!(code(too_much), "overdraft", "{at}");
        world.ask(ben, moves(&[(root, 80 - more)])).await.unwrap();
        assert_eq!(world.total(root).await, 300, "{at}");
    })
    .await;
    // Both ends are among the orders.
    assert_eq!(ends.into_inner().unwrap().len(), 2);
}

#[tokio::test]
async fn a_drain_against_a_vote() {
    let prepare = async |scene: &Scene| {
        let request = scene
            .world
            .request(scene.ben, moves(&[(scene.trees, 30)]))
            .await;
        vec![scene.submitting(&request).await, scene.draining().await]
    };
    race(Size::Small, prepare, async |scene, at| {
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
        vec![
            scene.submitting(&request).await,
            scene.closing().await,
            scene.closing().await,
        ]
    };
    race(Size::Large, prepare, async |scene, at| {
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
        vec![scene.closing().await, scene.closing().await]
    };
    race(Size::Large, prepare, async |scene, at| {
        let total = scene.world.votes.recount(scene.trees).await.unwrap();
        assert_eq!(total, 130, "{at}");
    })
    .await;
}

/// Two who close the same day, of which there is one vote.
#[tokio::test]
async fn two_closers_in_every_order() {
    let prepare = async |scene: &Scene| {
        let votes = moves(&[(scene.trees, 30)]);
        scene.world.ask(scene.ben, votes).await.unwrap();
        scene.across_midnight().await;
        vec![
            scene.closing_yesterday().await,
            scene.closing_yesterday().await,
        ]
    };
    race(Size::Variant, prepare, async |scene, at| {
        let total = scene.world.votes.recount(scene.trees).await.unwrap();
        assert_eq!(total, 130, "{at}");
    })
    .await;
}

/// A vote by a clock for which it is not midnight yet, while the day is closed.
#[tokio::test]
async fn a_vote_across_midnight_in_every_order() {
    let prepare = async |scene: &Scene| {
        let request = scene.vote_for_trees().await;
        let late = scene.across_midnight().await;
        vec![
            scene.submitting_on(late, &request),
            scene.closing_yesterday().await,
        ]
    };
    race(Size::Variant, prepare, async |scene, at| {
        assert_eq!(scene.told(), ["accepted"], "{at}");
        let total = scene.world.votes.recount(scene.trees).await.unwrap();
        assert_eq!(total, 130, "{at}");
    })
    .await;
}

/// How many calls of a vote come before the batch that decides it: as many as succeed when nothing
/// after it does.
async fn calls_before_the_batch(size: Size) -> u64 {
    let mut decisive = 0;
    let mut world = World::new().await;
    loop {
        let scene = Scene::of(size, world).await;
        let request = scene.vote_for_trees().await;
        let session = Arc::clone(&scene.world.session);
        let dying = Troubled::new(session, decisive, Trouble::DiesAfter);
        let votes = instance(Arc::new(dying), &scene.world.clock, &scene.world.ids).await;
        let _ = votes.submit(scene.ben, &request).await;
        let chain = &scene.world.votes.tables().chain;
        let (_, records) = chain.read(scene.ben.user).await.unwrap();
        if records.iter().any(|it| it.request == request.id) {
            return decisive;
        }
        decisive += 1;
        world = scene.world.begun_again().await;
    }
}

/// A vote whose answer is lost at the batch that decides it, another instance that is asked again,
/// and, in the large race, the drain.
async fn unknown_then_retry(size: Size, trouble: Trouble) {
    let decisive = calls_before_the_batch(size).await;
    let prepare = async |scene: &Scene| {
        let request = scene.vote_for_trees().await;
        let session = Arc::clone(&scene.world.session);
        let troubled = Troubled::new(session, decisive, trouble);
        let votes = scene.instance_on(Arc::new(troubled)).await;
        let mut racers = vec![
            scene.submitting_on(votes, &request),
            scene.submitting(&request).await,
        ];
        if size == Size::Large {
            racers.push(scene.draining().await);
        }
        racers
    };
    race(size, prepare, async |scene, at| {
        let told = scene.told();
        assert_eq!(told.len(), 2, "{at}: {told:?}");
        let (first, second) = (told.first().unwrap(), told.last().unwrap());
        assert_eq!(first, "accepted", "{at}");
        assert!(
            ["accepted", "outcome_unknown"].contains(&second.as_str()),
            "{at}: {told:?}"
        );
        assert_eq!(scene.world.total(scene.trees).await, 130, "{at}");
        assert_eq!(scene.world.balance(scene.ben).await, 70, "{at}");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_outcome_and_a_retry() {
    unknown_then_retry(Size::Large, Trouble::LostAfter).await;
}

#[tokio::test]
async fn an_unknown_outcome_of_what_never_came_and_a_retry() {
    unknown_then_retry(Size::Large, Trouble::LostBefore).await;
}

#[tokio::test]
async fn a_death_at_the_decision_and_a_retry() {
    unknown_then_retry(Size::Large, Trouble::DiesAfter).await;
}

#[tokio::test]
async fn an_unknown_outcome_and_a_retry_in_every_order() {
    unknown_then_retry(Size::Variant, Trouble::LostAfter).await;
}

#[tokio::test]
async fn an_unknown_outcome_of_what_never_came_and_a_retry_in_every_order() {
    unknown_then_retry(Size::Variant, Trouble::LostBefore).await;
}

#[tokio::test]
async fn a_death_at_the_decision_and_a_retry_in_every_order() {
    unknown_then_retry(Size::Variant, Trouble::DiesAfter).await;
}

#[tokio::test]
async fn an_owner_who_withdraws_a_policy_against_a_vote() {
    let prepare = async |scene: &Scene| {
        let own = scene.world.policy(scene.ada, "lanes").await;
        let request = scene.world.request(scene.ben, moves(&[(own, 30)])).await;
        let (votes, ada) = (scene.instance().await, scene.ada);
        let told = Arc::clone(&scene.told);
        let withdrawing: Racer = Box::pin(async move {
            let answer = votes.withdraw_policy(ada, own, "a mistake").await;
            let word = answer.map_or_else(|it| it.code(), |()| "withdrawn");
            told.lock().unwrap().push(word.to_owned());
        });
        vec![scene.submitting(&request).await, withdrawing]
    };
    race(Size::Small, prepare, async |scene, at| {
        let told = scene.told();
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        let statement = scene.world.votes.statement(scene.ben).await.unwrap();
        let held: Vec<(PolicyId, i64)> = statement
            .positions
            .iter()
            .map(|(policy, it)| (*policy, it.total))
            .filter(|(policy, total)| *total > 0 && *policy != scene.parks)
            .collect();
        let states = scene.world.votes.tables().policies.standings();
        let states = states.await.unwrap();
        let withdrawn: Vec<PolicyId> = states
            .iter()
            .filter(|(_, it)| it.state == PolicyState::Withdrawn)
            .map(|(policy, _)| *policy)
            .collect();
        assert_eq!(
            withdrawn.len(),
            usize::from(told.contains(&"withdrawn")),
            "{at}: {told:?}"
        );
        assert_eq!(
            held.len(),
            usize::from(told.contains(&"accepted")),
            "{at}: {told:?}"
        );
        match told.as_slice() {
            ["accepted", "others_vote"] | ["policy_withdrawn", "withdrawn"] => {}
            // The vote came between the count and the end: it stays until it is taken off.
            ["accepted", "withdrawn"] => {
                let off = held.iter().map(|(policy, total)| (*policy, -total));
                let off: Vec<(PolicyId, i64)> = off.collect();
                let taken = scene.world.ask(scene.ben, moves(&off)).await;
                assert_eq!(code(taken), "accepted", "{at}");
            }
            other => panic!("{at}: {other:?}"),
        }
        let statement = scene.world.votes.statement(scene.ada).await.unwrap();
        for policy in &withdrawn {
            let left = statement.positions.get(policy).map_or(0, |it| it.total);
            assert_eq!(left, 0, "{at}");
        }
    })
    .await;
}
