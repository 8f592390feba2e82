//! Raw queries: the SQL of a user over documented views, read-only, with limits on rows, size and time.
//!
//! Each query has a connection of its own, in a read transaction. SQLite asks the authorizer about every table, column and
//! function while it prepares the statement. Edges are stored as compressed lists, so the view of them reads a temporary
//! table in memory that is filled if the statement mentions it.

mod authorizer;
mod edge_rows;
mod functions;
mod view_docs;

use crate::Snapshot;
use crate::connection::database::Db;
use crate::connection::open;
use crate::error::{AtPath, StoreError};
use crate::rows::SymbolId;
use authorizer::Requests;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};
use std::time::{Duration, Instant};
pub use view_docs::{QUERY_EXAMPLES, QueryExample, VIEWS, VIEWS_VERSION, ViewDoc};

/// Number of steps of the virtual machine between two looks at the clock.
const STEPS: i32 = 2_000;
/// Limits of SQLite while a raw query runs: no text or blob, statement, or expression is larger.
const LIMITS: &[(Limit, i32)] = &[
    (Limit::SQLITE_LIMIT_LENGTH, 8 << 20),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_COLUMN, 200),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// The limits of a raw query.
#[derive(Clone, Copy, Debug)]
pub struct QueryLimits {
    /// Maximum number of rows.
    pub rows: usize,
    /// Maximum size of all values together, in bytes.
    pub bytes: usize,
    /// Maximum time.
    pub time: Duration,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text; bytes that are not UTF-8 are replaced.
    Text(String),
}

/// The rows of a raw query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<SqlValue>>,
    /// Whether there are more rows than the limits allow.
    pub truncated: bool,
    /// The generation that was read.
    pub generation: u64,
}

/// A ranked result that the view of hits shows.
#[derive(Clone, Debug)]
pub struct RankedHit {
    /// Its score.
    pub score: f64,
    /// The symbol, if it is in one.
    pub symbol: Option<SymbolId>,
    /// Its file.
    pub path: String,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// Why a raw query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It does something other than reading the views.
    #[error("{0}")]
    Refused(String),
    /// It is not valid SQL.
    #[error("{0}")]
    Invalid(String),
    /// It took too long.
    #[error("the query took longer than {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The index could not be stored.
    #[error(
        "the index is only in memory, because the store cannot be written; raw queries need a stored index"
    )]
    InMemory,
    /// The caller cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// The index cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Snapshot {
    /// Runs a statement over the views. `is_cancelled` is asked now and then.
    pub fn query(
        &self,
        statement: &str,
        hits: &[RankedHit],
        limits: &QueryLimits,
        is_cancelled: impl Fn() -> bool + Send + Clone + 'static,
    ) -> Result<QueryRows, QueryError> {
        let started = Instant::now();
        if self.is_in_memory() {
            return Err(QueryError::InMemory);
        }
        let (mut db, generation) = self.connection_for_query()?;
        db.execute_batch(include_str!("views.sql")).at(&self.path)?;
        functions::add(&db).at(&self.path)?;
        for (limit, value) in LIMITS {
            db.set_limit(*limit, *value).at(&self.path)?;
        }
        let requests = Requests::new(&db).at(&self.path)?;
        authorize(&mut db, Some(&requests)).at(&self.path)?;
        check(&db, statement, &requests)?;
        authorize(&mut db, None).at(&self.path)?;
        let deadline = started + limits.time;
        let (time, cancelled) = (limits.time, is_cancelled.clone());
        if ["edges", "calls", "uses"].iter().any(|view| requests.reads(view)) {
            let goes_on = || Instant::now() < deadline && !cancelled();
            if !edge_rows::fill(&db, goes_on).at(&self.path)? {
                return Err(if cancelled() { QueryError::Cancelled } else { QueryError::Timeout(time) });
            }
        }
        edge_rows::fill_hits(&db, hits).at(&self.path)?;
        authorize(&mut db, Some(&requests)).at(&self.path)?;
        let ends = move || Instant::now() >= deadline || is_cancelled();
        db.progress_handler(STEPS, Some(ends)).at(&self.path)?;
        rows(&db, statement, limits, generation).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) if cancelled() => QueryError::Cancelled,
            Some(ErrorCode::OperationInterrupted) => QueryError::Timeout(time),
            _ => refusal(&requests, &error),
        })
    }

    /// A connection of its own to the same index, with temporary tables in memory.
    fn connection_for_query(&self) -> Result<(Db, u64), StoreError> {
        let opened = open::read(&self.path)?;
        opened.db.execute_batch("COMMIT; PRAGMA temp_store = MEMORY; BEGIN").at(&self.path)?;
        Ok((opened.db, opened.meta.generation))
    }
}

/// Lets `requests` decide about every statement prepared from now on, or nobody.
fn authorize(db: &mut Db, requests: Option<&Requests>) -> rusqlite::Result<()> {
    let decider = requests.cloned();
    db.authorizer(
        decider.map(|requests| move |context: rusqlite::hooks::AuthContext<'_>| requests.decide(&context)),
    )
}

/// Checks that the text is one statement that only reads the views.
fn check(db: &Connection, statement: &str, requests: &Requests) -> Result<(), QueryError> {
    let mut batch = rusqlite::Batch::new(db, statement);
    let first = batch.next().map_err(|error| refusal(requests, &error))?;
    let Some(first) = first else { return Err(QueryError::Invalid("the query is empty".to_owned())) };
    if first.is_explain() != 0 || !first.readonly() || first.column_count() == 0 {
        return Err(QueryError::Refused("only queries that read are possible".to_owned()));
    }
    drop(first);
    match batch.next() {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(QueryError::Refused("only one statement is possible".to_owned())),
        Err(error) => Err(refusal(requests, &error)),
    }
}

fn refusal(requests: &Requests, error: &rusqlite::Error) -> QueryError {
    match requests.refused() {
        Some(refused) => QueryError::Refused(refused),
        None => QueryError::Invalid(error.to_string()),
    }
}

fn rows(
    db: &Connection,
    statement: &str,
    limits: &QueryLimits,
    generation: u64,
) -> rusqlite::Result<QueryRows> {
    let mut statement = db.prepare(statement)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = QueryRows { columns, rows: Vec::new(), truncated: false, generation };
    let mut bytes = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut values = Vec::with_capacity(found.columns.len());
        for at in 0..found.columns.len() {
            let value = match row.get_ref(at)? {
                ValueRef::Null => SqlValue::Null,
                ValueRef::Integer(number) => SqlValue::Integer(number),
                ValueRef::Real(number) => SqlValue::Real(number),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    SqlValue::Text(String::from_utf8_lossy(text).into_owned())
                }
            };
            bytes += if let SqlValue::Text(text) = &value { text.len() } else { 8 };
            values.push(value);
        }
        if found.rows.len() >= limits.rows || bytes > limits.bytes {
            found.truncated = true;
            break;
        }
        found.rows.push(values);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_view_and_column() {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch(include_str!("../schema/tables.sql")).expect("tables");
        functions::add(&db).expect("functions");
        db.execute_batch(include_str!("views.sql")).expect("views");
        let mut known = db.prepare("SELECT name FROM temp.sqlite_schema WHERE type = 'view'").expect("valid");
        let known: Vec<String> =
            known.query_map([], |row| row.get(0)).expect("valid").collect::<Result<_, _>>().expect("names");
        let documented: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
        assert_eq!(known.len(), documented.len());
        for view in VIEWS {
            let statement = db.prepare(&format!("SELECT * FROM {}", view.name)).expect("the view exists");
            let columns: Vec<&str> = view.columns.iter().map(|column| column.0).collect();
            assert_eq!(statement.column_names().collect::<Vec<_>>(), columns, "{}", view.name);
        }
    }
}
