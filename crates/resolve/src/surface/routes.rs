//! Routes, groups and mounts that calls register.

use super::arguments::{self, COMPUTED, method_name};
use super::extract::Extraction;
use super::handlers::Handler;
use super::lexical::LexicalContext;
use super::list_loops::Given;
use super::routers::{DEFAULT_ROUTER, RouterValue, node};
use crate::session::Site;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    Argument, Confidence, Edge, EdgeKind, Expr, ExprId, GroupRule, MethodSource, MountRule, Node, Place,
    Reference, Resolved, Route, RouteRule, RouterLink, Rule, Slot, SymbolKind, path_ends_with,
};

/// Adds the routes of all calls of a file; returns whether there are any.
pub(super) fn routes(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) -> bool {
    let mut found = false;
    for (reference, name) in extraction.calls() {
        extraction.session.start_reference();
        for turn in extraction.turns(reference) {
            extraction.turn.replace(turn);
            for at in 0..extraction.frameworks.len() {
                let call = RegistrationCall { extraction, framework: at, reference, name };
                found |= call.follow(resolved);
            }
        }
        extraction.turn.take();
    }
    for (reference, key) in extraction.calls_by_key() {
        extraction.session.start_reference();
        for turn in extraction.turns(reference) {
            extraction.turn.replace(turn);
            let name = extraction.text(&extraction.site(reference), key).map(|name| name.to_lowercase());
            let Some(name) = name else { continue };
            for at in 0..extraction.frameworks.len() {
                let call = RegistrationCall { extraction, framework: at, reference, name: &name };
                found |= call.follow(resolved);
            }
        }
        extraction.turn.take();
    }
    found
}

/// A call that may register something with a framework.
pub(super) struct RegistrationCall<'e, 'a, 'r> {
    pub(super) extraction: &'e Extraction<'a, 'r>,
    pub(super) framework: usize,
    reference: &'a Reference,
    name: &'e str,
}

impl RegistrationCall<'_, '_, '_> {
    fn follow(&self, resolved: &mut Resolved) -> bool {
        let framework = &self.extraction.frameworks[self.framework];
        let is_called = |calls: &[String]| calls.iter().any(|call| bare(call) == self.name);
        let mut found = false;
        for rule in framework.routes.iter().filter(|rule| is_called(&rule.calls)) {
            found |= self.route(rule, resolved);
        }
        for rule in framework.groups.iter().filter(|rule| is_called(&rule.calls)) {
            found |= self.group_callback(rule);
        }
        for rule in framework.resources.iter().filter(|rule| is_called(&rule.calls)) {
            found |= self.resource(rule, resolved);
        }
        for rule in framework.mounts.iter().filter(|rule| is_called(&rule.calls)) {
            found |= self.mount(rule);
        }
        if framework.global_prefixes.iter().any(|call| call == self.name) {
            self.global_prefix();
        }
        found
    }

    /// Records a prefix of all annotated routes.
    fn global_prefix(&self) {
        let Some((_, args)) = self.parts() else { return };
        let Some(&first) = args.first() else { return };
        let prefix = self.extraction.path_text(&self.site(), first);
        let node = Node { file: self.extraction.unit.file, symbol: None };
        let place = Place { node, slot: Slot::Application };
        self.extraction.define(place, self.framework, prefix, true);
    }

    pub(super) fn site(&self) -> Site {
        self.extraction.site(self.reference)
    }

    pub(super) fn parts(&self) -> Option<(ExprId, &[ExprId])> {
        let unit = self.extraction.unit;
        let Expr::Call { callee, args } = unit.expr(self.reference.expr) else { return None };
        Some((callee, unit.list(args)))
    }

    /// The router that the call is a member of, if it may be one of this framework.
    pub(super) fn receiver(&self) -> Option<RouterValue> {
        let callee = self.extraction.unit.expr(self.parts()?.0);
        let base = match callee {
            Expr::Member { base, .. } | Expr::Index { base, .. } => base,
            Expr::Name(name) => self.extraction.bound_member(&self.site(), name, self.name)?,
            _ => return None,
        };
        let router = self.extraction.router_above(&self.site(), base, self.reference.expr)?;
        if let Some(known) = router.framework {
            return (known == self.framework).then_some(router);
        }
        // A type of the repository is no router of a framework.
        let ty = self.extraction.session.eval(&self.site(), base).ty;
        let own = ty.alternatives().iter().any(|one| matches!(one, Ty::Instance(..) | Ty::Metatype(..)));
        (!own).then_some(router)
    }

    /// The router of a function of the framework: the variable it is put into, or the default router; and what the groups around it
    /// say.
    pub(super) fn default_router(&self, calls: &[String]) -> Option<(RouterValue, LexicalContext)> {
        let extraction = self.extraction;
        let own = extraction.framework_name(&self.site(), self.parts()?.0);
        // The call may be one of a chain: `Route::middleware("auth")->get(…)`.
        let of_chain = || {
            let (framework, head) = extraction.chain_head(self.reference)?;
            let (first, _) = head.split_once('.')?;
            Some((framework, format!("{first}.{}", self.name)))
        };
        let (framework, name) = own.or_else(of_chain)?;
        let means = |call: &String| *call == name || !call.contains('.') && bare(&name) == call;
        if framework != self.framework || !calls.iter().any(means) {
            return None;
        }
        let unit = extraction.unit;
        let holds = |&at: &u32| {
            matches!(unit.kind(at), Some(SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field))
        };
        let variable = self.reference.symbol.filter(holds).or_else(|| self.routes_variable());
        let file = unit.file;
        let inline = extraction.inline.borrow().get(&self.reference.expr).copied();
        let place = match variable {
            _ if inline.is_some() => inline?,
            Some(variable) => Place { node: Node { file, symbol: Some(variable) }, slot: Slot::Value },
            None => Place { node: Node { file, symbol: None }, slot: Slot::Local(DEFAULT_ROUTER) },
        };
        let prefixes = &extraction.frameworks[framework].file_prefixes;
        let path = unit.path().display();
        let own =
            prefixes.iter().find(|(file, _)| path_ends_with(file, &path)).map(|(_, prefix)| prefix.clone());
        extraction.define(place, framework, own.unwrap_or_default(), true);
        let context = extraction.lexical_context(self.framework, self.reference);
        Some((RouterValue { place, prefix: context.prefix.clone(), framework: Some(framework) }, context))
    }

    fn route(&self, rule: &RouteRule, resolved: &mut Resolved) -> bool {
        let Some((_, args)) = self.parts() else { return false };
        let extraction = self.extraction;
        let (router, context) = if rule.free {
            let Some((mut router, context)) = self.default_router(&rule.calls) else { return false };
            if let Some(prefix) = self.said_part(rule, args).and_then(|part| context.part(part)) {
                router.prefix = prefix;
            }
            (router, context)
        } else {
            let Some(router) = self.receiver() else { return false };
            (router, LexicalContext::default())
        };
        if context.elsewhere {
            return true;
        }
        let pair = if rule.pair { self.pair(args) } else { None };
        let site = self.site();
        let whole = self.is_on_whole_path();
        let path_arg = if whole { None } else { self.argument(args, &rule.path) };
        // A function alone is a handler without a path; another argument alone is no handler.
        let only = args.len() == 1 && !rule.handler.is_empty() && pair.is_none();
        let is_function = |arg: &Given| matches!(arg.kind(), Expr::Lambda(_) | Expr::Function(_));
        let alone = only && path_arg.as_ref().is_some_and(is_function);
        let path_arg = path_arg.filter(|_| !alone);
        let said = path_arg.as_ref().and_then(|arg| extraction.text(&arg.site, arg.expr));
        let proven = router.framework.is_some();
        let is_likely = Self::is_likely(rule, said.as_deref(), path_arg.is_some());
        let is_object = rule.is_object() && path_arg.is_some();
        if !(proven || whole || is_likely || is_object) {
            return false;
        }
        if path_arg.is_none() && pair.is_none() && !rule.path.is_empty() && !whole && !(alone && rule.free) {
            return false;
        }
        let mut path = match (&said, &path_arg, &pair) {
            (Some(said), ..) if rule.regex => plain_pattern(said),
            (Some(said), ..) => said.clone(),
            (None, _, Some((path, _))) => path.clone(),
            (None, Some(_), None) => COMPUTED.to_owned(),
            (None, None, None) => String::new(),
        };
        let handler_given = self
            .argument(args, &rule.handler)
            .or_else(|| pair.as_ref().map(|pair| Given::new(&site, pair.1)));
        if let (Some(handler), Some(path)) = (&handler_given, &path_arg)
            && handler.is(path)
        {
            return false;
        }
        let handler_arg = handler_given.as_ref().and_then(|given| given.within(extraction.unit));
        if let (Some(include), Some(arg)) = (&rule.include, handler_arg)
            && self.include(&router, &path, include, arg)
        {
            return true;
        }
        let mut methods = self.methods(rule, args, handler_given.as_ref(), &mut path);
        if let Some(arg) = arguments::find(extraction.unit, args, &rule.definition) {
            let Some((method, own)) = extraction.route_definition(&site, arg, 0) else { return false };
            path = own;
            for (said, _) in &mut methods {
                said.clone_from(&method);
            }
        }
        if rule.handler.is_empty() {
            let Some(sym) = self.decorated() else { return false };
            let handler = Handler { symbol: Some(sym), text: String::new() };
            for (_, found) in &mut methods {
                found.clone_from(&handler);
            }
        } else if handler_given.is_none() {
            let Some(text) = self.conventional_text(args, &path, &context) else { return false };
            for (_, found) in &mut methods {
                found.text.clone_from(&text);
            }
        }
        if handler_given.as_ref().is_none_or(|given| matches!(given.kind(), Expr::Text(_))) {
            for (_, handler) in methods.iter_mut().filter(|(_, found)| found.symbol.is_none()) {
                *handler = self.named_handler(&handler.text, &context);
            }
        }
        let described = arguments::find(extraction.unit, args, &rule.definition);
        let path_arg = path_arg.and_then(|given| given.within(extraction.unit));
        let middleware = self.middleware(args, path_arg.or(described), handler_arg);
        let path = super::routers::join_path(&router.prefix, &path);
        for (method, handler) in methods {
            self.push(&router, method, path.clone(), &handler, middleware.clone(), resolved);
        }
        true
    }

    /// The first of these arguments that the call has, also as an entry of an object that an argument names.
    fn argument(&self, args: &[ExprId], wanted: &[Argument]) -> Option<Given> {
        let (extraction, site) = (self.extraction, self.site());
        wanted.iter().find_map(|one| {
            let said = arguments::find(extraction.unit, args, std::slice::from_ref(one));
            said.map(|expr| Given::new(&site, expr)).or_else(|| match one {
                Argument::Named(name) => args.iter().find_map(|&arg| extraction.entry(&site, arg, name)),
                _ => None,
            })
        })
    }

    /// Whether the receiver is a group that has the whole path: `app.route("/x")` in `app.route("/x").get(list)`.
    fn is_on_whole_path(&self) -> bool {
        let unit = self.extraction.unit;
        let mut expr = self.reference.expr;
        while let Expr::Call { callee, .. } = unit.expr(expr) {
            let Expr::Member { base, name } = unit.expr(callee) else { return false };
            let name = unit.text(name);
            let groups = self.extraction.frameworks[self.framework].groups.iter();
            if expr != self.reference.expr
                && groups
                    .clone()
                    .any(|rule| rule.whole_path && rule.calls.iter().any(|call| bare(call) == name))
            {
                return true;
            }
            expr = base;
        }
        false
    }

    /// Whether a call on something that may be a router looks like a route.
    fn is_likely(rule: &RouteRule, path: Option<&str>, has_path: bool) -> bool {
        let starts = path.is_some_and(|path| path.starts_with('/'));
        !rule.free && (starts || rule.path.is_empty() && !has_path)
    }

    /// The methods of a route, each with its handler.
    fn methods(
        &self,
        rule: &RouteRule,
        args: &[ExprId],
        handler: Option<&Given>,
        path: &mut String,
    ) -> Vec<(String, Handler)> {
        let extraction = self.extraction;
        let one = || handler.map(|arg| extraction.handler(&arg.site, arg.expr, 0)).unwrap_or_default();
        let all = |methods: &[String]| methods.iter().map(|method| (method_name(method), one())).collect();
        match &rule.method {
            _ if !rule.method_chained.is_empty() && !self.chained_methods(rule).is_empty() => {
                all(&self.chained_methods(rule))
            }
            MethodSource::Name => vec![(method_name(self.name), one())],
            MethodSource::Fixed(methods) => all(methods),
            MethodSource::Argument(wanted, default) => {
                let arg = self.argument(args, wanted);
                let texts = arg.as_ref().map(|arg| extraction.texts(arg)).unwrap_or_default();
                if texts.is_empty() && default.is_empty() && arg.is_some() {
                    return vec![(method_name(""), one())];
                }
                if texts.is_empty() { all(default) } else { all(&texts) }
            }
            MethodSource::Handler => {
                let within = handler.and_then(|arg| Some((arg, arg.within(extraction.unit)?)));
                within.map(|(arg, expr)| extraction.method_calls(&arg.site, expr)).unwrap_or_default()
            }
            MethodSource::Pattern => {
                let (method, rest) = match path.split_once(' ') {
                    Some((method, rest)) => (method_name(method), rest.to_owned()),
                    None => ("ANY".to_owned(), path.clone()),
                };
                *path = rest;
                vec![(method, one())]
            }
        }
    }

    /// The methods that a call on the route says: `GET` of `r.Handle("/x", h).Methods("GET")`.
    fn chained_methods(&self, rule: &RouteRule) -> Vec<String> {
        let behind = self.chained_texts(&rule.method_chained);
        if behind.is_empty() { self.texts_before(&rule.method_chained) } else { behind }
    }

    /// The texts that calls of these names before this one are given: `GET` of `r.Methods("GET").Path("/x").Handler(h)`.
    fn texts_before(&self, names: &[String]) -> Vec<String> {
        let unit = self.extraction.unit;
        let mut expr = self.reference.expr;
        while let Expr::Call { callee, .. } = unit.expr(expr) {
            let Expr::Member { base, .. } = unit.expr(callee) else { break };
            expr = base;
            let Expr::Call { callee, args } = unit.expr(expr) else { break };
            let is_named =
                self.extraction.last_name(callee).is_some_and(|name| names.iter().any(|one| one == name));
            if is_named {
                let args = unit.list(args).iter();
                return args
                    .flat_map(|&arg| self.extraction.session.constant_texts(&self.site(), arg))
                    .collect();
            }
        }
        Vec::new()
    }

    /// The texts that calls of these names on the result are given.
    pub(super) fn chained_texts(&self, names: &[String]) -> Vec<String> {
        let unit = self.extraction.unit;
        // Whatever is called on the route contains it.
        for reference in unit.references() {
            let Expr::Call { callee, args } = unit.expr(reference.expr) else { continue };
            let Expr::Member { mut base, name } = unit.expr(callee) else { continue };
            if !names.iter().any(|call| call == unit.text(name)) {
                continue;
            }
            while base != self.reference.expr {
                let Expr::Call { callee, .. } = unit.expr(base) else { break };
                let Expr::Member { base: inner, .. } = unit.expr(callee) else { break };
                base = inner;
            }
            if base == self.reference.expr {
                let args = unit.list(args).iter();
                return args
                    .flat_map(|&arg| self.extraction.session.constant_texts(&self.site(), arg))
                    .collect();
            }
        }
        Vec::new()
    }

    /// The function that the call decorates.
    fn decorated(&self) -> Option<SymbolId> {
        let unit = self.extraction.unit;
        let at = self.reference.at;
        let stands_at = |&symbol: &u32| {
            let attributes = unit.symbol(symbol).is_some_and(|symbol| !symbol.attributes.is_empty());
            attributes
                && unit.spans(symbol).is_some_and(|(whole, header)| whole.start <= at && at < header.start)
        };
        unit.symbols().rev().find(stands_at).map(|found| unit.sym(found))
    }

    /// What stands between the path and the handler.
    fn middleware(&self, args: &[ExprId], path: Option<ExprId>, handler: Option<ExprId>) -> Vec<String> {
        let unit = self.extraction.unit;
        let positional = args.iter().filter(|&&arg| !matches!(unit.expr(arg), Expr::Named { .. }));
        let skipped = usize::from(path.is_some());
        let between = positional.skip_while(|&&arg| path.is_some_and(|path| path != arg)).skip(skipped);
        let before = between.take_while(|&&arg| handler.is_some_and(|handler| handler != arg));
        before.filter_map(|&arg| self.extraction.last_name(arg)).map(str::to_owned).collect()
    }

    pub(super) fn put_below(&self, router: &RouterValue, child: Place, path: &str, replaces: bool) {
        if child == router.place {
            return;
        }
        let prefix = super::routers::join_path(&router.prefix, path);
        self.extraction.link(RouterLink { child, parent: router.place, prefix, same: false, replaces });
    }

    /// A group whose routes a function registers: `r.Route("/x", func(r chi.Router) { … })`.
    fn group_callback(&self, rule: &GroupRule) -> bool {
        let (Some((_, args)), false) = (self.parts(), rule.callback.is_empty()) else { return false };
        let extraction = self.extraction;
        let Some(callback) = arguments::find(extraction.unit, args, &rule.callback) else { return false };
        let Some(router) = self.receiver() else { return false };
        let site = self.site();
        let path = arguments::find(extraction.unit, args, &rule.path);
        let path = path.map(|arg| extraction.path_text(&site, arg)).unwrap_or_default();
        match extraction.first_parameter(&site, callback) {
            Some(child) => self.put_below(&router, child, &path, false),
            None => return false,
        }
        true
    }

    fn mount(&self, rule: &MountRule) -> bool {
        let Some((_, args)) = self.parts() else { return false };
        let extraction = self.extraction;
        let Some(parent) = self.receiver() else { return false };
        if !rule.directory.is_empty() {
            return self.mount_directory(&parent, rule, args);
        }
        let site = self.site();
        let path_arg = arguments::find(extraction.unit, args, &rule.path);
        let path = path_arg.and_then(|arg| extraction.text(&site, arg)).or_else(|| {
            // The loop variable in front of the router is a path, or something else that is not known.
            let unknown =
                path_arg.filter(|&arg| args.last() != Some(&arg) && extraction.is_unknown_part(&site, arg));
            unknown.map(|_| COMPUTED.to_owned())
        });
        let given: Vec<ExprId> = rule
            .router
            .iter()
            .filter_map(|one: &Argument| arguments::find(extraction.unit, args, std::slice::from_ref(one)))
            .flat_map(|arg| self.listed_routers(rule, arg))
            .collect();
        let mut found = false;
        for arg in given {
            if Some(arg) == path_arg && path.is_some() {
                continue;
            }
            if self.is_list_of_routes(arg) {
                self.include_inline(&parent, path.as_deref().unwrap_or_default(), arg);
                found = true;
                continue;
            }
            if rule.plugin
                && let Some(child) = extraction.first_parameter(&site, arg)
            {
                self.put_below(&parent, child, path.as_deref().unwrap_or_default(), rule.replaces_prefix);
                found = true;
                continue;
            }
            let Some(child) = extraction.router(&site, arg) else { continue };
            // What the expression adds stands between the two.
            let path = super::routers::join_path(path.as_deref().unwrap_or_default(), &child.prefix);
            self.put_below(&parent, child.place, &path, rule.replaces_prefix && !path.is_empty());
            found |= child.framework.is_some();
        }
        found
    }

    /// The routers of a call that lists several; otherwise the argument itself.
    fn listed_routers(&self, rule: &MountRule, arg: ExprId) -> Vec<ExprId> {
        let unit = self.extraction.unit;
        match unit.expr(arg) {
            Expr::Call { callee, args }
                if self
                    .extraction
                    .last_name(callee)
                    .is_some_and(|name| rule.lists.iter().any(|one| one == name)) =>
            {
                unit.list(args).to_vec()
            }
            _ => vec![arg],
        }
    }

    pub(super) fn push(
        &self,
        router: &RouterValue,
        method: String,
        path: String,
        handler: &Handler,
        middleware: Vec<String>,
        resolved: &mut Resolved,
    ) {
        let extraction = self.extraction;
        let from = extraction.around(self.reference);
        let proven = router.framework.is_some();
        if let Some(sym) = handler.symbol {
            let confidence = if proven { Confidence::Exact } else { Confidence::Approximate };
            resolved.edges.push(registers(from, sym, self.reference.line, confidence));
            for member in extraction.members_named(sym, is_request_member) {
                let confidence = confidence.max(Confidence::Probable);
                resolved.edges.push(registers(from, member, self.reference.line, confidence));
            }
        }
        extraction.out.borrow_mut().routes.push(Route {
            place: Some(router.place),
            framework: extraction.frameworks[self.framework].name.clone(),
            method,
            path,
            handler: handler.symbol.map(node),
            text: handler.text.clone(),
            middleware,
            from,
            line: self.reference.line,
            proven,
        });
    }
}

/// The path that a regular expression matches, with parameters for its groups: `articles/<slug>` for `^articles/(?P<slug>[-\w]+)/?$`.
fn plain_pattern(pattern: &str) -> String {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
    let pattern = pattern.strip_suffix("/?").unwrap_or(pattern);
    let (mut plain, mut depth, mut escaped) = (String::new(), 0_u32, false);
    for (at, letter) in pattern.char_indices() {
        match letter {
            _ if escaped => {
                escaped = false;
                if depth == 0 {
                    plain.push(letter);
                }
            }
            '\\' => escaped = true,
            '(' => {
                let name = pattern[at..].strip_prefix("(?P<").and_then(|rest| rest.split('>').next());
                if depth == 0 && !pattern[at..].starts_with("(?:") {
                    plain.extend(["<", name.unwrap_or("?"), ">"]);
                }
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

/// Whether a member of a type that is a handler is called for requests, by its name.
fn is_request_member(name: &str) -> bool {
    const NAMES: &[&str] =
        &["get", "post", "put", "patch", "delete", "head", "options", "__invoke", "__call__", "handle"];
    NAMES.contains(&name)
}

/// The last part of a name with dots.
pub(super) fn bare(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The edge from what registers a handler to the handler.
pub(super) fn registers(from: Node, handler: SymbolId, line: u32, confidence: Confidence) -> Edge {
    Edge { from, kind: EdgeKind::Registers, to: node(handler), line, confidence, rule: Rule::Framework }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_expression_is_shown_as_a_path() {
        assert_eq!(
            plain_pattern(r"^articles/(?P<slug>[-\w]+)/comments/(\d+)/?$"),
            "articles/<slug>/comments/<?>"
        );
        assert_eq!(plain_pattern(r"^feed\.xml$"), "feed.xml");
        assert_eq!(plain_pattern("^"), "");
    }
}
