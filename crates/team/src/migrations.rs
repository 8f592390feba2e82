//! The schema and its migrations, forward and backward. They are applied one at a time, each in a transaction, under an advisory
//! lock: of several nodes that start together, one migrates.

use crate::database::Database;
use crate::error::TeamError;
use orient_tools::address_key;
use postgres::{Client, Transaction};

struct Migration {
    up: &'static str,
    down: &'static str,
}

macro_rules! migration {
    ($name:literal) => {
        Migration {
            up: include_str!(concat!("../migrations/", $name, ".up.sql")),
            down: include_str!(concat!("../migrations/", $name, ".down.sql")),
        }
    };
}

/// All migrations, in order; the version of the schema is their number.
const MIGRATIONS: &[Migration] = &[
    migration!("0001_initial"),
    migration!("0002_compact_contents"),
    migration!("0003_identities"),
    migration!("0004_webhooks"),
    migration!("0005_address_keys"),
];

/// The version that this program needs.
pub(crate) const VERSION: i32 = (MIGRATIONS.len() as u32).cast_signed();

/// The advisory lock of migrations: "orient" in ASCII.
const LOCK: i64 = 0x6f72_6965_6e74;

const CREATE_SCHEMA: &str = "CREATE SCHEMA IF NOT EXISTS orient";
const CREATE_VERSION: &str = "CREATE TABLE IF NOT EXISTS orient.schema_version (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)";
const READ_VERSION: &str = "SELECT version FROM orient.schema_version";
const WRITE_VERSION: &str =
    "INSERT INTO orient.schema_version VALUES (true, $1) ON CONFLICT (one) DO UPDATE SET version = $1";

const WITHOUT_KEY: &str = "SELECT id, source FROM orient.repository WHERE address_key IS NULL";
const SET_KEY: &str = "UPDATE orient.repository SET address_key = $2 WHERE id = $1";

impl Database {
    /// Brings the schema to the version of this program, or to a given one. Returns the versions before and after.
    pub fn migrate(&self, target: Option<i32>) -> Result<(i32, i32), TeamError> {
        let target = target.unwrap_or(VERSION);
        if !(0..=VERSION).contains(&target) {
            return Err(TeamError::usage(
                format!("there is no schema version {target}"),
                format!("versions are 0, which is empty, to {VERSION}"),
            ));
        }
        self.with(|client| {
            client.execute("SELECT pg_advisory_lock($1)", &[&LOCK])?;
            let done = migrate(client, target);
            client.execute("SELECT pg_advisory_unlock($1)", &[&LOCK])?;
            done
        })
    }

    /// Fails unless the schema is that of this program.
    pub fn check_schema(&self) -> Result<(), TeamError> {
        let exists = "SELECT to_regclass('orient.schema_version') IS NOT NULL";
        let found = self.with(|client| {
            let exists: bool = client.query_one(exists, &[])?.get(0);
            let row = if exists { client.query_opt(READ_VERSION, &[])? } else { None };
            Ok(row.map_or(0, |row| row.get(0)))
        })?;
        if found == VERSION { Ok(()) } else { Err(TeamError::Schema { found, known: VERSION }) }
    }
}

fn migrate(client: &mut Client, target: i32) -> Result<(i32, i32), TeamError> {
    let mut setup = client.transaction()?;
    setup.batch_execute(CREATE_SCHEMA)?;
    setup.batch_execute(CREATE_VERSION)?;
    let before: i32 = setup.query_opt(READ_VERSION, &[])?.map_or(0, |row| row.get(0));
    setup.commit()?;
    if before > VERSION {
        return Err(TeamError::Schema { found: before, known: VERSION });
    }
    let mut version = before;
    while version != target {
        let mut step = client.transaction()?;
        version = if version < target { up(&mut step, version)? } else { down(&mut step, version)? };
        step.execute(WRITE_VERSION, &[&version])?;
        step.commit()?;
    }
    if version == VERSION {
        add_address_keys(client)?;
    }
    Ok((before, version))
}

/// Gives repositories that were added before there were keys of addresses theirs: a database cannot compute them.
fn add_address_keys(client: &mut Client) -> Result<(), TeamError> {
    let mut step = client.transaction()?;
    for row in step.query(WITHOUT_KEY, &[])? {
        let key = address_key(row.get(1));
        step.execute(SET_KEY, &[&row.get::<_, i64>(0), &key])?;
    }
    Ok(step.commit()?)
}

fn up(step: &mut Transaction<'_>, version: i32) -> Result<i32, TeamError> {
    step.batch_execute(MIGRATIONS[version.cast_unsigned() as usize].up)?;
    Ok(version + 1)
}

fn down(step: &mut Transaction<'_>, version: i32) -> Result<i32, TeamError> {
    step.batch_execute(MIGRATIONS[version.cast_unsigned() as usize - 1].down)?;
    Ok(version - 1)
}
