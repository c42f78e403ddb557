//! The community of a demo: who there is, and what they do on a day.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use stoa_session::Session;
use stoa_types::{Clock, Ids, ManualClock, SeededIds};
use stoa_votes::model::{
    By, Category, CommentId, Day, Decision, NewPage, NotDone, PolicyId, PolicyState, PolicyText,
    ProgressKind, ReportReason, RequestId, RetireReason, Role, Target, TargetKind, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::register::Registration;
use stoa_votes::ops::report::NewReport;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::passwords::PasswordCost;
use stoa_votes::rules::secrets::Secret;
use stoa_votes::{Settings, Votes};

use super::words::{CATEGORIES, COMMENTS, NAMES, PLACES, THINGS, WISHES};

/// How long the community has lived.
pub(super) const DAYS: u32 = 30;
pub(super) const PASSWORD: &str = "correct horse battery";
const DAY: Duration = Duration::from_secs(86_400);
const MINUTE: Duration = Duration::from_secs(60);
/// Merges that are proposed, and comments that are reported, on a day of doing that.
const PROPOSALS: usize = 4;
const REPORTS: usize = 5;

/// A community under a clock of its own.
pub(super) struct Town {
    votes: Votes,
    clock: Arc<ManualClock>,
    ids: Arc<SeededIds>,
    people: Vec<Account>,
    policies: Vec<PolicyId>,
    comments: Vec<(PolicyId, CommentId)>,
    saves: usize,
    tags: usize,
    reports: usize,
    decided: usize,
    proposals: usize,
    /// How often something that people tried was refused: what they tried, and the code.
    refused: BTreeMap<(&'static str, String), usize>,
}

impl Town {
    pub(super) async fn found(
        session: Arc<dyn Session>,
        keyspace: &str,
        now_micros: i64,
        seed: u64,
    ) -> Result<Self> {
        let today = Day::of_micros(now_micros);
        let days = i32::try_from(DAYS).unwrap_or(0);
        let clock = Arc::new(ManualClock::at_micros(today.plus(-days).start_micros()));
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let ids = Arc::new(SeededIds::with_clock(seed, by));
        let settings = Settings {
            // Nobody's password is worth anything here.
            passwords: PasswordCost::LEAST,
            ..Settings::default()
        };
        let by: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let names: Arc<dyn Ids> = Arc::<SeededIds>::clone(&ids);
        let votes = Votes::open(session, keyspace, by, names, settings).await?;
        Ok(Self {
            votes,
            clock,
            ids,
            people: Vec::new(),
            policies: Vec::new(),
            comments: Vec::new(),
            saves: 0,
            tags: 0,
            reports: 0,
            decided: 0,
            proposals: 0,
            refused: BTreeMap::new(),
        })
    }

    /// Whether somebody lives there already.
    pub(super) async fn is_settled(&self) -> Result<bool> {
        Ok(!self.votes.tables().policies.all().await?.is_empty())
    }

    /// How many there are of what.
    pub(super) async fn counts(&self) -> Result<[(&'static str, usize); 9]> {
        let policies = self.votes.tables().policies.all().await?;
        let is_merged = |(_, state, _): &&(_, PolicyState, _)| *state == PolicyState::Merged;
        Ok([
            ("people", self.people.len()),
            ("policies", self.policies.len()),
            ("saves", self.saves),
            ("comments", self.comments.len()),
            ("tags", self.tags),
            ("reports", self.reports),
            ("decided", self.decided),
            ("proposals", self.proposals),
            ("merged", policies.iter().filter(is_merged).count()),
        ])
    }

    /// What people tried and were refused, and how often.
    pub(super) fn refused(&self) -> &BTreeMap<(&'static str, String), usize> {
        &self.refused
    }

    /// What came of something that people tried: they are refused now and then, and go on; nothing
    /// else may go wrong.
    fn tried<T>(&mut self, what: &'static str, done: Result<T, NotDone>) -> Result<Option<T>> {
        match done {
            Ok(done) => Ok(Some(done)),
            Err(NotDone::Refused(refused)) => {
                self.note_refused(what, refused.code());
                Ok(None)
            }
            Err(error) => Err(anyhow::Error::from(error).context(what)),
        }
    }

    fn note_refused(&mut self, what: &'static str, code: &str) {
        let times = self.refused.entry((what, code.to_owned()));
        *times.or_default() += 1;
    }

    fn below(&self, most: usize) -> usize {
        let most = u64::try_from(most.max(1)).unwrap_or(1);
        usize::try_from(self.ids.random_u64() % most).unwrap_or(0)
    }

    fn one<T: Copy>(&self, of: &[T]) -> Option<T> {
        of.get(self.below(of.len())).copied()
    }

    fn request(&self) -> RequestId {
        self.clock.advance(Duration::from_millis(400));
        RequestId(self.ids.uuid())
    }

    /// A policy, those that are there for long more often than new ones.
    fn some_policy(&self) -> Option<PolicyId> {
        let at = self
            .below(self.policies.len())
            .min(self.below(self.policies.len()));
        self.policies.get(at).copied()
    }

    /// Lets a day pass: people come, create, vote and talk; then the day is closed.
    pub(super) async fn live_a_day(&mut self, day: u32, people: u32) -> Result<()> {
        let morning = self.clock.now_micros();
        if day == 0 {
            self.set_up().await?;
        }
        self.clock.advance(8 * 60 * MINUTE);
        let joined = u32::try_from(self.people.len()).unwrap_or(0);
        // Half of all come in the first week.
        let share = if day < 7 {
            people / 14
        } else {
            people / 2 / (DAYS - 7)
        };
        let left = people.saturating_sub(joined);
        let coming = if day + 1 == DAYS {
            left
        } else {
            share.max(1).min(left)
        };
        for _ in 0..coming {
            self.join().await?;
        }
        let voters = self.people.len() * 2 / 5;
        for _ in 0..voters {
            self.vote().await?;
        }
        for _ in 0..(self.people.len() / 12) {
            self.comment().await?;
        }
        self.moderate(day).await?;
        self.clock.set_micros(morning);
        self.clock.advance(DAY + 2 * MINUTE);
        self.votes.close_days().await?;
        self.votes.finish_proposals().await?;
        self.votes.rank_days().await?;
        self.votes.tell_watchers().await?;
        self.clock.set_micros(morning);
        self.clock.advance(DAY);
        Ok(())
    }

    async fn set_up(&mut self) -> Result<()> {
        for (position, (key, name)) in (1..).zip(CATEGORIES) {
            let category = Category {
                key: key.to_owned(),
                name: name.to_owned(),
                description: String::new(),
                position,
                is_active: true,
            };
            self.votes.put_category(By::Operator, &category).await?;
        }
        Ok(())
    }

    async fn join(&mut self) -> Result<()> {
        let number = self.people.len();
        let name = NAMES.get(number % NAMES.len()).copied().unwrap_or("ada");
        let name = match number / NAMES.len() {
            0 => name.to_owned(),
            round => format!("{name}{round}"),
        };
        let registration = Registration {
            request: self.request(),
            email: format!("{name}@example.org"),
            name,
            password: PASSWORD.to_owned(),
            origin: None,
        };
        let user = self.votes.register(&registration).await?;
        let today = Day::of_micros(self.clock.now_micros());
        let pending = self.votes.tables().outbox.pending(today).await?;
        let mail = pending
            .into_iter()
            .find(|mail| mail.recipient == registration.email);
        let secret = mail.and_then(|mail| mail.fields.get("token").cloned());
        let secret = secret.context("no mail to confirm the address")?;
        let request = self.request();
        let secret = Secret::shown(&secret);
        self.votes.verify_email(&secret, request).await?;
        self.people.push(self.votes.account(user).await?);
        if number == 0 {
            let admin = Role::Admin;
            self.votes.grant_role(By::Operator, user, admin).await?;
        }
        // The first ones have nothing to vote for yet.
        if number < 20 || self.below(10) < 9 {
            self.create(number).await?;
        }
        Ok(())
    }

    async fn create(&mut self, number: usize) -> Result<()> {
        let Some(account) = self.people.get(number).copied() else {
            return Ok(());
        };
        let (Some(wish), Some((thing, category, tag)), Some(place)) =
            (self.one(&WISHES), self.one(&THINGS), self.one(&PLACES))
        else {
            return Ok(());
        };
        let title = format!("{wish} {thing} {place}");
        let page = NewPage {
            text: PolicyText {
                description: format!("{title}.\n\nThis would make our town a better place."),
                title,
                links: Vec::new(),
            },
            category: category.to_owned(),
            party: None,
        };
        let basis = self.votes.statement(account).await?.basis;
        let request = self.request();
        let created = self.votes.create_policy(account, request, basis, &page);
        let policy = created.await?.policy;
        self.policies.push(policy);
        self.saves += 1;
        self.votes.tag_policy(account.user, policy, tag).await?;
        self.tags += 1;
        self.votes.watch(account.user, policy).await?;
        Ok(())
    }

    /// Somebody puts votes on a policy or two, or takes some back.
    async fn vote(&mut self) -> Result<()> {
        let (Some(account), Some(policy)) = (self.one(&self.people), self.some_policy()) else {
            return Ok(());
        };
        // What was merged is voted for where it counts.
        let policy = self.votes.root(policy).await?;
        let statement = self.votes.statement(account).await?;
        let held = statement.positions.iter().find(|(_, it)| it.total > 10);
        let mut moves = BTreeMap::new();
        if let Some((held, position)) = held
            && self.below(8) == 0
        {
            moves.insert(*held, -(position.total / 2));
        } else if statement.balance > 0 {
            let most = usize::try_from(statement.balance).unwrap_or(1);
            let votes = i64::try_from(1 + self.below(most)).unwrap_or(1);
            moves.insert(policy, votes);
        }
        if moves.is_empty() {
            return Ok(());
        }
        let request = Request {
            id: self.request(),
            basis: statement.basis,
            ask: Ask::Move(moves),
            actor: account.user,
        };
        match self.votes.submit(account, &request).await {
            Ok(accepted) => {
                self.votes.sync(account.user, accepted).await?;
                self.saves += 1;
            }
            Err(NotAccepted::Unknown(error)) => return Err(error.into()),
            // What was closed takes no votes; people see that and go on.
            Err(refused) => self.note_refused("vote", refused.code()),
        }
        Ok(())
    }

    async fn comment(&mut self) -> Result<()> {
        let (Some(account), Some(policy), Some(body)) = (
            self.one(&self.people),
            self.some_policy(),
            self.one(&COMMENTS),
        ) else {
            return Ok(());
        };
        // What was merged is talked about where it counts.
        let policy = self.votes.root(policy).await?;
        let said = self.comments.iter().rev();
        let last = said.take(30).find(|(about, _)| *about == policy);
        let new = NewComment {
            request: self.request(),
            policy,
            answers: last.map(|(_, comment)| *comment),
            subject: String::new(),
            body: body.to_owned(),
        };
        let written = self.votes.write_comment(account.user, &new).await;
        if let Some(comment) = self.tried("comment", written)? {
            self.comments.push((policy, comment));
        }
        Ok(())
    }

    fn admin(&self) -> Option<UserId> {
        self.people.first().map(|it| it.user)
    }

    /// What moderators do on some days.
    async fn moderate(&mut self, day: u32) -> Result<()> {
        let Some(admin) = self.admin() else {
            return Ok(());
        };
        let by = By::User(admin);
        match day % 6 {
            2 => {
                for _ in 0..PROPOSALS {
                    self.propose(by).await?;
                }
            }
            3 => {
                for _ in 0..REPORTS {
                    self.report(by).await?;
                }
            }
            4 => {
                if let Some(policy) = self.some_policy() {
                    let (request, kind) = (self.request(), ProgressKind::Response);
                    let text = "The council will discuss this in its next session.";
                    // It may have been merged, and what it became may be hidden.
                    let policy = self.votes.root(policy).await?;
                    if self.votes.page(policy).await?.is_readable() {
                        let said = self.votes.publish(admin, policy, request, kind, text);
                        said.await?;
                    }
                }
            }
            5 if day > 12 => {
                let last = self.policies.last().copied();
                if let Some(policy) = last {
                    let done = RetireReason::Started;
                    let retired = self.votes.retire_policy(by, policy, done, "it has begun");
                    // It may have been merged.
                    let retired = retired.await;
                    self.tried("retire", retired)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn propose(&mut self, by: By) -> Result<()> {
        let sources = [self.some_policy(), self.some_policy()];
        let sources: BTreeSet<PolicyId> = sources.into_iter().flatten().collect();
        let page = self.plan_for(&sources).await?;
        let request = self.request();
        // Two of one are none, and what was merged cannot be merged again.
        let proposed = self.votes.propose_merge(by, request, &sources, &page);
        let proposed = proposed.await;
        if self.tried("merge", proposed)?.is_some() {
            self.proposals += 1;
        }
        Ok(())
    }

    /// One plan for what several ask for, named after them.
    async fn plan_for(&self, sources: &BTreeSet<PolicyId>) -> Result<NewPage> {
        let (mut titles, mut category) = (Vec::new(), String::new());
        for source in sources {
            let page = self.votes.page(*source).await?.page;
            // Of a plan for several, the first.
            let title = page.title.split(", and ").next().unwrap_or_default();
            titles.push(match titles.is_empty() {
                true => title.to_owned(),
                false => title.to_lowercase(),
            });
            category = page.category;
        }
        Ok(NewPage {
            text: PolicyText {
                title: titles.join(", and "),
                description: format!(
                    "One plan for {} wishes: both ask for much the same.",
                    titles.len()
                ),
                links: Vec::new(),
            },
            category,
            party: None,
        })
    }

    async fn report(&mut self, by: By) -> Result<()> {
        let (Some(reporter), Some((policy, comment))) =
            (self.one(&self.people), self.one(&self.comments))
        else {
            return Ok(());
        };
        let report = NewReport {
            target: Target::Comment(policy, comment),
            reason: ReportReason::OffTopic,
            words: String::new(),
        };
        // Nobody reports what they wrote, or what is gone.
        let reported = self.votes.report(reporter.user, &report).await;
        if self.tried("report", reported)?.is_none() {
            return Ok(());
        }
        self.reports += 1;
        let cases = self.votes.open_cases(by, TargetKind::Comment).await?;
        // The last one stays open, for whoever looks around.
        for queued in cases.iter().rev().skip(1) {
            let (target, case) = (queued.case.target, queued.case.id);
            match self.votes.take_case(by, target, case).await {
                Ok(_) => {}
                // Nobody judges what they wrote.
                Err(refused) if refused.code() == "own_doing" => continue,
                Err(error) => return Err(error.into()),
            }
            let why = "it is about the matter";
            let decided = self
                .votes
                .decide_case(by, target, case, Decision::Rejected, why);
            decided.await?;
            self.decided += 1;
        }
        Ok(())
    }

    /// Brings everything that tasks do up to the present.
    pub(super) async fn come_to_the_present(&mut self, now_micros: i64) -> Result<()> {
        self.clock.set_micros(now_micros);
        let votes = &self.votes;
        votes.close_days().await?;
        votes.finish_merges().await?;
        votes.finish_proposals().await?;
        votes.finish_talk().await?;
        votes.drain().await?;
        votes.recount_all().await?;
        votes.measure().await?;
        votes.rank_days().await?;
        votes.count_tags().await?;
        votes.tell_watchers().await?;
        Ok(())
    }
}
