//! Checks that a database is consistent, after it was restored from a backup or copied: everything that a published branch refers to exists
//! and is what its hash says. Reads everything, changes nothing.

use crate::branch_entries::read_entries;
use crate::contents::{Hash, decompressed, hash_of, hex};
use crate::database::Database;
use crate::error::TeamError;
use crate::published_tree::tree_id;
use postgres::Transaction;

/// What was checked, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// Number of published branches.
    pub branches: u64,
    /// Number of contents.
    pub contents: u64,
    /// Their size as stored.
    pub bytes: u64,
    /// Number of artefacts.
    pub artefacts: u64,
    /// What is wrong, the first of each kind up to a limit.
    pub problems: Vec<String>,
    /// Number of problems that are not listed.
    pub more: u64,
}

/// Maximum number of listed problems.
const MAX_LISTED: usize = 100;
/// Contents that are read at once.
const BATCH: i64 = 256;

const BRANCHES: &str = "SELECT b.id, r.name, b.name, b.tree, b.files, b.bytes FROM branch b JOIN repository r ON r.id = b.repository \
     WHERE b.generation > 0 ORDER BY r.name, b.name";
const MISSING: &str = "SELECT r.name, b.name, count(*) FROM entry e JOIN branch b ON b.id = e.branch JOIN repository r ON r.id = b.repository \
     LEFT JOIN content c ON c.id = e.content WHERE e.content IS NOT NULL AND c.id IS NULL GROUP BY r.name, b.name ORDER BY r.name, b.name";
const CONTENTS: &str = "SELECT id, hash, size, data FROM content WHERE id > $1 ORDER BY id LIMIT $2";
const ARTEFACTS: &str =
    "SELECT a.id, r.name, a.bytes FROM artefact a JOIN repository r ON r.id = a.repository ORDER BY a.id";
const PARTS: &str = "SELECT number, data FROM artefact_part WHERE artefact = $1 ORDER BY number";
const LOST_ARTEFACTS: &str = "SELECT r.name, b.name FROM branch b JOIN repository r ON r.id = b.repository \
     LEFT JOIN artefact a ON a.id = b.artefact WHERE b.artefact IS NOT NULL AND a.id IS NULL ORDER BY r.name, b.name";
/// A backup that was restored in part may lack what the statements rely on.
const UNSOUND: &str = "SELECT 'index ' || c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'orient' AND NOT (i.indisvalid AND i.indisready) \
     UNION ALL SELECT 'constraint ' || conname FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace \
     WHERE n.nspname = 'orient' AND NOT convalidated ORDER BY 1";
const EXPECTED: &[&str] = &[
    "artefact_pkey",
    "artefact_part_pkey",
    "audit_pkey",
    "branch_pkey",
    "branch_default",
    "branch_repository_name_key",
    "content_pkey",
    "content_hash_key",
    "content_by_term",
    "content_by_trigram",
    "content_by_name",
    "entry_pkey",
    "entry_by_content",
    "job_branch_key",
    "package_pkey",
    "package_by_name",
    "repository_name_key",
    "token_hash_key",
];
const PRESENT: &str = "SELECT indexname::text FROM pg_indexes WHERE schemaname = 'orient'";

impl BackupReport {
    /// Whether nothing is wrong.
    pub fn is_consistent(&self) -> bool {
        self.problems.is_empty()
    }

    fn problem(&mut self, text: String) {
        if self.problems.len() < MAX_LISTED {
            self.problems.push(text);
        } else {
            self.more += 1;
        }
    }
}

impl Database {
    /// Checks the whole database, in one state of it. The schema must be that of this program.
    pub fn check_backup(&self) -> Result<BackupReport, TeamError> {
        self.check_schema()?;
        self.read(|transaction| {
            let mut report = BackupReport::default();
            check_structure(transaction, &mut report)?;
            check_branches(transaction, &mut report)?;
            check_contents(transaction, &mut report)?;
            check_artefacts(transaction, &mut report)?;
            Ok(report)
        })
    }
}

fn check_structure(transaction: &mut Transaction<'_>, report: &mut BackupReport) -> Result<(), TeamError> {
    for row in transaction.query(UNSOUND, &[])? {
        report.problem(format!("{} is not valid", row.get::<_, String>(0)));
    }
    let present: Vec<String> = transaction.query(PRESENT, &[])?.iter().map(|row| row.get(0)).collect();
    for name in EXPECTED.iter().filter(|name| !present.iter().any(|present| present == *name)) {
        report.problem(format!("index {name} is missing"));
    }
    Ok(())
}

/// The entries of each branch give the hash and the totals that were published, and their contents exist.
fn check_branches(transaction: &mut Transaction<'_>, report: &mut BackupReport) -> Result<(), TeamError> {
    for row in transaction.query(MISSING, &[])? {
        let (repository, branch): (&str, &str) = (row.get(0), row.get(1));
        let count: i64 = row.get(2);
        report.problem(format!("{repository}@{branch}: contents of {count} paths are missing"));
    }
    for row in transaction.query(BRANCHES, &[])? {
        let label = format!("{}@{}", row.get::<_, &str>(1), row.get::<_, &str>(2));
        let entries = read_entries(transaction, row.get(0))?;
        report.branches += 1;
        let files = (entries.len() as u64).cast_signed();
        let bytes = entries.iter().map(|entry| entry.size).sum::<u64>().cast_signed();
        if (files, bytes) != (row.get(4), row.get(5)) {
            report.problem(format!(
                "{label}: it has {files} paths, and {} were published",
                row.get::<_, i64>(4)
            ));
        } else if row.get::<_, Option<&[u8]>>(3) != Some(tree_id(&entries).as_slice()) {
            report.problem(format!("{label}: its entries are not those that were published"));
        }
    }
    Ok(())
}

fn check_contents(transaction: &mut Transaction<'_>, report: &mut BackupReport) -> Result<(), TeamError> {
    let mut last = 0_i64;
    loop {
        let rows = transaction.query(CONTENTS, &[&last, &BATCH])?;
        let Some(end) = rows.last() else { return Ok(()) };
        last = end.get(0);
        for row in &rows {
            let (hash, frame): (&[u8], &[u8]) = (row.get(1), row.get(3));
            report.contents += 1;
            report.bytes += frame.len() as u64;
            let expected = usize::try_from(row.get::<_, i32>(2)).ok();
            let is_sound = decompressed(frame)
                .is_some_and(|bytes| Some(bytes.len()) == expected && hash_of(&bytes).as_slice() == hash);
            if !is_sound {
                report.problem(format!("content {} is not what its hash says", hex(hash)));
            }
        }
    }
}

/// The parts of each artefact are complete, and its last bytes are the hash of all before.
fn check_artefacts(transaction: &mut Transaction<'_>, report: &mut BackupReport) -> Result<(), TeamError> {
    for row in transaction.query(LOST_ARTEFACTS, &[])? {
        report.problem(format!(
            "{}@{}: its artefact is missing",
            row.get::<_, &str>(0),
            row.get::<_, &str>(1)
        ));
    }
    for row in transaction.query(ARTEFACTS, &[])? {
        report.artefacts += 1;
        let (id, bytes): (i64, i64) = (row.get(0), row.get(2));
        let mut file = Vec::new();
        let parts = transaction.query(PARTS, &[&id])?;
        let is_complete = parts.iter().zip(0_i32..).all(|(part, number)| part.get::<_, i32>(0) == number);
        for part in &parts {
            file.extend_from_slice(part.get(1));
        }
        let is_sound = file
            .split_last_chunk::<{ size_of::<Hash>() }>()
            .is_some_and(|(body, hash)| hash_of(body) == *hash);
        if !(is_complete && is_sound && (file.len() as u64).cast_signed() == bytes) {
            report.problem(format!("artefact {id} of {} is damaged", row.get::<_, &str>(1)));
        }
    }
    Ok(())
}
