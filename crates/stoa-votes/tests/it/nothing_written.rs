//! Bad input: each has a refusal with a code of its own, and nothing is written. A refusal that decides
//! a request writes its answer, and that alone, so that no other attempt of it can be accepted.

use std::time::Duration;

use stoa_types::{Clock as _, Ids as _};
use stoa_votes::model::{
    By, Category, NewPage, NotDone, Party, PolicyId, RealName, ReportReason, RequestId, Target,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::report::NewReport;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::claims::{ClaimKind, RESERVED_MICROS};
use stoa_votes::rules::names::name_key;
use uuid::Uuid;

use crate::accounts::{code as code_of, join, request};
use crate::voting::WEEK;
use crate::world::{World, code, moves, no_policy};

const PASSWORD: &str = "correct horse";

/// A name of 100 kB.
fn huge() -> String {
    "x".repeat(100_000)
}

/// Ada and Ben, policies of theirs, and some that take no votes any more.
struct Scene {
    world: World,
    ben: Account,
    /// Of Ada, who alone has votes on it.
    trees: PolicyId,
    /// Of Ben.
    parks: PolicyId,
    released: PolicyId,
    merged: PolicyId,
    withdrawn: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let (trees, parks) = (world.create(ada).await, world.create(ben).await);
    let mut others = Vec::new();
    for title in ["Ponds", "Lanes", "Walls"] {
        world.wait(WEEK);
        others.push(world.policy(ada, title).await);
    }
    let [released, merged, withdrawn] = <[PolicyId; 3]>::try_from(others).unwrap();
    let votes = &world.votes;
    assert!(votes.release(released, Release::Retire).await.unwrap());
    let into = votes.merge(ada.user, [merged].into()).await.unwrap();
    assert!(into.is_some());
    votes
        .withdraw_policy(ada, withdrawn, "it was a mistake")
        .await
        .unwrap();
    // Whoever looks is paid first.
    votes.statement(ben).await.unwrap();
    Scene {
        world,
        ben,
        trees,
        parks,
        released,
        merged,
        withdrawn,
    }
}

impl Scene {
    /// The statement of Ben, who has been paid then.
    async fn request(&self, ask: Ask) -> Request {
        self.world.request(self.ben, ask).await
    }
}

#[tokio::test]
async fn a_refusal_that_decides_a_request_writes_its_answer_and_nothing_else() {
    let scene = scene().await;
    let (world, ben) = (&scene.world, scene.ben);
    let balance = world.balance(ben).await;
    let many = (0..201).map(|id| (PolicyId(Uuid::from_u128(id)), 1));
    let put = |policy, votes| moves(&[(policy, votes)]);
    let cases = [
        (moves(&[]), "nothing_to_do"),
        (put(scene.trees, 0), "nothing_to_do"),
        (put(scene.trees, balance + 1), "overdraft"),
        (
            moves(&[(scene.trees, balance), (scene.parks, 1)]),
            "overdraft",
        ),
        (put(no_policy(), 1), "no_such_policy"),
        (put(scene.released, 1), "policy_closed"),
        (put(scene.merged, 1), "policy_merged"),
        (put(scene.withdrawn, 1), "policy_withdrawn"),
        (put(scene.trees, i64::MAX), "too_many_votes"),
        (put(scene.trees, i64::MIN), "too_many_votes"),
        (put(scene.trees, -1), "too_few_on_policy"),
        (put(scene.parks, -1_000_000), "too_few_on_policy"),
        (Ask::Move(many.collect()), "too_many_changes"),
        (Ask::Undo, "not_undoable"),
    ];
    for (ask, expected) in cases {
        let request = scene.request(ask).await;
        is_decided(world, ben, &request, expected).await;
    }
    // Who has no votes for a policy creates none.
    let spent = put(scene.trees, balance - 99);
    world.ask(ben, spent).await.unwrap();
    let request = scene.request(Ask::Create(None)).await;
    is_decided(world, ben, &request, "overdraft").await;
    let page = world.new_page("Brooks").await;
    let basis = world.votes.statement(ben).await.unwrap().basis;
    let (id, before) = (RequestId(world.ids.uuid()), world.writes());
    let refused = world.votes.create_policy(ben, id, basis, &page).await;
    assert_eq!(refused.unwrap_err().code(), "overdraft");
    is_one_answer(world, before, "a page");
    world.rest().await;
    world.assert_books_balance().await;
}

/// A request is refused with a code, by one answer, which stays the answer.
async fn is_decided(world: &World, account: Account, request: &Request, expected: &str) {
    let (tables, before) = (world.votes.tables(), world.writes());
    let head = tables.chain.tip(account.user).await.unwrap().head;
    let refused = world.votes.submit(account, request).await;
    assert_eq!(code(refused), expected, "{request:?}");
    is_one_answer(world, before, expected);
    let after = world.writes();
    let again = world.votes.submit(account, request).await;
    assert!(matches!(again, Err(NotAccepted::RefusedBefore { .. })));
    assert_eq!(code(again), expected);
    assert_eq!(world.writes(), after, "asked again: {expected}");
    assert_eq!(tables.chain.tip(account.user).await.unwrap().head, head);
}

/// What was written is the batch that answers: the epoch rises, and the answer is there.
fn is_one_answer(world: &World, before: u64, at: &str) {
    let written = world.written_since(before);
    assert_eq!(written.len(), 2, "{at}: {written:?}");
    let (epoch, answer) = (written.first().unwrap(), written.last().unwrap());
    let raises = "UPDATE votes.vote_chain SET epoch = ?";
    assert!(epoch.starts_with(raises), "{at}: {epoch}");
    let answers = "INSERT INTO votes.vote_chain";
    assert!(answer.starts_with(answers), "{at}: {answer}");
    assert!(answer.contains("refused_code"), "{at}: {answer}");
}

#[tokio::test]
async fn a_refusal_that_decides_nothing_writes_nothing() {
    let scene = scene().await;
    let (world, ben) = (&scene.world, scene.ben);
    let old = scene.request(moves(&[(scene.trees, 1)])).await;
    world.votes.submit(ben, &old).await.unwrap();
    world.rest().await;
    world.balance(ben).await;
    let refused = async |request: &Request| {
        let before = world.writes();
        let answer = world.votes.submit(ben, request).await;
        assert_eq!(world.writes(), before, "{request:?}: {answer:?}");
        answer
    };
    // A state that has passed; the refusal carries the one that there is.
    let late = world.on(ben, old.basis, moves(&[(scene.trees, 1)]));
    let current = world.votes.statement(ben).await.unwrap();
    match refused(&late).await {
        Err(NotAccepted::Stale(told)) => assert_eq!(*told, current),
        other => panic!("{other:?}"),
    }
    assert_eq!(code(refused(&late).await), "stale_basis");
    // What was accepted, or refused, under one identifier is not another request.
    let mut other = old.clone();
    for ask in [
        moves(&[(scene.trees, 2)]),
        Ask::Create(None),
        Ask::Undo,
        Ask::End,
    ] {
        other.ask = ask;
        assert_eq!(code(refused(&other).await), "request_reused");
    }
    other = scene.request(moves(&[(no_policy(), 1)])).await;
    assert_eq!(
        code(world.votes.submit(ben, &other).await),
        "no_such_policy"
    );
    other.ask = moves(&[(scene.trees, 1)]);
    assert_eq!(code(refused(&other).await), "request_reused");
    // What is no identifier does not even become a request.
    let before = world.writes();
    for wrong in ["", "1", &*huge(), "null"] {
        let refusal = RequestId::parse(wrong).unwrap_err();
        assert_eq!(refusal.code(), "malformed_request_id");
    }
    assert_eq!(world.writes(), before);
    world.ask(ben, Ask::End).await.unwrap();
    let ended = scene.request(moves(&[(scene.trees, 1)])).await;
    assert_eq!(code(refused(&ended).await), "account_ended");
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_policy_that_may_not_be_is_refused_before_anything_is_written() {
    let scene = scene().await;
    let (world, ben) = (&scene.world, scene.ben);
    let good = world.new_page("Brooks and rivers").await;
    let with = |change: Change| {
        let mut page = good.clone();
        change(&mut page);
        page
    };
    let basis = world.votes.statement(ben).await.unwrap().basis;
    let create = async |id: RequestId, page: &NewPage| {
        let before = world.writes();
        let refused = world.votes.create_policy(ben, id, basis, page).await;
        let code = refused.map_or_else(|error| error.code().to_owned(), |_| "done".to_owned());
        (code, world.writes() - before)
    };
    let cases: [(Change, &str); 7] = [
        (|it| it.text.title = huge(), "title_too_long"),
        (|it| it.text.title = String::new(), "title_too_short"),
        (|it| it.text.description = huge(), "description_too_long"),
        (|it| it.text.links = vec![huge()], "bad_link"),
        (
            |it| it.text.links = vec!["https://a.example".to_owned(); 11],
            "too_many_links",
        ),
        (|it| it.category = huge(), "no_such_category"),
        (|it| it.party = Some(Uuid::from_u128(404)), "no_such_party"),
    ];
    for (change, expected) in cases {
        let id = request(world);
        let (code, written) = create(id, &with(change)).await;
        assert_eq!((code.as_str(), written), (expected, 0));
    }
    let id = request(world);
    assert_eq!(create(id, &good).await.0, "done");
    let other = with(|it| it.text.title = "Another one".to_owned());
    let (code, written) = create(id, &other).await;
    assert_eq!((code.as_str(), written), ("request_reused", 0));
}

/// What is wrong with a page.
type Change = fn(&mut NewPage);

fn registration(world: &World, name: &str, email: &str) -> Registration {
    Registration {
        request: request(world),
        name: name.to_owned(),
        email: email.to_owned(),
        password: PASSWORD.to_owned(),
        origin: None,
    }
}

#[tokio::test]
async fn names_and_addresses_that_others_have_are_refused_before_anything_is_written() {
    let world = World::new().await;
    let votes = &world.votes;
    join(&world, "alice").await;
    let benno = join(&world, "benno").await;
    let gone = join(&world, "gonzo").await;
    world.wait(Duration::from_secs(1));
    votes.leave(gone).await.unwrap();
    // Somebody is about to have this name.
    let names = votes.tables().claims.of(ClaimKind::Name);
    let until = world.clock.now_micros() + RESERVED_MICROS;
    let (user, attempt) = (world.user().user, world.ids.time_uuid());
    let reserved = names.insert(&name_key("carol"), user, attempt, until).await;
    assert!(reserved.unwrap());
    let (free, long) = ("other@example.org", huge());
    let endless = format!("{long}@example.org");
    for (name, email, expected) in [
        ("alice", free, "name_taken"),
        ("ALICE", free, "name_taken"),
        ("a1ice", free, "name_looks_alike"),
        ("аlісе", free, "name_looks_alike"),
        ("gonzo", free, "name_taken"),
        ("carol", free, "name_taken"),
        ("dora", "Alice@Example.org", "email_taken"),
        // An address is told of first, whether the name is free or not.
        ("alice", "alice@example.org", "email_taken"),
        ("Admin", free, "name_reserved"),
        ("al", free, "name_too_short"),
        (&*long, free, "name_too_long"),
        ("dora", "nowhere", "email_invalid"),
        ("dora", &*endless, "email_invalid"),
    ] {
        let asked = registration(&world, name, email);
        let before = world.writes();
        let refused = votes.register(&asked).await;
        assert_eq!(code_of(refused), expected, "{name:.20} {email:.20}");
        assert_eq!(
            world.written_since(before),
            [""; 0],
            "{name:.20} {email:.20}"
        );
    }
    for (name, expected) in [
        ("alice", "name_taken"),
        ("A1ice", "name_looks_alike"),
        ("gonzo", "name_taken"),
        ("carol", "name_taken"),
        ("admin", "name_reserved"),
        (&*long, "name_too_long"),
    ] {
        let before = world.writes();
        assert_eq!(
            code_of(votes.change_name(benno, name).await),
            expected,
            "{name:.20}"
        );
        assert_eq!(world.written_since(before), [""; 0], "{name:.20}");
    }
    // Whoever was about to have it did not come back.
    world.wait(Duration::from_micros(
        u64::try_from(RESERVED_MICROS).unwrap(),
    ));
    assert_eq!(code_of(votes.change_name(benno, "carol").await), "done");
}

#[tokio::test]
async fn one_request_to_register_is_answered_again_whoever_has_the_name_by_then() {
    let world = World::new().await;
    let votes = &world.votes;
    let asked = registration(&world, "alice", "alice@example.org");
    let alice = votes.register(&asked).await.unwrap();
    assert_eq!(votes.register(&asked).await.unwrap(), alice);
    let before = world.writes();
    for (name, email, password) in [
        ("alicia", "alice@example.org", PASSWORD),
        ("alice", "alicia@example.org", PASSWORD),
        ("alice", "alice@example.org", "another horse"),
    ] {
        let other = Registration {
            request: asked.request,
            password: password.to_owned(),
            ..registration(&world, name, email)
        };
        assert_eq!(code_of(votes.register(&other).await), "request_reused");
    }
    assert_eq!(world.writes(), before);
}

#[tokio::test]
async fn huge_texts_are_refused_wherever_they_are_brought() {
    let scene = scene().await;
    let (world, ben) = (&scene.world, scene.ben.user);
    let votes = &world.votes;
    let own = world.policy(scene.ben, "Brooks").await;
    let comment = |subject: &str, body: &str| NewComment {
        request: request(world),
        policy: own,
        answers: None,
        subject: subject.to_owned(),
        body: body.to_owned(),
    };
    let category = Category {
        key: "health".to_owned(),
        name: huge(),
        description: String::new(),
        position: 1,
        is_active: true,
    };
    let party = Party {
        party: Uuid::from_u128(1),
        name: huge(),
        description: String::new(),
        is_active: true,
    };
    let name = RealName {
        first: huge(),
        last: String::new(),
        is_shown: true,
    };
    let report = NewReport {
        target: Target::Policy(scene.trees),
        reason: ReportReason::Other,
        words: huge(),
    };
    let before = world.writes();
    let told: [(Result<(), NotDone>, &str); 9] = [
        (
            drop_value(votes.write_comment(ben, &comment("", &huge())).await),
            "body_too_long",
        ),
        (
            drop_value(votes.write_comment(ben, &comment(&huge(), "yes")).await),
            "subject_too_long",
        ),
        (
            drop_value(votes.tag_policy(ben, own, &huge()).await),
            "tag_too_long",
        ),
        (
            drop_value(votes.suggest_tag(ben, scene.trees, &huge()).await),
            "tag_too_long",
        ),
        (
            votes.put_category(By::Operator, &category).await,
            "bad_name",
        ),
        (votes.put_party(By::Operator, &party).await, "bad_name"),
        (votes.set_real_name(ben, &name).await, "real_name_too_long"),
        (
            drop_value(votes.report(ben, &report).await),
            "reason_too_long",
        ),
        (votes.change_name(ben, &huge()).await, "name_too_long"),
    ];
    for (refused, expected) in told {
        assert_eq!(code_of(refused), expected);
    }
    assert_eq!(world.written_since(before), [""; 0]);
}

fn drop_value<T>(result: Result<T, NotDone>) -> Result<(), NotDone> {
    result.map(|_| ())
}
