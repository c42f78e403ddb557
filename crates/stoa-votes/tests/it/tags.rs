//! Tags: putting them on policies, suggesting, moderating, reading, and trouble at every call.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_testkit::turns::{Orders, Racer, Run, TakingTurns};
use stoa_votes::Votes;
use stoa_votes::model::{
    By, Day, Happening, HappeningKind, NotDone, PolicyId, Role, SuggestionKind, Tag, TagAct, TagId,
    TagSuggestion, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::suggest_tag::{MOST_SUGGESTIONS_A_DAY, Suggested};
use stoa_votes::rules::tags::TagName;
use stoa_votes::tables::tags::ClaimedTagName;

use stoa_types::{Clock, Ids, time_uuid};

use crate::place;
use crate::world::{World, instance, no_policy};

struct Scene {
    world: World,
    ada: Account,
    ben: Account,
    /// Moderates tags.
    mia: Account,
    /// Of Ada.
    trees: PolicyId,
    /// Of Ben.
    parks: PolicyId,
}

async fn scene() -> Scene {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let ben = world.member("ben").await;
    let mia = world.member("mia").await;
    let role = Role::ModerateTags;
    let granted = world.votes.grant_role(By::Operator, mia.user, role).await;
    granted.unwrap();
    let trees = world.policy(ada, "Trees").await;
    let parks = world.policy(ben, "Parks").await;
    Scene {
        world,
        ada,
        ben,
        mia,
        trees,
        parks,
    }
}

fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

async fn names_of(world: &World, policy: PolicyId) -> Vec<String> {
    let tags = world.votes.tags_of(policy).await.unwrap();
    tags.into_iter().map(|tag| tag.name).collect()
}

async fn by_tag(world: &World, tag: TagId) -> Vec<PolicyId> {
    world.votes.policies_by_tags(&[tag]).await.unwrap()
}

impl Scene {
    async fn tag(&self, name: &str) -> Tag {
        self.tag_on(self.ada, self.trees, name).await
    }

    async fn tag_on(&self, by: Account, policy: PolicyId, name: &str) -> Tag {
        let votes = &self.world.votes;
        votes.tag_policy(by.user, policy, name).await.unwrap()
    }

    async fn log(&self) -> Vec<(String, String)> {
        let log = &self.world.votes.tables().moderation;
        let today = Day::of_micros(self.world.clock.now_micros());
        let mut entries = Vec::new();
        for day in today.plus(-3).through(today) {
            let of_day = log.list(day).await.unwrap();
            entries.extend(of_day.into_iter().map(|it| (it.action, it.reason)));
        }
        entries.retain(|(action, _)| action.contains("tag"));
        entries.sort();
        entries
    }

    /// Whether the task looks at the log of something.
    fn is_young(&self, act: &TagAct) -> bool {
        let at = time_uuid::unix_micros(&act.id).unwrap();
        at > self.world.clock.now_micros() - 2 * 86_400_000_000
    }

    /// Every claim has its tag, every policy tags that count, and the lists say the same.
    async fn assert_in_order(&self, at: &str) {
        let tables = self.world.votes.tables();
        let tags = tables.tags.all().await.unwrap();
        for claim in tables.tags.names().await.unwrap() {
            assert!(tags.contains_key(&claim.tag), "{at}: {claim:?}");
        }
        let mut expected = BTreeSet::new();
        for it in tables.policy_tags.all().await.unwrap() {
            for tag in it.tags {
                let counts = self.world.votes.tag(tag).await.unwrap();
                assert_eq!(counts.map(|tag| tag.id), Some(tag), "{at}");
                expected.insert((it.policy, tag));
            }
        }
        assert_eq!(tables.policy_tags.pairs().await.unwrap(), expected, "{at}");
        let log = self.log().await;
        for tag in tags.values() {
            let act = tag.act.as_ref();
            if let Some(act) = act.filter(|act| self.is_young(act)) {
                let entry = (act.kind.clone(), act.reason.clone());
                assert!(log.contains(&entry), "{at}: {entry:?}");
            }
        }
    }
}

#[tokio::test]
async fn owners_and_moderators_put_tags_on_policies_and_take_them() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let green = scene.tag("Green  Energy").await;
    assert_eq!(green.name, "Green Energy");
    assert_eq!(scene.tag("green energy").await.id, green.id);
    assert_eq!(
        scene
            .tag_on(scene.ben, scene.parks, "GREEN ENERGY")
            .await
            .id,
        green.id
    );
    assert_eq!(by_tag(world, green.id).await, [scene.trees, scene.parks]);
    let city = scene.tag_on(scene.mia, scene.trees, "city").await;
    assert_eq!(names_of(world, scene.trees).await, ["city", "Green Energy"]);
    let both = votes.policies_by_tags(&[green.id, city.id]).await.unwrap();
    assert_eq!(both, [scene.trees]);
    assert!(votes.policies_by_tags(&[]).await.unwrap().is_empty());

    let (ben, trees) = (scene.ben.user, scene.trees);
    assert_eq!(
        code(votes.tag_policy(ben, trees, "roads").await),
        "not_allowed"
    );
    assert_eq!(
        code(votes.untag_policy(ben, trees, city.id).await),
        "not_allowed"
    );
    for _ in 0..2 {
        let untagged = votes.untag_policy(scene.ada.user, trees, city.id).await;
        assert_eq!(code(untagged), "done");
    }
    assert_eq!(names_of(world, trees).await, ["Green Energy"]);
    assert!(by_tag(world, city.id).await.is_empty());
    // What was taken can be put back.
    scene.tag("city").await;
    assert_eq!(by_tag(world, city.id).await, [trees]);
    let told = votes
        .tables()
        .happenings
        .of_policy(trees, 10)
        .await
        .unwrap();
    let tagged = told.iter().filter(|it| it.kind == HappeningKind::Tagged);
    assert_eq!(tagged.count(), 4);
    scene.assert_in_order("in the end").await;
}

#[tokio::test]
async fn every_refusal_has_its_code_and_writes_nothing() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    let (ada, ben, trees) = (scene.ada.user, scene.ben.user, scene.trees);
    let nobody = UserId(scene.world.ids.uuid());
    let no_tag = TagId(scene.world.ids.uuid());
    for (name, expected) in [
        ("a", "tag_too_short"),
        ("a,b", "tag_bad_character"),
        ("\u{0}\u{0}", "tag_bad_character"),
        (&*"x".repeat(31), "tag_too_long"),
        (&*"x".repeat(1_000_000), "tag_too_long"),
    ] {
        assert_eq!(code(votes.tag_policy(ada, trees, name).await), expected);
        assert_eq!(code(votes.suggest_tag(ben, trees, name).await), expected);
        let renamed = votes.rename_tag(By::Operator, no_tag, name, "").await;
        assert_eq!(code(renamed), expected);
    }
    assert_eq!(
        code(votes.tag_policy(nobody, trees, "ok").await),
        "no_such_user"
    );
    assert_eq!(
        code(votes.suggest_tag(nobody, trees, "ok").await),
        "no_such_user"
    );
    let none = no_policy();
    assert_eq!(
        code(votes.tag_policy(ada, none, "ok").await),
        "no_such_policy"
    );
    assert_eq!(
        code(votes.suggest_tag(ada, none, "ok").await),
        "no_such_policy"
    );
    assert_eq!(
        code(votes.untag_policy(ada, trees, no_tag).await),
        "no_such_tag"
    );
    assert_eq!(
        code(votes.suggest_untag(ada, trees, no_tag).await),
        "no_such_tag"
    );
    assert_nothing_is_written(&scene).await;
}

async fn assert_nothing_is_written(scene: &Scene) {
    let tables = scene.world.votes.tables();
    assert!(tables.tags.names().await.unwrap().is_empty());
    assert!(tables.tags.all().await.unwrap().is_empty());
    assert!(tables.policy_tags.all().await.unwrap().is_empty());
    assert!(tables.tag_suggestions.all().await.unwrap().is_empty());
    assert!(scene.log().await.is_empty());
}

#[tokio::test]
async fn what_moderators_cannot_do_is_refused_and_writes_nothing() {
    let scene = scene().await;
    let (votes, ben) = (&scene.world.votes, scene.ben.user);
    let no_tag = TagId(scene.world.ids.uuid());
    let by = By::User(ben);
    assert_eq!(
        code(votes.rename_tag(by, no_tag, "ok", "").await),
        "not_allowed"
    );
    assert_eq!(
        code(votes.merge_tags(by, no_tag, no_tag, "").await),
        "not_allowed"
    );
    assert_eq!(code(votes.delete_tag(by, no_tag, "").await), "not_allowed");
    let by = By::User(scene.mia.user);
    let long = "x".repeat(1_001);
    assert_eq!(
        code(votes.delete_tag(by, no_tag, &long).await),
        "reason_too_long"
    );
    assert_eq!(
        code(votes.rename_tag(by, no_tag, "ok", "").await),
        "no_such_tag"
    );
    assert_eq!(
        code(votes.merge_tags(by, no_tag, no_tag, "").await),
        "same_tag"
    );
    assert_eq!(code(votes.delete_tag(by, no_tag, "").await), "no_such_tag");
    votes.release(scene.parks, Release::Retire).await.unwrap();
    let closed = votes.tag_policy(ben, scene.parks, "ok").await;
    assert_eq!(code(closed), "policy_not_active");
    assert_nothing_is_written(&scene).await;
}

#[tokio::test]
async fn a_policy_has_ten_tags_at_most() {
    let scene = scene().await;
    let (votes, tables) = (&scene.world.votes, scene.world.votes.tables());
    let (ada, ben, trees) = (scene.ada.user, scene.ben.user, scene.trees);
    for number in 0..10 {
        scene.tag(&format!("tag {number}")).await;
    }
    assert_eq!(
        code(votes.tag_policy(ada, trees, "one more").await),
        "too_many_tags"
    );
    assert_eq!(
        code(votes.suggest_tag(ben, trees, "one more").await),
        "too_many_tags"
    );
    assert_eq!(
        code(votes.suggest_tag(ben, trees, "Tag 3").await),
        "already_tagged"
    );
    assert_eq!(code(votes.tag_policy(ada, trees, "Tag 3").await), "done");
    assert!(votes.find_tag("one more").await.unwrap().is_none());
    assert!(tables.tag_suggestions.all().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_two_people_suggest_is_done() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let (ben, mia, trees) = (scene.ben.user, scene.mia.user, scene.trees);
    for _ in 0..2 {
        let noted = votes.suggest_tag(ben, trees, "Shade").await.unwrap();
        assert_eq!(noted, Suggested::Noted);
    }
    assert!(votes.find_tag("shade").await.unwrap().is_none());
    let suggestions = votes.tag_suggestions(trees).await.unwrap();
    assert_eq!(suggestions.len(), 1);
    votes.withdraw_suggestion(&suggestions[0]).await.unwrap();
    assert_eq!(
        votes.suggest_tag(mia, trees, "shade").await.unwrap(),
        Suggested::Noted
    );
    assert_eq!(
        votes.suggest_tag(ben, trees, "SHADE").await.unwrap(),
        Suggested::Done
    );
    assert_eq!(names_of(world, trees).await.len(), 1);
    assert!(votes.tag_suggestions(trees).await.unwrap().is_empty());
    let shade = votes.find_tag("shade").await.unwrap().unwrap().id;
    assert_eq!(
        votes.suggest_untag(mia, trees, shade).await.unwrap(),
        Suggested::Noted
    );
    // The owner decides, and what was suggested before is void.
    scene.tag("shade").await;
    assert_eq!(
        votes.suggest_untag(ben, trees, shade).await.unwrap(),
        Suggested::Noted
    );
    assert_eq!(
        votes.suggest_untag(mia, trees, shade).await.unwrap(),
        Suggested::Done
    );
    assert!(names_of(world, trees).await.is_empty());
    assert_eq!(
        code(votes.suggest_untag(mia, trees, shade).await),
        "not_tagged"
    );
    // A suggestion of a tag that is deleted is withdrawn.
    votes.suggest_tag(ben, trees, "shade").await.unwrap();
    votes.delete_tag(By::User(mia), shade, "").await.unwrap();
    assert_eq!(
        code(votes.suggest_tag(mia, trees, "shade").await),
        "tag_blocked"
    );
    votes.rewrite_tags().await.unwrap();
    assert!(votes.tag_suggestions(trees).await.unwrap().is_empty());
    scene.assert_in_order("in the end").await;
}

#[tokio::test]
async fn names_lead_to_their_tag_for_ever_and_merges_hold_at_once() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let (green, city) = (scene.tag("green").await.id, scene.tag("city").await.id);
    let eco = scene.tag_on(scene.ben, scene.parks, "eco").await.id;
    let by = By::User(scene.mia.user);
    let renamed = votes
        .rename_tag(by, green, "Nature", "clearer")
        .await
        .unwrap();
    assert_eq!(renamed.name, "Nature");
    for name in ["green", "NATURE"] {
        let found = votes.find_tag(name).await.unwrap().unwrap();
        assert_eq!((found.id, &*found.name), (green, "Nature"));
    }
    assert_eq!(
        code(votes.rename_tag(by, green, "Eco", "").await),
        "tag_name_taken"
    );
    votes.rename_tag(by, green, "green", "").await.unwrap();

    votes.merge_tags(by, eco, green, "the same").await.unwrap();
    assert_eq!(
        votes.merge_tags(by, eco, green, "").await.unwrap().id,
        green
    );
    assert_eq!(code(votes.merge_tags(by, green, eco, "").await), "same_tag");
    assert_eq!(
        code(votes.merge_tags(by, eco, city, "").await),
        "tag_merged"
    );
    assert_eq!(
        code(votes.rename_tag(by, eco, "other", "").await),
        "tag_merged"
    );
    assert_eq!(code(votes.delete_tag(by, eco, "").await), "tag_merged");
    let check = async || {
        for tag in [green, eco] {
            assert_eq!(by_tag(world, tag).await, [scene.trees, scene.parks]);
        }
        assert_eq!(names_of(world, scene.parks).await, ["green"]);
        assert_eq!(names_of(world, scene.trees).await, ["city", "green"]);
    };
    check().await;
    // Its old name is now a name of the other.
    votes.rename_tag(by, green, "eco", "").await.unwrap();
    votes.rename_tag(by, green, "green", "").await.unwrap();
    votes.rewrite_tags().await.unwrap();
    scene.assert_in_order("rewritten").await;
    check().await;
    let merged = votes.tables().policy_tags.policies(eco).await.unwrap();
    assert!(merged.is_empty());
    let log = scene.log().await;
    assert_eq!(log.len(), 5);
    for (action, reason) in [
        ("merge_tags", "eco -> green: the same"),
        ("rename_tag", "Nature -> green"),
        ("rename_tag", "green -> Nature: clearer"),
    ] {
        let entry = (action.to_owned(), reason.to_owned());
        assert!(log.contains(&entry), "{entry:?} in {log:?}");
    }
}

#[tokio::test]
async fn the_names_of_a_deleted_tag_are_blocked() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let (green, city) = (scene.tag("green").await.id, scene.tag("city").await.id);
    let eco = scene.tag_on(scene.ben, scene.parks, "eco").await.id;
    let by = By::User(scene.mia.user);
    votes.merge_tags(by, eco, green, "").await.unwrap();
    votes.delete_tag(by, green, "spam").await.unwrap();
    assert_eq!(code(votes.delete_tag(by, green, "").await), "done");
    assert!(by_tag(world, eco).await.is_empty());
    assert_eq!(names_of(world, scene.trees).await, ["city"]);
    for name in ["green", "eco"] {
        let tagged = votes.tag_policy(scene.ada.user, scene.trees, name).await;
        assert_eq!(code(tagged), "tag_blocked");
        let renamed = votes.rename_tag(by, city, name, "").await;
        assert_eq!(code(renamed), "tag_blocked");
    }
    assert_eq!(
        code(votes.merge_tags(by, city, eco, "").await),
        "no_such_tag"
    );
    votes.rewrite_tags().await.unwrap();
    scene.assert_in_order("deleted").await;
    let entry = ("delete_tag".to_owned(), "green: spam".to_owned());
    assert!(scene.log().await.contains(&entry));
}

/// Tags of three policies, about which something happens.
struct Cloud {
    scene: Scene,
    roofs: PolicyId,
    tags: [TagId; 3],
}

async fn cloud() -> Cloud {
    let scene = scene().await;
    let world = &scene.world;
    let (green, city) = (scene.tag("green").await, scene.tag("city").await);
    scene.tag_on(scene.ben, scene.parks, "green").await;
    let roofs = world.policy(scene.mia, "Roofs").await;
    let quiet = scene.tag_on(scene.mia, roofs, "quiet").await;
    for (kind, policy) in [
        (HappeningKind::Commented, scene.trees),
        (HappeningKind::Created, scene.parks),
        (HappeningKind::Edited, roofs),
    ] {
        let happening = Happening {
            id: world.ids.time_uuid(),
            policy: Some(policy),
            kind,
            actor: scene.ben.user,
            about: None,
            detail: String::new(),
        };
        let happenings = &world.votes.tables().happenings;
        happenings.write(policy, &happening).await.unwrap();
    }
    Cloud {
        tags: [city.id, green.id, quiet.id],
        scene,
        roofs,
    }
}

impl Cloud {
    /// How many policies each tag has, and its heat.
    async fn assert_figures(&self, expected: [(i64, i64); 3]) {
        let votes = &self.scene.world.votes;
        votes.count_tags().await.unwrap();
        let figures = votes.tag_cloud().await.unwrap().into_iter();
        let figures: Vec<_> = figures
            .map(|it| (it.tag, (it.policies, it.heat_thousandths)))
            .collect();
        let expected: Vec<_> = self.tags.into_iter().zip(expected).collect();
        assert_eq!(figures, expected);
    }
}

#[tokio::test]
async fn the_cloud_counts_active_roots_and_heat_comes_from_people() {
    let cloud = cloud().await;
    let (world, votes) = (&cloud.scene.world, &cloud.scene.world.votes);
    // Each was created today, by one voter.
    let today = [(1, 5_000), (2, 12_000), (1, 4_000)];
    cloud.assert_figures(today).await;
    let hottest = votes.hot_tags(2).await.unwrap();
    let hottest: Vec<&str> = hottest.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(hottest, ["green", "city"]);
    let health = votes.hot_categories(5).await.unwrap();
    assert_eq!((health.len(), health[0].policies), (1, 3));
    assert_eq!(health[0].heat_thousandths, 16_000);
    let related = votes.related_policies(cloud.scene.trees).await.unwrap();
    // All are of one category, and the first two share a tag besides.
    assert_eq!(related, [cloud.scene.parks, cloud.roofs]);
    let related = votes.related_policies(cloud.roofs).await.unwrap();
    assert_eq!(related, [cloud.scene.trees, cloud.scene.parks]);
    // Two days later, the days closed, everything weighs half.
    world.wait(Duration::from_secs(2 * 86_400));
    votes.close_days().await.unwrap();
    let later = [(1, 2_500), (2, 6_000), (1, 2_000)];
    cloud.assert_figures(later).await;
}

#[tokio::test]
async fn what_is_merged_is_listed_as_its_root_with_the_tags_of_all() {
    let cloud = cloud().await;
    let (scene, world) = (&cloud.scene, &cloud.scene.world);
    let (votes, [_, green, _]) = (&world.votes, cloud.tags);
    let sources = [scene.trees, cloud.roofs].into();
    let root = votes.merge(scene.mia.user, sources).await.unwrap().unwrap();
    assert_eq!(names_of(world, root).await, ["city", "green", "quiet"]);
    assert_eq!(by_tag(world, green).await, [scene.parks, root]);
    votes.release(scene.parks, Release::Delete).await.unwrap();
    votes.clear_tags(scene.parks).await.unwrap();
    cloud.assert_figures([(1, 9_000); 3]).await;
    let related = votes.related_policies(scene.trees).await.unwrap();
    assert!(related.is_empty());
    votes.rewrite_tags().await.unwrap();
    scene.assert_in_order("in the end").await;
}

#[tokio::test]
async fn of_two_who_make_one_tag_both_get_the_same() {
    let scene = scene().await;
    let mut orders = Orders::with_interruptions(1);
    for round in 0.. {
        let name = format!("round {round}");
        let told: Arc<Mutex<Vec<TagId>>> = Arc::default();
        let mut racers: Vec<Racer> = Vec::new();
        for (user, policy) in [(scene.ada.user, scene.trees), (scene.ben.user, scene.parks)] {
            let world = &scene.world;
            let turns = TakingTurns::new(Arc::clone(&world.session), Arc::clone(&world.clock));
            let votes = instance(Arc::new(turns), &world.clock, &world.ids).await;
            let (name, told) = (name.clone(), Arc::clone(&told));
            racers.push(Box::pin(async move {
                let tag = votes.tag_policy(user, policy, &name).await.unwrap();
                told.lock().unwrap().push(tag.id);
            }));
        }
        let Run::Ended(order) = orders.run(racers) else {
            break;
        };
        let told = told.lock().unwrap().clone();
        assert_eq!(told.len(), 2, "{order:?}");
        assert_eq!(told.first(), told.last(), "{order:?}");
        let bearers = by_tag(&scene.world, told[0]).await;
        assert_eq!(bearers, [scene.trees, scene.parks], "{order:?}");
        for policy in [scene.trees, scene.parks] {
            scene.world.votes.clear_tags(policy).await.unwrap();
        }
    }
    assert!(orders.tried() > 20, "{} orders", orders.tried());
    scene.assert_in_order("in the end").await;
}

/// What is done while there is trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Put,
    Take,
    Suggest,
    Rename,
    Merge,
    Delete,
    Rewrite,
}

const ACTIONS: [Action; 7] = [
    Action::Put,
    Action::Take,
    Action::Suggest,
    Action::Rename,
    Action::Merge,
    Action::Delete,
    Action::Rewrite,
];

impl Scene {
    /// Tags of a round, all of them on one policy or about to be.
    async fn prepare(&self, action: Action, round: u64) -> [TagId; 2] {
        let votes = &self.world.votes;
        if action == Action::Rewrite {
            // What was done in other rounds is too old to be looked at again.
            self.world.wait(Duration::from_secs(3 * 86_400));
        }
        votes.clear_tags(self.trees).await.unwrap();
        let one = self.tag(&format!("one {round}")).await.id;
        let other = self.tag(&format!("other {round}")).await.id;
        let new = format!("new {round}");
        if matches!(action, Action::Suggest | Action::Rewrite) {
            let mia = self.mia.user;
            let noted = votes.suggest_tag(mia, self.trees, &new).await;
            assert_eq!(noted.unwrap(), Suggested::Noted);
        }
        if action == Action::Rewrite {
            // A suggestion that nobody counted, a claim without a tag, a merge.
            let name = TagName::of(&new).unwrap();
            let suggestion = TagSuggestion {
                policy: self.trees,
                tag: name.new_tag(),
                kind: SuggestionKind::Add,
                user: self.ben.user,
                name: name.shown.clone(),
            };
            let now = self.world.clock.now_micros() + 60_000_000;
            let tables = votes.tables();
            tables
                .tag_suggestions
                .write(&suggestion, now)
                .await
                .unwrap();
            let claim = ClaimedTagName {
                tag: name.new_tag(),
                key: name.key,
                shown: name.shown,
            };
            assert!(tables.tags.claim(&claim).await.unwrap());
            votes
                .merge_tags(By::Operator, one, other, "")
                .await
                .unwrap();
            self.world.wait(Duration::from_secs(60));
        }
        [one, other]
    }

    async fn act(
        &self,
        votes: &Votes,
        action: Action,
        round: u64,
        [one, other]: [TagId; 2],
    ) -> Result<(), NotDone> {
        let (ada, ben, trees) = (self.ada.user, self.ben.user, self.trees);
        let new = format!("new {round}");
        let by = By::User(self.mia.user);
        match action {
            Action::Put => votes.tag_policy(ada, trees, &new).await.map(|_| ()),
            Action::Take => votes.untag_policy(ada, trees, one).await,
            Action::Suggest => votes.suggest_tag(ben, trees, &new).await.map(|_| ()),
            Action::Rename => votes.rename_tag(by, one, &new, "").await.map(|_| ()),
            Action::Merge => votes.merge_tags(by, one, other, "").await.map(|_| ()),
            Action::Delete => votes.delete_tag(by, one, "").await,
            Action::Rewrite => Ok(votes.rewrite_tags().await?),
        }
    }
}

fn expected(action: Action, round: u64) -> Vec<String> {
    let names: &[&str] = match action {
        Action::Put | Action::Suggest => &["new", "one", "other"],
        Action::Take | Action::Merge | Action::Delete => &["other"],
        Action::Rename | Action::Rewrite => &["new", "other"],
    };
    names.iter().map(|name| format!("{name} {round}")).collect()
}

#[tokio::test]
async fn whatever_happens_at_any_call_tags_come_in_order() {
    for action in ACTIONS {
        let scene = scene().await;
        let world = &scene.world;
        let tags = scene.prepare(action, 0).await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &world.clock, &world.ids).await;
        scene.act(&votes, action, 0, tags).await.unwrap();
        assert_eq!(names_of(world, scene.trees).await, expected(action, 0));
        let mut round = 0;
        for trouble in [Trouble::DiesBefore, Trouble::LostAfter, Trouble::Twice] {
            for call in place::tried(counting.calls()) {
                round += 1;
                let at = format!("{action:?}, {trouble:?} at call {call}");
                let tags = scene.prepare(action, round).await;
                let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
                let votes = instance(Arc::new(troubled), &world.clock, &world.ids).await;
                let first = scene.act(&votes, action, round, tags).await;
                world.votes.rewrite_tags().await.unwrap();
                scene.assert_in_order(&at).await;
                let again = code(scene.act(&world.votes, action, round, tags).await);
                let is_known =
                    again == "done" || (action == Action::Suggest && again == "already_tagged");
                assert!(is_known, "{at}: {first:?}, then {again}");
                let names = names_of(world, scene.trees).await;
                assert_eq!(names, expected(action, round), "{at}: {first:?}");
                world.votes.rewrite_tags().await.unwrap();
                scene.assert_in_order(&at).await;
            }
        }
    }
}

#[tokio::test]
async fn counting_that_dies_anywhere_is_run_again_and_counts_the_same() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    scene.tag("green").await;
    scene.tag_on(scene.ben, scene.parks, "green").await;
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let other = instance(session, &world.clock, &world.ids).await;
    other.count_tags().await.unwrap();
    let expected = votes.tag_cloud().await.unwrap();
    let calls = counting.calls();
    // Most calls read what happened in an hour, and are all the same.
    let tried = (0..calls).filter(|call| call % 60 == 0 || call + 12 >= calls);
    for call in tried {
        for trouble in Trouble::ALL {
            let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
            let other = instance(Arc::new(troubled), &world.clock, &world.ids).await;
            let _ = other.count_tags().await;
            votes.count_tags().await.unwrap();
            let at = format!("{trouble:?} at call {call}");
            assert_eq!(votes.tag_cloud().await.unwrap(), expected, "{at}");
            let related = votes.related_policies(scene.trees).await.unwrap();
            assert_eq!(related, [scene.parks], "{at}");
        }
    }
}

#[tokio::test]
async fn one_user_suggests_so_many_tags_a_day_and_no_more() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let suggest = |number: i32| {
        let name = format!("tag {number}");
        async move { votes.suggest_tag(scene.ben.user, scene.trees, &name).await }
    };
    for number in 0..MOST_SUGGESTIONS_A_DAY {
        assert_eq!(code(suggest(number).await), "done");
    }
    let next = MOST_SUGGESTIONS_A_DAY;
    assert_eq!(code(suggest(next).await), "too_many_suggestions");
    // What was suggested may be said again, and others may suggest.
    assert_eq!(code(suggest(0).await), "done");
    let other = votes
        .suggest_tag(scene.mia.user, scene.trees, "shade")
        .await;
    assert_eq!(code(other), "done");
    world.wait(Duration::from_secs(86_400));
    assert_eq!(code(suggest(next).await), "done");
}
