//! A moderator: hides a policy and shows it again, answers a report, proposes a merge.

use serde_json::json;

use super::{PASSWORD, Site, Way, Window, every_way};
use crate::browser::axe;
use crate::browser::community::{self, LONG_TITLE, MODERATOR, TITLE};

every_way!(a_moderator_hides_answers_and_merges);

fn a_moderator_hides_answers_and_merges(way: Way) {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let (window, visitor) = (
        Window::new(&site.address, way),
        Window::new(&site.address, way),
    );
    let place = visitor
        .open("/")
        .follow(TITLE)
        .sees("Sign in to vote")
        .place();
    window.sign_in(MODERATOR, PASSWORD);
    hide(&window, &visitor, &place);
    answer(&window);
    merge(&window);
    assert_eq!(window.complaints(), [""; 0]);
}

fn hide(window: &Window, visitor: &Window, place: &str) {
    window
        .open(place)
        .follow("Hide")
        .sees(&format!("Hide “{TITLE}”?"));
    window
        .press(&format!("Hide {TITLE}"))
        .sees("needs attention");
    window
        .fill("Reason", "Somebody is named in it.")
        .press(&format!("Hide {TITLE}"));
    window.sees("This policy is hidden until somebody has looked at it.");
    visitor.open(place);
    assert!(!visitor.has("October to March"), "{}", visitor.text());
    window
        .follow("Show again")
        .sees(&format!("Show “{TITLE}” again?"));
    window
        .fill("Reason", "The name is gone.")
        .press(&format!("Show {TITLE}"));
    window.sees("October to March");
    visitor.open(place).sees("October to March");
}

fn answer(window: &Window) {
    window
        .open("/desk/cases")
        .follow(&format!("Open case: {LONG_TITLE}"));
    window.sees("The title is too long for any poster.");
    window
        .tick("Keep it: the reports are not right")
        .fill("Reason", "Titles may be long.");
    window
        .press("Decide: ")
        .sees("Decided. Those who reported it are told.");
}

/// Two that nobody proposed to merge yet.
fn merge(window: &Window) {
    window.open("/ranking");
    let names =
        "return [...document.querySelectorAll('main .name a')].map(it => it.pathname).join(' ')";
    let names = window.run(names, &json!([]));
    let both: Vec<&str> = names.as_str().unwrap().split(' ').take(2).collect();
    window
        .open("/desk/merges/new")
        .fill("Add policies", &both.join(" "));
    window.press("Look up and count").sees("Takes effect");
    window
        .fill("Title of the merged policy", "One plan for both of them")
        .fill("Text", "Both at once.");
    window
        .choose("Category", "Health")
        .press("Propose to the owners")
        .sees("The owners are asked.");
}
