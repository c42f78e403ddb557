//! Texts: registering, signing in, getting in again.

/// Texts: registering, signing in, getting in again.
#[derive(Debug)]
pub struct AccountTexts {
    /// `Sign in`
    pub sign_in: &'static str,
    /// `Member name or e-mail address`
    pub name_or_email: &'static str,
    /// `An address counts once you have confirmed it.`
    pub name_or_email_hint: &'static str,
    /// `Password`
    pub password: &'static str,
    /// `Keep me signed in on this device for 30 days`
    pub keep: &'static str,
    /// `Forgot the password`
    pub forgot: &'static str,
    /// `I can’t get in`
    pub no_way_in: &'static str,
    /// `New here?`
    pub new_here: &'static str,
    /// `Reading needs no account. To vote, register with an e-mail address you can confirm. Yo`
    pub new_here_more: fn(&str) -> String,
    /// `Register`
    pub register: &'static str,
    /// `Your privacy`
    pub privacy: &'static str,
    /// `This community shows who votes for what.`
    pub privacy_public: &'static str,
    /// `Totals and numbers of supporters are shown, and the public ledger under names that cha`
    pub privacy_pseudonymous: &'static str,
    /// `Totals and numbers of supporters are shown. Nobody is shown who votes for what.`
    pub privacy_tallies: &'static str,
    /// `Enter your member name or e-mail address`
    pub enter_name: &'static str,
    /// `Enter your password`
    pub enter_password: &'static str,
    /// `Member name`
    pub member_name: &'static str,
    /// `3 to 30 letters and digits. Everybody sees it.`
    pub member_name_hint: &'static str,
    /// `E-mail address`
    pub email: &'static str,
    /// `Nobody sees it. We send one link to confirm it.`
    pub email_hint: &'static str,
    /// `At least 8 characters. A sentence is better than a word.`
    pub password_hint: &'static str,
    /// `Look into your mail`
    pub check_mail: &'static str,
    /// `If this address can register, a link to confirm it is on its way. It works for a week.`
    pub check_mail_more: &'static str,
    /// `Nothing there? Look among unwanted mail, or sign in and ask for another link.`
    pub check_mail_then: &'static str,
    /// `Confirm your e-mail address`
    pub confirm: &'static str,
    /// `One click, and you may vote.`
    pub confirm_more: &'static str,
    /// `Confirm`
    pub confirm_button: &'static str,
    /// `Your address is confirmed`
    pub confirmed: &'static str,
    /// `Sign in, and your first votes are there.`
    pub confirmed_more: &'static str,
    /// `Your new e-mail address`
    pub new_address: &'static str,
    /// `One click, and mail goes there.`
    pub new_address_more: &'static str,
    /// `Your address is changed`
    pub address_changed: &'static str,
    /// `Mail goes to the new one from now on, and you sign in with it.`
    pub address_changed_more: &'static str,
    /// `A new password`
    pub reset: &'static str,
    /// `Enter your member name or e-mail address. If there is such an account, we send a link `
    pub reset_more: &'static str,
    /// `Send a link`
    pub send_link: &'static str,
    /// `If there is such an account, a link is on its way.`
    pub link_sent: &'static str,
    /// `New password`
    pub new_password: &'static str,
    /// `Set the password`
    pub set_password: &'static str,
    /// `Your password is set`
    pub password_set: &'static str,
    /// `Every device was signed out. Sign in with the new password.`
    pub password_set_more: &'static str,
    /// `This link does not work any more`
    pub link_bad: &'static str,
    /// `It was used, or it is too old. Ask for a new one.`
    pub link_bad_more: &'static str,
    /// `Your account`
    pub account: &'static str,
    /// `Signed in as @{name}`
    pub signed_in_as: fn(&str) -> String,
    /// `Where you signed in`
    pub sign_ins: &'static str,
    /// `The last 90 days, the latest first.`
    pub sign_ins_more: &'static str,
    /// `When`
    pub when: &'static str,
    /// `Network`
    pub network: &'static str,
    /// `Sign out`
    pub sign_out: &'static str,
    /// `Become the first admin`
    pub first_admin: &'static str,
    /// `This link was printed where the program was started. It works once, while there is no `
    pub first_admin_more: &'static str,
    /// `I can’t get in`
    pub help: &'static str,
    /// `Ask for a link to set a new password first. If no mail comes, whoever runs this site c`
    pub help_more: &'static str,
    /// `Ask people for help`
    pub help_ask: &'static str,
    /// `A moderator reads it. Never write your password here.`
    pub help_ask_more: &'static str,
    /// `How we can answer you`
    pub help_contact: &'static str,
    /// `An e-mail address or a telephone number. Without it nobody can answer.`
    pub help_contact_hint: &'static str,
    /// `What goes wrong`
    pub help_words: &'static str,
    /// `Your member name, what you tried, what you saw. Up to 2,000 characters.`
    pub help_words_hint: &'static str,
    /// `Ask for help`
    pub help_send: &'static str,
    /// `Your message is with the moderators`
    pub help_sent: &'static str,
    /// `Somebody looks at it and answers, if you said how.`
    pub help_sent_more: &'static str,
}
