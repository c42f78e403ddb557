//! What people see of pages, what moderators do to them, and what the public log says of it.

use std::time::Duration;

use stoa_types::Ids;
use stoa_votes::model::{
    By, HappeningKind, PageAct, PageAction, PolicyId, PolicyState, PolicyStatus, PrivacyMode,
    ProgressKind, RetireReason, Role, UserId, VoteVersion,
};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::rules::front_page::Featured;
use stoa_votes::tables::pages::PageChange;
use stoa_votes::tables::policies::{Creation, Settles};
use uuid::Uuid;

use crate::pages::{code, edit, give_roles, kinds, moderated, request, state};
use crate::world::{MONDAY, World, moves};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::test]
async fn what_is_featured_is_so_for_its_days() {
    let (world, trees, ben) = moderated().await;
    let (votes, by) = (&world.votes, By::User(ben.user));
    assert_eq!(code(votes.feature(by, None, &[]).await), "not_allowed");
    give_roles(&world, ben).await;
    let entry = Featured {
        policy: trees,
        from: MONDAY,
        through: MONDAY.plus(3),
    };
    votes.feature(by, None, &[entry]).await.unwrap();
    assert_eq!(code(votes.feature(by, None, &[]).await), "page_changed");
    assert_eq!(votes.featured().await.unwrap(), [trees]);
    let twice = votes.feature(by, None, &[entry, entry]).await;
    assert_eq!(code(twice), "featured_twice");
    // Where nothing is chosen, there is what rises.
    world.wait(DAY * 4);
    let cars = world.policy(world.member("cid").await, "Fewer cars").await;
    votes.measure().await.unwrap();
    votes.refresh_board().await.unwrap();
    assert!(votes.featured().await.unwrap().contains(&cars));
}

#[tokio::test]
async fn each_entry_of_the_front_page_tells_who_put_it_there() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let (votes, cid) = (&world.votes, world.member("cid").await);
    let granted = votes.grant_role(By::Operator, cid.user, Role::FeaturePolicies);
    granted.await.unwrap();
    let entry = |from| Featured {
        policy: trees,
        from,
        through: from,
    };
    let [today, later, last] = [0, 3, 6].map(|days| entry(MONDAY.plus(days)));
    let (ben, cid) = (ben.user, cid.user);
    let nobody = UserId(Uuid::nil());
    for (by, entries, expected) in [
        (By::User(ben), vec![today, later], vec![ben, ben]),
        (By::User(cid), vec![last, later], vec![cid, ben]),
        (By::User(ben), vec![later, last, today], vec![ben, cid, ben]),
        (By::Operator, vec![], vec![]),
        (By::Operator, vec![today], vec![nobody]),
    ] {
        let (_, seen) = votes.front_page().await.unwrap();
        votes.feature(by, seen, &entries).await.unwrap();
        let (put, _) = votes.front_page_by().await.unwrap();
        let plain: Vec<Featured> = put.iter().map(|it| it.featured).collect();
        let by: Vec<UserId> = put.iter().map(|it| it.by).collect();
        assert_eq!((plain, by), (entries, expected));
    }
}

#[tokio::test]
async fn what_nobody_can_read_is_not_on_the_front_page() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let (votes, by) = (&world.votes, By::User(ben.user));
    let cid = world.member("cid").await;
    let (cars, parks) = (
        world.policy(ben, "Fewer cars").await,
        world.policy(cid, "More parks").await,
    );
    let entry = |policy| Featured {
        policy,
        from: MONDAY,
        through: MONDAY.plus(3),
    };
    let entries = [entry(trees), entry(cars), entry(parks)];
    votes.feature(by, None, &entries).await.unwrap();
    let hide = votes.set_visibility(by, cars, Visibility::Hidden, "a slur in it");
    hide.await.unwrap();
    let merged = votes.merge(ben.user, [trees, parks].into()).await;
    // Both are now one, which has no page of its own.
    let merged = merged.unwrap().unwrap();
    let featured = votes.featured().await.unwrap();
    for gone in [trees, cars, parks, merged] {
        assert!(!featured.contains(&gone), "{featured:?}");
    }
    let (_, seen) = votes.front_page().await.unwrap();
    let again = votes.feature(by, seen, &[entry(cars)]).await;
    again.unwrap();
    let (_, seen) = votes.front_page().await.unwrap();
    votes.feature(by, seen, &[]).await.unwrap();
    let (_, seen) = votes.front_page().await.unwrap();
    let hidden = votes.feature(by, seen, &[entry(cars)]).await;
    assert_eq!(code(hidden), "policy_not_shown");
}

#[tokio::test]
async fn what_is_hidden_is_read_by_its_owner_and_by_moderators_alone() {
    let (world, trees, ben) = moderated().await;
    let votes = &world.votes;
    let owner = By::User(votes.page(trees).await.unwrap().page.owner);
    let hide = votes.set_visibility(By::Operator, trees, Visibility::Hidden, "a slur in it");
    hide.await.unwrap();
    let seen = async |viewer| {
        let shown = votes.page_for(viewer, trees).await.unwrap();
        let versions = votes.versions_for(viewer, trees).await.unwrap();
        (shown.text.is_some(), versions.len())
    };
    assert_eq!(votes.versions(trees).await.unwrap(), []);
    assert_eq!(seen(By::User(ben.user)).await, (false, 0));
    assert_eq!(seen(owner).await, (true, 1));
    give_roles(&world, ben).await;
    assert_eq!(seen(By::User(ben.user)).await, (true, 1));
}

#[tokio::test]
async fn nobody_reads_what_is_being_created() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let trees = PolicyId(world.ids.time_uuid());
    let tables = world.votes.tables();
    let by = Creation {
        user: ada.user,
        seq: 1,
        version: VoteVersion(world.ids.time_uuid()),
    };
    tables.policies.write_created(trees, &by).await.unwrap();
    assert_eq!(code(world.votes.versions(trees).await), "no_such_policy");
    assert_eq!(code(world.votes.page(trees).await), "no_such_policy");
}

/// The log as (moderator, action, reason), the last first.
async fn log(world: &World) -> Vec<(UserId, String, String)> {
    let log = world.votes.tables().moderation.list(MONDAY).await.unwrap();
    let log = log
        .into_iter()
        .map(|it| (it.moderator, it.action, it.reason));
    log.collect()
}

#[tokio::test]
async fn who_repeats_what_another_did_is_not_in_the_log_for_it() {
    let (world, trees, ben) = moderated().await;
    let cid = world.member("cid").await;
    give_roles(&world, ben).await;
    give_roles(&world, cid).await;
    let votes = &world.votes;
    let before = log(&world).await.len();
    for (who, why) in [(ben, "a slur in it"), (cid, "I do not like it")] {
        let by = By::User(who.user);
        let hide = votes.set_visibility(by, trees, Visibility::Hidden, why);
        hide.await.unwrap();
        let place = votes.place_policy(by, trees, "health", None);
        place.await.unwrap();
    }
    let after = log(&world).await;
    let hide = (
        ben.user,
        "hide_policy".to_owned(),
        "a slur in it".to_owned(),
    );
    assert_eq!(after.len(), before + 1, "{after:?}");
    assert!(after.contains(&hide), "{after:?}");
    // Nor is it told twice.
    let told = kinds(&world, trees).await;
    assert_eq!(told, [HappeningKind::Hidden, HappeningKind::Created]);
    let mut health = votes.categories().await.unwrap().remove(0);
    health.name = "Health and care".to_owned();
    let by = By::User(ben.user);
    let admin = votes.grant_role(By::Operator, ben.user, Role::Admin);
    admin.await.unwrap();
    votes.put_category(by, &health).await.unwrap();
    votes.put_category(By::Operator, &health).await.unwrap();
    let log = log(&world).await;
    let of_category = log.iter().filter(|it| it.1 == "put_category");
    let by: Vec<_> = of_category.map(|it| (it.0, it.2.as_str())).collect();
    let operator = By::Operator.id();
    assert_eq!(by, [(ben.user, "Health and care"), (operator, "Health")]);
}

#[tokio::test]
async fn what_a_moderator_did_and_did_not_log_is_logged_by_the_next() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let votes = &world.votes;
    let tables = votes.tables();
    let page = tables.pages.settle(trees).await.unwrap().unwrap();
    let act = PageAct {
        id: world.ids.time_uuid(),
        by: ben.user,
        action: PageAction::Hide,
        reason: "a slur in it".to_owned(),
    };
    let hidden = PageChange::Hidden(true);
    let changed = tables.pages.change(&page, &hidden, act.id, Some(&act));
    assert!(changed.await.unwrap());
    let show = votes.set_visibility(By::Operator, trees, Visibility::Shown, "mended");
    show.await.unwrap();
    let actions: Vec<_> = log(&world).await.into_iter().take(2).collect();
    let hide = "hide_policy".to_owned();
    assert_eq!(actions[1], (ben.user, hide, "a slur in it".to_owned()));
    assert_eq!(actions[0].2, "mended");
}

#[tokio::test]
async fn who_edits_the_policy_of_another_is_in_the_log() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let votes = &world.votes;
    let before = log(&world).await.len();
    let change = edit(&world, trees, "Many more trees").await;
    for _ in 0..2 {
        votes.edit_policy(ben.user, trees, &change).await.unwrap();
    }
    let after = log(&world).await;
    assert_eq!(after.len(), before + 1);
    let expected = (ben.user, "edit_policy".to_owned(), "clearer".to_owned());
    assert_eq!(after[0], expected);
    let owner = votes.page(trees).await.unwrap().page.owner;
    let change = edit(&world, trees, "Trees, trees, trees").await;
    votes.edit_policy(owner, trees, &change).await.unwrap();
    assert_eq!(log(&world).await.len(), before + 1);
    let mut long = edit(&world, trees, "Trees").await;
    long.note = "x".repeat(100_000);
    let refused = votes.edit_policy(owner, trees, &long).await;
    assert_eq!(code(refused), "note_too_long");
}

#[tokio::test]
async fn what_was_answered_is_answered_again_whatever_became_of_it() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let page = world.new_page("More trees").await;
    let (votes, asked) = (&world.votes, request(&world));
    let basis = votes.statement(ada).await.unwrap().basis;
    let created = votes.create_policy(ada, asked, basis, &page).await.unwrap();
    let change = edit(&world, created.policy, "Many more trees").await;
    let edited = votes.edit_policy(ada.user, created.policy, &change).await;
    let edited = edited.unwrap();
    let mut health = votes.categories().await.unwrap().remove(0);
    health.is_active = false;
    votes.put_category(By::Operator, &health).await.unwrap();
    let other = RetireReason::Other;
    let retired = votes.retire_policy(By::Operator, created.policy, other, "enough");
    retired.await.unwrap();
    let again = votes.create_policy(ada, asked, basis, &page).await;
    assert_eq!(again.unwrap().policy, created.policy);
    let again = votes.edit_policy(ada.user, created.policy, &change).await;
    assert_eq!(again.unwrap(), edited);
    let fresh = votes
        .create_policy(ada, request(&world), basis, &page)
        .await;
    assert_eq!(fresh.unwrap_err().code(), "no_such_category");
}

#[tokio::test]
async fn a_moderator_releases_who_voted_while_the_owner_withdrew() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let votes = &world.votes;
    world.ask(ben, moves(&[(trees, 30)])).await.unwrap();
    // The vote came between the recount and the decision.
    let policies = &votes.tables().policies;
    let settles = Settles::Yes;
    let (from, to) = (PolicyState::Active, PolicyState::Withdrawn);
    let withdrawn = policies.change_state(trees, from, to, settles).await;
    assert!(withdrawn.unwrap());
    let late = votes.withdraw_policy(ada, trees, "a mistake");
    late.await.unwrap();
    assert_eq!(world.balance(ben).await, 70);
    let why = RetireReason::Other;
    for _ in 0..2 {
        let retire = votes.retire_policy(By::Operator, trees, why, "it was withdrawn");
        retire.await.unwrap();
    }
    assert_eq!(world.balance(ben).await, 100);
    assert_eq!(state(&world, trees).await, Some(PolicyState::Retired));
    let ending = votes.page(trees).await.unwrap().page.ending.unwrap();
    assert_eq!(ending.reason, "other: it was withdrawn");
    let redact = votes.redact_policy(By::Operator, trees, "a name in it");
    redact.await.unwrap();
    let shown = votes.page(trees).await.unwrap();
    assert_eq!((shown.text, shown.page.title.as_str()), (None, ""));
    world.wait(DAY);
    votes.close_days().await.unwrap();
    world.assert_books_balance().await;
}

#[tokio::test]
async fn a_retired_policy_keeps_its_last_rank() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "More trees").await;
    let cars = world.policy(ben, "Fewer cars").await;
    world.wait(DAY);
    let votes = &world.votes;
    // The day before is ranked only after it was retired.
    let retire = votes.retire_policy(By::Operator, cars, RetireReason::Done, "sold");
    retire.await.unwrap();
    world.wait(DAY);
    votes.close_days().await.unwrap();
    votes.rank_days().await.unwrap();
    let shown = votes.page(cars).await.unwrap();
    let last = shown.last_rank.unwrap();
    assert_eq!((last.day, last.rank, last.total), (MONDAY, 2, 100));
    assert_eq!(votes.page(trees).await.unwrap().last_rank, None);
    let after = votes.ranking_on(MONDAY.next(), 0, 9).await.unwrap();
    assert_eq!(after.unwrap().policies, [(1, (trees, 100))].into());
}

#[tokio::test]
async fn how_far_it_is_is_said_in_fixed_words_and_milestones_have_a_day() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let votes = &world.votes;
    let planned = ProgressKind::Status(PolicyStatus::Planned);
    let milestone = ProgressKind::Milestone(MONDAY.plus(90));
    let long = "We shall. ".repeat(900);
    for (kind, text) in [
        (planned, ""),
        (milestone, "The first tree"),
        (ProgressKind::Response, long.as_str()),
    ] {
        let said = votes.publish(ben.user, trees, request(&world), kind, text);
        said.await.unwrap();
    }
    let page = votes.page(trees).await.unwrap();
    let said = votes.progress(&page).await.unwrap();
    let said: Vec<ProgressKind> = said.iter().map(|it| it.kind).collect();
    assert_eq!(said, [ProgressKind::Response, milestone, planned]);
    for (kind, text) in [(ProgressKind::Response, ""), (milestone, "")] {
        let said = votes.publish(ben.user, trees, request(&world), kind, text);
        assert_eq!(code(said.await), "bad_response");
    }
}

#[tokio::test]
async fn nothing_official_is_said_about_what_people_do_not_see() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let votes = &world.votes;
    let kind = ProgressKind::Response;
    let said = votes.publish(ben.user, trees, request(&world), kind, "We shall.");
    said.await.unwrap();
    let hide = |visibility| votes.set_visibility(By::Operator, trees, visibility, "so it is");
    hide(Visibility::Hidden).await.unwrap();
    let said = async || votes.progress(&votes.page(trees).await.unwrap()).await;
    assert_eq!(said().await.unwrap(), []);
    let more = votes.publish(ben.user, trees, request(&world), kind, "We shall not.");
    assert_eq!(code(more.await), "policy_not_shown");
    hide(Visibility::Shown).await.unwrap();
    assert_eq!(said().await.unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_creates_more_than_five_policies_a_day() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.wait(DAY * 7 * 9);
    let votes = &world.votes;
    for nth in 0..4 {
        world.policy(ada, &format!("Policy {nth}")).await;
    }
    let page = world.new_page("The fifth").await;
    let (fifth, basis) = (request(&world), votes.statement(ada).await.unwrap().basis);
    let created = votes.create_policy(ada, fifth, basis, &page).await.unwrap();
    let again = votes.create_policy(ada, fifth, basis, &page).await;
    assert_eq!(again.unwrap(), created);
    let basis = votes.statement(ada).await.unwrap().basis;
    let sixth = votes
        .create_policy(ada, request(&world), basis, &page)
        .await;
    assert_eq!(sixth.unwrap_err().code(), "too_many_policies");
    world.wait(DAY);
    let later = votes
        .create_policy(ada, request(&world), basis, &page)
        .await;
    later.unwrap();
}

#[tokio::test]
async fn a_text_is_changed_five_hundred_times_at_most() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let trees = world.policy(ada, "More trees").await;
    let votes = &world.votes;
    for nth in 2..=500 {
        let change = edit(&world, trees, &format!("More trees {nth}")).await;
        votes.edit_policy(ada.user, trees, &change).await.unwrap();
    }
    let change = edit(&world, trees, "One more").await;
    let refused = votes.edit_policy(ada.user, trees, &change).await;
    assert_eq!(code(refused), "too_many_versions");
}

#[tokio::test]
async fn everybody_reads_the_log_page_by_page_and_who_has_which_role() {
    let (world, trees, ben) = moderated().await;
    give_roles(&world, ben).await;
    let votes = &world.votes;
    for visibility in [Visibility::Hidden, Visibility::Shown, Visibility::Hidden] {
        let by = By::User(ben.user);
        let set = votes.set_visibility(by, trees, visibility, "to and fro");
        set.await.unwrap();
    }
    let all = votes.tables().moderation.list(MONDAY).await.unwrap();
    let mut paged = Vec::new();
    let mut before = None;
    loop {
        let page = votes.moderation_log(MONDAY, before, 2).await.unwrap();
        assert!(page.entries.len() <= 2);
        paged.extend(page.entries);
        match page.next {
            Some(next) => before = Some(next),
            None => break,
        }
    }
    assert_eq!(paged, all);
    let grants = votes.grants(Role::EditPolicies).await.unwrap();
    let expected = [(ben.user, By::Operator.id())];
    let who: Vec<_> = grants.iter().map(|it| (it.user, it.changed_by)).collect();
    assert_eq!(who, expected);
    let revoked = votes.revoke_role(By::Operator, ben.user, Role::EditPolicies);
    revoked.await.unwrap();
    let grants = votes.grants(Role::EditPolicies).await.unwrap();
    assert_eq!(grants, []);
}

#[tokio::test]
async fn who_tags_the_policy_of_another_is_in_the_log_once_for_each_change() {
    let (world, trees, ben) = moderated().await;
    let votes = &world.votes;
    let owner = votes.page(trees).await.unwrap().page.owner;
    let granted = votes.grant_role(By::Operator, ben.user, Role::ModerateTags);
    granted.await.unwrap();
    let before = log(&world).await.len();
    votes.tag_policy(owner, trees, "green").await.unwrap();
    assert_eq!(log(&world).await.len(), before);
    let tag = votes.tag_policy(ben.user, trees, "city").await.unwrap();
    votes.tag_policy(ben.user, trees, "city").await.unwrap();
    assert_eq!(log(&world).await.len(), before + 1);
    let untag = votes.untag_policy(ben.user, trees, tag.id);
    untag.await.unwrap();
    let log = log(&world).await;
    assert_eq!(log.len(), before + 2);
    assert_eq!((log[0].0, log[0].1.as_str()), (ben.user, "change_tags"));
}

#[tokio::test]
async fn who_chose_what_the_ledger_shows_is_in_the_log() {
    let (world, _, ben) = moderated().await;
    let votes = &world.votes;
    let granted = votes.grant_role(By::Operator, ben.user, Role::Admin);
    granted.await.unwrap();
    for (by, mode) in [
        (By::User(ben.user), PrivacyMode::Tallies),
        (By::Operator, PrivacyMode::Tallies),
        (By::Operator, PrivacyMode::Public),
    ] {
        votes.choose_privacy(by, mode).await.unwrap();
    }
    let log = log(&world).await;
    let chosen = log.iter().filter(|it| it.1 == "choose_privacy");
    let chosen: Vec<_> = chosen.map(|it| (it.0, it.2.as_str())).collect();
    let expected = [(By::Operator.id(), "public"), (ben.user, "tallies")];
    assert_eq!(chosen, expected);
}

#[tokio::test]
async fn what_is_said_of_places_is_checked_like_other_texts() {
    let (world, _, _) = moderated().await;
    let votes = &world.votes;
    let mut health = votes.categories().await.unwrap().remove(0);
    for (about, refusal) in [
        ("x".repeat(100_000), "about_too_long"),
        ("a\0b".to_owned(), "text_bad_character"),
    ] {
        health.description = about;
        let put = votes.put_category(By::Operator, &health).await;
        assert_eq!(code(put), refusal);
    }
}
