//! Tests of the team server as real processes against a real PostgreSQL.

mod access;
mod backup;
mod database;
mod faults;
mod identity_provider;
mod isolation;
mod publication;
mod remote;
mod remote_agents;
mod repositories;
mod seeding;
mod server;
mod webhooks;
