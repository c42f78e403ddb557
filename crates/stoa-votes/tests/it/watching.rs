//! Watching: who is told of what, once; digests; profiles; and trouble at every call.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::{
    By, Day, DigestFrequency, Happening, HappeningKind, NotDone, PolicyId, Role, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::notifications::Unread;
use stoa_votes::ops::release::Release;
use stoa_votes::tables::outbox::Mail;

use crate::place;
use crate::world::{MONDAY, World, instance, moves, no_policy};

const DAY: Duration = Duration::from_secs(86_400);

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    trees: PolicyId,
    parks: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let ben = world.member("ben").await;
    let trees = world.policy(ada, "Trees").await;
    let parks = world.policy(ben, "Parks").await;
    Scene {
        world,
        ada,
        ben,
        trees,
        parks,
    }
}

fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

impl Scene {
    async fn happens(&self, actor: Account, policy: PolicyId, kind: HappeningKind) -> Happening {
        self.world.wait(Duration::from_secs(1));
        let happening = Happening {
            id: self.world.ids.time_uuid(),
            policy: Some(policy),
            kind,
            actor: actor.user,
            about: None,
            detail: "a few words".to_owned(),
        };
        let happenings = &self.world.votes.tables().happenings;
        happenings.write(policy, &happening).await.unwrap();
        happening
    }

    async fn told(&self, user: UserId) -> Vec<Happening> {
        let page = self.world.votes.notifications(user, None, 100).await;
        page.unwrap().notifications
    }

    async fn digests(&self) -> Vec<Mail> {
        let outbox = &self.world.votes.tables().outbox;
        let today = Day::of_micros(self.world.clock.now_micros());
        let mut digests = Vec::new();
        for day in MONDAY.through(today) {
            digests.extend(outbox.pending(day).await.unwrap());
        }
        digests.retain(|mail| mail.kind == "digest");
        digests
    }
}

#[tokio::test]
async fn who_watches_is_told_once_and_never_of_what_they_did() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let (ada, ben) = (scene.ada.user, scene.ben.user);
    for user in [ada, ben, ben] {
        votes.watch(user, scene.trees).await.unwrap();
    }
    let first = scene
        .happens(scene.ben, scene.trees, HappeningKind::Commented)
        .await;
    let edited = scene
        .happens(scene.ada, scene.parks, HappeningKind::Edited)
        .await;
    scene
        .happens(scene.ben, scene.trees, HappeningKind::Replied)
        .await;
    for _ in 0..2 {
        votes.tell_watchers().await.unwrap();
    }
    assert_eq!(scene.told(ada).await, std::slice::from_ref(&first));
    // Whoever created a policy watches it.
    assert_eq!(scene.told(ben).await, [edited]);
    assert_eq!(votes.unread(ada).await.unwrap(), Unread::Exactly(1));
    votes.see_notifications(ada, first.id).await.unwrap();
    assert_eq!(votes.unread(ada).await.unwrap(), Unread::Exactly(0));

    // Whoever watches a source is told of its root, and of the other sources.
    let sources = [scene.trees, scene.parks].into();
    let root = votes.merge(ben, sources).await.unwrap().unwrap();
    assert_eq!(votes.watchlist(ada).await.unwrap(), [root].into());
    let second = scene.happens(scene.ben, root, HappeningKind::Edited).await;
    let third = scene
        .happens(scene.ben, scene.parks, HappeningKind::Hidden)
        .await;
    scene.world.wait(Duration::from_secs(3 * 3_600));
    votes.tell_watchers().await.unwrap();
    assert_eq!(scene.told(ada).await, [third, second, first]);
    assert_eq!(votes.unread(ada).await.unwrap(), Unread::Exactly(2));

    votes.unwatch(ada, root).await.unwrap();
    assert!(votes.watchlist(ada).await.unwrap().is_empty());
    scene.happens(scene.ben, root, HappeningKind::Edited).await;
    votes.tell_watchers().await.unwrap();
    assert_eq!(scene.told(ada).await.len(), 3);
    // Watching again after that.
    scene.world.wait(Duration::from_secs(1));
    votes.watch(ada, scene.trees).await.unwrap();
    assert_eq!(votes.watchlist(ada).await.unwrap(), [root].into());
}

#[tokio::test]
async fn refusals_have_their_codes_and_write_nothing() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let nobody = UserId(scene.world.ids.uuid());
    assert_eq!(code(votes.watch(nobody, scene.trees).await), "no_such_user");
    let ada = scene.ada.user;
    assert_eq!(code(votes.watch(ada, no_policy()).await), "no_such_policy");
    let set = votes.set_digest(nobody, DigestFrequency::Daily).await;
    assert_eq!(code(set), "no_such_user");
    assert_eq!(code(votes.profile(nobody).await), "no_such_user");
    votes.unwatch(nobody, scene.trees).await.unwrap();
    // What cannot be seen yet, and what is no notification.
    let later = scene.world.clock.now_micros() + 3_600_000_000;
    let later = stoa_types::time_uuid::from_unix_micros(later, 0);
    for through in [later, scene.world.ids.uuid()] {
        votes.see_notifications(ada, through).await.unwrap();
    }
    let settings = votes.notification_settings(ada).await.unwrap();
    assert_eq!(settings.seen_through, None);
    let watching = &votes.tables().watching;
    assert!(watching.watched(nobody).await.unwrap().is_empty());
    assert_eq!(watching.watched(ada).await.unwrap(), [scene.trees]);
    assert_eq!(watching.watchers(scene.trees).await.unwrap(), [ada]);
}

#[tokio::test]
async fn notifications_come_page_by_page_and_many_are_not_counted() {
    let scene = scene().await;
    let (votes, ada) = (&scene.world.votes, scene.ada.user);
    votes.watch(ada, scene.parks).await.unwrap();
    for _ in 0..101 {
        scene
            .happens(scene.ben, scene.parks, HappeningKind::Commented)
            .await;
    }
    votes.tell_watchers().await.unwrap();
    assert_eq!(votes.unread(ada).await.unwrap(), Unread::Many);
    let (mut before, mut sizes, mut all) = (None, Vec::new(), Vec::new());
    loop {
        let page = votes.notifications(ada, before, 40).await.unwrap();
        sizes.push(page.notifications.len());
        all.extend(page.notifications);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [40, 40, 21]);
    assert!(all.is_sorted_by_key(|it| std::cmp::Reverse(it.at_micros())));
    let newest = all.first().unwrap().id;
    let fifth = all.get(5).unwrap().id;
    votes.see_notifications(ada, newest).await.unwrap();
    // Seeing an older one afterwards does not make the others unread.
    votes.see_notifications(ada, fifth).await.unwrap();
    assert_eq!(votes.unread(ada).await.unwrap(), Unread::Exactly(0));
    let none = votes.notifications(scene.ben.user, None, -5).await.unwrap();
    assert!(none.notifications.is_empty());
}

#[tokio::test]
async fn a_digest_is_sent_once_for_each_period() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let (ada, ben) = (scene.ada.user, scene.ben.user);
    for user in [ada, ben] {
        votes.watch(user, scene.trees).await.unwrap();
        votes.watch(user, scene.parks).await.unwrap();
    }
    votes.set_digest(ada, DigestFrequency::Daily).await.unwrap();
    for _ in 0..25 {
        scene
            .happens(scene.ben, scene.trees, HappeningKind::Commented)
            .await;
    }
    scene
        .happens(scene.ada, scene.parks, HappeningKind::Edited)
        .await;
    votes.tell_watchers().await.unwrap();
    votes.send_digests().await.unwrap();
    assert!(scene.digests().await.is_empty());
    world.wait(DAY);
    for _ in 0..2 {
        votes.send_digests().await.unwrap();
        let digests = scene.digests().await;
        assert_eq!(digests.len(), 1);
        assert_eq!(digests[0].recipient, "ada@example.org");
        assert_eq!(digests[0].fields["count"], "25");
        assert_eq!(digests[0].fields["name"], "ada");
        let news: Vec<&str> = digests[0].fields["news"].lines().collect();
        assert_eq!(news.len(), 20);
        assert_eq!(news[19], "commented\tTrees\ta few words");
        assert_eq!(digests[0].fields["more"], "5");
    }
    // What was seen is not in a digest; nothing new is no digest.
    let seen = scene
        .happens(scene.ben, scene.trees, HappeningKind::Edited)
        .await;
    votes.tell_watchers().await.unwrap();
    votes.see_notifications(ada, seen.id).await.unwrap();
    world.wait(2 * DAY);
    votes.send_digests().await.unwrap();
    assert_eq!(scene.digests().await.len(), 1);
    // Ben said nothing, and gets his on Monday.
    world.wait(4 * DAY);
    votes.send_digests().await.unwrap();
    let digests = scene.digests().await;
    let to: Vec<&str> = digests.iter().map(|mail| &*mail.recipient).collect();
    assert_eq!(to, ["ada@example.org", "ben@example.org"]);
    assert_eq!(digests[1].fields["count"], "1");
    // Who wants none gets none.
    scene
        .happens(scene.ben, scene.trees, HappeningKind::Edited)
        .await;
    votes.tell_watchers().await.unwrap();
    votes.set_digest(ada, DigestFrequency::Never).await.unwrap();
    world.wait(DAY);
    votes.send_digests().await.unwrap();
    assert_eq!(scene.digests().await.len(), 2);
}

#[tokio::test]
async fn a_profile_has_the_figures_of_a_user() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let ada = scene.ada.user;
    let owners = &votes.tables().owners;
    let made = |policy: PolicyId| policy.made_at_micros();
    for policy in [scene.trees, scene.trees, no_policy()] {
        owners.write(ada, policy, made(policy)).await.unwrap();
    }
    world.wait(7 * DAY);
    world
        .ask(scene.ada, moves(&[(scene.parks, 30)]))
        .await
        .unwrap();
    let granted = votes
        .grant_role(By::Operator, ada, Role::ModerateTags)
        .await;
    granted.unwrap();
    let profile = votes.profile(ada).await.unwrap();
    assert_eq!((&*profile.name, profile.joined), ("ada", MONDAY));
    assert_eq!((profile.balance, profile.voted_for), (70, 2));
    assert_eq!(profile.created, [scene.trees].into());
    assert_eq!(profile.roles, [Role::ModerateTags]);
    votes.release(scene.parks, Release::Retire).await.unwrap();
    let profile = votes.profile(ada).await.unwrap();
    assert_eq!((profile.balance, profile.voted_for), (100, 1));
}

/// A task, and what there is to do for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chore {
    Tell,
    Digest,
}

impl Chore {
    async fn run(self, votes: &Votes) -> Result<(), stoa_session::Error> {
        match self {
            Self::Tell => votes.tell_watchers().await,
            Self::Digest => votes.send_digests().await,
        }
    }
}

impl Scene {
    async fn prepare(&self, chore: Chore) {
        for _ in 0..2 {
            self.happens(self.ben, self.trees, HappeningKind::Commented)
                .await;
        }
        if chore == Chore::Digest {
            self.world.votes.tell_watchers().await.unwrap();
            self.world.wait(DAY);
        }
    }
}

#[tokio::test]
async fn a_task_that_dies_anywhere_is_run_again_and_tells_once() {
    for chore in [Chore::Tell, Chore::Digest] {
        let scene = scene().await;
        let (world, votes, ada) = (&scene.world, &scene.world.votes, scene.ada.user);
        votes.watch(ada, scene.trees).await.unwrap();
        votes.set_digest(ada, DigestFrequency::Daily).await.unwrap();
        scene.prepare(chore).await;
        votes.tell_watchers().await.unwrap();
        scene.prepare(chore).await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let other = instance(session, &world.clock, &world.ids).await;
        chore.run(&other).await.unwrap();
        for trouble in Trouble::ALL {
            for call in place::tried(counting.calls()) {
                let at = format!("{chore:?}, {trouble:?} at call {call}");
                let told = scene.told(ada).await.first().map(|it| it.id);
                scene.prepare(chore).await;
                let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
                let other = instance(Arc::new(troubled), &world.clock, &world.ids).await;
                let _ = chore.run(&other).await;
                for _ in 0..2 {
                    chore.run(votes).await.unwrap();
                }
                if let Some(told) = told {
                    let table = &votes.tables().happenings;
                    let new = table.notifications_after(ada, told, 10).await.unwrap();
                    assert_eq!(new.len(), 2, "{at}");
                }
                let today = Day::of_micros(world.clock.now_micros());
                let mails = votes.tables().outbox.pending(today).await.unwrap();
                let digests: Vec<&Mail> =
                    mails.iter().filter(|mail| mail.kind == "digest").collect();
                match chore {
                    Chore::Tell => assert!(digests.is_empty(), "{at}"),
                    Chore::Digest => {
                        assert_eq!(digests.len(), 1, "{at}");
                        assert_eq!(digests[0].fields["count"], "2", "{at}");
                    }
                }
            }
        }
    }
}
