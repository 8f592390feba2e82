//! The refresh plan: which files must be read, removed or noted as skipped. A pure function of the index and the
//! listing.

use crate::skips::large_file_stamp;
use orient_model::{ContentHash, RepoPath, Stamp};
use orient_walk::{Changes, Entry, Listing, Skip, SkipReason, compare};
use std::collections::BTreeMap;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadJob {
    pub(crate) path: RepoPath,
    /// Its size when it was listed.
    pub(crate) size: u64,
    /// Whether the index already has it.
    pub(crate) known: bool,
    /// The skip reason, if only its trigrams are indexed.
    pub(crate) skipped: Option<SkipReason>,
}

/// What the index has about a file that must be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedFile {
    pub(crate) stamp: Stamp,
    pub(crate) hash: Option<ContentHash>,
    /// Why it was skipped, if it was.
    pub(crate) skipped: Option<SkipReason>,
}

/// Maximum size of a file that is indexed by trigrams only. Without trigrams, every text search would read it.
const MAX_TRIGRAM_FILE: u64 = 64 << 20;

/// What the index has about a skipped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedSkip {
    pub(crate) reason: SkipReason,
    pub(crate) stamp: Stamp,
}

/// Everything to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefreshPlan {
    /// Files to read, by path.
    pub(crate) jobs: Vec<ReadJob>,
    /// Paths to remove, by path.
    pub(crate) removed: Vec<RepoPath>,
    /// Paths to record as skipped, by path.
    pub(crate) skipped: Vec<Skip>,
    /// Number of unchanged files.
    pub(crate) unchanged: usize,
}

impl RefreshPlan {
    /// The difference between `known`, sorted by path, and a listing. `before` has the recorded skips among the known
    /// paths.
    pub(crate) fn new(
        known: impl IntoIterator<Item = (RepoPath, Stamp)>,
        before: &BTreeMap<RepoPath, RecordedSkip>,
        listing: &Listing,
    ) -> Self {
        let Changes { added, restamped, removed, unchanged } = compare(known, listing);
        let job = |known| {
            move |Entry { path, stamp }: Entry| ReadJob { path, size: stamp.size, known, skipped: None }
        };
        let mut jobs: Vec<ReadJob> =
            added.into_iter().map(job(false)).chain(restamped.into_iter().map(job(true))).collect();
        let mut skipped = Vec::new();
        for skip in &listing.skipped {
            let before = before.get(&skip.path);
            let same_reason = before.is_some_and(|before| before.reason == skip.reason);
            match large_job(skip, before.is_some()) {
                Some(job) => {
                    let now = stamp_of_large(listing, &skip.path);
                    let same_stamp = before.is_some_and(|before| {
                        before.stamp.is_trusted()
                            && now.is_some_and(|now| large_file_stamp(now) == before.stamp)
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
        Self { jobs, removed, skipped, unchanged }
    }

    /// The plan of a full build.
    pub(crate) fn everything(listing: Listing) -> Self {
        let job =
            |Entry { path, stamp }: Entry| ReadJob { path, size: stamp.size, known: false, skipped: None };
        let mut jobs: Vec<ReadJob> = listing.files.into_iter().map(job).collect();
        let mut skipped = Vec::new();
        for skip in listing.skipped {
            match large_job(&skip, false) {
                Some(job) => jobs.push(job),
                None => skipped.push(skip),
            }
        }
        jobs.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { jobs, removed: Vec::new(), skipped, unchanged: 0 }
    }

    /// Number of files to extract facts from.
    pub(crate) fn files(&self) -> usize {
        self.jobs.iter().filter(|job| job.skipped.is_none()).count()
    }

    /// Whether the index is up to date.
    pub(crate) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.removed.is_empty() && self.skipped.is_empty()
    }

    /// Number of bytes to read.
    pub(crate) fn bytes(&self) -> u64 {
        self.jobs.iter().map(|job| job.size).sum()
    }

    /// Every path that may be stale until the plan is applied, by path.
    pub(crate) fn paths(&self) -> Vec<RepoPath> {
        let jobs = self.jobs.iter().map(|job| &job.path);
        let skipped = self.skipped.iter().map(|skip| &skip.path);
        let mut paths: Vec<RepoPath> = jobs.chain(&self.removed).chain(skipped).cloned().collect();
        paths.sort_unstable();
        paths
    }
}

/// The job for a file that is too large for facts, but not for trigrams.
fn large_job(skip: &Skip, known: bool) -> Option<ReadJob> {
    match skip.reason {
        SkipReason::TooLarge { size, .. } if size <= MAX_TRIGRAM_FILE => {
            Some(ReadJob { path: skip.path.clone(), size, known, skipped: Some(skip.reason.clone()) })
        }
        _ => None,
    }
}

/// The listed stamp of such a file.
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

    fn before(reason: SkipReason) -> RecordedSkip {
        RecordedSkip { reason, stamp: Stamp::untrusted() }
    }

    #[test]
    fn a_large_file_is_read_for_trigrams_if_its_stamp_differs() {
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
        let first = RefreshPlan::new([], &BTreeMap::new(), &listing);
        assert_eq!(first.jobs.iter().map(|job| job.path.display()).collect::<Vec<_>>(), ["big"]);
        assert_eq!((first.files(), first.skipped.len()), (0, 1));
        let known = ["big", "huge"].map(|path| (RepoPath::from(path), Stamp::untrusted()));
        let mut seen = BTreeMap::from([("huge".into(), before(huge))]);
        seen.insert("big".into(), RecordedSkip { reason: reason.clone(), stamp: large_file_stamp(stamp(7)) });
        assert!(RefreshPlan::new(known.clone(), &seen, &listing).is_empty());
        seen.insert("big".into(), RecordedSkip { reason, stamp: large_file_stamp(stamp(6)) });
        assert_eq!(RefreshPlan::new(known, &seen, &listing).jobs.len(), 1);
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
    fn only_differences_are_planned() {
        let known = ["a", "b", "gone", "link", "was_text"].map(|path| (RepoPath::from(path), stamp(1)));
        let skipped = BTreeMap::from([("link".into(), before(SkipReason::Link))]);
        let plan = RefreshPlan::new(known, &skipped, &listing());
        let paths: Vec<_> = plan.jobs.iter().map(|job| (job.path.display(), job.known)).collect();
        assert_eq!(paths, [("b".into(), true), ("new".into(), false)]);
        assert_eq!(plan.removed, ["gone".into()]);
        assert_eq!(plan.skipped, [Skip { path: "was_text".into(), reason: SkipReason::Link }]);
        assert_eq!((plan.unchanged, plan.bytes()), (1, 5));
        assert_eq!(plan.paths(), ["b", "gone", "new", "was_text"].map(RepoPath::from));
    }

    #[test]
    fn a_link_replaced_by_a_file_is_read() {
        let known = [(RepoPath::from("a"), Stamp::untrusted())];
        let skipped = BTreeMap::from([("a".into(), before(SkipReason::Link))]);
        assert!(RefreshPlan::new(known, &skipped, &listing()).jobs[0].known);
    }

    #[test]
    fn an_unchanged_tree_gives_an_empty_plan() {
        let known = [("a", 1), ("b", 2), ("link", 0), ("new", 3), ("was_text", 0)]
            .map(|(path, size)| (RepoPath::from(path), stamp(size)));
        let link = before(SkipReason::Link);
        let skipped = BTreeMap::from([("link".into(), link.clone()), ("was_text".into(), link)]);
        assert!(RefreshPlan::new(known, &skipped, &listing()).is_empty());
        assert!(!RefreshPlan::everything(listing()).is_empty());
    }
}
