//! Edges that follow from the joined surface: from what registers a handler to the handler, where only several files together prove that it does, from a request to the handler that it reaches, from an application to the files whose
//! handlers it finds by itself, and from a command to those below it. They depend on all files, so they are computed for a
//! generation and not stored.

use crate::{EdgeRow, EngineError, NodeId, Snapshot};
use orient_model::{Confidence, EdgeKind, Place, RepoPath, Rule, Slot, Surface, SurfaceEntry, SurfaceKind};
use orient_resolve::{Endpoint, request_parts, request_reaches, request_reaches_surely};
use orient_store::FileId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The edges that follow from the surface of one generation.
#[derive(Default)]
pub(crate) struct SurfaceEdges {
    incoming: FxHashMap<NodeId, Vec<EdgeRow>>,
    outgoing: FxHashMap<NodeId, Vec<EdgeRow>>,
    /// Files whose top-level code registers routes.
    registering: FxHashSet<FileId>,
}

impl SurfaceEdges {
    /// The edges that lead to a node.
    pub(crate) fn to(&self, node: NodeId) -> &[EdgeRow] {
        self.incoming.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The edges that start at a node.
    pub(crate) fn from(&self, node: NodeId) -> &[EdgeRow] {
        self.outgoing.get(&node).map_or(&[], Vec::as_slice)
    }

    /// Whether the top-level code of a file registers routes by calls.
    pub(crate) fn registers(&self, file: FileId) -> bool {
        self.registering.contains(&file)
    }

    fn push(&mut self, edge: EdgeRow) {
        let from = self.outgoing.entry(edge.source).or_default();
        if edge.source == edge.target || from.contains(&edge) {
            return;
        }
        from.push(edge);
        self.incoming.entry(edge.target).or_default().push(edge);
    }
}

impl Snapshot {
    /// The edges that follow from the surface.
    pub(crate) fn surface_edges(&self) -> Result<Arc<SurfaceEdges>, EngineError> {
        self.caches.surface_edges(self.generation(), || self.compute_surface_edges())
    }

    fn compute_surface_edges(&self) -> Result<SurfaceEdges, EngineError> {
        let mut edges = SurfaceEdges::default();
        let surfaces = self.store.reader().surfaces()?;
        for (file, surface) in &surfaces {
            let registers = |route: &&orient_model::Route<NodeId>| {
                // An annotated function is a place of its own.
                let is_called = route.place.is_some_and(|place| Some(place.node) != route.handler);
                is_called && route.from == NodeId::from(*file)
            };
            if surface.routes.iter().any(|route| registers(&route)) {
                edges.registering.insert(*file);
            }
        }
        self.add_applications(&surfaces, &mut edges)?;
        self.add_commands(&surfaces, &mut edges)?;
        let requests = surfaces.iter().flat_map(|(_, surface)| &surface.entries);
        let requests: Vec<_> = requests.filter(|entry| entry.kind == SurfaceKind::Request).collect();
        let endpoints = self.endpoints()?;
        add_registrations(&endpoints, &mut edges);
        add_requests(&requests, &endpoints, &mut edges);
        Ok(edges)
    }

    /// An application finds the types whose annotations register routes, jobs or listeners. Of several applications of a framework, the
    /// one in the nearest directory does.
    fn add_applications(
        &self,
        surfaces: &[(FileId, Surface<NodeId>)],
        edges: &mut SurfaceEdges,
    ) -> Result<(), EngineError> {
        let view = self.graph();
        let mut applications: BTreeMap<&str, Vec<(&SurfaceEntry<NodeId>, RepoPath)>> = BTreeMap::new();
        for (file, surface) in surfaces {
            for entry in surface.entries.iter().filter(|entry| entry.kind == SurfaceKind::Application) {
                if !view.is_test(entry.from)? {
                    let of = applications.entry(&entry.framework).or_default();
                    of.push((entry, view.file(*file)?.path.clone()));
                }
            }
        }
        if applications.is_empty() {
            return Ok(());
        }
        for (file, surface) in surfaces {
            let (here, target) = (view.file(*file)?, NodeId::from(*file));
            let of_routes = surface
                .routes
                .iter()
                .filter(|route| route.place.is_none() && route.from == target)
                .map(|route| &route.framework);
            let is_found = |entry: &&SurfaceEntry<NodeId>| {
                entry.from == target && entry.symbol.is_some() && entry.kind != SurfaceKind::Application
            };
            let of_entries = surface.entries.iter().filter(is_found).map(|entry| &entry.framework);
            let mut frameworks: Vec<&String> = of_routes.chain(of_entries).collect();
            frameworks.sort_unstable();
            frameworks.dedup();
            for framework in frameworks {
                let Some(known) = applications.get(framework.as_str()) else { continue };
                let shared = |path: &RepoPath| common_directories(path, &here.path);
                let nearest = known.iter().map(|(_, path)| shared(path)).max().unwrap_or_default();
                for (entry, _) in known.iter().filter(|(_, path)| shared(path) == nearest) {
                    // A type that is the application is run by what makes it.
                    let source = entry.symbol.filter(|_| entry.from.symbol().is_none()).unwrap_or(entry.from);
                    edges.push(EdgeRow {
                        source,
                        kind: EdgeKind::Registers,
                        target,
                        line: entry.line,
                        confidence: Confidence::Probable,
                        rule: Rule::Framework,
                    });
                }
            }
        }
        Ok(())
    }

    /// A command that is put below another is run through it.
    fn add_commands(
        &self,
        surfaces: &[(FileId, Surface<NodeId>)],
        edges: &mut SurfaceEdges,
    ) -> Result<(), EngineError> {
        let view = self.graph();
        let kept = |place: Place<NodeId>| {
            (matches!(place.slot, Slot::Value | Slot::Result) && place.node.symbol().is_some())
                .then_some(place.node)
        };
        for link in surfaces.iter().flat_map(|(_, surface)| &surface.links).filter(|link| !link.same) {
            let (Some(source), Some(target)) = (kept(link.parent), kept(link.child)) else { continue };
            edges.push(EdgeRow {
                source,
                kind: EdgeKind::Registers,
                target,
                line: view.describe(source)?.line(),
                confidence: Confidence::Probable,
                rule: Rule::Framework,
            });
        }
        Ok(())
    }
}

/// The number of directories that two paths share from the root.
fn common_directories(a: &RepoPath, b: &RepoPath) -> usize {
    let (a, b) = (a.display(), b.display());
    let directories = |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    let (a, b) = (directories(&a), directories(&b));
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// A file may not prove that the router it registers a handler on belongs to a framework; together, the files do.
fn add_registrations(endpoints: &[Endpoint<NodeId>], edges: &mut SurfaceEdges) {
    for route in endpoints.iter().map(|endpoint| &endpoint.route).filter(|route| !route.proven) {
        if let Some(target) = route.handler {
            edges.push(EdgeRow {
                source: route.from,
                kind: EdgeKind::Registers,
                target,
                line: route.line,
                confidence: Confidence::Probable,
                rule: Rule::Framework,
            });
        }
    }
}

/// Links requests with the handlers of the endpoints that they reach; of several, those whose path agrees in most parts.
fn add_requests(
    requests: &[&SurfaceEntry<NodeId>],
    endpoints: &[Endpoint<NodeId>],
    edges: &mut SurfaceEdges,
) {
    // A request agrees with an endpoint in at least one part of the path.
    let mut with_part: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, endpoint) in
        endpoints.iter().enumerate().filter(|(_, endpoint)| endpoint.route.handler.is_some())
    {
        for part in request_parts(&endpoint.path) {
            with_part.entry(part).or_default().push(at);
        }
    }
    for request in requests {
        let mut agreeing: BTreeMap<usize, usize> = BTreeMap::new();
        for at in request_parts(&request.name).into_iter().filter_map(|part| with_part.get(part)).flatten() {
            *agreeing.entry(*at).or_default() += 1;
        }
        agreeing.retain(|&at, _| {
            let endpoint = &endpoints[at];
            request_reaches(&request.name, &endpoint.route.method, &endpoint.path)
        });
        let most = agreeing.values().copied().max().unwrap_or_default();
        agreeing.retain(|_, count| *count == most);
        // An address that is known only in part may be that of another endpoint.
        let is_sure = agreeing.keys().all(|&at| {
            let endpoint = &endpoints[at];
            endpoint.mounted && request_reaches_surely(&request.name, &endpoint.path)
        });
        let mut targets: Vec<NodeId> =
            agreeing.keys().filter_map(|&at| endpoints[at].route.handler).collect();
        targets.sort_unstable();
        targets.dedup();
        let is_probable = targets.len() == 1 && is_sure;
        let confidence = if is_probable { Confidence::Probable } else { Confidence::Approximate };
        for target in targets {
            edges.push(EdgeRow {
                source: request.from,
                kind: EdgeKind::Requests,
                target,
                line: request.line,
                confidence,
                rule: Rule::Endpoint,
            });
        }
    }
}
