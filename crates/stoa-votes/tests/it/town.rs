//! A town in which every background task has something to do, and what it looks like.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::{
    By, CommentId, Day, DigestFrequency, PolicyId, ReportReason, RequestId, Role, Target,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::report::NewReport;
use stoa_votes::ops::submit::Ask;
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::claims::ClaimKind;
use stoa_votes::rules::signals::LEAST_SHARED;

use crate::world::{MONDAY, World, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);

/// The calls at which something dies, in its middle.
const MERGE_DIES: u64 = 6;
const CREATION_DIES: u64 = 8;
const COMMENT_DIES: u64 = 9;
const REGISTRATION_DIES: u64 = 7;
const LEAVING_DIES: u64 = 4;

/// An instance that dies at a call.
async fn dying(world: &World, call: u64) -> Votes {
    let session = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesBefore);
    let session: Arc<dyn Session> = Arc::new(session);
    instance(session, &world.clock, &world.ids).await
}

fn comment(world: &World, policy: PolicyId, body: &str) -> NewComment {
    world.wait(Duration::from_millis(10));
    NewComment {
        request: RequestId(world.ids.uuid()),
        policy,
        answers: None,
        subject: String::new(),
        body: body.to_owned(),
    }
}

async fn say(world: &World, author: Account, policy: PolicyId, body: &str) -> CommentId {
    let new = comment(world, policy, body);
    let said = world.votes.write_comment(author.user, &new).await;
    said.unwrap()
}

/// Votes that are not copied, days that are over, a merge, a creation, a comment, a registration and
/// a leaving that someone began and did not end; comments to be erased, policies taken away, tags
/// merged, cases opened, watchers to be told, two who vote alike.
pub(crate) async fn town() -> World {
    let world = World::of_one_clock().await;
    let votes = &world.votes;
    let [ada, benno, mia] = [
        world.member("ada").await,
        world.member("benno").await,
        world.member("mia").await,
    ];
    for role in [Role::HandleReports, Role::ModerateTags] {
        let granted = votes.grant_role(By::Operator, mia.user, role).await;
        granted.unwrap();
    }
    let trees = world.policy(ada, "Plant trees").await;
    let parks = world.policy(benno, "Build parks").await;
    let gone = world.policy(mia, "Build nothing").await;
    let old = say(&world, ada, trees, "An old word").await;
    let removed = votes.remove_comment(By::Operator, trees, old, "It is old.");
    removed.await.unwrap();
    let deleted = votes.delete_policy(By::Operator, gone, "It is nothing.");
    deleted.await.unwrap();
    let green = votes.tag_policy(ada.user, trees, "green").await.unwrap();
    let bio = votes.tag_policy(benno.user, parks, "bio").await.unwrap();
    let leaver = world.member("leaver").await;
    world.wait(34 * DAY);
    votes.close_days().await.unwrap();
    let merged = votes.merge_tags(By::User(mia.user), bio.id, green.id, "the same");
    merged.await.unwrap();
    alike(&world, [ada, benno]).await;
    lately(&world, [ada, benno], [trees, parks]).await;
    half_done(&world, [ada, leaver], [trees, parks]).await;
    world.wait(DAY);
    world
}

/// Two people who put much the same on some policies of their own kind.
async fn alike(world: &World, owners: [Account; 2]) {
    let mut policies = Vec::new();
    for owner in owners.into_iter().cycle().take(LEAST_SHARED) {
        policies.push(world.create(owner).await);
    }
    for (name, votes) in [("una", [10, 20, 5, 30, 15]), ("uwe", [11, 19, 5, 28, 16])] {
        let account = world.member(name).await;
        let each: Vec<_> = policies.iter().copied().zip(votes).collect();
        world.ask(account, moves(&each)).await.unwrap();
    }
}

/// What happens on the last day but one.
async fn lately(world: &World, [ada, benno]: [Account; 2], [trees, parks]: [PolicyId; 2]) {
    let votes = &world.votes;
    let daily = votes.set_digest(benno.user, DigestFrequency::Daily).await;
    daily.unwrap();
    for policy in [trees, parks] {
        votes.watch(benno.user, policy).await.unwrap();
    }
    say(world, ada, trees, "Shade for all").await;
    votes.tell_watchers().await.unwrap();
    let rude = say(world, ada, parks, "Rude words").await;
    let report = NewReport {
        target: Target::Comment(parks, rude),
        reason: ReportReason::Abuse,
        words: String::new(),
    };
    votes.report(benno.user, &report).await.unwrap();
    world.ask(benno, moves(&[(trees, 50)])).await.unwrap();
    // Accepted, and not copied.
    let request = world.request(benno, moves(&[(trees, 7)])).await;
    votes.submit(benno, &request).await.unwrap();
}

/// What dies in its middle.
async fn half_done(world: &World, [ada, leaver]: [Account; 2], [trees, parks]: [PolicyId; 2]) {
    let votes = dying(world, COMMENT_DIES).await;
    let new = comment(world, trees, "Half a word");
    assert!(votes.write_comment(ada.user, &new).await.is_err());
    let votes = dying(world, LEAVING_DIES).await;
    assert!(votes.leave(leaver.user).await.is_err());
    let votes = dying(world, REGISTRATION_DIES).await;
    let registration = Registration {
        request: RequestId(world.ids.uuid()),
        name: "stray".to_owned(),
        email: "stray@example.org".to_owned(),
        password: "correct horse".to_owned(),
        origin: None,
    };
    assert!(votes.register(&registration).await.is_err());
    let votes = dying(world, MERGE_DIES).await;
    let merged = votes.merge(ada.user, [trees, parks].into()).await;
    assert!(merged.is_err());
    let votes = dying(world, CREATION_DIES).await;
    let request = world.request(ada, Ask::Create(None)).await;
    assert!(votes.submit(ada, &request).await.is_err());
}

/// What a town looks like, as far as it does not depend on identifiers that are drawn anew.
pub(crate) async fn look(world: &World) -> Vec<String> {
    let tables = world.votes.tables();
    let mut lines = Vec::new();
    let mut pages = BTreeMap::new();
    for page in tables.pages.all().await.unwrap() {
        pages.insert(page.policy, page.title);
    }
    for (policy, state, _) in tables.policies.all().await.unwrap() {
        let total = world.total(policy).await;
        let title = pages.get(&policy);
        let tags = world.votes.tags_of(policy).await.unwrap();
        let tags: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
        lines.push(format!("{title:?} {state:?} {total} {tags:?}"));
        for it in tables.talk.comments.outline(policy).await.unwrap() {
            let read = tables.talk.comments.read(policy, it.id).await.unwrap();
            let read = read.unwrap();
            lines.push(format!("comment {:?} {:?}", read.state, read.body));
        }
        let discussion = tables.discussion.read(policy).await.unwrap();
        let discussion = discussion.map(|it| (it.comments, it.people));
        lines.push(format!("{title:?} discussed {discussion:?}"));
    }
    for figure in tables.tag_figures.tags().await.unwrap() {
        lines.push(format!("{figure:?}"));
    }
    for kind in [ClaimKind::Email, ClaimKind::Name] {
        for claim in tables.claims.of(kind).all().await.unwrap() {
            lines.push(format!("{kind:?} {} {:?}", claim.key, claim.state));
        }
    }
    let today = Day::of_micros(world.clock.now_micros());
    for day in MONDAY.through(today.next()) {
        for mail in tables.outbox.pending(day).await.unwrap() {
            let mut fields = mail.fields.clone();
            fields.remove("token");
            lines.push(format!("{day} {} {} {fields:?}", mail.kind, mail.recipient));
        }
        let closed = tables.days.closed(day).await.unwrap();
        lines.push(format!("{day} {:?}", closed.map(|(_, hash)| hash)));
        let ranked = tables.rank_history.settle_day(day).await.unwrap();
        lines.push(format!("{day} ranked {}", ranked.is_some()));
    }
    let people = tables.users.people().await.unwrap();
    let names = people
        .iter()
        .map(|it| (it.user.to_string(), it.name.as_str()));
    let names: BTreeMap<String, &str> = names.collect();
    for person in &people {
        for signal in tables.signals.list(person.user).await.unwrap() {
            let about = names.get(&signal.about);
            lines.push(format!("{} {:?} {about:?}", person.name, signal.kind));
        }
        let told = world.votes.notifications(person.user, None, 100).await;
        for it in told.unwrap().notifications {
            let title = it.policy.and_then(|policy| pages.get(&policy));
            lines.push(format!("{} told {:?} {title:?}", person.name, it.kind));
        }
    }
    lines.sort();
    lines
}
