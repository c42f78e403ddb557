//! Lines of the log are found by their day, and forgotten.

use stoa_tasks::{Level, Line};
use stoa_types::{Date, Ids};

use crate::world::{MIDNIGHT, World};

fn day(days: i64) -> Date {
    let days = MIDNIGHT / 86_400_000_000 + days;
    Date::from_days_since_epoch(i32::try_from(days).unwrap())
}

#[tokio::test]
async fn a_day_is_read_newest_first_over_all_instances() {
    let world = World::new().await;
    let log = &world.tables.log;
    let instances = [world.ids.uuid(), world.ids.uuid()];
    let mut lines = Vec::new();
    for number in 0..5_usize {
        world.wait(60);
        let line = Line::new(&*world.ids, instances[number % 2], Level::Warning, "slow")
            .with("number", number.to_string());
        log.write(&line).await.unwrap();
        // Written twice, it is there once.
        log.write(&line).await.unwrap();
        lines.insert(0, line);
    }
    assert_eq!(log.day(day(0), 100).await.unwrap(), lines);
    assert_eq!(log.day(day(0), 2).await.unwrap(), lines[..2]);
    assert_eq!(log.day(day(1), 100).await.unwrap(), []);
    let own = log.of_instance(day(0), instances[1], 100).await.unwrap();
    assert_eq!(own, [lines[1].clone(), lines[3].clone()]);
}

#[tokio::test]
async fn a_line_belongs_to_the_day_of_its_moment_and_lives_thirty_days() {
    let world = World::new().await;
    let log = &world.tables.log;
    let instance = world.ids.uuid();
    world.wait(86_399);
    for level in [Level::Info, Level::Error] {
        let line = Line::new(&*world.ids, instance, level, "started");
        log.write(&line).await.unwrap();
        world.wait(1);
    }
    let levels = async |days| -> Vec<Level> {
        let lines = log.day(day(days), 9).await.unwrap();
        lines.iter().map(|line| line.level).collect()
    };
    assert_eq!(levels(0).await, [Level::Info]);
    assert_eq!(levels(1).await, [Level::Error]);
    world.wait(30 * 86_400 - 10);
    assert_eq!(levels(1).await, [Level::Error]);
    world.wait(10);
    assert_eq!(levels(0).await, []);
    assert_eq!(levels(1).await, []);
}
