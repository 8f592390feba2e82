//! Names: text to number and back.

use super::adjacency_lists::bounds;
use crate::names::interner::hash;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Result, params};

const INSERT: &str = "INSERT INTO name VALUES (?1, ?2, ?3)";
const APPEND: &str = "INSERT INTO name VALUES (NULL, ?1, ?2)";
const BY_TEXT: &str =
    "SELECT id FROM name WHERE substr(text, 1, 6) = substr(?1, 1, 6) AND mark = ?2 AND text = ?1";
const BY_ID: &str = "SELECT text FROM name WHERE id = ?1";
const AFTER: &str = "SELECT id, text FROM name WHERE id > ?1 ORDER BY id";
const BETWEEN: &str = "SELECT id, text FROM name WHERE substr(text, 1, 6) >= ?1 AND substr(text, 1, 6) <= ?2";
const ANY_BETWEEN: &str =
    "SELECT 1 FROM name WHERE substr(text, 1, 6) >= ?1 AND substr(text, 1, 6) <= ?2 LIMIT 1";
/// Names are indexed by so many of their first letters.
const KEY: usize = 6;
/// Where the beginning of a name is written in more ways than this, every name is looked at.
const FORMS: usize = 64;
const COUNT: &str = "SELECT count(*) FROM name";
const DELETE_UNUSED: &str = "DELETE FROM name WHERE id = ?1 \
     AND NOT EXISTS (SELECT 1 FROM symbol WHERE symbol.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM tag WHERE tag.name = ?1) \
     AND NOT EXISTS (SELECT 1 FROM ask WHERE key >= ?2 AND key < ?3)";

pub(crate) fn insert(db: &Connection, id: i64, text: &str) -> Result<()> {
    db.prepare_cached(INSERT)?.execute(params![id, text, mark(text)]).map(drop)
}

/// Appends names that come in the order of their ids, from 1: the database need not search for their place.
pub(crate) struct Appending<'d>(CachedStatement<'d>);

impl<'d> Appending<'d> {
    pub(crate) fn to(db: &'d Connection) -> Result<Self> {
        db.prepare_cached(APPEND).map(Self)
    }

    pub(crate) fn put(&mut self, text: &str) -> Result<()> {
        self.0.execute(params![text, mark(text)]).map(drop)
    }
}

/// Tells names apart that begin alike, as thousands may. It is stored: another way to make it is another format.
fn mark(text: &str) -> i16 {
    let [first, second, ..] = hash(text.as_bytes()).to_be_bytes();
    i16::from_be_bytes([first, second])
}

pub(crate) fn by_text(db: &Connection, text: &str) -> Result<Option<i64>> {
    db.prepare_cached(BY_TEXT)?.query_row(params![text, mark(text)], |row| row.get(0)).optional()
}

pub(crate) fn by_id(db: &Connection, id: i64) -> Result<Option<String>> {
    db.prepare_cached(BY_ID)?.query_row([id], |row| row.get(0)).optional()
}

/// Shows every name; in no order.
pub(crate) fn scan(db: &Connection, see: impl FnMut(i64, &str)) -> Result<()> {
    scan_after(db, 0, see)
}

/// Shows every name with a greater id, by id.
pub(crate) fn scan_after(db: &Connection, id: i64, mut see: impl FnMut(i64, &str)) -> Result<()> {
    let mut statement = db.prepare_cached(AFTER)?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        see(row.get(0)?, row.get_ref(1)?.as_str()?);
    }
    Ok(())
}

/// Shows the names that begin with a text in lower case, whatever their own case: all that do, and perhaps others; in no
/// order. Says no, having shown none, where that takes a look at every name.
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

/// Whether any name begins so.
fn begins(db: &Connection, start: &str) -> Result<bool> {
    db.prepare_cached(ANY_BETWEEN)?.exists([start, &past(start)])
}

/// No name that begins with a text stands behind this.
fn past(start: &str) -> String {
    format!("{start}{}", "\u{10ffff}".repeat(KEY))
}

/// The letters whose lower case begins with a letter.
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

/// Deletes a name unless something still bears it.
pub(crate) fn delete_unused(db: &Connection, id: i64) -> Result<()> {
    let [first, end] = bounds(id);
    db.prepare_cached(DELETE_UNUSED)?.execute([id, first, end]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_other_letter_has_a_lower_case_that_begins_with_one_of_ascii() {
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
    fn a_name_is_found_among_thousands_that_begin_alike_without_a_look_at_them() {
        let db = database();
        let name = |number: i64| format!("test_that_begins_like_all_others_{number}");
        let mut appending = Appending::to(&db).expect("a statement");
        (1..=5000).for_each(|number| appending.put(&name(number)).expect("a row"));
        for number in [1, 77, 5000] {
            assert_eq!(by_text(&db, &name(number)).expect("a look"), Some(number));
        }
        assert_eq!(by_text(&db, &name(0)).expect("a look"), None);
        let alike: i64 = db
            .query_row("SELECT max(n) FROM (SELECT count(*) AS n FROM name GROUP BY mark)", [], |row| {
                row.get(0)
            })
            .expect("a number");
        assert!(alike < 8, "{alike} names are told apart by their whole text alone");
        let plan: String = db
            .query_row(&format!("EXPLAIN QUERY PLAN {BY_TEXT}"), params!["", 0], |row| row.get(3))
            .expect("a plan");
        assert!(plan.contains("name_by_text (<expr>=? AND mark=?)"), "{plan}");
    }

    proptest! {
        #[test]
        fn names_that_begin_with_a_text_are_shown(
            names in prop::collection::btree_set("[aAbBkK\u{212a}\u{130}iI_1\u{10ffff}]{0,14}", 0..60),
            asked in "[abki_1]{1,13}",
            first in 0..60_usize,
        ) {
            let db = database();
            for (id, name) in (1..).zip(&names) {
                insert(&db, id, name).expect("a row");
            }
            // Half of the questions are the beginnings of names.
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
