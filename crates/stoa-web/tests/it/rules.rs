//! Who may use which route: every route of the table, by everybody there is.

use stoa_votes::model::Role;
use stoa_web::route::{Access, Effect, Route};
use stoa_web::router::routes;

use crate::world::{Browser, World, filled};

/// Whether somebody gets past the gate, as what came back tells.
async fn is_admitted(browser: &mut Browser<'_>, route: &Route) -> bool {
    let path = filled(route.path());
    let page = match route.effect() {
        Effect::Reads | Effect::Serves => browser.get(&path).await,
        Effect::Changes => {
            let token = browser.get("/help").await.field("csrf");
            browser.post(&path, &[("csrf", token.as_str())]).await
        }
    };
    assert!(
        page.status < 500,
        "{route:?} answered {}: {}",
        page.status,
        page.text
    );
    let is_led_away = page.location.starts_with("/sign-in?then=");
    !is_led_away && !matches!(page.status, 401 | 403)
}

fn expected(access: Access, who: &str, roles: &[Role]) -> bool {
    match access {
        Access::Anyone => true,
        Access::SignedIn => who != "nobody",
        Access::Member => !matches!(who, "nobody" | "unconfirmed"),
        Access::Roles(any) => {
            roles.contains(&Role::Admin) || roles.iter().any(|role| any.contains(role))
        }
        Access::Admin => roles.contains(&Role::Admin),
    }
}

#[tokio::test]
async fn every_route_lets_in_whom_its_rule_says_and_nobody_else() {
    let world = World::new().await;
    let mut people = vec![
        ("nobody".to_owned(), Vec::new()),
        ("member".to_owned(), Vec::new()),
    ];
    world.member("member").await;
    for (role, name) in Role::NAMES {
        let name = name.replace('_', "-");
        let name = if role == Role::Admin {
            "the-boss".to_owned()
        } else {
            name
        };
        let account = world.member(&name).await;
        world.grant(account.user, role).await;
        people.push((name, vec![role]));
    }
    let mut browser = world.browser();
    let fields = [
        ("name", "unconfirmed"),
        ("email", "new@example.org"),
        ("password", "a b c d e f"),
    ];
    assert_eq!(
        browser.send("/register", "/register", &fields).await.status,
        200
    );
    let mut newcomer = world.browser();
    let fields = [("name", "unconfirmed"), ("password", "a b c d e f")];
    assert_eq!(
        newcomer.send("/sign-in", "/sign-in", &fields).await.status,
        303
    );
    for route in routes() {
        // Whoever signs out is somebody else afterwards, so everybody comes anew.
        for (who, roles) in &people {
            let mut browser = match who.as_str() {
                "nobody" => world.browser(),
                name => world.signed_in(name).await,
            };
            let is_in = is_admitted(&mut browser, &route).await;
            assert_eq!(
                is_in,
                expected(route.access(), who, roles),
                "{route:?} by {who}"
            );
            world.clock.advance(std::time::Duration::from_secs(60));
        }
        if route.path() != "/sign-out" {
            let is_in = is_admitted(&mut newcomer, &route).await;
            assert_eq!(
                is_in,
                expected(route.access(), "unconfirmed", &[]),
                "{route:?}"
            );
        }
    }
}

#[test]
fn no_route_is_there_twice_and_what_serves_all_is_for_all() {
    let routes = routes();
    let mut seen: Vec<_> = routes.iter().map(|it| (it.method(), it.path())).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), routes.len());
    let mut serving = routes.iter().filter(|it| it.effect() == Effect::Serves);
    assert!(serving.all(|it| it.access() == Access::Anyone));
}
