//! A route: where it is, who may use it, whether it changes anything, and what answers.
//!
//! The fields are private and the three constructors take the rule, so there is no route without
//! one. Whoever checks rules, the gate and the tests, asks the route itself.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use stoa_votes::model::Role;

use crate::answer::Answer;
use crate::error::Failure;
use crate::visit::{Served, Visit};

/// What comes of a visit.
pub type Outcome = Result<Answer, Failure>;

type Answering = Pin<Box<dyn Future<Output = Outcome> + Send>>;
/// What answers.
#[derive(Clone)]
enum Handler {
    Page(Arc<dyn Fn(Visit) -> Answering + Send + Sync>),
    Bare(Arc<dyn Fn(Served) -> Answering + Send + Sync>),
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Anyone,
    /// Whoever is signed in, with the address confirmed or not.
    SignedIn,
    /// Whoever is signed in and may vote.
    Member,
    /// A member who has one of these roles, or is an admin.
    Roles(&'static [Role]),
    /// An admin.
    Admin,
}

/// What using a route does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It shows something: GET.
    Reads,
    /// It shows the same to everybody, whoever asks: GET, and nobody is looked up.
    Serves,
    /// It changes something: POST, with the token of a form of ours.
    Changes,
}

/// A route.
#[derive(Clone)]
pub struct Route {
    path: &'static str,
    access: Access,
    effect: Effect,
    handler: Handler,
}

/// A page that shows something.
pub fn reads<F, A>(path: &'static str, access: Access, handler: F) -> Route
where
    F: Fn(Visit) -> A + Send + Sync + 'static,
    A: Future<Output = Outcome> + Send + 'static,
{
    Route::page(path, access, Effect::Reads, handler)
}

/// Something that is the same for everybody, and for which nobody is looked up.
pub fn serves<F, A>(path: &'static str, handler: F) -> Route
where
    F: Fn(Served) -> A + Send + Sync + 'static,
    A: Future<Output = Outcome> + Send + 'static,
{
    Route {
        path,
        access: Access::Anyone,
        effect: Effect::Serves,
        handler: Handler::Bare(Arc::new(move |served| Box::pin(handler(served)))),
    }
}

/// A form that changes something.
pub fn changes<F, A>(path: &'static str, access: Access, handler: F) -> Route
where
    F: Fn(Visit) -> A + Send + Sync + 'static,
    A: Future<Output = Outcome> + Send + 'static,
{
    Route::page(path, access, Effect::Changes, handler)
}

impl Route {
    fn page<F, A>(path: &'static str, access: Access, effect: Effect, handler: F) -> Self
    where
        F: Fn(Visit) -> A + Send + Sync + 'static,
        A: Future<Output = Outcome> + Send + 'static,
    {
        Self {
            path,
            access,
            effect,
            handler: Handler::Page(Arc::new(move |visit| Box::pin(handler(visit)))),
        }
    }

    /// Where it is; parts in braces are parameters.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Who may use it.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// What it does.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The method of HTTP.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self.effect {
            Effect::Reads | Effect::Serves => "GET",
            Effect::Changes => "POST",
        }
    }

    /// Answers a visit, if it is a page.
    pub(crate) async fn answer(&self, visit: Visit) -> Outcome {
        match &self.handler {
            Handler::Page(handler) => handler(visit).await,
            Handler::Bare(_) => Err(Failure::NotFound),
        }
    }

    /// Answers whoever asks, if it is the same for everybody.
    pub(crate) async fn serve(&self, served: Served) -> Outcome {
        match &self.handler {
            Handler::Page(_) => Err(Failure::NotFound),
            Handler::Bare(handler) => handler(served).await,
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({:?})", self.method(), self.path, self.access)
    }
}
