//! The certificate that a node shows on its encrypted port, made by the JVM's own `keytool`.
//!
//! It vouches for itself and names the node's address, so that whoever trusts the file
//! [`CERTIFICATE`] can tell the node from an impostor.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::settings::host;

/// What the node reads: its key and certificate.
pub(crate) const KEY_STORE: &str = "keystore.p12";
/// What a client trusts.
pub(crate) const CERTIFICATE: &str = "certificate.pem";
/// It protects nothing: the key of a node that lives as long as a test.
pub(crate) const STORE_PASSWORD: &str = "stoa-node";

const ALIAS: &str = "node";

/// Makes both files in the node's folder, unless they are there.
pub(super) fn make(java: &Path, folder: &Path, node: u8) -> Result<()> {
    if folder.join(CERTIFICATE).exists() {
        return Ok(());
    }
    // A key whose certificate was never written is made anew.
    let _ = fs::remove_file(folder.join(KEY_STORE));
    let keytool = java.with_file_name("keytool");
    run(Command::new(&keytool)
        .args(generate(node))
        .current_dir(folder))?;
    run(Command::new(&keytool).args(export()).current_dir(folder))
}

fn generate(node: u8) -> Vec<String> {
    let address = host(node);
    let words = format!(
        "-genkeypair -alias {ALIAS} -keyalg EC -groupname secp256r1 -validity 3650 \
         -dname CN=stoa-node{node} -ext san=ip:{address} -storetype PKCS12 \
         -keystore {KEY_STORE} -storepass {STORE_PASSWORD}"
    );
    words.split_whitespace().map(ToOwned::to_owned).collect()
}

fn export() -> Vec<String> {
    let words = format!(
        "-exportcert -rfc -alias {ALIAS} -keystore {KEY_STORE} -storepass {STORE_PASSWORD} \
         -file {CERTIFICATE}"
    );
    words.split_whitespace().map(ToOwned::to_owned).collect()
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.context("cannot start keytool, which comes with Java")?;
    ensure!(
        output.status.success(),
        "keytool: {}{}",
        String::from_utf8_lossy(&output.stdout).trim(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_names_the_address_of_its_node() {
        let words = generate(3);
        assert!(words.contains(&"san=ip:127.0.0.3".to_owned()), "{words:?}");
        assert!(words.iter().all(|word| !word.contains(' ')));
    }
}
