//! Publishes a generation of a branch: entries, packages and the commit change in one transaction, together with the end of the job.
//! A reader sees the generation before or the one after, never a mixture.

use crate::branch_entries::replace_entries;
use crate::contents::{Hash, name_hash};
use crate::database::Database;
use crate::error::TeamError;
use crate::jobs::Job;
use crate::published_tree::BranchEntry;
use orient_engine::{FileQuery, Packages, Snapshot};
use std::collections::{BTreeSet, HashMap};

/// What is published.
pub(crate) struct Publication {
    pub(crate) branch_name: String,
    pub(crate) commit: String,
    pub(crate) tree: Hash,
    /// By path.
    pub(crate) entries: Vec<BranchEntry>,
    pub(crate) packages: Packages,
    pub(crate) artefact: i64,
    /// Number of contents that the artefact does not have and the former generation did not either; `None` if the artefact is new.
    pub(crate) drift: Option<usize>,
}

/// What a worker knows about a branch before it works.
pub(crate) struct BranchState {
    /// The artefact of the branch, or that of the default branch, or that of a fork.
    pub(crate) artefact: Option<i64>,
    /// Whether it is that of a fork.
    pub(crate) is_shared: bool,
    drift: usize,
}

impl BranchState {
    /// Whether so much has changed that a new artefact saves more than it costs.
    pub(crate) fn is_outdated(&self, new_contents: usize, entries: usize) -> bool {
        const PARTS: usize = 5;
        !self.is_shared && (self.drift + new_contents) * PARTS > entries
    }
}

const STATE: &str = "SELECT coalesce(b.artefact, d.artefact), CASE WHEN b.artefact IS NULL THEN 0 ELSE b.drift END \
     FROM branch b LEFT JOIN branch d ON d.repository = b.repository AND d.is_default WHERE b.id = $1";
const LOCK: &str = "SELECT generation FROM branch WHERE id = $1 FOR UPDATE";
const PUBLISH: &str = "UPDATE branch SET name = $2, generation = generation + 1, commit_id = $3, tree = $4, files = $5, \
     bytes = $6, artefact = $7, drift = coalesce(drift + $8, 0), published = now() WHERE id = $1";
const DROP_ARTEFACTS: &str = "DELETE FROM artefact a WHERE a.repository = $1 AND a.id < $2 \
     AND NOT EXISTS (SELECT FROM branch b WHERE b.artefact = a.id)";
/// The default branch, whose name was not known before, may have been added by its name too.
const DROP_SAME_NAME: &str = "DELETE FROM branch WHERE repository = $1 AND name = $2 AND id <> $3";
const DELETE_PACKAGES: &str = "DELETE FROM package WHERE branch = $1";
const INSERT_PACKAGES: &str = "INSERT INTO package (branch, is_provided, ecosystem, name) \
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[])";
/// The artefact of a branch of another repository, a fork most probably, if four fifths of its files and of ours are the same.
const SIMILAR: &str = "SELECT b.artefact FROM content c JOIN entry e ON e.content = c.id JOIN branch b ON b.id = e.branch \
     WHERE c.hash = ANY($1) AND b.artefact IS NOT NULL GROUP BY b.id \
     HAVING count(*) * 5 > b.files * 4 AND count(*) * 5 > $2::bigint * 4 ORDER BY count(*) DESC, b.id LIMIT 1";

impl Database {
    pub(crate) fn branch_state(&self, branch: i64) -> Result<BranchState, TeamError> {
        let row =
            self.with(|client| Ok(client.query_opt(STATE, &[&branch])?))?.ok_or(TeamError::LeaseLost)?;
        let drift = usize::try_from(row.get::<_, i64>(1)).unwrap_or(0);
        Ok(BranchState { artefact: row.get(0), is_shared: false, drift })
    }

    /// An artefact that serves a new repository with these entries too.
    pub(crate) fn similar_artefact(&self, entries: &[BranchEntry]) -> Result<Option<i64>, TeamError> {
        let hashes: BTreeSet<&[u8]> =
            entries.iter().filter_map(|entry| Some(entry.content.as_ref()?.as_slice())).collect();
        let (hashes, files) = (Vec::from_iter(hashes), (entries.len() as u64).cast_signed());
        let row = self.with(|client| Ok(client.query_opt(SIMILAR, &[&hashes, &files])?))?;
        Ok(row.map(|row| row.get(0)))
    }

    /// Publishes and ends the job. Returns the number of changed entries.
    pub(crate) fn publish(&self, job: &Job, publication: &Publication) -> Result<usize, TeamError> {
        let Publication { branch_name, commit, tree, entries, packages, artefact, drift } = publication;
        let bytes: u64 = entries.iter().map(|entry| entry.size).sum();
        let (files, bytes) = ((entries.len() as u64).cast_signed(), bytes.cast_signed());
        self.write(|transaction| {
            job.finish(transaction)?;
            transaction.query_one(LOCK, &[&job.branch])?;
            let changes = replace_entries(transaction, job.branch, entries)?;
            transaction.execute(DELETE_PACKAGES, &[&job.branch])?;
            for (is_provided, pairs) in [(true, &packages.provided), (false, &packages.required)] {
                let (ecosystems, names): (Vec<&str>, Vec<&str>) =
                    pairs.iter().map(|(ecosystem, name)| (ecosystem.as_str(), name.as_str())).unzip();
                transaction.execute(INSERT_PACKAGES, &[&job.branch, &is_provided, &ecosystems, &names])?;
            }
            transaction.execute(DROP_SAME_NAME, &[&job.repository, branch_name, &job.branch])?;
            let (tree, drift) = (tree.as_slice(), drift.map(|drift| (drift as u64).cast_signed()));
            let values: [&(dyn postgres::types::ToSql + Sync); 8] =
                [&job.branch, branch_name, commit, &tree, &files, &bytes, artefact, &drift];
            transaction.execute(PUBLISH, &values)?;
            transaction.execute(DROP_ARTEFACTS, &[&job.repository, artefact])?;
            Ok(changes)
        })
    }
}

/// The hashes of the names that contents define, for those in `wanted`.
pub(crate) fn defined_names(
    snapshot: &Snapshot,
    entries: &[BranchEntry],
    wanted: &BTreeSet<Hash>,
) -> Result<HashMap<Hash, Vec<i32>>, TeamError> {
    let mut names: HashMap<Hash, BTreeSet<i32>> = HashMap::new();
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    for file in snapshot.files(&query, 0, usize::MAX)?.rows {
        let at = entries.binary_search_by(|entry| entry.path.cmp(&file.path)).ok();
        let content = at.and_then(|at| entries[at].content).filter(|content| wanted.contains(content));
        let Some(content) = content else { continue };
        let outline = snapshot.outline(file)?.outline;
        let own = names.entry(content).or_default();
        own.extend(outline.symbols.iter().map(|symbol| name_hash(outline.strings.get(symbol.name))));
    }
    Ok(names.into_iter().map(|(content, names)| (content, names.into_iter().collect())).collect())
}
