//! The public ledger, kept where others can fetch it: always a whole one, whatever dies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_votes::tasks::write_export::{
    LedgerDraft, LedgerShelf, NotShown, NotWritten, Shown, export_task,
};

use crate::ledger::assert_verifies;
use crate::place;
use crate::world::{MONDAY, World, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);

type Lines = Arc<Mutex<Option<Vec<String>>>>;

/// A place that takes so many lines and no more.
#[derive(Debug, Clone, Default)]
struct Shelf {
    shown: Lines,
    room: Option<usize>,
}

impl Shelf {
    fn lines(&self) -> Option<Vec<String>> {
        self.shown.lock().unwrap().clone()
    }
}

impl LedgerShelf for Shelf {
    fn last_line(&self) -> Result<Option<String>, NotWritten> {
        Ok(self.lines().and_then(|lines| lines.last().cloned()))
    }

    fn begin(&self) -> Result<Box<dyn LedgerDraft>, NotWritten> {
        Ok(Box::new(Draft {
            lines: Vec::new(),
            room: self.room,
            shown: Arc::clone(&self.shown),
        }))
    }
}

struct Draft {
    lines: Vec<String>,
    room: Option<usize>,
    shown: Lines,
}

impl LedgerDraft for Draft {
    fn line(&mut self, line: &str) -> Result<(), NotWritten> {
        if self.room.is_some_and(|room| self.lines.len() >= room) {
            return Err(NotWritten("the disk is full".to_owned()));
        }
        self.lines.push(line.to_owned());
        Ok(())
    }

    fn show(self: Box<Self>) -> Result<(), NotWritten> {
        *self.shown.lock().unwrap() = Some(self.lines);
        Ok(())
    }
}

/// A day on which somebody voted, and its end.
async fn day(world: &World) {
    let ada = world.user();
    let policy = world.create(ada).await;
    let ben = world.user();
    let request = world.request(ben, moves(&[(policy, 7)])).await;
    world.votes.submit(ben, &request).await.unwrap();
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
}

/// What an export gives now, without line feeds.
async fn whole(world: &World) -> Vec<String> {
    let lines = assert_verifies(&world.votes).await;
    let lines = lines.iter().map(|line| line.trim_end().to_owned());
    lines.collect()
}

#[tokio::test]
async fn the_ledger_is_written_once_after_each_closed_day() {
    let world = World::new().await;
    let (votes, shelf) = (&world.votes, Shelf::default());
    assert_eq!(votes.write_export(&shelf).await.unwrap(), Shown::Nothing);
    assert_eq!(shelf.lines(), None);
    for of in 0..2 {
        day(&world).await;
        let closed = MONDAY.plus(of);
        let shown = votes.write_export(&shelf).await.unwrap();
        assert_eq!(shown, Shown::Now(closed));
        assert_eq!(shelf.lines().unwrap(), whole(&world).await);
        // Had anything been written, it would be seen.
        let full = Shelf {
            room: Some(0),
            ..shelf.clone()
        };
        let shown = votes.write_export(&full).await.unwrap();
        assert_eq!(shown, Shown::Before(closed));
    }
}

#[tokio::test]
async fn whoever_dies_or_finds_no_room_leaves_the_ledger_that_was_there() {
    let world = World::new().await;
    let shelf = Shelf::default();
    day(&world).await;
    world.votes.write_export(&shelf).await.unwrap();
    let before = shelf.lines().unwrap();
    day(&world).await;
    let full = Shelf {
        room: Some(before.len()),
        ..shelf.clone()
    };
    let refused = world.votes.write_export(&full).await.unwrap_err();
    assert!(matches!(refused, NotShown::Written(_)), "{refused}");
    assert_eq!(shelf.lines().unwrap(), before);

    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    votes.write_export(&Shelf::default()).await.unwrap();
    let after = whole(&world).await;
    assert!(counting.calls() > 4, "{} calls", counting.calls());
    for call in place::tried(counting.calls()) {
        for trouble in [Trouble::DiesBefore, Trouble::LostAfter, Trouble::Twice] {
            *shelf.shown.lock().unwrap() = Some(before.clone());
            let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
            let votes = instance(Arc::new(troubled), &world.clock, &world.ids).await;
            let first = votes.write_export(&shelf).await;
            let expected = if first.is_ok() { &after } else { &before };
            let at = format!("{trouble:?} at call {call}: {first:?}");
            assert_eq!(&shelf.lines().unwrap(), expected, "{at}");
            world.votes.write_export(&shelf).await.unwrap();
            assert_eq!(shelf.lines().unwrap(), after, "{trouble:?} at call {call}");
        }
    }
}

#[tokio::test]
async fn a_ledger_that_does_not_give_its_hashes_is_not_shown() {
    let world = World::new().await;
    let shelf = Shelf::default();
    day(&world).await;
    world.votes.write_export(&shelf).await.unwrap();
    let before = shelf.lines();
    day(&world).await;
    let later = MONDAY.next();
    let forget = "DELETE FROM votes.ledger_records USING TIMESTAMP 9000000000000000 \
        WHERE day = ? AND shard = ?";
    for shard in 0..64_i16 {
        let query = world.session.query(forget, (later, shard));
        query.await.unwrap();
    }
    for _ in 0..2 {
        let shown = world.votes.write_export(&shelf).await.unwrap();
        assert_eq!(shown, Shown::Differs(later));
        assert_eq!(shelf.lines(), before);
    }
    let votes = instance(Arc::clone(&world.session), &world.clock, &world.ids).await;
    let task = export_task(&Arc::new(votes), Arc::new(shelf));
    let failed = task.run(0).await.unwrap_err().to_string();
    assert!(failed.contains(&later.to_string()), "{failed}");
}
