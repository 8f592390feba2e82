//! What the engine remembers of the tree as a whole: to see with a stat for each file, and no walk, that the index is up
//! to date, and to know which files a text search looks at. A sheet that cannot be read is as good as none.

use crate::Engine;
use orient_model::{RepoPath, Stamp};
use orient_store::{FileId, ManifestEntry};
use orient_walk::{
    Fingerprint, KnownDirectory, KnownFile, RootDirectory, RuleFileState, SkipReason, directories_unchanged,
    global_rule_files, unchanged,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Grows with the form of sheets.
const FORM: u8 = 2;

/// How long a stamp is in a sheet.
const STAMP: usize = 32;
/// No file takes less: the length of its name, its id, its stamp.
const LEAST: usize = 8 + STAMP;

/// What a sheet says of a file: its name in its folder, its id and its stamp.
type Line<'l> = (&'l [u8], u32, Stamp);

/// What the sheet of a listing is made from.
pub(crate) struct Making {
    pub(crate) key: [u8; 16],
    pub(crate) fingerprint: Fingerprint,
    /// How many files and skipped ones were listed.
    pub(crate) count: usize,
}

impl Making {
    /// The sheet, if the index holds what was listed and nothing in it is too young to be told from a later state.
    pub(crate) fn make(&self, files: &[ManifestEntry]) -> Option<Vec<u8>> {
        if files.len() != self.count || !self.fingerprint.is_reliable() {
            return None;
        }
        let mut folders: BTreeMap<&[u8], (Stamp, Vec<Line<'_>>)> = self
            .fingerprint
            .directories
            .iter()
            .map(|(path, stamp)| (path.as_bytes(), (*stamp, Vec::new())))
            .collect();
        let large: BTreeMap<&RepoPath, Stamp> =
            self.fingerprint.oversized.iter().map(|(path, stamp)| (path, *stamp)).collect();
        for file in files {
            let stamp = match SkipReason::from_parts(file.status, "") {
                // What they are is up to the folder they are in.
                Some(SkipReason::Link | SkipReason::Special | SkipReason::NestedRepository) => continue,
                Some(SkipReason::TooLarge { .. }) => *large.get(&file.path)?,
                _ => file.stamp,
            };
            let (folder, name) = split(file.path.as_bytes());
            let id = u32::try_from(file.id.0).ok()?;
            folders.get_mut(folder)?.1.push((name, id, stamp));
        }
        let mut named = Bytes(Vec::new());
        named.fingerprint(
            &self.fingerprint.rule_files,
            folders.iter().map(|(path, (stamp, _))| (*path, *stamp)),
        );
        for (_, files) in folders.values() {
            named.number(files.len());
            for (name, id, _) in files {
                named.text(name);
                named.0.extend_from_slice(&id.to_le_bytes());
            }
        }
        let mut bytes = Bytes(Head { key: self.key, base: hash(&named.0) }.to_bytes());
        bytes.0.append(&mut named.0);
        for (_, _, stamp) in folders.values().flat_map(|(_, files)| files) {
            bytes.stamp(*stamp);
        }
        Some(bytes.0)
    }
}

/// What stands at the head of the sheet of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    key: [u8; 16],
    /// Stands for the folders, the rules, and the files with their ids: a search sheet made for others is of no use.
    base: [u8; 16],
}

impl Head {
    fn to_bytes(self) -> Vec<u8> {
        [&[FORM], self.key.as_slice(), &self.base].concat()
    }

    /// The head of a sheet that was made under the same settings.
    pub(crate) fn read(bytes: &[u8], key: [u8; 16]) -> Option<Self> {
        Rest(bytes).head(key)
    }
}

/// The sheet of the tree, read.
pub(crate) struct TreeSheet<'b> {
    folders: Vec<KnownDirectory<'b>>,
    files: Vec<KnownFile<'b>>,
    ids: Vec<u32>,
    fingerprint: Fingerprint,
    head: Head,
}

impl<'b> TreeSheet<'b> {
    /// Reads a sheet that was made under the same settings.
    pub(crate) fn read(bytes: &'b [u8], key: [u8; 16]) -> Option<Self> {
        let mut rest = Rest(bytes);
        let head = rest.head(key)?;
        let (sources, folders) = rest.fingerprint()?;
        // Room for all: what is not needed is never touched.
        let most = rest.0.len() / LEAST;
        let (mut names, mut ids) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut all = Vec::with_capacity(folders.len());
        for (path, stamp) in folders {
            let from = names.len();
            for _ in 0..rest.number()? {
                names.push(rest.text()?);
                ids.push(rest.id()?);
            }
            all.push(KnownDirectory { path, stamp, files: from..names.len() });
        }
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            files.push(KnownFile { name, stamp: rest.stamp()? });
        }
        let fingerprint = Fingerprint { rule_files: sources, ..Fingerprint::default() };
        rest.0.is_empty().then_some(Self { folders: all, files, ids, fingerprint, head })
    }

    /// What stands at its head.
    pub(crate) fn head(&self) -> Head {
        self.head
    }

    /// How many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree is as it was.
    pub(crate) fn stands(&self, tree: &RootDirectory, threads: usize) -> bool {
        self.rules_stand() && unchanged(tree, &self.folders, &self.files, threads)
    }

    /// Whether there are the same files, whatever is in them.
    pub(crate) fn names_stand(&self, tree: &RootDirectory, threads: usize) -> bool {
        self.rules_stand() && directories_unchanged(tree, &self.folders, threads)
    }

    fn rules_stand(&self) -> bool {
        let machine = global_rule_files();
        let known: BTreeSet<&Path> =
            self.fingerprint.rule_files.iter().map(|(path, _)| path.as_path()).collect();
        machine.iter().all(|source| known.contains(source.as_path()))
            && self.fingerprint.rule_files_unchanged()
    }

    /// The folders, by path.
    pub(crate) fn folders(&self) -> &[KnownDirectory<'b>] {
        &self.folders
    }

    /// The files of a folder with their ids, by name.
    pub(crate) fn files(&self, folder: &KnownDirectory<'_>) -> (&[KnownFile<'b>], &[u32]) {
        (&self.files[folder.files.clone()], &self.ids[folder.files.clone()])
    }

    /// The sheet of a search that looks at these files in this order: the ids of those the tree has, the paths of others,
    /// and what that rests on besides.
    pub(crate) fn search(&self, searched: &[RepoPath], fingerprint: &Fingerprint) -> Option<Vec<u8>> {
        if !fingerprint.is_reliable() {
            return None;
        }
        let known: BTreeSet<&[u8]> = self.folders.iter().map(|folder| folder.path).collect();
        let sources: BTreeSet<&Path> =
            self.fingerprint.rule_files.iter().map(|(path, _)| path.as_path()).collect();
        let rules: Vec<(PathBuf, RuleFileState)> = fingerprint
            .rule_files
            .iter()
            .filter(|(path, _)| !sources.contains(path.as_path()))
            .cloned()
            .collect();
        let folders: Vec<(&[u8], Stamp)> = fingerprint
            .directories
            .iter()
            .map(|(path, stamp)| (path.as_bytes(), *stamp))
            .filter(|(path, _)| !known.contains(path))
            .collect();
        let mut bytes = Bytes(vec![FORM]);
        bytes.0.extend_from_slice(&self.head.base);
        bytes.fingerprint(&rules, folders.into_iter());
        bytes.number(searched.len());
        let mut others = Vec::new();
        for path in searched {
            let id = if let Some((id, _)) = self.at(path) {
                u32::try_from(id.0).ok()?
            } else {
                others.push(path);
                OTHER
            };
            bytes.0.extend_from_slice(&id.to_le_bytes());
        }
        for path in others {
            bytes.text(path.as_bytes());
        }
        Some(bytes.0)
    }
}

/// Stands in the place of an id for a file the tree's sheet does not have. Ids are counted from one.
const OTHER: u32 = 0;

/// The sheet of a search, read: the files it looks at, in their order.
pub(crate) struct SearchSheet<'b> {
    ids: &'b [[u8; 4]],
    others: Vec<RepoPath>,
}

/// A file a search looks at.
pub(crate) enum Searched {
    /// One of the tree's sheet.
    Known(FileId),
    /// One that it does not have.
    Other(RepoPath),
}

impl<'b> SearchSheet<'b> {
    /// Reads a sheet that was made for this tree, if what it rests on besides is as it was.
    pub(crate) fn read(bytes: &'b [u8], head: Head, tree: &RootDirectory) -> Option<Self> {
        let mut rest = Rest(bytes);
        if rest.take(1)? != [FORM] || rest.take(16)? != head.base {
            return None;
        }
        let (sources, folders) = rest.fingerprint()?;
        let folders: Vec<KnownDirectory<'_>> =
            folders.into_iter().map(|(path, stamp)| KnownDirectory { path, stamp, files: 0..0 }).collect();
        if !(Fingerprint { rule_files: sources, ..Fingerprint::default() }).rule_files_unchanged()
            || !unchanged(tree, &folders, &[], 1)
        {
            return None;
        }
        let length = rest.number()?.checked_mul(4)?;
        let (ids, _) = rest.take(length)?.as_chunks();
        let mut others = Vec::new();
        for _ in ids.iter().filter(|id| u32::from_le_bytes(**id) == OTHER) {
            others.push(RepoPath::new(rest.text()?));
        }
        rest.0.is_empty().then_some(Self { ids, others })
    }

    /// The files in their order.
    pub(crate) fn files(self) -> impl Iterator<Item = Searched> {
        let mut others = self.others.into_iter();
        self.ids.iter().filter_map(move |id| match u32::from_le_bytes(*id) {
            OTHER => others.next().map(Searched::Other),
            id => Some(Searched::Known(FileId(i64::from(id)))),
        })
    }
}

impl Engine {
    /// Stands for the rules and settings a listing depends on.
    pub(crate) fn sheet_key(&self) -> [u8; 16] {
        *self.sheet_key.get_or_init(|| {
            let options = self.walk_options();
            let mut bytes = Bytes(orient_walk::RULES_VERSION.to_le_bytes().to_vec());
            bytes.0.extend(options.max_file_size.to_le_bytes());
            bytes.0.push(u8::from(options.nested_repositories));
            for list in [&options.excludes, &options.kept] {
                bytes.number(list.len());
                for pattern in list {
                    bytes.text(pattern.as_bytes());
                }
            }
            hash(&bytes.0)
        })
    }
}

/// The folder of a path, and the name in it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// The other way round.
pub(crate) fn joined(folder: &[u8], name: &[u8]) -> RepoPath {
    if folder.is_empty() { RepoPath::new(name) } else { RepoPath::new([folder, b"/", name].concat()) }
}

fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

/// A sheet that is being written.
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, number: usize) {
        self.0.extend_from_slice(&(number as u32).to_le_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        self.number(text.len());
        self.0.extend_from_slice(text);
    }

    fn stamp(&mut self, stamp: Stamp) {
        self.0.extend_from_slice(&stamp.size.to_le_bytes());
        self.0.extend_from_slice(&stamp.mtime_ns.to_le_bytes());
        self.0.extend_from_slice(&stamp.ctime_ns.to_le_bytes());
        self.0.extend_from_slice(&stamp.inode.to_le_bytes());
    }

    fn fingerprint<'f>(
        &mut self,
        sources: &[(PathBuf, RuleFileState)],
        folders: impl ExactSizeIterator<Item = (&'f [u8], Stamp)>,
    ) {
        self.number(sources.len());
        for (path, state) in sources {
            self.text(path.as_os_str().as_encoded_bytes());
            match state {
                RuleFileState::Absent => self.0.push(0),
                RuleFileState::Present => self.0.push(1),
                RuleFileState::Stamp(stamp) => {
                    self.0.push(2);
                    self.stamp(*stamp);
                }
            }
        }
        self.number(folders.len());
        for (path, stamp) in folders {
            self.text(path);
            self.stamp(stamp);
        }
    }
}

/// What is left of a sheet that is being read.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        self.0.split_off(..length)
    }

    fn number(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?) as usize)
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    fn id(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn stamp(&mut self) -> Option<Stamp> {
        let ([size, mtime, ctime, inode], _) = self.take(STAMP)?.as_chunks() else { return None };
        Some(Stamp {
            size: u64::from_le_bytes(*size),
            mtime_ns: i64::from_le_bytes(*mtime),
            ctime_ns: i64::from_le_bytes(*ctime),
            inode: u64::from_le_bytes(*inode),
        })
    }

    fn head(&mut self, key: [u8; 16]) -> Option<Head> {
        let same = self.take(1)? == [FORM] && self.take(16)? == key;
        let base = self.take(16)?.try_into().ok()?;
        same.then_some(Head { key, base })
    }

    #[expect(clippy::type_complexity, reason = "two lists of pairs")]
    fn fingerprint(&mut self) -> Option<(Vec<(PathBuf, RuleFileState)>, Vec<(&'b [u8], Stamp)>)> {
        let mut sources = Vec::new();
        for _ in 0..self.number()? {
            let path = native(self.text()?)?;
            let state = match self.take(1)? {
                [0] => RuleFileState::Absent,
                [1] => RuleFileState::Present,
                [2] => RuleFileState::Stamp(self.stamp()?),
                _ => return None,
            };
            sources.push((path, state));
        }
        let mut folders = Vec::new();
        for _ in 0..self.number()? {
            folders.push((self.text()?, self.stamp()?));
        }
        Some((sources, folders))
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot express every name")]
fn native(bytes: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn native(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
