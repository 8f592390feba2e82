//! The object store: reads loose objects, packfiles, multi-pack indexes and alternates by object id.

use crate::error::HistoryError;
use crate::object_files::ObjectFiles;
use crate::oid::Oid;
use crate::work_limits::WorkLimits;
use gix_hash::Kind as HashKind;
use gix_object::FindHeader;
use gix_odb::store::init::Options;
use gix_pack::Find;
use gix_pack::cache::lru::MemoryCappedHashmap;
use orient_safefs::UntrustedDirectory;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

pub(crate) use gix_object::Kind as ObjectKind;

/// Maximum size of an object. Source files, trees and commits are smaller.
pub(crate) const MAX_OBJECT: usize = 64 << 20;
/// Bytes of delta bases kept in memory: consecutive versions of a file are deltas of each other.
const MAX_DELTA_BASES: usize = 48 << 20;
/// Bytes of trees kept in memory: consecutive commits share most of them.
const MAX_TREES: usize = 24 << 20;

/// An object.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) data: Arc<Vec<u8>>,
}

/// All objects of a repository.
pub(crate) struct ObjectStore {
    objects: gix_odb::HandleArc,
    hash: HashKind,
    files: Arc<ObjectFiles>,
    /// The objects that others replace.
    replaced: Arc<HashMap<Oid, Oid>>,
    trees: HashMap<Oid, Arc<Vec<u8>>>,
    tree_bytes: usize,
    pub(crate) limits: WorkLimits,
    /// Whether something was not compared because it was too large, since this was last asked.
    pub(crate) left_out: bool,
}

impl ObjectStore {
    /// Opens the object directory of a repository and its alternates. `replaced` lists the objects that others replace.
    pub(crate) fn open(
        common: &UntrustedDirectory,
        hash: HashKind,
        replaced: Vec<(Oid, Oid)>,
    ) -> Result<Self, HistoryError> {
        let files = Arc::new(ObjectFiles::open(common)?);
        let options = Options { alloc_limit_bytes: Some(MAX_OBJECT), ..Options::default() };
        let objects = common.path().join("objects");
        let store = gix_odb::Store::at_opts(objects, hash, &mut replaced.iter().copied(), options).map_err(
            |error| HistoryError::Damaged(format!("its object directory cannot be opened: {error}")),
        )?;
        let mut objects = Arc::new(store).to_cache_arc();
        cache_delta_bases(&mut objects);
        Ok(Self {
            objects,
            hash,
            files,
            replaced: Arc::new(replaced.into_iter().collect()),
            trees: HashMap::new(),
            tree_bytes: 0,
            limits: WorkLimits::default(),
            left_out: false,
        })
    }

    /// The same objects for another thread, with caches of its own.
    pub(crate) fn another(&self) -> Self {
        let mut objects = self.objects.clone();
        cache_delta_bases(&mut objects);
        Self {
            objects,
            hash: self.hash,
            files: Arc::clone(&self.files),
            replaced: Arc::clone(&self.replaced),
            trees: HashMap::new(),
            tree_bytes: 0,
            limits: self.limits,
            left_out: false,
        }
    }

    /// The hash function of object ids.
    pub(crate) fn hash(&self) -> HashKind {
        self.hash
    }

    /// The object with this id, if it exists.
    pub(crate) fn find(&mut self, oid: &Oid) -> Result<Option<Object>, HistoryError> {
        if let Some(data) = self.trees.get(oid) {
            return Ok(Some(Object { kind: ObjectKind::Tree, data: Arc::clone(data) }));
        }
        let mut data = Vec::new();
        let kind = match self.objects.try_find(oid, &mut data) {
            Ok(Some((found, place))) => {
                // An object that is in no pack is in a file of its own.
                if place.is_none() {
                    self.files.check_loose(self.replaced.get(oid).unwrap_or(oid))?;
                }
                found.kind
            }
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.explain(oid, &error)),
        };
        let data = Arc::new(data);
        if kind == ObjectKind::Tree {
            self.tree_bytes += data.len();
            if self.tree_bytes > MAX_TREES {
                self.trees.clear();
                self.tree_bytes = data.len();
            }
            self.trees.insert(*oid, Arc::clone(&data));
        }
        Ok(Some(Object { kind, data }))
    }

    /// The object with this id; an error if it is missing or of another type.
    pub(crate) fn get(&mut self, oid: &Oid, kind: ObjectKind) -> Result<Object, HistoryError> {
        match self.find(oid)? {
            Some(object) if object.kind == kind => Ok(object),
            Some(_) => Err(HistoryError::Damaged(format!("{oid} has the wrong type"))),
            None => Err(self.missing(oid)),
        }
    }

    /// The error about an object that does not exist.
    pub(crate) fn missing(&self, oid: &Oid) -> HistoryError {
        if self.files.is_partial {
            HistoryError::NotFetched(oid.to_string())
        } else {
            HistoryError::Damaged(format!("{oid} is missing"))
        }
    }

    /// The size of an object, without reading its content. `None` if it does not exist.
    pub(crate) fn size(&self, oid: &Oid) -> Result<Option<u64>, HistoryError> {
        let header = FindHeader::try_header(&self.objects, oid).map_err(|error| self.explain(oid, &error))?;
        Ok(header.map(|header| header.size))
    }

    /// Up to `limit` ids that start with these hexadecimal digits, sorted.
    pub(crate) fn with_prefix(&self, digits: &str, limit: usize) -> Result<Vec<Oid>, HistoryError> {
        let Ok(prefix) = gix_hash::Prefix::from_hex(digits) else { return Ok(Vec::new()) };
        let mut found = HashSet::new();
        self.objects
            .lookup_prefix(prefix, Some(&mut found))
            .map_err(|error| HistoryError::Damaged(error.to_string()))?;
        let mut found: Vec<Oid> = found.into_iter().collect();
        found.sort_unstable();
        found.truncate(limit);
        Ok(found)
    }

    /// Tells an object that is too large from one that is corrupt.
    fn explain(&self, oid: &Oid, error: &dyn std::fmt::Display) -> HistoryError {
        let size = FindHeader::try_header(&self.objects, oid).ok().flatten().map_or(0, |header| header.size);
        if size > MAX_OBJECT as u64 {
            return io::Error::new(io::ErrorKind::FileTooLarge, "an object is too large").into();
        }
        HistoryError::Damaged(format!("{oid}: {error}"))
    }
}

fn cache_delta_bases(objects: &mut gix_odb::HandleArc) {
    objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(MAX_DELTA_BASES)));
}
