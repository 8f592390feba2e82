//! Carrying out a plan: threads read, this one writes, to the index and to the cache.

use crate::change_log::Step;
use crate::manifest::tree_manifest::Making;
use crate::progress::{Cancel, Pause, Phase, Progress};
use crate::refresh::facts_batch::FactsBatch;
use crate::refresh::graph::dependency_index::Asked;
use crate::refresh::graph::invalidation::{GraphPlan, plan as plan_graph};
use crate::refresh::graph::resolve_files::{self, Resolving, Touched};
use crate::refresh::graph::resolver_input::{FactsSource, Live, has_rules};
use crate::refresh::log::ParseLog;
use crate::refresh::pending_facts::Carried;
use crate::refresh::pipeline::{self, Bounds, Results};
use crate::refresh::plan::Plan;
use crate::refresh::read_file::{Outcome, Reading, Task, skipped};
use crate::refresh::run::Depth;
use crate::{Engine, EngineError};
use orient_model::{RepoPath, Stamp};
use orient_store::{
    BulkWriter, Change, ChangeSet, ChangeSummary, FileId, GraphWriter, INDEXED, IndexedFile, ManifestEntry,
    Snapshot, StoreError, SymbolTable, WriteLock, Writer,
};
use orient_walk::RootDirectory;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

/// The part of the memory ceiling that files on their way through may take; the rest is for the store, the lists of
/// files, and what the allocator does not give back.
const SHARE_IN_FLIGHT: u64 = 4;

/// From how many files on it pays to read all names first, and how many symbols may be held for that.
const MANY: usize = 300;
const GATHERED: u64 = 2 << 20;

/// What has to be resolved.
struct Concerned {
    /// The files, by path.
    files: Vec<FileId>,
    /// All names, where they were read.
    directory: Option<SymbolTable>,
}

/// A change set that nobody sees yet, and what has to be resolved after it.
type First<'s> = (ChangeSet<'s>, Option<Concerned>);

/// What was at each path before something changed there.
type Before = BTreeMap<RepoPath, Option<IndexedFile>>;

/// What came out of reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) parsed: usize,
    pub(crate) from_cache: usize,
    pub(crate) skipped: usize,
    pub(crate) same: usize,
    pub(crate) gone: usize,
    pub(crate) bytes: u64,
    pub(crate) pending: Vec<RepoPath>,
    /// Files whose parser gave up.
    pub(crate) limited: usize,
    /// Whether the tree as a whole was noted.
    pub(crate) remembered: bool,
    pub(crate) graph: resolve_files::Outcome,
    /// Files that have yet to be resolved.
    pub(crate) owed: u64,
}

/// Carries out plans.
pub(crate) struct Writing<'w> {
    pub(crate) engine: &'w Engine,
    pub(crate) depth: Depth,
    /// Up to how many files are resolved in one step with the change that concerns them.
    pub(crate) at_once: usize,
    pub(crate) cancel: &'w Cancel,
    pub(crate) progress: &'w dyn Progress,
    /// Asks to leave what is still to be resolved for another time.
    pub(crate) pause: Option<&'w Pause>,
    /// When to leave the rest for another time.
    pub(crate) deadline: Option<Instant>,
    /// Whether new facts are written to the cache.
    pub(crate) keeps_facts: bool,
}

impl Writing<'_> {
    /// Builds a new index in the place of whatever is there.
    pub(crate) fn build(
        &self,
        plan: &Plan,
        lock: &WriteLock,
        making: &Making,
    ) -> Result<(Tally, u64), EngineError> {
        let index = self.engine.place.index();
        let mut writer = BulkWriter::create(&index, lock, self.engine.languages.fingerprint(), plan.bytes())?;
        let mut tally = self.load(plan, &mut writer)?;
        let mut writer = writer.graph();
        tally.graph = self.resolve_all(&mut writer)?;
        self.progress.phase(Phase::Finishing, 0, 0);
        let _span = tracing::debug_span!("write").entered();
        let generation = writer.publish_with(|files| tally.make(files, Some(making)))?;
        Ok((tally, generation))
    }

    /// Builds a new index in memory.
    pub(crate) fn build_in_memory(&self, plan: &Plan) -> Result<(Tally, Snapshot), EngineError> {
        let mut writer =
            BulkWriter::in_memory(&self.engine.place.index(), self.engine.languages.fingerprint())?;
        let mut tally = self.load(plan, &mut writer)?;
        let mut writer = writer.graph();
        tally.graph = self.resolve_all(&mut writer)?;
        Ok((tally, writer.into_snapshot()?))
    }

    /// Resolves all files of a new index.
    fn resolve_all(&self, writer: &mut GraphWriter<'_>) -> Result<resolve_files::Outcome, EngineError> {
        let directory = writer.symbol_table();
        let files: Vec<FileId> =
            directory.files().filter(|file| has_rules(file)).map(|file| file.id).collect();
        writer.set_resolver(self.engine.languages.resolver());
        writer.set_embedder(crate::chunk_features::embedder());
        self.resolving(None)?.resolve(&*directory, &files, None, |graph| writer.put(graph))
    }

    fn load(&self, plan: &Plan, writer: &mut BulkWriter<'_>) -> Result<Tally, EngineError> {
        let tasks: Vec<Task> = plan.jobs.iter().map(|job| Task { job: job.clone(), seen: None }).collect();
        self.carry_out(plan, &tasks, &mut |change| match change {
            Change::Put(file) => writer.put(&file),
            Change::Remove(_) | Change::Restamp(..) => Ok(()),
        })
    }

    /// Applies the difference to an index that is there; without any, that stays as it is.
    ///
    /// Where many files have to be resolved, what is in them is made visible first.
    pub(crate) fn catch_up(
        &self,
        plan: &Plan,
        tasks: &[Task],
        writer: &mut Writer<'_>,
        making: Option<&Making>,
    ) -> Result<(Tally, ChangeSummary), EngineError> {
        let (tally, applied) = self.apply(plan, tasks, writer, making)?;
        Ok((Tally { owed: writer.owed(), ..tally }, applied))
    }

    fn apply(
        &self,
        plan: &Plan,
        tasks: &[Task],
        writer: &mut Writer<'_>,
        making: Option<&Making>,
    ) -> Result<(Tally, ChangeSummary), EngineError> {
        let carried = self.engine.carrying.take(writer.generation()).filter(|_| plan.is_empty());
        let (facts, directory) = carried.map_or((None, None), |one| (Some(one.facts), one.directory));
        let resolving = self.resolving(facts)?;
        let before = ChangeSummary { generation: writer.generation(), ..ChangeSummary::default() };
        let step = self.engine.steps.begin(before.generation, plan.paths());
        let (mut tally, first) = self.first(plan, tasks, writer, &resolving, directory)?;
        let applied = match first {
            None => before,
            Some((set, None)) => tally.commit(set, making)?,
            Some((set, Some(left))) if self.depth == Depth::Facts => {
                let applied = tally.commit(set, making)?;
                let (generation, facts) = (applied.generation, resolving.into_facts());
                self.engine.carrying.put(Carried { generation, facts, directory: left.directory });
                applied
            }
            Some((set, Some(left))) => {
                let applied = self.in_two_steps(&mut tally, set, making, &resolving, left, step)?;
                return Ok((tally, applied));
            }
        };
        step.led_to(applied.generation);
        Ok((tally, applied))
    }

    /// Makes visible what is in the files, and then what uses mean. Where all names were read, files are resolved while the
    /// first is written.
    fn in_two_steps<'s>(
        &self,
        tally: &mut Tally,
        set: ChangeSet<'s>,
        making: Option<&Making>,
        resolving: &Resolving<'_>,
        mut left: Concerned,
        step: Step<'_>,
    ) -> Result<ChangeSummary, EngineError> {
        let show = |mut set: ChangeSet<'s>, tally: &mut Tally| {
            let sheet = making.map(|making| |files: &[ManifestEntry]| tally.make(files, Some(making)));
            let span = tracing::debug_span!("write").entered();
            let applied = set.commit_facts(sheet)?;
            drop(span);
            step.led_to(applied.generation);
            self.progress.known(applied.generation);
            let step = self.engine.steps.begin(applied.generation, Vec::new());
            Ok::<_, EngineError>((set, applied, step))
        };
        let (set, mut applied, step) = if let Some(directory) = left.directory(&set)? {
            let (files, begin) = (&left.files, || show(set, tally));
            let (outcome, begun) =
                resolving.resolve_meanwhile(&directory, files, self.pause, begin, |(set, ..), graph| {
                    set.put_graph(graph)
                })?;
            tally.graph = outcome;
            begun
        } else {
            let (mut set, applied, step) = show(set, tally)?;
            tally.graph = resolve_live(&mut set, resolving, &left.files, self.pause)?;
            (set, applied, step)
        };
        let span = tracing::debug_span!("write").entered();
        applied.generation = set.commit_graph()?.generation;
        drop(span);
        step.led_to(applied.generation);
        Ok(applied)
    }

    /// Carries out a plan, with the graph where few files have to be resolved; nothing is visible yet. Says what is left.
    fn first<'s>(
        &self,
        plan: &Plan,
        tasks: &[Task],
        writer: &'s mut Writer<'_>,
        resolving: &Resolving<'_>,
        directory: Option<SymbolTable>,
    ) -> Result<(Tally, Option<First<'s>>), EngineError> {
        let outdated = writer.resolver() != self.engine.languages.resolver();
        let needed = outdated || writer.owed() > 0 && self.depth == Depth::Graph;
        let (mut tally, changes) = self.changes(plan, tasks, writer, needed)?;
        let Some((mut set, touched)) = changes else { return Ok((tally, None)) };
        let mut concerned = self.concerned(&mut set, resolving, touched, outdated)?;
        concerned.directory = concerned.directory.or(directory);
        // Nobody else looks at an index in memory.
        if concerned.files.len() <= self.at_once || self.engine.memory.is_used() {
            tally.graph = resolve_again(&mut set, resolving, &mut concerned)?;
            return Ok((tally, Some((set, None))));
        }
        set.owe(&concerned.files)?;
        Ok((tally, Some((set, Some(concerned)))))
    }

    /// Carries out a plan in a change set; none where that changes nothing, and none is needed for something else.
    fn changes<'s>(
        &self,
        plan: &Plan,
        tasks: &[Task],
        writer: &'s mut Writer<'_>,
        needed: bool,
    ) -> Result<(Tally, Option<(ChangeSet<'s>, Before)>), EngineError> {
        let mut set: Option<ChangeSet<'_>> = None;
        let mut writer = Some(writer);
        let mut touched = Before::new();
        let tally = self.carry_out(plan, tasks, &mut |change| {
            if let Some(writer) = writer.take() {
                set = Some(writer.begin()?);
            }
            set.as_mut().map_or(Ok(()), |set| {
                note(&mut touched, set, &change)?;
                set.push(&change)
            })
        })?;
        if let (true, Some(writer)) = (needed, writer.take()) {
            set = Some(writer.begin()?);
        }
        Ok((tally, set.map(|set| (set, touched))))
    }

    /// Which files have to be resolved because of a change set, or were before.
    fn concerned(
        &self,
        set: &mut ChangeSet<'_>,
        resolving: &Resolving<'_>,
        touched: Before,
        outdated: bool,
    ) -> Result<Concerned, EngineError> {
        set.settle()?;
        let mut directory = None;
        let plan = if outdated {
            set.set_resolver(self.engine.languages.resolver());
            GraphPlan::Everything
        } else {
            let mut changes = Vec::with_capacity(touched.len());
            for (path, before) in touched {
                let after = set.reader().indexed_at(&path)?;
                let mut change = Touched::new(path, before, after);
                if change.joins_folder() {
                    change.beside = set.reader().files_in_directory(change.path.folder())?;
                }
                changes.push(change);
            }
            let (touches, gathered) = resolving.compare(&changes, || gather(set, changes.len()))?;
            directory = gathered;
            plan_graph(&touches, set.severed(), &mut Asked::new(set))?
        };
        let mut found = match plan {
            GraphPlan::Everything => set.reader().indexed_under(b"")?,
            GraphPlan::Files(mut files) => {
                files.extend(set.owed()?);
                let mut found = Vec::with_capacity(files.len());
                for file in files {
                    found.extend(set.reader().indexed(file)?);
                }
                found
            }
        };
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let (files, others): (Vec<_>, Vec<_>) = found.iter().partition(|file| has_rules(file));
        for file in others {
            set.clear_graph(file.id)?;
        }
        Ok(Concerned { files: files.iter().map(|file| file.id).collect(), directory })
    }

    fn resolving(&self, facts: Option<FactsSource>) -> Result<Resolving<'_>, EngineError> {
        Resolving::new(self.engine, self.cancel, self.progress, facts)
    }

    fn carry_out(
        &self,
        plan: &Plan,
        tasks: &[Task],
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<Tally, EngineError> {
        self.progress.phase(Phase::Reading, tasks.len() as u64, plan.bytes());
        // Removals first: content that comes back under another path was renamed.
        for path in &plan.removed {
            write(Change::Remove(path.clone()))?;
        }
        for skip in &plan.skipped {
            let put =
                skipped(&self.engine.languages, skip.path.clone(), &skip.reason, Stamp::untrusted(), &[]);
            write(Change::Put(Box::new(put)))?;
        }
        let mut tally = Tally { skipped: plan.skipped.len(), ..Tally::default() };
        if !tasks.is_empty() {
            let log = ParseLog::begin(tasks.len());
            self.read(tasks, &mut tally, write)?;
            log.end(&tally);
        }
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(tally) }
    }

    fn read(
        &self,
        tasks: &[Task],
        tally: &mut Tally,
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<(), EngineError> {
        let engine = self.engine;
        let tree = RootDirectory::open(&engine.repo.root)?;
        let cache = engine.place.cache();
        let reading = Reading {
            tree: &tree,
            languages: &engine.languages,
            max_file_size: engine.settings.index.max_file_size.bytes(),
            cache: &cache,
            cancel: self.cancel,
            deadline: self.deadline,
            limited: AtomicUsize::new(0),
        };
        let bounds = Bounds {
            threads: engine.threads(),
            bytes: engine.settings.limits.memory.bytes() / SHARE_IN_FLIGHT,
        };
        let mut batch = FactsBatch::new(&cache, self.keeps_facts);
        let done = pipeline::run(&reading, tasks, bounds, |results| {
            self.consume(tasks, results, tally, &mut batch, write)
        })?;
        batch.flush();
        tally.limited = reading.limited.into_inner();
        done
    }

    fn consume(
        &self,
        tasks: &[Task],
        results: &mut Results<'_, Outcome>,
        tally: &mut Tally,
        batch: &mut FactsBatch,
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<(), EngineError> {
        while let Some(outcome) = results.next() {
            let task = &tasks[results.delivered() - 1];
            tally.bytes += task.job.size;
            self.progress.tick(1, task.job.size);
            match outcome {
                Outcome::Same => tally.same += 1,
                Outcome::Restamp(stamp) => write(Change::Restamp(task.job.path.clone(), stamp))?,
                Outcome::Gone => {
                    tally.gone += 1;
                    if task.job.known {
                        write(Change::Remove(task.job.path.clone()))?;
                    }
                }
                Outcome::Put(put, origin) => {
                    tally.skipped += usize::from(put.status != INDEXED);
                    if let (Some(origin), Some(facts)) = (origin, &put.facts) {
                        tally.count(&origin);
                        batch.add(origin, facts.outline());
                    }
                    write(Change::Put(put))?;
                }
            }
        }
        tally.pending = tasks[results.delivered()..].iter().map(|task| task.job.path.clone()).collect();
        Ok(())
    }
}

/// Resolves what a change set concerns.
fn resolve_again(
    set: &mut ChangeSet<'_>,
    resolving: &Resolving<'_>,
    concerned: &mut Concerned,
) -> Result<resolve_files::Outcome, EngineError> {
    match concerned.directory(set)? {
        Some(directory) => {
            resolving.resolve(&directory, &concerned.files, None, |graph| set.put_graph(graph))
        }
        None => resolve_live(set, resolving, &concerned.files, None),
    }
}

/// Resolves files without reading all names first.
fn resolve_live(
    set: &mut ChangeSet<'_>,
    resolving: &Resolving<'_>,
    files: &[FileId],
    pause: Option<&Pause>,
) -> Result<resolve_files::Outcome, EngineError> {
    let live = Live::new(set);
    let outcome = resolving.resolve(&live, files, pause, |graph| live.put(graph))?;
    live.finish()?;
    Ok(outcome)
}

impl Concerned {
    /// All names, where they were read or it pays to read them.
    fn directory(&mut self, set: &ChangeSet<'_>) -> Result<Option<SymbolTable>, StoreError> {
        match self.directory.take() {
            None => gather(set, self.files.len()),
            gathered => Ok(gathered),
        }
    }
}

/// All names, where so many files are resolved that it pays to read them first.
fn gather(set: &ChangeSet<'_>, files: usize) -> Result<Option<SymbolTable>, StoreError> {
    if files < MANY { Ok(None) } else { set.reader().symbol_table(GATHERED) }
}

/// Notes what was at the path of a change before any.
fn note(touched: &mut Before, set: &ChangeSet<'_>, change: &Change) -> Result<(), StoreError> {
    let path = match change {
        Change::Put(put) => &put.path,
        Change::Remove(path) => path,
        Change::Restamp(..) => return Ok(()),
    };
    if !touched.contains_key(path) {
        touched.insert(path.clone(), set.reader().indexed_at(path)?);
    }
    Ok(())
}

impl Tally {
    /// Makes a change set visible.
    fn commit(&mut self, set: ChangeSet<'_>, making: Option<&Making>) -> Result<ChangeSummary, StoreError> {
        let _span = tracing::debug_span!("write").entered();
        match making {
            Some(making) => set.commit_with(|files| self.make(files, Some(making))),
            None => set.commit(),
        }
    }

    /// The sheet of the tree, if the index now holds all of it.
    fn make(&mut self, files: &[ManifestEntry], making: Option<&Making>) -> Option<Vec<u8>> {
        let sheet = making.filter(|_| self.pending.is_empty()).and_then(|making| making.make(files));
        self.remembered = sheet.is_some();
        sheet
    }

    fn count(&mut self, origin: &crate::refresh::read_file::Origin) {
        match origin {
            crate::refresh::read_file::Origin::Extracted { .. } => self.parsed += 1,
            crate::refresh::read_file::Origin::Cached(_) => self.from_cache += 1,
        }
    }
}
