//! Requests that pages of others make: every route that changes something, in every way.

use axum::body::Body;
use axum::http::{Request, header};
use stoa_votes::model::Role;
use stoa_web::route::Effect;
use stoa_web::router::routes;

use crate::world::{World, encoded, filled};

/// How, with which token, and what the browser says.
type Forgery<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[tokio::test]
async fn no_route_that_changes_something_takes_a_forged_request() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.grant(ada.user, Role::Admin).await;
    world.member("eve").await;
    let mut browser = world.signed_in("ada").await;
    let token = browser.get("/help").await.field("csrf");
    let other = world
        .signed_in("eve")
        .await
        .get("/help")
        .await
        .field("csrf");
    let visitor = world.browser().get("/help").await.field("csrf");
    let forgeries: [Forgery<'_>; 8] = [
        ("no token", "", &[]),
        ("the token of somebody else", &other, &[]),
        ("the token of a visitor", &visitor, &[]),
        ("half a token", token.split_at(32).0, &[]),
        ("another site", &token, &[("sec-fetch-site", "cross-site")]),
        ("a sister site", &token, &[("sec-fetch-site", "same-site")]),
        (
            "another origin",
            &token,
            &[("origin", "https://evil.example")],
        ),
        ("an origin that is hidden", &token, &[("origin", "null")]),
    ];
    let changing: Vec<_> = routes()
        .into_iter()
        .filter(|it| it.effect() == Effect::Changes)
        .collect();
    assert!(changing.len() > 8);
    for route in &changing {
        for (how, token, headers) in &forgeries {
            let mut request = Request::post(filled(route.path()))
                .header(header::HOST, "localhost")
                .header(header::COOKIE, browser.cookie_header());
            for (name, value) in *headers {
                request = request.header(*name, *value);
            }
            let body = Body::from(encoded(&[("csrf", token)]));
            let page = world.call(request.body(body).unwrap()).await;
            assert_eq!(page.status, 403, "{route:?} with {how}");
            world.clock.advance(std::time::Duration::from_secs(1));
        }
    }
    // She is still signed in, and what is hers is let through.
    assert_eq!(browser.get("/account").await.status, 200);
    let same = [
        ("sec-fetch-site", "same-origin"),
        ("origin", "http://localhost"),
    ];
    let mut request = Request::post("/settings/look")
        .header(header::HOST, "localhost")
        .header(header::COOKIE, browser.cookie_header());
    for (name, value) in same {
        request = request.header(name, value);
    }
    let body = Body::from(encoded(&[("csrf", &token), ("theme", "dark")]));
    assert_eq!(world.call(request.body(body).unwrap()).await.status, 303);
}

#[tokio::test]
async fn a_form_of_before_signing_in_is_worth_nothing_after() {
    let world = World::new().await;
    world.member("ada").await;
    let mut browser = world.browser();
    let before = browser.get("/help").await.field("csrf");
    let fields = [("name", "ada"), ("password", crate::world::PASSWORD)];
    assert_eq!(
        browser.send("/sign-in", "/sign-in", &fields).await.status,
        303
    );
    let stale = browser.post("/sign-out", &[("csrf", &before)]).await;
    assert_eq!(stale.status, 403);
    assert!(stale.has("This form has expired"));
}
