//! Pages as they come: headers, languages, what is not there, what people wrote.

use stoa_votes::ops::write_comment::NewComment;

use crate::world::World;

#[tokio::test]
async fn every_page_has_the_headers_that_keep_others_out() {
    let world = World::new().await;
    for path in [
        "/", "/ranking", "/sign-in", "/nowhere", "/healthz", "/votes",
    ] {
        let page = world.browser().get(path).await;
        let header = |name: &str| page.headers.get(name).map_or("", |it| it.to_str().unwrap());
        assert!(
            header("content-security-policy").contains("default-src 'none'"),
            "{path}"
        );
        assert!(!header("content-security-policy").contains("unsafe"));
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(!header("x-request-id").is_empty());
        assert!(
            !page.has(" style=\"") && !page.has("<script>") && !page.has(" onclick"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn what_is_not_there_has_a_page_with_a_way_home() {
    let world = World::new().await;
    let mut browser = world.browser();
    let missing = "00000000-0000-1000-8000-000000000001";
    for path in [
        "/nowhere".to_owned(),
        "/policies/x/y".to_owned(),
        format!("/policies/{missing}/x"),
        format!("/policies/{missing}"),
    ] {
        let page = browser.get(&path).await;
        assert_eq!(page.status, 404, "{path}");
        let id = page.headers["x-request-id"].to_str().unwrap();
        assert!(
            page.has(id) && page.has("action=\"/search\"") && page.has("Back to the home page")
        );
    }
    let page = browser.get("/ranking?after=total-zz").await;
    assert_eq!(page.status, 400);
}

#[tokio::test]
async fn a_page_tells_that_something_is_broken_where_nothing_can_be_read() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let look = [("language", "de"), ("then", "/")];
    browser.send("/", "/settings/look", &look).await;
    let (dark, token) = ([("theme", "dark"), ("then", "/")], "x");
    browser.send("/", "/settings/look", &dark).await;
    world.database.close().unwrap();
    for path in ["/", "/ranking", "/account", "/nowhere"] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 500, "{path}");
        let id = page.headers["x-request-id"].to_str().unwrap();
        assert!(
            page.has(id) && page.has("action=\"/search\""),
            "{}",
            page.text
        );
        assert!(page.has("Zur Startseite") && page.has("href=\"/\""));
        assert!(page.has("<html lang=\"de\" data-theme=\"dark\""));
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(page.headers["cache-control"], "no-store");
    }
    let posted = browser.post("/sign-in", &[("csrf", token)]).await;
    assert_eq!(posted.status, 500);
    // What reads nothing goes on.
    let looks = stoa_web::static_files::address("stoa.css");
    assert_eq!(browser.get(&looks).await.status, 200);
    assert_eq!(browser.get("/healthz").await.status, 503);
}

#[tokio::test]
async fn the_language_follows_the_browser_and_then_the_choice() {
    let world = World::new().await;
    let mut browser = world.browser();
    assert!(browser.get("/").await.has("<html lang=\"en\""));
    let chosen = browser
        .send(
            "/",
            "/settings/look",
            &[("language", "de"), ("then", "/ranking")],
        )
        .await;
    assert_eq!(chosen.location, "/ranking");
    let page = browser.get("/ranking").await;
    assert!(page.has("<html lang=\"de\"") && page.has("Rangliste"));
    let evil = browser
        .send(
            "/",
            "/settings/look",
            &[("theme", "dark"), ("then", "//evil.example")],
        )
        .await;
    assert_eq!(evil.location, "/");
    assert!(browser.get("/").await.has("data-theme=\"dark\""));
}

#[tokio::test]
async fn rankings_are_shown_in_every_order_and_go_on_where_they_ended() {
    let world = World::new().await;
    for number in 0..30 {
        let account = world.member(&format!("member{number}")).await;
        world
            .policy(account, &format!("Policy number {number}"))
            .await;
        world.clock.advance(std::time::Duration::from_secs(1));
    }
    let mut browser = world.browser();
    for by in [
        "",
        "days",
        "rising",
        "new",
        "discussed",
        "contested",
        "supporters",
        "roots",
        "random",
    ] {
        let page = browser.get(&format!("/ranking?by={by}")).await;
        assert_eq!(page.status, 200, "{by}");
        assert!(page.has("Policy number"), "{by}");
        assert!(page.has("Next 5"), "{by}: {}", page.text);
        let (_, rest) = page.text.split_once("after=").unwrap();
        let cursor = rest.split('"').next().unwrap();
        let seed = page
            .text
            .split("seed=")
            .nth(1)
            .and_then(|it| it.split('&').next())
            .unwrap_or("");
        let next = browser
            .get(&format!("/ranking?by={by}&seed={seed}&after={cursor}"))
            .await;
        assert_eq!(next.status, 200, "{by} {cursor}");
        assert!(next.has("Ranks 26 to 30"), "{by}: {}", next.text);
    }
    assert!(
        browser
            .get("/ranking?category=nothing")
            .await
            .has("Nothing matches")
    );
    assert!(
        browser
            .get("/ranking?day=2026-11-15")
            .await
            .has("This day is not ranked")
    );
    assert_eq!(browser.get("/").await.status, 200);
}

#[tokio::test]
async fn comments_nest_and_stay_text() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.policy(ada, "Talk about this").await;
    let mut answers = None;
    for depth in 0..4 {
        world.clock.advance(std::time::Duration::from_secs(1));
        let new = NewComment {
            request: world.request(),
            policy,
            answers,
            subject: String::new(),
            body: format!("depth {depth} <img src=x onerror=alert(1)> *yes*"),
        };
        answers = Some(world.votes().write_comment(ada.user, &new).await.unwrap());
    }
    let mut browser = world.signed_in("ada").await;
    let page = browser.get(&format!("/policies/{policy}/talk")).await;
    assert!(
        page.has("depth 3 &lt;img src=x onerror=alert(1)&gt; <em>yes</em>"),
        "{}",
        page.text
    );
    assert!(!page.has("<img"));
    let count = |text: &str| page.text.matches(text).count();
    assert_eq!(count("<ul"), count("</ul>"));
    assert_eq!(count("<li"), count("</li>") + count("<link"));
    let body = [("body", "an answer by a form")];
    let form = format!("/policies/{policy}/talk");
    let sent = browser
        .send(&form, &format!("/policies/{policy}/-/comments"), &body)
        .await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    assert!(browser.get(&form).await.has("an answer by a form"));
}

#[tokio::test]
async fn static_files_are_kept_for_ever_under_an_address_of_their_own() {
    let world = World::new().await;
    let mut browser = world.browser();
    let home = browser.get("/").await;
    let (_, rest) = home.text.split_once("/static/").unwrap();
    let address = format!("/static/{}", rest.split('"').next().unwrap());
    let file = browser.get(&address).await;
    assert_eq!(file.status, 200);
    assert!(
        file.headers["cache-control"]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    let old = browser.get("/static/0000/stoa.css").await;
    assert!(!old.headers.contains_key("cache-control"));
    assert_eq!(browser.get("/static/0000/passwd").await.status, 404);
    assert_eq!(browser.get("/healthz").await.text, "ok\n");
    assert!(
        browser
            .get("/metrics")
            .await
            .has("stoa_http_request_seconds_count")
    );
}

#[tokio::test]
async fn the_ranking_of_a_day_is_asked_for_only_where_there_is_one() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.policy(ada, "Night buses until two").await;
    let mut browser = world.browser();
    let page = browser.get("/ranking").await;
    assert!(!page.has("type=\"date\""), "{}", page.text);
    world.clock.advance(std::time::Duration::from_secs(86_400));
    world.votes().close_days().await.unwrap();
    world.votes().rank_days().await.unwrap();
    world.votes().refresh_board().await.unwrap();
    let page = browser.get("/ranking").await;
    let field = "type=\"date\" name=\"day\" max=\"2026-11-16\"";
    assert!(page.has(field), "{}", page.text);
    let last = browser.get("/ranking?day=2026-11-16").await;
    assert!(last.has("Night buses until two"), "{}", last.text);
}
