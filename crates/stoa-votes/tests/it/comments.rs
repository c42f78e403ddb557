//! Comments: writing, answering, editing, marking, removing, reading, and what is new.

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Session, Shortcuts};
use stoa_testkit::troubled::{Trouble, Troubled};
use stoa_types::Clock;
use stoa_votes::Votes;
use stoa_votes::model::{
    By, CommentId, CommentState, HappeningKind, Mark, NotDone, PolicyId, Refused, RequestId, Role,
    TalkRefusal, UserId,
};
use stoa_votes::ops::release::Release;
use stoa_votes::ops::write_comment::NewComment;
use stoa_votes::rules::threads::ThreadOrder;

use crate::accounts::{code, join, request};
use crate::place;
use crate::world::{MONDAY, World, instance, no_policy};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

pub(crate) struct Scene {
    pub(crate) world: World,
    pub(crate) ada: UserId,
    pub(crate) ben: UserId,
    pub(crate) moderator: UserId,
    pub(crate) policy: PolicyId,
}

pub(crate) async fn scene() -> Scene {
    let world = World::new().await;
    let (ada, ben) = (join(&world, "ada").await, join(&world, "benno").await);
    let moderator = join(&world, "carol").await;
    let granted = world
        .votes
        .grant_role(By::Operator, moderator, Role::ModerateComments);
    granted.await.unwrap();
    let account = world.votes.account(ada).await.unwrap();
    let policy = world.policy(account, "Trees").await;
    Scene {
        world,
        ada,
        ben,
        moderator,
        policy,
    }
}

impl Scene {
    pub(crate) fn text(&self, body: &str, answers: Option<CommentId>) -> NewComment {
        self.world.wait(Duration::from_millis(10));
        NewComment {
            request: request(&self.world),
            policy: self.policy,
            answers,
            subject: String::new(),
            body: body.to_owned(),
        }
    }

    pub(crate) async fn say(
        &self,
        author: UserId,
        body: &str,
        answers: Option<CommentId>,
    ) -> CommentId {
        let new = self.text(body, answers);
        self.world.votes.write_comment(author, &new).await.unwrap()
    }

    async fn shown(&self, order: ThreadOrder) -> Vec<(String, usize)> {
        let votes = &self.world.votes;
        let page = votes.comment_threads(self.policy, order, None, 50).await;
        let all = page.unwrap().comments.into_iter();
        all.map(|it| (it.comment.body, it.level)).collect()
    }

    /// What follows from comments is there, and nothing is left to be done.
    pub(crate) async fn assert_whole(&self, at: &str) {
        let tables = self.world.votes.tables();
        let outline = tables.talk.comments.outline(self.policy).await.unwrap();
        let happened = tables.happenings.of_policy(self.policy, 1_000).await;
        let happened = happened.unwrap();
        let day = self.world.votes.tables().moderation.list(MONDAY).await;
        let mut log = day.unwrap();
        for day in MONDAY.next().through(MONDAY.plus(30)) {
            log.extend(tables.moderation.list(day).await.unwrap());
        }
        for it in &outline {
            let comment = tables.talk.comments.read(self.policy, it.id).await;
            let comment = comment.unwrap().unwrap();
            let is_told = happened.iter().any(|told| told.id == it.id.0);
            assert!(is_told || !it.is_readable(), "{at}: not told");
            if let Some(removal) = comment.removal.filter(|by| by.by != comment.author) {
                let entries = log.iter().filter(|entry| entry.id == removal.id);
                assert_eq!(entries.count(), 1, "{at}: not in the log");
            }
        }
        let readable = outline.iter().filter(|it| it.is_readable()).count();
        let counted = tables.discussion.read(self.policy).await.unwrap();
        let counted = counted.map_or(0, |it| it.comments);
        assert_eq!(usize::try_from(counted).unwrap(), readable, "{at}");
        let hour = self.world.clock.now_micros() / 3_600_000_000;
        for hour in hour - 48..=hour {
            let left = tables.talk.intents.list(hour).await.unwrap();
            assert!(left.is_empty(), "{at}: {left:?}");
        }
    }

    /// How many rows there are of what people say and report.
    pub(crate) async fn rows(&self) -> Vec<usize> {
        let mut counts = Vec::new();
        for table in [
            "comments",
            "comment_versions",
            "comment_requests",
            "comment_marks",
            "comment_scores",
            "recent_comments",
            "removed_comments",
            "talk_intents",
            "reports",
            "cases",
            "open_cases",
            "rates",
            "policy_happenings",
            "notifications",
            "moderation_log",
        ] {
            let select = format!("SELECT * FROM votes.{table}");
            let answer = self.world.session.query(&select, ()).await.unwrap();
            counts.push(answer.into_rows().len());
        }
        counts
    }
}

#[tokio::test]
async fn a_comment_is_written_answered_edited_and_removed() {
    let scene = scene().await;
    let (votes, policy) = (&scene.world.votes, scene.policy);
    let mut asked = scene.text(" Plant more.\r\nSoon. ", None);
    let first = votes.write_comment(scene.ada, &asked).await.unwrap();
    assert_eq!(votes.write_comment(scene.ada, &asked).await.unwrap(), first);
    asked.body = "Another.".to_owned();
    assert_eq!(
        code(votes.write_comment(scene.ada, &asked).await),
        "request_reused"
    );
    let answer = scene.say(scene.ben, "Where?", Some(first)).await;
    scene.assert_whole("after writing").await;
    let told = votes.tables().happenings.notifications(scene.ada, 10).await;
    let told = told.unwrap();
    assert_eq!(told.len(), 1);
    let told = told.first().unwrap();
    assert_eq!(
        (told.kind, told.id, told.actor),
        (HappeningKind::Replied, answer.0, scene.ben)
    );
    let counted = votes.tables().discussion.read(policy).await.unwrap();
    let counted = counted.unwrap();
    assert_eq!((counted.comments, counted.people), (2, 2));
    assert_eq!(counted.last_micros, answer.made_at_micros());

    for _ in 0..2 {
        let edited = votes.edit_comment(scene.ada, policy, first, "Trees", "Plant many.");
        edited.await.unwrap();
    }
    let edited = votes.edit_comment(scene.ada, policy, first, "Trees", "Plant all.");
    edited.await.unwrap();
    let now = votes.comment(policy, first).await.unwrap().unwrap();
    assert_eq!(
        (now.subject.as_str(), now.body.as_str(), now.is_edited()),
        ("Trees", "Plant all.", true)
    );
    let before = votes.comment_history(policy, first).await.unwrap();
    let before: Vec<_> = before.iter().map(|it| it.body.as_str()).collect();
    assert_eq!(before, ["Plant more.\nSoon.", "Plant many."]);

    let by = By::User(scene.moderator);
    let removed = votes.remove_comment(by, policy, first, "rude");
    removed.await.unwrap();
    let removed = votes.remove_comment(by, policy, first, "rude");
    removed.await.unwrap();
    let own = votes.remove_own_comment(scene.ada, policy, first).await;
    assert_eq!(code(own), "comment_removed");
    let own = votes.remove_own_comment(scene.ben, policy, answer);
    own.await.unwrap();
    assert_eq!(
        scene.shown(ThreadOrder::Oldest).await,
        [(String::new(), 0), (String::new(), 1)]
    );
    let now = votes.comment(policy, first).await.unwrap().unwrap();
    let removal = now.removal.unwrap();
    assert_eq!(
        (removal.by, removal.reason.as_str()),
        (scene.moderator, "rude")
    );
    let history = votes.comment_history(policy, first).await.unwrap();
    assert!(history.is_empty());
    let full = votes.comment_for_moderators(by, policy, first).await;
    let (full, history) = full.unwrap();
    assert_eq!((full.body.as_str(), history.len()), ("Plant all.", 2));
    scene.assert_whole("after removing").await;
    let log = votes.tables().moderation.list(MONDAY).await.unwrap();
    let acts: Vec<_> = log.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(acts, ["remove_comment", "put_category", "grant_role"]);
}

#[tokio::test]
async fn every_refusal_has_its_code_and_nothing_is_written() {
    let scene = scene().await;
    let world = &scene.world;
    let votes = &world.votes;
    let (ada, ben, policy) = (scene.ada, scene.ben, scene.policy);
    let comment = scene.say(ada, "Plant more.", None).await;
    let gone = scene.say(ada, "Gone.", None).await;
    let removed = votes.remove_own_comment(ada, policy, gone);
    removed.await.unwrap();
    let other = votes.account(ben).await.unwrap();
    let away = world.policy(other, "Far away").await;
    votes.release(away, Release::Delete).await.unwrap();
    let before = scene.rows().await;
    let nobody = UserId(request(world).0);
    let nothing = CommentId(request(world).0);
    let long = "x".repeat(10_001);
    for (author, policy, answers, subject, body, expected) in [
        (ada, policy, None, "", "", "body_empty"),
        (ada, policy, None, "", "\u{200b} \n", "body_empty"),
        (ada, policy, None, "", long.as_str(), "body_too_long"),
        (ada, policy, None, "", "a\0", "body_bad_character"),
        (ada, policy, None, "a\nb", "text", "subject_bad_character"),
        (ada, policy, None, &long, "text", "subject_too_long"),
        (nobody, policy, None, "", "text", "no_such_user"),
        (ada, no_policy(), None, "", "text", "no_such_policy"),
        (ada, away, None, "", "text", "policy_deleted"),
        (ada, policy, Some(nothing), "", "text", "no_such_comment"),
        (ada, policy, Some(gone), "", "text", "comment_removed"),
    ] {
        let new = NewComment {
            request: request(world),
            policy,
            answers,
            subject: subject.to_owned(),
            body: body.to_owned(),
        };
        assert_eq!(code(votes.write_comment(author, &new).await), expected);
    }
    let edit = |by, comment, body| votes.edit_comment(by, policy, comment, "", body);
    assert_eq!(code(edit(ada, comment, " ").await), "body_empty");
    assert_eq!(code(edit(ben, comment, "mine").await), "not_author");
    assert_eq!(code(edit(ada, gone, "back").await), "comment_removed");
    assert_eq!(code(edit(ada, nothing, "x").await), "no_such_comment");
    let mark = |by, comment| votes.mark_comment(by, policy, comment, Mark::Up);
    assert_eq!(code(mark(ada, comment).await), "own_doing");
    assert_eq!(code(mark(ben, gone).await), "comment_removed");
    assert_eq!(code(mark(ben, nothing).await), "no_such_comment");
    assert_eq!(code(mark(nobody, comment).await), "no_such_user");
    let own = votes.remove_own_comment(ben, policy, comment).await;
    assert_eq!(code(own), "not_author");
    let remove = |by, comment, why| votes.remove_comment(by, policy, comment, why);
    let (user, moderator) = (By::User(ben), By::User(scene.moderator));
    assert_eq!(code(remove(user, comment, "rude").await), "not_allowed");
    assert_eq!(code(remove(moderator, comment, "").await), "reason_empty");
    assert_eq!(
        code(remove(moderator, nothing, "rude").await),
        "no_such_comment"
    );
    let read = votes.comment_for_moderators(user, policy, gone).await;
    assert_eq!(code(read), "not_allowed");
    world.wait(DAY + HOUR);
    assert_eq!(code(edit(ada, comment, "late").await), "edit_too_late");
    assert_eq!(scene.rows().await, before);
}

#[tokio::test]
async fn answers_stand_no_deeper_than_eight() {
    let scene = scene().await;
    let mut last = None;
    for number in 0..10 {
        let author = [scene.ada, scene.ben][number % 2];
        last = Some(scene.say(author, &number.to_string(), last).await);
    }
    let shown = scene.shown(ThreadOrder::Oldest).await;
    let levels: Vec<usize> = shown.iter().map(|(_, level)| *level).collect();
    assert_eq!(levels, [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]);
    // Whoever is answered is told, also where the answer stands beside.
    let happenings = &scene.world.votes.tables().happenings;
    let told = happenings.notifications(scene.ada, 100).await.unwrap();
    assert_eq!(told.len(), 5);
    let deep = scene.world.votes.comment(scene.policy, last.unwrap()).await;
    assert_eq!(deep.unwrap().unwrap().depth, 8);
}

#[tokio::test]
async fn threads_come_in_three_orders_and_in_pages() {
    let scene = scene().await;
    let (votes, policy) = (&scene.world.votes, scene.policy);
    let a = scene.say(scene.ada, "a", None).await;
    let b = scene.say(scene.ada, "b", None).await;
    let c = scene.say(scene.ben, "c", None).await;
    scene.say(scene.ben, "a1", Some(a)).await;
    let mark = |user, comment, mark| votes.mark_comment(user, policy, comment, mark);
    mark(scene.ben, b, Mark::Up).await.unwrap();
    mark(scene.moderator, b, Mark::Up).await.unwrap();
    mark(scene.ada, c, Mark::Up).await.unwrap();
    mark(scene.moderator, c, Mark::Down).await.unwrap();
    scene.world.wait(Duration::from_secs(1));
    mark(scene.moderator, c, Mark::None).await.unwrap();
    let bodies = |shown: Vec<(String, usize)>| -> String {
        shown.into_iter().map(|(body, _)| body + " ").collect()
    };
    assert_eq!(bodies(scene.shown(ThreadOrder::Best).await), "b c a a1 ");
    assert_eq!(bodies(scene.shown(ThreadOrder::Newest).await), "c b a a1 ");
    assert_eq!(bodies(scene.shown(ThreadOrder::Oldest).await), "a a1 b c ");
    let (mut after, mut read) = (None, Vec::new());
    loop {
        let order = ThreadOrder::Best;
        let page = votes
            .comment_threads(policy, order, after, 1)
            .await
            .unwrap();
        let texts = page.comments.iter().map(|it| it.comment.body.clone());
        read.push(texts.collect::<Vec<_>>());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(read, [vec!["b"], vec!["c"], vec!["a", "a1"]]);
    scene.assert_whole("after marks").await;
}

#[tokio::test]
async fn what_is_new_leaves_out_what_not_everybody_may_read() {
    let scene = scene().await;
    let world = &scene.world;
    let votes = &world.votes;
    let start = world.clock.now_micros();
    scene.say(scene.ada, "first", None).await;
    world.wait(HOUR * 5);
    let later = world.clock.now_micros();
    let gone = scene.say(scene.ada, "gone", None).await;
    scene.say(scene.ben, "last", None).await;
    let removed = votes.remove_own_comment(scene.ada, scene.policy, gone);
    removed.await.unwrap();
    let bodies = |comments: Vec<stoa_votes::model::Comment>| -> Vec<String> {
        comments.into_iter().map(|it| it.body).collect()
    };
    let all = votes.comments_since(start, 10).await.unwrap();
    assert_eq!(bodies(all), ["last", "first"]);
    let some = votes.comments_since(later, 10).await.unwrap();
    assert_eq!(bodies(some), ["last"]);
    let one = votes.comments_since(start, 1).await.unwrap();
    assert_eq!(bodies(one), ["last"]);
    let policy = scene.policy;
    let own = votes.policy_comments_since(policy, start, 10).await;
    assert_eq!(bodies(own.unwrap()), ["last", "first"]);
    let own = votes.policy_comments_since(policy, later, 10).await;
    assert_eq!(bodies(own.unwrap()), ["last"]);
    let hide = "UPDATE votes.policy_pages SET is_hidden = true WHERE policy = ? IF EXISTS";
    world.session.query(hide, (policy,)).await.unwrap();
    let none = votes.comments_since(start, 10).await.unwrap();
    assert!(none.is_empty());
    let new = scene.text("hidden", None);
    assert_eq!(
        code(votes.write_comment(scene.ada, &new).await),
        "policy_hidden"
    );
}

#[tokio::test]
async fn what_is_new_about_a_tag_is_about_the_policies_that_have_it() {
    let scene = scene().await;
    let (world, votes) = (&scene.world, &scene.world.votes);
    let ben = votes.account(scene.ben).await.unwrap();
    let other = world.policy(ben, "Roads").await;
    let green = votes.tag_policy(scene.ada, scene.policy, "green").await;
    let green = green.unwrap().id;
    let grey = votes.tag_policy(scene.ben, other, "grey").await.unwrap().id;
    let start = world.clock.now_micros();
    scene.say(scene.ben, "about trees", None).await;
    let mut new = scene.text("about roads", None);
    new.policy = other;
    votes.write_comment(scene.ada, &new).await.unwrap();
    world.wait(2 * HOUR);
    let later = world.clock.now_micros();
    let gone = scene.say(scene.ada, "gone", None).await;
    scene.say(scene.ada, "more about trees", None).await;
    let removed = votes.remove_own_comment(scene.ada, scene.policy, gone);
    removed.await.unwrap();
    let new = async |tag, since, most| -> Vec<String> {
        let found = votes.tag_comments_since(tag, since, most).await.unwrap();
        found.into_iter().map(|it| it.body).collect()
    };
    assert_eq!(
        new(green, start, 10).await,
        ["more about trees", "about trees"]
    );
    assert_eq!(new(green, start, 1).await, ["more about trees"]);
    assert_eq!(new(green, later, 10).await, ["more about trees"]);
    assert_eq!(new(grey, start, 10).await, ["about roads"]);
    assert_eq!(new(grey, later, 10).await, [""; 0]);
    // A policy that takes the tag too brings what was said about it before.
    votes.tag_policy(scene.ben, other, "green").await.unwrap();
    assert_eq!(
        new(green, start, 10).await,
        ["more about trees", "about roads", "about trees"]
    );
    votes.untag_policy(scene.ben, other, green).await.unwrap();
    assert_eq!(
        new(green, start, 10).await,
        ["more about trees", "about trees"]
    );
    let hide = "UPDATE votes.policy_pages SET is_hidden = true WHERE policy = ? IF EXISTS";
    let hidden = world.session.query(hide, (scene.policy,)).await;
    hidden.unwrap();
    assert_eq!(new(green, start, 10).await, [""; 0]);
    assert_eq!(new(grey, start, 10).await, ["about roads"]);
}

#[tokio::test]
async fn comments_of_a_merged_policy_stay_and_new_ones_belong_to_its_root() {
    let scene = scene().await;
    let votes = &scene.world.votes;
    scene.say(scene.ada, "old", None).await;
    let other = votes.account(scene.ben).await.unwrap();
    let parks = scene.world.policy(other, "Parks").await;
    let sources = [scene.policy, parks].into();
    let root = votes.merge(scene.moderator, sources).await.unwrap();
    let root = root.unwrap();
    let new = scene.text("new", None);
    let refused = votes.write_comment(scene.ben, &new).await.unwrap_err();
    let NotDone::Refused(Refused::Talk(refusal)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refusal, TalkRefusal::PolicyMerged { root });
    let new = NewComment {
        policy: root,
        ..new
    };
    votes.write_comment(scene.ben, &new).await.unwrap();
    let linked = votes.linked_discussions(root).await.unwrap();
    let linked: Vec<_> = linked.iter().map(|it| (it.policy, it.comments)).collect();
    assert_eq!(linked, [(scene.policy, 1)]);
    assert_eq!(
        scene.shown(ThreadOrder::Best).await,
        [("old".to_owned(), 0)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_writes_more_than_thirty_comments_within_an_hour() {
    let scene = Arc::new(scene().await);
    let tasks: Vec<_> = (0..60)
        .map(|number| {
            let scene = Arc::clone(&scene);
            let new = scene.text(&number.to_string(), None);
            tokio::spawn(async move { scene.world.votes.write_comment(scene.ada, &new).await })
        })
        .collect();
    for task in tasks {
        let told = code(task.await.unwrap());
        let expected = ["done", "too_many_comments", "outcome_unknown"];
        assert!(expected.contains(&told), "{told}");
    }
    for _ in 0..31 {
        let new = scene.text("more", None);
        let _ = scene.world.votes.write_comment(scene.ada, &new).await;
    }
    let comments = &scene.world.votes.tables().talk.comments;
    let count = || async { comments.outline(scene.policy).await.unwrap().len() };
    assert_eq!(count().await, 30);
    scene.world.wait(HOUR);
    scene.say(scene.ada, "next", None).await;
    assert_eq!(count().await, 31);
    scene.assert_whole("after many").await;
}

#[tokio::test]
async fn the_text_of_a_removed_comment_is_erased_after_thirty_days() {
    let scene = scene().await;
    let (world, policy) = (&scene.world, scene.policy);
    let votes = &world.votes;
    let comment = scene.say(scene.ada, "secret", None).await;
    let edited = votes.edit_comment(scene.ada, policy, comment, "", "other");
    edited.await.unwrap();
    let removed = votes.remove_own_comment(scene.ada, policy, comment);
    removed.await.unwrap();
    world.wait(DAY * 30 - HOUR);
    votes.sweep_comments().await.unwrap();
    let by = By::User(scene.moderator);
    let read = || votes.comment_for_moderators(by, policy, comment);
    assert_eq!(read().await.unwrap().0.body, "other");
    world.wait(HOUR * 2);
    let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
    let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
    let twin = instance(session, &world.clock, &world.ids).await;
    for call in 0..80 {
        let trouble = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(trouble), &world.clock, &world.ids).await;
        let _ = dying.sweep_comments().await;
    }
    twin.sweep_comments().await.unwrap();
    assert!(counting.calls() < 80);
    let (erased, history) = read().await.unwrap();
    assert_eq!(
        (erased.state, erased.body.as_str(), history.len()),
        (CommentState::Erased, "", 0)
    );
    assert!(erased.removal.is_some());
    let left = world
        .session
        .query("SELECT * FROM votes.removed_comments", ());
    assert_eq!(left.await.unwrap().into_rows().len(), 0);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Write,
    Edit,
    Mark,
    Remove,
}

async fn act(
    scene: &Scene,
    votes: &Votes,
    action: Action,
    on: (CommentId, RequestId),
) -> &'static str {
    let (comment, request) = on;
    let policy = scene.policy;
    match action {
        Action::Write => {
            let new = NewComment {
                request,
                policy,
                answers: Some(comment),
                subject: String::new(),
                body: "answer".to_owned(),
            };
            code(votes.write_comment(scene.ben, &new).await)
        }
        Action::Edit => {
            let edited = votes.edit_comment(scene.ada, policy, comment, "", "edited");
            code(edited.await)
        }
        Action::Mark => {
            let marked = votes.mark_comment(scene.ben, policy, comment, Mark::Up);
            code(marked.await)
        }
        Action::Remove => {
            let by = By::User(scene.moderator);
            code(votes.remove_comment(by, policy, comment, "rude").await)
        }
    }
}

async fn assert_done(scene: &Scene, action: Action, comment: CommentId, at: &str) {
    let tables = scene.world.votes.tables();
    let found = tables.talk.comments.read(scene.policy, comment).await;
    let found = found.unwrap().unwrap();
    match action {
        Action::Write => {
            let all = tables.talk.comments.outline(scene.policy).await.unwrap();
            let answers = all.iter().filter(|it| it.parent == Some(comment));
            assert_eq!(answers.count(), 1, "{at}");
        }
        Action::Edit => {
            assert_eq!(found.body, "edited", "{at}");
            let history = scene.world.votes.comment_history(scene.policy, comment);
            assert_eq!(history.await.unwrap().len(), 1, "{at}");
        }
        Action::Mark => {
            let scores = tables.talk.marks.scores(scene.policy).await.unwrap();
            assert_eq!(scores.get(&comment).unwrap().up, 1, "{at}");
        }
        Action::Remove => assert_eq!(found.state, CommentState::Removed, "{at}"),
    }
}

#[tokio::test]
async fn whatever_happens_at_any_call_nothing_is_left_half() {
    let scene = scene().await;
    let world = &scene.world;
    for action in [Action::Write, Action::Edit, Action::Mark, Action::Remove] {
        let comment = scene.say(scene.ada, "text", None).await;
        let counting = Arc::new(Troubled::counting(Arc::clone(&world.session)));
        let session: Arc<dyn Session> = Arc::<Troubled>::clone(&counting);
        let votes = instance(session, &world.clock, &world.ids).await;
        let on = (comment, request(world));
        assert_eq!(act(&scene, &votes, action, on).await, "done");
        for trouble in Trouble::ALL {
            for call in place::tried(counting.calls()) {
                world.wait(HOUR);
                let on = (scene.say(scene.ada, "text", None).await, request(world));
                // A count of the same moment by another instance would be a tie.
                world.wait(Duration::from_secs(1));
                let troubled = Troubled::new(Arc::clone(&world.session), call, trouble);
                let votes = instance(Arc::new(troubled), &world.clock, &world.ids).await;
                let first = act(&scene, &votes, action, on).await;
                let at = format!("{action:?}, {trouble:?} at call {call}: {first}");
                assert!(trouble != Trouble::Twice || first == "done", "{at}");
                world.wait(Duration::from_secs(150));
                if call % 2 == 0 {
                    world.votes.finish_talk().await.unwrap();
                    scene.assert_whole(&at).await;
                }
                let again = act(&scene, &world.votes, action, on).await;
                assert_eq!(again, "done", "{at}");
                world.wait(Duration::from_secs(150));
                world.votes.finish_talk().await.unwrap();
                scene.assert_whole(&at).await;
                assert_done(&scene, action, on.0, &at).await;
            }
        }
    }
}

#[tokio::test]
async fn the_task_that_finishes_may_die_anywhere() {
    let scene = scene().await;
    let world = &scene.world;
    for call in 0..120 {
        let comment = scene.say(scene.ada, "text", None).await;
        let new = scene.text("answer", Some(comment));
        // Dies right after the comment is there.
        let troubled = Troubled::new(Arc::clone(&world.session), 11, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        assert!(dying.write_comment(scene.ben, &new).await.is_err());
        world.wait(HOUR);
        let troubled = Troubled::new(Arc::clone(&world.session), call, Trouble::DiesAfter);
        let dying = instance(Arc::new(troubled), &world.clock, &world.ids).await;
        let is_over = dying.finish_talk().await.is_ok();
        world.votes.finish_talk().await.unwrap();
        scene.assert_whole(&format!("call {call}")).await;
        if is_over {
            return;
        }
    }
    panic!("the task does not end");
}
