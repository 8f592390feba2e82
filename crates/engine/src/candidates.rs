//! Which files a text search must look at: those of its scope, less what the trigrams of the index rule out.

use crate::plan::veiled;
use crate::sheet::{SearchSheet, TreeSheet, joined};
use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_store::{LeftOut, Sheet, WriteLock, Writer};
use orient_text::Query;
use orient_walk::{Ground, Haystack, Haystacks, SearchScope, Tree, by_parts, haystacks, to_native};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Whether the index is known to be right, as far as somebody compared it with the tree.
pub struct Basis<'b> {
    /// Paths the index may be wrong about.
    pub pending: &'b [RepoPath],
    /// Whether what the index remembers of the tree as a whole is right too, so that no walk is needed to know which
    /// files there are.
    pub remembered: bool,
}

/// How many files a thread takes at once.
const AT_ONCE: usize = 256;

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

    /// Every file of a scope. No walk is needed where all folders are as they are remembered: whatever became of the
    /// files, there are no others.
    pub fn everything(&self, scope: &SearchScope) -> Result<Candidates, EngineError> {
        if scope.is_plain(&self.root)
            && let Some(bytes) = self.store.sheet(Sheet::Tree)?
            && let Some(sheet) = TreeSheet::read(&bytes, self.sheet_key)
            && let tree = Tree::open(&self.root)?
            && sheet.names_stand(&tree, scope.threads.max(1))
            && let Some(found) = self.recalled(&sheet, &tree, &LeftOut::default())?
        {
            return Ok(found);
        }
        Candidates::all(&self.root, scope)
    }

    /// The files of a plain scope without those that are left out. Files the index does not know, has not read, or may
    /// be wrong about always stay.
    pub fn candidates(
        &self,
        scope: &SearchScope,
        out: &LeftOut,
        basis: &Basis<'_>,
    ) -> Result<Candidates, EngineError> {
        let pending: HashSet<&RepoPath> = basis.pending.iter().collect();
        let plain = basis.remembered && pending.is_empty() && scope.is_plain(&self.root);
        let bytes = if plain { self.store.sheet(Sheet::Tree)? } else { None };
        let sheet = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        if let Some(sheet) = &sheet
            && let Some(found) = self.recalled(sheet, &Tree::open(&self.root)?, out)?
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

    /// Those of some files that are not left out, where nobody compared the index with the tree: a file's own stamp tells
    /// whether its trigrams are those of its content now.
    pub fn narrowed(
        &self,
        all: Candidates,
        out: &LeftOut,
        threads: usize,
    ) -> Result<Candidates, EngineError> {
        let bytes = self.store.sheet(Sheet::Tree)?;
        let sheet = bytes.as_deref().and_then(|bytes| TreeSheet::read(bytes, self.sheet_key));
        let known = |path: &RepoPath| match &sheet {
            Some(sheet) => Ok(sheet.at(path)),
            None => self.store.listed_at(path).map(|listed| listed.map(|file| (file.id, file.stamp))),
        };
        let mut stamps = Vec::with_capacity(all.files.len());
        for file in &all.files {
            stamps.push(known(&file.path)?.filter(|(id, _)| out.contains(*id)).map(|(_, stamp)| stamp));
        }
        let tree = Tree::open(&self.root)?;
        let same: Vec<AtomicBool> = stamps.iter().map(|_| AtomicBool::new(false)).collect();
        let next = AtomicUsize::new(0);
        let serve = || {
            loop {
                let from = next.fetch_add(AT_ONCE, Ordering::Relaxed);
                if from >= stamps.len() {
                    return;
                }
                for at in from..stamps.len().min(from + AT_ONCE) {
                    let path = all.files[at].path.as_bytes();
                    let is = |stamp| tree.is_stamped(path, stamp);
                    let is_same = stamps[at].is_some_and(|stamp| is(stamp) || is(veiled(stamp)));
                    same[at].store(is_same, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(stamps.len().div_ceil(AT_ONCE)) {
                scope.spawn(serve);
            }
            serve();
        });
        let Candidates { mut files, errors, .. } = all;
        let (before, mut same) = (files.len(), same.into_iter());
        files.retain(|_| same.next().is_none_or(|same| !same.into_inner()));
        Ok(Candidates { left_out: before - files.len(), files, errors })
    }

    /// The same from what is remembered, without a walk; none where nothing is.
    fn recalled(
        &self,
        sheet: &TreeSheet<'_>,
        tree: &Tree,
        out: &LeftOut,
    ) -> Result<Option<Candidates>, EngineError> {
        let Some(bytes) = self.store.sheet(Sheet::Search)? else { return Ok(None) };
        let Some(search) = SearchSheet::read(&bytes, sheet, tree) else { return Ok(None) };
        let mut found = Candidates::default();
        let mut add = |path: RepoPath| {
            if let Some(shown) = to_native(&path) {
                found.files.push(Haystack { path, shown, explicit: false });
            }
        };
        let mut left_out = 0;
        sheet.in_order(|(folder, name, id)| {
            if search.without.contains(&id) {
            } else if out.contains(id) {
                left_out += 1;
            } else {
                add(joined(folder, name));
            }
        });
        search.extra.into_iter().for_each(add);
        // Most are in order already, which makes this quick.
        found.files.sort_by(|a, b| by_parts(a.path.as_bytes(), b.path.as_bytes()));
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
