//! Uses of symbols of one root in the files of others.

use super::crossing_edge_cache::RootPair;
use super::joined_repository::JoinedRepository;
use super::package_coordinates::{Coordinates, Projects};
use crate::refresh::PARSER_STACK_BYTES;
use crate::{Engine, EngineError, NodeId, Snapshot};
use orient_model::Resolved;
use orient_resolve::Resolver;
use orient_store::{EdgeRow, FileId};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of files of a root that are resolved for one question.
const MAX_FILES: usize = 1_000;

/// A root of a workspace and its current index.
#[derive(Clone, Copy)]
pub struct RootSnapshot<'w> {
    /// Its engine.
    pub engine: &'w Engine,
    /// Its snapshot.
    pub snapshot: &'w Snapshot,
}

/// An edge from one root to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossRootUse {
    /// The number of the root with the source of the edge.
    pub root: usize,
    /// The edge: its source is a node of that root, its target one of the root that was asked about.
    pub edge: EdgeRow,
}

/// The uses in other roots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossRootUses {
    /// The edges, by root, source, kind and line.
    pub uses: Vec<CrossRootUse>,
    /// Number of files that were not resolved because there are too many.
    pub unread: usize,
}

/// The uses of nodes of the root `home` in all other roots; `names` are their own names.
pub fn cross_root_uses(
    roots: &[RootSnapshot<'_>],
    home: usize,
    nodes: &[NodeId],
    names: &[&str],
) -> Result<CrossRootUses, EngineError> {
    let mut found = CrossRootUses::default();
    let provided = Provided::by(roots[home].snapshot, nodes)?;
    if provided.packages.is_empty() {
        return Ok(found);
    }
    for (number, root) in roots.iter().enumerate().filter(|(number, _)| *number != home) {
        let projects = root.snapshot.package_projects()?;
        if !projects.any_requires(&provided.packages) {
            continue;
        }
        let mut files = using_files(root.snapshot, &projects, &provided, names)?;
        found.unread += files.len().saturating_sub(MAX_FILES);
        files.truncate(MAX_FILES);
        for edges in crossing_edges(roots[home], *root, &files)? {
            let to_nodes = edges.iter().filter(|edge| nodes.contains(&edge.target));
            found.uses.extend(to_nodes.map(|edge| CrossRootUse { root: number, edge: *edge }));
        }
    }
    found.uses.sort_by_key(|one| (one.root, one.edge.source, one.edge.kind, one.edge.line, one.edge.target));
    Ok(found)
}

/// The packages that nodes are part of.
#[derive(Default)]
struct Provided {
    packages: BTreeSet<Coordinates>,
    /// What an import of them mentions at least one of: parts of the names of packages, and of the paths of files.
    mentions: BTreeSet<String>,
}

impl Provided {
    fn by(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Self, EngineError> {
        let (projects, view) = (snapshot.package_projects()?, snapshot.graph());
        let mut provided = Self::default();
        for &node in nodes {
            let path = &view.file_of(node)?.path;
            provided.packages.extend(projects.providing(path));
            let parts = path.as_bytes().split(|byte| *byte == b'/');
            // Imports leave out the extension.
            let parts =
                parts.filter_map(|part| part.split(|byte| *byte == b'.').find(|stem| !stem.is_empty()));
            provided.mentions.extend(parts.map(|part| String::from_utf8_lossy(part).into_owned()));
        }
        provided.mentions.extend(provided.packages.iter().flat_map(Coordinates::names));
        Ok(provided)
    }
}

/// The files that may use a symbol, by path: those of projects that require its package, that looked up its name, or that import
/// something and use its name, or the package's, as an external one.
fn using_files(
    snapshot: &Snapshot,
    projects: &Projects,
    provided: &Provided,
    names: &[&str],
) -> Result<Vec<FileId>, EngineError> {
    let (mut named, mut importing) = (BTreeSet::new(), BTreeSet::new());
    for name in names {
        named.extend(snapshot.files_depending_on(name)?);
    }
    for mention in &provided.mentions {
        importing.extend(snapshot.files_depending_on(mention)?);
    }
    // A default import has the name that its file gives it, mostly that of the package.
    let of_packages: BTreeSet<String> = provided.packages.iter().flat_map(Coordinates::names).collect();
    let is_name = |name: &str| names.contains(&name) || of_packages.contains(&name.to_lowercase());
    let mut files = Vec::new();
    for &id in named.union(&importing) {
        let Some(file) = snapshot.store.file_by_id(id)? else { continue };
        if projects.requires(&file.path, &provided.packages)
            && (named.contains(&id) || snapshot.file_graph(id)?.external.iter().any(|one| is_name(&one.name)))
        {
            files.push((file.path, id));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, id)| id).collect())
}

/// The edges of each of these files of the root `user` that lead to the root `home`, from the cache where it has them.
fn crossing_edges(
    home: RootSnapshot<'_>,
    user: RootSnapshot<'_>,
    files: &[FileId],
) -> Result<Vec<Arc<[EdgeRow]>>, EngineError> {
    let pair = RootPair {
        home: home.engine.caches.index_number.get(),
        home_generation: home.snapshot.generation(),
        own_generation: user.snapshot.generation(),
    };
    let cache = &user.snapshot.caches.crossing_edges;
    let (mut edges, missing) = cache.known(pair, files);
    if missing.is_empty() {
        return Ok(edges);
    }
    let repository = JoinedRepository::open(&[home.engine, user.engine])?;
    let resolved = resolve_together(&repository, user.engine.threads(), &missing)?;
    edges.extend(resolved.iter().map(|(_, edges)| Arc::clone(edges)));
    // Another process may have changed an index since the snapshots were taken.
    if repository.generations() == [pair.home_generation, pair.own_generation] {
        cache.keep(pair, resolved);
    }
    Ok(edges)
}

/// A file and its edges to another root.
type FileEdges = (FileId, Arc<[EdgeRow]>);

/// Resolves files of root 1 with root 0 in view; returns for each the edges that lead from one to the other.
fn resolve_together(
    repository: &JoinedRepository,
    threads: usize,
    files: &[FileId],
) -> Result<Vec<FileEdges>, EngineError> {
    let resolver = Resolver::new(repository);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(files.len())));
    let work = || {
        while let Some(&file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let resolve = || JoinedRepository::number(1, file).map(|number| resolver.resolve(number));
            // A panic of the resolver costs the edges of this file only, as it does in an index.
            let resolved = catch_unwind(AssertUnwindSafe(resolve)).ok().flatten().unwrap_or_default();
            let edges = edges_across(repository, &resolved);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((file, edges));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(files.len()) {
            let builder = std::thread::Builder::new().stack_size(PARSER_STACK_BYTES);
            builder.name("join".to_owned()).spawn_scoped(scope, work)?;
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn edges_across(repository: &JoinedRepository, resolved: &Resolved) -> Arc<[EdgeRow]> {
    let cross = |edge: &orient_model::Edge| {
        let ((from_root, source), (to_root, target)) =
            (repository.node(edge.from)?, repository.node(edge.to)?);
        let (kind, line, confidence, rule) = (edge.kind, edge.line, edge.confidence, edge.rule);
        (from_root == 1 && to_root == 0).then_some(EdgeRow { source, target, kind, line, confidence, rule })
    };
    resolved.edges.iter().filter_map(cross).collect()
}
