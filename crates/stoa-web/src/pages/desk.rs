//! The desk: what those with roles look after. Each page shows what its viewer may do; the gate and
//! the domain decide whether it is done.

pub mod case;
pub mod comment;
pub mod merge;
pub mod merges;
pub mod new_merge;
pub mod official;
pub mod overview;
pub mod place;
pub mod queue;
pub mod retire;
pub mod signals;
pub mod tag;
pub mod tags;
pub mod take_away;
pub mod thing;
pub mod tools;
pub mod user;
pub mod users;
pub mod visibility;

use maud::{Markup, html};
use stoa_votes::model::{By, NotDone, PolicyId, Role};
use stoa_votes::ops::page::ShownPage;

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::parts::forms::{self, Field, Mistakes};
use crate::visit::{Frame, Visit};

/// Those who may decide cases; comments alone, the second.
pub const JUDGES: &[Role] = &[Role::HandleReports, Role::ModerateComments];
/// Those who merge policies.
pub const MERGERS: &[Role] = &[Role::MergePolicies];
/// Those who moderate tags.
pub const TAGGERS: &[Role] = &[Role::ModerateTags];
/// Those who look at accounts.
pub const EXAMINERS: &[Role] = &[Role::EditUsers, Role::HandleReports];
/// Those who end accounts.
pub const ENDERS: &[Role] = &[Role::EditUsers];
/// Those who hide policies and show them again.
pub const HIDERS: &[Role] = &[Role::HandleReports];
/// Those who close policies, take them away and sort them elsewhere.
pub const EDITORS: &[Role] = &[Role::EditPolicies];
/// Those who speak officially.
pub const SPEAKERS: &[Role] = &[Role::PublishOfficial];
/// Everybody who has something to do at the desk.
pub const STAFF: &[Role] = &[
    Role::HandleReports,
    Role::ModerateComments,
    Role::MergePolicies,
    Role::ModerateTags,
    Role::EditUsers,
    Role::EditPolicies,
    Role::PublishOfficial,
];

/// The parts of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Cases,
    Merges,
    Tags,
    Users,
    Signals,
}

/// Whether the viewer has something to do at the desk.
#[must_use]
pub(crate) fn has_desk(frame: &Frame) -> bool {
    frame.duties.may_any(STAFF)
}

/// Whoever acts at the desk.
pub(crate) fn by(visit: &Visit) -> Result<By, Failure> {
    Ok(By::User(visit.member()?.account.user))
}

/// The parts of the desk that the viewer has something to do in.
fn tabs(frame: &Frame, here: Tab) -> Markup {
    let texts = &frame.texts.desk;
    let reports = (texts.reports)(frame.duties.waiting());
    let ways: [(Tab, &str, &str, &[Role]); 6] = [
        (Tab::Overview, "/desk", texts.overview, STAFF),
        (Tab::Cases, "/desk/cases", &reports, JUDGES),
        (Tab::Merges, "/desk/merges", texts.merges_way, MERGERS),
        (Tab::Tags, "/desk/tags", texts.tags_way, TAGGERS),
        (Tab::Users, "/desk/users", texts.members, EXAMINERS),
        (Tab::Signals, "/desk/signals", texts.signals, EXAMINERS),
    ];
    html! {
        nav.tabs aria-label=(frame.texts.layout.desk) {
            ul {
                @for (tab, path, text, roles) in ways {
                    @if frame.duties.may_any(roles) {
                        li { a href=(path) aria-current=[(tab == here).then_some("page")] { (text) } }
                    }
                }
                li { a href="/log" { (texts.log) } }
            }
        }
    }
}

/// A page of the desk: the ways, the heading, what was just done.
fn page(visit: &Visit, tab: Tab, title: &str, main: &Markup) -> Answer {
    let whole = html! {
        (tabs(visit, tab))
        h1 { (title) }
        (main)
    };
    layout::page(visit, about(title), whole)
}

fn about(title: &str) -> About<'_> {
    About {
        title,
        place: Place::Desk,
        ..About::default()
    }
}

/// What was just done, as the address tells.
fn done(visit: &Visit, known: &[(&str, &str)]) -> Markup {
    let told = visit.query.get("done");
    let found = known.iter().find(|(code, _)| *code == told);
    html! { @if let Some((_, text)) = found { p.note.is-good role="status" { (text) } } }
}

/// The field of a reason that everybody can read.
fn reason(frame: &Frame, name: &str, value: &str, mistakes: &Mistakes) -> Markup {
    let texts = &frame.texts.desk;
    let field = Field {
        name,
        label: texts.reason,
        hint: texts.reason_hint,
        value,
        ..Field::default()
    };
    forms::area(field, 3, mistakes)
}

/// A box to be ticked before something that cannot be undone.
fn sure(name: &str, text: &str, mistakes: &Mistakes) -> Markup {
    let is_missing = mistakes.of(name);
    html! {
        p {
            @if let Some(what) = is_missing { span.err id={ "e-" (name) } { span aria-hidden="true" { "◆ " } (what) } }
            label.opt {
                input id={ "f-" (name) } type="checkbox" name=(name) value="1"
                    aria-invalid=[is_missing.map(|_| "true")] aria-describedby=[forms::described(name, "", mistakes)];
                span { (text) }
            }
        }
    }
}

/// A choice of one among several, in a fieldset; each with a name, a text and a word more.
fn choice(
    (name, legend): (&str, &str),
    options: &[(&str, &str, &str)],
    chosen: &str,
    mistakes: &Mistakes,
) -> Markup {
    let mistake = mistakes.of(name);
    html! {
        fieldset id={ "f-" (name) } tabindex="-1" aria-describedby=[forms::described(name, "", mistakes)] {
            legend { (legend) }
            @if let Some(what) = mistake { span.err id={ "e-" (name) } { span aria-hidden="true" { "◆ " } (what) } }
            @for (value, text, more) in options {
                label.opt {
                    input type="radio" name=(name) value=(value) checked[*value == chosen];
                    span { (text) @if !more.is_empty() { br; span.hint.flush { (more) } } }
                }
            }
        }
    }
}

/// A policy that somebody with a role is about to do something to.
struct Subject {
    shown: ShownPage,
    title: String,
    votes: i64,
    supporters: i64,
}

impl Subject {
    /// The policy of the path, as whoever acts sees it.
    async fn read(visit: &Visit) -> Result<Self, Failure> {
        let policy = visit.policy()?;
        let shown = match visit.votes().page_for(by(visit)?, policy).await {
            Err(NotDone::Refused(_)) => return Err(Failure::NotFound),
            shown => shown?,
        };
        let board = visit.votes().board().await?;
        let line = board.line(policy);
        let title = match shown.page.title.is_empty() {
            true => visit.texts.desk.cases.hidden_policy.to_owned(),
            false => shown.page.title.clone(),
        };
        Ok(Self {
            title,
            votes: line.map_or(0, |it| it.facts.total),
            supporters: line.map_or(0, |it| it.facts.breadth.supporters),
            shown,
        })
    }

    fn policy(&self) -> PolicyId {
        self.shown.page.policy
    }

    fn address(&self) -> String {
        links::policy(self.policy(), &self.shown.page.title)
    }

    /// A page about doing something to it: narrow, with a way back.
    fn page(&self, visit: &Visit, title: &str, main: &Markup) -> Answer {
        let whole = html! {
            div.narrow {
                p.meta { a href=(self.address()) { (self.title) } }
                h1 { (title) }
                (main)
            }
        };
        layout::page(visit, about(title), whole)
    }
}
