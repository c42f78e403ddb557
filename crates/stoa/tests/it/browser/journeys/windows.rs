//! Two windows of one person, who saves in one what the other does not know yet.

use super::{PASSWORD, Site, Way, Window, every_way};
use crate::browser::{axe, community};

every_way!(two_windows_do_not_overwrite_each_other);

fn two_windows_do_not_overwrite_each_other(way: Way) {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let (one, other) = (
        Window::new(&site.address, way),
        Window::new(&site.address, way),
    );
    let total = format!("New total for {}", community::TITLE);
    one.sign_in(community::OWNER, PASSWORD).open("/votes");
    other.sign_in(community::OWNER, PASSWORD).open("/votes");
    one.fill(&total, "110")
        .press("Save")
        .sees("You can undo the last save");
    other.fill(&total, "120");
    // With scripts it is told as soon as something is typed, and without them on the way to save.
    if way == Way::NoScripts {
        other.press("Save");
    }
    other
        .sees("Changed in another window")
        .sees("Saved elsewhere");
    other
        .press("Save")
        .misses("Changed in another window")
        .sees("You can undo the last save");
    one.open("/votes").sees("120");
}
