//! The forms of the desk with missing, huge and hostile fields, by somebody who may use all of them:
//! a page in any case, and nothing that cannot be undone without a tick in its box.

use stoa_votes::model::{PolicyState, Role, UserState};
use stoa_web::route::{Access, Effect};
use stoa_web::router::routes;

use crate::world::World;

const HOSTILE: &str = "<script>alert(1)</script>\"'>\u{202e}\u{0}; DROP TABLE";

/// What buttons of the desk say.
const VERBS: [&str; 9] = [
    "", "decide", "take", "propose", "follow", "merge", "delete", "rename", "void",
];

const NAMES: [&str; 24] = [
    "case",
    "decision",
    "reason",
    "src",
    "add",
    "title",
    "text",
    "links",
    "category",
    "party",
    "policy",
    "tag",
    "kind",
    "name",
    "into",
    "rename_reason",
    "merge_reason",
    "delete_reason",
    "void_reason",
    "why",
    "status",
    "day",
    "request",
    "sure",
];

#[tokio::test]
async fn whatever_is_sent_to_the_desk_is_answered_by_a_page() {
    let world = World::new().await;
    let (ada, boss) = (world.member("ada").await, world.member("the-boss").await);
    world.grant(boss.user, Role::Admin).await;
    let policy = world.policy(ada, "Something to look after").await;
    let tag = world.votes().tag_policy(ada.user, policy, "green").await;
    let tag = tag.unwrap().id.to_string();
    let any = "00000000-0000-1000-8000-000000000001".to_owned();
    let case = format!("policy.{policy}");
    let huge = "x".repeat(20_000);
    let mut browser = world.signed_in("the-boss").await;
    let token = browser.get("/help").await.field("csrf");
    let of_roles = routes()
        .into_iter()
        .filter(|it| it.effect() == Effect::Changes && matches!(it.access(), Access::Roles(_)));
    let mut count = 0;
    for route in of_roles {
        let path = route.path().replace("{policy}", &policy.to_string());
        let path = path.replace("{user}", &ada.user.to_string());
        let path = path.replace("{tag}", &tag).replace("{case}", &case);
        let path = path.replace("{proposal}", &any).replace("{comment}", &any);
        for value in ["", HOSTILE, "-1", &huge, &policy.to_string()] {
            for verb in VERBS {
                let mut fields = vec![("csrf", token.as_str()), ("do", verb)];
                let few = if value.len() > 1_000 { 8 } else { NAMES.len() };
                fields.extend(NAMES.iter().take(few).map(|name| (*name, value)));
                let page = browser.post(&path, &fields).await;
                assert!(
                    page.status < 500,
                    "{path} {verb} {value:.20}: {}",
                    page.text
                );
                assert!(!page.has("<script>alert"), "{path}: {}", page.text);
                world.clock.advance(std::time::Duration::from_secs(2));
            }
        }
        count += 1;
    }
    assert!(count >= 12, "{count}");
    let standing = world.votes().standing(policy).await.unwrap().unwrap();
    assert_eq!(standing.state, PolicyState::Active);
    let user = world.votes().tables().users.read(ada.user).await.unwrap();
    assert_eq!(user.unwrap().state, UserState::Active);
    assert!(world.votes().find_tag("green").await.unwrap().is_some());
}
