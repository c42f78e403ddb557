//! Feeds: well formed whatever people wrote, with whole addresses and names that never change.

use std::time::Duration;

use stoa_votes::model::{By, NewPage, Party, PolicyText};
use stoa_votes::ops::write_comment::NewComment;

use crate::world::World;

/// What is between the tags of an element, each time it is there.
fn all<'a>(text: &'a str, element: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let parts = text.split(open.as_str()).skip(1);
    parts
        .map(|it| it.split(close.as_str()).next().unwrap())
        .collect()
}

/// Every element is closed, in order, and what is no markup is escaped.
fn assert_well_formed(text: &str) {
    let mut open: Vec<String> = Vec::new();
    let text = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"utf-8\"?>")
        .unwrap();
    for part in text.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        assert!(!rest.contains('>') || rest.contains("&gt;"), "{rest}");
        for reference in rest.split('&').skip(1) {
            let name = reference.split(';').next().unwrap();
            assert!(matches!(name, "lt" | "gt" | "amp" | "quot"), "{name}");
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
            None => open.push(tag.split(' ').next().unwrap().to_owned()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[tokio::test]
async fn every_feed_is_well_formed_and_names_what_it_tells_for_ever() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.policy(ada, "Bread & <roses> \"now\"").await;
    let votes = world.votes();
    votes.tag_policy(ada.user, policy, "bread").await.unwrap();
    world.clock.advance(Duration::from_secs(60));
    let new = NewComment {
        request: world.request(),
        policy,
        answers: None,
        subject: String::new(),
        body: "**Yes** ]]> & <script>alert(1)</script>".to_owned(),
    };
    let comment = votes.write_comment(ada.user, &new).await.unwrap();
    world.clock.advance(Duration::from_secs(86_400));
    votes.close_days().await.unwrap();
    votes.rank_days().await.unwrap();
    votes.refresh_board().await.unwrap();
    let mut browser = world.browser();
    let said = format!("urn:uuid:{comment}");
    for (path, is_said) in [
        ("/feed.atom".to_owned(), true),
        ("/whats-new.atom".to_owned(), true),
        ("/tags/bread/feed.atom".to_owned(), true),
        ("/categories/health/feed.atom".to_owned(), true),
        (format!("/policies/{policy}/-/feed.atom"), true),
        ("/ranking.atom".to_owned(), false),
    ] {
        let feed = browser.get(&path).await;
        assert_eq!(
            feed.headers["content-type"], "application/atom+xml; charset=utf-8",
            "{path}"
        );
        assert_well_formed(&feed.text);
        assert!(!feed.has("<script>") && !feed.has("<b>"), "{path}");
        let ids = all(&feed.text, "id");
        assert_eq!(ids[0], format!("http://localhost{path}"));
        assert!(
            ids.len() > 1 && ids[1..].iter().all(|id| id.starts_with("urn:uuid:")),
            "{path}: {ids:?}"
        );
        assert_eq!(
            ids.contains(&said.as_str()),
            is_said,
            "{path}: {}",
            feed.text
        );
        assert!(
            !feed.has("href=\"/"),
            "{path} has an address that is not whole"
        );
        // The feed is as new as its newest entry, and entries come the last first.
        let updated = all(&feed.text, "updated");
        assert_eq!(updated[0], updated[1], "{path}");
        assert!(
            updated[1..].is_sorted_by(|one, other| one >= other),
            "{path}: {updated:?}"
        );
        assert_eq!(
            browser.get(&path).await.text,
            feed.text,
            "{path} is the same each time"
        );
    }
    let ranking = browser.get("/ranking.atom").await;
    assert!(
        ranking.has("Final ranking of 16 November 2026") && ranking.has("2026-11-17T00:00:00Z")
    );
    let german = browser.send("/", "/settings/look", &[("language", "de")]);
    german.await;
    assert!(browser.get("/feed.atom").await.has("xml:lang=\"de\""));
}

#[tokio::test]
async fn pages_name_their_feeds_and_tell_what_previews_show() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.policy(ada, "Night \"buses\"").await;
    let mut browser = world.browser();
    let page = browser
        .get(&format!("/policies/{policy}/night-buses"))
        .await;
    assert!(page.has(&format!("type=\"application/atom+xml\" title=\"Night &quot;buses&quot;\" href=\"/policies/{policy}/-/feed.atom\"")), "{}", page.text);
    assert!(page.has("property=\"og:title\" content=\"Night &quot;buses&quot;\""));
    assert!(page.has("property=\"og:description\" content=\"Why: Night "));
    assert!(page.has(&format!(
        "property=\"og:url\" content=\"http://localhost/policies/{policy}/night-buses\""
    )));
    let (_, rest) = page
        .text
        .split_once("property=\"og:image\" content=\"http://localhost")
        .unwrap();
    let image = browser.get(rest.split('"').next().unwrap()).await;
    assert_eq!(
        (image.status, &image.headers["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    for (path, feed) in [
        ("/", "/feed.atom"),
        ("/ranking", "/ranking.atom"),
        ("/whats-new", "/whats-new.atom"),
    ] {
        let page = browser.get(path).await;
        assert!(
            page.has("rel=\"alternate\"") && page.has(&format!("href=\"{feed}\"")),
            "{path}"
        );
    }
    for path in [
        "/whats-new",
        "/tags",
        "/categories",
        "/rules",
        "/log",
        "/ledger",
        "/help",
        "/search",
    ] {
        assert!(
            browser.get("/").await.has(&format!("href=\"{path}\"")),
            "{path}"
        );
        assert_eq!(browser.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_party_has_a_feed_of_its_policies_and_a_preview() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let party = Party {
        party: world.request().0,
        name: "Tree & <Leaf>".to_owned(),
        description: String::new(),
        is_active: true,
    };
    world.votes().put_party(By::Operator, &party).await.unwrap();
    world.policy(ben, "Nobody's policy").await;
    let page = NewPage {
        text: PolicyText {
            title: "Shade in every street".to_owned(),
            ..PolicyText::default()
        },
        category: "health".to_owned(),
        party: Some(party.party),
    };
    let basis = world.votes().statement(ada).await.unwrap().basis;
    let created = world
        .votes()
        .create_policy(ada, world.request(), basis, &page);
    created.await.unwrap();
    world.votes().refresh_board().await.unwrap();
    let mut browser = world.browser();
    let path = format!("/parties/{}", party.party);
    let feed = browser.get(&format!("{path}/feed.atom")).await;
    assert_eq!(
        feed.headers["content-type"],
        "application/atom+xml; charset=utf-8"
    );
    assert_well_formed(&feed.text);
    assert!(
        feed.has("Shade in every street") && !feed.has("Nobody"),
        "{}",
        feed.text
    );
    assert_eq!(browser.get("/parties/x/feed.atom").await.status, 404);
    let page = browser.get(&path).await;
    for tag in [
        format!(
            "type=\"application/atom+xml\" title=\"Tree &amp; &lt;Leaf&gt;\" href=\"{path}/feed.atom\""
        ),
        "property=\"og:description\" content=\"Tree &amp; &lt;Leaf&gt;\"".to_owned(),
        format!("property=\"og:url\" content=\"http://localhost{path}\""),
        format!("<a href=\"{path}/feed.atom\">"),
    ] {
        assert!(page.has(&tag), "{tag}: {}", page.text);
    }
}
