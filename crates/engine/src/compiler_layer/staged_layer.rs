//! A compiler layer that becomes visible together with the graph that is resolved with it.
//!
//! A layer is a part of the version of resolution: once its file is written, every question first resolves the whole repository. A server that
//! answers meanwhile must not wait for that. So the layer is staged: a second engine resolves with it under the write lock, and its file is written
//! just before the graph is committed. Until then, answers come from the graph as it was.

use super::{CompilerLayers, LayerSource, layer_files, read, version_of};
use crate::progress::{Cancel, NoProgress};
use crate::{Engine, EngineError, RefreshOptions};
use orient_store::{CompilerLayer, WriteLock};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// When the graph shows a change of a layer.
#[derive(Clone, Copy, Debug)]
pub enum LayerPublication<'c> {
    /// After the next refresh, which resolves everything. The change itself takes no time.
    NextRefresh,
    /// When the change is made, which resolves everything while questions are answered from the graph as it was.
    Resolved(&'c Cancel),
}

/// A layer that waits for the graph that is resolved with it.
pub(crate) struct StagedLayer {
    source: LayerSource,
    layer: CompilerLayer,
    content: Vec<u8>,
    head: Vec<u8>,
    hash: u64,
    /// The hash of the layer that it was made from.
    replaces: u64,
    is_written: AtomicBool,
}

impl StagedLayer {
    /// The hash of a layer in the directory of a tree, or of the staged one.
    pub(super) fn version_with(staged: Option<&Self>, tree: &Path, source: LayerSource) -> u64 {
        match staged {
            Some(staged) if staged.source == source => staged.hash,
            _ => version_of(tree, source),
        }
    }

    /// The layers of a tree with this one among them.
    pub(super) fn layers(&self, tree: &Path) -> Arc<CompilerLayers> {
        let layer =
            |source| if source == self.source { Some(self.layer.clone()) } else { read(tree, source) };
        let [scip, servers] = LayerSource::ALL.map(layer);
        Arc::new(CompilerLayers { scip, servers })
    }
}

impl Engine {
    /// Makes a changed layer visible together with the graph that is resolved with it.
    pub(super) fn publish_resolved(
        &self,
        source: LayerSource,
        cancel: &Cancel,
        change: impl FnOnce(Option<CompilerLayer>) -> CompilerLayer,
    ) -> Result<(), EngineError> {
        let replaces = version_of(&self.paths.tree, source);
        let layer = change(read(&self.paths.tree, source));
        let (content, head, hash) = layer_files(&layer);
        if hash == replaces {
            return Ok(());
        }
        let engine =
            Self::of_tree(self.repo.clone(), self.tree.clone(), self.paths.clone(), self.settings.clone())?;
        let is_written = AtomicBool::new(false);
        let staged = StagedLayer { source, layer, content, head, hash, replaces, is_written };
        let staged = engine.staged_layer.get_or_init(|| staged);
        let options = RefreshOptions {
            max_resolved_with_change: Some(usize::MAX),
            cancel: cancel.clone(),
            ..RefreshOptions::default()
        };
        engine.refresh(&options, &NoProgress)?;
        if staged.is_written.load(Ordering::Relaxed) { Ok(()) } else { Err(self.layer_is_busy()) }
    }

    /// Writes the staged layer, if there is one. The caller holds the write lock and commits the graph next.
    pub(crate) fn write_staged_layer(&self) -> Result<(), EngineError> {
        let Some(staged) = self.staged_layer.get() else { return Ok(()) };
        if version_of(&self.paths.tree, staged.source) != staged.replaces {
            return Err(self.layer_is_busy());
        }
        self.write_layer(staged.source, &staged.content, &staged.head)?;
        staged.is_written.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Another process changed the layer, or rebuilds the index: the caller tries again.
    fn layer_is_busy(&self) -> EngineError {
        EngineError::Busy { holder: WriteLock::holder(&self.paths.tree), waited: Duration::ZERO }
    }
}
