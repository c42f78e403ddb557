//! The desk of tags: suggestions, and renaming, merging and deleting.

use stoa_votes::model::{PolicyId, Role, Tag};
use stoa_votes::ops::account::Account;

use crate::world::{MONDAY, World};

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    policy: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let tina = world.member("tina").await;
    world.grant(tina.user, Role::ModerateTags).await;
    let policy = world.policy(ada, "Trees on the market square").await;
    Scene {
        world,
        ada,
        ben,
        policy,
    }
}

impl Scene {
    async fn tag(&self, name: &str) -> Tag {
        let tagged = self
            .world
            .votes()
            .tag_policy(self.ada.user, self.policy, name);
        tagged.await.unwrap()
    }

    async fn names(&self) -> Vec<String> {
        let tags = self.world.votes().tags_of(self.policy).await.unwrap();
        tags.into_iter().map(|it| it.name).collect()
    }

    async fn logged(&self) -> Vec<String> {
        let log = self.world.votes().moderation_log(MONDAY, None, 100);
        let entries = log.await.unwrap().entries.into_iter();
        entries
            .map(|it| format!("{}: {}", it.action, it.reason))
            .collect()
    }
}

#[tokio::test]
async fn suggestions_are_followed_or_declined() {
    let scene = scene().await;
    let votes = scene.world.votes();
    scene.tag("shade").await;
    votes
        .suggest_tag(scene.ben.user, scene.policy, "green")
        .await
        .unwrap();
    let shade = votes.find_tag("shade").await.unwrap().unwrap();
    votes
        .suggest_untag(scene.ben.user, scene.policy, shade.id)
        .await
        .unwrap();
    let mut browser = scene.world.signed_in("tina").await;
    let page = browser.get("/desk/tags").await;
    assert!(
        page.has("put on “green”") && page.has("take off “shade”"),
        "{}",
        page.text
    );
    assert!(page.has("Trees on the market square") && page.has("@ben"));
    let policy = scene.policy.to_string();
    let suggested = votes.tag_suggestions(scene.policy).await.unwrap();
    let green = suggested
        .iter()
        .find(|it| it.name == "green")
        .unwrap()
        .tag
        .to_string();
    let fields = [
        ("policy", policy.as_str()),
        ("tag", &green),
        ("kind", "add"),
        ("name", "green"),
        ("do", "follow"),
    ];
    let done = browser.send("/desk/tags", "/desk/tags", &fields).await;
    assert_eq!(done.location, "/desk/tags?done=followed", "{}", done.text);
    let shade = shade.id.to_string();
    let fields = [
        ("policy", policy.as_str()),
        ("tag", &shade),
        ("kind", "remove"),
        ("do", "decline"),
    ];
    let done = browser.send("/desk/tags", "/desk/tags", &fields).await;
    assert_eq!(done.location, "/desk/tags?done=declined", "{}", done.text);
    assert_eq!(scene.names().await, ["green", "shade"]);
    let after = browser.get(&done.location).await;
    assert!(
        after.has("Declined.") && after.has("Nobody suggests a tag"),
        "{}",
        after.text
    );
    assert!(
        votes
            .tag_suggestions(scene.policy)
            .await
            .unwrap()
            .is_empty()
    );
    let broken = browser
        .send("/desk/tags", "/desk/tags", &[("policy", "x"), ("tag", "y")])
        .await;
    assert_eq!(broken.status, 400);
}

#[tokio::test]
async fn a_tag_is_found_and_renamed_and_the_log_says_so() {
    let scene = scene().await;
    let bike = scene.tag("bike").await;
    scene.tag("cycling").await;
    let mut browser = scene.world.signed_in("tina").await;
    let found = browser.get("/desk/tags?q=bike").await;
    let address = format!("/desk/tags/{}", bike.id);
    assert!(found.has(&address), "{}", found.text);
    assert!(
        browser
            .get("/desk/tags?q=zzz")
            .await
            .has("No tag begins so")
    );
    let short = [
        ("do", "rename"),
        ("name", "b"),
        ("rename_reason", "One word"),
    ];
    let refused = browser.send(&address, &address, &short).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.has("at least 2 characters") && refused.has("One word"),
        "{}",
        refused.text
    );
    let taken = [("do", "rename"), ("name", "Cycling"), ("rename_reason", "")];
    assert!(
        browser
            .send(&address, &address, &taken)
            .await
            .has("merge them instead")
    );
    let rename = [
        ("do", "rename"),
        ("name", "bicycle"),
        ("rename_reason", "The usual word"),
    ];
    let done = browser.send(&address, &address, &rename).await;
    assert_eq!(
        done.location,
        format!("{address}?done=done"),
        "{}",
        done.text
    );
    let page = browser.get(&done.location).await;
    assert!(
        page.has("Tag “bicycle”") && page.has("@tina"),
        "{}",
        page.text
    );
    let entry = "rename_tag: bike -> bicycle: The usual word".to_owned();
    let log = scene.logged().await;
    assert!(log.contains(&entry), "{log:?}");
}

#[tokio::test]
async fn a_tag_is_merged_into_another_and_deleted_and_the_log_says_so() {
    let scene = scene().await;
    let bike = scene.tag("bicycle").await;
    let cycling = scene.tag("cycling").await;
    let mut browser = scene.world.signed_in("tina").await;
    let address = format!("/desk/tags/{}", bike.id);
    let nowhere = [("do", "merge"), ("into", "nothing"), ("merge_reason", "")];
    assert!(
        browser
            .send(&address, &address, &nowhere)
            .await
            .has("There is no tag of this name")
    );
    let merge = [
        ("do", "merge"),
        ("into", "CYCLING"),
        ("merge_reason", "They are one"),
    ];
    let merged = browser.send(&address, &address, &merge).await;
    assert_eq!(merged.status, 303, "{}", merged.text);
    let page = browser.get(&address).await;
    assert!(
        page.has("It counts for") && !page.has("name=\"into\""),
        "{}",
        page.text
    );
    assert_eq!(scene.names().await, ["cycling"]);
    let other = format!("/desk/tags/{}", cycling.id);
    assert!(browser.get(&other).await.has("bicycle"));
    let unsure = [("do", "delete"), ("delete_reason", "Nobody needs it")];
    let refused = browser.send(&other, &other, &unsure).await;
    assert!(
        refused.status == 422 && refused.has("Tick the box first"),
        "{}",
        refused.text
    );
    assert_eq!(scene.names().await, ["cycling"]);
    let sure = [
        ("do", "delete"),
        ("delete_reason", "Nobody needs it"),
        ("sure", "1"),
    ];
    assert_eq!(browser.send(&other, &other, &sure).await.status, 303);
    assert!(browser.get(&other).await.has("its names are blocked"));
    assert!(scene.names().await.is_empty());
    let log = scene.logged().await;
    for entry in [
        "merge_tags: bicycle -> cycling: They are one",
        "delete_tag: cycling: Nobody needs it",
    ] {
        assert!(log.contains(&entry.to_owned()), "{log:?}");
    }
}

#[tokio::test]
async fn others_do_not_come_to_the_desk_of_tags() {
    let scene = scene().await;
    let tag = scene.tag("bike").await;
    let address = format!("/desk/tags/{}", tag.id);
    let mut ada = scene.world.signed_in("ada").await;
    let fields = [("do", "delete"), ("sure", "1")];
    assert_eq!(ada.get(&address).await.status, 403);
    assert_eq!(ada.send("/account", &address, &fields).await.status, 403);
    assert_eq!(scene.names().await, ["bike"]);
}
