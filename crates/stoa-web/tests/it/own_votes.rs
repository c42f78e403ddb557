//! One's own votes: the statement with payments and receipts, its files, and both sides of a conflict.

use stoa_votes::model::{By, RetireReason, Role};

use crate::world::{Browser, World};

#[tokio::test]
async fn the_statement_has_payments_records_and_files() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let mut browser = world.signed_in("ada").await;
    let empty = browser.get("/votes/statement").await;
    assert!(empty.has("+100") && empty.has("Pay"), "{}", empty.text);
    let policy = world.policy(ben, "Warm rooms for all").await;
    let votes = format!("/policies/{policy}/-/votes");
    for (field, value) in [("add", "30"), ("take", "10")] {
        let page = browser.get(&format!("/policies/{policy}/x")).await;
        let (token, basis) = (page.field("csrf"), page.field("basis"));
        let fields = [
            ("csrf", token.as_str()),
            ("basis", &basis),
            (field, value),
            ("price", "5"),
        ];
        let saved = browser.post(&votes, &fields).await;
        assert_eq!(saved.status, 303, "{}", saved.text);
    }
    let page = browser.get("/votes/statement").await;
    assert!(
        page.has("Receipt 1") && page.has("Receipt 2"),
        "{}",
        page.text
    );
    assert!(page.has("Taken back") && page.has("Warm rooms for all"));
    let older = browser.get("/votes/statement?before=2").await;
    assert!(older.has("Receipt 1") && !older.has("Receipt 2"));
    assert!(older.has("Newest entries"));
    let below = browser.get("/votes").await;
    assert!(below.has("/votes/statement.csv") && below.has("The whole statement"));
    let csv = browser.get("/votes/statement.csv").await;
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines[0], "number,at,day,kind,policy,votes,burned,total");
    assert_eq!(lines[1], ",,2026-11-16,paid,,100,0,");
    assert!(
        lines[2].ends_with(&format!(",2026-11-16,vote,{policy},30,0,30")),
        "{}",
        lines[2]
    );
    assert!(
        lines[3].ends_with(&format!(",2026-11-16,vote,{policy},-10,5,20")),
        "{}",
        lines[3]
    );
    assert_eq!(lines.len(), 4);
    let json = browser.get("/votes/statement.json").await;
    assert!(
        json.has("\"left\": 75") && json.has("\"burned\": 5"),
        "{}",
        json.text
    );
    // It is nobody else's.
    let mut other = world.signed_in("ben").await;
    assert!(
        !other
            .get("/votes/statement.json")
            .await
            .has("\"burned\": 5")
    );
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 75);
}

#[tokio::test]
async fn a_conflict_shows_both_sides_and_keeps_what_was_typed() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Warm rooms for all").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let page = browser.get(&format!("/policies/{policy}/x")).await;
    let (token, basis) = (page.field("csrf"), page.field("basis"));
    let votes = format!("/policies/{policy}/-/votes");
    let fields = [("csrf", token.as_str()), ("basis", &basis), ("add", "30")];
    assert_eq!(browser.post(&votes, &fields).await.status, 303);
    let mine = browser.get("/votes").await;
    let basis = mine.field("basis");
    let fields = [("csrf", token.as_str()), ("basis", &basis), ("add", "5")];
    assert_eq!(browser.post(&votes, &fields).await.status, 303);
    let (new, was) = (format!("v_{policy}"), format!("w_{policy}"));
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        (&new, "60"),
        (&was, "30"),
        ("do", "save"),
    ];
    let page = browser.post("/votes", &fields).await;
    assert_eq!(page.status, 409);
    let row = "<th scope=\"row\">Warm rooms for all</th><td class=\"n\">30</td>\
        <td class=\"n\"><b>35</b></td><td class=\"n\">60</td>";
    assert!(page.has(row), "{}", page.text);
    assert_eq!(page.field(&new), "60");
}

#[tokio::test]
async fn what_closed_policies_gave_back_is_on_none_of_them() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    world.grant(ben.user, Role::EditPolicies).await;
    let mut browser = world.signed_in("ada").await;
    let (by, done) = (By::User(ben.user), RetireReason::Done);
    for is_taken_away in [false, true] {
        let policy = world.policy(ada, "Warm rooms for all").await;
        let page = browser.get("/votes").await;
        let placed = "On policies <b class=\"num\">100</b>";
        assert!(page.has(placed), "{}", page.text);
        let votes = world.votes();
        let ended = match is_taken_away {
            true => votes.delete_policy(by, policy, "it is there").await,
            false => votes.retire_policy(by, policy, done, "it is there").await,
        };
        ended.unwrap();
        votes.refresh_board().await.unwrap();
        assert_none_placed(&mut browser).await;
    }
}

async fn assert_none_placed(browser: &mut Browser<'_>) {
    let page = browser.get("/votes").await;
    assert!(
        page.has("On policies <b class=\"num\">0</b>"),
        "{}",
        page.text
    );
    assert!(page.has("Left to spend <b class=\"num price\">100</b>"));
    assert!(page.has("Burned <b class=\"num\">0</b>") && page.has("No votes placed yet"));
}
