//! TLS of the server: the certificate and the key, which are read again when their files change.

use crate::error::ServeError;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio_rustls::TlsAcceptor;

/// How often the files are looked at.
const CHECK_EVERY: Duration = Duration::from_secs(30);

/// The files of a certificate with its chain, and of its key, in PEM form.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by those that it is signed with.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Accepts TLS connections with the current certificate.
pub(crate) struct TlsServer {
    files: TlsFiles,
    current: Mutex<CurrentConfig>,
}

struct CurrentConfig {
    config: Arc<ServerConfig>,
    written: [Option<SystemTime>; 2],
    checked: Instant,
}

impl TlsServer {
    /// Reads the files.
    pub(crate) fn new(files: &TlsFiles) -> Result<Self, ServeError> {
        let (written, config) = (files.written(), files.read()?);
        let current = Mutex::new(CurrentConfig { config, written, checked: Instant::now() });
        Ok(Self { files: files.clone(), current })
    }

    /// What accepts the next connection. Files that cannot be read, while they are being replaced for example, change nothing.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.checked.elapsed() > CHECK_EVERY {
            current.checked = Instant::now();
            let written = self.files.written();
            if written != current.written {
                if let Ok(config) = self.files.read() {
                    (current.config, current.written) = (config, written);
                } else {
                    tracing::warn!("the new certificate cannot be used; the former one stays");
                }
            }
        }
        TlsAcceptor::from(current.config.clone())
    }
}

impl TlsFiles {
    fn written(&self) -> [Option<SystemTime>; 2] {
        let written = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
        [written(&self.certificate), written(&self.key)]
    }

    fn read(&self) -> Result<Arc<ServerConfig>, ServeError> {
        let wrong = |path: &Path, reason: String| {
            ServeError::usage(
                format!("{} cannot be used for TLS: {reason}", path.display()),
                "the files have PEM form: a certificate with its chain, and its private key",
            )
        };
        let of_certificate =
            |error: rustls::pki_types::pem::Error| wrong(&self.certificate, error.to_string());
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&self.certificate)
            .map_err(of_certificate)?
            .collect::<Result<_, _>>()
            .map_err(of_certificate)?;
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| wrong(&self.key, error.to_string()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
            .map_err(|error| wrong(&self.certificate, error.to_string()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}
