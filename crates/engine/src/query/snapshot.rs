//! Snapshots: a read-only view of one generation, with queries over files, outlines and symbols.

use super::symbol_filter::SymbolFilter;
use crate::custom_roles::CustomRoles;
use crate::generation_caches::GenerationCaches;
use crate::in_memory_index::SnapshotLease;
use crate::query::path_pattern::PathPattern;
use crate::query::path_search::{self, PathMatch};
use crate::skips::skip_reason;
use crate::{Definition, Engine, EngineError, FileOutline, StorePaths};
use orient_model::{RepoPath, Role, Symbol, SymbolKind};
use orient_store::{
    FileFilter, FileGraph, FileId, FileRow, INDEXED, LanguageCount, NameMatch, Page, Sizes, StoreError,
    SymbolHit, SymbolId, SymbolQuery, SymbolRow,
};
use orient_walk::{PathKind, SkipReason, Tree};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cached file graphs.
type FileGraphCache = RefCell<HashMap<FileId, Arc<FileGraph>>>;

/// One generation of the index, and the tree it describes.
pub struct Snapshot {
    pub(crate) store: SnapshotLease,
    pub(crate) root: PathBuf,
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) paths: StorePaths,
    pub(crate) max_file_size: u64,
    /// Whether the compiler layers are turned on.
    pub(crate) uses_layers: bool,
    /// Hash of the settings that a listing depends on.
    pub(crate) manifest_key: [u8; 16],
    pub(crate) graphs: FileGraphCache,
    pub(crate) caches: Arc<GenerationCaches>,
    pub(crate) custom_roles: Arc<CustomRoles>,
}

/// Figures about an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The path of the index.
    pub index: PathBuf,
    /// The path of the cache.
    pub cache: PathBuf,
    /// The size of the cache on disk.
    pub cache_bytes: u64,
    /// The generation.
    pub generation: u64,
    /// The size and the row counts of the index.
    pub sizes: Sizes,
    /// Counts by language, sorted by name.
    pub languages: Vec<LanguageCount>,
    /// Number of skipped files by reason, most frequent first.
    pub skipped: Vec<(&'static str, u64)>,
    /// Number of files with issues.
    pub with_issues: u64,
}

/// A file query; every filter that is set must match.
#[derive(Clone, Debug, Default)]
pub struct FileQuery {
    /// The path matches.
    pub path: Option<PathPattern>,
    /// One of these languages; empty for any.
    pub languages: Vec<String>,
    /// One of these roles; empty for any.
    pub roles: Vec<Role>,
    /// Only indexed files (`true`), or only skipped ones (`false`).
    pub indexed: Option<bool>,
    /// Only files with issues.
    pub with_issues: bool,
}

/// A symbol query; every filter that is set must match.
#[derive(Clone, Debug, Default)]
pub struct DefinitionQuery {
    /// The name matches.
    pub name: NameMatch,
    /// One of these kinds; empty for any.
    pub kinds: Vec<SymbolKind>,
    /// In a file of one of these languages; empty for any.
    pub languages: Vec<String>,
    /// In a file with one of these roles; empty for any.
    pub roles: Vec<Role>,
    /// In a file whose path matches.
    pub path: Option<PathPattern>,
    /// Has this attribute: as written without its arguments, or its last component.
    pub attribute: Option<String>,
    /// Has this base: as written without its arguments, or its last component.
    pub base: Option<String>,
    /// One of these symbols; `None` for any.
    pub among: Option<Arc<BTreeSet<SymbolId>>>,
    /// Further conditions, and the order.
    pub filter: SymbolFilter,
}

impl Engine {
    /// The current generation of the index, which never changes under its reader. While the index is in memory, a
    /// second snapshot waits until the first is dropped.
    pub fn snapshot(&self) -> Result<Snapshot, EngineError> {
        let lease = match self.in_memory_index.lease() {
            Some(lease) => lease,
            None => match self.readers.open(&self.paths.index()) {
                Ok(snapshot) => {
                    if self.readers.take_replaced() {
                        self.caches.clear();
                    }
                    SnapshotLease::from_file(snapshot)
                }
                Err(StoreError::Missing { .. }) => return Err(EngineError::NotIndexed),
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Snapshot::new(lease, self))
    }
}

impl Snapshot {
    /// The paths of the index and the cache.
    pub fn store_paths(&self) -> &StorePaths {
        &self.paths
    }

    pub(crate) fn new(store: SnapshotLease, engine: &Engine) -> Self {
        Self {
            store,
            root: engine.repo.root.clone(),
            tree: Arc::clone(&engine.tree),
            paths: engine.paths.clone(),
            max_file_size: engine.settings.index.max_file_size.bytes(),
            uses_layers: engine.settings.enrich.layer,
            manifest_key: engine.manifest_key(),
            graphs: FileGraphCache::default(),
            caches: Arc::clone(&engine.caches),
            custom_roles: Arc::clone(&engine.custom_roles),
        }
    }

    /// The roles that the settings define.
    pub fn custom_roles(&self) -> &CustomRoles {
        &self.custom_roles
    }

    /// The generation.
    pub fn generation(&self) -> u64 {
        self.store.generation()
    }

    /// Number of owed files: their edges describe an earlier state until resolution catches up.
    pub fn owed(&self) -> u64 {
        self.store.owed()
    }

    /// Whether the index has no files.
    pub fn is_empty(&self) -> Result<bool, EngineError> {
        Ok(self.store.is_empty()?)
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Figures about the index.
    pub fn status(&self) -> Result<Status, EngineError> {
        let languages = self.store.languages()?;
        let mut skipped = Vec::new();
        for count in self.store.statuses()?.into_iter().filter(|count| count.status != INDEXED) {
            let word = SkipReason::from_parts(count.status, "").map_or("unknown", |reason| reason.word());
            skipped.push((word, count.files));
        }
        skipped.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        Ok(Status {
            index: self.paths.index(),
            cache: self.paths.cache(),
            cache_bytes: crate::store_paths::bytes_of_database(&self.paths.cache()),
            generation: self.generation(),
            sizes: self.store.sizes()?,
            with_issues: languages.iter().map(|language| language.with_issues).sum(),
            languages,
            skipped,
        })
    }

    /// A page of files by path: `limit` files after the first `offset`, and the total.
    pub fn files(
        &self,
        query: &FileQuery,
        offset: usize,
        limit: usize,
    ) -> Result<Page<FileRow>, EngineError> {
        let languages: Vec<&str> = query.languages.iter().map(String::as_str).collect();
        let by_path = |path: &RepoPath| query.path.as_ref().is_none_or(|pattern| pattern.matches(path));
        let filter = FileFilter {
            languages: &languages,
            roles: &query.roles,
            status: (query.indexed == Some(true)).then_some(INDEXED),
            with_issues: query.with_issues,
            path: Some(&by_path),
        };
        if query.indexed != Some(false) {
            return Ok(self.store.files(&filter, offset, limit)?);
        }
        let mut page = self.store.files(&filter, 0, usize::MAX)?;
        page.rows.retain(|file| file.status != INDEXED);
        let total = page.rows.len();
        Ok(Page { rows: page.rows.into_iter().skip(offset).take(limit).collect(), total })
    }

    /// Files whose path contains a text or, if there are none, its characters in order, both ignoring case; best first.
    pub fn files_by_name(
        &self,
        query: &FileQuery,
        text: &str,
    ) -> Result<Vec<(PathMatch, FileRow)>, EngineError> {
        let rows = self.files(query, 0, usize::MAX)?.rows;
        let paths: Vec<String> = rows.iter().map(|row| row.path.display().into_owned()).collect();
        let found = path_search::search(paths.iter().map(String::as_str), text);
        Ok(found.into_iter().map(|(kind, place)| (kind, rows[place].clone())).collect())
    }

    /// The file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRow>, EngineError> {
        Ok(self.store.file(path)?)
    }

    /// Why a file was skipped; `None` for an indexed one.
    pub fn skip_reason(file: &FileRow) -> Option<SkipReason> {
        skip_reason(file)
    }

    /// Files that were not read and may hold an answer, by path: unreadable ones, and code that is too large or made
    /// the parser give up (no skip reason). Large data, generated and vendored files are left out.
    pub fn unread(
        &self,
        within: Option<&PathPattern>,
    ) -> Result<Vec<(RepoPath, Option<SkipReason>)>, EngineError> {
        let mut unread = Vec::new();
        for file in self.store.unread()? {
            let reason = skip_reason(&file);
            let is_code = file.language.is_some() && matches!(file.role, Role::Source | Role::Test);
            let counts = is_code || matches!(reason, Some(SkipReason::Unreadable(_)));
            if counts && within.is_none_or(|within| self.concerns(within, &file.path)) {
                unread.push((file.path, reason));
            }
        }
        Ok(unread)
    }

    /// Whether a pattern matches an unread path, or something inside it if it is a directory.
    fn concerns(&self, pattern: &PathPattern, unread: &RepoPath) -> bool {
        let is_directory = || self.tree.kind(unread) == Some(PathKind::Directory);
        pattern.matches(unread) || pattern.may_reach_into(unread) && is_directory()
    }

    /// A page of outlines of the files that match a pattern, and the total.
    pub fn outlines(
        &self,
        pattern: &PathPattern,
        offset: usize,
        limit: usize,
    ) -> Result<Page<FileOutline>, EngineError> {
        let query = FileQuery { path: Some(pattern.clone()), indexed: Some(true), ..FileQuery::default() };
        let Page { rows, total } = self.files(&query, offset, limit)?;
        let rows = rows.into_iter().map(|file| self.outline(file)).collect::<Result<_, _>>()?;
        Ok(Page { rows, total })
    }

    /// The outline of a file; empty for a skipped one.
    pub fn outline(&self, file: FileRow) -> Result<FileOutline, EngineError> {
        let outline = self.store.outline(file.id)?.unwrap_or_default();
        let ids = self.store.symbol_ids(file.id)?;
        Ok(FileOutline { file, outline, ids })
    }

    /// A page of symbols, best name match first, then by path and position, and the total.
    pub fn symbols(
        &self,
        query: &DefinitionQuery,
        offset: usize,
        limit: usize,
    ) -> Result<Page<Definition>, EngineError> {
        if query.filter.is_empty() {
            let Page { rows, total } = self.symbol_rows(query, offset, limit)?;
            return Ok(Page { rows: self.define(rows.into_iter().map(|found| found.symbol))?, total });
        }
        // The filter reads the outline of every symbol that passes the rest.
        let all = self.symbol_rows(query, 0, usize::MAX)?.rows;
        let all = self.define_where(all.into_iter().map(|found| found.symbol), |symbol| {
            query.filter.allows_symbol(symbol)
        })?;
        let kept = query.filter.apply(self, all)?;
        let total = kept.len();
        Ok(Page { rows: kept.into_iter().skip(offset).take(limit).collect(), total })
    }

    /// The rows of a page of symbols, without the conditions of `filter`.
    pub(crate) fn symbol_rows(
        &self,
        query: &DefinitionQuery,
        offset: usize,
        limit: usize,
    ) -> Result<Page<SymbolHit>, EngineError> {
        let languages: Vec<&str> = query.languages.iter().map(String::as_str).collect();
        let by_path = |path: &RepoPath| query.path.as_ref().is_none_or(|pattern| pattern.matches(path));
        let path: Option<&dyn Fn(&RepoPath) -> bool> = query.path.is_some().then_some(&by_path);
        let asked = SymbolQuery {
            name: query.name.clone(),
            kinds: &query.kinds,
            languages: &languages,
            roles: &query.roles,
            path,
            attribute: query.attribute.as_deref(),
            base: query.base.as_deref(),
            among: query.among.as_deref(),
        };
        Ok(self.store.symbols(&asked, offset, limit)?)
    }

    /// Symbols with all their facts.
    pub(crate) fn define(
        &self,
        rows: impl IntoIterator<Item = SymbolRow>,
    ) -> Result<Vec<Definition>, EngineError> {
        self.define_where(rows, |_| true)
    }

    /// The symbols that pass a test, with all their facts. Consecutive symbols of one file share one read of its outline.
    fn define_where(
        &self,
        rows: impl IntoIterator<Item = SymbolRow>,
        passes: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<Definition>, EngineError> {
        let mut definitions = Vec::new();
        let mut last: Option<Arc<FileOutline>> = None;
        for row in rows {
            let held = match last.take() {
                Some(held) if held.file.id == row.file => held,
                _ => match self.outline_of(row.file)? {
                    Some(held) => held,
                    None => continue,
                },
            };
            if held.outline.symbols.get(row.at as usize).is_some_and(&passes) {
                definitions.extend(Definition::new(&held.file, &held.outline, row.at, row.id));
            }
            last = Some(held);
        }
        Ok(definitions)
    }

    /// A file with its outline, through the cache; `None` if it does not exist.
    pub(crate) fn outline_of(&self, file: FileId) -> Result<Option<Arc<FileOutline>>, EngineError> {
        self.caches.outline(self.generation(), file, || {
            self.store.file_by_id(file)?.map(|row| self.outline(row)).transpose()
        })
    }

    /// Checks the whole index; returns the problems found.
    pub fn check(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.check()?)
    }
}
