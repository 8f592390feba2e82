//! The input of resolution: the files, names and rules of a repository.

use orient_model::{
    CompiledFile, ContentHash, Flow, Modifiers, Node, Outline, RepoPath, Role, Rules, SymbolKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// The facts of a file, and what the file is.
#[derive(Debug)]
pub struct FileFacts {
    /// Its path.
    pub path: RepoPath,
    /// The name of its language.
    pub language: String,
    /// Its role.
    pub role: Role,
    /// The hash of its content.
    pub content: ContentHash,
    /// Its outline.
    pub outline: Outline,
    /// Its flow.
    pub flow: LazyFlow,
    /// What a compiler says about this content of the file.
    pub compiled: Option<Arc<CompiledFile>>,
}

/// The flow of a file, decoded on first use: most files are only read for their outlines.
pub struct LazyFlow {
    flow: LazyLock<Flow, ReadFlow>,
    bytes: usize,
}

type ReadFlow = Box<dyn FnOnce() -> Flow + Send>;

impl LazyFlow {
    /// A flow that `read` decodes later, of about this size in bytes.
    pub fn later(bytes: usize, read: impl FnOnce() -> Flow + Send + 'static) -> Self {
        Self { flow: LazyLock::new(Box::new(read)), bytes }
    }

    /// Approximate size in bytes once it is decoded.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl From<Flow> for LazyFlow {
    fn from(flow: Flow) -> Self {
        let lazy = Self::later(weight(&flow), || flow);
        LazyLock::force(&lazy.flow);
        lazy
    }
}

impl Deref for LazyFlow {
    type Target = Flow;

    fn deref(&self) -> &Flow {
        &self.flow
    }
}

impl fmt::Debug for LazyFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Approximate size of a flow in bytes.
fn weight(flow: &Flow) -> usize {
    const STRING: usize = 16;
    size_of_val(&*flow.scopes)
        + size_of_val(&*flow.bindings)
        + size_of_val(&*flow.exprs)
        + size_of_val(&*flow.operands)
        + size_of_val(&*flow.references)
        + size_of_val(&*flow.assigns)
        + size_of_val(&*flow.returns)
        + flow.strings.len() * STRING
}

/// A symbol found by its name, as far as it is known without reading its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSymbol {
    /// The symbol.
    pub node: Node,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its modifiers.
    pub modifiers: Modifiers,
}

/// A snapshot of the repository. Files are numbered; the numbers mean nothing else.
pub trait Repository: Sync {
    /// The file at a path.
    fn file_at(&self, path: &RepoPath) -> Option<u32>;
    /// The facts of a file.
    fn facts(&self, file: u32) -> Option<Arc<FileFacts>>;
    /// All symbols of this name in files of a language family, by path and position.
    fn symbols_named(&self, family: &str, name: &str) -> Vec<NamedSymbol>;
    /// The files directly in a directory, by path.
    fn directory(&self, path: &RepoPath) -> Vec<u32>;
    /// The files whose path is this, or ends with it after a `/`, by path.
    fn files_ending_with(&self, path: &str) -> Vec<u32>;
    /// The project files, by path.
    fn manifests(&self) -> Vec<u32>;
    /// The rules of a language; none if it is not resolved.
    fn rules(&self, language: &str) -> Option<&Rules>;
}

/// A repository in memory.
pub struct MemoryRepository {
    files: Vec<Arc<FileFacts>>,
    by_path: BTreeMap<RepoPath, u32>,
    names: FxHashMap<String, Vec<NamedSymbol>>,
    directories: FxHashMap<Vec<u8>, Vec<u32>>,
    by_file_name: FxHashMap<Vec<u8>, Vec<u32>>,
    rules: FxHashMap<String, Rules>,
}

impl MemoryRepository {
    /// A repository of these files, numbered by path, and these languages.
    pub fn new(files: Vec<FileFacts>, rules: impl IntoIterator<Item = (String, Rules)>) -> Self {
        Self::shared(files.into_iter().map(Arc::new).collect(), rules)
    }

    /// The same with shared facts.
    pub fn shared(mut files: Vec<Arc<FileFacts>>, rules: impl IntoIterator<Item = (String, Rules)>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut repository = Self {
            by_path: BTreeMap::new(),
            names: FxHashMap::default(),
            directories: FxHashMap::default(),
            by_file_name: FxHashMap::default(),
            rules: rules.into_iter().collect(),
            files: Vec::new(),
        };
        for (number, facts) in files.iter().enumerate() {
            let number = number as u32;
            repository.by_path.insert(facts.path.clone(), number);
            repository.directories.entry(facts.path.directory().to_vec()).or_default().push(number);
            repository.by_file_name.entry(facts.path.file_name().to_vec()).or_default().push(number);
            for (at, symbol) in facts.outline.symbols.iter().enumerate() {
                let name = facts.outline.strings.get(symbol.name);
                let node = Node { file: number, symbol: Some(at as u32) };
                let named = NamedSymbol { node, kind: symbol.kind, modifiers: symbol.modifiers };
                repository.names.entry(name.to_owned()).or_default().push(named);
            }
        }
        repository.files = files;
        repository
    }

    /// The files, by number.
    pub fn files(&self) -> &[Arc<FileFacts>] {
        &self.files
    }
}

impl Repository for MemoryRepository {
    fn file_at(&self, path: &RepoPath) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    fn facts(&self, file: u32) -> Option<Arc<FileFacts>> {
        self.files.get(file as usize).cloned()
    }

    fn symbols_named(&self, family: &str, name: &str) -> Vec<NamedSymbol> {
        let is_kin = |named: &&NamedSymbol| {
            let language = self.files.get(named.node.file as usize).map(|facts| facts.language.as_str());
            language.and_then(|language| self.rules.get(language)).is_some_and(|rules| rules.family == family)
        };
        self.names.get(name).into_iter().flatten().filter(is_kin).copied().collect()
    }

    fn directory(&self, path: &RepoPath) -> Vec<u32> {
        self.directories.get(path.as_bytes()).cloned().unwrap_or_default()
    }

    fn files_ending_with(&self, path: &str) -> Vec<u32> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let Some(files) = self.by_file_name.get(name.as_bytes()) else { return Vec::new() };
        let ends = |file: &&u32| {
            self.files.get(**file as usize).is_some_and(|facts| {
                let full = facts.path.as_bytes();
                full.ends_with(path.as_bytes())
                    && (full.len() == path.len() || full[full.len() - path.len() - 1] == b'/')
            })
        };
        files.iter().filter(ends).copied().collect()
    }

    fn manifests(&self) -> Vec<u32> {
        let files = self.files.iter().enumerate();
        files.filter(|(_, facts)| !facts.outline.manifest.is_empty()).map(|(at, _)| at as u32).collect()
    }

    fn rules(&self, language: &str) -> Option<&Rules> {
        self.rules.get(language)
    }
}
