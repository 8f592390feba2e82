//! Tests of the team server as real processes against a real PostgreSQL.

mod access;
mod backup;
mod database;
mod faults;
mod full_disk;
mod identity_provider;
mod isolation;
mod pages;
mod preparation;
mod program_versions;
mod publication;
mod remote;
mod remote_agents;
mod repositories;
mod scale;
mod seeding;
mod server;
mod tls;
mod webhooks;
