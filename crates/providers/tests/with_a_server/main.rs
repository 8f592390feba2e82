//! Providers over real connections to a test server: requests, responses and failures.

mod all;
mod consent;
mod faults;
mod questions;
mod server;
mod speech;
