//! `query`: a raw SQL query over the views of the index.

use crate::answer::{Answer, Doubt, Note};
use crate::arguments::program_arguments::Word;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use crate::text::number_format::plural;
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_engine::{
    QUERY_EXAMPLES, QueryError, QueryLimits, RankedHit, SearchQuery, Snapshot, SqlValue, VIEWS, VIEWS_VERSION,
};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io;
use std::time::Duration;

pub(crate) struct Query;

/// Default and maximum number of rows.
const DEFAULT_ROWS: u64 = 100;
const MAX_ROWS: u64 = 100_000;
/// Default and maximum time, in milliseconds.
const DEFAULT_TIMEOUT: u64 = 5_000;
const MAX_TIMEOUT: u64 = 60_000;
/// Maximum size of all values.
const MAX_BYTES: usize = 8 << 20;
/// Default number of hits of a search.
const DEFAULT_HITS: usize = 100;

/// Arguments of `query`.
#[derive(Args)]
pub(crate) struct QueryArgs {
    /// One statement of SQLite's dialect that reads the views
    #[arg(value_name = "SQL")]
    sql: Vec<Word>,
    /// A ranked search whose results are the view `hits`
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Print the views, their columns and the version instead
    #[arg(long)]
    schema: bool,
    /// Maximum number of rows, up to 100,000; default: 100
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Maximum time in milliseconds, up to 60,000; default: 5,000
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
}

/// Rows, or the schema.
#[derive(Serialize)]
pub(crate) struct QueryOut {
    /// The version of the views.
    version: u32,
    /// The names of the columns.
    columns: Vec<String>,
    /// The rows: a value for each column.
    rows: Vec<Vec<Value>>,
    /// The views, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    views: Vec<View>,
}

/// A view.
#[derive(Serialize)]
struct View {
    /// Its name.
    name: &'static str,
    /// What a row is.
    about: &'static str,
    /// Its columns.
    columns: Vec<Column>,
}

/// A column of a view.
#[derive(Serialize)]
struct Column {
    /// Its name.
    name: &'static str,
    /// Its type.
    r#type: &'static str,
    /// Its meaning.
    about: &'static str,
}

impl TypedOperation for Query {
    const NAME: &'static str = "query";
    const ABOUT: &'static str = "Query the index with SQL, read-only";
    const DETAILS: &'static str = "\
One statement over documented views: files, symbols, edges, calls, uses, chunks, and hits of a ranked search. Joins, \
aggregates, windows and recursion are those of SQLite; `x REGEXP 'pattern'` matches a regular expression. Nothing but reading \
the views is possible. Rows, size and time are limited. --schema lists the views and their columns, which stay the same \
within a version.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: QUERY_EXAMPLES[0].command, about: QUERY_EXAMPLES[0].about },
        Example { command: QUERY_EXAMPLES[1].command, about: QUERY_EXAMPLES[1].about },
        Example { command: QUERY_EXAMPLES[2].command, about: QUERY_EXAMPLES[2].about },
        Example { command: QUERY_EXAMPLES[3].command, about: QUERY_EXAMPLES[3].about },
        Example { command: QUERY_EXAMPLES[4].command, about: QUERY_EXAMPLES[4].about },
    ];
    const HEAVY: bool = true;
    type Args = QueryArgs;
    type Out = QueryOut;

    fn run(session: &Session<'_>, args: QueryArgs) -> Result<Answer<QueryOut>, ToolError> {
        if args.schema {
            return Ok(Answer::new(QueryOut::schema()));
        }
        let statement = args.sql.join(" ");
        if statement.trim().is_empty() {
            let error = ToolError::new(Code::BadArgument, "a statement is required");
            return Err(error.hint("`schema` lists the views"));
        }
        let snapshot = session.snapshot()?;
        let hits = args.search.as_deref().map(|text| ranked(session, &snapshot, text)).transpose()?;
        let rows = args.limit.unwrap_or(DEFAULT_ROWS).clamp(1, MAX_ROWS);
        let limits = QueryLimits {
            rows: usize::try_from(rows).unwrap_or(usize::MAX),
            bytes: MAX_BYTES,
            time: Duration::from_millis(args.timeout.unwrap_or(DEFAULT_TIMEOUT).clamp(1, MAX_TIMEOUT)),
        };
        let found = snapshot.raw_query(&statement, &hits.unwrap_or_default(), &limits, session.cancel())?;
        let shown = found.rows.len() as u64;
        let rows = found.rows.into_iter().map(|row| row.into_iter().map(json).collect()).collect();
        let out =
            QueryOut { version: VIEWS_VERSION, columns: distinct(found.columns), rows, views: Vec::new() };
        let mut answer = session.answer(&snapshot, out);
        if found.truncated {
            let rows = plural(shown, "row", "rows");
            answer = answer.partial(Doubt::limit(1, Note::from(format!("the first {rows}")).see("limit")));
        }
        Ok(answer)
    }

    fn text(out: &QueryOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for view in &out.views {
            writer.put(Style::Name, view.name)?;
            writer.line(Style::Plain, &format!("  {}", view.about))?;
            let rows: Vec<Vec<Cell>> = view.columns.iter().map(Column::row).collect();
            writer.table(2, &rows)?;
        }
        if out.columns.is_empty() {
            return Ok(());
        }
        let heading = out.columns.iter().map(|name| Cell::new(Style::Head, name.as_str())).collect();
        let rows = out.rows.iter().map(|row| row.iter().map(cell).collect());
        let table: Vec<Vec<Cell>> = std::iter::once(heading).chain(rows).collect();
        writer.table(0, &table)
    }

    fn exit(out: &QueryOut) -> Exit {
        if out.rows.is_empty() && out.views.is_empty() { Exit::Nothing } else { Exit::Ok }
    }

    fn json_lines(out: &QueryOut, to: &mut dyn io::Write) -> Option<io::Result<()>> {
        let mut write = || {
            for row in &out.rows {
                let pairs = out.columns.iter().cloned().zip(row.iter().cloned());
                crate::answer::escaped_json::write_json_line(&pairs.collect::<Map<String, Value>>(), to)?;
            }
            Ok(())
        };
        Some(write())
    }
}

impl QueryOut {
    fn schema() -> Self {
        let views = VIEWS.iter().map(|view| View {
            name: view.name,
            about: view.about,
            columns: view
                .columns
                .iter()
                .map(|&(name, r#type, about)| Column { name, r#type, about })
                .collect(),
        });
        Self { version: VIEWS_VERSION, columns: Vec::new(), rows: Vec::new(), views: views.collect() }
    }
}

impl Column {
    fn row(&self) -> Vec<Cell> {
        vec![
            Cell::new(Style::Plain, self.name),
            Cell::new(Style::Kind, self.r#type),
            Cell::new(Style::Dim, self.about),
        ]
    }
}

/// The results of a ranked search.
fn ranked(session: &Session<'_>, snapshot: &Snapshot, text: &str) -> Result<Vec<RankedHit>, ToolError> {
    let mut query = SearchQuery { text: text.to_owned(), limit: DEFAULT_HITS, ..SearchQuery::default() };
    query.remote.clone_from(&QueryEmbedding::of(session, snapshot, text)?.question);
    let found = snapshot.search(&query)?;
    let hits = found.hits.into_iter().map(|hit| RankedHit {
        score: f64::from(hit.score),
        symbol: hit.symbol,
        path: hit.path.display().into_owned(),
        first_line: hit.first_line,
        last_line: hit.last_line,
    });
    Ok(hits.collect())
}

/// The names of columns, each once: a further column of a name gets its number, as in a subquery of SQLite (`path:1`). An object
/// would lose it otherwise.
fn distinct(columns: Vec<String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let numbered = (1..).map(|number| format!("{column}:{number}"));
        let name = std::iter::once(column.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(name.unwrap_or(column));
    }
    names
}

fn json(value: SqlValue) -> Value {
    match value {
        SqlValue::Null => Value::Null,
        SqlValue::Integer(number) => number.into(),
        SqlValue::Real(number) => number.into(),
        SqlValue::Text(text) => text.into(),
    }
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::new(Style::Dim, ""),
        Value::Number(number) => Cell::number(Style::Plain, number.to_string()),
        Value::String(text) => Cell::new(Style::Plain, text.replace('\n', " ")),
        other => Cell::new(Style::Plain, other.to_string()),
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        let (code, hint) = match error {
            QueryError::Store(error) => return orient_engine::EngineError::from(error).into(),
            QueryError::Cancelled => return orient_engine::EngineError::Cancelled.into(),
            QueryError::Refused(_) | QueryError::Invalid(_) => {
                (Code::BadArgument, "`schema` lists the views and columns")
            }
            QueryError::Timeout(_) => {
                (Code::BadArgument, "narrow the query, or allow more time with `timeout`")
            }
            QueryError::InMemory => (Code::Io, "`orient doctor` says why"),
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_name_are_told_apart() {
        let columns = ["path", "name", "path", "path"].map(str::to_owned).to_vec();
        assert_eq!(distinct(columns), ["path", "name", "path:1", "path:2"]);
    }
}
