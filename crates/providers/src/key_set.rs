//! Fetches the published keys of an identity provider.

use crate::Endpoint;
use crate::http::{Failure, HttpClient};
use std::time::Duration;

/// Maximum size of a key set.
const MAX_BYTES: u64 = 1 << 20;
/// How long the provider may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The address of a key set.
pub struct KeySetAddress(HttpClient);

impl KeySetAddress {
    /// An address, which must be encrypted unless it is on this machine. Opens no connection yet.
    pub fn new(address: &str) -> Result<Self, String> {
        let endpoint = Endpoint::parse(address, "")?;
        if !endpoint.is_encrypted() && !endpoint.is_local() {
            return Err("it is on another machine, so it must begin with https://".to_owned());
        }
        HttpClient::new(endpoint, None, 1).map(Self).map_err(|error| error.to_string())
    }

    /// Fetches the key set; the error says why there is none.
    pub fn fetch(&self) -> Result<Vec<u8>, String> {
        let response = self.0.get(TIMEOUT, MAX_BYTES).map_err(|failure| match failure {
            Failure::Transient(reason) | Failure::Permanent(reason) => reason,
        })?;
        if response.status == 200 { Ok(response.body) } else { Err(format!("status {}", response.status)) }
    }
}
