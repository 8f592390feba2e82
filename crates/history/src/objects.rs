//! Commits, folders and files by their names, wherever the repository keeps them.

use crate::error::HistoryError;
use crate::inflate::{LARGEST, inflate};
use crate::oid::Oid;
use crate::pack::{Pack, Packed};
use crate::{delta, refs};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many steps an object may be away from one that is written whole. Git itself keeps to 4,095.
const LONGEST_CHAIN: usize = 5000;
/// How many folders of other repositories objects may be borrowed from.
const MOST_FOLDERS: usize = 32;
/// What is kept to make the next object from: folders of one history differ little from each other.
const KEPT: usize = 2000;
const KEPT_SIZE: usize = 64 * 1024;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) data: Arc<Vec<u8>>,
}

/// All objects of a repository.
pub(crate) struct Objects {
    folders: Vec<PathBuf>,
    packs: Vec<Pack>,
    kept: BTreeMap<(usize, u64), Object>,
}

impl Objects {
    /// Those of a repository, with those it borrows from others.
    pub(crate) fn open(common_dir: &Path) -> Self {
        let mut folders = vec![common_dir.join("objects")];
        let mut at = 0;
        while let Some(folder) = folders.get(at).cloned() {
            at += 1;
            let Ok(list) = refs::small_file(&folder.join("info/alternates")) else { continue };
            for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let Ok(other) = folder.join(line).canonicalize() else { continue };
                if folders.len() < MOST_FOLDERS && !folders.contains(&other) {
                    folders.push(other);
                }
            }
        }
        let mut packs = Vec::new();
        for folder in &folders {
            let Ok(entries) = fs::read_dir(folder.join("pack")) else { continue };
            let mut lists: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            lists.retain(|path| path.extension().is_some_and(|end| end == "idx") && path.is_file());
            lists.sort();
            for list in lists {
                // A pack that was just replaced by another is gone; its objects are in that one.
                packs.extend(Pack::open(&list).ok().flatten());
            }
        }
        Self { folders, packs, kept: BTreeMap::new() }
    }

    /// An object by its name; none where there is none.
    pub(crate) fn find(&mut self, oid: &Oid) -> Result<Option<Object>, HistoryError> {
        self.follow(oid, 0).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                HistoryError::Damaged(format!("{oid}: {error}"))
            }
            _ => error.into(),
        })
    }

    /// An object of a kind, which must be there.
    pub(crate) fn get(&mut self, oid: &Oid, kind: Kind) -> Result<Object, HistoryError> {
        match self.find(oid)? {
            Some(object) if object.kind == kind => Ok(object),
            Some(_) => Err(HistoryError::Damaged(format!("{oid} is not what it should be"))),
            None => Err(HistoryError::Damaged(format!("{oid} is missing"))),
        }
    }

    /// The names that begin with these hexadecimal digits, sorted; no more than `most`.
    pub(crate) fn beginning(&mut self, digits: &[u8], most: usize) -> Result<Vec<Oid>, HistoryError> {
        let [high, low, ..] = digits else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let first = format!("{high:x}{low:x}");
        for folder in &self.folders {
            let Ok(entries) = fs::read_dir(folder.join(&first)) else { continue };
            let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
            let oids = names.filter_map(|name| Oid::parse(&format!("{first}{name}")));
            found.extend(oids.filter(|oid| oid.begins_with(digits)));
        }
        for pack in &mut self.packs {
            found.extend(pack.beginning(digits, most)?);
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(most);
        Ok(found)
    }

    fn follow(&mut self, oid: &Oid, depth: usize) -> io::Result<Option<Object>> {
        for at in 0..self.packs.len() {
            if let Some(offset) = self.packs[at].find(oid)? {
                return self.unpacked(at, offset, depth).map(Some);
            }
        }
        self.loose(oid)
    }

    /// An object in a file of its own.
    fn loose(&self, oid: &Oid) -> io::Result<Option<Object>> {
        let name = oid.to_string();
        let (first, rest) = name.split_at(2);
        for folder in &self.folders {
            let path = folder.join(first).join(rest);
            if !path.is_file() {
                continue;
            }
            let mut file = BufReader::new(File::open(path)?);
            // The head stands before the content, so a little more than the largest object may come.
            let mut data = inflate(&mut file, LARGEST + 64)?;
            let head = data.iter().position(|&byte| byte == 0).ok_or_else(damaged)?;
            let (kind, size) = head_of(&data[..head]).ok_or_else(damaged)?;
            data.drain(..=head);
            if data.len() != size {
                return Err(damaged());
            }
            return Ok(Some(Object { kind, data: Arc::new(data) }));
        }
        Ok(None)
    }

    /// An object of a pack, made from those it differs from.
    fn unpacked(&mut self, pack: usize, offset: u64, depth: usize) -> io::Result<Object> {
        let mut changes: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut at = offset;
        let mut object = loop {
            if let Some(kept) = self.kept.get(&(pack, at)) {
                break kept.clone();
            }
            if depth + changes.len() > LONGEST_CHAIN {
                return Err(damaged());
            }
            match self.packs[pack].read(at)? {
                Packed::Whole(kind, data) => {
                    let object = Object { kind: numbered(kind).ok_or_else(damaged)?, data: Arc::new(data) };
                    self.keep(pack, at, &object);
                    break object;
                }
                Packed::Behind(base, change) => {
                    changes.push((at, change));
                    at = base;
                }
                Packed::Named(base, change) => {
                    changes.push((at, change));
                    let found = self.packs[pack].find(&base)?;
                    if let Some(offset) = found {
                        at = offset;
                    } else {
                        let depth = depth + changes.len();
                        break self.follow(&base, depth)?.ok_or_else(damaged)?;
                    }
                }
            }
        };
        for (place, change) in changes.into_iter().rev() {
            let data = delta::apply(&object.data, &change).ok_or_else(damaged)?;
            object = Object { kind: object.kind, data: Arc::new(data) };
            self.keep(pack, place, &object);
        }
        Ok(object)
    }

    fn keep(&mut self, pack: usize, offset: u64, object: &Object) {
        if object.data.len() <= KEPT_SIZE {
            if self.kept.len() >= KEPT {
                self.kept.clear();
            }
            self.kept.insert((pack, offset), object.clone());
        }
    }
}

/// `commit 123`
fn head_of(head: &[u8]) -> Option<(Kind, usize)> {
    let (kind, size) = std::str::from_utf8(head).ok()?.split_once(' ')?;
    let kind = match kind {
        "commit" => Kind::Commit,
        "tree" => Kind::Tree,
        "blob" => Kind::Blob,
        "tag" => Kind::Tag,
        _ => return None,
    };
    Some((kind, size.parse().ok()?))
}

fn numbered(number: u8) -> Option<Kind> {
    Some(match number {
        1 => Kind::Commit,
        2 => Kind::Tree,
        3 => Kind::Blob,
        4 => Kind::Tag,
        _ => return None,
    })
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not what it should be")
}
