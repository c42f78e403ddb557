//! After all faults have ended, replicas can be made equal, and every kind of fault has happened.

use stoa_session::Shortcuts;
use stoa_sim::{Counters, Faults};
use stoa_testkit::rng::Rng;

use crate::support::cluster;

fn wear(seed: u64) -> (bool, Counters) {
    let (mut executor, cluster) = cluster(Faults::of_seed(seed), seed);
    let mut rng = Rng::new(seed);
    for index in 0..4 {
        let session = cluster.client(&format!("client {index}"));
        let mut rng = rng.fork();
        let work = async move {
            for _ in 0..40 {
                let key = i32::try_from(rng.below(4)).unwrap();
                let seq = i64::try_from(rng.below(4)).unwrap();
                let outcome = match rng.below(6) {
                    0 => {
                        let text = "INSERT INTO ks.log (id, seq, tag) VALUES (?, ?, 1) \
                                    IF NOT EXISTS";
                        session.query(text, (key, seq)).await
                    }
                    1 => {
                        let text = "DELETE FROM ks.log WHERE id = ? AND seq = ?";
                        session.query(text, (key, seq)).await
                    }
                    2 => {
                        let text = "DELETE FROM ks.log WHERE id = ? AND seq < ?";
                        session.query(text, (key, seq)).await
                    }
                    3 => {
                        let text = "SELECT * FROM ks.log WHERE id = ? AND seq >= ?";
                        session.query(text, (key, seq)).await
                    }
                    _ => {
                        let text = "UPDATE ks.log SET tag = 2 WHERE id = ? AND seq = ?";
                        session.query(text, (key, seq)).await
                    }
                };
                drop(outcome);
            }
        };
        executor.spawn("client", Box::pin(work));
    }
    executor.run_until_idle();
    cluster.heal();
    executor.run_until_idle();
    let read = || cluster.inspect("SELECT * FROM ks.log", ()).unwrap();
    let before = read();
    let was_equal = cluster.replicas_equal();
    cluster.repair();
    assert!(cluster.replicas_equal(), "seed {seed}");
    assert_eq!(read(), before, "seed {seed}: a repair changed the answer");
    let [first, second, third] = cluster.row_counts();
    assert_eq!((first, first), (second, third), "seed {seed}");
    (was_equal, cluster.counters())
}

#[test]
fn a_repair_makes_replicas_equal_and_every_fault_has_happened() {
    let mut counters = Counters::default();
    let mut unequal = 0;
    for seed in 0..300 {
        let (was_equal, happened) = wear(seed);
        unequal += u32::from(!was_equal);
        counters += happened;
    }
    assert!(unequal > 0, "no replica ever missed a write for good");
    assert_eq!(counters.never(), [""; 0], "{counters:?}");
}

#[test]
fn without_faults_nothing_happens_but_calls() {
    let (mut executor, cluster) = cluster(Faults::none(), 5);
    let session = cluster.client("anna");
    let work = async move {
        for id in 0..50 {
            let text = "INSERT INTO ks.register (id, n) VALUES (?, 1)";
            session.query(text, (id,)).await.unwrap();
            let text = "INSERT INTO ks.log (id, seq, tag) VALUES (?, 1, 1) IF NOT EXISTS";
            session.query(text, (id,)).await.unwrap();
        }
    };
    executor.spawn("anna", Box::pin(work));
    executor.run_until_idle();
    assert!(cluster.replicas_equal());
    let expected = Counters {
        calls: 100,
        applied_conditions: 50,
        ..Counters::default()
    };
    assert_eq!(cluster.counters(), expected);
}
