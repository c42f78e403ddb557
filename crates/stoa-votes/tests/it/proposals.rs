//! Merges with consent: proposed, agreed to, objected to, due, and left in the middle.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Ids;
use stoa_votes::model::{
    By, HappeningKind, NotDone, PolicyId, PolicyState, RequestId, RetireReason,
};
use stoa_votes::ops::account::Account;
use stoa_votes::tables::proposals::{Proposal, ProposalState};

use crate::pages::edit;
use crate::place;
use crate::world::{World, instance, moves};

const DAY: Duration = Duration::from_secs(86_400);
/// A week and a moment.
const WEEK: Duration = Duration::from_secs(7 * 86_400 + 1);

fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    trees: PolicyId,
    parks: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let parks = world.policy(ben, "More parks").await;
    Scene {
        world,
        ada,
        ben,
        trees,
        parks,
    }
}

impl Scene {
    fn sources(&self) -> BTreeSet<PolicyId> {
        [self.trees, self.parks].into()
    }

    async fn propose(&self) -> Proposal {
        let page = self.world.new_page("More green").await;
        let request = RequestId(self.world.ids.uuid());
        let (votes, sources) = (&self.world.votes, self.sources());
        let proposed = votes.propose_merge(By::Operator, request, &sources, &page);
        proposed.await.unwrap()
    }

    async fn target(&self, proposal: &Proposal) -> PolicyId {
        let there = self.world.votes.tables().proposals.read(proposal.id).await;
        let state = there.unwrap().unwrap().state;
        let target = match &state {
            ProposalState::Done { target } => Some(*target),
            _ => None,
        };
        assert!(target.is_some(), "{state:?}");
        target.unwrap()
    }

    async fn assert_merged(&self, proposal: &Proposal, at: &str) {
        let target = self.target(proposal).await;
        let votes = &self.world.votes;
        let shown = votes.page(target).await.unwrap();
        assert_eq!(shown.page.title, "More green", "{at}");
        let owners = shown.page.co_owners.len() + 1;
        assert_eq!(owners, 2, "{at}");
        assert!(shown.page.is_owned_by(self.ada.user), "{at}");
        assert!(shown.page.is_owned_by(self.ben.user), "{at}");
        for source in self.sources() {
            let standing = votes.tables().policies.settle(source).await.unwrap();
            assert_eq!(standing.unwrap().merged_to, Some(target), "{at}");
        }
        assert_eq!(self.world.total(target).await, 200, "{at}");
        self.world.assert_books_balance().await;
    }
}

#[tokio::test]
async fn when_all_owners_agree_it_is_done_at_once() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let proposal = scene.propose().await;
    let told = votes.tables().happenings.notifications(scene.ada.user, 9);
    let told = told.await.unwrap();
    assert_eq!(told.first().unwrap().kind, HappeningKind::MergeProposed);
    let first = votes.agree_to_merge(scene.ada.user, proposal.id).await;
    assert_eq!(first.unwrap().state, ProposalState::Open);
    let second = votes.agree_to_merge(scene.ben.user, proposal.id).await;
    assert!(matches!(second.unwrap().state, ProposalState::Done { .. }));
    scene.assert_merged(&proposal, "").await;
    // Either owner edits what came of it.
    let target = scene.target(&proposal).await;
    let shown = votes.page(target).await.unwrap();
    let links = &shown.text.as_ref().unwrap().text.links;
    assert_eq!(links.len(), 1);
    let from = shown.merged_from.iter().map(|it| (it.policy, it.by));
    let expected = [scene.trees, scene.parks].map(|it| (it, By::Operator.id()));
    assert_eq!(from.collect::<BTreeSet<_>>(), expected.into());
    for (owner, title) in [(scene.ada, "Green"), (scene.ben, "Greener")] {
        let change = edit(&scene.world, target, &format!("{title} cities")).await;
        votes
            .edit_policy(owner.user, target, &change)
            .await
            .unwrap();
    }
    // What was merged is edited no more, and can be redacted.
    let redact = votes.redact_policy(By::Operator, scene.trees, "a name in it");
    redact.await.unwrap();
    assert_eq!(votes.page(scene.trees).await.unwrap().text, None);
}

#[tokio::test]
async fn whoever_owns_a_policy_may_object_and_nobody_else() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let cid = scene.world.member("cid").await;
    let proposal = scene.propose().await;
    let theirs = votes.object_to_merge(cid.user, proposal.id, "I do not like it");
    assert_eq!(code(theirs.await), "not_an_owner");
    let mine = votes.object_to_merge(scene.ben.user, proposal.id, "parks are not trees");
    mine.await.unwrap();
    let late = votes.agree_to_merge(scene.ada.user, proposal.id);
    assert_eq!(code(late.await), "proposal_decided");
    scene.world.wait(DAY * 8);
    votes.finish_proposals().await.unwrap();
    let state = votes.standing(scene.trees).await.unwrap().unwrap().state;
    assert_eq!(state, PolicyState::Active);
}

#[tokio::test]
async fn a_week_without_objection_is_consent() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let proposal = scene.propose().await;
    votes.finish_proposals().await.unwrap();
    let state = votes.standing(scene.trees).await.unwrap().unwrap().state;
    assert_eq!(state, PolicyState::Active);
    scene.world.wait(WEEK);
    votes.finish_proposals().await.unwrap();
    scene.assert_merged(&proposal, "").await;
    let target = scene.target(&proposal).await;
    // A merge of a merge counts everything once.
    let cid = scene.world.member("cid").await;
    let lawns = scene.world.policy(cid, "More lawns").await;
    let page = scene.world.new_page("All that is green").await;
    let request = RequestId(scene.world.ids.uuid());
    let sources = [target, lawns].into();
    let again = votes.propose_merge(By::Operator, request, &sources, &page);
    let again = again.await.unwrap();
    scene.world.wait(WEEK);
    votes.finish_proposals().await.unwrap();
    let root = scene.target(&again).await;
    assert_eq!(scene.world.total(root).await, 300);
    let ben = scene.ben;
    scene.world.ask(ben, moves(&[(root, -50)])).await.unwrap();
    assert_eq!(scene.world.total(root).await, 250);
    scene.world.assert_books_balance().await;
}

#[tokio::test]
async fn what_cannot_be_merged_is_refused() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let page = scene.world.new_page("More green").await;
    let request = || RequestId(scene.world.ids.uuid());
    let one = [scene.trees].into();
    let alone = votes.propose_merge(By::Operator, request(), &one, &page);
    assert_eq!(code(alone.await), "bad_merge");
    let sources = scene.sources();
    let by = By::User(scene.ada.user);
    let nobody = votes.propose_merge(by, request(), &sources, &page);
    assert_eq!(code(nobody.await), "not_allowed");
    let missing = votes.agree_to_merge(scene.ada.user, scene.world.ids.uuid());
    assert_eq!(code(missing.await), "no_such_proposal");
    let proposal = scene.propose().await;
    votes
        .withdraw_proposal(By::Operator, proposal.id)
        .await
        .unwrap();
    let late = votes.object_to_merge(scene.ben.user, proposal.id, "parks are not trees");
    assert_eq!(code(late.await), "proposal_decided");
}

#[tokio::test]
async fn whoever_dies_while_merging_is_finished_by_the_task() {
    let calls = {
        let scene = scene().await;
        scene.propose().await;
        scene.world.wait(WEEK);
        let counting = Arc::new(Troubled::counting(Arc::clone(&scene.world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &scene.world.clock, &scene.world.ids).await;
        votes.finish_proposals().await.unwrap();
        counting.calls()
    };
    for trouble in Trouble::ALL {
        for call in place::tried(calls) {
            let scene = scene().await;
            let proposal = scene.propose().await;
            scene.world.wait(WEEK);
            let troubled = Troubled::new(Arc::clone(&scene.world.session), call, trouble);
            let session: Arc<dyn Session> = Arc::new(troubled);
            let votes = instance(session, &scene.world.clock, &scene.world.ids).await;
            let first = votes.finish_proposals().await;
            let at = format!("{trouble:?} at call {call}: {first:?}");
            scene.world.votes.finish_proposals().await.unwrap();
            scene.assert_merged(&proposal, &at).await;
        }
    }
}

#[tokio::test]
async fn asking_again_gives_the_same_proposal_and_nothing_else() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let page = scene.world.new_page("More green").await;
    let other = scene.world.new_page("More grey").await;
    let (request, sources) = (RequestId(scene.world.ids.uuid()), scene.sources());
    let propose = async |page| {
        let by = By::Operator;
        votes.propose_merge(by, request, &sources, page).await
    };
    let first = propose(&page).await.unwrap();
    // Its category is used no more, and one of the policies has ended.
    let mut health = votes.categories().await.unwrap().remove(0);
    health.is_active = false;
    votes.put_category(By::Operator, &health).await.unwrap();
    let retired = votes.retire_policy(By::Operator, scene.trees, RetireReason::Done, "planted");
    retired.await.unwrap();
    assert_eq!(propose(&page).await.unwrap(), first);
    assert_eq!(code(propose(&other).await), "request_reused");
}

#[tokio::test]
async fn proposals_are_read_the_open_ones_first() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let first = scene.propose().await;
    let second = scene.propose().await;
    let open = votes.open_proposals().await.unwrap();
    assert_eq!(open, [second.clone(), first.clone()]);
    let objected = votes.object_to_merge(scene.ada.user, first.id, "trees are not parks");
    objected.await.unwrap();
    votes.finish_proposals().await.unwrap();
    let open = votes.open_proposals().await.unwrap();
    assert_eq!(open, std::slice::from_ref(&second));
    let index = votes.tables().proposal_index.open().await.unwrap();
    assert_eq!(index.len(), 1);
    let all = votes.proposals_of_year(2026, None, 1).await.unwrap();
    assert_eq!(all, std::slice::from_ref(&second));
    let rest = votes
        .proposals_of_year(2026, Some(second.proposed), 9)
        .await;
    assert_eq!(rest.unwrap()[0].id, first.id);
    let one = votes.merge_proposal(first.id).await.unwrap();
    assert!(matches!(one.state, ProposalState::Objected { .. }));
}
