//! A newcomer: signs up, confirms the address, votes, sees what taking back costs, takes back, undoes,
//! proposes a policy, talks and watches.

use super::{PASSWORD, Site, Way, Window, days_ago, every_way};
use crate::browser::axe;
use crate::browser::community::{self, TITLE};
use crate::browser::people::People;

const NAME: &str = "new-neighbour";

every_way!(a_newcomer_votes_and_is_heard);

fn a_newcomer_votes_and_is_heard(way: Way) {
    if axe().is_none() {
        return;
    }
    let mut site = Site::on(community::folder());
    let window = Window::new(&site.address, way);
    join(&window, &mut site);
    vote(&window);
    propose(&window);
    talk(&window);
    assert_eq!(window.complaints(), [""; 0]);
}

fn join(window: &Window, site: &mut Site) {
    window.open("/");
    window
        .follow("Sign in")
        .sees("New here?")
        .follow("Register");
    window
        .fill("Member name", NAME)
        .fill("E-mail address", "neighbour@example.org");
    window
        .fill("Password", PASSWORD)
        .press("Register")
        .sees("Look into your mail");
    let token = site.pause(|data| {
        let mailed = async |people: &People| people.mailed("neighbour@example.org").await;
        days_ago(0, data, mailed)
    });
    window.open(&format!("/verify-email?token={token}"));
    window.press("Confirm").sees("Your address is confirmed");
    window.sign_in(NAME, PASSWORD).sees("250 votes");
}

/// 250 in the purse: 10 and 20 more are spent, 20 are taken back for 10, which is undone.
fn vote(window: &Window) {
    window.open("/").follow(TITLE).sees("250 left to spend");
    window.press("Watch").sees("You watch this policy");
    window.press(&format!("Add 10 votes to {TITLE}, you have 250 left"));
    window
        .sees("Saved. You can undo it free of charge")
        .sees("240 left to spend");
    window
        .fill("Or set a new total", "30")
        .press("Save votes")
        .sees("220 left to spend");
    window
        .follow("Take votes back")
        .fill("Take back", "20")
        .press("Work out the price");
    window.sees("20 taken back: 10 return to your purse, 10 burned.");
    window
        .press("Take back 20, burn 10")
        .sees("230 left to spend");
    window
        .press("Undo")
        .sees("Undone. Everything is as it was before.")
        .sees("220 votes");
}

fn propose(window: &Window) {
    window.open("/").follow("Create").sees("Propose a policy");
    window.press("Go on").sees("needs attention");
    assert!(
        window.focused().contains("needs attention"),
        "the summary has the focus"
    );
    window
        .fill("Title", "Warm rooms in every quarter")
        .press("Go on");
    window.sees("Has someone proposed this already?");
    // What is similar is found when the index is there, which is made in the background.
    let on = "Mine is different, go on";
    window
        .press(if window.offers(on) { on } else { "Go on" })
        .sees("What, where, by when.");
    window
        .fill("Text", "A room with *heating* and a kettle.")
        .press("Go on");
    window
        .sees("Up to ten, with commas between.")
        .fill("Tags", "heating, winter");
    window
        .choose("Category", "Health")
        .press("Go on")
        .sees("Nothing is spent before the last step.");
    window
        .press("I agree, show the preview")
        .sees("A room with heating and a kettle.");
    window
        .press("Spend 100 votes and publish")
        .sees("120 left to spend")
        .sees("heating");
}

fn talk(window: &Window) {
    window
        .open("/")
        .follow(TITLE)
        .fill("Add a comment", "Who has the **keys**?");
    window.press("Post comment").sees("Who has the keys?");
}
