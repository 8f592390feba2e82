//! Lookups in a tree manifest: files by id and by path.

use super::tree_manifest::{TreeManifest, joined};
use orient_model::{RepoPath, Stamp};
use orient_store::FileId;

impl<'b> TreeManifest<'b> {
    /// Indexes all files by id.
    pub(crate) fn by_id(&self) -> PathsById<'b> {
        let mut places = Vec::with_capacity(self.len());
        for directory in self.directories() {
            let (files, ids) = self.files(directory);
            places.extend(files.iter().zip(ids).map(|(file, id)| (*id, directory.path, file.name)));
        }
        // Almost sorted already, so the sort is fast.
        places.sort_by_key(|(id, ..)| *id);
        PathsById { places }
    }

    /// The id and stamp of the file at a path.
    pub(crate) fn at(&self, path: &RepoPath) -> Option<(FileId, Stamp)> {
        let directory = self.directories().binary_search_by(|known| known.path.cmp(path.directory())).ok()?;
        let (files, ids) = self.files(&self.directories()[directory]);
        let at = files.binary_search_by(|file| file.name.cmp(path.file_name())).ok()?;
        Some((FileId(i64::from(ids[at])), files[at].stamp))
    }
}

/// The files of a manifest by id, each with its directory and its name.
pub(crate) struct PathsById<'b> {
    places: Vec<(u32, &'b [u8], &'b [u8])>,
}

impl PathsById<'_> {
    /// The path of the file with an id.
    pub(crate) fn path(&self, id: FileId) -> Option<RepoPath> {
        let at = self.places.binary_search_by_key(&id.0, |(id, ..)| i64::from(*id)).ok()?;
        let (_, directory, name) = self.places[at];
        Some(joined(directory, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{ManifestBuilder, ManifestHeader, SearchManifest, SearchedFile};
    use orient_store::{INDEXED, ManifestEntry};
    use orient_walk::{Fingerprint, RootDirectory};

    const STAMP: Stamp = Stamp { size: 1, mtime_ns: 1, ctime_ns: 1, inode: 1 };

    #[test]
    fn manifests_find_files_by_id_and_path_and_keep_the_search_order() {
        let directories = ["", "a", "a-b", "a/b", "a/b/c", "a.d", "empty", "z"];
        let mut paths: Vec<RepoPath> =
            ["a-b/x", "a.c", "a/b.c", "a/b/c/d", "a/b/z", "a/b0", "a.d/e", "m", "z/a", "a/a", "zz"]
                .into_iter()
                .map(RepoPath::from)
                .collect();
        paths.sort_unstable();
        let listed = |(id, path): (i64, &RepoPath)| ManifestEntry {
            id: FileId(id),
            path: path.clone(),
            status: INDEXED,
            stamp: STAMP,
        };
        let mut files: Vec<ManifestEntry> = (1..).zip(&paths).map(listed).collect();
        let fingerprint = Fingerprint {
            directories: directories.iter().map(|path| (RepoPath::from(*path), STAMP)).collect(),
            ..Fingerprint::default()
        };
        let builder = ManifestBuilder {
            key: [7; 16],
            fingerprint: fingerprint.clone(),
            count: files.len(),
            tree: None,
        };
        let bytes = builder.encode(&files).expect("all is firm");
        let manifest = TreeManifest::read(&bytes, [7; 16]).expect("what was written is read");
        for file in &files {
            assert_eq!(manifest.at(&file.path), Some((file.id, STAMP)), "{:?}", file.path);
            assert_eq!(manifest.by_id().path(file.id).as_ref(), Some(&file.path));
        }
        assert_eq!(manifest.at(&RepoPath::from("a/none")), None);
        assert_eq!(manifest.by_id().path(FileId(0)), None);

        let order: Vec<RepoPath> = ["m", "a/none", "a/b/z", "not/there", "a.c"].map(RepoPath::from).to_vec();
        let search = manifest.search(&order, &fingerprint).expect("all is firm");
        let tree = RootDirectory::open(&std::env::temp_dir()).expect("a directory");
        let recalled = |head| {
            let files = SearchManifest::read(&search, head, &tree)?.files().map(|file| match file {
                SearchedFile::Known(id) => manifest.by_id().path(id).expect("it is in the manifest"),
                SearchedFile::Other(path) => path,
            });
            Some(files.collect::<Vec<_>>())
        };
        let head = ManifestHeader::read(&bytes, [7; 16]).expect("it is at the front");
        assert_eq!(recalled(head), Some(order));
        assert!(ManifestHeader::read(&bytes, [8; 16]).is_none(), "made under other settings");

        // The same paths, one with a different id.
        files[3].id = FileId(99);
        let other = builder.encode(&files).expect("all is firm");
        assert_eq!(recalled(ManifestHeader::read(&other, [7; 16]).expect("a head")), None);
    }
}
