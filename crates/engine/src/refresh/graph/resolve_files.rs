//! Resolving files on all threads; what each gave is written in their order.

use crate::extraction::Language;
use crate::progress::{Cancel, Pause, Phase, Progress};
use crate::refresh::graph::invalidation::{Edited, Names, Reach, Said, Seen, Touch, changed, reach};
use crate::refresh::graph::resolver_input::{FactsSource, Table, TableWorld, has_rules, number};
use crate::refresh::pipeline::{self, Bounds, Work};
use crate::{Engine, EngineError};
use orient_model::{Flow, Modules, Outline, RepoPath, Resolved, Rules, Shares};
use orient_resolve::{Afar, FileFacts, Resolver, WHOLE, World, afar, path_names, surface};
use orient_store::{FileId, IndexedFile, PreparedGraph, StoreError};
use orient_walk::RootDirectory;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// The part of the memory ceiling that decoded facts may take.
const SHARE_OF_FACTS: u64 = 6;
/// What resolving a file takes beside facts.
const BYTES_PER_FILE: u64 = 256 << 10;

/// Says what the uses in a file mean.
pub(crate) type Resolve<'w> = Box<dyn Fn(u32) -> Resolved + Sync + 'w>;
/// Makes a resolver that looks at a world.
pub(crate) type MakeResolve = for<'w> fn(&'w dyn World) -> Resolve<'w>;

/// What others see of a file: names, each with a hash of all that may be seen of it.
pub(crate) type Surface = fn(&Outline, &Flow) -> Vec<(String, u64)>;

/// What others see of names in a file without having looked at it.
pub(crate) type SeenAfar = fn(&Outline, &Rules, &[String]) -> BTreeMap<String, Afar>;

/// How files are resolved.
#[derive(Clone, Copy)]
pub(crate) struct Resolution {
    pub(crate) make: MakeResolve,
    pub(crate) surface: Surface,
    pub(crate) afar: SeenAfar,
}

impl Default for Resolution {
    fn default() -> Self {
        fn make(world: &dyn World) -> Resolve<'_> {
            let resolver = Resolver::new(world);
            Box::new(move |file| resolver.resolve(file))
        }
        Self { make, surface, afar }
    }
}

/// What came out of resolving.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) resolved: usize,
    pub(crate) failed: usize,
}

/// Resolves files, and compares what they were with what they are.
pub(crate) struct Resolving<'r> {
    engine: &'r Engine,
    cancel: &'r Cancel,
    progress: &'r dyn Progress,
    facts: FactsSource,
}

impl<'r> Resolving<'r> {
    /// Resolves with facts that were read before, or with none yet.
    pub(crate) fn new(
        engine: &'r Engine,
        cancel: &'r Cancel,
        progress: &'r dyn Progress,
        facts: Option<FactsSource>,
    ) -> Result<Self, EngineError> {
        if let Some(facts) = facts {
            return Ok(Self { engine, cancel, progress, facts });
        }
        let (tree, cache) = (RootDirectory::open(&engine.repo.root)?, engine.place.cache());
        let limit = engine.settings.index.max_file_size.bytes();
        let kept = engine.settings.limits.memory.bytes() / SHARE_OF_FACTS;
        Ok(Self { engine, cancel, progress, facts: FactsSource::new(cache, tree, limit, kept) })
    }

    /// The facts that were read.
    pub(crate) fn into_facts(self) -> FactsSource {
        self.facts
    }

    /// Resolves files one after the other, on all threads; `write` gets what each gave, in the order of the files. Ends
    /// with a first part of them where somebody asks for a pause.
    pub(crate) fn resolve(
        &self,
        table: &dyn Table,
        files: &[FileId],
        pause: Option<&Pause>,
        mut write: impl FnMut(&PreparedGraph) -> Result<(), StoreError>,
    ) -> Result<Outcome, EngineError> {
        let (outcome, ()) =
            self.resolve_meanwhile(table, files, pause, || Ok(()), |(), graph| write(graph))?;
        Ok(outcome)
    }

    /// The same, where something has to be done before what they gave can be written: this thread does that first.
    pub(crate) fn resolve_meanwhile<S>(
        &self,
        table: &dyn Table,
        files: &[FileId],
        pause: Option<&Pause>,
        begin: impl FnOnce() -> Result<S, EngineError>,
        mut write: impl FnMut(&mut S, &PreparedGraph) -> Result<(), StoreError>,
    ) -> Result<(Outcome, S), EngineError> {
        let mut outcome = Outcome::default();
        if files.is_empty() {
            return Ok((outcome, begin()?));
        }
        self.progress.phase(Phase::Resolving, files.len() as u64, 0);
        let _span = tracing::debug_span!("resolve", files = files.len()).entered();
        let world = TableWorld::new(table, &self.facts);
        let made = catch_unwind(AssertUnwindSafe(|| (self.engine.resolution.make)(&world)));
        // A fault before the first file is the fault of them all.
        let resolve = made.unwrap_or_else(|_| Box::new(|_| panic!("there is no resolver")));
        let pause = pause.map(|pause| (pause, Instant::now()));
        let work = OneFile { table, resolve, cancel: self.cancel, pause };
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

    /// What files that were touched mean to others. This thread has something else to do meanwhile.
    pub(crate) fn compare<T>(
        &self,
        touched: &[Touched],
        meanwhile: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<(Vec<Touch>, T), EngineError> {
        if touched.is_empty() {
            return Ok((Vec::new(), meanwhile()?));
        }
        let resolution = self.engine.resolution;
        let work = Comparison { facts: &self.facts, resolution, cancel: self.cancel };
        let (done, touches) = pipeline::run(&work, touched, self.bounds(), |results| {
            let done = meanwhile();
            (done, results.collect::<Vec<_>>())
        })?;
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok((touches, done?)) }
    }

    fn bounds(&self) -> Bounds {
        let bytes = self.engine.settings.limits.memory.bytes() / SHARE_OF_FACTS;
        Bounds { threads: self.engine.threads(), bytes }
    }
}

/// Resolves one file at a time. A fault of the resolver costs the graph of this file, never the run.
struct OneFile<'r> {
    table: &'r dyn Table,
    resolve: Resolve<'r>,
    cancel: &'r Cancel,
    /// Asks for a pause, and when the work began.
    pause: Option<(&'r Pause, Instant)>,
}

impl Work for OneFile<'_> {
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
        let held = graph.bytes() as u64;
        (graph, held)
    }

    fn stop(&self) -> bool {
        let paused =
            |(pause, begun): (&Pause, Instant)| pause.asked.is_cancelled() && begun.elapsed() >= pause.after;
        self.cancel.is_cancelled() || self.pause.is_some_and(paused)
    }
}

/// A path at which something changed: the indexed file that was there, and the one that is.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) path: RepoPath,
    pub(crate) before: Option<IndexedFile>,
    pub(crate) after: Option<IndexedFile>,
    /// The other files of its folder, where it came and that matters.
    pub(crate) beside: Vec<FileId>,
}

impl Touched {
    pub(crate) fn new(path: RepoPath, before: Option<IndexedFile>, after: Option<IndexedFile>) -> Self {
        Self { path, before, after, beside: Vec::new() }
    }

    /// Whether the file came, and whoever looks at one file of its folder looks at all.
    pub(crate) fn joins_folder(&self) -> bool {
        let by_folder = |rules: &Rules| rules.shares == Shares::Folder || rules.modules == Modules::Folder;
        self.before.is_none() && self.rules().is_some_and(by_folder)
    }

    /// Whether the file was there before, and is of the same kind.
    fn is_edit(&self) -> bool {
        let described =
            |file: &Option<IndexedFile>| file.as_ref().map(|file| (file.language.clone(), file.role));
        described(&self.before) == described(&self.after)
    }

    /// The rules of its language, if it has one and did not change it.
    fn rules(&self) -> Option<&'static Rules> {
        let file = match (&self.before, &self.after) {
            (Some(_), Some(_)) if !self.is_edit() => None,
            (before, after) => after.as_ref().or(before.as_ref()),
        };
        Language::by_name(file?.language.as_deref()?)?.rules()
    }
}

/// Compares what others see of a file before and after.
struct Comparison<'r> {
    facts: &'r FactsSource,
    resolution: Resolution,
    cancel: &'r Cancel,
}

impl Work for Comparison<'_> {
    type Job = Touched;
    type Output = Touch;
    type Tools = ();

    fn tools(&self) {}

    fn cost(&self, _: &Touched) -> u64 {
        BYTES_PER_FILE
    }

    fn run(&self, (): &mut (), touched: &Touched) -> (Touch, u64) {
        let file = touched.after.as_ref().map(|file| file.id);
        let compare = || self.compare(touched);
        let seen = catch_unwind(AssertUnwindSafe(compare)).ok().flatten();
        let touch = match seen {
            Some((names, reach)) => Touch { file, names: Some(names), reach },
            None => Touch { file, ..Touch::default() },
        };
        (touch, 0)
    }

    fn stop(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

impl Comparison<'_> {
    /// The names of which others see something else, and how far what it says about modules reaches; none where what
    /// was there is forgotten.
    fn compare(&self, touched: &Touched) -> Option<(Names, Option<Reach>)> {
        let Touched { path, before, after, beside } = touched;
        let old = self.look(before.as_ref(), |file| self.facts.read_before(file))?;
        // It is resolved next.
        let kept = |file: &IndexedFile| self.facts.get(number(file.id)?, || Some(file.clone()));
        let new = self.look(after.as_ref(), kept)?;
        let reach = reach(path.folder(), &old.said, &new.said);
        let names = changed(&old.surface, &new.surface);
        let paths = if touched.is_edit() { Vec::new() } else { path_names(path) };
        // Who includes a file through others can be told only while it stays where it is.
        let stays = |rules: &&Rules| touched.is_edit() || rules.modules != Modules::Include;
        let file = after.as_ref().or(before.as_ref());
        if let (Some(rules), Some(file)) = (touched.rules().filter(stays), file) {
            let seen = |look: &Look| match &look.facts {
                Some(facts) => (self.resolution.afar)(&facts.outline, rules, &names),
                None => BTreeMap::new(),
            };
            let (mut before, mut after) = (seen(&old), seen(&new));
            let edited = |name: &String| Edited {
                before: before.remove(name).unwrap_or_default(),
                after: after.remove(name).unwrap_or_default(),
                name: name.clone(),
            };
            let names: Vec<Edited> = names.iter().map(edited).collect();
            // Who came was looked at by nobody.
            let whole = touched.before.is_some()
                && (!touched.is_edit() || names.iter().any(|edited| edited.name == WHOLE));
            let (at, family, beside) = (file.id, rules.family.as_str(), beside.clone());
            return Some((Names::Seen(Seen { at, family, whole, paths, beside, names }), reach));
        }
        if touched.is_edit() {
            return Some((Names::All(names), reach));
        }
        // Whoever asks for the file or for anything of it asks for something else now.
        let all = old.surface.into_iter().chain(new.surface).map(|(name, _)| name);
        Some((Names::All(all.chain(paths).collect()), reach))
    }

    fn look(
        &self,
        file: Option<&IndexedFile>,
        read: impl FnOnce(&IndexedFile) -> Option<Arc<FileFacts>>,
    ) -> Option<Look> {
        let Some(file) = file.filter(|file| has_rules(file) || file.is_project_file) else {
            return Some(Look::default());
        };
        let facts = read(file)?;
        let text = |atom| facts.outline.strings.get(atom).to_owned();
        let said = facts.outline.manifest.iter();
        let said = said.map(|statement| (statement.says, text(statement.name), text(statement.value)));
        let (surface, said) = ((self.resolution.surface)(&facts.outline, &facts.flow), said.collect());
        Some(Look { surface, said, facts: Some(facts) })
    }
}

/// What others see of a file.
#[derive(Default)]
struct Look {
    surface: Vec<(String, u64)>,
    said: Vec<Said>,
    facts: Option<Arc<FileFacts>>,
}
