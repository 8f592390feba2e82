//! People that an identity provider vouches for. A person with a set of groups is a row among the tokens, so that everything that is
//! checked for a token is checked for a person too. Which repositories a group may read is looked up with every question.

use crate::database::Database;
use crate::error::TeamError;
use crate::tokens::{DEFAULT_RATE, ValidToken, valid_token};
use orient_serve::Identity;

/// A group and the repositories that it may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLine {
    /// Its name, as the identity provider writes it.
    pub name: String,
    /// The repositories, or none for all.
    pub repositories: Option<Vec<String>>,
}

/// Separates the hashes of people from those of tokens: no text that a client sends has such a hash.
const CONTEXT: &str = "orient 2026-11-18 person with groups";

const FIND: &str = "SELECT id, name, is_admin, per_minute, version, oldest_program FROM token CROSS JOIN schema_version \
     WHERE hash = $1 AND subject = $2 AND revoked IS NULL";
const IS_REVOKED: &str = "SELECT EXISTS (SELECT FROM token WHERE subject = $1 AND revoked IS NOT NULL)";
const INSERT: &str = "INSERT INTO token (name, hash, subject, per_minute) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (hash) DO NOTHING RETURNING id";
const INSERT_GROUPS: &str = "INSERT INTO token_group SELECT $1, * FROM unnest($2::text[])";
const GROUPS: &str = "SELECT g.name, bool_or(g.repository IS NULL), array_remove(array_agg(r.name ORDER BY r.name), NULL) \
     FROM group_repository g LEFT JOIN repository r ON r.id = g.repository GROUP BY g.name ORDER BY g.name";
const GRANT: &str =
    "INSERT INTO group_repository SELECT $1, id FROM repository WHERE name = $2 ON CONFLICT DO NOTHING";
const GRANT_ALL: &str = "INSERT INTO group_repository VALUES ($1, NULL) ON CONFLICT DO NOTHING";
const KNOWS: &str = "SELECT EXISTS (SELECT FROM repository WHERE name = $1)";
const WITHDRAW: &str = "DELETE FROM group_repository g WHERE g.name = $1 \
     AND ($2::text IS NULL OR g.repository = (SELECT id FROM repository WHERE name = $2))";

impl Database {
    /// The row of a person; `None` if an operator has revoked it.
    pub(crate) fn find_identity(&self, identity: &Identity) -> Result<Option<ValidToken>, TeamError> {
        let subject = format!("{} {}", identity.issuer, identity.subject);
        let hash = hash(identity);
        let found = self.with(|client| Ok(client.query_opt(FIND, &[&hash, &subject])?))?;
        if let Some(row) = found {
            return valid_token(&row).map(Some);
        }
        self.write(|transaction| {
            if transaction.query_one(IS_REVOKED, &[&subject])?.get(0) {
                return Ok(());
            }
            let rate = DEFAULT_RATE.cast_signed();
            let inserted = transaction.query_opt(INSERT, &[&identity.subject, &hash, &subject, &rate])?;
            if let Some(row) = inserted {
                transaction.execute(INSERT_GROUPS, &[&row.get::<_, i64>(0), &identity.groups])?;
            }
            Ok(())
        })?;
        let found = self.with(|client| Ok(client.query_opt(FIND, &[&hash, &subject])?))?;
        found.as_ref().map(valid_token).transpose()
    }

    /// All groups that may read something, by name.
    pub fn groups(&self) -> Result<Vec<GroupLine>, TeamError> {
        let rows = self.with(|client| Ok(client.query(GROUPS, &[])?))?;
        let line = |row: &postgres::Row| GroupLine {
            name: row.get(0),
            repositories: (!row.get::<_, bool>(1)).then(|| row.get(2)),
        };
        Ok(rows.iter().map(line).collect())
    }

    /// Lets a group read repositories; `None` for all, also later ones.
    pub fn grant_group(&self, group: &str, repositories: Option<&[String]>) -> Result<(), TeamError> {
        self.write(|transaction| {
            let Some(repositories) = repositories else {
                transaction.execute(GRANT_ALL, &[&group])?;
                return Ok(());
            };
            for repository in repositories {
                if !transaction.query_one(KNOWS, &[repository])?.get::<_, bool>(0) {
                    return Err(TeamError::UnknownRepository(repository.clone()));
                }
                transaction.execute(GRANT, &[&group, repository])?;
            }
            Ok(())
        })
    }

    /// Takes repositories from a group, at once; `None` for everything that it may read.
    pub fn withdraw_group(&self, group: &str, repositories: Option<&[String]>) -> Result<(), TeamError> {
        let removed = self.write(|transaction| {
            let Some(repositories) = repositories else {
                return Ok(transaction.execute(WITHDRAW, &[&group, &None::<&str>])?);
            };
            repositories.iter().try_fold(0, |removed, repository| {
                Ok(removed + transaction.execute(WITHDRAW, &[&group, &Some(repository.as_str())])?)
            })
        })?;
        if removed == 0 {
            let message = format!("the group `{group}` has no such repository");
            return Err(TeamError::usage(message, "`orient team groups` lists them"));
        }
        Ok(())
    }
}

/// The hash of a person with these groups.
fn hash(identity: &Identity) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    let parts = [&identity.issuer, &identity.subject].into_iter().chain(&identity.groups);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_with_other_groups_are_others() {
        let person = |subject: &str, groups: &[&str]| {
            let groups = groups.iter().map(|group| (*group).to_owned()).collect();
            hash(&Identity { issuer: "i".to_owned(), subject: subject.to_owned(), groups })
        };
        assert_eq!(person("a", &["x", "y"]), person("a", &["x", "y"]));
        assert_ne!(person("a", &["x", "y"]), person("a", &["xy"]));
        assert_ne!(person("ax", &[]), person("a", &["x"]));
        assert_ne!(person("a", &["x"]), blake3::hash(b"a").as_bytes().to_vec());
    }
}
