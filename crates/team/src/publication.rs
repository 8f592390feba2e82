//! Publishes a generation of a branch: entries, packages and the commit change in one transaction, together with the end of the job.
//! A reader sees the generation before or the one after, never a mixture.

use crate::branch_entries::replace_entries;
use crate::contents::{Hash, name_hash};
use crate::database::Database;
use crate::error::TeamError;
use crate::jobs::Job;
use crate::published_tree::BranchEntry;
use orient_engine::{FileQuery, Packages, Snapshot};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is published.
pub(crate) struct Publication {
    pub(crate) branch_name: String,
    pub(crate) commit: String,
    pub(crate) tree: Hash,
    /// By path.
    pub(crate) entries: Vec<BranchEntry>,
    pub(crate) packages: Packages,
    pub(crate) artefact: i64,
    /// Whether the artefact was made from this tree.
    pub(crate) is_new_artefact: bool,
}

/// What a worker knows about a branch before it works.
pub(crate) struct BranchState {
    /// The artefact of the branch, or that of the default branch.
    pub(crate) artefact: Option<i64>,
    drift: usize,
}

impl BranchState {
    /// Whether so much has changed that a new artefact saves more than it costs.
    pub(crate) fn is_outdated(&self, new_contents: usize, entries: usize) -> bool {
        const PARTS: usize = 5;
        (self.drift + new_contents) * PARTS > entries
    }
}

const STATE: &str = "SELECT coalesce(b.artefact, d.artefact), CASE WHEN b.artefact IS NULL THEN 0 ELSE b.drift END \
     FROM branch b LEFT JOIN branch d ON d.repository = b.repository AND d.is_default WHERE b.id = $1";
const LOCK: &str = "SELECT generation FROM branch WHERE id = $1 FOR UPDATE";
const PUBLISH: &str = "UPDATE branch SET name = $2, generation = generation + 1, commit_id = $3, tree = $4, files = $5, \
     bytes = $6, artefact = $7, drift = CASE WHEN $8 THEN 0 ELSE drift + $9 END, published = now() WHERE id = $1";
const DROP_ARTEFACTS: &str = "DELETE FROM artefact a WHERE a.repository = $1 AND a.id < $2 \
     AND NOT EXISTS (SELECT FROM branch b WHERE b.artefact = a.id)";
const DELETE_PACKAGES: &str = "DELETE FROM package WHERE branch = $1";
const INSERT_PACKAGES: &str = "INSERT INTO package (branch, is_provided, ecosystem, name) \
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[])";
const UNNAMED: &str = "SELECT id FROM content WHERE id = ANY($1) AND names IS NULL";
const NAME: &str = "UPDATE content SET names = $2 WHERE id = $1";

impl Database {
    pub(crate) fn branch_state(&self, branch: i64) -> Result<BranchState, TeamError> {
        let row =
            self.with(|client| Ok(client.query_opt(STATE, &[&branch])?))?.ok_or(TeamError::LeaseLost)?;
        Ok(BranchState { artefact: row.get(0), drift: usize::try_from(row.get::<_, i64>(1)).unwrap_or(0) })
    }

    /// Those contents whose symbols are not known yet.
    pub(crate) fn contents_without_names(&self, contents: &[i64]) -> Result<HashSet<i64>, TeamError> {
        let rows = self.with(|client| Ok(client.query(UNNAMED, &[&contents])?))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Stores which symbols contents define; a content that `names` does not have defines none.
    pub(crate) fn store_names(
        &self,
        contents: &HashSet<i64>,
        names: &HashMap<i64, Vec<i32>>,
    ) -> Result<(), TeamError> {
        let sorted: BTreeSet<i64> = contents.iter().copied().collect();
        self.write(|transaction| {
            let statement = transaction.prepare(NAME)?;
            for content in sorted {
                let names = names.get(&content).map_or(&[][..], Vec::as_slice);
                transaction.execute(&statement, &[&content, &names])?;
            }
            Ok(())
        })
    }

    /// Publishes and ends the job. Returns the number of changed entries.
    pub(crate) fn publish(&self, job: &Job, publication: &Publication) -> Result<usize, TeamError> {
        let Publication { branch_name, commit, tree, entries, packages, artefact, is_new_artefact } =
            publication;
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
            let (tree, drift) = (tree.as_slice(), (changes as u64).cast_signed());
            let values: [&(dyn postgres::types::ToSql + Sync); 9] =
                [&job.branch, branch_name, commit, &tree, &files, &bytes, artefact, is_new_artefact, &drift];
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
    wanted: &HashSet<i64>,
) -> Result<HashMap<i64, Vec<i32>>, TeamError> {
    let mut names: HashMap<i64, BTreeSet<i32>> = HashMap::new();
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    for file in snapshot.files(&query, 0, usize::MAX)?.rows {
        let at = entries.binary_search_by(|entry| entry.path.cmp(&file.path)).ok();
        let content = at.and_then(|at| entries[at].content).filter(|content| wanted.contains(&content.id));
        let Some(content) = content else { continue };
        let outline = snapshot.outline(file)?.outline;
        let own = names.entry(content.id).or_default();
        own.extend(outline.symbols.iter().map(|symbol| name_hash(outline.strings.get(symbol.name))));
    }
    Ok(names.into_iter().map(|(content, names)| (content, names.into_iter().collect())).collect())
}
