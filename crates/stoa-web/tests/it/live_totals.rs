//! Totals that arrive by themselves.

use std::future::poll_fn;
use std::pin::Pin;

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Body as _;
use stoa_votes::model::PolicyId;
use tower::ServiceExt as _;

use crate::world::World;

async fn listened(world: &World, of: &str) -> Response<Body> {
    let request = Request::get(format!("/live/totals?of={of}"));
    let request = request.body(Body::empty()).unwrap();
    world.service().oneshot(request).await.unwrap()
}

/// What comes next; nothing when it is over.
async fn next(response: &mut Response<Body>) -> Option<String> {
    let body = response.body_mut();
    let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
    let bytes = frame?.unwrap().into_data().unwrap();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

/// The next that says something.
async fn news(response: &mut Response<Body>) -> Option<String> {
    loop {
        let text = next(response).await?;
        if text != ":\n\n" {
            return Some(text);
        }
    }
}

fn event(policy: PolicyId, total: i64) -> String {
    format!("event: totals\ndata: {{\"{policy}\":{total}}}\n\n")
}

#[tokio::test]
async fn whoever_listens_is_told_the_total_and_then_each_change() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    let other = world.policy(world.member("cem").await, "Warm rooms").await;
    world.member("ada").await;
    let mut response = listened(&world, &policy.to_string()).await;
    assert_eq!(response.status(), 200);
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|it| it.to_str().unwrap().to_owned())
    };
    assert_eq!(header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(header("cache-control").as_deref(), Some("no-store"));
    assert!(header("content-security-policy").is_some());
    let total = world.votes().tables().counts.total(policy).await.unwrap();
    let total = total.unwrap();
    assert_eq!(news(&mut response).await, Some(event(policy, total)));
    // One who comes later is told at once, without another reading.
    let mut late = listened(&world, &policy.to_string()).await;
    assert_eq!(next(&mut late).await, Some(event(policy, total)));

    let mut ada = world.signed_in("ada").await;
    for (voted, votes) in [(other, "3"), (policy, "7")] {
        let page = ada.get(&format!("/policies/{voted}/x")).await;
        let (basis, request) = (page.field("basis"), page.field("request"));
        let fields = [
            ("basis", basis.as_str()),
            ("request", &request),
            ("add", votes),
        ];
        let page = format!("/policies/{voted}/x");
        let form = format!("/policies/{voted}/-/votes");
        assert_eq!(ada.send(&page, &form, &fields).await.status, 303);
    }
    // Nothing is told of what nobody asked for.
    assert_eq!(news(&mut response).await, Some(event(policy, total + 7)));
    assert_eq!(news(&mut late).await, Some(event(policy, total + 7)));
    assert_eq!(world.app.live.count(), 2);
    drop(response);
    assert_eq!(world.app.live.count(), 1);
    world.app.live.end();
    assert_eq!(news(&mut late).await, None);
    assert_eq!(listened(&world, &policy.to_string()).await.status(), 503);
}

#[tokio::test]
async fn what_makes_no_sense_is_not_listened_to() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    let nobody = "00000000-0000-1000-8000-000000000001";
    let many = vec![nobody; 101].join(",");
    for (of, status) in [
        ("", 400),
        ("x", 400),
        (&format!("{policy},"), 400),
        (nobody, 404),
        (&many, 413),
        (&format!("{nobody},{policy}"), 200),
    ] {
        assert_eq!(listened(&world, of).await.status(), status, "{of}");
    }
    assert_eq!(world.app.live.count(), 0);
}

#[tokio::test]
async fn one_address_has_only_so_many_places() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await.to_string();
    let most = world.app.live.limits().of_address;
    let mut inside = Vec::new();
    for _ in 0..most {
        inside.push(listened(&world, &policy).await);
    }
    assert!(inside.iter().all(|it| it.status() == 200));
    let refused = listened(&world, &policy).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    inside.pop();
    assert_eq!(listened(&world, &policy).await.status(), 200);
}

#[tokio::test]
async fn pages_say_where_totals_stand() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    let mut browser = world.browser();
    let place = format!("data-total=\"{policy}\"");
    for path in [
        format!("/policies/{policy}/night-buses-until-two"),
        "/ranking?by=total".to_owned(),
        "/ranking".to_owned(),
        "/".to_owned(),
    ] {
        assert!(browser.get(&path).await.has(&place), "{path}");
    }
}
