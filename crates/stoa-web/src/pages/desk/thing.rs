//! What a case is about: what it is called, where it stands, and its name in addresses.
//!
//! A case is addressed by its thing, as `comment.POLICY.COMMENT` or `tag.TAG`: a thing has one case
//! at a time.

use stoa_votes::model::{Case, CommentId, PolicyId, TagId, Target, TargetKind, UserId};
use uuid::Uuid;

use crate::error::Failure;
use crate::links;
use crate::markdown;
use crate::pages::policy::{Names, title};
use crate::texts::desk::cases::CasesTexts;
use crate::visit::Visit;

/// Characters of a text in a list of cases.
const MOST_QUOTED: usize = 240;

/// What a case is about, as far as everybody may know it.
#[derive(Debug)]
pub(super) struct Thing {
    /// What it is called.
    pub(super) name: String,
    /// Where it stands, if it has a page.
    pub(super) address: Option<String>,
    /// What it says, if everybody may read it.
    pub(super) quote: String,
    /// Whether something is not shown here that moderators may read.
    pub(super) is_withheld: bool,
}

/// The page of a case.
#[must_use]
pub(crate) fn address(target: Target) -> String {
    let kind = target.kind().name();
    match target {
        Target::Comment(policy, comment) => format!("/desk/cases/{kind}.{policy}.{comment}"),
        _ => format!("/desk/cases/{kind}.{}", target.id()),
    }
}

/// The thing of a name in an address.
#[must_use]
pub(super) fn of_name(name: &str) -> Option<Target> {
    let mut parts = name.split('.');
    let kind = TargetKind::of_name(parts.next()?)?;
    let first = Uuid::try_parse(parts.next()?).ok()?;
    let second = parts.next().map(Uuid::try_parse).transpose().ok()?;
    let (policy, id) = match second {
        Some(second) => (Some(PolicyId(first)), second),
        None => (None, first),
    };
    let is_whole = parts.next().is_none() && (kind == TargetKind::Comment) == policy.is_some();
    Target::of_parts(kind, id, policy).filter(|_| is_whole)
}

/// What a kind of thing is called.
#[must_use]
pub(super) fn kind_name(texts: &CasesTexts, kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::Policy => texts.kind_policy,
        TargetKind::Comment => texts.kind_comment,
        TargetKind::Tag => texts.kind_tag,
        TargetKind::User => texts.kind_user,
        TargetKind::Access => texts.kind_access,
        TargetKind::Account => texts.kind_account,
    }
}

/// What a case is about, as everybody may read it.
pub(super) async fn of_case(
    visit: &Visit,
    case: &Case,
    names: &mut Names,
) -> Result<Thing, Failure> {
    let texts = &visit.texts.desk.cases;
    Ok(match case.target {
        Target::Policy(policy) => of_policy(visit, policy).await?,
        Target::Comment(policy, comment) => of_comment(visit, policy, comment, names).await?,
        Target::Tag(tag) => {
            let tag = visit.votes().tag(TagId(tag)).await?;
            Thing {
                name: match &tag {
                    Some(tag) => (texts.tag_named)(&tag.name),
                    None => texts.gone_tag.to_owned(),
                },
                address: tag.map(|tag| format!("/desk/tags/{}", tag.id)),
                quote: String::new(),
                is_withheld: false,
            }
        }
        Target::User(user) => of_user(visit, user, texts.member_named, names).await?,
        Target::Account(user) => of_user(visit, user, texts.account_of, names).await?,
        Target::Access(_) => Thing {
            name: texts.access_title.to_owned(),
            address: None,
            quote: case.about.chars().take(MOST_QUOTED).collect(),
            is_withheld: false,
        },
    })
}

async fn of_policy(visit: &Visit, policy: PolicyId) -> Result<Thing, Failure> {
    let texts = &visit.texts.desk.cases;
    let page = visit.votes().page(policy).await?;
    let text = page.text.as_ref().map(|it| it.text.description.as_str());
    Ok(Thing {
        name: match page.page.title.is_empty() {
            true => texts.hidden_policy.to_owned(),
            false => page.page.title.clone(),
        },
        address: Some(links::policy(policy, &page.page.title)),
        quote: text.map_or(String::new(), |it| markdown::plain(it, MOST_QUOTED)),
        is_withheld: page.text.is_none(),
    })
}

async fn of_comment(
    visit: &Visit,
    policy: PolicyId,
    comment: CommentId,
    names: &mut Names,
) -> Result<Thing, Failure> {
    let texts = &visit.texts.desk.cases;
    let board = visit.votes().board().await?;
    let title = title(visit, &board, policy).await?;
    let title = match title.is_empty() {
        true => texts.a_policy.to_owned(),
        false => title,
    };
    let address = Some(links::comment(policy, comment));
    let Some(found) = visit.votes().comment(policy, comment).await? else {
        return Ok(Thing {
            name: (texts.comment_on)(&title),
            address,
            quote: String::new(),
            is_withheld: true,
        });
    };
    names.read(visit, vec![found.author]).await?;
    Ok(Thing {
        name: (texts.comment_by)(names.of(visit, found.author), &title),
        address,
        quote: markdown::plain(&found.body, MOST_QUOTED),
        is_withheld: !found.is_readable(),
    })
}

async fn of_user(
    visit: &Visit,
    user: UserId,
    named: fn(&str) -> String,
    names: &mut Names,
) -> Result<Thing, Failure> {
    names.read(visit, vec![user]).await?;
    Ok(Thing {
        name: named(names.of(visit, user)),
        address: Some(format!("/desk/users/{user}")),
        quote: String::new(),
        is_withheld: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_the_name_of_its_thing() {
        let id = Uuid::from_u128(7);
        let (policy, comment) = (PolicyId(Uuid::from_u128(1)), CommentId(id));
        for target in [
            Target::Policy(policy),
            Target::Comment(policy, comment),
            Target::Tag(id),
            Target::User(UserId(id)),
            Target::Access(id),
            Target::Account(UserId(id)),
        ] {
            let name = address(target).replace("/desk/cases/", "");
            assert_eq!(of_name(&name), Some(target), "{name}");
        }
        for other in [
            "",
            "comment",
            &format!("comment.{id}"),
            &format!("tag.{id}.{id}"),
            &format!("comment.{id}.{id}.{id}"),
            &format!("nothing.{id}"),
            "tag.x",
            &id.to_string(),
        ] {
            assert_eq!(of_name(other), None, "{other}");
        }
    }
}
