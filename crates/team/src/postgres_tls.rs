//! TLS for connections to PostgreSQL: `sslmode=require` encrypts, `sslmode=verify-full` also proves that the server is the one that was meant.

use crate::error::TeamError;
use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as RustlsStream;

/// What the address of a database says about TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TlsParameters {
    /// `sslmode`, if it asks for TLS.
    mode: Option<TlsMode>,
    /// `sslrootcert`.
    roots: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TlsMode {
    /// Encrypted, to any server.
    Require,
    /// Encrypted, to the server that a certificate names.
    VerifyFull,
}

impl TlsParameters {
    /// Takes the parameters out of an address, of which the driver knows neither; returns the rest of it.
    pub(crate) fn take(address: &str) -> Result<(Self, String), TeamError> {
        let Some((base, query)) = address.split_once('?') else {
            return Ok((Self::default(), address.to_owned()));
        };
        let mut parameters = Self::default();
        let mut others = Vec::new();
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslmode", "require")) => parameters.mode = Some(TlsMode::Require),
                Some(("sslmode", "verify-full")) => parameters.mode = Some(TlsMode::VerifyFull),
                Some(("sslmode", "disable" | "prefer")) => {}
                Some(("sslmode", other)) => {
                    return Err(TeamError::usage(
                        format!("sslmode={other} is not supported"),
                        "use require, verify-full or disable",
                    ));
                }
                Some(("sslrootcert", path)) => parameters.roots = Some(path.replace("%2F", "/")),
                _ => others.push(pair),
            }
        }
        let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        Ok((parameters, rest))
    }

    /// What connects with TLS; `None` if it is not asked for.
    pub(crate) fn connector(&self) -> Result<Option<PostgresTls>, TeamError> {
        let wrong = |reason: String| TeamError::usage(format!("TLS to the database: {reason}"), "");
        let Some(mode) = self.mode else { return Ok(None) };
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(error.to_string()))?;
        // As in PostgreSQL's own clients, a named root is verified against with `require` too.
        let config = if mode == TlsMode::Require && self.roots.is_none() {
            let verifier = Arc::new(AnyServer(provider));
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        } else {
            builder.with_root_certificates(self.root_certificates().map_err(wrong)?).with_no_client_auth()
        };
        Ok(Some(PostgresTls { connector: TlsConnector::from(Arc::new(config)) }))
    }

    fn root_certificates(&self) -> Result<RootCertStore, String> {
        let mut store = RootCertStore::empty();
        if let Some(path) = &self.roots {
            let failed = |error: rustls::pki_types::pem::Error| format!("{path}: {error}");
            for certificate in CertificateDer::pem_file_iter(Path::new(path)).map_err(failed)? {
                store.add(certificate.map_err(failed)?).map_err(|error| format!("{path}: {error}"))?;
            }
        } else {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        if store.is_empty() { Err("there are no root certificates".to_owned()) } else { Ok(store) }
    }
}

/// Connects to PostgreSQL with TLS.
#[derive(Clone)]
pub(crate) struct PostgresTls {
    connector: TlsConnector,
}

/// The handshake with one host.
pub(crate) struct Handshake {
    connector: TlsConnector,
    host: ServerName<'static>,
}

/// An encrypted connection.
pub(crate) struct EncryptedStream<S>(RustlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for PostgresTls {
    type Stream = EncryptedStream<S>;
    type TlsConnect = Handshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, InvalidDnsNameError> {
        let host = ServerName::try_from(host)?.to_owned();
        Ok(Handshake { connector: self.connector.clone(), host })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = EncryptedStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.host, stream).await.map(EncryptedStream) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, to)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// Accepts the certificate of any server, as `sslmode=require` means. The handshake still proves that the server has its key.
#[derive(Debug)]
struct AnyServer(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _host: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_sees_nothing_of_the_parameters_of_tls() {
        let take = |address: &str| TlsParameters::take(address).expect("an address");
        let (none, rest) = take("postgres://a@b/c?host=/tmp&sslmode=disable");
        assert_eq!((none, rest.as_str()), (TlsParameters::default(), "postgres://a@b/c?host=/tmp"));
        let (full, rest) = take("postgres://a@b/c?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!((full.mode, full.roots.as_deref()), (Some(TlsMode::VerifyFull), Some("/etc/ca.pem")));
        assert_eq!(rest, "postgres://a@b/c");
        assert!(TlsParameters::take("postgres://b/c?sslmode=verify-ca").is_err());
    }
}
