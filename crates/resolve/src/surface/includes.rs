//! Routes of other modules and routers that are mounted in the place of a handler: `path("api/", include("shop.urls"))`.

use super::extract::Extraction;
use super::routers::{RouterValue, join_path, node};
use super::routes::{RegistrationCall, bare};
use crate::session::Site;
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{Expr, ExprId, IncludeRule, Node, Place, RouterLink, Slot};

impl RegistrationCall<'_, '_, '_> {
    /// Mounts what is included in place of a handler; false if nothing is.
    pub(super) fn include(&self, router: &RouterValue, path: &str, rule: &IncludeRule, arg: ExprId) -> bool {
        let extraction = self.extraction;
        let Expr::Call { callee, args } = extraction.unit.expr(arg) else { return false };
        if extraction.last_name(callee) != Some(rule.function.as_str()) {
            return false;
        }
        let site = self.site();
        let Some(&first) = extraction.unit.list(args).first() else { return true };
        // A tuple has the routes and a namespace.
        let first = match extraction.unit.expr(first) {
            Expr::Sequence { items, .. } if !self.is_list_of_routes(first) => {
                extraction.unit.list(items).first().copied().unwrap_or(first)
            }
            _ => first,
        };
        if self.is_list_of_routes(first) {
            self.include_inline(router, path, first);
        } else if let Some(child) = extraction.routes_member(&site, first, rule) {
            self.put_below(router, child.place, &join_path(path, &child.prefix), false);
        } else if let Some(child) = extraction.included(&site, first, rule) {
            self.put_below(router, Place { node: node(child), slot: Slot::Value }, path, false);
        }
        true
    }

    /// Whether an expression is a list of routes: `[path("x", show)]`.
    pub(super) fn is_list_of_routes(&self, expr: ExprId) -> bool {
        let unit = self.extraction.unit;
        let Expr::Sequence { items, .. } = unit.expr(expr) else { return false };
        let routes = &self.extraction.frameworks[self.framework].routes;
        unit.list(items).iter().any(|&item| {
            let Expr::Call { callee, .. } = unit.expr(item) else { return false };
            let name = self.extraction.last_name(callee).unwrap_or_default();
            routes.iter().any(|rule| rule.calls.iter().any(|call| bare(call) == name))
        })
    }

    /// Puts the routes of a list below the path: each is registered where the list is.
    pub(super) fn include_inline(&self, router: &RouterValue, path: &str, list: ExprId) {
        let extraction = self.extraction;
        let Expr::Sequence { items, .. } = extraction.unit.expr(list) else { return };
        let place = extraction.anonymous_place(list);
        self.put_below(router, place, path, false);
        for &item in extraction.unit.list(items) {
            extraction.inline.borrow_mut().insert(item, place);
        }
    }

    /// The variable of the file that other modules include the routes of.
    pub(super) fn routes_variable(&self) -> Option<u32> {
        self.extraction.routes_variable(self.framework)
    }
}

impl Extraction<'_, '_> {
    fn include_rule(&self, framework: usize) -> Option<&IncludeRule> {
        self.frameworks[framework].routes.iter().find_map(|rule| rule.include.as_ref())
    }

    fn routes_variable(&self, framework: usize) -> Option<u32> {
        let name = &self.include_rule(framework)?.variable;
        let unit = self.unit;
        unit.children(None).iter().copied().find(|&at| unit.name(at) == name)
    }

    /// The router whose member stands for its routes: `router.urls`.
    fn routes_member(&self, site: &Site, expr: ExprId, rule: &IncludeRule) -> Option<RouterValue> {
        let Expr::Member { base, name } = self.unit.expr(expr) else { return None };
        let is_member = rule.members.iter().any(|member| member == self.unit.text(name));
        if is_member { self.router(site, base) } else { None }
    }

    /// Puts the routers whose routes are added to the variable of the file below it: `urlpatterns += router.urls`.
    pub(super) fn added_routes(&self) {
        for at in (0..self.frameworks.len()).filter(|&at| self.is_imported[at]) {
            let (Some(rule), Some(variable)) = (self.include_rule(at), self.routes_variable(at)) else {
                continue;
            };
            let parent =
                Place { node: Node { file: self.unit.file, symbol: Some(variable) }, slot: Slot::Value };
            let included = self.included_lines(rule);
            for reference in self.unit.references() {
                if included.contains(&(reference.expr, reference.line)) {
                    continue;
                }
                self.session.start_reference();
                let site = self.site(reference);
                let Some(child) = self.routes_member(&site, reference.expr, rule) else { continue };
                if child.place != parent {
                    let prefix = child.prefix;
                    let link =
                        RouterLink { child: child.place, parent, prefix, same: false, replaces: false };
                    self.link(link);
                }
            }
        }
    }

    /// What is an argument of an include, with its line.
    fn included_lines(&self, rule: &IncludeRule) -> Vec<(ExprId, u32)> {
        let unit = self.unit;
        let arguments = unit.references().iter().filter_map(|reference| {
            let Expr::Call { callee, args } = unit.expr(reference.expr) else { return None };
            let is_include = self.last_name(callee) == Some(rule.function.as_str());
            is_include.then(|| (reference.line, unit.list(args)))
        });
        let mut found = Vec::new();
        for (line, args) in arguments {
            for &arg in args {
                found.push((arg, line));
                if let Expr::Sequence { items, .. } = unit.expr(arg) {
                    found.extend(unit.list(items).iter().map(|&item| (item, line)));
                }
            }
        }
        found
    }

    /// The routes that an included name means: a variable, or that of a module.
    fn included(&self, site: &Site, expr: ExprId, rule: &IncludeRule) -> Option<SymbolId> {
        let of_module = |module: &Module| {
            let found = self.session.module_member(module, &rule.variable, self.unit);
            found.iter().find_map(Target::sym)
        };
        if let Some(module) = self.session.constant_text(site, expr) {
            return self.session.find_module(self.unit, &module).and_then(|module| of_module(&module));
        }
        let found = self.session.targets(site, expr);
        found.iter().find_map(|one| match &one.referent {
            Referent::Symbol(sym, _) => Some(*sym),
            Referent::Value(Ty::Module(module)) => of_module(module),
            _ => None,
        })
    }
}
