//! Texts: what runs, and what was written down.

/// Texts: what runs, and what was written down.
#[derive(Debug)]
pub struct AdminRunningTexts {
    /// `Nothing is done in the background here. Whoever started this instance chose so.`
    pub nothing_runs: &'static str,
    /// `What is done in the background. Each task may run at any time and anywhere, and …`
    pub tasks_about: &'static str,
    /// `Task`
    pub task: &'static str,
    /// `How often`
    pub every: &'static str,
    /// `Last run`
    pub last_run: &'static str,
    /// `Result`
    pub result: &'static str,
    /// `not yet`
    pub never: &'static str,
    /// `took {millis} ms`
    pub took: fn(&str) -> String,
    /// `Done`
    pub done: &'static str,
    /// `Failed {times} times in a row`
    pub failed: fn(i32) -> String,
    /// `Run now`
    pub run_now: &'static str,
    /// `{task} runs within a few seconds.`
    pub asked: fn(&str) -> String,
    /// `runs elsewhere`
    pub elsewhere: &'static str,
    /// How often something is done.
    pub seconds: fn(u64) -> String,
    /// `Programs that serve this community now. Each says every two minutes that it lives, …`
    pub instances_about: &'static str,
    /// `Instance`
    pub instance: &'static str,
    /// `this one`
    pub this_one: &'static str,
    /// `Version`
    pub version: &'static str,
    /// `Started`
    pub started: &'static str,
    /// `Load`
    pub load: &'static str,
    /// `Nobody has said yet that it lives`
    pub no_instances: &'static str,
    /// `An instance says so within two minutes after its start.`
    pub no_instances_more: &'static str,
    /// `What instances told, the last first. It is kept for thirty days.`
    pub log_about: &'static str,
    /// `Day`
    pub day: &'static str,
    /// `Show`
    pub show: &'static str,
    /// `Every instance`
    pub every_instance: &'static str,
    /// `Weight`
    pub level: &'static str,
    /// `Information`
    pub info: &'static str,
    /// `Warning`
    pub warning: &'static str,
    /// `Error`
    pub error: &'static str,
    /// `Time`
    pub at: &'static str,
    /// `What happened`
    pub what: &'static str,
    /// `Nothing was told on this day`
    pub no_lines: &'static str,
    /// `Only what went wrong is told, so this is good news.`
    pub no_lines_more: &'static str,
    /// `{day}`, the day before
    pub earlier: fn(&str) -> String,
    /// `{day}`, the day after
    pub later: fn(&str) -> String,
    /// `The last {most} lines are shown.`
    pub most_lines: fn(u16) -> String,
    /// `Once a day everything is compared with the votes of each member: every count, payment …`
    pub audit_about: &'static str,
    /// `There was no audit yet`
    pub no_audit: &'static str,
    /// `The first one runs by itself. You can also run it now.`
    pub no_audit_more: &'static str,
    /// `The books balance, to the single vote`
    pub balanced: &'static str,
    /// `The audit found something`
    pub not_balanced: &'static str,
    /// `A first finding may be votes that were being counted just then, and is looked at …`
    pub not_balanced_more: &'static str,
    /// `Findings`
    pub findings: &'static str,
    /// `Audited on {moment}`
    pub audit_at: fn(&str) -> String,
    /// `Run the audit now`
    pub audit_now: &'static str,
    /// `Everything that people with roles did with them, the last first. What is marked …`
    pub acts_about: &'static str,
    /// `Who`
    pub who: &'static str,
    /// `To what`
    pub to_what: &'static str,
    /// `Details`
    pub why: &'static str,
    /// `Seen by`
    pub seen_by: &'static str,
    /// `everybody`
    pub public: &'static str,
    /// `admins`
    pub not_public: &'static str,
    /// `Nobody did anything with a role on this day`
    pub no_acts: &'static str,
    /// `Look at another day.`
    pub no_acts_more: &'static str,
    /// `Earlier on this day`
    pub older: &'static str,
    /// `The latest of this day`
    pub newest: &'static str,
    /// `whoever runs this site`
    pub operator: &'static str,
    /// `Mail of the last week. Where no server for mail is set, you can open a mail that …`
    pub outbox_about: &'static str,
    /// `All`
    pub all_mail: &'static str,
    /// `Waiting`
    pub waiting: &'static str,
    /// `Sent`
    pub sent: &'static str,
    /// `Failed`
    pub not_sent: &'static str,
    /// `To`
    pub to: &'static str,
    /// `erased`
    pub erased: &'static str,
    /// `Mail`
    pub kind: &'static str,
    /// What a mail of a kind is called.
    pub kind_name: fn(&str) -> Option<&'static str>,
    /// `Written`
    pub written: &'static str,
    /// `Tries`
    pub tries: &'static str,
    /// `next {moment}`
    pub next_try: fn(&str) -> String,
    /// `Open`
    pub open: &'static str,
    /// `Open {kind} to {to}`
    pub open_named: fn(&str, &str) -> String,
    /// `No such mail on this day`
    pub no_mail: &'static str,
    /// `Choose another day, or all mail.`
    pub no_mail_more: &'static str,
    /// `More mail`
    pub more_mail: &'static str,
    /// `Mail: {kind}`
    pub mail_title: fn(&str) -> String,
    /// `This link lets whoever has it into the account. Give it to nobody but the owner of …`
    pub mail_about: &'static str,
    /// `Opening it shows a link that lets its reader into an account, and is written down …`
    pub read_ask: &'static str,
    /// `Link to hand out`
    pub link: &'static str,
    /// `This site was started without its address (--site), so put the address that people …`
    pub no_site: &'static str,
    /// `What it says`
    pub fields: &'static str,
    /// What a task does, where this language has its own words for it.
    pub task_about: fn(&str) -> Option<&'static str>,
}
