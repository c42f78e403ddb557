//! Every page, as everybody who may see it sees it.

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
