//! Tokens of users and services: scoped to repositories, with an expiry, revocable at once. Only their hashes are stored.

use crate::connection::Connection;
use crate::contents::hex;
use crate::database::Database;
use crate::error::TeamError;
use crate::migrations::SchemaVersion;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What every token begins with, so that scanners recognise a leaked one.
const PREFIX: &str = "ort_";
/// Number of random bytes.
const RANDOM_BYTES: usize = 32;
/// Default number of requests per minute.
pub const DEFAULT_RATE: u32 = 600;

/// What a new token may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenScope {
    /// The repositories that it may read; `None` for all, also later ones.
    pub repositories: Option<Vec<String>>,
    /// Whether it may read the metrics.
    pub is_admin: bool,
    /// Number of days until it expires; `None` for never.
    pub days: Option<u32>,
    /// Number of requests per minute.
    pub per_minute: u32,
}

/// A token as operators see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenLine {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The repositories, or none for all.
    pub repositories: Option<Vec<String>>,
    /// The groups of a person; empty for a token.
    pub groups: Vec<String>,
    /// Whether it may read the metrics.
    pub is_admin: bool,
    /// When it was created.
    pub created: String,
    /// When it expires.
    pub expires: Option<String>,
    /// Whether it is valid now: neither expired nor revoked.
    pub is_valid: bool,
}

/// A valid token.
pub(crate) struct ValidToken {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) is_admin: bool,
    pub(crate) per_minute: u32,
}

const INSERT: &str = "INSERT INTO token (name, hash, is_admin, all_repositories, per_minute, expires) \
     VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 day') RETURNING id";
const GRANT: &str = "INSERT INTO token_repository SELECT $1, id FROM repository WHERE name = $2";
const LIST: &str = "SELECT t.id, t.name, t.all_repositories, array(SELECT r.name FROM token_repository g \
     JOIN repository r ON r.id = g.repository WHERE g.token = t.id ORDER BY r.name), t.is_admin, \
     to_char(t.created, 'YYYY-MM-DD'), to_char(t.expires, 'YYYY-MM-DD'), \
     t.revoked IS NULL AND (t.expires IS NULL OR t.expires > now()), \
     array(SELECT name FROM token_group m WHERE m.token = t.id ORDER BY name) FROM token t ORDER BY t.id";
const FIND: &str = "SELECT id, name, is_admin, per_minute, version, oldest_program FROM token CROSS JOIN schema_version \
     WHERE hash = $1 AND subject IS NULL AND revoked IS NULL AND (expires IS NULL OR expires > now())";
/// A person is revoked with all sets of groups.
const REVOKE: &str = "UPDATE token SET revoked = now() WHERE revoked IS NULL \
     AND (id = $1 OR subject = (SELECT subject FROM token WHERE id = $1))";
const ROTATE: &str = "UPDATE token SET hash = $2 WHERE id = $1 AND subject IS NULL AND revoked IS NULL";

impl Database {
    /// Creates a token. Its text is returned once and cannot be read again.
    pub fn create_token(&self, name: &str, scope: &TokenScope) -> Result<(i64, String), TeamError> {
        let token = random_token()?;
        let days = scope.days.map(f64::from);
        let (is_for_all, rate) = (scope.repositories.is_none(), scope.per_minute.cast_signed().max(1));
        let id = self.write(|transaction| {
            let row = transaction
                .query_one(INSERT, &[&name, &hash(&token), &scope.is_admin, &is_for_all, &rate, &days])?;
            let id: i64 = row.get(0);
            for repository in scope.repositories.iter().flatten() {
                if transaction.execute(GRANT, &[&id, repository])? == 0 {
                    return Err(TeamError::UnknownRepository(repository.clone()));
                }
            }
            Ok(id)
        })?;
        Ok((id, token))
    }

    /// All tokens, by number.
    pub fn tokens(&self) -> Result<Vec<TokenLine>, TeamError> {
        let rows = self.with(|client| Ok(client.query(LIST, &[])?))?;
        let line = |row: &postgres::Row| TokenLine {
            id: row.get(0),
            name: row.get(1),
            repositories: (!row.get::<_, bool>(2)).then(|| row.get(3)),
            is_admin: row.get(4),
            created: row.get(5),
            expires: row.get(6),
            is_valid: row.get(7),
            groups: row.get(8),
        };
        Ok(rows.iter().map(line).collect())
    }

    /// Revokes a token; the next request with it is refused.
    pub fn revoke_token(&self, id: i64) -> Result<(), TeamError> {
        self.change_token(id, |client| Ok(client.execute(REVOKE, &[&id])?))
    }

    /// Replaces the text of a token; the former one is refused from now on.
    pub fn rotate_token(&self, id: i64) -> Result<String, TeamError> {
        let token = random_token()?;
        self.change_token(id, |client| Ok(client.execute(ROTATE, &[&id, &hash(&token)])?))?;
        Ok(token)
    }

    fn change_token(
        &self,
        id: i64,
        change: impl FnOnce(&mut Connection) -> Result<u64, TeamError>,
    ) -> Result<(), TeamError> {
        match self.with(change)? {
            0 => Err(TeamError::usage(
                format!("there is no valid token {id}"),
                "`orient team tokens` lists them",
            )),
            _ => Ok(()),
        }
    }

    /// The token with a text, if it is valid now.
    pub(crate) fn find_token(&self, text: &str) -> Result<Option<ValidToken>, TeamError> {
        let row = self.with(|client| Ok(client.query_opt(FIND, &[&hash(text)])?))?;
        row.as_ref().map(valid_token).transpose()
    }
}

/// A row with the number, the name, whether it is an administrator, the rate, and the version of the schema: a node that no longer works with it
/// answers no question.
pub(crate) fn valid_token(row: &postgres::Row) -> Result<ValidToken, TeamError> {
    SchemaVersion::of(row, 4).check()?;
    Ok(ValidToken {
        id: row.get(0),
        name: row.get(1),
        is_admin: row.get(2),
        per_minute: row.get::<_, i32>(3).cast_unsigned(),
    })
}

/// A token is random, so that a plain hash is as safe as a slow one.
fn hash(token: &str) -> Vec<u8> {
    blake3::hash(token.as_bytes()).as_bytes().to_vec()
}

fn random_token() -> Result<String, TeamError> {
    Ok(format!("{PREFIX}{}", random_text()?))
}

/// Text that nobody can guess.
pub(crate) fn random_text() -> Result<String, TeamError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| TeamError::Io {
        what: "no random numbers".to_owned(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(hex(&bytes))
}

/// The rate limit of a node: a bucket of tokens each, which fills evenly and holds what a minute gives.
#[derive(Default)]
pub(crate) struct RateLimits(Mutex<HashMap<i64, Bucket>>);

struct Bucket {
    left: f64,
    at: Instant,
}

/// Buckets that are full are dropped when there are more than this.
const MAX_BUCKETS: usize = 10_000;

impl RateLimits {
    /// Takes one request; the error is how long to wait.
    pub(crate) fn take(&self, token: i64, per_minute: u32) -> Result<(), Duration> {
        let (now, most) = (Instant::now(), f64::from(per_minute));
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() > MAX_BUCKETS {
            buckets.retain(|_, bucket| now.duration_since(bucket.at) < Duration::from_mins(1));
        }
        let bucket = buckets.entry(token).or_insert(Bucket { left: most, at: now });
        let filled = now.duration_since(bucket.at).as_secs_f64() * most / 60.0;
        (bucket.left, bucket.at) = ((bucket.left + filled).min(most), now);
        if bucket.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.left) * 60.0 / most));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_limited_by_itself() {
        let limits = RateLimits::default();
        for _ in 0..3 {
            assert!(limits.take(1, 3).is_ok());
        }
        let wait = limits.take(1, 3).expect_err("the fourth is too many");
        assert!(wait > Duration::from_secs(15) && wait <= Duration::from_secs(20), "{wait:?}");
        assert!(limits.take(2, 3).is_ok());
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (random_token().expect("a token"), random_token().expect("a token"));
        assert!(a.starts_with(PREFIX) && a.len() == PREFIX.len() + 2 * RANDOM_BYTES && a != b);
    }
}
