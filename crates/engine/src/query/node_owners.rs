//! The file of each node and the projects of the tree, for queries about files and packages.

use crate::{EngineError, NodeId, Snapshot};
use orient_model::{RepoPath, Says};
use orient_store::{FileRow, INDEXED};
use rustc_hash::FxHashMap;

/// The indexed files by path, and the file of every node.
pub struct NodeOwners {
    /// The files.
    pub files: Vec<FileRow>,
    of: FxHashMap<NodeId, u32>,
}

impl NodeOwners {
    /// The index of a node's file in `files`.
    pub fn of(&self, node: NodeId) -> Option<u32> {
        self.of.get(&node).copied()
    }
}

/// A project: a directory with a project file that names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Project {
    /// The directory; empty for the root.
    pub directory: String,
    /// The name that others import it by.
    pub name: String,
}

impl Project {
    /// Whether a file is in the directory.
    pub fn contains(&self, path: &RepoPath) -> bool {
        let shown = path.display();
        self.directory.is_empty()
            || shown.strip_prefix(self.directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl Snapshot {
    /// The file of every node.
    pub fn node_owners(&self) -> Result<NodeOwners, EngineError> {
        let mut files = Vec::new();
        self.store.each_file(|file| files.push(file))?;
        files.retain(|file| file.status == INDEXED);
        let mut of = FxHashMap::default();
        for (index, file) in files.iter().enumerate() {
            of.insert(NodeId::from(file.id), index as u32);
            for id in self.store.symbol_ids(file.id)? {
                of.insert(id.into(), index as u32);
            }
        }
        Ok(NodeOwners { files, of })
    }

    /// The projects of the tree, by directory. The first project file of a directory names it.
    pub fn projects(&self) -> Result<Vec<Project>, EngineError> {
        let mut projects: Vec<Project> = Vec::new();
        for id in self.store.reader().project_files()? {
            let (Some(file), Some(outline)) = (self.store.file_by_id(id)?, self.store.outline(id)?) else {
                continue;
            };
            let name = outline.manifest.iter().find(|statement| statement.says == Says::Name);
            if let Some(statement) = name {
                let name = outline.strings.get(statement.value).to_owned();
                let directory = RepoPath::new(file.path.directory()).display().into_owned();
                projects.push(Project { directory, name });
            }
        }
        projects.sort_by(|a, b| a.directory.cmp(&b.directory));
        projects.dedup_by(|b, a| a.directory == b.directory);
        Ok(projects)
    }
}
