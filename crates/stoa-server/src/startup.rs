//! How a connection begins: what is supported, and what STARTUP asks for. Pure.
//!
//! The refusals are Cassandra's: `StartupMessage.java` and `ServerConnection.java` at cassandra-5.0.

use std::borrow::Cow;

use stoa_wire::request::Startup;
use stoa_wire::request::startup::{COMPRESSION, CQL_VERSION};
use stoa_wire::response::Supported;
use stoa_wire::{Compression, Opcode, Version};

/// The version of the language.
const LANGUAGE: &str = "3.4.7";
/// The least version of the language that a client may ask for.
const LEAST_LANGUAGE: [u32; 2] = [2, 99];

/// How far a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing was asked but what is supported.
    New,
    /// Everything may be asked.
    Ready,
}

/// What is supported.
pub(crate) fn supported() -> Supported<'static> {
    let borrowed = |words: &[&'static str]| words.iter().map(|it| Cow::Borrowed(*it)).collect();
    let versions = Version::ALL.map(|it| Cow::Owned(it.to_string()));
    let compressions = Compression::NAMES.map(|(_, name)| name);
    Supported {
        options: vec![
            ("CQL_VERSION".into(), borrowed(&[LANGUAGE])),
            ("COMPRESSION".into(), borrowed(&compressions)),
            ("PROTOCOL_VERSIONS".into(), versions.to_vec()),
        ],
    }
}

/// Whether a kind of request may be sent at this stage; if not, what is wrong.
pub(crate) fn check(stage: Stage, opcode: Opcode) -> Result<(), String> {
    let name = format!("{opcode:?}").to_uppercase();
    match (stage, opcode) {
        (Stage::New, Opcode::Startup | Opcode::Options) => Ok(()),
        (Stage::New, _) => Err(format!(
            "Unexpected message {name}, expecting STARTUP or OPTIONS"
        )),
        (Stage::Ready, Opcode::Startup) => {
            Err("Unexpected message STARTUP, the connection is already initialized".to_owned())
        }
        (Stage::Ready, Opcode::AuthResponse) => Err(
            "Unexpected message AUTH_RESPONSE, the connection is already initialized".to_owned(),
        ),
        (Stage::Ready, _) => Ok(()),
    }
}

/// The compression that a client asks for; or what is wrong.
pub(crate) fn agree(
    startup: &Startup<'_>,
    version: Version,
) -> Result<Option<Compression>, String> {
    let Some(language) = startup.option(CQL_VERSION) else {
        return Err("Missing value CQL_VERSION in STARTUP message".to_owned());
    };
    if !is_enough(language) {
        return Err(format!(
            "CQL version {language} is not supported by the binary protocol (supported version are >= 3.0.0)"
        ));
    }
    let Some(name) = startup.option(COMPRESSION) else {
        return Ok(None);
    };
    match Compression::of_name(name) {
        Some(Compression::Snappy) if version > Version::V4 => {
            Err("Snappy compression is not supported in protocol V5".to_owned())
        }
        Some(compression) => Ok(Some(compression)),
        // Drivers ask for no compression in this way, too.
        None if name.is_empty() || name.eq_ignore_ascii_case("none") => Ok(None),
        None => Err(format!("Unknown compression algorithm: {name}")),
    }
}

/// Whether a version of the language is new enough, as in `3.4.7` or `4.0.0-beta`.
fn is_enough(language: &str) -> bool {
    let mut parts = language.split(['.', '-', '+']).map(str::parse::<u32>);
    let (Some(Ok(major)), minor) = (parts.next(), parts.next()) else {
        return false;
    };
    [major, minor.and_then(Result::ok).unwrap_or(0)] >= LEAST_LANGUAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn startup(options: &[(&'static str, &'static str)]) -> Startup<'static> {
        let options = options.iter();
        Startup {
            options: options
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
        }
    }

    #[test]
    fn every_version_of_the_language_from_three_on_is_taken() {
        for language in ["3.0.0", "3.4.7", "4.0.0", "3.4.0-beta1"] {
            let agreed = agree(&startup(&[("CQL_VERSION", language)]), Version::V4);
            assert_eq!(agreed, Ok(None), "{language}");
        }
        for language in ["2.0.0", "x", ""] {
            let agreed = agree(&startup(&[("CQL_VERSION", language)]), Version::V4);
            assert!(agreed.is_err(), "{language}");
        }
        assert!(agree(&startup(&[]), Version::V5).is_err());
    }

    #[test]
    fn compression_is_agreed_on_by_version() {
        let ask = |name, version| {
            let options = startup(&[("CQL_VERSION", "3.0.0"), ("compression", name)]);
            agree(&options, version)
        };
        assert_eq!(ask("LZ4", Version::V5), Ok(Some(Compression::Lz4)));
        assert_eq!(ask("snappy", Version::V4), Ok(Some(Compression::Snappy)));
        assert!(ask("snappy", Version::V5).is_err());
        assert!(ask("zstd", Version::V4).is_err());
    }

    #[test]
    fn nothing_is_executed_before_startup() {
        for (opcode, _) in Opcode::NUMBERS {
            let may = matches!(opcode, Opcode::Startup | Opcode::Options);
            assert_eq!(check(Stage::New, opcode).is_ok(), may, "{opcode:?}");
        }
        assert!(check(Stage::Ready, Opcode::Startup).is_err());
        assert!(check(Stage::Ready, Opcode::Query).is_ok());
    }
}
