//! Every text of the site, in every language.
//!
//! An area of the site has a file with a struct of its texts, and one file for each language with one
//! literal of that struct: `texts/policy.rs`, `texts/en/policy.rs`, `texts/de/policy.rs`. A text
//! without parameters is a `&'static str`, one with parameters a function. So a translation that is
//! missing does not compile.

pub mod account;
pub mod acts;
pub mod admin;
pub mod admin_rules;
pub mod admin_running;
pub mod browse;
pub mod create;
pub mod de;
pub mod desk;
pub mod en;
pub mod failed;
pub mod feeds;
pub mod format;
pub mod front;
pub mod layout;
pub mod own;
pub mod policy;
pub mod record;
pub mod refusals;
pub mod search;
pub mod votes;

use account::AccountTexts;
use acts::ActsTexts;
use admin::AdminTexts;
use admin_rules::AdminRulesTexts;
use admin_running::AdminRunningTexts;
use browse::BrowseTexts;
use create::CreateTexts;
use desk::DeskTexts;
use failed::FailedTexts;
use feeds::FeedTexts;
use format::FormatTexts;
use front::FrontTexts;
use layout::LayoutTexts;
use own::OwnTexts;
use policy::PolicyTexts;
use record::RecordTexts;
use search::SearchTexts;
use votes::VotesTexts;

/// All texts of one language.
#[derive(Debug)]
pub struct Texts {
    /// The code of the language, as browsers know it.
    pub code: &'static str,
    /// What the language calls itself.
    pub name: &'static str,
    /// Numbers, days and times.
    pub format: FormatTexts,
    /// The head, the foot, the ways between pages.
    pub layout: LayoutTexts,
    /// What went wrong.
    pub failed: FailedTexts,
    /// Home and rankings.
    pub front: FrontTexts,
    /// The page of a policy.
    pub policy: PolicyTexts,
    /// What members do to policies and comments.
    pub acts: ActsTexts,
    /// Proposing a policy.
    pub create: CreateTexts,
    /// Search.
    pub search: SearchTexts,
    /// What is new, tags, categories, parties, people.
    pub browse: BrowseTexts,
    /// Rules, the moderation log, the public ledger.
    pub record: RecordTexts,
    /// Feeds.
    pub feeds: FeedTexts,
    /// My votes.
    pub votes: VotesTexts,
    /// Registering, signing in, getting in again.
    pub account: AccountTexts,
    /// What members have for themselves.
    pub own: OwnTexts,
    /// The desk of moderators.
    pub desk: DeskTexts,
    /// Administration.
    pub admin: AdminTexts,
    /// Deciding what holds.
    pub admin_rules: AdminRulesTexts,
    /// What runs, and what was written down.
    pub admin_running: AdminRunningTexts,
}

impl Texts {
    /// What a refusal of the domain says; `message` is how the domain says it in English. A
    /// sentence begins with a great letter here.
    #[must_use]
    pub fn refusal(&self, code: &str, message: &str) -> String {
        let text = refusals::of_code(self.code, code).unwrap_or(message);
        let mut letters = text.chars();
        let first = letters.next().map(char::to_uppercase);
        first.into_iter().flatten().chain(letters).collect()
    }
}

/// English, in which everything is written first.
pub static ENGLISH: &Texts = &en::TEXTS;

/// Every language.
pub static LANGUAGES: [&Texts; 2] = [&en::TEXTS, &de::TEXTS];

/// The texts of a code.
#[must_use]
pub fn of_code(code: &str) -> Option<&'static Texts> {
    LANGUAGES.into_iter().find(|texts| texts.code == code)
}

/// The texts that a browser asks for; English, if it asks for none of ours.
#[must_use]
pub fn accepted(header: &str) -> &'static Texts {
    let mut best: Option<(u32, &'static Texts)> = None;
    for entry in header.split(',').take(20) {
        let (tag, quality) = entry.split_once(";q=").unwrap_or((entry, "1"));
        let code = tag.trim().split('-').next().unwrap_or_default();
        let weight = quality
            .trim()
            .parse()
            .map_or(0.0, |it: f32| it.clamp(0.0, 1.0));
        let weight = (weight * 1_000.0) as u32;
        let is_better = best.is_none_or(|(known, _)| weight > known);
        if let Some(texts) = of_code(code).filter(|_| weight > 0 && is_better) {
            best = Some((weight, texts));
        }
    }
    best.map_or(ENGLISH, |(_, texts)| texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_one_that_is_liked_best() {
        for (header, expected) in [
            ("", "en"),
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("fr, en;q=0.5, de;q=0.7", "de"),
            ("de;q=0, en;q=0.1", "en"),
            ("*;;q=,", "en"),
        ] {
            assert_eq!(accepted(header).code, expected, "{header}");
        }
    }
}
