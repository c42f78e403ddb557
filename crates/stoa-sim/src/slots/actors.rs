//! Who acts: windows of users, background workers, and at the end a caretaker without faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use stoa_testkit::rng::Rng;

use super::client::{Client, Habits};
use super::flaw::{self, Ending, WrongTotal};
use super::model::{Column, Policy, Record, Row, User, Value, Version};
use super::notes::{Made, Notes};
use super::plan::Plan;
use super::replicas::{Failed, Replicas};
use crate::executor::Executor;

/// How often the caretaker does everything, until nothing is left to do.
const ROUNDS: usize = 3;

/// The states that users have seen, in whatever window.
type SeenStates = Arc<Mutex<BTreeMap<User, Vec<Version>>>>;

/// Lets everyone act until all are done or dead; what really happened.
pub(super) fn act(executor: &mut Executor, replicas: &Replicas, plan: &Plan) -> Notes {
    let notes = Notes::default();
    let seen = SeenStates::default();
    let mut rng = plan.rng.clone();
    let founder = Client::new(replicas, &notes, rng.fork(), 0, Habits::default());
    let (users, policies) = (plan.users, plan.policies);
    let task = executor.spawn(
        "founder",
        Box::pin(async move {
            let _ = found(founder, users, policies).await;
        }),
    );
    executor.run_until_ended(task);
    let mut number = 0;
    let mut client = |rng: &mut Rng| {
        number += 1;
        let habits = plan.habits(rng);
        Client::new(replicas, &notes, rng.fork(), number, habits)
    };
    for (at, (user, saves)) in plan.windows.iter().enumerate() {
        let window = Window {
            client: client(&mut rng),
            plan: plan.clone(),
            user: *user,
            seen: Arc::clone(&seen),
            // No two windows create the same policy.
            created: plan.policies + u8::try_from(at).unwrap_or(u8::MAX) * 4,
        };
        let saves = *saves;
        let label = format!("window {at} of user {user}");
        executor.spawn(label, Box::pin(window.act(saves)));
    }
    for (at, runs) in plan.workers.iter().enumerate() {
        let worker = work(client(&mut rng), plan.clone(), *runs);
        executor.spawn(format!("worker {at}"), Box::pin(worker));
    }
    executor.run_until_idle();
    notes
}

/// Writes the first, empty record of every user, and the first policies after them.
async fn found(mut client: Client, users: User, policies: Policy) -> Result<(), Failed> {
    for user in 0..users {
        let record = Record {
            user,
            version: client.new_version(),
            previous: Version::ZERO,
            increments: BTreeMap::new(),
        };
        let made = Made {
            record: record.clone(),
            at: client.true_now(),
        };
        client.notes.facts().made.insert(record.version, made);
        let (row, column) = (Row::UserVotes(user), Column::Votes(Version::ZERO));
        let timestamp = -client.now();
        client
            .write(row, column, Value::Record(record), timestamp)
            .await?;
    }
    for policy in 0..policies {
        client.create(policy).await?;
    }
    Ok(())
}

struct Window {
    client: Client,
    plan: Plan,
    user: User,
    seen: SeenStates,
    created: Policy,
}

impl Window {
    async fn act(mut self, saves: u32) {
        let mut basis = None;
        for _ in 0..saves {
            if self.client.is_dead() {
                return;
            }
            let pause = self.plan.pause(&mut self.client.rng);
            self.client.sleep(pause).await;
            if basis.is_none() || self.client.rng.chance(60) {
                let Ok(resolved) = self.client.look(self.user).await else {
                    continue;
                };
                basis = Some(resolved.head());
                self.see(resolved.head());
            }
            if self.client.rng.chance(self.plan.old_states) {
                basis = self.some_state().or(basis);
            }
            let Some(on) = basis.filter(|it| *it != Version::ZERO) else {
                continue;
            };
            // A save that failed leaves the page as it was.
            if let Ok(version) = self.save(on).await {
                self.see(version);
                basis = Some(version);
            }
        }
    }

    fn see(&self, version: Version) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.entry(self.user).or_default().push(version);
    }

    fn some_state(&mut self) -> Option<Version> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let states = seen.get(&self.user)?;
        self.client.rng.pick(states).copied()
    }

    async fn save(&mut self, basis: Version) -> Result<Version, Failed> {
        let policies: Vec<Policy> = self.client.policies().await?.into_iter().collect();
        let mut increments = BTreeMap::new();
        if self.client.rng.chance(self.plan.creations) {
            let policy = self.created;
            self.created += 1;
            self.client.create(policy).await?;
            increments.insert(policy, 10);
        } else if let Some(policy) = self.client.rng.pick(&policies) {
            let votes = self.client.rng.between(1, 50);
            increments.insert(*policy, votes);
        }
        self.client.save(self.user, basis, increments).await
    }
}

async fn work(mut client: Client, plan: Plan, runs: u32) {
    for _ in 0..runs {
        if client.is_dead() {
            return;
        }
        let pause = client.rng.below(600_000_000);
        client.sleep(pause).await;
        let _ = run_task(&mut client, &plan).await;
    }
}

async fn run_task(client: &mut Client, plan: &Plan) -> Result<(), Failed> {
    match client.rng.below(6) {
        0 | 1 => {
            for user in 0..plan.users {
                client.complete_pending(user).await?;
            }
        }
        2 => {
            for user in 0..plan.users {
                client.look(user).await?;
            }
        }
        3 => {
            for policy in client.policies().await? {
                client.recount(policy).await?;
            }
        }
        _ => {
            for policy in client.policies().await? {
                client.finalize(policy).await?;
            }
        }
    }
    Ok(())
}

/// Completes everything without faults, and compares totals with what users have: how many records
/// are in their chains, and what is wrong.
pub(super) fn settle(
    executor: &mut Executor,
    replicas: &Replicas,
    plan: &Plan,
    notes: &Notes,
) -> (usize, Vec<WrongTotal>) {
    let mut rng = plan.rng.clone();
    let caretaker = Client::new(replicas, notes, rng.fork(), 999, Habits::default());
    let ending = Arc::new(Mutex::new(Ending::default()));
    let (told, users) = (Arc::clone(&ending), plan.users);
    let task = executor.spawn(
        "caretaker",
        Box::pin(async move {
            if let Ok(found) = take_care(caretaker, users).await {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
        }),
    );
    executor.run_until_ended(task);
    let ending = ending.lock().unwrap_or_else(PoisonError::into_inner);
    let records = ending.chains.values().map(Vec::len).sum();
    (records, flaw::judge(&ending, &notes.facts()))
}

async fn take_care(mut client: Client, users: User) -> Result<Ending, Failed> {
    let mut ending = Ending::default();
    for _ in 0..ROUNDS {
        for user in 0..users {
            client.complete_pending(user).await?;
        }
        for user in 0..users {
            let resolved = client.look(user).await?;
            ending.chains.insert(user, resolved.chain);
        }
        for policy in client.policies().await? {
            let passed = client.recount(policy).await?;
            ending.passed.insert(policy, passed);
            ending.totals.insert(policy, client.total(policy).await?);
        }
    }
    Ok(ending)
}
