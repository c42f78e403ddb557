//! A visit: everything that a page is given, and nothing of HTTP.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

use stoa_votes::Votes;
use stoa_votes::model::{CommentId, Day, PolicyId, RequestId, UserId};
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::rules::secrets::Secret;
use uuid::Uuid;

use crate::app::{App, Notice};
use crate::error::Failure;
use crate::fields::Fields;
use crate::login::forgery::FormToken;
use crate::login::limits::whose;
use crate::login::staff::Duties;
use crate::login::viewer::{Member, Viewer};
use crate::texts::Texts;

/// Light, dark, or as the system has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every theme with its name.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::System, "system"),
        (Self::Light, "light"),
        (Self::Dark, "dark"),
    ];

    /// The theme of a name; the system's for every other.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map_or(Self::System, |(theme, _)| *theme)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(theme, _)| *theme == self);
        found.map_or("", |(_, name)| name)
    }
}

/// What all of a page depends on, the frame around it included.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The instance.
    pub app: Arc<App>,
    /// Who looks, if somebody is signed in.
    pub viewer: Option<Viewer>,
    /// What the viewer is shown for a role, as it was a few seconds ago.
    pub duties: Duties,
    /// Every text, in the language of the visit.
    pub texts: &'static Texts,
    /// The theme that was chosen.
    pub theme: Theme,
    /// What forms carry.
    pub token: FormToken,
    /// What the request is called, for logs and for people who ask.
    pub id: Uuid,
    /// The path that was asked for.
    pub path: String,
    /// What follows the path after a question mark, encoded.
    pub query_text: String,
    /// What stands before a path where an address must be whole: scheme and host.
    pub site: String,
    /// What holds today.
    pub notice: Arc<Notice>,
}

/// What is given where everybody gets the same: nobody is looked up, and nothing is read.
#[derive(Debug)]
pub struct Served {
    /// The instance.
    pub app: Arc<App>,
    /// The parameters of the path.
    pub params: BTreeMap<String, String>,
    /// The fields of the address.
    pub query: Fields,
    /// From where.
    pub address: IpAddr,
    /// Whether a program on this machine asks, without a proxy between.
    pub is_of_this_machine: bool,
    /// What whoever asks brought to be let in, if anything.
    pub bearer: String,
}

impl Served {
    /// Whether whoever asks brought this. Digests are compared, so that the time tells nothing.
    #[must_use]
    pub fn bears(&self, token: &str) -> bool {
        Secret::shown(&self.bearer).digest() == Secret::shown(token).digest()
    }

    /// A parameter of the path; empty if there is none.
    #[must_use]
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }
}

/// A visit.
#[derive(Debug)]
pub struct Visit {
    /// What the page and its frame depend on.
    pub frame: Arc<Frame>,
    /// The parameters of the path.
    pub params: BTreeMap<String, String>,
    /// The fields of the address.
    pub query: Fields,
    /// The fields of the form.
    pub form: Fields,
    /// From where.
    pub origin: Origin,
    /// The cookie of the login, for whoever signs out.
    pub login: Option<String>,
}

impl Deref for Visit {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        &self.frame
    }
}

impl Frame {
    /// The domain.
    #[must_use]
    pub fn votes(&self) -> &Votes {
        &self.app.votes
    }

    /// Whoever is signed in.
    ///
    /// # Errors
    /// That nobody is; the gate lets nobody come so far where the route says so.
    pub fn viewer(&self) -> Result<&Viewer, Failure> {
        self.viewer.as_ref().ok_or(Failure::SignInFirst)
    }

    /// The member who is signed in.
    ///
    /// # Errors
    /// That nobody is, or not one who may vote.
    pub fn member(&self) -> Result<&Member, Failure> {
        self.viewer()?.member.as_ref().ok_or(Failure::ConfirmFirst)
    }

    /// The votes that the viewer has on a policy.
    #[must_use]
    pub fn own_votes(&self, policy: PolicyId) -> i64 {
        let member = self.viewer.as_ref().and_then(|it| it.member.as_ref());
        let position = member.and_then(|it| it.statement.positions.get(&policy));
        position.map_or(0, |it| it.total)
    }

    /// Now, in microseconds since 1970.
    #[must_use]
    pub fn now_micros(&self) -> i64 {
        self.app.clock.now_micros()
    }

    /// Today.
    #[must_use]
    pub fn today(&self) -> Day {
        Day::of_micros(self.now_micros())
    }

    /// A new name for a request, which a form carries so that sending it twice does it once.
    #[must_use]
    pub fn new_request(&self) -> RequestId {
        RequestId(self.app.ids.uuid())
    }
}

impl Visit {
    /// The same visit, as if the page of a path were asked for: a form that is refused is shown again
    /// on its page, and what leads back there must not lead to where it was sent.
    #[must_use]
    pub fn at(&self, path: &str) -> Self {
        let frame = Frame {
            path: path.to_owned(),
            query_text: String::new(),
            ..Frame::clone(&self.frame)
        };
        Self {
            frame: Arc::new(frame),
            params: self.params.clone(),
            query: Fields::default(),
            form: self.form.clone(),
            origin: self.origin.clone(),
            login: self.login.clone(),
        }
    }

    /// A parameter of the path; empty if there is none.
    #[must_use]
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// The identifier in the path.
    ///
    /// # Errors
    /// That it is none, so there is no such page.
    pub fn uuid(&self, name: &str) -> Result<Uuid, Failure> {
        Uuid::try_parse(self.param(name)).map_err(|_| Failure::NotFound)
    }

    /// The policy in the path.
    ///
    /// # Errors
    /// That it is no identifier.
    pub fn policy(&self) -> Result<PolicyId, Failure> {
        Ok(PolicyId(self.uuid("policy")?))
    }

    /// The comment in the path.
    ///
    /// # Errors
    /// That it is no identifier.
    pub fn comment(&self) -> Result<CommentId, Failure> {
        Ok(CommentId(self.uuid("comment")?))
    }

    /// The user in the path.
    ///
    /// # Errors
    /// That it is no identifier.
    pub fn user(&self) -> Result<UserId, Failure> {
        Ok(UserId(self.uuid("user")?))
    }

    /// What the form calls its request; a new name if it calls it nothing.
    #[must_use]
    pub fn request(&self) -> RequestId {
        let named = RequestId::parse(self.form.get("request"));
        named.unwrap_or_else(|_| self.new_request())
    }

    /// Does something that hashes a password, once there is a slot for whoever asks.
    ///
    /// # Errors
    /// That there is none, or that the work broke.
    pub async fn hash<T, W>(&self, work: W) -> Result<T, Failure>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        self.app.slots.run(&whose(self.address()), work).await
    }

    /// The address that the request came from.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.origin.address
    }
}
