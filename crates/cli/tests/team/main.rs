//! Tests of the team server as real processes against a real PostgreSQL.

mod access;
mod database;
mod publication;
mod repositories;
mod server;
