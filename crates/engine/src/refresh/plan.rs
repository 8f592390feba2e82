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
    /// Why nothing but its trigrams is wanted, where that is so.
    pub(crate) skipped: Option<SkipReason>,
}

/// What the index holds of a file that must be looked at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stamp: Stamp,
    pub(crate) hash: Option<ContentHash>,
    /// Why it was skipped, if it was.
    pub(crate) skipped: Option<SkipReason>,
}

/// Files too large for facts still have trigrams, up to this size: a text search would have to read them every time.
const LARGEST_WITH_GRAMS: u64 = 64 << 20;

/// What the index holds of a file that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkippedBefore {
    pub(crate) reason: SkipReason,
    pub(crate) stamp: Stamp,
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
    /// The way from what is known, sorted by path, to what is there. `before` is why each known path that was not
    /// indexed was not.
    pub(crate) fn new(
        known: impl IntoIterator<Item = (RepoPath, Stamp)>,
        before: &BTreeMap<RepoPath, SkippedBefore>,
        listing: &Listing,
    ) -> Self {
        let Changes { added, touched, removed, same } = compare(known, listing);
        let job =
            |known| move |Entry { path, stamp }: Entry| Job { path, size: stamp.size, known, skipped: None };
        let mut jobs: Vec<Job> =
            added.into_iter().map(job(false)).chain(touched.into_iter().map(job(true))).collect();
        let mut skipped = Vec::new();
        for skip in &listing.skipped {
            let before = before.get(&skip.path);
            let same_reason = before.is_some_and(|before| before.reason == skip.reason);
            match large_job(skip, before.is_some()) {
                Some(job) => {
                    let now = stamp_of_large(listing, &skip.path);
                    let same_stamp = before.is_some_and(|before| {
                        before.stamp.is_trusted() && now.is_some_and(|now| veiled(now) == before.stamp)
                    });
                    if !(same_reason && same_stamp) {
                        jobs.push(job);
                    }
                }
                None if same_reason => {}
                None => skipped.push(skip.clone()),
            }
        }
        jobs.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { jobs, removed, skipped, same }
    }

    /// The plan for an index that is built from nothing.
    pub(crate) fn everything(listing: Listing) -> Self {
        let job = |Entry { path, stamp }: Entry| Job { path, size: stamp.size, known: false, skipped: None };
        let mut jobs: Vec<Job> = listing.files.into_iter().map(job).collect();
        let mut skipped = Vec::new();
        for skip in listing.skipped {
            match large_job(&skip, false) {
                Some(job) => jobs.push(job),
                None => skipped.push(skip),
            }
        }
        jobs.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { jobs, removed: Vec::new(), skipped, same: 0 }
    }

    /// How many files are to be read for facts.
    pub(crate) fn files(&self) -> usize {
        self.jobs.iter().filter(|job| job.skipped.is_none()).count()
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

/// The reading of a file that is too large for facts, but not for trigrams.
fn large_job(skip: &Skip, known: bool) -> Option<Job> {
    match skip.reason {
        SkipReason::TooLarge { size, .. } if size <= LARGEST_WITH_GRAMS => {
            Some(Job { path: skip.path.clone(), size, known, skipped: Some(skip.reason.clone()) })
        }
        _ => None,
    }
}

/// The stamp to keep for such a file: one that no file has, so that it is read once it is no longer too large, be it that
/// it shrank or that the limit grew.
pub(crate) fn veiled(stamp: Stamp) -> Stamp {
    if stamp.is_trusted() { Stamp { size: !stamp.size, ..stamp } } else { stamp }
}

/// The stamp of such a file when it was listed.
fn stamp_of_large(listing: &Listing, path: &RepoPath) -> Option<Stamp> {
    let at = listing.fingerprint.oversized.binary_search_by(|(large, _)| large.cmp(path)).ok()?;
    Some(listing.fingerprint.oversized[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(size: u64) -> Stamp {
        Stamp { size, mtime_ns: 1, ctime_ns: 1, inode: 1 }
    }

    fn before(reason: SkipReason) -> SkippedBefore {
        SkippedBefore { reason, stamp: Stamp::untrusted() }
    }

    #[test]
    fn a_file_too_large_for_facts_is_read_for_trigrams_when_its_stamp_differs() {
        let reason = SkipReason::TooLarge { size: 3 << 20, limit: 2 << 20 };
        let huge = SkipReason::TooLarge { size: 3 << 30, limit: 2 << 20 };
        let mut listing = Listing {
            skipped: vec![
                Skip { path: "big".into(), reason: reason.clone() },
                Skip { path: "huge".into(), reason: huge.clone() },
            ],
            ..Listing::default()
        };
        listing.fingerprint.oversized = vec![("big".into(), stamp(7)), ("huge".into(), stamp(8))];
        let first = Plan::new([], &BTreeMap::new(), &listing);
        assert_eq!(first.jobs.iter().map(|job| job.path.display()).collect::<Vec<_>>(), ["big"]);
        assert_eq!((first.files(), first.skipped.len()), (0, 1));
        let known = ["big", "huge"].map(|path| (RepoPath::from(path), Stamp::untrusted()));
        let mut seen = BTreeMap::from([("huge".into(), before(huge))]);
        seen.insert("big".into(), SkippedBefore { reason: reason.clone(), stamp: veiled(stamp(7)) });
        assert!(Plan::new(known.clone(), &seen, &listing).is_empty());
        seen.insert("big".into(), SkippedBefore { reason, stamp: veiled(stamp(6)) });
        assert_eq!(Plan::new(known, &seen, &listing).jobs.len(), 1);
    }

    fn listing() -> Listing {
        let file = |path: &str, size| Entry { path: path.into(), stamp: stamp(size) };
        let skip = |path: &str, reason| Skip { path: path.into(), reason };
        Listing {
            files: vec![file("a", 1), file("b", 2), file("new", 3)],
            skipped: vec![skip("link", SkipReason::Link), skip("was_text", SkipReason::Link)],
            ..Listing::default()
        }
    }

    #[test]
    fn only_what_differs_is_looked_at() {
        let known = ["a", "b", "gone", "link", "was_text"].map(|path| (RepoPath::from(path), stamp(1)));
        let skipped = BTreeMap::from([("link".into(), before(SkipReason::Link))]);
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
        let skipped = BTreeMap::from([("a".into(), before(SkipReason::Link))]);
        assert!(Plan::new(known, &skipped, &listing()).jobs[0].known);
    }

    #[test]
    fn nothing_differs() {
        let known = [("a", 1), ("b", 2), ("link", 0), ("new", 3), ("was_text", 0)]
            .map(|(path, size)| (RepoPath::from(path), stamp(size)));
        let link = before(SkipReason::Link);
        let skipped = BTreeMap::from([("link".into(), link.clone()), ("was_text".into(), link)]);
        assert!(Plan::new(known, &skipped, &listing()).is_empty());
        assert!(!Plan::everything(listing()).is_empty());
    }
}
