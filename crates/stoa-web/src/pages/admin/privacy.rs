//! What the public ledger shows: chosen once, before the first day is closed.

use maud::{Markup, html};
use stoa_votes::model::PrivacyMode;

use super::rules;
use crate::answer::Answer;
use crate::error::Failure;
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::texts::admin_rules::AdminRulesTexts;
use crate::visit::Visit;

/// `POST /admin/rules/privacy`
pub async fn submit(visit: Visit) -> Outcome {
    match chosen(&visit).await {
        Ok(()) => Ok(Answer::see("/admin/rules?chosen=1")),
        Err(failure) => {
            let mistakes = Mistakes::refused(&visit, failure, |_| "mode")?;
            rules::with_mistakes(&visit.at("/admin/rules"), mistakes).await
        }
    }
}

async fn chosen(visit: &Visit) -> Result<(), Failure> {
    let mode = PrivacyMode::of_name(visit.form.get("mode")).ok_or(Failure::BadRequest)?;
    let by = visit.viewer()?.by();
    visit.votes().choose_privacy(by, mode).await?;
    visit.app.forget_notice();
    Ok(())
}

/// The part of the page of rules, with a form while there is a choice.
pub(super) async fn section(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin_rules;
    let privacy = visit.votes().privacy().await?;
    Ok(html! {
        section.sec aria-labelledby="h-privacy" {
            h2 #h-privacy { (texts.privacy) }
            @if privacy.is_locked {
                p { b { (told(texts, privacy.mode).0) } ". " (told(texts, privacy.mode).1) }
                p.muted { (texts.privacy_locked) }
            } @else {
                p { (texts.privacy_open) }
                form.narrow method="post" action="/admin/rules/privacy" {
                    (forms::token(visit))
                    fieldset #f-mode tabindex="-1" {
                        legend.vh { (texts.privacy) }
                        @for (mode, name) in PrivacyMode::NAMES {
                            @let (what, more) = told(texts, mode);
                            label.opt {
                                input type="radio" name="mode" value=(name) checked[mode == privacy.mode]; " "
                                span { (what) br; span.small.muted { (more) } }
                            }
                        }
                    }
                    button.btn { (texts.choose) }
                }
            }
        }
    })
}

/// What a mode shows, and what that means.
fn told(texts: &AdminRulesTexts, mode: PrivacyMode) -> (&'static str, &'static str) {
    match mode {
        PrivacyMode::Public => (texts.public, texts.public_more),
        PrivacyMode::Pseudonymous => (texts.pseudonymous, texts.pseudonymous_more),
        PrivacyMode::Tallies => (texts.tallies, texts.tallies_more),
    }
}
