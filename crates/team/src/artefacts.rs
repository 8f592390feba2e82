//! Artefacts: the facts of a tree as one file, in parts of at most one megabyte. A node or a new worker starts from it without parsing.

use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use orient_engine::{Cancel, Engine};
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Maximum size of a part.
const PART: usize = 1 << 20;

const INSERT: &str = "INSERT INTO artefact (repository, bytes) VALUES ($1, $2) RETURNING id";
const INSERT_PART: &str = "INSERT INTO artefact_part (artefact, number, data) VALUES ($1, $2, $3)";
const READ_PART: &str = "SELECT data FROM artefact_part WHERE artefact = $1 AND number = $2";

/// A file that is removed when it is dropped.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(data: &DataDirectory, name: &str) -> Result<Self, TeamError> {
        let directory = data.directory("artefacts")?;
        Ok(Self(directory.path().join(format!("{name}-{}", std::process::id()))))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A file that stays is replaced by the next one of its name.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Exports the facts of an index and stores the file. It counts only once a branch refers to it.
pub(crate) fn store_artefact(
    database: &Database,
    data: &DataDirectory,
    repository: i64,
    engine: &Engine,
) -> Result<i64, TeamError> {
    let file = TemporaryFile::new(data, &format!("export-{repository}"))?;
    let bytes = engine.export_facts(&file.0, &Cancel::default())?.cast_signed();
    let failed = || TeamError::io("cannot read the exported facts");
    let mut from = File::open(&file.0).map_err(failed())?;
    database.write(|transaction| {
        let artefact: i64 = transaction.query_one(INSERT, &[&repository, &bytes])?.get(0);
        let mut number = 0_i32;
        loop {
            let mut part = Vec::with_capacity(PART);
            Read::by_ref(&mut from).take(PART as u64).read_to_end(&mut part).map_err(failed())?;
            if part.is_empty() {
                return Ok(artefact);
            }
            transaction.execute(INSERT_PART, &[&artefact, &number, &part])?;
            number += 1;
        }
    })
}

/// Fetches the facts of a stored file. A file of another version is not used: the contents are then parsed.
pub(crate) fn import_artefact(
    database: &Database,
    data: &DataDirectory,
    artefact: i64,
    engine: &Engine,
) -> Result<bool, TeamError> {
    let file = TemporaryFile::new(data, &format!("import-{artefact}"))?;
    let failed = || TeamError::io("cannot write the fetched facts");
    let mut to = File::create(&file.0).map_err(failed())?;
    database.read(|transaction| {
        for number in 0_i32.. {
            let Some(row) = transaction.query_opt(READ_PART, &[&artefact, &number])? else { break };
            to.write_all(row.get(0)).map_err(failed())?;
        }
        Ok(())
    })?;
    drop(to);
    Ok(engine.import_facts(&file.0, &Cancel::default()).is_ok())
}
