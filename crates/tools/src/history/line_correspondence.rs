//! Which line of the new tree a line of the old tree is.

use super::file_pairs::FilePair;
use orient_history::{Hunk, hunks};
use orient_model::RepoPath;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The lines that two trees have in common. Files that do not differ are not listed.
pub(crate) struct LineCorrespondence<'p> {
    of_old: BTreeMap<&'p RepoPath, ChangedFile<'p>>,
    of_new: BTreeMap<&'p RepoPath, &'p RepoPath>,
}

struct ChangedFile<'p> {
    pair: &'p FilePair,
    hunks: OnceCell<Vec<Hunk>>,
}

impl<'p> LineCorrespondence<'p> {
    /// The correspondence of a comparison; lines are compared when they are first asked about.
    pub(crate) fn new(pairs: &'p [FilePair]) -> Self {
        let changed = |pair: &'p FilePair| (&pair.old_path, ChangedFile { pair, hunks: OnceCell::new() });
        let mut of_old: BTreeMap<_, _> = BTreeMap::new();
        for pair in pairs {
            // A copy has the same old path as its original, which is the file that goes on.
            let is_same = pair.old_path == pair.path;
            let (path, file) = changed(pair);
            if is_same || !of_old.contains_key(path) {
                of_old.insert(path, file);
            }
        }
        let of_new = of_old.values().map(|file| (&file.pair.path, &file.pair.old_path)).collect();
        Self { of_old, of_new }
    }

    /// The line of the new tree that a line of the old one is; `None` if it was changed or removed.
    pub(crate) fn new_place(&self, path: &RepoPath, line: u32) -> Option<(RepoPath, u32)> {
        let Some(file) = self.of_old.get(path) else { return Some((path.clone(), line)) };
        if file.pair.removed {
            return None;
        }
        let at = moved(file.hunks(), line, |hunk| (&hunk.before, &hunk.after))?;
        Some((file.pair.path.clone(), at))
    }

    /// The line of the old tree that a line of the new one is; `None` if it was changed or added.
    pub(crate) fn old_place(&self, path: &RepoPath, line: u32) -> Option<(RepoPath, u32)> {
        let Some(old_path) = self.of_new.get(path) else { return Some((path.clone(), line)) };
        let file = self.of_old.get(old_path)?;
        let at = moved(file.hunks(), line, |hunk| (&hunk.after, &hunk.before))?;
        Some(((*old_path).clone(), at))
    }

    /// The path in the new tree; `None` if the file was removed.
    pub(crate) fn new_path(&self, path: &RepoPath) -> Option<RepoPath> {
        match self.of_old.get(path) {
            None => Some(path.clone()),
            Some(file) => (!file.pair.removed).then(|| file.pair.path.clone()),
        }
    }
}

impl ChangedFile<'_> {
    fn hunks(&self) -> &[Hunk] {
        self.hunks.get_or_init(|| hunks(&self.pair.before, &self.pair.after))
    }
}

/// A line, counted from one, on the other side of hunks; `None` if a hunk contains it. Line 0 stands for the file and stays.
fn moved(
    hunks: &[Hunk],
    line: u32,
    sides: impl Fn(&Hunk) -> (&std::ops::Range<u32>, &std::ops::Range<u32>),
) -> Option<u32> {
    let Some(at) = line.checked_sub(1) else { return Some(0) };
    let mut shift = 0_i64;
    for hunk in hunks {
        let (own, other) = sides(hunk);
        if own.contains(&at) {
            return None;
        }
        if own.end > at {
            break;
        }
        shift = i64::from(other.end) - i64::from(own.end);
    }
    u32::try_from(i64::from(line) + shift).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn pair(before: &str, after: &str) -> FilePair {
        let (path, old_path) = (RepoPath::from("a.py"), RepoPath::from("a.py"));
        let bytes = |text: &str| Arc::new(text.as_bytes().to_vec());
        FilePair { path, old_path, before: bytes(before), after: bytes(after), removed: false }
    }

    #[test]
    fn unchanged_lines_correspond_and_changed_ones_do_not() {
        let pairs = [pair("1\n2\n3\n4\n5\n", "0\n1\n2\nthree\n5\n6\n")];
        let lines = LineCorrespondence::new(&pairs);
        let path = RepoPath::from("a.py");
        let new: Vec<_> = (0..=5).map(|line| lines.new_place(&path, line).map(|(_, line)| line)).collect();
        assert_eq!(new, [Some(0), Some(2), Some(3), None, None, Some(5)]);
        let old: Vec<_> = (1..=6).map(|line| lines.old_place(&path, line).map(|(_, line)| line)).collect();
        assert_eq!(old, [None, Some(1), Some(2), None, Some(5), None]);
        assert_eq!(lines.new_place(&RepoPath::from("b.py"), 7), Some((RepoPath::from("b.py"), 7)));
    }
}
