//! One thing that cannot be done keeps a task from nothing else: the others are done, the run says
//! what failed, and what failed is done once it can be, however much later.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::statement::BatchItem;
use stoa_session::{
    Answer, Batch, Bound, Error, ErrorKind, PagingState, Prepared, Reply, Session, Shortcuts,
    Statement,
};
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{By, CommentState, PolicyId, PolicyState, RequestId, Target, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::release::Release;
use stoa_votes::tables::merges::Merge;
use stoa_votes::tables::talk::talk_intents::{Begun, TalkIntent};
use uuid::Uuid;

use crate::comments::scene as talk;
use crate::world::{World, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);

/// A session for which everything that one identifier stands in is broken.
#[derive(Debug)]
struct Broken {
    inner: Arc<dyn Session>,
    what: Uuid,
}

impl Broken {
    fn names(&self, bound: &Bound) -> bool {
        let bytes = bound.values().as_bytes();
        bytes.windows(16).any(|part| part == self.what.as_bytes())
    }
}

fn broken<'a>() -> Reply<'a, Answer> {
    Box::pin(async { Err(Error::not_applied(ErrorKind::Storage, "this is broken")) })
}

impl Session for Broken {
    fn prepare<'a>(&'a self, text: &'a str) -> Reply<'a, Prepared> {
        self.inner.prepare(text)
    }

    fn execute<'a>(&'a self, bound: &'a Bound, at: Option<&'a PagingState>) -> Reply<'a, Answer> {
        match self.names(bound) {
            true => broken(),
            false => self.inner.execute(bound, at),
        }
    }

    fn batch<'a>(&'a self, batch: &'a Batch) -> Reply<'a, Answer> {
        let mut items = batch.items().iter();
        let is_broken = |item: &BatchItem| match item {
            BatchItem::Bound(bound) => self.names(bound),
            BatchItem::Text(_) => false,
        };
        match items.any(is_broken) {
            true => broken(),
            false => self.inner.batch(batch),
        }
    }

    fn run<'a>(
        &'a self,
        statement: &'a Statement,
        at: Option<&'a PagingState>,
    ) -> Reply<'a, Answer> {
        self.inner.run(statement, at)
    }
}

/// An instance for which one thing is broken.
async fn without(world: &World, what: Uuid) -> Votes {
    let inner = Arc::clone(&world.session);
    instance(Arc::new(Broken { inner, what }), &world.clock, &world.ids).await
}

/// One part failed, and nothing else did.
fn assert_told(error: &impl ToString) {
    let told = error.to_string();
    let is_told = told.contains("1 of ") && told.contains("not done; the first: this is broken");
    assert!(is_told, "{told}");
}

async fn merged_to(world: &World, policy: PolicyId) -> Option<PolicyId> {
    let policies = &world.votes.tables().policies;
    policies.settle(policy).await.unwrap().unwrap().merged_to
}

#[tokio::test]
async fn a_merge_that_cannot_be_finished_holds_up_no_other() {
    let world = World::new().await;
    let ada = world.user();
    let mut merges = Vec::new();
    for _ in 0..3 {
        world.wait(7 * DAY);
        let source = world.create(ada).await;
        let merge = Merge {
            target: PolicyId(world.ids.time_uuid()),
            sources: [source].into(),
            moderator: ada.user,
        };
        world.votes.tables().merges.write(&merge).await.unwrap();
        merges.push((source, merge.target));
    }
    // Whichever comes first in the table, one of them does before another.
    for (broken, _) in &merges {
        let votes = without(&world, broken.0).await;
        let tried = votes.finish_merges().await;
        let left = world.votes.tables().merges.all().await.unwrap();
        if left.is_empty() {
            // It was finished by an earlier round.
            continue;
        }
        assert!(tried.unwrap_err().to_string().contains("this is broken"));
        assert_eq!(left.len(), 1);
        assert_eq!(merged_to(&world, *broken).await, None);
        for (source, target) in merges.iter().filter(|(source, _)| source != broken) {
            assert_eq!(merged_to(&world, *source).await, Some(*target));
        }
    }
    world.votes.finish_merges().await.unwrap();
    for (source, target) in &merges {
        assert_eq!(merged_to(&world, *source).await, Some(*target));
    }
    world.assert_books_balance().await;
}

#[tokio::test]
async fn votes_of_a_user_that_cannot_be_copied_hold_up_nobody_elses() {
    let world = World::new().await;
    let trees = world.create(world.user()).await;
    let voters: Vec<Account> = (0..4).map(|_| world.user()).collect();
    for voter in &voters {
        let request = world.request(*voter, moves(&[(trees, 10)])).await;
        world.votes.submit(*voter, &request).await.unwrap();
    }
    world.wait(Duration::from_secs(180));
    let votes = without(&world, voters[1].user.0).await;
    let failed = votes.drain().await.unwrap_err();
    assert!(failed.to_string().contains("the first: this is broken"));
    let supporters = async || {
        let mut having = Vec::new();
        for voter in &voters {
            let counts = &world.votes.tables().counts;
            having.push(counts.supporter(trees, voter.user).await.unwrap());
        }
        having
    };
    assert_eq!(supporters().await, [Some(10), None, Some(10), Some(10)]);
    // A day is closed with all of its votes or not at all.
    world.wait(DAY);
    assert!(votes.close_days().await.is_err());
    world.votes.drain().await.unwrap();
    assert_eq!(supporters().await, [Some(10); 4]);
    assert_eq!(world.total(trees).await, 140);
    world.votes.close_days().await.unwrap();
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_comment_that_cannot_be_settled_holds_up_no_other_and_is_settled_months_later() {
    let scene = talk().await;
    let (world, tables) = (&scene.world, scene.world.votes.tables());
    let mut intents = Vec::new();
    for body in ["one", "two", "three"] {
        let comment = scene.say(scene.ben, body, None).await;
        let begun = Begun::Comment(Target::Comment(scene.policy, comment));
        let id = world.ids.time_uuid();
        let intent = TalkIntent { id, begun };
        tables.talk.intents.write(&intent).await.unwrap();
        intents.push((comment, intent));
    }
    let left = async || {
        let rows = world.session.query("SELECT * FROM votes.talk_intents", ());
        rows.await.unwrap().into_rows().len()
    };
    world.wait(Duration::from_secs(180));
    let votes = without(world, intents[0].0.0).await;
    assert_told(&votes.finish_talk().await.unwrap_err());
    assert_eq!(left().await, 1);
    // It goes on being broken for long, and then everything stands still for longer.
    for days in [3, 3, 3, 200] {
        assert_eq!(left().await, 1);
        world.wait(days * DAY);
        if days < 200 {
            assert!(votes.finish_talk().await.is_err());
        }
    }
    world.votes.finish_talk().await.unwrap();
    assert_eq!(left().await, 0);
}

#[tokio::test]
async fn a_removed_comment_that_cannot_be_erased_holds_up_no_other() {
    let scene = talk().await;
    let (world, votes, policy) = (&scene.world, &scene.world.votes, scene.policy);
    let mut comments = Vec::new();
    for body in ["one", "two", "three"] {
        let comment = scene.say(scene.ben, body, None).await;
        votes
            .remove_own_comment(scene.ben, policy, comment)
            .await
            .unwrap();
        comments.push(comment);
    }
    let erased = async || {
        let mut erased = 0;
        for comment in &comments {
            let read = votes.tables().talk.comments.read(policy, *comment).await;
            erased += usize::from(read.unwrap().unwrap().state == CommentState::Erased);
        }
        erased
    };
    let without = without(world, comments[0].0).await;
    world.wait(31 * DAY);
    assert_told(&without.sweep_comments().await.unwrap_err());
    assert_eq!(erased().await, 2);
    for _ in 0..5 {
        world.wait(20 * DAY);
        assert!(without.sweep_comments().await.is_err());
    }
    world.wait(200 * DAY);
    votes.sweep_comments().await.unwrap();
    assert_eq!(erased().await, 3);
}

#[tokio::test]
async fn policies_that_cannot_be_erased_or_removed_hold_up_no_other() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut policies = Vec::new();
    for title in ["First one", "Second one", "Third one"] {
        world.wait(7 * DAY);
        let policy = world.policy(ada, title).await;
        let released = world.votes.release(policy, Release::Delete).await;
        assert!(released.unwrap());
        policies.push(policy);
    }
    world.wait(11 * DAY);
    let deleted = async || {
        let states = world.votes.tables().policies.all().await.unwrap();
        let deleted = states.into_iter();
        let deleted = deleted.filter(|(_, state, _)| *state == PolicyState::Deleted);
        deleted
            .map(|(policy, _, _)| policy)
            .collect::<BTreeSet<_>>()
    };
    let votes = without(&world, policies[1].0).await;
    assert_told(&votes.erase_deleted().await.unwrap_err());
    assert_eq!(deleted().await, [policies[0], policies[2]].into());
    world.votes.erase_deleted().await.unwrap();
    assert_eq!(deleted().await.len(), 3);
}

#[tokio::test]
async fn a_proposal_that_cannot_be_carried_out_holds_up_no_other() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut proposals = Vec::new();
    for title in ["First one", "Second one"] {
        world.wait(14 * DAY);
        let mut sources = BTreeSet::new();
        for part in ["first", "second"] {
            sources.insert(world.policy(ada, &format!("{title}, {part}")).await);
        }
        let page = world.new_page(title).await;
        let request = RequestId(world.ids.uuid());
        let by = By::Operator;
        let proposed = world.votes.propose_merge(by, request, &sources, &page);
        proposals.push((proposed.await.unwrap().id, sources));
    }
    world.wait(8 * DAY);
    let roots = async |sources: &BTreeSet<PolicyId>| {
        let mut roots = BTreeSet::new();
        for source in sources {
            roots.insert(merged_to(&world, *source).await);
        }
        roots
    };
    let votes = without(&world, proposals[0].0).await;
    assert_told(&votes.finish_proposals().await.unwrap_err());
    assert_eq!(roots(&proposals[0].1).await, [None].into());
    assert!(!roots(&proposals[1].1).await.contains(&None));
    world.votes.finish_proposals().await.unwrap();
    assert!(!roots(&proposals[0].1).await.contains(&None));
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_watcher_who_cannot_be_told_holds_up_no_other() {
    let scene = talk().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let watchers = [scene.ada, scene.ben, scene.moderator];
    for watcher in &watchers[1..] {
        votes.watch(*watcher, scene.policy).await.unwrap();
    }
    votes.tell_watchers().await.unwrap();
    let told = async |user: UserId| {
        let page = votes.notifications(user, None, 100).await.unwrap();
        page.notifications.len()
    };
    let before = [
        told(watchers[0]).await,
        told(watchers[1]).await,
        told(watchers[2]).await,
    ];
    let author = world.member("dora").await;
    scene.say(author.user, "hello", None).await;
    world.wait(Duration::from_secs(60));
    for broken in watchers {
        let votes = without(world, broken.0).await;
        assert!(votes.tell_watchers().await.is_err());
    }
    // Of three, each was broken once and told by the two other runs: once.
    for (watcher, before) in watchers.into_iter().zip(before) {
        assert_eq!(told(watcher).await, before + 1);
    }
    votes.tell_watchers().await.unwrap();
    for (watcher, before) in watchers.into_iter().zip(before) {
        assert_eq!(told(watcher).await, before + 1);
    }
}

#[tokio::test]
async fn a_name_that_cannot_be_given_back_holds_up_no_other() {
    let world = World::new().await;
    let votes = &world.votes;
    let mut joined = Vec::new();
    for name in ["dora", "emil", "frida"] {
        // Nobody of them confirms the address.
        joined.push(join_unconfirmed(&world, name).await);
    }
    world.wait(30 * DAY);
    let users = async || votes.tables().users.scan().await.unwrap().len();
    assert_eq!(users().await, 3);
    let failed = without(&world, joined[1].0).await.sweep_claims().await;
    let failed = failed.unwrap_err().to_string();
    assert!(failed.contains("the first: this is broken"), "{failed}");
    assert_eq!(users().await, 1);
    votes.sweep_claims().await.unwrap();
    assert_eq!(users().await, 0);
}

async fn join_unconfirmed(world: &World, name: &str) -> UserId {
    let registration = Registration {
        request: RequestId(world.ids.uuid()),
        name: name.to_owned(),
        email: format!("{name}@example.org"),
        password: "correct horse".to_owned(),
        origin: None,
    };
    world.votes.register(&registration).await.unwrap()
}
