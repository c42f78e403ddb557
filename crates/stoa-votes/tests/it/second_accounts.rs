//! Signs of second accounts: where somebody registers, what two vote for, and that all of it is
//! forgotten with the account.

use std::time::Duration;

use stoa_types::Ids;
use stoa_votes::model::{
    By, Happening, HappeningKind, PolicyId, RequestId, Target, TargetKind, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::rules::signals::{Signal, SignalKind};

use crate::accounts::{home, join};
use crate::world::{MONDAY, World, moves};

fn from(world: &World, name: &str, email: &str, origin: Origin) -> Registration {
    Registration {
        request: RequestId(world.ids.uuid()),
        name: name.to_owned(),
        email: email.to_owned(),
        password: "correct horse".to_owned(),
        origin: Some(origin),
    }
}

async fn register(world: &World, name: &str, origin: Origin) -> UserId {
    let email = format!("{name}@example.org");
    let registration = from(world, name, &email, origin);
    world.votes.register(&registration).await.unwrap()
}

async fn signs(world: &World, user: UserId) -> Vec<(SignalKind, String)> {
    let signals = world.votes.tables().signals.list(user).await.unwrap();
    let signs = signals.into_iter().map(|it| (it.kind, it.about));
    signs.collect()
}

#[tokio::test]
async fn who_registers_from_the_place_of_another_has_signs_and_the_other_has_none() {
    let world = World::new().await;
    let ada = register(&world, "ada", home()).await;
    world.wait(Duration::from_secs(60));
    let neighbour = Origin {
        address: [192, 0, 2, 200].into(),
        agent: "another browser".to_owned(),
    };
    let ben = register(&world, "ben", neighbour).await;
    let elsewhere = Origin {
        address: [198, 51, 100, 1].into(),
        agent: "a browser".to_owned(),
    };
    let eve = register(&world, "eve", elsewhere).await;
    let far = Origin {
        address: [203, 0, 113, 1].into(),
        agent: String::new(),
    };
    let silent = register(&world, "silent", far.clone()).await;
    let ada_is_known = ada.to_string();
    assert!(signs(&world, ada).await.is_empty());
    let same_network = (SignalKind::SameNetwork, ada_is_known.clone());
    assert_eq!(signs(&world, ben).await, [same_network]);
    let same_agent = (SignalKind::SameAgent, ada_is_known);
    assert_eq!(signs(&world, eve).await, [same_agent]);
    assert!(signs(&world, silent).await.is_empty());
    let thrown = from(&world, "thrown", "x@mailinator.com", far);
    let thrown = world.votes.register(&thrown).await.unwrap();
    let disposable = (SignalKind::DisposableEmail, "mailinator.com".to_owned());
    assert!(signs(&world, thrown).await.contains(&disposable));
}

#[tokio::test]
async fn asking_again_for_a_registration_gives_no_more_signs() {
    let world = World::new().await;
    register(&world, "ada", home()).await;
    let registration = from(&world, "ben", "ben@example.org", home());
    let ben = world.votes.register(&registration).await.unwrap();
    let before = signs(&world, ben).await;
    assert_eq!(before.len(), 2);
    world.wait(Duration::from_secs(60));
    world.votes.register(&registration).await.unwrap();
    assert_eq!(signs(&world, ben).await, before);
}

/// A policy for each of some votes, by users of their own.
async fn policies(world: &World, count: usize) -> Vec<PolicyId> {
    let mut policies = Vec::new();
    for _ in 0..count {
        policies.push(world.create(world.user()).await);
    }
    policies
}

async fn votes_for(world: &World, user: UserId, policies: &[PolicyId], votes: &[i64]) {
    let account = world.votes.account(user).await.unwrap();
    let all: Vec<_> = policies
        .iter()
        .copied()
        .zip(votes.iter().copied())
        .collect();
    world.ask(account, moves(&all)).await.unwrap();
}

#[tokio::test]
async fn accounts_that_vote_alike_are_found_and_a_place_in_common_opens_a_case() {
    let world = World::new().await;
    let policies = policies(&world, 5).await;
    let [ada, ben, eve] = ["ada", "ben", "eve"];
    let ada = join(&world, ada).await;
    world.wait(Duration::from_secs(60));
    let ben = join(&world, ben).await;
    world.wait(Duration::from_secs(60));
    let eve = join(&world, eve).await;
    votes_for(&world, ada, &policies, &[10, 20, 5, 30, 15]).await;
    votes_for(&world, ben, &policies, &[11, 19, 5, 28, 16]).await;
    votes_for(&world, eve, &policies, &[30, 1, 30, 1, 2]).await;
    let votes = &world.votes;
    assert_eq!(votes.compare_votes().await.unwrap(), 1);
    assert_eq!(votes.compare_votes().await.unwrap(), 1);
    let like_ada = (SignalKind::SimilarVotes, ada.to_string());
    assert_eq!(signs(&world, ben).await, [like_ada]);
    assert!(signs(&world, ada).await.is_empty());
    assert!(signs(&world, eve).await.is_empty());
    let cases = votes.open_cases(By::Operator, TargetKind::Account).await;
    assert!(cases.unwrap().is_empty());
    for (kind, about) in [
        (SignalKind::SameNetwork, "ada"),
        (SignalKind::SameNetwork, "eve"),
        (SignalKind::SameAgent, "ada"),
        (SignalKind::SameAgent, "eve"),
    ] {
        let about = about.to_owned();
        let signal = Signal { kind, about };
        votes.record_signal(ben, &signal).await.unwrap();
    }
    let cases = votes.open_cases(By::Operator, TargetKind::Account).await;
    let targets: Vec<Target> = cases.unwrap().iter().map(|it| it.case.target).collect();
    assert_eq!(targets, [Target::Account(ben)]);
    assert!(votes.account(ben).await.is_ok());
}

#[tokio::test]
async fn who_leaves_leaves_no_traces_and_is_told_of_nothing() {
    let world = World::new().await;
    let ada = join(&world, "ada").await;
    let owner = world.member("owner").await;
    let trees = world.policy(owner, "Plant trees").await;
    let votes = &world.votes;
    votes.watch(ada, trees).await.unwrap();
    let ben = from(&world, "ben", "ben@example.org", home());
    votes.register(&ben).await.unwrap();
    let eve = from(&world, "eve", "eve@example.org", home());
    let eve = votes.register(&eve).await.unwrap();
    let reported = Signal {
        kind: SignalKind::Reported,
        about: "somebody".to_owned(),
    };
    for user in [ada, eve] {
        votes.record_signal(user, &reported).await.unwrap();
        assert!(!signs(&world, user).await.is_empty());
        world.wait(Duration::from_secs(1));
        votes.leave(user).await.unwrap();
        votes.record_signal(user, &reported).await.unwrap();
        assert!(signs(&world, user).await.is_empty());
    }
    let tables = votes.tables();
    assert!(tables.watching.watched(ada).await.unwrap().is_empty());
    assert!(
        !tables
            .watching
            .watchers(trees)
            .await
            .unwrap()
            .contains(&ada)
    );
    let network = home().network();
    let (kind, most) = (SignalKind::SameNetwork, 10);
    let from_home = tables.origins.users(kind, &network, most).await.unwrap();
    assert!(!from_home.contains(&eve));
    assert_eq!(from_home.len(), 1);
    let joined = tables.origins.joined(MONDAY, most).await.unwrap();
    assert!(!joined.contains(&eve) && !joined.contains(&ada));
}

#[tokio::test]
async fn a_watcher_who_ended_is_told_of_nothing_even_if_the_list_still_names_one() {
    let world = World::new().await;
    let ada = join(&world, "ada").await;
    let owner: Account = world.member("owner").await;
    let trees = world.policy(owner, "Plant trees").await;
    let votes = &world.votes;
    votes.leave(ada).await.unwrap();
    // A request to watch that was on its way when the account ended.
    let watching = &votes.tables().watching;
    let late = MONDAY.plus(30).start_micros();
    watching.watch(ada, trees, late).await.unwrap();
    let happening = Happening {
        id: world.ids.time_uuid(),
        policy: Some(trees),
        kind: HappeningKind::Edited,
        actor: owner.user,
        about: None,
        detail: String::new(),
    };
    let happenings = &votes.tables().happenings;
    happenings.write(trees, &happening).await.unwrap();
    votes.tell_watchers().await.unwrap();
    let told = votes.notifications(ada, None, 10).await.unwrap();
    assert!(told.notifications.is_empty());
}
