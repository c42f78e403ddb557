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

#[tokio::test]
async fn a_conflict_of_the_vote_box_shows_both_sides_and_has_the_focus() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Warm rooms for all").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let path = format!("/policies/{policy}/x");
    let before = browser.get(&path).await;
    let votes = format!("/policies/{policy}/-/votes");
    let (token, basis) = (before.field("csrf"), before.field("basis"));
    let common = [("csrf", token.as_str()), ("basis", &basis), ("here", "0")];
    let add = |more| [&common[..], &[("add", more)]].concat();
    assert_eq!(browser.post(&votes, &add("30")).await.status, 303);
    for (wrong, wanted) in [
        (add("5"), "5"),
        ([&common[..], &[("total", "12")]].concat(), "12"),
    ] {
        let page = browser.post(&votes, &wrong).await;
        assert_eq!(page.status, 409, "{}", page.text);
        let row = format!(
            "<th scope=\"row\">Warm rooms for all</th><td class=\"n\">0</td>\
            <td class=\"n\"><b>30</b></td><td class=\"n\">{wanted}</td>"
        );
        assert!(page.has(&row), "{}", page.text);
        assert!(page.has("role=\"alert\" tabindex=\"-1\" autofocus"));
    }
    let balance = browser.get("/votes").await;
    assert!(balance.has("Left to spend <b class=\"num price\">70</b>"));
}

#[tokio::test]
async fn what_the_vote_box_refuses_is_told_on_the_page_of_the_policy() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Warm rooms for all").await;
    let ada = world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let path = format!("/policies/{policy}/x");
    let votes = format!("/policies/{policy}/-/votes");
    for (name, value, field) in [
        ("total", "many", "#f-total"),
        ("total", "101", "#f-total"),
        ("take", "3", "#f-take"),
        ("take", "0", "#f-take"),
        ("add", "-3", "#f-total"),
    ] {
        let page = browser.get(&path).await;
        let (token, basis) = (page.field("csrf"), page.field("basis"));
        let fields = [("csrf", token.as_str()), ("basis", &basis), (name, value)];
        let page = browser.post(&votes, &fields).await;
        let what = format!("{name} {value}: {} {}", page.status, page.text);
        assert_eq!(page.status, 422, "{what}");
        assert!(page.has(&format!("<a href=\"{field}\">")), "{what}");
        assert!(page.has("<h1>Warm rooms for all</h1>"), "{what}");
        if name == "total" {
            assert!(page.has(&format!("value=\"{value}\" inputmode")), "{what}");
        }
    }
    // A button beside the number that says nothing we know saves nothing.
    let token = browser.get(&path).await.field("csrf");
    let fields = [("csrf", token.as_str()), ("step", "x"), ("total", "7")];
    assert_eq!(browser.post(&votes, &fields).await.status, 422);
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 100);
}

#[tokio::test]
async fn totals_beyond_all_reason_are_refused_and_never_summed() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Warm rooms for all").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let token = browser.get("/votes").await.field("csrf");
    let other = "v_00000000-0000-1000-8000-000000000001";
    let one = format!("v_{policy}");
    for (value, is_refused) in [
        ("9223372036854775807", true),
        ("-9223372036854775808", true),
        ("1000000001", true),
        ("1000000000", false),
    ] {
        let fields = [("csrf", token.as_str()), (&one, value), (other, value)];
        let page = browser.post("/votes", &fields).await;
        assert_eq!(page.status, 422, "{value}: {}", page.text);
        let told = "Warm rooms for all: enter a whole number, 0 to 1,000,000,000";
        assert_eq!(page.has(told), is_refused, "{value}: {}", page.text);
        assert!(page.has(&format!("value=\"{value}\"")), "{value} is kept");
    }
}

#[tokio::test]
async fn an_undo_that_cannot_be_is_told_on_the_page_of_votes() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let page = browser.send("/votes", "/votes/undo", &[]).await;
    assert_eq!(page.status, 422, "{}", page.text);
    assert!(page.has("role=\"alert\" tabindex=\"-1\"") && page.has("<h1>My votes</h1>"));
    let stale = [("basis", "00000000-0000-1000-8000-000000000001")];
    let page = browser.send("/votes", "/votes/undo", &stale).await;
    assert_eq!(page.status, 409, "{}", page.text);
    assert!(page.has("role=\"alert\" tabindex=\"-1\"") && page.has("<h1>My votes</h1>"));
}
