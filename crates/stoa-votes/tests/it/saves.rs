//! Random saves, each with trouble at a random call: a save is there whole or not at all, asking
//! again gives one answer, and the books balance.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stoa_testkit::rng::Rng;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_votes::model::{PolicyId, VoteRecord};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};

use crate::place;
use crate::world::{World, code, instance, moves};

const SAVES: usize = 200;
/// On a cluster.
const FEW_SAVES: usize = 60;
const PEOPLE: usize = 4;
/// How many saves there are between two audits.
const AUDIT_EVERY: usize = 20;
/// More calls than a save makes.
const MOST_CALLS: u64 = 40;

struct Community {
    world: World,
    rng: Rng,
    people: Vec<Account>,
    policies: Vec<PolicyId>,
    /// What was accepted, by the number of the save.
    accepted: BTreeMap<usize, (Account, Request, Accepted)>,
    /// How often trouble of each kind really came.
    troubles: BTreeMap<String, u64>,
}

impl Community {
    async fn new(seed: u64) -> Self {
        let world = World::new().await;
        let people: Vec<Account> = (0..PEOPLE).map(|_| world.user()).collect();
        let mut policies = Vec::new();
        for person in &people {
            policies.push(world.create(*person).await);
        }
        world.wait(Duration::from_secs(7 * 86_400));
        world.votes.close_days().await.unwrap();
        Self {
            world,
            rng: Rng::new(seed),
            people,
            policies,
            accepted: BTreeMap::new(),
            troubles: BTreeMap::new(),
        }
    }

    fn ask(&mut self) -> Ask {
        match self.rng.below(20) {
            0 => Ask::End,
            1..=3 => Ask::Undo,
            4..=6 => Ask::Create(None),
            _ => {
                let mut changes = BTreeMap::new();
                for _ in 0..1 + self.rng.index(3) {
                    let policy = *self.rng.pick(&self.policies).unwrap();
                    let votes = match self.rng.chance(40) {
                        true => -self.rng.between(1, 20),
                        false => self.rng.between(1, 25),
                    };
                    changes.insert(policy, votes);
                }
                Ask::Move(changes)
            }
        }
    }

    /// A save with trouble.
    async fn save(&mut self, number: usize) {
        let at = self.rng.index(self.people.len());
        let ask = self.ask();
        let place = self.people.get_mut(at).unwrap();
        let person = *place;
        if ask == Ask::End {
            // Somebody else takes the place.
            *place = self.world.user();
        }
        let request = self.world.request(person, ask).await;
        let trouble = *self.rng.pick(&Trouble::ALL).unwrap();
        let call = self.rng.below(MOST_CALLS);
        let session = Arc::clone(&self.world.session);
        let troubled = Arc::new(Troubled::new(session, call, trouble));
        let (clock, ids) = (&self.world.clock, &self.world.ids);
        let votes = instance(Arc::<Troubled>::clone(&troubled), clock, ids).await;
        let answer = votes.submit(person, &request).await;
        if let Ok(accepted) = &answer {
            let _ = votes.sync(person.user, *accepted).await;
        }
        if troubled.calls() > call {
            *self.troubles.entry(format!("{trouble:?}")).or_default() += 1;
        }
        let at = format!(
            "save {number}, {trouble:?} at call {call}, {:?}",
            request.ask
        );
        self.ask_again(number, person, &request, answer, &at).await;
    }

    /// Another instance is asked the same: what was told once is told again.
    async fn ask_again(
        &mut self,
        number: usize,
        person: Account,
        request: &Request,
        answer: Result<Accepted, NotAccepted>,
        at: &str,
    ) {
        self.world.wait(Duration::from_millis(5));
        let again = self.world.votes.submit(person, request).await;
        let was_known = !matches!(answer, Err(NotAccepted::Unknown(_)));
        if was_known {
            assert_eq!(answer.as_ref().ok(), again.as_ref().ok(), "{at}");
            assert_eq!(code(answer), code(again.clone()), "{at}");
        }
        let Ok(accepted) = again else {
            return;
        };
        // Half of it is left to the drain.
        if self.rng.chance(50) {
            self.world.votes.sync(person.user, accepted).await.unwrap();
        }
        if matches!(request.ask, Ask::Create(_)) {
            let policy = self.world.created(person, accepted).await;
            self.policies.push(policy);
        }
        self.accepted
            .insert(number, (person, request.clone(), accepted));
    }

    /// After a rest the books balance, and what was accepted is there and is what was asked for.
    async fn audit(&self) {
        self.world.rest().await;
        self.world.assert_books_balance().await;
        let books = self.world.votes.books().await.unwrap();
        for (number, (person, request, accepted)) in &self.accepted {
            let (_, records) = books.chains.get(&person.user).unwrap();
            let of = |it: &&VoteRecord| it.request == request.id;
            let found: Vec<_> = records.iter().filter(of).collect();
            assert_eq!(found.len(), 1, "how often save {number} is there");
            let record = found.first().unwrap();
            assert_eq!(
                (record.version, record.seq),
                (accepted.version, accepted.seq)
            );
            if let Ask::Move(asked) = &request.ask {
                let changes = record.changes.iter();
                let changed: Vec<_> = changes
                    .map(|(it, change)| (*it, change.increment))
                    .collect();
                assert_eq!(moves(&changed), Ask::Move(asked.clone()), "save {number}");
            }
        }
    }
}

#[tokio::test]
async fn a_save_with_trouble_anywhere_is_there_whole_or_not_at_all() {
    let mut community = Community::new(7).await;
    let saves = place::count(SAVES, FEW_SAVES);
    for number in 0..saves {
        community.save(number).await;
        if number % AUDIT_EVERY == AUDIT_EVERY - 1 {
            community.audit().await;
            if community.rng.chance(50) {
                community.world.wait(Duration::from_secs(86_400));
                community.world.votes.close_days().await.unwrap();
            }
        }
    }
    community.audit().await;
    let accepted = community.accepted.len();
    assert!(accepted > saves / 3, "only {accepted} were accepted");
    let troubles = &community.troubles;
    assert_eq!(troubles.len(), Trouble::ALL.len(), "{troubles:?}");
}

#[tokio::test]
async fn a_statement_tells_what_each_record_cost() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let policy = world.create(ada).await;
    world.wait(Duration::from_secs(7 * 86_400));
    for nth in 0..60 {
        let votes = if nth % 2 == 0 { 10 } else { -3 };
        let moves = [(policy, votes)].into();
        // When nothing is left, nothing is put there.
        let _ = world.ask(ada, Ask::Move(moves)).await;
    }
    let told = world.votes.told_records(ada.user, None, 100).await.unwrap();
    let burned: i64 = told.iter().flat_map(|it| it.burned.values()).sum();
    let statement = world.votes.statement(ada).await.unwrap();
    assert_eq!(burned, statement.positions[&policy].burned());
    let last = told[0].record.seq;
    for most in [1, 3, 7] {
        let part = world
            .votes
            .told_records(ada.user, Some(last - 2), most)
            .await
            .unwrap();
        let most = usize::try_from(most).unwrap();
        assert_eq!(part, told[3..3 + most]);
    }
}
