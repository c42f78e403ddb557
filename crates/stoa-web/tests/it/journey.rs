//! From registering to undoing, by forms alone.

use std::time::Duration;

use crate::world::{Browser, PASSWORD, Page, World};

/// A browser in which somebody registered, confirmed the address and signed in, all by forms.
async fn newcomer(world: &World) -> Browser<'_> {
    let mut browser = world.browser();
    let fields = [
        ("name", "ada"),
        ("email", "ada@example.org"),
        ("password", PASSWORD),
    ];
    let sent = browser.send("/register", "/register", &fields).await;
    assert!(sent.has("Look into your mail"), "{}", sent.text);
    let secret = world
        .mailed("verify_email", "ada@example.org")
        .await
        .unwrap();
    let link = format!("/verify-email?token={secret}");
    let page = browser.get(&link).await;
    let (token, request) = (page.field("csrf"), page.field("request"));
    let fields = [
        ("csrf", token.as_str()),
        ("token", &secret),
        ("request", &request),
    ];
    assert!(
        browser
            .post("/verify-email", &fields)
            .await
            .has("Your address is confirmed")
    );
    let fields = [("name", "ada"), ("password", PASSWORD), ("then", "/votes")];
    let done = browser.send("/sign-in", "/sign-in", &fields).await;
    assert_eq!((done.status, done.location.as_str()), (303, "/votes"));
    browser
}

/// What a form about votes carries.
fn ask(page: &Page) -> [String; 3] {
    [
        page.field("csrf"),
        page.field("basis"),
        page.field("request"),
    ]
}

#[tokio::test]
async fn a_newcomer_registers_confirms_signs_in_and_votes_once() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    let mut browser = newcomer(&world).await;
    let address = browser.get(&format!("/policies/{policy}")).await.location;
    let page = browser.get(&address).await;
    assert!(
        page.has("Why: <em>Night buses until two</em>."),
        "{}",
        page.text
    );
    let [token, basis, request] = ask(&page);
    let votes = format!("/policies/{policy}/-/votes");
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        ("add", "50"),
    ];
    let saved = browser.post(&votes, &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    // The same form once more does nothing twice.
    let again = browser.post(&votes, &fields).await;
    assert_eq!((again.status, again.location), (303, saved.location));
    let ada = world.votes().account(user(&world).await).await.unwrap();
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 50);
}

#[tokio::test]
async fn taking_back_shows_its_price_first_and_can_be_undone() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    let mut browser = newcomer(&world).await;
    let ada = world.votes().account(user(&world).await).await.unwrap();
    let address = format!("/policies/{policy}/night");
    let votes = format!("/policies/{policy}/-/votes");
    let page = browser.get(&address).await;
    let [token, basis, request] = ask(&page);
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        ("add", "50"),
    ];
    assert_eq!(browser.post(&votes, &fields).await.status, 303);

    // Taking back shows its price first, and saves nothing until it is agreed to.
    let page = browser.get(&address).await;
    let [token, basis, request] = ask(&page);
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        ("take", "20"),
    ];
    let priced = browser.post(&votes, &fields).await;
    assert!(priced.has("Take back 20, burn 10"), "{}", priced.text);
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 50);
    let [token, basis, request] = ask(&priced);
    let price = priced.field("price");
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        ("take", "20"),
        ("price", &price),
    ];
    assert_eq!(browser.post(&votes, &fields).await.status, 303);
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 60);

    let own = browser.get("/votes").await;
    assert!(own.has("You can undo the last save"), "{}", own.text);
    assert!(own.has("Statement") && own.has("Receipt 2"));
    let [token, basis, request] = ask(&own);
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
    ];
    let undone = browser.post("/votes/undo", &fields).await;
    assert_eq!(
        (undone.status, undone.location.as_str()),
        (303, "/votes?undone=1")
    );
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 50);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(browser.get("/votes/receipts/1").await.status, 200);
    let out = browser.send("/account", "/sign-out", &[]).await;
    assert_eq!(out.status, 303);
    assert!(browser.get("/votes").await.location.starts_with("/sign-in"));
}

async fn user(world: &World) -> stoa_votes::model::UserId {
    let people = world.votes().tables().users.people().await.unwrap();
    people.into_iter().find(|it| it.name == "ada").unwrap().user
}

#[tokio::test]
async fn two_windows_conflict_and_nothing_is_lost() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Warm rooms for all").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let page = browser.get(&format!("/policies/{policy}/warm")).await;
    let (token, basis) = (page.field("csrf"), page.field("basis"));
    let votes = format!("/policies/{policy}/-/votes");
    let base = [("csrf", token.as_str()), ("basis", basis.as_str())];
    let first = [&base[..], &[("add", "30")]].concat();
    assert_eq!(browser.post(&votes, &first).await.status, 303);
    // One window of the table is opened, another one saves, the first one saves.
    let mine = browser.get("/votes").await;
    let (basis, request) = (mine.field("basis"), mine.field("request"));
    let other = [
        ("csrf", token.as_str()),
        ("basis", basis.as_str()),
        ("add", "5"),
    ];
    assert_eq!(browser.post(&votes, &other).await.status, 303);
    let (new, was) = (format!("v_{policy}"), format!("w_{policy}"));
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        (&new, "60"),
        (&was, "30"),
        ("do", "save"),
    ];
    let conflict = browser.post("/votes", &fields).await;
    assert_eq!(conflict.status, 409);
    assert!(conflict.has("Changed in another window"));
    assert!(
        conflict.has("<td class=\"n\">30</td><td class=\"n\"><b>35</b></td>"),
        "{}",
        conflict.text
    );
    assert_eq!(conflict.field(&new), "60");
    let (basis, request) = (conflict.field("basis"), conflict.field("request"));
    let fields = [
        ("csrf", token.as_str()),
        ("basis", &basis),
        ("request", &request),
        (&new, "60"),
        (&was, "35"),
        ("do", "save"),
    ];
    assert_eq!(browser.post("/votes", &fields).await.status, 303);
    assert!(
        browser
            .get("/votes")
            .await
            .has("<b class=\"num price\">40</b>")
    );
}

#[tokio::test]
async fn the_first_admin_comes_by_the_link_that_was_printed_and_only_once() {
    let world = World::new().await;
    let secret = world.app.welcome_admin().await.unwrap().unwrap();
    let mut browser = world.browser();
    let link = format!("/first-admin?token={}", secret.reveal());
    assert_eq!(browser.get("/first-admin?token=guess").await.status, 404);
    let fields = [
        ("token", secret.reveal()),
        ("name", "boss-one"),
        ("email", "boss@example.org"),
        ("password", PASSWORD),
    ];
    assert_eq!(
        browser.send(&link, "/first-admin", &fields).await.location,
        "/sign-in"
    );
    assert!(world.app.has_admin().await.unwrap());
    assert_eq!(browser.get(&link).await.status, 404);
    assert!(world.app.welcome_admin().await.unwrap().is_none());
    world.signed_in("boss-one").await;
}

#[tokio::test]
async fn a_forgotten_password_is_set_anew_and_ends_every_login() {
    let world = World::new().await;
    world.member("ada").await;
    let mut old = world.signed_in("ada").await;
    let mut browser = world.browser();
    let known = browser.send("/forgot", "/forgot", &[("name", "ada")]).await;
    let unknown = browser
        .send("/forgot", "/forgot", &[("name", "nobody-here")])
        .await;
    assert_eq!(without_ids(&known.text), without_ids(&unknown.text));
    let secret = world
        .mailed("reset_password", "ada@example.org")
        .await
        .unwrap();
    let link = format!("/reset-password?token={secret}");
    let short = browser
        .send(
            &link,
            "/reset-password",
            &[("token", &secret), ("password", "x")],
        )
        .await;
    assert_eq!(short.status, 422);
    assert!(short.has("role=\"alert\""));
    let fields = [
        ("token", secret.as_str()),
        ("password", "a whole new sentence"),
    ];
    assert!(
        browser
            .send(&link, "/reset-password", &fields)
            .await
            .has("Your password is set")
    );
    assert!(old.get("/account").await.location.starts_with("/sign-in"));
}

/// A page without what differs each time.
pub(crate) fn without_ids(text: &str) -> String {
    let parts = text.split("value=\"");
    parts
        .map(|part| part.split_once('"').map_or(part, |(_, rest)| rest))
        .collect()
}
