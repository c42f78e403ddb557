//! What is shown in memory, shown on disk: of each family of tests a few, whatever the others run on.
//! `STOA_VOTES_STORE=disk` lets all of them run there.

use crate::world::World;
use crate::{merging, money, storms, voting};

const STORMS: usize = 3;

#[tokio::test]
async fn votes_are_counted_on_disk_as_in_memory() {
    voting::paid_spent_withdrawn(&World::on_disk().await).await;
    voting::asked_again(&World::on_disk().await).await;
    voting::released(&World::on_disk().await).await;
    voting::long_chain(&World::on_disk().await).await;
    merging::merged_twice(&World::on_disk().await).await;
}

#[tokio::test]
async fn money_is_the_same_on_disk() {
    money::decided(&World::on_disk().await).await;
    money::late(&World::on_disk().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_sessions_wins_on_disk() {
    storms::storm(&World::on_disk().await, STORMS).await;
}
