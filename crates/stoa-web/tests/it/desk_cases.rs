//! Reports before those who judge them: the queue, a case, the decision, and who sees what.

use std::time::Duration;

use stoa_votes::model::{
    CommentId, HappeningKind, PolicyId, ReportReason, Role, Target, TargetKind, UserId,
};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::report::{AccessProblem, NewReport};
use stoa_votes::ops::sign_in::Origin;
use stoa_votes::ops::write_comment::NewComment;

use crate::world::{Page, World};

const RUDE: &str = "Everyone on that committee is paid by the tarmac firm";

pub(crate) struct Scene {
    pub(crate) world: World,
    pub(crate) ada: Account,
    pub(crate) policy: PolicyId,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let world = World::new().await;
        let ada = world.member("ada").await;
        let judge = world.member("judge").await;
        world.grant(judge.user, Role::HandleReports).await;
        let policy = world.policy(ada, "Cycle lane on Station Road").await;
        Self { world, ada, policy }
    }

    async fn comment(&self) -> CommentId {
        let new = NewComment {
            request: self.world.request(),
            policy: self.policy,
            answers: None,
            subject: String::new(),
            body: RUDE.to_owned(),
        };
        let written = self.world.votes().write_comment(self.ada.user, &new).await;
        written.unwrap()
    }

    async fn report(&self, reporter: UserId, target: Target) {
        let report = NewReport {
            target,
            reason: ReportReason::Abuse,
            words: "Says <b>they</b> are bribed".to_owned(),
        };
        self.world.clock.advance(Duration::from_secs(1));
        self.world.votes().report(reporter, &report).await.unwrap();
    }

    /// A comment that three people reported, and the address of its case.
    async fn hidden_comment(&self) -> (CommentId, String, Vec<UserId>) {
        let comment = self.comment().await;
        let target = Target::Comment(self.policy, comment);
        let mut reporters = Vec::new();
        for name in ["ben", "cid", "dora"] {
            let reporter = self.world.member(name).await.user;
            self.report(reporter, target).await;
            reporters.push(reporter);
        }
        let address = format!("/desk/cases/comment.{}.{comment}", self.policy);
        (comment, address, reporters)
    }

    async fn told(&self, user: UserId) -> Vec<String> {
        let told = self
            .world
            .votes()
            .tables()
            .happenings
            .notifications(user, 9);
        let told = told.await.unwrap().into_iter();
        let decided = told.filter(|it| it.kind == HappeningKind::ReportDecided);
        decided.map(|it| it.detail).collect()
    }

    async fn logged(&self) -> Vec<String> {
        let log = self
            .world
            .votes()
            .moderation_log(crate::world::MONDAY, None, 100);
        let entries = log.await.unwrap().entries.into_iter();
        entries
            .map(|it| format!("{}: {}", it.action, it.reason))
            .collect()
    }
}

#[tokio::test]
async fn what_was_reported_is_in_the_queue_and_read_in_its_case() {
    let scene = Scene::new().await;
    let (_, address, _) = scene.hidden_comment().await;
    let mut browser = scene.world.signed_in("judge").await;
    let queue = browser.get("/desk/cases").await;
    assert!(
        queue.has("Comment by @ada on Cycle lane on Station Road"),
        "{}",
        queue.text
    );
    assert!(queue.has("Hidden until reviewed") && queue.has("3 people"));
    assert!(queue.has("Attacks people (3)"));
    // What is hidden is not read in passing.
    assert!(!queue.has(RUDE));
    assert!(queue.has("Reports (1)") && queue.has("one case waits"));
    let case = browser.get(&address).await;
    assert!(
        case.has(RUDE) && case.has("Reported by @ben"),
        "{}",
        case.text
    );
    assert!(case.has("Says &lt;b&gt;they&lt;/b&gt; are bribed"));
}

#[tokio::test]
async fn a_case_is_taken_and_decided_and_those_who_reported_are_told() {
    let scene = Scene::new().await;
    let (comment, address, reporters) = scene.hidden_comment().await;
    let mut browser = scene.world.signed_in("judge").await;
    let id = browser.get(&address).await.field("case");
    // Nothing chosen and no reason: both are told, and nothing is written.
    let fields = [("case", id.as_str()), ("do", "decide")];
    let empty = browser.send(&address, &address, &fields).await;
    assert_eq!(empty.status, 422);
    assert!(
        empty.has("2 things need attention") && empty.has("Say why"),
        "{}",
        empty.text
    );
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "removed"),
        ("reason", "  "),
    ];
    let half = browser.send(&address, &address, &fields).await;
    assert!(half.has("value=\"removed\" checked"), "{}", half.text);
    assert!(scene.told(reporters[0]).await.is_empty());
    let taken = browser
        .send(&address, &address, &[("case", &id), ("do", "take")])
        .await;
    assert_eq!(taken.location, format!("{address}?done=taken"));
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "removed"),
        ("reason", "An accusation without a fact"),
    ];
    let done = browser.send(&address, &address, &fields).await;
    assert_eq!(
        (done.status, done.location.clone()),
        (303, format!("{address}?done=decided")),
        "{}",
        done.text
    );
    // Sent once more it is the same decision.
    let again = browser.send(&address, &address, &fields).await;
    assert_eq!((again.status, again.location), (303, done.location.clone()));
    for reporter in reporters {
        assert_eq!(scene.told(reporter).await, ["removed"]);
    }
    let told = browser.get(&done.location).await;
    assert!(told.has("Decided. Those who reported it are told."));
    assert!(told.has("An accusation without a fact") && !told.has("name=\"decision\""));
    let log = scene.logged().await;
    assert!(
        log.contains(&"uphold_report: An accusation without a fact".to_owned()),
        "{log:?}"
    );
    let page = scene
        .world
        .browser()
        .get(&format!("/policies/{}/-/comments/{comment}", scene.policy))
        .await;
    assert!(page.has("An accusation without a fact") && !page.has(RUDE));
    assert!(browser.get("/desk/cases").await.has("Nothing waits"));
}

#[tokio::test]
async fn what_is_kept_is_shown_again() {
    let scene = Scene::new().await;
    let (comment, address, _) = scene.hidden_comment().await;
    let mut browser = scene.world.signed_in("judge").await;
    let id = browser.get(&address).await.field("case");
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "rejected"),
        ("reason", "It is an opinion"),
    ];
    let done = browser.send(&address, &address, &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    let address = format!("/policies/{}/-/comments/{comment}", scene.policy);
    assert!(scene.world.browser().get(&address).await.has(RUDE));
}

#[tokio::test]
async fn a_case_of_another_cannot_be_decided_and_one_given_back_can() {
    let scene = Scene::new().await;
    let second = scene.world.member("second").await;
    scene.world.grant(second.user, Role::HandleReports).await;
    let (_, address, _) = scene.hidden_comment().await;
    let mut first = scene.world.signed_in("judge").await;
    let mut second = scene.world.signed_in("second").await;
    let id = first.get(&address).await.field("case");
    first
        .send(&address, &address, &[("case", &id), ("do", "take")])
        .await;
    let page = second.get(&address).await;
    assert!(page.has("@judge is looking at this case"), "{}", page.text);
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "rejected"),
        ("reason", "It is fine"),
    ];
    let refused = second.send(&address, &address, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.has("Somebody else has taken this case") && refused.has("It is fine"));
    let back = first
        .send(&address, &address, &[("case", &id), ("do", "return")])
        .await;
    assert!(first.get(&back.location).await.has("open for others again"));
    let done = second.send(&address, &address, &fields).await;
    assert_eq!(done.status, 303, "{}", done.text);
    // Whoever comes too late is told, and nothing changes.
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "removed"),
        ("reason", "It is not fine"),
    ];
    let late = first.send(&address, &address, &fields).await;
    assert_eq!(late.status, 409);
    assert!(
        late.has("This case was decided") && late.has("It is fine"),
        "{}",
        late.text
    );
}

#[tokio::test]
async fn nobody_judges_the_own_doing() {
    let scene = Scene::new().await;
    scene.world.grant(scene.ada.user, Role::HandleReports).await;
    let (_, address, _) = scene.hidden_comment().await;
    let mut browser = scene.world.signed_in("ada").await;
    let id = browser.get(&address).await.field("case");
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "rejected"),
        ("reason", "It is fine"),
    ];
    let refused = browser.send(&address, &address, &fields).await;
    assert_eq!(refused.status, 422);
    assert!(refused.has("This is your own"), "{}", refused.text);
}

#[tokio::test]
async fn who_moderates_comments_sees_cases_of_comments_alone() {
    let scene = Scene::new().await;
    let mia = scene.world.member("mia").await;
    scene.world.grant(mia.user, Role::ModerateComments).await;
    let ben = scene.world.member("ben").await.user;
    scene.report(ben, Target::Policy(scene.policy)).await;
    let comment = scene.comment().await;
    scene
        .report(ben, Target::Comment(scene.policy, comment))
        .await;
    let mut browser = scene.world.signed_in("mia").await;
    let queue = browser.get("/desk/cases?kind=policy").await;
    assert!(
        queue.has(RUDE) && !queue.has("policy\">Policy"),
        "{}",
        queue.text
    );
    assert!(queue.has("Reports (1)"));
    let of_policy = format!("/desk/cases/policy.{}", scene.policy);
    assert_eq!(browser.get(&of_policy).await.status, 403);
    let mut judge = scene.world.signed_in("judge").await;
    assert_eq!(judge.get(&of_policy).await.status, 200);
    let all = judge.get("/desk/cases").await;
    assert!(all.has(RUDE) && all.has("Reports (2)"), "{}", all.text);
    // A tab is there for whoever may use it.
    assert!(!all.has("href=\"/desk/merges\""));
    assert_eq!(judge.get("/desk/merges").await.status, 403);
}

#[tokio::test]
async fn a_moderator_removes_a_comment_that_nobody_reported() {
    let scene = Scene::new().await;
    let comment = scene.comment().await;
    let mut browser = scene.world.signed_in("judge").await;
    let page = browser.get(&format!("/policies/{}/x", scene.policy)).await;
    let address = format!("/policies/{}/-/comments/{comment}/moderate", scene.policy);
    assert!(page.has(&format!("href=\"{address}\"")), "{}", page.text);
    let member = scene
        .world
        .browser()
        .get(&format!("/policies/{}/x", scene.policy))
        .await;
    assert!(!member.has("/moderate"));
    let empty = browser.send(&address, &address, &[("reason", "")]).await;
    assert_eq!(empty.status, 422);
    let done = browser
        .send(&address, &address, &[("reason", "Off the subject")])
        .await;
    assert_eq!(done.status, 303, "{}", done.text);
    assert!(browser.get(&done.location).await.has("Off the subject"));
    assert!(
        scene
            .logged()
            .await
            .contains(&"remove_comment: Off the subject".to_owned())
    );
}

#[tokio::test]
async fn somebody_who_cannot_get_in_is_a_case_too() {
    let scene = Scene::new().await;
    let problem = AccessProblem {
        request: scene.world.request(),
        contact: "eve@example.org".to_owned(),
        words: "The mail never comes <script>".to_owned(),
    };
    let origin = Origin {
        address: [192, 0, 2, 7].into(),
        agent: String::new(),
    };
    scene
        .world
        .votes()
        .report_access(&origin, &problem)
        .await
        .unwrap();
    let open = scene
        .world
        .votes()
        .tables()
        .talk
        .cases
        .list_open(TargetKind::Access)
        .await;
    let address = format!("/desk/cases/access.{}", open.unwrap()[0].target.id());
    let mut browser = scene.world.signed_in("judge").await;
    let case = browser.get(&address).await;
    assert!(
        case.has("eve@example.org") && case.has("The mail never comes &lt;script&gt;"),
        "{}",
        case.text
    );
    assert!(!case.has("Remove it") && !case.has("Keep it hidden"));
    let id = case.field("case");
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "removed"),
        ("reason", "no"),
    ];
    assert_eq!(browser.send(&address, &address, &fields).await.status, 422);
    let fields = [
        ("case", id.as_str()),
        ("do", "decide"),
        ("decision", "upheld"),
        ("reason", "Sent by hand"),
    ];
    assert_eq!(browser.send(&address, &address, &fields).await.status, 303);
    // What keeps somebody out is nobody else's business.
    assert!(
        !scene
            .logged()
            .await
            .iter()
            .any(|it| it.contains("Sent by hand"))
    );
}

#[tokio::test]
async fn the_desk_is_in_the_head_of_those_who_have_something_to_do_there() {
    let scene = Scene::new().await;
    scene.hidden_comment().await;
    let is_there = |page: &Page| page.has("href=\"/desk\"");
    let mut judge = scene.world.signed_in("judge").await;
    let home = judge.get("/").await;
    assert!(
        is_there(&home) && home.has("one case waits"),
        "{}",
        home.text
    );
    assert!(!is_there(
        &scene.world.signed_in("ada").await.get("/").await
    ));
    assert!(!is_there(&scene.world.browser().get("/").await));
    let desk = judge.get("/desk").await;
    assert!(
        desk.has("Report queue") && !desk.has("Leading, and not answered yet"),
        "{}",
        desk.text
    );
    let sent = judge
        .send(
            "/desk",
            "/settings/look",
            &[("language", "de"), ("then", "/desk")],
        )
        .await;
    let german = judge.get(&sent.location).await;
    assert!(
        german.has("Bis zur Prüfung verborgen") && german.has("eine Meldung wartet"),
        "{}",
        german.text
    );
}

#[tokio::test]
async fn what_is_no_case_has_no_page() {
    let scene = Scene::new().await;
    let mut browser = scene.world.signed_in("judge").await;
    let nothing = "00000000-0000-1000-8000-000000000001";
    for name in [
        nothing.to_owned(),
        format!("policy.{}", scene.policy),
        format!("comment.{}.{nothing}", scene.policy),
        "comment.x.y".to_owned(),
        "%3Cscript%3E".to_owned(),
    ] {
        let address = format!("/desk/cases/{name}");
        assert_eq!(browser.get(&address).await.status, 404, "{name}");
        let sent = browser
            .send("/desk", &address, &[("case", nothing), ("do", "take")])
            .await;
        assert_eq!(sent.status, 404, "{name}: {}", sent.text);
    }
}
