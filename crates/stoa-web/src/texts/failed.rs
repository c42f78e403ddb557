//! Texts: what went wrong.

/// Texts: what went wrong.
#[derive(Debug)]
pub struct FailedTexts {
    /// `There is no such page`
    pub not_found: &'static str,
    /// `The address may be mistyped, or the page was never there.`
    pub not_found_more: &'static str,
    /// `This address takes something else`
    pub wrong_method: &'static str,
    /// `It can only be read, or it only takes what one of our forms sends. Nothing was changed.`
    pub wrong_method_more: &'static str,
    /// `This page was taken away`
    pub gone: &'static str,
    /// `The public log says by whom and why.`
    pub gone_more: &'static str,
    /// `Sign in first`
    pub sign_in_first: &'static str,
    /// `This is only for those who are signed in. Nothing was changed.`
    pub sign_in_more: &'static str,
    /// `Confirm your e-mail address first`
    pub confirm_first: &'static str,
    /// `We sent you a link when you registered. You can ask for another one.`
    pub confirm_more: &'static str,
    /// `You may not do this`
    pub not_allowed: &'static str,
    /// `It takes a role that your account does not have.`
    pub not_allowed_more: &'static str,
    /// `This form has expired`
    pub forged: &'static str,
    /// `Nothing was changed. Go back, reload the page, and send it again.`
    pub forged_more: &'static str,
    /// `This makes no sense to us`
    pub bad_request: &'static str,
    /// `Something that was sent is not what the page asks for. Nothing was changed.`
    pub bad_request_more: &'static str,
    /// `This is too much at once`
    pub too_large: &'static str,
    /// `Send less text. Nothing was changed.`
    pub too_large_more: &'static str,
    /// `Too many tries`
    pub too_many: &'static str,
    /// `Too much is going on`
    pub busy: &'static str,
    /// `Try again in {seconds} seconds. Nothing was changed.`
    pub again: fn(u32) -> String,
    /// `This was not done`
    pub refused: &'static str,
    /// `We do not know yet whether this was done`
    pub unknown: &'static str,
    /// `Reload the page before: what you see then holds. Sending the same form again does noth`
    pub unknown_more: &'static str,
    /// `Something is broken here`
    pub broken: &'static str,
    /// `It is not your fault. It was written down, and whoever runs this site can find it by t`
    pub broken_more: &'static str,
    /// `Back to the home page`
    pub home: &'static str,
    /// `Request {id}`
    pub request: fn(&str) -> String,
    /// `Search for something else`
    pub search_label: &'static str,
    /// `=match count { 1 => "One thing needs attention".to_owned(), _ => format!("{count} thin`
    pub attention: fn(usize) -> String,
}
