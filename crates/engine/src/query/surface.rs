//! The surface of the program: what all files say about it, joined.

use crate::query::traversal::Edges;
use crate::{DefinitionQuery, EngineError, FileId, NodeId, Snapshot};
use orient_model::{EdgeKind, Modifier, Role, Route, SurfaceEntry, SurfaceKind, SurfaceRole};
use orient_resolve::{Endpoint, FileSurface, describes_endpoint, join_surface, request_reaches};
use orient_store::NameMatch;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of symbols with the name of an operation that are looked at.
const MAX_OPERATIONS: usize = 20;

/// The text of an endpoint without a handler that only a description has.
pub const DESCRIBED_ONLY: &str = "described only";

/// An endpoint and the descriptions of it.
pub type DescribedEndpoint = (Endpoint<NodeId>, Vec<SurfaceEntry<NodeId>>);

impl Snapshot {
    /// The endpoints, by path, method, and where they are registered. Joined for every query: a program has few
    /// routers, and what is not stored is never out of date.
    pub fn endpoints(&self) -> Result<Vec<Endpoint<NodeId>>, EngineError> {
        let view = self.graph();
        let mut files = Vec::new();
        for (file, surface) in self.store.reader().surfaces()? {
            files.push(FileSurface { surface, test: view.is_test(file.into())? });
        }
        Ok(join_surface(&files))
    }

    /// The surface entries besides endpoints, by file.
    pub fn surface_entries(&self) -> Result<Vec<SurfaceEntry<NodeId>>, EngineError> {
        let surfaces = self.store.reader().surfaces()?;
        let mut entries: Vec<_> = surfaces.into_iter().flat_map(|(_, surface)| surface.entries).collect();
        name_procedures(&mut entries);
        self.add_dispatched(&mut entries)?;
        Ok(entries)
    }

    /// Adds the implementations that are known only because their type has all methods of a generated interface.
    fn add_dispatched(&self, entries: &mut Vec<SurfaceEntry<NodeId>>) -> Result<(), EngineError> {
        let view = self.graph();
        let handles = |entry: &SurfaceEntry<NodeId>| entry.role == SurfaceRole::Handles;
        let mut known: BTreeSet<(String, NodeId)> = entries
            .iter()
            .filter(|entry| handles(entry))
            .filter_map(|entry| Some((entry.name.clone(), entry.symbol?)))
            .collect();
        let is_member = |entry: &&SurfaceEntry<NodeId>| {
            entry.role == SurfaceRole::Defines && entry.kind == SurfaceKind::Rpc
        };
        let mut found = Vec::new();
        for entry in entries.iter().filter(is_member) {
            let Some(procedure) = entry.symbol else { continue };
            for registered in view.outgoing(procedure)?.iter().filter(|edge| edge.kind == EdgeKind::Registers)
            {
                for edge in &view.outgoing(registered.target)? {
                    let node = view.describe(edge.target)?;
                    let is_own = edge.kind == EdgeKind::Dispatches && node.file.role != Role::Generated;
                    if is_own && known.insert((entry.name.clone(), edge.target)) {
                        let (symbol, from, line) = (Some(edge.target), edge.target, node.line());
                        let role = SurfaceRole::Handles;
                        found.push(SurfaceEntry {
                            role,
                            symbol,
                            from,
                            line,
                            text: String::new(),
                            ..entry.clone()
                        });
                    }
                }
            }
        }
        entries.append(&mut found);
        Ok(())
    }

    /// For each endpoint, the requests in the repository that reach it, by file and line. A request in a file that registers an
    /// endpoint which it reaches means that one: tests often set up programs of their own.
    pub fn requests_of(
        &self,
        endpoints: &[Endpoint<NodeId>],
    ) -> Result<Vec<Vec<SurfaceEntry<NodeId>>>, EngineError> {
        let mut requests = self.surface_entries()?;
        requests.retain(|entry| entry.kind == SurfaceKind::Request);
        let reaches = |request: &SurfaceEntry<NodeId>, endpoint: &Endpoint<NodeId>| {
            request_reaches(&request.name, &endpoint.route.method, &endpoint.path)
        };
        let view = self.graph();
        let file = |node: NodeId| view.file_of(node).map(|file| file.id);
        let mut registered: BTreeMap<FileId, Vec<&Endpoint<NodeId>>> = BTreeMap::new();
        let all = self.endpoints()?;
        for endpoint in &all {
            registered.entry(file(endpoint.route.from)?).or_default().push(endpoint);
        }
        let mut requesting = Vec::with_capacity(requests.len());
        for request in requests {
            let from = file(request.from)?;
            let beside = registered.get(&from).into_iter().flatten();
            let has_own = beside.into_iter().any(|endpoint| reaches(&request, endpoint));
            requesting.push((request, has_own.then_some(from)));
        }
        let mut found = Vec::with_capacity(endpoints.len());
        for endpoint in endpoints {
            let here = file(endpoint.route.from)?;
            let is_meant = |(request, only): &&(SurfaceEntry<NodeId>, Option<FileId>)| {
                only.is_none_or(|only| only == here) && reaches(request, endpoint)
            };
            found.push(requesting.iter().filter(is_meant).map(|(request, _)| request.clone()).collect());
        }
        Ok(found)
    }

    /// The endpoints, each with the descriptions of it. A description that no endpoint fits is an endpoint without a handler.
    pub fn described_endpoints(&self) -> Result<Vec<DescribedEndpoint>, EngineError> {
        let mut descriptions = self.surface_entries()?;
        descriptions.retain(|entry| entry.kind == SurfaceKind::Endpoint);
        let mut served = vec![false; descriptions.len()];
        let mut all: Vec<DescribedEndpoint> = Vec::new();
        for endpoint in self.endpoints()? {
            let mut own = Vec::new();
            for (description, served) in descriptions.iter().zip(&mut served) {
                if describes_endpoint(&description.name, &endpoint.route.method, &endpoint.path) {
                    *served = true;
                    own.push(description.clone());
                }
            }
            all.push((endpoint, own));
        }
        for (entry, _) in descriptions.iter().zip(served).filter(|(_, served)| !served) {
            let (method, path) = entry.name.split_once(' ').unwrap_or(("ANY", &entry.name));
            let handler = self.operation(&entry.text)?;
            let route = Route {
                place: None,
                framework: entry.framework.clone(),
                method: method.to_owned(),
                path: path.to_owned(),
                handler,
                text: if handler.is_some() { String::new() } else { DESCRIBED_ONLY.to_owned() },
                middleware: Vec::new(),
                from: entry.from,
                line: entry.line,
                proven: true,
            };
            all.push((Endpoint { path: path.to_owned(), route, mounted: true }, Vec::new()));
        }
        all.sort_by(|(a, _), (b, _)| (&a.path, &a.route).cmp(&(&b.path, &b.route)));
        Ok(all)
    }

    /// The only function or method that has the name of an operation, as any language spells it. The name may begin with that of a module.
    fn operation(&self, name: &str) -> Result<Option<NodeId>, EngineError> {
        let bare = name.rsplit(['.', '/', '#']).next().unwrap_or(name);
        let mut spellings = vec![bare.to_owned(), upper_camel(bare), snake(bare)];
        spellings.sort_unstable();
        spellings.dedup();
        let view = self.graph();
        let mut found = BTreeSet::new();
        for spelling in spellings.into_iter().filter(|spelling| !spelling.is_empty()) {
            let query = DefinitionQuery { name: NameMatch::Exact(spelling), ..DefinitionQuery::default() };
            for row in self.symbol_rows(&query, 0, MAX_OPERATIONS)?.rows {
                let symbol = row.symbol;
                let node = NodeId::from(symbol.id);
                let is_code = view.file_of(node)?.role == Role::Source && !view.is_test(node)?;
                if symbol.kind.is_callable()
                    && is_code
                    && !symbol.modifiers.contains(Modifier::Declaration)
                    && !symbol.modifiers.contains(Modifier::Abstract)
                {
                    found.insert(node);
                }
            }
        }
        Ok(if found.len() == 1 { found.pop_first() } else { None })
    }

    /// The surface entries of all kinds: endpoints are entries too, named by method and path.
    pub fn surface(&self) -> Result<Vec<SurfaceEntry<NodeId>>, EngineError> {
        let mut entries = self.surface_entries()?;
        for endpoint in self.endpoints()? {
            let route = endpoint.route;
            entries.push(SurfaceEntry {
                kind: SurfaceKind::Endpoint,
                name: format!("{} {}", route.method, endpoint.path),
                role: SurfaceRole::Handles,
                framework: route.framework,
                symbol: route.handler,
                text: route.text,
                from: route.from,
                line: route.line,
                proven: true,
            });
        }
        Ok(entries)
    }
}

/// `listPets` as `ListPets`.
fn upper_camel(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `listPets` as `list_pets`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Gives handlers that are registered under the short name of a procedure its full name: `shop.Payment/Charge` for
/// `Payment/charge`. Code does not know the package of a service, and spells names as its language does.
fn name_procedures(entries: &mut [SurfaceEntry<NodeId>]) {
    let is = |entry: &SurfaceEntry<NodeId>, role| entry.kind == SurfaceKind::Rpc && entry.role == role;
    let short = |name: &str| {
        let (service, procedure) = name.split_once('/')?;
        let service = service.rsplit('.').next().unwrap_or(service);
        Some(format!("{service}/{procedure}").to_ascii_lowercase())
    };
    let mut defined: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| is(entry, SurfaceRole::Defines)) {
        if let Some(short) = short(&entry.name) {
            defined.entry(short).or_default().insert(entry.name.clone());
        }
    }
    for entry in entries.iter_mut().filter(|entry| is(entry, SurfaceRole::Handles)) {
        let known = short(&entry.name).and_then(|name| defined.get(&name));
        // Two services of one name are told apart by nothing.
        if let Some(full) = known.filter(|known| known.len() == 1).and_then(|known| known.first()) {
            entry.name.clone_from(full);
        }
    }
}
