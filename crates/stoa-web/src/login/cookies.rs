//! Cookies: which there are, reading them, and writing them so that nobody else can.

/// A cookie that we set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cookie {
    kind: Kind,
    value: String,
    seconds: Option<i64>,
}

/// Which cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Who is signed in: the secret of a login.
    Login,
    /// Somebody who is not signed in: what tokens of forms are bound to.
    Visitor,
    /// Light, dark, or as the system has it.
    Theme,
    /// The language that was chosen.
    Language,
}

/// A year.
const YEAR_SECONDS: i64 = 365 * 86_400;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Login => "stoa_login",
            Self::Visitor => "stoa_visitor",
            Self::Theme => "stoa_theme",
            Self::Language => "stoa_language",
        }
    }

    /// Its value among those that a browser sent. Behind https the name has the prefix by which
    /// browsers take it from this very host alone.
    #[must_use]
    pub fn read(self, header: &str, is_secure: bool) -> Option<&str> {
        let pairs = header
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        let mut of_name = pairs.filter(|(name, _)| match is_secure {
            true => name.strip_prefix("__Host-") == Some(self.name()),
            false => *name == self.name(),
        });
        of_name.next().map(|(_, value)| value)
    }
}

impl Cookie {
    /// One for so many seconds; until the browser ends, if for none.
    #[must_use]
    pub fn new(kind: Kind, value: &str, seconds: Option<i64>) -> Self {
        let value = value.to_owned();
        Self {
            kind,
            value,
            seconds,
        }
    }

    /// One that is kept for a year.
    #[must_use]
    pub fn kept(kind: Kind, value: &str) -> Self {
        Self::new(kind, value, Some(YEAR_SECONDS))
    }

    /// One that is gone.
    #[must_use]
    pub fn gone(kind: Kind) -> Self {
        Self::new(kind, "", Some(0))
    }

    pub(crate) fn text(&self, is_secure: bool) -> String {
        let Self {
            kind,
            value,
            seconds,
        } = self;
        let (prefix, secure) = match is_secure {
            true => ("__Host-", "; Secure"),
            false => ("", ""),
        };
        let age = seconds.map_or(String::new(), |it| format!("; Max-Age={it}"));
        let name = kind.name();
        format!("{prefix}{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_https_only_cookies_of_this_host_count() {
        let sent = "a=b; stoa_login=planted; __Host-stoa_login=ours";
        assert_eq!(Kind::Login.read(sent, true), Some("ours"));
        assert_eq!(Kind::Login.read(sent, false), Some("planted"));
        assert_eq!(Kind::Theme.read(sent, true), None);
        let cookie = Cookie::new(Kind::Login, "x", None);
        let secure = "__Host-stoa_login=x; Path=/; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(cookie.text(true), secure);
        assert_eq!(
            cookie.text(false),
            "stoa_login=x; Path=/; HttpOnly; SameSite=Lax"
        );
    }
}
