//! One connection to PostgreSQL. It prepares each statement once: planning takes longer than most of them run.

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Error, Row, Statement, Transaction, TransactionBuilder};
use std::collections::HashMap;
use std::time::Duration;

/// Statements that are kept prepared. Those for text searches differ by the pattern, so their number has no bound.
const MAX_PREPARED: usize = 64;

/// A connection with its prepared statements.
pub(crate) struct Connection {
    client: Client,
    prepared: HashMap<String, Statement>,
}

type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

impl Connection {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, prepared: HashMap::new() }
    }

    /// All rows of a statement.
    pub(crate) fn query(&mut self, text: &str, values: Values<'_>) -> Result<Vec<Row>, Error> {
        self.run(text, |client, statement| client.query(statement, values))
    }

    /// The row of a statement that has at most one.
    pub(crate) fn query_opt(&mut self, text: &str, values: Values<'_>) -> Result<Option<Row>, Error> {
        self.run(text, |client, statement| client.query_opt(statement, values))
    }

    /// The row of a statement that has exactly one.
    pub(crate) fn query_one(&mut self, text: &str, values: Values<'_>) -> Result<Row, Error> {
        self.run(text, |client, statement| client.query_one(statement, values))
    }

    /// Runs a statement without rows; returns how many it changed.
    pub(crate) fn execute(&mut self, text: &str, values: Values<'_>) -> Result<u64, Error> {
        self.run(text, |client, statement| client.execute(statement, values))
    }

    pub(crate) fn transaction(&mut self) -> Result<Transaction<'_>, Error> {
        self.client.transaction()
    }

    pub(crate) fn build_transaction(&mut self) -> TransactionBuilder<'_> {
        self.client.build_transaction()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Whether the server still answers.
    pub(crate) fn is_valid(&mut self, timeout: Duration) -> bool {
        self.client.is_valid(timeout).is_ok()
    }

    fn run<T>(
        &mut self,
        text: &str,
        act: impl Fn(&mut Client, &Statement) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(statement) = self.prepared.get(text) {
            let done = act(&mut self.client, statement);
            if !done.as_ref().is_err_and(is_outdated) {
                return done;
            }
            // A migration has changed a table since the statement was prepared; nothing has been executed.
            self.prepared.clear();
        }
        if self.prepared.len() >= MAX_PREPARED {
            self.prepared.clear();
        }
        let statement = self.client.prepare(text)?;
        let done = act(&mut self.client, &statement);
        self.prepared.insert(text.to_owned(), statement);
        done
    }
}

/// Whether a prepared statement no longer fits the tables: "cached plan must not change result type".
fn is_outdated(error: &Error) -> bool {
    error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)
}
