//! A community in memory with its web app, and browsers that keep cookies and fill forms.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use stoa_engine::Database;
use stoa_session::{Session, Shortcuts as _};
use stoa_types::{Clock, Ids, ManualClock, SeededIds};
use stoa_votes::model::{
    By, Category, Day, NewPage, PolicyId, PolicyText, RequestId, Role, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::search::SearchIndex;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::{Settings, Votes};
use stoa_web::{App, SiteSettings, gate};
use tower::ServiceExt as _;

/// 2026-11-16, a Monday.
pub(crate) const MONDAY: Day = Day(20_773);
pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct World {
    pub(crate) app: Arc<App>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) ids: Arc<SeededIds>,
    pub(crate) session: Arc<dyn Session>,
    /// What it is kept in, for who takes that away.
    pub(crate) database: Database,
    service: Router,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) location: String,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) text: String,
}

/// Somebody's browser: cookies, and no scripts.
pub(crate) struct Browser<'a> {
    world: &'a World,
    pub(crate) cookies: BTreeMap<String, String>,
    /// Whom a proxy names as asking; nobody, if it is empty.
    pub(crate) from: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(SiteSettings::default()).await
    }

    /// A world whose site was set up so.
    pub(crate) async fn with(site: SiteSettings) -> Self {
        Self::built(site, None).await
    }

    /// One with an index, which whoever wants to find something refreshes.
    pub(crate) async fn searching() -> Self {
        let index = Arc::new(SearchIndex::memory().unwrap());
        Self::built(SiteSettings::default(), Some(index)).await
    }

    async fn built(site: SiteSettings, search: Option<Arc<SearchIndex>>) -> Self {
        let database = Database::memory().unwrap();
        let session: Arc<dyn Session> = Arc::new(database.session());
        let keyspace = "CREATE KEYSPACE votes WITH replication = \
            {'class': 'SimpleStrategy', 'replication_factor': 1}";
        session.run_text(keyspace).await.unwrap();
        let ten = MONDAY.start_micros() + 10 * 3_600_000_000;
        let clock = Arc::new(ManualClock::at_micros(ten));
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&by)));
        let names: Arc<dyn Ids> = Arc::<SeededIds>::clone(&ids);
        let settings = Settings {
            passwords: PasswordCost::LEAST,
            ..Settings::default()
        };
        let votes = Votes::open(
            Arc::clone(&session),
            "votes",
            Arc::clone(&by),
            Arc::clone(&names),
            settings,
        );
        let votes = Arc::new(votes.await.unwrap());
        let category = Category {
            key: "health".to_owned(),
            name: "Health".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        votes.put_category(By::Operator, &category).await.unwrap();
        let app = App::new(votes, by, names, site, search);
        let app = Arc::new(app);
        Self {
            service: gate::service(&app),
            app,
            clock,
            ids,
            session,
            database,
        }
    }

    pub(crate) fn votes(&self) -> &Votes {
        &self.app.votes
    }

    pub(crate) fn request(&self) -> RequestId {
        RequestId(self.ids.uuid())
    }

    /// The secret in the mail of a kind to somebody.
    pub(crate) async fn mailed(&self, kind: &str, to: &str) -> Option<String> {
        let today = Day::of_micros(self.clock.now_micros());
        let mails = self.votes().tables().outbox.pending(today).await.unwrap();
        let is_it =
            |mail: &stoa_votes::tables::outbox::Mail| mail.kind == kind && mail.recipient == to;
        let mail = mails.into_iter().find(is_it)?;
        mail.fields.get("token").cloned()
    }

    /// The kinds of mail that wait for somebody.
    pub(crate) async fn mailed_kinds(&self, to: &str) -> Vec<String> {
        let today = Day::of_micros(self.clock.now_micros());
        let mails = self.votes().tables().outbox.pending(today).await.unwrap();
        let own = mails.into_iter().filter(|mail| mail.recipient == to);
        own.map(|mail| mail.kind).collect()
    }

    /// Somebody who registered and confirmed the address.
    pub(crate) async fn member(&self, name: &str) -> Account {
        let email = format!("{name}@example.org");
        let registration = Registration {
            request: self.request(),
            name: name.to_owned(),
            email: email.clone(),
            password: PASSWORD.to_owned(),
            origin: None,
        };
        let user = self.votes().register(&registration).await.unwrap();
        let secret = Secret::shown(&self.mailed("verify_email", &email).await.unwrap());
        self.votes()
            .verify_email(&secret, self.request())
            .await
            .unwrap();
        self.votes().account(user).await.unwrap()
    }

    pub(crate) async fn grant(&self, user: UserId, role: Role) {
        self.votes()
            .grant_role(By::Operator, user, role)
            .await
            .unwrap();
    }

    /// A policy of somebody.
    pub(crate) async fn policy(&self, account: Account, title: &str) -> PolicyId {
        let page = NewPage {
            text: PolicyText {
                title: title.to_owned(),
                description: format!("Why: *{title}*."),
                links: vec!["https://example.org/more".to_owned()],
            },
            category: "health".to_owned(),
            party: None,
        };
        let basis = self.votes().statement(account).await.unwrap().basis;
        let created = self
            .votes()
            .create_policy(account, self.request(), basis, &page);
        let policy = created.await.unwrap().policy;
        self.votes().refresh_board().await.unwrap();
        policy
    }

    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser {
            world: self,
            cookies: BTreeMap::new(),
            from: String::new(),
        }
    }

    /// A browser in which somebody is signed in.
    pub(crate) async fn signed_in(&self, name: &str) -> Browser<'_> {
        let mut browser = self.browser();
        let fields = [("name", name), ("password", PASSWORD)];
        let done = browser.send("/sign-in", "/sign-in", &fields).await;
        assert_eq!(done.status, 303, "{}", done.text);
        browser
    }

    /// What answers requests.
    pub(crate) fn service(&self) -> Router {
        self.service.clone()
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Page {
        let response = self.service.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let location = head.headers.get(header::LOCATION);
        Page {
            status: head.status.as_u16(),
            location: location.map_or("", |it| it.to_str().unwrap()).to_owned(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            headers: head.headers,
        }
    }
}

impl Page {
    /// The value of a hidden or visible field.
    pub(crate) fn field(&self, name: &str) -> String {
        let (_, rest) = self
            .text
            .split_once(&format!("name=\"{name}\" value=\""))
            .unwrap_or_else(|| panic!("no field {name} in {}", self.text));
        rest.split('"').next().unwrap().to_owned()
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.text.contains(text)
    }
}

impl Browser<'_> {
    pub(crate) fn cookie_header(&self) -> String {
        let pairs = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    async fn call(&mut self, mut request: Request<Body>) -> Page {
        if !self.from.is_empty() {
            let from = self.from.parse().unwrap();
            request.headers_mut().insert("x-forwarded-for", from);
        }
        let page = self.world.call(request).await;
        for cookie in page.headers.get_all(header::SET_COOKIE) {
            let text = cookie.to_str().unwrap();
            let pair = text.split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            match text.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        page
    }

    pub(crate) async fn get(&mut self, path: &str) -> Page {
        let request = Request::get(path)
            .header(header::HOST, "localhost")
            .header(header::COOKIE, self.cookie_header());
        self.call(request.body(Body::empty()).unwrap()).await
    }

    /// Sends fields as they are.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_body(path, encoded(fields)).await
    }

    /// Sends a body as it is.
    pub(crate) async fn post_body(&mut self, path: &str, body: String) -> Page {
        let request = Request::post(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::COOKIE, self.cookie_header());
        self.call(request.body(Body::from(body)).unwrap()).await
    }

    /// Opens the page with the form, then sends it with the token that it has.
    pub(crate) async fn send(&mut self, page: &str, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = self.get(page).await.field("csrf");
        let fields = [&[("csrf", token.as_str())], fields].concat();
        self.post(path, &fields).await
    }
}

pub(crate) fn encoded(fields: &[(&str, &str)]) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    let text = |text: &str| text.bytes().map(byte).collect::<String>();
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", text(name), text(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// A path of the table with something in the place of its parameters.
pub(crate) fn filled(path: &str) -> String {
    let any = "00000000-0000-1000-8000-000000000001";
    let parts = path.split('/').map(|part| match part {
        "{seq}" => "1",
        "{slug}" | "{name}" | "{version}" => "x",
        part if part.starts_with('{') => any,
        part => part,
    });
    parts.collect::<Vec<_>>().join("/")
}
