//! What members have for themselves: settings, logins, data, leaving, what they watch and are told.

use std::time::Duration;

use stoa_votes::model::{DigestFrequency, Happening, HappeningKind};
use stoa_votes::ops::write_comment::NewComment;

use crate::world::{PASSWORD, World};

const NEW_PASSWORD: &str = "another whole sentence";

#[tokio::test]
async fn names_mail_and_password_are_set_one_by_one() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.member("ben").await;
    let mut browser = world.signed_in("ada").await;
    let taken = [("part", "name"), ("name", "BEN")];
    let page = browser.send("/settings", "/settings", &taken).await;
    assert_eq!(page.status, 422);
    assert!(page.has("This name is taken") && page.has("value=\"BEN\""));
    assert!(page.has("href=\"#f-name\""), "{}", page.text);
    for (part, fields) in [
        ("name", vec![("name", "ada-lane")]),
        (
            "real",
            vec![("first", "Ada"), ("last", "Lane"), ("shown", "1")],
        ),
        ("digest", vec![("digest", "daily")]),
    ] {
        let fields = [vec![("part", part)], fields].concat();
        let done = browser.send("/settings", "/settings", &fields).await;
        assert_eq!(done.location, format!("/settings?saved={part}"));
    }
    let user = world.votes().user(ada.user).await.unwrap();
    assert_eq!(user.name, "ada-lane");
    assert_eq!(user.real_name.shown().as_deref(), Some("Ada Lane"));
    let settings = world.votes().notification_settings(ada.user).await.unwrap();
    assert_eq!(settings.digest, DigestFrequency::Daily);
    let page = browser.get("/settings?saved=real").await;
    assert!(page.has("Your name is saved.") && page.has("value=\"Lane\""));
    let look = [
        ("theme", "dark"),
        ("language", "de"),
        ("then", "/settings?saved=look"),
    ];
    let done = browser.send("/settings", "/settings/look", &look).await;
    let page = browser.get(&done.location).await;
    assert!(page.has("Darstellung und Sprache sind gespeichert."));
    assert!(page.has("value=\"dark\" checked"), "{}", page.text);
    let unknown = [("part", "digest"), ("digest", "hourly")];
    let page = browser.send("/settings", "/settings", &unknown).await;
    assert!(
        page.status == 422 && page.has("href=\"#f-digest\""),
        "{}",
        page.text
    );
    let page = browser
        .send("/settings", "/settings", &[("part", "all")])
        .await;
    assert!(
        page.status == 422 && page.has("id=\"mistakes\""),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_new_password_takes_the_present_one_and_keeps_only_this_browser() {
    let world = World::new().await;
    world.member("ada").await;
    let mut other = world.signed_in("ada").await;
    let mut browser = world.signed_in("ada").await;
    world.clock.advance(Duration::from_secs(5));
    let fields = [
        ("part", "password"),
        ("present", "not this one"),
        ("password", NEW_PASSWORD),
    ];
    let page = browser.send("/settings", "/settings", &fields).await;
    assert_eq!(page.status, 422);
    assert!(page.has("href=\"#f-present\"") && !page.has(NEW_PASSWORD));
    assert_eq!(other.get("/account").await.status, 200);
    let fields = [
        ("part", "password"),
        ("present", PASSWORD),
        ("password", NEW_PASSWORD),
    ];
    let done = browser.send("/settings", "/settings", &fields).await;
    assert_eq!(done.location, "/settings?saved=password");
    assert_eq!(browser.get("/settings?saved=password").await.status, 200);
    assert!(other.get("/account").await.location.starts_with("/sign-in"));
    // Guessing the present password comes to an end.
    let mut last = 0;
    for _ in 0..12 {
        let fields = [
            ("part", "password"),
            ("present", "a guess"),
            ("password", "x"),
        ];
        last = browser.send("/settings", "/settings", &fields).await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn logins_are_seen_and_ended() {
    let world = World::new().await;
    world.member("ada").await;
    world.member("ben").await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(world.signed_in("ada").await);
        world.clock.advance(Duration::from_secs(60));
    }
    let mut stranger = world.signed_in("ben").await;
    let mut browser = world.signed_in("ada").await;
    let path = "/settings/sessions";
    let page = browser.get(path).await;
    assert_eq!(page.text.matches("name=\"end\"").count(), 4);
    assert_eq!(page.text.matches("this browser").count(), 1);
    // What is nobody's own is left alone.
    let theirs = stranger.get(path).await.field("end");
    browser.send(path, path, &[("end", &theirs)]).await;
    assert_eq!(stranger.get("/account").await.status, 200);
    let first = others[0].get("/account").await;
    assert_eq!(first.status, 200);
    let ended = browser.send(path, path, &[("others", "1")]).await;
    assert_eq!(ended.location, "/settings/sessions?ended=others");
    for other in &mut others {
        assert!(other.get("/account").await.location.starts_with("/sign-in"));
    }
    let own = browser.get(path).await.field("end");
    let out = browser.send(path, path, &[("end", &own)]).await;
    assert_eq!(out.location, "/");
    assert!(browser.get(path).await.location.starts_with("/sign-in"));
}

#[tokio::test]
async fn the_data_has_everything_of_one_and_nothing_of_others() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ada, "Night buses until two").await;
    for (author, body) in [(ada, "said by ada \"here\""), (ben, "said by ben")] {
        let new = NewComment {
            request: world.request(),
            policy,
            answers: None,
            subject: String::new(),
            body: body.to_owned(),
        };
        world
            .votes()
            .write_comment(author.user, &new)
            .await
            .unwrap();
    }
    let mut browser = world.signed_in("ada").await;
    assert!(
        browser
            .get("/settings/export")
            .await
            .has("/settings/export/data")
    );
    let data = browser.get("/settings/export/data").await;
    let header = |name: &str| data.headers[name].to_str().unwrap();
    assert!(header("content-type").starts_with("application/json"));
    assert!(header("content-disposition").contains("attachment"));
    assert!(data.has("\"email\": \"ada@example.org\""), "{}", data.text);
    assert!(data.has("\"text\": \"said by ada \\\"here\\\"\""));
    assert!(data.has("\"title\": \"Night buses until two\""));
    assert!(data.has("\"votes\": 100") && data.has("\"kind\": \"proposed\""));
    for hidden in ["said by ben", "ben@example.org", "argon2", PASSWORD] {
        assert!(!data.has(hidden), "{hidden}");
    }
    let mut last = 0;
    for _ in 0..8 {
        last = browser.get("/settings/export/data").await.status;
    }
    assert_eq!(last, 429);
}

#[tokio::test]
async fn leaving_takes_the_password_and_a_tick_and_is_for_good() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ada, "Night buses until two").await;
    let mut browser = world.signed_in("ada").await;
    let path = "/settings/leave";
    for (fields, told) in [
        (vec![], "2 things need attention"),
        (vec![("password", PASSWORD)], "Tick the box"),
        (vec![("password", "wrong"), ("sure", "1")], "#f-password"),
    ] {
        let page = browser.send(path, path, &fields).await;
        assert_eq!(page.status, 422);
        assert!(page.has(told), "{told}: {}", page.text);
        assert!(world.votes().account(ada.user).await.is_ok());
    }
    let fields = [("password", PASSWORD), ("sure", "1")];
    let gone = browser.send(path, path, &fields).await;
    assert_eq!((gone.status, gone.location.as_str()), (303, "/"));
    assert!(world.votes().account(ada.user).await.is_err());
    assert!(
        browser
            .get("/account")
            .await
            .location
            .starts_with("/sign-in")
    );
    let page = world
        .signed_in("ben")
        .await
        .get(&format!("/policies/{policy}/x"))
        .await;
    assert!(
        page.has("somebody who left") && !page.has("@ada"),
        "{}",
        page.text
    );
    assert!(world.votes().account(ben.user).await.is_ok());
}

#[tokio::test]
async fn another_address_counts_once_its_link_is_opened() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let send = [("part", "email"), ("email", "new@example.org")];
    let wrong = [&send[..], &[("known", "wrong")]].concat();
    let page = browser.send("/settings", "/settings", &wrong).await;
    assert_eq!(page.status, 422);
    assert!(page.has("value=\"new@example.org\"") && page.has("href=\"#f-known\""));
    let nowhere = [("part", "email"), ("email", "nowhere"), ("known", PASSWORD)];
    let page = browser.send("/settings", "/settings", &nowhere).await;
    assert!(page.has("href=\"#f-email\"") && page.has("value=\"nowhere\""));
    let right = [&send[..], &[("known", PASSWORD)]].concat();
    let asked = browser.send("/settings", "/settings", &right).await;
    assert_eq!(asked.location, "/settings?saved=email");
    let page = browser.get(&asked.location).await;
    assert!(page.has("A link is on its way") && page.has("Mail goes to ada@example.org."));
    let told = world.mailed_kinds("ada@example.org").await;
    assert_eq!(told.last().unwrap(), "address_asked");

    let secret = world
        .mailed("change_address", "new@example.org")
        .await
        .unwrap();
    let link = format!("/confirm-address?token={secret}");
    // Whatever looks into mail and opens links changes nothing.
    let shown = world.browser().get(&link).await;
    assert!(shown.has("Your new e-mail address"), "{}", shown.text);
    assert_eq!(
        world.votes().user(ada.user).await.unwrap().email,
        "ada@example.org"
    );
    let fields = [("token", secret.as_str())];
    let done = browser.send(&link, "/confirm-address", &fields).await;
    assert!(done.has("Your address is changed"), "{}", done.text);
    assert_eq!(
        world.votes().user(ada.user).await.unwrap().email,
        "new@example.org"
    );
    let again = browser.send(&link, "/confirm-address", &fields).await;
    assert_eq!(again.status, 422);
    assert!(again.has("This link does not work any more"));
    let by_it = [("name", "new@example.org"), ("password", PASSWORD)];
    let mut other = world.browser();
    assert_eq!(other.send("/sign-in", "/sign-in", &by_it).await.status, 303);
}

#[tokio::test]
async fn what_is_watched_is_listed_and_unwatched() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    assert!(browser.get("/watchlist").await.has("You watch nothing yet"));
    let policy = world.policy(ben, "Night buses until two").await;
    let page = format!("/policies/{policy}/x");
    let watch = format!("/policies/{policy}/-/watch");
    let done = browser.send(&page, &watch, &[("watch", "1")]).await;
    let shown = browser.get(&done.location).await;
    assert!(shown.has("You watch this policy:"), "{}", shown.text);
    assert!(shown.has("aria-pressed=\"true\""));
    let list = browser.get("/watchlist").await;
    assert!(list.has("Night buses until two") && list.has("You watch one policy."));
    let fields = [("policy", policy.to_string())];
    let fields = fields
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let done = browser.send("/watchlist", "/watchlist", &fields).await;
    assert_eq!(done.location, "/watchlist");
    assert!(browser.get("/watchlist").await.has("You watch nothing yet"));
}

#[tokio::test]
async fn what_one_was_told_is_new_until_it_is_read() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let mut browser = world.signed_in("ada").await;
    assert!(
        browser
            .get("/notifications")
            .await
            .has("Nothing happened yet")
    );
    for kind in HappeningKind::NAMES.map(|(kind, _)| kind) {
        world.clock.advance(Duration::from_secs(1));
        let it = Happening {
            id: stoa_types::Ids::time_uuid(&*world.ids),
            policy: Some(policy),
            kind,
            actor: ben.user,
            about: Some(policy.0),
            detail: "<b>words</b>".to_owned(),
        };
        let told = world
            .votes()
            .tables()
            .happenings
            .notify(ada.user, &it)
            .await;
        told.unwrap();
    }
    let page = browser.get("/notifications").await;
    assert!(
        page.has("17 are new.") && page.has("&lt;b&gt;words"),
        "{}",
        page.text
    );
    assert!(page.has("@ben answered your comment"));
    assert!(
        page.has("<span class=\"vh\">: New notifications</span>") && page.has("Its rank changed, ")
    );
    let through = page.field("through");
    let fields = [("through", through.as_str())];
    let done = browser
        .send("/notifications", "/notifications", &fields)
        .await;
    assert_eq!(done.location, "/notifications");
    let page = browser.get("/notifications").await;
    assert!(page.has("You have read everything.") && !page.has("name=\"through\""));
    assert!(!page.has("New notifications"));
    let mut german = world.signed_in("ada").await;
    let look = [("language", "de"), ("then", "/notifications")];
    german.send("/", "/settings/look", &look).await;
    let page = german.get("/notifications").await;
    assert!(
        page.has("@ben hat Ihren Kommentar beantwortet"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn whoever_cannot_get_in_asks_people_a_few_times_an_hour() {
    let world = World::new().await;
    let mut browser = world.browser();
    let empty = browser
        .send("/help", "/help", &[("contact", "me@example.org")])
        .await;
    assert_eq!(empty.status, 422);
    assert!(empty.has("href=\"#f-words\"") && empty.has("value=\"me@example.org\""));
    let fields = [("contact", "me@example.org"), ("words", "No mail comes.")];
    let sent = browser.send("/help", "/help", &fields).await;
    assert!(
        sent.has("Your message is with the moderators"),
        "{}",
        sent.text
    );
    let cases = &world.votes().tables().talk.cases;
    let kind = stoa_votes::model::TargetKind::Access;
    let open = cases.list_open(kind).await.unwrap();
    assert_eq!(open.len(), 1);
    let case = cases.read(open[0].target).await.unwrap().unwrap();
    assert_eq!(case.about, "me@example.org\nNo mail comes.");
    let mut last = 0;
    for _ in 0..6 {
        last = browser.send("/help", "/help", &fields).await.status;
    }
    assert_eq!(last, 429);
}
