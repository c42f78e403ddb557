//! Votes of others: they arrive on pages that are open, without anybody doing anything.

use serde_json::json;

use super::{PASSWORD, Site, Way, Window};
use crate::browser::axe;
use crate::browser::community::{self, LONG_NAME, TITLE};

/// The numbers of a policy on a page: its total, and what it gained in some days.
const NUMBERS: &str = r"
    const [policy] = arguments;
    const number = it => Number(it.innerText.replace('−', '-').replace(/[^\d-]/g, ''));
    const all = [...document.querySelectorAll(`[data-total='${policy}']`)];
    const [totals, gains] = [false, true].map(is => all.filter(it => it.hasAttribute('data-less') === is));
    return [totals.map(number), gains.map(number)];";

#[test]
fn a_vote_of_somebody_else_arrives_on_pages_that_are_open() {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let voter = Window::new(&site.address, Way::Mouse);
    voter.sign_in(LONG_NAME, PASSWORD).open("/").follow(TITLE);
    voter.sees("left to spend");
    let place = voter.place();
    let policy = place.split('/').nth(2).unwrap().to_owned();
    let open = [place.as_str(), "/"].map(|path| {
        let window = Window::new(&site.address, Way::Mouse);
        window.open(path).sees(TITLE);
        window.run("window.isRemembered = true", &json!([]));
        let numbers = window.run(NUMBERS, &json!([policy]));
        (window, numbers)
    });
    voter
        .press(&format!("Add 10 votes to {TITLE}"))
        .sees("Saved. You can undo it");
    for (window, before) in &open {
        let after = before.as_array().unwrap().iter().map(|numbers| {
            let numbers = numbers.as_array().unwrap().iter();
            numbers
                .map(|it| it.as_i64().unwrap() + 10)
                .collect::<Vec<_>>()
        });
        let after = json!(after.collect::<Vec<_>>());
        assert!(
            !after[0].as_array().unwrap().is_empty(),
            "at {}",
            window.place()
        );
        window.becomes_with(NUMBERS, &json!([policy]), &after);
        let is_same = window.run("return window.isRemembered", &json!([]));
        assert_eq!(is_same, true, "nothing was loaded anew");
        assert_eq!(window.complaints(), [""; 0]);
    }
}
