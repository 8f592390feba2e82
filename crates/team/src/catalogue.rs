//! The repositories of a team and their retained branches.

use crate::database::Database;
use crate::error::TeamError;
use crate::source::Source;
use crate::tokens::random_text;
use orient_tools::address_key;

/// Maximum length of the name of a repository.
const MAX_NAME: usize = 200;

/// A repository with a retained branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchStatus {
    /// The repository.
    pub repository: String,
    /// Where git fetches it from, without credentials.
    pub source: String,
    /// The branch; empty until the default branch of the source is known.
    pub branch: String,
    /// The number of publications.
    pub generation: u64,
    /// The published commit.
    pub commit: Option<String>,
    /// Number of files.
    pub files: u64,
    /// Their size.
    pub bytes: u64,
    /// What the workers do with it: waiting, working, failed; empty if there is nothing to do.
    pub job: &'static str,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

const INSERT_REPOSITORY: &str = "INSERT INTO repository (name, source, address_key) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id";
const INSERT_BRANCH: &str = "INSERT INTO branch (repository, name, is_default) VALUES ($1, $2, $3) \
     ON CONFLICT (repository, name) DO NOTHING RETURNING id";
const FIND_REPOSITORY: &str = "SELECT id, source FROM repository WHERE name = $1";
const DELETE_REPOSITORY: &str = "DELETE FROM repository WHERE name = $1";
const ENQUEUE: &str = "INSERT INTO job (branch) VALUES ($1) ON CONFLICT (branch) DO UPDATE \
     SET again = job.worker IS NOT NULL, not_before = now(), attempts = 0";
const ENQUEUE_REPOSITORY: &str = "INSERT INTO job (branch) SELECT b.id FROM branch b JOIN repository r ON r.id = b.repository \
     WHERE r.name = $1 ON CONFLICT (branch) DO UPDATE \
     SET again = job.worker IS NOT NULL, not_before = now(), attempts = 0";
const FORGET_TREE: &str = "UPDATE branch SET checked = NULL, commit_id = NULL FROM repository r \
     WHERE r.id = branch.repository AND r.name = $1";
const HOOK_SECRET: &str = "SELECT hook_secret FROM repository WHERE name = $1 AND hook_secret IS NOT NULL";
const SET_HOOK_SECRET: &str = "UPDATE repository SET hook_secret = $2 WHERE name = $1";
const STATUS: &str = "SELECT r.name, r.source, b.name, b.generation, b.commit_id, b.files, b.bytes, j.worker IS NOT NULL, \
     j.lease > now(), j.attempts >= $1, j.error, j.id IS NOT NULL \
     FROM repository r JOIN branch b ON b.repository = r.id LEFT JOIN job j ON j.branch = b.id ORDER BY r.name, b.name";

impl Database {
    /// Adds a repository, or further branches of a known one, and asks the workers to index them. Without a branch, it is the
    /// source's default one.
    pub fn add_repository(&self, name: &str, source: &Source, branches: &[String]) -> Result<(), TeamError> {
        check_name(name)?;
        branches.iter().try_for_each(|branch| check_branch(branch))?;
        self.write(|transaction| {
            let key = address_key(source.address());
            let inserted = transaction.query_opt(INSERT_REPOSITORY, &[&name, &source.address(), &key])?;
            let is_new = inserted.is_some();
            let repository: i64 = if let Some(row) = inserted {
                row.get(0)
            } else {
                let row = transaction.query_one(FIND_REPOSITORY, &[&name])?;
                if row.get::<_, String>(1) != source.address() {
                    return Err(TeamError::usage(
                        format!("there is another repository `{name}`"),
                        "choose another name with --name, or remove that one first",
                    ));
                }
                row.get(0)
            };
            let default = [String::new()];
            let branches = if branches.is_empty() && is_new { &default } else { branches };
            for (at, branch) in branches.iter().enumerate() {
                let inserted =
                    transaction.query_opt(INSERT_BRANCH, &[&repository, branch, &(is_new && at == 0)])?;
                if let Some(row) = inserted {
                    transaction.execute(ENQUEUE, &[&row.get::<_, i64>(0)])?;
                }
            }
            Ok(())
        })
    }

    /// Removes a repository with everything that is known about it. Contents that others have stay.
    pub fn remove_repository(&self, name: &str) -> Result<(), TeamError> {
        let removed = self.with(|client| Ok(client.execute(DELETE_REPOSITORY, &[&name])?))?;
        if removed == 0 { Err(TeamError::UnknownRepository(name.to_owned())) } else { Ok(()) }
    }

    /// Asks the workers to compare a repository with its source now. With `rebuild`, it is published again even if nothing changed.
    pub fn reindex(&self, name: &str, rebuild: bool) -> Result<(), TeamError> {
        self.write(|transaction| {
            if rebuild {
                transaction.execute(FORGET_TREE, &[&name])?;
            }
            match transaction.execute(ENQUEUE_REPOSITORY, &[&name])? {
                0 => Err(TeamError::UnknownRepository(name.to_owned())),
                _ => Ok(()),
            }
        })
    }

    /// The secret that notifications about a repository are signed with.
    pub(crate) fn hook_secret(&self, name: &str) -> Result<Option<String>, TeamError> {
        let row = self.with(|client| Ok(client.query_opt(HOOK_SECRET, &[&name])?))?;
        Ok(row.map(|row| row.get(0)))
    }

    /// Gives a repository a new secret for notifications; the former one is refused.
    pub fn renew_hook_secret(&self, name: &str) -> Result<String, TeamError> {
        let secret = random_text()?;
        match self.with(|client| Ok(client.execute(SET_HOOK_SECRET, &[&name, &secret])?))? {
            0 => Err(TeamError::UnknownRepository(name.to_owned())),
            _ => Ok(secret),
        }
    }

    /// All repositories and branches, by name.
    pub fn status(&self) -> Result<Vec<BranchStatus>, TeamError> {
        let rows = self.with(|client| Ok(client.query(STATUS, &[&crate::jobs::MAX_ATTEMPTS])?))?;
        let status = |row: &postgres::Row| {
            let is_held =
                row.get::<_, Option<bool>>(7) == Some(true) && row.get::<_, Option<bool>>(8) == Some(true);
            let job = match (row.get::<_, bool>(11), is_held, row.get::<_, Option<bool>>(9)) {
                (false, ..) => "",
                (true, true, _) => "working",
                (true, false, Some(true)) => "failed",
                (true, false, _) => "waiting",
            };
            BranchStatus {
                repository: row.get(0),
                source: Source::without_credentials(row.get(1)),
                branch: row.get(2),
                generation: row.get::<_, i64>(3).cast_unsigned(),
                commit: row.get(4),
                files: row.get::<_, i64>(5).cast_unsigned(),
                bytes: row.get::<_, i64>(6).cast_unsigned(),
                job,
                error: row.get(10),
            }
        };
        Ok(rows.iter().map(status).collect())
    }
}

/// A name is shown in front of paths, and is part of file names.
fn check_name(name: &str) -> Result<(), TeamError> {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
    };
    if name.len() <= MAX_NAME && name.split('/').all(is_part) {
        return Ok(());
    }
    Err(TeamError::usage(
        format!("`{name}` is not a name of a repository"),
        "use letters, digits, `.`, `_`, `-` and `/`, for example acme/shop",
    ))
}

/// The rules of git for names of branches, and a little stricter.
pub(crate) fn check_branch(name: &str) -> Result<(), TeamError> {
    let is_part = |part: &str| {
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"~^:?*[\\".contains(c);
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.to_ascii_lowercase().ends_with(".lock")
            && part.chars().all(is_plain)
    };
    let is_valid =
        !name.contains("..") && !name.contains("@{") && !name.ends_with('.') && name.split('/').all(is_part);
    if is_valid && name.len() <= MAX_NAME {
        return Ok(());
    }
    Err(TeamError::usage(format!("`{name}` is not a name of a branch"), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_and_are_no_options() {
        for name in ["shop", "acme/shop", "a.b/c_d-e"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "/", "a//b", "../x", "a/..", "-x", "a b", "a\nb", "a@b", "ä"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for branch in ["main", "feature/x", "release-1.0"] {
            assert!(check_branch(branch).is_ok(), "{branch}");
        }
        for branch in ["", "-x", "a..b", "a b", "x.lock", "a:b", "refs/*", "a@{1}", "a\\b", "x/"] {
            assert!(check_branch(branch).is_err(), "{branch}");
        }
    }
}
