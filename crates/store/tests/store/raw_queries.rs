//! Raw queries: what they can read, and everything that they cannot do.
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::Place;
use orient_store::{QueryError, QueryLimits, QueryRows, RankedHit, SqlValue};
use std::time::{Duration, Instant};

const LIMITS: QueryLimits = QueryLimits { rows: 100, bytes: 1 << 20, time: Duration::from_secs(2) };

fn store() -> Place {
    Place::with(&[
        ("src/net/server.x", "class Server\n  method run @route\n  method stop"),
        ("src/main.x", "function main\nclass Fast :Server"),
    ])
}

fn ask(store: &Place, statement: &str) -> Result<QueryRows, QueryError> {
    store.open().query(statement, &[], &LIMITS, || false)
}

fn texts(rows: &QueryRows) -> Vec<String> {
    let text = |value: &SqlValue| match value {
        SqlValue::Null => "NULL".to_owned(),
        SqlValue::Integer(number) => number.to_string(),
        SqlValue::Real(number) => number.to_string(),
        SqlValue::Text(text) => text.clone(),
    };
    rows.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>().join("|")).collect()
}

#[test]
fn the_views_have_files_symbols_and_what_they_say() {
    let store = store();
    let files = ask(&store, "SELECT path, directory, name, indexed FROM files ORDER BY path").unwrap();
    assert_eq!(texts(&files), ["src/main.x|src|main.x|1", "src/net/server.x|src/net|server.x|1"]);
    let symbols =
        "SELECT qualified_name, kind, path FROM symbols WHERE name REGEXP '^(run|main)$' ORDER BY 1 DESC";
    assert_eq!(
        texts(&ask(&store, symbols).unwrap()),
        ["main|function|src/main.x", "Server.run|method|src/net/server.x"]
    );
    let members = "SELECT c.name, count(*) FROM symbols s JOIN symbols c ON c.id = s.container GROUP BY c.id";
    assert_eq!(texts(&ask(&store, members).unwrap()), ["Server|2"]);
    let derived = "SELECT name FROM symbols WHERE bases = 'Server' UNION SELECT name FROM symbols WHERE attributes = 'route'";
    assert_eq!(texts(&ask(&store, derived).unwrap()), ["Fast", "run"]);
}

#[test]
fn recursion_aggregates_and_windows_work() {
    let store = store();
    let count =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) FROM n";
    assert_eq!(texts(&ask(&store, count).unwrap()), ["15"]);
    let ranks = "SELECT name, row_number() OVER (ORDER BY name) FROM symbols WHERE kind = 'class'";
    assert_eq!(texts(&ask(&store, ranks).unwrap()), ["Fast|1", "Server|2"]);
    assert_eq!(texts(&ask(&store, "SELECT count(*) FROM calls").unwrap()), ["0"]);
    assert_eq!(
        texts(&ask(&store, "SELECT count(*) FROM edges e JOIN uses u ON u.used = e.target").unwrap()),
        ["0"]
    );
    for (view, rows) in [("files", "2"), ("symbols", "5"), ("hits", "0"), ("edges", "0"), ("uses", "0")] {
        assert_eq!(texts(&ask(&store, &format!("SELECT count(*) FROM {view}")).unwrap()), [rows], "{view}");
    }
    assert_eq!(texts(&ask(&store, "SELECT count(*) > 0 FROM chunks;").unwrap()), ["1"]);
}

#[test]
fn hits_are_those_of_the_caller() {
    let hit =
        RankedHit { score: 0.5, symbol: None, path: "src/main.x".to_owned(), first_line: 1, last_line: 2 };
    let found =
        store().open().query("SELECT rank, path, score FROM hits", &[hit], &LIMITS, || false).unwrap();
    assert_eq!(texts(&found), ["1|src/main.x|0.5"]);
}

#[test]
fn hostile_statements_are_refused() {
    let store = store();
    let before = std::fs::read(store.path()).unwrap();
    let hostile = [
        "INSERT INTO files VALUES (1)",
        "INSERT INTO main.file (id) VALUES (99)",
        "UPDATE symbols SET name = 'x'",
        "UPDATE main.name SET text = 'x'",
        "DELETE FROM main.symbol",
        "REPLACE INTO main.name VALUES (1, 'x', 1)",
        "DROP TABLE main.file",
        "DROP VIEW temp.files",
        "DROP INDEX file_by_path",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t (x)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE INDEX i ON file (path)",
        "CREATE TEMP TRIGGER t AFTER INSERT ON temp.edge_row BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        "ALTER TABLE main.file RENAME TO f",
        "ATTACH DATABASE '/etc/passwd' AS other",
        "ATTACH ':memory:' AS other",
        "DETACH DATABASE main",
        "PRAGMA writable_schema = ON",
        "PRAGMA table_info(file)",
        "PRAGMA journal_mode = DELETE",
        "SELECT * FROM pragma_table_info('file')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM sqlite_master",
        "SELECT sql FROM main.sqlite_schema",
        "SELECT * FROM temp.sqlite_schema",
        "SELECT * FROM main.file",
        "SELECT path FROM file",
        "SELECT text FROM name",
        "SELECT data FROM main.outline",
        "SELECT * FROM temp.edge_row",
        "SELECT (SELECT count(*) FROM main.meta) FROM files",
        "WITH t AS (SELECT * FROM main.symbol) SELECT count(*) FROM t",
        "SELECT count(*) FROM main.meta",
        "SELECT count(*) FROM name",
        "SELECT count(*) FROM files, main.lang",
        "SELECT count(*) FROM pragma_database_list",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT randomblob(100)",
        "SELECT sqlite_version()",
        "SELECT zeroblob(1000000000)",
        "VACUUM",
        "VACUUM INTO '/tmp/copy.db'",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "EXPLAIN SELECT * FROM files",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE main.file",
        "",
        "   -- nothing\n",
    ];
    assert!(hostile.len() >= 40);
    for statement in hostile {
        match ask(&store, statement) {
            Err(QueryError::Refused(_) | QueryError::Invalid(_)) => {}
            other => panic!("{statement}: {other:?}"),
        }
    }
    assert_eq!(std::fs::read(store.path()).unwrap(), before, "the index is as it was");
}

#[test]
fn a_refusal_says_what_was_refused() {
    let store = store();
    let refused = |statement| ask(&store, statement).unwrap_err().to_string();
    assert_eq!(refused("SELECT * FROM sqlite_master"), "`sqlite_master` is not a view of the index");
    assert_eq!(refused("SELECT randomblob(1)"), "the function `randomblob` is not available");
    assert_eq!(refused("DELETE FROM main.file"), "only queries that read are possible");
    assert!(refused("SELECT nme FROM symbols").contains("no such column: nme"));
}

#[test]
fn time_rows_and_size_are_limited() {
    let store = store();
    let endless = [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1e9) SELECT max(a.x) FROM n a, n b",
    ];
    for statement in endless {
        let limits = QueryLimits { time: Duration::from_millis(300), ..LIMITS };
        let started = Instant::now();
        let error = store.open().query(statement, &[], &limits, || false).unwrap_err();
        assert!(matches!(error, QueryError::Timeout(_)), "{error}");
        let late = started.elapsed().saturating_sub(limits.time);
        assert!(late < Duration::from_millis(100), "{late:?} late");
    }
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    let found = ask(&store, numbers).unwrap();
    assert_eq!((found.rows.len(), found.truncated), (100, true));
    let large = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT printf('%.*c', 200000, 'x') FROM n";
    let found = ask(&store, large).unwrap();
    assert_eq!((found.rows.len(), found.truncated), (5, true));
    let cancelled = store.open().query(endless[0], &[], &LIMITS, || true).unwrap_err();
    assert!(matches!(cancelled, QueryError::Cancelled));
}
