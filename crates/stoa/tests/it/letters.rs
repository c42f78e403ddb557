//! Every mail that the voting domain puts into its outbox becomes a letter.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_mail::texts::Texts;
use stoa_session::{Session, Shortcuts as _};
use stoa_types::{Clock, Ids, ManualClock, SeededIds};
use stoa_votes::model::{
    By, Category, Day, DigestFrequency, NewPage, PolicyId, PolicyText, ReportReason, RequestId,
    Role, Target, UserId,
};
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::report::NewReport;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::tables::outbox::Mail;
use stoa_votes::{Settings, Votes};

const DAY: Duration = Duration::from_secs(86_400);
/// 2026-11-16, a Monday.
const MONDAY: Day = Day(20_773);

struct Town {
    clock: Arc<ManualClock>,
    ids: Arc<SeededIds>,
    votes: Votes,
}

impl Town {
    async fn new() -> Self {
        let session: Arc<dyn Session> = Arc::new(Database::memory().unwrap().session());
        let keyspace = "CREATE KEYSPACE votes WITH replication = \
            {'class': 'SimpleStrategy', 'replication_factor': 1}";
        session.run_text(keyspace).await.unwrap();
        let clock = Arc::new(ManualClock::at_micros(MONDAY.start_micros()));
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let ids = Arc::new(SeededIds::with_clock(1, Arc::clone(&by)));
        let names: Arc<dyn Ids> = Arc::<SeededIds>::clone(&ids);
        let settings = Settings {
            passwords: PasswordCost::LEAST,
            ..Settings::default()
        };
        let opened = Votes::open(session, "votes", by, names, settings);
        let votes = opened.await.unwrap();
        votes.recount_all().await.unwrap();
        Self { clock, ids, votes }
    }

    fn request(&self) -> RequestId {
        RequestId(self.ids.uuid())
    }

    /// All mail that waits to be sent.
    async fn mails(&self) -> Vec<Mail> {
        let mut mails = Vec::new();
        for day in MONDAY.through(MONDAY.plus(6)) {
            let pending = self.votes.tables().outbox.pending(day).await;
            mails.extend(pending.unwrap());
        }
        mails
    }

    async fn member(&self, name: &str) -> UserId {
        let registration = Registration {
            request: self.request(),
            name: name.to_owned(),
            email: format!("{name}@example.org"),
            origin: None,
            password: "correct horse".to_owned(),
        };
        let user = self.votes.register(&registration).await.unwrap();
        let mails = self.mails().await;
        let mail = mails.iter().find(|it| it.recipient == registration.email);
        let secret = Secret::shown(mail.unwrap().fields.get("token").unwrap());
        let verified = self.votes.verify_email(&secret, self.request());
        verified.await.unwrap();
        user
    }

    async fn policy(&self, owner: UserId) -> PolicyId {
        let health = Category {
            key: "health".to_owned(),
            name: "Health".to_owned(),
            description: String::new(),
            position: 1,
            is_active: true,
        };
        let put = self.votes.put_category(By::Operator, &health).await;
        put.unwrap();
        let page = NewPage {
            text: PolicyText {
                title: "More trees".to_owned(),
                description: "They give shade.".to_owned(),
                links: Vec::new(),
            },
            category: health.key,
            party: None,
        };
        let account = self.votes.account(owner).await.unwrap();
        let basis = self.votes.statement(account).await.unwrap().basis;
        let created = self
            .votes
            .create_policy(account, self.request(), basis, &page);
        created.await.unwrap().policy
    }
}

#[tokio::test]
async fn every_mail_of_the_voting_domain_becomes_a_letter() {
    let town = Town::new().await;
    let votes = &town.votes;
    let (ada, ben) = (town.member("ada").await, town.member("ben").await);
    let (judge, carol) = (town.member("judge").await, town.member("carol").await);
    for (user, role) in [
        (judge, Role::HandleReports),
        (carol, Role::ModerateComments),
    ] {
        votes.grant_role(By::Operator, user, role).await.unwrap();
    }
    let asked = votes.request_reset("ben@example.org", town.request());
    asked.await.unwrap();
    votes.set_digest(ada, DigestFrequency::Daily).await.unwrap();
    let policy = town.policy(ada).await;
    let report = NewReport {
        target: Target::Policy(policy),
        reason: ReportReason::Spam,
        words: String::new(),
    };
    votes.report(ben, &report).await.unwrap();
    town.clock.advance(Duration::from_secs(1));
    let hidden = votes.set_visibility(By::Operator, policy, Visibility::Hidden, "to look at it");
    hidden.await.unwrap();
    let shown = votes.set_visibility(By::Operator, policy, Visibility::Shown, "it is good");
    shown.await.unwrap();
    votes.tell_watchers().await.unwrap();
    town.clock.advance(DAY + Duration::from_secs(7_200));
    votes.mail_moderators().await.unwrap();
    votes.send_digests().await.unwrap();

    let texts = Texts::new("Agora", "https://votes.example.org").unwrap();
    let mut kinds = BTreeSet::new();
    for mail in town.mails().await {
        let letter = texts.letter(
            &mail.kind,
            &mail.fields,
            &mail.recipient,
            mail.id,
            mail.created_micros,
        );
        let letter = letter.unwrap_or_else(|none| panic!("{}: {none}", mail.kind));
        match &*mail.kind {
            "digest" => assert!(letter.text().contains("More trees: "), "{}", letter.text()),
            "open_cases" => assert!(letter.text().contains("policies: 1"), "{}", letter.text()),
            _ => assert!(letter.text().contains("?token="), "{}", letter.text()),
        }
        kinds.insert(mail.kind);
    }
    let expected = ["digest", "open_cases", "reset_password", "verify_email"];
    assert!(kinds.iter().eq(expected), "{kinds:?}");
}
