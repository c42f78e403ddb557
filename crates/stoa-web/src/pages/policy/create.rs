//! Proposing a policy, step by step: the title, what is like it, the text, where it belongs, the cost,
//! a preview.
//!
//! What was typed goes along in the form, so nothing is lost on the way back and nothing is written
//! before the last step. A step is shown only when nothing is wrong with those before it.

mod steps;

use maud::Markup;
use stoa_votes::model::{NewPage, PolicyText, Refusal};
use stoa_votes::ops::submit::NotAccepted;
use stoa_votes::rules::page_text::checked_text;
use stoa_votes::rules::tags::{MOST_TAGS, TagName};
use uuid::Uuid;

use super::vote;
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::parts::forms::Mistakes;
use crate::route::Outcome;
use crate::visit::Visit;

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Title,
    Similar,
    Text,
    Place,
    Cost,
    Preview,
}

impl Step {
    /// Every step with its name in forms, in their order.
    const NAMES: [(Self, &'static str); 6] = [
        (Self::Title, "title"),
        (Self::Similar, "similar"),
        (Self::Text, "text"),
        (Self::Place, "place"),
        (Self::Cost, "cost"),
        (Self::Preview, "preview"),
    ];

    fn of_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, it)| *it == name);
        found.map(|(step, _)| *step)
    }

    fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(step, _)| *step == self);
        found.map_or("", |(_, name)| name)
    }

    /// The step on which a field is filled in.
    fn of_field(field: &str) -> Self {
        match field {
            "title" => Self::Title,
            "text" | "links" => Self::Text,
            "category" | "party" | "tags" => Self::Place,
            _ => Self::Cost,
        }
    }
}

/// `GET /create`
pub async fn show(visit: Visit) -> Outcome {
    shown(&visit, Step::Title, &Mistakes::default()).await
}

/// `POST /create`
pub async fn submit(visit: Visit) -> Outcome {
    let form = &visit.form;
    // Going back asks for nothing to be right.
    if let Some(back) = Step::of_name(form.get("back")) {
        return shown(&visit, back, &Mistakes::default()).await;
    }
    let is_last = form.get("step") == "publish";
    let wanted = Step::of_name(form.get("step")).unwrap_or(Step::Title);
    let wanted = if is_last { Step::Preview } else { wanted };
    let wrong = wrong(&visit).await?;
    let first = wrong.iter().map(|(field, _)| Step::of_field(field)).min();
    if let Some(first) = first.filter(|first| *first < wanted) {
        return corrected(&visit, first, &wrong).await;
    }
    match is_last {
        true => publish(&visit).await,
        false => shown(&visit, wanted, &Mistakes::default()).await,
    }
}

/// A step with what is wrong on it.
async fn corrected(visit: &Visit, step: Step, wrong: &[(&'static str, String)]) -> Outcome {
    let mut mistakes = Mistakes::default();
    for (field, what) in wrong {
        if Step::of_field(field) == step {
            mistakes.add(field, what);
        }
    }
    Ok(shown(visit, step, &mistakes).await?.with_status(422))
}

async fn shown(visit: &Visit, step: Step, mistakes: &Mistakes) -> Outcome {
    let inside: Markup = match step {
        Step::Title => steps::title(visit, mistakes),
        Step::Similar => steps::similar(visit).await?,
        Step::Text => steps::text(visit, mistakes),
        Step::Place => steps::place(visit, mistakes).await?,
        Step::Cost => steps::cost(visit, mistakes),
        Step::Preview => steps::preview(visit, mistakes).await?,
    };
    steps::page(visit, step, &inside)
}

/// The links of a form, one on each line.
pub(super) fn links_of(visit: &Visit) -> Vec<String> {
    let lines = visit.form.get("links").lines().map(str::trim);
    lines
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

fn new_page(visit: &Visit) -> NewPage {
    let form = &visit.form;
    NewPage {
        text: PolicyText {
            title: form.trimmed("title").to_owned(),
            description: form.get("text").to_owned(),
            links: links_of(visit),
        },
        category: form.get("category").to_owned(),
        party: Uuid::try_parse(form.get("party")).ok(),
    }
}

/// The tags of a form, each once; of too many no more than tell that there are too many.
fn tags(visit: &Visit) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in visit.form.get("tags").split(',').map(str::trim) {
        if tags.len() > MOST_TAGS {
            break;
        }
        if !tag.is_empty() && tags.iter().all(|it| it != tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

/// Everything that can be known to be wrong before anything is asked for, by its field.
async fn wrong(visit: &Visit) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut wrong = Vec::new();
    let new = new_page(visit);
    let refused = |code: &str, message: String| visit.texts.refusal(code, &message);
    // The title is looked at by itself, so that the text is looked at too.
    let title = PolicyText {
        title: new.text.title.clone(),
        ..PolicyText::default()
    };
    let rest = PolicyText {
        title: "a title".to_owned(),
        ..new.text.clone()
    };
    for text in [title, rest] {
        if let Err(refusal) = checked_text(&text) {
            let code = refusal.code();
            wrong.push((field_of(code), refused(code, refusal.to_string())));
        }
    }
    let texts = &visit.texts.create;
    let mut categories = visit.votes().categories().await?.into_iter();
    if !categories.any(|it| it.key == new.category && it.is_active) {
        wrong.push(("category", texts.choose_category.to_owned()));
    }
    if let Some(party) = new.party {
        let mut parties = visit.votes().parties().await?.into_iter();
        if !parties.any(|it| it.party == party && it.is_active) {
            wrong.push(("party", texts.choose_party.to_owned()));
        }
    }
    let tags = tags(visit);
    let bad = tags
        .iter()
        .find_map(|tag| Some((tag, TagName::of(tag).err()?)));
    if let Some((tag, refusal)) = bad {
        let what = refused(refusal.code(), refusal.to_string());
        wrong.push(("tags", format!("{tag}: {what}")));
    } else if tags.len() > MOST_TAGS {
        let refusal = stoa_votes::model::TagRefusal::TooMany;
        wrong.push(("tags", refused(refusal.code(), refusal.to_string())));
    }
    Ok(wrong)
}

fn field_of(code: &str) -> &'static str {
    match code {
        it if it.starts_with("title_") => "title",
        "description_too_long" | "text_bad_character" => "text",
        "too_many_links" | "bad_link" => "links",
        "no_such_category" => "category",
        "no_such_party" => "party",
        "overdraft" | "too_many_policies" => "cost",
        _ => "",
    }
}

async fn publish(visit: &Visit) -> Outcome {
    let account = visit.member()?.account;
    let basis = vote::basis(visit.form.get("basis"));
    let new = new_page(visit);
    let created = visit
        .votes()
        .create_policy(account, visit.request(), basis, &new);
    let failure = match created.await {
        Ok(created) => {
            for tag in tags(visit) {
                // A tag that cannot be is left out: the policy is there, and tags can be added.
                let tagged = visit.votes().tag_policy(account.user, created.policy, &tag);
                if let Err(error) = tagged.await {
                    tracing::info!(request = %visit.id, %error, "a tag was left out");
                }
            }
            let page = links::policy(created.policy, visit.form.get("title"));
            return Ok(Answer::see(&page));
        }
        Err(NotAccepted::Stale(_)) => {
            // The purse changed meanwhile: the preview is shown again with what there is now.
            let mut mistakes = Mistakes::default();
            mistakes.add_whole(visit.texts.create.purse_changed);
            let preview = shown(visit, Step::Preview, &mistakes).await?;
            return Ok(preview.with_status(409));
        }
        Err(NotAccepted::Refused(Refusal::Overdraft { needed })) => {
            let missing = visit.texts.format.number(needed);
            let what = (visit.texts.create.too_few)(&missing);
            return corrected(visit, Step::Cost, &[("cost", what)]).await;
        }
        Err(other) => Failure::from(other),
    };
    match failure {
        Failure::Refused { code, message } if !field_of(&code).is_empty() => {
            let field = field_of(&code);
            let what = visit.texts.refusal(&code, &message);
            corrected(visit, Step::of_field(field), &[(field, what)]).await
        }
        other => Err(other),
    }
}
