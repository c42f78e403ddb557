//! Ports of a cluster: whether they are free, and which to take when nobody chose.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};

use anyhow::{Context, Result, bail};

use super::settings::{DEFAULT_PORT, Settings};

/// Ports lie this far apart, so that no native port is another cluster's storage port.
const STEP: u16 = 10;
/// The last port tried stays below those that the kernel gives to outgoing connections.
const CHOICES: u16 = 1000;

/// An error that names the first address that is taken.
pub(crate) fn check_free(settings: &Settings) -> Result<()> {
    match first_taken(settings)? {
        None => Ok(()),
        Some(address) => bail!(
            "{address} is in use by a program that this cluster did not start; stop that program, \
             or choose another port: --port auto, or STOA_CASSANDRA_PORT"
        ),
    }
}

/// A port at which all nodes find theirs free. `seed` decides where the search starts, so that
/// runs that search at the same time look at different ones.
pub(crate) fn choose(settings: &Settings, seed: u32) -> Result<u16> {
    let start = seed % u32::from(CHOICES);
    let turns = (start..u32::from(CHOICES)).chain(0..start);
    for turn in turns {
        let port = DEFAULT_PORT + STEP + STEP * u16::try_from(turn)?;
        let there = Settings { port, ..*settings };
        if first_taken(&there)?.is_none() {
            return Ok(port);
        }
    }
    bail!("no free port for Cassandra among {CHOICES}")
}

fn first_taken(settings: &Settings) -> Result<Option<SocketAddr>> {
    for node in settings.size.numbers() {
        let encrypted = settings.tls.then(|| settings.encrypted(node));
        let plain = [settings.native(node), settings.storage(node)];
        for address in plain.into_iter().chain(encrypted) {
            match TcpListener::bind(address) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::AddrInUse => return Ok(Some(address)),
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot listen on {address}"));
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::super::settings::Size;
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_named_and_passed_over() {
        let settings = Settings::default();
        // Nobody else may take the port between the search and the listening.
        let take = |seed| {
            let port = choose(&settings, seed).ok()?;
            let taken = Settings {
                port,
                size: Size::Three,
                ..settings
            };
            let listener = TcpListener::bind(taken.storage(1)).ok()?;
            Some((seed, port, taken, listener))
        };
        let (seed, port, taken, listener) = (7..100).find_map(take).unwrap();
        let error = check_free(&taken).unwrap_err().to_string();
        let address = listener.local_addr().unwrap().to_string();
        assert!(error.starts_with(&address), "{error}");
        assert_ne!(choose(&settings, seed).unwrap(), port);
    }

    #[test]
    fn searches_start_apart_and_stay_below_outgoing_ports() {
        let last = DEFAULT_PORT + STEP * CHOICES;
        assert!(last < 32768);
        let settings = Settings::default();
        assert_ne!(
            choose(&settings, 100).unwrap(),
            choose(&settings, 500).unwrap()
        );
    }
}
