//! Files whose text is put into others: what a file sees is what all it includes declares.

use super::{plain, stem, top};
use crate::project::normal;
use crate::session::Session;
use crate::unit::Unit;
use crate::value::{Found, Sym, Thing, Ty};
use orient_model::{Confidence, ImportKind, Modifier, Rule, Says, SymbolKind};
use std::sync::Arc;

/// How many files one may include, at any depth.
const INCLUDED: usize = 2000;

impl Session<'_> {
    /// The files a file includes, at any depth, nearest first.
    pub(super) fn included(&self, unit: &Arc<Unit>) -> Arc<[u32]> {
        if let Some(known) = self.included.borrow().get(&unit.file) {
            return known.clone();
        }
        let mut files: Vec<u32> = vec![unit.file];
        let mut seen: rustc_hash::FxHashSet<u32> = files.iter().copied().collect();
        let mut at = 0;
        while let Some(&file) = files.get(at) {
            at += 1;
            let Some(here) = self.unit(file) else { continue };
            for import in here.facts.outline.imports.iter().filter(|import| import.kind == ImportKind::Effect)
            {
                let path = here.said(import.module);
                self.ask(&stem(path));
                if let Some(found) = self.include(&here, path)
                    && seen.insert(found)
                    && files.len() < INCLUDED
                {
                    files.push(found);
                }
            }
        }
        files.remove(0);
        let files: Arc<[u32]> = files.into();
        self.included.borrow_mut().insert(unit.file, files.clone());
        files
    }

    /// The file an include names: beside the file, below an include folder, or the only one whose path ends so.
    pub(crate) fn include(&self, unit: &Unit, path: &str) -> Option<u32> {
        let world = self.resolver.world;
        let path = path.trim_matches(['<', '>', '"', ' ']);
        let mut folder = unit.folder();
        loop {
            if let Some(file) = normal(&folder, path).and_then(|path| world.file_at(&path.as_str().into())) {
                return Some(file);
            }
            if folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
        }
        for manifest in self.resolver.project.of(&unit.rules) {
            for (_, root) in manifest.all(Says::Root) {
                let found = normal(&manifest.folder, root).and_then(|root| normal(&root, path));
                if let Some(file) = found.and_then(|path| world.file_at(&path.as_str().into())) {
                    return Some(file);
                }
            }
        }
        let clean = normal("", path).unwrap_or_else(|| path.trim_start_matches("../").to_owned());
        let ending = world.ending(&clean);
        match ending[..] {
            [] => None,
            [one] => Some(one),
            _ => self.nearest(unit, &ending),
        }
    }

    /// The file whose folder shares most with this one's; none if several do.
    fn nearest(&self, unit: &Unit, files: &[u32]) -> Option<u32> {
        let own = unit.facts.path.display().into_owned();
        let shared = |file: u32| {
            let path = self.unit(file).map(|unit| unit.facts.path.display().into_owned()).unwrap_or_default();
            own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let best = files.iter().map(|&file| shared(file)).max()?;
        let mut nearest = files.iter().filter(|&&file| shared(file) == best);
        let first = nearest.next()?;
        if nearest.next().is_some() { files.first().copied() } else { Some(*first) }
    }

    /// A name that an included file declares at its top; else one the whole program can only mean.
    pub(super) fn included_name(&self, unit: &Arc<Unit>, name: &str) -> Vec<Found> {
        self.ask(name);
        let mut found: Vec<Found> = Vec::new();
        for &file in self.included(unit).iter() {
            let Some(other) = self.unit(file) else { continue };
            for &at in other.bound(0, name) {
                if let Some(orient_model::BindingKind::Symbol(symbol)) = other.binding(at).map(|b| b.kind)
                    && other.qualifier(symbol).is_none()
                {
                    found.push(Found::symbol(other.sym(symbol), Rule::Include));
                }
            }
            if !found.is_empty() && !self.all_declare(&found) {
                break;
            }
        }
        if !found.is_empty() {
            return self.whole(found);
        }
        for import in unit.facts.outline.imports.iter().filter(|import| import.kind == ImportKind::Wildcard) {
            let space = plain(unit.said(import.module));
            let inner = self.from_qualified(unit, &space, name);
            if !inner.is_empty() {
                return inner;
            }
        }
        self.linked_name(unit, name)
    }

    fn all_declare(&self, found: &[Found]) -> bool {
        found.iter().all(|one| {
            one.sym()
                .and_then(|sym| Some((self.home(sym)?, sym)))
                .is_some_and(|(unit, sym)| unit.is(sym.at, Modifier::Declaration))
        })
    }

    /// A function that no included file declares, if the program has only one of that name.
    fn linked_name(&self, unit: &Arc<Unit>, name: &str) -> Vec<Found> {
        let syms: Vec<Sym> = self
            .named(&unit.rules.family, name)
            .iter()
            .copied()
            .filter(|&sym| {
                self.home(sym).is_some_and(|home| {
                    let Some(symbol) = home.symbol(sym.at) else { return false };
                    let is_function = symbol.kind == SymbolKind::Function && symbol.body.is_some();
                    let private = symbol.modifiers.contains(Modifier::Static);
                    is_function && !private && symbol.parent.is_none() && symbol.qualifier.is_none()
                })
            })
            .collect();
        match syms[..] {
            [one] => vec![Found::symbol(one, Rule::Global).at_most(Confidence::Probable)],
            _ => Vec::new(),
        }
    }

    /// A name inside a namespace or type.
    pub(super) fn from_qualified(&self, unit: &Arc<Unit>, space: &str, name: &str) -> Vec<Found> {
        let outer = self.dotted_name(&top(unit), space);
        outer
            .iter()
            .filter_map(Found::sym)
            .flat_map(|sym| {
                let of = Ty::of(sym);
                self.type_member(&of, name, 0, Rule::Qualified)
            })
            .collect()
    }

    /// The definition of what is only declared where it was found.
    pub(crate) fn defined(&self, found: Found) -> Found {
        let Some(sym) = found.sym() else { return found };
        let Some(unit) = self.home(sym) else { return found };
        let Some(symbol) = unit.symbol(sym.at) else { return found };
        if unit.rules.modules != orient_model::Modules::Include
            || !symbol.modifiers.contains(Modifier::Declaration)
            || symbol.modifiers.contains(Modifier::Abstract)
        {
            return found;
        }
        let name = unit.name(sym.at);
        let full = self.full_name(sym);
        let mut candidates: Vec<Sym> = self
            .named(&unit.rules.family, name)
            .iter()
            .copied()
            .filter(|&other| other != sym && self.defines(other, symbol.kind, &full))
            .collect();
        if candidates.len() > 1 {
            let count = symbol.params.len();
            let fit = |other: &Sym| {
                self.home(*other).and_then(|home| Some(home.symbol(other.at)?.params.len())) == Some(count)
            };
            if candidates.iter().any(fit) {
                candidates.retain(fit);
            }
        }
        if candidates.len() > 1 {
            let header = stem(&unit.facts.path.display());
            let beside = |other: &Sym| {
                self.home(*other).is_some_and(|home| stem(&home.facts.path.display()) == header)
            };
            if candidates.iter().any(beside) {
                candidates.retain(beside);
            }
        }
        match candidates[..] {
            [one] => Found { thing: Thing::Symbol(one, None), ..found },
            _ => found,
        }
    }

    fn defines(&self, sym: Sym, kind: SymbolKind, full: &str) -> bool {
        let Some(home) = self.home(sym) else { return false };
        let Some(symbol) = home.symbol(sym.at) else { return false };
        symbol.body.is_some()
            && (symbol.kind == kind || (symbol.kind.is_callable() && kind.is_callable()))
            && !(symbol.modifiers.contains(Modifier::Static) && symbol.parent.is_none())
            && (self.full_name(sym) == full || self.ends_alike(&home, sym, full))
    }

    /// Whether a definition outside of its namespace names the same: `A::f` inside `namespace n`.
    fn ends_alike(&self, home: &Arc<Unit>, sym: Sym, full: &str) -> bool {
        let own = self.full_name(sym);
        home.qualifier(sym.at).is_some()
            && (full.ends_with(&format!(".{own}")) || own.ends_with(&format!(".{full}")))
    }
}
