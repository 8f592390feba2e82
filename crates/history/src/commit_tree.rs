//! The tree of a commit, as a [`Tree`]: listed and read from git's objects, without a checkout and without filters.
//!
//! The stamp of a file is its blob id and its size, so that equal stamps mean equal contents, in all commits.

use crate::error::HistoryError;
use crate::git_index::GitIndex;
use crate::object_store::{MAX_OBJECT, ObjectKind, ObjectStore};
use crate::oid::{self, Oid};
use crate::tree::{entries, subtree};
use crate::tree_diff::{self, BlobKind, blob_at, kind};
use crate::worktree_diff::{History, below, components};
use orient_model::{RepoPath, Stamp};
use orient_walk::{
    Content, FileSource, Listing, PathKind, ReadFailure, RootDirectory, SearchFiles, SearchScope, SkipReason,
    StoredEntries, StoredEntry, StoredKind, Subtrees, Tree, TreeReader, WalkError, WalkOptions, list_stored,
    parallel_chunks, search_stored, stored_kind,
};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Maximum depth of directories.
const MAX_DEPTH: usize = 256;
/// Maximum size of the attributes of a repository.
const MAX_ATTRIBUTES: u64 = 1 << 20;
/// Number of sizes that a thread looks up at a time.
const SIZES_AT_ONCE: usize = 256;

/// The tree of a commit below a directory of the repository.
#[derive(Clone)]
pub struct CommitTree {
    shared: Arc<SharedTree>,
}

struct SharedTree {
    root: PathBuf,
    commit: Oid,
    /// The id of the tree at the directory; `None` if the commit does not have the directory.
    id: Option<Oid>,
    /// The same as bytes.
    id_bytes: Vec<u8>,
    stores: Mutex<Vec<ObjectStore>>,
    listed: OnceLock<Result<ListedEntries, String>>,
    git_index: Arc<GitIndex>,
    /// The path from the top of the working tree to the directory.
    prefix: RepoPath,
    /// The attributes of the repository that are not part of a tree; empty if there are none, `None` if they cannot be read.
    attributes: Option<Vec<u8>>,
    /// Whether attributes name a filter or an encoding, once it is known.
    has_filters: OnceLock<bool>,
}

/// All entries of a tree by path, their blob ids, and sizes that are known.
#[derive(Default)]
struct ListedEntries {
    entries: Vec<StoredEntry>,
    ids: Vec<Oid>,
    sizes: Vec<OnceLock<u64>>,
}

impl ListedEntries {
    /// The size of a file, given by its position.
    fn size(&self, store: &ObjectStore, at: usize) -> Result<u64, HistoryError> {
        if let Some(size) = self.sizes[at].get() {
            return Ok(*size);
        }
        let size = size_of(store, &self.ids[at])?;
        Ok(*self.sizes[at].get_or_init(|| size))
    }
}

fn size_of(store: &ObjectStore, id: &Oid) -> Result<u64, HistoryError> {
    store.size(id)?.ok_or_else(|| store.missing(id))
}

impl History {
    /// The tree of a commit, below the directory of this history.
    pub fn commit_tree(&mut self, commit: &Oid) -> Result<CommitTree, HistoryError> {
        let top = self.commits.header(commit)?.tree;
        let id = subtree(&mut self.commits.objects, top, &components(&self.prefix))?;
        let id_bytes = id.map_or_else(Vec::new, |id| id.as_slice().to_vec());
        let stores = Mutex::new(vec![self.commits.objects.another()]);
        Ok(CommitTree {
            shared: Arc::new(SharedTree {
                root: self.root.clone(),
                commit: *commit,
                id,
                id_bytes,
                stores,
                listed: OnceLock::new(),
                git_index: Arc::clone(&self.index),
                prefix: self.prefix.clone(),
                attributes: self.commits.common_file("info/attributes", MAX_ATTRIBUTES),
                has_filters: OnceLock::new(),
            }),
        })
    }
}

impl CommitTree {
    /// The content of a file of at most `max` bytes; `None` if there is no such regular file.
    pub fn content(&self, path: &RepoPath, max: u64) -> Result<Option<Vec<u8>>, HistoryError> {
        self.shared.with_store(|store| {
            let Some((id, BlobKind::File)) = self.shared.blob(store, path)? else { return Ok(None) };
            let is_small = store.size(&id)?.is_some_and(|size| size <= max);
            if is_small { read_blob(store, &id).map(Some) } else { Ok(None) }
        })
    }
}

impl SharedTree {
    /// Lends an object store: each has caches of its own, and one thread uses it at a time.
    fn with_store<T>(&self, act: impl FnOnce(&mut ObjectStore) -> T) -> T {
        let lock = || self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let mut store = {
            let mut stores = lock();
            match stores.len() {
                // The last one stays, as the original of further ones.
                1 => stores[0].another(),
                _ => stores.pop().expect("there is always one"),
            }
        };
        let done = act(&mut store);
        lock().push(store);
        done
    }

    fn listed(&self) -> Result<&ListedEntries, WalkError> {
        let listed = self.listed.get_or_init(|| {
            let Some(id) = self.id else { return Ok(ListedEntries::default()) };
            let listed = self.with_store(|store| list_entries(store, id));
            listed.map_err(|error| error.about(&self.commit).to_string())
        });
        listed.as_ref().map_err(|reason| WalkError::Stored { reason: reason.clone() })
    }

    /// The size of a file, from the listing if there is one.
    fn size(&self, store: &ObjectStore, path: &RepoPath, id: &Oid) -> Result<u64, HistoryError> {
        if let Some(Ok(listed)) = self.listed.get()
            && let Ok(at) = listed.entries.binary_search_by(|entry| entry.path.cmp(path))
        {
            return listed.size(store, at);
        }
        size_of(store, id)
    }

    /// The stamp of a file whose content is that of the working file that had this stamp, as git's index proves.
    ///
    /// Git converts some files between blob and working tree. A conversion of line ends or of `$Id$` changes the size, so equal
    /// sizes exclude it; filters and encodings may keep the size, so nothing is concluded where attributes name one.
    fn stamp_if_same(&self, path: &RepoPath, working: &Stamp) -> Option<Stamp> {
        let oid = self.git_index.content(&below(&self.prefix, path), working)?;
        self.with_store(|store| {
            let (id, kind) = self.blob(store, path).ok()??;
            let size = self.size(store, path, &id).ok()?;
            let is_same = kind == BlobKind::File && id == oid && size == working.size;
            (is_same && !self.has_filters(store)).then(|| stamp_of(&oid, size))
        })
    }

    /// Whether attributes name a filter or an encoding, in the working tree or for the repository.
    fn has_filters(&self, store: &mut ObjectStore) -> bool {
        let names_one = |text: &[u8]| {
            let names: [&[u8]; 2] = [b"filter", b"working-tree-encoding"];
            names.iter().any(|name| text.windows(name.len()).any(|window| window == *name))
        };
        *self.has_filters.get_or_init(|| {
            let in_tree = self.git_index.attribute_files();
            in_tree.into_iter().any(|id| read_blob(store, &id).map_or(true, |text| names_one(&text)))
                || self.attributes.as_deref().is_none_or(names_one)
        })
    }

    /// What is stored at a path.
    fn blob(
        &self,
        store: &mut ObjectStore,
        path: &RepoPath,
    ) -> Result<Option<(Oid, BlobKind)>, HistoryError> {
        if let Some(Ok(listed)) = self.listed.get() {
            let at = listed.entries.binary_search_by(|entry| entry.path.cmp(path));
            return Ok(at.ok().map(|at| (listed.ids[at], blob_kind(listed.entries[at].kind))));
        }
        let Some(id) = self.id else { return Ok(None) };
        Ok(blob_at(store, &id, path.as_bytes())?.map(|blob| (blob.id, blob.kind)))
    }
}

impl Tree for CommitTree {
    fn id(&self) -> Option<&[u8]> {
        Some(&self.shared.id_bytes)
    }

    fn list(&self, options: &WalkOptions, part: Option<&Subtrees>) -> Result<Listing, WalkError> {
        let listed = ListedTree { shared: &self.shared, listed: self.shared.listed()? };
        let mut listing = list_stored(&self.shared.root, &listed, options)?;
        if let Some(part) = part {
            listing.files.retain(|entry| part.contains(&entry.path));
            listing.skipped.retain(|skip| part.contains(&skip.path));
        }
        Ok(listing)
    }

    fn search_files(&self, scope: &SearchScope) -> Result<SearchFiles, WalkError> {
        let listed = ListedTree { shared: &self.shared, listed: self.shared.listed()? };
        search_stored(&self.shared.root, &listed, scope)
    }

    fn kind(&self, path: &RepoPath) -> Option<PathKind> {
        if let Some(Ok(listed)) = self.shared.listed.get() {
            return stored_kind(&listed.entries, path);
        }
        let top = self.shared.id?;
        let parts = components(path);
        self.shared.with_store(|store| {
            if let Ok(Some(_)) = subtree(store, top, &parts) {
                return Some(PathKind::Directory);
            }
            let blob = blob_at(store, &top, path.as_bytes()).ok()??;
            Some(if blob.kind == BlobKind::File { PathKind::File } else { PathKind::Other })
        })
    }

    fn open(&self) -> Result<Box<dyn TreeReader>, WalkError> {
        let working = RootDirectory::open(&self.shared.root).ok();
        Ok(Box::new(CommitReader { shared: Arc::clone(&self.shared), working }))
    }

    fn differing_paths(&self, id: &[u8]) -> Option<usize> {
        let other = if id.is_empty() { None } else { Some(Oid::try_from(id).ok()?) };
        self.shared
            .with_store(|store| tree_diff::diff(store, other, self.shared.id).ok())
            .map(|diff| diff.len())
    }
}

/// A tree whose entries are listed.
struct ListedTree<'t> {
    shared: &'t SharedTree,
    listed: &'t ListedEntries,
}

impl StoredEntries for ListedTree<'_> {
    fn entries(&self) -> &[StoredEntry] {
        &self.listed.entries
    }

    fn stamps(&self, files: &[usize], threads: usize) -> Result<Vec<Stamp>, WalkError> {
        let failure = OnceLock::new();
        parallel_chunks(files, SIZES_AT_ONCE, threads, |some| {
            self.shared.with_store(|store| {
                let failed = some.iter().find_map(|at| self.listed.size(store, *at).err());
                if let Some(error) = failed {
                    let _ = failure.set(error.to_string());
                }
            });
            failure.get().is_none()
        });
        if let Some(reason) = failure.into_inner() {
            return Err(WalkError::Stored { reason });
        }
        let stamp = |at: &usize| stamp_of(&self.listed.ids[*at], *self.listed.sizes[*at].get().unwrap_or(&0));
        Ok(files.iter().map(stamp).collect())
    }

    fn start(&self, file: usize, max: u64) -> Option<Vec<u8>> {
        let mut bytes = self.shared.with_store(|store| read_blob(store, &self.listed.ids[file])).ok()?;
        bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Some(bytes)
    }
}

/// Reads files of a commit.
struct CommitReader {
    shared: Arc<SharedTree>,
    /// The working tree: most of its files have the content of the commit, and are faster to read than a pack.
    working: Option<RootDirectory>,
}

impl CommitReader {
    /// The bytes of a working file, if they are those of a blob. Filters are not applied: bytes are compared as they are.
    fn working_bytes(&self, path: &RepoPath, id: &Oid, size: u64) -> Option<Vec<u8>> {
        let mut file = self.working.as_ref()?.open_file(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() != size {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).ok()? + 1);
        file.by_ref().take(size + 1).read_to_end(&mut bytes).ok()?;
        (oid::of_blob(&bytes[..], size, id.kind()).ok()? == Some(*id)).then_some(bytes)
    }

    fn bytes(&self, path: &RepoPath, max: u64) -> Result<(Vec<u8>, Stamp), ReadFailure> {
        self.shared.with_store(|store| {
            let failed = |error: HistoryError| ReadFailure::from(SkipReason::Unreadable(error.to_string()));
            let (id, kind) = self.shared.blob(store, path).map_err(failed)?.ok_or(SkipReason::Vanished)?;
            match kind {
                BlobKind::File => {}
                BlobKind::Link => return Err(SkipReason::Link.into()),
                BlobKind::Submodule => return Err(SkipReason::Special.into()),
            }
            let size = self.shared.size(store, path, &id).map_err(failed)?;
            let stamp = stamp_of(&id, size);
            if size > max {
                return Err(ReadFailure { reason: SkipReason::TooLarge { size, limit: max }, stamp });
            }
            match self.working_bytes(path, &id, size) {
                Some(bytes) => Ok((bytes, stamp)),
                None => Ok((read_blob(store, &id).map_err(failed)?, stamp)),
            }
        })
    }
}

impl TreeReader for CommitReader {
    fn read(&self, path: &RepoPath, max: u64) -> Result<Content, ReadFailure> {
        let (bytes, stamp) = self.bytes(path, max)?;
        Content::of(bytes, stamp).ok_or(ReadFailure { reason: SkipReason::Binary, stamp })
    }

    fn stamp_if_same(&self, path: &RepoPath, working: &Stamp) -> Option<Stamp> {
        self.shared.stamp_if_same(path, working)
    }

    fn source(&self, path: &RepoPath) -> Result<FileSource, SkipReason> {
        let (bytes, _) = self.bytes(path, MAX_OBJECT as u64).map_err(|failure| failure.reason)?;
        Ok(FileSource::Bytes(bytes.into()))
    }
}

/// The stamp of a file: its size, and 24 bytes of its blob id.
fn stamp_of(id: &Oid, size: u64) -> Stamp {
    let mut bytes = [0; 24];
    let id = id.as_slice();
    let length = id.len().min(bytes.len());
    bytes[..length].copy_from_slice(&id[..length]);
    let ([a, b, c], _) = bytes.as_chunks() else { unreachable!("24 bytes are three numbers") };
    Stamp {
        size,
        mtime_ns: i64::from_le_bytes(*a),
        ctime_ns: i64::from_le_bytes(*b),
        inode: u64::from_le_bytes(*c),
    }
}

fn read_blob(store: &mut ObjectStore, id: &Oid) -> Result<Vec<u8>, HistoryError> {
    match store.get(id, ObjectKind::Blob) {
        Ok(blob) => Ok(Arc::unwrap_or_clone(blob.data)),
        Err(HistoryError::Io(error)) if error.kind() == ErrorKind::FileTooLarge => {
            Err(HistoryError::Unsupported("a file is too large"))
        }
        Err(error) => Err(error),
    }
}

fn blob_kind(kind: StoredKind) -> BlobKind {
    match kind {
        StoredKind::File => BlobKind::File,
        StoredKind::Link => BlobKind::Link,
        StoredKind::Submodule => BlobKind::Submodule,
    }
}

/// All entries of a tree.
fn list_entries(store: &mut ObjectStore, top: Oid) -> Result<ListedEntries, HistoryError> {
    let (mut found, mut room): (Vec<(StoredEntry, Oid)>, _) = (Vec::new(), store.limits.listing());
    let mut stack = vec![(Vec::new(), top, 0)];
    while let Some((prefix, directory, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            return Err(HistoryError::Unsupported("a commit has directories that are too deep"));
        }
        let tree = store.get(&directory, ObjectKind::Tree)?;
        for (mode, name, id) in entries(&tree.data, store.hash()) {
            let mut path: Vec<u8> = prefix.clone();
            path.extend_from_slice(name);
            room.take(&path)?;
            match kind(mode) {
                None => {
                    path.push(b'/');
                    stack.push((path, id, depth + 1));
                }
                Some(blob) => {
                    let kind = match blob {
                        BlobKind::File => StoredKind::File,
                        BlobKind::Link => StoredKind::Link,
                        BlobKind::Submodule => StoredKind::Submodule,
                    };
                    found.push((StoredEntry { path: RepoPath::new(path), kind }, id));
                }
            }
        }
    }
    found.sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
    found.dedup_by(|a, b| a.0.path == b.0.path);
    let (entries, ids): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let sizes = std::iter::repeat_with(OnceLock::new).take(ids.len()).collect();
    Ok(ListedEntries { entries, ids, sizes })
}

impl std::fmt::Debug for CommitTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let root: &Path = &self.shared.root;
        f.debug_struct("CommitTree").field("root", &root).field("id", &self.shared.id).finish()
    }
}
