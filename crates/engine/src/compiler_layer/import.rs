//! Imports SCIP indexes into the compiler layer.
//!
//! An index names symbols by strings and places by lines. Two passes over the documents turn both into what our graph knows: the first finds the
//! symbol of ours at each definition, the second turns references into uses of these symbols. A document is taken only if it describes the file as
//! it is now, since an index does not say which content it was made from: its text must be the file's, or the names at its definitions must
//! be in the file at these places.

use super::positions::LineIndex;
use super::symbol_lookup::{FileReader, ReadFile, compiled_symbol, symbol_at};
use super::{LayerPublication, LayerSource};
use crate::{Engine, EngineError, Snapshot};
use orient_model::{CompiledFile, CompiledRelation, CompiledSymbol, CompiledTarget, CompiledUse, RepoPath};
use orient_safefs::UntrustedDirectory;
use orient_scip::{Document, Part, ScipError, descriptor_name, is_local, package};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A document is refused if for each name that is not where it says there are fewer than this many that are.
const TOLERATED: u64 = 8;

/// Why an index was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ScipImportError {
    /// It could not be read.
    #[error("{path} cannot be imported: {source}")]
    Index {
        /// The index.
        path: PathBuf,
        /// Why.
        source: ScipError,
    },
    /// Our own index or its store failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A document that was not imported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScipDocument {
    /// Its path as the index has it.
    pub path: String,
    /// Why it was not imported.
    pub reason: &'static str,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScipImport {
    /// Imported documents.
    pub documents: u64,
    /// Definitions that are symbols of ours.
    pub definitions: u64,
    /// References to symbols of the repository, and to something outside.
    pub references: u64,
    /// References to something outside.
    pub external: u64,
    /// Relationships between symbols of the repository.
    pub relations: u64,
    /// Documents that were not imported, by path.
    pub refused: Vec<ScipDocument>,
}

/// A symbol of an index: its hash, with the document for a local one.
type SymbolKey = [u8; 16];

/// The state of an import.
struct Importer<'e> {
    files: FileReader<'e>,
    tools: BTreeSet<String>,
    covered: FxHashMap<RepoPath, ReadFile>,
    defined: FxHashMap<SymbolKey, Option<CompiledSymbol>>,
    report: ScipImport,
}

impl Engine {
    /// Imports indexes into the compiler layer. Documents replace what was imported for the same files before.
    pub fn import_scip(
        &self,
        snapshot: &Snapshot,
        indexes: &[PathBuf],
        publication: LayerPublication<'_>,
    ) -> Result<ScipImport, ScipImportError> {
        let done = self.import_documents(snapshot, indexes, publication);
        match &done {
            Ok(_) => self.remember_imports(indexes, None)?,
            Err(ScipImportError::Index { path, source }) => {
                self.remember_imports(std::slice::from_ref(path), Some(&source.to_string()))?;
            }
            Err(ScipImportError::Engine(_)) => {}
        }
        done
    }

    fn import_documents(
        &self,
        snapshot: &Snapshot,
        indexes: &[PathBuf],
        publication: LayerPublication<'_>,
    ) -> Result<ScipImport, ScipImportError> {
        let mut importer = Importer {
            files: FileReader::new(self, snapshot)?,
            tools: BTreeSet::new(),
            covered: FxHashMap::default(),
            defined: FxHashMap::default(),
            report: ScipImport::default(),
        };
        for index in indexes {
            each_document(index, &self.repo.root, Importer::define, &mut importer)?;
        }
        let mut files: BTreeMap<RepoPath, CompiledFile> = BTreeMap::new();
        for index in indexes {
            let refer = |importer: &mut Importer<'_>, path: Option<RepoPath>, document: &Document| {
                let Some(path) = path.filter(|path| importer.covered.contains_key(path)) else {
                    return Ok(());
                };
                let file = importer.refer(&path, document);
                files.insert(path, file);
                Ok(())
            };
            each_document(index, &self.repo.root, refer, &mut importer)?;
        }
        importer.report.documents = files.len() as u64;
        importer.report.refused.sort();
        importer.report.refused.dedup();
        if importer.report.documents > 0 {
            self.add_to_layer(LayerSource::Scip, publication, |mut layer| {
                for (path, file) in files {
                    let hash = importer.covered.get(&path).map(|covered| covered.hash).unwrap_or_default();
                    layer.insert(path, hash, &file);
                }
                layer.tools.append(&mut importer.tools);
                layer
            })?;
        }
        Ok(importer.report)
    }
}

/// Calls `each` for the documents of an index, with their paths in the tree; `None` for a path that is not in it.
fn each_document<'e>(
    index: &Path,
    root: &Path,
    mut each: impl FnMut(&mut Importer<'e>, Option<RepoPath>, &Document) -> Result<(), EngineError>,
    importer: &mut Importer<'e>,
) -> Result<(), ScipImportError> {
    let failed = |source: ScipError| ScipImportError::Index { path: index.to_owned(), source };
    let file = open_index(index, root).map_err(|error| failed(error.into()))?;
    let (mut prefix, mut result) = (String::new(), Ok(()));
    orient_scip::read(file, |part| match part {
        Part::Tool { name, root: of_index } => {
            prefix = prefix_of(&of_index, root);
            importer.tools.insert(name);
        }
        Part::Document(document) if result.is_ok() => {
            result = each(importer, tree_path(&prefix, &document.path), &document);
        }
        Part::Document(_) => {}
    })
    .map_err(failed)?;
    Ok(result?)
}

/// Opens an index. One in the tree is a file of the repository; one elsewhere is what the user named.
fn open_index(index: &Path, root: &Path) -> std::io::Result<File> {
    match index.strip_prefix(root) {
        Ok(inside) => UntrustedDirectory::open(root)?.file(inside),
        Err(_) => File::open(index),
    }
}

/// The directory of an index's root in the tree, with a slash at the end; empty for the root of the tree, or another place.
fn prefix_of(url: &str, root: &Path) -> String {
    let inside = url.strip_prefix("file://").and_then(|path| Path::new(path).strip_prefix(root).ok());
    match inside.and_then(Path::to_str).unwrap_or_default().trim_end_matches('/') {
        "" => String::new(),
        inside => format!("{inside}/"),
    }
}

/// The path of a document in the tree; `None` if it leads out of it.
fn tree_path(prefix: &str, path: &str) -> Option<RepoPath> {
    let path = format!("{prefix}{}", path.strip_prefix("./").unwrap_or(path));
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    path.split('/').all(is_plain).then(|| RepoPath::from(path.as_str()))
}

fn key(path: &RepoPath, symbol: &str) -> SymbolKey {
    let mut hasher = blake3::Hasher::new();
    if is_local(symbol) {
        hasher.update(path.as_bytes());
    }
    hasher.update(b"\0");
    hasher.update(symbol.as_bytes());
    let mut key = SymbolKey::default();
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

impl Importer<'_> {
    /// First pass: finds our symbols at the definitions of a document.
    fn define(&mut self, path: Option<RepoPath>, document: &Document) -> Result<(), EngineError> {
        let Some(path) = path else {
            self.refuse(document, "its path leads out of the tree");
            return Ok(());
        };
        let file = match self.covered(&path, document)? {
            Ok(file) => file,
            Err(reason) => {
                self.refuse(document, reason);
                return Ok(());
            }
        };
        let lines = LineIndex::new(&file.text);
        let outline = &file.facts.outline;
        for one in document.occurrences.iter().filter(|one| one.is_definition()) {
            let at = lines.offset(one.range.start, document.encoding);
            let found =
                at.and_then(|at| symbol_at(outline, at, one.range.start.0 + 1, descriptor_name(&one.symbol)));
            let symbol = found.map(|at| compiled_symbol(&path, outline, at));
            self.report.definitions += u64::from(symbol.is_some());
            let known = self.defined.entry(key(&path, &one.symbol)).or_default();
            if known.is_none() {
                *known = symbol;
            }
        }
        self.covered.insert(path, file);
        Ok(())
    }

    /// The file of a document, or why the document does not describe it.
    fn covered(
        &self,
        path: &RepoPath,
        document: &Document,
    ) -> Result<Result<ReadFile, &'static str>, EngineError> {
        let file = match self.files.read(path)? {
            Ok(file) => file,
            Err(reason) => return Ok(Err(reason)),
        };
        if document.text.as_ref().is_some_and(|told| *told != file.text) || !describes(document, &file.text) {
            return Ok(Err("it describes another version of the file"));
        }
        Ok(Ok(file))
    }

    fn refuse(&mut self, document: &Document, reason: &'static str) {
        self.report.refused.push(ScipDocument { path: document.path.clone(), reason });
    }

    /// Second pass: the uses and relationships of a document.
    fn refer(&mut self, path: &RepoPath, document: &Document) -> CompiledFile {
        let mut file = CompiledFile::default();
        let mut numbers: FxHashMap<CompiledTarget, u32> = FxHashMap::default();
        let mut number = |target: CompiledTarget, file: &mut CompiledFile| {
            *numbers.entry(target).or_insert_with_key(|target| {
                file.targets.push(target.clone());
                file.targets.len() as u32 - 1
            })
        };
        let Some(covered) = self.covered.get(path) else { return file };
        let lines = LineIndex::new(&covered.text);
        for one in document.occurrences.iter().filter(|one| !one.is_definition()) {
            let target = match self.defined.get(&key(path, &one.symbol)) {
                Some(Some(symbol)) => CompiledTarget::Inside(symbol.clone()),
                // Defined here, but no symbol of ours: a parameter or a local variable.
                Some(None) => continue,
                None if is_local(&one.symbol) => continue,
                None => CompiledTarget::Outside {
                    package: package(&one.symbol).to_owned(),
                    name: descriptor_name(&one.symbol).to_owned(),
                    is_located: false,
                },
            };
            let Some(at) = lines.offset(one.range.start, document.encoding) else { continue };
            self.report.references += 1;
            self.report.external += u64::from(matches!(target, CompiledTarget::Outside { .. }));
            let target = number(target, &mut file);
            file.uses.push(CompiledUse { at, line: one.range.start.0 + 1, target, imports: one.is_import() });
        }
        for relation in &document.relations {
            let ends = [&relation.symbol, &relation.base]
                .map(|symbol| self.defined.get(&key(path, symbol)).cloned().flatten());
            if let [Some(symbol), Some(base)] = ends {
                self.report.relations += 1;
                let symbol = number(CompiledTarget::Inside(symbol), &mut file);
                let base = number(CompiledTarget::Inside(base), &mut file);
                file.relations.push(CompiledRelation { symbol, base });
            }
        }
        file.uses.sort_unstable_by_key(|one| (one.at, one.target));
        // A name that means two symbols, such as a type and its constructor: the first is followed.
        file.uses.dedup_by_key(|one| one.at);
        file
    }
}

/// Whether the names of symbols are in the text where a document says. Aliases and renamed imports are tolerated.
fn describes(document: &Document, text: &str) -> bool {
    let lines = LineIndex::new(text);
    let (mut right, mut wrong) = (0_u64, 0_u64);
    for one in document.occurrences.iter().filter(|one| !is_local(&one.symbol)) {
        // The name of a meta descriptor has a number at its end.
        let name = if one.symbol.ends_with(':') { "" } else { descriptor_name(&one.symbol) };
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_word || one.range.start.0 != one.range.end.0 || one.range.start == one.range.end {
            continue;
        }
        let offset = |place| lines.offset(place, document.encoding).map(|at| at as usize);
        let there =
            offset(one.range.start).zip(offset(one.range.end)).and_then(|(start, end)| text.get(start..end));
        if there.is_some_and(|there| there.contains(name)) { right += 1 } else { wrong += 1 }
    }
    wrong == 0 || wrong * TOLERATED <= right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_are_refused() {
        assert_eq!(tree_path("", "./src/a.ts"), Some("src/a.ts".into()));
        assert_eq!(tree_path("web/", "a.ts"), Some("web/a.ts".into()));
        for path in ["../a.ts", "/etc/passwd", "a//b", "", "a/../../b", "a\\b"] {
            assert_eq!(tree_path("", path), None, "{path}");
        }
        assert_eq!(prefix_of("file:///work/repo/web", Path::new("/work/repo")), "web/");
        assert_eq!(prefix_of("file:///elsewhere", Path::new("/work/repo")), "");
    }
}
