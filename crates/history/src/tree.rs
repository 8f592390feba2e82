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
    let mut root = top;
    for part in prefix {
        let tree = objects.get(&root, Kind::Tree)?;
        let Some((_, _, oid)) = entries(&tree.data).find(|(mode, name, _)| is_folder(mode) && name == part)
        else {
            return Ok(BTreeMap::new());
        };
        root = oid;
    }
    let mut files = BTreeMap::new();
    let mut waiting: Vec<(Vec<u8>, Oid, usize)> = vec![(Vec::new(), root, 0)];
    while let Some((path, oid, depth)) = waiting.pop() {
        if depth > DEEP || files.len() + waiting.len() > MANY {
            return Err(HistoryError::Unsupported("a commit has more files than can be"));
        }
        let tree = objects.get(&oid, Kind::Tree)?;
        for (mode, name, oid) in entries(&tree.data) {
            let mut inner = path.clone();
            inner.extend_from_slice(name);
            if is_folder(mode) {
                inner.push(b'/');
                waiting.push((inner, oid, depth + 1));
            } else if mode.starts_with(b"100") {
                files.insert(RepoPath::new(inner), oid);
            }
        }
    }
    Ok(files)
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
