//! Mail: sent, tried again, given up, and what happens to it when there is trouble at any call of
//! the store: it is never lost, and sent twice only if nobody knew whether it was.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::{Clock, Ids};
use stoa_votes::Votes;
use stoa_votes::model::Day;
use stoa_votes::rules::mail::MOST_ATTEMPTS;
use stoa_votes::tables::outbox::Mail;
use stoa_votes::tasks::send_mail::{MailOut, MailRun, Posted, Sending, mail_task};
use uuid::Uuid;

use crate::place;
use crate::world::{World, instance};

const MINUTE: Duration = Duration::from_secs(60);

/// Takes mail, unless it was told what to say instead.
#[derive(Debug, Default)]
struct Letterbox {
    taken: Mutex<Vec<Uuid>>,
    says: Mutex<VecDeque<Posted>>,
    /// Another instance, which sends mail to another box at the same moment.
    other: Option<(Votes, Box<Letterbox>)>,
}

impl Letterbox {
    fn saying(says: &[Posted]) -> Self {
        let says = Mutex::new(says.iter().cloned().collect());
        Self {
            says,
            ..Self::default()
        }
    }

    fn taken(&self) -> Vec<Uuid> {
        self.taken.lock().unwrap().clone()
    }

    fn count(&self, id: Uuid) -> usize {
        self.taken().iter().filter(|it| **it == id).count()
    }

    async fn take(&self, mail: &Mail) -> Posted {
        if let Some((votes, other)) = &self.other {
            let _ = Box::pin(votes.send_mail(&**other)).await;
        }
        let said = self.says.lock().unwrap().pop_front();
        let said = said.unwrap_or(Posted::Delivered);
        if said == Posted::Delivered {
            self.taken.lock().unwrap().push(mail.id);
        }
        said
    }
}

impl MailOut for Letterbox {
    fn send<'a>(&'a self, mail: &'a Mail) -> Sending<'a> {
        Box::pin(self.take(mail))
    }
}

/// Puts a mail into the outbox.
async fn put(world: &World) -> Mail {
    world.wait(Duration::from_millis(1));
    let now = world.clock.now_micros();
    let mail = Mail {
        day: Day::of_micros(now),
        id: world.ids.uuid(),
        recipient: "ada@example.org".to_owned(),
        kind: "verify_email".to_owned(),
        fields: BTreeMap::from([("token".to_owned(), "secret".to_owned())]),
        created_micros: now,
    };
    assert!(world.votes.tables().outbox.put(&mail).await.unwrap());
    mail
}

async fn is_pending(world: &World, mail: &Mail) -> bool {
    let pending = world.votes.tables().outbox.pending(mail.day).await.unwrap();
    pending.contains(mail)
}

fn run(sent: usize, later: usize, failed: usize, why: Option<&str>) -> MailRun {
    let why = why.map(str::to_owned);
    MailRun {
        sent,
        later,
        failed,
        why,
    }
}

#[tokio::test]
async fn mail_is_sent_once_oldest_first_and_erased() {
    let world = World::new().await;
    let one = put(&world).await;
    world.wait(Duration::from_secs(86_400));
    let two = put(&world).await;
    let letterbox = Letterbox::default();
    let ran = world.votes.send_mail(&letterbox).await.unwrap();
    assert_eq!(ran, run(2, 0, 0, None));
    assert_eq!(letterbox.taken(), [one.id, two.id]);
    assert!(!is_pending(&world, &one).await && !is_pending(&world, &two).await);
    // The same mail is not put there again.
    assert!(!world.votes.tables().outbox.put(&one).await.unwrap());
    world.wait(MINUTE * 11);
    assert_eq!(
        world.votes.send_mail(&letterbox).await.unwrap(),
        run(0, 0, 0, None)
    );
}

#[tokio::test]
async fn what_is_not_taken_is_tried_again_after_a_pause_and_then_given_up() {
    let world = World::new().await;
    let mail = put(&world).await;
    let later = Posted::Later("full".to_owned());
    let letterbox = Letterbox::saying(&vec![later; 99]);
    let votes = &world.votes;
    assert_eq!(
        votes.send_mail(&letterbox).await.unwrap(),
        run(0, 1, 0, Some("full"))
    );
    assert_eq!(
        votes.send_mail(&letterbox).await.unwrap(),
        run(0, 0, 0, None)
    );
    world.wait(MINUTE);
    assert_eq!(
        votes.send_mail(&letterbox).await.unwrap(),
        run(0, 1, 0, Some("full"))
    );
    world.wait(MINUTE);
    assert_eq!(
        votes.send_mail(&letterbox).await.unwrap(),
        run(0, 0, 0, None)
    );
    for _ in 2..MOST_ATTEMPTS - 1 {
        world.wait(MINUTE * 60 * 12);
        assert_eq!(
            votes.send_mail(&letterbox).await.unwrap(),
            run(0, 1, 0, Some("full"))
        );
        assert!(is_pending(&world, &mail).await);
    }
    world.wait(MINUTE * 60 * 12);
    assert_eq!(
        votes.send_mail(&letterbox).await.unwrap(),
        run(0, 0, 1, Some("full"))
    );
    assert!(!is_pending(&world, &mail).await);
}

#[tokio::test]
async fn what_fails_is_given_up_and_a_closed_door_ends_the_run() {
    let world = World::new().await;
    let bad = put(&world).await;
    let good = put(&world).await;
    let last = put(&world).await;
    let closed = Posted::Closed("nobody there".to_owned());
    let letterbox = Letterbox::saying(&[Posted::Failed("no such user".to_owned()), closed.clone()]);
    let ran = world.votes.send_mail(&letterbox).await.unwrap();
    assert_eq!(ran, run(0, 1, 1, Some("nobody there")));
    assert!(!is_pending(&world, &bad).await && is_pending(&world, &good).await);
    // It does not count, however long the server is away.
    let outbox = &world.votes.tables().outbox;
    for _ in 0..MOST_ATTEMPTS * 2 {
        world.wait(MINUTE);
        let shut = Letterbox::saying(std::slice::from_ref(&closed));
        let ran = world.votes.send_mail(&shut).await.unwrap();
        assert_eq!((ran.later, ran.failed), (1, 0));
    }
    let queue = outbox.queue(good.day).await.unwrap();
    assert!(queue.iter().all(|it| it.attempts == 0), "{queue:?}");
    world.wait(MINUTE);
    let ran = world.votes.send_mail(&letterbox).await.unwrap();
    assert_eq!(ran, run(2, 0, 0, None));
    assert_eq!(letterbox.taken(), [good.id, last.id]);
}

#[tokio::test]
async fn two_instances_at_the_same_moment_send_a_mail_once() {
    let world = World::new().await;
    let mails = [put(&world).await, put(&world).await, put(&world).await];
    let votes = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let letterbox = Letterbox {
        other: Some((votes, Box::default())),
        ..Letterbox::default()
    };
    world.votes.send_mail(&letterbox).await.unwrap();
    let (_, other) = letterbox.other.as_ref().unwrap();
    for mail in &mails {
        assert_eq!(letterbox.count(mail.id) + other.count(mail.id), 1);
    }
    assert_eq!(letterbox.count(mails[0].id), 1);
}

#[tokio::test]
async fn a_mail_that_kills_whoever_sends_it_is_given_up() {
    let world = World::new().await;
    let mail = put(&world).await;
    let outbox = &world.votes.tables().outbox;
    for _ in 0..MOST_ATTEMPTS {
        // It is claimed, and nothing more is heard.
        let mut queued = outbox.settle(mail.day, mail.id).await.unwrap().unwrap();
        let seen = queued.claim;
        queued.claim = world.ids.uuid();
        queued.attempts += 1;
        let now = world.clock.now_micros();
        assert!(outbox.claim(seen, &queued, now).await.unwrap());
        assert!(!outbox.claim(seen, &queued, now).await.unwrap());
    }
    let letterbox = Letterbox::default();
    let ran = world.votes.send_mail(&letterbox).await.unwrap();
    assert_eq!(ran, run(0, 0, 1, None));
    assert!(letterbox.taken().is_empty());
}

#[tokio::test]
async fn whatever_happens_at_any_call_mail_is_sent() {
    let world = World::new().await;
    put(&world).await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    votes.send_mail(&Letterbox::default()).await.unwrap();
    let calls = counting.calls();
    assert!(calls > 10);
    for trouble in Trouble::ALL {
        for call in place::tried(calls + 1) {
            let mail = put(&world).await;
            let letterbox = Letterbox::default();
            let session = Troubled::new(Arc::clone(&world.session), call, trouble);
            let votes = instance(Arc::new(session), &world.clock, &world.ids).await;
            let first = votes.send_mail(&letterbox).await;
            let at = format!("{trouble:?} at call {call}: {first:?}");
            let once = letterbox.count(mail.id);
            // A claim that came to nothing is left to the next run.
            let is_left = trouble == Trouble::LostBefore;
            assert!(once == 1 || first.is_err() || is_left, "{at}");
            world.wait(MINUTE * 10);
            world.votes.send_mail(&letterbox).await.unwrap();
            assert!(!is_pending(&world, &mail).await, "{at}");
            let is_death = matches!(trouble, Trouble::DiesBefore | Trouble::DiesAfter);
            match letterbox.count(mail.id) {
                1 => {}
                // It was sent, and that could not be written any more.
                2 => assert!(is_death && once == 1 && first.is_err(), "{at}"),
                other => panic!("{at}: sent {other} times"),
            }
        }
    }
}

#[tokio::test]
async fn the_task_tells_what_it_did() {
    let world = World::new().await;
    put(&world).await;
    put(&world).await;
    let votes = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let letterbox = Letterbox::saying(&[Posted::Later("full".to_owned())]);
    let task = mail_task(&Arc::new(votes), Arc::new(letterbox));
    assert_eq!(
        (task.name(), task.period().as_secs()),
        ("votes.send_mail", 15)
    );
    let done = task.run(0).await.unwrap();
    let told = "1 mails sent, 1 later, 0 failed; the last because full";
    assert_eq!(done.what, told);
    assert_eq!(task.run(0).await.unwrap().what, "");
}
