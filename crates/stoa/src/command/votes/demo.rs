//! `stoa votes demo`: a living community, made by the same operations that people use.
//!
//! A month passes under a clock of its own, which ends at the present: people join, make policies,
//! vote, change their minds, talk, tag, report and merge. The same seed makes the same community.

mod town;
mod words;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use stoa_session::Session;
use stoa_types::{Clock, SystemClock};

use crate::connect;
use crate::terminal::{self, Palette};
use town::{DAYS, PASSWORD, Town};

#[derive(Args)]
#[command(
    long_about = "Fill a living community: hundreds of people and policies, a month of votes, comments, tags, \
        merges and reports.\n\nEverything is done by the operations that people use. The folder must \
        hold no votes yet. Everybody's password is \"correct horse battery\"; the first person is an admin.",
    after_help = "Examples:\n  \
        stoa votes demo --data town\n  \
        stoa votes audit --data town"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: super::TaskArguments,
    /// Which community: the same number makes the same one
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many people join
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = clap::value_parser!(u32).range(20..=5_000))]
    people: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    connect::runtime()?.block_on(fill(arguments))
}

async fn fill(arguments: &Arguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let Some(back_end) = common.place.back_end()? else {
        bail!("say where the community shall be: --data DIR, or --store URI");
    };
    let keyspace = &common.keyspace;
    let connection = connect::back_end(&back_end).await?;
    let session = Arc::clone(&connection.session);
    super::create_keyspace(&*session, keyspace).await?;
    let now_micros = SystemClock::new().now_micros();
    let mut town = Town::found(session, keyspace, now_micros, arguments.seed).await?;
    if town.is_settled().await? {
        bail!("there are people in the keyspace {keyspace} already; a demo begins with nobody");
    }
    live(&mut town, now_micros, arguments.people).await?;
    write_counts(&town, common.json).await?;
    drop(town);
    connection.close()?;
    Ok(ExitCode::SUCCESS)
}

/// Tells how many there are of what, and what people tried in vain.
async fn write_counts(town: &Town, json: bool) -> Result<()> {
    let counts = town.counts().await?;
    let refused = town.refused().iter();
    let refused = refused.map(|((what, code), times)| (format!("{what}: {code}"), *times));
    let mut out = std::io::stdout().lock();
    if json {
        let counts = counts.map(|(name, count)| (name.to_owned(), json!(count)));
        let mut object: serde_json::Map<_, _> = counts.into_iter().collect();
        let refused: serde_json::Map<_, _> = refused.map(|(it, n)| (it, json!(n))).collect();
        object.insert("refused".to_owned(), refused.into());
        writeln!(out, "{}", serde_json::Value::from(object))?;
        return Ok(());
    }
    for (name, count) in counts {
        writeln!(out, "{name:<12}{count:>8}")?;
    }
    for (what, times) in refused {
        writeln!(out, "refused     {times:>8}  {what}")?;
    }
    let palette = Palette::for_stdout();
    writeln!(out, "{}", palette.good("the community lives"))?;
    Ok(())
}

/// How many people a community has that is only looked at.
const PEOPLE: u32 = 120;

/// Fills a keyspace that nobody lives in; the name and the password of its admin. Who lives in a full
/// one is not ours to tell.
pub(crate) async fn fill_if_empty(
    session: Arc<dyn Session>,
    keyspace: &str,
) -> Result<Option<(String, String)>> {
    let now_micros = SystemClock::new().now_micros();
    let mut town = Town::found(session, keyspace, now_micros, 1).await?;
    if town.is_settled().await? {
        return Ok(None);
    }
    live(&mut town, now_micros, PEOPLE).await?;
    let name = words::NAMES.first().copied().unwrap_or_default();
    Ok(Some((name.to_owned(), PASSWORD.to_owned())))
}

/// Lets a month pass, which ends at the present.
async fn live(town: &mut Town, now_micros: i64, people: u32) -> Result<()> {
    let bar = terminal::progress();
    for day in 0..DAYS {
        bar.set_message(format!("day {} of {DAYS}", day + 1));
        town.live_a_day(day, people).await?;
    }
    bar.set_message("bringing everything up to date");
    town.come_to_the_present(now_micros).await?;
    bar.finish_and_clear();
    Ok(())
}
