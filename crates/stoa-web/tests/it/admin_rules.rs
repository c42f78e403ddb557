//! Deciding what holds: from which day, what is shown before, what is refused, and who may.

use std::collections::BTreeMap;
use std::time::Duration;

use stoa_votes::model::{PeriodLength, PrivacyMode, Role, VotingConfig};
use stoa_web::route::{Access, Effect};
use stoa_web::router::routes;

use crate::world::{Browser, MONDAY, World, filled};

const RULES: &str = "/admin/rules";

/// A browser in which an admin is signed in.
pub(crate) async fn admin(world: &World) -> Browser<'_> {
    let boss = world.member("the-boss").await;
    world.grant(boss.user, Role::Admin).await;
    world.signed_in("the-boss").await
}

/// What holds now from next Monday on, to be changed.
fn typed() -> BTreeMap<&'static str, String> {
    let fields = [
        ("from", MONDAY.plus(7).to_string()),
        ("period", "week".to_owned()),
        ("period_days", String::new()),
        ("salary", "100".to_owned()),
        ("cost", "100".to_owned()),
        ("penalty", "50".to_owned()),
        ("unspent", String::new()),
        ("present", String::new()),
        ("window", "3".to_owned()),
    ];
    fields.into_iter().collect()
}

fn fields<'a>(
    typed: &'a BTreeMap<&'static str, String>,
    press: &'a str,
) -> Vec<(&'a str, &'a str)> {
    let pairs = typed.iter().map(|(name, value)| (*name, value.as_str()));
    pairs.chain([("do", press)]).collect()
}

async fn decisions(world: &World) -> Vec<VotingConfig> {
    let history = world.votes().tables().money.config().await.unwrap();
    history.all().to_vec()
}

#[tokio::test]
async fn an_admin_changes_a_rate_from_the_next_period_and_it_holds_from_then() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.policy(ada, "Night buses until two").await;
    let mut browser = admin(&world).await;
    assert!(browser.get("/account").await.has("href=\"/admin\""));
    let others = world.signed_in("ada").await.get("/account").await;
    assert!(!others.has("href=\"/admin\""));
    let mut new = typed();
    new.insert("salary", "70".to_owned());
    new.insert("penalty", "10".to_owned());
    let preview = browser.send(RULES, RULES, &fields(&new, "preview")).await;
    assert_eq!(preview.status, 200);
    assert!(
        preview.has("What changes on 23 November 2026"),
        "{}",
        preview.text
    );
    assert!(preview.has("100 votes") && preview.has("70 votes"));
    assert!(preview.has("Decide this from 23 November 2026"));
    assert_eq!(decisions(&world).await.len(), 1, "a preview writes nothing");
    let done = browser.send(RULES, RULES, &fields(&new, "decide")).await;
    assert_eq!(done.location, "/admin/rules?decided=2026-11-23");
    let told = browser.get(&done.location).await;
    assert!(told.has("It holds from 23 November 2026"));
    assert!(
        told.has("Decided for later") && told.has("@the-boss"),
        "{}",
        told.text
    );
    // The same form once more does no harm.
    let again = browser.send(RULES, RULES, &fields(&new, "decide")).await;
    assert_eq!(again.status, 303);
    assert_eq!(decisions(&world).await.len(), 2);
    // Until the period ends everything is as it was; then the new rates hold.
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 0);
    let moves = BTreeMap::from([(policy, -20)]);
    let before = world.votes().quote(ada, &moves).await.unwrap();
    assert_eq!(before.price(), 10);
    world.clock.advance(Duration::from_secs(7 * 86_400));
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 70);
    let after = world.votes().quote(ada, &moves).await.unwrap();
    assert_eq!(after.price(), 2);
    let now = world.signed_in("the-boss").await.get(RULES).await;
    assert!(now.has("Holds now") && !now.has("Decided for later"));
}

#[tokio::test]
async fn what_cannot_be_decided_is_explained_kept_and_not_written() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let huge = "9".repeat(50_000);
    let cases: [(&str, &str, &str); 17] = [
        ("from", "2026-11-24", "the next one begins on 2026-11-30"),
        ("from", "2026-11-16", "an hour from now at the earliest"),
        ("from", "2025-01-06", "an hour from now at the earliest"),
        ("from", "1970-01-01", "Something else was decided"),
        ("from", "", "Enter a day"),
        ("from", "2026-02-30", "Enter a day"),
        ("salary", "1000001", "0 to 1,000,000 votes"),
        ("salary", "-1", "0 to 1,000,000 votes"),
        ("salary", "a lot", "Enter a whole number"),
        ("salary", &huge, "Enter a whole number"),
        (
            "salary",
            "<script>alert(1)</script>",
            "Enter a whole number",
        ),
        ("cost", "", "Enter a whole number"),
        ("penalty", "101", "0 to 100 percent"),
        ("unspent", "-5", "0 to 1,000,000,000 votes"),
        ("window", "70000", "1 to 366 days"),
        ("period", "fortnight", "Choose how often"),
        ("salary", "100", "This is what holds then already"),
    ];
    for (field, value, what) in cases {
        let mut new = typed();
        new.insert("cost", "40".to_owned());
        if what.starts_with("This is") {
            new.insert("cost", "100".to_owned());
        }
        new.insert(field, value.to_owned());
        let page = browser.send(RULES, RULES, &fields(&new, "decide")).await;
        assert_eq!(page.status, 422, "{field} {value:.30}");
        assert!(
            page.has("role=\"alert\"") && page.has(what),
            "{field}: {}",
            page.text
        );
        assert!(page.has("aria-invalid=\"true\"") && !page.has("<script>alert"));
        if value.len() < 20 && field != "period" {
            assert!(page.has(&format!("name=\"{field}\" type=\"")), "{field}");
            assert!(page.has(&format!("value=\"{value}\"")), "{field} is kept");
        }
        world.clock.advance(Duration::from_secs(30));
    }
    let mut days = typed();
    days.insert("period", "days".to_owned());
    for wrong in ["0", "367", "99999", "x", ""] {
        days.insert("period_days", wrong.to_owned());
        let page = browser.send(RULES, RULES, &fields(&days, "decide")).await;
        assert_eq!(page.status, 422, "{wrong}");
    }
    assert_eq!(decisions(&world).await.len(), 1);
}

#[tokio::test]
async fn every_setting_can_be_decided_and_is_listed() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let mut new = typed();
    for (name, value) in [
        ("period", "days"),
        ("period_days", "7"),
        ("cost", "250"),
        ("unspent", "1000"),
        ("present", "1"),
        ("window", "14"),
    ] {
        new.insert(name, value.to_owned());
    }
    let done = browser.send(RULES, RULES, &fields(&new, "decide")).await;
    assert_eq!(done.status, 303, "{}", done.text);
    let decided = decisions(&world).await.pop().unwrap();
    let expected = VotingConfig {
        from: MONDAY.plus(7),
        period: PeriodLength::Days(7),
        salary: 100,
        creation_cost: 250,
        penalty_percent: 50,
        most_unspent: Some(1_000),
        only_present: true,
        window_days: 14,
    };
    assert_eq!(decided, expected);
    let page = browser.get(RULES).await;
    for told in [
        "every 7 days",
        "250 votes",
        "1,000 votes",
        "14 days",
        "only who is there",
    ] {
        assert!(page.has(told), "{told}: {}", page.text);
    }
    // Something else for the same day is refused.
    new.insert("cost", "300".to_owned());
    let page = browser.send(RULES, RULES, &fields(&new, "decide")).await;
    assert!(
        page.has("Something else was decided for that day already"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn what_the_ledger_shows_is_chosen_until_a_day_is_closed() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let post = "/admin/rules/privacy";
    let chosen = browser.send(RULES, post, &[("mode", "tallies")]).await;
    assert_eq!(chosen.location, "/admin/rules?chosen=1");
    let mode = world.votes().privacy().await.unwrap().mode;
    assert_eq!(mode, PrivacyMode::Tallies);
    assert_eq!(
        browser.send(RULES, post, &[("mode", "all")]).await.status,
        422
    );
    let ada = world.member("ada").await;
    world.policy(ada, "Night buses until two").await;
    world.clock.advance(Duration::from_secs(86_400));
    world.votes().close_days().await.unwrap();
    let page = browser.get(RULES).await;
    assert!(page.has("The first day is closed") && !page.has("name=\"mode\""));
    let late = browser.send(RULES, post, &[("mode", "public")]).await;
    assert_eq!(late.status, 422);
    let mode = world.votes().privacy().await.unwrap().mode;
    assert_eq!(mode, PrivacyMode::Tallies);
}

#[tokio::test]
async fn what_is_refused_is_told_in_german_too() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let look = [("language", "de"), ("then", RULES)];
    browser.send(RULES, "/settings/look", &look).await;
    let page = browser.get(RULES).await;
    assert!(page.has("Regeln dieser Gemeinschaft") && page.has("jeden Montag"));
    let mut new = typed();
    new.insert("from", "2026-11-24".to_owned());
    let page = browser.send(RULES, RULES, &fields(&new, "decide")).await;
    assert!(
        page.has("Ein Beschluss beginnt mit einer Periode"),
        "{}",
        page.text
    );
    assert!(page.has("30. November 2026"), "days that fit are named");
}

#[tokio::test]
async fn no_way_of_administration_is_open_to_members_or_moderators() {
    let world = World::new().await;
    world.member("ada").await;
    let judge = world.member("judge").await;
    for (role, _) in Role::NAMES {
        if !matches!(role, Role::Admin | Role::FeaturePolicies) {
            world.grant(judge.user, role).await;
        }
    }
    let ways = routes().into_iter();
    let ways: Vec<_> = ways.filter(|it| it.path().starts_with("/admin")).collect();
    assert!(ways.len() >= 20);
    for route in ways {
        let is_strict = match route.access() {
            Access::Admin => true,
            Access::Roles(roles) => roles == [Role::FeaturePolicies],
            _ => false,
        };
        assert!(is_strict, "{route:?}");
        for who in ["ada", "judge"] {
            let mut browser = world.signed_in(who).await;
            let path = filled(route.path());
            let page = match route.effect() {
                Effect::Changes => browser.send("/help", &path, &[]).await,
                Effect::Reads | Effect::Serves => browser.get(&path).await,
            };
            assert_eq!(page.status, 403, "{route:?} by {who}");
            world.clock.advance(Duration::from_secs(30));
        }
    }
}
