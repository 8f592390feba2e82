//! Compares the known files with a listing: a pure merge of two sorted lists.

use crate::{Entry, Listing, Skip};
use orient_model::{RepoPath, Stamp};
use std::cmp::Ordering;
use std::iter::Peekable;

/// The difference between the known files and a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that are not known yet.
    pub added: Vec<Entry>,
    /// Known files whose stamp differs or is untrusted: only their content tells whether they changed.
    pub restamped: Vec<Entry>,
    /// Known paths that no longer exist.
    pub removed: Vec<RepoPath>,
    /// Number of files with an unchanged stamp.
    pub unchanged: usize,
}

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.restamped.is_empty() && self.removed.is_empty()
    }
}

/// Compares the known files, sorted by path, with a listing. A known path that is now skipped does not count as
/// removed: the caller compares the reasons.
pub fn compare(known: impl IntoIterator<Item = (RepoPath, Stamp)>, listing: &Listing) -> Changes {
    let mut changes = Changes::default();
    let mut files = listing.files.iter().peekable();
    let mut skipped = listing.skipped.iter().peekable();
    for (path, stamp) in known {
        let here = loop {
            match files.peek().map(|entry| entry.path.cmp(&path)) {
                Some(Ordering::Less) => changes.added.extend(files.next().cloned()),
                Some(Ordering::Equal) => break files.next(),
                Some(Ordering::Greater) | None => break None,
            }
        };
        match here {
            Some(entry) if entry.stamp == stamp && stamp.is_trusted() => changes.unchanged += 1,
            Some(entry) => changes.restamped.push(entry.clone()),
            None if is_skipped(&mut skipped, &path) => {}
            None => changes.removed.push(path),
        }
    }
    changes.added.extend(files.cloned());
    changes
}

fn is_skipped<'l>(skipped: &mut Peekable<impl Iterator<Item = &'l Skip>>, path: &RepoPath) -> bool {
    while skipped.next_if(|skip| skip.path < *path).is_some() {}
    skipped.peek().is_some_and(|skip| skip.path == *path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SkipReason;

    fn stamp(n: u64) -> Stamp {
        Stamp { size: n, mtime_ns: 1, ctime_ns: 1, inode: 1 }
    }

    fn entries(files: &[(&str, u64)]) -> Vec<Entry> {
        files.iter().map(|&(path, n)| Entry { path: path.into(), stamp: stamp(n) }).collect()
    }

    fn names(entries: &[Entry]) -> Vec<String> {
        entries.iter().map(|entry| entry.path.display().into_owned()).collect()
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let known =
            [("a", stamp(1)), ("b", stamp(1)), ("c", Stamp::untrusted()), ("d", stamp(1)), ("x", stamp(1))]
                .map(|(path, stamp)| (RepoPath::from(path), stamp));
        let listing = Listing {
            files: entries(&[("0", 1), ("b", 1), ("c", 1), ("d", 2), ("e", 1)]),
            skipped: vec![
                Skip { path: "aa".into(), reason: SkipReason::Link },
                Skip { path: "x".into(), reason: SkipReason::Link },
            ],
            ..Listing::default()
        };
        let changes = compare(known, &listing);
        assert_eq!(names(&changes.added), ["0", "e"]);
        assert_eq!(names(&changes.restamped), ["c", "d"]);
        assert_eq!(changes.removed, ["a".into()]);
        assert_eq!(changes.unchanged, 1);
        assert!(!changes.is_empty());
    }

    #[test]
    fn nothing_known_and_nothing_there() {
        assert!(compare([], &Listing::default()).is_empty());
        let all = Listing { files: entries(&[("a", 1)]), ..Listing::default() };
        assert_eq!(compare([], &all).added.len(), 1);
        assert_eq!(compare([("a".into(), stamp(1))], &Listing::default()).removed.len(), 1);
    }

    #[test]
    fn an_untrusted_stamp_never_counts_as_the_same() {
        let odd = Listing {
            files: vec![Entry { path: "a".into(), stamp: Stamp::untrusted() }],
            ..Listing::default()
        };
        assert_eq!(compare([("a".into(), Stamp::untrusted())], &odd).restamped.len(), 1);
    }
}
