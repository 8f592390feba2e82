//! Migrations with a list of steps made for these tests.

use super::*;
use crate::format_version::{APPLICATION, Header};
use rusqlite::Result;

const MADE_UP: &[Step] = &[
    Step {
        to: 2,
        what: "counts words",
        run: |db| db.execute_batch("ALTER TABLE note ADD COLUMN words INTEGER"),
    },
    Step {
        to: 3,
        what: "fills the counts",
        run: |db| db.execute_batch("UPDATE note SET words = length(text)"),
    },
];

const BROKEN: &[Step] = &[
    Step { to: 2, what: "works", run: |db| db.execute_batch("CREATE TABLE extra (id INTEGER)") },
    Step { to: 3, what: "fails", run: |db| db.execute_batch("UPDATE nowhere SET a = 1") },
];

/// A file of format 1, as an older version would have written it.
fn old_file(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("old.db");
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", APPLICATION).unwrap();
    db.pragma_update(None, "user_version", 1).unwrap();
    db.execute_batch("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('hello')").unwrap();
    path
}

fn words(db: &Connection) -> Result<i64> {
    db.query_row("SELECT words FROM note", [], |row| row.get(0))
}

#[test]
fn an_older_file_is_migrated_step_by_step() {
    let directory = tempfile::tempdir().unwrap();
    let path = old_file(directory.path());
    let mut db = Connection::open(&path).unwrap();
    let done = run(&mut db, &path, MADE_UP, 1, 3).unwrap();
    assert_eq!(done, ["counts words", "fills the counts"]);
    assert_eq!(words(&db).unwrap(), 5);
    drop(db);
    assert_eq!(
        Header::read(&crate::connection::database_path::DatabasePath::at(&path).unwrap()).unwrap().format,
        3
    );
}

#[test]
fn a_failed_migration_leaves_the_file_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = old_file(directory.path());
    let mut db = Connection::open(&path).unwrap();
    assert!(run(&mut db, &path, BROKEN, 1, 3).is_err());
    assert!(db.prepare("SELECT * FROM extra").is_err(), "the first step was undone with the second");
    drop(db);
    assert_eq!(
        Header::read(&crate::connection::database_path::DatabasePath::at(&path).unwrap()).unwrap().format,
        1
    );
}

#[test]
fn a_format_without_migration_steps_is_outdated() {
    let directory = tempfile::tempdir().unwrap();
    let path = old_file(directory.path());
    let mut db = Connection::open(&path).unwrap();
    let error = run(&mut db, &path, &MADE_UP[1..], 1, 3).unwrap_err();
    assert!(matches!(error, StoreError::Outdated { found: 1, known: 3, .. }), "{error}");
}

#[test]
fn the_migration_steps_are_consecutive_and_end_at_the_current_format() {
    let formats: Vec<u32> = STEPS.iter().map(|step| step.to).collect();
    assert!(formats.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    assert!(formats.last().is_none_or(|&last| last == crate::format_version::FORMAT));
    assert!(STEPS.iter().all(|step| !step.what.is_empty()));
}
