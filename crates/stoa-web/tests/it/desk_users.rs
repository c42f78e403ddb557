//! The desk of accounts: finding one, its signs, ending it.

use stoa_votes::model::{Role, UserId, UserState};
use stoa_votes::ops::account::Account;
use stoa_votes::rules::signals::{Signal, SignalKind};

use crate::world::{MONDAY, World};

struct Scene {
    world: World,
    ada: Account,
    twin: Account,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, twin) = (world.member("ada").await, world.member("twin").await);
    for (name, role) in [("una", Role::EditUsers), ("judge", Role::HandleReports)] {
        let account = world.member(name).await;
        world.grant(account.user, role).await;
    }
    Scene { world, ada, twin }
}

impl Scene {
    /// Signs that open a case about the twin.
    async fn suspect(&self) {
        let kinds = [
            (SignalKind::SimilarVotes, self.ada.user.to_string()),
            (SignalKind::SimilarVotes, "another".to_owned()),
            (SignalKind::DisposableEmail, "mailinator.com".to_owned()),
        ];
        for (kind, about) in kinds {
            let signal = Signal { kind, about };
            let votes = self.world.votes();
            votes.record_signal(self.twin.user, &signal).await.unwrap();
        }
    }

    async fn state(&self, user: UserId) -> UserState {
        let user = self.world.votes().tables().users.read(user).await.unwrap();
        user.unwrap().state
    }
}

#[tokio::test]
async fn an_account_is_found_by_its_name_and_by_its_address_for_those_who_may() {
    let scene = scene().await;
    let address = format!("/desk/users/{}", scene.ada.user);
    let mut una = scene.world.signed_in("una").await;
    assert_eq!(una.get("/desk/users?q=ADA").await.location, address);
    assert_eq!(
        una.get("/desk/users?q=ada%40example.org").await.location,
        address
    );
    let nobody = una.get("/desk/users?q=%3Cscript%3E").await;
    assert!(
        nobody.has("Nobody is called “&lt;script&gt;”"),
        "{}",
        nobody.text
    );
    let mut judge = scene.world.signed_in("judge").await;
    assert_eq!(judge.get("/desk/users?q=ada").await.location, address);
    // Who has which address is not for those who answer reports.
    let hidden = judge.get("/desk/users?q=ada%40example.org").await;
    assert!(
        hidden.status == 200 && hidden.has("Nobody is called"),
        "{}",
        hidden.text
    );
    let page = judge.get(&address).await;
    assert!(
        page.has("Member @ada") && !page.has("ada@example.org"),
        "{}",
        page.text
    );
    assert!(!page.has("Void") && !page.has("sign_ins=1"));
    assert_eq!(
        judge
            .send(&address, &address, &[("do", "void")])
            .await
            .status,
        403
    );
    let nothing = "/desk/users/00000000-0000-1000-8000-000000000001";
    assert_eq!(una.get(nothing).await.status, 404);
}

#[tokio::test]
async fn signs_of_a_second_account_are_listed_and_it_is_merged() {
    let scene = scene().await;
    scene.suspect().await;
    let mut una = scene.world.signed_in("una").await;
    let list = una.get("/desk/signals").await;
    let address = format!("/desk/users/{}", scene.twin.user);
    assert!(list.has(&address) && list.has("@twin"), "{}", list.text);
    let page = una.get(&address).await;
    assert!(
        page.has("Votes much alike") && page.has("mailinator.com"),
        "{}",
        page.text
    );
    assert!(page.has("Together 110 points") && page.has("@ada"));
    // That the account was looked at is in the audit log.
    let read = scene
        .world
        .votes()
        .tables()
        .audit
        .list(MONDAY)
        .await
        .unwrap();
    assert!(
        read.iter()
            .any(|it| it.action == "read_signals" && it.target == scene.twin.user.to_string())
    );
    let fields = [
        ("do", "merge"),
        ("into", "nobody-at-all"),
        ("merge_reason", "One person"),
    ];
    let refused = una.send(&address, &address, &fields).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.has("Tick the box first") && refused.has("Nobody has this name"),
        "{}",
        refused.text
    );
    assert!(refused.has("One person"));
    let same = [
        ("do", "merge"),
        ("into", "twin"),
        ("merge_reason", "One person"),
        ("merge_sure", "1"),
    ];
    assert!(
        una.send(&address, &address, &same)
            .await
            .has("merged into itself")
    );
    assert_eq!(scene.state(scene.twin.user).await, UserState::Active);
    let fields = [
        ("do", "merge"),
        ("into", "ada"),
        ("merge_reason", "One person"),
        ("merge_sure", "1"),
    ];
    let done = una.send(&address, &address, &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert_eq!(scene.state(scene.twin.user).await, UserState::Merged);
    assert_eq!(scene.state(scene.ada.user).await, UserState::Active);
    let page = una.get(&done.location).await;
    assert!(
        page.has("Merged into another account") && page.has("One person"),
        "{}",
        page.text
    );
    assert!(!page.has("name=\"into\""));
}

#[tokio::test]
async fn an_account_is_voided_with_a_reason_and_not_ones_own() {
    let scene = scene().await;
    let policy = scene.world.policy(scene.twin, "A policy of the twin").await;
    let mut una = scene.world.signed_in("una").await;
    let address = format!("/desk/users/{}", scene.twin.user);
    let sign_ins = una.get(&format!("{address}?sign_ins=1")).await;
    assert!(sign_ins.has("Sign-ins"), "{}", sign_ins.text);
    let short = [("do", "void"), ("void_reason", "x"), ("void_sure", "1")];
    let refused = una.send(&address, &address, &short).await;
    assert!(
        refused.status == 422 && refused.has("in 3 to 500 characters"),
        "{}",
        refused.text
    );
    let fields = [
        ("do", "void"),
        ("void_reason", "Bought votes"),
        ("void_sure", "1"),
    ];
    assert_eq!(una.send(&address, &address, &fields).await.status, 303);
    assert_eq!(scene.state(scene.twin.user).await, UserState::Voided);
    let total = scene
        .world
        .votes()
        .tables()
        .counts
        .total(policy)
        .await
        .unwrap();
    assert_eq!(total, Some(0));
    let log = scene
        .world
        .votes()
        .moderation_log(MONDAY, None, 9)
        .await
        .unwrap();
    assert!(
        log.entries
            .iter()
            .any(|it| it.action == "void_account" && it.reason == "Bought votes")
    );
    let page = una.get(&address).await;
    assert!(
        page.has("Bought votes") && page.has("Voided"),
        "{}",
        page.text
    );
    let una_user = scene
        .world
        .votes()
        .find_to_examine(stoa_votes::model::By::Operator, "una")
        .await;
    let own = format!("/desk/users/{}", una_user.unwrap().unwrap());
    let fields = [
        ("do", "void"),
        ("void_reason", "By mistake"),
        ("void_sure", "1"),
    ];
    let refused = una.send(&own, &own, &fields).await;
    assert!(
        refused.status == 422 && refused.has("your own account"),
        "{}",
        refused.text
    );
    assert_eq!(una.get("/desk").await.status, 200);
}
