//! One account: its figures, the signs that it is a second one, the cases about it, and ending it.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Day, NotDone, Target, UserId, UserState};
use stoa_votes::ops::examine_account::ExaminedAccount;
use stoa_votes::ops::profile::Profile;
use stoa_votes::rules::signals::{Signal, SignalKind};
use uuid::Uuid;

use super::{ENDERS, about, by, done, reason, sure, thing};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /desk/users/{user}`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /desk/users/{user}`
pub async fn submit(visit: Visit) -> Outcome {
    let (user, form, votes) = (visit.user()?, &visit.form, visit.votes());
    let (by, texts) = (by(&visit)?, &visit.texts.desk.users);
    let mut mistakes = Mistakes::default();
    let is_merge = match form.get("do") {
        "merge" => true,
        "void" => false,
        _ => {
            mistakes.add_whole(visit.texts.failed.bad_request_more);
            return Ok(page(&visit, &mistakes).await?.with_status(422));
        }
    };
    let (sure_name, why_name) = match is_merge {
        true => ("merge_sure", "merge_reason"),
        false => ("void_sure", "void_reason"),
    };
    if by.id() == user {
        mistakes.add(sure_name, texts.own_account);
    } else if form.get(sure_name) != "1" {
        mistakes.add(sure_name, visit.texts.desk.sure_needed);
    }
    let kept = match is_merge {
        true => votes.find_to_examine(by, form.get("into")).await?,
        false => None,
    };
    if is_merge && kept.is_none() {
        mistakes.add("into", texts.nobody_so_called);
    }
    if !mistakes.is_empty() {
        return Ok(page(&visit, &mistakes).await?.with_status(422));
    }
    let why = form.get(why_name);
    let ended = match kept {
        Some(kept) => votes.merge_accounts(by, user, kept, why).await,
        None => votes.void_account(by, user, why).await,
    };
    match ended {
        Ok(()) => Ok(Answer::see(&format!("/desk/users/{user}?done=done"))),
        Err(not_done) => {
            let field = |code: &str| match code {
                "no_reason" => why_name,
                "same_account" => "into",
                "account_ended" => sure_name,
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let user = visit.user()?;
    let account = visit.votes().examine_account(by(visit)?, user).await?;
    let profile = match visit.votes().profile(user).await {
        Ok(profile) => Some(profile),
        Err(NotDone::Refused(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let mut names = Names::default();
    names.read(visit, people(&account)).await?;
    let texts = &visit.texts.desk.users;
    let heading = match account.name.is_empty() {
        true => texts.ended.to_owned(),
        false => (texts.user)(&account.name),
    };
    let may_end = visit.duties.may_any(ENDERS);
    let main = html! {
        p.meta { a href="/desk/users" { (texts.title) } }
        (done(visit, &[("done", visit.texts.desk.done)]))
        div.meta { (badge(visit, &account)) }
        h1 { (heading) }
        (mistakes.summary(visit))
        (ending(visit, &account, &names))
        (figures(visit, &account, profile.as_ref()))
        (signals(visit, &account, &names))
        (cases(visit, &account).await?)
        @if may_end && !account.state.has_ended() {
            (sign_ins(visit, user).await?)
            div.grid3.gap-t { (merge(visit, &account, mistakes)) (void(visit, &account, profile.as_ref(), mistakes)) }
        }
    };
    Ok(layout::page(visit, about(&heading), main))
}

/// Everybody whose name stands on the page.
fn people(account: &ExaminedAccount) -> Vec<UserId> {
    let about = account.signals.iter().filter_map(user_of);
    let ending = account.ending.iter();
    let ended = ending.flat_map(|it| std::iter::once(it.by).chain(it.into));
    about.chain(ended).collect()
}

/// The account that a sign is about, if it is about one.
fn user_of(signal: &Signal) -> Option<UserId> {
    match signal.kind {
        SignalKind::DisposableEmail => None,
        _ => Uuid::try_parse(&signal.about).ok().map(UserId),
    }
}

fn badge(visit: &Visit, account: &ExaminedAccount) -> Markup {
    let texts = &visit.texts.desk.users;
    let (class, text) = match account.state {
        UserState::Active => ("badge is-good", texts.active),
        UserState::Joining | UserState::Unverified => ("badge is-wait", texts.unverified),
        UserState::Left => ("badge", texts.left),
        UserState::Voided => ("badge is-bad", texts.voided),
        UserState::Merged => ("badge", texts.merged),
    };
    html! { span class=(class) { (text) } }
}

fn ending(visit: &Visit, account: &ExaminedAccount, names: &Names) -> Markup {
    let (texts, format) = (&visit.texts.desk.users, &visit.texts.format);
    html! {
        @if let Some(ending) = account.ending.as_ref().filter(|it| it.state != UserState::Left) {
            div.note {
                p { ((texts.ended_on)(&format.day(Day::of_micros(ending.at_micros())), names.of(visit, ending.by))) }
                blockquote.quote { (ending.reason) }
                @if let Some(into) = ending.into {
                    p { (texts.kept) " " a href=(format!("/desk/users/{into}")) { "@" (names.of(visit, into)) } }
                }
            }
        }
    }
}

fn figures(visit: &Visit, account: &ExaminedAccount, profile: Option<&Profile>) -> Markup {
    let (texts, format) = (&visit.texts.desk.users, &visit.texts.format);
    let count = |count: usize| format.number(i64::try_from(count).unwrap_or(i64::MAX));
    html! {
        dl.facts {
            div { dt { (texts.joined) } dd { (format.day(account.joined)) } }
            @if let Some(it) = profile {
                div { dt { (texts.unspent) } dd { (format.number(it.balance)) } }
                div { dt { (texts.created) } dd { (count(it.created.len())) } }
                div { dt { (texts.voted_for) } dd { (count(it.voted_for)) } }
            }
        }
        @if let Some(it) = profile {
            p { (texts.roles) ": " @if it.roles.is_empty() { (texts.no_roles) } @else {
                @for (at, role) in it.roles.iter().enumerate() { @if at > 0 { ", " } code { (role.name()) } }
            } }
            p.row { a.btn.sm href=(format!("/users/{}", it.name)) { (texts.profile) } }
        }
    }
}

fn signals(visit: &Visit, account: &ExaminedAccount, names: &Names) -> Markup {
    let texts = &visit.texts.desk.users;
    let told = |kind: SignalKind| match kind {
        SignalKind::SameNetwork => texts.same_network,
        SignalKind::SameAgent => texts.same_agent,
        SignalKind::DisposableEmail => texts.disposable_email,
        SignalKind::SimilarVotes => texts.similar_votes,
        SignalKind::Reported => texts.reported,
    };
    html! {
        section.sec aria-labelledby="h-signals" {
            h2 #h-signals { (texts.signals) }
            @if account.signals.is_empty() { p.muted.flush { (texts.no_signals) } } @else {
                p.small.muted { ((texts.signals_more)(account.score)) }
                table.tbl {
                    caption.vh { (texts.signals_caption) }
                    thead { tr { th scope="col" { (texts.signal) } th scope="col" { (texts.about) } } }
                    tbody { @for it in &account.signals {
                        tr {
                            th scope="row" { (told(it.kind)) }
                            td { @match user_of(it) {
                                Some(other) => a href=(format!("/desk/users/{other}")) { "@" (names.of(visit, other)) },
                                None => (it.about),
                            } }
                        }
                    } }
                }
            }
        }
    }
}

/// The ways to the cases about it, for those who may decide them.
async fn cases(visit: &Visit, account: &ExaminedAccount) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk.users;
    if !visit.duties.may(stoa_votes::model::Role::HandleReports) {
        return Ok(html! {});
    }
    let of_user = Target::User(account.user);
    let reported = match visit.votes().examine_case(by(visit)?, of_user).await {
        Ok(_) => true,
        Err(NotDone::Refused(_)) => false,
        Err(error) => return Err(error.into()),
    };
    Ok(html! {
        @if reported || account.case.is_some() {
            section.sec aria-labelledby="h-cases" {
                h2 #h-cases { (texts.cases) }
                ul.flush {
                    @if reported { li { a href=(thing::address(of_user)) { (texts.case_user) } } }
                    @if let Some(case) = &account.case { li { a href=(thing::address(case.target)) { (texts.case_account) } } }
                }
            }
        }
    })
}

/// Where somebody signed in, once it is asked for: that it was read is written down.
async fn sign_ins(visit: &Visit, user: UserId) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.desk.users, &visit.texts.format);
    if visit.query.get("sign_ins") != "1" {
        return Ok(html! {
            section.sec aria-labelledby="h-sign-ins" {
                h2 #h-sign-ins { (texts.sign_ins) }
                p.small.muted { (texts.see_sign_ins_more) }
                a.btn.sm href=(format!("/desk/users/{user}?sign_ins=1")) { (texts.see_sign_ins) }
            }
        });
    }
    let records = visit.votes().sign_ins(by(visit)?, user).await?;
    Ok(html! {
        section.sec aria-labelledby="h-sign-ins" {
            h2 #h-sign-ins { (texts.sign_ins) }
            @if records.is_empty() { p.muted.flush { (texts.no_sign_ins) } } @else {
                table.tbl {
                    caption.vh { (texts.sign_ins) }
                    thead { tr { th scope="col" { (texts.when) } th scope="col" { (texts.network) } } }
                    tbody { @for it in &records {
                        tr { th scope="row" { (format.moment(time_uuid::unix_micros(&it.at).unwrap_or(0))) } td { (it.network) } }
                    } }
                }
            }
        }
    })
}

fn merge(visit: &Visit, account: &ExaminedAccount, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.desk.users, &visit.form);
    let into = Field {
        name: "into",
        label: texts.into,
        hint: texts.find,
        value: typed.get("into"),
        most: 254,
        ..Field::default()
    };
    html! {
        section.panel aria-labelledby="h-merge" {
            h2 #h-merge { (texts.merge) }
            p { ((texts.merge_more)(&account.name)) }
            form method="post" action=(format!("/desk/users/{}", account.user)) novalidate {
                (forms::token(visit))
                (forms::field(into, mistakes))
                (reason(visit, "merge_reason", typed.get("merge_reason"), mistakes))
                (sure("merge_sure", texts.sure, mistakes))
                button.btn.is-bad name="do" value="merge" { ((texts.merge_button)(&account.name)) }
            }
        }
    }
}

fn void(
    visit: &Visit,
    account: &ExaminedAccount,
    profile: Option<&Profile>,
    mistakes: &Mistakes,
) -> Markup {
    let (texts, typed) = (&visit.texts.desk.users, &visit.form);
    let voted_for = profile.map_or(0, |it| it.voted_for).to_string();
    html! {
        section.panel aria-labelledby="h-void" {
            h2 #h-void { (texts.void) }
            p { ((texts.void_more)(&account.name, &voted_for)) }
            form method="post" action=(format!("/desk/users/{}", account.user)) novalidate {
                (forms::token(visit))
                (reason(visit, "void_reason", typed.get("void_reason"), mistakes))
                (sure("void_sure", texts.sure, mistakes))
                button.btn.is-bad name="do" value="void" { ((texts.void_button)(&account.name)) }
            }
        }
    }
}
