//! The tree manifest, a stored list of directories, files and stamps. It proves with one `stat` per file, and no
//! directory walk, that an index is up to date, and lists the files that a text search reads.
//!
//! Example: the manifest has directory `src` (stamp D) and files `a.c` (A), `b.c` (B). Editing `a.c` changes A;
//! adding `src/c.c` changes D; editing `.gitignore` changes its stamp. If all stamps match, the fast path returns
//! without a walk. A stamp that is too recent to be distinguished from a later write in the same clock tick (racily
//! clean) prevents the manifest from being written at all.
//!
//! A manifest that cannot be decoded is treated as absent.

use super::codec::{Decoder, Encoder, ManifestHeader, STAMP, hash};
use crate::Engine;
use orient_model::{RepoPath, Stamp};
use orient_store::ManifestEntry;
use orient_walk::{
    Fingerprint, KnownDirectory, KnownFile, RootDirectory, SkipReason, directories_unchanged,
    global_rule_files, unchanged,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Minimum encoded length of a file: name length, id, stamp.
const LEAST: usize = 8 + STAMP;

/// A file in the manifest: its name in its directory, its id and its stamp.
type Line<'l> = (&'l [u8], u32, Stamp);

/// What a manifest is built from.
pub(crate) struct ManifestBuilder {
    pub(crate) key: [u8; 16],
    pub(crate) fingerprint: Fingerprint,
    /// Number of listed files and skips.
    pub(crate) count: usize,
    /// The id of the tree, if it never changes.
    pub(crate) tree: Option<Vec<u8>>,
}

impl ManifestBuilder {
    /// Encodes the manifest; `None` if the index does not hold exactly what was listed, or if a stamp is too recent
    /// to be trusted.
    pub(crate) fn encode(&self, files: &[ManifestEntry]) -> Option<Vec<u8>> {
        if files.len() != self.count || !self.fingerprint.is_reliable() {
            return None;
        }
        if let Some(id) = &self.tree {
            // The id stands for directories and files; only rules outside the tree can change.
            let mut bytes = Encoder(ManifestHeader { key: self.key, base: hash(id) }.to_bytes());
            bytes.fingerprint(&self.fingerprint.rule_files, std::iter::empty());
            return Some(bytes.0);
        }
        let mut directories: BTreeMap<&[u8], (Stamp, Vec<Line<'_>>)> = self
            .fingerprint
            .directories
            .iter()
            .map(|(path, stamp)| (path.as_bytes(), (*stamp, Vec::new())))
            .collect();
        let large: BTreeMap<&RepoPath, Stamp> =
            self.fingerprint.oversized.iter().map(|(path, stamp)| (path, *stamp)).collect();
        for file in files {
            let stamp = match SkipReason::from_parts(file.status, "") {
                // The directory's stamp covers them.
                Some(SkipReason::Link | SkipReason::Special | SkipReason::NestedRepository) => continue,
                Some(SkipReason::TooLarge { .. }) => *large.get(&file.path)?,
                _ => file.stamp,
            };
            let (directory, name) = split(file.path.as_bytes());
            let id = u32::try_from(file.id.0).ok()?;
            directories.get_mut(directory)?.1.push((name, id, stamp));
        }
        let mut named = Encoder(Vec::new());
        named.fingerprint(
            &self.fingerprint.rule_files,
            directories.iter().map(|(path, (stamp, _))| (*path, *stamp)),
        );
        for (_, files) in directories.values() {
            named.number(files.len());
            for (name, id, _) in files {
                named.text(name);
                named.0.extend_from_slice(&id.to_le_bytes());
            }
        }
        let mut bytes = Encoder(ManifestHeader { key: self.key, base: hash(&named.0) }.to_bytes());
        bytes.0.append(&mut named.0);
        for (_, _, stamp) in directories.values().flat_map(|(_, files)| files) {
            bytes.stamp(*stamp);
        }
        Some(bytes.0)
    }
}

/// A decoded tree manifest.
pub(crate) struct TreeManifest<'b> {
    directories: Vec<KnownDirectory<'b>>,
    files: Vec<KnownFile<'b>>,
    ids: Vec<u32>,
    fingerprint: Fingerprint,
    head: ManifestHeader,
}

impl<'b> TreeManifest<'b> {
    /// Decodes a manifest that was written under the same settings.
    pub(crate) fn read(bytes: &'b [u8], key: [u8; 16]) -> Option<Self> {
        let mut rest = Decoder(bytes);
        let head = rest.head(key)?;
        let (sources, directories) = rest.fingerprint()?;
        // An upper bound: unused capacity is never touched.
        let most = rest.0.len() / LEAST;
        let (mut names, mut ids) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut all = Vec::with_capacity(directories.len());
        for (path, stamp) in directories {
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
        rest.0.is_empty().then_some(Self { directories: all, files, ids, fingerprint, head })
    }

    /// The header.
    pub(crate) fn head(&self) -> ManifestHeader {
        self.head
    }

    /// The number of files.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the tree is unchanged.
    pub(crate) fn is_unchanged(&self, tree: &RootDirectory, threads: usize) -> bool {
        self.ignore_rules_unchanged() && unchanged(tree, &self.directories, &self.files, threads)
    }

    /// Whether the set of files is unchanged, whatever their contents.
    pub(crate) fn names_unchanged(&self, tree: &RootDirectory, threads: usize) -> bool {
        self.ignore_rules_unchanged() && directories_unchanged(tree, &self.directories, threads)
    }

    /// Whether this is the manifest of the stored tree with this id, and the rules outside it are unchanged.
    pub(crate) fn is_of(&self, id: &[u8]) -> bool {
        self.head.base == hash(id) && self.ignore_rules_unchanged()
    }

    fn ignore_rules_unchanged(&self) -> bool {
        let machine = global_rule_files();
        let known: BTreeSet<&Path> =
            self.fingerprint.rule_files.iter().map(|(path, _)| path.as_path()).collect();
        machine.iter().all(|source| known.contains(source.as_path()))
            && self.fingerprint.rule_files_unchanged()
    }

    /// The directories, sorted by path.
    pub(crate) fn directories(&self) -> &[KnownDirectory<'b>] {
        &self.directories
    }

    /// The files of a directory with their ids, sorted by name.
    pub(crate) fn files(&self, directory: &KnownDirectory<'_>) -> (&[KnownFile<'b>], &[u32]) {
        (&self.files[directory.files.clone()], &self.ids[directory.files.clone()])
    }

    /// What the listing depends on besides directories and files.
    pub(super) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }
}

impl Engine {
    /// Hash of the rules and settings that a listing depends on.
    pub(crate) fn manifest_key(&self) -> [u8; 16] {
        *self.manifest_key.get_or_init(|| {
            let options = self.walk_options();
            let mut bytes = Encoder(orient_walk::RULES_VERSION.to_le_bytes().to_vec());
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

/// Splits a path into its directory and its name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&[], path),
    }
}

/// The inverse of [`split`].
pub(super) fn joined(directory: &[u8], name: &[u8]) -> RepoPath {
    if directory.is_empty() { RepoPath::new(name) } else { RepoPath::new([directory, b"/", name].concat()) }
}
