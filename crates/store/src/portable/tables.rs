//! The tables of a portable index. Their position in the list is their number in the file.

/// A table of the index or of the history index.
pub(super) struct PortableTable {
    pub(super) name: &'static str,
    /// The columns to read: all, in their order.
    pub(super) select: &'static str,
    pub(super) columns: usize,
    /// The column with a path, if there is one.
    pub(super) path: Option<usize>,
}

const fn table(name: &'static str, select: &'static str, columns: usize) -> PortableTable {
    PortableTable { name, select, columns, path: None }
}

/// Stamps belong to one machine: without them, every file is compared by its hash.
const FILE: &str = "SELECT id, path, name, lang, role, status, detail, 0, 0, 0, 0, hash, bytes, lines, symbols, chunks, issues, \
     generated, project, unparsed FROM file ORDER BY id";

/// The tables of `index.db`, but not the tree manifests, which describe one machine.
pub(super) const INDEX: &[PortableTable] = &[
    table("meta", "SELECT * FROM meta", 10),
    table("lang", "SELECT * FROM lang ORDER BY id", 2),
    PortableTable { path: Some(1), ..table("file", FILE, 20) },
    table("outline", "SELECT * FROM outline ORDER BY file", 4),
    table("name", "SELECT * FROM name ORDER BY id", 3),
    table("symbol", "SELECT * FROM symbol ORDER BY id", 10),
    table("tag", "SELECT * FROM tag ORDER BY name, what, symbol", 3),
    table("chunk", "SELECT * FROM chunk ORDER BY id", 7),
    table("edge", "SELECT * FROM edge ORDER BY key", 2),
    table("foreign_edge", "SELECT * FROM foreign_edge ORDER BY source, target, kind, line, owner", 6),
    table("graph", "SELECT * FROM graph ORDER BY file", 5),
    table("owed", "SELECT * FROM owed ORDER BY file", 1),
    table("name_dependency", "SELECT * FROM name_dependency ORDER BY key", 2),
    table("trigram_segment", "SELECT * FROM trigram_segment ORDER BY id", 2),
    table("trigram_block", "SELECT * FROM trigram_block ORDER BY key", 2),
    table("trigram_recent", "SELECT * FROM trigram_recent ORDER BY file", 2),
    table("term_segment", "SELECT * FROM term_segment ORDER BY id", 2),
    table("term_block", "SELECT * FROM term_block ORDER BY key", 2),
    table("term_recent", "SELECT * FROM term_recent ORDER BY file", 2),
    table("vector", "SELECT * FROM vector ORDER BY key", 2),
];

/// The number of the section with facts: file, key, outline unless it is that of the file, flow.
pub(super) const FACTS: u8 = 64;
/// Its number of columns.
pub(super) const FACTS_COLUMNS: usize = 4;

/// The number of the first table of the history index.
pub(super) const FIRST_HISTORY: u8 = 128;

/// The tables of the history index.
pub(super) const HISTORY: &[PortableTable] = &[
    table("history_graph", "SELECT * FROM history_graph ORDER BY first", 5),
    table("history_state", "SELECT * FROM history_state ORDER BY id", 2),
    table("history_person", "SELECT * FROM history_person ORDER BY id", 3),
    table("history_commit", "SELECT * FROM history_commit ORDER BY n", 7),
    PortableTable { path: Some(1), ..table("history_path", "SELECT * FROM history_path ORDER BY id", 2) },
    table("history_change", "SELECT * FROM history_change ORDER BY path, n, parent", 5),
    table("history_copy", "SELECT * FROM history_copy ORDER BY path, n", 4),
    table("history_symbols", "SELECT * FROM history_symbols ORDER BY path, n", 5),
    table("history_former_name", "SELECT * FROM history_former_name ORDER BY name, n, path", 3),
    table("history_text", "SELECT * FROM history_text ORDER BY n", 3),
];

impl PortableTable {
    /// The statement that inserts a row.
    pub(super) fn insert(&self) -> String {
        let values = vec!["?"; self.columns].join(", ");
        format!("INSERT INTO {} VALUES ({values})", self.name)
    }
}

/// Whether a path stays inside the tree that it is relative to.
pub(super) fn is_inside(path: &[u8]) -> bool {
    const MAX_PATH: usize = 4096;
    let is_name = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    path.len() <= MAX_PATH && !path.contains(&0) && path.split(|&byte| byte == b'/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::meta;
    use rusqlite::Connection;
    use std::collections::BTreeSet;

    #[test]
    fn every_table_is_exported_with_all_its_columns() {
        let db = Connection::open_in_memory().expect("a database");
        meta::create_tables(&db).expect("the schema is valid");
        db.execute_batch(crate::cache::history::TABLES).expect("the schema is valid");
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'";
        let mut statement = db.prepare(sql).expect("a schema");
        let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("names");
        let mut names: BTreeSet<String> = names.collect::<Result<_, _>>().expect("names");
        assert!(names.remove("tree_manifest"), "it describes one machine");
        let known = INDEX.iter().chain(HISTORY).map(|table| table.name.to_owned()).collect();
        assert_eq!(names, known);
        for table in INDEX.iter().chain(HISTORY) {
            let all = db.prepare(&format!("SELECT * FROM {}", table.name)).expect("a table");
            let read = db.prepare(table.select).expect("a valid statement");
            assert_eq!(
                (all.column_count(), read.column_count()),
                (table.columns, table.columns),
                "{}",
                table.name
            );
            if let Some(path) = table.path {
                assert_eq!(all.column_name(path).expect("a column"), "path");
            }
        }
    }

    #[test]
    fn paths_that_leave_the_tree_are_recognised() {
        for path in ["a", "src/main.rs", "..a/b..", ".github/x"] {
            assert!(is_inside(path.as_bytes()), "{path}");
        }
        for path in ["", "/etc/passwd", "../a", "a/../../b", "a//b", "a/", "./a", "a\0b"] {
            assert!(!is_inside(path.as_bytes()), "{path}");
        }
    }
}
