//! Applies a refresh plan: worker threads read and parse, this thread writes the index and the cache.
//!
//! If many files must be resolved, the change is committed in two transactions. Example: an edit of `util.h`
//! invalidates 5,000 files. The first commit makes its new symbols visible and records the 5,000 files as `owed`; the
//! second commits their edges. If the process dies between the two commits, the next refresh resumes from `owed`.

use crate::change_log::PendingChange;
use crate::manifest::ManifestBuilder;
use crate::progress::{Cancel, Pause, Phase, Progress};
use crate::refresh::facts_batch::FactsBatch;
use crate::refresh::graph::{
    FactsSource, FilesToResolve, GraphResolver, PathsBefore, ResolveOutcome, files_to_resolve, has_rules,
    record_before, resolve_in_change_set, resolve_invalidated,
};
use crate::refresh::log::ParseLog;
use crate::refresh::options::RefreshDepth;
use crate::refresh::pending_facts::PendingFacts;
use crate::refresh::pipeline::{self, OrderedResults, PipelineLimits};
use crate::refresh::plan::RefreshPlan;
use crate::refresh::read_file::{FileReader, ReadOutcome, ReadTask, skipped};
use crate::refresh::tally::RefreshTally;
use crate::{Engine, EngineError, chunk_features};
use orient_model::Stamp;
use orient_store::{
    BulkWriter, Change, ChangeSet, ChangeSummary, FileId, GraphWriter, INDEXED, InMemorySymbolTable,
    ManifestEntry, Snapshot, StoreError, WriteLock, Writer,
};
use orient_walk::SkipReason;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

/// The fraction of the memory limit for files in flight; the rest is for the store, file lists and allocator
/// overhead.
const MEMORY_SHARE_IN_FLIGHT: u64 = 4;

/// An uncommitted change set, and the files to resolve after it.
type UncommittedChange<'s> = (ChangeSet<'s>, Option<FilesToResolve>);

/// Applies refresh plans.
pub(crate) struct PlanWriter<'w> {
    pub(crate) engine: &'w Engine,
    pub(crate) depth: RefreshDepth,
    /// Maximum number of files to resolve in the same transaction as the change.
    pub(crate) max_resolved_with_change: usize,
    pub(crate) cancel: &'w Cancel,
    pub(crate) progress: &'w dyn Progress,
    /// Requests that resolution stops early; the rest stays owed.
    pub(crate) pause: Option<&'w Pause>,
    /// When to stop reading files; the rest is reported as pending.
    pub(crate) deadline: Option<Instant>,
    /// Whether new facts are written to the cache.
    pub(crate) keeps_facts: bool,
}

impl PlanWriter<'_> {
    /// Builds a new index that replaces the existing one.
    pub(crate) fn build(
        &self,
        plan: &RefreshPlan,
        lock: &WriteLock,
        manifest: &ManifestBuilder,
    ) -> Result<(RefreshTally, u64), EngineError> {
        let index = self.engine.paths.index();
        let mut writer =
            BulkWriter::create(&index, lock, self.engine.classifier.extraction_version(), plan.bytes())?;
        let mut tally = self.load(plan, &mut writer)?;
        let mut writer = writer.graph();
        tally.graph = self.resolve_all(&mut writer)?;
        tally.owed = writer.owed();
        self.progress.phase(Phase::Finishing, 0, 0);
        let _span = tracing::debug_span!("write").entered();
        let generation = writer.publish_with(|files| tally.encode_manifest(files, Some(manifest)))?;
        Ok((tally, generation))
    }

    /// Builds a new index in memory.
    pub(crate) fn build_in_memory(
        &self,
        plan: &RefreshPlan,
    ) -> Result<(RefreshTally, Snapshot), EngineError> {
        let mut writer =
            BulkWriter::in_memory(&self.engine.paths.index(), self.engine.classifier.extraction_version())?;
        let mut tally = self.load(plan, &mut writer)?;
        let mut writer = writer.graph();
        tally.graph = self.resolve_all(&mut writer)?;
        tally.owed = writer.owed();
        Ok((tally, writer.into_snapshot()?))
    }

    /// Builds a part of an index in memory; files that are not read until the deadline are skipped for this reason.
    pub(crate) fn build_part_in_memory(
        &self,
        plan: &RefreshPlan,
        unread: &SkipReason,
    ) -> Result<(RefreshTally, Snapshot), EngineError> {
        let mut writer =
            BulkWriter::in_memory(&self.engine.paths.index(), self.engine.classifier.extraction_version())?;
        let mut tally = self.load(plan, &mut writer)?;
        for path in &tally.pending {
            writer.put(&skipped(&self.engine.classifier, path.clone(), unread, Stamp::untrusted(), &[]))?;
        }
        let mut writer = writer.graph();
        tally.graph = self.resolve_files(&mut writer, self.pause)?;
        Ok((tally, writer.into_snapshot()?))
    }

    /// Resolves all files of a new index.
    fn resolve_all(&self, writer: &mut GraphWriter<'_>) -> Result<ResolveOutcome, EngineError> {
        self.resolve_files(writer, None)
    }

    fn resolve_files(
        &self,
        writer: &mut GraphWriter<'_>,
        pause: Option<&Pause>,
    ) -> Result<ResolveOutcome, EngineError> {
        let symbols = writer.symbol_table();
        let files: Vec<FileId> = symbols.files().filter(|file| has_rules(file)).map(|file| file.id).collect();
        writer.set_resolver(self.engine.resolution_version());
        writer.set_embedder(chunk_features::embedder());
        self.resolver(None)?.resolve(&*symbols, &files, pause, |graph| writer.put(graph))
    }

    fn load(&self, plan: &RefreshPlan, writer: &mut BulkWriter<'_>) -> Result<RefreshTally, EngineError> {
        let tasks: Vec<ReadTask> =
            plan.jobs.iter().map(|job| ReadTask { job: job.clone(), seen: None }).collect();
        self.read_and_write(plan, &tasks, &mut |change| match change {
            Change::Put(file) => writer.put(&file),
            Change::Remove(_) | Change::Restamp(..) => Ok(()),
        })
    }

    /// Applies a plan to an existing index; an empty plan changes nothing.
    ///
    /// If many files must be resolved, their facts become visible first.
    pub(crate) fn catch_up(
        &self,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        writer: &mut Writer<'_>,
        manifest: Option<&ManifestBuilder>,
    ) -> Result<(RefreshTally, ChangeSummary), EngineError> {
        drop_outdated_vectors(writer)?;
        let (tally, applied) = self.apply(plan, tasks, writer, manifest)?;
        Ok((RefreshTally { owed: writer.owed(), ..tally }, applied))
    }

    fn apply(
        &self,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        writer: &mut Writer<'_>,
        manifest: Option<&ManifestBuilder>,
    ) -> Result<(RefreshTally, ChangeSummary), EngineError> {
        let pending = self.engine.caches.pending_facts.take(writer.generation()).filter(|_| plan.is_empty());
        let (facts, symbols) = pending.map_or((None, None), |one| (Some(one.facts), one.symbols));
        let resolver = self.resolver(facts)?;
        let before = ChangeSummary { generation: writer.generation(), ..ChangeSummary::default() };
        let change = self.engine.caches.change_log.begin(before.generation, plan.paths());
        let (mut tally, uncommitted) = self.apply_uncommitted(plan, tasks, writer, &resolver, symbols)?;
        let applied = match uncommitted {
            None => before,
            Some((set, None)) => {
                self.engine.write_staged_layer()?;
                tally.commit(set, manifest)?
            }
            Some((set, Some(to_resolve))) if self.depth == RefreshDepth::Facts => {
                let applied = tally.commit(set, manifest)?;
                if let Some(facts) = resolver.into_facts() {
                    let (generation, symbols) = (applied.generation, to_resolve.symbols);
                    self.engine.caches.pending_facts.put(PendingFacts { generation, facts, symbols });
                }
                applied
            }
            Some((set, Some(to_resolve))) => {
                let applied =
                    self.commit_facts_then_graph(&mut tally, set, manifest, &resolver, to_resolve, change)?;
                return Ok((tally, applied));
            }
        };
        change.commit(applied.generation);
        Ok((tally, applied))
    }

    /// Commits the facts, then the edges. If all names are loaded, files are resolved while the facts are written.
    fn commit_facts_then_graph<'s>(
        &self,
        tally: &mut RefreshTally,
        set: ChangeSet<'s>,
        manifest: Option<&ManifestBuilder>,
        resolver: &GraphResolver<'_>,
        mut to_resolve: FilesToResolve,
        change: PendingChange<'_>,
    ) -> Result<ChangeSummary, EngineError> {
        let show = |mut set: ChangeSet<'s>, tally: &mut RefreshTally| {
            let encode = manifest
                .map(|manifest| |files: &[ManifestEntry]| tally.encode_manifest(files, Some(manifest)));
            let span = tracing::debug_span!("write").entered();
            let applied = set.commit_facts(encode)?;
            drop(span);
            change.commit(applied.generation);
            self.progress.known(applied.generation);
            let change = self.engine.caches.change_log.begin(applied.generation, Vec::new());
            Ok::<_, EngineError>((set, applied, change))
        };
        let (set, mut applied, change) = if let Some(symbols) = to_resolve.symbols(&set)? {
            let (files, begin) = (&to_resolve.files, || show(set, tally));
            let (outcome, begun) =
                resolver.resolve_meanwhile(&symbols, files, self.pause, begin, |(set, ..), graph| {
                    set.put_graph(graph)
                })?;
            tally.graph = outcome;
            begun
        } else {
            let (mut set, applied, change) = show(set, tally)?;
            tally.graph = resolve_in_change_set(&mut set, resolver, &to_resolve.files, self.pause)?;
            (set, applied, change)
        };
        let span = tracing::debug_span!("write").entered();
        applied.generation = set.commit_graph()?.generation;
        drop(span);
        change.commit(applied.generation);
        Ok(applied)
    }

    /// Applies a plan without committing it; resolves right away if few files are affected. Returns the files that
    /// are left to resolve.
    fn apply_uncommitted<'s>(
        &self,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        writer: &'s mut Writer<'_>,
        resolver: &GraphResolver<'_>,
        symbols: Option<InMemorySymbolTable>,
    ) -> Result<(RefreshTally, Option<UncommittedChange<'s>>), EngineError> {
        let outdated = writer.resolver() != self.engine.resolution_version();
        let needed = outdated || writer.owed() > 0 && self.depth == RefreshDepth::Graph;
        let (mut tally, changes) = self.changes(plan, tasks, writer, needed)?;
        let Some((mut set, paths_before)) = changes else { return Ok((tally, None)) };
        let mut to_resolve = files_to_resolve(self.engine, &mut set, resolver, paths_before, outdated)?;
        to_resolve.symbols = to_resolve.symbols.or(symbols);
        // Nobody else reads an in-memory index.
        if to_resolve.files.len() <= self.max_resolved_with_change || self.engine.in_memory_index.is_used() {
            tally.graph = resolve_invalidated(&mut set, resolver, &mut to_resolve)?;
            return Ok((tally, Some((set, None))));
        }
        set.owe(&to_resolve.files)?;
        Ok((tally, Some((set, Some(to_resolve)))))
    }

    /// Applies a plan in a change set; `None` if it changes nothing and no change set is needed otherwise.
    fn changes<'s>(
        &self,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        writer: &'s mut Writer<'_>,
        needed: bool,
    ) -> Result<(RefreshTally, Option<(ChangeSet<'s>, PathsBefore)>), EngineError> {
        let mut set: Option<ChangeSet<'_>> = None;
        let mut writer = Some(writer);
        let mut paths_before = PathsBefore::new();
        let tally = self.read_and_write(plan, tasks, &mut |change| {
            if let Some(writer) = writer.take() {
                set = Some(writer.begin()?);
            }
            set.as_mut().map_or(Ok(()), |set| {
                record_before(&mut paths_before, set, &change)?;
                set.push(&change)
            })
        })?;
        if let (true, Some(writer)) = (needed, writer.take()) {
            set = Some(writer.begin()?);
        }
        Ok((tally, set.map(|set| (set, paths_before))))
    }

    fn resolver(&self, facts: Option<FactsSource>) -> Result<GraphResolver<'_>, EngineError> {
        GraphResolver::new(self.engine, self.cancel, self.progress, facts)
    }

    fn read_and_write(
        &self,
        plan: &RefreshPlan,
        tasks: &[ReadTask],
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<RefreshTally, EngineError> {
        self.progress.phase(Phase::Reading, tasks.len() as u64, plan.bytes());
        // Removals come first, so that content that reappears under another path is detected as a rename.
        for path in &plan.removed {
            write(Change::Remove(path.clone()))?;
        }
        for skip in &plan.skipped {
            let put =
                skipped(&self.engine.classifier, skip.path.clone(), &skip.reason, Stamp::untrusted(), &[]);
            write(Change::Put(Box::new(put)))?;
        }
        let mut tally = RefreshTally { skipped: plan.skipped.len(), ..RefreshTally::default() };
        if !tasks.is_empty() {
            let log = ParseLog::begin(tasks.len());
            self.read(tasks, &mut tally, write)?;
            log.end(&tally);
        }
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(tally) }
    }

    fn read(
        &self,
        tasks: &[ReadTask],
        tally: &mut RefreshTally,
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<(), EngineError> {
        let engine = self.engine;
        let tree = engine.tree.open()?;
        let cache = engine.paths.cache();
        let reading = FileReader {
            tree: &*tree,
            classifier: &engine.classifier,
            max_file_size: engine.settings.index.max_file_size.bytes(),
            cache: &cache,
            cancel: self.cancel,
            deadline: self.deadline,
            limited: AtomicUsize::new(0),
        };
        let bounds = PipelineLimits {
            threads: engine.threads(),
            bytes: engine.settings.limits.memory.bytes() / MEMORY_SHARE_IN_FLIGHT,
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
        tasks: &[ReadTask],
        results: &mut OrderedResults<'_, ReadOutcome>,
        tally: &mut RefreshTally,
        batch: &mut FactsBatch,
        write: &mut dyn FnMut(Change) -> Result<(), StoreError>,
    ) -> Result<(), EngineError> {
        while let Some(outcome) = results.next() {
            let task = &tasks[results.delivered() - 1];
            tally.bytes += task.job.size;
            self.progress.tick(1, task.job.size);
            match outcome {
                ReadOutcome::Same => tally.unchanged += 1,
                ReadOutcome::Restamp(stamp) => write(Change::Restamp(task.job.path.clone(), stamp))?,
                ReadOutcome::Gone => {
                    tally.gone += 1;
                    if task.job.known {
                        write(Change::Remove(task.job.path.clone()))?;
                    }
                }
                ReadOutcome::Put(put, origin) => {
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

/// Drops vectors of another version before current ones are written.
pub(crate) fn drop_outdated_vectors(writer: &mut Writer<'_>) -> Result<(), StoreError> {
    if writer.embedder() == chunk_features::embedder() {
        Ok(())
    } else {
        writer.forget_vectors(chunk_features::embedder())
    }
}
