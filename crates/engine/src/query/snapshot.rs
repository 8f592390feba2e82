//! Questions about one generation of the index.

use crate::in_memory_index::Loan;
use crate::query::node_edges::GraphCache;
use crate::query::outline_cache::Outlines;
use crate::query::path_pattern::PathPattern;
use crate::query::search::Corpora;
use crate::refresh::run::skip_reason;
use crate::remote_embeddings::Others;
use crate::{Definition, Engine, EngineError, Place};
use orient_model::{Outline, RepoPath, Role, SymbolKind};
use orient_store::{
    FileFilter, FileId, FileRow, INDEXED, LanguageCount, NameMatch, Page, Sizes, SymbolId, SymbolQuery,
    SymbolRow,
};
use orient_walk::SkipReason;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One generation of the index, and the tree it describes.
pub struct Snapshot {
    pub(crate) store: Loan,
    pub(crate) root: PathBuf,
    pub(crate) place: Place,
    pub(crate) max_file_size: u64,
    /// Stands for the settings a listing depends on.
    pub(crate) sheet_key: [u8; 16],
    pub(crate) graphs: GraphCache,
    pub(crate) outlines: Outlines,
    pub(crate) corpora: Corpora,
    pub(crate) others: Others,
}

/// What there is, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Where the index is.
    pub index: PathBuf,
    /// Where the facts are remembered.
    pub cache: PathBuf,
    /// How large that is on disk.
    pub cache_bytes: u64,
    /// The number of the last change set.
    pub generation: u64,
    /// How large the index is, and how much is in it.
    pub sizes: Sizes,
    /// What it holds of each language, by name.
    pub languages: Vec<LanguageCount>,
    /// How many files were skipped for each reason, most first.
    pub skipped: Vec<(&'static str, u64)>,
    /// How many files have something that could not be read as it should.
    pub with_issues: u64,
}

/// Which files are asked for; every part that is set must hold.
#[derive(Clone, Debug, Default)]
pub struct FileQuery {
    /// With such a path.
    pub path: Option<PathPattern>,
    /// Of one of these languages; empty for any.
    pub languages: Vec<String>,
    /// With one of these roles; empty for any.
    pub roles: Vec<Role>,
    /// Only those that were indexed, or only those that were skipped.
    pub indexed: Option<bool>,
    /// Only those with something that could not be read as it should.
    pub with_issues: bool,
}

/// Which symbols are asked for; every part that is set must hold.
#[derive(Clone, Debug, Default)]
pub struct DefinitionQuery {
    /// With such a name.
    pub name: NameMatch,
    /// Of one of these kinds; empty for any.
    pub kinds: Vec<SymbolKind>,
    /// In a file of one of these languages; empty for any.
    pub languages: Vec<String>,
    /// In a file with one of these roles; empty for any.
    pub roles: Vec<Role>,
    /// In a file with such a path.
    pub path: Option<PathPattern>,
    /// With this attribute: as written up to its arguments, or the last part of that.
    pub attribute: Option<String>,
    /// With this base: as written up to its arguments, or the last part of that.
    pub base: Option<String>,
}

/// A file and what it holds.
#[derive(Clone, Debug)]
pub struct FileOutline {
    /// The file.
    pub file: FileRow,
    /// What it holds.
    pub outline: Outline,
    /// The ids of its symbols, in the order of the outline.
    pub ids: Vec<SymbolId>,
}

impl FileOutline {
    /// Its symbols, in the order of the source.
    pub fn definitions(&self) -> impl Iterator<Item = Definition> {
        let at = |(at, &id): (usize, &SymbolId)| Definition::new(&self.file, &self.outline, at as u32, id);
        self.ids.iter().enumerate().filter_map(at)
    }
}

impl Snapshot {
    pub(crate) fn new(store: Loan, engine: &Engine) -> Self {
        Self {
            store,
            root: engine.repo.root.clone(),
            place: engine.place.clone(),
            max_file_size: engine.settings.index.max_file_size.bytes(),
            sheet_key: engine.sheet_key(),
            graphs: GraphCache::default(),
            outlines: engine.outlines.clone(),
            corpora: engine.corpora.clone(),
            others: engine.others.clone(),
        }
    }

    /// The number of the change set this is the result of.
    pub fn generation(&self) -> u64 {
        self.store.generation()
    }

    /// How many files have yet to be resolved: of those, what uses mean is that of an earlier state.
    pub fn owed(&self) -> u64 {
        self.store.owed()
    }

    /// Whether there is no file at all to answer from.
    pub fn is_empty(&self) -> Result<bool, EngineError> {
        Ok(self.store.is_empty()?)
    }

    /// The top of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What there is, in numbers.
    pub fn status(&self) -> Result<Status, EngineError> {
        let languages = self.store.languages()?;
        let mut skipped = Vec::new();
        for count in self.store.statuses()?.into_iter().filter(|count| count.status != INDEXED) {
            let word = SkipReason::from_parts(count.status, "").map_or("unknown", |reason| reason.word());
            skipped.push((word, count.files));
        }
        skipped.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        Ok(Status {
            index: self.place.index(),
            cache: self.place.cache(),
            cache_bytes: crate::maintenance::gc::bytes_of_database(&self.place.cache()),
            generation: self.generation(),
            sizes: self.store.sizes()?,
            with_issues: languages.iter().map(|language| language.with_issues).sum(),
            languages,
            skipped,
        })
    }

    /// Files by path: `limit` of them after the first `offset`, and how many there are.
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

    /// The file at a path.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRow>, EngineError> {
        Ok(self.store.file(path)?)
    }

    /// Why a file was not indexed; none for one that was.
    pub fn skip_reason(file: &FileRow) -> Option<SkipReason> {
        skip_reason(file)
    }

    /// What could hold an answer and was not read, by path: what the system does not let us read, and code that is too
    /// large or made the parser give up, which has no reason to be skipped. Large data, generated and vendored files are
    /// not what questions are about.
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

    /// Whether a pattern means something that was not read, or something in it where that is a folder.
    fn concerns(&self, pattern: &PathPattern, unread: &RepoPath) -> bool {
        let is_folder =
            || orient_walk::to_native(unread).is_some_and(|native| self.root.join(native).is_dir());
        pattern.matches(unread) || pattern.may_reach_into(unread) && is_folder()
    }

    /// What the files of a path hold, by path: `limit` of them after the first `offset`, and how many there are.
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

    /// What a file holds; nothing for one that was skipped.
    pub fn outline(&self, file: FileRow) -> Result<FileOutline, EngineError> {
        let outline = self.store.outline(file.id)?.unwrap_or_default();
        let ids = self.store.symbol_ids(file.id)?;
        Ok(FileOutline { file, outline, ids })
    }

    /// Symbols, nearest first, then by path and place in the file: `limit` of them after the first `offset`, and how
    /// many there are.
    pub fn symbols(
        &self,
        query: &DefinitionQuery,
        offset: usize,
        limit: usize,
    ) -> Result<Page<Definition>, EngineError> {
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
        };
        let Page { rows, total } = self.store.symbols(&asked, offset, limit)?;
        Ok(Page { rows: self.define(rows.into_iter().map(|found| found.symbol))?, total })
    }

    /// Everything that is known of symbols. Symbols of one file that follow each other cost one look at it.
    pub(crate) fn define(
        &self,
        rows: impl IntoIterator<Item = SymbolRow>,
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
            definitions.extend(Definition::new(&held.file, &held.outline, row.at, row.id));
            last = Some(held);
        }
        Ok(definitions)
    }

    /// A file with what it holds; none where it is not there.
    pub(crate) fn outline_of(&self, file: FileId) -> Result<Option<Arc<FileOutline>>, EngineError> {
        self.outlines.of(self.generation(), file, || {
            self.store.file_by_id(file)?.map(|row| self.outline(row)).transpose()
        })
    }

    /// Looks at everything; returns what is wrong with the index, in words.
    pub fn check(&self) -> Result<Vec<String>, EngineError> {
        Ok(self.store.check()?)
    }
}
