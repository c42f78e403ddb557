//! Comments after they are written: edited, removed, marked, in threads.

use std::time::Duration;

use stoa_votes::model::{CommentId, PolicyId, UserId};
use stoa_votes::ops::write_comment::NewComment;

use crate::world::World;

async fn say(
    world: &World,
    author: UserId,
    policy: PolicyId,
    body: &str,
    answers: Option<CommentId>,
) -> CommentId {
    let new = NewComment {
        request: world.request(),
        policy,
        answers,
        subject: String::new(),
        body: body.to_owned(),
    };
    world.votes().write_comment(author, &new).await.unwrap()
}

#[tokio::test]
async fn a_comment_is_edited_for_a_day_and_what_it_said_is_shown() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let comment = say(&world, ada.user, policy, "At one is enough.", None).await;
    let path = format!("/policies/{policy}/-/comments/{comment}");
    let edit = format!("{path}/edit");
    let mut browser = world.signed_in("ada").await;
    let page = browser.get(&format!("/policies/{policy}/x")).await;
    assert!(
        page.has(&edit) && page.has(&format!("{path}/remove")),
        "{}",
        page.text
    );
    let empty = browser.send(&edit, &edit, &[("body", " ")]).await;
    assert!(
        empty.status == 422 && empty.has("#f-body"),
        "{}",
        empty.text
    );
    let long = "y".repeat(10_001);
    let huge = browser.send(&edit, &edit, &[("body", &long)]).await;
    assert!(huge.status == 422 && huge.has(&long));
    let done = browser
        .send(&edit, &edit, &[("body", "At three is better.")])
        .await;
    assert!(
        done.location.ends_with(&format!("#c-{comment}")),
        "{}",
        done.text
    );
    let page = world.browser().get(&format!("{path}?history=1")).await;
    assert!(page.has("At three is better."), "{}", page.text);
    assert!(
        page.has("<del>one</del>") && page.has("<ins>three</ins>"),
        "{}",
        page.text
    );

    let mut other = world.signed_in("ben").await;
    assert_eq!(other.get(&edit).await.status, 403);
    let token = other.get("/help").await.field("csrf");
    let fields = [("csrf", token.as_str()), ("body", "mine now")];
    assert_eq!(other.post(&edit, &fields).await.status, 403);
    world.clock.advance(Duration::from_secs(86_401));
    let mut browser = world.signed_in("ada").await;
    assert_eq!(browser.get(&edit).await.status, 422);
    let token = browser.get("/help").await.field("csrf");
    let fields = [("csrf", token.as_str()), ("body", "too late")];
    let late = browser.post(&edit, &fields).await;
    assert!(late.status == 422 && late.has("too late"), "{}", late.text);
    let page = browser.get(&format!("/policies/{policy}/x")).await;
    assert!(page.has("At three is better.") && !page.has(&edit));
}

#[tokio::test]
async fn one_removes_ones_own_comment_alone() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let comment = say(&world, ada.user, policy, "Regrettable words.", None).await;
    let path = format!("/policies/{policy}/-/comments/{comment}/remove");
    let mut other = world.signed_in("ben").await;
    assert_eq!(other.get(&path).await.status, 403);
    let token = other.get("/help").await.field("csrf");
    assert_eq!(other.post(&path, &[("csrf", &token)]).await.status, 403);
    let mut browser = world.signed_in("ada").await;
    assert!(browser.get(&path).await.has("Regrettable words."));
    assert_eq!(browser.send(&path, &path, &[]).await.status, 303);
    let page = other.get(&format!("/policies/{policy}/x")).await;
    assert!(
        page.has("This comment was removed.") && !page.has("Regrettable"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn readers_say_whether_a_comment_helps_and_change_their_mind() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let comment = say(&world, ada.user, policy, "Useful words.", None).await;
    let page = format!("/policies/{policy}/x");
    let path = format!("/policies/{policy}/-/comments/{comment}/mark");
    let mut browser = world.signed_in("ben").await;
    let pressed =
        "value=\"none\" aria-pressed=\"true\" aria-label=\"The comment of @ada is helpful, 1\"";
    let shown = browser.get(&page).await;
    assert!(
        !shown.has("value=\"none\"") && shown.has("is helpful, 0"),
        "{}",
        shown.text
    );
    let done = browser
        .send(&page, &path, &[("mark", "up"), ("then", &page)])
        .await;
    assert_eq!(done.location, format!("{page}#c-{comment}"));
    let shown = browser.get(&page).await;
    assert!(shown.has(pressed), "{}", shown.text);
    assert!(
        world
            .browser()
            .get(&page)
            .await
            .has("helpful to one person")
    );
    browser.send(&page, &path, &[("mark", "none")]).await;
    assert!(
        !browser
            .get(&page)
            .await
            .has("aria-label=\"The comment of @ada is helpful, 1\"")
    );
    assert_eq!(
        browser
            .send(&page, &path, &[("mark", "five stars")])
            .await
            .status,
        422
    );
    // Nobody marks one's own, and is shown no button for it.
    let mut own = world.signed_in("ada").await;
    assert!(!own.get(&page).await.has("is helpful"));
    let token = own.get("/help").await.field("csrf");
    let fields = [("csrf", token.as_str()), ("mark", "up")];
    assert_eq!(own.post(&path, &fields).await.status, 403);
}

#[tokio::test]
async fn threads_can_be_skipped_and_people_and_reports_are_linked() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let first = say(&world, ada.user, policy, "A beginning", None).await;
    world.clock.advance(Duration::from_secs(1));
    say(&world, ben.user, policy, "An answer", Some(first)).await;
    world.clock.advance(Duration::from_secs(1));
    let next = say(&world, ada.user, policy, "Another beginning", None).await;
    let page = world
        .browser()
        .get(&format!("/policies/{policy}/x?sort=oldest"))
        .await;
    let skip = format!("href=\"#c-{next}\">Skip this thread");
    assert_eq!(page.text.matches("Skip this thread").count(), 1);
    assert!(
        page.has(&skip) && page.has("href=\"/users/ada\""),
        "{}",
        page.text
    );
    assert!(page.has(&format!(
        "/report?kind=comment&amp;of={first}&amp;policy={policy}"
    )));
    let form = world
        .signed_in("ben")
        .await
        .get(&format!("/report?kind=comment&of={first}&policy={policy}"))
        .await;
    assert!(
        form.has("Comment of @ada on Night buses until two"),
        "{}",
        form.text
    );
    assert!(form.has("A beginning"));
}

#[tokio::test]
async fn what_is_no_mark_and_no_watching_is_told_on_the_page_of_the_policy() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let policy = world.policy(ben, "Night buses until two").await;
    let comment = say(&world, ben.user, policy, "At one is enough.", None).await;
    let mut browser = world.signed_in("ada").await;
    let path = format!("/policies/{policy}/night-buses-until-two");
    let mark = format!("/policies/{policy}/-/comments/{comment}/mark");
    let watch = format!("/policies/{policy}/-/watch");
    for (form, field) in [(&mark, ("mark", "twice")), (&watch, ("watch", "yes"))] {
        let page = browser.send(&path, form, &[field]).await;
        assert_eq!(page.status, 422, "{}", page.text);
        assert!(page.has("id=\"mistakes\"") && page.has("<h1>Night buses until two</h1>"));
        // Whoever chooses another look there comes back to the page, not to where the form went.
        assert!(page.has(&format!("name=\"then\" value=\"/policies/{policy}/")));
        assert!(!page.has(&format!("name=\"then\" value=\"{form}\"")));
    }
    let watched = world.votes().watchlist(ada.user).await.unwrap();
    assert!(watched.is_empty());
}
