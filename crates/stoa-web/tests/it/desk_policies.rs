//! What moderators do to policies: hide, close, take away, sort, speak officially.

use stoa_votes::model::{By, Category, PolicyId, PolicyState, ProgressKind, Role};
use stoa_votes::ops::account::Account;

use crate::world::{Browser, MONDAY, World};

struct Scene {
    world: World,
    ada: Account,
    policy: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let ada = world.member("ada").await;
    for (name, role) in [
        ("hider", Role::HandleReports),
        ("editor", Role::EditPolicies),
        ("speaker", Role::PublishOfficial),
    ] {
        let account = world.member(name).await;
        world.grant(account.user, role).await;
    }
    let policy = world.policy(ada, "Close the old ferry").await;
    Scene { world, ada, policy }
}

impl Scene {
    fn address(&self, what: &str) -> String {
        format!("/policies/{}/-/{what}", self.policy)
    }

    async fn state(&self) -> PolicyState {
        let standing = self.world.votes().standing(self.policy).await.unwrap();
        standing.unwrap().state
    }

    async fn balance(&self) -> i64 {
        self.world
            .votes()
            .statement(self.ada)
            .await
            .unwrap()
            .balance
    }

    async fn is_logged(&self, action: &str, reason: &str) -> bool {
        let log = self
            .world
            .votes()
            .moderation_log(MONDAY, None, 100)
            .await
            .unwrap();
        log.entries
            .iter()
            .any(|it| it.action == action && it.reason == reason)
    }

    async fn tools(&self, browser: &mut Browser<'_>) -> Vec<&'static str> {
        let page = browser.get(&format!("/policies/{}/x", self.policy)).await;
        let all = ["hide", "retire", "delete", "category", "official"];
        let there = all
            .into_iter()
            .filter(|what| page.has(&format!("href=\"{}\"", self.address(what))));
        there.collect()
    }
}

#[tokio::test]
async fn each_role_sees_its_own_ways_on_the_page_and_members_none() {
    let scene = scene().await;
    for (name, expected) in [
        ("hider", vec!["hide"]),
        ("editor", vec!["retire", "delete", "category"]),
        ("speaker", vec!["official"]),
        ("ada", vec![]),
    ] {
        let mut browser = scene.world.signed_in(name).await;
        assert_eq!(scene.tools(&mut browser).await, expected, "{name}");
    }
    assert!(scene.tools(&mut scene.world.browser()).await.is_empty());
}

#[tokio::test]
async fn a_policy_is_hidden_and_shown_again() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("hider").await;
    let address = scene.address("hide");
    let empty = browser
        .send(&address, &address, &[("do", "hide"), ("reason", " ")])
        .await;
    assert_eq!(empty.status, 422);
    assert!(
        empty.has("in 3 to 500 characters") && empty.has("href=\"#f-reason\""),
        "{}",
        empty.text
    );
    let hide = [("do", "hide"), ("reason", "Names a neighbour")];
    assert_eq!(browser.send(&address, &address, &hide).await.status, 303);
    let page = scene
        .world
        .browser()
        .get(&format!("/policies/{}/x", scene.policy))
        .await;
    assert!(!page.has("Close the old ferry"), "{}", page.text);
    assert!(scene.is_logged("hide_policy", "Names a neighbour").await);
    let again = browser.get(&address).await;
    assert!(
        again.has("Show “Close the old ferry” again?"),
        "{}",
        again.text
    );
    let show = [("do", "show"), ("reason", "The name is gone")];
    assert_eq!(browser.send(&address, &address, &show).await.status, 303);
    let page = scene
        .world
        .browser()
        .get(&format!("/policies/{}/x", scene.policy))
        .await;
    assert!(page.has("Close the old ferry"));
}

#[tokio::test]
async fn a_policy_is_closed_with_a_reason_and_votes_return() {
    let scene = scene().await;
    assert_eq!(scene.balance().await, 0);
    let mut browser = scene.world.signed_in("editor").await;
    let address = scene.address("retire");
    let page = browser.get(&address).await;
    assert!(page.has("give back 100 votes"), "{}", page.text);
    let unsure = [("reason", "It sailed")];
    let refused = browser.send(&address, &address, &unsure).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.has("Choose why") && refused.has("Tick the box first") && refused.has("It sailed"),
        "{}",
        refused.text
    );
    let silent = [("why", "done"), ("sure", "1")];
    let refused = browser.send(&address, &address, &silent).await;
    assert!(
        refused.status == 422 && refused.has("value=\"done\" checked"),
        "{}",
        refused.text
    );
    assert_eq!(scene.state().await, PolicyState::Active);
    let fields = [("why", "done"), ("reason", "It sailed"), ("sure", "1")];
    assert_eq!(browser.send(&address, &address, &fields).await.status, 303);
    assert_eq!(scene.state().await, PolicyState::Retired);
    assert_eq!(scene.balance().await, 100);
    assert!(scene.is_logged("retire_policy", "done: It sailed").await);
}

#[tokio::test]
async fn a_policy_is_taken_away_in_two_steps() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("editor").await;
    let address = scene.address("delete");
    let first = browser.get(&address).await;
    assert!(first.has("Step 1 of 2"), "{}", first.text);
    let empty = browser.send(&address, &address, &[("do", "look")]).await;
    assert!(empty.status == 422 && empty.has("Step 1 of 2"));
    let second = browser
        .send(
            &address,
            &address,
            &[("do", "look"), ("reason", "It <b>libels</b>")],
        )
        .await;
    assert!(
        second.has("Step 2 of 2") && second.has("give back 100 votes"),
        "{}",
        second.text
    );
    assert!(second.has("It &lt;b&gt;libels&lt;/b&gt;"));
    let back = browser
        .send(
            &address,
            &address,
            &[("do", "back"), ("reason", "It libels")],
        )
        .await;
    assert!(back.has("Step 1 of 2") && back.has("It libels"));
    let unsure = browser
        .send(
            &address,
            &address,
            &[("do", "delete"), ("reason", "It libels")],
        )
        .await;
    assert!(
        unsure.status == 422 && unsure.has("Tick the box first"),
        "{}",
        unsure.text
    );
    assert_eq!(scene.state().await, PolicyState::Active);
    let fields = [("do", "delete"), ("reason", "It libels"), ("sure", "1")];
    assert_eq!(browser.send(&address, &address, &fields).await.status, 303);
    assert_eq!(scene.state().await, PolicyState::PendingDeletion);
    assert_eq!(scene.balance().await, 100);
    assert!(scene.is_logged("delete_policy", "It libels").await);
    let gone = scene
        .world
        .browser()
        .get(&format!("/policies/{}/x", scene.policy))
        .await;
    assert_eq!(gone.status, 410);
    assert!(browser.get(&address).await.has("taken away already"));
}

#[tokio::test]
async fn of_a_closed_policy_the_texts_can_be_erased() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("editor").await;
    let (retire, delete) = (scene.address("retire"), scene.address("delete"));
    let fields = [("why", "other"), ("reason", "It is over"), ("sure", "1")];
    assert_eq!(browser.send(&retire, &retire, &fields).await.status, 303);
    let late = browser.send(&retire, &retire, &fields).await;
    assert!(late.status < 400 || late.has("is closed"), "{}", late.text);
    let page = browser
        .send(
            &delete,
            &delete,
            &[("do", "look"), ("reason", "A name in it")],
        )
        .await;
    assert!(page.has("Erase the texts of"), "{}", page.text);
    let fields = [("do", "delete"), ("reason", "A name in it"), ("sure", "1")];
    assert_eq!(browser.send(&delete, &delete, &fields).await.status, 303);
    let shown = scene.world.votes().page(scene.policy).await.unwrap();
    assert!(shown.text.is_none() || shown.text.unwrap().text.description.is_empty());
    assert_eq!(scene.state().await, PolicyState::Retired);
}

#[tokio::test]
async fn a_policy_is_sorted_elsewhere() {
    let scene = scene().await;
    let tax = Category {
        key: "tax".to_owned(),
        name: "Tax".to_owned(),
        description: String::new(),
        position: 2,
        is_active: true,
    };
    scene
        .world
        .votes()
        .put_category(By::Operator, &tax)
        .await
        .unwrap();
    let mut browser = scene.world.signed_in("editor").await;
    let address = scene.address("category");
    let page = browser.get(&address).await;
    assert!(
        page.has("value=\"health\" selected") && !page.has("name=\"party\""),
        "{}",
        page.text
    );
    let wrong = browser
        .send(&address, &address, &[("category", "<nothing>")])
        .await;
    assert!(
        wrong.status == 422 && wrong.has("There is no such category"),
        "{}",
        wrong.text
    );
    assert_eq!(
        browser
            .send(&address, &address, &[("category", "tax")])
            .await
            .status,
        303
    );
    let shown = scene.world.votes().page(scene.policy).await.unwrap();
    assert_eq!(shown.page.category, "tax");
    assert!(scene.is_logged("place_policy", "tax").await);
}

#[tokio::test]
async fn what_is_missing_of_an_official_word_is_told() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("speaker").await;
    let address = scene.address("official");
    let none = browser
        .send(&address, &address, &[("text", "Something")])
        .await;
    assert!(
        none.status == 422 && none.has("Choose what you publish") && none.has("Something"),
        "{}",
        none.text
    );
    let empty = browser
        .send(&address, &address, &[("kind", "response"), ("text", "")])
        .await;
    assert!(
        empty.status == 422 && empty.has("href=\"#f-text\""),
        "{}",
        empty.text
    );
    let no_day = [
        ("kind", "milestone"),
        ("day", "2026-02-30"),
        ("text", "The last trip"),
    ];
    let no_day = browser.send(&address, &address, &no_day).await;
    assert!(no_day.status == 422 && no_day.has("Write the day as") && no_day.has("The last trip"));
    let shown = scene.world.votes().page(scene.policy).await.unwrap();
    assert!(
        scene
            .world
            .votes()
            .progress(&shown)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_council_responds_says_how_far_it_is_and_names_a_day() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("speaker").await;
    let desk = browser.get("/desk").await;
    assert!(desk.has("Respond to Close the old ferry"), "{}", desk.text);
    let address = scene.address("official");
    let all = [
        vec![("kind", "response"), ("text", "We shall **look** at it.")],
        vec![("kind", "status"), ("status", "planned"), ("text", "")],
        vec![
            ("kind", "milestone"),
            ("day", "2027-03-01"),
            ("text", "The last trip"),
        ],
    ];
    let said = || async {
        let shown = scene.world.votes().page(scene.policy).await.unwrap();
        scene.world.votes().progress(&shown).await.unwrap()
    };
    for (count, fields) in (1..).zip(&all) {
        let page = browser.get(&address).await;
        let (token, request) = (page.field("csrf"), page.field("request"));
        let fields = [
            &[("csrf", token.as_str()), ("request", &request)],
            fields.as_slice(),
        ]
        .concat();
        for _ in 0..2 {
            let done = browser.post(&address, &fields).await;
            assert_eq!(
                done.location,
                format!("{address}?done=published"),
                "{}",
                done.text
            );
        }
        assert_eq!(said().await.len(), count);
        scene.world.clock.advance(std::time::Duration::from_secs(1));
    }
    assert!(
        said()
            .await
            .iter()
            .any(|it| it.kind == ProgressKind::Response)
    );
    let page = scene
        .world
        .browser()
        .get(&format!("/policies/{}/x", scene.policy))
        .await;
    assert!(
        page.has("We shall <strong>look</strong> at it.") && page.has("Planned"),
        "{}",
        page.text
    );
    assert!(page.has("The last trip") && page.has("1 March 2027"));
    let desk = browser.get("/desk").await;
    assert!(desk.has("all have an official response"), "{}", desk.text);
}
