//! Categories, parties, the front page and roles: adding, changing, taking away; what is refused, what
//! is kept, and what two admins do at once.

use std::time::Duration;

use stoa_votes::model::{PolicyId, Role};
use stoa_votes::rules::front_page::Featured;

use crate::admin_rules::admin;
use crate::world::{Browser, MONDAY, Page, World};

const CATEGORIES: &str = "/admin/categories";
const PARTIES: &str = "/admin/parties";
const FRONT: &str = "/admin/featured";
const ROLES: &str = "/admin/roles";

#[tokio::test]
async fn a_category_is_added_changed_retired_and_used_again() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let new = [
        ("key", "transport"),
        ("name", " Transport "),
        ("about", "Buses"),
        ("position", "0"),
    ];
    let done = browser.send(CATEGORIES, CATEGORIES, &new).await;
    assert_eq!(done.location, "/admin/categories?saved=1");
    let listed = browser.get(&done.location).await;
    assert!(listed.has("Transport") && listed.has("Buses") && listed.has("Saved."));
    let keys = async || {
        let all = world.votes().categories().await.unwrap().into_iter();
        all.map(|it| (it.key, it.name, it.is_active))
            .collect::<Vec<_>>()
    };
    let of = |key: &str, name: &str, is: bool| (key.to_owned(), name.to_owned(), is);
    let health = of("health", "Health", true);
    assert_eq!(
        keys().await,
        [of("transport", "Transport", true), health.clone()]
    );
    // The key of another one is taken: nothing of that one is changed.
    let same = browser.send(CATEGORIES, CATEGORIES, &new).await;
    assert_eq!(same.status, 422);
    assert!(same.has("There is a category with this key already"));
    let one = "/admin/categories/transport";
    let change = [("name", "Getting around"), ("about", ""), ("position", "9")];
    assert_eq!(browser.send(one, one, &change).await.status, 303);
    let changed = of("transport", "Getting around", true);
    assert_eq!(keys().await, [health.clone(), changed]);
    browser.send(CATEGORIES, one, &[("do", "retire")]).await;
    let retired = of("transport", "Getting around", false);
    assert_eq!(keys().await, [health, retired]);
    assert!(
        browser
            .get(CATEGORIES)
            .await
            .has("Use Getting around again")
    );
    assert!(!browser.get("/create").await.has("Getting around"));
    browser.send(CATEGORIES, one, &[("do", "use")]).await;
    assert!(keys().await[1].2);
    let missing = browser.get("/admin/categories/nothing").await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn categories_that_cannot_be_are_explained_and_kept() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let huge = "x".repeat(5_000);
    for (key, name, about, position, what) in [
        ("", "Tax", "", "1", "a key has 2 to 30"),
        ("Tax!", "Tax", "", "1", "a key has 2 to 30"),
        ("<script>", "Tax", "", "1", "a key has 2 to 30"),
        ("tax", "", "", "1", "a name has 2 to 80"),
        ("tax", "\u{202e}Tax", "", "1", "a name has 2 to 80"),
        ("tax", "Tax", &huge, "1", "at most 2000 characters"),
        ("tax", "Tax", "", "first", "Enter a whole number"),
        ("tax", "Tax", "", "99999999999", "Enter a whole number"),
    ] {
        let fields = [
            ("key", key),
            ("name", name),
            ("about", about),
            ("position", position),
        ];
        let page = browser.send(CATEGORIES, CATEGORIES, &fields).await;
        assert_eq!(page.status, 422, "{key} {name}");
        assert!(
            page.text.to_lowercase().contains(&what.to_lowercase()),
            "{what}: {}",
            page.text
        );
        assert!(!page.has("<script>\"") && page.has("aria-invalid=\"true\""));
        world.clock.advance(Duration::from_secs(30));
    }
    assert_eq!(world.votes().categories().await.unwrap().len(), 1);
}

#[tokio::test]
async fn parties_begin_with_none_and_one_form_adds_one() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    let empty = browser.get(PARTIES).await;
    assert!(empty.has("No parties"), "{}", empty.text);
    let (token, request) = (empty.field("csrf"), empty.field("request"));
    let fields = [
        ("csrf", token.as_str()),
        ("request", &request),
        ("name", "Green <b>list</b>"),
        ("about", "For *trees*."),
    ];
    assert_eq!(browser.post(PARTIES, &fields).await.status, 303);
    assert_eq!(browser.post(PARTIES, &fields).await.status, 303);
    let parties = world.votes().parties().await.unwrap();
    assert_eq!(parties.len(), 1, "the form that was sent twice adds one");
    let page = browser.get(PARTIES).await;
    assert!(page.has("Green &lt;b&gt;list&lt;/b&gt;") && !page.has("<b>list"));
    let one = format!("{PARTIES}/{}", parties[0].party);
    let bad = browser
        .send(&one, &one, &[("name", "G"), ("about", "kept")])
        .await;
    assert_eq!(bad.status, 422);
    assert!(bad.has("value=\"G\"") && bad.has("kept"));
    browser
        .send(&one, &one, &[("name", "Greens"), ("about", "")])
        .await;
    browser.send(PARTIES, &one, &[("do", "retire")]).await;
    let party = world.votes().parties().await.unwrap().remove(0);
    assert_eq!((party.name.as_str(), party.is_active), ("Greens", false));
    assert_eq!(browser.get(&format!("{PARTIES}/x")).await.status, 404);
}

/// The fields of the form of the front page, as it stands on a page.
async fn front(browser: &mut Browser<'_>, page: &Page, changes: &[(&str, &str)]) -> Page {
    let (token, seen) = (page.field("csrf"), page.field("seen"));
    let mut fields = vec![("csrf", token.as_str()), ("seen", seen.as_str())];
    fields.extend(changes);
    browser.post(FRONT, &fields).await
}

async fn chosen(world: &World) -> Vec<PolicyId> {
    let (entries, _) = world.votes().front_page().await.unwrap();
    entries.into_iter().map(|it| it.policy).collect()
}

#[tokio::test]
async fn the_front_page_is_chosen_ordered_and_cleared_by_whoever_has_the_role() {
    let world = World::new().await;
    let (ben, eve) = (world.member("ben").await, world.member("eve").await);
    let one = world.policy(ben, "Night buses until two").await;
    let two = world.policy(eve, "Warm rooms for all").await;
    world.grant(eve.user, Role::FeaturePolicies).await;
    let mut browser = world.signed_in("eve").await;
    let page = browser.get(FRONT).await;
    assert!(page.has("Nothing is chosen") && !page.has("/admin/roles"));
    let address = format!("http://localhost/policies/{one}/night-buses");
    let from = ("new_from", "2026-11-16");
    let through = ("new_through", "2026-11-20");
    let done = front(
        &mut browser,
        &page,
        &[("new", address.as_str()), from, through],
    )
    .await;
    assert_eq!(done.location, "/admin/featured?saved=1", "{}", done.text);
    let page = browser.get(&format!("{FRONT}?policy={two}")).await;
    assert!(page.has("Shown today") && page.has(&format!("value=\"{two}\"")));
    assert!(page.has("put here by @eve"), "{}", page.text);
    let (first, second) = (one.to_string(), two.to_string());
    let there = [
        ("p_0", first.as_str()),
        ("o_0", "1"),
        ("f_0", "2026-11-16"),
        ("t_0", "2026-11-20"),
    ];
    let added = [&there[..], &[("new", second.as_str()), from, through]].concat();
    assert_eq!(front(&mut browser, &page, &added).await.status, 303);
    assert_eq!(chosen(&world).await, [one, two]);
    // The second goes first.
    let page = browser.get(FRONT).await;
    let mut both = there.to_vec();
    both[1] = ("o_0", "2");
    let other = [
        ("p_1", second.as_str()),
        ("o_1", "1"),
        ("f_1", "2026-11-16"),
        ("t_1", "2026-11-21"),
    ];
    let moved = [&both[..], &other].concat();
    assert_eq!(front(&mut browser, &page, &moved).await.status, 303);
    assert_eq!(chosen(&world).await, [two, one]);
    let home = world.browser().get("/").await;
    assert!(home.has("Warm rooms for all"));
    // One is taken off.
    let page = browser.get(FRONT).await;
    let off = [&moved[..], &[("x_1", "1")]].concat();
    assert_eq!(front(&mut browser, &page, &off).await.status, 303);
    assert_eq!(chosen(&world).await, [one]);
}

#[tokio::test]
async fn what_cannot_be_on_the_front_page_is_explained_and_kept() {
    let world = World::new().await;
    let ben = world.member("ben").await;
    let policy = world.policy(ben, "Night buses until two").await.to_string();
    let mut browser = admin(&world).await;
    let nobody = "00000000-0000-1000-8000-000000000001";
    for (new, from, through, what) in [
        (
            "night buses",
            "2026-11-16",
            "2026-11-20",
            "not the address of a policy",
        ),
        (nobody, "2026-11-16", "2026-11-20", "is not shown to people"),
        (
            policy.as_str(),
            "2026-11-20",
            "2026-11-16",
            "is before the first",
        ),
        (&policy, "soon", "2026-11-16", "Enter a day"),
        (&policy, "2026-11-16", "", "Enter a day"),
    ] {
        let page = browser.get(FRONT).await;
        let fields = [("new", new), ("new_from", from), ("new_through", through)];
        let page = front(&mut browser, &page, &fields).await;
        assert_eq!(page.status, 422, "{new} {from} {through}: {}", page.text);
        assert!(
            page.has(what) && page.has("role=\"alert\""),
            "{what}: {}",
            page.text
        );
        assert!(page.has(&format!("value=\"{new}\"")));
    }
    let page = browser.get(FRONT).await;
    let row = [
        ("p_0", policy.as_str()),
        ("f_0", "never"),
        ("t_0", "2026-11-16"),
    ];
    let page = front(&mut browser, &page, &row).await;
    assert!(
        page.has("Enter the days of Night buses until two"),
        "{}",
        page.text
    );
    assert_eq!(chosen(&world).await, []);
}

#[tokio::test]
async fn what_somebody_else_chose_meanwhile_is_shown_before_it_is_replaced() {
    let world = World::new().await;
    let (ben, eve) = (world.member("ben").await, world.member("eve").await);
    let one = world.policy(ben, "Night buses until two").await;
    let two = world.policy(eve, "Warm rooms for all").await;
    let mut browser = admin(&world).await;
    let page = browser.get(FRONT).await;
    let entry = Featured {
        policy: two,
        from: MONDAY,
        through: MONDAY.plus(3),
    };
    let by = stoa_votes::model::By::Operator;
    world.votes().feature(by, None, &[entry]).await.unwrap();
    let named = one.to_string();
    let fields = [
        ("new", named.as_str()),
        ("new_from", "2026-11-16"),
        ("new_through", "2026-11-17"),
    ];
    let told = front(&mut browser, &page, &fields).await;
    assert_eq!(told.status, 409);
    assert!(
        told.has("Somebody else changed the front page meanwhile"),
        "{}",
        told.text
    );
    assert!(told.has("Warm rooms for all") && told.has(&format!("value=\"{named}\"")));
    assert_eq!(chosen(&world).await, [two]);
    assert_eq!(front(&mut browser, &told, &fields).await.status, 303);
    assert_eq!(chosen(&world).await, [one]);
}

#[tokio::test]
async fn roles_are_given_by_name_or_address_and_taken_and_both_are_told() {
    let world = World::new().await;
    let (ada, _) = (world.member("ada").await, world.member("ben").await);
    let mut browser = admin(&world).await;
    let give = [("name", "ADA@example.org"), ("role", "merge_policies")];
    let done = browser.send(ROLES, ROLES, &give).await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert!(
        browser
            .get(&done.location)
            .await
            .has("@ada has the role: Merge policies.")
    );
    let has = async || {
        world
            .votes()
            .has_role(ada.user, Role::MergePolicies)
            .await
            .unwrap()
    };
    assert!(has().await);
    let list = browser.get(ROLES).await;
    assert!(
        list.has("Take away<span class=\"vh\">: Merge policies, @ada</span>")
            && list.has("whoever runs this site")
    );
    let user = ada.user.to_string();
    let take = [("user", user.as_str()), ("role", "merge_policies")];
    let taken = browser.send(ROLES, "/admin/roles/revoke", &take).await;
    assert!(
        browser
            .get(&taken.location)
            .await
            .has("@ada does not have the role any more")
    );
    assert!(!has().await);
    for (name, role, what) in [
        ("nobody", "admin", "There is no such user"),
        ("", "admin", "Enter your member name"),
        ("ada", "", "Choose a role"),
        ("ada", "emperor", "Choose a role"),
        (
            "<script>alert(1)</script>",
            "admin",
            "There is no such user",
        ),
    ] {
        let page = browser
            .send(ROLES, ROLES, &[("name", name), ("role", role)])
            .await;
        assert_eq!(page.status, 422, "{name} {role}");
        assert!(
            page.has(what) && !page.has("<script>alert"),
            "{what}: {}",
            page.text
        );
    }
    assert!(world.votes().roles(ada.user).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_last_admin_stays_one_and_whoever_is_none_any_more_is_out() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut browser = admin(&world).await;
    let boss = world.votes().grants(Role::Admin).await.unwrap()[0].user;
    let (own, other) = (boss.to_string(), ada.user.to_string());
    let revoke = "/admin/roles/revoke";
    let take = [("user", own.as_str()), ("role", "admin")];
    let refused = browser.send(ROLES, revoke, &take).await;
    assert_eq!(refused.status, 422);
    assert!(refused.has("This is the last admin"));
    assert!(world.votes().has_role(boss, Role::Admin).await.unwrap());
    browser
        .send(ROLES, ROLES, &[("name", "ada"), ("role", "admin")])
        .await;
    let mut second = world.signed_in("ada").await;
    assert_eq!(second.send(ROLES, revoke, &take).await.status, 303);
    assert_eq!(browser.get(ROLES).await.status, 403);
    for bad in [
        [("user", "x"), ("role", "admin")],
        [("user", other.as_str()), ("role", "x")],
    ] {
        assert_eq!(second.send(ROLES, revoke, &bad).await.status, 422);
    }
}
