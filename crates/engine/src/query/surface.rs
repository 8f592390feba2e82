//! The surface of the program: what all files say about it, joined.

use crate::{EngineError, NodeId, Snapshot};
use orient_model::SurfaceEntry;
use orient_resolve::{Endpoint, FileSurface, join_surface};

impl Snapshot {
    /// The endpoints, by path, method, and where they are registered. Joined for every query: a program has few
    /// routers, and what is not stored is never out of date.
    pub fn endpoints(&self) -> Result<Vec<Endpoint<NodeId>>, EngineError> {
        let view = self.graph();
        let mut files = Vec::new();
        for (file, surface) in self.store.reader().surfaces()? {
            files.push(FileSurface { surface, test: view.is_test(file.into())? });
        }
        Ok(join_surface(&files))
    }

    /// The surface entries besides endpoints, by file.
    pub fn surface_entries(&self) -> Result<Vec<SurfaceEntry<NodeId>>, EngineError> {
        let surfaces = self.store.reader().surfaces()?;
        Ok(surfaces.into_iter().flat_map(|(_, surface)| surface.entries).collect())
    }
}
