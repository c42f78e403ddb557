//! Random saves, each with trouble of every kind at every store call that it makes: a save is there
//! whole or not at all, asking again gives one answer, and the books balance.
//!
//! A save is made by somebody who has a past of their own and by twins of theirs, one for each call
//! and kind of trouble, in one community. Two more of them know no trouble: one who saved, and one who
//! did not yet. In the end every twin looks like one of these. `STOA_SAVES` says how many saves there
//! are; [`SAVES`] unless it is set, and 1,000 for the figure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::rng::Rng;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_votes::model::{NewPage, PolicyId, PolicyState, VoteRecord};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use stoa_votes::rules::audit::Books;

use crate::world::{World, instance, moves};

const SAVES: u64 = 5;

/// Votes by the number of a policy: two are somebody else's, the third one's own.
type Moves = BTreeMap<usize, i64>;
const OWN: usize = 2;

#[derive(Debug, Clone)]
enum Save {
    Move(Moves),
    Create,
    CreateWithPage,
    Undo,
    End,
}

/// What somebody did before, and saves then.
#[derive(Debug, Clone)]
struct Plan {
    has_own: bool,
    before: Vec<Moves>,
    is_merged: bool,
    save: Save,
}

impl Plan {
    fn draw(number: u64) -> Self {
        let mut rng = Rng::new(number);
        let (has_own, is_merged) = (rng.chance(40), rng.chance(30));
        let policies = if has_own { OWN + 1 } else { OWN };
        let mut held = Moves::new();
        let mut before = Vec::new();
        for _ in 0..1 + rng.index(2) {
            let changes = changes(&mut rng, &held, policies);
            for (policy, votes) in &changes {
                *held.entry(*policy).or_default() += votes;
            }
            before.push(changes);
        }
        // Every kind of save comes early, and the commonest most often.
        let save = match number % 8 {
            1 => Save::Create,
            2 => Save::Undo,
            3 => Save::CreateWithPage,
            4 => Save::End,
            _ => Save::Move(changes(&mut rng, &held, policies)),
        };
        Self {
            has_own,
            before,
            is_merged,
            save,
        }
    }
}

/// Votes put on policies or withdrawn from them, now and then more than there are.
fn changes(rng: &mut Rng, held: &Moves, policies: usize) -> Moves {
    let mut changes = Moves::new();
    for _ in 0..1 + rng.index(2) {
        let policy = rng.index(policies);
        let has = held.get(&policy).copied().unwrap_or(0);
        let votes = match has > 0 && rng.chance(50) {
            true => -rng.between(1, has),
            false if rng.chance(4) => 1_000,
            false => rng.between(1, 15),
        };
        changes.insert(policy, votes);
    }
    changes
}

/// Somebody with a past, and what they ask for.
struct Twin {
    at: String,
    account: Account,
    policies: Vec<PolicyId>,
    request: Request,
    /// What was answered so far, as far as it was an answer.
    told: Vec<Result<Accepted, String>>,
}

impl Twin {
    async fn new(world: &World, plan: &Plan, page: &NewPage, at: String) -> Self {
        let (maker, account) = (world.user(), world.user());
        let mut policies = vec![world.create(maker).await, world.create(maker).await];
        if plan.has_own {
            policies.push(world.create(account).await);
        }
        let ask = |changes: &Moves, policies: &[PolicyId]| {
            let mut asked: BTreeMap<PolicyId, i64> = BTreeMap::new();
            for (number, votes) in changes {
                *asked.entry(*policies.get(*number).unwrap()).or_default() += votes;
            }
            Ask::Move(asked)
        };
        for changes in &plan.before {
            // One that is refused is a past as well.
            let _ = world.ask(account, ask(changes, &policies)).await;
        }
        if plan.is_merged {
            let sources: BTreeSet<PolicyId> = policies.iter().copied().take(OWN).collect();
            let target = world.votes.merge(maker.user, sources).await;
            let target = target.unwrap().unwrap();
            policies.iter_mut().take(OWN).for_each(|it| *it = target);
        }
        let ask = match &plan.save {
            Save::Move(changes) => ask(changes, &policies),
            Save::Create => Ask::Create(None),
            Save::CreateWithPage => Ask::Create(Some(Box::new(page.clone()))),
            Save::Undo => Ask::Undo,
            Save::End => Ask::End,
        };
        let request = world.request(account, ask).await;
        Self {
            at,
            account,
            policies,
            request,
            told: Vec::new(),
        }
    }

    /// Saves by an instance on a session.
    async fn save(&mut self, world: &World, session: Arc<dyn Session>) {
        let votes = instance(session, &world.clock, &world.ids).await;
        let answer = votes.submit(self.account, &self.request).await;
        if let Ok(accepted) = &answer {
            let _ = votes.sync(self.account.user, *accepted).await;
        }
        self.hear(answer);
    }

    /// Asks again where nothing is wrong, and leaves what comes of it to the drain.
    async fn ask_again(&mut self, world: &World) {
        world.wait(Duration::from_millis(2));
        let answer = world.votes.submit(self.account, &self.request).await;
        self.hear(answer);
    }

    fn hear(&mut self, answer: Result<Accepted, NotAccepted>) {
        if !matches!(answer, Err(NotAccepted::Unknown(_))) {
            self.told
                .push(answer.map_err(|error| error.code().to_owned()));
        }
    }

    /// The record of the save, and whether what was answered is true.
    fn record(&self, books: &Books) -> Option<VoteRecord> {
        let at = &self.at;
        let chain = books.chains.get(&self.account.user);
        let records = chain.map(|(_, records)| records.as_slice());
        let of = |it: &&VoteRecord| it.request == self.request.id;
        let found: Vec<&VoteRecord> = records.unwrap_or_default().iter().filter(of).collect();
        assert!(found.len() <= 1, "{at}: it is there {} times", found.len());
        let record = found.first().copied().cloned();
        for told in &self.told {
            let there = record.as_ref().map(|it| (it.version, it.seq));
            let expected = told.as_ref().ok().map(|it| (it.version, it.seq));
            assert_eq!(expected, there, "{at}: {:?}", self.told);
        }
        if let (Some(record), Ask::Move(asked)) = (&record, &self.request.ask) {
            let changes = record.changes.iter();
            let changed: Vec<_> = changes.map(|(it, to)| (*it, to.increment)).collect();
            assert_eq!(moves(&changed), Ask::Move(asked.clone()), "{at}");
        }
        record
    }

    /// Whether it is there, and what there is to see of it; no identifier is part of that.
    async fn look(&self, world: &World, books: &Books) -> (bool, String) {
        let record = self.record(books);
        let created = record.as_ref().and_then(|it| it.policy_created);
        let policies = self.policies.iter().copied().chain(created);
        let statement = world.votes.statement(self.account).await.unwrap();
        let mut looks = vec![format!("{} votes left", statement.balance)];
        let mut places = Vec::new();
        for policy in policies {
            let (place, total) = (statement.positions.get(&policy), world.total(policy).await);
            let state = world.votes.standing(policy).await.unwrap();
            let state = state.map(|it| it.state);
            let page = world.votes.tables().pages.read(policy).await.unwrap();
            let title = page.map(|it| it.title);
            looks.push(format!("{place:?} of {total}, {state:?}, {title:?}"));
            places.push(policy);
        }
        let elsewhere = statement.positions.keys().filter(|it| !places.contains(it));
        assert_eq!(elsewhere.count(), 0, "{}: {statement:?}", self.at);
        (record.is_some(), looks.join("; "))
    }
}

/// After all tasks ran: the books balance, and nothing is half there.
async fn settled(world: &World, number: u64) -> Books {
    world.rest().await;
    world.assert_books_balance().await;
    let books = world.votes.books().await.unwrap();
    let all = world.votes.tables().policies.all().await.unwrap();
    let creating = |it: &&(PolicyId, PolicyState, _)| it.1 == PolicyState::Creating;
    assert_eq!(all.iter().filter(creating).count(), 0, "save {number}");
    books
}

/// Everybody saves, each with another trouble. How many there were, and how many saves were there
/// before anybody asked again after the rest.
async fn every_trouble(world: &World, number: u64, plan: &Plan) -> (usize, usize) {
    let page = world.new_page("Plant more trees").await;
    let still = Twin::new(world, plan, &page, "nobody saves".to_owned()).await;
    let mut healthy = Twin::new(world, plan, &page, "no trouble".to_owned()).await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    healthy
        .save(world, Arc::<Troubled>::clone(&counting) as Arc<dyn Session>)
        .await;
    let mut rng = Rng::new(number);
    let mut twins = Vec::new();
    for trouble in Trouble::ALL {
        for call in 0..counting.calls() {
            let at = format!("save {number}, {plan:?}, {trouble:?} at call {call}");
            let mut twin = Twin::new(world, plan, &page, at).await;
            let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
            twin.save(world, Arc::new(troubled)).await;
            if rng.chance(50) {
                twin.ask_again(world).await;
            }
            twins.push(twin);
        }
    }
    let books = settled(world, number).await;
    let (before, after) = (
        still.look(world, &books).await,
        healthy.look(world, &books).await,
    );
    assert!(!before.0);
    let expected = |there: bool| if there { &after } else { &before };
    let mut there = 0;
    for twin in &twins {
        let looks = twin.look(world, &books).await;
        assert_eq!(&looks, expected(looks.0), "{}", twin.at);
        there += usize::from(looks.0);
    }
    // What was told once is told again, and what vanished can be had; but an undo is too late by now.
    for twin in &mut twins {
        twin.ask_again(world).await;
    }
    let books = settled(world, number).await;
    for twin in &twins {
        let looks = twin.look(world, &books).await;
        if !matches!(plan.save, Save::Undo) {
            assert_eq!(looks, after, "{}", twin.at);
        }
    }
    (twins.len(), there)
}

#[tokio::test]
async fn a_save_with_any_trouble_at_any_of_its_calls_is_there_whole_or_not_at_all() {
    let saves = std::env::var("STOA_SAVES").map_or(SAVES, |many| many.parse().unwrap());
    let (mut troubled, mut there) = (0, 0);
    let mut world = World::new().await;
    for number in 0..saves {
        let plan = Plan::draw(number);
        world.wait(Duration::from_secs(7 * 86_400));
        world.votes.close_days().await.unwrap();
        let (twins, saved) = every_trouble(&world, number, &plan).await;
        troubled += twins;
        there += saved;
        world = world.begun_again().await;
    }
    // Both ends were seen often.
    assert!(
        there * 5 > troubled && there < troubled,
        "{there} of {troubled}"
    );
}
