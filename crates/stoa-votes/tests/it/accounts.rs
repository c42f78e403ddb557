//! Accounts: registering, confirming, signing in, names, roles, and the end.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{
    AccountRefusal, By, HappeningKind, NotDone, RequestId, Role, Target, TargetKind, UserId,
    UserState,
};
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::ops::submit::Ask;
use stoa_votes::rules::claims::{ClaimKind, ClaimState};
use stoa_votes::rules::names::name_key;
use stoa_votes::rules::secrets::{Secret, registered_user};
use stoa_votes::rules::signals::{Signal, SignalKind};
use stoa_votes::tables::outbox::Delivery;

use crate::place;
use crate::world::{MONDAY, World, instance};

pub(crate) const PASSWORD: &str = "correct horse";
const DAY: Duration = Duration::from_secs(86_400);

pub(crate) fn registration(world: &World, name: &str, email: &str) -> Registration {
    Registration {
        request: request(world),
        name: name.to_owned(),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
        origin: None,
    }
}

pub(crate) fn request(world: &World) -> RequestId {
    RequestId(world.ids.uuid())
}

pub(crate) fn home() -> Origin {
    Origin {
        address: [192, 0, 2, 77].into(),
        agent: "a browser".to_owned(),
    }
}

pub(crate) fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

/// The secret of a mail of a kind to somebody; the mail is then sent.
pub(crate) async fn secret_of_mail(world: &World, kind: &str, to: &str) -> Secret {
    let outbox = &world.votes.tables().outbox;
    let mut found = None;
    for day in MONDAY.through(MONDAY.plus(30)) {
        let pending = outbox.pending(day).await.unwrap();
        let mut pending = pending.into_iter();
        let last = pending.find(|mail| mail.kind == kind && mail.recipient == to);
        found = last.or(found);
    }
    let mail = found.unwrap();
    assert!(
        outbox
            .finish(mail.day, mail.id, Delivery::Sent)
            .await
            .unwrap()
    );
    Secret::shown(mail.fields.get("token").unwrap())
}

pub(crate) async fn join(world: &World, name: &str) -> UserId {
    let email = format!("{name}@example.org");
    let registration = registration(world, name, &email);
    let user = world.votes.register(&registration).await.unwrap();
    let secret = secret_of_mail(world, "verify_email", &email).await;
    let verified = world.votes.verify_email(&secret, request(world)).await;
    assert_eq!(verified.unwrap(), user);
    user
}

/// Who has a name, by its claim.
async fn owner(world: &World, name: &str) -> Option<UserId> {
    let claims = world.votes.tables().claims.of(ClaimKind::Name);
    let claim = claims.read(&name_key(name)).await.unwrap()?;
    claim.user
}

/// After the sweep: every claim is owned by who says so, or released; nobody is joining.
async fn assert_nothing_is_half(world: &World, users: &[UserId], at: &str) {
    let tables = world.votes.tables();
    let mut owned = Vec::new();
    for kind in [ClaimKind::Email, ClaimKind::Name] {
        for claim in tables.claims.of(kind).all().await.unwrap() {
            assert_ne!(claim.state, ClaimState::Reserved, "{at}: {claim:?}");
            if claim.state == ClaimState::Owned {
                let user = tables.users.read(claim.user.unwrap()).await.unwrap();
                let user = user.unwrap();
                assert_eq!(kind.key_of(&user), claim.key, "{at}");
                assert!(!user.state.has_ended(), "{at}: {user:?}");
                owned.push((kind, user.id));
            }
        }
    }
    for id in users {
        let Some(user) = tables.users.read(*id).await.unwrap() else {
            continue;
        };
        assert_eq!(user.attempt, None, "{at}");
        let claims = owned.iter().filter(|(_, owner)| owner == id).count();
        let expected = if user.state.has_ended() { 0 } else { 2 };
        assert_eq!(claims, expected, "{at}: {user:?}");
        if user.state.has_ended() {
            assert_eq!((user.name, user.email, user.password), Default::default());
        }
    }
}

#[tokio::test]
async fn a_user_registers_confirms_votes_and_leaves() {
    let world = World::new().await;
    let votes = &world.votes;
    let asked = registration(&world, "Ada", " Ada@Example.org ");
    let ada = votes.register(&asked).await.unwrap();
    assert_eq!(votes.register(&asked).await.unwrap(), ada);
    assert_eq!(code(votes.account(ada).await), "email_unverified");
    let secret = secret_of_mail(&world, "verify_email", "Ada@Example.org").await;
    assert_eq!(
        votes.verify_email(&secret, request(&world)).await.unwrap(),
        ada
    );
    let account = votes.account(ada).await.unwrap();
    assert_eq!(account.joined, MONDAY);
    let policy = world.create(account).await;
    assert_eq!(world.total(policy).await, 100);

    let (user, cookie) = votes
        .sign_in("ada@example.ORG", PASSWORD, &home())
        .await
        .unwrap();
    assert_eq!((user.id, user.name.as_str()), (ada, "Ada"));
    assert_eq!(votes.signed_in(&cookie).await.unwrap().id, ada);
    let records = votes.tables().logins.records(ada).await.unwrap();
    assert_eq!(records.first().unwrap().network, "192.0.2.0/24");

    world.wait(Duration::from_secs(1));
    votes.leave(ada).await.unwrap();
    assert_eq!(code(votes.leave(ada).await), "done");
    assert_eq!(code(votes.account(ada).await), "account_ended");
    assert_eq!(code(votes.signed_in(&cookie).await), "not_signed_in");
    assert_eq!(
        code(votes.sign_in("Ada", PASSWORD, &home()).await),
        "wrong_credentials"
    );
    assert_eq!(world.total(policy).await, 0);
    assert!(votes.tables().logins.records(ada).await.unwrap().is_empty());
    assert_nothing_is_half(&world, &[ada], "after leaving").await;
    let again = registration(&world, "ADA", "ada@example.org");
    assert_eq!(code(votes.register(&again).await), "name_taken");
    world.wait(DAY * 91);
    assert_eq!(code(votes.register(&again).await), "done");
    world.assert_books_balance().await;
}

#[tokio::test]
async fn every_refusal_of_a_registration_has_its_code() {
    let world = World::new().await;
    join(&world, "alice").await;
    for (name, email, password, expected) in [
        ("al", "b@example.org", PASSWORD, "name_too_short"),
        ("a l i", "b@example.org", PASSWORD, "name_bad_character"),
        ("Admin", "b@example.org", PASSWORD, "name_reserved"),
        ("ALICE", "b@example.org", PASSWORD, "name_taken"),
        ("a1ice", "b@example.org", PASSWORD, "name_looks_alike"),
        ("аlісе", "b@example.org", PASSWORD, "name_looks_alike"),
        ("ben", "nowhere", PASSWORD, "email_invalid"),
        ("ben", "ALICE@example.org", PASSWORD, "email_taken"),
        ("ben", "b@example.org", "short", "password_too_short"),
        ("ben", "b@example.org", "password", "password_too_common"),
        ("ben", "b@example.org", PASSWORD, "done"),
    ] {
        let mut asked = registration(&world, name, email);
        asked.password = password.to_owned();
        assert_eq!(
            code(world.votes.register(&asked).await),
            expected,
            "{name} {email}"
        );
    }
    let mut asked = registration(&world, "carol", "c@example.org");
    assert_eq!(code(world.votes.register(&asked).await), "done");
    asked.name = "Caroline".to_owned();
    assert_eq!(code(world.votes.register(&asked).await), "request_reused");
    world.votes.sweep_claims().await.unwrap();
    assert_nothing_is_half(&world, &[], "after refusals").await;
}

#[tokio::test]
async fn an_unknown_user_and_a_wrong_password_are_refused_alike() {
    let world = World::new().await;
    join(&world, "alice").await;
    let long = "x".repeat(100_000);
    for (name, password) in [
        ("alice", "wrong horse"),
        ("alice", long.as_str()),
        ("nobody1", PASSWORD),
        ("", PASSWORD),
        (long.as_str(), PASSWORD),
        ("none@example.org", PASSWORD),
    ] {
        let refused = world
            .votes
            .sign_in(name, password, &home())
            .await
            .unwrap_err();
        let expected = NotDone::from(AccountRefusal::WrongCredentials);
        assert_eq!(refused.to_string(), expected.to_string());
        assert_eq!(refused.code(), "wrong_credentials");
    }
    let (_, cookie) = world
        .votes
        .sign_in("Alice", PASSWORD, &home())
        .await
        .unwrap();
    world.votes.sign_out(&cookie).await.unwrap();
    assert_eq!(code(world.votes.signed_in(&cookie).await), "not_signed_in");
    let (_, cookie) = world
        .votes
        .sign_in("Alice", PASSWORD, &home())
        .await
        .unwrap();
    world.wait(DAY * 31);
    assert_eq!(code(world.votes.signed_in(&cookie).await), "not_signed_in");
}

#[tokio::test]
async fn links_work_once() {
    let world = World::new().await;
    let votes = &world.votes;
    let asked = registration(&world, "alice", "alice@example.org");
    let alice = votes.register(&asked).await.unwrap();
    let secret = secret_of_mail(&world, "verify_email", "alice@example.org").await;
    let first = request(&world);
    assert_eq!(code(votes.verify_email(&secret, first).await), "done");
    assert_eq!(code(votes.verify_email(&secret, first).await), "done");
    assert_eq!(
        code(votes.verify_email(&secret, request(&world)).await),
        "token_used"
    );
    let other = votes
        .reset_password(&secret, "another horse", request(&world))
        .await;
    assert_eq!(code(other), "token_invalid");
    let nothing = Secret::shown("nothing");
    assert_eq!(
        code(votes.verify_email(&nothing, first).await),
        "token_invalid"
    );

    let (_, cookie) = votes.sign_in("alice", PASSWORD, &home()).await.unwrap();
    assert_eq!(
        code(votes.request_reset("nobody1", request(&world)).await),
        "done"
    );
    let asked = request(&world);
    votes.request_reset("alice", asked).await.unwrap();
    votes.request_reset("alice", asked).await.unwrap();
    let secret = secret_of_mail(&world, "reset_password", "alice@example.org").await;
    let reset = request(&world);
    let refused = votes.reset_password(&secret, "12345678", reset).await;
    assert_eq!(code(refused), "password_too_common");
    let done = votes.reset_password(&secret, "another horse", reset).await;
    assert_eq!(done.unwrap(), alice);
    let again = votes
        .reset_password(&secret, "third horse", request(&world))
        .await;
    assert_eq!(code(again), "token_used");
    assert_eq!(code(votes.signed_in(&cookie).await), "not_signed_in");
    assert_eq!(
        code(votes.sign_in("alice", PASSWORD, &home()).await),
        "wrong_credentials"
    );
    let (_, cookie) = votes
        .sign_in("alice", "another horse", &home())
        .await
        .unwrap();
    assert_eq!(code(votes.signed_in(&cookie).await), "done");

    votes.request_reset("alice", request(&world)).await.unwrap();
    let secret = secret_of_mail(&world, "reset_password", "alice@example.org").await;
    world.wait(Duration::from_secs(3_601));
    let late = votes
        .reset_password(&secret, "fourth horse", request(&world))
        .await;
    assert_eq!(code(late), "token_invalid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_want_one_name_one_gets_it() {
    let world = Arc::new(World::new().await);
    for round in 0..place::count(50, 3) {
        let name = format!("name{round}x");
        let tasks: Vec<_> = (0..64)
            .map(|each| {
                let world = Arc::clone(&world);
                let email = format!("{each}-{round}@example.org");
                let asked = registration(&world, &name, &email);
                tokio::spawn(async move { told(&world, &asked, each).await })
            })
            .collect();
        let mut owners = Vec::new();
        for task in tasks {
            match task.await.unwrap() {
                Ok(user) => owners.push(user),
                Err(refused) => assert_eq!(refused.code(), "name_taken"),
            }
        }
        assert_eq!(owners.len(), 1, "round {round}");
        assert_eq!(owner(&world, &name).await, owners.first().copied());
    }
}

/// What somebody is told in the end who races with others: on a cluster it may not be known at once,
/// and whoever is told so asks again.
async fn told(world: &World, asked: &Registration, racer: u64) -> Result<UserId, NotDone> {
    for attempt in 0..30 {
        match world.votes.register(asked).await {
            Err(unknown) if unknown.code() == "outcome_unknown" => {
                let turn = (racer * 7 + attempt * 13) % 64;
                tokio::time::sleep(Duration::from_millis(20 * turn)).await;
            }
            known => return known,
        }
    }
    world.votes.register(asked).await
}

#[tokio::test]
async fn a_name_that_was_given_back_is_claimed_again_once() {
    let world = World::new().await;
    let votes = &world.votes;
    let alice = join(&world, "alice").await;
    let ben = join(&world, "benno").await;
    let carol = join(&world, "carol").await;
    let alike = votes.change_name(ben, "A1ice").await;
    assert_eq!(code(alike), "name_looks_alike");
    assert_eq!(code(votes.change_name(alice, "x").await), "name_too_short");
    votes.change_name(alice, "Alice").await.unwrap();
    assert_eq!(owner(&world, "alice").await, Some(alice));
    votes.change_name(alice, "Alison").await.unwrap();
    assert_eq!(owner(&world, "alice").await, None);
    votes.change_name(ben, "Alice").await.unwrap();
    assert_eq!(code(votes.change_name(carol, "alice").await), "name_taken");
    assert_eq!(code(votes.change_name(alice, "alice").await), "name_taken");
    assert_eq!(owner(&world, "alice").await, Some(ben));
    assert_eq!(votes.user(ben).await.unwrap().name, "Alice");
    votes.sweep_claims().await.unwrap();
    assert_nothing_is_half(&world, &[alice, ben, carol], "after changes").await;
}

#[tokio::test]
async fn an_address_that_is_never_confirmed_is_free_after_a_week() {
    let world = World::new().await;
    let asked = registration(&world, "alice", "alice@example.org");
    world.votes.register(&asked).await.unwrap();
    world.wait(DAY * 8);
    world.votes.sweep_claims().await.unwrap();
    assert_nothing_is_half(&world, &[], "after a week").await;
    join(&world, "alice").await;
}

#[tokio::test]
async fn roles_are_given_by_admins_and_written_down() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "benno").await);
    let by_ada = By::User(ada);
    assert_eq!(
        code(votes.grant_role(by_ada, ben, Role::EditUsers).await),
        "not_allowed"
    );
    votes
        .grant_role(By::Operator, ada, Role::Admin)
        .await
        .unwrap();
    votes
        .grant_role(by_ada, ben, Role::EditUsers)
        .await
        .unwrap();
    votes
        .grant_role(by_ada, ben, Role::EditUsers)
        .await
        .unwrap();
    assert_eq!(votes.roles(ben).await.unwrap(), [Role::EditUsers]);
    let grants = votes.tables().roles.list(Role::EditUsers).await.unwrap();
    assert_eq!(grants.first().unwrap().changed_by, ada);
    votes
        .revoke_role(by_ada, ben, Role::EditUsers)
        .await
        .unwrap();
    assert!(votes.roles(ben).await.unwrap().is_empty());
    let log = votes.tables().moderation.list(MONDAY).await.unwrap();
    let actions: Vec<_> = log.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["revoke_role", "grant_role", "grant_role"]);
    let told = votes.notifications(ben, None, 10).await.unwrap();
    let kinds: Vec<_> = told.notifications.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [HappeningKind::RoleChanged; 2]);
}

#[tokio::test]
async fn an_account_that_is_voided_or_merged_loses_its_votes() {
    let world = World::new().await;
    let votes = &world.votes;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "benno").await);
    let (eve, eva) = (join(&world, "eve").await, join(&world, "evangeline").await);
    let policy = world.create(votes.account(eve).await.unwrap()).await;
    let other = world.create(votes.account(eva).await.unwrap()).await;
    let by = By::User(ada);
    world.wait(Duration::from_secs(1));
    assert_eq!(
        code(votes.void_account(by, eve, "bought votes").await),
        "not_allowed"
    );
    votes
        .grant_role(By::Operator, ada, Role::EditUsers)
        .await
        .unwrap();
    votes.void_account(by, eve, "bought votes").await.unwrap();
    votes.void_account(by, eve, "bought votes").await.unwrap();
    assert_eq!(
        code(votes.merge_accounts(by, eva, eva, "two").await),
        "same_account"
    );
    votes
        .merge_accounts(by, eva, ben, "two accounts")
        .await
        .unwrap();
    assert_eq!(
        code(votes.merge_accounts(by, eva, ada, "two").await),
        "account_ended"
    );
    let merged = votes.tables().users.read(eva).await.unwrap().unwrap();
    assert_eq!(merged.state, UserState::Merged);
    assert_eq!(merged.ending.unwrap().into, Some(ben));
    assert_eq!(
        (world.total(policy).await, world.total(other).await),
        (0, 0)
    );
    let log = votes.tables().moderation.list(MONDAY).await.unwrap();
    let entries: Vec<_> = log
        .iter()
        .map(|it| (it.action.as_str(), it.reason.as_str()))
        .collect();
    let expected = [
        ("merge_accounts", "two accounts"),
        ("void_account", "bought votes"),
        ("grant_role", "edit_users"),
    ];
    assert_eq!(entries, expected);
    assert_nothing_is_half(&world, &[ada, ben, eve, eva], "after endings").await;
    world.assert_books_balance().await;
}

#[tokio::test]
async fn enough_signs_open_one_case() {
    let world = World::new().await;
    let votes = &world.votes;
    let eve = join(&world, "eve").await;
    let mut scores = Vec::new();
    for (kind, about) in [
        (SignalKind::SimilarVotes, "ada"),
        (SignalKind::SimilarVotes, "ada"),
        (SignalKind::SimilarVotes, "ben"),
        (SignalKind::SameNetwork, "192.0.2.0/24"),
        (SignalKind::DisposableEmail, "mailinator.com"),
    ] {
        let about = about.to_owned();
        let signal = Signal { kind, about };
        scores.push(votes.record_signal(eve, &signal).await.unwrap());
    }
    assert_eq!(scores, [40, 40, 80, 100, 130]);
    let cases = votes.open_cases(By::Operator, TargetKind::Account).await;
    let cases = cases.unwrap();
    assert_eq!(cases.len(), 1);
    let case = &cases.first().unwrap().case;
    assert_eq!((case.target, case.score), (Target::Account(eve), 100));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Register,
    Verify,
    ChangeName,
    ChangeAddress,
    Leave,
}

/// What comes after trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Sweep,
    Ask,
}

struct Scene {
    world: World,
    ada: UserId,
    asked: Registration,
    secret: Secret,
    /// To have another address.
    link: Secret,
    request: RequestId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let ada = join(&world, "ada").await;
    let account = world.votes.account(ada).await.unwrap();
    world.ask(account, Ask::Create(None)).await.unwrap();
    // A recount of the same moment would be a tie.
    world.wait(Duration::from_secs(60));
    let ben = registration(&world, "benno", "ben@example.org");
    world.votes.register(&ben).await.unwrap();
    let secret = secret_of_mail(&world, "verify_email", "ben@example.org").await;
    let asked = registration(&world, "carol", "carol@example.org");
    let link = link_to_another_address(&world, ada).await;
    let request = request(&world);
    Scene {
        world,
        ada,
        asked,
        secret,
        link,
        request,
    }
}

async fn link_to_another_address(world: &World, ada: UserId) -> Secret {
    let (votes, asked) = (&world.votes, request(world));
    let wanted = votes.request_address(ada, PASSWORD, "grace@example.org", asked);
    wanted.await.unwrap();
    secret_of_mail(world, "change_address", "grace@example.org").await
}

async fn act(scene: &Scene, votes: &Votes, action: Action) -> &'static str {
    match action {
        Action::Register => code(votes.register(&scene.asked).await),
        Action::Verify => code(votes.verify_email(&scene.secret, scene.request).await),
        Action::ChangeName => code(votes.change_name(scene.ada, "Grace").await),
        Action::ChangeAddress => code(votes.confirm_address(&scene.link, scene.request).await),
        Action::Leave => code(votes.leave(scene.ada).await),
    }
}

async fn with_trouble(action: Action, call: u64, trouble: Trouble, next: Next) {
    let scene = scene().await;
    let world = &scene.world;
    let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
    let session: Arc<dyn Session> = Arc::new(troubled);
    let votes = instance(session, &world.clock, &world.ids).await;
    let first = act(&scene, &votes, action).await;
    let at = format!("{action:?}, {trouble:?} at call {call}: {first}");
    let is_known = trouble != Trouble::Twice || first == "done";
    assert!(is_known, "{at}");
    if next == Next::Sweep {
        world.wait(Duration::from_secs(3_600));
        world.votes.sweep_claims().await.unwrap();
        world.rest().await;
        let users = [scene.ada, registered_user(scene.asked.request)];
        assert_nothing_is_half(world, &users, &at).await;
    }
    world.wait(Duration::from_secs(1));
    assert_eq!(act(&scene, &world.votes, action).await, "done", "{at}");
    assert_eq!(act(&scene, &world.votes, action).await, "done", "{at}");
    world.wait(Duration::from_secs(3_600));
    world.votes.sweep_claims().await.unwrap();
    world.rest().await;
    let carol = registered_user(scene.asked.request);
    assert_nothing_is_half(world, &[scene.ada, carol], &at).await;
    match action {
        Action::Register => {
            assert_eq!(owner(world, "carol").await, Some(carol), "{at}");
            secret_of_mail(world, "verify_email", "carol@example.org").await;
            let pending = world.votes.tables().outbox.pending(MONDAY).await.unwrap();
            let mut more = pending.iter().filter(|mail| mail.kind != "address_asked");
            assert!(more.next().is_none(), "{at}");
        }
        Action::Verify => {
            let (user, _) = world
                .votes
                .sign_in("benno", PASSWORD, &home())
                .await
                .unwrap();
            assert_eq!(user.state, UserState::Active, "{at}");
        }
        Action::ChangeName => {
            assert_eq!(owner(world, "grace").await, Some(scene.ada), "{at}");
            assert_eq!(owner(world, "ada").await, None, "{at}");
        }
        Action::ChangeAddress => {
            let user = world.votes.user(scene.ada).await.unwrap();
            assert_eq!(user.email, "grace@example.org", "{at}");
            let (votes, origin) = (&world.votes, home());
            let signed_in = votes.sign_in("grace@example.org", PASSWORD, &origin);
            assert_eq!(signed_in.await.unwrap().0.id, scene.ada, "{at}");
        }
        Action::Leave => assert_eq!(owner(world, "ada").await, None, "{at}"),
    }
    let findings = world.votes.audit().await.unwrap();
    assert!(findings.is_empty(), "{at}: {findings:#?}");
}

#[tokio::test]
async fn whatever_happens_at_any_call_nothing_is_left_half() {
    for action in [
        Action::Register,
        Action::Verify,
        Action::ChangeName,
        Action::ChangeAddress,
        Action::Leave,
    ] {
        let scene = scene().await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&scene.world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &scene.world.clock, &scene.world.ids).await;
        assert_eq!(act(&scene, &votes, action).await, "done", "{action:?}");
        for trouble in Trouble::ALL {
            for call in place::tried(counting.calls()) {
                with_trouble(action, call, trouble, Next::Sweep).await;
                with_trouble(action, call, trouble, Next::Ask).await;
            }
        }
    }
}

#[tokio::test]
async fn who_lost_the_link_gets_another_one_until_the_address_is_confirmed() {
    let world = World::new().await;
    let votes = &world.votes;
    let ada = registration(&world, "ada", "ada@example.org");
    let user = votes.register(&ada).await.unwrap();
    let first = secret_of_mail(&world, "verify_email", "ada@example.org").await;
    let again = request(&world);
    for _ in 0..2 {
        votes.request_verification(user, again).await.unwrap();
    }
    let second = secret_of_mail(&world, "verify_email", "ada@example.org").await;
    assert_ne!(first.reveal(), second.reveal());
    let verified = votes.verify_email(&second, request(&world)).await;
    assert_eq!(verified.unwrap(), user);
    let more = votes.request_verification(user, request(&world)).await;
    more.unwrap();
    let pending = votes.tables().outbox.pending(MONDAY).await.unwrap();
    let to_ada = pending.iter().filter(|it| it.recipient == ada.email);
    assert_eq!(to_ada.count(), 0);
}

#[tokio::test]
async fn names_of_people_who_plainly_have_them_are_not_looked_at_one_by_one() {
    let world = World::new().await;
    let calls = async || {
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &world.clock, &world.ids).await;
        votes.sweep_claims().await.unwrap();
        counting.calls()
    };
    world.member("ada").await;
    let one = calls().await;
    for name in ["ben", "cid", "dora"] {
        world.member(name).await;
    }
    assert_eq!(calls().await, one);
}

#[tokio::test]
async fn nobody_ends_the_account_of_another_without_a_reason() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let votes = &world.votes;
    let long = "x".repeat(100_000);
    for reason in ["", long.as_str(), "a\0b"] {
        let voided = votes.void_account(By::Operator, ada.user, reason).await;
        assert_eq!(code(voided), "no_reason");
        let merged = votes.merge_accounts(By::Operator, ada.user, ben.user, reason);
        assert_eq!(code(merged.await), "no_reason");
    }
}
