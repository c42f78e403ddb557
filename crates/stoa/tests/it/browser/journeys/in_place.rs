//! Forms that are answered in place: the page stays, with what was typed elsewhere, the focus and the
//! history; what is left to spend follows; whoever listens is told. Where that fails, and without
//! scripts, the same forms do the same by new pages.

use serde_json::json;

use super::{PASSWORD, Site, Way, Window};
use crate::browser::axe;
use crate::browser::community::{self, LONG_NAME, OWNER, TITLE};

/// What is left to spend, in the head and beside the buttons.
const LEFT: &str = "const digits = it => it?.innerText.replace(/\\D/g, ''); \
    return [digits(document.querySelector('.purse b')), digits(document.querySelector('.key .price'))];";
/// What was told last to whoever listens.
const SAID: &str = "return document.querySelector('body > [role=status]').innerText";
const COMMENT: &str = "return document.querySelector('#f-body').value";

/// Remembers the page, so that another one is noticed.
fn remember(window: &Window) {
    window.run("window.isRemembered = true", &json!([]));
}

fn is_remembered(window: &Window) -> bool {
    window.run("return window.isRemembered === true", &json!([])) == true
}

fn on_the_policy(site: &Site, way: Way) -> Window {
    let window = Window::new(&site.address, way);
    window.sign_in(LONG_NAME, PASSWORD).open("/").follow(TITLE);
    window.sees("left to spend");
    window
}

#[test]
fn the_page_of_a_policy_stays_while_its_forms_are_answered() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = on_the_policy(&site, Way::Mouse);
    remember(&window);
    window.fill("Add a comment", "The school has rooms, too.");
    let add = format!("Add 10 votes to {TITLE}");
    window.press(&add).sees("Saved. You can undo it");
    assert!(is_remembered(&window), "at {}", window.place());
    assert!(window.focused().starts_with(&add), "{}", window.focused());
    assert_eq!(
        window.run(COMMENT, &json!([])),
        "The school has rooms, too."
    );
    let left = window.run(LEFT, &json!([]));
    assert_eq!(left[0], left[1], "the purse follows");
    window.becomes_like(SAID, "Saved. You can undo it");
    window.press("Watch").sees("You watch this policy");
    assert_eq!(window.focused(), "Watching");
    let helpful = format!("The comment of @{OWNER} is helpful");
    let pressed = "return document.activeElement.getAttribute('aria-pressed')";
    window.press(&helpful).becomes(pressed, &json!("true"));
    assert!(
        window.focused().starts_with(&helpful),
        "{}",
        window.focused()
    );
    window.press("Post comment");
    window
        .sees(&format!("@{LONG_NAME}"))
        .sees("The school has rooms, too.");
    let own = "return document.activeElement.id.startsWith('c-')";
    window
        .becomes(own, &json!(true))
        .becomes(COMMENT, &json!(""));
    window.press("Post comment").sees("needs attention");
    assert!(
        window.focused().contains("needs attention"),
        "{}",
        window.focused()
    );
    assert!(is_remembered(&window), "at {}", window.place());
    assert_eq!(window.complaints(), [""; 0]);
}

#[test]
fn a_question_in_place_is_left_by_going_back() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = on_the_policy(&site, Way::Mouse);
    let place = window.place();
    window
        .press(&format!("Add 10 votes to {TITLE}"))
        .sees("Saved. You can undo it");
    remember(&window);
    let take = |window: &Window| {
        window.follow("Take votes back").fill("Take back", "6");
        window.press("Work out the price").sees("6 taken back:");
    };
    take(&window);
    assert!(is_remembered(&window), "at {}", window.place());
    window.run("history.back()", &json!([]));
    window.sees("left to spend").misses("6 taken back:");
    assert!(window.place().starts_with(&place), "{}", window.place());
    take(&window);
    window
        .press("Take back 6, burn 3")
        .sees("Saved. You can undo it");
    assert_eq!(window.complaints(), [""; 0]);
}

#[test]
fn tags_are_suggested_in_place() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = on_the_policy(&site, Way::Mouse);
    window.follow("Suggest a tag").sees("Suggest a tag");
    remember(&window);
    window
        .fill("Tag", "x")
        .press("Suggest a tag")
        .sees("needs attention");
    window.fill("Tag", "winter").press("Suggest a tag");
    window.sees("Your suggestion is noted.");
    assert!(is_remembered(&window), "at {}", window.place());
    assert_eq!(window.complaints(), [""; 0]);
}

#[test]
fn where_nothing_can_be_fetched_forms_are_sent_as_ever() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = on_the_policy(&site, Way::Mouse);
    remember(&window);
    window.run(
        "window.fetch = () => Promise.reject(new Error('away'))",
        &json!([]),
    );
    window
        .press(&format!("Add 10 votes to {TITLE}"))
        .sees("Saved. You can undo it");
    assert!(!is_remembered(&window), "it is a new page");
}

#[test]
fn without_scripts_the_same_forms_do_the_same() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let window = on_the_policy(&site, Way::NoScripts);
    window
        .press(&format!("Add 10 votes to {TITLE}"))
        .sees("Saved. You can undo it");
    window.press("Watch").sees("You watch this policy");
    window.press(&format!("The comment of @{OWNER} is helpful"));
    let helped = format!("The comment of @{OWNER} is helpful, 1");
    let is_counted = "return !!document.querySelector(`[aria-label='${arguments[0]}']`)";
    window.becomes_with(is_counted, &json!([helped]), &json!(true));
    window
        .fill("Add a comment", "The school has rooms, too.")
        .press("Post comment");
    window.sees("The school has rooms, too.");
    window.press("Post comment").sees("needs attention");
    window
        .open("/")
        .follow(TITLE)
        .follow("Suggest a tag")
        .fill("Tag", "winter");
    window
        .press("Suggest a tag")
        .sees("Your suggestion is noted.");
}
