//! English: what went wrong.

use crate::texts::failed::FailedTexts;

pub(super) const TEXTS: FailedTexts = FailedTexts {
    not_found: "There is no such page",
    not_found_more: "The address may be mistyped, or the page was never there.",
    wrong_method: "This address takes something else",
    wrong_method_more: "It can only be read, or it only takes what one of our forms sends. Nothing was changed.",
    gone: "This page was taken away",
    gone_more: "The public log says by whom and why.",
    sign_in_first: "Sign in first",
    sign_in_more: "This is only for those who are signed in. Nothing was changed.",
    confirm_first: "Confirm your e-mail address first",
    confirm_more: "We sent you a link when you registered. You can ask for another one.",
    not_allowed: "You may not do this",
    not_allowed_more: "It takes a role that your account does not have.",
    forged: "This form has expired",
    forged_more: "Nothing was changed. Go back, reload the page, and send it again.",
    bad_request: "This makes no sense to us",
    bad_request_more: "Something that was sent is not what the page asks for. Nothing was changed.",
    too_large: "This is too much at once",
    too_large_more: "Send less text. Nothing was changed.",
    too_many: "Too many tries",
    busy: "Too much is going on",
    again: |seconds| format!("Try again in {seconds} seconds. Nothing was changed."),
    refused: "This was not done",
    unknown: "We do not know yet whether this was done",
    unknown_more: "Reload the page before: what you see then holds. Sending the same form again does nothing twice.",
    broken: "Something is broken here",
    broken_more: "It is not your fault. It was written down, and whoever runs this site can find it by the number below.",
    home: "Back to the home page",
    request: |id| format!("Request {id}"),
    search_label: "Search for something else",
    attention: |count| match count {
        1 => "One thing needs attention".to_owned(),
        _ => format!("{count} things need attention"),
    },
};
