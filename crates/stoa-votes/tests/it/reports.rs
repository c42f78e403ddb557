//! Reports and cases: hidden until somebody has looked, taken, decided, told.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::Session;
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Clock;
use stoa_votes::Votes;
use stoa_votes::model::{
    By, Case, CaseState, CommentId, CommentState, Decision, HappeningKind, Measure, ReportReason,
    Role, Target, TargetKind, UserId,
};
use stoa_votes::ops::report::{AccessProblem, NewReport};
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::tables::outbox::Mail;

use crate::accounts::{code, home, join, request};
use crate::comments::{Scene, scene as talk};
use crate::place;
use crate::world::{MONDAY, World, instance, no_policy};

const HOUR: Duration = Duration::from_secs(3_600);

pub(crate) struct Court {
    pub(crate) scene: Scene,
    pub(crate) judge: By,
    pub(crate) reporters: Vec<UserId>,
}

pub(crate) async fn court() -> Court {
    let scene = talk().await;
    let votes = &scene.world.votes;
    let judge = join(&scene.world, "judge").await;
    let granted = votes.grant_role(By::Operator, judge, Role::HandleReports);
    granted.await.unwrap();
    let mut reporters = vec![scene.ben];
    for name in ["dora", "emil"] {
        reporters.push(join(&scene.world, name).await);
    }
    Court {
        scene,
        judge: By::User(judge),
        reporters,
    }
}

impl Court {
    pub(crate) fn world(&self) -> &World {
        &self.scene.world
    }

    pub(crate) fn votes(&self) -> &Votes {
        &self.scene.world.votes
    }

    /// Users `from..to` report it.
    pub(crate) async fn report(&self, target: Target, from: usize, to: usize) {
        for reporter in self.reporters.get(from..to).unwrap() {
            self.world().wait(Duration::from_secs(1));
            self.votes().report(*reporter, &spam(target)).await.unwrap();
        }
    }

    pub(crate) async fn case(&self, target: Target) -> Case {
        let cases = &self.votes().tables().talk.cases;
        cases.read(target).await.unwrap().unwrap()
    }

    pub(crate) async fn comment(&self) -> (CommentId, Target) {
        let comment = self.scene.say(self.scene.ada, "text", None).await;
        (comment, Target::Comment(self.scene.policy, comment))
    }

    pub(crate) async fn is_hidden(&self, target: Target) -> bool {
        let tables = self.votes().tables();
        match target {
            Target::Policy(policy) => {
                let page = tables.pages.read(policy).await.unwrap();
                page.unwrap().is_hidden
            }
            Target::Comment(policy, comment) => {
                let found = tables.talk.comments.read(policy, comment).await;
                found.unwrap().unwrap().hidden_for.is_some()
            }
            _ => false,
        }
    }

    pub(crate) async fn take(&self, target: Target) -> Case {
        let id = self.case(target).await.id;
        let taken = self.votes().take_case(self.judge, target, id).await;
        taken.unwrap()
    }

    pub(crate) async fn judge(&self, target: Target, decision: Decision) {
        let id = self.take(target).await.id;
        self.world().wait(Duration::from_secs(1));
        let decided = self
            .votes()
            .decide_case(self.judge, target, id, decision, "so it is");
        decided.await.unwrap();
    }

    /// How often a user was told of a decision about something.
    async fn told(&self, user: UserId, target: Target) -> usize {
        let happenings = &self.votes().tables().happenings;
        let told = happenings.notifications(user, 1_000).await.unwrap();
        let told = told
            .iter()
            .filter(|it| it.kind == HappeningKind::ReportDecided && it.about == Some(target.id()));
        told.count()
    }

    async fn logged(&self, action: &str, target: Target) -> usize {
        let log = &self.votes().tables().moderation;
        let mut count = 0;
        for day in MONDAY.through(MONDAY.plus(30)) {
            let entries = log.list(day).await.unwrap();
            let target = target.to_string();
            let same = entries
                .iter()
                .filter(|it| it.action == action && it.target == target);
            count += same.count();
        }
        count
    }

    async fn open(&self, kind: TargetKind) -> Vec<Target> {
        let open = self.votes().open_cases(self.judge, kind).await.unwrap();
        open.iter().map(|it| it.case.target).collect()
    }
}

pub(crate) fn spam(target: Target) -> NewReport {
    NewReport {
        target,
        reason: ReportReason::Spam,
        words: String::new(),
    }
}

#[tokio::test]
async fn three_reporters_hide_a_comment_until_it_is_decided() {
    let court = court().await;
    let votes = court.votes();
    let (comment, target) = court.comment().await;
    court.report(target, 0, 2).await;
    court.report(target, 0, 2).await;
    assert!(!court.is_hidden(target).await);
    let reports = votes.tables().talk.reports.list(target).await.unwrap();
    assert_eq!(reports.len(), 2);
    court.report(target, 2, 3).await;
    assert!(court.is_hidden(target).await);
    let shown = votes.comment(court.scene.policy, comment).await.unwrap();
    assert_eq!(shown.unwrap().body, "");
    assert_eq!(court.logged("hide_pending", target).await, 1);
    let queue = votes.open_cases(court.judge, TargetKind::Comment).await;
    let queue = queue.unwrap();
    assert_eq!(queue.len(), 1);
    assert_eq!(queue.first().unwrap().reports.len(), 3);
    let counts = votes.case_counts(court.judge).await.unwrap();
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        [(TargetKind::Comment, 1)]
    );

    court.judge(target, Decision::Rejected).await;
    assert!(!court.is_hidden(target).await);
    assert_eq!(court.case(target).await.state, CaseState::Closed);
    assert!(court.open(TargetKind::Comment).await.is_empty());
    for reporter in &court.reporters {
        assert_eq!(court.told(*reporter, target).await, 1);
    }
    assert_eq!(court.logged("reject_report", target).await, 1);

    // Another one brings it back, and so does one who reported it before.
    let frida = join(court.world(), "frida").await;
    votes.report(frida, &spam(target)).await.unwrap();
    assert_eq!(court.open(TargetKind::Comment).await, [target]);
    court.report(target, 0, 1).await;
    court.report(target, 0, 1).await;
    assert!(!court.is_hidden(target).await);
    let queue = votes.open_cases(court.judge, TargetKind::Comment).await;
    let again: Vec<UserId> = queue.unwrap()[0]
        .reports
        .iter()
        .map(|it| it.reporter)
        .collect();
    let mut both = [frida, court.scene.ben];
    both.sort();
    assert_eq!(again, both);
    let examined = votes.examine_case(court.judge, target).await.unwrap();
    assert_eq!((examined.reports.len(), examined.earlier.len()), (2, 3));
    let removed = Decision::Upheld(Measure::Remove);
    court.judge(target, removed).await;
    let found = votes.comment(court.scene.policy, comment).await.unwrap();
    assert_eq!(found.unwrap().state, CommentState::Removed);
    assert_eq!(court.told(frida, target).await, 1);
    let told = court.reporters.iter().map(|it| court.told(*it, target));
    let mut counts = Vec::new();
    for count in told {
        counts.push(count.await);
    }
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(court.logged("remove_comment", target).await, 1);
    assert_eq!(court.logged("uphold_report", target).await, 1);
    court.scene.assert_whole("after judging").await;
}

#[tokio::test]
async fn the_same_users_report_the_same_anew_once_their_case_is_decided() {
    let court = court().await;
    let votes = court.votes();
    let (_, target) = court.comment().await;
    for round in 1..=2 {
        court.report(target, 0, 3).await;
        assert!(court.is_hidden(target).await, "round {round}");
        assert_eq!(court.open(TargetKind::Comment).await, [target]);
        // Asked again while the case is open, it is the same report.
        court.report(target, 0, 3).await;
        let reports = votes.tables().talk.reports.list(target).await.unwrap();
        assert_eq!(reports.len(), 3 * round);
        court.judge(target, Decision::Rejected).await;
        assert!(!court.is_hidden(target).await, "round {round}");
        for reporter in &court.reporters {
            assert_eq!(court.told(*reporter, target).await, round);
        }
    }
}

#[tokio::test]
async fn a_policy_is_hidden_and_shown_again_or_stays_hidden() {
    let court = court().await;
    let target = Target::Policy(court.scene.policy);
    court.report(target, 0, 3).await;
    assert!(court.is_hidden(target).await);
    court
        .judge(target, Decision::Upheld(Measure::Nothing))
        .await;
    assert!(!court.is_hidden(target).await);
    let frida = join(court.world(), "frida").await;
    let votes = court.votes();
    votes.report(frida, &spam(target)).await.unwrap();
    court.judge(target, Decision::Upheld(Measure::Hide)).await;
    assert!(court.is_hidden(target).await);
    let happened = votes.tables().happenings.of_policy(court.scene.policy, 10);
    let happened = happened.await.unwrap();
    let kinds: Vec<_> = happened.iter().map(|it| it.kind).collect();
    let expected = [
        HappeningKind::Hidden,
        HappeningKind::Shown,
        HappeningKind::Hidden,
        HappeningKind::Created,
    ];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn every_refusal_has_its_code_and_nothing_is_written() {
    let court = court().await;
    let (votes, scene) = (court.votes(), &court.scene);
    let (_, target) = court.comment().await;
    let (gone, gone_target) = court.comment().await;
    let removed = votes.remove_own_comment(scene.ada, scene.policy, gone);
    removed.await.unwrap();
    court.report(target, 0, 1).await;
    let before = scene.rows().await;
    let id = request(court.world()).0;
    let nobody = UserId(id);
    let (ada, ben) = (scene.ada, scene.ben);
    let other = |words: &str| NewReport {
        reason: ReportReason::Other,
        words: words.to_owned(),
        ..spam(target)
    };
    let nothing = Target::Comment(scene.policy, CommentId(id));
    for (reporter, new, expected) in [
        (nobody, spam(target), "no_such_user"),
        (ada, spam(target), "own_doing"),
        (ada, spam(Target::Policy(scene.policy)), "own_doing"),
        (ada, spam(Target::User(ada)), "own_doing"),
        (ben, spam(Target::Policy(no_policy())), "no_such_target"),
        (ben, spam(nothing), "no_such_target"),
        (ben, spam(gone_target), "comment_removed"),
        (ben, spam(Target::User(nobody)), "no_such_target"),
        (ben, spam(Target::Access(id)), "no_such_target"),
        (ben, spam(Target::Tag(id)), "no_such_target"),
        (ben, spam(Target::Account(ada)), "no_such_target"),
        (ben, other(" "), "reason_empty"),
        (ben, other("\0"), "reason_bad_character"),
        (ben, other(&"x".repeat(2_001)), "reason_too_long"),
    ] {
        assert_eq!(code(votes.report(reporter, &new).await), expected);
    }
    let case = court.case(target).await.id;
    let (user, judge) = (By::User(ben), court.judge);
    assert_eq!(
        code(votes.take_case(user, target, case).await),
        "not_allowed"
    );
    assert_eq!(
        code(votes.take_case(judge, target, id).await),
        "no_such_case"
    );
    assert_eq!(
        code(votes.take_case(judge, nothing, case).await),
        "no_such_case"
    );
    let decide = |by, decision, why| votes.decide_case(by, target, case, decision, why);
    let no = Decision::Rejected;
    assert_eq!(code(decide(user, no, "why").await), "not_allowed");
    assert_eq!(code(decide(judge, no, "").await), "reason_empty");
    assert_eq!(code(decide(judge, no, "why").await), "case_not_taken");
    let target = Target::Policy(scene.policy);
    let remove = Decision::Upheld(Measure::Remove);
    let decided = votes.decide_case(judge, target, case, remove, "why").await;
    assert_eq!(code(decided), "measure_impossible");
    let listed = votes.open_cases(user, TargetKind::Comment).await;
    assert_eq!(code(listed), "not_allowed");
    let by = By::User(scene.moderator);
    let listed = votes.open_cases(by, TargetKind::Policy).await;
    assert_eq!(code(listed), "not_allowed");
    assert_eq!(code(votes.case_counts(user).await), "not_allowed");
    assert_eq!(scene.rows().await, before);
}

#[tokio::test]
async fn a_case_is_taken_by_one_and_by_another_after_a_day() {
    let court = court().await;
    let (votes, scene) = (court.votes(), &court.scene);
    let (_, target) = court.comment().await;
    court.report(target, 0, 1).await;
    let case = court.take(target).await.id;
    assert_eq!(court.take(target).await.state, CaseState::Taken);
    let other = By::User(scene.moderator);
    let take = |by| votes.take_case(by, target, case);
    assert_eq!(code(take(other).await), "case_taken");
    let no = Decision::Rejected;
    let decide = |by, decision| votes.decide_case(by, target, case, decision, "why");
    assert_eq!(code(decide(other, no).await), "case_taken");
    let returned = votes.return_case(other, target, case).await;
    assert_eq!(code(returned), "case_taken");
    let returned = votes.return_case(court.judge, target, case);
    returned.await.unwrap();
    assert_eq!(code(take(other).await), "done");
    assert_eq!(code(take(court.judge).await), "case_taken");
    court.world().wait(HOUR * 25);
    assert_eq!(code(take(court.judge).await), "done");
    assert_eq!(code(decide(other, no).await), "case_taken");
    assert_eq!(code(decide(court.judge, no).await), "done");
    assert_eq!(code(decide(court.judge, no).await), "done");
    let remove = Decision::Upheld(Measure::Remove);
    assert_eq!(code(decide(court.judge, remove).await), "case_decided");
    assert_eq!(code(take(other).await), "case_decided");

    // Nobody judges what they wrote themselves.
    let own = scene.say(scene.moderator, "mine", None).await;
    let target = Target::Comment(scene.policy, own);
    court.report(target, 0, 1).await;
    let case = court.case(target).await.id;
    let taken = votes.take_case(other, target, case).await;
    assert_eq!(code(taken), "own_doing");
}

#[tokio::test]
async fn whoever_cannot_get_in_says_so_a_few_times() {
    let court = court().await;
    let votes = court.votes();
    let problem = |words: &str| AccessProblem {
        request: request(court.world()),
        contact: "ida@example.org".to_owned(),
        words: words.to_owned(),
    };
    let refused = votes.report_access(&home(), &problem(" ")).await;
    assert_eq!(code(refused), "reason_empty");
    let first = problem("no mail came");
    for _ in 0..3 {
        votes.report_access(&home(), &first).await.unwrap();
    }
    for _ in 0..4 {
        let done = votes.report_access(&home(), &problem("still not")).await;
        assert_eq!(code(done), "done");
    }
    let refused = votes.report_access(&home(), &problem("again")).await;
    assert_eq!(code(refused), "too_many_reports");
    let elsewhere = Origin {
        address: [198, 51, 100, 7].into(),
        ..home()
    };
    let done = votes.report_access(&elsewhere, &problem("me too")).await;
    assert_eq!(code(done), "done");
    let open = votes.open_cases(court.judge, TargetKind::Access).await;
    let open = open.unwrap();
    assert_eq!(open.len(), 6);
    let about = &open.first().unwrap().case.about;
    assert_eq!(about, "ida@example.org\nno mail came");
    let target = open.first().unwrap().case.target;
    court
        .judge(target, Decision::Upheld(Measure::Nothing))
        .await;
    assert_eq!(court.open(TargetKind::Access).await.len(), 5);
    assert_eq!(court.logged("uphold_report", target).await, 0);
    court.world().wait(HOUR);
    let done = votes.report_access(&home(), &problem("again")).await;
    assert_eq!(code(done), "done");
}

#[tokio::test]
async fn moderators_get_one_mail_an_hour_when_there_is_something_new() {
    let court = court().await;
    let (votes, world) = (court.votes(), court.world());
    let mails = || async {
        let mut found = Vec::new();
        for day in MONDAY.through(MONDAY.plus(10)) {
            let pending = votes.tables().outbox.pending(day).await.unwrap();
            found.extend(pending.into_iter().filter(|it| it.kind == "open_cases"));
        }
        found
    };
    let (_, target) = court.comment().await;
    court.report(target, 0, 1).await;
    votes.mail_moderators().await.unwrap();
    assert!(mails().await.is_empty());
    world.wait(HOUR);
    for _ in 0..3 {
        votes.mail_moderators().await.unwrap();
        world.wait(HOUR);
    }
    // Who handles reports is told, and who moderates comments.
    let told = |mail: &Mail| {
        let count = mail.fields.get("count").cloned();
        (
            mail.recipient.clone(),
            count.unwrap(),
            mail.fields.get("cases").cloned().unwrap(),
        )
    };
    let line = |to: &str, count: &str, cases: &str| {
        (
            format!("{to}@example.org"),
            count.to_owned(),
            cases.to_owned(),
        )
    };
    let mut sent: Vec<_> = mails().await.iter().map(told).collect();
    sent.sort();
    let expected = [
        line("carol", "1", "comment\t1"),
        line("judge", "1", "comment\t1"),
    ];
    assert_eq!(sent, expected);
    // Of what is no comment only the first is told.
    let policy = Target::Policy(court.scene.policy);
    court.report(policy, 0, 1).await;
    world.wait(HOUR);
    votes.mail_moderators().await.unwrap();
    let mut sent: Vec<_> = mails().await.iter().map(told).collect();
    sent.retain(|it| !expected.contains(it));
    assert_eq!(sent, [line("judge", "2", "comment\t1\npolicy\t1")]);
    let (_, other) = court.comment().await;
    court.report(other, 0, 1).await;
    world.wait(HOUR);
    for call in 0..40 {
        let troubled = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        let _ = dying.mail_moderators().await;
    }
    votes.mail_moderators().await.unwrap();
    assert_eq!(mails().await.len(), 5);
    for target in [target, other, policy] {
        court.judge(target, Decision::Rejected).await;
    }
    world.wait(HOUR);
    votes.mail_moderators().await.unwrap();
    assert_eq!(mails().await.len(), 5);
}

#[tokio::test]
async fn reports_of_second_accounts_are_signs() {
    let court = court().await;
    let votes = court.votes();
    let target = Target::User(court.scene.ada);
    for reporter in &court.reporters {
        let new = NewReport {
            reason: ReportReason::Duplicate,
            ..spam(target)
        };
        votes.report(*reporter, &new).await.unwrap();
        votes.report(*reporter, &new).await.unwrap();
    }
    let signals = votes.tables().signals.list(court.scene.ada).await;
    assert_eq!(signals.unwrap().len(), 3);
    assert_eq!(court.open(TargetKind::User).await, [target]);
    assert!(court.open(TargetKind::Account).await.is_empty());
}

#[tokio::test]
async fn a_report_of_a_second_account_is_a_sign_even_if_the_reporter_dies() {
    let court = court().await;
    let (world, votes) = (court.world(), court.votes());
    for call in 0..40 {
        let user = join(world, &format!("user{call}")).await;
        let new = NewReport {
            reason: ReportReason::Duplicate,
            ..spam(Target::User(user))
        };
        let troubled = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        let first = code(dying.report(court.scene.ben, &new).await);
        world.wait(HOUR);
        votes.finish_talk().await.unwrap();
        let reports = votes.tables().talk.reports.list(new.target).await.unwrap();
        let signals = votes.tables().signals.list(user).await.unwrap();
        assert_eq!(signals.len(), reports.len(), "call {call}: {first}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Report,
    Reject,
    Remove,
}

impl Action {
    fn decision(self) -> Decision {
        match self {
            Self::Remove => Decision::Upheld(Measure::Remove),
            Self::Report | Self::Reject => Decision::Rejected,
        }
    }
}

/// A comment of which the rest is about to happen.
async fn before(court: &Court, action: Action) -> (Target, uuid::Uuid) {
    let (_, target) = court.comment().await;
    if action == Action::Report {
        court.report(target, 0, 2).await;
        return (target, court.case(target).await.id);
    }
    court.report(target, 0, 3).await;
    (target, court.take(target).await.id)
}

async fn act(
    court: &Court,
    votes: &Votes,
    action: Action,
    on: (Target, uuid::Uuid),
) -> &'static str {
    let (target, case) = on;
    if action == Action::Report {
        let reporter = *court.reporters.last().unwrap();
        return code(votes.report(reporter, &spam(target)).await);
    }
    let decided = votes.decide_case(court.judge, target, case, action.decision(), "why");
    code(decided.await)
}

async fn assert_done(court: &Court, action: Action, target: Target, at: &str) {
    let case = court.case(target).await;
    if action == Action::Report {
        assert_eq!(case.state, CaseState::Open, "{at}");
        assert!(court.is_hidden(target).await, "{at}");
        assert_eq!(court.logged("hide_pending", target).await, 1, "{at}");
        let reports = court.votes().tables().talk.reports.list(target).await;
        assert_eq!(reports.unwrap().len(), 3, "{at}");
        assert_eq!(court.open(TargetKind::Comment).await, [target], "{at}");
        court.judge(target, Decision::Rejected).await;
        return;
    }
    assert_eq!(case.state, CaseState::Closed, "{at}");
    assert!(court.open(TargetKind::Comment).await.is_empty(), "{at}");
    for reporter in &court.reporters {
        assert_eq!(court.told(*reporter, target).await, 1, "{at}");
    }
    let (logged, removed) = match action {
        Action::Remove => ("uphold_report", 1),
        Action::Report | Action::Reject => ("reject_report", 0),
    };
    assert_eq!(court.logged(logged, target).await, 1, "{at}");
    assert_eq!(
        court.logged("remove_comment", target).await,
        removed,
        "{at}"
    );
    let is_hidden = court.is_hidden(target).await;
    assert_eq!(is_hidden, action == Action::Remove, "{at}");
}

#[tokio::test]
async fn whatever_happens_at_any_call_nothing_is_left_half() {
    let court = court().await;
    let world = court.world();
    for action in [Action::Report, Action::Reject, Action::Remove] {
        let on = before(&court, action).await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &world.clock, &world.ids).await;
        assert_eq!(act(&court, &votes, action, on).await, "done");
        assert_done(&court, action, on.0, "without trouble").await;
        for trouble in Trouble::ALL {
            for call in place::tried(counting.calls()) {
                world.wait(HOUR);
                let on = before(&court, action).await;
                let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
                let votes = instance(Arc::new(troubled), &world.clock, &world.ids).await;
                let first = act(&court, &votes, action, on).await;
                let at = format!("{action:?}, {trouble:?} at call {call}: {first}");
                assert!(trouble != Trouble::Twice || first == "done", "{at}");
                world.wait(Duration::from_secs(150));
                if call % 2 == 0 {
                    world.votes.finish_talk().await.unwrap();
                    court.scene.assert_whole(&at).await;
                }
                let again = act(&court, &world.votes, action, on).await;
                assert_eq!(again, "done", "{at}");
                world.wait(Duration::from_secs(150));
                world.votes.finish_talk().await.unwrap();
                court.scene.assert_whole(&at).await;
                assert_done(&court, action, on.0, &at).await;
            }
        }
    }
    assert!(world.clock.now_micros() < MONDAY.plus(30).start_micros());
}
