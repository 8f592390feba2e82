//! Bringing the index up to date: what state it is in, who may write, and which way to take.

use crate::in_memory_index::Loan;
use crate::manifest::tree_manifest::{Making, TreeSheet};
use crate::progress::{Cancel, Pause, Phase, Progress};
use crate::refresh::apply::{Tally, Writing};
use crate::refresh::log::RefreshLog;
use crate::refresh::plan::{Plan, Seen, SkippedBefore};
use crate::refresh::read_file::Task;
use crate::refresh::stuck_writer::StuckWriter;
use crate::{Engine, EngineError};
use orient_model::RepoPath;
use orient_store::{
    ChangeSummary, FileRow, HolderWatch, INDEXED, ManifestKind, Snapshot, StoreError, WriteLock,
};
use orient_walk::{Listing, RootDirectory, SkipReason, list};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Look at what changed since the last time.
    #[default]
    CatchUp,
    /// Start from nothing.
    Rebuild,
}

/// Up to so many files are resolved in one step with the change that concerns them.
pub const AT_ONCE: usize = 100;

/// How much of the index a question looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// What is in the files: symbols, outlines, text.
    Facts,
    /// What uses mean, too.
    #[default]
    Graph,
}

/// How to refresh.
#[derive(Clone, Debug, Default)]
pub struct RefreshOptions {
    /// Where to start from.
    pub mode: Mode,
    /// How much has to be right. Where many files have to be resolved, that comes behind the facts.
    pub depth: Depth,
    /// Up to how many files are resolved in one step with the change that concerns them; without it, [`AT_ONCE`].
    pub at_once: Option<usize>,
    /// How long to wait for another process that writes the index; without it, as long as that takes.
    pub wait: Option<Duration>,
    /// Whether to hold the difference in memory where the process that writes the index is stuck. For those who answer once:
    /// nothing of that is kept for others.
    pub in_memory_if_stuck: bool,
    /// When to stop reading changed files and name the rest; a first index is always finished.
    pub deadline: Option<Duration>,
    /// When the question was put: what changes later need not show in its answer. Without it, now.
    pub asked: Option<Instant>,
    /// Ends resolving early once the facts are in: what was resolved by then is kept, the rest is owed.
    pub pause: Option<Pause>,
    /// Ends the work early, with [`EngineError::Cancelled`].
    pub cancel: Cancel,
}

/// Why an index was built from nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// There was none.
    First,
    /// The caller asked for it.
    Asked,
    /// Another version of the program, or other settings, made the one that was there.
    Outdated,
    /// The one that was there was damaged; says how.
    Damaged(String),
}

/// What a refresh did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refresh {
    /// The generation that is there now.
    pub generation: u64,
    /// Files that are new.
    pub added: usize,
    /// Files with other content.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that are elsewhere.
    pub renamed: usize,
    /// Files that were touched and found the same.
    pub touched: usize,
    /// Files that needed no look.
    pub same: usize,
    /// Files whose text was read for facts.
    pub parsed: usize,
    /// Files whose facts were remembered.
    pub from_cache: usize,
    /// Files whose uses were resolved, anew or for the first time.
    pub resolved: usize,
    /// Files on which the resolver failed, a fault of ours.
    pub unresolved: usize,
    /// Files that have yet to be resolved; none unless facts were all that was asked for, or there was a pause.
    pub owed: u64,
    /// Files, links and folders newly noted as skipped.
    pub skipped: usize,
    /// Bytes of the files that were read.
    pub bytes: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// How long of that was spent waiting for another process.
    pub waited: Duration,
    /// Paths the index may still be wrong about, by path.
    pub pending: Vec<RepoPath>,
    /// Why the index was built from nothing, if it was.
    pub rebuilt: Option<Rebuilt>,
    /// The tree whose index this one started from, if there was one.
    pub seeded_from: Option<PathBuf>,
    /// Whether the store could not be written and the index is held in memory.
    pub in_memory: bool,
    /// Why the store could not be written, where that is known.
    pub unusable: Option<String>,
    /// Whether another process was writing and was not waited for.
    pub busy: bool,
    /// The process that holds the lock of the index and shows no sign of life, if one does.
    pub stuck: Option<u32>,
    /// Whether what the index remembers of the tree as a whole is the tree as it is now.
    pub remembered: bool,
    /// What whoever asks should know of how the index is kept fresh; said once.
    pub note: Option<String>,
}

impl Refresh {
    /// How many files of the tree were looked at.
    pub fn looked(&self) -> usize {
        self.added + self.changed + self.renamed + self.touched + self.same
    }

    /// Whether every file that was read has the content the index already knew.
    fn only_restamped(&self) -> bool {
        let differing =
            self.added + self.changed + self.removed + self.renamed + self.skipped + self.resolved;
        differing == 0 && self.pending.is_empty() && self.rebuilt.is_none()
    }
}

/// What is there before a refresh.
pub(crate) enum State {
    /// An index that can be caught up.
    Usable(Box<Loan>),
    /// None that can.
    Build(Rebuilt),
}

impl Engine {
    /// Brings the index up to date with the tree. Costs little more than listing the tree where nothing changed.
    pub fn refresh(&self, options: &RefreshOptions, progress: &dyn Progress) -> Result<Refresh, EngineError> {
        let log = RefreshLog::begin();
        let refreshing = Refreshing::new(self, options, progress);
        let done = self.mending(|| refreshing.run());
        progress.done();
        log.end(done.map(|refresh| refreshing.noted(refresh)))
    }
}

/// One refresh on its way.
pub(crate) struct Refreshing<'r> {
    pub(crate) engine: &'r Engine,
    pub(crate) options: &'r RefreshOptions,
    pub(crate) progress: &'r dyn Progress,
    pub(crate) started: Instant,
    /// What whoever asks should know of the listing.
    note: RefCell<Option<String>>,
}

impl<'r> Refreshing<'r> {
    pub(crate) fn new(engine: &'r Engine, options: &'r RefreshOptions, progress: &'r dyn Progress) -> Self {
        Self { engine, options, progress, started: Instant::now(), note: RefCell::default() }
    }

    /// What was done, with how long it took and what there is to say of it.
    pub(crate) fn noted(&self, refresh: Refresh) -> Refresh {
        let note = refresh.note.or_else(|| self.note.take());
        Refresh { elapsed: self.started.elapsed(), note, ..refresh }
    }
}

impl Refreshing<'_> {
    pub(crate) fn run(&self) -> Result<Refresh, EngineError> {
        self.leave_memory();
        if let Some(refresh) = self.at_a_glance() {
            return Ok(refresh);
        }
        let listing = self.list()?;
        let state = self.state()?;
        if self.engine.memory.is_used() {
            return self.in_memory(state, listing, self.engine.memory.reason());
        }
        let planned = match &state {
            State::Usable(snapshot) => match plan(snapshot, &listing) {
                Ok(plan) if plan.is_empty() && self.is_resolved(snapshot) => {
                    let (generation, same, owed) = (snapshot.generation(), plan.same, snapshot.owed());
                    drop(state);
                    let remembered = self.remember(&listing);
                    return Ok(Refresh { generation, same, owed, remembered, ..Refresh::default() });
                }
                Ok(plan) => Some(plan),
                // Found again, and mended, once we hold the lock.
                Err(EngineError::Store(StoreError::Damaged { .. })) => None,
                Err(error) => return Err(error),
            },
            State::Build(_) => None,
        };
        let (lock, waited) = match self.lock() {
            Ok(locked) => locked,
            Err(EngineError::Store(StoreError::Unusable { reason, .. })) => {
                return self.in_memory(state, listing, Some(reason));
            }
            Err(EngineError::Busy { waited, .. })
                if let (State::Usable(snapshot), Some(plan)) = (&state, &planned) =>
            {
                return self.behind(snapshot, plan, waited);
            }
            Err(EngineError::Stuck { holder, waited }) => {
                let stuck = StuckWriter { holder, waited };
                return self.beside_stuck(state, planned.as_ref(), listing, stuck);
            }
            Err(error) => return Err(error),
        };
        drop(state);
        // Whoever held the lock before us may have done our work, and the tree went on meanwhile.
        let listing = if waited.is_zero() { listing } else { self.list()? };
        match self.locked(&lock, listing) {
            // The lock could be written, the index cannot.
            Err(EngineError::Store(StoreError::Unusable { reason, .. })) => {
                drop(lock);
                self.in_memory(self.state()?, self.list()?, Some(reason))
            }
            done => done.map(|refresh| Refresh { waited, ..refresh }),
        }
    }

    /// What there is to say where everything is as it is remembered; none where that takes a walk to find out.
    fn at_a_glance(&self) -> Option<Refresh> {
        if self.options.mode != Mode::CatchUp
            || self.engine.memory.is_used()
            || self.engine.damage().is_some()
        {
            return None;
        }
        let engine = self.engine;
        let snapshot = engine.readers.open(&engine.place.index()).ok()?;
        if snapshot.extractor() != engine.languages.fingerprint() || !self.is_resolved(&snapshot) {
            return None;
        }
        let bytes = snapshot.manifest(ManifestKind::Tree).ok()??;
        let sheet = TreeSheet::read(&bytes, engine.sheet_key())?;
        let tree = RootDirectory::open(&engine.repo.root).ok()?;
        let same = sheet.len();
        let (generation, owed) = (snapshot.generation(), snapshot.owed());
        sheet.stands(&tree, engine.threads()).then(|| Refresh {
            generation,
            same,
            owed,
            remembered: true,
            ..Refresh::default()
        })
    }

    /// Notes what the listing rests on, if nobody else is writing. Says whether it is noted.
    fn remember(&self, listing: &Listing) -> bool {
        if !listing.fingerprint.is_reliable() {
            return false;
        }
        let making = self.making(listing);
        let mut made = false;
        if let Ok(Some(lock)) = WriteLock::acquire(&self.engine.place.tree, |_| false)
            && let Ok(mut writer) = orient_store::Writer::open(&self.engine.place.index(), &lock)
        {
            let kept = writer.put_tree_manifest(|files| {
                let sheet = making.make(files);
                made = sheet.is_some();
                sheet
            });
            made &= kept.is_ok();
        }
        made
    }

    fn making(&self, listing: &Listing) -> Making {
        let count = listing.files.len() + listing.skipped.len();
        Making { key: self.engine.sheet_key(), fingerprint: listing.fingerprint.clone(), count }
    }

    /// Whether the graph was made by the rules of today.
    pub(crate) fn is_current(&self, snapshot: &Snapshot) -> bool {
        snapshot.resolver() == self.engine.languages.resolver()
    }

    /// The same, and whether it is there as far as it has to be.
    pub(crate) fn is_resolved(&self, snapshot: &Snapshot) -> bool {
        self.is_current(snapshot) && (snapshot.owed() == 0 || self.options.depth == Depth::Facts)
    }

    /// What there is to say where another process writes, and was not waited for longer: what the index may be wrong about.
    pub(crate) fn behind(
        &self,
        snapshot: &Snapshot,
        plan: &Plan,
        waited: Duration,
    ) -> Result<Refresh, EngineError> {
        let mut pending = plan.paths();
        if self.options.depth == Depth::Graph && snapshot.owed() > 0 {
            for file in snapshot.reader().owed()? {
                pending.extend(snapshot.file_by_id(file)?.map(|file| file.path));
            }
            pending.sort_unstable();
            pending.dedup();
        }
        let (generation, same) = (snapshot.generation(), plan.same);
        Ok(Refresh { generation, same, waited, pending, busy: true, ..Refresh::default() })
    }

    fn list(&self) -> Result<Listing, EngineError> {
        self.progress.phase(Phase::Listing, 0, 0);
        let span = tracing::debug_span!("walk", files = tracing::field::Empty).entered();
        let listing = list(&self.engine.repo.root, &self.engine.walk_options())?;
        span.record("files", listing.files.len());
        drop(span);
        let cut: Vec<String> = listing.cut.iter().map(ToString::to_string).collect();
        self.note.replace((!cut.is_empty()).then(|| cut.join("; ")));
        if self.options.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(listing) }
    }

    /// What is there. A newer format is an error: it is not ours to replace.
    pub(crate) fn state(&self) -> Result<State, EngineError> {
        let asked = self.options.mode == Mode::Rebuild;
        let loan = match self.engine.memory.borrow() {
            Some(loan) => Ok(loan),
            None => self.engine.readers.open(&self.engine.place.index()).map(Loan::of_file),
        };
        Ok(match loan {
            Ok(_) if asked => State::Build(Rebuilt::Asked),
            Ok(_) if let Some(detail) = self.engine.damage() => State::Build(Rebuilt::Damaged(detail)),
            Ok(loan) if loan.extractor() == self.engine.languages.fingerprint() => {
                State::Usable(Box::new(loan))
            }
            Ok(_) | Err(StoreError::Outdated { .. }) => State::Build(Rebuilt::Outdated),
            // One that cannot be read is no index; whether another can be written shows when the lock is taken.
            Err(StoreError::Missing { .. } | StoreError::Unusable { .. }) => State::Build(Rebuilt::First),
            Err(StoreError::Damaged { detail, .. }) => State::Build(Rebuilt::Damaged(detail)),
            Err(error) => return Err(error.into()),
        })
    }

    /// The right to write, and how long it took to get it.
    pub(crate) fn lock(&self) -> Result<(WriteLock, Duration), EngineError> {
        let folder = &self.engine.place.tree;
        let mut waited = Duration::ZERO;
        let mut watch = HolderWatch::new(folder);
        let mut stuck = None;
        let lock = WriteLock::acquire(folder, |so_far| {
            waited = so_far;
            stuck = watch.stuck();
            if stuck.is_none() {
                self.progress.waiting(WriteLock::holder(folder), so_far);
            }
            stuck.is_none()
                && !self.options.cancel.is_cancelled()
                && self.options.wait.is_none_or(|most| so_far < most)
        })?;
        match (lock, stuck) {
            (Some(lock), _) => Ok((lock, waited)),
            (None, _) if self.options.cancel.is_cancelled() => Err(EngineError::Cancelled),
            (None, Some(holder)) => Err(EngineError::Stuck { holder, waited }),
            (None, None) => Err(EngineError::Busy { holder: WriteLock::holder(folder), waited }),
        }
    }

    /// With the lock held, nobody else changes the index.
    fn locked(&self, lock: &WriteLock, listing: Listing) -> Result<Refresh, EngineError> {
        let engine = self.engine;
        engine.own_folder()?;
        let mut state = self.state()?;
        let mut seeded_from = None;
        if let State::Build(Rebuilt::First) = state
            && let Some(sibling) = crate::refresh::seeding::seed(engine, lock)
        {
            seeded_from = Some(sibling);
            state = self.state()?;
        }
        let making = self.making(&listing);
        let refresh = match state {
            State::Build(reason) => self.build(lock, listing, reason, &making),
            State::Usable(snapshot) => {
                let planned = plan(&snapshot, &listing).and_then(|plan| Ok((tasks(&snapshot, &plan)?, plan)));
                drop(snapshot);
                match planned.and_then(|(tasks, plan)| self.catch_up(lock, &plan, &tasks, &making)) {
                    Err(EngineError::Store(StoreError::Damaged { detail, .. })) => {
                        self.build(lock, listing, Rebuilt::Damaged(detail), &making)
                    }
                    done => done,
                }
            }
        };
        Ok(Refresh { seeded_from, ..refresh? })
    }

    fn build(
        &self,
        lock: &WriteLock,
        listing: Listing,
        reason: Rebuilt,
        making: &Making,
    ) -> Result<Refresh, EngineError> {
        let plan = Plan::everything(listing);
        let writing = self.writing(None);
        let (tally, generation) = writing.build(&plan, lock, making)?;
        // What was kept is of another index, whose generations may have had the same numbers.
        self.engine.forget();
        Ok(built(&tally, generation, &plan, reason))
    }

    fn catch_up(
        &self,
        lock: &WriteLock,
        plan: &Plan,
        tasks: &[Task],
        making: &Making,
    ) -> Result<Refresh, EngineError> {
        let deadline = self.options.deadline.map(|deadline| self.started + deadline);
        let mut writer = orient_store::Writer::open(&self.engine.place.index(), lock)?;
        crate::maintenance::vector_renewal::forget(&mut writer)?;
        let (tally, applied) = self.writing(deadline).catch_up(plan, tasks, &mut writer, Some(making))?;
        Ok(caught_up(tally, applied, plan))
    }

    /// Goes back to the index in the store once that can be written again: a disk is not full for ever, and a server runs
    /// for days.
    fn leave_memory(&self) {
        let engine = self.engine;
        if engine.memory.is_due() && engine.own_folder().is_ok_and(|folder| folder.probe().is_ok()) {
            engine.memory.leave();
            engine.forget();
        }
    }

    /// The same for a store that cannot be written, or not now: the difference is held in memory.
    pub(crate) fn in_memory(
        &self,
        state: State,
        listing: Listing,
        unusable: Option<String>,
    ) -> Result<Refresh, EngineError> {
        let engine = self.engine;
        let already_in_memory = engine.memory.is_used();
        let refresh = match state {
            State::Build(reason) => {
                let plan = Plan::everything(listing);
                let (tally, snapshot) = self.writing_in_memory(None).build_in_memory(&plan)?;
                let generation = snapshot.generation();
                engine.memory.keep(snapshot);
                built(&tally, generation, &plan, reason)
            }
            State::Usable(snapshot) => {
                let plan = plan(&snapshot, &listing)?;
                if plan.is_empty() && self.is_resolved(&snapshot) {
                    Refresh { generation: snapshot.generation(), same: plan.same, ..Refresh::default() }
                } else {
                    let tasks = tasks(&snapshot, &plan)?;
                    let deadline = self.options.deadline.map(|deadline| self.started + deadline);
                    let generation = snapshot.generation();
                    let mut writer = snapshot.into_inner().into_writer()?;
                    crate::maintenance::vector_renewal::forget(&mut writer)?;
                    let done = self.writing_in_memory(deadline).catch_up(&plan, &tasks, &mut writer, None);
                    let refresh = done.map(|(tally, applied)| caught_up(tally, applied, &plan));
                    // Newer stamps of the same content change no answer: the index in the store gives it.
                    if !already_in_memory && refresh.as_ref().is_ok_and(Refresh::only_restamped) {
                        return refresh.map(|refresh| Refresh { generation, ..refresh });
                    }
                    engine.memory.keep(writer.into_snapshot()?);
                    refresh?
                }
            }
        };
        engine.memory.because(unusable.clone());
        Ok(Refresh { in_memory: true, unusable, ..refresh })
    }

    pub(crate) fn writing(&self, deadline: Option<Instant>) -> Writing<'_> {
        let RefreshOptions { depth, at_once, pause, cancel, .. } = self.options;
        let (depth, at_once, pause) = (*depth, at_once.unwrap_or(AT_ONCE), pause.as_ref());
        let (engine, progress) = (self.engine, self.progress);
        Writing { engine, depth, at_once, cancel, progress, pause, deadline, keeps_facts: true }
    }

    /// The same for an index in memory: whatever keeps us from the index may keep us from the cache as well.
    fn writing_in_memory(&self, deadline: Option<Instant>) -> Writing<'_> {
        Writing { keeps_facts: false, ..self.writing(deadline) }
    }
}

/// What the difference between an index and a listing asks for.
fn plan(snapshot: &Snapshot, listing: &Listing) -> Result<Plan, EngineError> {
    let skipped = skipped_before(snapshot, listing)?;
    let known = snapshot.known()?;
    Ok(Plan::new(known.into_iter().map(|known| (known.path, known.stamp)), &skipped, listing))
}

/// What the index holds of what is skipped now, where it skipped that before.
pub(crate) fn skipped_before(
    snapshot: &Snapshot,
    listing: &Listing,
) -> Result<BTreeMap<RepoPath, SkippedBefore>, EngineError> {
    let mut skipped = BTreeMap::new();
    for skip in &listing.skipped {
        if let Some(row) = snapshot.file(&skip.path)?
            && let Some(reason) = skip_reason(&row)
        {
            skipped.insert(skip.path.clone(), SkippedBefore { reason, stamp: row.stamp });
        }
    }
    Ok(skipped)
}

/// The files to read, with what the index holds of each.
pub(crate) fn tasks(snapshot: &Snapshot, plan: &Plan) -> Result<Vec<Task>, EngineError> {
    let mut tasks = Vec::with_capacity(plan.jobs.len());
    for job in &plan.jobs {
        let row = if job.known { snapshot.file(&job.path)? } else { None };
        let seen = row.map(|row| Seen { stamp: row.stamp, hash: row.hash, skipped: skip_reason(&row) });
        tasks.push(Task { job: job.clone(), seen });
    }
    Ok(tasks)
}

/// Why a file of the index was not read.
pub(crate) fn skip_reason(row: &FileRow) -> Option<SkipReason> {
    if row.status == INDEXED {
        return None;
    }
    SkipReason::from_parts(row.status, row.detail.as_deref().unwrap_or_default())
}

fn built(tally: &Tally, generation: u64, plan: &Plan, reason: Rebuilt) -> Refresh {
    Refresh {
        generation,
        added: plan.files() - tally.gone.min(plan.files()),
        parsed: tally.parsed,
        from_cache: tally.from_cache,
        resolved: tally.graph.resolved,
        unresolved: tally.graph.failed,
        skipped: tally.skipped,
        bytes: tally.bytes,
        rebuilt: Some(reason),
        remembered: tally.remembered,
        ..Refresh::default()
    }
}

pub(crate) fn caught_up(tally: Tally, applied: ChangeSummary, plan: &Plan) -> Refresh {
    Refresh {
        generation: applied.generation,
        added: applied.added,
        changed: applied.changed,
        removed: applied.removed,
        renamed: applied.renamed,
        touched: applied.restamped,
        same: plan.same + tally.same,
        parsed: tally.parsed,
        from_cache: tally.from_cache,
        resolved: tally.graph.resolved,
        unresolved: tally.graph.failed,
        owed: tally.owed,
        skipped: tally.skipped,
        bytes: tally.bytes,
        pending: tally.pending,
        remembered: tally.remembered,
        ..Refresh::default()
    }
}
