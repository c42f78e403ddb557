//! A file of settings, under the names of the options.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use toml::{Table, Value};

use super::{Arguments, LogForm};

/// What every option without a value of its own is in the file.
pub(super) fn completed(mut arguments: Arguments, file: &Path) -> Result<Arguments> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    apply(&mut arguments, &text).with_context(|| format!("in {}", file.display()))?;
    Ok(arguments)
}

fn apply(arguments: &mut Arguments, text: &str) -> Result<()> {
    let table: Table = text.parse()?;
    for (name, value) in &table {
        match (name.as_str(), value) {
            ("listen", Value::String(text)) => arguments.listen = text.parse()?,
            ("data", Value::String(text)) if arguments.store.is_none() => {
                arguments.data.get_or_insert_with(|| text.into());
            }
            ("store", Value::String(text)) if arguments.data.is_none() => {
                arguments.store.get_or_insert_with(|| text.clone());
            }
            ("data" | "store", Value::String(_)) => {}
            ("community", Value::String(text)) => {
                arguments.community.get_or_insert_with(|| text.clone());
            }
            ("site", Value::String(text)) => {
                arguments.site.get_or_insert_with(|| text.clone());
            }
            ("behind-proxy", Value::Boolean(is)) => arguments.behind_proxy |= is,
            ("demo", Value::Boolean(is)) => arguments.demo |= is,
            ("log", Value::String(text)) if text == "json" => arguments.log = LogForm::Json,
            ("log", Value::String(text)) if text == "text" => {}
            _ => bail!("{name} = {value} is no setting"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches as _};

    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        let command = <Arguments as clap::Args>::augment_args(Command::new("serve"));
        let matches = command.get_matches_from([&["serve"], words].concat());
        Arguments::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn the_command_line_is_stronger_than_the_file() {
        let mut given = arguments(&["--community", "Here"]);
        apply(
            &mut given,
            "community = 'There'\nsite = 'https://a.example'\nlog = 'json'",
        )
        .unwrap();
        assert_eq!(given.community.as_deref(), Some("Here"));
        assert_eq!(given.site.as_deref(), Some("https://a.example"));
        assert_eq!(given.log, LogForm::Json);
    }

    #[test]
    fn a_setting_that_is_none_is_refused() {
        for text in [
            "colour = 'red'",
            "listen = 8080",
            "listen = 'nowhere'",
            "= x",
        ] {
            assert!(apply(&mut arguments(&[]), text).is_err(), "{text}");
        }
    }
}
