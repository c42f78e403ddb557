//! One seed is one run.

use std::sync::Arc;

use stoa_session::{Session, Shortcuts};
use stoa_sim::{Counters, Faults};
use stoa_testkit::rng::Rng;
use stoa_types::{Clock, Ids};

use crate::support::cluster;

fn run(seed: u64) -> (u64, u64, Counters, Vec<String>) {
    let (mut executor, cluster) = cluster(Faults::of_seed(seed), seed);
    cluster.trace(10_000);
    let mut rng = Rng::new(seed);
    for index in 0..3 {
        let session = cluster.client(&format!("client {index}"));
        let mut rng = rng.fork();
        let work = async move {
            for _ in 0..30 {
                let key = i32::try_from(rng.below(3)).unwrap();
                let number = i64::try_from(session.ids().random_u64() >> 1).unwrap();
                let text = match rng.below(3) {
                    0 => "UPDATE ks.register SET n = ? WHERE id = ? IF EXISTS",
                    _ => "UPDATE ks.register SET n = ? WHERE id = ?",
                };
                drop(session.query(text, (number, key)).await);
                let read = session.prepare("SELECT * FROM ks.register");
                let read = read.await.unwrap().bind(()).unwrap();
                drop(session.all::<(i32, i64)>(&read).await);
            }
        };
        executor.spawn("client", Box::pin(work));
    }
    executor.run_until_idle();
    cluster.heal();
    executor.run_until_idle();
    (
        executor.event_hash(),
        executor.events(),
        cluster.counters(),
        cluster.trace_lines(),
    )
}

#[test]
fn the_same_seed_gives_the_same_events() {
    for seed in 0..60 {
        let (first, second) = (run(seed), run(seed));
        assert_eq!(first.0, second.0, "seed {seed}");
        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn other_seeds_give_other_events() {
    let mut hashes: Vec<u64> = (0..60).map(|seed| run(seed).0).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 60);
}

#[test]
fn clients_have_their_own_time_and_never_the_same_ids() {
    let faults = Faults {
        clock_offset_micros: 5_000_000,
        ..Faults::none()
    };
    let (_executor, cluster) = cluster(faults, 3);
    let clients: Vec<_> = (0..8)
        .map(|index| cluster.client(&index.to_string()))
        .collect();
    let mut times: Vec<i64> = clients.iter().map(|it| it.clock().now_micros()).collect();
    times.sort_unstable();
    times.dedup();
    assert_eq!(times.len(), clients.len());
    let clock = clients[0].clock();
    let before = clock.now_micros();
    clock.jump_micros(-1_000);
    assert_eq!(clock.now_micros(), before - 1_000);
    let mut ids = Vec::new();
    for client in &clients {
        let source: Arc<dyn Ids> = client.ids();
        ids.extend((0..100).flat_map(|_| [source.uuid(), source.time_uuid()]));
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8 * 200);
}
