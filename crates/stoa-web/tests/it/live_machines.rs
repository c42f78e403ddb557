//! What machines ask: health and figures.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::Request;
use stoa_web::SiteSettings;
use stoa_web::gate::Remote;

use crate::world::{Page, World};

async fn asked(world: &World, path: &str, from: &str, headers: &[(&str, &str)]) -> Page {
    let remote = SocketAddr::new(from.parse().unwrap(), 4_000);
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Remote(remote));
    world.call(request).await
}

#[tokio::test]
async fn an_instance_that_stops_says_so() {
    let world = World::new().await;
    let page = asked(&world, "/healthz", "192.0.2.1", &[]).await;
    assert_eq!((page.status, page.text.as_str()), (200, "ok\n"));
    world.app.health.stop();
    let page = asked(&world, "/healthz", "192.0.2.1", &[]).await;
    assert_eq!((page.status, page.text.as_str()), (503, "stopping\n"));
}

#[tokio::test]
async fn an_instance_whose_clock_is_off_says_so() {
    let world = World::new().await;
    // The store has the real time, the world one of its own.
    world
        .clock
        .advance(std::time::Duration::from_secs(900 * 86_400));
    world.votes().measure_clock().await.unwrap();
    let page = asked(&world, "/healthz", "192.0.2.1", &[]).await;
    assert_eq!(
        (page.status, page.text.as_str()),
        (503, "the clock is off\n")
    );
}

#[tokio::test]
async fn an_instance_whose_background_is_silent_says_so() {
    let world = World::new().await;
    use stoa_types::Clock as _;
    world.app.health.wrote(world.clock.monotonic());
    assert_eq!(
        asked(&world, "/healthz", "127.0.0.1", &[]).await.status,
        200
    );
    world.clock.advance(std::time::Duration::from_secs(121));
    assert_eq!(
        asked(&world, "/healthz", "127.0.0.1", &[]).await.status,
        503
    );
}

#[tokio::test]
async fn figures_are_for_this_machine_and_for_whoever_has_the_token() {
    let site = SiteSettings {
        metrics_token: Some("open sesame".to_owned()),
        ..SiteSettings::default()
    };
    let world = World::with(site).await;
    let bare = World::new().await;
    let status = async |world: &World, from: &str, headers: &[(&str, &str)]| {
        asked(world, "/metrics", from, headers).await.status
    };
    assert_eq!(status(&world, "127.0.0.1", &[]).await, 200);
    assert_eq!(status(&world, "::ffff:127.0.0.1", &[]).await, 200);
    assert_eq!(status(&world, "192.0.2.1", &[]).await, 404);
    for name in ["x-forwarded-for", "forwarded", "x-real-ip", "via"] {
        assert_eq!(
            status(&world, "127.0.0.1", &[(name, "192.0.2.1")]).await,
            404
        );
    }
    let right = [("authorization", "Bearer open sesame")];
    assert_eq!(status(&world, "192.0.2.1", &right).await, 200);
    assert_eq!(status(&bare, "192.0.2.1", &right).await, 404);
    for wrong in ["Bearer ", "Bearer open", "open sesame", "Basic open sesame"] {
        let wrong = [("authorization", wrong)];
        assert_eq!(status(&world, "192.0.2.1", &wrong).await, 404);
        assert_eq!(status(&bare, "192.0.2.1", &wrong).await, 404);
    }
}

#[tokio::test]
async fn figures_follow_what_people_do() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await;
    world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let wrong = [("name", "ada"), ("password", "wrong")];
    world.browser().send("/sign-in", "/sign-in", &wrong).await;
    let path = format!("/policies/{policy}/x");
    let form = format!("/policies/{policy}/-/votes");
    let page = browser.get(&path).await;
    let basis = page.field("basis");
    for (votes, status) in [("10", 303), ("1", 409)] {
        let fields = [("basis", basis.as_str()), ("add", votes)];
        assert_eq!(browser.send(&path, &form, &fields).await.status, status);
    }
    let text = asked(&world, "/metrics", "127.0.0.1", &[]).await.text;
    for line in [
        "stoa_votes_total{result=\"accepted\"} 1",
        "stoa_votes_total{result=\"stale\"} 1",
        "stoa_sign_ins_total{result=\"accepted\"} 1",
        "stoa_sign_ins_total{result=\"refused\"} 1",
        "stoa_people_here 1",
        "stoa_live_listeners 0",
        "stoa_http_request_seconds_count{method=\"POST\",route=\"/policies/{policy}/-/votes\",status=\"303\"} 1",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} in {text}");
    }
    // What people send is never a label, so nobody makes series by asking.
    for secret in ["ada", &policy.to_string(), "wrong"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
