//! The files whose uses of symbols are not resolved, or only in part: templates, other languages, files that the parser understood in part.

use crate::extraction;
use crate::{EngineError, Snapshot};
use orient_lang::{EmbeddedFiles, EmbeddedForm, KnownFrameworks};
use orient_model::{RepoPath, Role};
use orient_store::{FileId, FileRow, INDEXED};
use std::sync::Arc;

/// Why the uses in a file are not resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnresolvedFileKind {
    /// Code is embedded in it, or code is generated from it: what such files are, in the plural.
    Embedded(EmbeddedForm, &'static str),
    /// It is written in a language whose names are not resolved.
    Language(String),
    /// The parser understood it in part.
    Partly,
    /// It is resolved, and a string in it has the name.
    Text,
    /// It is resolved, and its code has the name where resolution found nothing in the repository.
    Code,
}

/// A file whose uses are not resolved.
pub(crate) struct UnresolvedFile {
    pub(crate) row: FileRow,
    pub(crate) kind: UnresolvedFileKind,
}

/// The files of a generation whose uses are not resolved, and those that name dependencies.
#[derive(Default)]
pub(crate) struct UnresolvedFiles {
    /// By path.
    pub(crate) files: Vec<UnresolvedFile>,
    /// Files with code that is resolved.
    pub(crate) resolved: Vec<FileId>,
    /// The files of source and configuration, by path.
    pub(crate) program: Vec<(RepoPath, FileId)>,
    /// The manifests of dependencies, each with the index of its ecosystem.
    pub(crate) manifests: Vec<(usize, FileRow)>,
}

impl Snapshot {
    /// The files whose uses are not resolved.
    pub(crate) fn unresolved_files(&self) -> Result<Arc<UnresolvedFiles>, EngineError> {
        self.caches.unresolved_files(self.generation(), || {
            let mut found = UnresolvedFiles::default();
            self.store.each_file(|row| found.add(row))?;
            found.program.sort();
            found.files.sort_by(|a, b| a.row.path.cmp(&b.row.path));
            found.manifests.sort_by(|(a, x), (b, y)| (a, &x.path).cmp(&(b, &y.path)));
            Ok(found)
        })
    }
}

impl UnresolvedFiles {
    fn add(&mut self, row: FileRow) {
        // Other files are told by `Snapshot::unread`; what was generated or copied uses the program only in its own language.
        if row.status != INDEXED || matches!(row.role, Role::Generated | Role::Vendored) {
            return;
        }
        let path = row.path.display().into_owned();
        if matches!(row.role, Role::Source | Role::Config) {
            self.program.push((row.path.clone(), row.id));
        }
        if row.role != Role::Test {
            for (at, ecosystem) in KnownFrameworks::builtin().ecosystems.iter().enumerate() {
                if ecosystem.manifests.matches(&path) {
                    self.manifests.push((at, row.clone()));
                }
            }
        }
        match kind_of(&row, &path) {
            Some(UnresolvedFileKind::Text) => self.resolved.push(row.id),
            Some(kind) => self.files.push(UnresolvedFile { row, kind }),
            None => {}
        }
    }
}

/// Why the uses in a file are not resolved; `None` if it cannot use code.
fn kind_of(row: &FileRow, path: &str) -> Option<UnresolvedFileKind> {
    let rules = row.language.as_deref().and_then(extraction::rules);
    let is_plain = rules.is_some_and(|rules| !rules.outline_only && !rules.markup.is_markup());
    if is_plain {
        let is_partly = row.issues > 0 || row.unparsed;
        return Some(if is_partly { UnresolvedFileKind::Partly } else { UnresolvedFileKind::Text });
    }
    match EmbeddedFiles::of(path) {
        Some(known) if known.form == EmbeddedForm::None => None,
        Some(known) => Some(UnresolvedFileKind::Embedded(known.form, &known.title)),
        None if row.role == Role::Doc => None,
        // Configuration, and files of an unknown kind, name code at most.
        None if row.role == Role::Config || row.language.is_none() => {
            Some(UnresolvedFileKind::Embedded(EmbeddedForm::Data, "other files"))
        }
        None => row.language.clone().map(UnresolvedFileKind::Language),
    }
}
