//! Proposing a policy, step by step and by forms alone.

use stoa_votes::model::Party;
use uuid::Uuid;

use crate::world::{Page, World};

const STEPS: [&str; 6] = ["title", "similar", "text", "place", "cost", "preview"];

fn fields(party: &str) -> Vec<(&'static str, String)> {
    vec![
        ("title", "Benches along the river".to_owned()),
        (
            "text",
            "Every *300* metres.\n<script>alert(1)</script>".to_owned(),
        ),
        ("links", "https://example.org/river\n\n".to_owned()),
        ("category", "health".to_owned()),
        ("party", party.to_owned()),
        ("tags", "river, benches,, river".to_owned()),
    ]
}

/// Whether a page carries what was typed, in fields that are seen or not.
fn assert_carried(page: &Page, party: &str) {
    for needle in [
        "Benches along the river",
        "Every *300* metres.\n&lt;script&gt;",
        "https://example.org/river",
        "health",
        party,
        "river, benches,, river",
    ] {
        assert!(page.has(needle), "{needle:?} in {}", page.text);
    }
}

async fn party(world: &World) -> String {
    let party = Party {
        party: Uuid::from_u128(7),
        name: "River party".to_owned(),
        description: String::new(),
        is_active: true,
    };
    let by = stoa_votes::model::By::Operator;
    world.votes().put_party(by, &party).await.unwrap();
    party.party.to_string()
}

#[tokio::test]
async fn every_step_carries_everything_on_and_back_and_the_last_publishes() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let party = party(&world).await;
    let mut browser = world.signed_in("ada").await;
    let token = browser.get("/create").await.field("csrf");
    let typed = fields(&party);
    let mut base: Vec<(&str, &str)> = vec![("csrf", &token)];
    base.extend(typed.iter().map(|(name, value)| (*name, value.as_str())));
    for way in ["step", "back"] {
        for step in STEPS {
            let fields = [&base[..], &[(way, step)]].concat();
            let page = browser.post("/create", &fields).await;
            assert_eq!(page.status, 200, "{way} {step}: {}", page.text);
            assert_carried(&page, &party);
            assert!(!page.has("<script>alert"));
            assert_eq!(page.text.matches("aria-current=\"step\"").count(), 1);
        }
    }
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 100);
    let preview = browser
        .post("/create", &[&base[..], &[("step", "preview")]].concat())
        .await;
    assert!(preview.has("Spend 100 votes and publish") && preview.has("River party"));
    let (basis, request) = (preview.field("basis"), preview.field("request"));
    let last = [
        ("step", "publish"),
        ("basis", basis.as_str()),
        ("request", &request),
    ];
    let fields = [&base[..], &last].concat();
    let published = browser.post("/create", &fields).await;
    assert_eq!(published.status, 303, "{}", published.text);
    let again = browser.post("/create", &fields).await;
    assert_eq!(again.location, published.location, "twice is once");
    let page = browser.get(&published.location).await;
    assert!(page.has("Every <em>300</em> metres."), "{}", page.text);
    assert!(page.has("River party") && page.has(">river</a>") && page.has(">benches</a>"));
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 0);
}

#[tokio::test]
async fn what_is_wrong_is_shown_on_its_own_step_and_nothing_is_written() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut browser = world.signed_in("ada").await;
    let token = browser.get("/create").await.field("csrf");
    let typed = fields("");
    let long = "x".repeat(20_001);
    let many = (0..11)
        .map(|it| format!("tag{it}"))
        .collect::<Vec<_>>()
        .join(",");
    for (field, value, target) in [
        ("title", "No", "f-title"),
        ("text", long.as_str(), "f-text"),
        ("links", "ftp://example.org", "f-links"),
        ("category", "nowhere", "f-category"),
        ("party", "00000000-0000-1000-8000-000000000001", "f-party"),
        ("tags", "ok, n<o", "f-tags"),
        ("tags", many.as_str(), "f-tags"),
    ] {
        for step in ["preview", "publish"] {
            let mut fields = vec![("csrf", token.as_str()), ("step", step)];
            for (name, known) in &typed {
                let value = if *name == field {
                    value
                } else {
                    known.as_str()
                };
                fields.push((name, value));
            }
            let page = browser.post("/create", &fields).await;
            assert_eq!(page.status, 422, "{field}: {}", page.text);
            assert!(
                page.has(&format!("href=\"#{target}\"")),
                "{field}: {}",
                page.text
            );
            assert!(page.has("Benches along the river") || field == "title");
        }
    }
    let twice = [("csrf", token.as_str()), ("step", "similar"), ("title", "")];
    assert!(
        browser
            .post("/create", &twice)
            .await
            .has("href=\"#f-title\"")
    );
    assert_eq!(world.votes().statement(ada).await.unwrap().balance, 100);
    assert!(world.votes().created_by(ada.user).await.unwrap().is_empty());
}

#[tokio::test]
async fn whoever_has_too_few_votes_is_told_how_many_are_missing() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    world.policy(ada, "The first of them").await;
    let mut browser = world.signed_in("ada").await;
    let token = browser.get("/create").await.field("csrf");
    let typed = fields("");
    let mut fields: Vec<(&str, &str)> = vec![("csrf", &token), ("step", "preview")];
    fields.extend(typed.iter().map(|(name, value)| (*name, value.as_str())));
    let preview = browser.post("/create", &fields).await;
    let (basis, request) = (preview.field("basis"), preview.field("request"));
    fields[1] = ("step", "publish");
    fields.extend([("basis", basis.as_str()), ("request", request.as_str())]);
    let page = browser.post("/create", &fields).await;
    assert_eq!(page.status, 422);
    assert!(
        page.has("You need 100 votes more.") && page.has("#f-cost"),
        "{}",
        page.text
    );
    assert_eq!(world.votes().created_by(ada.user).await.unwrap().len(), 1);
}
