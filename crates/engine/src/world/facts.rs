//! Facts on demand: decoded from the cache, or extracted again where that lost them; the last ones used stay in memory.

use crate::extract::{self, Language};
use orient_model::{
    Assign, Binding, Chunk, Expr, ExprId, Flow, Import, Outline, Param, Reference, RepoPath, Return, Scope,
    Symbol,
};
use orient_resolve::FileFacts;
use orient_store::{Cache, CacheKey, DirectoryFile, decode_flow, decode_outline};
use orient_walk::Tree;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives the facts of files, to many threads at once.
pub(crate) struct FactsSource {
    cache: PathBuf,
    tree: Tree,
    max_file_size: u64,
    /// Connections that no thread uses now.
    idle: Mutex<Vec<Cache>>,
    kept: Mutex<Kept>,
}

impl FactsSource {
    /// Facts from the cache at a path, or from the files of a tree; about `bytes` of them stay in memory.
    ///
    /// The cache is opened at once and stays open: whoever closes a database last has to tidy up behind all others.
    pub(crate) fn new(cache: PathBuf, tree: Tree, max_file_size: u64, bytes: u64) -> Self {
        let kept = Kept { most: usize::try_from(bytes / 2).unwrap_or(usize::MAX), ..Kept::default() };
        let idle = Mutex::new(vec![Cache::open(&cache)]);
        Self { cache, tree, max_file_size, idle, kept: Mutex::new(kept) }
    }

    /// The facts of a file; `describe` says which file has the number.
    pub(crate) fn get(
        &self,
        number: u32,
        describe: impl FnOnce() -> Option<DirectoryFile>,
    ) -> Option<Arc<FileFacts>> {
        if let Some(known) = self.kept().get(number) {
            return Some(known);
        }
        let facts = self.read(&describe()?)?;
        self.kept().put(number, Arc::clone(&facts));
        Some(facts)
    }

    /// The facts of a file as it was when it had this content; none where nobody remembers, and the file has changed.
    pub(crate) fn read(&self, file: &DirectoryFile) -> Option<Arc<FileFacts>> {
        let hash = file.hash?;
        let language = Language::of(file.language.as_deref(), &file.path);
        let (outline, flow) =
            self.remembered(&CacheKey::new(hash, Language::version(language))).or_else(|| {
                let content = self.tree.read(&file.path, self.max_file_size).ok()?;
                let facts = (content.hash == hash).then(|| extract::facts(language, &content.bytes))?;
                Some((facts.outline, facts.flow))
            })?;
        let language = file.language.as_deref().unwrap_or_default().to_owned();
        Some(Arc::new(FileFacts { language, path: file.path.clone(), role: file.role, outline, flow }))
    }

    fn remembered(&self, key: &CacheKey) -> Option<(Outline, Flow)> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut cache = idle.unwrap_or_else(|| Cache::open(&self.cache));
        let facts = cache.get(key);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(cache);
        let facts = facts?;
        Some((decode_outline(facts.outline.as_bytes()).ok()?, decode_flow(facts.flow.as_bytes()).ok()?))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Facts that were used lately: those used since the last change of guard, and those used in the one before.
#[derive(Default)]
struct Kept {
    young: HashMap<u32, (Arc<FileFacts>, usize)>,
    old: HashMap<u32, (Arc<FileFacts>, usize)>,
    bytes: usize,
    /// How many bytes the young ones may take.
    most: usize,
}

impl Kept {
    fn get(&mut self, number: u32) -> Option<Arc<FileFacts>> {
        if let Some((facts, _)) = self.young.get(&number) {
            return Some(Arc::clone(facts));
        }
        let (facts, bytes) = self.old.remove(&number)?;
        self.insert(number, Arc::clone(&facts), bytes);
        Some(facts)
    }

    fn put(&mut self, number: u32, facts: Arc<FileFacts>) {
        let bytes = weight(&facts.path, &facts.outline, &facts.flow);
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

/// About how many bytes facts take in memory.
fn weight(path: &RepoPath, outline: &Outline, flow: &Flow) -> usize {
    fn rows<T>(rows: &[T]) -> usize {
        size_of_val(rows)
    }
    const STRING: usize = 16;
    let params = outline.symbols.iter().map(|symbol: &Symbol| rows::<Param>(&symbol.params)).sum::<usize>();
    let outside = rows::<Symbol>(&outline.symbols)
        + params
        + rows::<Import>(&outline.imports)
        + rows::<Chunk>(&outline.chunks)
        + outline.strings.len() * STRING;
    let inside = rows::<Scope>(&flow.scopes)
        + rows::<Binding>(&flow.bindings)
        + rows::<Expr>(&flow.exprs)
        + rows::<ExprId>(&flow.operands)
        + rows::<Reference>(&flow.references)
        + rows::<Assign>(&flow.assigns)
        + rows::<Return>(&flow.returns)
        + flow.strings.len() * STRING;
    path.as_bytes().len() + outside + inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::Role;

    fn facts(lines: usize) -> Arc<FileFacts> {
        let flow = Flow { operands: vec![ExprId(0); lines], ..Flow::default() };
        let (path, language) = (RepoPath::from("a"), String::new());
        Arc::new(FileFacts { path, language, role: Role::Source, outline: Outline::default(), flow })
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut kept = Kept { most: 4500, ..Kept::default() };
        kept.put(0, facts(250));
        for number in 1..20 {
            kept.put(number, facts(250));
            assert!(kept.get(0).is_some(), "asked for all the time");
        }
        assert!(kept.get(1).is_none());
        assert!(kept.young.len() + kept.old.len() <= 9, "bounded");
    }
}
