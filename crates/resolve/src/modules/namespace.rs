//! Namespaces that files declare; where the file lies does not matter. Also names the whole program shares.

use super::plain;
use crate::session::{Frame, Session};
use crate::unit::Unit;
use crate::value::{Found, Module, Sym, Ty, Val};
use orient_model::{Import, ImportKind, Modifier, Modifiers, Rule, SymbolKind};
use std::sync::Arc;

impl Session<'_> {
    /// Every symbol with this full name.
    pub(crate) fn with_full_name(&self, family: &str, full: &str) -> Vec<Sym> {
        let last = full.rsplit('.').next().unwrap_or(full);
        let named = self.named(family, last);
        // Constructors and blocks of members have the names of types.
        let first = named.iter().filter(|b| !matches!(b.kind, SymbolKind::Constructor | SymbolKind::Impl));
        first.map(|bearer| bearer.sym).filter(|&sym| self.full_name(sym) == full).collect()
    }

    pub(super) fn namespace_import(
        &self,
        unit: &Arc<Unit>,
        import: &Import,
        module: &str,
        name: Option<&str>,
    ) -> Vec<Found> {
        let space = plain(module);
        match (import.kind, name) {
            (ImportKind::Item | ImportKind::Default, Some(name)) => {
                let full = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
                self.by_path(unit, &full, Rule::Import)
            }
            (ImportKind::Module, _) => self.by_path(unit, &space, Rule::Import),
            _ => Vec::new(),
        }
    }

    /// A full name: a definition, or a member of the type that its first parts name.
    pub(crate) fn by_path(&self, unit: &Arc<Unit>, full: &str, rule: Rule) -> Vec<Found> {
        let syms = self.with_full_name(&unit.rules.family, full);
        if !syms.is_empty() {
            return self.whole(syms.into_iter().map(|sym| Found::symbol(sym, rule)).collect());
        }
        let Some((outer, last)) = full.rsplit_once('.') else { return Vec::new() };
        let types = self.with_full_name(&unit.rules.family, outer);
        let of = types.into_iter().find(|&sym| self.is_type(sym));
        let Some(of) = of else { return Vec::new() };
        let val = Val::new(Ty::Type(of, Arc::from([])), Rule::Static);
        self.member(&val, last, unit).into_iter().map(|found| found.by(rule)).collect()
    }

    pub(super) fn namespace_member(&self, space: &str, name: &str, from: &Arc<Unit>) -> Vec<Found> {
        let full = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
        let found = self.by_path(from, &full, Rule::Qualified);
        if found.is_empty() { vec![Found::module(Module::Namespace(full), Rule::Qualified)] } else { found }
    }

    pub(super) fn wildcard_namespace(
        &self,
        unit: &Arc<Unit>,
        import: &Import,
        module: &str,
        name: &str,
    ) -> Vec<Found> {
        let space = plain(module);
        let is_static = Modifiers(import.modifiers.0).contains(Modifier::Static);
        if !is_static {
            let syms = self.with_full_name(&unit.rules.family, &format!("{space}.{name}"));
            if !syms.is_empty() {
                return self.whole(syms.into_iter().map(|sym| Found::symbol(sym, Rule::Wildcard)).collect());
            }
        }
        let types = self.with_full_name(&unit.rules.family, &space);
        let Some(of) = types.into_iter().find(|&sym| self.is_type(sym)) else { return Vec::new() };
        self.member(&Val::new(Ty::Type(of, Arc::from([])), Rule::Static), name, unit)
    }

    /// What the file's own namespace, and those around it, hold.
    pub(super) fn shared_namespace(&self, frame: &Frame, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        let mut space = Self::namespace_at(frame);
        loop {
            let full = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
            let syms = self.with_full_name(&unit.rules.family, &full);
            if !syms.is_empty() {
                return self.whole(syms.into_iter().map(|sym| Found::symbol(sym, Rule::Package)).collect());
            }
            if !unit.rules.nested_namespaces || space.is_empty() {
                return Vec::new();
            }
            space = space.rsplit_once('.').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
    }

    /// The namespace a frame looks from.
    fn namespace_at(frame: &Frame) -> String {
        let unit = &frame.unit;
        let mut space = plain(unit.package());
        let mut inner = Vec::new();
        let mut next = frame.symbol();
        while let Some(at) = next {
            if unit.kind(at) == Some(SymbolKind::Module) {
                inner.push(plain(unit.name(at)));
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        for name in inner.iter().rev() {
            if !space.is_empty() {
                space.push('.');
            }
            space.push_str(name);
        }
        space
    }

    /// The first part of a full name written out: a namespace that is not imported.
    pub(super) fn whole_namespace(&self, unit: &Arc<Unit>, name: &str) -> Vec<Found> {
        // Whether there is such a namespace shows at its members: nothing is found in one that is not.
        self.ask(name);
        let _ = unit;
        vec![Found::module(Module::Namespace(name.to_owned()), Rule::Qualified)]
    }

    /// Names all files share: by the types and modules around the use, innermost first, then at the top.
    pub(super) fn shared_by_all(&self, frame: &Frame, name: &str) -> Vec<Found> {
        let unit = &frame.unit;
        let mut around = Vec::new();
        let mut next = frame.symbol();
        while let Some(at) = next {
            let kind = unit.kind(at);
            if kind.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) {
                around.push(self.full_name(unit.sym(at)));
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        for space in around {
            let syms = self.with_full_name(&unit.rules.family, &format!("{space}.{name}"));
            if let Some(&first) = syms.iter().find(|&&sym| self.is_type(sym) || self.is_value(sym)) {
                return vec![Found::symbol(first, Rule::Package)];
            }
        }
        let syms = self.with_full_name(&unit.rules.family, name);
        let types: Vec<Sym> = syms.iter().copied().filter(|&sym| self.is_type(sym)).collect();
        if let Some(&first) = types.first() {
            return vec![Found::symbol(first, Rule::Global)];
        }
        match syms[..] {
            [one] => vec![Found::symbol(one, Rule::Global)],
            _ => Vec::new(),
        }
    }

    fn is_value(&self, sym: Sym) -> bool {
        let kind = self.home(sym).and_then(|unit| unit.kind(sym.at));
        matches!(kind, Some(SymbolKind::Constant | SymbolKind::Variable))
    }
}
