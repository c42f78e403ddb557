//! The rules: what holds today and what was decided for later, and how ranking, merging and
//! moderation work. Every figure is the one that the program applies.

use maud::{Markup, html};
use stoa_votes::model::{PeriodLength, PrivacyMode, VotingConfig};
use stoa_votes::rules::money::{burned, price_hundredths};

use crate::layout::{self, About};
use crate::route::Outcome;
use crate::texts::record::RecordTexts;
use crate::visit::Visit;

/// Withdrawals whose price is shown.
const EXAMPLES: [i64; 4] = [1, 10, 25, 100];

/// `GET /rules`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.record;
    let format = &visit.texts.format;
    let today = &visit.notice.rules.today;
    let next = visit.notice.next_pay(visit.today());
    let part = format.number(today.penalty_percent);
    let window = (texts.days)(today.window_days);
    let main = html! {
        h1 { (texts.rules_title) }
        p.lead.narrow { (texts.rules_lead) }
        (table(&visit))
        @if let Some((day, votes)) = next { p { ((texts.next_pay)(&format.day(day), &format.number(votes))) } }
        @if visit.notice.rules.coming.is_empty() { p.muted { (texts.rules_none_coming) } }
        (prose("money", texts.money_title, &[texts.money_1, &(texts.money_2)(&part), texts.money_3]))
        (prices(&visit, today))
        (prose("ranking", texts.ranking_title, &[texts.ranking_1, &(texts.ranking_2)(&window), texts.ranking_3]))
        (prose("merge", texts.merge_title, &[texts.merge_1]))
        (prose("moderation", texts.moderation_title, &[texts.moderation_1, texts.moderation_2, texts.moderation_3]))
        p.row.gap-t { a.btn href="/log" { (texts.to_log) } " " a.btn href="/ledger" { (texts.to_ledger) } }
    };
    let about = About {
        title: texts.rules_title,
        description: texts.rules_lead,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

fn prose(id: &str, title: &str, paragraphs: &[&str]) -> Markup {
    html! {
        section.sec aria-labelledby={ "h-" (id) } {
            h2 id={ "h-" (id) } { (title) }
            div.text { @for it in paragraphs { p { (it) } } }
        }
    }
}

/// What holds today, and beside it each decision for later.
fn table(visit: &Visit) -> Markup {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    let rules = &visit.notice.rules;
    let rows = rows(visit, &rules.today);
    let coming: Vec<Vec<(&str, String)>> = rules
        .coming
        .iter()
        .map(|it| self::rows(visit, it))
        .collect();
    html! {
        table.tbl.fold role="table" {
            caption { ((texts.rules_now)(&format.day(rules.today.from))) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.rule_column) }
                th role="columnheader" scope="col" { (texts.value_column) }
                @for it in &rules.coming { th role="columnheader" scope="col" { ((texts.from_column)(&format.day(it.from))) } }
            } }
            tbody role="rowgroup" {
                @for (at, (name, value)) in rows.iter().enumerate() {
                    tr role="row" {
                        th role="rowheader" scope="row" { (name) }
                        td role="cell" { b { (value) } }
                        @for (config, later) in rules.coming.iter().zip(&coming) {
                            @let from = (texts.from_column)(&format.short_day(config.from));
                            td role="cell" data-l=(from) { (later.get(at).map_or("", |it| it.1.as_str())) }
                        }
                    }
                }
                tr role="row" {
                    th role="rowheader" scope="row" { (texts.privacy) }
                    td role="cell" { b { (mode_name(texts, rules.privacy)) } }
                    @for _ in &rules.coming { td role="cell" {} }
                }
            }
        }
    }
}

/// What a ledger shows, in a few words.
#[must_use]
pub fn mode_name(texts: &RecordTexts, mode: PrivacyMode) -> &'static str {
    match mode {
        PrivacyMode::Public => texts.mode_public,
        PrivacyMode::Pseudonymous => texts.mode_pseudonymous,
        PrivacyMode::Tallies => texts.mode_tallies,
    }
}

/// Every rule of a decision with its value.
fn rows<'a>(visit: &'a Visit, it: &VotingConfig) -> Vec<(&'a str, String)> {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    let period = match it.period {
        PeriodLength::Week => texts.every_week.to_owned(),
        PeriodLength::Month => texts.every_month.to_owned(),
        PeriodLength::Days(days) => (texts.every_days)(days),
    };
    let present = if it.only_present {
        texts.presence_present
    } else {
        texts.presence_all
    };
    let most = it
        .most_unspent
        .map_or(texts.no_limit.to_owned(), |most| format.number(most));
    vec![
        (
            texts.pay,
            (texts.pay_value)(&format.number(it.salary), &period),
        ),
        (texts.creation, format.number(it.creation_cost)),
        (
            texts.penalty,
            (texts.percent)(&format.number(it.penalty_percent)),
        ),
        (texts.most_unspent, most),
        (texts.presence, present.to_owned()),
        (texts.window, (texts.days)(it.window_days)),
    ]
}

/// What taking votes back for the first time costs.
fn prices(visit: &Visit, today: &VotingConfig) -> Markup {
    let (texts, format) = (&visit.texts.record, &visit.texts.format);
    html! {
        table.tbl.narrow {
            caption { (texts.price_caption) }
            thead { tr {
                th.n scope="col" { (texts.price_taken) }
                th.n scope="col" { (texts.price_back) }
                th.n scope="col" { (texts.price_burned) }
            } }
            tbody { @for taken in EXAMPLES {
                @let burned = burned(price_hundredths(taken, today.penalty_percent));
                tr {
                    th.n scope="row" { (format.number(taken)) }
                    td.n { (format.number(taken - burned)) }
                    td.n { span.price { (format.number(burned)) } }
                }
            } }
        }
    }
}
