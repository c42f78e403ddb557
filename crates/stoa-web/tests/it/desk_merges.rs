//! The merge workbench: choosing, counting, asking owners, calling off.

use std::time::Duration;

use stoa_votes::model::{PolicyId, Role};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Ask, Request};
use uuid::Uuid;

use crate::world::{Browser, Page, World};

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    crossing: PolicyId,
    wardens: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let mona = world.member("mona").await;
    world.grant(mona.user, Role::MergePolicies).await;
    let crossing = world.policy(ada, "Safe crossing at every school").await;
    world.clock.advance(Duration::from_secs(1));
    let wardens = world.policy(ben, "Bring back the wardens").await;
    Scene {
        world,
        ada,
        ben,
        crossing,
        wardens,
    }
}

impl Scene {
    fn both(&self) -> [String; 2] {
        [self.crossing.to_string(), self.wardens.to_string()]
    }

    async fn count_people(&self) {
        self.world.votes().measure().await.unwrap();
        self.world.votes().refresh_board().await.unwrap();
    }

    /// A week later Ben votes for the other policy too.
    async fn ben_is_for_both(&self) {
        let basis = self.world.votes().statement(self.ben).await.unwrap().basis;
        self.world.clock.advance(Duration::from_secs(7 * 86_400));
        let request = Request {
            id: self.world.request(),
            basis,
            ask: Ask::Move([(self.crossing, 30)].into()),
            actor: self.ben.user,
        };
        let accepted = self.world.votes().submit(self.ben, &request).await.unwrap();
        self.world
            .votes()
            .sync(self.ben.user, accepted)
            .await
            .unwrap();
    }

    async fn open(&self) -> usize {
        self.world.votes().open_proposals().await.unwrap().len()
    }

    /// Proposes to merge both, by the form.
    async fn propose(&self, browser: &mut Browser<'_>) -> Page {
        let [one, other] = self.both();
        let page = browser.get("/desk/merges/new").await;
        let (token, request) = (page.field("csrf"), page.field("request"));
        let fields = [
            ("csrf", token.as_str()),
            ("request", &request),
            ("src", &one),
            ("src", &other),
            ("title", "A safe way to school"),
            ("text", "Both ask for **the same**."),
            ("category", "health"),
            ("do", "propose"),
        ];
        let first = browser.post("/desk/merges/new", &fields).await;
        // Sent twice it is one proposal.
        let again = browser.post("/desk/merges/new", &fields).await;
        assert_eq!(
            (first.status, &first.location),
            (303, &again.location),
            "{}",
            first.text
        );
        first
    }
}

#[tokio::test]
async fn the_workbench_counts_votes_once_and_people_once() {
    let scene = scene().await;
    scene.count_people().await;
    scene.ben_is_for_both().await;
    scene.count_people().await;
    let mut browser = scene.world.signed_in("mona").await;
    let empty = browser.get("/desk/merges/new").await;
    assert!(
        empty.has("Nothing chosen yet") && empty.has("Choose two or more"),
        "{}",
        empty.text
    );
    let one = browser
        .get(&format!("/desk/merges/new?src={}", scene.crossing))
        .await;
    assert!(one.has("Safe crossing at every school") && one.has("Choose two or more"));
    // An address adds what it is of, and what was typed stays.
    let address = format!("http://localhost/policies/{}/bring-back", scene.wardens);
    let chosen = scene.crossing.to_string();
    let fields = [
        ("src", chosen.as_str()),
        ("add", &address),
        ("title", "A safe way <to> school"),
        ("do", "look"),
    ];
    let both = browser
        .send("/desk/merges/new", "/desk/merges/new", &fields)
        .await;
    assert_eq!(both.status, 200);
    assert!(both.has("130 + 100 = <b>230</b>"), "{}", both.text);
    assert!(both.has("2 + 1 − 1 twice = <b>2</b>"), "{}", both.text);
    assert!(
        both.has("1 and 2 → <b>1</b>") && both.has("@ada, @ben"),
        "{}",
        both.text
    );
    assert!(both.has("value=\"A safe way &lt;to&gt; school\""));
    assert_eq!(both.text.matches("name=\"src\"").count(), 2);
    assert_eq!(scene.open().await, 0);
    let nothing = [("add", "nothing like this"), ("do", "look")];
    let page = browser
        .send("/desk/merges/new", "/desk/merges/new", &nothing)
        .await;
    assert!(
        page.has("No policy found for “nothing like this”"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_merge_is_proposed_and_done_when_the_owners_agree() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("mona").await;
    let proposed = scene.propose(&mut browser).await;
    let page = browser.get(&proposed.location).await;
    assert!(
        page.has("The owners are asked.") && page.has("Owners are asked"),
        "{}",
        page.text
    );
    assert!(page.has("0 of 2 owners agreed") && page.has("Both ask for <strong>the same</strong>"));
    assert!(page.has("23 November 2026"));
    assert!(
        browser
            .get("/desk/merges")
            .await
            .has("A safe way to school")
    );
    let id = proposed
        .location
        .replace("/desk/merges/", "")
        .replace("?done=proposed", "");
    let id = Uuid::try_parse(&id).unwrap();
    let votes = scene.world.votes();
    votes.agree_to_merge(scene.ada.user, id).await.unwrap();
    assert!(
        browser
            .get(&proposed.location)
            .await
            .has("1 of 2 owners agreed")
    );
    votes.agree_to_merge(scene.ben.user, id).await.unwrap();
    let done = browser.get(&proposed.location).await;
    assert!(
        done.has("The new policy") && !done.has("Call the merge off"),
        "{}",
        done.text
    );
    let list = browser.get("/desk/merges").await;
    assert!(
        list.has("No merge is under way") && list.has("Proposed in 2026"),
        "{}",
        list.text
    );
}

#[tokio::test]
async fn an_objection_is_shown_and_a_merge_can_be_called_off() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("mona").await;
    let first = scene.propose(&mut browser).await.location;
    let address = first.replace("?done=proposed", "");
    let off = browser.send(&address, &address, &[]).await;
    assert_eq!(off.location, "/desk/merges?done=withdrawn");
    assert!(
        browser
            .get(&off.location)
            .await
            .has("The merge is called off.")
    );
    assert!(browser.get(&address).await.has("Called off"));
    assert_eq!(scene.open().await, 0);
    let second = scene
        .propose(&mut browser)
        .await
        .location
        .replace("?done=proposed", "");
    assert_ne!(second, address);
    let id = Uuid::try_parse(&second.replace("/desk/merges/", "")).unwrap();
    let objected = scene
        .world
        .votes()
        .object_to_merge(scene.ben.user, id, "Mine is <different>");
    objected.await.unwrap();
    let page = browser.get(&second).await;
    assert!(
        page.has("An owner objected") && page.has("Mine is &lt;different&gt;"),
        "{}",
        page.text
    );
    // Too late to call it off.
    let late = browser.send("/desk", &second, &[]).await;
    assert_eq!(late.status, 409, "{}", late.text);
}

#[tokio::test]
async fn what_is_wrong_with_a_proposal_is_told_and_nobody_is_asked() {
    let scene = scene().await;
    let mut browser = scene.world.signed_in("mona").await;
    let one = scene.crossing.to_string();
    let fields = [
        ("src", one.as_str()),
        ("title", "A safe way to school"),
        ("category", "health"),
        ("do", "propose"),
    ];
    let alone = browser
        .send("/desk/merges/new", "/desk/merges/new", &fields)
        .await;
    assert_eq!(alone.status, 422);
    assert!(
        alone.has("A merge is of 2 to 20 policies"),
        "{}",
        alone.text
    );
    assert!(alone.has("value=\"A safe way to school\""));
    let long = "x".repeat(30_000);
    let [one, other] = scene.both();
    let fields = [
        ("src", one.as_str()),
        ("src", &other),
        ("title", "Safe school"),
        ("text", &long),
        ("category", "health"),
        ("do", "propose"),
    ];
    let long = browser
        .send("/desk/merges/new", "/desk/merges/new", &fields)
        .await;
    assert_eq!(long.status, 422);
    assert!(long.has("href=\"#f-text\""), "{:.500}", long.text);
    let fields = [
        ("src", one.as_str()),
        ("src", &other),
        ("title", "Safe school"),
        ("category", "none"),
        ("do", "propose"),
    ];
    let nowhere = browser
        .send("/desk/merges/new", "/desk/merges/new", &fields)
        .await;
    assert!(nowhere.has("There is no such category"), "{}", nowhere.text);
    assert_eq!(scene.open().await, 0);
    let mut member = scene.world.signed_in("ada").await;
    assert_eq!(member.get("/desk/merges/new").await.status, 403);
}
