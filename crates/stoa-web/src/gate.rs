//! The gate: what every request passes before a page sees it, and what every answer gets after.
//!
//! 1. Where it came from, which language, which theme, which token its forms carry.
//! 2. How often this address changes things; how much it sent, and how fast.
//! 3. Who is signed in, and whether the rule of the route lets them in.
//! 4. Whether a page of ours made a request that changes something.
//! 5. The page. Whatever is refused on the way gets a page of its own, with the same frame.
//! 6. Headers that keep others out; a line in the log, a count.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::RequestExt as _;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::RawPathParams;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Request, Response, Uri};
use axum::routing::{MethodFilter, on};
use stoa_votes::ops::sign_in::Origin;
use uuid::Uuid;

use crate::answer::Answer;
use crate::app::App;
use crate::error::Failure;
use crate::fields::Fields;
use crate::links;
use crate::login::cookies::{Cookie, Kind};
use crate::login::forgery::{Claimed, FIELD, FormToken};
use crate::login::limits::{CHANGES_ADDRESS, whose};
use crate::login::staff::Duties;
use crate::login::viewer::{self, Viewer};
use crate::pages::site::failed;
use crate::route::{Effect, Outcome, Route};
use crate::router;
use crate::texts::{self, Texts};
use crate::unbroken::{Panicked, unbroken};
use crate::visit::{Frame, Served, Theme, Visit};

/// Bytes of a form at most: a description of 20,000 characters, encoded, and something.
const MOST_BYTES: usize = 256 * 1_024;
/// How long somebody may take to send a form.
const SENDING: Duration = Duration::from_secs(15);
/// How long a page may take.
const ANSWERING: Duration = Duration::from_secs(30);

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Who is at the other end of a connection; the server puts it into every request.
#[derive(Debug, Clone, Copy)]
pub struct Remote(pub SocketAddr);

/// What a request reaches.
#[derive(Debug, Clone, Copy)]
enum Reached<'a> {
    /// A route.
    Route(&'a Route),
    /// A path of the table, by a method that it does not have.
    OtherMethod,
    /// Nothing that is there.
    Nothing,
}

impl<'a> Reached<'a> {
    fn route(self) -> Option<&'a Route> {
        match self {
            Self::Route(route) => Some(route),
            Self::OtherMethod | Self::Nothing => None,
        }
    }
}

/// Everything that answers requests: the routes of the table, and a page for all other paths.
pub fn service(app: &Arc<App>) -> Router {
    let mut routes = Router::new();
    for route in router::routes() {
        let filter = match route.effect() {
            Effect::Changes => MethodFilter::POST,
            Effect::Reads | Effect::Serves => MethodFilter::GET,
        };
        let (path, route, app) = (route.path(), Arc::new(route), Arc::clone(app));
        let answer = move |request: Request<Body>| {
            let (app, route) = (Arc::clone(&app), Arc::clone(&route));
            async move { pass(&app, Reached::Route(&route), request).await }
        };
        routes = routes.route(path, on(filter, answer));
    }
    let elsewhere = |reached: Reached<'static>| {
        let app = Arc::clone(app);
        move |request: Request<Body>| {
            let app = Arc::clone(&app);
            async move { pass(&app, reached, request).await }
        }
    };
    routes
        .fallback(elsewhere(Reached::Nothing))
        .method_not_allowed_fallback(elsewhere(Reached::OtherMethod))
}

async fn pass(app: &Arc<App>, reached: Reached<'_>, request: Request<Body>) -> Response<Body> {
    let began = app.clock.monotonic();
    let id = app.ids.uuid();
    let named = reached.route();
    let (method, path) = named.map_or(("-", "-"), |it| (it.method(), it.path()));
    let asked = request.uri().path().to_owned();
    let answered = match reached {
        Reached::Route(route) if route.effect() == Effect::Serves => {
            in_time(serve(app, route, request)).await.flatten()
        }
        _ => Ok(visit(app, reached, id, request).await),
    };
    let answer = answered.unwrap_or_else(|failure| failed::plain(&failure));
    let status = answer.status();
    let took = app.clock.monotonic().saturating_sub(began);
    app.metrics.count(method, path, status, took);
    let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    // The path without its query, which may hold the secret of a link.
    tracing::info!(request = %id, method, route = path, path = %asked, status, millis, "answered");
    let mut response = answer.into_response(app.settings.is_secure());
    protect(response.headers_mut(), app.settings.is_secure(), id);
    response
}

/// Answers without looking anybody up, and whether the database answers or not.
async fn serve(app: &Arc<App>, route: &Route, mut request: Request<Body>) -> Outcome {
    let params = parameters(&mut request).await;
    let bearer = text(request.headers(), &header::AUTHORIZATION);
    let bearer = bearer.strip_prefix("Bearer ").unwrap_or_default();
    let served = Served {
        params,
        query: Fields::parse(request.uri().query().unwrap_or_default().as_bytes()),
        address: address(app, &request),
        is_of_this_machine: is_of_this_machine(&request),
        bearer: bearer.to_owned(),
        app: Arc::clone(app),
    };
    route.serve(served).await
}

/// Answers somebody, with a page in any case.
async fn visit(app: &Arc<App>, reached: Reached<'_>, id: Uuid, request: Request<Body>) -> Answer {
    let framed = in_time(frame(app, id, request.uri(), request.headers())).await;
    let (frame, visitor) = match framed.flatten() {
        Ok(framed) => framed,
        Err(failure) => {
            tracing::error!(request = %id, %failure, "no frame");
            return lone(app, id, request.headers(), &failure);
        }
    };
    let frame = Arc::new(frame);
    let outcome = in_time(admitted(&frame, reached, request)).await.flatten();
    let answer = match outcome {
        Ok(answer) => answer,
        Err(failure) => {
            if failure.status() >= 500 {
                tracing::error!(request = %id, %failure, "failed");
            }
            failed::page(&frame, reached.route().map(Route::effect), &failure)
        }
    };
    let answer = match visitor {
        Some(secret) => answer.with_cookie(Cookie::new(Kind::Visitor, &secret, None)),
        None => answer,
    };
    answer
        .unless_kept(header::CACHE_CONTROL, "private, no-store")
        .unless_kept(header::VARY, "Cookie, Accept-Language")
}

/// Lets work take so long and no longer, and a panic end nothing but the work.
async fn in_time<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    match tokio::time::timeout(ANSWERING, unbroken(work)).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(Panicked(what))) => Err(Failure::Broken(what)),
        Err(_) => Err(Failure::Busy { seconds: 10 }),
    }
}

/// A page for whoever cannot be looked up: it needs nothing that must be read.
fn lone(app: &App, id: Uuid, headers: &HeaderMap, failure: &Failure) -> Answer {
    let (cookies, is_secure) = (cookies(headers), app.settings.is_secure());
    let texts = language(&cookies, headers, is_secure);
    let theme = theme(&cookies, is_secure);
    failed::lone(app, texts, theme, id, failure)
        .with_header(header::CACHE_CONTROL, "no-store")
        .with_header(header::VARY, "Cookie, Accept-Language")
}

/// What the frame of the page depends on, and the cookie of a visitor who has none yet.
async fn frame(
    app: &Arc<App>,
    id: Uuid,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(Frame, Option<String>), Failure> {
    let cookies = &*cookies(headers);
    let is_secure = app.settings.is_secure();
    let login = Kind::Login.read(cookies, is_secure);
    let viewer = match login {
        Some(login) => Viewer::of_cookie(&app.votes, login).await?,
        None => None,
    };
    if let Some(viewer) = &viewer {
        app.metrics.seen(viewer.id(), app.clock.monotonic());
    }
    let visitor = Kind::Visitor.read(cookies, is_secure);
    let visitor = visitor.filter(|it| it.len() >= 32);
    let (token, new_visitor) = match (&viewer, login, visitor) {
        (Some(_), Some(login), _) => (FormToken::of(login), None),
        (_, _, Some(visitor)) => (FormToken::of(visitor), None),
        _ => {
            let secret = app.new_secret().reveal().to_owned();
            (FormToken::of(&secret), Some(secret))
        }
    };
    let duties = match &viewer {
        Some(viewer) => {
            let staff = app.staff.staff(&app.votes, &*app.clock).await?;
            staff.duties_of(viewer.id())
        }
        None => Duties::default(),
    };
    let frame = Frame {
        viewer,
        duties,
        texts: language(cookies, headers, is_secure),
        theme: theme(cookies, is_secure),
        token,
        id,
        path: uri.path().to_owned(),
        query_text: uri.query().unwrap_or_default().to_owned(),
        site: links::site(app.settings.site.as_deref(), text(headers, &header::HOST)),
        notice: app.notice().await?,
        app: Arc::clone(app),
    };
    Ok((frame, new_visitor))
}

fn language(cookies: &str, headers: &HeaderMap, is_secure: bool) -> &'static Texts {
    let chosen = Kind::Language
        .read(cookies, is_secure)
        .and_then(texts::of_code);
    chosen.unwrap_or_else(|| texts::accepted(text(headers, &header::ACCEPT_LANGUAGE)))
}

fn theme(cookies: &str, is_secure: bool) -> Theme {
    let chosen = Kind::Theme.read(cookies, is_secure);
    chosen.map_or(Theme::System, Theme::of_name)
}

/// Checks whatever is to be checked, and lets the page answer.
async fn admitted(frame: &Arc<Frame>, reached: Reached<'_>, request: Request<Body>) -> Outcome {
    let route = match reached {
        Reached::Route(route) => route,
        Reached::OtherMethod => return Err(Failure::WrongMethod),
        Reached::Nothing => return Err(Failure::NotFound),
    };
    let is_change = route.effect() == Effect::Changes;
    let headers = request.headers().clone();
    let (mut visit, body) = begun(Arc::clone(frame), &frame.app, request).await;
    if is_change {
        let (app, address) = (&frame.app, whose(visit.address()));
        let now = app.clock.monotonic();
        app.limits.take("change", &address, CHANGES_ADDRESS, now)?;
    }
    viewer::check(frame.votes(), route.access(), frame.viewer.as_ref()).await?;
    if is_change {
        visit.form = Fields::parse(&received(body).await?);
        let claimed = Claimed {
            fetch_site: headers
                .get("sec-fetch-site")
                .and_then(|it| it.to_str().ok()),
            origin: headers
                .get(header::ORIGIN)
                .map(|it| it.to_str().unwrap_or_default()),
            host: text(&headers, &header::HOST),
            site: frame.app.settings.site.as_deref(),
        };
        if !claimed.is_ours() || !frame.token.is(visit.form.get(FIELD)) {
            return Err(Failure::Forged);
        }
    }
    let outcome = route.answer(visit).await;
    if is_change && !frame.duties.is_empty() {
        // It may have been about who has which role, or about a case.
        frame.app.staff.forget();
    }
    outcome
}

async fn begun(frame: Arc<Frame>, app: &App, mut request: Request<Body>) -> (Visit, Body) {
    let params = parameters(&mut request).await;
    let headers = request.headers();
    let is_secure = app.settings.is_secure();
    let cookies = cookies(headers);
    let login = Kind::Login.read(&cookies, is_secure);
    let visit = Visit {
        query: Fields::parse(request.uri().query().unwrap_or_default().as_bytes()),
        form: Fields::default(),
        origin: Origin {
            address: address(app, &request),
            agent: text(headers, &header::USER_AGENT).to_owned(),
        },
        login: login.map(str::to_owned),
        params,
        frame,
    };
    (visit, request.into_body())
}

/// The parameters of the path.
async fn parameters(request: &mut Request<Body>) -> BTreeMap<String, String> {
    let params = request.extract_parts::<RawPathParams>().await;
    params.map_or_else(
        |_| BTreeMap::new(),
        |params| {
            let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
            params.iter().map(owned).collect()
        },
    )
}

async fn received(body: Body) -> Result<Vec<u8>, Failure> {
    let whole = tokio::time::timeout(SENDING, to_bytes(body, MOST_BYTES)).await;
    let whole = whole.map_err(|_| Failure::BadRequest)?;
    whole.map(Vec::from).map_err(|_| Failure::TooLarge)
}

/// Who asks: the other end of the connection or, behind a proxy, the last that it names.
fn address(app: &App, request: &Request<Body>) -> IpAddr {
    let remote = remote(request);
    if !app.settings.is_behind_proxy {
        return remote;
    }
    let named = request
        .headers()
        .get_all("x-forwarded-for")
        .iter()
        .next_back();
    let named = named.and_then(|it| it.to_str().ok());
    let last = named.and_then(|it| it.rsplit(',').next()?.trim().parse().ok());
    last.unwrap_or(remote)
}

fn remote(request: &Request<Body>) -> IpAddr {
    let remote = request.extensions().get::<Remote>();
    remote.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |it| it.0.ip())
}

/// Whether a program on this machine asks for itself. What a proxy hands on says so.
fn is_of_this_machine(request: &Request<Body>) -> bool {
    let headers = request.headers();
    let is_handed_on = ["x-forwarded-for", "x-real-ip", "forwarded", "via"]
        .iter()
        .any(|name| headers.contains_key(*name));
    remote(request).to_canonical().is_loopback() && !is_handed_on
}

/// The cookies. One of others that is no text takes none of ours away.
fn cookies(headers: &HeaderMap) -> Cow<'_, str> {
    let sent = headers.get(header::COOKIE);
    sent.map_or(Cow::Borrowed(""), |it| {
        String::from_utf8_lossy(it.as_bytes())
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|it| it.to_str().ok())
        .unwrap_or_default()
}

/// What keeps browsers from doing what no page of ours asks for.
fn protect(headers: &mut HeaderMap, is_secure: bool, id: Uuid) {
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    set("content-security-policy", POLICY);
    set("x-content-type-options", "nosniff");
    set("referrer-policy", "same-origin");
    set("x-frame-options", "DENY");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    set(
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    );
    set("x-request-id", &id.to_string());
    if is_secure {
        set("strict-transport-security", "max-age=31536000");
    }
}
