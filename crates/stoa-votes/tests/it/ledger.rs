//! The public ledger: what is exported counts up, whatever was closed by whom and when; and
//! whatever is changed about an export is found.

mod closers;
mod mutations;

use std::time::Duration;

use stoa_votes::Votes;
use stoa_votes::model::{By, Day, PolicyId, PrivacyMode, VotingConfig};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::receipt::Receipt;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::Ask;
use stoa_votes::rules::public_ledger::{LedgerHash, Line, Recount, Report};

use crate::world::{MONDAY, World, code, moves};

const DAY: Duration = Duration::from_secs(86_400);

/// The export of everything that is closed, each line with its line feed.
pub(crate) async fn export(votes: &Votes) -> Vec<String> {
    let mut export = votes.export_ledger().await.unwrap();
    let mut lines = Vec::new();
    while let Some(next) = export.next().await.unwrap() {
        lines.extend(next.into_iter().map(|line| line + "\n"));
    }
    assert_eq!(export.differing(), [], "{lines:#?}");
    lines
}

pub(crate) fn verify(lines: &[String]) -> Report {
    let mut recount = Recount::new();
    lines.iter().for_each(|line| recount.line(line.as_bytes()));
    recount.finish()
}

/// The export is whole, and counts up.
pub(crate) async fn assert_verifies(votes: &Votes) -> Vec<String> {
    let lines = export(votes).await;
    let report = verify(&lines);
    assert!(
        report.wrong == 0,
        "{:#?}\n{}",
        report.findings,
        lines.concat()
    );
    lines
}

struct Story {
    world: World,
    ada: Account,
    ben: Account,
    green: PolicyId,
}

impl Story {
    /// Waits until ten on a day, counted from the first.
    async fn until(&self, day: i32) {
        use stoa_types::Clock as _;
        let ten = MONDAY.plus(day).start_micros() + 36_000_000_000;
        let left = ten - self.world.clock.now_micros();
        self.world
            .wait(Duration::from_micros(u64::try_from(left).unwrap()));
    }
}

/// The first days: votes, a withdrawal, an undo, a changed configuration, a merge.
async fn first_days(mode: PrivacyMode) -> Story {
    let world = World::new().await;
    world
        .votes
        .choose_privacy(By::Operator, mode)
        .await
        .unwrap();
    let first = VotingConfig::initial(MONDAY);
    let second = VotingConfig {
        from: MONDAY.plus(8),
        salary: 70,
        creation_cost: 30,
        penalty_percent: 33,
        ..first
    };
    for config in [first, second] {
        assert!(
            world
                .votes
                .tables()
                .money
                .decide_config(&config, None)
                .await
                .unwrap()
        );
    }
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.ask(ben, moves(&[(trees, 60)])).await.unwrap();
    world.ask(ben, moves(&[(trees, -20)])).await.unwrap();
    world.ask(ben, Ask::Undo).await.unwrap();
    let mut story = Story {
        world,
        ada,
        ben,
        green: trees,
    };
    story.until(7).await;
    let world = &story.world;
    let parks = world.create(ben).await;
    world
        .ask(ada, moves(&[(parks, 30), (trees, -1)]))
        .await
        .unwrap();
    story.until(8).await;
    let world = &story.world;
    let merged = world
        .votes
        .merge(ada.user, [trees, parks].into())
        .await
        .unwrap();
    let green = merged.unwrap();
    world.ask(ben, moves(&[(green, -75)])).await.unwrap();
    // Eight days are closed at once, after the merge; the last of them sees what came later.
    assert_eq!(world.votes.close_days().await.unwrap(), MONDAY.plus(7));
    story.green = green;
    story
}

/// A community over the turn of a year, with everything that can happen to votes.
async fn story(mode: PrivacyMode) -> Story {
    let mut story = first_days(mode).await;
    let (ada, ben, green) = (story.ada, story.ben, story.green);
    let cem = Account {
        joined: MONDAY.plus(-20),
        ..story.world.user()
    };
    story.until(9).await;
    let world = &story.world;
    let roads = world.create(cem).await;
    world.ask(cem, moves(&[(roads, 365)])).await.unwrap();
    assert_eq!(
        code(world.ask(cem, moves(&[(green, 120)])).await),
        "overdraft"
    );
    assert!(world.votes.release(roads, Release::Retire).await.unwrap());
    world.votes.standing(roads).await.unwrap();
    world.ask(cem, moves(&[(green, 390)])).await.unwrap();
    story.until(10).await;
    let world = &story.world;
    world.ask(cem, Ask::End).await.unwrap();
    world.ask(ada, moves(&[(green, 5)])).await.unwrap();
    story.until(47).await;
    let world = &story.world;
    world.votes.close_days().await.unwrap();
    world.ask(ben, moves(&[(green, -9)])).await.unwrap();
    world
        .ask(world.user(), moves(&[(green, 11)]))
        .await
        .unwrap();
    story.until(48).await;
    let world = &story.world;
    world.ask(ben, moves(&[(green, 20)])).await.unwrap();
    let fields = world.create(ada).await;
    story.until(49).await;
    let world = &story.world;
    let both = world
        .votes
        .merge(ben.user, [green, fields].into())
        .await
        .unwrap();
    world.ask(ben, Ask::End).await.unwrap();
    story.until(50).await;
    story.world.votes.close_days().await.unwrap();
    story.world.assert_books_balance().await;
    story.green = both.unwrap();
    story
}

#[tokio::test]
async fn every_mode_is_counted_again_from_the_export_alone() {
    for (mode, _) in PrivacyMode::NAMES {
        let story = story(mode).await;
        let lines = assert_verifies(&story.world.votes).await;
        let report = verify(&lines);
        assert_eq!(report.mode, Some(mode));
        assert_eq!((report.days, report.through), (50, Some(MONDAY.plus(49))));
        assert_eq!(report.policies, 6);
        let text = lines.concat();
        let people = [story.ada.user, story.ben.user].map(|user| text.contains(&user.to_string()));
        let shown = mode == PrivacyMode::Public;
        assert_eq!(people, [shown; 2], "{mode:?}");
        let names = match mode {
            PrivacyMode::Public => (17, 4),
            // Two go on under new names.
            PrivacyMode::Pseudonymous => (17, 6),
            PrivacyMode::Tallies => (0, 0),
        };
        assert_eq!((report.records, report.people), names, "{mode:?}");
        let carried = lines
            .iter()
            .filter(|line| line.contains(r#""kind":"carried""#));
        let expected = if mode == PrivacyMode::Pseudonymous {
            2
        } else {
            0
        };
        assert_eq!(carried.count(), expected);
        assert!(text.contains(r#""kind":"released""#));
        assert!(text.contains(&format!(r#""policy":"{}","total":"#, story.green)));
        assert_eq!(
            export(&story.world.votes).await,
            lines,
            "an export can be repeated"
        );
        assert!(!report.hidden().is_empty());
        assert!(report.checked().len() >= 4);
    }
}

#[tokio::test]
async fn a_receipt_tells_the_line() {
    for (mode, _) in PrivacyMode::NAMES {
        let story = story(mode).await;
        let votes = &story.world.votes;
        let lines = export(votes).await;
        for seq in 1..=8 {
            let receipt = votes.receipt(story.ben.user, seq).await.unwrap();
            let Some(receipt) = receipt else {
                panic!("record {seq} has no receipt");
            };
            let ends = |day: Day, hash: LedgerHash| {
                let end = lines
                    .iter()
                    .find(|it| it.contains(r#""kind":"end""#) && it.contains(&day.to_string()));
                end.unwrap().contains(&hash.to_string())
            };
            match receipt {
                Receipt::Published {
                    day,
                    line,
                    line_hash,
                    day_hash,
                } => {
                    assert_eq!(lines.iter().filter(|it| it.trim_end() == line).count(), 1);
                    assert_eq!(LedgerHash::of_line(&line), line_hash);
                    assert!(ends(day, day_hash));
                }
                Receipt::Hidden { day, day_hash } => {
                    assert_eq!(mode, PrivacyMode::Tallies);
                    assert!(ends(day, day_hash));
                }
                Receipt::NotYet { day } => panic!("{day} is closed"),
            }
        }
        assert_eq!(votes.receipt(story.ben.user, 9).await.unwrap(), None);
        let accepted = story
            .world
            .ask(story.ada, moves(&[(story.green, 1)]))
            .await
            .unwrap();
        let day = MONDAY.plus(50);
        let receipt = votes.receipt(story.ada.user, accepted.seq).await.unwrap();
        assert_eq!(receipt, Some(Receipt::NotYet { day }));
    }
}

#[tokio::test]
async fn what_the_ledger_shows_is_fixed_with_the_first_closed_day() {
    let world = World::new().await;
    let votes = &world.votes;
    let modes = [
        PrivacyMode::Public,
        PrivacyMode::Tallies,
        PrivacyMode::Tallies,
    ];
    assert_eq!(votes.privacy().await.unwrap().mode, PrivacyMode::DEFAULT);
    for mode in modes {
        votes.choose_privacy(By::Operator, mode).await.unwrap();
        assert_eq!(votes.privacy().await.unwrap().mode, mode);
    }
    let ada = world.user();
    let refused = votes
        .choose_privacy(By::User(ada.user), PrivacyMode::Public)
        .await;
    assert_eq!(refused.unwrap_err().code(), "not_allowed");
    let lines = assert_verifies(votes).await;
    assert_eq!(lines.len(), 2, "no day is closed: {lines:?}");
    world.create(ada).await;
    world.wait(DAY);
    votes.close_days().await.unwrap();
    let refused = votes
        .choose_privacy(By::Operator, PrivacyMode::Public)
        .await;
    assert_eq!(refused.unwrap_err().code(), "privacy_locked");
    votes
        .choose_privacy(By::Operator, PrivacyMode::Tallies)
        .await
        .unwrap();
    assert!(votes.privacy().await.unwrap().is_locked);
    assert_verifies(votes).await;
}

#[tokio::test]
async fn a_day_that_is_closed_late_tells_nothing_of_policies_to_come() {
    let world = World::new().await;
    let (ada, ben) = (world.user(), world.user());
    let trees = world.create(ada).await;
    world.wait(DAY);
    let parks = world.create(ben).await;
    let green = world
        .votes
        .merge(ada.user, [trees, parks].into())
        .await
        .unwrap()
        .unwrap();
    world.votes.release(green, Release::Delete).await.unwrap();
    let roads = world.create(world.user()).await;
    world.votes.release(roads, Release::Retire).await.unwrap();
    world.wait(DAY);
    world.votes.close_days().await.unwrap();
    let lines = assert_verifies(&world.votes).await;
    let told: Vec<Option<Line>> = lines.iter().map(|it| Line::parse(it.trim_end())).collect();
    let at = |wanted: Line| {
        told.iter()
            .position(|line| line.as_ref() == Some(&wanted))
            .unwrap()
    };
    let ends = |day| {
        let mut lines = told.iter();
        lines
            .position(|it| matches!(it, Some(Line::End { day: of, .. }) if *of == day))
            .unwrap()
    };
    let first = ends(MONDAY);
    let merged = |policy| Line::Merged {
        policy,
        into: green,
    };
    assert!(at(merged(trees)) < first && at(Line::Released(green)) < first);
    assert!(at(merged(parks)) > first && at(Line::Released(roads)) > first);
}

#[tokio::test]
async fn who_rewrites_a_closed_day_is_found() {
    use stoa_session::Shortcuts as _;
    let story = story(PrivacyMode::Pseudonymous).await;
    let forge = format!(
        "UPDATE votes.ledger_records SET paid = 1000 WHERE day = '{MONDAY}' AND shard = {} \
         AND user = {} AND seq = 1",
        story.ben.user.0.as_u128() % 8,
        story.ben.user
    );
    story.world.session.run_text(&forge).await.unwrap();
    let mut export = story.world.votes.export_ledger().await.unwrap();
    let mut recount = Recount::new();
    while let Some(lines) = export.next().await.unwrap() {
        lines
            .iter()
            .for_each(|line| recount.line(format!("{line}\n").as_bytes()));
    }
    assert_eq!(export.differing(), [MONDAY]);
    let findings = recount.finish().findings;
    let hash = format!("the lines of {MONDAY} do not give its hash");
    assert!(findings.iter().any(|it| it.what == hash), "{findings:?}");
}
