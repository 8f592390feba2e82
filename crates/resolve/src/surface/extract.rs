//! Extraction: applies the framework rules of a language to one file.

use super::lexical::LexicalGroups;
use super::list_loops::{ElementCallback, Turn};
use super::routers::{RouterValue, node};
use super::{
    annotations, contracts, descriptions, entries, file_routes, filter_chains, loaded_modules, renderings,
    routes,
};
use crate::file::FileRef;
use crate::invalidation::lookups::Reach;
use crate::session::{Session, Site};
use orient_model::{
    Atom, BindingKind, Confidence, Edge, EdgeKind, EntryRule, Expr, ExprId, Framework, Modifier, Node, Place,
    Reference, Resolved, RouterLink, RouterRule, Rule, Slot, Surface, SymbolKind, path_ends_with,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};

/// The extraction of one file.
pub(super) struct Extraction<'a, 'r> {
    pub(super) session: &'a Session<'r>,
    pub(super) unit: &'a FileRef,
    pub(super) frameworks: &'a [Framework],
    /// Whether the file imports each framework, or sees its names without an import.
    pub(super) is_imported: Vec<bool>,
    /// The names of calls in rules that the file contains.
    names: FxHashSet<Atom>,
    /// The framework of each binding that was asked for.
    pub(super) bindings: RefCell<FxHashMap<u32, Option<usize>>>,
    /// The functions whose routes are below a group.
    pub(super) lexical: OnceCell<LexicalGroups>,
    /// The calls that are in a list of routes, with the place of the list.
    pub(super) inline: RefCell<FxHashMap<ExprId, Place>>,
    /// The elements that the loops around the call are at.
    pub(super) turn: RefCell<Turn>,
    /// The functions that are called for each element of a list, by their scope.
    pub(super) callbacks: OnceCell<FxHashMap<u32, ElementCallback>>,
    pub(super) out: RefCell<Surface>,
}

/// Adds what a file says about the surface, and the edges to registered handlers.
pub(crate) fn add(session: &Session<'_>, unit: &FileRef, resolved: &mut Resolved) {
    let frameworks = &unit.rules.frameworks;
    if frameworks.is_empty() {
        return;
    }
    let extraction = Extraction::new(session, unit, frameworks);
    annotations::routes(&extraction, resolved);
    entries::entries(&extraction, resolved);
    contracts::contracts(&extraction, resolved);
    file_routes::routes(&extraction, resolved);
    descriptions::endpoints(&extraction);
    renderings::views(&extraction, resolved);
    loaded_modules::imports(&extraction, resolved);
    filter_chains::routes(&extraction, resolved);
    if !extraction.names.is_empty() || extraction.imports_any() {
        extraction.assignments();
        let registered = routes::routes(&extraction, resolved);
        if registered || extraction.imports_any() {
            extraction.routers_of_variables();
            extraction.passed_routers(resolved);
            extraction.added_routes();
            extraction.returned_routers();
            extraction.exported_routers();
        }
    }
    let mut surface = extraction.out.into_inner();
    surface.normalize();
    resolved.surface = surface;
}

impl<'a, 'r> Extraction<'a, 'r> {
    fn new(session: &'a Session<'r>, unit: &'a FileRef, frameworks: &'a [Framework]) -> Self {
        let imports = &unit.imports();
        let text = |atom| unit.outline_text(atom);
        let modules: Vec<(&str, Option<&str>)> =
            imports.iter().map(|import| (text(import.module), import.name.map(text))).collect();
        let owns = |framework: &Framework, (module, item): &(&str, Option<&str>)| {
            framework.owns(module) || item.is_some_and(|item| framework.owns_item(module, item))
        };
        let path = unit.path().display();
        let is_imported: Vec<bool> = frameworks
            .iter()
            .map(|framework| {
                let is_seen =
                    is_ambient(framework, &path) || modules.iter().any(|module| owns(framework, module));
                is_seen
                    && (framework.files.is_empty()
                        || framework.files.iter().any(|file| path_ends_with(file, &path)))
            })
            .collect();
        // The names of a framework that is about some files mean nothing in others.
        let applies = |(at, framework): &(usize, &Framework)| is_imported[*at] || framework.files.is_empty();
        let applying = frameworks.iter().enumerate().filter(applies).map(|(_, framework)| framework);
        let names = applying.flat_map(call_names).filter_map(|name| unit.atom(name)).collect();
        Self {
            session,
            unit,
            frameworks,
            is_imported,
            names,
            bindings: RefCell::default(),
            lexical: OnceCell::new(),
            inline: RefCell::default(),
            turn: RefCell::default(),
            callbacks: OnceCell::new(),
            out: RefCell::default(),
        }
    }

    /// The first framework that the file imports and that fits.
    pub(super) fn imported(&self, fits: impl Fn(&Framework) -> bool) -> Option<usize> {
        (0..self.frameworks.len()).find(|&at| self.is_imported[at] && fits(&self.frameworks[at]))
    }

    /// Whether a framework makes this name visible without an import.
    pub(super) fn is_ambient_name(&self, framework: usize, name: &str) -> bool {
        let framework = &self.frameworks[framework];
        let begins = |function: &String| function.split('.').next() == Some(name);
        let of_router =
            |rule: &RouterRule| rule.functions.iter().any(begins) || rule.types.iter().any(begins);
        let of_entry = |rule: &EntryRule| rule.functions.iter().any(begins) || rule.maps.iter().any(begins);
        let routes = framework.routes.iter().filter(|rule| rule.free).map(|rule| &rule.calls);
        let groups = framework.groups.iter().filter(|rule| rule.free).map(|rule| &rule.calls);
        let resources = framework.resources.iter().filter(|rule| rule.free).map(|rule| &rule.calls);
        is_ambient(framework, &self.unit.path().display())
            && (framework.routers.iter().any(of_router)
                || framework.entries.iter().any(of_entry)
                || routes.chain(groups).chain(resources).flatten().any(begins))
    }

    /// Whether the file imports a framework with routers, by an import of its own.
    fn imports_any(&self) -> bool {
        let has_routers = |framework: &Framework| !framework.ambient && !framework.routes.is_empty();
        (0..self.frameworks.len()).any(|at| self.is_imported[at] && has_routers(&self.frameworks[at]))
    }

    /// Whether a rule is about calls of this name.
    pub(super) fn is_rule_name(&self, name: &str) -> bool {
        self.unit.atom(name).is_some_and(|atom| self.names.contains(&atom))
    }

    /// The calls whose name a rule mentions: the reference, and the name.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&'a Reference, &'a str)> {
        let unit: &'a FileRef = self.unit;
        unit.references().iter().filter_map(move |reference| {
            let Expr::Call { callee, .. } = unit.expr(reference.expr) else { return None };
            let (Expr::Name(name) | Expr::Member { name, .. }) = unit.expr(callee) else { return None };
            self.names.contains(&name).then(|| (reference, unit.text(name)))
        })
    }

    /// The calls of members whose name is an expression: `app[route.method](route.path, route.handler)`.
    pub(super) fn calls_by_key(&self) -> impl Iterator<Item = (&'a Reference, ExprId)> {
        let unit: &'a FileRef = self.unit;
        unit.references().iter().filter_map(move |reference| {
            let Expr::Call { callee, .. } = unit.expr(reference.expr) else { return None };
            let Expr::Index { key, .. } = unit.expr(callee) else { return None };
            Some((reference, key))
        })
    }

    pub(super) fn site(&self, reference: &Reference) -> Site {
        Site { unit: self.unit.clone(), scope: reference.scope, at: reference.at }
    }

    /// The node that contains a reference.
    pub(super) fn around(&self, reference: &Reference) -> Node {
        Node { file: self.unit.file, symbol: reference.symbol }
    }

    /// Records the routers of all variables: other files may use them.
    fn routers_of_variables(&self) {
        for (at, binding) in self.unit.bindings().iter().enumerate() {
            if matches!(binding.kind, BindingKind::Symbol(_)) && binding.value.is_some() {
                self.session.start_reference();
                self.binding_framework(at as u32);
            }
        }
    }

    /// Records the routers that are assigned to fields and variables.
    fn assignments(&self) {
        for assign in &self.unit.flow().assigns {
            let Some(value) = assign.value else { continue };
            if !matches!(self.unit.expr(value), Expr::Call { .. } | Expr::New { .. } | Expr::Name(_)) {
                continue;
            }
            self.session.start_reference();
            let site = Site { unit: self.unit.clone(), scope: assign.scope, at: assign.at };
            let target = match self.unit.expr(assign.target) {
                Expr::Member { .. } => self.symbol_of(&site, assign.target),
                _ => continue,
            };
            let Some(sym) = target else { continue };
            let place = Place { node: node(sym), slot: Slot::Value };
            self.assigned_framework(&site, place, value);
        }
    }

    /// Records the routers that are given to functions and types of the repository.
    fn passed_routers(&self, resolved: &mut Resolved) {
        for reference in self.unit.references() {
            let (callee, args) = match self.unit.expr(reference.expr) {
                Expr::Call { callee, args } => (callee, args),
                Expr::New { ty, args } => {
                    self.routers_in_fields(reference, ty, self.unit.list(args));
                    continue;
                }
                _ => continue,
            };
            let args = self.unit.list(args);
            let site = self.site(reference);
            self.extension_receiver(reference, callee, resolved);
            for (index, &arg) in args.iter().enumerate() {
                if !self.may_be_router(arg) {
                    continue;
                }
                self.session.start_reference();
                let Some(router) = self.router(&site, arg) else { continue };
                let is_followed =
                    matches!(router.place.slot, Slot::Param(_)) || self.is_followed(router.place);
                if router.framework.is_none() && !is_followed {
                    continue;
                }
                let Some(sym) = self.symbol_of(&site, callee) else { continue };
                if self.session.kind(sym).is_some_and(SymbolKind::is_callable) {
                    self.pass(node(sym), index as u32, router);
                }
            }
        }
    }

    /// Records that the field of a new value holds a router: `&Server{router: gin.New()}`.
    fn routers_in_fields(&self, reference: &Reference, ty: ExprId, args: &[ExprId]) {
        let site = self.site(reference);
        for &arg in args {
            let Expr::Named { name, value } = self.unit.expr(arg) else { continue };
            if !matches!(self.unit.expr(value), Expr::Name(_) | Expr::Call { .. }) {
                continue;
            }
            self.session.start_reference();
            let Some(sym) = self.symbol_of(&site, ty) else { return };
            let Some(unit) = self.session.unit_of(sym) else { return };
            let name = self.unit.text(name);
            let field = unit.children_named(Some(sym.at), name).next();
            if let Some(field) = field {
                let place = Place { node: node(unit.sym(field)), slot: Slot::Value };
                self.assigned_framework(&site, place, value);
            }
        }
    }

    /// Records that an extension of the framework's routers is called on one. The type of the router is external, so
    /// resolution does not find the extension; a router and an extension of that name that is the only one do.
    fn extension_receiver(&self, reference: &Reference, callee: ExprId, resolved: &mut Resolved) {
        let Expr::Member { base, name } = self.unit.expr(callee) else { return };
        let name = self.unit.text(name);
        if self.is_rule_name(name) || !self.may_be_router(base) {
            return;
        }
        let site = self.site(reference);
        self.session.start_reference();
        let Some(router) = self.router(&site, base).filter(|router| router.framework.is_some()) else {
            return;
        };
        let namesakes = self.session.symbols_within(&self.unit.rules, name, Reach::Extensions);
        let mut extensions = namesakes.iter().filter(|one| one.modifiers.contains(Modifier::Extension));
        if let (Some(only), None) = (extensions.next(), extensions.next()) {
            resolved.edges.push(Edge {
                from: self.around(reference),
                kind: EdgeKind::Calls,
                to: node(only.sym),
                line: reference.line,
                confidence: Confidence::Probable,
                rule: Rule::Framework,
            });
            self.pass(node(only.sym), 0, router);
        }
    }

    /// Records that a function gets a router.
    pub(super) fn pass(&self, function: Node, index: u32, router: RouterValue) {
        let child = Place { node: function, slot: Slot::Param(index) };
        self.link(RouterLink {
            child,
            parent: router.place,
            prefix: router.prefix,
            same: false,
            replaces: false,
        });
    }

    fn may_be_router(&self, arg: ExprId) -> bool {
        match self.unit.expr(arg) {
            Expr::Name(_) | Expr::Member { .. } => true,
            Expr::Call { callee, .. } => self.last_name(callee).is_some_and(|name| self.is_rule_name(name)),
            Expr::Wrap { inner, .. } => self.may_be_router(inner),
            _ => false,
        }
    }

    /// Records the router that is exported by default without a name: `export default Router().use(api)`.
    fn exported_routers(&self) {
        let unit = self.unit;
        let unnamed = |export: &&orient_model::Export| unit.outline_text(export.name).is_empty();
        for export in unit.exports().iter().filter(unnamed) {
            let is_value = |reference: &&Reference| {
                reference.symbol.is_none()
                    && reference.line >= export.line
                    && matches!(unit.expr(reference.expr), Expr::Call { .. })
            };
            let Some(reference) = unit.references().iter().find(is_value) else { continue };
            self.session.start_reference();
            let site = self.site(reference);
            let here = Node { file: unit.file, symbol: None };
            // A function may be exported in a call: `module.exports = plugin(routes)`.
            if let Expr::Call { args, .. } = unit.expr(reference.expr)
                && let Some(&function) = unit.list(args).first()
                && let Some(child) = self.first_parameter(&site, function)
            {
                let parent = Place { node: here, slot: Slot::Param(0) };
                let prefix = String::new();
                self.link(RouterLink { child, parent, prefix, same: true, replaces: false });
            }
            if let Some(router) = self.router(&site, reference.expr).filter(|r| r.framework.is_some()) {
                self.link(RouterLink {
                    child: Place { node: here, slot: Slot::Value },
                    parent: router.place,
                    same: router.prefix.is_empty(),
                    prefix: router.prefix,
                    replaces: false,
                });
            }
        }
    }

    /// Records the routers that functions return.
    fn returned_routers(&self) {
        for leaves in &self.unit.flow().returns {
            let scopes = &self.unit.flow().scopes;
            let Some(scope) = scopes.get(leaves.scope as usize) else { continue };
            let Some(function) = scope.symbol.filter(|&at| self.unit.scope_of(at) == Some(leaves.scope))
            else {
                continue;
            };
            self.session.start_reference();
            let site = Site { unit: self.unit.clone(), scope: leaves.scope, at: scope.end };
            let place =
                Place { node: Node { file: self.unit.file, symbol: Some(function) }, slot: Slot::Result };
            if let Some(router) = self.router(&site, leaves.value).filter(|r| r.framework.is_some()) {
                self.link(RouterLink {
                    child: place,
                    parent: router.place,
                    same: router.prefix.is_empty(),
                    prefix: router.prefix,
                    replaces: false,
                });
            }
        }
    }
}

/// Whether the names of a framework are visible in a file without an import.
fn is_ambient(framework: &Framework, path: &str) -> bool {
    framework.ambient || framework.ambient_in.iter().any(|file| path_ends_with(file, path))
}

/// The names of all calls in the rules of a framework.
fn call_names(framework: &Framework) -> impl Iterator<Item = &str> {
    let routes = framework.routes.iter().flat_map(|rule| &rule.calls);
    let groups = framework.groups.iter().flat_map(|rule| &rule.calls);
    let mounts = framework.mounts.iter().flat_map(|rule| &rule.calls);
    let resources = framework.resources.iter().flat_map(|rule| &rule.calls);
    routes
        .chain(resources)
        .chain(groups)
        .chain(mounts)
        .chain(&framework.global_prefixes)
        .map(|call| routes::bare(call))
}
