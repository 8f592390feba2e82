//! Bringing a part of the index up to date, for those who know where something changed, and what a watcher must know of
//! the tree.

use crate::progress::Progress;
use crate::refresh::log::RefreshLog;
use crate::refresh::plan::Plan;
use crate::refresh::run::{Refreshing, State, caught_up, skipped_before, tasks};
use crate::refresh::stuck_writer::StuckWriter;
use crate::{Engine, EngineError, Mode, Refresh, RefreshOptions};
use orient_model::RepoPath;
use orient_store::{KeepAlive, Snapshot, StoreError};
use orient_walk::{Fingerprint, Listing, Subtrees, global_rule_files, is_rule_file, list, list_subtrees};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of a tree that are looked into, and what else its listing rests on.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The folders, by path. Ignored ones are not among them.
    pub folders: Vec<RepoPath>,
    /// The rules that no such folder holds.
    pub rules: Rules,
}

/// Files outside the folders of a tree that say what is ignored in it: the user's own, and those inside of git.
#[derive(Clone, Debug, Default)]
pub struct Rules(Fingerprint);

impl Rules {
    /// Whether all of them are as they were.
    pub fn stand(&self) -> bool {
        let known: BTreeSet<&Path> = self.0.rule_files.iter().map(|(path, _)| path.as_path()).collect();
        global_rule_files().iter().all(|source| known.contains(source.as_path()))
            && self.0.rule_files_unchanged()
    }

    /// Takes in those of another survey.
    pub fn extend(&mut self, other: Self) {
        let known: BTreeSet<PathBuf> = self.0.rule_files.iter().map(|(path, _)| path.clone()).collect();
        self.0.rule_files.extend(other.0.rule_files.into_iter().filter(|(path, _)| !known.contains(path)));
    }
}

/// The databases of an engine, kept open: for one who catches up again and again, since closing them waits for the disk.
pub struct Held {
    _open: [Option<KeepAlive>; 2],
}

impl Engine {
    /// Keeps the databases open as they are now; an index that is made anew is another one.
    pub fn hold(&self) -> Held {
        Held { _open: [self.place.index(), self.place.cache()].map(|path| KeepAlive::hold(&path)) }
    }

    /// Has what was written lately moved to where it belongs in the databases, which takes time and tells readers nothing.
    pub fn tidy(&self) {
        for path in [self.place.index(), self.place.cache()] {
            orient_store::checkpoint_wal(&path);
        }
    }

    /// Brings the index up to date with a part of the tree, where all else is known to be as the index says. Looks at all
    /// of the tree if a part does not do. Whether the tree as a whole is remembered is left to a whole refresh.
    pub fn refresh_region(
        &self,
        region: &Subtrees,
        options: &RefreshOptions,
        progress: &dyn Progress,
    ) -> Result<Refresh, EngineError> {
        let log = RefreshLog::begin();
        let refreshing = Refreshing::new(self, options, progress);
        let done = self.mending(|| match refreshing.part(region)? {
            Some(refresh) => Ok(refresh),
            None => refreshing.run(),
        });
        progress.done();
        log.end(done.map(|refresh| refreshing.noted(refresh)))
    }

    /// The folders that are looked into, in a part of the tree or in all of it.
    pub fn survey(&self, region: Option<&Subtrees>) -> Result<Survey, EngineError> {
        let options = self.walk_options();
        let Listing { fingerprint, .. } = match region {
            Some(region) => list_subtrees(&self.repo.root, &options, region)?,
            None => list(&self.repo.root, &options)?,
        };
        let entered: BTreeSet<PathBuf> = fingerprint
            .directories
            .iter()
            .map(|(path, _)| {
                orient_walk::to_native(path)
                    .map_or_else(|| self.repo.root.clone(), |p| self.repo.root.join(p))
            })
            .collect();
        let outside = |path: &Path| !path.parent().is_some_and(|folder| entered.contains(folder));
        let sources = fingerprint.rule_files.into_iter().filter(|(path, _)| outside(path)).collect();
        let folders = fingerprint.directories.into_iter().map(|(path, _)| path);
        Ok(Survey {
            folders: folders.filter(|path| region.is_none_or(|region| region.contains(path))).collect(),
            rules: Rules(Fingerprint { rule_files: sources, ..Fingerprint::default() }),
        })
    }

    /// Ignore files and settings of which not all patterns are applied, in words.
    pub fn cut_rules(&self, snapshot: &crate::Snapshot) -> Result<Vec<String>, EngineError> {
        let mut files = global_rule_files();
        files.extend(self.repo.git.as_ref().map(|git| git.common_dir.join("info/exclude")));
        snapshot.store.each_file(|file| {
            let name = file.path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let native = orient_walk::to_native(&file.path).filter(|_| is_rule_file(name));
            files.extend(native.map(|path| self.repo.root.join(path)));
        })?;
        let cut = orient_walk::cut_rules(&self.repo.root, files, &self.settings.index.exclude)?;
        Ok(cut.iter().map(ToString::to_string).collect())
    }

    /// The generation of the index in the store, where that is one to answer from.
    pub fn generation(&self) -> Option<u64> {
        if self.memory.is_used() {
            return None;
        }
        let snapshot = self.readers.open(&self.place.index()).ok()?;
        let ours = snapshot.extractor() == self.languages.fingerprint()
            && snapshot.resolver() == self.languages.resolver();
        ours.then(|| snapshot.generation())
    }
}

impl Refreshing<'_> {
    /// Catches up with a part; none where that does not do.
    fn part(&self, region: &Subtrees) -> Result<Option<Refresh>, EngineError> {
        let usable = |state: &State| matches!(state, State::Usable(snapshot) if self.is_current(snapshot));
        let whole = region.roots().first().is_some_and(|top| top.as_bytes().is_empty());
        if self.options.mode != Mode::CatchUp || self.engine.memory.is_used() || whole {
            return Ok(None);
        }
        let state = self.state()?;
        let (State::Usable(snapshot), true) = (&state, usable(&state)) else { return Ok(None) };
        let Some((plan, generation)) = self.plan_part(snapshot, region)? else { return Ok(None) };
        if plan.is_empty() && self.is_resolved(snapshot) {
            let owed = snapshot.owed();
            return Ok(Some(Refresh { generation, same: plan.same, owed, ..Refresh::default() }));
        }
        let (lock, waited) = match self.lock() {
            Ok(locked) => locked,
            Err(EngineError::Store(StoreError::Unusable { .. })) => return Ok(None),
            Err(EngineError::Busy { waited, .. }) => return self.behind(snapshot, &plan, waited).map(Some),
            Err(EngineError::Stuck { holder, waited }) => {
                let stuck = StuckWriter { holder, waited };
                return self.behind_stuck(snapshot, &plan, stuck).map(Some);
            }
            Err(error) => return Err(error),
        };
        drop(state);
        // With the lock held nobody else changes the index; what it says is looked at again.
        let state = self.state()?;
        let (State::Usable(snapshot), true) = (&state, usable(&state)) else { return Ok(None) };
        let Some((plan, _)) = self.plan_part(snapshot, region)? else { return Ok(None) };
        let tasks = tasks(snapshot, &plan)?;
        drop(state);
        let deadline = self.options.deadline.map(|deadline| self.started + deadline);
        let mut writer = orient_store::Writer::open(&self.engine.place.index(), &lock)?;
        crate::maintenance::vector_renewal::forget(&mut writer)?;
        match self.writing(deadline).catch_up(&plan, &tasks, &mut writer, None) {
            Ok((tally, applied)) => Ok(Some(Refresh { waited, ..caught_up(tally, applied, &plan) })),
            // A whole refresh mends the one, and holds the index in memory for the other.
            Err(EngineError::Store(StoreError::Damaged { .. } | StoreError::Unusable { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What a part of the tree asks for, and of which generation; none where more than the part is concerned.
    fn plan_part(&self, snapshot: &Snapshot, region: &Subtrees) -> Result<Option<(Plan, u64)>, EngineError> {
        let listing = list_subtrees(&self.engine.repo.root, &self.engine.walk_options(), region)?;
        if self.options.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        // A folder on the way could not be read: all in it is gone.
        if listing.skipped.iter().any(|skip| !region.contains(&skip.path)) {
            return Ok(None);
        }
        let known = match snapshot.known_in(region.roots()) {
            Ok(known) => known.into_iter().map(|known| (known.path, known.stamp)),
            Err(StoreError::Damaged { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let plan = Plan::new(known, &skipped_before(snapshot, &listing)?, &listing);
        Ok(Some((plan, snapshot.generation())))
    }
}
