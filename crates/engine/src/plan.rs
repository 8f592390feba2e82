//! What must be looked at to bring the index up to date: pure, from what is known and what is there.

use orient_model::{ContentHash, RepoPath, Stamp};
use orient_walk::{Changes, Entry, Listing, Skip, SkipReason, compare};
use std::collections::BTreeMap;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) path: RepoPath,
    /// Its size when it was listed.
    pub(crate) size: u64,
    /// Whether the index has it already.
    pub(crate) known: bool,
}

/// What the index holds of a file that must be looked at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stamp: Stamp,
    pub(crate) hash: Option<ContentHash>,
    /// Why it was skipped, if it was.
    pub(crate) skipped: Option<SkipReason>,
}

/// All that must be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Files to read, by path.
    pub(crate) jobs: Vec<Job>,
    /// Paths to forget, by path.
    pub(crate) removed: Vec<RepoPath>,
    /// Paths to note as skipped, by path.
    pub(crate) skipped: Vec<Skip>,
    /// How many files are as they were.
    pub(crate) same: usize,
}

impl Plan {
    /// The way from what is known, sorted by path, to what is there. `skipped` is why each known path that was not
    /// indexed was not.
    pub(crate) fn new(
        known: impl IntoIterator<Item = (RepoPath, Stamp)>,
        skipped: &BTreeMap<RepoPath, SkipReason>,
        listing: &Listing,
    ) -> Self {
        let Changes { added, touched, removed, same } = compare(known, listing);
        let job = |known| move |Entry { path, stamp }: Entry| Job { path, size: stamp.size, known };
        let mut jobs: Vec<Job> =
            added.into_iter().map(job(false)).chain(touched.into_iter().map(job(true))).collect();
        jobs.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let is_news = |skip: &&Skip| skipped.get(&skip.path) != Some(&skip.reason);
        let skipped = listing.skipped.iter().filter(is_news).cloned().collect();
        Self { jobs, removed, skipped, same }
    }

    /// The plan for an index that is built from nothing.
    pub(crate) fn everything(listing: Listing) -> Self {
        let job = |Entry { path, stamp }: Entry| Job { path, size: stamp.size, known: false };
        let jobs = listing.files.into_iter().map(job).collect();
        Self { jobs, removed: Vec::new(), skipped: listing.skipped, same: 0 }
    }

    /// Whether the index is up to date.
    pub(crate) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.removed.is_empty() && self.skipped.is_empty()
    }

    /// How many bytes there are to read.
    pub(crate) fn bytes(&self) -> u64 {
        self.jobs.iter().map(|job| job.size).sum()
    }

    /// Every path the index may be wrong about until the plan is carried out, by path.
    pub(crate) fn paths(&self) -> Vec<RepoPath> {
        let jobs = self.jobs.iter().map(|job| &job.path);
        let skipped = self.skipped.iter().map(|skip| &skip.path);
        let mut paths: Vec<RepoPath> = jobs.chain(&self.removed).chain(skipped).cloned().collect();
        paths.sort_unstable();
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_walk::Ground;

    fn stamp(size: u64) -> Stamp {
        Stamp { size, mtime_ns: 1, ctime_ns: 1, inode: 1 }
    }

    fn listing() -> Listing {
        let file = |path: &str, size| Entry { path: path.into(), stamp: stamp(size) };
        let skip = |path: &str, reason| Skip { path: path.into(), reason };
        Listing {
            files: vec![file("a", 1), file("b", 2), file("new", 3)],
            skipped: vec![skip("link", SkipReason::Link), skip("was_text", SkipReason::Link)],
            ground: Ground::default(),
        }
    }

    #[test]
    fn only_what_differs_is_looked_at() {
        let known = ["a", "b", "gone", "link", "was_text"].map(|path| (RepoPath::from(path), stamp(1)));
        let skipped = BTreeMap::from([("link".into(), SkipReason::Link)]);
        let plan = Plan::new(known, &skipped, &listing());
        let paths: Vec<_> = plan.jobs.iter().map(|job| (job.path.display(), job.known)).collect();
        assert_eq!(paths, [("b".into(), true), ("new".into(), false)]);
        assert_eq!(plan.removed, ["gone".into()]);
        assert_eq!(plan.skipped, [Skip { path: "was_text".into(), reason: SkipReason::Link }]);
        assert_eq!((plan.same, plan.bytes()), (1, 5));
        assert_eq!(plan.paths(), ["b", "gone", "new", "was_text"].map(RepoPath::from));
    }

    #[test]
    fn a_link_that_became_a_file_is_read() {
        let known = [(RepoPath::from("a"), Stamp::untrusted())];
        let skipped = BTreeMap::from([("a".into(), SkipReason::Link)]);
        assert!(Plan::new(known, &skipped, &listing()).jobs[0].known);
    }

    #[test]
    fn nothing_differs() {
        let known = [("a", 1), ("b", 2), ("link", 0), ("new", 3), ("was_text", 0)]
            .map(|(path, size)| (RepoPath::from(path), stamp(size)));
        let skipped =
            BTreeMap::from([("link".into(), SkipReason::Link), ("was_text".into(), SkipReason::Link)]);
        assert!(Plan::new(known, &skipped, &listing()).is_empty());
        assert!(!Plan::everything(listing()).is_empty());
    }
}
