//! Forms with too little, too much and what is no good: what is told, and what nobody learns.

use crate::journey::without_ids;
use crate::world::{PASSWORD, Page, World};

#[tokio::test]
async fn too_much_at_once_is_refused() {
    let world = World::new().await;
    let mut browser = world.browser();
    let token = browser.get("/sign-in").await.field("csrf");
    let huge = "x".repeat(300_000);
    let page = browser
        .post("/sign-in", &[("csrf", &token), ("name", &huge)])
        .await;
    assert_eq!(page.status, 413);
}

#[tokio::test]
async fn mistakes_are_told_at_the_top_and_what_was_typed_is_kept() {
    let world = World::new().await;
    let mut browser = world.browser();
    let fields = [("name", "a"), ("email", "nowhere"), ("password", "x")];
    let page = browser.send("/register", "/register", &fields).await;
    assert_eq!(page.status, 422);
    assert!(
        page.has("role=\"alert\"") && page.has("aria-invalid=\"true\""),
        "{}",
        page.text
    );
    assert!(page.has("value=\"nowhere\""));
    assert!(!page.has("value=\"x\""), "a password is never shown again");
    let empty = browser.send("/sign-in", "/sign-in", &[]).await;
    assert_eq!(empty.status, 422);
    assert!(empty.has("2 things need attention"), "{}", empty.text);
}

#[tokio::test]
async fn nobody_learns_which_addresses_have_accounts() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.browser();
    // A name that is free, and one that somebody has: the address makes no difference to either.
    for (names, is_free) in [(["new-one", "new-two"], true), (["ada", "ada"], false)] {
        let mut answers = Vec::new();
        for (name, email) in names
            .into_iter()
            .zip(["ada@example.org", "free@example.org"])
        {
            let mut steps = Vec::new();
            let fields = [("name", name), ("email", email), ("password", PASSWORD)];
            steps.push(browser.send("/register", "/register", &fields).await);
            if is_free {
                // By the name they are in; by the address they are not, before it is confirmed.
                let mut own = world.signed_in(name).await;
                steps.push(own.get("/account").await);
                steps.push(own.send("/account", "/account/confirm", &[]).await);
                let asks = [("name", name)];
                steps.push(browser.send("/forgot", "/forgot", &asks).await);
            }
            let plain = |page: &Page| without_ids(&page.text).replace(email, "").replace(name, "");
            let told: Vec<_> = steps
                .iter()
                .map(|page| (page.status, plain(page)))
                .collect();
            answers.push(told);
        }
        assert_eq!(answers[0], answers[1]);
    }
    let by_address = [("name", "free@example.org"), ("password", PASSWORD)];
    let page = browser.send("/sign-in", "/sign-in", &by_address).await;
    assert_eq!(page.status, 422);
    let told = world.mailed_kinds("ada@example.org").await;
    let in_use = told.iter().filter(|kind| *kind == "address_in_use");
    // Besides the link that came when the account was made; nothing by which another could get in.
    assert_eq!((in_use.count(), told.len()), (3, 4), "{told:?}");
    let wrong = browser
        .send(
            "/sign-in",
            "/sign-in",
            &[("name", "ada"), ("password", "no")],
        )
        .await;
    let nobody = browser
        .send(
            "/sign-in",
            "/sign-in",
            &[("name", "bob"), ("password", "no")],
        )
        .await;
    assert_eq!((wrong.status, nobody.status), (422, 422));
    assert_eq!(without_ids(&wrong.text), without_ids(&nobody.text));
}

#[tokio::test]
async fn tries_to_sign_in_run_out() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.browser();
    let mut last = 0;
    for _ in 0..12 {
        let fields = [("name", "ada"), ("password", "wrong")];
        let page = browser.send("/sign-in", "/sign-in", &fields).await;
        last = page.status;
        assert_eq!(page.headers.contains_key("retry-after"), last == 429);
    }
    assert_eq!(last, 429);
}
