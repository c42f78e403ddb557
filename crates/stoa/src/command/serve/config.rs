//! A file of settings, under the names of the options.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum as _;
use toml::{Table, Value};

use super::Arguments;
use super::log::LogForm;
use crate::command::votes::tasks::mail_out::language;

/// What every option without a value of its own is in the file.
pub(super) fn completed(mut arguments: Arguments, file: &Path) -> Result<Arguments> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    apply(&mut arguments, &text).with_context(|| format!("in {}", file.display()))?;
    Ok(arguments)
}

fn apply(arguments: &mut Arguments, text: &str) -> Result<()> {
    let table: Table = text.parse()?;
    let (has_data, has_store) = (arguments.data.is_some(), arguments.store.is_some());
    for (name, value) in &table {
        match value {
            Value::String(text) if matches!(name.as_str(), "data" | "store") => {
                if !has_data && !has_store {
                    place(arguments, name, text)?;
                }
            }
            Value::String(text) => said(arguments, name, text)?,
            Value::Boolean(is) if name == "behind-proxy" => arguments.behind_proxy |= is,
            Value::Boolean(is) if name == "demo" => arguments.demo |= is,
            _ => bail!("{name} = {value} is no setting"),
        }
    }
    Ok(())
}

fn place(arguments: &mut Arguments, name: &str, text: &str) -> Result<()> {
    if arguments.data.is_some() || arguments.store.is_some() {
        bail!("data and store are two places; say one");
    }
    match name {
        "data" => arguments.data = Some(text.into()),
        _ => arguments.store = Some(text.to_owned()),
    }
    Ok(())
}

/// A setting that is a text.
fn said(arguments: &mut Arguments, name: &str, text: &str) -> Result<()> {
    let mail = &mut arguments.mail;
    let whole = match name {
        "community" => &mut arguments.community,
        "site" => &mut arguments.site,
        "mail" => &mut mail.mail,
        "mail-from" => &mut mail.mail_from,
        "mail-password-env" => &mut mail.mail_password_env,
        "mail-password-file" => {
            mail.mail_password_file.get_or_insert_with(|| text.into());
            return Ok(());
        }
        "mail-language" => {
            let language = language(text).map_err(|why| anyhow::anyhow!("{why}"))?;
            mail.mail_language.get_or_insert(language);
            return Ok(());
        }
        "ledger" => {
            arguments.ledger.get_or_insert_with(|| text.into());
            return Ok(());
        }
        "metrics-token-file" => {
            arguments
                .metrics_token_file
                .get_or_insert_with(|| text.into());
            return Ok(());
        }
        "listen" => {
            let address = text.parse().with_context(|| format!("listen = {text:?}"))?;
            arguments.listen.get_or_insert(address);
            return Ok(());
        }
        "log" => {
            let form = LogForm::from_str(text, false);
            let form = form.map_err(|_| anyhow::anyhow!("log is text or json, not {text:?}"))?;
            arguments.log.get_or_insert(form);
            return Ok(());
        }
        _ => bail!("{name} = {text:?} is no setting"),
    };
    whole.get_or_insert_with(|| text.to_owned());
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
        let mut given = arguments(&[
            "--community",
            "Here",
            "--listen",
            "127.0.0.1:1",
            "--log",
            "text",
            "--data",
            "here",
        ]);
        apply(
            &mut given,
            "community = 'There'\nsite = 'https://a.example'\nlog = 'json'\n\
             listen = '127.0.0.1:2'\nstore = 'memory:'\nmail = 'smtp://a.example'\n\
             mail-language = 'de'",
        )
        .unwrap();
        assert_eq!(given.community.as_deref(), Some("Here"));
        assert_eq!(given.site.as_deref(), Some("https://a.example"));
        assert_eq!(given.log, Some(LogForm::Text));
        assert_eq!(given.listen, Some("127.0.0.1:1".parse().unwrap()));
        assert_eq!(given.store, None);
        assert_eq!(given.mail.mail.as_deref(), Some("smtp://a.example"));
        assert_eq!(given.mail.mail_language, Some(stoa_mail::Language::German));
    }

    #[test]
    fn what_the_command_line_leaves_out_is_in_the_file() {
        let mut given = arguments(&[]);
        let text = "listen = '0.0.0.0:80'\nlog = 'json'\nbehind-proxy = true\nledger = 'public'";
        apply(&mut given, text).unwrap();
        assert_eq!(given.listen, Some("0.0.0.0:80".parse().unwrap()));
        assert_eq!(given.log, Some(LogForm::Json));
        assert!(given.behind_proxy);
        assert_eq!(given.ledger, Some("public".into()));
    }

    #[test]
    fn a_setting_that_is_none_is_refused() {
        for text in [
            "colour = 'red'",
            "listen = 8080",
            "listen = 'nowhere'",
            "log = 'loud'",
            "data = 'a'\nstore = 'memory:'",
            "= x",
        ] {
            assert!(apply(&mut arguments(&[]), text).is_err(), "{text}");
        }
    }
}
