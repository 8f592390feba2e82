//! The schema and its migrations, forward and backward. They are applied one at a time, each in a transaction, under an advisory
//! lock: of several nodes that start together, one migrates.
//!
//! A program is made for one version of the schema. It also works with a newer one if all migrations since then only add: the
//! database says so, since the program cannot know them.

use crate::connection::Connection;
use crate::database::Database;
use crate::error::TeamError;
use orient_tools::address_key;
use postgres::{Row, Transaction};

struct Migration {
    up: &'static str,
    down: &'static str,
    programs: EarlierPrograms,
}

/// What programs of the version before a migration may do after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EarlierPrograms {
    /// Stop: their statements would fail, or would be wrong.
    Stop,
    /// Go on: it adds tables, indexes, and columns that may be left out.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "no migration has only added since programs know the difference")
    )]
    GoOn,
}

macro_rules! migration {
    ($name:literal, $programs:ident) => {
        Migration {
            up: include_str!(concat!("../migrations/", $name, ".up.sql")),
            down: include_str!(concat!("../migrations/", $name, ".down.sql")),
            programs: EarlierPrograms::$programs,
        }
    };
}

/// All migrations, in order; the version of the schema is their number.
const MIGRATIONS: &[Migration] = &[
    migration!("0001_initial", Stop),
    migration!("0002_compact_contents", Stop),
    migration!("0003_identities", Stop),
    migration!("0004_webhooks", Stop),
    migration!("0005_address_keys", Stop),
    migration!("0006_compatible_programs", Stop),
];

/// The version that this program needs.
pub(crate) const VERSION: i32 = (MIGRATIONS.len() as u32).cast_signed();

/// The advisory lock of migrations: "orient" in ASCII.
const LOCK: i64 = 0x6f72_6965_6e74;

const CREATE_SCHEMA: &str = "CREATE SCHEMA IF NOT EXISTS orient";
const CREATE_VERSION: &str = "CREATE TABLE IF NOT EXISTS orient.schema_version (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)";
/// The column for the oldest program came with a migration.
const READ_VERSION: &str = "SELECT version, coalesce((to_jsonb(v) ->> 'oldest_program')::integer, version) FROM orient.schema_version v";
/// Waits for transactions that depend on the version, before anything is changed that they may read.
const LOCK_VERSION: &str = "SELECT version FROM orient.schema_version FOR UPDATE";
const WRITE_VERSION: &str =
    "INSERT INTO orient.schema_version VALUES (true, $1) ON CONFLICT (one) DO UPDATE SET version = $1";
const WRITE_OLDEST: &str = "UPDATE orient.schema_version SET oldest_program = $1";
/// The first version that says which programs may use it.
const HAS_OLDEST: i32 = 6;

const WITHOUT_KEY: &str = "SELECT id, source FROM orient.repository WHERE address_key IS NULL";
const SET_KEY: &str = "UPDATE orient.repository SET address_key = $2 WHERE id = $1";

impl Database {
    /// Brings the schema to the version of this program, or to a given one. Returns the versions before and after.
    pub fn migrate(&self, target: Option<i32>) -> Result<(i32, i32), TeamError> {
        if let Some(target) = target
            && !(0..=VERSION).contains(&target)
        {
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

    /// Fails unless this program works with the schema.
    pub fn check_schema(&self) -> Result<(), TeamError> {
        let exists = "SELECT to_regclass('orient.schema_version') IS NOT NULL";
        let found = self.with(|client| {
            let exists: bool = client.query_one(exists, &[])?.get(0);
            let row = if exists { client.query_opt(READ_VERSION, &[])? } else { None };
            Ok(row.map_or(SchemaVersion::NONE, |row| SchemaVersion::of(&row, 0)))
        })?;
        found.check()
    }
}

/// The version of a schema, and the oldest program that works with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaVersion {
    version: i32,
    oldest_program: i32,
}

impl SchemaVersion {
    const NONE: Self = Self { version: 0, oldest_program: 0 };

    /// The two columns of a row that begin at a position.
    pub(crate) fn of(row: &Row, at: usize) -> Self {
        Self { version: row.get(at), oldest_program: row.get(at + 1) }
    }

    /// Fails unless this program works with the schema.
    pub(crate) fn check(self) -> Result<(), TeamError> {
        if self.allows(VERSION) { Ok(()) } else { Err(self.refusal()) }
    }

    fn allows(self, program: i32) -> bool {
        self.version >= program && self.oldest_program <= program
    }

    fn refusal(self) -> TeamError {
        TeamError::Schema { found: self.version, known: VERSION }
    }
}

/// The oldest program that works with a version of the schema: the number of the last migration that did not only add.
fn oldest_program(migrations: &[Migration]) -> i32 {
    let stops = migrations.iter().rposition(|one| one.programs == EarlierPrograms::Stop);
    stops.map_or(0, |at| (at as u32 + 1).cast_signed())
}

fn migrate(client: &mut Connection, target: Option<i32>) -> Result<(i32, i32), TeamError> {
    let mut setup = client.transaction()?;
    setup.batch_execute(CREATE_SCHEMA)?;
    setup.batch_execute(CREATE_VERSION)?;
    let found =
        setup.query_opt(READ_VERSION, &[])?.map_or(SchemaVersion::NONE, |row| SchemaVersion::of(&row, 0));
    setup.commit()?;
    let before = found.version;
    if before > VERSION {
        // A newer program has migrated; this one can go on, or has to be replaced.
        let may_stay = target.is_none() && found.allows(VERSION);
        return if may_stay { Ok((before, before)) } else { Err(found.refusal()) };
    }
    let (mut version, target) = (before, target.unwrap_or(VERSION));
    while version != target {
        let mut step = client.transaction()?;
        step.execute(LOCK_VERSION, &[])?;
        version = if version < target { up(&mut step, version)? } else { down(&mut step, version)? };
        step.execute(WRITE_VERSION, &[&version])?;
        if version >= HAS_OLDEST {
            let applied = &MIGRATIONS[..version.cast_unsigned() as usize];
            step.execute(WRITE_OLDEST, &[&oldest_program(applied)])?;
        }
        step.commit()?;
    }
    if version == VERSION {
        add_address_keys(client)?;
    }
    Ok((before, version))
}

/// Gives repositories that were added before there were keys of addresses theirs: a database cannot compute them.
fn add_address_keys(client: &mut Connection) -> Result<(), TeamError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_goes_on_while_migrations_only_add() {
        let migration = |programs| Migration { up: "", down: "", programs };
        let (stop, go_on) = (EarlierPrograms::Stop, EarlierPrograms::GoOn);
        for (programs, oldest) in [
            (vec![], 0),
            (vec![stop, stop], 2),
            (vec![stop, stop, go_on, go_on], 2),
            (vec![stop, go_on, stop], 3),
        ] {
            let migrations: Vec<Migration> = programs.into_iter().map(migration).collect();
            assert_eq!(oldest_program(&migrations), oldest);
        }
        let schema = SchemaVersion { version: 8, oldest_program: 7 };
        let allowed: Vec<i32> = (5..=10).filter(|program| schema.allows(*program)).collect();
        assert_eq!(allowed, [7, 8], "newer programs need what their migrations add");
    }
}
