//! Executes the commands of the shell.

use anyhow::{Context as _, bail};
use stoa_session::Shortcuts as _;

use super::command::{Capture, Command, Paging, Switch};
use super::execute::{PAGE_ROWS, Shell, Source};
use super::help;

/// How many scripts may source each other; a script that sources itself would never end.
const MOST_SCRIPTS: usize = 16;

impl Shell {
    /// Executes a command.
    pub(super) fn obey(&mut self, command: Command) -> anyhow::Result<()> {
        match command {
            Command::Help(topic) => self.help(topic.as_deref())?,
            Command::Source(file) => self.source(&file)?,
            Command::Capture(capture) => self.capture(capture)?,
            Command::Expand(switch) => {
                let before = self.settings.is_expanded;
                self.settings.is_expanded = self.switch("EXPAND", switch, before)?;
            }
            Command::Timing(switch) => {
                let before = self.settings.is_timed;
                self.settings.is_timed = self.switch("TIMING", switch, before)?;
            }
            Command::Paging(paging) => self.paging(paging)?,
            Command::Consistency(level) => {
                self.tell_level("consistency", level, self.settings.consistency)?;
                self.settings.consistency = level.or(self.settings.consistency);
            }
            Command::SerialConsistency(level) => {
                self.tell_level(
                    "serial consistency",
                    level,
                    self.settings.serial_consistency,
                )?;
                self.settings.serial_consistency = level.or(self.settings.serial_consistency);
            }
            Command::ShowVersion => self.show_version()?,
            Command::Clear => {
                // Clears the screen and goes to its first place.
                write!(self.output.results(), "\x1b[2J\x1b[H")?;
                self.output.flush()?;
            }
            Command::Exit => self.is_over = true,
            Command::Copy(copy) => self.copy(&copy)?,
        }
        Ok(())
    }

    fn help(&mut self, topic: Option<&str>) -> anyhow::Result<()> {
        let text = match topic {
            None => help::overview(),
            Some(topic) => match help::topic(topic) {
                Some(text) => text,
                None => bail!("there is no help on {topic}; HELP lists what there is"),
            },
        };
        Ok(self.output.tell(text.trim_end())?)
    }

    fn source(&mut self, file: &std::path::Path) -> anyhow::Result<()> {
        if self.depth >= MOST_SCRIPTS {
            bail!("more than {MOST_SCRIPTS} scripts source each other");
        }
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        self.depth += 1;
        let done = self.run_script(&text, &Source::Named(file.display().to_string()));
        self.depth -= 1;
        done
    }

    fn capture(&mut self, capture: Capture) -> anyhow::Result<()> {
        let now = self.output.captured_to().map(|it| it.display().to_string());
        let told = match (capture, now) {
            (Capture::Tell, Some(file)) => format!("Currently capturing query output to '{file}'."),
            (Capture::Tell, None) => "Currently not capturing query output.".to_owned(),
            (Capture::Off, Some(_)) => return Ok(self.output.end_capture()?),
            (Capture::Off, None) => bail!("not currently capturing output"),
            (Capture::To(_), Some(file)) => {
                bail!("already capturing output to '{file}'; CAPTURE OFF ends it")
            }
            (Capture::To(file), None) => {
                let opened = self.output.capture(&file);
                opened.with_context(|| format!("cannot write to {}", file.display()))?;
                format!("Now capturing query output to '{}'.", file.display())
            }
        };
        Ok(self.output.tell(&told)?)
    }

    /// The words are those of cqlsh.
    fn paging(&mut self, paging: Paging) -> anyhow::Result<()> {
        let before = self.settings.page_rows;
        self.settings.page_rows = match paging {
            Paging::Rows(rows) => Some(rows),
            Paging::On | Paging::Off | Paging::Tell => {
                let switch = match paging {
                    Paging::On => Switch::On,
                    Paging::Off => Switch::Off,
                    Paging::Rows(_) | Paging::Tell => Switch::Tell,
                };
                let is_on = self.switch("PAGING", switch, before.is_some())?;
                is_on.then(|| before.unwrap_or(PAGE_ROWS))
            }
        };
        if let Some(rows) = self.settings.page_rows {
            self.output.tell(&format!("Page size: {rows}"))?;
        }
        Ok(())
    }

    /// Switches something on or off and says so, in the words of cqlsh.
    fn switch(&mut self, name: &str, switch: Switch, before: bool) -> std::io::Result<bool> {
        let now = match switch {
            Switch::On => true,
            Switch::Off => false,
            Switch::Tell => before,
        };
        let verb = match switch {
            Switch::Tell => "is",
            Switch::On | Switch::Off if now == before => "is already",
            Switch::On | Switch::Off => "set to",
        };
        let state = if now { "ON" } else { "OFF" };
        self.output.tell(&format!("{name} {verb} {state}"))?;
        Ok(now)
    }

    fn tell_level<L: ToString>(
        &mut self,
        what: &str,
        new: Option<L>,
        before: Option<L>,
    ) -> std::io::Result<()> {
        let told = match (new, before) {
            (Some(new), _) => {
                let (first, rest) = what.split_at_checked(1).unwrap_or((what, ""));
                let first = first.to_ascii_uppercase();
                format!("{first}{rest} level set to {}.", new.to_string())
            }
            (None, Some(before)) => format!("Current {what} level is {}.", before.to_string()),
            (None, None) => format!("Current {what} level is as the session has it."),
        };
        self.output.tell(&told)
    }

    fn show_version(&mut self) -> anyhow::Result<()> {
        let text = "SELECT release_version, cql_version FROM system.local";
        let answer = self.runtime.block_on(self.session.run_text(text))?;
        let rows = answer.into_rows();
        let row = rows.first().context("the back end tells no version")?;
        let told = format!(
            "[stoa {} | Cassandra {} | CQL spec {}]",
            env!("CARGO_PKG_VERSION"),
            row.get::<&str>("release_version")?,
            row.get::<&str>("cql_version")?
        );
        Ok(self.output.tell(&told)?)
    }
}
