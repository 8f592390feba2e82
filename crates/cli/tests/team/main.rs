//! Tests of the team server as real processes against a real PostgreSQL.

mod access;
mod database;
mod publication;
mod remote;
mod repositories;
mod server;
