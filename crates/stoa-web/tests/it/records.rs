//! Rules, the moderation log and the public ledger, as everybody may read them.

use std::path::Path;
use std::time::Duration;

use stoa_votes::model::{By, PrivacyMode, RetireReason, Role, VotingConfig};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::rules::public_ledger::Recount;
use stoa_web::SiteSettings;

use crate::world::{MONDAY, World};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test]
async fn the_rules_are_those_that_hold_and_those_that_come() {
    let world = World::new().await;
    let mut browser = world.browser();
    let page = browser.get("/rules").await;
    assert!(
        page.has("100 every Monday")
            && page.has("50 percent")
            && page.has("Nothing else is decided")
    );
    // Of 25 votes taken back at 50 percent, 13 are burned.
    assert!(
        page.has("<td class=\"n\">12</td>") && page.has(">13</span>"),
        "{}",
        page.text
    );
    let later = VotingConfig {
        from: MONDAY.plus(14),
        salary: 70,
        penalty_percent: 33,
        most_unspent: Some(1_000),
        ..VotingConfig::initial(MONDAY)
    };
    world
        .votes()
        .decide_config(By::Operator, &later)
        .await
        .unwrap();
    world.clock.advance(Duration::from_secs(60));
    let page = browser.get("/rules").await;
    assert!(
        page.has("From 30 November 2026") && page.has("70 every Monday") && page.has("33 percent")
    );
    assert!(
        page.has("100 every Monday") && page.has("1,000") && !page.has("Nothing else is decided")
    );
    let german = browser.send(
        "/rules",
        "/settings/look",
        &[("language", "de"), ("then", "/rules")],
    );
    assert_eq!(german.await.location, "/rules");
    let page = browser.get("/rules").await;
    assert!(
        page.has("100 jeden Montag") && page.has("Ab 30. November 2026"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn the_log_tells_who_did_what_to_what_and_why() {
    let world = World::new().await;
    let mut browser = world.browser();
    let before = browser.get("/log?day=2026-11-15").await;
    assert!(before.has("Nothing was done from 16 October 2026 to 15 November 2026"));
    let ada = world.member("ada").await;
    let mia = world.member("mia").await;
    world.grant(mia.user, Role::HandleReports).await;
    let policy = world.policy(ada, "Free <ice> cream").await;
    let votes = world.votes();
    let by = By::User(mia.user);
    votes
        .set_visibility(by, policy, Visibility::Hidden, "a look & a <b>")
        .await
        .unwrap();
    world.clock.advance(DAY);
    votes
        .set_visibility(by, policy, Visibility::Shown, "it is fine")
        .await
        .unwrap();
    votes.refresh_board().await.unwrap();

    let page = browser.get("/log").await;
    assert!(
        page.has("href=\"/users/mia\">@mia</a>") && page.has("hid a policy"),
        "{}",
        page.text
    );
    assert!(page.has("a look &amp; a &lt;b&gt;") && page.has("Free &lt;ice&gt; cream"));
    assert!(page.has("the operator") && page.has("gave a role") && page.has("Answers reports"));
    assert!(page.has("Tuesday, 17 November 2026") && page.has("Monday, 16 November 2026"));
    let monday = browser.get("/log?day=2026-11-16").await;
    assert!(monday.has("hid a policy") && !monday.has("showed a policy again"));
    // Before the first day there is nothing to go on to.
    assert!(!monday.has("Older entries"));
    for odd in [
        "/log?day=2099-01-01",
        "/log?day=x",
        "/log?before=x",
        "/log?day=1970-01-01",
    ] {
        assert_eq!(browser.get(odd).await.status, 200, "{odd}");
    }
}

#[tokio::test]
async fn the_log_goes_on_within_a_day() {
    let world = World::new().await;
    let people = ["ann", "bea", "cat"];
    for name in people {
        let account = world.member(name).await;
        for (role, _) in Role::NAMES {
            world.clock.advance(Duration::from_secs(1));
            world.grant(account.user, role).await;
            world.clock.advance(Duration::from_secs(1));
            let revoke = world.votes().revoke_role(By::Operator, account.user, role);
            revoke.await.unwrap();
        }
    }
    let mut browser = world.browser();
    let first = browser.get("/log").await;
    let rows =
        |text: &str| text.matches("a role</th>").count() + text.matches("a role away</th>").count();
    assert_eq!(rows(&first.text), 50, "{}", first.text);
    let (_, rest) = first.text.split_once("href=\"/log?day=").unwrap();
    let next = format!(
        "/log?day={}",
        rest.split('"').next().unwrap().replace("&amp;", "&")
    );
    let second = browser.get(&next).await;
    // Three times nine roles given and taken, and the category that the world begins with.
    assert_eq!(rows(&second.text), 4, "{}", second.text);
    assert!(second.has("changed a category") && second.has("Back to the newest"));
}

#[tokio::test]
async fn the_ledger_lists_closed_days_whose_files_count_up() {
    let world = World::new().await;
    let mut browser = world.browser();
    let page = browser.get("/ledger").await;
    assert!(page.has("No day is closed yet") && page.has("stoa votes verify"));
    let ada = world.member("ada").await;
    world.policy(ada, "Night buses").await;
    for _ in 0..40 {
        world.clock.advance(DAY);
        world.votes().close_days().await.unwrap();
    }
    world.votes().refresh_board().await.unwrap();
    let page = browser.get("/ledger").await;
    let (last, hash) = (
        MONDAY.plus(39),
        world.votes().tables().days.closed(MONDAY.plus(39)).await,
    );
    let hash = hash.unwrap().unwrap().1;
    assert!(
        page.has(&format!("/ledger/{last}")) && page.has(&hash.to_string()),
        "{}",
        page.text
    );
    assert!(
        page.has(&format!("--hash {hash}")) && page.has("under a name that changes every year")
    );
    let older = browser
        .get(&format!("/ledger?before={}", MONDAY.plus(9)))
        .await;
    assert!(
        older.has("/ledger/2026-11-16")
            && !older.has("Older days")
            && older.has("/ledger/2026-11-24")
    );

    // The files of all days, with a head and an end, are the ledger that anybody can verify.
    let mut export = world.votes().export_ledger().await.unwrap();
    let mut recount = Recount::new();
    let mut whole = String::new();
    while let Some(lines) = export.next().await.unwrap() {
        whole.extend(lines.iter().map(|line| format!("{line}\n")));
    }
    let mut files = String::new();
    for day in MONDAY.through(last) {
        let file = browser.get(&format!("/ledger/{day}")).await;
        assert_eq!(file.headers["content-type"], "application/x-ndjson");
        assert!(
            file.headers["cache-control"]
                .to_str()
                .unwrap()
                .contains("immutable")
        );
        files.push_str(&file.text);
    }
    let (head, rest) = whole.split_once('\n').unwrap();
    assert!(rest.starts_with(&files) && head.contains("\"kind\":\"ledger\""));
    whole
        .lines()
        .for_each(|line| recount.line(format!("{line}\n").as_bytes()));
    assert_eq!(recount.finish().wrong, 0);
    for nothing in ["/ledger/2026-11-15", "/ledger/2026-12-31", "/ledger/x"] {
        assert_eq!(browser.get(nothing).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn a_ledger_that_is_kept_is_given_away_whole_whatever_its_size() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept-ledger");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let world = World::with(SiteSettings {
        ledger: Some(folder.clone()),
        ..SiteSettings::default()
    })
    .await;
    let mut browser = world.browser();
    // Nothing was written yet.
    assert!(!browser.get("/ledger").await.has("/ledger/ledger.jsonl"));
    assert_eq!(browser.get("/ledger/ledger.jsonl").await.status, 404);
    let lines: String = (0..30_000)
        .map(|line| format!("{{\"line\":{line}}}\n"))
        .collect();
    std::fs::write(folder.join("ledger.jsonl"), &lines).unwrap();
    assert!(browser.get("/ledger").await.has("/ledger/ledger.jsonl"));
    let file = browser.get("/ledger/ledger.jsonl").await;
    assert_eq!(file.status, 200);
    assert!(file.text == lines, "{} bytes", file.text.len());
    assert_eq!(file.headers["content-type"], "application/x-ndjson");
}

#[tokio::test]
async fn what_a_ledger_hides_is_told_for_its_mode() {
    for (mode, text) in [
        (PrivacyMode::Public, "It shows who votes for what."),
        (PrivacyMode::Tallies, "nobody outside can check"),
    ] {
        let world = World::new().await;
        world
            .votes()
            .choose_privacy(By::Operator, mode)
            .await
            .unwrap();
        let page = world.browser().get("/ledger").await;
        assert!(page.has(text), "{mode:?}: {}", page.text);
        let log = world.browser().get("/log").await;
        assert!(log.has("chose what the ledger shows"), "{}", log.text);
    }
}

#[tokio::test]
async fn how_a_policy_ended_is_told_on_its_page_or_in_place_of_it() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let (closed, gone) = (world.policy(ada, "Closed one").await, {
        world.clock.advance(DAY * 7);
        world.policy(ada, "Gone one").await
    });
    let votes = world.votes();
    let reason = RetireReason::Done;
    votes
        .retire_policy(By::Operator, closed, reason, "built <last> year")
        .await
        .unwrap();
    votes
        .delete_policy(By::Operator, gone, "an advertisement")
        .await
        .unwrap();
    let mut browser = world.browser();
    let page = browser.get(&format!("/policies/{closed}/x")).await;
    assert_eq!(page.status, 200);
    assert!(
        page.has("It has been done") && page.has("built &lt;last&gt; year"),
        "{}",
        page.text
    );
    let page = browser.get(&format!("/policies/{gone}/x")).await;
    assert_eq!(page.status, 410);
    assert!(
        page.has("an advertisement") && page.has("the operator") && page.has("action=\"/search\""),
        "{}",
        page.text
    );
    assert!(!page.has("Gone one"));
}
