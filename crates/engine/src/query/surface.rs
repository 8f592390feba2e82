//! The surface of the program: what all files say about it, joined.

use crate::{EngineError, NodeId, Snapshot};
use orient_model::{SurfaceEntry, SurfaceKind, SurfaceRole};
use orient_resolve::{Endpoint, FileSurface, join_surface, request_reaches};
use std::collections::BTreeMap;

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
        Ok(entries)
    }

    /// For each endpoint, the requests in the repository that reach it, by file and line.
    pub fn requests_of(
        &self,
        endpoints: &[Endpoint<NodeId>],
    ) -> Result<Vec<Vec<SurfaceEntry<NodeId>>>, EngineError> {
        let mut requests = self.surface_entries()?;
        requests.retain(|entry| entry.kind == SurfaceKind::Request);
        let of = |endpoint: &Endpoint<NodeId>| {
            let reaching = requests
                .iter()
                .filter(|request| request_reaches(&request.name, &endpoint.route.method, &endpoint.path));
            reaching.cloned().collect()
        };
        Ok(endpoints.iter().map(of).collect())
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

/// Gives handlers that are registered under the short name of a procedure its full name: `shop.Payment/Charge` for
/// `Payment/charge`. Code does not know the package of a service, and spells names as its language does.
fn name_procedures(entries: &mut [SurfaceEntry<NodeId>]) {
    let is = |entry: &SurfaceEntry<NodeId>, role| entry.kind == SurfaceKind::Rpc && entry.role == role;
    let short = |name: &str| {
        let (service, procedure) = name.split_once('/')?;
        let service = service.rsplit('.').next().unwrap_or(service);
        Some(format!("{service}/{procedure}").to_ascii_lowercase())
    };
    let defined: BTreeMap<String, String> = entries
        .iter()
        .filter(|entry| is(entry, SurfaceRole::Defines))
        .filter_map(|entry| Some((short(&entry.name)?, entry.name.clone())))
        .collect();
    for entry in entries.iter_mut().filter(|entry| is(entry, SurfaceRole::Handles)) {
        if let Some(full) = short(&entry.name).and_then(|name| defined.get(&name)) {
            entry.name.clone_from(full);
        }
    }
}
