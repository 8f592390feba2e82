//! What tells most names from a mistyped one at a glance: their lengths and letters, kept by whoever asks often.

use crate::error::{AtPath, StoreError};
use crate::names::name_match::{Letters, Matcher, NameMatch};
use crate::reader::snapshot::Snapshot;
use crate::sql::{names, symbols};

/// For each name its length and its letters, in the order of ids. Ids are given once, so names that came later are added,
/// and those that are gone since are not found when they are looked up.
#[derive(Clone, Debug, Default)]
pub struct NameSheet {
    ids: Vec<u32>,
    letters: Vec<Letters>,
    /// [`ANY`] for a name that cannot be told apart so.
    lengths: Vec<u8>,
    /// How many there were when it was made.
    made: usize,
}

/// Stands for a name that is long, or has letters beyond ASCII.
const ANY: u8 = u8::MAX;

impl NameSheet {
    fn add(&mut self, id: i64, name: &str) {
        let Ok(id) = u32::try_from(id) else { return };
        let length = u8::try_from(name.len()).ok().filter(|_| name.is_ascii()).unwrap_or(ANY);
        self.ids.push(id);
        self.letters.push(Letters::of(name.as_bytes()));
        self.lengths.push(length);
    }

    /// Names that may be as near to a text in ASCII as that, by id.
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
    /// Brings a sheet of names to this generation; it was made of an earlier one of the same index, or is empty.
    pub fn follow_names(&self, sheet: &mut NameSheet) -> Result<(), StoreError> {
        // What is gone is never taken out, so that now and then all is read anew.
        if sheet.ids.len() > sheet.made + sheet.made / 8 {
            *sheet = NameSheet::default();
        }
        let after = sheet.ids.last().map_or(0, |id| i64::from(*id));
        names::scan_after(&self.db, after, |id, name| sheet.add(id, name)).at(&self.path)?;
        if after == 0 {
            sheet.made = sheet.ids.len();
            sheet.ids.shrink_to_fit();
            sheet.letters.shrink_to_fit();
            sheet.lengths.shrink_to_fit();
        }
        Ok(())
    }

    /// The names of symbols at most `distance` typing mistakes from a text, nearest first, then by name. With a sheet of the
    /// names of this generation, most need no look.
    pub fn similar_names(
        &self,
        text: &str,
        distance: u32,
        limit: usize,
        sheet: Option<&NameSheet>,
    ) -> Result<Vec<String>, StoreError> {
        let question = NameMatch::Fuzzy { text: text.to_owned(), distance };
        let Some(mut matcher) = Matcher::new(&question) else { return Ok(Vec::new()) };
        let mut near = Vec::new();
        match sheet.filter(|_| text.is_ascii()) {
            Some(sheet) => {
                for id in sheet.near(text, distance) {
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
