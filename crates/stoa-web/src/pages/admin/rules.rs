//! What holds: now, later, before; and deciding something else from a day to come. What a decision
//! changes is shown before it is taken.

use maud::{Markup, html};
use stoa_votes::model::{ConfigHistory, Day, PeriodLength, UserId, VotingConfig};
use stoa_votes::rules::decisions::next_days;
use uuid::Uuid;

use super::rule_form::{self, Typed};
use super::{done, name, page, privacy};
use crate::answer::Answer;
use crate::error::Failure;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// Decisions that are listed at most; who takes more has them in the public log.
const MOST_LISTED: usize = 100;
/// Days that are offered as the first one.
const DAYS_OFFERED: usize = 3;
/// Pay days of a preview.
const PAY_DAYS: usize = 4;

/// `GET /admin/rules`
pub async fn show(visit: Visit) -> Outcome {
    unchanged(&visit, Mistakes::default()).await
}

/// The page with what is wrong with another form on it.
pub(super) async fn with_mistakes(visit: &Visit, mistakes: Mistakes) -> Outcome {
    Ok(unchanged(visit, mistakes).await?.with_status(422))
}

/// The page with what holds in the fields.
async fn unchanged(visit: &Visit, mistakes: Mistakes) -> Outcome {
    let history = visit.votes().tables().money.config().await?;
    let next = next_days(&history, visit.now_micros(), DAYS_OFFERED);
    let from = next.first().copied();
    let now = history.on(from.map_or(visit.today(), Day::previous));
    let form = Form {
        typed: Typed::of(&now, from),
        mistakes,
        decision: None,
    };
    shown(visit, &history, &form).await
}

/// `POST /admin/rules`: shows what a decision changes, or takes it.
pub async fn submit(visit: Visit) -> Outcome {
    let history = visit.votes().tables().money.config().await?;
    let mut form = Form {
        typed: Typed::of_form(&visit.form),
        mistakes: Mistakes::default(),
        decision: None,
    };
    form.decision = form.typed.decision(&visit, &history, &mut form.mistakes);
    let Some(decision) = form.decision else {
        return Ok(shown(&visit, &history, &form).await?.with_status(422));
    };
    if visit.form.get("do") != "decide" {
        return shown(&visit, &history, &form).await;
    }
    let by = visit.viewer()?.by();
    match visit.votes().decide_config(by, &decision).await {
        Ok(()) => {
            visit.app.forget_notice();
            let to = format!("/admin/rules?decided={}", decision.from);
            Ok(Answer::see(&to))
        }
        Err(not_done) => {
            let failure = Failure::from(not_done);
            form.mistakes = Mistakes::refused(&visit, failure, rule_form::field_of)?;
            form.decision = None;
            Ok(shown(&visit, &history, &form).await?.with_status(422))
        }
    }
}

/// The form, and what came of it so far.
struct Form {
    typed: Typed,
    mistakes: Mistakes,
    /// The decision that may be taken now.
    decision: Option<VotingConfig>,
}

async fn shown(visit: &Visit, history: &ConfigHistory, form: &Form) -> Outcome {
    let (texts, format) = (&visit.texts.admin_rules, &visit.texts.format);
    let privacy = privacy::section(visit).await?;
    let decided = Day::parse(visit.query.get("decided"));
    let main = html! {
        h1 { (texts.title) }
        (form.mistakes.summary(visit))
        @if let Some(day) = decided {
            p.note.is-good role="status" { ((texts.decided)(&format.day(day))) }
        }
        (done(visit, "chosen", texts.chosen))
        @if let Some(decision) = &form.decision { (preview(visit, history, decision, &form.typed)) }
        p.text { (texts.about) }
        (listed(visit, history).await?)
        section.sec aria-labelledby="h-change" {
            h2 #h-change { (texts.change) }
            p.text { (texts.change_more) }
            (fields(visit, history, form))
        }
        (privacy)
    };
    Ok(page(visit, "/admin/rules", texts.title, &main))
}

/// How often votes are paid out, in words.
pub(super) fn period(frame: &Frame, period: PeriodLength) -> String {
    let texts = &frame.texts.admin_rules;
    match period {
        PeriodLength::Week => texts.every_week.to_owned(),
        PeriodLength::Month => texts.every_month.to_owned(),
        PeriodLength::Days(days) => (texts.every_days)(days),
    }
}

/// Every setting with its name and its value in words.
fn settings(frame: &Frame, config: &VotingConfig) -> [(&'static str, String); 7] {
    let (texts, format) = (&frame.texts.admin_rules, &frame.texts.format);
    let votes = |number: i64| (texts.votes)(&format.number(number));
    [
        (texts.salary, votes(config.salary)),
        (texts.period, period(frame, config.period)),
        (texts.cost, votes(config.creation_cost)),
        (
            texts.penalty,
            (texts.percent)(&format.number(config.penalty_percent)),
        ),
        (
            texts.unspent,
            config.most_unspent.map_or(texts.no_limit.to_owned(), votes),
        ),
        (
            texts.presence,
            match config.only_present {
                true => texts.present_only.to_owned(),
                false => texts.everybody.to_owned(),
            },
        ),
        (texts.window, (texts.days)(config.window_days)),
    ]
}

/// What a decision changes, and the button that takes it.
fn preview(
    visit: &Visit,
    history: &ConfigHistory,
    decision: &VotingConfig,
    typed: &Typed,
) -> Markup {
    let (texts, format) = (&visit.texts.admin_rules, &visit.texts.format);
    let day = format.day(decision.from);
    let before = settings(visit, &history.on(decision.from.previous()));
    let after = settings(visit, decision);
    let later = history.all().iter().find(|it| it.from > decision.from);
    html! {
        section.panel.key aria-labelledby="h-preview" {
            h2 #h-preview tabindex="-1" autofocus { ((texts.what_changes)(&day)) }
            p role="status" { b { (texts.nothing_written) } " " (texts.no_way_back) }
            table.tbl.fold role="table" {
                caption.vh { ((texts.what_changes)(&day)) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.setting) }
                    th role="columnheader" scope="col" { (texts.until_then) }
                    th role="columnheader" scope="col" { (texts.from_then) }
                } }
                tbody role="rowgroup" { @for ((name, old), (_, new)) in before.iter().zip(&after) {
                    tr role="row" {
                        th role="rowheader" scope="row" { (name) }
                        td role="cell" data-l=(texts.until_then) { (old) }
                        td role="cell" data-l=(texts.from_then) {
                            @if old == new { (new) } @else {
                                b { (new) } " " span.badge.is-info { (texts.changes) }
                            }
                        }
                    }
                } }
            }
            (paid(visit, history, decision))
            @if let Some(later) = later { p { ((texts.other_later)(&format.day(later.from))) } }
            form.row method="post" action="/admin/rules" {
                (forms::token(visit))
                @for (name, value) in typed.hidden() { (forms::hidden(name, value)) }
                button.btn.go name="do" value="decide" { ((texts.decide)(&day)) }
                a.btn href="#h-change" { (texts.change) }
            }
        }
    }
}

/// The next pay days, if a decision is taken.
fn paid(visit: &Visit, history: &ConfigHistory, decision: &VotingConfig) -> Markup {
    let (texts, format) = (&visit.texts.admin_rules, &visit.texts.format);
    html! {
        table.tbl.gap-t {
            caption { (texts.pay_days) }
            thead { tr { th scope="col" { (texts.pay_day) } th.n scope="col" { (texts.paid_each) } } }
            tbody { @for (day, votes) in rule_form::pay_days(history, *decision, PAY_DAYS) {
                tr { th scope="row" { (format.day(day)) } td.n { (format.number(votes)) } }
            } }
        }
    }
}

/// Every decision, the latest first.
async fn listed(visit: &Visit, history: &ConfigHistory) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.admin_rules, &visit.texts.format);
    let today = visit.today();
    let now = history.on(today).from;
    let latest = history.all().iter().rev().take(MOST_LISTED);
    let mut names = Names::default();
    let mut decisions = Vec::new();
    for config in latest {
        let by = visit.votes().tables().money.decided(config.from).await?;
        let by = by.map(|it| it.by);
        names
            .read(visit, by.into_iter().filter(is_person).collect())
            .await?;
        decisions.push((config, by));
    }
    Ok(html! {
        section.sec aria-labelledby="h-all" {
            h2 #h-all { (texts.history) }
            @for (config, by) in &decisions {
                @let is_now = config.from == now;
                details open[is_now || config.from > today] {
                    @let begins = begins(visit, config.from);
                    summary {
                        (begins) ", " ((texts.votes)(&format.number(config.salary))) ", " (period(visit, config.period))
                    }
                    p.row {
                        @if is_now { span.badge.is-good { (texts.now) } }
                        @else if config.from > today { span.badge.is-wait { (texts.coming) } }
                        @else { span.badge { (texts.over) } }
                        @if let Some(by) = by {
                            span.small.muted { (texts.decided_by) " " (name(visit, &names, *by)) }
                        }
                    }
                    table.tbl {
                        caption.vh { (begins) }
                        tbody { @for (name, value) in settings(visit, config) {
                            tr { th scope="row" { (name) } td { (value) } }
                        } }
                    }
                }
            }
        }
    })
}

/// From when a decision holds, in words.
fn begins(frame: &Frame, from: Day) -> String {
    let texts = &frame.texts.admin_rules;
    match from.0 {
        0 => texts.from_the_start.to_owned(),
        _ => format!("{} {}", texts.from, frame.texts.format.day(from)),
    }
}

fn is_person(user: &UserId) -> bool {
    user.0 != Uuid::nil()
}

fn fields(visit: &Visit, history: &ConfigHistory, form: &Form) -> Markup {
    let (texts, format) = (&visit.texts.admin_rules, &visit.texts.format);
    let (typed, mistakes) = (&form.typed, &form.mistakes);
    let next = next_days(history, visit.now_micros(), DAYS_OFFERED);
    let next: Vec<String> = next.iter().map(|day| format.day(*day)).collect();
    let first = (texts.first_day_hint)(&next.join(", "));
    let number = |name, label, hint, value| {
        let field = Field {
            name,
            label,
            hint,
            value,
            kind: "text",
            most: 20,
            ..Field::default()
        };
        forms::field(field, mistakes)
    };
    html! {
        form.narrow #change method="post" action="/admin/rules" novalidate {
            (forms::token(visit))
            (forms::field(Field { name: "from", label: texts.first_day, hint: &first, kind: "date", value: &typed.from, ..Field::default() }, mistakes))
            (number("salary", texts.salary, texts.salary_hint, &typed.salary))
            (period_fields(visit, typed, mistakes))
            (number("cost", texts.cost, texts.cost_hint, &typed.cost))
            (number("penalty", texts.penalty, texts.penalty_hint, &typed.penalty))
            (number("unspent", texts.unspent, texts.unspent_hint, &typed.unspent))
            fieldset {
                legend { (texts.presence) }
                label.opt {
                    input type="radio" name="present" value="" checked[!typed.is_present_only]; " "
                    span { (texts.everybody) }
                }
                label.opt {
                    input type="radio" name="present" value="1" checked[typed.is_present_only]; " "
                    span { (texts.present_only) }
                }
            }
            (number("window", texts.window, texts.window_hint, &typed.window))
            button.btn.go name="do" value="preview" { (texts.preview) }
        }
    }
}

fn period_fields(visit: &Visit, typed: &Typed, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.admin_rules;
    let periods = [
        ("week", texts.every_week),
        ("month", texts.every_month),
        ("days", texts.every_some_days),
    ];
    html! {
        div.field {
            (forms::above("period", texts.period, "", mistakes))
            select.in #f-period name="period" aria-invalid=[forms::invalid("period", mistakes)]
                aria-describedby=[forms::described("period", "", mistakes)] {
                @for (value, name) in periods {
                    option value=(value) selected[typed.period == value] { (name) }
                }
            }
        }
        (forms::field(Field { name: "period_days", label: texts.period_days, hint: texts.period_days_hint, value: &typed.period_days, most: 3, ..Field::default() }, mistakes))
    }
}
