//! English: the head, the foot, the ways between pages.

use crate::texts::layout::LayoutTexts;

pub(super) const TEXTS: LayoutTexts = LayoutTexts {
    skip: "Skip to content",
    main_nav: "Main",
    ranking: "Ranking",
    my_votes: "My votes",
    create: "Create",
    desk: "Desk",
    search: "Search",
    purse: |votes| format!("{votes} votes"),
    more_on: |votes, day| format!("+{votes} on {day}"),
    sign_in: "Sign in",
    sign_out: "Sign out",
    register: "Register",
    confirm_first: "Confirm your e-mail address to vote.",
    send_again: "Send the link once more",
    last_closed: |day| format!("Last closed day: {day}, hash"),
    none_closed: "No day is closed yet.",
    theme: "Theme",
    system: "System",
    light: "Light",
    dark: "Dark",
    language: "Language",
    times: "Times are in UTC.",
};
