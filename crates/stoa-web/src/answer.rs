//! What a page gives back: a status, headers, cookies, and a body that is ready; or a file, or events,
//! which come as they happen.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use maud::Markup;

use crate::download::Download;
use crate::live::Events;
use crate::login::cookies::Cookie;

const HTML: &str = "text/html; charset=utf-8";

/// An answer.
#[derive(Debug)]
pub struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    cookies: Vec<Cookie>,
    body: Content,
}

#[derive(Debug)]
enum Content {
    Ready(Vec<u8>),
    File(Download),
    Events(Events),
}

impl Answer {
    /// A whole page of HTML.
    #[must_use]
    pub fn page(markup: Markup) -> Self {
        Self::of(HTML, markup.into_string().into_bytes())
    }

    /// Something of another kind.
    #[must_use]
    pub fn of(content_type: &str, body: Vec<u8>) -> Self {
        Self {
            status: StatusCode::OK,
            headers: vec![(header::CONTENT_TYPE, content_type.to_owned())],
            cookies: Vec::new(),
            body: Content::Ready(body),
        }
    }

    /// A file of some kind.
    #[must_use]
    pub fn file(content_type: &str, file: Download) -> Self {
        Self {
            body: Content::File(file),
            ..Self::of(content_type, Vec::new())
        }
    }

    /// Events, until whoever gets them has enough.
    #[must_use]
    pub fn events(events: Events) -> Self {
        let answer = Self {
            body: Content::Events(events),
            ..Self::of("text/event-stream", Vec::new())
        };
        // The second is for proxies that keep back what they are given.
        let buffering = HeaderName::from_static("x-accel-buffering");
        answer
            .with_header(header::CACHE_CONTROL, "no-store")
            .with_header(buffering, "no")
    }

    /// Go there, by GET: what follows a form that was done.
    #[must_use]
    pub fn see(path: &str) -> Self {
        Self {
            status: StatusCode::SEE_OTHER,
            headers: vec![(header::LOCATION, path.to_owned())],
            cookies: Vec::new(),
            body: Content::Ready(Vec::new()),
        }
    }

    /// It is there for good.
    #[must_use]
    pub fn moved(path: &str) -> Self {
        Self {
            status: StatusCode::PERMANENT_REDIRECT,
            ..Self::see(path)
        }
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, ..self }
    }

    /// The same with a header; the last of a name holds.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.retain(|(it, _)| *it != name);
        self.headers.push((name, value.into()));
        self
    }

    /// The same with a header, unless it has one of that name.
    #[must_use]
    pub fn unless_kept(self, name: HeaderName, value: &str) -> Self {
        match self.headers.iter().any(|(it, _)| *it == name) {
            true => self,
            false => self.with_header(name, value),
        }
    }

    /// The same, to be kept by whoever gets it for a year: what is there never changes.
    #[must_use]
    pub fn for_ever(self) -> Self {
        let forever = "public, max-age=31536000, immutable";
        self.with_header(header::CACHE_CONTROL, forever)
    }

    /// The same with a cookie.
    #[must_use]
    pub fn with_cookie(mut self, cookie: Cookie) -> Self {
        self.cookies.push(cookie);
        self
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(crate) fn into_response(self, is_secure: bool) -> Response<Body> {
        let mut response = Response::new(match self.body {
            Content::Ready(bytes) => Body::from(bytes),
            Content::File(file) => Body::new(file),
            Content::Events(events) => Body::new(events),
        });
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in self.headers {
            // What cannot be a header is left out; there is nobody to tell.
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        for cookie in self.cookies {
            if let Ok(value) = HeaderValue::from_str(&cookie.text(is_secure)) {
                headers.append(header::SET_COOKIE, value);
            }
        }
        response
    }
}
