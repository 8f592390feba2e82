//! Imports of indexes that lie in the tree, as far as the user allowed it: by `index`, and in the background of a server.

use super::consent;
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::plural;
use orient_engine::{Engine, FoundIndex, ImportState, LayerPublication, ScipImportError, Snapshot};
use std::path::Path;

/// What was imported because the user had allowed it.
#[derive(Default)]
pub(crate) struct AllowedImport {
    /// The indexes.
    indexes: Vec<String>,
    /// Number of documents that describe files as they are.
    pub(crate) documents: u64,
    /// Why others were not imported.
    failed: Vec<String>,
}

impl AllowedImport {
    /// What was done, for the reader.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.indexes.is_empty() {
            let documents = plural(self.documents, "document", "documents");
            notes.push(format!("imported {}: {documents}", self.indexes.join(", ")));
        }
        notes.extend(self.failed.iter().cloned());
        notes
    }

    /// Why an index was not imported.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failed.first().map(String::as_str)
    }
}

/// Whether the user allowed importing the indexes that are found in a tree.
pub(crate) fn is_import_allowed(directory: &Path, root: &Path) -> bool {
    consent::is_allowed(directory, root)
}

/// The indexes in the usual places whose content nobody tried to import yet.
pub(crate) fn new_indexes(engine: &Engine, snapshot: &Snapshot) -> Result<Vec<FoundIndex>, ToolError> {
    let found = engine.find_scip_indexes(snapshot)?;
    Ok(found.into_iter().filter(|index| index.state == ImportState::New).collect())
}

/// Imports indexes. One that cannot be read is named, and stops nothing else.
pub(crate) fn import_indexes(
    engine: &Engine,
    snapshot: &Snapshot,
    indexes: Vec<FoundIndex>,
    publication: LayerPublication<'_>,
) -> Result<AllowedImport, ToolError> {
    let mut done = AllowedImport::default();
    for index in indexes {
        match engine.import_scip(snapshot, std::slice::from_ref(&index.file), publication) {
            Ok(imported) => {
                done.indexes.push(index.path.display().into_owned());
                done.documents += imported.documents;
            }
            Err(ScipImportError::Engine(error)) => return Err(error.into()),
            Err(error) => done.failed.push(error.to_string()),
        }
    }
    Ok(done)
}

/// Imports the indexes in the usual places that are new, if the user allowed it; the next refresh resolves with them.
pub(crate) fn import_allowed(session: &Session<'_>, snapshot: &Snapshot) -> Result<AllowedImport, ToolError> {
    if session.in_memory() || !is_import_allowed(&session.private_directory(false)?, session.root()) {
        return Ok(AllowedImport::default());
    }
    let engine = session.engine()?;
    import_indexes(engine, snapshot, new_indexes(engine, snapshot)?, LayerPublication::NextRefresh)
}
