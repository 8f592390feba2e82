//! The ids of names, for writers.

use crate::sql::names;
use crate::writer::change_set::{ChangeSet, take_next};

/// The capacity of the cache of name ids before it is cleared.
const REMEMBERED: usize = 1 << 16;

impl ChangeSet<'_> {
    /// The id of a name; creates one if necessary.
    pub(crate) fn name_id(&mut self, text: &str) -> rusqlite::Result<i64> {
        if let Some(known) = self.known_name(text)? {
            return Ok(known);
        }
        let id = take_next(&mut self.next.next_name);
        names::insert(self.db, id, text)?;
        self.names.insert(text.into(), id);
        Ok(id)
    }

    /// The id of an existing name.
    pub(crate) fn known_name(&mut self, text: &str) -> rusqlite::Result<Option<i64>> {
        if let Some(&id) = self.names.get(text) {
            return Ok(Some(id));
        }
        let known = names::by_text(self.db, text)?;
        if let Some(id) = known {
            if self.names.len() >= REMEMBERED {
                self.names.clear();
            }
            self.names.insert(text.into(), id);
        }
        Ok(known)
    }
}
