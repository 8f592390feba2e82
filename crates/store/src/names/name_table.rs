//! The name table: lengths and letter sets of all names, a prefilter for fuzzy matching. Long-running processes keep it.

use crate::error::{AtPath, StoreError};
use crate::names::name_match::{Letters, Matcher, NameMatch};
use crate::reader::snapshot::Snapshot;
use crate::sql::{names, symbols};

/// The length and the letters of each name, in the order of ids. Ids are never reused, so new names are appended, and
/// lookups do not find removed names.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    ids: Vec<u32>,
    letters: Vec<Letters>,
    /// [`ANY`] for a name without a length filter.
    lengths: Vec<u8>,
    /// The number of names when the table was built.
    made: usize,
}

/// The length of a name that is long or not ASCII.
const ANY: u8 = u8::MAX;

impl NameTable {
    fn add(&mut self, id: i64, name: &str) {
        let Ok(id) = u32::try_from(id) else { return };
        let length = u8::try_from(name.len()).ok().filter(|_| name.is_ascii()).unwrap_or(ANY);
        self.ids.push(id);
        self.letters.push(Letters::of(name.as_bytes()));
        self.lengths.push(length);
    }

    /// The ids of names that may be within an edit distance of an ASCII text.
    fn near(&self, text: &str, distance: u32) -> impl Iterator<Item = i64> {
        let (own, length) = (Letters::of(text.as_bytes()), text.len());
        let all = self.ids.iter().zip(&self.letters).zip(&self.lengths);
        let near = all.filter(move |((_, theirs), theirs_long)| {
            **theirs_long == ANY
                || (usize::from(**theirs_long).abs_diff(length) <= distance as usize
                    && own.may_be_near(**theirs, distance))
        });
        near.map(|((id, _), _)| i64::from(*id))
    }
}

impl Snapshot {
    /// Advances a name table to this generation. It comes from an earlier generation of the same index, or is empty.
    pub fn follow_names(&self, table: &mut NameTable) -> Result<(), StoreError> {
        // Removed names stay in the table, so it is rebuilt now and then.
        if table.ids.len() > table.made + table.made / 8 {
            *table = NameTable::default();
        }
        let after = table.ids.last().map_or(0, |id| i64::from(*id));
        names::scan_after(&self.db, after, |id, name| table.add(id, name)).at(&self.path)?;
        if after == 0 {
            table.made = table.ids.len();
            table.ids.shrink_to_fit();
            table.letters.shrink_to_fit();
            table.lengths.shrink_to_fit();
        }
        Ok(())
    }

    /// The names of symbols within an edit distance of a text, nearest first, then by name. The name table of this
    /// generation avoids reading most names.
    pub fn similar_names(
        &self,
        text: &str,
        distance: u32,
        limit: usize,
        table: Option<&NameTable>,
    ) -> Result<Vec<String>, StoreError> {
        let question = NameMatch::Fuzzy { text: text.to_owned(), distance };
        let Some(mut matcher) = Matcher::new(&question) else { return Ok(Vec::new()) };
        let mut near = Vec::new();
        match table.filter(|_| text.is_ascii()) {
            Some(table) => {
                for id in table.near(text, distance) {
                    let Some(name) = names::by_id(&self.db, id).at(&self.path)? else { continue };
                    near.extend(matcher.grade(&name).map(|grade| (grade, name, id)));
                }
            }
            None => names::scan(&self.db, |id, name| {
                near.extend(matcher.grade(name).map(|grade| (grade, name.to_owned(), id)));
            })
            .at(&self.path)?,
        }
        near.sort_unstable();
        let mut found = Vec::new();
        for (_, name, id) in near {
            if found.len() == limit {
                break;
            }
            if symbols::bears(&self.db, id).at(&self.path)? {
                found.push(name);
            }
        }
        Ok(found)
    }
}
