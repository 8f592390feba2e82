//! Resolves files on all threads, and writes the results in file order.

use super::interface_diff::{ChangedPath, CompareInterface};
use super::invalidation::FileChange;
use super::resolver_hooks::ResolveFn;
use super::resolver_input::{FactsSource, IndexRepository, SymbolTable, number};
use crate::progress::{Cancel, Pause, Phase, Progress};
use crate::refresh::pipeline::{self, ParallelWork, PipelineLimits};
use crate::{Engine, EngineError};
use orient_store::{FileId, PreparedGraph, StoreError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// The fraction of the memory limit for decoded facts.
const SHARE_OF_FACTS: u64 = 6;
/// Estimated memory to resolve a file besides its facts.
const BYTES_PER_FILE: u64 = 256 << 10;

/// Counts of a resolution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResolveOutcome {
    pub(crate) resolved: usize,
    pub(crate) failed: usize,
}

/// Resolves files, and compares their interfaces before and after a change.
pub(crate) struct GraphResolver<'r> {
    engine: &'r Engine,
    cancel: &'r Cancel,
    progress: &'r dyn Progress,
    facts: FactsSource,
}

impl<'r> GraphResolver<'r> {
    /// Uses facts that were read before, or starts without any.
    pub(crate) fn new(
        engine: &'r Engine,
        cancel: &'r Cancel,
        progress: &'r dyn Progress,
        facts: Option<FactsSource>,
    ) -> Result<Self, EngineError> {
        if let Some(facts) = facts {
            return Ok(Self { engine, cancel, progress, facts });
        }
        let (tree, cache) = (engine.tree.open()?, engine.paths.cache());
        let limit = engine.settings.index.max_file_size.bytes();
        let kept = engine.settings.limits.memory.bytes() / SHARE_OF_FACTS;
        let facts = FactsSource::new(cache, tree, limit, kept).with_layers(engine.compiler_layers());
        Ok(Self { engine, cancel, progress, facts })
    }

    /// The facts that were read; `None` if some are missing.
    pub(crate) fn into_facts(self) -> Option<FactsSource> {
        Some(self.facts).filter(|facts| !facts.has_lost_facts())
    }

    /// Resolves files on all threads; `write` receives the results in file order. A pause ends it after a prefix of
    /// the files.
    pub(crate) fn resolve(
        &self,
        table: &dyn SymbolTable,
        files: &[FileId],
        pause: Option<&Pause>,
        mut write: impl FnMut(&PreparedGraph) -> Result<(), StoreError>,
    ) -> Result<ResolveOutcome, EngineError> {
        let (outcome, ()) =
            self.resolve_meanwhile(table, files, pause, || Ok(()), |(), graph| write(graph))?;
        Ok(outcome)
    }

    /// Like [`Self::resolve`], but this thread runs `begin` before it writes, while others already resolve.
    pub(crate) fn resolve_meanwhile<S>(
        &self,
        table: &dyn SymbolTable,
        files: &[FileId],
        pause: Option<&Pause>,
        begin: impl FnOnce() -> Result<S, EngineError>,
        mut write: impl FnMut(&mut S, &PreparedGraph) -> Result<(), StoreError>,
    ) -> Result<(ResolveOutcome, S), EngineError> {
        let mut outcome = ResolveOutcome::default();
        if files.is_empty() {
            return Ok((outcome, begin()?));
        }
        self.progress.phase(Phase::Resolving, files.len() as u64, 0);
        let _span = tracing::debug_span!("resolve", files = files.len()).entered();
        let world = IndexRepository::new(table, &self.facts);
        let made = catch_unwind(AssertUnwindSafe(|| (self.engine.resolver.make)(&world)));
        // A panic before the first file fails every file.
        let resolve = made.unwrap_or_else(|_| Box::new(|_| panic!("there is no resolver")));
        let pause = pause.map(|pause| (pause, Instant::now()));
        let work = ResolveFile { table, facts: &self.facts, resolve, cancel: self.cancel, pause };
        let begun = pipeline::run(&work, files, self.bounds(), |results| {
            let mut begun = begin()?;
            for graph in results {
                outcome.resolved += 1;
                outcome.failed += usize::from(graph.is_failed());
                write(&mut begun, &graph)?;
                self.progress.tick(1, 0);
            }
            Ok::<_, EngineError>(begun)
        })??;
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok((outcome, begun)) }
    }

    /// Compares the interfaces of changed files; this thread runs `meanwhile` concurrently.
    pub(crate) fn compare<T>(
        &self,
        touched: &[ChangedPath],
        meanwhile: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<(Vec<FileChange>, T), EngineError> {
        if touched.is_empty() {
            return Ok((Vec::new(), meanwhile()?));
        }
        let resolver = self.engine.resolver;
        let work = CompareInterface { facts: &self.facts, resolver, cancel: self.cancel };
        let (done, touches) = pipeline::run(&work, touched, self.bounds(), |results| {
            let done = meanwhile();
            (done, results.collect::<Vec<_>>())
        })?;
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok((touches, done?)) }
    }

    fn bounds(&self) -> PipelineLimits {
        let bytes = self.engine.settings.limits.memory.bytes() / SHARE_OF_FACTS;
        PipelineLimits { threads: self.engine.threads(), bytes }
    }
}

/// Resolves one file. A panic of the resolver costs the edges of this file only.
struct ResolveFile<'r> {
    table: &'r dyn SymbolTable,
    facts: &'r FactsSource,
    resolve: ResolveFn<'r>,
    cancel: &'r Cancel,
    /// The pause request, and when the work began.
    pause: Option<(&'r Pause, Instant)>,
}

impl ParallelWork for ResolveFile<'_> {
    type Job = FileId;
    type Output = PreparedGraph;
    type Tools = ();

    fn tools(&self) {}

    fn cost(&self, _: &FileId) -> u64 {
        BYTES_PER_FILE
    }

    fn run(&self, (): &mut (), &file: &FileId) -> (PreparedGraph, u64) {
        let resolve = || number(file).map(|number| (self.resolve)(number));
        let resolved = catch_unwind(AssertUnwindSafe(resolve)).ok().flatten();
        let graph = match &resolved {
            Some(resolved) => PreparedGraph::new(file, resolved, &mut |node| self.table.node(node)),
            None => PreparedGraph::failed(file),
        };
        // Edges that are missing for want of facts must not stay missing: the file itself may never change again.
        let graph = if self.facts.has_lost_facts() { graph.still_owed() } else { graph };
        let held = graph.bytes() as u64;
        (graph, held)
    }

    fn stop(&self) -> bool {
        let paused =
            |(pause, begun): (&Pause, Instant)| pause.asked.is_cancelled() && begun.elapsed() >= pause.after;
        self.cancel.is_cancelled() || self.pause.is_some_and(paused)
    }
}
