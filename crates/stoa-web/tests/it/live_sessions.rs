//! Logins: new secrets, cookies that only we can set, ends that hold; floods that keep nobody out.

use std::time::Duration;

use axum::http::header;
use stoa_web::SiteSettings;

use crate::world::{PASSWORD, Page, World};

const DAY: Duration = Duration::from_secs(86_400);

/// Whether somebody is signed in, in this browser.
async fn is_in(browser: &mut crate::world::Browser<'_>) -> bool {
    browser.get("/account").await.status == 200
}

fn cookies(page: &Page) -> Vec<String> {
    let all = page.headers.get_all(header::SET_COOKIE).iter();
    all.map(|it| it.to_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_planted_cookie_is_never_taken_over() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.browser();
    for planted in [
        "a".repeat(64),
        String::new(),
        "x; y".to_owned(),
        "é".to_owned(),
    ] {
        browser
            .cookies
            .insert("stoa_login".to_owned(), planted.clone());
        assert!(!is_in(&mut browser).await);
        let fields = [("name", "ada"), ("password", PASSWORD)];
        let done = browser.send("/sign-in", "/sign-in", &fields).await;
        assert_eq!(done.status, 303);
        assert_ne!(browser.cookies["stoa_login"], planted);
        assert!(is_in(&mut browser).await);
        let mut attacker = world.browser();
        attacker.cookies.insert("stoa_login".to_owned(), planted);
        assert!(!is_in(&mut attacker).await);
    }
}

#[tokio::test]
async fn signing_in_again_ends_the_login_before_and_signing_out_ends_it_at_once() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let first = browser.cookies["stoa_login"].clone();
    let token = browser.get("/help").await.field("csrf");
    let fields = [
        ("csrf", token.as_str()),
        ("name", "ada"),
        ("password", PASSWORD),
    ];
    assert_eq!(browser.post("/sign-in", &fields).await.status, 303);
    let second = browser.cookies["stoa_login"].clone();
    assert_ne!(first, second);
    let mut stolen = world.browser();
    for (secret, is_good) in [(&first, false), (&second, true)] {
        stolen
            .cookies
            .insert("stoa_login".to_owned(), secret.clone());
        assert_eq!(is_in(&mut stolen).await, is_good);
    }
    assert_eq!(browser.send("/account", "/sign-out", &[]).await.status, 303);
    assert!(!browser.cookies.contains_key("stoa_login"));
    stolen.cookies.insert("stoa_login".to_owned(), second);
    assert!(!is_in(&mut stolen).await);
}

#[tokio::test]
async fn a_login_ends_when_nobody_comes_and_also_when_somebody_does() {
    let world = World::new().await;
    world.member("ada").await;
    let mut idle = world.signed_in("ada").await;
    world.clock.advance(29 * DAY);
    assert!(is_in(&mut idle).await);
    world.clock.advance(31 * DAY);
    assert!(!is_in(&mut idle).await);
    let mut busy = world.signed_in("ada").await;
    for _ in 0..8 {
        world.clock.advance(20 * DAY);
        assert!(is_in(&mut busy).await);
    }
    world.clock.advance(21 * DAY);
    assert!(!is_in(&mut busy).await, "half a year is enough");
}

#[tokio::test]
async fn behind_https_cookies_are_of_this_host_and_connection_alone() {
    let site = SiteSettings {
        site: Some("https://votes.example.org".to_owned()),
        ..SiteSettings::default()
    };
    let world = World::with(site).await;
    world.member("ada").await;
    let mut browser = world.browser();
    let page = browser.get("/sign-in").await;
    assert_eq!(
        page.headers["strict-transport-security"],
        "max-age=31536000"
    );
    let fields = [("name", "ada"), ("password", PASSWORD), ("keep", "1")];
    let done = browser.send("/sign-in", "/sign-in", &fields).await;
    let set = [cookies(&page), cookies(&done)].concat();
    assert!(
        set.iter().any(|it| it.starts_with("__Host-stoa_login=")),
        "{set:?}"
    );
    for cookie in set {
        assert!(cookie.starts_with("__Host-"), "{cookie}");
        for part in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"] {
            assert!(cookie.contains(part), "{part} in {cookie}");
        }
        assert!(!cookie.contains("Domain"), "{cookie}");
    }
    assert!(is_in(&mut browser).await);
    // The same secret under the bare name is nothing.
    let secret = browser.cookies["__Host-stoa_login"].clone();
    let mut planted = world.browser();
    planted.cookies.insert("stoa_login".to_owned(), secret);
    assert!(!is_in(&mut planted).await);
}

/// A world behind a proxy, which says who asks.
async fn proxied() -> World {
    let site = SiteSettings {
        is_behind_proxy: true,
        ..SiteSettings::default()
    };
    World::with(site).await
}

#[tokio::test]
async fn a_flood_from_one_place_keeps_nobody_out_who_comes_from_another() {
    let world = proxied().await;
    world.member("ada").await;
    let mut flood = world.browser();
    flood.from = "198.51.100.7".to_owned();
    let token = flood.get("/sign-in").await.field("csrf");
    let (mut refused, mut too_many) = (0, 0);
    for turn in 0..200 {
        let password = format!("guess {turn}");
        let fields = [
            ("csrf", token.as_str()),
            ("name", "ada"),
            ("password", &password),
        ];
        match flood.post("/sign-in", &fields).await.status {
            422 => refused += 1,
            429 => too_many += 1,
            other => panic!("{other}"),
        }
    }
    assert!(refused <= 10 && too_many >= 190, "{refused} {too_many}");
    let mut ada = world.browser();
    ada.from = "203.0.113.9".to_owned();
    let fields = [("name", "ada"), ("password", PASSWORD)];
    assert_eq!(ada.send("/sign-in", "/sign-in", &fields).await.status, 303);
}

#[tokio::test]
async fn one_account_is_not_guessed_at_from_everywhere() {
    let world = proxied().await;
    world.member("ada").await;
    let mut tried = 0;
    for turn in 0..100 {
        let mut browser = world.browser();
        browser.from = format!("198.51.100.{turn}");
        let fields = [("name", "ada"), ("password", "wrong")];
        let page = browser.send("/sign-in", "/sign-in", &fields).await;
        tried += usize::from(page.status == 422);
    }
    assert_eq!(tried, 50);
}

#[tokio::test]
async fn names_that_look_alike_are_one_account_to_who_guesses() {
    let world = World::new().await;
    world.member("alice").await;
    let mut browser = world.browser();
    let mut statuses = Vec::new();
    for turn in 0..12 {
        let name = ["alice", "A1ICE", " Alice", "alıce"][turn % 4];
        let fields = [("name", name), ("password", "wrong")];
        statuses.push(browser.send("/sign-in", "/sign-in", &fields).await.status);
    }
    assert_eq!(statuses, [[422; 10].as_slice(), &[429; 2]].concat());
}

#[tokio::test]
async fn what_a_client_says_of_itself_is_not_believed() {
    // Without a proxy the header is nothing; behind one only the last of it is the proxy's.
    for (world, before) in [
        (World::new().await, ""),
        (proxied().await, ", 198.51.100.7"),
    ] {
        world.member("ada").await;
        let mut last = 0;
        for turn in 0..12 {
            let mut browser = world.browser();
            browser.from = format!("203.0.113.{turn}{before}");
            let fields = [("name", "ada"), ("password", "wrong")];
            last = browser.send("/sign-in", "/sign-in", &fields).await.status;
        }
        assert_eq!(last, 429);
    }
}

#[tokio::test]
async fn a_form_counts_only_if_it_comes_from_the_site_itself() {
    let site = SiteSettings {
        site: Some("https://votes.example.org/".to_owned()),
        ..SiteSettings::default()
    };
    let world = World::with(site).await;
    let mut browser = world.browser();
    let token = browser.get("/help").await.field("csrf");
    for (origin, host, status) in [
        ("https://votes.example.org", "127.0.0.1:8080", 303),
        ("http://votes.example.org", "votes.example.org", 403),
        ("https://evil.example", "evil.example", 403),
    ] {
        let body = crate::world::encoded(&[("csrf", &token), ("theme", "dark")]);
        let request = axum::http::Request::post("/settings/look")
            .header(header::HOST, host)
            .header(header::ORIGIN, origin)
            .header(header::COOKIE, browser.cookie_header());
        let page = world.call(request.body(body.into()).unwrap()).await;
        assert_eq!(page.status, status, "{origin}");
    }
}
