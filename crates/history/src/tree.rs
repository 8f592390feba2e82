//! All files of a commit below a folder.

use crate::error::HistoryError;
use crate::objects::{Kind, Objects};
use crate::oid::{LENGTH, Oid};
use orient_model::RepoPath;
use std::collections::BTreeMap;

/// How deep folders may lie in each other, and how many files there may be: a few objects can claim any number.
const DEEP: usize = 256;
const MANY: usize = 10_000_000;

/// The plain files of a commit by their paths from `prefix`, which leads from the top of the working tree to the root.
/// Links and other repositories are left out: their content is not read.
pub(crate) fn files(
    objects: &mut Objects,
    top: Oid,
    prefix: &[&[u8]],
) -> Result<BTreeMap<RepoPath, Oid>, HistoryError> {
    let files = new_files(objects, top, None, prefix)?;
    Ok(files.into_iter().map(|(path, (oid, _))| (path, oid)).collect())
}

/// The plain files of a commit, by their paths from `prefix`, that another commit does not have just so, and whether it has
/// one at that path at all: all of them where there is no other. Folders that both have are not looked into, so that this takes as long as they differ.
pub(crate) fn new_files(
    objects: &mut Objects,
    top: Oid,
    other: Option<Oid>,
    prefix: &[&[u8]],
) -> Result<BTreeMap<RepoPath, (Oid, bool)>, HistoryError> {
    let mut files = BTreeMap::new();
    let Some(root) = below(objects, top, prefix)? else { return Ok(files) };
    let other = other.map(|other| below(objects, other, prefix)).transpose()?.flatten();
    let mut waiting = vec![(Vec::new(), root, other, 0)];
    while let Some((path, folder, beside, depth)) = waiting.pop() {
        if Some(folder) == beside {
            continue;
        }
        if depth > DEEP || files.len() + waiting.len() > MANY {
            return Err(HistoryError::Unsupported("a commit has more files than can be"));
        }
        let (tree, beside) =
            (objects.get(&folder, Kind::Tree)?, beside.map(|oid| objects.get(&oid, Kind::Tree)));
        let beside = beside.transpose()?;
        let beside: BTreeMap<&[u8], (&[u8], Oid)> = beside.as_ref().map_or_else(BTreeMap::new, |tree| {
            entries(&tree.data).map(|(mode, name, oid)| (name, (mode, oid))).collect()
        });
        for (mode, name, oid) in entries(&tree.data) {
            let mut inner: Vec<u8> = path.clone();
            inner.extend_from_slice(name);
            let there = beside.get(name);
            if is_folder(mode) {
                inner.push(b'/');
                let there = there.filter(|(mode, _)| is_folder(mode)).map(|(_, oid)| *oid);
                waiting.push((inner, oid, there, depth + 1));
            } else if is_file(mode) && there.is_none_or(|(_, there)| *there != oid) {
                files.insert(RepoPath::new(inner), (oid, there.is_some_and(|(mode, _)| is_file(mode))));
            }
        }
    }
    Ok(files)
}

/// The folder that `prefix` leads to; none where there is none.
fn below(objects: &mut Objects, top: Oid, prefix: &[&[u8]]) -> Result<Option<Oid>, HistoryError> {
    let mut at = top;
    for part in prefix {
        let tree = objects.get(&at, Kind::Tree)?;
        let found = entries(&tree.data).find(|(mode, name, _)| is_folder(mode) && name == part);
        let Some((_, _, oid)) = found else { return Ok(None) };
        at = oid;
    }
    Ok(Some(at))
}

fn is_file(mode: &[u8]) -> bool {
    mode.starts_with(b"100")
}

fn is_folder(mode: &[u8]) -> bool {
    mode == b"40000" || mode == b"040000"
}

/// Mode, name and object of each entry; what is not of that form ends them.
fn entries(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8], Oid)> {
    std::iter::from_fn(move || {
        let space = rest.iter().position(|&byte| byte == b' ')?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let (mode, name) = (rest.get(..space)?, rest.get(space + 1..end)?);
        let oid = Oid::read(rest.get(end + 1..)?)?;
        rest = &rest[end + 1 + LENGTH..];
        Some((mode, name, oid))
    })
}
