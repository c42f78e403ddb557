//! The page of a policy: what it says, what it is worth, the race it is in, what became of it.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{
    By, Day, PolicyId, PolicyState, PolicyStatus, Progress, ProgressKind, RankingFilter,
    RankingKind, Tag, TextVersion, UserId,
};
use stoa_votes::ops::page::ShownPage;
use stoa_votes::rules::ranking::{Line, Neighbours, RankingBoard};

use super::{Names, consent, ended, talk, title, versions, vote};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About, Place};
use crate::links;
use crate::markdown;
use crate::pages::desk::tools;
use crate::pages::front::category_names;
use crate::pages::votes::undo;
use crate::parts::forms::Mistakes;
use crate::parts::{charts, forms, ranked};
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// Neighbours on each side.
const BESIDE: usize = 2;
/// Days of the chart.
const DAYS: i32 = 90;

/// Everything that is read for the page.
struct Shown {
    page: ShownPage,
    names: Names,
    category: String,
    party: Option<String>,
    tags: Vec<Tag>,
    versions: Vec<TextVersion>,
    progress: Vec<Progress>,
    related: Vec<(PolicyId, String)>,
    sources: Vec<(PolicyId, String, i64)>,
    target: Option<(PolicyId, String)>,
    race: Option<Neighbours>,
    is_watched: bool,
    is_merge_proposed: bool,
    undo_until: Option<i64>,
}

/// `GET /policies/{policy}`: the address that never changes leads to the readable one.
pub async fn bare(visit: Visit) -> Outcome {
    let policy = visit.policy()?;
    let page = visit.votes().page(policy).await?;
    Ok(Answer::see(&links::policy(policy, &page.page.title)))
}

/// `GET /policies/{policy}/{slug}`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// The page once more, with what kept a form on it from being done.
///
/// # Errors
/// Whatever is no mistake in the form.
pub(super) async fn refused(
    visit: &Visit,
    failure: Failure,
    field_of: impl Fn(&str) -> &'static str,
) -> Outcome {
    let status = failure.form_status();
    let mistakes = Mistakes::refused(visit, failure, field_of)?;
    let here = visit.at(&links::policy(visit.policy()?, ""));
    Ok(page(&here, &mistakes).await?.with_status(status))
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let policy = visit.policy()?;
    let board = visit.votes().board().await?;
    let mut shown = read(visit, &board, policy).await?;
    let state = shown.page.standing.state;
    if matches!(state, PolicyState::Deleted | PolicyState::PendingDeletion)
        && shown.page.text.is_none()
    {
        return ended::gone(visit, &shown.page).await;
    }
    let line = board.line(policy).map(|line| &**line);
    let points = points(visit, policy).await?;
    let count = line.map_or(0, |line| line.facts.comments);
    let talk = talk::section(visit, &shown.page, &mut shown.names, count).await?;
    let main = html! {
        (mistakes.summary(visit))
        div.split {
            (header(visit, &shown, line))
            aside.late.stack {
                (vote_box(visit, &shown, mistakes))
                @if let Some(race) = &shown.race { (race_panel(visit, &shown, race)) }
                (tools::of_policy(visit, &shown.page))
            }
            div {
                (text(visit, &shown))
                @if !shown.progress.is_empty() { (official(visit, &shown)) }
                section.sec aria-labelledby="h-chart" {
                    h2 #h-chart { (visit.texts.policy.votes_and_rank) }
                    (charts::history(visit, &points))
                }
                @if !shown.sources.is_empty() { (merged(visit, &shown)) }
                @if !shown.related.is_empty() {
                    section.sec aria-labelledby="h-rel" {
                        h2 #h-rel { (visit.texts.policy.related) }
                        ul.lines { @for (policy, title) in &shown.related { li { (ranked::name(title, *policy)) } } }
                    }
                }
                (talk)
            }
        }
    };
    let name = shown_title(visit, &shown).to_owned();
    let said = shown
        .page
        .text
        .as_ref()
        .map_or("", |it| it.text.description.as_str());
    let said = markdown::plain(said, 200);
    let feed = links::of_policy(policy, "feed.atom");
    let about = About {
        title: &name,
        description: &said,
        place: Place::Ranking,
        feed: &feed,
    };
    Ok(layout::page(visit, about, main))
}

async fn read(visit: &Visit, board: &RankingBoard, policy: PolicyId) -> Result<Shown, Failure> {
    let votes = visit.votes();
    let page = match &visit.viewer {
        Some(viewer) => votes.page_for(By::User(viewer.id()), policy).await?,
        None => votes.page(policy).await?,
    };
    let versions = versions::of(visit, policy).await?;
    let progress = votes.progress(&page).await?;
    let mut names = Names::default();
    names
        .read(visit, people(&page, &versions, &progress))
        .await?;
    let categories = category_names(visit).await?;
    let category = categories
        .get(&page.page.category)
        .unwrap_or(&page.page.category)
        .clone();
    let parties = votes.parties().await?.into_iter();
    let party = parties
        .filter(|it| Some(it.party) == page.page.party)
        .map(|it| it.name)
        .next();
    let mut related = Vec::new();
    for other in votes.related_policies(policy).await?.into_iter().take(5) {
        related.push((other, title(visit, board, other).await?));
    }
    let mut sources = Vec::new();
    for source in &page.merged_from {
        sources.push((
            source.policy,
            title(visit, board, source.policy).await?,
            source.at_micros,
        ));
    }
    let target = match page.standing.merged_to {
        Some(target) => Some((target, title(visit, board, target).await?)),
        None => None,
    };
    let race = board
        .neighbours(
            RankingKind::Total,
            policy,
            &RankingFilter::default(),
            BESIDE,
        )
        .ok();
    let is_merge_proposed = waits_for_owner(visit, &page).await?;
    let (mut is_watched, mut undo_until) = (false, None);
    if let Some(viewer) = &visit.viewer {
        is_watched = votes.watchlist(viewer.id()).await?.contains(&policy);
        undo_until = undo::until(visit).await?;
    }
    Ok(Shown {
        tags: votes.tags_of(policy).await?,
        page,
        names,
        category,
        party,
        versions,
        progress,
        related,
        sources,
        target,
        race,
        is_watched,
        is_merge_proposed,
        undo_until,
    })
}

/// Whether the viewer is an owner who is being asked about a merge.
async fn waits_for_owner(visit: &Visit, page: &ShownPage) -> Result<bool, Failure> {
    let viewer = visit.viewer.as_ref();
    match viewer.is_some_and(|it| page.page.is_owned_by(it.id())) {
        true => Ok(!consent::asked(visit, page.page.policy).await?.is_empty()),
        false => Ok(false),
    }
}

/// Everybody whose name stands on the page.
fn people(page: &ShownPage, versions: &[TextVersion], progress: &[Progress]) -> Vec<UserId> {
    let owners = page.page.co_owners.iter().copied().chain([page.page.owner]);
    let writers = versions.iter().map(|it| it.author);
    let ended = page.page.ending.iter().map(|it| it.by);
    owners
        .chain(writers)
        .chain(ended)
        .chain(progress.iter().map(|it| it.author))
        .collect()
}

async fn points(
    visit: &Visit,
    policy: PolicyId,
) -> Result<Vec<stoa_votes::model::DayPoint>, Failure> {
    let today = visit.today();
    Ok(visit
        .votes()
        .history(policy, today.plus(-DAYS), today)
        .await?)
}

fn shown_title<'a>(frame: &'a Frame, shown: &'a Shown) -> &'a str {
    let title = shown.page.page.title.as_str();
    if title.is_empty() {
        frame.texts.policy.hidden
    } else {
        title
    }
}

fn header(visit: &Visit, shown: &Shown, line: Option<&Line>) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    let page = &shown.page.page;
    let total = line.map_or(0, |line| line.facts.total);
    let days = visit.notice.rules.today.window_days;
    let since = |kind| line.map_or(0, |line| line.value(kind, visit.today()));
    html! {
        header.full {
            div.meta {
                (badge(visit, shown))
                a href=(links::category(&page.category)) { (shown.category) } " "
                @if let (Some(name), Some(party)) = (&shown.party, page.party) { a href=(links::party(party)) { (name) } " " }
                span { (texts.proposed_by) " " (shown.names.link(visit, page.owner)) ", " (format.day(Day::of_micros(page.created_micros))) }
            }
            h1 { (shown_title(visit, shown)) }
            @if !shown.tags.is_empty() {
                ul.tags aria-label=(texts.tags) {
                    @for tag in &shown.tags { li { a.tag href=(links::tag_named(&tag.name)) { (tag.name) } } }
                }
            }
            @if let Some((target, title)) = &shown.target {
                p.note { (texts.merged_into) " " a href=(links::policy(*target, title)) { (title) } "." }
            }
            @if page.is_hidden { p.note.is-bad { (texts.hidden_more) } }
            (news(visit, shown))
            div.row.apart.gap-t {
                dl.facts.flush {
                    @if let Some(race) = &shown.race {
                        div { dt { (texts.rank) } dd { (race.own.rank) } }
                    }
                    div { dt { (texts.votes) } dd data-total=(page.policy) { (format.number(total)) } }
                    div { dt { (texts.supporters) } dd { (format.number(line.map_or(0, |it| it.facts.breadth.supporters))) } }
                    div { dt { (texts.today) } dd data-total=(page.policy) data-less=(total - since(RankingKind::Window(1))) { (format.change(since(RankingKind::Window(1)))) } }
                    div { dt { ((texts.last_days)(days)) } dd data-total=(page.policy) data-less=(total - since(RankingKind::Window(days))) { (format.change(since(RankingKind::Window(days)))) } }
                }
                (controls(visit, shown))
            }
        }
    }
}

/// What was just done, how the policy ended, and what waits for an answer of its owners.
fn news(visit: &Visit, shown: &Shown) -> Markup {
    let acts = &visit.texts.acts;
    let page = &shown.page.page;
    let done = match visit.query.get("done") {
        "edited" => Some(acts.done_edited),
        "withdrawn" => Some(acts.done_withdrawn),
        "watching" if shown.is_watched => Some(acts.done_watching),
        "unwatched" if !shown.is_watched => Some(acts.done_unwatched),
        _ => None,
    };
    html! {
        @if let Some(done) = done { p.note.is-good role="status" { (done) } }
        (ended::note(visit, &shown.page, &shown.names))
        @if shown.is_merge_proposed {
            div.note.is-info {
                p { (acts.merge_waits) }
                p { a.btn.sm href=(links::of_policy(page.policy, "consent")) { (acts.merge_answer) } }
            }
        }
    }
}

/// What members may do here besides voting.
fn controls(visit: &Visit, shown: &Shown) -> Markup {
    let (texts, acts) = (&visit.texts.policy, &visit.texts.acts);
    let page = &shown.page.page;
    let way = |what: &str| links::of_policy(page.policy, what);
    let is_active = shown.page.standing.state == PolicyState::Active;
    let viewer = visit.viewer.as_ref().filter(|it| it.member.is_some());
    let owns = viewer.is_some_and(|it| page.is_owned_by(it.id()));
    html! {
        @if viewer.is_some() {
            (forms::form(visit, &way("watch"), &html! {
                @let (value, text, pressed) = if shown.is_watched { ("0", texts.watching, "true") } else { ("1", texts.watch, "false") };
                button.btn.sm name="watch" value=(value) aria-pressed=(pressed) { (text) } " "
                @if owns && is_active { a.btn.sm href=(way("edit")) { (acts.edit) } " " }
                @if is_active { a.btn.sm href=(way("tags")) { @if owns { (acts.edit_tags) } @else { (acts.suggest_a_tag) } } " " }
                @if owns && is_active { a.btn.sm href=(way("withdraw")) { (acts.withdraw) } " " }
                @if !owns { a.btn.sm href=(way("report")) { (acts.report) } }
            }))
        }
    }
}

fn badge(visit: &Visit, shown: &Shown) -> Markup {
    let texts = &visit.texts.policy;
    let (class, text) = match shown.page.standing.state {
        _ if shown.page.page.is_hidden => ("badge is-bad", texts.hidden),
        PolicyState::Active | PolicyState::Creating => ("badge is-info", texts.active),
        PolicyState::Merged => ("badge", texts.merged),
        PolicyState::Withdrawn => ("badge is-wait", texts.withdrawn),
        PolicyState::Retired => ("badge", texts.retired),
        PolicyState::PendingDeletion | PolicyState::Deleted => ("badge is-bad", texts.deleted),
    };
    html! { span class=(class) { (text) } " " }
}

fn vote_box(visit: &Visit, shown: &Shown, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.policy;
    let policy = shown.page.page.policy;
    let state = shown.page.standing.state;
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    html! {
        section.panel.key aria-labelledby="h-vote" {
            h2 #h-vote { (texts.your_votes) }
            @match member {
                _ if shown.target.is_some() => p.flush { (texts.no_votes_here) },
                Some(member) => {
                    @if let Some(until) = shown.undo_until.filter(|_| visit.query.get("saved") == "1") {
                        div.note.is-good role="status" {
                            p { ((texts.saved)(&visit.texts.format.time(until))) }
                            (undo::button(visit))
                        }
                    }
                    @if state == PolicyState::Active {
                        (buttons(visit, shown, member.statement.balance, mistakes))
                    } @else { p { (texts.no_votes_here) } }
                    @if visit.own_votes(policy) > 0 && !state.is_released() { (take_back(visit, policy, mistakes)) }
                },
                None => {
                    p { a.btn.go.wide href=(links::sign_in(&visit.path)) { (texts.sign_in_to_vote) } }
                    p.flush { a href="/register" { (visit.texts.layout.register) } }
                },
            }
        }
    }
}

fn buttons(visit: &Visit, shown: &Shown, balance: i64, mistakes: &Mistakes) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    let (policy, name) = (shown.page.page.policy, shown_title(visit, shown));
    let here = visit.own_votes(policy);
    let left = format.number(balance);
    let stepped = visit.query.number::<i64>("total").filter(|it| *it >= 0);
    let known = stepped.unwrap_or(here).to_string();
    let typed = visit.form.find("total").unwrap_or(&known);
    html! {
        form method="post" action=(links::of_policy(policy, "votes")) {
            (forms::token(visit))
            (ask(visit, policy))
            p.row.apart.base.flush {
                span { (texts.on_this) " " b.num { (format.number(here)) } }
                span.price.num role="status" aria-live="polite" aria-atomic="true" { ((texts.left)(&left)) }
            }
            div.votebtns {
                @for more in [1, 10, 50] {
                    button.btn name="add" value=(more) disabled[more > balance]
                        aria-label=((texts.add_label)(more, name, &left)) { "+" (more) }
                }
            }
        }
        form method="post" action=(links::of_policy(policy, "votes")) {
            (forms::token(visit))
            (ask(visit, policy))
            label.small for="f-total" { (texts.new_total) }
            (forms::mistake("total", mistakes))
            div.row {
                span.step {
                    // Enter in the field presses the first button of a form: it must be this one.
                    button.vh name="save" value="1" tabindex="-1" aria-hidden="true" {}
                    button.btn name="step" value="-10" data-by="-10" aria-label=(texts.fewer) { "−" }
                    input #f-total name="total" type="number" min="0" max=(here + balance) step="1" value=(typed) inputmode="numeric"
                        aria-invalid=[forms::invalid("total", mistakes)] aria-describedby=[forms::described("total", "", mistakes)];
                    button.btn name="step" value="10" data-by="10" aria-label=(texts.more) { "+" }
                }
                " " button.btn.go name="save" value="1" { (texts.save_votes) }
            }
        }
    }
}

/// What every form about votes carries, with what there was when it was made.
fn ask(visit: &Visit, policy: PolicyId) -> Markup {
    let member = visit.viewer.as_ref().and_then(|it| it.member.as_ref());
    let basis = member.and_then(|it| it.statement.basis);
    html! {
        (vote::ask(basis, visit.new_request()))
        (forms::hidden("here", &visit.own_votes(policy).to_string()))
    }
}

fn take_back(visit: &Visit, policy: PolicyId, mistakes: &Mistakes) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    let here = visit.own_votes(policy);
    let part = format.number(visit.notice.rules.today.penalty_percent);
    let usual = here.min(10).to_string();
    let typed = visit.form.find("take").unwrap_or(&usual);
    html! {
        details open[mistakes.of("take").is_some()] {
            summary { (texts.take_votes) }
            form method="post" action=(links::of_policy(policy, "votes")) class="stack" {
                (forms::token(visit))
                (ask(visit, policy))
                p.small { ((texts.take_rule)(&part)) }
                (forms::mistake("take", mistakes))
                div.row {
                    label for="f-take" { (texts.take_back) } " "
                    input.in.sm.auto.num #f-take name="take" type="number" min="1" max=(here) value=(typed) size="4"
                        aria-invalid=[forms::invalid("take", mistakes)] aria-describedby=[forms::described("take", "", mistakes)];
                }
                button.btn.is-price { (texts.work_out) }
            }
        }
    }
}

fn race_panel(visit: &Visit, shown: &Shown, race: &Neighbours) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    let name = |line: &Line| {
        line.facts
            .page
            .as_ref()
            .map_or(String::new(), |page| page.title.clone())
    };
    let next = race.above.first();
    let balance = visit
        .viewer
        .as_ref()
        .and_then(|it| it.member.as_ref())
        .map_or(0, |it| it.statement.balance);
    html! {
        section.panel aria-labelledby="h-race" {
            h2.vh #h-race { (texts.race) }
            @match next {
                Some(next) => p.beat { b.num { (format.number(next.needed.unwrap_or(0))) } " " ((texts.beat)(&name(&next.policy.line))) },
                None => p.beat { (texts.leads) },
            }
            ol.race {
                @for it in race.above.iter().rev() {
                    li { b { (it.policy.rank) } a href=(links::policy(it.policy.line.policy(), &name(&it.policy.line))) { (name(&it.policy.line)) }
                        span.muted { ((texts.to_beat)(&format.number(it.needed.unwrap_or(0)))) } }
                }
                li.me aria-current="true" { b { (race.own.rank) } span { (texts.this_policy) } span { (format.number(race.own.value)) } }
                @for it in &race.below {
                    li { b { (it.policy.rank) } a href=(links::policy(it.policy.line.policy(), &name(&it.policy.line))) { (name(&it.policy.line)) }
                        span.muted { ((texts.behind)(&format.number(it.needed.unwrap_or(0)))) } }
                }
            }
            @if let Some(needed) = next.and_then(|it| it.needed).filter(|needed| *needed <= balance) {
                form method="post" action=(links::of_policy(shown.page.page.policy, "votes")) {
                    (forms::token(visit))
                    (ask(visit, shown.page.page.policy))
                    button.btn.wide name="add" value=(needed) { ((texts.spend_to)(&format.number(needed), race.own.rank - 1)) }
                }
            }
        }
    }
}

fn text(visit: &Visit, shown: &Shown) -> Markup {
    let texts = &visit.texts.policy;
    let policy = shown.page.page.policy;
    html! {
        section aria-labelledby="h-text" {
            h2 #h-text { (texts.the_text) }
            @match &shown.page.text {
                Some(version) => {
                    div.text { (markdown::html(&version.text.description)) }
                    @if let [last, before, ..] = shown.versions.as_slice() {
                        details {
                            summary { (versions::heading_of(visit, &shown.names, last)) }
                            div.note.text {
                                (versions::changed(visit, Some(before), last))
                                p.small { a href=(links::of_policy(policy, "versions")) { (texts.versions) } }
                            }
                        }
                    }
                    @if !version.text.links.is_empty() {
                        h3 { (texts.links) }
                        ul.small { @for link in version.text.links.iter().filter(|it| markdown::is_followed(it)) {
                            li { a href=(link) rel="nofollow noopener ugc" { (link) } }
                        } }
                    }
                },
                None => p.muted { (texts.no_text) },
            }
        }
    }
}

fn official(visit: &Visit, shown: &Shown) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    let at =
        |it: &Progress| format.day(Day::of_micros(time_uuid::unix_micros(&it.at).unwrap_or(0)));
    let response = shown
        .progress
        .iter()
        .find(|it| it.kind == ProgressKind::Response);
    let status = shown.progress.iter().find_map(|it| it.kind.status());
    let mut milestones: Vec<&Progress> = shown
        .progress
        .iter()
        .filter(|it| it.kind.day().is_some())
        .collect();
    milestones.sort_by_key(|it| it.kind.day());
    html! {
        section.sec aria-labelledby="h-off" {
            div.row.apart.base {
                h2 #h-off { (texts.official) }
                @if let Some(status) = status { (status_badge(visit, status)) }
            }
            @if let Some(it) = response {
                div.text { (markdown::html(&it.text)) }
                p.meta { span { "@" (shown.names.of(visit, it.author)) } span { (at(it)) } }
            }
            @if !milestones.is_empty() {
                ol.miles.small { @for it in milestones {
                    @let day = it.kind.day().unwrap_or(visit.today());
                    li class=(if day <= visit.today() { "done" } else { "" }) { b { (it.text) } ", " (format.day(day)) }
                } }
            }
        }
    }
}

fn status_badge(visit: &Visit, status: PolicyStatus) -> Markup {
    let texts = &visit.texts.policy;
    let (class, text) = match status {
        PolicyStatus::Examined => ("badge is-wait", texts.status_examined),
        PolicyStatus::Planned => ("badge is-info", texts.status_planned),
        PolicyStatus::Started => ("badge is-info", texts.status_started),
        PolicyStatus::Done => ("badge is-good", texts.status_done),
        PolicyStatus::Declined => ("badge is-bad", texts.status_declined),
    };
    html! { span class=(class) { (text) } }
}

fn merged(visit: &Visit, shown: &Shown) -> Markup {
    let (texts, format) = (&visit.texts.policy, &visit.texts.format);
    html! {
        section.sec aria-labelledby="h-merge" {
            h2 #h-merge { (texts.merged_from) }
            ul.lines { @for (policy, title, at) in &shown.sources {
                li { (ranked::name(title, *policy)) div.meta { span { (format.day(Day::of_micros(*at))) } } }
            } }
            p.small.muted.pad { (texts.merged_more) }
        }
    }
}
