//! The files of a tree as a sheet remembers them: in the order a search shows them, and by path.

use crate::sheet::TreeSheet;
use orient_model::{RepoPath, Stamp};
use orient_store::FileId;
use orient_walk::by_parts;

/// What a sheet says of a file: its folder, its name and its id.
pub(crate) type Recalled<'s> = (&'s [u8], &'s [u8], FileId);

impl TreeSheet<'_> {
    /// All files in the order of their paths, part by part. A sheet whose folders or files are out of order gives them
    /// all, out of order.
    pub(crate) fn in_order(&self, mut see: impl FnMut(Recalled<'_>)) {
        let mut folders: Vec<usize> = (0..self.folders().len()).collect();
        folders.sort_unstable_by(|a, b| by_parts(self.folders()[*a].path, self.folders()[*b].path));
        // The folders we are in, each with how many of its files were shown.
        let mut around: Vec<(usize, usize)> = Vec::new();
        for folder in folders {
            let path = self.folders()[folder].path;
            while let Some((outer, shown)) = around.last_mut() {
                let outer_path = self.folders()[*outer].path;
                if let Some(beneath) = beneath(path, outer_path) {
                    let name = beneath.split(|byte| *byte == b'/').next().unwrap_or_default();
                    self.show(*outer, shown, Some(name), &mut see);
                    break;
                }
                self.show(*outer, shown, None, &mut see);
                around.pop();
            }
            around.push((folder, 0));
        }
        while let Some((folder, mut shown)) = around.pop() {
            self.show(folder, &mut shown, None, &mut see);
        }
    }

    /// Shows the files of a folder from the first that was not shown to those before a name.
    fn show(
        &self,
        folder: usize,
        shown: &mut usize,
        before: Option<&[u8]>,
        see: &mut impl FnMut(Recalled<'_>),
    ) {
        let folder = &self.folders()[folder];
        let (files, ids) = self.files(folder);
        for (file, id) in files[*shown..].iter().zip(&ids[*shown..]) {
            if before.is_some_and(|before| file.name >= before) {
                return;
            }
            *shown += 1;
            see((folder.path, file.name, FileId(i64::from(*id))));
        }
    }

    /// The id and the stamp of the file at a path.
    pub(crate) fn at(&self, path: &RepoPath) -> Option<(FileId, Stamp)> {
        let folder = self.folders().binary_search_by(|known| known.path.cmp(path.folder())).ok()?;
        let (files, ids) = self.files(&self.folders()[folder]);
        let at = files.binary_search_by(|file| file.name.cmp(path.file_name())).ok()?;
        Some((FileId(i64::from(ids[at])), files[at].stamp))
    }
}

/// What of a path lies beneath a folder.
fn beneath<'p>(path: &'p [u8], folder: &[u8]) -> Option<&'p [u8]> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix(b"/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::Making;
    use orient_store::{INDEXED, Listed};
    use orient_walk::Ground;

    const STAMP: Stamp = Stamp { size: 1, mtime_ns: 1, ctime_ns: 1, inode: 1 };

    #[test]
    fn files_come_part_by_part_and_are_found_by_path() {
        let folders = ["", "a", "a-b", "a/b", "a/b/c", "a.d", "empty", "z"];
        let mut paths: Vec<RepoPath> =
            ["a-b/x", "a.c", "a/b.c", "a/b/c/d", "a/b/z", "a/b0", "a.d/e", "m", "z/a", "a/a", "zz"]
                .into_iter()
                .map(RepoPath::from)
                .collect();
        paths.sort_unstable();
        let listed = |(id, path): (i64, &RepoPath)| Listed {
            id: FileId(id),
            path: path.clone(),
            status: INDEXED,
            stamp: STAMP,
        };
        let files: Vec<Listed> = (1..).zip(&paths).map(listed).collect();
        let ground = Ground {
            folders: folders.iter().map(|path| (RepoPath::from(*path), STAMP)).collect(),
            ..Ground::default()
        };
        let making = Making { key: [7; 16], ground, count: files.len() };
        let bytes = making.make(&files).expect("all is firm");
        let sheet = TreeSheet::read(&bytes, [7; 16]).expect("what was written is read");
        let mut seen = Vec::new();
        sheet.in_order(|(folder, name, id)| seen.push((crate::sheet::joined(folder, name), id)));
        let mut expected: Vec<(RepoPath, FileId)> =
            files.iter().map(|file| (file.path.clone(), file.id)).collect();
        expected.sort_by(|a, b| by_parts(a.0.as_bytes(), b.0.as_bytes()));
        assert_eq!(seen, expected);
        for (path, id) in &expected {
            assert_eq!(sheet.at(path), Some((*id, STAMP)), "{path:?}");
        }
        assert_eq!(sheet.at(&RepoPath::from("a/none")), None);
    }
}
