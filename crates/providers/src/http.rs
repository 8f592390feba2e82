//! One request over the network. Redirects are never followed: they would take key and code to whoever is named.

use crate::key::Key;
use crate::{Endpoint, ProviderError, retry};
use rustls::crypto::ring;
use std::sync::Arc;
use std::time::Duration;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// What is read of a refusal.
const LARGEST_REFUSAL: u64 = 64 << 10;

/// What a server said.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

/// Why a server said nothing, or nothing that can be used.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may work in a moment.
    Passing(String),
    /// It will be the same again.
    Lasting(String),
}

/// A place to send requests to, with what they need.
pub(crate) struct Http {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<Key>,
}

impl Http {
    /// Opens nothing yet.
    pub(crate) fn new(
        endpoint: Endpoint,
        key: Option<Key>,
        connections: usize,
    ) -> Result<Self, ProviderError> {
        // What is to stay on this machine must not take the way over a proxy.
        let proxy = if endpoint.is_local() { None } else { Proxy::try_from_env() };
        let mut config = Agent::config_builder()
            .user_agent(concat!("orient/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(connections)
            .https_only(endpoint.is_encrypted())
            .proxy(proxy);
        if endpoint.is_encrypted() {
            config = config.tls_config(tls()?);
        }
        Ok(Self { agent: config.build().new_agent(), endpoint, key })
    }

    /// The key that goes along, if any.
    pub(crate) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Sends a body and reads what comes back, both within the time; an answer longer than `limit` is none.
    pub(crate) fn post(&self, body: &[u8], timeout: Duration, limit: u64) -> Result<Reply, Failure> {
        let failed = |error| self.failure(error, timeout);
        let mut request = self
            .agent
            .post(self.endpoint.url())
            .config()
            .timeout_global(Some(timeout))
            .build()
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            let mut value = HeaderValue::try_from(key.bearer())
                .map_err(|_| Failure::Lasting("the key cannot be sent".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let mut response = request.send(body).map_err(failed)?;
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name)?.to_str().ok().and_then(retry::retry_after);
        let retry_after = header("retry-after-ms").map(|wait| wait / 1000).or_else(|| header("retry-after"));
        let limit = if status == 200 { limit } else { LARGEST_REFUSAL };
        let body = match response.body_mut().with_config().limit(limit).read_to_vec() {
            Ok(body) => body,
            // The status says it all; what came with it is more than we want to know.
            Err(_) if status != 200 => Vec::new(),
            Err(error) => return Err(failed(error)),
        };
        Ok(Reply { status, retry_after, body })
    }

    fn failure(&self, error: ureq::Error, timeout: Duration) -> Failure {
        use ureq::Error;
        let host = self.endpoint.host();
        match error {
            Error::Timeout(_) => Failure::Passing(format!("no answer within {} s", timeout.as_secs_f32())),
            Error::BodyExceedsLimit(_) => Failure::Lasting("an answer that is far too long".to_owned()),
            Error::HostNotFound => Failure::Passing(format!("the host {host} cannot be found")),
            Error::ConnectionFailed => Failure::Passing(format!("no connection to {host}")),
            Error::Io(error) => Failure::Passing(format!("the connection to {host} failed: {error}")),
            Error::Rustls(error) => Failure::Lasting(format!("{host} cannot be trusted: {error}")),
            Error::Protocol(error) => Failure::Passing(format!("{host} does not speak HTTP: {error}")),
            error => Failure::Passing(error.to_string()),
        }
    }
}

fn tls() -> Result<TlsConfig, ProviderError> {
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<_> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    if certificates.is_empty() {
        let reason =
            found.errors.first().map_or_else(|| "the machine has none".to_owned(), ToString::to_string);
        return Err(ProviderError::Certificates { reason });
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certificates))
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build())
}
