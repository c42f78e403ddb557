//! Requests that a page of somebody else made. A request that changes something must come from a
//! form of ours: it carries a token that only our pages know, and the browser says where it is from.
//!
//! The token follows from the secret of the cookie, which 128 random bits or more make unguessable,
//! so there is no key to keep: who does not know the cookie does not know the token.

use stoa_votes::rules::secrets::digest;

/// The field of a form that carries the token.
pub const FIELD: &str = "csrf";

/// The token that forms carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormToken(String);

/// Where a request says that it comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claimed<'a> {
    /// `Sec-Fetch-Site`, of a browser.
    pub fetch_site: Option<&'a str>,
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// The host that was asked.
    pub host: &'a str,
    /// The address of the site, if it is known: then no other counts, whatever a proxy calls the host.
    pub site: Option<&'a str>,
}

impl FormToken {
    /// The token of a cookie.
    #[must_use]
    pub fn of(cookie: &str) -> Self {
        Self(digest("form", cookie.as_bytes()))
    }

    /// As it stands in a form.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is what a form carried. Takes the same time for every token of the same length.
    #[must_use]
    pub fn is(&self, carried: &str) -> bool {
        let pairs = self.0.bytes().zip(carried.bytes());
        let differences = pairs.fold(0, |all, (one, other)| all | (one ^ other));
        self.0.len() == carried.len() && differences == 0
    }
}

impl Claimed<'_> {
    /// Whether the browser says nothing else than that a page of ours made the request. One that
    /// says nothing at all is judged by the token alone.
    #[must_use]
    pub fn is_ours(self) -> bool {
        match (self.fetch_site, self.origin) {
            (Some(site), _) if !matches!(site, "same-origin" | "none") => false,
            (_, Some(origin)) => match self.site {
                Some(site) => origin == origin_of(site),
                None => origin
                    .split_once("://")
                    .is_some_and(|(_, it)| it == self.host),
            },
            _ => true,
        }
    }
}

/// The origin of an address: what stands before its path.
fn origin_of(site: &str) -> &str {
    let begins = site.find("://").map_or(0, |at| at + 3);
    let ends = site.get(begins..).and_then(|rest| rest.find('/'));
    let ends = ends.map_or(site.len(), |at| begins + at);
    site.get(..ends).unwrap_or(site)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_of_the_cookie_is_right() {
        let token = FormToken::of("secret");
        assert!(token.is(FormToken::of("secret").text()));
        for wrong in ["", "secret", FormToken::of("another").text()] {
            assert!(!token.is(wrong));
        }
    }

    #[test]
    fn other_origins_are_not_ours() {
        let ours = |fetch_site, origin| {
            let host = "votes.example:8080";
            Claimed {
                fetch_site,
                origin,
                host,
                site: None,
            }
            .is_ours()
        };
        assert!(ours(None, None));
        assert!(ours(
            Some("same-origin"),
            Some("https://votes.example:8080")
        ));
        for site in ["cross-site", "same-site", "anything"] {
            assert!(!ours(Some(site), None));
        }
        for origin in ["null", "", "https://votes.example", "https://evil.example"] {
            assert!(!ours(None, Some(origin)));
            assert!(!ours(Some("same-origin"), Some(origin)));
        }
    }

    #[test]
    fn where_the_site_is_known_only_its_own_origin_is_ours() {
        let ours = |site, origin| {
            let claimed = Claimed {
                origin: Some(origin),
                host: "127.0.0.1:8080",
                site: Some(site),
                fetch_site: None,
            };
            claimed.is_ours()
        };
        for site in [
            "https://votes.example",
            "https://votes.example/",
            "https://votes.example/a/",
        ] {
            assert!(ours(site, "https://votes.example"));
            for origin in [
                "http://votes.example",
                "https://votes.example:8443",
                "http://127.0.0.1:8080",
                "https://votes.example.evil.example",
            ] {
                assert!(!ours(site, origin), "{origin}");
            }
        }
    }
}
