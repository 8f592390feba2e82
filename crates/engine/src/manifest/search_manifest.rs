//! The search manifest: the files that a text search reads, in order. Valid for one tree manifest only.

use super::codec::{Decoder, Encoder, FORM, ManifestHeader};
use super::tree_manifest::TreeManifest;
use orient_model::{RepoPath, Stamp};
use orient_store::FileId;
use orient_walk::{Fingerprint, KnownDirectory, RootDirectory, RuleFileState, unchanged};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Marks a file that the tree manifest does not have. Ids start at one.
const OTHER: u32 = 0;

/// A decoded search manifest: the files that a text search reads, in order.
pub(crate) struct SearchManifest<'b> {
    ids: &'b [[u8; 4]],
    others: Vec<RepoPath>,
}

/// A file that a text search reads.
pub(crate) enum SearchedFile {
    /// A file of the tree manifest.
    Known(FileId),
    /// A file that the tree manifest does not have.
    Other(RepoPath),
}

impl TreeManifest<'_> {
    /// Encodes the search manifest for these files in this order: ids of files in the tree manifest, paths of others,
    /// and the directories and ignore files that only the search depends on.
    pub(crate) fn search(&self, searched: &[RepoPath], fingerprint: &Fingerprint) -> Option<Vec<u8>> {
        if !fingerprint.is_reliable() {
            return None;
        }
        let known: BTreeSet<&[u8]> = self.directories().iter().map(|directory| directory.path).collect();
        let sources: BTreeSet<&Path> =
            self.fingerprint().rule_files.iter().map(|(path, _)| path.as_path()).collect();
        let rules: Vec<(PathBuf, RuleFileState)> = fingerprint
            .rule_files
            .iter()
            .filter(|(path, _)| !sources.contains(path.as_path()))
            .cloned()
            .collect();
        let directories: Vec<(&[u8], Stamp)> = fingerprint
            .directories
            .iter()
            .map(|(path, stamp)| (path.as_bytes(), *stamp))
            .filter(|(path, _)| !known.contains(path))
            .collect();
        let mut bytes = Encoder(vec![FORM]);
        bytes.0.extend_from_slice(&self.head().base);
        bytes.fingerprint(&rules, directories.into_iter());
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

impl<'b> SearchManifest<'b> {
    /// Decodes a search manifest that belongs to this tree manifest, if its own directories and ignore files are
    /// unchanged.
    pub(crate) fn read(bytes: &'b [u8], head: ManifestHeader, tree: &RootDirectory) -> Option<Self> {
        let mut rest = Decoder(bytes);
        if rest.take(1)? != [FORM] || rest.take(16)? != head.base {
            return None;
        }
        let (sources, directories) = rest.fingerprint()?;
        let directories: Vec<KnownDirectory<'_>> = directories
            .into_iter()
            .map(|(path, stamp)| KnownDirectory { path, stamp, files: 0..0 })
            .collect();
        if !(Fingerprint { rule_files: sources, ..Fingerprint::default() }).rule_files_unchanged()
            || !unchanged(tree, &directories, &[], 1)
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

    /// The files in order.
    pub(crate) fn files(self) -> impl Iterator<Item = SearchedFile> {
        let mut others = self.others.into_iter();
        self.ids.iter().filter_map(move |id| match u32::from_le_bytes(*id) {
            OTHER => others.next().map(SearchedFile::Other),
            id => Some(SearchedFile::Known(FileId(i64::from(id)))),
        })
    }
}
