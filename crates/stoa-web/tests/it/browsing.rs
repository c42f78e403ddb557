//! What is new, tags, categories, parties and people: each page shows what it should, and to whom.

use std::time::Duration;

use stoa_votes::model::{By, Category, CommentId, Party, PolicyId, PrivacyMode, Role};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::write_comment::NewComment;
use uuid::Uuid;

use crate::world::World;

async fn comment(world: &World, by: Account, policy: PolicyId, body: &str) -> CommentId {
    world.clock.advance(Duration::from_secs(60));
    let new = NewComment {
        request: world.request(),
        policy,
        answers: None,
        subject: String::new(),
        body: body.to_owned(),
    };
    world.votes().write_comment(by.user, &new).await.unwrap()
}

#[tokio::test]
async fn what_is_new_goes_on_page_by_page_and_leaves_out_what_is_hidden() {
    let world = World::new().await;
    assert!(
        world
            .browser()
            .get("/whats-new")
            .await
            .has("Nobody wrote anything")
    );
    let ada = world.member("ada").await;
    // Thirty in an hour are the limit, so they come from two people.
    let ben = world.member("ben").await;
    let open = world.policy(ada, "Open to all").await;
    let hidden = world.policy(ben, "Soon hidden").await;
    for number in 0..40 {
        let by = if number % 2 == 0 { ada } else { ben };
        comment(&world, by, open, &format!("remark {number:02} &")).await;
    }
    comment(&world, ben, hidden, "nobody reads this").await;
    let hide = world
        .votes()
        .set_visibility(By::Operator, hidden, Visibility::Hidden, "why");
    hide.await.unwrap();

    let mut browser = world.browser();
    let first = browser.get("/whats-new").await;
    assert!(first.has("remark 39 &amp;") && first.has("remark 10 ") && !first.has("remark 09 "));
    assert!(first.has("Monday, 16 November 2026") && first.has("Open to all"));
    assert!(!first.has("nobody reads this") && !first.has("Soon hidden"));
    let (_, rest) = first.text.split_once("/whats-new?before=").unwrap();
    let next = format!("/whats-new?before={}", rest.split('"').next().unwrap());
    let second = browser.get(&next).await;
    assert!(second.has("remark 09 ") && second.has("remark 00 ") && !second.has("remark 10 "));
    assert!(!second.has("Older comments") && second.has("Back to the newest"));
    let nonsense = browser.get("/whats-new?before=%00").await;
    assert!(
        nonsense.has("remark 39 "),
        "what is no place is the beginning"
    );
}

#[tokio::test]
async fn tags_are_a_cloud_and_a_list_and_every_name_leads_to_the_tag() {
    let world = World::new().await;
    assert!(
        world
            .browser()
            .get("/tags")
            .await
            .has("No policy bears a tag yet")
    );
    let ada = world.member("ada").await;
    let (trees, parks) = (world.policy(ada, "Trees").await, {
        world.clock.advance(Duration::from_secs(7 * 86_400));
        world.policy(ada, "Parks").await
    });
    let votes = world.votes();
    let green = votes
        .tag_policy(ada.user, trees, "Green city")
        .await
        .unwrap();
    votes
        .tag_policy(ada.user, parks, "green city")
        .await
        .unwrap();
    votes.tag_policy(ada.user, parks, "play").await.unwrap();
    votes.count_tags().await.unwrap();
    let mut browser = world.browser();
    let page = browser.get("/tags?by=policies").await;
    assert!(
        page.has("class=\"tag size-5\" href=\"/tags/Green%20city\""),
        "{}",
        page.text
    );
    assert!(page.has("class=\"tag size-1\" href=\"/tags/play\"") && page.has("<table"));
    assert!(
        browser
            .get("/tags?q=zzz")
            .await
            .has("No tag has these letters")
    );
    assert_eq!(
        browser.get("/tags?q=GREEN+city").await.location,
        "/tags/Green%20city"
    );

    let page = browser.get("/tags/Green%20city").await;
    assert!(
        page.has("Tagged Green city") && page.has("2 open policies"),
        "{}",
        page.text
    );
    assert!(page.has("Trees") && page.has("href=\"/tags/Green%20city+play\""));
    assert!(page.has(
        "application/atom+xml\" title=\"Tagged Green city\" href=\"/tags/Green%20city/feed.atom\""
    ));
    let both = browser.get("/tags/Green%20city+play").await;
    assert!(both.has("Parks") && !both.has(">Trees<") && both.has("1 open policy"));

    let named = votes
        .rename_tag(By::Operator, green.id, "Greenery", "shorter")
        .await;
    named.unwrap();
    let old = browser.get("/tags/green%20city").await;
    assert_eq!((old.status, old.location.as_str()), (308, "/tags/Greenery"));
    let feed = browser.get("/tags/Green%20city/feed.atom").await;
    assert_eq!(
        (feed.status, feed.location.as_str()),
        (308, "/tags/Greenery/feed.atom")
    );
}

#[tokio::test]
async fn what_no_tag_is_called_has_no_page() {
    let world = World::new().await;
    let mut browser = world.browser();
    for nothing in [
        "/tags/none",
        "/tags/%3Cscript%3E",
        "/tags/a+b",
        "/tags/+",
        &format!("/tags/{}", "x".repeat(600)),
    ] {
        assert_eq!(browser.get(nothing).await.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn categories_and_parties_list_their_policies_and_go_on() {
    let world = World::new().await;
    let empty = Category {
        key: "tax".to_owned(),
        name: "Tax".to_owned(),
        description: "Money of all".to_owned(),
        position: 2,
        is_active: true,
    };
    world
        .votes()
        .put_category(By::Operator, &empty)
        .await
        .unwrap();
    for number in 0..26 {
        let account = world.member(&format!("member{number}")).await;
        world
            .policy(account, &format!("Policy number {number:02}"))
            .await;
        world.clock.advance(Duration::from_secs(1));
    }
    let mut browser = world.browser();
    let page = browser.get("/categories").await;
    assert!(
        page.has("26 open policies") && page.has("0 open policies") && page.has("Money of all")
    );
    let page = browser.get("/categories/health").await;
    assert!(page.has("Policy number 00") && page.has("/categories/health/feed.atom"));
    let (_, rest) = page.text.split_once("/categories/health?after=").unwrap();
    let next = format!(
        "/categories/health?after={}",
        rest.split('"').next().unwrap()
    );
    let page = browser.get(&next).await;
    assert!(
        page.has("Policy number 25") && !page.has("Policy number 00"),
        "{}",
        page.text
    );
    let page = browser.get("/categories/tax").await;
    assert!(page.has("No open policy here") && page.has("/create?category=tax"));
    assert_eq!(browser.get("/categories/none").await.status, 404);
    assert_eq!(browser.get("/categories/health?after=zz").await.status, 400);

    assert!(
        browser
            .get("/parties")
            .await
            .has("No party takes part here")
    );
    let party = Party {
        party: Uuid::from_u128(0x1000_8000_0000_0000_0001),
        name: "Tree Party".to_owned(),
        description: "For <trees>".to_owned(),
        is_active: true,
    };
    world.votes().put_party(By::Operator, &party).await.unwrap();
    let page = browser.get("/parties").await;
    assert!(page.has("Tree Party") && page.has("For &lt;trees&gt;"));
    let page = browser.get(&format!("/parties/{}", party.party)).await;
    assert!(page.has("<h1>Tree Party</h1>") && page.has("No open policy here"));
    assert_eq!(browser.get("/parties/x").await.status, 404);
}

#[tokio::test]
async fn a_profile_shows_votes_only_where_the_community_does() {
    let world = World::new().await;
    let ada = world.member("Ada.L").await;
    let policy = world.policy(ada, "Night buses").await;
    world.grant(ada.user, Role::ModerateTags).await;
    world.member("ben").await;
    let mut visitor = world.browser();
    let moved = visitor.get("/users/ada.l").await;
    assert_eq!(
        (moved.status, moved.location.as_str()),
        (308, "/users/Ada.L")
    );
    let page = visitor.get("/users/Ada.L").await;
    assert!(page.has("<h1>@Ada.L</h1>") && page.has("Night buses") && page.has("Looks after tags"));
    assert!(page.has("Joined 16 November 2026"));
    assert!(
        page.has("nobody sees who votes for what") && !page.has("Votes unspent"),
        "{}",
        page.text
    );
    let other = world.signed_in("ben").await.get("/users/Ada.L").await;
    assert!(!other.has("Votes unspent"));
    let own = world.signed_in("Ada.L").await.get("/users/Ada.L").await;
    assert!(own.has("Votes unspent") && own.has("Only you see these figures"));

    world
        .votes()
        .choose_privacy(By::Operator, PrivacyMode::Public)
        .await
        .unwrap();
    world.clock.advance(Duration::from_secs(60));
    let page = visitor.get("/users/Ada.L").await;
    assert!(
        page.has("Votes unspent") && page.has("100 votes"),
        "{}",
        page.text
    );
    assert!(page.has(&format!("/policies/{policy}/night-buses")));
}

#[tokio::test]
async fn who_is_not_there_or_gone_has_no_profile_and_addresses_find_nobody() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut browser = world.browser();
    let fields = [
        ("name", "newcomer"),
        ("email", "new@example.org"),
        ("password", crate::world::PASSWORD),
    ];
    browser.send("/register", "/register", &fields).await;
    for nobody in [
        "/users/bob",
        "/users/newcomer",
        "/users/ada@example.org",
        "/users/x",
        "/users/%00%00%00",
    ] {
        assert_eq!(browser.get(nobody).await.status, 404, "{nobody}");
    }
    world.votes().leave(ada.user).await.unwrap();
    assert_eq!(browser.get("/users/ada").await.status, 410);
    world.clock.advance(Duration::from_secs(91 * 86_400));
    assert_eq!(browser.get("/users/ada").await.status, 404);
}

#[tokio::test]
async fn hidden_policies_are_on_no_page_of_these() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.policy(ada, "A secret plan").await;
    let votes = world.votes();
    votes.tag_policy(ada.user, policy, "plans").await.unwrap();
    votes.count_tags().await.unwrap();
    let pages = [
        "/tags/plans",
        "/categories/health",
        "/users/ada",
        "/feed.atom",
        "/categories/health/feed.atom",
        "/tags/plans/feed.atom",
    ];
    let mut browser = world.browser();
    for path in pages {
        assert!(browser.get(path).await.has("A secret plan"), "{path}");
    }
    let hide = votes.set_visibility(By::Operator, policy, Visibility::Hidden, "to be looked at");
    hide.await.unwrap();
    votes.refresh_board().await.unwrap();
    for path in pages {
        let page = browser.get(path).await;
        assert!(
            page.status == 200 && !page.has("A secret plan"),
            "{path}: {}",
            page.text
        );
    }
    let feed = format!("/policies/{policy}/-/feed.atom");
    assert_eq!(browser.get(&feed).await.status, 410);
}
