//! Sends HTTP requests. Redirects are never followed: they would send the key and code to another server.

use crate::api_key::ApiKey;
use crate::{Endpoint, ProviderError, retry};
use rustls::crypto::ring;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// The header that says what a long response is.
const LABEL: &str = "x-orient-label";
/// Maximum size of an error response.
const MAX_ERROR_BODY: u64 = 64 << 10;

/// An HTTP response.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

/// A response that is read part by part.
pub(crate) struct OpenResponse {
    pub(crate) status: u16,
    /// What the server says that it is, if it does.
    pub(crate) label: Option<String>,
    pub(crate) body: Box<dyn Read>,
}

/// How long to wait: for a connection, for the beginning of the response, and for all of it.
#[derive(Clone, Copy)]
pub(crate) struct Waits {
    pub(crate) connect: Duration,
    pub(crate) response: Duration,
    pub(crate) all: Duration,
}

/// Why there is no response.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A later attempt may succeed.
    Transient(String),
    /// Every attempt would fail.
    Permanent(String),
}

/// An HTTP client for one endpoint.
pub(crate) struct HttpClient {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<ApiKey>,
}

impl HttpClient {
    /// Opens no connection yet.
    pub(crate) fn new(
        endpoint: Endpoint,
        key: Option<ApiKey>,
        connections: usize,
    ) -> Result<Self, ProviderError> {
        // Requests to this machine must not go through a proxy.
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

    /// A client for another address of the same server, with the same connections.
    pub(crate) fn at(&self, endpoint: Endpoint) -> Self {
        Self { agent: self.agent.clone(), endpoint, key: self.key.clone() }
    }

    /// The API key that is sent, if any.
    pub(crate) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// Sends a request. Fails if it takes longer than `timeout` or the response is larger than `limit`.
    pub(crate) fn post(&self, body: &[u8], timeout: Duration, limit: u64) -> Result<Response, Failure> {
        let response = self.send(body, Waits { connect: timeout, response: timeout, all: timeout })?;
        Self::read(response, limit).map_err(|error| self.failure(error, timeout))
    }

    /// Sends a request whose response is long; it is read part by part, within the same limits.
    pub(crate) fn open(&self, body: &[u8], waits: Waits, limit: u64) -> Result<OpenResponse, Failure> {
        let response = self.send(body, waits)?;
        let text = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let (status, label) = (response.status().as_u16(), text(LABEL));
        Ok(OpenResponse {
            status,
            label,
            body: Box::new(response.into_body().into_with_config().limit(limit).reader()),
        })
    }

    fn send(&self, body: &[u8], waits: Waits) -> Result<ureq::http::Response<ureq::Body>, Failure> {
        let mut request = self
            .agent
            .post(self.endpoint.url())
            .config()
            .timeout_connect(Some(waits.connect))
            .timeout_recv_response(Some(waits.response))
            .timeout_global(Some(waits.all))
            .build()
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            let mut value = HeaderValue::try_from(key.bearer())
                .map_err(|_| Failure::Permanent("the key cannot be sent".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        request.send(body).map_err(|error| self.failure(error, waits.response))
    }

    /// Fetches the document at the endpoint, under the same limits.
    pub(crate) fn get(&self, timeout: Duration, limit: u64) -> Result<Response, Failure> {
        let failed = |error| self.failure(error, timeout);
        let request = self.agent.get(self.endpoint.url()).config().timeout_global(Some(timeout)).build();
        Self::read(request.call().map_err(failed)?, limit).map_err(failed)
    }

    fn read(mut response: ureq::http::Response<ureq::Body>, limit: u64) -> Result<Response, ureq::Error> {
        let status = response.status().as_u16();
        let header = |name: &str| response.headers().get(name)?.to_str().ok().and_then(retry::retry_after);
        let retry_after = header("retry-after-ms").map(|wait| wait / 1000).or_else(|| header("retry-after"));
        let limit = if status == 200 { limit } else { MAX_ERROR_BODY };
        let body = match response.body_mut().with_config().limit(limit).read_to_vec() {
            Ok(body) => body,
            // The status suffices; an oversized error body is dropped.
            Err(_) if status != 200 => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Response { status, retry_after, body })
    }

    fn failure(&self, error: ureq::Error, timeout: Duration) -> Failure {
        use ureq::Error;
        let host = self.endpoint.host();
        match error {
            Error::Timeout(_) => {
                Failure::Transient(format!("no response within {} s", timeout.as_secs_f32()))
            }
            Error::BodyExceedsLimit(_) => Failure::Permanent("the response is too large".to_owned()),
            Error::HostNotFound => Failure::Transient(format!("cannot resolve the host {host}")),
            Error::ConnectionFailed => Failure::Transient(format!("cannot connect to {host}")),
            Error::Io(error) => Failure::Transient(format!("the connection to {host} failed: {error}")),
            Error::Rustls(error) => Failure::Permanent(format!("TLS error with {host}: {error}")),
            Error::Protocol(error) => {
                Failure::Transient(format!("{host} sent an invalid HTTP response: {error}"))
            }
            error => Failure::Transient(error.to_string()),
        }
    }
}

fn tls() -> Result<TlsConfig, ProviderError> {
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<_> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    if certificates.is_empty() {
        let reason = found.errors.first().map_or_else(|| "none installed".to_owned(), ToString::to_string);
        return Err(ProviderError::Certificates { reason });
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certificates))
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build())
}
