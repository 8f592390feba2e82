//! Which files a text search must look at: those of its scope, less what the trigrams of the index rule out.

use crate::sheet::{SearchSheet, TreeSheet, joined};
use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_store::{LeftOut, Sheet, WriteLock, Writer};
use orient_text::Query;
use orient_walk::{Ground, Haystack, Haystacks, SearchScope, Tree, haystacks, to_native};
use std::collections::HashSet;

/// What there is to search.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The files, in the order of the paths asked for, then by path.
    pub files: Vec<Haystack>,
    /// How many files of the scope cannot match and are left out.
    pub left_out: usize,
    /// What could not be read, in words.
    pub errors: Vec<String>,
}

impl Snapshot {
    /// The files of a scope that may have what a query asks for. Files the index does not know, has not read, or may be
    /// wrong about (`pending`) are always among them. `remembered` is whether what the index remembers of the tree as a
    /// whole may be relied on.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        query: &Query,
        pending: &[RepoPath],
        remembered: bool,
    ) -> Result<Candidates, EngineError> {
        let out = self.store.left_out(query)?;
        let pending: HashSet<&RepoPath> = pending.iter().collect();
        let plain = remembered && pending.is_empty() && scope.is_plain(&self.root);
        let bytes = if plain { self.store.sheet(Sheet::Tree)? } else { None };
        let sheet = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        if let Some(sheet) = &sheet
            && let Some(found) = self.recalled(sheet, &out)?
        {
            return Ok(found);
        }
        let Haystacks { mut files, errors, ground } = haystacks(&self.root, scope)?;
        if let Some(sheet) = &sheet
            && errors.is_empty()
        {
            self.remember(sheet, &files, &ground);
        }
        let before = files.len();
        if !query.is_all() && !files.is_empty() {
            let mut without = HashSet::new();
            self.store.each_id(|id, path| {
                if out.contains(id) && !pending.contains(&path) {
                    without.insert(path);
                }
            })?;
            files.retain(|file| !without.contains(&file.path));
        }
        Ok(Candidates { left_out: before - files.len(), files, errors })
    }

    /// The same from what is remembered, without a walk; none where nothing is.
    fn recalled(&self, sheet: &TreeSheet<'_>, out: &LeftOut) -> Result<Option<Candidates>, EngineError> {
        let Some(bytes) = self.store.sheet(Sheet::Search)? else { return Ok(None) };
        let tree = Tree::open(&self.root)?;
        let Some(search) = SearchSheet::read(&bytes, sheet, &tree) else { return Ok(None) };
        let mut found = Candidates::default();
        let mut add = |path: RepoPath| {
            if let Some(shown) = to_native(&path) {
                found.files.push(Haystack { path, shown, explicit: false });
            }
        };
        let mut left_out = 0;
        sheet.each(|id, folder, name| {
            if search.without.contains(&id) {
            } else if out.contains(id) {
                left_out += 1;
            } else {
                add(joined(folder, name));
            }
        });
        search.extra.into_iter().for_each(add);
        found.files.sort_unstable_by(|a, b| a.shown.cmp(&b.shown));
        Ok(Some(Candidates { left_out, ..found }))
    }

    /// Notes which files a plain search looks at, if nobody else is writing.
    fn remember(&self, sheet: &TreeSheet<'_>, files: &[Haystack], ground: &Ground) {
        let searched = files.iter().map(|file| file.path.clone()).collect();
        let Some(data) = sheet.search(&searched, ground) else { return };
        if let Ok(Some(lock)) = WriteLock::acquire(&self.place.tree, |_| false)
            && let Ok(mut writer) = Writer::open(&self.place.index(), &lock)
        {
            // It would only have saved time.
            let _ = writer.keep_sheet(Sheet::Search, &data);
        }
    }
}
