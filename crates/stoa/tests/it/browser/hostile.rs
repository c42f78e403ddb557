//! What hostile texts can do in a browser: nothing. A list of vectors stands wherever people write;
//! then every page that shows one is opened, touched, and searched for what should not be there.

use std::collections::BTreeSet;

use serde_json::json;
use stoa_votes::model::{NewPage, PolicyText};

use super::community::text;
use super::people::{PASSWORD, People, days_ago};
use super::site::Site;
use super::window::{Way, Window};

/// One in each line, `\n` for the end of a line. Each calls `hit()` if a browser runs it.
const VECTORS: &str = include_str!("vectors.txt");

/// Wakes whatever listens, then tells what ran and what is there that no page of ours has.
const SEARCH: &str = r"
    const found = [];
    for (const it of document.querySelectorAll('main *')) {
        for (const kind of ['mouseover', 'mouseenter', 'focus', 'error', 'load', 'toggle', 'animationend', 'pointerdown'])
            it.dispatchEvent(new Event(kind));
    }
    if (window.hits) found.push('ran: ' + window.hits);
    for (const it of document.querySelectorAll('*')) {
        for (const attribute of it.attributes) {
            if (/^on/i.test(attribute.name) || attribute.name === 'style' || attribute.name === 'srcdoc')
                found.push(it.outerHTML.slice(0, 200));
            if (['href', 'src', 'action', 'formaction', 'data', 'xlink:href'].includes(attribute.name)
                && !/^(https?:|mailto:|\/|#|$)/i.test(attribute.value)) found.push(it.outerHTML.slice(0, 200));
        }
    }
    const strange = 'iframe, object, embed, base, frame, applet, math, img, video, audio, style, template, marquee, main script, main meta, main link';
    for (const it of document.querySelectorAll(strange)) found.push(it.outerHTML.slice(0, 200));
    return found;";

/// What vectors call; it must be there before anything of a page is.
const HIT: &str =
    "window.hits = 0; window.hit = () => { window.hits += 1; }; window.alert = window.hit;";

/// Pages that are opened at most.
const MOST_PAGES: usize = 160;

fn vectors() -> Vec<String> {
    let lines = VECTORS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("## "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

#[test]
fn nothing_that_people_write_runs_or_leads_elsewhere() {
    if super::axe().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    days_ago(30, &data, async |people: &People| people.pay(987_654).await);
    days_ago(10, &data, fill);
    let site = Site::on(&data);
    let window = Window::new(&site.address, Way::Mouse);
    window.before_pages(HIT);
    window.sign_in("mallory", PASSWORD);
    let mut waiting: Vec<String> = ["/", "/ranking", "/votes", "/account", "/create"]
        .map(str::to_owned)
        .into();
    for some in vectors().chunks(10) {
        let query: String = some
            .join(" ")
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect();
        waiting.push(format!("/search?q={query}"));
    }
    let mut met: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut shown = 0;
    while let Some(path) = waiting.pop() {
        window.requests();
        window.open(&path);
        let found = window.run(SEARCH, &json!([]));
        assert_eq!(found, json!([]), "at {path}");
        assert_eq!(window.complaints(), [""; 0], "at {path}");
        let asked = window.requests();
        let elsewhere = asked
            .iter()
            .find(|it| !it.starts_with(&site.address) && !it.starts_with("data:"));
        assert_eq!(elsewhere, None, "at {path}");
        shown += window.text().matches("hit()").count();
        let links = window.run(
            "return [...document.querySelectorAll('main a[href]:not([download])')].filter(it => \
            it.origin === location.origin && !it.pathname.endsWith('.atom')).map(it => it.pathname + it.search)",
            &json!([]),
        );
        for link in links.as_array().unwrap() {
            let link = link.as_str().unwrap();
            if met.len() < MOST_PAGES && !link.starts_with("/search") && met.insert(link.to_owned())
            {
                waiting.push(link.to_owned());
            }
        }
    }
    assert!(
        shown > 3 * vectors().len(),
        "only {shown} vectors were shown"
    );
}

async fn fill(people: &People) {
    people
        .open_category("hit", "<b onclick=hit()>C", "<script>hit()</script>")
        .await;
    let mallory = people.join("mallory").await;
    let vectors = vectors();
    let all = vectors.join("\n\n");
    let policy = people
        .create(mallory, "hit", text("A place for comments", &all))
        .await;
    for (at, some) in vectors.chunks(30).enumerate() {
        let author = people.join(&format!("trudy-{at}")).await;
        for vector in some {
            people.say(author, policy, vector).await;
        }
    }
    for vector in vectors
        .iter()
        .filter(|it| (5..=120).contains(&it.chars().count()) && !it.contains('\n'))
    {
        let page = NewPage {
            text: PolicyText {
                links: vec!["https://example.org/'onclick='hit()'\"onclick=\"hit()".to_owned()],
                ..text(vector, vector)
            },
            category: "hit".to_owned(),
            party: None,
        };
        // What no title may be is refused, which is as good.
        let basis = people.votes.statement(mallory).await.unwrap().basis;
        let request = people.request();
        if let Ok(created) = people
            .votes
            .create_policy(mallory, request, basis, &page)
            .await
        {
            let tag: String = vector.chars().take(30).collect();
            let _ = people
                .votes
                .tag_policy(mallory.user, created.policy, &tag)
                .await;
        }
        people.clock.advance(std::time::Duration::from_secs(3_600));
    }
    people.settle().await;
}
