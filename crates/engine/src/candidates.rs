//! Which files a text search must look at: those of its scope, less what the trigrams of the index rule out.

use crate::plan::veiled;
use crate::sheet::{SearchSheet, TreeSheet, joined};
use crate::{EngineError, Snapshot};
use orient_model::{RepoPath, Stamp};
use orient_store::{LeftOut, Listed, Sheet, WriteLock, Writer};
use orient_text::Query;
use orient_walk::{Ground, Haystack, Haystacks, SearchScope, Tree, haystacks, to_native};
use std::collections::{HashMap, HashSet};
use std::path::Path;

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

/// How it is known that the trigrams of a file are those of its content now.
pub enum Basis<'b> {
    /// The index was compared with the tree and is right, except about these paths. `remembered` is whether that holds
    /// for what it remembers of the tree as a whole, too.
    Tree {
        /// Paths the index may be wrong about.
        pending: &'b [RepoPath],
        /// Whether no walk is needed to know which files there are.
        remembered: bool,
    },
    /// The index may be wrong about anything: each file's stamp tells.
    Stamps,
}

/// For more files than this, reading all rows is cheaper than looking up each.
const MANY: usize = 4000;

impl Candidates {
    /// Every file of a scope, without a look at any index.
    pub fn all(root: &Path, scope: &SearchScope) -> Result<Self, EngineError> {
        let Haystacks { files, errors, .. } = haystacks(root, scope)?;
        Ok(Self { files, left_out: 0, errors })
    }
}

impl Snapshot {
    /// The files in which nothing can match what asks for these trigrams.
    pub fn left_out(&self, query: &Query) -> Result<LeftOut, EngineError> {
        Ok(self.store.left_out(query)?)
    }

    /// The files of a scope without those that are left out. Files the index does not know, has not read, or may be
    /// wrong about always stay.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        out: &LeftOut,
        basis: &Basis<'_>,
    ) -> Result<Candidates, EngineError> {
        let Basis::Tree { pending, remembered } = basis else { return self.by_stamps(scope, out) };
        let pending: HashSet<&RepoPath> = pending.iter().collect();
        let plain = *remembered && pending.is_empty() && scope.is_plain(&self.root);
        let bytes = if plain { self.store.sheet(Sheet::Tree)? } else { None };
        let sheet = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        if let Some(sheet) = &sheet
            && let Some(found) = self.recalled(sheet, out)?
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
        let listed = self.store.listed()?.into_iter();
        let without: HashSet<RepoPath> = listed
            .filter(|file| out.contains(file.id) && !pending.contains(&file.path))
            .map(|file| file.path)
            .collect();
        files.retain(|file| !without.contains(&file.path));
        Ok(Candidates { left_out: before - files.len(), files, errors })
    }

    /// The same where only a file's own stamp tells whether its trigrams are those of now.
    fn by_stamps(&self, scope: &SearchScope, out: &LeftOut) -> Result<Candidates, EngineError> {
        let scope = SearchScope { stamps: true, ..scope.clone() };
        let Haystacks { files, errors, .. } = haystacks(&self.root, &scope)?;
        let known: Option<HashMap<RepoPath, Listed>> = if files.len() > MANY {
            let listed = self.store.listed()?;
            Some(listed.into_iter().map(|file| (file.path.clone(), file)).collect())
        } else {
            None
        };
        let mut found = Candidates { errors, ..Candidates::default() };
        for file in files {
            let listed = match &known {
                Some(known) => known.get(&file.path).cloned(),
                None => self.store.listed_at(&file.path)?,
            };
            let is_out = listed.is_some_and(|listed| {
                let same = |stamp: Stamp| stamp == listed.stamp || veiled(stamp) == listed.stamp;
                out.contains(listed.id) && listed.stamp.is_trusted() && file.stamp.is_some_and(same)
            });
            if is_out {
                found.left_out += 1;
            } else {
                found.files.push(file);
            }
        }
        Ok(found)
    }

    /// The same from what is remembered, without a walk; none where nothing is.
    fn recalled(&self, sheet: &TreeSheet<'_>, out: &LeftOut) -> Result<Option<Candidates>, EngineError> {
        let Some(bytes) = self.store.sheet(Sheet::Search)? else { return Ok(None) };
        let tree = Tree::open(&self.root)?;
        let Some(search) = SearchSheet::read(&bytes, sheet, &tree) else { return Ok(None) };
        let mut found = Candidates::default();
        let mut add = |path: RepoPath| {
            if let Some(shown) = to_native(&path) {
                found.files.push(Haystack { path, shown, explicit: false, stamp: None });
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
