//! The queue of the workers. A claimed job has a lease that its worker renews; if the worker dies, the lease ends and another
//! worker claims the job. Publishing checks the lease in the same transaction, so a worker that lost it publishes nothing.

use crate::database::Database;
use crate::error::TeamError;
use crate::migrations::SchemaVersion;
use postgres::Transaction;
use std::time::Duration;

/// A job that failed this often waits for an operator.
pub(crate) const MAX_ATTEMPTS: i32 = 5;
/// Delay after the first failure; doubled by each further one.
const FIRST_DELAY: Duration = Duration::from_secs(10);
/// Maximum length of a recorded error in characters.
const MAX_ERROR: usize = 500;

/// A claimed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) id: i64,
    pub(crate) worker: String,
    pub(crate) branch: i64,
    pub(crate) repository: i64,
    pub(crate) repository_name: String,
    pub(crate) source: String,
    /// Empty: the source's default branch.
    pub(crate) branch_name: String,
    /// The published commit.
    pub(crate) commit: Option<String>,
    attempts: i32,
}

const CLAIM: &str = "UPDATE job SET worker = $1, lease = now() + $2 * interval '1 millisecond', attempts = attempts + 1 \
     FROM branch b, repository r WHERE b.id = job.branch AND r.id = b.repository AND job.id = ( \
         SELECT id FROM job WHERE not_before <= now() AND attempts < $3 AND (lease IS NULL OR lease < now()) \
         ORDER BY not_before, id FOR UPDATE SKIP LOCKED LIMIT 1) \
     RETURNING job.id, b.id, r.id, r.name, r.source, b.name, b.commit_id, job.attempts";
const RENEW: &str = "UPDATE job SET lease = now() + $3 * interval '1 millisecond' WHERE id = $1 AND worker = $2 AND lease > now()";
const HOLD: &str = "SELECT again FROM job WHERE id = $1 AND worker = $2 AND lease > now() FOR UPDATE";
/// A migration waits until the transaction has ended.
const KEEP_SCHEMA: &str = "SELECT version, oldest_program FROM schema_version FOR SHARE";
const FINISH: &str = "DELETE FROM job WHERE id = $1";
const RESTART: &str = "UPDATE job SET worker = NULL, lease = NULL, again = false, attempts = 0, not_before = now(), error = NULL WHERE id = $1";
const FAIL: &str = "UPDATE job SET worker = NULL, lease = NULL, error = $3, not_before = now() + $4 * interval '1 millisecond' \
     WHERE id = $1 AND worker = $2";
const CHECKED: &str = "UPDATE branch SET checked = now() WHERE id = $1";
const SCHEDULE: &str = "INSERT INTO job (branch) SELECT id FROM branch \
     WHERE checked < now() - $1 * interval '1 millisecond' ON CONFLICT (branch) DO NOTHING";

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

impl Database {
    /// Claims the next job, if there is one.
    pub(crate) fn claim(&self, worker: &str, lease: Duration) -> Result<Option<Job>, TeamError> {
        let row = self
            .with(|client| Ok(client.query_opt(CLAIM, &[&worker, &milliseconds(lease), &MAX_ATTEMPTS])?))?;
        Ok(row.map(|row| Job {
            id: row.get(0),
            worker: worker.to_owned(),
            branch: row.get(1),
            repository: row.get(2),
            repository_name: row.get(3),
            source: row.get(4),
            branch_name: row.get(5),
            commit: row.get(6),
            attempts: row.get(7),
        }))
    }

    /// Extends the lease of a job; returns whether it is still held.
    pub(crate) fn renew(&self, job: &Job, lease: Duration) -> Result<bool, TeamError> {
        let renewed =
            self.with(|client| Ok(client.execute(RENEW, &[&job.id, &job.worker, &milliseconds(lease)])?))?;
        Ok(renewed == 1)
    }

    /// Gives a failed job back. It waits longer after each failure.
    pub(crate) fn fail(&self, job: &Job, error: &TeamError) -> Result<(), TeamError> {
        let text: String = error.to_string().chars().take(MAX_ERROR).collect();
        let delay = FIRST_DELAY * 2_u32.saturating_pow(job.attempts.clamp(1, 10).cast_unsigned() - 1);
        self.with(|client| Ok(client.execute(FAIL, &[&job.id, &job.worker, &text, &milliseconds(delay)])?))?;
        Ok(())
    }

    /// Enqueues the branches that were not compared with their source for some time.
    pub(crate) fn schedule(&self, interval: Duration) -> Result<(), TeamError> {
        self.with(|client| Ok(client.execute(SCHEDULE, &[&milliseconds(interval)])?))?;
        Ok(())
    }

    /// Ends a job whose branch has not changed.
    pub(crate) fn finish_unchanged(&self, job: &Job) -> Result<(), TeamError> {
        self.write(|transaction| job.finish(transaction))
    }
}

impl Job {
    /// Ends the job in the transaction that publishes its result. Fails if another worker may have claimed it, or if the schema is for other
    /// programs meanwhile.
    pub(crate) fn finish(&self, transaction: &mut Transaction<'_>) -> Result<(), TeamError> {
        SchemaVersion::of(&transaction.query_one(KEEP_SCHEMA, &[])?, 0).check()?;
        let held = transaction.query_opt(HOLD, &[&self.id, &self.worker])?.ok_or(TeamError::LeaseLost)?;
        let end = if held.get(0) { RESTART } else { FINISH };
        transaction.execute(end, &[&self.id])?;
        transaction.execute(CHECKED, &[&self.branch])?;
        Ok(())
    }
}
