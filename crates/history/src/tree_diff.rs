//! Compares two trees: which files were added, deleted or changed.

use crate::error::HistoryError;
use crate::object_store::{ObjectKind, ObjectStore};
use crate::oid::Oid;
use crate::tree::entries;
use std::cmp::Ordering;

/// Maximum depth of directories.
const MAX_DEPTH: usize = 256;

/// The content of a file in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob {
    /// The id of the content.
    pub id: Oid,
    /// The type of the file.
    pub kind: BlobKind,
    /// Whether the file may be executed: the only part of its mode that git keeps.
    pub is_executable: bool,
}

impl Blob {
    /// Whether two files have the same content, whatever their modes are.
    pub fn is_same_content(&self, other: &Self) -> bool {
        (self.id, self.kind) == (other.id, other.kind)
    }
}

/// The type of an entry that is not a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlobKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// The commit of a submodule, whose content is in another repository.
    Submodule,
}

/// A path whose content or mode differs between two trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeChange {
    pub(crate) path: Vec<u8>,
    pub(crate) old: Option<Blob>,
    pub(crate) new: Option<Blob>,
}

/// The differing paths of two trees, sorted. Subtrees with equal ids are skipped, so the cost grows with the difference.
pub(crate) fn diff(
    objects: &mut ObjectStore,
    old: Option<Oid>,
    new: Option<Oid>,
) -> Result<Vec<TreeChange>, HistoryError> {
    let (mut changes, mut room) = (Vec::new(), objects.limits.listing());
    let mut stack = vec![(Vec::new(), old, new, 0)];
    while let Some((prefix, old, new, depth)) = stack.pop() {
        if old == new {
            continue;
        }
        if depth > MAX_DEPTH {
            return Err(HistoryError::Unsupported("a commit has directories that are too deep"));
        }
        let hash = objects.hash();
        let old = old.map(|oid| objects.get(&oid, ObjectKind::Tree)).transpose()?;
        let new = new.map(|oid| objects.get(&oid, ObjectKind::Tree)).transpose()?;
        let mut left = old.iter().flat_map(|tree| entries(&tree.data, hash)).peekable();
        let mut right = new.iter().flat_map(|tree| entries(&tree.data, hash)).peekable();
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => compare(a, b),
            };
            let a = if order == Ordering::Greater { None } else { left.next() };
            let b = if order == Ordering::Less { None } else { right.next() };
            let Some((mode, name, _)) = a.or(b) else { break };
            if let (Some(a), Some(b)) = (a, b)
                && a.0 == b.0
                && a.2 == b.2
            {
                continue;
            }
            let mut path = prefix.clone();
            path.extend_from_slice(name);
            room.take(&path)?;
            if kind(mode).is_none() {
                path.push(b'/');
                stack.push((path, a.map(|entry| entry.2), b.map(|entry| entry.2), depth + 1));
                continue;
            }
            let stored = |entry: (&[u8], &[u8], Oid)| blob(entry.0, entry.2);
            let (old, new) = (a.and_then(stored), b.and_then(stored));
            if old != new {
                changes.push(TreeChange { path, old, new });
            }
        }
    }
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

/// The file at a path of a tree, if there is one.
pub(crate) fn blob_at(
    objects: &mut ObjectStore,
    tree: &Oid,
    path: &[u8],
) -> Result<Option<Blob>, HistoryError> {
    let mut at = *tree;
    let mut parts = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let hash = objects.hash();
        let tree = objects.get(&at, ObjectKind::Tree)?;
        let Some((mode, _, oid)) = entries(&tree.data, hash).find(|(_, name, _)| *name == part) else {
            return Ok(None);
        };
        match (blob(mode, oid), parts.peek()) {
            (Some(blob), None) => return Ok(Some(blob)),
            (None, Some(_)) => at = oid,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// The order of git: a directory sorts as if its name ended with a slash.
fn compare(a: &(&[u8], &[u8], Oid), b: &(&[u8], &[u8], Oid)) -> Ordering {
    let key = |entry: &(&[u8], &[u8], Oid), at: usize| match entry.1.get(at) {
        Some(&byte) => Some(byte),
        None if at == entry.1.len() && kind(entry.0).is_none() => Some(b'/'),
        None => None,
    };
    let shared = a.1.len().min(b.1.len());
    a.1[..shared].cmp(&b.1[..shared]).then_with(|| {
        (shared..=shared + 1)
            .map(|at| key(a, at).cmp(&key(b, at)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}

/// An entry that is not a directory.
fn blob(mode: &[u8], id: Oid) -> Option<Blob> {
    let kind = kind(mode)?;
    // The bit of the owner, as in git: trees of old versions have further modes.
    let owner =
        mode.len().checked_sub(3).and_then(|at| mode.get(at)).map_or(0, |digit| digit.wrapping_sub(b'0'));
    Some(Blob { id, kind, is_executable: kind == BlobKind::File && owner & 1 == 1 })
}

/// The type of an entry, by its mode. `None` for a directory.
pub(crate) fn kind(mode: &[u8]) -> Option<BlobKind> {
    match mode {
        b"40000" | b"040000" => None,
        b"120000" => Some(BlobKind::Link),
        b"160000" => Some(BlobKind::Submodule),
        _ => Some(BlobKind::File),
    }
}
