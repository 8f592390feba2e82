//! Two roots as directories of one repository, for resolution: the files of root 1 are below `1/`.

use crate::extraction::{self, Language};
use crate::refresh::{FactsSource, SnapshotTable, SymbolTable};
use crate::{Engine, EngineError};
use orient_model::{Node, RepoPath, Rules};
use orient_resolve::{FileFacts, NamedSymbol, Repository};
use orient_store::{FileId, NodeId, SymbolEntry};
use std::sync::Arc;

/// Bits of a file's number in resolution that are its number in its root.
const NUMBER_BITS: u32 = 28;
/// Bytes of facts that stay in memory, per root.
const FACTS_BYTES: u64 = 64 << 20;

/// A root in view of resolution.
struct MountedRoot {
    table: SnapshotTable,
    facts: FactsSource,
    generation: u64,
    /// The directory that its files are below, with a slash.
    prefix: String,
}

/// The roots, in order.
pub(super) struct JoinedRepository(Vec<MountedRoot>);

impl JoinedRepository {
    /// Opens the indexes of these roots.
    pub(super) fn open(engines: &[&Engine]) -> Result<Self, EngineError> {
        let mount = |(number, engine): (usize, &&Engine)| {
            let prefix = format!("{number}/");
            let limit = engine.settings.index.max_file_size.bytes();
            let facts = FactsSource::new(engine.paths.cache(), engine.tree.open()?, limit, FACTS_BYTES)
                .mounted_at(&prefix);
            let snapshot = engine.readers.open(&engine.paths.index())?;
            let generation = snapshot.generation();
            Ok(MountedRoot { table: SnapshotTable::new(snapshot), facts, generation, prefix })
        };
        engines.iter().enumerate().map(mount).collect::<Result<_, EngineError>>().map(Self)
    }

    /// The generations of the indexes, in the order of the roots.
    pub(super) fn generations(&self) -> Vec<u64> {
        self.0.iter().map(|root| root.generation).collect()
    }

    /// The number of a file in resolution.
    pub(super) fn number(root: usize, file: FileId) -> Option<u32> {
        let number = u32::try_from(file.0).ok().filter(|number| *number < 1 << NUMBER_BITS)?;
        Some((root as u32) << NUMBER_BITS | number)
    }

    /// The root and the stored id of a node.
    pub(super) fn node(&self, node: Node) -> Option<(usize, NodeId)> {
        let (root, file) = parts(node.file);
        let own = Node { file, symbol: node.symbol };
        Some((root, self.0.get(root)?.table.node(own)?))
    }

    fn below(&self, path: &[u8]) -> Option<(usize, RepoPath)> {
        self.0.iter().enumerate().find_map(|(number, root)| {
            let rest = path.strip_prefix(root.prefix.as_bytes())?;
            Some((number, RepoPath::new(rest)))
        })
    }

    fn numbers(root: usize, files: Vec<FileId>) -> impl Iterator<Item = u32> {
        files.into_iter().filter_map(move |file| Self::number(root, file))
    }
}

/// The root of a file, and its number there.
fn parts(number: u32) -> (usize, u32) {
    ((number >> NUMBER_BITS) as usize, number & ((1 << NUMBER_BITS) - 1))
}

impl Repository for JoinedRepository {
    fn file_at(&self, path: &RepoPath) -> Option<u32> {
        let (root, rest) = self.below(path.as_bytes())?;
        Self::number(root, self.0[root].table.file_at(&rest)?)
    }

    fn facts(&self, file: u32) -> Option<Arc<FileFacts>> {
        let (root, number) = parts(file);
        let root = self.0.get(root)?;
        root.facts.get(number, || root.table.file(FileId(i64::from(number))))
    }

    fn symbols_named(&self, family: &str, name: &str) -> Vec<NamedSymbol> {
        let Some(family) = extraction::family(family) else { return Vec::new() };
        let mut found = Vec::new();
        for (number, root) in self.0.iter().enumerate() {
            let named = |SymbolEntry { file, at, kind, modifiers }| {
                let node = Node { file: Self::number(number, file)?, symbol: Some(at) };
                Some(NamedSymbol { node, kind, modifiers })
            };
            found.extend(root.table.named(name, &family.languages).into_iter().filter_map(named));
        }
        found
    }

    fn directory(&self, path: &RepoPath) -> Vec<u32> {
        // The root directory itself has no slash.
        let below = self.below(path.as_bytes()).or_else(|| self.below(&[path.as_bytes(), b"/"].concat()));
        let Some((root, rest)) = below else { return Vec::new() };
        Self::numbers(root, self.0[root].table.directory(rest.as_bytes())).collect()
    }

    fn files_ending_with(&self, path: &str) -> Vec<u32> {
        if let Some((root, rest)) = self.below(path.as_bytes()) {
            return self.0[root]
                .table
                .file_at(&rest)
                .and_then(|file| Self::number(root, file))
                .into_iter()
                .collect();
        }
        let all = self.0.iter().enumerate();
        all.flat_map(|(number, root)| Self::numbers(number, root.table.ending(path.as_bytes()))).collect()
    }

    fn manifests(&self) -> Vec<u32> {
        let all = self.0.iter().enumerate();
        all.flat_map(|(number, root)| Self::numbers(number, root.table.manifests())).collect()
    }

    fn rules(&self, language: &str) -> Option<&Rules> {
        Language::by_name(language)?.rules()
    }
}
