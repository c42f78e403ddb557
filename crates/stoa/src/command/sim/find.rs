//! `stoa sim votes --find`: for each rule the first seed that shows that it is needed, as the test
//! of the rules stores them.

use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use stoa_sim::votes::needed::Needed;
use stoa_votes::rules::named::{NoSuchRule, Rule};

use super::{Seeds, threads};
use crate::terminal::{self, Palette};

/// The rules whose seeds are looked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted(Vec<Rule>);

impl FromStr for Wanted {
    type Err = NoSuchRule;

    fn from_str(text: &str) -> Result<Self, NoSuchRule> {
        Ok(Self(match text {
            "all" => Rule::NAMES.iter().map(|(rule, _)| *rule).collect(),
            name => vec![name.parse()?],
        }))
    }
}

/// Prints a line of the test's list for each rule, as soon as its seed is found.
pub(super) fn run(wanted: &Wanted, seeds: &Seeds) -> Result<ExitCode> {
    let (first, count) = (seeds.first(), seeds.count());
    let palette = Palette::for_stdout();
    let mut is_complete = true;
    for rule in &wanted.0 {
        let bar = terminal::progress_of(count);
        bar.set_message(format!("seeds without {rule}"));
        let watch = |done: u64| bar.set_position(done);
        let found = Needed::find(*rule, (first, count), threads(), &watch)
            .context("the simulated cluster does not know the domain's schema")?;
        bar.finish_and_clear();
        let mut out = std::io::stdout().lock();
        match found {
            Some(Needed {
                rule,
                seed,
                invariant,
            }) => writeln!(out, "    (Rule::{rule:?}, {seed}, \"{invariant}\"),")?,
            None => {
                is_complete = false;
                let none = format!("{rule}: none of {count} seeds from {first} on");
                writeln!(out, "{}", palette.bad(&none))?;
            }
        }
        out.flush()?;
    }
    Ok(match is_complete {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
