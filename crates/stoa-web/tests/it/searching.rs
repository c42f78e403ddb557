//! Search: every kind of thing is found, leads where it is read, and goes on page by page.

use std::time::Duration;

use stoa_votes::model::{By, RankingFilter, RankingKind};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::write_comment::NewComment;

use crate::world::World;

#[tokio::test]
async fn every_kind_is_found_and_leads_where_it_is_read() {
    let world = World::searching().await;
    let ada = world.member("quokka").await;
    let policy = world.policy(ada, "A zoo for quokka <families>").await;
    let votes = world.votes();
    votes
        .tag_policy(ada.user, policy, "quokka care")
        .await
        .unwrap();
    world.clock.advance(Duration::from_secs(60));
    let new = NewComment {
        request: world.request(),
        policy,
        answers: None,
        subject: String::new(),
        body: "I saw a quokka once".to_owned(),
    };
    let comment = votes.write_comment(ada.user, &new).await.unwrap();
    let index = world.app.search.as_ref().unwrap();
    votes.refresh_search(index).await.unwrap();

    let mut browser = world.browser();
    let page = browser.get("/search?q=quokka").await;
    assert!(page.has("4 results"), "{}", page.text);
    assert!(page.has("href=\"/users/quokka\"") && page.has("href=\"/tags/quokka%20care\""));
    assert!(page.has(&format!("/policies/{policy}/-/comments/{comment}")));
    assert!(page.has("&lt;families&gt;") && page.has("<mark>quokka</mark>"));
    for (kind, there) in [
        ("person", "/users/quokka"),
        ("tag", "/tags/quokka%20care"),
        ("comment", "/-/comments/"),
        ("policy", "a-zoo-for-quokka"),
    ] {
        let page = browser.get(&format!("/search?q=quokka&kind={kind}")).await;
        assert!(
            page.has("1 result<") && page.has(there),
            "{kind}: {}",
            page.text
        );
    }
    let none = browser.get("/search?q=%3Cscript%3Ealert").await;
    assert!(
        none.has("Nothing matches “&lt;script&gt;alert”"),
        "{}",
        none.text
    );
    for odd in [
        "/search",
        "/search?q=",
        "/search?q=quokka&kind=x&from=-1",
        "/search?q=quokka&from=99999999999",
        "/search?q=%22%28%29%2A%3A%5E~",
    ] {
        assert_eq!(browser.get(odd).await.status, 200, "{odd}");
    }
    let long = format!("/search?q={}", "quokka+".repeat(3_000));
    assert_eq!(browser.get(&long).await.status, 200);
}

#[tokio::test]
async fn results_go_on_and_what_is_hidden_is_not_found() {
    let world = World::searching().await;
    for number in 0..25 {
        let account = world.member(&format!("member{number}")).await;
        world
            .policy(account, &format!("Lantern number {number}"))
            .await;
    }
    let index = world.app.search.as_ref().unwrap();
    world.votes().refresh_search(index).await.unwrap();
    let mut browser = world.browser();
    let count = |text: &str| text.matches("<span class=\"name\">").count();
    let first = browser.get("/search?q=lantern&kind=policy").await;
    assert_eq!(count(&first.text), 20, "{}", first.text);
    assert!(first.has("25 results") && first.has("from=20"));
    let second = browser.get("/search?q=lantern&kind=policy&from=20").await;
    assert_eq!(count(&second.text), 5);
    assert!(second.has("Back to the first") && !second.has("More results"));

    // What is hidden is not shown, however long the index is behind.
    let hidden = world.votes().board().await.unwrap();
    let filter = RankingFilter::default();
    let page = hidden.page(RankingKind::New, &filter, None, 1).unwrap();
    let policy = page.policies[0].line.policy();
    let hide = world
        .votes()
        .set_visibility(By::Operator, policy, Visibility::Hidden, "why");
    hide.await.unwrap();
    world.votes().refresh_board().await.unwrap();
    let page = browser.get("/search?q=lantern+24&kind=policy").await;
    assert!(
        page.status == 200 && !page.has("lantern-number-24"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn without_an_index_the_page_says_so() {
    let world = World::new().await;
    let page = world.browser().get("/search?q=anything").await;
    assert!(page.has("Search is not ready yet") && !page.has("Nothing matches"));
}
