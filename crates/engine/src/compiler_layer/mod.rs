//! The compiler layers of a tree: what compilers say about its files, kept beside the index.
//!
//! There are two, each in one file: what was imported from SCIP indexes, and what language servers answered. A layer is an input of resolution,
//! like the facts: where it describes the content of a file, a use means what the compiler says, and our rules decide everything else. The hashes of
//! the layers are part of the version of resolution, so that changing or dropping one resolves everything again. The setting `enrich.layer` turns
//! both off.

mod import;
mod layer_audit;
mod positions;
mod scip_index_discovery;
mod server_answers;
mod server_questions;
mod staged_layer;
mod symbol_lookup;

pub use import::{ScipDocument, ScipImport, ScipImportError};
pub use layer_audit::{LayerAudit, LayerEdge};
pub use scip_index_discovery::{FoundIndex, ImportState};
pub use server_answers::{KeptAnswers, ServerAnswers};
pub use staged_layer::LayerPublication;
pub(crate) use staged_layer::StagedLayer;

use crate::{Engine, EngineError, Snapshot};
use orient_model::{CompiledFile, ContentHash, RepoPath, ServiceStatus};
use orient_safefs::Directory;
use orient_store::{CompilerLayer, StoreError, WriteLock};
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a layer.
const MAX_BYTES: u64 = 1 << 30;
/// Length of a hash in bytes.
const HASH_LENGTH: u64 = 8;
/// Maximum length of the hash with the names of programs after it.
const MAX_HEAD: u64 = 4096;

/// Where a layer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerSource {
    /// SCIP indexes.
    Scip,
    /// Language servers.
    Servers,
}

impl LayerSource {
    const ALL: [Self; 2] = [Self::Scip, Self::Servers];

    /// The file in the directory of a tree.
    fn file(self) -> &'static str {
        match self {
            Self::Scip => "compiler.layer",
            Self::Servers => "servers.layer",
        }
    }

    /// The file that holds the hash of the layer and the programs that said it, so that a freshness check and an answer need not read
    /// the layer.
    fn hash_file(self) -> &'static str {
        match self {
            Self::Scip => "compiler.hash",
            Self::Servers => "servers.hash",
        }
    }
}

/// The layers of a tree. What an imported index says takes precedence over what a server answers: the import is newer, or the server would not
/// have been asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompilerLayers {
    scip: Option<CompilerLayer>,
    servers: Option<CompilerLayer>,
}

impl CompilerLayers {
    /// What is known about a content of a file.
    pub(crate) fn get(&self, path: &RepoPath, hash: ContentHash) -> Option<CompiledFile> {
        let of = |layer: &Option<CompilerLayer>| layer.as_ref()?.get(path, hash);
        match (of(&self.scip), of(&self.servers)) {
            (Some(mut imported), Some(answered)) => {
                imported.absorb(&answered);
                Some(imported)
            }
            (imported, answered) => imported.or(answered),
        }
    }

    /// The layers without what servers answered.
    pub(crate) fn without_servers(&self) -> Self {
        Self { scip: self.scip.clone(), servers: None }
    }
}

/// The state of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerStatus {
    /// The programs that said it.
    pub tools: Vec<String>,
    /// Files whose content the layer describes.
    pub covered: u64,
    /// Those of them that a server did not describe completely, by path.
    pub incomplete: Vec<(RepoPath, ServiceStatus)>,
    /// Files that were edited since, by path: our own rules resolve them.
    pub outdated: Vec<RepoPath>,
    /// Files that no longer exist, or are not indexed, by path.
    pub missing: Vec<RepoPath>,
}

/// A layer in the directory of a tree; `None` if there is none, or if it cannot be read.
fn read(tree: &Path, source: LayerSource) -> Option<CompilerLayer> {
    let bytes = Directory::open(tree).ok()?.read(source.file(), MAX_BYTES).ok()??;
    CompilerLayer::decode(&bytes).ok()
}

/// The hash of one layer in the directory of a tree; 0 if there is none.
fn version_of(tree: &Path, source: LayerSource) -> u64 {
    let hash = || {
        let bytes = Directory::open(tree).ok()?.read(source.hash_file(), HASH_LENGTH).ok()??;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    hash().unwrap_or_default()
}

/// The hash of the layers in the directory of a tree; 0 if there is none.
pub(crate) fn version(tree: &Path) -> u64 {
    combined(LayerSource::ALL.map(|source| version_of(tree, source)))
}

/// One hash of the hashes of all layers.
fn combined([scip, servers]: [u64; 2]) -> u64 {
    // Two equal layers must not cancel each other out.
    scip ^ servers.rotate_left(1)
}

/// The files of a layer, and its hash: its content, and the hash with the programs that said it.
fn layer_files(layer: &CompilerLayer) -> (Vec<u8>, Vec<u8>, u64) {
    let content = layer.encode();
    let mut hash = [0; HASH_LENGTH as usize];
    hash.copy_from_slice(&blake3::hash(&content).as_bytes()[..HASH_LENGTH as usize]);
    let tools: Vec<&str> = layer.tools.iter().map(String::as_str).collect();
    let head = [&hash[..], tools.join("\n").as_bytes()].concat();
    (content, head, u64::from_le_bytes(hash))
}

/// The layers in the directory of a tree; `None` if there is none.
fn read_all(tree: &Path) -> Option<Arc<CompilerLayers>> {
    let [scip, servers] = LayerSource::ALL.map(|source| read(tree, source));
    (scip.is_some() || servers.is_some()).then(|| Arc::new(CompilerLayers { scip, servers }))
}

impl Engine {
    /// The version of resolution: of the rules, and of the compiler layers.
    pub(crate) fn resolution_version(&self) -> u64 {
        let version = || {
            let staged = self.staged_layer.get();
            combined(LayerSource::ALL.map(|one| StagedLayer::version_with(staged, &self.paths.tree, one)))
        };
        let layers = if self.settings.enrich.layer { version() } else { 0 };
        // SQLite stores signed integers.
        self.classifier.resolution_version() ^ (layers >> 1)
    }

    /// The compiler layers, if there are any and they are turned on.
    pub(crate) fn compiler_layers(&self) -> Option<Arc<CompilerLayers>> {
        if !self.settings.enrich.layer {
            return None;
        }
        match self.staged_layer.get() {
            Some(staged) => Some(staged.layers(&self.paths.tree)),
            None => read_all(&self.paths.tree),
        }
    }

    /// Adds to a compiler layer.
    fn add_to_layer(
        &self,
        source: LayerSource,
        publication: LayerPublication<'_>,
        add: impl FnOnce(CompilerLayer) -> CompilerLayer,
    ) -> Result<(), EngineError> {
        match publication {
            LayerPublication::Resolved(cancel) if self.settings.enrich.layer => {
                self.publish_resolved(source, cancel, |known| add(known.unwrap_or_default()))
            }
            _ => self.change_layer(source, |known| Some(add(known.unwrap_or_default()))),
        }
    }

    /// Changes a compiler layer; `None` removes it. The next refresh resolves everything again.
    ///
    /// Reading and writing are one transaction under the write lock: of two processes that add to a layer at once, the second
    /// sees what the first added. A refresh in progress does not see two layers.
    fn change_layer(
        &self,
        source: LayerSource,
        change: impl FnOnce(Option<CompilerLayer>) -> Option<CompilerLayer>,
    ) -> Result<(), EngineError> {
        let directory = self.own_directory()?;
        let _lock = WriteLock::acquire(&self.paths.tree, |_| true)?;
        match change(read(&self.paths.tree, source)) {
            Some(layer) => {
                let (content, head, _) = layer_files(&layer);
                self.write_layer(source, &content, &head)?;
            }
            None => {
                for name in [source.hash_file(), source.file()] {
                    if directory.entry(name).is_some() {
                        directory.remove(name).map_err(|error| self.unusable(&error))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the files of a layer. The caller holds the write lock.
    fn write_layer(&self, source: LayerSource, content: &[u8], head: &[u8]) -> Result<(), EngineError> {
        let directory = self.own_directory()?;
        directory.replace(source.file(), content).map_err(|error| self.unusable(&error))?;
        Ok(directory.replace(source.hash_file(), head).map_err(|error| self.unusable(&error))?)
    }

    /// The directory of the tree cannot be written.
    fn unusable(&self, error: &std::io::Error) -> StoreError {
        StoreError::Unusable { path: self.paths.tree.clone(), reason: orient_store::unusable_reason(error) }
    }

    /// Removes a compiler layer; returns whether there was one.
    pub fn drop_compiler_layer(&self, source: LayerSource) -> Result<bool, EngineError> {
        let existed = version_of(&self.paths.tree, source) != 0;
        self.change_layer(source, |_| None)?;
        Ok(existed)
    }
}

impl Snapshot {
    /// The compiler layers, if there are any and they are turned on.
    pub(crate) fn compiler_layers(&self) -> Option<Arc<CompilerLayers>> {
        read_all(&self.paths.tree).filter(|_| self.uses_layers)
    }

    /// The programs whose answers the graph contains; empty without a layer, or if the layers are turned off.
    pub fn compilers(&self) -> Vec<String> {
        let Some(directory) = Directory::open(&self.paths.tree).ok().filter(|_| self.uses_layers) else {
            return Vec::new();
        };
        let mut tools = Vec::new();
        for source in LayerSource::ALL {
            let head = directory.read(source.hash_file(), MAX_HEAD).ok().flatten().unwrap_or_default();
            let names = head.get(HASH_LENGTH as usize..).map(String::from_utf8_lossy).unwrap_or_default();
            tools.extend(names.lines().map(str::to_owned));
        }
        tools
    }

    /// The state of a compiler layer; `None` if there is none.
    pub fn layer_status(&self, source: LayerSource) -> Result<Option<LayerStatus>, EngineError> {
        let Some(layer) = read(&self.paths.tree, source) else { return Ok(None) };
        let mut status =
            LayerStatus { tools: layer.tools.iter().cloned().collect(), ..LayerStatus::default() };
        for (path, hash) in layer.files() {
            match self.file(path)?.and_then(|file| file.hash) {
                Some(now) if now == hash => {
                    status.covered += 1;
                    let said = layer.get(path, hash).map(|file| file.status).unwrap_or_default();
                    if said != ServiceStatus::Full {
                        status.incomplete.push((path.clone(), said));
                    }
                }
                Some(_) => status.outdated.push(path.clone()),
                None => status.missing.push(path.clone()),
            }
        }
        Ok(Some(status))
    }
}
