//! Taking the last save back, for ten minutes and free of charge.

use maud::{Markup, html};
use stoa_votes::model::RecordKind;
use stoa_votes::ops::submit::Ask;
use stoa_votes::rules::proposal::UNDO_MICROS;

use super::{own, saving};
use crate::answer::Answer;
use crate::error::Failure;
use crate::pages::policy::vote;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

/// `POST /votes/undo`
pub async fn submit(visit: Visit) -> Outcome {
    let account = visit.member()?.account;
    let basis = vote::basis(visit.form.get("basis"));
    match saving::ask(&visit, account, basis, visit.request(), Ask::Undo).await {
        Ok(()) => Ok(Answer::see("/votes?undone=1")),
        Err(not_accepted) => own::refused(&visit.at("/votes"), not_accepted.into()).await,
    }
}

/// Until when the last save can be taken back, if it can.
pub(crate) async fn until(frame: &Frame) -> Result<Option<i64>, Failure> {
    let Some(member) = frame.viewer.as_ref().and_then(|it| it.member.as_ref()) else {
        return Ok(None);
    };
    let Some(basis) = member.statement.basis else {
        return Ok(None);
    };
    let until = basis.made_at_micros() + UNDO_MICROS;
    if until <= frame.now_micros() {
        return Ok(None);
    }
    let last = frame
        .votes()
        .told_records(member.account.user, None, 1)
        .await?;
    let is_undoable = last.first().is_some_and(|it| {
        let record = &it.record;
        record.version == basis
            && record.kind == RecordKind::Vote
            && record.policy_created.is_none()
    });
    Ok(is_undoable.then_some(until))
}

/// The button that does it.
#[must_use]
pub(crate) fn button(frame: &Frame) -> Markup {
    let member = frame.viewer.as_ref().and_then(|it| it.member.as_ref());
    let basis = member.and_then(|it| it.statement.basis);
    forms::form(
        frame,
        "/votes/undo",
        &html! {
            (vote::ask(basis, frame.new_request()))
            button.btn.sm { (frame.texts.votes.undo) }
        },
    )
}
