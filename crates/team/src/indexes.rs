//! Opens the index of a published tree: a worker to publish it, a node to answer from it. Both do the same, so that what a node
//! answers is what a local index of the commit would.

use crate::artefacts::import_artefact;
use crate::contents::ContentCache;
use crate::data_directory::DataDirectory;
use crate::database::Database;
use crate::error::TeamError;
use crate::published_tree::{BranchEntry, Manifests, PublishedTree};
use orient_engine::{Engine, NoProgress, RefreshOptions};
use orient_settings::REPOSITORY_FILE;
use orient_tools::OpenTree;
use std::sync::Arc;

/// Opens indexes in a data directory.
#[derive(Clone)]
pub(crate) struct Indexes {
    pub(crate) database: Arc<Database>,
    pub(crate) data: DataDirectory,
    pub(crate) contents: ContentCache,
}

/// A repository whose tree is opened.
pub(crate) struct OpenedRepository<'r> {
    pub(crate) id: i64,
    pub(crate) name: &'r str,
    /// The facts of a similar tree.
    pub(crate) artefact: Option<i64>,
}

impl Indexes {
    pub(crate) fn new(database: Arc<Database>, data: DataDirectory) -> Self {
        let contents = ContentCache::new(database.clone(), data.clone());
        Self { database, data, contents }
    }

    /// Opens the tree with these entries, and brings its index up to date. It starts from the most similar index of the repository
    /// in the data directory, else from the artefact, else from nothing.
    pub(crate) fn open(
        &self,
        repository: &OpenedRepository<'_>,
        entries: &[BranchEntry],
    ) -> Result<OpenTree, TeamError> {
        let options = self.data.session_options(repository.id, repository.name)?;
        let manifests = Manifests::new(&self.data, repository.id);
        let (root, contents) = (options.start.clone(), self.contents.clone());
        let tree = Arc::new(PublishedTree::new(root, entries, contents, manifests.clone()));
        let settings = tree.text(REPOSITORY_FILE)?;
        let open = OpenTree::open_stored(options, tree.clone(), settings)?;
        let engine = open.engine();
        if !has_any_index(engine) {
            if let Some(artefact) = repository.artefact
                && !import_artefact(&self.database, &self.data, artefact, engine)?
            {
                tracing::warn!("the stored facts of a repository cannot be used");
            }
            self.contents.prefetch(entries.iter().filter_map(|entry| entry.content.as_ref()))?;
        }
        engine.refresh(&RefreshOptions::default(), &NoProgress)?;
        manifests.keep(&tree, || engine.stored_trees())?;
        Ok(open)
    }
}

/// Whether the data directory has an index of the repository to start from.
fn has_any_index(engine: &Engine) -> bool {
    let trees = std::fs::read_dir(&engine.store_paths().repository).into_iter().flatten().flatten();
    let own = engine.store_paths().index();
    let name = own.file_name().unwrap_or_default().to_owned();
    trees.into_iter().any(|tree| tree.path().join(&name).exists())
}
