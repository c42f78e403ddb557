//! What runs in the background, what was told, and mail that waits: as an admin sees it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use stoa_tasks::{Done, Level, Line, Runner, Tables, Task, TaskError, Work};
use stoa_types::Clock;
use stoa_votes::model::{By, Role};
use stoa_votes::tables::outbox::Delivery;
use stoa_web::Background;

use crate::admin_rules::admin;
use crate::world::{MONDAY, World};

const OUTBOX: &str = "/admin/outbox";

/// A task that does nothing, or finds what it is told to find.
#[derive(Debug, Default)]
pub(crate) struct Audit(Mutex<Vec<String>>);

impl Task for Audit {
    fn name(&self) -> &str {
        "votes.audit"
    }

    fn about(&self) -> &str {
        "Finds what it is told to."
    }

    fn period(&self) -> Duration {
        Duration::from_secs(86_400)
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        let findings = self.0.lock().unwrap().clone();
        Box::pin(async move {
            match findings.is_empty() {
                true => Ok(Done::told("the books balance")),
                false => Err(TaskError::Found {
                    what: format!("findings: {}", findings.len()),
                    findings,
                }),
            }
        })
    }
}

async fn background(world: &World) -> (Runner, Arc<Tables>, Arc<Audit>) {
    let tables = Tables::open(Arc::clone(&world.session), "votes").await;
    let tables = Arc::new(tables.unwrap());
    let audit = Arc::new(Audit(Mutex::default()));
    let task: Arc<dyn Task> = Arc::<Audit>::clone(&audit);
    let clock: Arc<dyn Clock> = Arc::<stoa_types::ManualClock>::clone(&world.clock);
    let runner = Runner::new(Arc::clone(&tables), vec![task], clock, &*world.ids, "1.2.3");
    let runner = runner.unwrap();
    let of = Background::of(&runner, Arc::clone(&tables));
    world.app.begin_background(of);
    (runner, tables, audit)
}

#[tokio::test]
async fn an_admin_runs_a_task_and_sees_what_came_of_it() {
    let world = World::new().await;
    let (mut runner, _, audit) = background(&world).await;
    let mut browser = admin(&world).await;
    let page = browser.get("/admin/audit").await;
    assert!(page.has("There was no audit yet"), "{}", page.text);
    let ask = [("task", "votes.audit"), ("then", "audit")];
    let asked = browser.send("/admin/audit", "/admin/tasks", &ask).await;
    assert_eq!(asked.location, "/admin/audit?asked=votes.audit");
    assert!(
        browser
            .get(&asked.location)
            .await
            .has("runs within a few seconds")
    );
    assert_eq!(runner.run_due().await.ran.len(), 1);
    let page = browser.get("/admin/audit").await;
    assert!(
        page.has("The books balance, to the single vote"),
        "{}",
        page.text
    );
    audit
        .0
        .lock()
        .unwrap()
        .push("I4 counts agree: <b>one</b> too many".to_owned());
    browser
        .send("/admin/tasks", "/admin/tasks", &ask[..1])
        .await;
    world.clock.advance(Duration::from_secs(1));
    runner.run_due().await;
    let page = browser.get("/admin/audit").await;
    assert!(
        page.has("The audit found something") && page.has("Findings"),
        "{}",
        page.text
    );
    assert!(page.has("I4 counts agree: &lt;b&gt;one&lt;/b&gt; too many"));
    let tasks = browser.get("/admin/tasks").await;
    assert!(
        tasks.has("Failed once") && tasks.has("runs elsewhere"),
        "{}",
        tasks.text
    );
    assert!(tasks.has("Closes each day once it is over."));
    assert!(browser.get("/admin").await.has("The audit found something"));
    for nothing in ["", "votes.close_day", "<script>"] {
        let page = browser
            .send("/admin/tasks", "/admin/tasks", &[("task", nothing)])
            .await;
        assert_eq!(page.status, 404, "{nothing}");
    }
}

#[tokio::test]
async fn what_was_told_is_read_by_day_and_instance_and_who_lives_is_listed() {
    let world = World::new().await;
    let (mut runner, tables, _) = background(&world).await;
    let mut browser = admin(&world).await;
    assert!(
        browser
            .get("/admin/log")
            .await
            .has("Nothing was told on this day")
    );
    assert!(
        browser
            .get("/admin/instances")
            .await
            .has("Nobody has said yet")
    );
    runner.run_due().await;
    let here = browser.get("/admin/instances").await;
    assert!(here.has("this one") && here.has("1.2.3"), "{}", here.text);
    let (one, two) = (runner.instance().id, world.request().0);
    for (instance, what) in [(one, "a <i>disk</i> is full"), (two, "a clock is off")] {
        let line = Line::new(&*world.ids, instance, Level::Error, what).with("place", "cellar");
        tables.log.write(&line).await.unwrap();
    }
    let all = browser.get("/admin/log").await;
    assert!(all.has("a &lt;i&gt;disk&lt;/i&gt; is full") && all.has("a clock is off"));
    assert!(all.has("place: cellar"));
    let some = format!("/admin/log?day={MONDAY}&instance={two}");
    let some = browser.get(&some).await;
    assert!(some.has("a clock is off") && !some.has("is full"));
    let before = browser.get("/admin/log?day=2026-11-15").await;
    assert!(before.has("Nothing was told on this day"));
    for odd in ["day=2126-01-01", "day=x", "instance=x", "day=1970-01-01"] {
        assert_eq!(browser.get(&format!("/admin/log?{odd}")).await.status, 200);
    }
}

#[tokio::test]
async fn pages_say_where_nothing_runs() {
    let world = World::new().await;
    let mut browser = admin(&world).await;
    for path in [
        "/admin",
        "/admin/tasks",
        "/admin/instances",
        "/admin/log",
        "/admin/audit",
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200);
        assert!(page.has("Nothing is done in the background here"), "{path}");
    }
    let run = browser
        .send("/admin", "/admin/tasks", &[("task", "votes.audit")])
        .await;
    assert_eq!(run.status, 404);
}

#[tokio::test]
async fn an_admin_hands_out_the_link_of_a_mail_and_that_is_written_down() {
    let world = World::new().await;
    let mut newcomer = world.browser();
    let fields = [
        ("name", "ada"),
        ("email", "ada@example.org"),
        ("password", "a long password"),
    ];
    newcomer.send("/register", "/register", &fields).await;
    let mut browser = admin(&world).await;
    let list = browser.get(OUTBOX).await;
    assert!(
        list.has("ada@example.org") && list.has("Confirm the address"),
        "{}",
        list.text
    );
    let today = world.votes().tables().outbox.pending(MONDAY).await.unwrap();
    let mail = today
        .iter()
        .find(|it| it.recipient == "ada@example.org")
        .unwrap();
    let secret = mail.fields.get("token").unwrap();
    assert!(!list.has(secret), "the list shows no secret");
    let path = format!("{OUTBOX}/{MONDAY}/{}", mail.id);
    assert!(list.has(&path));
    assert_eq!(browser.get(&path).await.status, 405, "opening takes a form");
    let open = browser.send(OUTBOX, &path, &[]).await;
    assert!(
        open.has(&format!("/verify-email?token={secret}")),
        "{}",
        open.text
    );
    let acts = browser.get("/admin/acts").await;
    assert!(
        acts.has("read_mail") && acts.has("@the-boss"),
        "{}",
        acts.text
    );
    assert!(acts.has("grant_role") && acts.has("everybody") && acts.has("admins"));
    // What was sent has no link any more.
    let outbox = &world.votes().tables().outbox;
    outbox
        .finish(MONDAY, mail.id, Delivery::Sent)
        .await
        .unwrap();
    assert_eq!(browser.send(OUTBOX, &path, &[]).await.status, 404);
    let sent = browser.get("/admin/outbox?which=sent").await;
    assert!(sent.has("erased") && !sent.has("ada@example.org"));
    for odd in ["which=x", "after=x", "day=2026-11-15&which=all"] {
        assert_eq!(browser.get(&format!("{OUTBOX}?{odd}")).await.status, 200);
    }
    for odd in ["2026-11-16/x", "x/00000000-0000-1000-8000-000000000001"] {
        assert_eq!(
            browser
                .send(OUTBOX, &format!("{OUTBOX}/{odd}"), &[])
                .await
                .status,
            404
        );
    }
}

#[tokio::test]
async fn acts_of_a_busy_day_are_read_in_parts() {
    let world = World::new().await;
    let ada = world.member("ada").await;
    let mut browser = admin(&world).await;
    for _ in 0..60 {
        world.grant(ada.user, Role::MergePolicies).await;
        let by = By::Operator;
        let revoked = world.votes().revoke_role(by, ada.user, Role::MergePolicies);
        revoked.await.unwrap();
    }
    let first = browser.get("/admin/acts").await;
    assert_eq!(first.text.matches("_role</code>").count(), 100);
    let (_, rest) = first.text.split_once("before=").unwrap();
    let before = rest.split('"').next().unwrap();
    let second = format!("/admin/acts?day={MONDAY}&before={before}");
    let second = browser.get(&second).await;
    assert_eq!(second.text.matches("_role</code>").count(), 21);
    assert!(second.has("The latest of this day") && !second.has("Earlier on this day"));
}
