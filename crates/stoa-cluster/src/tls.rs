//! Encrypted connections: which certificates are believed.
//!
//! The driver checks a node's certificate against the IP address it connects to, so a certificate
//! must name that address.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use stoa_session::uri::Encryption;

/// The settings of encrypted connections; `None` if they are not to be encrypted.
///
/// # Errors
/// When the certificates to trust cannot be read.
pub(crate) fn settings(encryption: &Encryption) -> Result<Option<Arc<ClientConfig>>, TlsError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = || {
        ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
    };
    let config = match encryption {
        Encryption::None => return Ok(None),
        Encryption::Verified { authorities } => {
            let roots = match authorities {
                Some(file) => from_file(file)?,
                None => from_system()?,
            };
            builder()?
                .with_root_certificates(roots)
                .with_no_client_auth()
        }
        Encryption::Unverified => builder()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(Arc::clone(&provider))))
            .with_no_client_auth(),
    };
    Ok(Some(Arc::new(config)))
}

fn from_file(file: &Path) -> Result<RootCertStore, TlsError> {
    let unreadable = |problem: &dyn std::fmt::Display| TlsError::File {
        file: file.display().to_string(),
        problem: problem.to_string(),
    };
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() {
        return Err(unreadable(&"no certificate in it"));
    }
    Ok(roots)
}

fn from_system() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(TlsError::NoSystemCertificates);
    }
    Ok(roots)
}

/// Why connections cannot be encrypted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    /// A file of certificates is missing or broken.
    #[error("cannot read certificates from {file}: {problem}")]
    File { file: String, problem: String },
    /// The system trusts nobody.
    #[error("the system has no certificates to trust: name a file with ca=FILE")]
    NoSystemCertificates,
    /// The library refuses its settings.
    #[error(transparent)]
    Library(#[from] rustls::Error),
}

/// Believes every certificate, and still checks that its owner is at the other end.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(file: &str) -> Encryption {
        Encryption::Verified {
            authorities: Some(file.into()),
        }
    }

    #[test]
    fn connections_are_plain_unless_told() {
        assert!(
            settings(&Encryption::None)
                .expect("no file is read")
                .is_none()
        );
        assert!(
            settings(&Encryption::Unverified)
                .expect("no file is read")
                .is_some()
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let problem = settings(&verified("/nowhere/ca.pem")).expect_err("no such file");
        assert!(problem.to_string().contains("/nowhere/ca.pem"), "{problem}");
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let problem = settings(&verified("/dev/null")).expect_err("nothing in it");
        assert!(problem.to_string().contains("no certificate"), "{problem}");
    }
}
