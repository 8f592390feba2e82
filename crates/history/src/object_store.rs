//! The object store: reads loose objects, packfiles and alternates by object id.

use crate::delta::apply as apply_delta;
use crate::error::HistoryError;
use crate::inflate::{MAX_OBJECT, inflate};
use crate::oid::Oid;
use crate::packfile::{PackEntry, Packfile};
use crate::refs;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum length of a delta chain. Git itself writes at most 4,095.
const MAX_DELTA_CHAIN: usize = 5000;
/// Maximum number of object directories, including alternates.
const MAX_DIRS: usize = 32;
/// Maximum number of cached objects. They are likely delta bases of the next ones, since trees of one history are similar.
const MAX_CACHED: usize = 2000;
/// Maximum size of a cached object.
const MAX_CACHED_SIZE: usize = 64 * 1024;

/// The type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) data: Arc<Vec<u8>>,
}

/// All objects of a repository.
pub(crate) struct ObjectStore {
    dirs: Vec<PathBuf>,
    packs: Vec<Packfile>,
    /// By packfile and offset.
    cache: BTreeMap<(usize, u64), Object>,
}

impl ObjectStore {
    /// Opens the object directory of a repository and its alternates.
    pub(crate) fn open(common_dir: &Path) -> Self {
        let mut dirs = vec![common_dir.join("objects")];
        let mut at = 0;
        while let Some(dir) = dirs.get(at).cloned() {
            at += 1;
            let Ok(list) = refs::small_file(&dir.join("info/alternates")) else { continue };
            for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let Ok(other) = dir.join(line).canonicalize() else { continue };
                if dirs.len() < MAX_DIRS && !dirs.contains(&other) {
                    dirs.push(other);
                }
            }
        }
        let mut packs = Vec::new();
        for dir in &dirs {
            let Ok(entries) = fs::read_dir(dir.join("pack")) else { continue };
            let mut indexes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            indexes.retain(|path| path.extension().is_some_and(|end| end == "idx") && path.is_file());
            indexes.sort();
            for index in indexes {
                // A packfile that a concurrent repack deleted: its objects are in the new one.
                packs.extend(Packfile::open(&index).ok().flatten());
            }
        }
        Self { dirs, packs, cache: BTreeMap::new() }
    }

    /// The object with this id, if it exists.
    pub(crate) fn find(&mut self, oid: &Oid) -> Result<Option<Object>, HistoryError> {
        self.read(oid, 0).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                HistoryError::Damaged(format!("{oid}: {error}"))
            }
            _ => error.into(),
        })
    }

    /// The object with this id; an error if it is missing or of another type.
    pub(crate) fn get(&mut self, oid: &Oid, kind: ObjectKind) -> Result<Object, HistoryError> {
        match self.find(oid)? {
            Some(object) if object.kind == kind => Ok(object),
            Some(_) => Err(HistoryError::Damaged(format!("{oid} has the wrong type"))),
            None => Err(HistoryError::Damaged(format!("{oid} is missing"))),
        }
    }

    /// Up to `limit` ids that start with these hexadecimal digits, sorted.
    pub(crate) fn with_prefix(&mut self, digits: &[u8], limit: usize) -> Result<Vec<Oid>, HistoryError> {
        let [high, low, ..] = digits else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let first = format!("{high:x}{low:x}");
        for dir in &self.dirs {
            let Ok(entries) = fs::read_dir(dir.join(&first)) else { continue };
            let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
            let oids = names.filter_map(|name| Oid::parse(&format!("{first}{name}")));
            found.extend(oids.filter(|oid| oid.starts_with(digits)));
        }
        for pack in &mut self.packs {
            found.extend(pack.with_prefix(digits, limit)?);
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(limit);
        Ok(found)
    }

    fn read(&mut self, oid: &Oid, depth: usize) -> io::Result<Option<Object>> {
        for at in 0..self.packs.len() {
            if let Some(offset) = self.packs[at].find(oid)? {
                return self.read_packed(at, offset, depth).map(Some);
            }
        }
        self.read_loose(oid)
    }

    /// Reads a loose object: `kind size\0content`, compressed.
    fn read_loose(&self, oid: &Oid) -> io::Result<Option<Object>> {
        let name = oid.to_string();
        let (first, rest) = name.split_at(2);
        for dir in &self.dirs {
            let path = dir.join(first).join(rest);
            if !path.is_file() {
                continue;
            }
            let mut file = BufReader::new(File::open(path)?);
            // The header precedes the content.
            let mut data = inflate(&mut file, MAX_OBJECT + 64)?;
            let header = data.iter().position(|&byte| byte == 0).ok_or_else(corrupt)?;
            let (kind, size) = parse_header(&data[..header]).ok_or_else(corrupt)?;
            data.drain(..=header);
            if data.len() != size {
                return Err(corrupt());
            }
            return Ok(Some(Object { kind, data: Arc::new(data) }));
        }
        Ok(None)
    }

    /// Reads an object of a packfile: follows its delta chain to the base, then applies the deltas in reverse order.
    fn read_packed(&mut self, pack: usize, offset: u64, depth: usize) -> io::Result<Object> {
        let mut deltas: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut at = offset;
        let mut object = loop {
            if let Some(cached) = self.cache.get(&(pack, at)) {
                break cached.clone();
            }
            if depth + deltas.len() > MAX_DELTA_CHAIN {
                return Err(corrupt());
            }
            match self.packs[pack].read(at)? {
                PackEntry::Object(kind, data) => {
                    let object =
                        Object { kind: kind_of_number(kind).ok_or_else(corrupt)?, data: Arc::new(data) };
                    self.cache(pack, at, &object);
                    break object;
                }
                PackEntry::OffsetDelta(base, delta) => {
                    deltas.push((at, delta));
                    at = base;
                }
                PackEntry::RefDelta(base, delta) => {
                    deltas.push((at, delta));
                    let found = self.packs[pack].find(&base)?;
                    if let Some(offset) = found {
                        at = offset;
                    } else {
                        let depth = depth + deltas.len();
                        break self.read(&base, depth)?.ok_or_else(corrupt)?;
                    }
                }
            }
        };
        for (offset, delta) in deltas.into_iter().rev() {
            let data = apply_delta(&object.data, &delta).ok_or_else(corrupt)?;
            object = Object { kind: object.kind, data: Arc::new(data) };
            self.cache(pack, offset, &object);
        }
        Ok(object)
    }

    fn cache(&mut self, pack: usize, offset: u64, object: &Object) {
        if object.data.len() <= MAX_CACHED_SIZE {
            if self.cache.len() >= MAX_CACHED {
                self.cache.clear();
            }
            self.cache.insert((pack, offset), object.clone());
        }
    }
}

/// Parses the header of a loose object: `commit 123`.
fn parse_header(header: &[u8]) -> Option<(ObjectKind, usize)> {
    let (kind, size) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    let kind = match kind {
        "commit" => ObjectKind::Commit,
        "tree" => ObjectKind::Tree,
        "blob" => ObjectKind::Blob,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some((kind, size.parse().ok()?))
}

fn kind_of_number(number: u8) -> Option<ObjectKind> {
    Some(match number {
        1 => ObjectKind::Commit,
        2 => ObjectKind::Tree,
        3 => ObjectKind::Blob,
        4 => ObjectKind::Tag,
        _ => return None,
    })
}

fn corrupt() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the object is corrupt")
}
