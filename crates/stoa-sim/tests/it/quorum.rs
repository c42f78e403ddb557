//! What was acknowledged at QUORUM, or answered by a read, is seen by every later read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use stoa_session::{Consistency, Error, Options, Session, Shortcuts};
use stoa_sim::{Counters, Faults, SimSession};
use stoa_testkit::rng::Rng;

use crate::support::cluster;

const KEYS: u64 = 3;
const STEPS: usize = 40;
const CLIENTS: usize = 4;

/// What all clients know.
#[derive(Default)]
struct Known {
    /// The last number that was given out; also the write time of its write.
    last: i64,
    /// For each key the greatest number that was acknowledged or read.
    floor: BTreeMap<i32, i64>,
    checked: u64,
    /// Reads that saw less than they must.
    stale: u64,
}

async fn client(
    session: Arc<SimSession>,
    known: Arc<Mutex<Known>>,
    mut rng: Rng,
    level: Consistency,
) -> Result<(), Error> {
    let options = Options::new().consistency(level);
    let read = "SELECT n FROM ks.register WHERE id = ?";
    let write = "INSERT INTO ks.register (id, n) VALUES (?, ?) USING TIMESTAMP ?";
    let (read, write) = (session.prepare(read).await?, session.prepare(write).await?);
    for _ in 0..STEPS {
        let key = i32::try_from(rng.below(KEYS)).unwrap();
        if rng.chance(50) {
            let number = {
                let mut known = known.lock().unwrap();
                known.last += 1;
                known.last
            };
            let bound = write.bind((key, number, number))?.with(options.clone());
            if session.execute(&bound, None).await.is_ok() {
                raise(&known, key, number);
            }
        } else {
            let floor = known.lock().unwrap().floor.get(&key).copied();
            let bound = read.bind((key,))?.with(options.clone());
            let Ok(found) = session.first::<(i64,)>(&bound).await else {
                continue;
            };
            let found = found.map(|(number,)| number);
            {
                let mut known = known.lock().unwrap();
                known.checked += 1;
                known.stale += u64::from(found < floor);
            }
            if let Some(found) = found {
                raise(&known, key, found);
            }
        }
    }
    Ok(())
}

fn raise(known: &Mutex<Known>, key: i32, number: i64) {
    let mut known = known.lock().unwrap();
    let floor = known.floor.entry(key).or_insert(number);
    *floor = (*floor).max(number);
}

fn history(seed: u64, level: Consistency) -> (u64, u64, Counters) {
    let (mut executor, cluster) = cluster(Faults::of_seed(seed), seed);
    let known = Arc::new(Mutex::new(Known::default()));
    let mut rng = Rng::new(seed);
    for index in 0..CLIENTS {
        let session = cluster.client(&format!("client {index}"));
        let work = client(session, Arc::clone(&known), rng.fork(), level);
        executor.spawn("client", Box::pin(async move { drop(work.await) }));
    }
    executor.run_until_idle();
    let known = known.lock().unwrap();
    (known.checked, known.stale, cluster.counters())
}

#[test]
fn a_quorum_read_sees_what_was_acknowledged_or_read_before() {
    let mut checked = 0;
    let mut counters = Counters::default();
    for seed in 0..700 {
        let (reads, stale, happened) = history(seed, Consistency::Quorum);
        assert_eq!(stale, 0, "seed {seed}");
        checked += reads;
        counters += happened;
    }
    assert!(checked > 20_000, "only {checked} reads");
    assert!(counters.read_repairs > 1_000, "{counters:?}");
}

#[test]
fn a_read_at_one_misses_what_was_acknowledged() {
    let stale: u64 = (0..100).map(|seed| history(seed, Consistency::One).1).sum();
    assert!(stale > 0, "the check of quorum reads proves nothing");
}
