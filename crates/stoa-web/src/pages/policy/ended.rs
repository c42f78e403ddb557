//! How a policy ended: a note on its page, or a page in place of it where it was taken away.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Day, PageEnding, PolicyState, RetireReason};
use stoa_votes::ops::page::ShownPage;

use super::Names;
use crate::layout::{self, About};
use crate::pages::site::failed;
use crate::route::Outcome;
use crate::texts::record::RecordTexts;
use crate::visit::{Frame, Visit};

/// The page of a policy that was taken away: by whom, why, and where to go on.
pub(super) async fn gone(visit: &Visit, shown: &ShownPage) -> Outcome {
    let texts = visit.texts;
    let mut names = Names::default();
    let ending = shown.page.ending.as_ref();
    names
        .read(visit, ending.map(|it| it.by).into_iter().collect())
        .await?;
    let main = html! {
        div.narrow {
            h1 { (texts.failed.gone) }
            @match ending {
                Some(it) => {
                    p.text { ((texts.record.gone_by)(&day(visit, it), &name(visit, &names, it))) }
                    @if !it.reason.is_empty() { p.text { (texts.record.ended_why) " " (it.reason) } }
                },
                None => p.text { (texts.failed.gone_more) },
            }
            p { a href="/log" { (texts.record.to_log) } }
            (failed::ways_on(visit.texts, visit.id))
        }
    };
    let about = About {
        title: texts.failed.gone,
        ..About::default()
    };
    Ok(layout::page(visit, about, main).with_status(410))
}

/// What is said on the page of a policy that was closed or withdrawn.
pub(super) fn note(frame: &Frame, shown: &ShownPage, names: &Names) -> Markup {
    let (texts, format) = (&frame.texts.record, &frame.texts.format);
    html! {
        @if let Some(it) = &shown.page.ending {
            div.note {
                p { ((texts.ended_by)(&day(frame, it), &name(frame, names, it))) }
                @if !it.reason.is_empty() { p { (texts.ended_why) " " (reason(texts, it)) } }
                @if shown.standing.state.is_released() { p { (texts.ended_released) } }
                @if let Some(last) = &shown.last_rank {
                    p { ((texts.ended_stood)(&format.number(i64::from(last.rank)), &format.number(last.total), &format.day(last.day))) }
                }
            }
        }
    }
}

fn day(frame: &Frame, it: &PageEnding) -> String {
    let at = time_uuid::unix_micros(&it.id).unwrap_or(0);
    frame.texts.format.day(Day::of_micros(at))
}

fn name(frame: &Frame, names: &Names, it: &PageEnding) -> String {
    match names.known(it.by) {
        Some(name) => format!("@{name}"),
        None if it.by.0.is_nil() => frame.texts.record.operator.to_owned(),
        None => frame.texts.policy.gone_name.to_owned(),
    }
}

/// Why it ended. A moderator chooses a reason from a list and adds words.
fn reason(texts: &RecordTexts, it: &PageEnding) -> String {
    let chosen = it
        .reason
        .split_once(": ")
        .filter(|_| it.state == PolicyState::Retired);
    let chosen = chosen.and_then(|(name, words)| Some((RetireReason::of_name(name)?, words)));
    let Some((chosen, words)) = chosen else {
        return it.reason.clone();
    };
    let chosen = match chosen {
        RetireReason::Duplicated => texts.retired_duplicated,
        RetireReason::Started => texts.retired_started,
        RetireReason::Unfeasible => texts.retired_unfeasible,
        RetireReason::Done => texts.retired_done,
        RetireReason::Other => texts.retired_other,
    };
    match words.is_empty() {
        true => chosen.to_owned(),
        false => format!("{chosen}: {words}"),
    }
}
