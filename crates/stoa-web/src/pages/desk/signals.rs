//! Accounts that may be the second ones of somebody: a case for each, that people decide.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Case, CaseState, Target};

use super::{Tab, by, thing};
use crate::error::Failure;
use crate::pages::policy::Names;
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /desk/signals`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.desk.users;
    let cases = visit.votes().suspected_accounts(by(&visit)?).await?;
    let mut names = Names::default();
    let main = html! {
        p.text { (texts.suspected_more) }
        @if cases.is_empty() {
            div.empty.gap-t {
                (icons::mark())
                h2 { (texts.none_suspected) }
                p.flush { (texts.none_suspected_more) }
            }
        } @else { (table(&visit, &cases, &mut names).await?) }
    };
    Ok(super::page(&visit, Tab::Signals, texts.suspected, &main))
}

/// Accounts with what speaks against them.
pub(super) async fn table(
    visit: &Visit,
    cases: &[Case],
    names: &mut Names,
) -> Result<Markup, Failure> {
    let mut lines = Vec::new();
    for case in cases {
        if let Target::Account(user) = case.target {
            lines.push((user, case));
        }
    }
    let handlers = cases.iter().filter_map(|it| it.handled_by);
    let people = lines.iter().map(|(user, _)| *user).chain(handlers);
    names.read(visit, people.collect()).await?;
    let (texts, format) = (&visit.texts.desk.users, &visit.texts.format);
    let of_cases = &visit.texts.desk.cases;
    let judges = visit.duties.may(stoa_votes::model::Role::HandleReports);
    Ok(html! {
        table.tbl.fold role="table" {
            caption.vh { (texts.suspected_caption) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.account) }
                th.n role="columnheader" scope="col" { (texts.score) }
                th role="columnheader" scope="col" { (texts.since) }
                th role="columnheader" scope="col" { (texts.state) }
                @if judges { th role="columnheader" scope="col" { span.vh { (texts.cases) } } }
            } }
            tbody role="rowgroup" { @for (user, case) in &lines {
                @let name = names.of(visit, *user);
                tr role="row" {
                    th role="rowheader" scope="row" { span.name { a href=(format!("/desk/users/{user}")) { "@" (name) } } }
                    td.n role="cell" data-l=(texts.score) { (format.number(case.score)) }
                    td role="cell" data-l=(texts.since) { (format.moment(time_uuid::unix_micros(&case.id).unwrap_or(0))) }
                    td role="cell" {
                        @match case.handled_by.filter(|_| case.state == CaseState::Taken) {
                            Some(by) => ((of_cases.taken_by)(names.of(visit, by))),
                            None => (of_cases.waiting),
                        }
                    }
                    @if judges { td role="cell" {
                        @let label = (of_cases.open_label)(&(of_cases.account_of)(name));
                        a.btn.sm href=(thing::address(case.target)) aria-label=(label) { (texts.open_case) }
                    } }
                }
            } }
        }
    })
}
