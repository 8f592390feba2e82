//! The entries of branches in the database.

use crate::contents::{Hash, hex};
use crate::error::TeamError;
use crate::published_tree::BranchEntry;
use orient_model::RepoPath;
use postgres::{Row, Transaction};
use std::collections::HashMap;

const READ: &str = "SELECT e.path, e.kind, e.blob, e.size, c.hash FROM entry e \
     LEFT JOIN content c ON c.id = e.content WHERE e.branch = $1 ORDER BY e.path";
const KNOWN: &str = "SELECT DISTINCT ON (e.blob) e.blob, c.hash FROM entry e JOIN branch b ON b.id = e.branch \
     JOIN content c ON c.id = e.content WHERE b.repository = $1";
const CONTENT_IDS: &str = "SELECT hash, id FROM content WHERE hash = ANY($1)";
const DELETE: &str = "DELETE FROM entry WHERE branch = $1 AND path = ANY($2)";
const UPSERT: &str = "INSERT INTO entry (branch, path, kind, blob, size, content) \
     SELECT $1, * FROM unnest($2::bytea[], $3::smallint[], $4::bytea[], $5::bigint[], $6::bigint[]) \
     ON CONFLICT (branch, path) DO UPDATE \
     SET kind = excluded.kind, blob = excluded.blob, size = excluded.size, content = excluded.content";

/// Number of rows in one statement.
const BATCH: usize = 5000;

/// The entries of a branch, by path.
pub(crate) fn read_entries(
    transaction: &mut Transaction<'_>,
    branch: i64,
) -> Result<Vec<BranchEntry>, TeamError> {
    let entry = |row: &Row| BranchEntry {
        path: RepoPath::new(row.get::<_, &[u8]>(0)),
        kind: BranchEntry::kind_of(row.get(1)),
        blob: row.get(2),
        size: row.get::<_, i64>(3).cast_unsigned(),
        content: row.get::<_, Option<&[u8]>>(4).and_then(|hash| Hash::try_from(hash).ok()),
    };
    Ok(transaction.query(READ, &[&branch])?.iter().map(entry).collect())
}

/// The contents that a repository has, by their ids in git. Ids of other repositories are not believed: a content is identified by
/// our own hash.
pub(crate) fn known_blobs(
    transaction: &mut Transaction<'_>,
    repository: i64,
) -> Result<HashMap<Vec<u8>, Hash>, TeamError> {
    let mut known = HashMap::new();
    for row in transaction.query(KNOWN, &[&repository])? {
        if let Ok(hash) = Hash::try_from(row.get::<_, &[u8]>(1)) {
            known.insert(row.get(0), hash);
        }
    }
    Ok(known)
}

/// Makes the entries of a branch those given, which are sorted by path; writes only what differs. Returns the number of changes.
pub(crate) fn replace_entries(
    transaction: &mut Transaction<'_>,
    branch: i64,
    entries: &[BranchEntry],
) -> Result<usize, TeamError> {
    let before = read_entries(transaction, branch)?;
    let position = |all: &[BranchEntry], path: &RepoPath| all.binary_search_by(|entry| entry.path.cmp(path));
    let is_new =
        |entry: &&BranchEntry| position(&before, &entry.path).map_or(true, |at| before[at] != **entry);
    let removed: Vec<&[u8]> = before
        .iter()
        .filter(|entry| position(entries, &entry.path).is_err())
        .map(|entry| entry.path.as_bytes())
        .collect();
    for some in removed.chunks(BATCH) {
        transaction.execute(DELETE, &[&branch, &some])?;
    }
    let written: Vec<&BranchEntry> = entries.iter().filter(is_new).collect();
    for some in written.chunks(BATCH) {
        let paths: Vec<&[u8]> = some.iter().map(|entry| entry.path.as_bytes()).collect();
        let kinds: Vec<i16> = some.iter().map(|entry| entry.kind_number()).collect();
        let blobs: Vec<&[u8]> = some.iter().map(|entry| entry.blob.as_slice()).collect();
        let sizes: Vec<i64> = some.iter().map(|entry| entry.size.cast_signed()).collect();
        let contents = content_ids(transaction, some)?;
        transaction.execute(UPSERT, &[&branch, &paths, &kinds, &blobs, &sizes, &contents])?;
    }
    Ok(removed.len() + written.len())
}

/// The ids of the contents of entries. Fails if the database does not have one of them: it may have been removed since it was seen.
fn content_ids(
    transaction: &mut Transaction<'_>,
    entries: &[&BranchEntry],
) -> Result<Vec<Option<i64>>, TeamError> {
    let hashes: Vec<&[u8]> =
        entries.iter().filter_map(|entry| Some(entry.content.as_ref()?.as_slice())).collect();
    let rows = transaction.query(CONTENT_IDS, &[&hashes])?;
    let ids: HashMap<&[u8], i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let id = |entry: &&BranchEntry| match &entry.content {
        None => Ok(None),
        Some(hash) => {
            ids.get(hash.as_slice()).copied().map(Some).ok_or_else(|| TeamError::Damaged(hex(hash)))
        }
    };
    entries.iter().map(id).collect()
}
