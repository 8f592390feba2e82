//! Routes that are chains of filters: `warp::path("users").and(warp::get()).and_then(list)`. Filters for paths and methods are joined, a
//! function at the end handles what passes them, and whole chains are joined with others.
//!
//! A chain is kept like a router: in a variable, or as the result of a function. Chains that are part of another one are below it.

use super::extract::Extraction;
use super::routers::{join_path, node};
use super::routes::registers;
use crate::session::Site;
use orient_model::{
    ChainRule, Confidence, Expr, ExprId, Node, Place, Reference, Resolved, Route, RouterLink, Slot,
};

/// Maximum nesting of a chain.
const MAX_DEPTH: u32 = 200;
/// The placeholder of a path parameter.
const PARAMETER: &str = "{}";

/// Adds the routes of the chains of a file.
pub(super) fn routes(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    let unit = extraction.unit;
    for (framework, rules) in extraction.frameworks.iter().enumerate() {
        let Some(rule) = rules.chain.as_ref().filter(|_| extraction.is_imported[framework]) else { continue };
        if !rule.ends.iter().chain(&rule.roots).any(|name| unit.atom(name).is_some()) {
            continue;
        }
        Chains { extraction, framework, rule }.follow(resolved);
    }
}

/// The chains of a file.
struct Chains<'e, 'a, 'r> {
    extraction: &'e Extraction<'a, 'r>,
    framework: usize,
    rule: &'e ChainRule,
}

/// What a chain is, as far as it goes.
#[derive(Default)]
struct Chain {
    /// The path and the methods that its filters ask for.
    path: String,
    methods: Vec<String>,
    is_selective: bool,
    /// The routes that end in it.
    routes: Vec<ChainRoute>,
    /// Other chains that are part of it, with the path before them.
    children: Vec<(Place, String)>,
}

struct ChainRoute {
    path: String,
    methods: Vec<String>,
    /// The call that ends the chain.
    call: ExprId,
    handler: ExprId,
}

impl Chain {
    /// Both have to pass.
    fn and(mut self, other: Self) -> Self {
        let below = |path: &str, prefix: &str| join_path(prefix, path);
        for mut route in other.routes {
            route.path = below(&route.path, &self.path);
            if route.methods.is_empty() {
                route.methods.clone_from(&self.methods);
            }
            self.routes.push(route);
        }
        let prefix = self.path.clone();
        let children = other.children.into_iter().map(|(place, path)| (place, below(&path, &prefix)));
        self.children.extend(children);
        self.path = below(&other.path, &prefix);
        self.methods.extend(other.methods);
        self.is_selective |= other.is_selective;
        self
    }

    /// One of them has to pass.
    fn or(mut self, other: Self) -> Self {
        self.routes.extend(other.routes);
        self.children.extend(other.children);
        Self { routes: self.routes, children: self.children, ..Self::default() }
    }
}

impl Chains<'_, '_, '_> {
    fn follow(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        let here = Node { file: unit.file, symbol: None };
        for leaves in &unit.flow().returns {
            let Some(scope) = unit.scope(leaves.scope) else { continue };
            let Some(function) = scope.symbol.filter(|&at| unit.scope_of(at) == Some(leaves.scope)) else {
                continue;
            };
            let site = Site { unit: unit.clone(), scope: leaves.scope, at: scope.end };
            let place = Place { node: Node { symbol: Some(function), ..here }, slot: Slot::Result };
            self.put(&site, place, leaves.value, resolved);
        }
        for (at, binding) in unit.bindings().iter().enumerate() {
            let (Some(value), Some(place)) = (binding.value, self.extraction.place_of(at as u32)) else {
                continue;
            };
            // The name is not visible in its own value.
            let at = binding.at.saturating_sub(1);
            let site = Site { unit: unit.clone(), scope: binding.scope, at };
            self.put(&site, place, value, resolved);
        }
        for reference in unit.references() {
            let Expr::Call { callee, args } = unit.expr(reference.expr) else { continue };
            let Some(&first) = unit.list(args).first() else { continue };
            let site = self.extraction.site(reference);
            if self.names(&site, callee).iter().any(|name| self.rule.roots.contains(name)) {
                let place = self.extraction.anonymous_place(reference.expr);
                self.extraction.define(place, self.framework, String::new(), true);
                self.put(&site, place, first, resolved);
            }
        }
    }

    /// Records the routes of a chain that is kept at a place, and the chains below it.
    fn put(&self, site: &Site, place: Place, expr: ExprId, resolved: &mut Resolved) {
        self.extraction.session.start_reference();
        let chain = self.chain(site, expr, 0);
        for (child, prefix) in chain.children {
            if child != place {
                self.extraction.link(RouterLink {
                    child,
                    parent: place,
                    prefix,
                    same: false,
                    replaces: false,
                });
            }
        }
        for route in chain.routes {
            self.push(site, place, route, resolved);
        }
    }

    fn push(&self, site: &Site, place: Place, route: ChainRoute, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let is_call = |reference: &&Reference| reference.expr == route.call;
        let Some(reference) = extraction.unit.references().iter().find(is_call) else { return };
        let handler = extraction.handler(site, route.handler, 0);
        let from = extraction.around(reference);
        if let Some(sym) = handler.symbol {
            resolved.edges.push(registers(from, sym, reference.line, Confidence::Exact));
        }
        let methods = if route.methods.is_empty() { vec!["ANY".to_owned()] } else { route.methods };
        for method in methods {
            extraction.out.borrow_mut().routes.push(Route {
                place: Some(place),
                framework: extraction.frameworks[self.framework].name.clone(),
                method,
                path: route.path.clone(),
                handler: handler.symbol.map(node),
                text: handler.text.clone(),
                middleware: Vec::new(),
                from,
                line: reference.line,
                proven: true,
            });
        }
    }

    /// The names that an expression has in the framework.
    fn names(&self, site: &Site, expr: ExprId) -> Vec<String> {
        let found = self.extraction.framework_names(site, expr);
        found.into_iter().filter(|(of, _)| *of == self.framework).map(|(_, name)| name).collect()
    }

    fn chain(&self, site: &Site, expr: ExprId, depth: u32) -> Chain {
        if depth > MAX_DEPTH {
            return Chain::default();
        }
        let unit = self.extraction.unit;
        match unit.expr(expr) {
            Expr::Wrap { inner, .. } | Expr::Await(inner) | Expr::Named { value: inner, .. } => {
                self.chain(site, inner, depth + 1)
            }
            Expr::Call { callee, args } => {
                let args = unit.list(args);
                let names = self.names(site, callee);
                if !names.is_empty() {
                    return self.filter(&names, args);
                }
                let Expr::Member { base, name } = unit.expr(callee) else {
                    return self.part(site, expr);
                };
                let name = unit.text(name);
                let is = |calls: &[String]| calls.iter().any(|call| call == name);
                let first = || args.first().map(|&arg| self.chain(site, arg, depth + 1)).unwrap_or_default();
                if is(&self.rule.joins) {
                    self.chain(site, base, depth + 1).and(first())
                } else if is(&self.rule.alternatives) {
                    self.chain(site, base, depth + 1).or(first())
                } else if is(&self.rule.ends) {
                    ended(self.chain(site, base, depth + 1), expr, args)
                } else {
                    let inner = self.chain(site, base, depth + 1);
                    if inner.is_nothing() { self.part(site, expr) } else { inner }
                }
            }
            Expr::Name(_) | Expr::Member { .. } => self.part(site, expr),
            _ => Chain::default(),
        }
    }

    /// A filter of the framework itself.
    fn filter(&self, names: &[String], args: &[ExprId]) -> Chain {
        let unit = self.extraction.unit;
        let is = |known: &[String]| names.iter().any(|name| known.contains(name));
        let mut chain = Chain::default();
        if is(&self.rule.paths) {
            chain.is_selective = true;
            // The parts of a macro's path are a list.
            let parts = match args {
                &[only] => match unit.expr(only) {
                    Expr::Sequence { items, .. } => unit.list(items),
                    _ => args,
                },
                _ => args,
            };
            for &arg in parts {
                let part = match unit.expr(arg) {
                    Expr::Text(text) => unit.text(text).to_owned(),
                    _ => PARAMETER.to_owned(),
                };
                chain.path = join_path(&chain.path, &part);
            }
        } else if is(&self.rule.parameters) {
            chain.is_selective = true;
            chain.path = join_path("", PARAMETER);
        } else if is(&self.rule.path_ends) {
            chain.is_selective = true;
        } else if let Some(name) = names.iter().find(|name| self.rule.methods.contains(name)) {
            chain.is_selective = true;
            chain.methods.push(super::arguments::method_name(name));
        }
        chain
    }

    /// A chain that is kept elsewhere.
    fn part(&self, site: &Site, expr: ExprId) -> Chain {
        let place = self.extraction.router(site, expr).map(|router| router.place);
        let children = place.into_iter().map(|place| (place, String::new())).collect();
        Chain { children, ..Chain::default() }
    }
}

impl Chain {
    fn is_nothing(&self) -> bool {
        !self.is_selective && self.routes.is_empty() && self.children.is_empty()
    }
}

/// A chain that a function handles. One that asks for no path and no method only makes a value for others.
fn ended(chain: Chain, call: ExprId, args: &[ExprId]) -> Chain {
    let Some(&handler) = args.first().filter(|_| chain.is_selective) else { return chain };
    let mut done = Chain { routes: chain.routes, children: chain.children, ..Chain::default() };
    done.routes.push(ChainRoute { path: chain.path, methods: chain.methods, call, handler });
    done
}
