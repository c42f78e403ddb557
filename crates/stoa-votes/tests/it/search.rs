//! Search: what is found, and that an index is only ever behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use stoa_search::{Document, Index};
use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_votes::model::{By, CommentId, PolicyId, PolicyState, RealName};
use stoa_votes::ops::release::Release;
use stoa_votes::ops::search::{Kind, Query, SearchIndex};
use stoa_votes::tables::policies::Settles;
use tempfile::TempDir;
use uuid::Uuid;

use crate::comments;
use crate::place;
use crate::world::{World, instance};

fn found(index: &SearchIndex, text: &str) -> Vec<PolicyId> {
    let found = index.search(&Query::new(text)).unwrap();
    found.hits.iter().map(|hit| PolicyId(hit.id)).collect()
}

#[tokio::test]
async fn policies_that_people_may_see_are_found() {
    let world = World::new().await;
    let [ada, ben, eve] = [world.user(), world.user(), world.user()];
    let trees = world.policy(ada, "Plant trees in every street").await;
    let parks = world.policy(ben, "Build parks, plant more").await;
    let tax = world.policy(eve, "Lower the tax on trees").await;
    let index = SearchIndex::memory().unwrap();
    assert!(found(&index, "trees").is_empty());
    let votes = &world.votes;
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 3);
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 0);
    assert_eq!(found(&index, "plant trees").first(), Some(&trees));
    assert_eq!(found(&index, "tax"), [tax]);
    let hits = index.similar_policies("Plant tree", 5).unwrap();
    let similar: Vec<_> = hits.iter().map(|hit| PolicyId(hit.id)).collect();
    assert_eq!(similar.first(), Some(&trees));
    assert!(similar.contains(&parks));
    let mut elsewhere = Query::new("trees");
    elsewhere.category = Some("tax".to_owned());
    assert!(index.search(&elsewhere).unwrap().hits.is_empty());

    let hide = "UPDATE votes.policy_pages SET is_hidden = true WHERE policy = ?";
    world.session.query(hide, (trees,)).await.unwrap();
    votes.release(tax, Release::Retire).await.unwrap();
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 2);
    // A retired policy is found, and not offered as a similar one.
    assert_eq!(found(&index, "trees"), [tax]);
    assert!(
        index
            .similar_policies("tax on trees", 5)
            .unwrap()
            .is_empty()
    );
    let gone = (PolicyState::Active, PolicyState::PendingDeletion);
    let policies = &world.votes.tables().policies;
    let changed = policies.change_state(parks, gone.0, gone.1, Settles::Yes);
    assert!(changed.await.unwrap());
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 1);
    assert!(found(&index, "parks").is_empty());
    assert!(index.stamp_micros().is_some());
}

#[tokio::test]
async fn an_index_in_a_folder_is_kept_and_a_damaged_one_is_filled_anew() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "Plant trees").await;
    let place = TempDir::new().unwrap();
    let index = SearchIndex::open(place.path()).unwrap();
    world.votes.refresh_search(&index).await.unwrap();
    drop(index);
    let index = SearchIndex::open(place.path()).unwrap();
    assert_eq!(found(&index, "trees"), [trees]);
    assert_eq!(world.votes.refresh_search(&index).await.unwrap(), 1);
    assert_eq!(found(&index, "trees"), [trees]);
    drop(index);
    std::fs::write(place.path().join("meta.json"), "{").unwrap();
    let index = SearchIndex::open(place.path()).unwrap();
    assert!(found(&index, "trees").is_empty());
    world.votes.refresh_search(&index).await.unwrap();
    assert_eq!(found(&index, "trees"), [trees]);
}

#[tokio::test]
async fn a_refresh_that_cannot_read_changes_nothing() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "Plant trees").await;
    let index = SearchIndex::memory().unwrap();
    world.votes.refresh_search(&index).await.unwrap();
    for call in 0..6 {
        let session = Troubled::new(Arc::clone(&world.session), call, Trouble::LostBefore);
        let votes = instance(Arc::new(session), &world.clock, &world.ids).await;
        assert!(votes.refresh_search(&index).await.is_err());
        assert_eq!(found(&index, "trees"), [trees]);
    }
}

/// What is found of a few words, and how many there are of everything.
fn all_found(index: &SearchIndex) -> Vec<(Kind, Uuid)> {
    let mut all = Vec::new();
    for word in ["trees", "parks", "benno", "shadows", "climate"] {
        let found = index.search(&Query::new(word)).unwrap();
        all.extend(found.hits.iter().map(|hit| (hit.kind, hit.id)));
    }
    all.sort_unstable_by_key(|(kind, id)| (kind.name(), *id));
    all
}

#[tokio::test]
async fn trouble_at_any_read_of_a_refresh_leaves_an_index_that_the_next_one_mends() {
    let scene = comments::scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    votes
        .tag_policy(scene.ada, scene.policy, "climate")
        .await
        .unwrap();
    let refresh = async |index: &SearchIndex, session: Arc<dyn Session>| {
        let votes = instance(session, &world.clock, &world.ids).await;
        let _ = votes.refresh_search(index).await;
    };
    let place = TempDir::new().unwrap();
    let index = SearchIndex::open(place.path()).unwrap();
    let healthy = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    refresh(&index, Arc::<Troubled>::clone(&healthy) as Arc<dyn Session>).await;
    let before = all_found(&index);
    assert!(before.len() >= 3, "{before:?}");
    drop(index);
    scene.say(scene.ben, "Shadows in summer", None).await;
    let calls = healthy.calls() + 2;
    let expected = {
        let index = SearchIndex::memory().unwrap();
        votes.refresh_search(&index).await.unwrap();
        all_found(&index)
    };
    assert_ne!(before, expected);
    for call in place::tried(calls) {
        let kind = usize::try_from(call).unwrap() % Trouble::ALL.len();
        let trouble = Trouble::ALL[kind];
        let at = format!("{trouble:?} at call {call}");
        let copy = copied(place.path());
        let index = SearchIndex::open(copy.path()).unwrap();
        let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
        refresh(&index, Arc::new(troubled)).await;
        let found = all_found(&index);
        assert!(found == before || found == expected, "{at}: {found:?}");
        // Half of the instances start anew before they try again.
        let index = match call % 2 == 0 {
            true => index,
            false => {
                drop(index);
                SearchIndex::open(copy.path()).unwrap()
            }
        };
        assert_eq!(all_found(&index), found, "{at}");
        votes.refresh_search(&index).await.unwrap();
        assert_eq!(all_found(&index), expected, "{at}");
    }
}

fn copied(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    copy
}

/// How a refresh may die while it writes.
#[derive(Debug, Clone, Copy)]
enum Dies {
    /// Some documents were given to the writer, and others taken from it.
    BeforeCommit,
    /// All of it was committed, and nobody knows that.
    AfterCommit,
    /// What was committed did not come to the disk whole.
    HalfCommitted,
}

#[tokio::test]
async fn a_writer_that_dies_leaves_an_index_that_the_next_refresh_mends() {
    let world = World::new().await;
    let trees = world.policy(world.user(), "Plant trees").await;
    for dies in [Dies::BeforeCommit, Dies::AfterCommit, Dies::HalfCommitted] {
        let place = TempDir::new().unwrap();
        let index = SearchIndex::open(place.path()).unwrap();
        world.votes.refresh_search(&index).await.unwrap();
        let before = index.stamp_micros().unwrap();
        drop(index);
        let phantom = Document::new(Kind::Policy, Uuid::from_u128(404), "Phantom trees");
        let writer = Index::open(place.path()).unwrap();
        writer.clear().unwrap();
        writer.upsert(&phantom).unwrap();
        if !matches!(dies, Dies::BeforeCommit) {
            writer.commit(before + 1).unwrap();
        }
        drop(writer);
        if matches!(dies, Dies::HalfCommitted) {
            cut_files(place.path());
        }
        let index = SearchIndex::open(place.path()).unwrap();
        if matches!(dies, Dies::BeforeCommit) {
            assert_eq!(found(&index, "trees"), [trees], "{dies:?}");
            assert_eq!(index.stamp_micros(), Some(before));
        }
        world.votes.refresh_search(&index).await.unwrap();
        assert_eq!(found(&index, "trees"), [trees], "{dies:?}");
        assert!(found(&index, "phantom").is_empty(), "{dies:?}");
        // It is an index like any other.
        drop(index);
        let index = SearchIndex::open(place.path()).unwrap();
        assert_eq!(found(&index, "trees"), [trees], "{dies:?}");
    }
}

/// Cuts files of an index in half: terms and documents, not the list of files.
fn cut_files(folder: &Path) {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path());
    let of_segment = |it: &PathBuf| {
        let extension = it.extension().and_then(|it| it.to_str());
        matches!(extension, Some("term" | "store" | "idx"))
    };
    for file in files.filter(of_segment) {
        let bytes = std::fs::read(&file).unwrap();
        let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
        std::fs::write(&file, half).unwrap();
    }
}

fn ids(index: &SearchIndex, kind: Kind, text: &str) -> Vec<Uuid> {
    let mut query = Query::new(text);
    query.kinds = vec![kind];
    let found = index.search(&query).unwrap();
    found.hits.iter().map(|hit| hit.id).collect()
}

#[tokio::test]
async fn descriptions_tags_comments_and_people_are_found_until_they_are_gone() {
    let scene = comments::scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let index = SearchIndex::memory().unwrap();
    let tag = votes.tag_policy(scene.ada, scene.policy, "climate").await;
    let tag = tag.unwrap();
    let said = scene.say(scene.ben, "Shadows in summer", None).await;
    votes.refresh_search(&index).await.unwrap();
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 0);
    let policy = scene.policy.0;
    // Words of the description and of the tag lead to the policy.
    assert_eq!(ids(&index, Kind::Policy, "want this"), [policy]);
    assert_eq!(ids(&index, Kind::Policy, "climate"), [policy]);
    assert_eq!(ids(&index, Kind::Tag, "climate"), [tag.id.0]);
    assert_eq!(ids(&index, Kind::Comment, "shadows"), [said.0]);
    assert_eq!(ids(&index, Kind::Person, "benno"), [scene.ben.0]);
    let found = index.search(&Query::new("shadows")).unwrap();
    let hit = found.hits.first().unwrap();
    let (of, comment) = (PolicyId(hit.parent.unwrap()), CommentId(hit.id));
    let read = votes.comment(of, comment).await.unwrap().unwrap();
    assert_eq!(read.body, "Shadows in summer");

    let edited = votes.edit_comment(scene.ben, scene.policy, said, "", "Coolness in summer");
    edited.await.unwrap();
    world.wait(Duration::from_secs(660));
    assert_eq!(votes.refresh_search(&index).await.unwrap(), 1);
    assert!(ids(&index, Kind::Comment, "shadows").is_empty());
    assert_eq!(ids(&index, Kind::Comment, "coolness"), [said.0]);

    let name = RealName {
        first: "Benedict".to_owned(),
        last: "Arnold".to_owned(),
        is_shown: true,
    };
    votes.set_real_name(scene.ben, &name).await.unwrap();
    votes.refresh_search(&index).await.unwrap();
    assert_eq!(ids(&index, Kind::Person, "benedict"), [scene.ben.0]);
    let by = By::User(scene.moderator);
    let removed = votes.remove_comment(by, scene.policy, said, "off topic");
    removed.await.unwrap();
    votes
        .delete_tag(By::Operator, tag.id, "gone")
        .await
        .unwrap();
    votes.leave(scene.ben).await.unwrap();
    votes.refresh_search(&index).await.unwrap();
    assert!(ids(&index, Kind::Comment, "coolness").is_empty());
    assert!(ids(&index, Kind::Tag, "climate").is_empty());
    assert!(ids(&index, Kind::Person, "benno").is_empty());
    assert!(ids(&index, Kind::Person, "benedict").is_empty());
    assert!(ids(&index, Kind::Policy, "climate").is_empty());
}

#[tokio::test]
async fn comments_of_a_hidden_policy_are_not_found() {
    let scene = comments::scene().await;
    let votes = &scene.world.votes;
    let index = SearchIndex::memory().unwrap();
    let said = scene.say(scene.ben, "Shadows in summer", None).await;
    votes.refresh_search(&index).await.unwrap();
    assert_eq!(ids(&index, Kind::Comment, "shadows"), [said.0]);
    let hide = "UPDATE votes.policy_pages SET is_hidden = ? WHERE policy = ?";
    for (is_hidden, count) in [(true, 0), (false, 1)] {
        let values = (is_hidden, scene.policy);
        scene.world.session.query(hide, values).await.unwrap();
        votes.refresh_search(&index).await.unwrap();
        assert_eq!(ids(&index, Kind::Comment, "shadows").len(), count);
        assert_eq!(ids(&index, Kind::Policy, "trees").len(), count);
    }
}
