//! An administrator: decides another rate, and everybody reads of it before it holds.

use super::{PASSWORD, Site, Way, Window, every_way};
use crate::browser::axe;
use crate::browser::community::{self, ADMIN, MODERATOR};

every_way!(an_admin_changes_a_rate_and_everybody_can_read_it);

fn an_admin_changes_a_rate_and_everybody_can_read_it(way: Way) {
    if axe().is_none() {
        return;
    }
    let site = Site::on(community::folder());
    let (window, visitor) = (
        Window::new(&site.address, way),
        Window::new(&site.address, way),
    );
    visitor.open("/rules").sees("Nothing else is decided.");
    window.sign_in(ADMIN, PASSWORD);
    window
        .open("/account")
        .follow("Administration")
        .follow("Open: Rules");
    window
        .fill("Votes each period", "a few more")
        .press("See what changes")
        .sees("Enter a whole number");
    assert!(window.focused().contains("One thing needs attention"));
    window
        .fill("Votes each period", "4321")
        .press("See what changes")
        .sees("Nothing is written yet.")
        .sees("4,321");
    visitor.open("/rules").sees("Nothing else is decided.");
    window
        .press("Decide this from")
        .sees("Decided. It holds from");
    visitor.open("/rules").sees("4,321");
    visitor.open("/log").sees("decided rules");
    assert_eq!(window.complaints(), [""; 0]);

    // Whoever is no admin has no way there, and is told so.
    let other = Window::new(&site.address, way);
    other.sign_in(MODERATOR, PASSWORD).open("/admin/rules");
    other.sees("You may not do this");
}
