//! The addresses of pages, each made in one place.

use stoa_votes::model::{CommentId, Day, PolicyId, TagId, UserId};
use uuid::Uuid;

/// Characters of a readable part at most.
const MOST_SLUG: usize = 60;

/// The page of a policy, with its title in it for people to read.
#[must_use]
pub fn policy(policy: PolicyId, title: &str) -> String {
    format!("/policies/{policy}/{}", slug(title))
}

/// Something that belongs to a policy, such as `votes`.
#[must_use]
pub fn of_policy(policy: PolicyId, what: &str) -> String {
    format!("/policies/{policy}/-/{what}")
}

/// A comment, where it stands.
#[must_use]
pub fn comment(policy: PolicyId, comment: CommentId) -> String {
    format!("/policies/{policy}/-/comments/{comment}")
}

/// The page of somebody.
#[must_use]
pub fn person(user: UserId) -> String {
    format!("/people/{user}")
}

/// The ranking of a category.
#[must_use]
pub fn category(key: &str) -> String {
    format!("/ranking?category={}", encoded(key))
}

/// The ranking of a tag, by its name.
#[must_use]
pub fn tag_named(name: &str) -> String {
    format!("/ranking?tag={}", encoded(name))
}

/// The page of a tag.
#[must_use]
pub fn tag(tag: TagId) -> String {
    format!("/tags/{tag}")
}

/// The ranking of what a party stands behind.
#[must_use]
pub fn party(party: Uuid) -> String {
    format!("/ranking?party={party}")
}

/// The final ranking of a day.
#[must_use]
pub fn ranking_on(day: Day) -> String {
    format!("/ranking?day={day}")
}

/// Signing in, to come back to a page.
#[must_use]
pub fn sign_in(then: &str) -> String {
    format!("/sign-in?then={}", encoded(then))
}

/// A path of ours to go to, if that is what it is. What begins with two slashes is another host.
#[must_use]
pub fn own_path(path: &str) -> Option<&str> {
    let is_own = path.starts_with('/') && !path.starts_with("//") && !path.contains('\\');
    let is_plain = path.bytes().all(|it| it.is_ascii_graphic()) && path.len() <= 1_000;
    (is_own && is_plain).then_some(path)
}

/// An address with fields after it; those that are empty are left out.
#[must_use]
pub fn with_fields<'a>(path: &str, fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        if !value.is_empty() {
            encoded.append_pair(name, value);
        }
    }
    let encoded = encoded.finish();
    match encoded.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{encoded}"),
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A title as a part of an address: small letters, digits and hyphens.
#[must_use]
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        let plain = match letter {
            'a'..='z' | '0'..='9' => letter.to_string(),
            'ä' | 'æ' => "ae".to_owned(),
            'ö' | 'œ' | 'ø' => "oe".to_owned(),
            'ü' => "ue".to_owned(),
            'ß' => "ss".to_owned(),
            'à' | 'á' | 'â' | 'ã' | 'å' => "a".to_owned(),
            'è' | 'é' | 'ê' | 'ë' => "e".to_owned(),
            'ç' => "c".to_owned(),
            'ñ' => "n".to_owned(),
            '\'' | '’' => String::new(),
            _ if slug.is_empty() || slug.ends_with('-') => String::new(),
            _ => "-".to_owned(),
        };
        if slug.len() + plain.len() > MOST_SLUG {
            break;
        }
        slug.push_str(&plain);
    }
    let slug = slug.trim_end_matches('-');
    match slug.is_empty() {
        true => "policy".to_owned(),
        false => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_readable_in_addresses() {
        assert_eq!(
            slug("Night buses: on the four trunk routes, until 02:00!"),
            "night-buses-on-the-four-trunk-routes-until-02-00"
        );
        assert_eq!(slug("Größere Bäume"), "groessere-baeume");
        assert_eq!(slug("日本"), "policy");
        assert!(slug(&"long ".repeat(100)).len() <= MOST_SLUG);
    }

    #[test]
    fn only_paths_of_ours_are_gone_to() {
        assert_eq!(own_path("/votes?a=b"), Some("/votes?a=b"));
        for other in [
            "",
            "votes",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a b",
            "/a\nb",
        ] {
            assert_eq!(own_path(other), None, "{other:?}");
        }
    }
}
