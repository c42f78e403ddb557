//! Pages of policies: creating, editing, sorting, hiding, closing, and trouble at every call of it.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{
    By, Category, HappeningKind, NewPage, NotDone, Party, PolicyId, PolicyState, PolicyText,
    ProgressKind, RequestId, RetireReason, Role,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::edit_policy::Edit;
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::submit::NotAccepted;
use uuid::Uuid;

use crate::place;
use crate::world::{MONDAY, World, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);

pub(crate) fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

pub(crate) fn request(world: &World) -> RequestId {
    RequestId(world.ids.uuid())
}

pub(crate) async fn edit(world: &World, policy: PolicyId, title: &str) -> Edit {
    let shown = world.votes.page(policy).await.unwrap();
    Edit {
        request: request(world),
        seen: shown.page.change,
        text: PolicyText {
            title: title.to_owned(),
            ..shown.text.unwrap().text
        },
        note: "clearer".to_owned(),
    }
}

pub(crate) async fn state(world: &World, policy: PolicyId) -> Option<PolicyState> {
    let standing = world.votes.tables().policies.settle(policy).await;
    standing.unwrap().map(|it| it.state)
}

pub(crate) async fn kinds(world: &World, policy: PolicyId) -> Vec<HappeningKind> {
    let told = world.votes.tables().happenings.of_policy(policy, 50);
    told.await.unwrap().iter().map(|it| it.kind).collect()
}

#[tokio::test]
async fn a_policy_is_created_with_its_page_and_its_price() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let trees = world.policy(ada, "More trees").await;
    let shown = world.votes.page(trees).await.unwrap();
    assert_eq!(shown.page.title, "More trees");
    assert_eq!(shown.page.owner, ada.user);
    assert_eq!(shown.standing.state, PolicyState::Active);
    assert_eq!(shown.text.unwrap().version, 1);
    assert_eq!(world.balance(ada).await, 0);
    assert_eq!(kinds(&world, trees).await, [HappeningKind::Created]);
    world.assert_books_balance().await;
}

#[tokio::test]
async fn what_cannot_be_a_page_is_refused_and_nothing_is_written() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let good = world.new_page("More trees").await;
    let with = |change: &dyn Fn(&mut NewPage)| {
        let mut page = good.clone();
        change(&mut page);
        page
    };
    let cases = [
        (
            with(&|it| it.text.title = "x".repeat(100_000)),
            "title_too_long",
        ),
        (
            with(&|it| it.text.title = "Oak".to_owned()),
            "title_too_short",
        ),
        (
            with(&|it| it.category = "none".to_owned()),
            "no_such_category",
        ),
        (
            with(&|it| it.party = Some(Uuid::from_u128(9))),
            "no_such_party",
        ),
        (
            with(&|it| it.text.links = vec!["ftp://x".to_owned()]),
            "bad_link",
        ),
    ];
    for (page, refusal) in cases {
        let answer = world.votes.create_policy(ada, request(&world), None, &page);
        let answer: Result<_, NotAccepted> = answer.await;
        assert_eq!(answer.unwrap_err().code(), refusal);
    }
    let policies = world.votes.tables().policies.all().await.unwrap();
    assert!(policies.is_empty());
    assert!(world.votes.tables().pages.all().await.unwrap().is_empty());
    assert_eq!(world.balance(ada).await, 100);
}

#[tokio::test]
async fn every_edit_is_a_version_and_one_of_two_editors_is_told() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let (one, other) = (
        edit(&world, trees, "Many more trees").await,
        edit(&world, trees, "Fewer cars, more trees").await,
    );
    let votes = &world.votes;
    let version = votes.edit_policy(ada.user, trees, &one).await.unwrap();
    assert_eq!(version.version, 2);
    // Nobody else has votes on it, so nobody is told.
    assert_eq!(kinds(&world, trees).await, [HappeningKind::Created]);
    let again = votes.edit_policy(ada.user, trees, &one).await.unwrap();
    assert_eq!(again, version);
    assert_eq!(
        code(votes.edit_policy(ada.user, trees, &other).await),
        "page_changed"
    );
    let reused = Edit {
        text: other.text.clone(),
        ..one.clone()
    };
    assert_eq!(
        code(votes.edit_policy(ada.user, trees, &reused).await),
        "request_reused"
    );
    let same = edit(&world, trees, "Many more trees").await;
    assert_eq!(
        code(votes.edit_policy(ada.user, trees, &same).await),
        "nothing_to_do"
    );
    world.ask(ben, moves(&[(trees, 10)])).await.unwrap();
    let late = edit(&world, trees, "Many, many more trees").await;
    assert_eq!(
        code(votes.edit_policy(ben.user, trees, &late).await),
        "not_allowed"
    );
    let late = edit(&world, trees, "Many, many more trees").await;
    votes.edit_policy(ada.user, trees, &late).await.unwrap();
    assert!(kinds(&world, trees).await.contains(&HappeningKind::Edited));
    let versions = votes.versions(trees).await.unwrap();
    let titles: Vec<&str> = versions.iter().map(|it| it.text.title.as_str()).collect();
    let expected = ["Many, many more trees", "Many more trees", "More trees"];
    assert_eq!(titles, expected);
}

/// A policy, and somebody who may do nothing with it until the roles are given.
pub(crate) async fn moderated() -> (World, PolicyId, Account) {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    (world, trees, ben)
}

pub(crate) async fn give_roles(world: &World, ben: Account) {
    for role in [
        Role::EditPolicies,
        Role::HandleReports,
        Role::PublishOfficial,
        Role::FeaturePolicies,
    ] {
        let granted = world.votes.grant_role(By::Operator, ben.user, role);
        granted.await.unwrap();
    }
}

#[tokio::test]
async fn moderators_sort_hide_and_answer() {
    let (world, trees, ben) = moderated().await;
    let (votes, by) = (&world.votes, By::User(ben.user));
    let party = Party {
        party: world.ids.uuid(),
        name: "The Greens".to_owned(),
        description: String::new(),
        is_active: true,
    };
    assert_eq!(code(votes.put_party(by, &party).await), "not_allowed");
    votes.put_party(By::Operator, &party).await.unwrap();
    let place = votes.place_policy(by, trees, "health", Some(party.party));
    assert_eq!(code(place.await), "not_allowed");
    give_roles(&world, ben).await;
    let place = votes.place_policy(by, trees, "health", Some(party.party));
    place.await.unwrap();
    let hide = votes.set_visibility(by, trees, Visibility::Hidden, "a slur in the title");
    hide.await.unwrap();
    let shown = votes.page(trees).await.unwrap().page;
    assert!(shown.is_hidden && shown.party == Some(party.party));
    assert_eq!(shown.title, "");
    let show = votes.set_visibility(by, trees, Visibility::Shown, "mended");
    show.await.unwrap();
    let said = request(&world);
    for _ in 0..2 {
        let publish = votes.publish(ben.user, trees, said, ProgressKind::Response, "We shall.");
        publish.await.unwrap();
    }
    let other = votes.publish(
        ben.user,
        trees,
        said,
        ProgressKind::Response,
        "We shall not.",
    );
    assert_eq!(code(other.await), "request_reused");
    let page = votes.page(trees).await.unwrap();
    assert_eq!(votes.progress(&page).await.unwrap().len(), 1);
    let told = kinds(&world, trees).await;
    let expected = [
        HappeningKind::Responded,
        HappeningKind::Shown,
        HappeningKind::Hidden,
        HappeningKind::Created,
    ];
    assert_eq!(told, expected);
    let log = votes.tables().moderation.list(MONDAY).await.unwrap();
    let actions: Vec<&str> = log.iter().map(|it| it.action.as_str()).collect();
    for action in ["show_policy", "hide_policy", "place_policy", "put_party"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
}

#[tokio::test]
async fn a_category_is_changed_and_not_used_any_more() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let page = world.new_page("More trees").await;
    let mut health = world.votes.categories().await.unwrap().remove(0);
    health.is_active = false;
    world
        .votes
        .put_category(By::Operator, &health)
        .await
        .unwrap();
    let answer = world.votes.create_policy(ada, request(&world), None, &page);
    assert_eq!(answer.await.unwrap_err().code(), "no_such_category");
    let bad = Category {
        key: "No key".to_owned(),
        ..health
    };
    let put = world.votes.put_category(By::Operator, &bad);
    assert_eq!(code(put.await), "bad_key");
}

#[tokio::test]
async fn an_owner_withdraws_at_the_usual_price_while_nobody_else_votes() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let votes = &world.votes;
    let theirs = votes.withdraw_policy(ben, trees, "not mine");
    assert_eq!(code(theirs.await), "not_an_owner");
    world.ask(ben, moves(&[(trees, 10)])).await.unwrap();
    let early = votes.withdraw_policy(ada, trees, "a mistake");
    assert_eq!(code(early.await), "others_vote");
    world.ask(ben, moves(&[(trees, -10)])).await.unwrap();
    for _ in 0..2 {
        let late = votes.withdraw_policy(ada, trees, "a mistake");
        late.await.unwrap();
    }
    assert_eq!(state(&world, trees).await, Some(PolicyState::Withdrawn));
    // Half of the hundred votes is lost, as by any withdrawal.
    assert_eq!(world.balance(ada).await, 50);
    let more = world.ask(ben, moves(&[(trees, 1)])).await;
    assert_eq!(more.unwrap_err().code(), "policy_withdrawn");
    let shown = votes.page(trees).await.unwrap();
    assert_eq!(shown.page.ending.unwrap().reason, "a mistake");
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_moderator_retires_and_everybody_gets_everything_back() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    world.ask(ben, moves(&[(trees, 30)])).await.unwrap();
    let (votes, done) = (&world.votes, RetireReason::Done);
    let retire = votes.retire_policy(By::User(ben.user), trees, done, "planted");
    assert_eq!(code(retire.await), "not_allowed");
    for _ in 0..2 {
        let retire = votes.retire_policy(By::Operator, trees, done, "planted");
        retire.await.unwrap();
    }
    assert_eq!(world.balance(ada).await + world.balance(ben).await, 200);
    let shown = votes.page(trees).await.unwrap();
    assert_eq!(shown.page.ending.unwrap().reason, "done: planted");
    let delete = votes.delete_policy(By::Operator, trees, "spam");
    assert_eq!(code(delete.await), "policy_closed");
    world.assert_books_balance().await;
}

#[tokio::test]
async fn what_is_deleted_is_erased_after_its_time() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let trees = world.policy(ada, "More trees").await;
    let votes = &world.votes;
    let delete = votes.delete_policy(By::Operator, trees, "spam");
    delete.await.unwrap();
    assert_eq!(world.balance(ada).await, 100);
    votes.erase_deleted().await.unwrap();
    // Nobody but moderators reads it any more, and everybody reads why.
    let shown = votes.page(trees).await.unwrap();
    assert_eq!((shown.text, shown.page.title.as_str()), (None, ""));
    assert_eq!(shown.page.ending.unwrap().reason, "spam");
    assert_eq!(votes.versions(trees).await.unwrap(), []);
    let owner = votes.page_for(By::User(ada.user), trees).await.unwrap();
    assert_eq!(owner.text, None);
    let moderator = votes.page_for(By::Operator, trees).await.unwrap();
    assert!(moderator.text.is_some());
    let versions = votes.versions_for(By::Operator, trees).await.unwrap();
    assert_eq!(versions.len(), 1);
    world.wait(DAY * 11);
    votes.erase_deleted().await.unwrap();
    let shown = votes.page(trees).await.unwrap();
    assert_eq!(shown.text, None);
    assert_eq!(shown.page.title, "");
    assert_eq!(shown.page.ending.unwrap().reason, "spam");
    assert_eq!(state(&world, trees).await, Some(PolicyState::Deleted));
    let redact = votes.redact_policy(By::Operator, trees, "spam");
    assert_eq!(code(redact.await), "no_such_policy");
    world.assert_books_balance().await;
}

/// What is done while there is trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Create,
    Edit,
    Hide,
    Withdraw,
    Retire,
    Erase,
}

const ACTIONS: [Action; 6] = [
    Action::Create,
    Action::Edit,
    Action::Hide,
    Action::Withdraw,
    Action::Retire,
    Action::Erase,
];

struct Scene {
    ada: Account,
    trees: PolicyId,
    request: RequestId,
    new: NewPage,
    edit: Edit,
    basis: Option<stoa_votes::model::VoteVersion>,
}

async fn scene(world: &World, name: &str, action: Action) -> Scene {
    let ada = world.member(name).await;
    let trees = world.policy(ada, "More trees").await;
    if action == Action::Create {
        world.wait(DAY * 7);
    }
    if action == Action::Erase {
        let delete = world.votes.delete_policy(By::Operator, trees, "spam");
        delete.await.unwrap();
        world.wait(DAY * 11);
    }
    Scene {
        ada,
        trees,
        request: request(world),
        new: world.new_page("Less noise").await,
        edit: match action {
            Action::Erase => Edit {
                request: request(world),
                seen: Uuid::nil(),
                text: PolicyText::default(),
                note: String::new(),
            },
            _ => edit(world, trees, "Many more trees").await,
        },
        basis: world.votes.statement(ada).await.unwrap().basis,
    }
}

async fn act(scene: &Scene, votes: &Votes, action: Action) -> Result<(), String> {
    let told = |error: NotDone| error.code().to_owned();
    match action {
        Action::Create => {
            let created = votes.create_policy(scene.ada, scene.request, scene.basis, &scene.new);
            let created = created.await.map(|_| ());
            created.map_err(|error| error.code().to_owned())
        }
        Action::Edit => {
            let edited = votes.edit_policy(scene.ada.user, scene.trees, &scene.edit);
            edited.await.map(|_| ()).map_err(told)
        }
        Action::Hide => {
            let by = By::Operator;
            let hidden = votes.set_visibility(by, scene.trees, Visibility::Hidden, "why not");
            hidden.await.map_err(told)
        }
        Action::Withdraw => {
            let withdrawn = votes.withdraw_policy(scene.ada, scene.trees, "a mistake");
            withdrawn.await.map_err(told)
        }
        Action::Retire => {
            let other = RetireReason::Other;
            let retired = votes.retire_policy(By::Operator, scene.trees, other, "why not");
            retired.await.map_err(told)
        }
        Action::Erase => votes.erase_deleted().await.map_err(told),
    }
}

/// How many calls an action makes.
async fn calls(action: Action) -> u64 {
    let world = World::new().await;
    let scene = scene(&world, "ada", action).await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let votes = instance(session, &world.clock, &world.ids).await;
    act(&scene, &votes, action).await.unwrap();
    counting.calls()
}

#[tokio::test]
async fn whatever_happens_at_any_call_asking_again_ends_well() {
    for action in ACTIONS {
        let calls = calls(action).await;
        for trouble in Trouble::ALL {
            let world = World::new().await;
            for call in place::tried(calls) {
                let scene = scene(&world, &format!("ada{call}"), action).await;
                let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
                let session: Arc<dyn Session> = Arc::new(troubled);
                let votes = instance(session, &world.clock, &world.ids).await;
                let first = act(&scene, &votes, action).await;
                let at = format!("{action:?}, {trouble:?} at call {call}: {first:?}");
                if trouble == Trouble::Twice {
                    assert_eq!(first, Ok(()), "{at}");
                }
                let again = act(&scene, &world.votes, action).await;
                assert_eq!(again, Ok(()), "{at}");
            }
            world.rest().await;
            let pages = world.votes.tables().pages.all().await.unwrap();
            for page in pages {
                let there = state(&world, page.policy).await;
                assert!(there.is_some(), "{action:?}, {trouble:?}: {page:?}");
            }
            world.assert_books_balance().await;
        }
    }
}
