//! The page of a policy that was made without anybody making it: communities are filled by the
//! statements of the domain, since making 100,000 policies by what people do takes hours.

use std::collections::BTreeSet;

use anyhow::Result;
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{
    NewPage, PolicyId, PolicyState, PolicyText, RequestId, TextVersion, UserId, VoteVersion,
};
use stoa_votes::tables::pages::Owners;
use stoa_votes::tables::policies::{Creation, Settles};

const TEXT: &str = "**Why.** Many of us have asked for this for years.\n\n\
    - it costs less than it seems\n- it helps most where help is rare\n\nMore in the *minutes*.";

/// A policy that takes votes and has none, with its page in a category.
pub(super) async fn new_policy(
    votes: &Votes,
    ids: &dyn Ids,
    title: String,
    category: &str,
) -> Result<PolicyId> {
    let (policy, owner) = (PolicyId(ids.time_uuid()), UserId(ids.uuid()));
    let at = ids.time_uuid();
    let by = Creation {
        user: owner,
        seq: 1,
        version: VoteVersion(at),
    };
    let tables = votes.tables();
    tables.policies.write_created(policy, &by).await?;
    let page = NewPage {
        text: PolicyText {
            title,
            description: TEXT.to_owned(),
            links: Vec::new(),
        },
        category: category.to_owned(),
        party: None,
    };
    let owners = Owners {
        owner,
        co_owners: BTreeSet::new(),
    };
    let first = TextVersion {
        version: 1,
        text: page.text.clone(),
        author: owner,
        at,
        request: RequestId(ids.uuid()),
        note: String::new(),
    };
    tables.pages.begin(policy, &page, &owners, &first).await?;
    let (from, to) = (PolicyState::Creating, PolicyState::Active);
    let policies = &tables.policies;
    policies
        .change_state(policy, from, to, Settles::Yes)
        .await?;
    Ok(policy)
}
