//! The compiler layer of a tree: what compilers say about its files, kept beside the index as one file.
//!
//! The layer is an input of resolution, like the facts: a file whose content it describes is resolved by what the compiler says, any other
//! file by our rules. Its hash is part of the version of resolution, so that importing or dropping it resolves everything again.

mod import;
mod layer_audit;
mod positions;

pub use import::{ScipDocument, ScipImport, ScipImportError};
pub use layer_audit::{LayerAudit, LayerEdge};

use crate::{Engine, EngineError, Snapshot};
use orient_model::RepoPath;
use orient_safefs::Directory;
use orient_store::{CompilerLayer, StoreError, WriteLock};
use std::path::Path;
use std::sync::Arc;

/// The file in the directory of a tree.
const FILE: &str = "compiler.layer";
/// Maximum size of the file.
const MAX_BYTES: u64 = 1 << 30;
/// The file that holds the hash of the layer, so that a freshness check need not read the layer.
const HASH_FILE: &str = "compiler.hash";
/// Length of the hash in bytes.
const HASH_LENGTH: u64 = 8;

/// The state of the compiler layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerStatus {
    /// The programs that wrote the imported indexes.
    pub tools: Vec<String>,
    /// Files whose content the layer describes.
    pub covered: u64,
    /// Files that were edited since, by path: our own rules resolve them.
    pub outdated: Vec<RepoPath>,
    /// Files that no longer exist, or are not indexed, by path.
    pub missing: Vec<RepoPath>,
}

/// The layer in the directory of a tree; `None` if there is none, or if it cannot be read.
pub(crate) fn read(tree: &Path) -> Option<Arc<CompilerLayer>> {
    let bytes = Directory::open(tree).ok()?.read(FILE, MAX_BYTES).ok()??;
    CompilerLayer::decode(&bytes).ok().map(Arc::new)
}

/// The hash of the layer in the directory of a tree; 0 if there is none.
pub(crate) fn version(tree: &Path) -> u64 {
    let hash = || {
        let bytes = Directory::open(tree).ok()?.read(HASH_FILE, HASH_LENGTH).ok()??;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    hash().unwrap_or_default()
}

impl Engine {
    /// The version of resolution: of the rules, and of the compiler layer.
    pub(crate) fn resolution_version(&self) -> u64 {
        // SQLite stores signed integers.
        self.classifier.resolution_version() ^ (version(&self.paths.tree) >> 1)
    }

    /// The compiler layer, if there is one.
    pub(crate) fn compiler_layer(&self) -> Option<Arc<CompilerLayer>> {
        read(&self.paths.tree)
    }

    /// Replaces the compiler layer, or removes it. The next refresh resolves everything again.
    pub(crate) fn replace_layer(&self, layer: Option<&CompilerLayer>) -> Result<(), EngineError> {
        let directory = self.own_directory()?;
        // A refresh in progress must not see two layers.
        let _lock = WriteLock::acquire(&self.paths.tree, |_| true)?;
        let unusable = |error: std::io::Error| StoreError::Unusable {
            path: self.paths.tree.clone(),
            reason: orient_store::unusable_reason(&error),
        };
        match layer {
            Some(layer) => {
                let bytes = layer.encode();
                let hash = blake3::hash(&bytes);
                directory.replace(FILE, &bytes).map_err(unusable)?;
                directory.replace(HASH_FILE, &hash.as_bytes()[..HASH_LENGTH as usize]).map_err(unusable)?;
            }
            None => {
                for name in [HASH_FILE, FILE] {
                    if directory.entry(name).is_some() {
                        directory.remove(name).map_err(unusable)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Removes the compiler layer; returns whether there was one.
    pub fn drop_compiler_layer(&self) -> Result<bool, EngineError> {
        let existed = version(&self.paths.tree) != 0;
        self.replace_layer(None)?;
        Ok(existed)
    }
}

impl Snapshot {
    /// The state of the compiler layer; `None` if there is none.
    pub fn layer_status(&self) -> Result<Option<LayerStatus>, EngineError> {
        let Some(layer) = read(&self.paths.tree) else { return Ok(None) };
        let mut status =
            LayerStatus { tools: layer.tools.iter().cloned().collect(), ..LayerStatus::default() };
        for (path, hash) in layer.files() {
            match self.file(path)?.and_then(|file| file.hash) {
                Some(now) if now == hash => status.covered += 1,
                Some(_) => status.outdated.push(path.clone()),
                None => status.missing.push(path.clone()),
            }
        }
        Ok(Some(status))
    }
}
