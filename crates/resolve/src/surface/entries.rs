//! Entries of the surface that have a name which is text: commands, topics, jobs, tables, variables, settings. One set of rules
//! covers all kinds; [`orient_model::EntryRule`] documents it.

use super::annotations::Annotation;
use super::arguments::{self, COMPUTED, method_name};
use super::entry_names::{derived, from_text};
use super::extract::Extraction;
use super::handlers::Handler;
use super::routers::node;
use super::routes::{bare, registers};
use crate::file::Declaration;
use crate::types::ty::Ty;
use orient_model::{
    Atom, Confidence, EntryRule, Expr, ExprId, Node, RefKind, Reference, Resolved, SurfaceEntry, SurfaceKind,
    SurfaceRole, SymbolKind, Visibility, name_fits,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the entries of a file, and the edges to their handlers.
pub(super) fn entries(extraction: &Extraction<'_, '_>, resolved: &mut Resolved) {
    let mut rules = Vec::new();
    for (framework, imported) in extraction.is_imported.iter().enumerate() {
        let of = &extraction.frameworks[framework].entries;
        rules.extend(of.iter().filter(|rule| *imported || rule.anywhere).map(|rule| (framework, rule)));
    }
    if rules.is_empty() {
        return;
    }
    let entries = Entries { extraction, rules };
    entries.of_calls(resolved);
    entries.of_objects(resolved);
    entries.of_maps();
    entries.of_symbols(resolved);
}

/// The rules that apply to a file.
pub(super) struct Entries<'e, 'a, 'r> {
    pub(super) extraction: &'e Extraction<'a, 'r>,
    pub(super) rules: Vec<(usize, &'e EntryRule)>,
}

/// A call or construction that a rule is about.
pub(super) struct EntryCall<'c> {
    pub(super) framework: usize,
    pub(super) rule: &'c EntryRule,
    pub(super) reference: &'c Reference,
    pub(super) args: &'c [ExprId],
    pub(super) proven: bool,
}

impl Entries<'_, '_, '_> {
    /// The entries of calls and constructions.
    fn of_calls(&self, resolved: &mut Resolved) {
        let unit = self.extraction.unit;
        let mut by_name: FxHashMap<Atom, Vec<usize>> = FxHashMap::default();
        let mut of_module = Vec::new();
        for (at, (_, rule)) in self.rules.iter().enumerate() {
            for call in rule.functions.iter().chain(&rule.methods) {
                match bare(call) {
                    "" => of_module.push(at),
                    name => {
                        if let Some(atom) = unit.atom(name) {
                            by_name.entry(atom).or_default().push(at);
                        }
                    }
                }
            }
        }
        if by_name.is_empty() && of_module.is_empty() {
            return;
        }
        for reference in unit.references() {
            let (Expr::Call { callee, args } | Expr::New { ty: callee, args }) = unit.expr(reference.expr)
            else {
                continue;
            };
            let named = self.called_name(callee).and_then(|name| by_name.get(&name));
            let of_module =
                if matches!(unit.expr(callee), Expr::Name(_)) { of_module.as_slice() } else { &[] };
            let mut fitting: Vec<usize> = named.into_iter().flatten().chain(of_module).copied().collect();
            fitting.sort_unstable();
            fitting.dedup();
            for at in fitting {
                let (framework, rule) = self.rules[at];
                self.extraction.session.start_reference();
                if let Some(proven) = self.proof(framework, rule, reference, callee) {
                    let args = unit.list(args);
                    self.of_call(&EntryCall { framework, rule, reference, args, proven }, resolved);
                }
            }
        }
    }

    fn called_name(&self, callee: ExprId) -> Option<Atom> {
        match self.extraction.unit.expr(callee) {
            Expr::Name(name) | Expr::Member { name, .. } => Some(name),
            Expr::Apply { base: inner, .. } | Expr::Wrap { inner, .. } => self.called_name(inner),
            _ => None,
        }
    }

    /// Whether a call is one of the framework, and whether the file proves it.
    fn proof(
        &self,
        framework: usize,
        rule: &EntryRule,
        reference: &Reference,
        callee: ExprId,
    ) -> Option<bool> {
        let extraction = self.extraction;
        let site = extraction.site(reference);
        if !rule.functions.is_empty() {
            let names = extraction.framework_names(&site, callee);
            if names.iter().any(|(of, name)| *of == framework && rule.functions.contains(name)) {
                return Some(true);
            }
        }
        let callee = match extraction.unit.expr(callee) {
            Expr::Apply { base, .. } => base,
            _ => callee,
        };
        let (base, name) = match extraction.unit.expr(callee) {
            Expr::Member { base, name } => (base, name),
            // A method of the type around, without a receiver.
            Expr::Name(name) if rule.methods.iter().any(|method| method == extraction.unit.text(name)) => {
                if self.is_inside_of_value(framework, reference) {
                    return Some(true);
                }
                // A function with a receiver may give the name its meaning: `module { single { … } }`.
                let is_open = rule.any_receiver && extraction.unit.rules.implicit_receiver;
                let is_own = || {
                    let found = extraction.session.lookup(&site, extraction.unit.text(name));
                    found.iter().any(|one| one.sym().is_some())
                };
                return (is_open && !is_own()).then_some(false);
            }
            _ => return None,
        };
        let name = extraction.unit.text(name);
        if !rule.methods.iter().any(|method| method == name) {
            return None;
        }
        if extraction.unit.expr(base) == Expr::SelfRef {
            return self.is_inside_of_value(framework, reference).then_some(true);
        }
        let value = extraction.router_above(&site, base, reference.expr);
        match value.and_then(|value| value.framework) {
            Some(of) if of == framework => return Some(true),
            // A router has the container of the application: `builder.Services`.
            Some(of)
                if !extraction.frameworks[of].routers.is_empty() && rule.kind != SurfaceKind::Service =>
            {
                return None;
            }
            _ => {}
        }
        let ty = extraction.session.eval(&site, base).ty;
        let is_own = ty.alternatives().iter().any(|one| matches!(one, Ty::Instance(..) | Ty::Metatype(..)));
        (rule.any_receiver && !is_own).then_some(false)
    }

    /// Whether the type around a reference is derived from a type of the framework's values.
    fn is_inside_of_value(&self, framework: usize, reference: &Reference) -> bool {
        let unit = self.extraction.unit;
        let mut around = reference.symbol;
        while let Some(at) = around {
            let Some(symbol) = unit.symbol(at) else { return false };
            if symbol.kind.is_type() {
                let routers = &self.extraction.frameworks[framework].routers;
                let is_value = |base: &str| routers.iter().any(|rule| rule.types.iter().any(|ty| ty == base));
                return symbol.bases.iter().any(|base| is_value(unit.outline_text(base.name)));
            }
            around = symbol.parent;
        }
        false
    }

    fn of_call(&self, call: &EntryCall<'_>, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let (rule, reference) = (call.rule, call.reference);
        let site = extraction.site(reference);
        if rule.kind == SurfaceKind::Service {
            return self.of_registration(call, resolved);
        }
        if !rule.handlers.is_empty() {
            return self.of_handlers(call, resolved);
        }
        if rule.kind == SurfaceKind::Template {
            return self.of_rendering(call, resolved);
        }
        let (Expr::Call { callee, .. } | Expr::New { ty: callee, .. }) = extraction.unit.expr(reference.expr)
        else {
            return;
        };
        let handler_arg = arguments::find_in_call(extraction.unit, callee, call.args, &rule.handler)
            .or_else(|| self.chained_handler(rule, reference));
        let handler = handler_arg.map(|arg| extraction.handler(&site, arg, 0)).unwrap_or_default();
        let from = extraction.around(reference);
        let mut names = self.names_of_call(call, &handler);
        if names.is_empty() && rule.kind == SurfaceKind::Application {
            names.push(extraction.frameworks[call.framework].title.clone());
        }
        if let (Some(sym), false) = (handler.symbol, names.is_empty()) {
            let confidence = if call.proven { Confidence::Exact } else { Confidence::Approximate };
            resolved.edges.push(registers(from, sym, reference.line, confidence));
            for member in
                extraction.members_named(sym, |name| rule.handler_members.iter().any(|one| one == name))
            {
                resolved.edges.push(registers(from, member, reference.line, Confidence::Probable));
            }
        }
        for name in names {
            self.push(SurfaceEntry {
                name,
                symbol: handler.symbol.map(node),
                text: handler.text.clone(),
                from,
                line: reference.line,
                proven: call.proven,
                ..self.blank(call.framework, rule)
            });
        }
    }

    /// The entries of an object whose keys are the names and whose values the handlers.
    fn of_handlers(&self, call: &EntryCall<'_>, resolved: &mut Resolved) {
        let extraction = self.extraction;
        let unit = extraction.unit;
        let Some(object) = arguments::find(unit, call.args, &call.rule.handlers) else { return };
        let Expr::Sequence { items, .. } = unit.expr(object) else { return };
        let (site, from) = (extraction.site(call.reference), extraction.around(call.reference));
        // The definition of a service is a member of it: `shop.Payment.service`.
        let service =
            arguments::find(unit, call.args, &call.rule.name).and_then(|arg| match unit.expr(arg) {
                Expr::Member { base, .. } => extraction.last_name(base),
                _ => extraction.last_name(arg),
            });
        for &item in unit.list(items) {
            let (name, value) = match unit.expr(item) {
                Expr::Named { name, value } => (name, value),
                // `{ charge }` is short for `{ charge: charge }`.
                Expr::Name(name) => (name, item),
                _ => continue,
            };
            let handler = extraction.handler(&site, value, 0);
            if let Some(sym) = handler.symbol {
                let confidence = if call.proven { Confidence::Exact } else { Confidence::Approximate };
                resolved.edges.push(registers(from, sym, call.reference.line, confidence));
            }
            self.push(SurfaceEntry {
                name: match service {
                    Some(service) => format!("{service}/{}", unit.text(name)),
                    None => unit.text(name).to_owned(),
                },
                symbol: handler.symbol.map(node),
                text: handler.text.clone(),
                from,
                line: call.reference.line,
                proven: call.proven,
                ..self.blank(call.framework, call.rule)
            });
        }
    }

    /// The method and the URL of a request, if the URL is a literal or begins with one.
    fn request(&self, call: &EntryCall<'_>) -> Option<String> {
        let extraction = self.extraction;
        let site = extraction.site(call.reference);
        let arg = arguments::find(extraction.unit, call.args, &call.rule.name)?;
        let url = extraction.session.constant_text(&site, arg).or_else(|| {
            // A call that formats its first argument.
            let Expr::Call { args, .. } = extraction.unit.expr(arg) else { return None };
            extraction.session.constant_text(&site, *extraction.unit.list(args).first()?)
        })?;
        if !url.contains('/') {
            return None;
        }
        let said = arguments::find(extraction.unit, call.args, &call.rule.method);
        let said = said.and_then(|arg| extraction.session.constant_texts(&site, arg).into_iter().next());
        let (Expr::Call { callee, .. } | Expr::New { ty: callee, .. }) =
            extraction.unit.expr(call.reference.expr)
        else {
            return None;
        };
        let called = extraction.last_name(callee).unwrap_or_default();
        Some(format!("{} {url}", said.map_or_else(|| method_of_call(called), |said| method_name(&said))))
    }

    /// The names that a call says, or that follow from its handler.
    pub(super) fn names_of_call(&self, call: &EntryCall<'_>, handler: &Handler) -> Vec<String> {
        let extraction = self.extraction;
        let rule = call.rule;
        let site = extraction.site(call.reference);
        if rule.kind == SurfaceKind::Request {
            return self.request(call).into_iter().collect();
        }
        if !rule.statements.is_empty() {
            let texts = call.args.iter().filter_map(|&arg| extraction.session.constant_text(&site, arg));
            return texts.flat_map(|text| tables(&text, &rule.statements)).collect();
        }
        if let Some(arg) = arguments::find(extraction.unit, call.args, &rule.name) {
            let texts = extraction.session.constant_texts(&site, arg);
            if !texts.is_empty() {
                return texts.iter().map(|text| from_text(text, rule.first_word)).collect();
            }
            let serves = matches!(rule.role, SurfaceRole::Handles | SurfaceRole::Consumes);
            let known = handler.symbol.is_some() || !handler.text.is_empty();
            if rule.derived == orient_model::NameStyle::None {
                return if serves && known { vec![COMPUTED.to_owned()] } else { Vec::new() };
            }
        }
        let Some(sym) = handler.symbol else { return Vec::new() };
        let Some(unit) = extraction.session.unit_of(sym) else { return Vec::new() };
        derived(rule.derived, unit.name(sym.at), "").into_iter().collect()
    }

    /// The handler that a call on the result is given: `run` of `program.command("x").action(run)`.
    pub(super) fn chained_handler(&self, rule: &EntryRule, start: &Reference) -> Option<ExprId> {
        if rule.handler_chained.is_empty() {
            return None;
        }
        let unit = self.extraction.unit;
        for reference in unit.references() {
            let Expr::Call { callee, args } = unit.expr(reference.expr) else { continue };
            let Expr::Member { mut base, name } = unit.expr(callee) else { continue };
            if !rule.handler_chained.iter().any(|call| call == unit.text(name)) {
                continue;
            }
            while base != start.expr {
                let Expr::Call { callee, .. } = unit.expr(base) else { break };
                let Expr::Member { base: inner, .. } = unit.expr(callee) else { break };
                base = inner;
            }
            if base == start.expr {
                return unit.list(args).first().copied();
            }
        }
        None
    }

    /// The entries that are keys or members of a value of a framework: `process.env.HOME`.
    fn of_maps(&self) {
        let unit = self.extraction.unit;
        let maps = self.rules.iter().flat_map(|(_, rule)| &rule.maps);
        let names: FxHashSet<Atom> = maps.filter_map(|map| unit.atom(bare(map))).collect();
        if names.is_empty() {
            return;
        }
        for reference in unit.references() {
            let (mut expr, mut is_method) = match unit.expr(reference.expr) {
                Expr::Call { callee, .. } => (callee, true),
                _ => (reference.expr, false),
            };
            loop {
                let (base, key) = match unit.expr(expr) {
                    Expr::Member { base, name } => (base, Some(name).filter(|_| !is_method)),
                    Expr::Index { base, key } => match unit.expr(key) {
                        Expr::Text(key) => (base, Some(key)),
                        _ => (base, None),
                    },
                    _ => break,
                };
                let last = match unit.expr(base) {
                    Expr::Name(name) | Expr::Member { name, .. } => Some(name),
                    _ => None,
                };
                if let (Some(key), true) = (key, last.is_some_and(|last| names.contains(&last))) {
                    self.of_key(reference, expr, base, unit.text(key));
                }
                (expr, is_method) = (base, false);
            }
        }
    }

    fn of_key(&self, reference: &Reference, expr: ExprId, base: ExprId, key: &str) {
        let extraction = self.extraction;
        extraction.session.start_reference();
        let names = extraction.framework_names(&extraction.site(reference), base);
        for &(framework, rule) in &self.rules {
            let is_map = |(of, name): &(usize, String)| *of == framework && rule.maps.contains(name);
            if !names.iter().any(is_map) {
                continue;
            }
            let role = if self.is_assigned(reference, expr) { SurfaceRole::Sets } else { rule.role };
            self.push(SurfaceEntry {
                name: key.to_owned(),
                role,
                from: extraction.around(reference),
                line: reference.line,
                proven: true,
                ..self.blank(framework, rule)
            });
        }
    }

    /// Whether a reference is the target of an assignment.
    fn is_assigned(&self, reference: &Reference, expr: ExprId) -> bool {
        if reference.kind == RefKind::Write {
            return true;
        }
        let unit = self.extraction.unit;
        let mut assigns = unit.flow().assigns.iter();
        assigns.any(|assign| {
            let between = |other: &&Reference| {
                other.expr == reference.expr && assign.at <= other.at && other.at < reference.at
            };
            assign.target == expr
                && assign.at <= reference.at
                && !unit.references().iter().any(|other| between(&other))
        })
    }

    /// The entries of annotated symbols, of types with a base, and of symbols of a kind.
    fn of_symbols(&self, resolved: &mut Resolved) {
        let of_symbols: Vec<(usize, &EntryRule)> = self
            .rules
            .iter()
            .filter(|(_, rule)| {
                !rule.attributes.is_empty() || !rule.bases.is_empty() || !rule.symbols.is_empty()
            })
            .copied()
            .collect();
        if of_symbols.is_empty() {
            return;
        }
        let unit = self.extraction.unit;
        for at in unit.symbols() {
            let Some(symbol) = unit.symbol(at) else { continue };
            let annotations: Vec<Annotation<'_>> =
                symbol.attributes.iter().map(|&text| Annotation::parse(unit.outline_text(text))).collect();
            for &(framework, rule) in &of_symbols {
                let fitting: Vec<&Annotation<'_>> = annotations
                    .iter()
                    .filter(|one| rule.attributes.iter().any(|name| name == one.name))
                    .collect();
                if !fitting.is_empty()
                    || self.has_base(rule, &symbol)
                    || rule.symbols.iter().any(|kind| kind == symbol.kind.as_str())
                {
                    self.of_symbol(framework, rule, at, &fitting, resolved);
                }
            }
        }
    }

    fn has_base(&self, rule: &EntryRule, symbol: &Declaration<'_>) -> bool {
        let unit = self.extraction.unit;
        rule.bases.iter().any(|pattern| {
            symbol.bases.iter().any(|base| {
                let written = if pattern.contains('.') { base.text } else { base.name };
                name_fits(pattern, unit.outline_text(written))
            })
        })
    }

    fn of_symbol(
        &self,
        framework: usize,
        rule: &EntryRule,
        at: u32,
        annotations: &[&Annotation<'_>],
        resolved: &mut Resolved,
    ) {
        let unit = self.extraction.unit;
        if rule.factory {
            return self.of_factory(framework, rule, at, resolved);
        }
        if rule.members {
            for &member in unit.children(Some(at)) {
                let counts = unit.symbol(member).is_some_and(|symbol| {
                    symbol.kind == SymbolKind::EnumMember
                        || symbol.kind.is_callable() && symbol.visibility == Visibility::Public
                });
                if counts && let Some(name) = derived(rule.derived, unit.name(member), "") {
                    self.push_symbol(framework, rule, member, name, resolved);
                }
            }
            return;
        }
        let said = annotations.iter().flat_map(|one| one.words(&rule.name));
        let mut names: Vec<String> = said.map(|text| from_text(&text, rule.first_word)).collect();
        if names.is_empty() {
            names.extend(self.name_in_members(rule, at).map(|text| from_text(&text, rule.first_word)));
        }
        if names.is_empty() {
            names.extend(derived(rule.derived, unit.name(at), &unit.path().display()));
        }
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            if rule.kind == SurfaceKind::Template {
                self.of_template_owner(framework, rule, at, name, resolved);
            } else {
                self.push_symbol(framework, rule, at, name, resolved);
            }
        }
    }

    /// The name that a member of a type says by its value or result, also one of a type inside of it.
    fn name_in_members(&self, rule: &EntryRule, at: u32) -> Option<String> {
        let unit = self.extraction.unit;
        if rule.name_member.is_empty() {
            return None;
        }
        let inside = unit.children(Some(at)).iter();
        let nested = inside.clone().filter(|&&one| unit.kind(one).is_some_and(SymbolKind::is_type));
        let qualified: Vec<u32> = unit.qualified_by(unit.name(at)).collect();
        let all = inside.chain(nested.flat_map(|&one| unit.children(Some(one)))).chain(&qualified);
        for &member in all {
            if !rule.name_member.iter().any(|name| name == unit.name(member)) {
                continue;
            }
            let value = unit.binding_of(member).and_then(|binding| binding.value);
            let results = unit.scope_of(member).map(|scope| unit.returns(scope)).unwrap_or_default();
            for expr in value.into_iter().chain(results.iter().copied()) {
                if let Expr::Text(text) = unit.expr(expr) {
                    return Some(unit.text(text).to_owned());
                }
            }
        }
        None
    }

    fn push_symbol(
        &self,
        framework: usize,
        rule: &EntryRule,
        at: u32,
        name: String,
        resolved: &mut Resolved,
    ) {
        let unit = self.extraction.unit;
        // The framework finds the symbol, which nothing names.
        let from = Node { file: unit.file, symbol: None };
        let line = unit.line(at);
        // A container makes the services, and a framework the components, that nothing else may name.
        let is_run = matches!(rule.role, SurfaceRole::Handles | SurfaceRole::Consumes)
            || matches!(rule.kind, SurfaceKind::Service | SurfaceKind::Component);
        if is_run && unit.kind(at).is_some_and(|kind| kind.is_callable() || kind.is_type()) {
            resolved.edges.push(registers(from, unit.sym(at), line, Confidence::Exact));
        }
        if rule.kind == SurfaceKind::Service {
            self.provides_bases(unit.sym(at), line, resolved);
        }
        self.push(SurfaceEntry {
            name,
            symbol: Some(node(unit.sym(at))),
            from,
            line,
            proven: true,
            ..self.blank(framework, rule)
        });
    }

    pub(super) fn blank(&self, framework: usize, rule: &EntryRule) -> SurfaceEntry {
        SurfaceEntry {
            kind: rule.kind,
            name: String::new(),
            role: rule.role,
            framework: self.extraction.frameworks[framework].name.clone(),
            symbol: None,
            text: String::new(),
            from: Node { file: self.extraction.unit.file, symbol: None },
            line: 0,
            proven: false,
        }
    }

    pub(super) fn push(&self, entry: SurfaceEntry) {
        self.extraction.out.borrow_mut().entries.push(entry);
    }
}

/// The tables of a statement with one of these verbs: `users` and `orders` of `SELECT users orders`.
fn tables(text: &str, verbs: &[String]) -> Vec<String> {
    let mut words = text.split(' ');
    let verb = words.next().unwrap_or_default();
    if verbs.iter().any(|wanted| wanted == verb) { words.map(str::to_owned).collect() } else { Vec::new() }
}

/// The HTTP method that the name of a function begins with: `POST` of `postForObject`; `GET` for any other.
fn method_of_call(name: &str) -> String {
    const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head", "options"];
    let lower = name.to_ascii_lowercase();
    let found = METHODS.iter().find(|method| lower.starts_with(**method));
    found.unwrap_or(&"get").to_ascii_uppercase()
}
