//! Where the form of each route that changes something stands, in a community that has something of
//! everything, and what somebody fills in.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_tasks::{Runner, Tables, Task};
use stoa_types::Clock;
use stoa_votes::model::{
    By, CommentId, NewPage, Party, PolicyId, PolicyText, ReportReason, Role, Target,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::report::NewReport;
use stoa_votes::ops::submit::{Ask, Request};
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::front_page::Featured;
use stoa_web::Background;
use uuid::Uuid;

use crate::world::{MONDAY, PASSWORD, World};

/// A form, where it is found.
pub(crate) struct Place {
    /// Who fills it in; nobody who is signed in, if empty.
    pub(crate) who: &'static str,
    /// The page it is on.
    pub(crate) page: String,
    /// What is sent first, where the form is on the page that answers that.
    pub(crate) first: Vec<(&'static str, String)>,
    /// Where it goes.
    pub(crate) action: String,
    /// What is filled in.
    pub(crate) fill: Vec<(&'static str, String)>,
}

impl Place {
    fn new(who: &'static str, page: impl Into<String>, action: impl Into<String>) -> Self {
        Self {
            who,
            page: page.into(),
            first: Vec::new(),
            action: action.into(),
            fill: Vec::new(),
        }
    }

    fn at(who: &'static str, page: impl Into<String>) -> Self {
        let page = page.into();
        Self::new(who, page.clone(), page)
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fill.push((name, value.into()));
        self
    }

    fn after(mut self, first: &[(&'static str, &str)]) -> Self {
        self.first = first
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        self
    }
}

const WHY: &str = "because it is so & nothing else";

/// The places of a route; none where nobody said where they are.
pub(crate) async fn places(world: &World, route: &str) -> Vec<Place> {
    if route == "/first-admin" {
        let secret = world.app.welcome_admin().await.unwrap().unwrap();
        let page = format!("/first-admin?token={}", secret.reveal());
        return vec![registering(Place::new("", page, "/first-admin"))];
    }
    let scene = Scene::of(world).await;
    let found = scene.of_everybody(route).await;
    let found = found.or_else(|| scene.of_members(route));
    let found = found.or_else(|| scene.of_policies(route));
    let found = found.or_else(|| scene.of_moderators(route));
    match found {
        Some(found) => found,
        None => scene.of_admins(route).await.unwrap_or_default(),
    }
}

fn registering(place: Place) -> Place {
    let place = place.with("name", "somebody-new");
    let place = place.with("email", "somebody-new@example.org");
    place.with("password", "a b c d e f g h")
}

async fn say(world: &World, author: Account, policy: PolicyId, body: &str) -> CommentId {
    let new = NewComment {
        request: world.request(),
        policy,
        answers: None,
        subject: String::new(),
        body: body.to_owned(),
    };
    world
        .votes()
        .write_comment(author.user, &new)
        .await
        .unwrap()
}

/// A merge that owners are asked about.
async fn proposed(world: &World, by: By, sources: BTreeSet<PolicyId>) -> Uuid {
    let page = NewPage {
        text: PolicyText {
            title: "Night service until two".to_owned(),
            ..PolicyText::default()
        },
        category: "health".to_owned(),
        party: None,
    };
    let proposal = world
        .votes()
        .propose_merge(by, world.request(), &sources, &page);
    proposal.await.unwrap().id
}

async fn party(world: &World, by: By) -> Uuid {
    let party = Party {
        party: world.request().0,
        name: "The Gardeners".to_owned(),
        description: "For trees.".to_owned(),
        is_active: true,
    };
    world.votes().put_party(by, &party).await.unwrap();
    party.party
}

struct Scene<'a> {
    world: &'a World,
    ada: Account,
    policy: PolicyId,
    /// One that only its owner, Cleo, has votes on.
    own: PolicyId,
    comment: CommentId,
    tag: String,
    proposal: Uuid,
    party: Uuid,
}

impl<'a> Scene<'a> {
    async fn of(world: &'a World) -> Self {
        let (ada, ben) = (world.member("ada").await, world.member("ben").await);
        let (cleo, dora) = (world.member("cleo").await, world.member("dora").await);
        let boss = world.member("the-boss").await;
        world.member("emma").await;
        world.grant(boss.user, Role::Admin).await;
        let policy = world.policy(ada, "Night buses until two").await;
        let own = world.policy(cleo, "Warm rooms for all").await;
        let other = world.policy(dora, "Night trams until two").await;
        let votes = world.votes();
        let by = By::User(boss.user);
        let tag = votes
            .tag_policy(ada.user, policy, "green")
            .await
            .unwrap()
            .id;
        votes.tag_policy(ada.user, policy, "late").await.unwrap();
        votes.suggest_tag(ben.user, policy, "shade").await.unwrap();
        votes.watch(ben.user, policy).await.unwrap();
        let comment = say(world, ben, policy, "At one is enough.").await;
        say(world, ada, policy, "Not at all.").await;
        let report = NewReport {
            target: Target::Comment(policy, comment),
            reason: ReportReason::Abuse,
            words: String::new(),
        };
        votes.report(cleo.user, &report).await.unwrap();
        let scene = Self {
            world,
            ada,
            policy,
            own,
            comment,
            tag: tag.to_string(),
            proposal: proposed(world, by, BTreeSet::from([policy, other])).await,
            party: party(world, by).await,
        };
        let featured = Featured {
            policy,
            from: MONDAY,
            through: MONDAY.plus(3),
        };
        votes.feature(by, None, &[featured]).await.unwrap();
        votes.request_reset("ada", world.request()).await.unwrap();
        let (email, request) = ("cleo-anew@example.org", world.request());
        let asked = votes.request_address(cleo.user, PASSWORD, email, request);
        asked.await.unwrap();
        scene.unconfirmed().await;
        scene.vote(ben, 10).await;
        votes.refresh_board().await.unwrap();
        scene.run_in_background().await;
        scene
    }

    async fn unconfirmed(&self) {
        let registration = Registration {
            request: self.world.request(),
            name: "unconfirmed".to_owned(),
            email: "unconfirmed@example.org".to_owned(),
            password: PASSWORD.to_owned(),
            origin: None,
        };
        self.world.votes().register(&registration).await.unwrap();
    }

    async fn vote(&self, account: Account, more: i64) {
        let basis = self.world.votes().statement(account).await.unwrap().basis;
        let request = Request {
            id: self.world.request(),
            basis,
            ask: Ask::Move([(self.policy, more)].into()),
            actor: account.user,
        };
        let votes = self.world.votes();
        let accepted = votes.submit(account, &request).await.unwrap();
        votes.sync(account.user, accepted).await.unwrap();
    }

    async fn run_in_background(&self) {
        let world = self.world;
        let tables = Arc::new(
            Tables::open(Arc::clone(&world.session), "votes")
                .await
                .unwrap(),
        );
        let task: Arc<dyn Task> = Arc::new(crate::admin_running::Audit::default());
        let clock: Arc<dyn Clock> = Arc::<stoa_types::ManualClock>::clone(&world.clock);
        let runner = Runner::new(Arc::clone(&tables), vec![task], clock, &*world.ids, "1.2.3");
        world
            .app
            .begin_background(Background::of(&runner.unwrap(), tables));
    }

    fn page(&self) -> String {
        format!("/policies/{}/x", self.policy)
    }

    fn of_policy(&self, what: &str) -> String {
        format!("/policies/{}/-/{what}", self.policy)
    }

    async fn of_everybody(&self, route: &str) -> Option<Vec<Place>> {
        let mailed = |kind, to| self.world.mailed(kind, to);
        Some(vec![match route {
            "/settings/look" => Place::new("", "/", route),
            "/register" => registering(Place::at("", route)),
            "/sign-in" => Place::at("", route)
                .with("name", "ada")
                .with("password", PASSWORD),
            "/sign-out" => Place::new("ada", "/account", route),
            "/forgot" => Place::at("", route).with("name", "ada"),
            "/help" => Place::at("", route)
                .with("contact", "ada@example.org")
                .with("words", WHY),
            "/verify-email" => {
                let token = mailed("verify_email", "unconfirmed@example.org").await?;
                Place::new("", format!("{route}?token={token}"), route)
            }
            "/confirm-address" => {
                let token = mailed("change_address", "cleo-anew@example.org").await?;
                Place::new("", format!("{route}?token={token}"), route)
            }
            "/reset-password" => {
                let token = mailed("reset_password", "ada@example.org").await?;
                let page = format!("{route}?token={token}");
                Place::new("", page, route).with("password", "another password")
            }
            "/account/confirm" => Place::new("unconfirmed", "/account", route),
            "/settings/sessions" => Place::at("ada", route),
            "/settings/leave" => Place::at("ada", route).with("password", PASSWORD),
            _ => return None,
        }])
    }

    fn of_members(&self, route: &str) -> Option<Vec<Place>> {
        Some(vec![match route {
            "/create" => return Some(creating()),
            "/votes" => {
                let votes = format!("v_{}", self.policy);
                Place::at("ben", route).with(Box::leak(votes.into_boxed_str()), "12")
            }
            "/votes/undo" => Place::new("ben", "/votes", route),
            "/watchlist" => Place::at("ben", route),
            "/notifications" => Place::at("ada", route),
            "/settings" => Place::at("ada", route)
                .with("name", "ada-anew")
                .with("first", "Ada")
                .with("last", "O'Neil & \"Sons\"")
                .with("email", "ada-anew@example.org")
                .with("known", PASSWORD)
                .with("present", PASSWORD)
                .with("password", "another password"),
            "/report" => Place::new("cleo", self.of_policy("report"), route)
                .with("reason", "spam")
                .with("words", WHY),
            _ => return None,
        }])
    }

    fn of_policies(&self, route: &str) -> Option<Vec<Place>> {
        let of = |what: &str| self.of_policy(what);
        let comment = of(&format!("comments/{}", self.comment));
        let what = route.strip_prefix("/policies/{policy}/-/")?;
        Some(vec![match what {
            "votes" => Place::new("ben", self.page(), of(what))
                .with("total", "15")
                .with("take", "3"),
            "watch" => Place::new("cleo", self.page(), of(what)),
            "comments" => {
                Place::new("ben", self.page(), of(what)).with("body", "Yes & \"no\" <b>.")
            }
            "comments/{comment}/edit" => {
                Place::at("ben", format!("{comment}/edit")).with("body", "At three & later.")
            }
            "comments/{comment}/remove" => Place::at("ben", format!("{comment}/remove")),
            "comments/{comment}/mark" => Place::new("ada", self.page(), format!("{comment}/mark")),
            "edit" => Place::at("ada", of(what))
                .with("title", "Night buses until three & more")
                .with("text", "Why: *later* is \"better\".")
                .with("links", "https://example.org/one?a=1&b=2")
                .with("note", "an hour & more"),
            "tags" => Place::at("ada", of(what)).with("tag", "new buses"),
            "withdraw" => {
                Place::at("cleo", format!("/policies/{}/-/withdraw", self.own)).with("reason", WHY)
            }
            "consent" => Place::at("ada", of(what)).with("why", WHY),
            _ => return None,
        }])
    }

    fn of_moderators(&self, route: &str) -> Option<Vec<Place>> {
        let of = |what: &str| Place::at("the-boss", self.of_policy(what));
        let at = |page: String| Place::at("the-boss", page);
        let reason = |place: Place| place.with("reason", WHY).with("sure", "1");
        Some(vec![match route {
            "/policies/{policy}/-/hide" => reason(of("hide")),
            "/policies/{policy}/-/retire" => reason(of("retire").with("why", "done")),
            "/policies/{policy}/-/category" => of("category"),
            "/policies/{policy}/-/official" => {
                let place = of("official")
                    .with("kind", "milestone")
                    .with("status", "planned");
                place
                    .with("day", "2026-12-01")
                    .with("text", "The first & last bus.")
            }
            "/policies/{policy}/-/comments/{comment}/moderate" => {
                reason(of(&format!("comments/{}/moderate", self.comment)))
            }
            "/policies/{policy}/-/delete" => {
                let step = [("do", "look"), ("reason", WHY)];
                return Some(vec![
                    reason(of("delete")),
                    reason(of("delete").after(&step)),
                ]);
            }
            "/desk/cases/{case}" => {
                let case = format!("/desk/cases/comment.{}.{}", self.policy, self.comment);
                at(case).with("decision", "rejected").with("reason", WHY)
            }
            "/desk/merges/new" => {
                let page = format!("{route}?src={}", self.own);
                Place::new("the-boss", page, route)
                    .with("add", self.own_and_one())
                    .with("title", "A title & more")
                    .with("text", "Both ask for \"the same\".")
                    .with("links", "https://example.org/?a=1&b=2")
            }
            "/desk/merges/{proposal}" => at(format!("/desk/merges/{}", self.proposal)),
            "/desk/tags" => at(route.to_owned()),
            "/desk/tags/{tag}" => {
                let place = at(format!("/desk/tags/{}", self.tag)).with("sure", "1");
                let place = place.with("name", "greener").with("into", "late");
                let place = place.with("rename_reason", WHY).with("merge_reason", WHY);
                place.with("delete_reason", WHY)
            }
            "/desk/users/{user}" => {
                let place = at(format!("/desk/users/{}", self.ada.user)).with("into", "ben");
                let place = place.with("merge_sure", "1").with("void_sure", "1");
                place.with("merge_reason", WHY).with("void_reason", WHY)
            }
            _ => return None,
        }])
    }

    fn own_and_one(&self) -> String {
        format!("{} {}", self.own, self.policy)
    }

    async fn of_admins(&self, route: &str) -> Option<Vec<Place>> {
        let at = |page: &str| Place::at("the-boss", page);
        let named = |place: Place| {
            let place = place
                .with("name", "A name & more")
                .with("about", "About \"it\".");
            place.with("position", "7")
        };
        Some(vec![match route {
            "/admin/rules" => at(route).with("salary", "120").with("unspent", "5000"),
            "/admin/rules/privacy" => Place::new("the-boss", "/admin/rules", route),
            "/admin/categories" => named(at(route)).with("key", "another"),
            "/admin/categories/{category}" => named(at("/admin/categories/health")),
            "/admin/parties" => named(at(route)),
            "/admin/parties/{party}" => named(at(&format!("/admin/parties/{}", self.party))),
            "/admin/featured" => at(route)
                .with("new", self.own.to_string())
                .with("new_from", "2026-11-17")
                .with("new_through", "2026-11-20"),
            "/admin/roles" => at(route).with("name", "ben").with("role", "moderate_tags"),
            "/admin/roles/revoke" => {
                self.world.grant(self.ada.user, Role::Admin).await;
                Place::new("the-boss", "/admin/roles", route)
            }
            "/admin/outbox/{day}/{mail}" => {
                let pending = self
                    .world
                    .votes()
                    .tables()
                    .outbox
                    .pending(MONDAY)
                    .await
                    .unwrap();
                let mail = pending.first()?.id;
                Place::new(
                    "the-boss",
                    "/admin/outbox",
                    format!("/admin/outbox/{MONDAY}/{mail}"),
                )
            }
            "/admin/tasks" => at(route),
            _ => return None,
        }])
    }
}

fn creating() -> Vec<Place> {
    let typed = [
        ("title", "Benches & shade"),
        ("text", "For \"all\" of us."),
        ("links", "https://example.org/?a=1&b=2"),
        ("category", "health"),
        ("tags", "shade, benches"),
    ];
    let filled = |place: Place| {
        typed
            .iter()
            .fold(place, |place, (name, value)| place.with(name, *value))
    };
    let mut places = vec![filled(Place::at("emma", "/create"))];
    for step in ["similar", "text", "place", "cost", "preview"] {
        let first = [&typed[..], &[("step", step)]].concat();
        places.push(filled(Place::at("emma", "/create")).after(&first));
    }
    places
}
