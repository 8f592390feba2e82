//! The audit log. An answer is sent after its question is recorded; questions that end at the same time share one transaction.

use crate::database::Database;
use crate::error::TeamError;
use orient_serve::{AnsweredQuestion, Caller};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

const INSERT: &str = "INSERT INTO audit (token, name, operation, question, repositories, outcome, milliseconds) \
     SELECT token, name, operation, question, string_to_array(repositories, E'\\n'), outcome, milliseconds \
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[]) \
     AS q (token, name, operation, question, repositories, outcome, milliseconds)";

/// Separates the names of repositories and branches, which have no control characters.
const SEPARATOR: &str = "\n";

/// Questions that wait to be recorded.
#[derive(Default)]
pub(crate) struct AuditLog {
    state: Mutex<State>,
    is_written: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<AuditRow>,
    /// The number of the batch that `waiting` becomes.
    next: u64,
    /// Whether a thread writes the batch before it.
    is_writing: bool,
    /// The last batch that ended.
    ended: u64,
    /// The batches that failed and have threads that do not know it yet, with the number of these.
    failed: Vec<(u64, usize)>,
}

struct AuditRow {
    token: i64,
    name: String,
    operation: &'static str,
    question: String,
    repositories: String,
    outcome: &'static str,
    milliseconds: i32,
}

impl AuditRow {
    fn new(caller: &Caller, answered: &AnsweredQuestion<'_>) -> Self {
        Self {
            token: caller.id,
            name: caller.name.clone(),
            operation: answered.operation,
            // Text in the database has no zero bytes.
            question: answered.subject.replace('\0', " "),
            repositories: answered.repositories.join(SEPARATOR),
            outcome: answered.outcome,
            milliseconds: i32::try_from(answered.took.as_millis()).unwrap_or(i32::MAX),
        }
    }
}

impl AuditLog {
    /// Records a question; returns whether that succeeded. Of the threads that wait, one writes the rows of all.
    pub(crate) fn record(
        &self,
        database: &Database,
        caller: &Caller,
        answered: &AnsweredQuestion<'_>,
    ) -> bool {
        let mut state = self.lock();
        state.waiting.push(AuditRow::new(caller, answered));
        // Batches are numbered from one, so that none has ended at the start.
        let own = state.next + 1;
        while state.is_writing && state.ended < own {
            state = self.is_written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended < own {
            state = self.write(state, database);
        }
        state.take_result(own)
    }

    /// Writes what waits, unlocked meanwhile.
    fn write<'s>(&'s self, mut state: MutexGuard<'s, State>, database: &Database) -> MutexGuard<'s, State> {
        let rows = std::mem::take(&mut state.waiting);
        state.next += 1;
        state.is_writing = true;
        let batch = state.next;
        drop(state);
        let is_stored = insert(database, &rows).is_ok();
        let mut state = self.lock();
        state.is_writing = false;
        state.ended = batch;
        if !is_stored {
            state.failed.push((batch, rows.len()));
        }
        self.is_written.notify_all();
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether a batch that has ended was stored; asked once for each of its rows.
    fn take_result(&mut self, batch: u64) -> bool {
        let Some(at) = self.failed.iter().position(|(failed, _)| *failed == batch) else { return true };
        self.failed[at].1 -= 1;
        if self.failed[at].1 == 0 {
            self.failed.swap_remove(at);
        }
        false
    }
}

fn insert(database: &Database, rows: &[AuditRow]) -> Result<u64, TeamError> {
    let tokens: Vec<i64> = rows.iter().map(|row| row.token).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let operations: Vec<&str> = rows.iter().map(|row| row.operation).collect();
    let questions: Vec<&str> = rows.iter().map(|row| row.question.as_str()).collect();
    let repositories: Vec<&str> = rows.iter().map(|row| row.repositories.as_str()).collect();
    let outcomes: Vec<&str> = rows.iter().map(|row| row.outcome).collect();
    let times: Vec<i32> = rows.iter().map(|row| row.milliseconds).collect();
    database.with(|connection| {
        Ok(connection
            .execute(INSERT, &[&tokens, &names, &operations, &questions, &repositories, &outcomes, &times])?)
    })
}
