//! What visitors look at: news, new comments page by page, people by name, the days of the ledger.

use std::time::Duration;

use stoa_types::Ids as _;
use stoa_votes::model::{By, HappeningKind, NotDone, RequestId};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::write_comment::NewComment;

use crate::world::{MONDAY, World};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

fn code<T>(result: Result<T, NotDone>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "done")
}

#[tokio::test]
async fn news_is_of_policies_that_are_shown_the_last_first_and_of_a_week() {
    let world = World::new().await;
    let (ada, ben) = (world.member("ada").await, world.member("ben").await);
    let trees = world.policy(ada, "Trees").await;
    world.wait(MINUTE);
    let parks = world.policy(ben, "Parks").await;
    let mut said = Vec::new();
    for number in 0..5 {
        world.wait(MINUTE * 20);
        let new = NewComment {
            request: RequestId(world.ids.uuid()),
            policy: trees,
            answers: None,
            subject: String::new(),
            body: format!("remark {number}"),
        };
        said.push(world.votes.write_comment(ben.user, &new).await.unwrap());
    }
    let kinds = |news: &[stoa_votes::model::Happening]| {
        let kinds = news.iter().map(|it| (it.policy, it.kind));
        kinds.collect::<Vec<_>>()
    };
    let news = world.votes.news(3, |_| true).await.unwrap();
    assert_eq!(kinds(&news), [(Some(trees), HappeningKind::Commented); 3]);
    let news = world.votes.news(100, |it| it == parks).await.unwrap();
    assert_eq!(kinds(&news), [(Some(parks), HappeningKind::Created)]);
    let news = world.votes.policy_news(trees, 100).await.unwrap();
    assert_eq!(news.len(), 6);

    // Pages of comments follow on each other, across hours, without one twice.
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = world.votes.comments_before(before, 2).await.unwrap();
        pages.extend(page.iter().map(|it| it.id));
        match page.last().filter(|_| page.len() == 2) {
            Some(last) => before = Some(last.id),
            None => break,
        }
    }
    said.reverse();
    assert_eq!(pages, said);

    let hide = world
        .votes
        .set_visibility(By::Operator, trees, Visibility::Hidden, "why");
    hide.await.unwrap();
    assert_eq!(world.votes.news(100, |_| true).await.unwrap().len(), 1);
    assert!(
        world
            .votes
            .policy_news(trees, 100)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        world
            .votes
            .comments_before(None, 10)
            .await
            .unwrap()
            .is_empty()
    );
    world.wait(DAY * 8);
    assert!(world.votes.news(100, |_| true).await.unwrap().is_empty());
}

#[tokio::test]
async fn people_are_found_by_name_alone() {
    let world = World::new().await;
    let ada = world.member("Ada").await;
    let find = async |name: &str| world.votes.find_person(name).await;
    assert_eq!(find("ada").await.unwrap().name, "Ada");
    for nobody in ["bob", "", "ada@example.org", "\u{0}", "admin"] {
        assert_eq!(code(find(nobody).await), "no_such_user", "{nobody}");
    }
    world.wait(MINUTE);
    world.votes.change_name(ada.user, "lovelace").await.unwrap();
    assert_eq!(find("lovelace").await.unwrap().id, ada.user);
    assert_ne!(code(find("ada").await), "done");
    world.votes.leave(ada.user).await.unwrap();
    assert_eq!(code(find("lovelace").await), "account_ended");
    world.wait(DAY * 91);
    assert_eq!(code(find("lovelace").await), "no_such_user");
}

#[tokio::test]
async fn the_days_of_the_ledger_follow_on_each_other_and_are_those_of_its_export() {
    let world = World::new().await;
    assert_eq!(world.votes.ledger_days(None, 10).await.unwrap().days, []);
    let ada = world.member("ada").await;
    world.policy(ada, "Trees").await;
    for _ in 0..60 {
        world.wait(DAY);
        world.votes.close_days().await.unwrap();
    }
    let mut days = Vec::new();
    let mut before = None;
    loop {
        let page = world.votes.ledger_days(before, 25).await.unwrap();
        assert_eq!(page.first, Some(MONDAY));
        days.extend(page.days);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    let expected: Vec<_> = MONDAY.through(MONDAY.plus(59)).rev().collect();
    assert_eq!(days.iter().map(|it| it.day).collect::<Vec<_>>(), expected);
    let mut export = world.votes.export_ledger().await.unwrap();
    let mut at = export.next().await.unwrap().map(|_| MONDAY);
    while let Some(day) = at {
        let lines = export.next().await.unwrap().unwrap();
        assert_eq!(world.votes.ledger_day(day).await.unwrap(), Some(lines));
        let found = days.iter().find(|it| it.day == day).unwrap();
        assert_eq!(found.hash, export.hash());
        at = Some(day.next()).filter(|day| *day <= MONDAY.plus(59));
    }
    for day in [MONDAY.previous(), MONDAY.plus(60)] {
        assert_eq!(world.votes.ledger_day(day).await.unwrap(), None);
    }
}
