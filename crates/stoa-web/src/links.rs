//! The addresses of pages, each made in one place.

use stoa_votes::model::{CommentId, Day, PolicyId};
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

/// The page of somebody, by name.
#[must_use]
pub fn person(name: &str) -> String {
    format!("/users/{}", part(name))
}

/// The page of a category.
#[must_use]
pub fn category(key: &str) -> String {
    format!("/categories/{}", part(key))
}

/// The page of a tag, by its name.
#[must_use]
pub fn tag_named(name: &str) -> String {
    format!("/tags/{}", part(name))
}

/// The page of the policies that have every one of some tags.
#[must_use]
pub fn tags_named<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(part).collect();
    format!("/tags/{}", names.join("+"))
}

/// The page of a party.
#[must_use]
pub fn party(party: Uuid) -> String {
    format!("/parties/{party}")
}

/// The lines of a day in the public ledger.
#[must_use]
pub fn ledger_day(day: Day) -> String {
    format!("/ledger/{day}")
}

/// What stands before a path where an address must be whole: what was decided, or the host that was
/// asked for, if it looks like one.
#[must_use]
pub fn site(decided: Option<&str>, host: &str) -> String {
    let is_host = !host.is_empty()
        && host.len() <= 300
        && host
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-' | b':' | b'[' | b']'));
    match decided {
        Some(site) => site.trim_end_matches('/').to_owned(),
        None if is_host => format!("http://{host}"),
        None => String::new(),
    }
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

/// A name as one part of a path: what is no plain letter or digit is encoded.
fn part(name: &str) -> String {
    let mut part = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                part.push(char::from(byte));
            }
            other => part.push_str(&format!("%{other:02X}")),
        }
    }
    part
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
    fn names_are_one_part_of_a_path() {
        assert_eq!(
            tag_named("öffentlicher Raum"),
            "/tags/%C3%B6ffentlicher%20Raum"
        );
        assert_eq!(person("a/b?c+d"), "/users/a%2Fb%3Fc%2Bd");
        assert_eq!(tags_named(["a b", "c"]), "/tags/a%20b+c");
    }

    #[test]
    fn whole_addresses_begin_with_what_was_decided_or_asked_for() {
        assert_eq!(
            site(Some("https://a.example/"), "evil"),
            "https://a.example"
        );
        assert_eq!(site(None, "localhost:8080"), "http://localhost:8080");
        assert_eq!(site(None, "a\"><script>"), "");
        assert_eq!(site(None, ""), "");
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
