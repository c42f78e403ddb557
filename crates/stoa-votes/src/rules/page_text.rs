//! What the text of a policy may be.

use crate::model::{NewPage, PageRefusal, PolicyText, ProgressKind};

/// Characters of a title.
const TITLE: std::ops::RangeInclusive<usize> = 5..=120;
/// Characters of a description at most.
const MOST_DESCRIPTION: usize = 20_000;
/// Links of a policy at most.
const MOST_LINKS: usize = 10;
/// Characters of a link at most.
const MOST_LINK: usize = 500;
/// Characters of a reason.
const REASON: std::ops::RangeInclusive<usize> = 3..=500;
/// Characters of a note about an edit at most.
const MOST_NOTE: usize = 200;
/// Characters about a category or party at most.
const MOST_ABOUT: usize = 2_000;
/// Characters of an official response at most.
const MOST_RESPONSE: usize = 10_000;
/// Characters about a status or a milestone at most.
const MOST_NOTICE: usize = 500;
/// Characters of a name of a category or party.
const NAME: std::ops::RangeInclusive<usize> = 2..=80;
/// Characters of the key of a category.
const KEY: std::ops::RangeInclusive<usize> = 2..=30;

/// A new page as it is kept: without white space at the ends.
///
/// # Errors
/// Why it may not be.
pub fn checked_page(new: &NewPage) -> Result<NewPage, PageRefusal> {
    Ok(NewPage {
        text: checked_text(&new.text)?,
        category: new.category.clone(),
        party: new.party,
    })
}

/// A text as it is kept: without white space at the ends, and without empty links.
///
/// # Errors
/// Why it may not be.
pub fn checked_text(text: &PolicyText) -> Result<PolicyText, PageRefusal> {
    // Whoever sends megabytes is refused before they are looked at.
    if text.title.len() > 4 * TITLE.end() {
        return Err(PageRefusal::TitleTooLong);
    }
    let title = text.title.trim();
    let length = title.chars().count();
    if length < *TITLE.start() {
        return Err(PageRefusal::TitleTooShort);
    }
    if length > *TITLE.end() {
        return Err(PageRefusal::TitleTooLong);
    }
    if title.chars().any(is_invisible) {
        return Err(PageRefusal::TitleBadCharacter);
    }
    if text.description.len() > 4 * MOST_DESCRIPTION
        || text.description.chars().count() > MOST_DESCRIPTION
    {
        return Err(PageRefusal::DescriptionTooLong);
    }
    if text.description.chars().any(is_bad_in_text) {
        return Err(PageRefusal::TextBadCharacter);
    }
    Ok(PolicyText {
        title: title.to_owned(),
        description: text.description.trim_end().to_owned(),
        links: checked_links(&text.links)?,
    })
}

fn checked_links(links: &[String]) -> Result<Vec<String>, PageRefusal> {
    let links = links.iter().map(|link| link.trim());
    let links: Vec<&str> = links.filter(|link| !link.is_empty()).collect();
    if links.len() > MOST_LINKS {
        return Err(PageRefusal::TooManyLinks);
    }
    for link in &links {
        let rest = link
            .strip_prefix("https://")
            .or_else(|| link.strip_prefix("http://"));
        let has_host = rest.is_some_and(|rest| rest.starts_with(|it: char| it.is_alphanumeric()));
        let is_plain = !link
            .chars()
            .any(|it| is_invisible(it) || it.is_whitespace());
        if !has_host || !is_plain || link.len() > MOST_LINK {
            return Err(PageRefusal::BadLink);
        }
    }
    Ok(links.into_iter().map(str::to_owned).collect())
}

/// A reason as it is kept.
///
/// # Errors
/// When there is none, or a novel.
pub fn checked_reason(reason: &str) -> Result<String, PageRefusal> {
    let trimmed = reason.trim();
    match REASON.contains(&trimmed.chars().count()) && !trimmed.chars().any(is_invisible) {
        true => Ok(trimmed.to_owned()),
        false => Err(PageRefusal::NoReason),
    }
}

/// What the author says about an edit, as it is kept; it may be empty.
///
/// # Errors
/// When it is too long, or has characters that nobody sees.
pub fn checked_note(note: &str) -> Result<String, PageRefusal> {
    let trimmed = note.trim();
    if trimmed.len() > 4 * MOST_NOTE || trimmed.chars().count() > MOST_NOTE {
        return Err(PageRefusal::NoteTooLong);
    }
    match trimmed.chars().any(is_invisible) {
        true => Err(PageRefusal::TextBadCharacter),
        false => Ok(trimmed.to_owned()),
    }
}

/// What is said about a category or party, as it is kept; it may be empty.
///
/// # Errors
/// When it is too long, or has characters that nobody sees.
pub fn checked_about(about: &str) -> Result<String, PageRefusal> {
    checked_long(about, MOST_ABOUT, PageRefusal::AboutTooLong)
}

/// An official word as it is kept: a response may be long, the rest is a line or two.
///
/// # Errors
/// When there is none, or it is too long, or has characters that nobody sees.
pub fn checked_said(kind: ProgressKind, said: &str) -> Result<String, PageRefusal> {
    let most = match kind {
        ProgressKind::Response => MOST_RESPONSE,
        ProgressKind::Status(_) | ProgressKind::Milestone(_) => MOST_NOTICE,
    };
    let said = checked_long(said, most, PageRefusal::BadResponse)?;
    // How far it is says something without a word.
    match said.is_empty() && !matches!(kind, ProgressKind::Status(_)) {
        true => Err(PageRefusal::BadResponse),
        false => Ok(said),
    }
}

fn checked_long(text: &str, most: usize, too_long: PageRefusal) -> Result<String, PageRefusal> {
    let trimmed = text.trim();
    if trimmed.len() > 4 * most || trimmed.chars().count() > most {
        return Err(too_long);
    }
    match trimmed.chars().any(is_bad_in_text) {
        true => Err(PageRefusal::TextBadCharacter),
        false => Ok(trimmed.to_owned()),
    }
}

/// The name of a category or party as it is kept.
///
/// # Errors
/// When it is none.
pub fn checked_name(name: &str) -> Result<String, PageRefusal> {
    let trimmed = name.trim();
    match NAME.contains(&trimmed.chars().count()) && !trimmed.chars().any(is_invisible) {
        true => Ok(trimmed.to_owned()),
        false => Err(PageRefusal::BadName),
    }
}

/// Whether a text is the key of a category.
///
/// # Errors
/// When it is not.
pub fn check_key(key: &str) -> Result<(), PageRefusal> {
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    match KEY.contains(&key.len()) && key.chars().all(is_plain) {
        true => Ok(()),
        false => Err(PageRefusal::BadKey),
    }
}

/// Control characters, and those that turn the direction of a line.
fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// What stands in no text of several lines.
fn is_bad_in_text(letter: char) -> bool {
    is_invisible(letter) && !matches!(letter, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Day, PolicyStatus};

    fn text(title: &str, description: &str, links: &[&str]) -> PolicyText {
        PolicyText {
            title: title.to_owned(),
            description: description.to_owned(),
            links: links.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn white_space_at_the_ends_is_not_kept() {
        let kept = checked_text(&text(
            "  More trees \n",
            "Plant them.\n\n",
            &[" ", "http://a.b "],
        ));
        assert_eq!(kept, Ok(text("More trees", "Plant them.", &["http://a.b"])));
    }

    #[test]
    fn every_bad_text_has_a_refusal_of_its_own() {
        let long = "x".repeat(100_000);
        let cases = [
            (text("Oak", "", &[]), PageRefusal::TitleTooShort),
            (text(&long, "", &[]), PageRefusal::TitleTooLong),
            (
                text("Trees\u{202e}seert", "", &[]),
                PageRefusal::TitleBadCharacter,
            ),
            (text("Two\nlines", "", &[]), PageRefusal::TitleBadCharacter),
            (
                text("More trees", &long, &[]),
                PageRefusal::DescriptionTooLong,
            ),
            (
                text("More trees", "a\0b", &[]),
                PageRefusal::TextBadCharacter,
            ),
            (
                text("More trees", "", &["http://a.b"; 11]),
                PageRefusal::TooManyLinks,
            ),
            (
                text("More trees", "", &["javascript:x"]),
                PageRefusal::BadLink,
            ),
            (
                text("More trees", "", &["https://a b"]),
                PageRefusal::BadLink,
            ),
            (text("More trees", "", &["https://"]), PageRefusal::BadLink),
        ];
        for (text, refusal) in cases {
            assert_eq!(checked_text(&text), Err(refusal));
        }
        assert_eq!(check_key("Health"), Err(PageRefusal::BadKey));
        assert_eq!(check_key("public-health"), Ok(()));
        assert_eq!(checked_reason(" "), Err(PageRefusal::NoReason));
        assert_eq!(checked_name("x"), Err(PageRefusal::BadName));
        assert_eq!(checked_note(&long), Err(PageRefusal::NoteTooLong));
        assert_eq!(checked_note("a\nb"), Err(PageRefusal::TextBadCharacter));
        assert_eq!(checked_about(&long), Err(PageRefusal::AboutTooLong));
        assert_eq!(checked_about("a\0b"), Err(PageRefusal::TextBadCharacter));
    }

    #[test]
    fn an_official_response_may_be_long_and_is_never_empty() {
        let long = "x".repeat(10_000);
        assert_eq!(checked_said(ProgressKind::Response, &long), Ok(long));
        let (status, day) = (ProgressKind::Status(PolicyStatus::Done), Day(20_000));
        for (kind, said) in [
            (ProgressKind::Response, "x".repeat(10_001)),
            (ProgressKind::Response, " \n".to_owned()),
            (ProgressKind::Milestone(day), String::new()),
            (status, "x".repeat(501)),
        ] {
            let refused = Err(PageRefusal::BadResponse);
            assert_eq!(checked_said(kind, &said), refused);
        }
        assert_eq!(checked_said(status, ""), Ok(String::new()));
    }
}
