//! The endpoints of the program: what all files say about its surface, joined.

use crate::{EngineError, NodeId, Snapshot};
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
}
