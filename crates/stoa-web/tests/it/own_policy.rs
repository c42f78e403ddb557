//! What owners and others do to a policy: edit, tag, close, answer a merge, report.

use std::collections::BTreeSet;
use std::time::Duration;

use stoa_votes::model::{NewPage, PolicyId, PolicyState, PolicyText, Role, Target};
use stoa_votes::ops::account::Account;

use crate::world::{Browser, Page, World};

struct Scene {
    world: World,
    ada: Account,
    policy: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.member("ben").await;
    world.member("cleo").await;
    let policy = world.policy(ada, "Night buses until two").await;
    Scene { world, ada, policy }
}

impl Scene {
    fn path(&self, what: &str) -> String {
        format!("/policies/{}/-/{what}", self.policy)
    }

    /// Sends a form of a page of the policy with everything unseen that the page has.
    async fn send(&self, browser: &mut Browser<'_>, what: &str, fields: &[(&str, &str)]) -> Page {
        let path = self.path(what);
        let page = browser.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let mut all = vec![("csrf".to_owned(), page.field("csrf"))];
        for name in ["request", "seen", "price"] {
            if page.has(&format!("name=\"{name}\" value=\"")) {
                all.push((name.to_owned(), page.field(name)));
            }
        }
        let all: Vec<(&str, &str)> = all.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        browser.post(&path, &[&all[..], fields].concat()).await
    }

    async fn title(&self) -> String {
        self.world
            .votes()
            .page(self.policy)
            .await
            .unwrap()
            .page
            .title
    }

    async fn tags(&self) -> Vec<String> {
        let tags = self.world.votes().tags_of(self.policy).await.unwrap();
        tags.into_iter().map(|it| it.name).collect()
    }
}

const EDITED: [(&str, &str); 3] = [
    ("title", "Night buses until three"),
    ("text", "Why: <b>later</b> is *better*."),
    ("links", "https://example.org/one\nhttps://example.org/two"),
];

#[tokio::test]
async fn an_owner_sees_what_changes_and_then_saves_it() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("ada").await;
    let form = browser.get(&scene.path("edit")).await;
    assert!(form.has("Why: *Night buses until two*."), "{}", form.text);
    let fields = [&EDITED[..], &[("do", "preview")]].concat();
    let preview = scene.send(&mut browser, "edit", &fields).await;
    assert_eq!(preview.status, 200);
    let title = "<del>Night buses until two</del> <ins>Night buses until three</ins>";
    assert!(preview.has(title), "{}", preview.text);
    assert!(preview.has("<em>better</em>") && !preview.has("<b>later"));
    assert!(preview.has("value=\"Night buses until three\""));
    assert_eq!(scene.title().await, "Night buses until two");

    let fields = [&EDITED[..], &[("note", "an hour more"), ("do", "save")]].concat();
    let saved = scene.send(&mut browser, "edit", &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let page = browser.get(&saved.location).await;
    assert!(page.has("The new version is saved."), "{}", page.text);
    assert!(page.has("Night buses until three") && page.has("Version 2"));
    assert!(
        browser
            .get(&scene.path("versions"))
            .await
            .has("an hour more")
    );
}

#[tokio::test]
async fn what_is_wrong_with_an_edit_is_told_and_nothing_is_written() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("ada").await;
    let long = "x".repeat(201);
    for (fields, told) in [
        ([("title", "No"), ("text", "typed here")], "#f-title"),
        (
            [("title", "Night buses"), ("links", "javascript:alert(1)")],
            "#f-links",
        ),
        ([("title", "Night buses"), ("note", &long)], "#f-note"),
    ] {
        for action in ["preview", "save"] {
            let fields = [&fields[..], &[("do", action)]].concat();
            let page = scene.send(&mut browser, "edit", &fields).await;
            assert_eq!(page.status, 422);
            assert!(page.has(told), "{told}: {}", page.text);
            let (name, value) = fields[1];
            assert!(page.has(value), "{name} is kept");
        }
    }
    let same = [
        ("title", "Night buses until two"),
        ("text", "Why: *Night buses until two*."),
        ("links", "https://example.org/more"),
        ("do", "save"),
    ];
    let page = scene.send(&mut browser, "edit", &same).await;
    assert!(page.status == 422 && page.has("#f-text"), "{}", page.text);
    assert_eq!(
        scene
            .world
            .votes()
            .versions(scene.policy)
            .await
            .unwrap()
            .len(),
        1
    );
    for name in ["ben", "cleo"] {
        let mut other = scene.world.signed_in(name).await;
        assert_eq!(other.get(&scene.path("edit")).await.status, 403);
        let token = other.get("/help").await.field("csrf");
        let fields = [&[("csrf", token.as_str()), ("do", "save")], &EDITED[..]].concat();
        assert_eq!(other.post(&scene.path("edit"), &fields).await.status, 403);
    }
    assert_eq!(scene.title().await, "Night buses until two");
}

#[tokio::test]
async fn two_who_edit_at_once_see_each_other() {
    let scene = scene().await;
    let cleo = scene.world.votes().tables().users.people().await.unwrap();
    let cleo = cleo.iter().find(|it| it.name == "cleo").unwrap().user;
    scene.world.grant(cleo, Role::EditPolicies).await;
    let mut ada = scene.world.signed_in("ada").await;
    let mut cleo = scene.world.signed_in("cleo").await;
    let opened = ada.get(&scene.path("edit")).await;
    let theirs = [
        ("title", "Night buses until one"),
        ("text", "Other words."),
        ("do", "save"),
    ];
    assert_eq!(scene.send(&mut cleo, "edit", &theirs).await.status, 303);
    let (token, request, seen) = (
        opened.field("csrf"),
        opened.field("request"),
        opened.field("seen"),
    );
    let carried = [
        ("csrf", token.as_str()),
        ("request", &request),
        ("seen", &seen),
    ];
    let fields = [&carried[..], &EDITED[..], &[("do", "save")]].concat();
    let conflict = ada.post(&scene.path("edit"), &fields).await;
    assert_eq!(conflict.status, 409);
    assert!(conflict.has("Changed meanwhile"), "{}", conflict.text);
    assert!(conflict.has("<del>Night buses until one</del>"));
    assert!(conflict.has("value=\"Night buses until three\""));
    assert_eq!(scene.title().await, "Night buses until one");
    let (request, seen) = (conflict.field("request"), conflict.field("seen"));
    let carried = [
        ("csrf", token.as_str()),
        ("request", &request),
        ("seen", &seen),
    ];
    let fields = [&carried[..], &EDITED[..], &[("do", "save")]].concat();
    assert_eq!(ada.post(&scene.path("edit"), &fields).await.status, 303);
    assert_eq!(scene.title().await, "Night buses until three");
}

#[tokio::test]
async fn owners_tag_and_two_others_together_do_too() {
    let scene = scene().await;
    let mut ada = scene.world.signed_in("ada").await;
    let (mut ben, mut cleo) = (
        scene.world.signed_in("ben").await,
        scene.world.signed_in("cleo").await,
    );
    let done = scene
        .send(&mut ada, "tags", &[("do", "add"), ("tag", "buses")])
        .await;
    assert!(done.location.ends_with("?done=added"), "{}", done.text);
    assert_eq!(scene.tags().await, ["buses"]);
    let bad = [("do", "add"), ("tag", "<script>alert(1)</script>")];
    let page = scene.send(&mut ada, "tags", &bad).await;
    assert!(page.status == 422 && page.has("#f-tag") && !page.has("<script>alert"));

    let suggest = [("do", "add"), ("tag", "night life")];
    let noted = scene.send(&mut ben, "tags", &suggest).await;
    assert!(
        noted.location.ends_with("?done=suggested"),
        "{}",
        noted.text
    );
    assert_eq!(scene.tags().await, ["buses"]);
    let page = ben.get(&scene.path("tags")).await;
    assert!(
        page.has("night life") && page.has("Take back"),
        "{}",
        page.text
    );
    let page = cleo.get(&scene.path("tags")).await;
    assert!(page.has("I agree: night life"), "{}", page.text);
    let applied = scene.send(&mut cleo, "tags", &suggest).await;
    assert!(applied.location.ends_with("?done=applied"));
    assert_eq!(scene.tags().await, ["buses", "night life"]);
}

#[tokio::test]
async fn a_suggestion_is_taken_back_by_its_author_and_a_tag_taken_off_by_the_owner() {
    let scene = scene().await;
    let mut ada = scene.world.signed_in("ada").await;
    let (mut ben, mut cleo) = (
        scene.world.signed_in("ben").await,
        scene.world.signed_in("cleo").await,
    );
    scene
        .send(&mut ada, "tags", &[("do", "add"), ("tag", "buses")])
        .await;
    scene
        .send(&mut ben, "tags", &[("do", "add"), ("tag", "late")])
        .await;
    let late = scene
        .world
        .votes()
        .tag_suggestions(scene.policy)
        .await
        .unwrap();
    let id = late[0].tag.to_string();
    let back = [("do", "withdraw"), ("id", id.as_str()), ("kind", "add")];
    scene.send(&mut cleo, "tags", &back).await;
    assert_eq!(
        scene
            .world
            .votes()
            .tag_suggestions(scene.policy)
            .await
            .unwrap()
            .len(),
        1
    );
    scene.send(&mut ben, "tags", &back).await;
    assert!(
        scene
            .world
            .votes()
            .tag_suggestions(scene.policy)
            .await
            .unwrap()
            .is_empty()
    );
    let tag = scene
        .world
        .votes()
        .find_tag("buses")
        .await
        .unwrap()
        .unwrap();
    let id = tag.id.to_string();
    scene
        .send(&mut ada, "tags", &[("do", "remove"), ("id", &id)])
        .await;
    assert!(scene.tags().await.is_empty());
}

#[tokio::test]
async fn an_owner_closes_a_policy_for_its_price_while_nobody_else_votes() {
    let scene = scene().await;
    let mut ada = scene.world.signed_in("ada").await;
    let mut ben = scene.world.signed_in("ben").await;
    assert_eq!(ben.get(&scene.path("withdraw")).await.status, 403);
    let form = ada.get(&scene.path("withdraw")).await;
    assert!(form.has("Close policy, burn 50"), "{}", form.text);
    let empty = scene.send(&mut ada, "withdraw", &[("reason", " ")]).await;
    assert!(
        empty.status == 422 && empty.has("#f-reason"),
        "{}",
        empty.text
    );
    let state = async || {
        let shown = scene.world.votes().page(scene.policy).await.unwrap();
        shown.standing.state
    };
    let token = form.field("csrf");
    let unpriced = [
        ("csrf", token.as_str()),
        ("reason", "it is done"),
        ("price", "0"),
    ];
    let page = ada.post(&scene.path("withdraw"), &unpriced).await;
    assert_eq!(page.status, 409);
    assert!(page.has("it is done") && page.has("burn 50"));
    assert_eq!(state().await, PolicyState::Active);
    let done = scene
        .send(&mut ada, "withdraw", &[("reason", "it is done")])
        .await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert_eq!(state().await, PolicyState::Withdrawn);
    let page = ben.get(&done.location).await;
    assert!(
        page.has("Ended on 16 November 2026 by @ada.") && page.has("Reason: it is done"),
        "{}",
        page.text
    );
    let balance = scene
        .world
        .votes()
        .statement(scene.ada)
        .await
        .unwrap()
        .balance;
    assert_eq!(balance, 50);
}

#[tokio::test]
async fn a_policy_that_others_vote_for_is_not_closed_by_its_owner() {
    let scene = scene().await;
    let mut ben = scene.world.signed_in("ben").await;
    let page = ben.get(&format!("/policies/{}/x", scene.policy)).await;
    let (token, basis) = (page.field("csrf"), page.field("basis"));
    let fields = [("csrf", token.as_str()), ("basis", &basis), ("add", "10")];
    assert_eq!(ben.post(&scene.path("votes"), &fields).await.status, 303);
    scene.world.votes().refresh_board().await.unwrap();
    let mut ada = scene.world.signed_in("ada").await;
    assert!(
        ada.get(&scene.path("withdraw"))
            .await
            .has("Others have votes on this policy")
    );
    let page = scene
        .send(&mut ada, "withdraw", &[("reason", "why not")])
        .await;
    assert_eq!(page.status, 422);
    assert!(page.has("#f-reason") && page.has("why not"));
    let shown = scene.world.votes().page(scene.policy).await.unwrap();
    assert_eq!(shown.standing.state, PolicyState::Active);
}

/// A merge of the policy with another one, which owners are asked about.
async fn proposed(scene: &Scene) -> (PolicyId, uuid::Uuid) {
    let world = &scene.world;
    let dora = world.member("dora").await;
    let other = world.policy(dora, "Night trams until two").await;
    let moderator = world.member("moderator-one").await;
    world.grant(moderator.user, Role::MergePolicies).await;
    let page = NewPage {
        text: PolicyText {
            title: "Night service until two".to_owned(),
            description: "Buses *and* trams.".to_owned(),
            links: Vec::new(),
        },
        category: "health".to_owned(),
        party: None,
    };
    let by = stoa_votes::model::By::User(moderator.user);
    let sources = BTreeSet::from([scene.policy, other]);
    let proposal = world
        .votes()
        .propose_merge(by, world.request(), &sources, &page);
    (other, proposal.await.unwrap().id)
}

#[tokio::test]
async fn owners_agree_to_a_merge_and_then_it_is_done() {
    let scene = scene().await;
    let (other, id) = proposed(&scene).await;
    let mut ada = scene.world.signed_in("ada").await;
    let page = ada.get(&format!("/policies/{}/x", scene.policy)).await;
    assert!(page.has("Read it, and agree or object"), "{}", page.text);
    let page = ada.get(&scene.path("consent")).await;
    assert!(page.has("Into: Night service until two") && page.has("Night trams until two"));
    assert!(
        page.has("<em>and</em>") && page.has("23 November 2026"),
        "{}",
        page.text
    );
    // Whoever owns none of them is shown no button, and is refused.
    let id = id.to_string();
    let mut ben = scene.world.signed_in("ben").await;
    assert!(!ben.get(&scene.path("consent")).await.has("name=\"do\""));
    let agree = [("proposal", id.as_str()), ("do", "agree")];
    assert_eq!(scene.send(&mut ben, "consent", &agree).await.status, 403);
    let agreed = scene.send(&mut ada, "consent", &agree).await;
    assert!(
        agreed.location.ends_with("/consent?done=agreed"),
        "{}",
        agreed.text
    );
    let mut dora = scene.world.signed_in("dora").await;
    let path = format!("/policies/{other}/-/consent");
    let done = dora.send(&path, &path, &agree).await;
    assert!(done.location.starts_with("/policies/"), "{}", done.text);
    let target = dora.get(&done.location).await;
    assert!(target.has("Night service until two"), "{}", target.text);
}

#[tokio::test]
async fn an_owner_objects_with_a_reason() {
    let scene = scene().await;
    let (_, id) = proposed(&scene).await;
    let id = id.to_string();
    let mut ada = scene.world.signed_in("ada").await;
    let object = |why| [("proposal", id.as_str()), ("do", "object"), ("why", why)];
    let page = scene.send(&mut ada, "consent", &object("")).await;
    assert!(page.status == 422 && page.has("#f-why"), "{}", page.text);
    let done = scene
        .send(&mut ada, "consent", &object("they are not alike"))
        .await;
    assert!(done.location.ends_with("?done=objected"), "{}", done.text);
    let page = ada.get(&done.location).await;
    assert!(page.has("You have objected.") && page.has("No merge of this policy"));
    let agree = [("proposal", id.as_str()), ("do", "agree")];
    assert_eq!(scene.send(&mut ada, "consent", &agree).await.status, 409);
}

#[tokio::test]
async fn everything_that_can_be_reported_is_reported_once_with_a_reason() {
    let scene = scene().await;
    let mut ada = scene.world.signed_in("ada").await;
    let mut ben = scene.world.signed_in("ben").await;
    scene
        .send(&mut ada, "tags", &[("do", "add"), ("tag", "buses")])
        .await;
    let tag = scene
        .world
        .votes()
        .find_tag("buses")
        .await
        .unwrap()
        .unwrap();
    let form = ben.get(&scene.path("report")).await;
    assert!(form.has("Report: Night buses until two"), "{}", form.text);
    let targets = [
        Target::Policy(scene.policy),
        Target::Tag(tag.id.0),
        Target::User(scene.ada.user),
    ];
    for target in targets {
        let (kind, of) = (target.kind().name(), target.id().to_string());
        let page = format!("/report?kind={kind}&of={of}");
        let fields = [("kind", kind), ("of", of.as_str()), ("words", "kept words")];
        let unchosen = ben.send(&page, "/report", &fields).await;
        assert!(
            unchosen.status == 422 && unchosen.has("#f-reason"),
            "{}",
            unchosen.text
        );
        assert!(unchosen.has("kept words"));
        let other = [&fields[..2], &[("reason", "other")]].concat();
        let wordless = ben.send(&page, "/report", &other).await;
        assert!(wordless.status == 422 && wordless.has("#f-words"));
        let reports = &scene.world.votes().tables().talk.reports;
        assert!(reports.list(target).await.unwrap().is_empty());
        let fields = [&fields[..], &[("reason", "abuse")]].concat();
        for _ in 0..2 {
            let sent = ben.send(&page, "/report", &fields).await;
            assert!(sent.location.ends_with("&sent=1"), "{}", sent.text);
            assert!(
                ben.get(&sent.location)
                    .await
                    .has("Your report is with the moderators")
            );
        }
        let list = reports.list(target).await.unwrap();
        assert_eq!((list.len(), list[0].words.as_str()), (1, "kept words"));
        scene.world.clock.advance(Duration::from_secs(1));
    }
    // One's own doing, and what is not there.
    let fields = [("kind", "policy"), ("reason", "spam")];
    let of = scene.policy.to_string();
    let own = [&fields[..], &[("of", of.as_str())]].concat();
    let page = ada.send(&scene.path("report"), "/report", &own).await;
    assert_eq!(page.status, 403);
    for path in [
        "/report",
        "/report?kind=access&of=00000000-0000-1000-8000-000000000001",
    ] {
        assert_eq!(ben.get(path).await.status, 404, "{path}");
    }
}
