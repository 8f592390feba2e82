//! Router values: which expressions are routers, of which framework, and where they are kept.

use super::arguments::{self, COMPUTED};
use super::extract::Extraction;
use super::list_loops::Given;
use crate::session::Site;
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{
    BindingKind, Expr, ExprId, GroupRule, ImportKind, Node, Place, RouterDef, RouterLink, Slot, SymbolKind,
    Via,
};

/// Maximum nesting of expressions that are followed to a router.
const DEPTH: u32 = 24;
/// The bit of a local place that is an expression and not a binding.
const ANONYMOUS: u32 = 1 << 31;
/// The local place of the router that a framework has without being told.
pub(super) const DEFAULT_ROUTER: u32 = u32::MAX;

/// A router that an expression gives.
#[derive(Clone, Debug)]
pub(super) struct RouterValue {
    pub(super) place: Place,
    /// What the expression itself adds to the prefix of the place.
    pub(super) prefix: String,
    /// Its framework, as an index, where the file proves it.
    pub(super) framework: Option<usize>,
}

/// A router that a call makes.
struct NewRouter {
    framework: usize,
    prefix: String,
    app: bool,
}

impl Extraction<'_, '_> {
    /// The name that an expression has in a framework, with dots: `gin.Default` is `Default` of Gin.
    pub(super) fn framework_name(&self, site: &Site, expr: ExprId) -> Option<(usize, String)> {
        self.framework_names(site, expr).into_iter().next()
    }

    /// The names that an expression has in all frameworks it may belong to.
    pub(super) fn framework_names(&self, site: &Site, expr: ExprId) -> Vec<(usize, String)> {
        match self.unit.expr(expr) {
            Expr::Name(name) => self.imported_names(site, self.unit.text(name)),
            Expr::Member { base, name } => {
                let mut found = self.framework_names(site, base);
                let name = self.unit.text(name);
                for (_, outer) in &mut found {
                    if !outer.is_empty() {
                        outer.push('.');
                    }
                    outer.push_str(name);
                }
                if found.is_empty() { self.qualified_names(site, expr) } else { found }
            }
            Expr::Apply { base: inner, .. } | Expr::Wrap { inner, .. } => self.framework_names(site, inner),
            Expr::Call { callee, args } if self.is_loader(callee) => {
                let first = self.unit.list(args).first();
                let path = first.and_then(|&first| self.session.constant_text(site, first));
                let framework = path.and_then(|path| self.imported(|framework| framework.owns(&path)));
                framework.map(|framework| (framework, String::new())).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The names of a path that begins with a module and not with an import: `std::env::var`.
    fn qualified_names(&self, site: &Site, expr: ExprId) -> Vec<(usize, String)> {
        let (mut parts, mut at) = (Vec::new(), expr);
        loop {
            match self.unit.expr(at) {
                Expr::Member { base, name } => {
                    parts.push(self.unit.text(name));
                    at = base;
                }
                Expr::Name(name) => {
                    let name = self.unit.text(name);
                    // A function may have the name of a module: `fn rocket() { rocket::build() }`.
                    let bound = self.binding_of_name(site, name).and_then(|at| self.unit.binding(at));
                    let is_function = |kind| match kind {
                        BindingKind::Symbol(at) => self.unit.kind(at) == Some(SymbolKind::Function),
                        _ => false,
                    };
                    if bound.is_some_and(|binding| !is_function(binding.kind)) {
                        return Vec::new();
                    }
                    parts.push(name);
                    break;
                }
                _ => return Vec::new(),
            }
        }
        parts.reverse();
        let is_separator = |c: char| matches!(c, ':' | '.' | '/' | '\\');
        let rest = |module: &str| {
            let own: Vec<&str> = module.split(is_separator).filter(|part| !part.is_empty()).collect();
            let begins = !own.is_empty() && parts.len() > own.len() && parts.starts_with(&own);
            begins.then(|| parts[own.len()..].join("."))
        };
        let imported = (0..self.frameworks.len()).filter(|&at| self.is_imported[at]);
        imported
            .filter_map(|at| {
                let rest = self.frameworks[at].modules.iter().find_map(|module| rest(module))?;
                Some((at, rest))
            })
            .collect()
    }

    fn is_loader(&self, callee: ExprId) -> bool {
        let Expr::Name(name) = self.unit.expr(callee) else { return false };
        self.is_loader_name(self.unit.text(name))
    }

    fn is_loader_name(&self, name: &str) -> bool {
        self.unit.rules.module_loaders.iter().any(|loader| loader == name)
    }

    fn imported_names(&self, site: &Site, name: &str) -> Vec<(usize, String)> {
        let imports = &self.unit.imports();
        let all = || (0..self.frameworks.len()).filter(|&at| self.is_imported[at]);
        if let Some(at) = self.binding_of_name(site, name) {
            let Some(BindingKind::Import(import)) = self.unit.binding(at).map(|binding| binding.kind) else {
                return Vec::new();
            };
            let Some(import) = imports.get(import as usize) else { return Vec::new() };
            let module = self.unit.outline_text(import.module);
            let item = import.name.map(|item| self.unit.outline_text(item));
            // A namespace import names the item with the module: `axum::Router`.
            let named = |at: usize| match (import.kind, item) {
                (_, Some(item)) if self.frameworks[at].owns_item(module, item) => Some((at, String::new())),
                _ if !self.frameworks[at].owns(module) => None,
                (ImportKind::Item, Some(item)) => Some((at, item.to_owned())),
                _ => Some((at, self.tail_of(at, module))),
            };
            return all().filter_map(named).collect();
        }
        // It comes from an import without names, or is visible without one.
        let is_wild =
            |import: &&orient_model::Import| matches!(import.kind, ImportKind::Wildcard | ImportKind::Effect);
        let wild: Vec<&str> =
            imports.iter().filter(is_wild).map(|import| self.unit.outline_text(import.module)).collect();
        let is_owned = |at: &usize| wild.iter().any(|module| self.frameworks[*at].owns(module));
        let mut found: Vec<usize> =
            if wild.is_empty() { Vec::new() } else { all().filter(is_owned).collect() };
        found.extend(all().filter(|&at| self.is_ambient_name(at, name)));
        if found.is_empty() {
            return Vec::new();
        }
        let defined = self.session.lookup(site, name);
        if defined.iter().any(|one| one.sym().is_some()) {
            return Vec::new();
        }
        found.dedup();
        found.into_iter().map(|at| (at, name.to_owned())).collect()
    }

    /// What a module's name has after that of the framework, as an item: `Router` of `axum::Router`.
    fn tail_of(&self, framework: usize, module: &str) -> String {
        let own = self.frameworks[framework].modules.iter().find_map(|own| module.strip_prefix(own.as_str()));
        let last = own.unwrap_or_default().rsplit([':', '.', '\\']).next().unwrap_or_default();
        // A path is a package of its own, not an item.
        if last.contains('/') { String::new() } else { last.to_owned() }
    }

    /// The binding of a name that is in effect at a place of this file.
    pub(super) fn binding_of_name(&self, site: &Site, name: &str) -> Option<u32> {
        let atom = self.unit.atom(name)?;
        let mut scope = Some(site.scope);
        while let Some(at) = scope {
            let bound = self.unit.bound_as(at, atom);
            let before = |&&binding: &&u32| self.unit.binding(binding).is_some_and(|b| b.at <= site.at);
            if let Some(&found) = bound.iter().rfind(before).or_else(|| bound.first()) {
                return Some(found);
            }
            scope = self.unit.scope(at)?.parent;
        }
        None
    }

    /// The router that an expression gives.
    pub(super) fn router(&self, site: &Site, expr: ExprId) -> Option<RouterValue> {
        self.router_below(site, expr, None, 0)
    }

    /// The router that an expression gives which is the receiver of a call.
    pub(super) fn router_above(&self, site: &Site, expr: ExprId, call: ExprId) -> Option<RouterValue> {
        self.router_below(site, expr, Some(call), 0)
    }

    /// `above` is the call that the expression is the receiver of.
    fn router_below(
        &self,
        site: &Site,
        expr: ExprId,
        above: Option<ExprId>,
        depth: u32,
    ) -> Option<RouterValue> {
        if depth > DEPTH {
            return None;
        }
        if let Some(given) = self.given(site, expr) {
            return match given.within(self.unit) {
                Some(expr) => self.router_below(&given.site, expr, above, depth + 1),
                None => self.router_elsewhere(&given),
            };
        }
        match self.unit.expr(expr) {
            Expr::Name(name) => {
                let name = self.unit.text(name);
                match self.binding_of_name(site, name) {
                    Some(binding) => self.bound_router(site, binding, expr),
                    None => Some(self.placed(self.symbol_of(site, expr)?)),
                }
            }
            Expr::Member { base, .. } => match self.symbol_of(site, expr) {
                Some(sym) => Some(self.placed(sym)),
                // A member of a router is a part of it, and so may be one of a parameter: `app.router`.
                None => self
                    .router_below(site, base, above, depth + 1)
                    .filter(|r| r.framework.is_some() || matches!(r.place.slot, Slot::Param(_))),
            },
            Expr::Wrap { inner, .. } | Expr::Await(inner) | Expr::Cast { value: inner, .. } => {
                self.router_below(site, inner, above, depth + 1)
            }
            Expr::Named { value, .. } => self.router_below(site, value, above, depth + 1),
            Expr::Call { callee, .. } => {
                if let Some(new) = self.new_router(site, expr) {
                    return Some(self.anonymous(site, expr, above, new));
                }
                if let Expr::Member { base, name } = self.unit.expr(callee) {
                    let name = self.unit.text(name);
                    // Once for each call of a chain: twice would double the work with every call.
                    let below = self.router_below(site, base, Some(expr), depth + 1);
                    if let Some(mut router) = below.clone()
                        && let Some(group) = self.group_of(router.framework, name)
                    {
                        router.prefix = join_path(&router.prefix, &self.group_prefix(site, expr, group));
                        return Some(router);
                    }
                    let fluent = below.filter(|router| router.framework.is_some() || self.is_rule_name(name));
                    if fluent.is_some() {
                        return fluent;
                    }
                }
                if let Some(module) = self.loaded_module(site, expr) {
                    return self.module_router(&module);
                }
                let sym = self.symbol_of(site, callee)?;
                let callable = self.session.kind(sym).is_some_and(SymbolKind::is_callable);
                let place = Place { node: node(sym), slot: Slot::Result };
                callable.then_some(RouterValue { place, prefix: String::new(), framework: None })
            }
            Expr::New { .. } => {
                let new = self.new_router(site, expr)?;
                Some(self.anonymous(site, expr, above, new))
            }
            _ => None,
        }
    }

    /// The only symbol that an expression refers to; what a module exports by default counts for the module.
    pub(super) fn symbol_of(&self, site: &Site, expr: ExprId) -> Option<SymbolId> {
        let found = self.session.targets(site, expr);
        if let Some(sym) = found.iter().find_map(Target::sym) {
            return Some(sym);
        }
        found.iter().find_map(|one| match &one.referent {
            Referent::Value(Ty::Module(module)) => self.default_export(module),
            Referent::Value(Ty::Function(sym, _)) => Some(*sym),
            _ => None,
        })
    }

    pub(super) fn default_export(&self, module: &Module) -> Option<SymbolId> {
        if !matches!(module, Module::File(_)) {
            return None;
        }
        let found = self.session.module_member(module, "default", self.unit);
        found.iter().find_map(Target::sym)
    }

    fn loaded_module(&self, site: &Site, call: ExprId) -> Option<Module> {
        let unit = &site.unit;
        let Expr::Call { callee, args } = unit.expr(call) else { return None };
        let Expr::Name(name) = unit.expr(callee) else { return None };
        if !self.is_loader_name(unit.text(name)) {
            return None;
        }
        let path = self.session.constant_text(site, *unit.list(args).first()?)?;
        self.session.find_module(unit, &path)
    }

    /// The router that an expression of another file gives.
    fn router_elsewhere(&self, given: &Given) -> Option<RouterValue> {
        match given.kind() {
            Expr::Name(_) | Expr::Member { .. } => {
                Some(self.placed(self.symbol_of(&given.site, given.expr)?))
            }
            Expr::Call { .. } => self.module_router(&self.loaded_module(&given.site, given.expr)?),
            _ => None,
        }
    }

    fn module_router(&self, module: &Module) -> Option<RouterValue> {
        if let Some(sym) = self.default_export(module) {
            return Some(self.placed(sym));
        }
        let Module::File(file) = *module else { return None };
        let place = Place { node: Node { file, symbol: None }, slot: Slot::Value };
        Some(RouterValue { place, prefix: String::new(), framework: None })
    }

    /// The router in a variable or field; the file of the symbol says whether it is one.
    fn placed(&self, sym: SymbolId) -> RouterValue {
        if sym.file == self.unit.file
            && let Some(binding) = self.binding_of_symbol(sym.at)
        {
            let framework = self.binding_framework(binding);
            return RouterValue {
                place: Place { node: node(sym), slot: Slot::Value },
                prefix: String::new(),
                framework,
            };
        }
        let place = Place { node: node(sym), slot: Slot::Value };
        RouterValue { place, prefix: String::new(), framework: self.field_framework(sym) }
    }

    /// The framework of a field by its declared type.
    fn field_framework(&self, sym: SymbolId) -> Option<usize> {
        let unit = self.session.unit_of(sym)?;
        let ty = unit.symbol(sym.at)?.returns?;
        let text = unit.outline_text(ty).trim_start_matches(['*', '&']);
        let last = text.rsplit(['.', ':']).next()?.trim_end_matches(['?', '|']);
        self.imported(|framework| framework.routers.iter().any(|rule| rule.types.iter().any(|ty| ty == last)))
    }

    fn binding_of_symbol(&self, symbol: u32) -> Option<u32> {
        let of = |binding: &orient_model::Binding| binding.kind == BindingKind::Symbol(symbol);
        let found = self.unit.bindings().iter().position(of)?;
        Some(found as u32)
    }

    /// The router that a name is bound to.
    fn bound_router(&self, site: &Site, at: u32, expr: ExprId) -> Option<RouterValue> {
        let binding = self.unit.binding(at)?;
        let place = match binding.kind {
            BindingKind::Import(import) => {
                return match self.symbol_of(site, expr) {
                    Some(sym) => Some(self.placed(sym)),
                    None => self.unnamed_export(import),
                };
            }
            BindingKind::Symbol(_) | BindingKind::Local | BindingKind::Param => self.place_of(at)?,
            BindingKind::Receiver | BindingKind::TypeParam | BindingKind::Outer => return None,
        };
        Some(RouterValue { place, prefix: String::new(), framework: self.binding_framework(at) })
    }

    /// The router that an imported file exports by default without a name.
    fn unnamed_export(&self, import: u32) -> Option<RouterValue> {
        let import = self.unit.import(import)?;
        if !matches!(import.kind, ImportKind::Default | ImportKind::Module) {
            return None;
        }
        match self.session.find_module(self.unit, self.unit.outline_text(import.module))? {
            Module::File(file) => Some(RouterValue {
                place: Place { node: Node { file, symbol: None }, slot: Slot::Value },
                prefix: String::new(),
                framework: None,
            }),
            _ => None,
        }
    }

    /// Where the value of a binding is kept.
    pub(super) fn place_of(&self, at: u32) -> Option<Place> {
        let binding = self.unit.binding(at)?;
        let here = Node { file: self.unit.file, symbol: None };
        Some(match binding.kind {
            BindingKind::Symbol(symbol) => {
                Place { node: Node { symbol: Some(symbol), ..here }, slot: Slot::Value }
            }
            BindingKind::Param => match self.parameter(at) {
                Some((function, index)) => {
                    Place { node: Node { symbol: Some(function), ..here }, slot: Slot::Param(index) }
                }
                None => Place { node: here, slot: Slot::Local(at) },
            },
            _ => Place { node: here, slot: Slot::Local(at) },
        })
    }

    /// The function of a parameter and its index; none for a parameter of a function without a name.
    fn parameter(&self, at: u32) -> Option<(u32, u32)> {
        let binding = self.unit.binding(at)?;
        let function = self.unit.scope(binding.scope)?.symbol?;
        if self.unit.scope_of(function) != Some(binding.scope) {
            return None;
        }
        let params = self.unit.bindings().iter().enumerate().filter(|(_, other)| {
            other.scope == binding.scope && other.kind == BindingKind::Param && other.at < binding.at
        });
        Some((function, params.count() as u32))
    }

    /// The framework of the router in a binding, where this file proves it. Records the router.
    pub(super) fn binding_framework(&self, at: u32) -> Option<usize> {
        if let Some(&known) = self.bindings.borrow().get(&at) {
            return known;
        }
        // A binding that depends on itself proves nothing.
        self.bindings.borrow_mut().insert(at, None);
        // What is bound does not depend on the element that a loop is at.
        let turn = self.turn.take();
        let found = self.find_binding_framework(at);
        self.turn.replace(turn);
        self.bindings.borrow_mut().insert(at, found);
        found
    }

    fn find_binding_framework(&self, at: u32) -> Option<usize> {
        let binding = self.unit.binding(at)?;
        let place = self.place_of(at)?;
        let site = Site { unit: self.unit.clone(), scope: binding.scope, at: binding.at };
        if let Some((framework, app)) = binding.ty.and_then(|ty| self.router_type(&site, ty)) {
            self.define(place, framework, String::new(), app);
            return Some(framework);
        }
        if !matches!(binding.via, Via::Value | Via::Item(0)) {
            return None;
        }
        let value = binding.value?;
        self.assigned_framework(&site, place, value)
    }

    /// Records the router that is put into a place.
    pub(super) fn assigned_framework(&self, site: &Site, place: Place, value: ExprId) -> Option<usize> {
        // The name is not visible in its own value.
        let site = Site { at: site.at.saturating_sub(1), ..site.clone() };
        if let Some(new) = self.new_router(&site, value) {
            self.define(place, new.framework, new.prefix, new.app);
            return Some(new.framework);
        }
        let router = self.router(&site, value)?;
        // A local variable is only asked for if something is called on it: `router = app.router`.
        let is_local = matches!((place.slot, router.place.slot), (Slot::Local(_), Slot::Param(_)));
        let is_router = router.framework.is_some() || is_local || self.is_followed(router.place);
        if router.place != place && is_router {
            self.link(RouterLink {
                child: place,
                parent: router.place,
                same: router.prefix.is_empty(),
                prefix: router.prefix,
                replaces: false,
            });
        }
        router.framework
    }

    /// Whether a place may hold a router of another file: a parameter is no reason to follow a value, a result is.
    pub(super) fn is_followed(&self, place: Place) -> bool {
        place.slot == Slot::Result || self.out.borrow().links.iter().any(|link| link.child == place)
    }

    /// The framework of a type of routers, and whether these are applications.
    fn router_type(&self, site: &Site, ty: ExprId) -> Option<(usize, bool)> {
        if let Expr::Either(list) = self.unit.expr(ty) {
            return self.unit.list(list).iter().find_map(|&one| self.router_type(site, one));
        }
        let (framework, name) = self.framework_name(site, ty)?;
        let mut rules = self.frameworks[framework].routers.iter();
        rules.find(|rule| rule.types.contains(&name)).map(|rule| (framework, rule.app))
    }

    /// The router that a call makes.
    fn new_router(&self, site: &Site, expr: ExprId) -> Option<NewRouter> {
        let (Expr::Call { callee, args } | Expr::New { ty: callee, args }) = self.unit.expr(expr) else {
            return None;
        };
        let args = self.unit.list(args);
        if let Some((framework, name)) = self.framework_name(site, callee) {
            let rules = self.frameworks[framework].routers.iter();
            if let Some(rule) = rules.clone().find(|rule| rule.functions.contains(&name)) {
                let prefix = arguments::find(self.unit, args, &rule.prefix);
                let prefix = prefix.map(|arg| self.path_text(site, arg)).unwrap_or_default();
                return Some(NewRouter { framework, prefix, app: rule.app });
            }
            let groups = self.frameworks[framework].groups.iter();
            if let Some(group) = groups.into_iter().find(|rule| rule.free && rule.calls.contains(&name)) {
                let prefix = self.group_prefix(site, expr, group);
                return Some(NewRouter { framework, prefix, app: false });
            }
        }
        None
    }

    /// A router that is used where it is made.
    fn anonymous(&self, site: &Site, root: ExprId, above: Option<ExprId>, new: NewRouter) -> RouterValue {
        // Equal expressions share an id, so the call on the router tells two routers of one function apart.
        let key = above.unwrap_or(root).0.wrapping_mul(31).wrapping_add(site.symbol().unwrap_or(0));
        let slot = Slot::Local(ANONYMOUS | (key & ((ANONYMOUS >> 1) - 1)));
        let place = Place { node: Node { file: self.unit.file, symbol: None }, slot };
        self.define(place, new.framework, new.prefix, new.app);
        RouterValue { place, prefix: String::new(), framework: Some(new.framework) }
    }

    /// The place of a router that is an expression of this file.
    pub(super) fn anonymous_place(&self, expr: ExprId) -> Place {
        let slot = Slot::Local(ANONYMOUS | (expr.0.wrapping_mul(31) & ((ANONYMOUS >> 1) - 1)));
        Place { node: Node { file: self.unit.file, symbol: None }, slot }
    }

    /// The group rule for a member of this name that is called on a router.
    fn group_of(&self, framework: Option<usize>, name: &str) -> Option<&GroupRule> {
        if !self.is_rule_name(name) {
            return None;
        }
        let is_group = |rule: &&GroupRule| !rule.free && rule.calls.iter().any(|call| call == name);
        let mut rules = self.frameworks.iter().enumerate().filter(|&(at, _)| match framework {
            Some(known) => known == at,
            None => self.is_imported[at],
        });
        let found = rules.find_map(|(_, one)| one.groups.iter().find(is_group));
        // A file that gets a router from another one need not import its framework.
        let of_any = || {
            let groups = self.frameworks.iter().flat_map(|one| &one.groups);
            groups.filter(|rule| !rule.path.is_empty()).find(is_group)
        };
        found.or_else(|| if framework.is_none() { of_any() } else { None })
    }

    fn group_prefix(&self, site: &Site, call: ExprId, group: &GroupRule) -> String {
        let Expr::Call { args, .. } = self.unit.expr(call) else { return String::new() };
        let path = arguments::find(self.unit, self.unit.list(args), &group.path);
        path.map(|path| self.path_text(site, path)).unwrap_or_default()
    }

    /// The path that an argument says.
    pub(super) fn path_text(&self, site: &Site, arg: ExprId) -> String {
        self.text(site, arg).unwrap_or_else(|| COMPUTED.to_owned())
    }

    pub(super) fn define(&self, place: Place, framework: usize, prefix: String, app: bool) {
        let framework = self.frameworks[framework].name.clone();
        self.out.borrow_mut().routers.push(RouterDef { place, framework, prefix, app });
    }

    pub(super) fn link(&self, link: RouterLink) {
        self.out.borrow_mut().links.push(link);
    }

    /// The last name of an expression.
    pub(super) fn last_name(&self, expr: ExprId) -> Option<&str> {
        self.unit.last_name(expr)
    }
}

/// The node of a symbol.
pub(super) fn node(sym: SymbolId) -> Node {
    Node { file: sym.file, symbol: Some(sym.at) }
}

/// Joins two parts of a path with one slash; an empty part adds nothing.
///
/// `/api` and `users/` give `/api/users/`; `` and `users` give `/users`; `` and `` give ``.
pub(crate) fn join_path(prefix: &str, path: &str) -> String {
    if path.is_empty() {
        return prefix.to_owned();
    }
    let (prefix, path) = (prefix.trim_end_matches('/'), path.strip_prefix('/').unwrap_or(path));
    if path.is_empty() && !prefix.is_empty() { format!("{prefix}/") } else { format!("{prefix}/{path}") }
}
