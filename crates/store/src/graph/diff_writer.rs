//! Writes the graph of a file in a change set: only the rows that differ from before.

use super::prepared_graph::PreparedGraph;
use super::reader::GraphReader;
use super::rows::{FileGraph, NodeId, StoredEdge};
use crate::codec::{self, id_list};
use crate::error::{AtPath, StoreError};
use crate::rows::{ChangeSummary, FileId, ManifestEntry};
use crate::sql::{edges, file_graphs, name_dependencies, symbols};
use crate::writer::change_set::{ChangeSet, delete_manifests, write_manifest};
use std::cmp::Ordering;

impl ChangeSet<'_> {
    /// Reads the index including this change set. Removed files are visible until [`ChangeSet::settle`].
    pub fn reader(&self) -> GraphReader<'_> {
        GraphReader { db: self.db, path: self.path }
    }

    /// Sets the version of the resolver that produces the edges.
    pub fn set_resolver(&mut self, resolver: u64) {
        self.next.resolver = resolver;
    }

    /// Files with edges to or from nodes that this change set removed. Those that remain must be resolved again.
    pub fn severed(&self) -> Vec<FileId> {
        self.severed.iter().copied().map(FileId).collect()
    }

    /// Replaces the graph of a file.
    pub fn put_graph(&mut self, put: &PreparedGraph) -> Result<(), StoreError> {
        let mut names = Vec::with_capacity(put.names.len());
        for name in &put.names {
            names.push(self.name_id(name).at(self.path)?);
        }
        names.sort_unstable();
        let data = put.data.as_ref().map(codec::Encoded::as_bytes);
        let data = data.map(|data| (put.files.as_slice(), data, put.surface.as_slice()));
        self.replace_graph(put.file, &put.graph, &names, data)?;
        if put.owed { self.owe(&[put.file]) } else { Ok(()) }
    }

    /// Removes the graph of a file.
    pub fn clear_graph(&mut self, file: FileId) -> Result<(), StoreError> {
        self.replace_graph(file, &FileGraph::default(), &[], None)
    }

    /// Commits a change set that changed only the graph. The manifest of all files stays valid.
    pub fn commit_graph(mut self) -> Result<ChangeSummary, StoreError> {
        self.commit_with_manifest(|_| Ok(()))
    }

    /// Commits the facts, with a tree manifest if one can be made, and continues with the graph.
    pub fn commit_facts(
        &mut self,
        manifest: Option<impl FnOnce(&[ManifestEntry]) -> Option<Vec<u8>>>,
    ) -> Result<ChangeSummary, StoreError> {
        let applied = self.commit_with_manifest(|db| match manifest {
            Some(manifest) => write_manifest(db, manifest),
            None => delete_manifests(db),
        })?;
        self.begin_again()?;
        Ok(applied)
    }

    /// Marks files as owed: they must be resolved, and their graphs stay as they are until then.
    pub fn owe(&mut self, files: &[FileId]) -> Result<(), StoreError> {
        for file in files {
            self.next.owed += u64::from(file_graphs::owe(self.db, file.0).at(self.path)?);
        }
        Ok(())
    }

    /// The files that are owed resolution, by id.
    pub fn owed(&self) -> Result<Vec<FileId>, StoreError> {
        self.reader().owed()
    }

    fn pay(&mut self, file: FileId) -> Result<(), StoreError> {
        if self.next.owed > 0 {
            self.next.owed -= u64::from(file_graphs::pay(self.db, file.0).at(self.path)?);
        }
        Ok(())
    }

    fn replace_graph(
        &mut self,
        file: FileId,
        new: &FileGraph,
        names: &[i64],
        data: Option<(&[u8], &[u8], &[u8])>,
    ) -> Result<(), StoreError> {
        self.pay(file)?;
        let damaged = |error: codec::CodecError| StoreError::damaged(self.path, error.to_string());
        let held = file_graphs::graph(self.db, file.0).at(self.path)?;
        let (mut before, mut asked) = (Vec::new(), Vec::new());
        if let Some(held) = &held {
            before = codec::decode_graph(&held.data).map_err(damaged)?.rows(file);
            asked = id_list::decode_ascending(&held.names).map_err(damaged)?;
        }
        let encoded = id_list::encode_ascending(names);
        let same = |held: &file_graphs::StoredGraph| {
            let stored = (held.files.as_slice(), held.data.as_slice(), held.surface.as_slice());
            held.names == encoded && data == Some(stored)
        };
        if held.as_ref().is_some_and(same) {
            return Ok(());
        }
        self.replace_edges(before, new.rows(file)).at(self.path)?;
        self.replace_name_dependencies(file, &asked, names).at(self.path)?;
        match data {
            Some((files, data, surface)) => {
                file_graphs::put_graph(self.db, file.0, &encoded, files, data, surface)
            }
            None if held.is_some() => file_graphs::delete_graph(self.db, file.0),
            None => Ok(()),
        }
        .at(self.path)
    }

    fn replace_edges(&self, mut old: Vec<StoredEdge>, mut new: Vec<StoredEdge>) -> rusqlite::Result<()> {
        old.sort_unstable_by_key(StoredEdge::key);
        new.sort_unstable_by_key(StoredEdge::key);
        let mut changes = Vec::new();
        merge(&old, &new, StoredEdge::key, |old, new| {
            if old != new {
                changes.push((old, new));
            }
            Ok(())
        })?;
        edges::change(self.db, &changes)
    }

    fn replace_name_dependencies(&mut self, file: FileId, old: &[i64], new: &[i64]) -> rusqlite::Result<()> {
        let mut released = Vec::new();
        merge(
            old,
            new,
            |&name| name,
            |old, new| match (old, new) {
                (Some(&name), None) => {
                    released.push(name);
                    name_dependencies::delete(self.db, name, file.0)
                }
                (None, Some(&name)) => name_dependencies::insert(self.db, name, file.0),
                _ => Ok(()),
            },
        )?;
        self.released.extend(released);
        Ok(())
    }

    /// Records the files that produced edges to or from a node before it is removed.
    pub(crate) fn sever(&mut self, node: NodeId) -> rusqlite::Result<()> {
        let mut edges = edges::incoming(self.db, node.0)?;
        edges.extend(edges::from_foreign(self.db, node.0)?);
        for edge in edges {
            let file = match edge.owner {
                0 if edge.source < 0 => Some(-edge.source),
                // The file of a source that is already removed belongs to this change set anyway.
                0 => symbols::hit(self.db, edge.source)?.map(|hit| hit.file),
                owner => Some(owner),
            };
            self.severed.extend(file);
        }
        Ok(())
    }
}

/// Merges two sorted lists: passes each element of one, the other or both.
fn merge<'l, T, K: Ord>(
    old: &'l [T],
    new: &'l [T],
    key: impl Fn(&T) -> K,
    mut see: impl FnMut(Option<&'l T>, Option<&'l T>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => key(a).cmp(&key(b)),
        };
        let left = if order.is_le() { old.next() } else { None };
        let right = if order.is_ge() { new.next() } else { None };
        see(left, right)?;
    }
}
