//! Lists and compares git trees: the files of a commit below a directory.

use crate::error::HistoryError;
use crate::object_store::{ObjectKind, ObjectStore};
use crate::oid::{self, Oid};
use gix_hash::Kind as HashKind;
use orient_model::RepoPath;
use std::collections::BTreeMap;

/// Maximum depth of directories.
const MAX_DEPTH: usize = 256;

/// The regular files of a tree below `prefix`, by their path relative to it. Symbolic links and submodules are omitted.
pub(crate) fn files(
    objects: &mut ObjectStore,
    top: Oid,
    prefix: &[&[u8]],
) -> Result<BTreeMap<RepoPath, Oid>, HistoryError> {
    let files = new_files(objects, top, None, prefix)?;
    Ok(files.into_iter().map(|(path, (oid, _))| (path, oid)).collect())
}

/// The regular files of a tree below `prefix` that another tree does not contain with the same content, and whether the
/// other has a file at that path; all files if there is no other tree. Subtrees with equal ids are skipped, so the cost
/// grows with the difference.
pub(crate) fn new_files(
    objects: &mut ObjectStore,
    top: Oid,
    other: Option<Oid>,
    prefix: &[&[u8]],
) -> Result<BTreeMap<RepoPath, (Oid, bool)>, HistoryError> {
    let mut files = BTreeMap::new();
    let Some(root) = subtree(objects, top, prefix)? else { return Ok(files) };
    let other = other.map(|other| subtree(objects, other, prefix)).transpose()?.flatten();
    let mut stack = vec![(Vec::new(), root, other, 0)];
    let mut room = objects.limits.listing();
    while let Some((path, dir, other, depth)) = stack.pop() {
        if Some(dir) == other {
            continue;
        }
        if depth > MAX_DEPTH {
            return Err(HistoryError::Unsupported("a commit has directories that are too deep"));
        }
        let tree = objects.get(&dir, ObjectKind::Tree)?;
        let other = other.map(|oid| objects.get(&oid, ObjectKind::Tree)).transpose()?;
        let others: BTreeMap<&[u8], (&[u8], Oid)> = other.as_ref().map_or_else(BTreeMap::new, |tree| {
            entries(&tree.data, objects.hash()).map(|(mode, name, oid)| (name, (mode, oid))).collect()
        });
        for (mode, name, oid) in entries(&tree.data, objects.hash()) {
            let mut inner: Vec<u8> = path.clone();
            inner.extend_from_slice(name);
            room.take(&inner)?;
            let other = others.get(name);
            if is_dir(mode) {
                inner.push(b'/');
                let other = other.filter(|(mode, _)| is_dir(mode)).map(|(_, oid)| *oid);
                stack.push((inner, oid, other, depth + 1));
            } else if is_file(mode) && other.is_none_or(|(_, other)| *other != oid) {
                files.insert(RepoPath::new(inner), (oid, other.is_some_and(|(mode, _)| is_file(mode))));
            }
        }
    }
    Ok(files)
}

/// The subtree at `prefix`, if it exists.
pub(crate) fn subtree(
    objects: &mut ObjectStore,
    top: Oid,
    prefix: &[&[u8]],
) -> Result<Option<Oid>, HistoryError> {
    let mut at = top;
    for part in prefix {
        let tree = objects.get(&at, ObjectKind::Tree)?;
        let found = entries(&tree.data, objects.hash()).find(|(mode, name, _)| is_dir(mode) && name == part);
        let Some((_, _, oid)) = found else { return Ok(None) };
        at = oid;
    }
    Ok(Some(at))
}

pub(crate) fn is_file(mode: &[u8]) -> bool {
    mode.starts_with(b"100")
}

pub(crate) fn is_dir(mode: &[u8]) -> bool {
    mode == b"40000" || mode == b"040000"
}

/// Mode, name and object id of each entry, up to the first malformed one.
pub(crate) fn entries(mut rest: &[u8], hash: HashKind) -> impl Iterator<Item = (&[u8], &[u8], Oid)> {
    std::iter::from_fn(move || {
        let space = rest.iter().position(|&byte| byte == b' ')?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let (mode, name) = (rest.get(..space)?, rest.get(space + 1..end)?);
        let oid = oid::read(rest.get(end + 1..)?, hash)?;
        rest = &rest[end + 1 + hash.len_in_bytes()..];
        Some((mode, name, oid))
    })
}
