//! Facts on demand: decoded from the cache, or extracted again if missing there. The most recently used stay in
//! memory.

use crate::compiler_layer::CompilerLayers;
use crate::extraction::{self, Language};
use orient_model::{Chunk, ContentHash, Facts, Import, Outline, Param, RepoPath, Symbol};
use orient_resolve::{FileFacts, LazyFlow};
use orient_store::{Cache, CacheKey, CachedFacts, Encoded, IndexedFile, decode_flow, decode_outline};
use orient_walk::TreeReader;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Measured ratio of a flow's size in memory to its uncompressed encoding.
const UNPACKED: usize = 4;

/// Provides the facts of files to many threads.
pub(crate) struct FactsSource {
    cache: PathBuf,
    files: Arc<SourceFiles>,
    /// What compilers say about the files.
    layers: Option<Arc<CompilerLayers>>,
    /// The directory that the files are said to be below, with a slash; empty for their own paths.
    mount: Vec<u8>,
    /// Idle connections.
    idle: Mutex<Vec<Cache>>,
    kept: Mutex<FactsCache>,
}

impl FactsSource {
    /// Facts from the cache at a path, or from the files of a tree; about `bytes` of them stay in memory.
    ///
    /// The cache is opened right away and stays open, because closing the last connection triggers a checkpoint.
    pub(crate) fn new(cache: PathBuf, tree: Box<dyn TreeReader>, max_file_size: u64, bytes: u64) -> Self {
        let kept =
            FactsCache { most: usize::try_from(bytes / 2).unwrap_or(usize::MAX), ..FactsCache::default() };
        let idle = Mutex::new(vec![Cache::open(&cache)]);
        let files = Arc::new(SourceFiles { tree, max_file_size, has_lost: AtomicBool::new(false) });
        Self { cache, files, layers: None, mount: Vec::new(), idle, kept: Mutex::new(kept) }
    }

    /// Adds what compilers say to the facts.
    pub(crate) fn with_layers(self, layers: Option<Arc<CompilerLayers>>) -> Self {
        Self { layers, ..self }
    }

    /// Puts the files below a directory, so that resolution can tell those of several trees apart.
    pub(crate) fn mounted_at(self, directory: &str) -> Self {
        Self { mount: directory.as_bytes().to_vec(), ..self }
    }

    /// The facts of a file; `describe` looks up the file on a miss.
    pub(crate) fn get(
        &self,
        number: u32,
        describe: impl FnOnce() -> Option<IndexedFile>,
    ) -> Option<Arc<FileFacts>> {
        if let Some(known) = self.kept().get(number) {
            return Some(known);
        }
        let facts = self.read(&describe()?)?;
        self.kept().put(number, Arc::clone(&facts));
        Some(facts)
    }

    /// The facts of a file; `None` if they are not cached and the file has changed or cannot be read. Its flow is
    /// decoded on first use.
    pub(crate) fn read(&self, file: &IndexedFile) -> Option<Arc<FileFacts>> {
        let facts = self.read_with(file, |content, flow| {
            let (files, content, bytes) =
                (Arc::clone(&self.files), content.clone(), flow.unpacked() * UNPACKED);
            let read = move || {
                let known = decode_flow(flow.as_bytes()).ok();
                known.or_else(|| Some(files.facts(&content)?.flow)).unwrap_or_else(|| files.lose())
            };
            Some(LazyFlow::later(bytes, read))
        });
        if facts.is_none() && file.hash.is_some() {
            self.files.lose::<()>();
        }
        facts
    }

    /// Whether facts of an indexed file were asked for and could not be had, for example because no more files can be
    /// opened. What was resolved since then may lack edges.
    pub(crate) fn has_lost_facts(&self) -> bool {
        self.files.has_lost.load(Ordering::Relaxed)
    }

    /// The facts of a previous version of a file; `None` if a part of them is lost.
    pub(crate) fn read_before(&self, file: &IndexedFile) -> Option<Arc<FileFacts>> {
        self.read_with(file, |_, flow| Some(decode_flow(flow.as_bytes()).ok()?.into()))
    }

    fn read_with(
        &self,
        file: &IndexedFile,
        inside: impl FnOnce(&FileVersion, Encoded) -> Option<LazyFlow>,
    ) -> Option<Arc<FileFacts>> {
        let language = Language::of(file.language.as_deref(), &file.path);
        let content = FileVersion { path: file.path.clone(), hash: file.hash?, language };
        let remembered = |facts: CachedFacts| {
            Some((decode_outline(facts.outline.as_bytes()).ok()?, inside(&content, facts.flow)?))
        };
        let (outline, flow) = self.cached(&content).and_then(remembered).or_else(|| {
            let facts = self.files.facts(&content)?;
            Some((facts.outline, facts.flow.into()))
        })?;
        let language = file.language.as_deref().unwrap_or_default().to_owned();
        let compiled =
            self.layers.as_ref().and_then(|layers| layers.get(&file.path, content.hash)).map(Arc::new);
        let path = RepoPath::new([self.mount.as_slice(), file.path.as_bytes()].concat());
        let (role, content) = (file.role, content.hash);
        Some(Arc::new(FileFacts { language, path, role, content, outline, flow, compiled }))
    }

    fn cached(&self, content: &FileVersion) -> Option<CachedFacts> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut cache = idle.unwrap_or_else(|| Cache::open(&self.cache));
        let facts =
            cache.get(&CacheKey::new(content.hash, Language::version_of(content.language, &content.path)));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(cache);
        facts
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, FactsCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A version of a file.
#[derive(Clone)]
struct FileVersion {
    path: RepoPath,
    hash: ContentHash,
    language: Option<Language>,
}

/// Extracts facts that are not cached.
struct SourceFiles {
    tree: Box<dyn TreeReader>,
    max_file_size: u64,
    /// Never reset: an empty flow stays in memory.
    has_lost: AtomicBool,
}

impl SourceFiles {
    /// Stands in for facts that could not be had.
    fn lose<T: Default>(&self) -> T {
        self.has_lost.store(true, Ordering::Relaxed);
        T::default()
    }

    /// The facts of a file, if it still has this content.
    fn facts(&self, of: &FileVersion) -> Option<Facts> {
        let content = self.tree.read(&of.path, self.max_file_size).ok()?;
        (content.hash == of.hash).then(|| extraction::facts(of.language, &of.path, &content.bytes))
    }
}

/// Recently used facts in two generations: when `young` is full it becomes `old`, and the previous `old` is dropped.
#[derive(Default)]
struct FactsCache {
    young: HashMap<u32, (Arc<FileFacts>, usize)>,
    old: HashMap<u32, (Arc<FileFacts>, usize)>,
    bytes: usize,
    /// Maximum number of bytes in `young`.
    most: usize,
}

impl FactsCache {
    fn get(&mut self, number: u32) -> Option<Arc<FileFacts>> {
        if let Some((facts, _)) = self.young.get(&number) {
            return Some(Arc::clone(facts));
        }
        let (facts, bytes) = self.old.remove(&number)?;
        self.insert(number, Arc::clone(&facts), bytes);
        Some(facts)
    }

    fn put(&mut self, number: u32, facts: Arc<FileFacts>) {
        let bytes = weight(&facts.path, &facts.outline) + facts.flow.bytes();
        self.insert(number, facts, bytes);
    }

    fn insert(&mut self, number: u32, facts: Arc<FileFacts>, bytes: usize) {
        if self.bytes + bytes > self.most {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(number, (facts, bytes)).is_none() {
            self.bytes += bytes;
        }
    }
}

/// Approximate size of an outline in memory.
fn weight(path: &RepoPath, outline: &Outline) -> usize {
    const STRING: usize = 16;
    let params = outline.symbols.iter().map(|symbol| size_of_val::<[Param]>(&symbol.params)).sum::<usize>();
    path.as_bytes().len()
        + size_of_val::<[Symbol]>(&outline.symbols)
        + params
        + size_of_val::<[Import]>(&outline.imports)
        + size_of_val::<[Chunk]>(&outline.chunks)
        + outline.strings.len() * STRING
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::{ExprId, Flow, Role};
    use orient_walk::RootDirectory;

    fn facts(lines: usize) -> Arc<FileFacts> {
        let flow = Flow { operands: vec![ExprId(0); lines], ..Flow::default() }.into();
        let (path, language) = (RepoPath::from("a"), String::new());
        let (role, content, compiled) = (Role::Source, ContentHash::default(), None);
        Arc::new(FileFacts { path, language, role, content, outline: Outline::default(), flow, compiled })
    }

    #[test]
    fn recently_used_facts_stay_and_the_rest_is_evicted() {
        let mut kept = FactsCache { most: 4500, ..FactsCache::default() };
        kept.put(0, facts(250));
        for number in 1..20 {
            kept.put(number, facts(250));
            assert!(kept.get(0).is_some(), "asked for all the time");
        }
        assert!(kept.get(1).is_none());
        assert!(kept.young.len() + kept.old.len() <= 9, "bounded");
    }

    #[test]
    fn lost_facts_are_extracted_again_only_from_the_same_content() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("a.py"), "def f(): return g()\n").expect("a file");
        let (tree, cache) = (
            || Box::new(RootDirectory::open(directory.path()).expect("it opens")),
            directory.path().join("cache.db"),
        );
        let path = RepoPath::from("a.py");
        let hash = tree().read(&path, 1000).expect("text").hash;
        let name = "python";
        let language = Language::by_name(name);
        let facts = extraction::facts(language, &RepoPath::from("a.py"), b"def f(): return g()\n");
        let damaged = CachedFacts {
            outline: orient_store::encode_outline(&facts.outline),
            flow: Encoded::from_bytes(*b"garbage"),
        };
        let key = CacheKey::new(hash, Language::version(language));
        Cache::open(&cache).put_many([(key, &damaged)], 1);
        let (id, role) = (orient_store::FileId(1), Role::Source);
        let language = Some(name.into());
        let file = IndexedFile { id, path, language, role, hash: Some(hash), is_project_file: false };
        let source = FactsSource::new(cache, tree(), 1000, 1000);
        for found in [source.read(&file), source.read_before(&file)] {
            assert_eq!(*found.expect("from the file itself").flow, facts.flow);
        }
        assert!(!source.has_lost_facts());
        std::fs::write(directory.path().join("a.py"), "def h(): pass\n").expect("changed");
        assert!(source.read_before(&file).is_none(), "nobody knows what its inside was");
        assert!(!source.has_lost_facts(), "and that is no loss for the files that are there");
        let now = source.read(&file).expect("its outline is cached");
        assert!(now.flow.operands.is_empty() && source.has_lost_facts());
    }
}
