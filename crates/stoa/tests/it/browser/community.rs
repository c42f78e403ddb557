//! The community that tests begin with: the demonstration, once for all tests, with whatever it has
//! not got by itself: moderators, long names and wide words, cases and proposals that are open.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use stoa_votes::model::{
    By, NewPage, Party, PolicyId, PolicyText, ProgressKind, ReportReason, Role, Target,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::edit_policy::Edit;
use stoa_votes::ops::report::NewReport;

use super::people::{People, days_ago};

/// An admin.
pub(super) const ADMIN: &str = "ada";
/// Somebody with every role but that.
pub(super) const MODERATOR: &str = "ben";
/// Somebody without a role, to whom [`TITLE`] belongs.
pub(super) const OWNER: &str = "hedwig";
/// Somebody whose name is as long as a name may be.
pub(super) const LONG_NAME: &str = "maximiliana-wolfeschlegelstein";
/// A title of 120 characters with a word that no phone is wide enough for.
pub(super) const LONG_TITLE: &str = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft for \
    everybody at the old harbour now";
/// A policy that everybody finds, since it is new.
pub(super) const TITLE: &str = "Warm rooms for everybody in winter";
/// How many votes are paid each week, so that a newcomer can try everything on one day.
pub(super) const SALARY: i64 = 250;

/// The folder of the community; it is made when it is asked for first.
pub(super) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-community");
        if place.exists() {
            fs::remove_dir_all(&place).unwrap();
        }
        let data = place.join("data");
        days_ago(40, &data, async |people: &People| people.pay(SALARY).await);
        let made = super::stoa(&[
            "votes",
            "demo",
            "--people",
            "40",
            "--data",
            super::text(&data),
        ]);
        assert!(made.status.success(), "{made:?}");
        days_ago(0, &data, complete);
        data
    })
}

async fn complete(people: &People) {
    let votes = &people.votes;
    let moderator = people.named(MODERATOR).await;
    let (long, owner) = (people.join(LONG_NAME).await, people.join(OWNER).await);
    give_roles(people, moderator).await;
    let policy = long_policy(people, moderator, long, owner).await;
    let warm = warm_policy(people, long, owner).await;
    let sources = BTreeSet::from([policy, warm]);
    let page = NewPage {
        text: text("One plan for the harbour", "Both ask for much the same."),
        category: "culture".to_owned(),
        party: None,
    };
    // Whether the one of the demonstration is still open is for its seed to say.
    votes
        .propose_merge(By::User(moderator.user), people.request(), &sources, &page)
        .await
        .unwrap();
    people.settle().await;
    votes.tell_watchers().await.unwrap();
}

/// Every role for the moderator, and a party.
async fn give_roles(people: &People, moderator: Account) {
    let votes = &people.votes;
    let admin = By::User(people.named(ADMIN).await.user);
    for (role, _) in Role::NAMES {
        if role != Role::Admin {
            votes
                .grant_role(By::Operator, moderator.user, role)
                .await
                .unwrap();
        }
    }
    let party = Party {
        party: people.ids.uuid(),
        name: "The Harbour List".to_owned(),
        description: "For the water's edge.".to_owned(),
        is_active: true,
    };
    votes.put_party(admin, &party).await.unwrap();
}

/// A policy in which everything is long, with an official response and a report.
async fn long_policy(
    people: &People,
    moderator: Account,
    long: Account,
    owner: Account,
) -> PolicyId {
    let votes = &people.votes;
    let policy = people.create(long, "culture", long_text()).await;
    for tag in ["donaudampfschifffahrtskapitaen", "culture", "harbour"] {
        votes.tag_policy(long.user, policy, tag).await.unwrap();
    }
    people
        .say(owner, policy, &"Hottentottenstottertrottelmutter".repeat(8))
        .await;
    people
        .say(
            long,
            policy,
            "A short answer.\n\n> with what was said before\n\n- and\n- a list",
        )
        .await;
    let said = votes.publish(
        moderator.user,
        policy,
        people.request(),
        ProgressKind::Response,
        "We look into it.",
    );
    said.await.unwrap();
    let report = NewReport {
        target: Target::Policy(policy),
        reason: ReportReason::Other,
        words: "The title is too long for any poster.".to_owned(),
    };
    votes.report(owner.user, &report).await.unwrap();
    policy
}

/// A policy that was edited and talked about.
async fn warm_policy(people: &People, long: Account, owner: Account) -> PolicyId {
    let votes = &people.votes;
    let warm = people.create(
        owner,
        "health",
        text(TITLE, "A **warm** room in every quarter, from November on."),
    );
    let warm = warm.await;
    let edit = Edit {
        request: people.request(),
        seen: votes.page(warm).await.unwrap().page.change,
        text: text(
            TITLE,
            "A **warm** room in every quarter, from October to March.",
        ),
        note: "Until spring, as people asked.".to_owned(),
    };
    votes.edit_policy(owner.user, warm, &edit).await.unwrap();
    votes.watch(owner.user, warm).await.unwrap();
    people
        .say(owner, warm, "The library could be the first.")
        .await;
    people
        .say(long, warm, "And the town hall the second.")
        .await;
    warm
}

/// A text without links.
pub(super) fn text(title: &str, description: &str) -> PolicyText {
    PolicyText {
        title: title.to_owned(),
        description: description.to_owned(),
        links: Vec::new(),
    }
}

fn long_text() -> PolicyText {
    let law = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz".repeat(3);
    let (wide, code) = ("wide".repeat(40), "code ".repeat(60));
    let description = format!(
        "# Why\n\n{law} and then some.\n\n| One | Two |\n|-|-|\n| {wide} | b |\n\n```\n{code}\n```"
    );
    PolicyText {
        links: vec![format!("https://example.org/{}", "a-long-way/".repeat(20))],
        ..text(LONG_TITLE, &description)
    }
}
