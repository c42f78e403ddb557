//! Many sessions of one user at once, on threads: one of them wins, and nothing is spent twice.

use std::sync::Arc;
use std::time::Duration;

use stoa_votes::Votes;
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Accepted, NotAccepted, Request};

use crate::place;
use crate::world::{World, code, instance, moves};

const STORMS: usize = 50;
/// On a cluster, where all the sessions of a storm queue for one partition.
const FEW_STORMS: usize = 3;
const SESSIONS: usize = 64;
/// How often somebody asks who is told that it is not known yet, as happens on a cluster alone.
const ATTEMPTS: usize = 30;
/// Instances that the sessions are spread over.
const INSTANCES: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_sessions_with_one_basis_one_wins_and_nothing_is_spent_twice() {
    storm(&World::new().await, place::count(STORMS, FEW_STORMS)).await;
}

pub(crate) async fn storm(world: &World, storms: usize) {
    let policies = [
        world.create(world.user()).await,
        world.create(world.user()).await,
    ];
    let mut instances: Vec<Arc<Votes>> = Vec::new();
    for _ in 0..INSTANCES {
        let session = Arc::clone(&world.session);
        instances.push(Arc::new(instance(session, &world.clock, &world.ids).await));
    }
    for storm in 0..storms {
        let user = world.user();
        let first = world.ask(user, moves(&[(policies[0], 1)])).await.unwrap();
        // What is left would be enough for one of them only.
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|each| {
                let put = moves(&[(*policies.get(each % 2).unwrap(), 99)]);
                let request = world.on(user, Some(first.version), put);
                let votes = Arc::clone(instances.get(each % INSTANCES).unwrap());
                tokio::spawn(async move { told(&votes, user, &request, each).await })
            })
            .collect();
        let mut codes = Vec::new();
        let mut winner = None;
        for session in sessions {
            let answer = session.await.unwrap();
            winner = answer.as_ref().ok().copied().or(winner);
            codes.push(code(answer));
        }
        let of = |code: &str| codes.iter().filter(|it| *it == code).count();
        let counts = (of("accepted"), of("stale_basis"));
        assert_eq!(counts, (1, SESSIONS - 1), "storm {storm}: {codes:?}");
        world.votes.sync(user.user, winner.unwrap()).await.unwrap();
        assert_eq!(world.balance(user).await, 0, "storm {storm}");
        world.wait(Duration::from_secs(1));
    }
    world.rest().await;
    let totals = [
        world.total(policies[0]).await,
        world.total(policies[1]).await,
    ];
    let spent = i64::try_from(storms).unwrap() * 100;
    assert_eq!(totals.iter().sum::<i64>(), 200 + spent);
    world.assert_books_balance().await;
}

/// What a session is told in the end: who is told that it is not known yet asks again.
async fn told(
    votes: &Votes,
    user: Account,
    request: &Request,
    session: usize,
) -> Result<Accepted, NotAccepted> {
    for attempt in 0..ATTEMPTS {
        match votes.submit(user, request).await {
            Err(NotAccepted::Unknown(_)) => {
                // Not all of them at the same time.
                let turn = u64::try_from((session * 7 + attempt * 13) % SESSIONS).unwrap();
                tokio::time::sleep(Duration::from_millis(20 * turn)).await;
            }
            known => return known,
        }
    }
    votes.submit(user, request).await
}
