//! `stoa admin config`: what holds and was decided for later; and deciding something else from a day
//! to come.

use std::io::Write as _;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use stoa_types::{Clock as _, SystemClock};
use stoa_votes::Votes;
use stoa_votes::model::{By, ConfigHistory, Day, PeriodLength, VotingConfig};
use stoa_votes::rules::decisions;

use super::{Common, write_done, write_list};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything that was decided, the earliest first
    Show {
        #[command(flatten)]
        common: Common,
    },
    /// Decide what holds from a day on; what is not named goes on as it is
    Set(Box<Set>),
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    stoa admin config set --from next --salary 120 --data town\n  \
    stoa admin config set --from 2027-01-04 --period month --salary 400 --dry-run --data town")]
struct Set {
    /// The first day, on which a period begins: YYYY-MM-DD, or `next`
    #[arg(long, value_name = "DATE")]
    from: String,
    /// How many votes each period brings
    #[arg(long, value_name = "VOTES")]
    salary: Option<i64>,
    /// How often votes are paid out: `week`, `month`, or a number of days
    #[arg(long, value_name = "LENGTH", value_parser = period)]
    period: Option<PeriodLength>,
    /// What a new policy costs
    #[arg(long, value_name = "VOTES")]
    creation_cost: Option<i64>,
    /// How much of what is withdrawn is lost
    #[arg(long, value_name = "PERCENT")]
    penalty: Option<i64>,
    /// Beyond how many unspent votes nobody is paid, or `none`
    #[arg(long, value_name = "VOTES", value_parser = limit)]
    most_unspent: Option<Limit>,
    /// Whether only those are paid who are there during the period
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    only_present: Option<bool>,
    /// How many days rankings look back
    #[arg(long, value_name = "DAYS")]
    window: Option<u16>,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    common: Common,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit(Option<i64>);

impl Arguments {
    pub(super) fn common(&self) -> &Common {
        match &self.task {
            Task::Show { common } => common,
            Task::Set(set) => &set.common,
        }
    }
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    let history = votes.tables().money.config().await?;
    let now_micros = SystemClock::new().now_micros();
    match &arguments.task {
        Task::Show { common } => show(common, &history, Day::of_micros(now_micros)),
        Task::Set(set) => decide(votes, set, &history, now_micros).await,
    }
}

fn show(common: &Common, history: &ConfigHistory, today: Day) -> Result<()> {
    let now = history.on(today).from;
    let rows = history.all().iter().map(|config| {
        let state = match config.from {
            from if from == now => "now",
            from if from > today => "later",
            _ => "over",
        };
        let from = match config.from.0 {
            0 => "the start".to_owned(),
            _ => config.from.to_string(),
        };
        let told = settings(config).map(|(_, value)| value);
        [from, state.to_owned()].into_iter().chain(told).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let named = settings(&VotingConfig::initial(today)).map(|(name, _)| name);
    let head: Vec<&str> = ["from", "state"].into_iter().chain(named).collect();
    write_list(common, &head, &rows)
}

async fn decide(votes: &Votes, set: &Set, history: &ConfigHistory, now_micros: i64) -> Result<()> {
    let from = match set.from.as_str() {
        "next" => decisions::next_days(history, now_micros, 1).pop(),
        text => Day::parse(text),
    };
    let Some(from) = from else {
        bail!(
            "{:?} is no day; write one as 2027-01-04, or say next",
            set.from
        );
    };
    let before = VotingConfig {
        from,
        ..history.on(from.previous())
    };
    let config = set.applied(before);
    let is_known = history.all().contains(&config);
    if !is_known && config == before {
        bail!("nothing would change; say what, such as --salary 120");
    }
    // A dry run refuses what would be refused.
    if !is_known && let Err(refusal) = decisions::check(&config, history, now_micros) {
        bail!(refusal);
    }
    write_change(&set.common, &before, &config)?;
    if set.dry_run {
        return write_done(&set.common, "nothing was decided, this was a dry run");
    }
    votes.decide_config(By::Operator, &config).await?;
    write_done(&set.common, &format!("decided, from {from}"))
}

impl Set {
    fn applied(&self, before: VotingConfig) -> VotingConfig {
        VotingConfig {
            from: before.from,
            period: self.period.unwrap_or(before.period),
            salary: self.salary.unwrap_or(before.salary),
            creation_cost: self.creation_cost.unwrap_or(before.creation_cost),
            penalty_percent: self.penalty.unwrap_or(before.penalty_percent),
            most_unspent: match self.most_unspent {
                Some(Limit(limit)) => limit,
                None => before.most_unspent,
            },
            only_present: self.only_present.unwrap_or(before.only_present),
            window_days: self.window.unwrap_or(before.window_days),
        }
    }
}

/// Every setting with its name and its value.
fn settings(config: &VotingConfig) -> [(&'static str, String); 7] {
    let period = match config.period {
        PeriodLength::Week => "week".to_owned(),
        PeriodLength::Month => "month".to_owned(),
        PeriodLength::Days(days) => format!("{days} days"),
    };
    let limit = config.most_unspent;
    let limit = limit.map_or_else(|| "none".to_owned(), |most| most.to_string());
    let present = if config.only_present { "yes" } else { "no" };
    [
        ("salary", config.salary.to_string()),
        ("period", period),
        ("creation cost", config.creation_cost.to_string()),
        ("penalty", format!("{}%", config.penalty_percent)),
        ("most unspent", limit),
        ("only present", present.to_owned()),
        ("window", format!("{} days", config.window_days)),
    ]
}

fn write_change(common: &Common, before: &VotingConfig, after: &VotingConfig) -> Result<()> {
    let (old, new) = (settings(before), settings(after));
    if common.json {
        let changed = old.iter().zip(&new).filter(|(old, new)| old != new);
        let mut out = std::io::stdout().lock();
        for ((name, old), (_, new)) in changed {
            let object = json!({ "setting": name, "before": old, "after": new });
            writeln!(out, "{object}")?;
        }
        return Ok(());
    }
    let rows: Vec<Vec<String>> = old
        .into_iter()
        .zip(new)
        .map(|((name, old), (_, new))| {
            let mark = if old == new { "" } else { "changes" };
            vec![name.to_owned(), old, new, mark.to_owned()]
        })
        .collect();
    let from = format!("from {}", after.from);
    write_list(common, &["setting", "until then", &from, ""], &rows)
}

fn period(text: &str) -> Result<PeriodLength, String> {
    match text {
        "week" => Ok(PeriodLength::Week),
        "month" => Ok(PeriodLength::Month),
        days => days
            .parse()
            .map(PeriodLength::Days)
            .map_err(|_| "say week, month, or a number of days".to_owned()),
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit(None)),
        number => number
            .parse()
            .map(|most| Limit(Some(most)))
            .map_err(|_| "say a number of votes, or none".to_owned()),
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("say yes or no".to_owned()),
    }
}
