//! The front page: which policies stand on it, in which order, from when until when. What somebody
//! else chose meanwhile is shown before it is replaced.

use maud::{Markup, html};
use stoa_votes::model::{Day, PageRefusal, PolicyId, UserId};
use stoa_votes::rules::front_page::{Featured, FeaturedBy, MOST_ENTRIES};
use stoa_votes::rules::ranking::RankingBoard;
use uuid::Uuid;

use super::{done, is_admin, name, none, page, whole};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::pages::policy::{Names, title};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/featured";
/// How many days a policy stays, unless something else is typed.
const USUAL_DAYS: i32 = 6;

/// `GET /admin/featured`
pub async fn show(visit: Visit) -> Outcome {
    let (there, change) = visit.votes().front_page().await?;
    let today = visit.today();
    let typed = Typed {
        rows: there.iter().map(Row::of).collect(),
        new: visit.query.trimmed("policy").to_owned(),
        new_from: today.to_string(),
        new_through: today.plus(USUAL_DAYS).to_string(),
    };
    shown(&visit, &typed, change, None, &Mistakes::default()).await
}

/// `POST /admin/featured`
pub async fn submit(visit: Visit) -> Outcome {
    let typed = Typed::of_form(&visit);
    let mut mistakes = Mistakes::default();
    let seen = Uuid::try_parse(visit.form.get("seen")).ok();
    let entries = typed.entries(&visit, &mut mistakes).await?;
    if !mistakes.is_empty() {
        let answer = shown(&visit, &typed, seen, None, &mistakes).await?;
        return Ok(answer.with_status(422));
    }
    let by = visit.viewer()?.by();
    let failure = match visit.votes().feature(by, seen, &entries).await {
        Ok(()) => return Ok(Answer::see(&format!("{LIST}?saved=1"))),
        Err(failure) => failure,
    };
    if failure.code() == PageRefusal::Changed.code() {
        let (there, change) = visit.votes().front_page().await?;
        let answer = shown(&visit, &typed, change, Some(&there), &mistakes).await?;
        return Ok(answer.with_status(409));
    }
    let mistakes = Mistakes::refused(&visit, failure.into(), field_of)?;
    let answer = shown(&visit, &typed, seen, None, &mistakes).await?;
    Ok(answer.with_status(422))
}

/// Which field a refusal of the front page is about.
fn field_of(code: &str) -> &'static str {
    match code {
        "featured_twice" | "too_many_featured" | "featured_backwards" => "chosen",
        "policy_not_shown" => "new",
        _ => "",
    }
}

/// What was typed about one policy.
struct Row {
    policy: PolicyId,
    place: String,
    from: String,
    through: String,
    is_off: bool,
}

impl Row {
    fn of(entry: &Featured) -> Self {
        Self {
            policy: entry.policy,
            place: String::new(),
            from: entry.from.to_string(),
            through: entry.through.to_string(),
            is_off: false,
        }
    }
}

/// What was typed.
struct Typed {
    rows: Vec<Row>,
    new: String,
    new_from: String,
    new_through: String,
}

impl Typed {
    fn of_form(visit: &Visit) -> Self {
        let form = &visit.form;
        let rows = form
            .beginning("p_")
            .take(MOST_ENTRIES)
            .filter_map(|(at, policy)| {
                let text = |name: &str| form.trimmed(&format!("{name}_{at}")).to_owned();
                Some(Row {
                    policy: PolicyId(Uuid::try_parse(policy).ok()?),
                    place: text("o"),
                    from: text("f"),
                    through: text("t"),
                    is_off: text("x") == "1",
                })
            });
        Self {
            rows: rows.collect(),
            new: form.trimmed("new").to_owned(),
            new_from: form.trimmed("new_from").to_owned(),
            new_through: form.trimmed("new_through").to_owned(),
        }
    }

    /// The entries in their order; what is wrong is noted.
    async fn entries(
        &self,
        visit: &Visit,
        mistakes: &mut Mistakes,
    ) -> Result<Vec<Featured>, Failure> {
        let texts = &visit.texts.admin;
        let board = visit.votes().board().await?;
        let mut placed = Vec::new();
        for (at, row) in self.rows.iter().enumerate().filter(|(_, row)| !row.is_off) {
            let days = (Day::parse(&row.from), Day::parse(&row.through));
            let (Some(from), Some(through)) = days else {
                let name = title(visit, &board, row.policy).await?;
                mistakes.add("chosen", &(texts.enter_day_of)(&name));
                continue;
            };
            let entry = Featured {
                policy: row.policy,
                from,
                through,
            };
            // Without a number it stays where it is.
            let place = row.place.parse::<usize>().unwrap_or(at + 1);
            placed.push((place, at, entry));
        }
        placed.sort_by_key(|(place, at, _)| (*place, *at));
        let mut entries: Vec<Featured> = placed.into_iter().map(|(_, _, entry)| entry).collect();
        entries.extend(self.added(visit, mistakes));
        Ok(entries)
    }

    fn added(&self, visit: &Visit, mistakes: &mut Mistakes) -> Option<Featured> {
        let texts = &visit.texts.admin;
        if self.new.is_empty() {
            return None;
        }
        let policy = policy_in(&self.new);
        if policy.is_none() {
            mistakes.add("new", texts.no_policy_address);
        }
        let mut day = |field: &str, typed: &str| {
            let day = Day::parse(typed);
            if day.is_none() {
                mistakes.add(field, texts.enter_day);
            }
            day
        };
        let (from, through) = (
            day("new_from", &self.new_from),
            day("new_through", &self.new_through),
        );
        Some(Featured {
            policy: policy?,
            from: from?,
            through: through?,
        })
    }
}

/// The policy of an address such as `https://votes.example.org/policies/ID/title`, or of its
/// identifier alone.
fn policy_in(address: &str) -> Option<PolicyId> {
    let after = address.rsplit_once("/policies/");
    let id = after.map_or(address, |(_, after)| after);
    let id = id.split(['/', '?', '#']).next().unwrap_or_default();
    Uuid::try_parse(id).ok().map(PolicyId)
}

async fn shown(
    visit: &Visit,
    typed: &Typed,
    seen: Option<Uuid>,
    others: Option<&[Featured]>,
    mistakes: &Mistakes,
) -> Outcome {
    let texts = &visit.texts.admin;
    let board = visit.votes().board().await?;
    let others = match others {
        Some(others) => Some(titles(visit, &board, others.iter().map(|it| it.policy)).await?),
        None => None,
    };
    let titles = titles(visit, &board, typed.rows.iter().map(|it| it.policy)).await?;
    let editors = Editors::read(visit).await?;
    let main = html! {
        h1 { (texts.front_page) }
        (mistakes.summary(visit))
        (done(visit, "saved", texts.saved))
        @if let Some(others) = &others {
            div.note.is-info role="alert" tabindex="-1" autofocus {
                h2 { (texts.front_changed) }
                p { (texts.front_changed_more) }
                ul.flush { @for title in others { li { (title) } } }
            }
        }
        p.text { (texts.front_about) }
        form method="post" action=(LIST) novalidate {
            (forms::token(visit))
            (forms::hidden("seen", &seen.map(|it| it.to_string()).unwrap_or_default()))
            section aria-labelledby="f-chosen" {
                h2 #f-chosen tabindex="-1" { (texts.front_chosen) }
                @if typed.rows.is_empty() { (none(texts.front_none, texts.front_none_more)) }
                @else { (table(visit, typed, &titles, &editors)) }
            }
            (new_fields(visit, typed, mistakes))
            button.btn.go { (texts.front_save) }
        }
    };
    match is_admin(visit).await? {
        true => Ok(page(visit, LIST, texts.front_page, &main)),
        false => Ok(whole(visit, texts.front_page, main)),
    }
}

/// Who put which entry on the front page.
struct Editors {
    entries: Vec<FeaturedBy>,
    names: Names,
}

impl Editors {
    async fn read(visit: &Visit) -> Result<Self, Failure> {
        let (entries, _) = visit.votes().front_page_by().await?;
        let mut names = Names::default();
        let people = entries.iter().map(|it| it.by).filter(|by| !by.0.is_nil());
        names.read(visit, people.collect()).await?;
        Ok(Self { entries, names })
    }

    /// Who put a row there; nobody, where it is changed or new.
    fn of(&self, row: &Row) -> Option<UserId> {
        let is_row = |it: &&FeaturedBy| {
            let (from, through) = (
                it.featured.from.to_string(),
                it.featured.through.to_string(),
            );
            (it.featured.policy, from, through)
                == (row.policy, row.from.clone(), row.through.clone())
        };
        self.entries.iter().find(is_row).map(|it| it.by)
    }
}

async fn titles(
    visit: &Visit,
    board: &RankingBoard,
    policies: impl Iterator<Item = PolicyId>,
) -> Result<Vec<String>, Failure> {
    let mut titles = Vec::new();
    for policy in policies {
        let title = title(visit, board, policy).await?;
        titles.push(match title.is_empty() {
            true => policy.to_string(),
            false => title,
        });
    }
    Ok(titles)
}

fn table(visit: &Visit, typed: &Typed, titles: &[String], editors: &Editors) -> Markup {
    let texts = &visit.texts.admin;
    html! {
        table.tbl.fold role="table" {
            caption.vh { (texts.front_chosen) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.place) }
                th role="columnheader" scope="col" { (texts.policy) }
                th role="columnheader" scope="col" { (texts.first_day) }
                th role="columnheader" scope="col" { (texts.last_day) }
                th role="columnheader" scope="col" { (texts.take_off) }
            } }
            tbody role="rowgroup" {
                @for (at, (row, title)) in typed.rows.iter().zip(titles).enumerate() {
                    (line(visit, at, row, title, editors))
                }
            }
        }
    }
}

fn line(visit: &Visit, at: usize, row: &Row, title: &str, editors: &Editors) -> Markup {
    let texts = &visit.texts.admin;
    let today = visit.today();
    let (from, through) = (Day::parse(&row.from), Day::parse(&row.through));
    let place = match row.place.is_empty() {
        true => (at + 1).to_string(),
        false => row.place.clone(),
    };
    html! {
        tr role="row" {
            td role="cell" {
                (forms::hidden(&format!("p_{at}"), &row.policy.to_string()))
                input.in.sm.auto type="number" min="1" max="100" name={ "o_" (at) } value=(place)
                    aria-label=((texts.place_of)(title));
            }
            th role="rowheader" scope="row" {
                span.name { a href=(links::policy(row.policy, title)) { (title) } }
                div {
                    @if from.is_some_and(|from| from > today) { span.badge.is-wait { (texts.shown_later) } }
                    @else if through.is_some_and(|through| through < today) { span.badge { (texts.shown_before) } }
                    @else { span.badge.is-good { (texts.shown_today) } }
                    @if let Some(by) = editors.of(row) {
                        " " span.small.muted { (texts.put_by) " " (name(visit, &editors.names, by)) }
                    }
                }
            }
            td role="cell" {
                input.in.sm.auto type="date" name={ "f_" (at) } value=(row.from) aria-label=((texts.first_day_of)(title));
            }
            td role="cell" {
                input.in.sm.auto type="date" name={ "t_" (at) } value=(row.through) aria-label=((texts.last_day_of)(title));
            }
            td role="cell" {
                label.opt {
                    input type="checkbox" name={ "x_" (at) } value="1" checked[row.is_off]
                        aria-label=((texts.take_off_named)(title)); " "
                    span { (texts.take_off) }
                }
            }
        }
    }
}

fn new_fields(visit: &Visit, typed: &Typed, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.admin;
    html! {
        section.sec.narrow aria-labelledby="h-add" {
            h2 #h-add { (texts.add_policy) }
            (forms::field(Field { name: "new", label: texts.policy_address, hint: texts.policy_address_hint, value: &typed.new, most: 500, ..Field::default() }, mistakes))
            (forms::field(Field { name: "new_from", label: texts.first_day, kind: "date", value: &typed.new_from, ..Field::default() }, mistakes))
            (forms::field(Field { name: "new_through", label: texts.last_day, kind: "date", value: &typed.new_through, ..Field::default() }, mistakes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_found_in_whatever_is_copied_from_a_browser() {
        let id = "00000000-0000-1000-8000-000000000001";
        let policy = Some(PolicyId(Uuid::from_u128(0x1000_8000_0000_0000_0001)));
        for address in [
            id.to_owned(),
            format!("https://votes.example.org/policies/{id}/night-buses"),
            format!("/policies/{id}/-/versions?x=1"),
            format!("https://votes.example.org/policies/{id}#votes"),
        ] {
            assert_eq!(policy_in(&address), policy, "{address}");
        }
        for nothing in [
            "night buses",
            "/policies/",
            "/policies/x/y",
            "https://evil.example/",
        ] {
            assert_eq!(policy_in(nothing), None, "{nothing}");
        }
    }
}
