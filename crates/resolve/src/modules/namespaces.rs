//! Namespaces that files declare, whatever directory they are in; and names that the whole program shares.

use super::dotted;
use super::project_wide::joined;
use crate::file::FileRef;
use crate::invalidation::lookups::{Reach, container};
use crate::session::{Session, Site};
use crate::types::target::{Target, Value};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::{
    Expr, ExprId, Import, ImportKind, Modifier, Modifiers, Modules, Rule, Rules, SharedScope, SymbolKind,
};

impl Session<'_> {
    /// Every symbol with this full name.
    pub(super) fn symbols_with_full_name(&self, rules: &Rules, full: &str) -> Vec<SymbolId> {
        if let Some(known) = self.queries.symbols_by_full_name.get(full) {
            return known.to_vec();
        }
        let last = full.rsplit('.').next().unwrap_or(full);
        let reach = container(full).map_or(Reach::Program, Reach::Inside);
        let named = self.symbols_within(rules, last, reach);
        // Constructors and `impl` blocks have the names of types; members always have longer names than this.
        let inner = |kind| matches!(kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::EnumMember);
        let first = named.iter().filter(|namesake| match namesake.kind {
            SymbolKind::Constructor | SymbolKind::Impl => false,
            kind => last.len() < full.len() || !inner(kind),
        });
        let mut syms: Vec<SymbolId> = Vec::new();
        for sym in first.map(|namesake| namesake.sym).filter(|&sym| self.has_full_name(sym, full)) {
            let sym = self.canonical(sym);
            if !syms.contains(&sym) {
                syms.push(sym);
            }
        }
        self.queries.symbols_by_full_name.insert(full.into(), syms.clone().into());
        syms
    }

    pub(super) fn namespace_import(
        &self,
        unit: &FileRef,
        import: &Import,
        module: &str,
        name: Option<&str>,
    ) -> Vec<Target> {
        let last = match (import.kind, name) {
            (ImportKind::Item | ImportKind::Default, Some(name)) => name,
            (ImportKind::Module, _) => "",
            _ => return Vec::new(),
        };
        let spaces = self.imported_spaces(unit, import, module).into_iter();
        let mut found = spaces.map(|space| self.by_full_name(unit, &joined(&space, last), Rule::Import));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The namespaces that an import may mean, the first one that has the name wins. Inside of a namespace, the name is relative to the
    /// namespaces around the import: `using Results` in `Shop.Cart` is `Shop.Cart.Results`, `Shop.Results` or `Results`.
    ///
    /// Whether an import stands before or after the namespace of a whole file is not known; before it, the name is a full one.
    pub(crate) fn imported_spaces(&self, unit: &FileRef, import: &Import, module: &str) -> Vec<String> {
        let full = dotted(module);
        if !unit.rules.sees_enclosing_namespaces {
            return vec![full];
        }
        let site = Site { unit: unit.clone(), scope: import.scope, at: import.at };
        let around = self.namespace_at(&site);
        let ends = around.match_indices('.').map(|(at, _)| at).chain(Some(around.len()));
        let mut ends: Vec<usize> = ends.filter(|&end| end > 0).collect();
        ends.reverse();
        let mut spaces: Vec<String> = ends.into_iter().map(|end| joined(&around[..end], &full)).collect();
        spaces.insert(if import.scope == 0 { 0 } else { spaces.len() }, full);
        spaces
    }

    /// A full name: of a definition, or of a member of a type.
    pub(crate) fn by_full_name(&self, unit: &FileRef, full: &str, rule: Rule) -> Vec<Target> {
        let syms = self.symbols_with_full_name(&unit.rules, full);
        let syms = self.visible_alternatives(unit, syms);
        if !syms.is_empty() {
            return self.prefer_definitions(syms.into_iter().map(|sym| Target::symbol(sym, rule)).collect());
        }
        let Some((outer, last)) = full.rsplit_once('.') else { return Vec::new() };
        let types = self.symbols_with_full_name(&unit.rules, outer);
        // The contents of a namespace have full names, which were looked up above.
        let is_type = |sym: &SymbolId| self.is_type(*sym) && self.kind(*sym) != Some(SymbolKind::Module);
        let of = types.into_iter().find(is_type);
        let Some(of) = of else { return Vec::new() };
        let val = Value::new(Ty::Metatype(of, Ty::no_args()), Rule::Static);
        self.member(&val, last, unit).into_iter().map(|found| found.by(rule)).collect()
    }

    pub(crate) fn namespace_member(&self, space: &str, name: &str, from: &FileRef) -> Vec<Target> {
        let full = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
        let found = self.by_full_name(from, &full, Rule::Qualified);
        if found.is_empty() { vec![Target::module(Module::Namespace(full), Rule::Qualified)] } else { found }
    }

    pub(super) fn wildcard_namespace(
        &self,
        unit: &FileRef,
        import: &Import,
        module: &str,
        name: &str,
    ) -> Vec<Target> {
        let spaces = self.imported_spaces(unit, import, module).into_iter();
        let mut found = spaces.map(|space| self.member_of_space(unit, import, &space, name));
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// A name of the namespace or type that a wildcard import names.
    fn member_of_space(&self, unit: &FileRef, import: &Import, space: &str, name: &str) -> Vec<Target> {
        let is_static = Modifiers(import.modifiers.0).contains(Modifier::Static);
        if !is_static {
            let syms = self.symbols_with_full_name(&unit.rules, &format!("{space}.{name}"));
            let syms = self.visible_alternatives(unit, syms);
            if !syms.is_empty() {
                return self.prefer_definitions(
                    syms.into_iter().map(|sym| Target::symbol(sym, Rule::Wildcard)).collect(),
                );
            }
        }
        let types = self.symbols_with_full_name(&unit.rules, space);
        let is_type = |sym: &SymbolId| self.is_type(*sym) && self.kind(*sym) != Some(SymbolKind::Module);
        let Some(of) = types.into_iter().find(is_type) else { return Vec::new() };
        let mut found = self.member(&Value::new(Ty::Metatype(of, Ty::no_args()), Rule::Static), name, unit);
        if is_static {
            // An instance method has no receiver here.
            let is_bound = |sym: SymbolId| {
                let home = self.unit_of(sym).filter(|home| home.kind(sym.at) == Some(SymbolKind::Method));
                home.is_some_and(|home| !home.is(sym.at, Modifier::Static))
            };
            found.retain(|one| !one.sym().is_some_and(is_bound));
        }
        found
    }

    /// A name in the file's own namespace, and in those around it.
    pub(super) fn shared_namespace(&self, site: &Site, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let mut space = self.namespace_at(site);
        loop {
            let full = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
            let mut syms = self.symbols_with_full_name(&unit.rules, &full);
            syms.retain(|&sym| !self.in_other_script(sym, unit) && !self.is_private_to_other_file(sym, unit));
            let syms = self.visible_alternatives(unit, syms);
            if !syms.is_empty() {
                return self.prefer_definitions(
                    syms.into_iter().map(|sym| Target::symbol(sym, Rule::Package)).collect(),
                );
            }
            if !unit.rules.sees_enclosing_namespaces || space.is_empty() {
                let wide = unit.rules.global_function_fallback && !space.is_empty();
                return if wide { self.global_function(unit, name) } else { Vec::new() };
            }
            space = space.rsplit_once('.').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
    }

    /// The namespace around a place.
    pub(super) fn namespace_at(&self, site: &Site) -> String {
        let unit = &site.unit;
        let mut next = site.symbol();
        while let Some(at) = next {
            if unit.kind(at) == Some(SymbolKind::Module) {
                return self.full_name(unit.sym(at));
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        dotted(unit.package())
    }

    /// A namespace as the first part of a qualified name, without an import.
    pub(crate) fn namespace_prefix(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        if unit.rules.modules != Modules::Namespace || unit.rules.shared_scope != SharedScope::Namespace {
            return Vec::new();
        }
        // Whether the namespace exists shows when its members are looked up.
        let is_type = |sym: &SymbolId| self.is_type(*sym) && self.kind(*sym) != Some(SymbolKind::Module);
        if self.symbols_with_full_name(&unit.rules, name).iter().any(is_type) {
            return Vec::new();
        }
        vec![Target::module(Module::Namespace(name.to_owned()), Rule::Qualified)]
    }

    /// Names that all files share: in the types and modules around the place, innermost first, then at top level.
    pub(super) fn shared_by_all(&self, site: &Site, name: &str) -> Vec<Target> {
        let unit = &site.unit;
        let mut around = Vec::new();
        let mut next = site.symbol();
        while let Some(at) = next {
            let kind = unit.kind(at);
            if kind.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) {
                around.push(self.full_name(unit.sym(at)));
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        for space in around {
            let syms = self.symbols_with_full_name(&unit.rules, &format!("{space}.{name}"));
            if let Some(&first) = syms.iter().find(|&&sym| self.is_type(sym) || self.is_value(sym)) {
                return vec![Target::symbol(first, Rule::Package)];
            }
        }
        self.global_symbol(unit, name)
    }

    /// A top-level name outside of all types and namespaces.
    pub(super) fn global_symbol(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let syms = self.symbols_with_full_name(&unit.rules, name);
        let types: Vec<SymbolId> = syms.iter().copied().filter(|&sym| self.is_type(sym)).collect();
        if let Some(&first) = types.first() {
            return vec![Target::symbol(first, Rule::Global)];
        }
        // A top-level function exists only if its file was loaded.
        let is_here = |sym: &SymbolId| {
            // Nothing refers to a task or a template by its bare name.
            if matches!(self.kind(*sym), Some(SymbolKind::Rule | SymbolKind::Template)) {
                return false;
            }
            let calls = self.kind(*sym).is_some_and(SymbolKind::is_callable);
            !calls || self.kind(*sym) != Some(SymbolKind::Test) && self.loads(unit, sym.file)
        };
        let here: Vec<SymbolId> = syms.into_iter().filter(is_here).collect();
        match here[..] {
            [one] => vec![Target::symbol(one, Rule::Global)],
            _ => Vec::new(),
        }
    }

    /// A type that is defined by its whole name outside of its container: `class Admin::User`. The container may be defined
    /// nowhere, as one that stands for a directory is, or outside of the repository.
    pub(crate) fn type_with_container_in_header(
        &self,
        site: &Site,
        container: ExprId,
        named: &[Target],
        name: &str,
    ) -> Vec<Target> {
        let unit = &site.unit;
        if unit.rules.shared_scope != SharedScope::Everything || !name.starts_with(char::is_uppercase) {
            return Vec::new();
        }
        let known = named.first().and_then(Target::sym).filter(|&sym| self.is_type(sym));
        if let Some(sym) = known {
            let full = self.unit_of(sym).and_then(|home| home.full_name(sym.at).cloned());
            return full.map_or_else(Vec::new, |full| self.global_symbol(unit, &joined(&full, name)));
        }
        let Some(written) = written_path(unit, container).filter(|_| named.is_empty()) else {
            return Vec::new();
        };
        let around = unit.type_around(site.symbol()).and_then(|at| unit.full_name(at).cloned());
        let mut space = around.as_deref().unwrap_or_default();
        if written.starts_with("::") {
            space = "";
        }
        let written = written.trim_start_matches("::");
        loop {
            let found = self.global_symbol(unit, &joined(&joined(space, written), name));
            if !found.is_empty() || space.is_empty() {
                return found;
            }
            space = space.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    fn is_value(&self, sym: SymbolId) -> bool {
        let kind = self.unit_of(sym).and_then(|unit| unit.kind(sym.at));
        matches!(kind, Some(SymbolKind::Constant | SymbolKind::Variable))
    }
}

/// A path of constants as it is written, with dots.
fn written_path(unit: &FileRef, expr: ExprId) -> Option<String> {
    match unit.expr(expr) {
        Expr::Name(name) => Some(unit.text(name).to_owned()),
        Expr::Member { base, name } => Some(joined(&written_path(unit, base)?, unit.text(name))),
        _ => None,
    }
}
