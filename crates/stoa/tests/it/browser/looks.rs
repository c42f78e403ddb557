//! Every page, as everybody who may see it sees it.

use serde_json::json;
use stoa_web::route::{Access, Route};

use super::community::{self, ADMIN, LONG_NAME, LONG_TITLE, MODERATOR, OWNER, TITLE};
use super::people::PASSWORD;
use super::site::Site;
use super::walk::Walk;
use super::window::{Way, Window};

/// Looks at every page that somebody may see and others may not.
fn everything(
    name: Option<&str>,
    who: &str,
    may: impl Fn(Access) -> bool,
    is_worth: impl Fn(&Route) -> bool,
) {
    let Some(axe) = super::axe() else { return };
    let site = Site::on(community::folder());
    let window = Window::new(&site.address, Way::Mouse);
    if let Some(name) = name {
        window.sign_in(name, PASSWORD);
    }
    // What there is to do with a policy depends on whose it is and what became of it.
    let [warm, long] = [TITLE, LONG_TITLE].map(|title| window.open("/").follow(title).place());
    let lasting = warm.rsplit_once('/').unwrap().0;
    let mut walk = Walk::new(&window, &site, &axe, who);
    walk.everywhere(&[&warm, &long, lasting, "/search?q=harbour"], may, is_worth);
    walk.end();
}

fn is_policy(route: &Route) -> bool {
    route.path() == "/policies/{policy}/{slug}"
}

#[test]
fn visitors_see_nothing_that_shuts_anybody_out() {
    everything(None, "visitor", |access| access == Access::Anyone, |_| true);
}

#[test]
fn members_see_nothing_that_shuts_anybody_out() {
    let may = |access| matches!(access, Access::Anyone | Access::SignedIn | Access::Member);
    let is_worth =
        |route: &Route| route.access() != Access::Anyone || is_policy(route) || route.path() == "/";
    everything(Some(OWNER), "member", may, is_worth);
}

#[test]
fn moderators_see_nothing_that_shuts_anybody_out() {
    let is_worth = |route: &Route| matches!(route.access(), Access::Roles(_)) || is_policy(route);
    everything(
        Some(MODERATOR),
        "moderator",
        |access| access != Access::Admin,
        is_worth,
    );
}

#[test]
fn admins_see_nothing_that_shuts_anybody_out() {
    let is_worth = |route: &Route| route.access() == Access::Admin || is_policy(route);
    everything(Some(ADMIN), "admin", |_| true, is_worth);
}

/// Long names, wide words and big numbers, where they stand; forms that are wrong; pages that are not
/// there; lists with nothing in them.
#[test]
fn what_is_rare_looks_as_good_as_what_is_common() {
    let Some(axe) = super::axe() else { return };
    let site = Site::on(community::folder());
    let window = Window::new(&site.address, Way::Mouse);
    let mut walk = Walk::new(&window, &site, &axe, "rare");
    window.sign_in(LONG_NAME, PASSWORD);
    window.open("/").follow(LONG_TITLE).sees("Your votes");
    walk.look("long-policy");
    window.open("/votes");
    walk.look("long-votes");
    window.open("/create");
    window.press("Go on");
    window.sees("needs attention");
    walk.look("create-wrong");
    window.open("/nowhere");
    walk.look("not-found");
    window.press("Deutsch");
    walk.look("not-found-german");
    window.open("/votes");
    walk.look("votes-german");
    window.press("English").sees("My votes");
    window.open("/account");
    window.press("Sign out").sees("Sign in");
    window.open("/sign-in");
    window.press("Sign in").sees("attention");
    walk.look("sign-in-wrong");
    window.open("/register");
    window.press("Register").sees("attention");
    walk.look("register-wrong");
    walk.end();
}

/// Paper has no buttons and nothing to go to, whatever the theme, and everything that was folded.
#[test]
fn what_is_printed_is_the_policy_alone() {
    if super::axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = Window::new(&site.address, Way::Mouse);
    window.sign_in(OWNER, PASSWORD).open("/").follow(TITLE);
    window.sees("left to spend").press("Dark");
    let shown = "return [...document.querySelectorAll(arguments[0])].filter(it => it.checkVisibility()).length";
    let shown = |selector: &str| window.run(shown, &json!([selector])).as_u64().unwrap();
    let on_screen = ".nav, .foot, .purse, .who, .btn, .key, .field, .acts";
    assert!(shown(on_screen) > 5);
    window.becomes(
        "return document.documentElement.dataset.theme",
        &json!("dark"),
    );
    window.become_paper();
    assert_eq!(shown(on_screen), 0);
    assert!(shown("h1") == 1 && shown(".text") > 0 && shown("article") > 0);
    let folded = "return [...document.querySelectorAll('details')].map(it => \
        getComputedStyle(it, '::details-content').contentVisibility)";
    let folded = window.run(folded, &json!([]));
    assert!(
        folded.as_array().unwrap().iter().all(|it| it == "visible"),
        "{folded}"
    );
    let colours = "const it = getComputedStyle(document.documentElement); return [it.backgroundColor, it.color]";
    let colours = window.run(colours, &json!([]));
    assert_eq!(colours, json!(["rgb(255, 255, 255)", "rgb(35, 31, 25)"]));
}

#[test]
fn nothing_moves_for_those_who_asked_for_that() {
    if super::axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = Window::new(&site.address, Way::Mouse);
    let moving = r"return [...document.querySelectorAll('*')].filter(it => {
        const style = getComputedStyle(it);
        const lasts = style.transitionDuration.split(', ').some(it => parseFloat(it) > 0);
        return lasts || style.animationName !== 'none' || style.scrollBehavior !== 'auto';
    }).length";
    for path in ["/", "/ranking", "/sign-in"] {
        window.open(path);
        window.become_lively(true);
        assert_ne!(window.run(moving, &json!([])), 0, "{path}");
        window.become_lively(false);
        assert_eq!(window.run(moving, &json!([])), 0, "{path}");
    }
}

/// The document and whatever it makes a browser fetch, the stream of totals included.
#[test]
fn the_first_page_is_small_and_asks_for_little() {
    if super::axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = Window::new(&site.address, Way::Mouse);
    window.open("/").sees(TITLE);
    let weighed = "const all = [...performance.getEntriesByType('navigation'), \
        ...performance.getEntriesByType('resource')]; \
        return all.reduce((sum, it) => sum + it.encodedBodySize, 0)";
    let bytes = window.run(weighed, &json!([])).as_u64().unwrap();
    assert!((1_000..60_000).contains(&bytes), "{bytes} bytes");
    let mut asked = window.requests();
    asked.retain(|it| it.starts_with(&site.address));
    assert!((2..6).contains(&asked.len()), "{asked:?}");
    assert!(
        asked.iter().any(|it| it.contains("/live/totals")),
        "{asked:?}"
    );
}

#[test]
fn a_site_without_anybody_says_what_to_do_next() {
    let Some(axe) = super::axe() else { return };
    let mut site = Site::new();
    let link = site.welcome();
    let window = Window::new(&site.address, Way::Mouse);
    let mut walk = Walk::new(&window, &site, &axe, "empty");
    for (name, path) in [
        ("home", "/"),
        ("ranking", "/ranking"),
        ("first-admin", &link),
    ] {
        window.open(path);
        walk.look(name);
    }
    window
        .fill("Member name", "founder")
        .fill("E-mail address", "founder@example.org");
    window
        .fill("Password", PASSWORD)
        .press("Register")
        .sees("Sign in");
    window.sign_in("founder", PASSWORD);
    for (name, path) in [
        ("home-admin", "/"),
        ("votes", "/votes"),
        ("create", "/create"),
        ("search", "/search?q=anything"),
    ] {
        window.open(path);
        walk.look(name);
    }
    walk.end();
}
