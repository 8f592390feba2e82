//! The table of names: text to id and back.

use super::adjacency_lists::bounds;
use crate::names::interner::hash;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Result, params};

const INSERT: &str = "INSERT INTO name VALUES (?1, ?2, ?3)";
const APPEND: &str = "INSERT INTO name VALUES (NULL, ?1, ?2)";
const BY_TEXT: &str =
    "SELECT id FROM name WHERE substr(text, 1, 6) = substr(?1, 1, 6) AND hash = ?2 AND text = ?1";
const BY_ID: &str = "SELECT text FROM name WHERE id = ?1";
const AFTER: &str = "SELECT id, text FROM name WHERE id > ?1 ORDER BY id";
const BETWEEN: &str = "SELECT id, text FROM name WHERE substr(text, 1, 6) >= ?1 AND substr(text, 1, 6) <= ?2";
const ANY_BETWEEN: &str =
    "SELECT 1 FROM name WHERE substr(text, 1, 6) >= ?1 AND substr(text, 1, 6) <= ?2 LIMIT 1";
/// The length of the indexed prefix of names, in characters.
const KEY: usize = 6;
/// If a prefix has more spellings than this, all names are scanned.
const FORMS: usize = 64;
const COUNT: &str = "SELECT count(*) FROM name";
const DELETE_UNUSED: &str = "DELETE FROM name WHERE id = ?1 \
     AND NOT EXISTS (SELECT 1 FROM symbol WHERE symbol.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM name_dependency WHERE key >= ?2 AND key < ?3)";

pub(crate) fn insert(db: &Connection, id: i64, text: &str) -> Result<()> {
    db.prepare_cached(INSERT)?.execute(params![id, text, prefix_hash(text)]).map(drop)
}

/// Appends names in ascending order of ids, from 1: SQLite then appends without searching.
pub(crate) struct Appending<'d>(CachedStatement<'d>);

impl<'d> Appending<'d> {
    pub(crate) fn to(db: &'d Connection) -> Result<Self> {
        db.prepare_cached(APPEND).map(Self)
    }

    pub(crate) fn put(&mut self, text: &str) -> Result<()> {
        self.0.execute(params![text, prefix_hash(text)]).map(drop)
    }
}

/// A hash that distinguishes names with the same prefix, of which there may be thousands. It is stored: changing it changes
/// the format.
fn prefix_hash(text: &str) -> i16 {
    let [first, second, ..] = hash(text.as_bytes()).to_be_bytes();
    i16::from_be_bytes([first, second])
}

pub(crate) fn by_text(db: &Connection, text: &str) -> Result<Option<i64>> {
    db.prepare_cached(BY_TEXT)?.query_row(params![text, prefix_hash(text)], |row| row.get(0)).optional()
}

pub(crate) fn by_id(db: &Connection, id: i64) -> Result<Option<String>> {
    db.prepare_cached(BY_ID)?.query_row([id], |row| row.get(0)).optional()
}

/// Passes every name to `see`, in no order.
pub(crate) fn scan(db: &Connection, see: impl FnMut(i64, &str)) -> Result<()> {
    scan_after(db, 0, see)
}

/// Passes every name with a greater id to `see`, by id.
pub(crate) fn scan_after(db: &Connection, id: i64, mut see: impl FnMut(i64, &str)) -> Result<()> {
    let mut statement = db.prepare_cached(AFTER)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_str()?);
    }
    Ok(())
}

/// Passes all names with a prefix, ignoring case, to `see`, and perhaps others, in no order. The prefix is in lower case.
/// Returns false without passing any if that requires a scan of all names.
pub(crate) fn scan_prefix(db: &Connection, text: &str, mut see: impl FnMut(i64, &str)) -> Result<bool> {
    if !text.is_ascii() || text.is_empty() {
        return Ok(false);
    }
    let mut starts = vec![String::new()];
    for letter in text.chars().take(KEY) {
        let mut longer = Vec::new();
        for start in &starts {
            for form in forms(letter) {
                let start = format!("{start}{form}");
                if begins(db, &start)? {
                    longer.push(start);
                }
            }
        }
        if longer.len() > FORMS {
            return Ok(false);
        }
        starts = longer;
    }
    let mut statement = db.prepare_cached(BETWEEN)?;
    for start in starts {
        let mut rows = statement.query([&start, &past(&start)])?;
        while let Some(row) = rows.next()? {
            see(row.get(0)?, row.get_ref(1)?.as_str()?);
        }
    }
    Ok(true)
}

/// Whether there is a name with this prefix.
fn begins(db: &Connection, start: &str) -> Result<bool> {
    db.prepare_cached(ANY_BETWEEN)?.exists([start, &past(start)])
}

/// An upper bound of all names with this prefix.
fn past(start: &str) -> String {
    format!("{start}{}", "\u{10ffff}".repeat(KEY))
}

/// The letters whose lower case starts with a letter.
fn forms(letter: char) -> impl Iterator<Item = char> {
    let upper = Some(letter.to_ascii_uppercase()).filter(|upper| *upper != letter);
    let strange = match letter {
        'i' => Some('\u{130}'),
        'k' => Some('\u{212a}'),
        _ => None,
    };
    [Some(letter), upper, strange].into_iter().flatten()
}

pub(crate) fn count(db: &Connection) -> Result<u64> {
    db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))
}

/// Deletes a name that nothing uses.
pub(crate) fn delete_unused(db: &Connection, id: i64) -> Result<()> {
    let [first, end] = bounds(id);
    db.prepare_cached(DELETE_UNUSED)?.execute([id, first, end]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_known_letters_have_an_ascii_lower_case() {
        for letter in '\0'..=char::MAX {
            let lower = letter.to_lowercase().next().filter(char::is_ascii);
            if let Some(lower) = lower {
                assert!(forms(lower).any(|form| form == letter), "{letter:?}");
            }
        }
    }

    fn database() -> Connection {
        let db = Connection::open_in_memory().expect("a database");
        let schema = concat!(include_str!("../schema/tables.sql"), include_str!("../schema/indexes.sql"));
        db.execute_batch(schema).expect("tables");
        db
    }

    #[test]
    fn a_name_among_thousands_with_its_prefix_is_found_through_the_index() {
        let db = database();
        let name = |number: i64| format!("test_that_begins_like_all_others_{number}");
        let mut appending = Appending::to(&db).expect("a statement");
        (1..=5000).for_each(|number| appending.put(&name(number)).expect("a row"));
        for number in [1, 77, 5000] {
            assert_eq!(by_text(&db, &name(number)).expect("a look"), Some(number));
        }
        assert_eq!(by_text(&db, &name(0)).expect("a look"), None);
        let alike: i64 = db
            .query_row("SELECT max(n) FROM (SELECT count(*) AS n FROM name GROUP BY hash)", [], |row| {
                row.get(0)
            })
            .expect("a number");
        assert!(alike < 8, "{alike} names are told apart by their whole text alone");
        let plan: String = db
            .query_row(&format!("EXPLAIN QUERY PLAN {BY_TEXT}"), params!["", 0], |row| row.get(3))
            .expect("a plan");
        assert!(plan.contains("name_by_text (<expr>=? AND hash=?)"), "{plan}");
    }

    proptest! {
        #[test]
        fn all_names_with_a_prefix_are_passed(
            names in prop::collection::btree_set("[aAbBkK\u{212a}\u{130}iI_1\u{10ffff}]{0,14}", 0..60),
            asked in "[abki_1]{1,13}",
            first in 0..60_usize,
        ) {
            let db = database();
            for (id, name) in (1..).zip(&names) {
                insert(&db, id, name).expect("a row");
            }
            // Half of the prefixes come from names.
            let some = names.iter().nth(first).map(|name| name.to_lowercase()).filter(|name| name.is_ascii());
            for asked in [Some(asked), some.filter(|name| !name.is_empty())].into_iter().flatten() {
                let mut shown = std::collections::BTreeSet::new();
                if scan_prefix(&db, &asked, |_, name| assert!(shown.insert(name.to_owned()))).expect("a look") {
                    for name in names.iter().filter(|name| name.to_lowercase().starts_with(&asked)) {
                        prop_assert!(shown.contains(name), "{name:?} begins with {asked:?}");
                    }
                    prop_assert!(shown.iter().all(|name| name.chars().count() >= asked.len().min(KEY)));
                }
            }
        }
    }
}
