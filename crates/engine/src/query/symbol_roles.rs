//! The roles of symbols: what each is for in the program. They follow from the surface, from headers and from names, and are
//! computed when they are asked for: what is not stored is never out of date.

use super::entry_point::{self, EntryPoint};
use crate::{Definition, DefinitionQuery, EngineError, NodeId, Snapshot};
use orient_model::{
    Modifier, Modifiers, Slot, SurfaceEntry, SurfaceKind, SurfaceRole, SymbolKind, SymbolRole,
};
use orient_store::{NameMatch, SymbolId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The roles of the symbols of one generation.
#[derive(Default)]
pub struct SymbolRoles {
    /// Those that the surface gives; the rest follows from a symbol itself.
    of_surface: BTreeMap<SymbolId, BTreeSet<SymbolRole>>,
}

impl SymbolRoles {
    /// The roles of a symbol, in the order of the vocabulary.
    pub fn of(&self, definition: &Definition) -> BTreeSet<SymbolRole> {
        let mut roles = self.of_surface.get(&definition.id).cloned().unwrap_or_default();
        roles.extend(of_header(&definition.name, definition.kind, definition.modifiers));
        roles
    }

    fn add(&mut self, node: Option<NodeId>, role: SymbolRole) {
        if let Some(symbol) = node.and_then(NodeId::symbol) {
            self.of_surface.entry(symbol).or_default().insert(role);
        }
    }

    fn add_entry(&mut self, entry: &SurfaceEntry<NodeId>) {
        let Some(role) = SymbolRole::of_entry(entry.kind, entry.role) else { return };
        let calls = entry.role == SurfaceRole::Calls;
        self.add(if calls { Some(entry.from) } else { entry.symbol }, role);
    }
}

/// The role that the header of a symbol tells.
fn of_header(name: &str, kind: SymbolKind, modifiers: Modifiers) -> Option<SymbolRole> {
    if kind.is_type() {
        return SymbolRole::of_type_name(name);
    }
    if modifiers.contains(Modifier::Component) {
        return Some(SymbolRole::Component);
    }
    let entry = entry_point::of_header(name, kind, modifiers, []);
    (entry == Some(EntryPoint::Main)).then_some(SymbolRole::EntryPoint)
}

impl Snapshot {
    /// The roles of symbols. They are complete if no file is owed.
    pub fn symbol_roles(&self) -> Result<Arc<SymbolRoles>, EngineError> {
        self.caches.roles(self.generation(), || self.compute_roles())
    }

    fn compute_roles(&self) -> Result<SymbolRoles, EngineError> {
        let mut roles = SymbolRoles::default();
        for entry in self.surface_entries()? {
            roles.add_entry(&entry);
            if entry.kind == SurfaceKind::Rpc && entry.role == SurfaceRole::Handles {
                roles.add(self.type_around(entry.symbol)?, SymbolRole::Service);
            }
        }
        for endpoint in self.endpoints()? {
            let route = endpoint.route;
            roles.add(route.handler, SymbolRole::Handler);
            // Calls register routes in a symbol; annotations register members of a type.
            roles.add(Some(route.from), SymbolRole::Router);
            if route.from.symbol().is_none() {
                roles.add(self.type_around(route.handler)?, SymbolRole::Controller);
            }
        }
        let surfaces = self.store.reader().surfaces()?;
        let routes = surfaces.iter().flat_map(|(_, surface)| &surface.routes);
        let with_routes: BTreeSet<&str> = routes.map(|route| route.framework.as_str()).collect();
        for router in surfaces.iter().flat_map(|(_, surface)| &surface.routers) {
            // The values of a library without routes are followed like routers.
            if router.place.slot == Slot::Value && with_routes.contains(router.framework.as_str()) {
                roles.add(Some(router.place.node), SymbolRole::Router);
            }
        }
        Ok(roles)
    }

    /// The type that a symbol is a member of.
    fn type_around(&self, node: Option<NodeId>) -> Result<Option<NodeId>, EngineError> {
        let Some(symbol) = node.and_then(NodeId::symbol) else { return Ok(None) };
        let Some(parent) = self.store.symbol(symbol)?.and_then(|symbol| symbol.parent) else {
            return Ok(None);
        };
        let around = self.store.symbol(parent)?;
        Ok(around.filter(|around| around.kind.is_type()).map(|around| around.id.into()))
    }

    /// The symbols that have one of these roles.
    pub fn symbols_with_roles(&self, wanted: &[SymbolRole]) -> Result<BTreeSet<SymbolId>, EngineError> {
        let roles = self.symbol_roles()?;
        let fits = |of: &BTreeSet<SymbolRole>| of.iter().any(|role| wanted.contains(role));
        let given = roles.of_surface.iter().filter(|(_, of)| fits(of));
        let mut found: BTreeSet<SymbolId> = given.map(|(&symbol, _)| symbol).collect();
        let named = |name: &str| DefinitionQuery {
            name: NameMatch::Exact(name.to_owned()),
            ..DefinitionQuery::default()
        };
        let kinds = SymbolKind::ALL.iter().copied().filter(|kind| kind.is_type()).collect();
        let types = DefinitionQuery { kinds, ..DefinitionQuery::default() };
        for query in [named("main"), named("Main"), types] {
            let rows = self.symbol_rows(&query, 0, usize::MAX)?.rows.into_iter().map(|found| found.symbol);
            let role = |row: &orient_store::SymbolRow| of_header(&row.name, row.kind, row.modifiers);
            let fitting = rows.filter(|row| role(row).is_some_and(|role| wanted.contains(&role)));
            found.extend(fitting.map(|row| row.id));
        }
        Ok(found)
    }
}
