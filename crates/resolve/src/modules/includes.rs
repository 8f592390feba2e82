//! Included files: a file sees the declarations of all files it includes, at any depth.

use super::{dotted, file_stem, top};
use crate::file::FileRef;
use crate::invalidation::lookups::{Reach, container};
use crate::invalidation::slots::Slot;
use crate::modules::project_files::normal;
use crate::resolver::PathKey;
use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    Confidence, ImportKind, Modifier, Modules, Outline, Rule, Says, Scope, ScopeKind, SymbolKind, Visibility,
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The direct includes of a file, the names they depend on, and the namespaces that macros of the file open.
#[derive(Debug, Default)]
pub(crate) struct DirectIncludes {
    pub(crate) files: Vec<u32>,
    pub(crate) names: Vec<String>,
    pub(crate) opened: Vec<String>,
}

/// What a file sees through its includes, at any depth.
#[derive(Debug, Default)]
pub(crate) struct Included {
    files: FxHashSet<u32>,
    /// The namespaces that macros open, in full.
    opened: Vec<String>,
}

/// Maximum number of files that one file includes, at any depth.
const MAX_INCLUDED: usize = 2000;

impl Session<'_> {
    /// The files that a file includes, at any depth.
    fn included(&self, unit: &FileRef) -> Rc<Included> {
        self.queries.included.get_or_insert(&unit.file, || Rc::new(self.find_included(unit)))
    }

    /// A breadth-first search over the includes of each file.
    fn find_included(&self, unit: &FileRef) -> Included {
        let mut files: Vec<u32> = vec![unit.file];
        let mut opened = Vec::new();
        let mut seen: FxHashSet<u32> = files.iter().copied().collect();
        let mut at = 0;
        while let Some(&file) = files.get(at) {
            at += 1;
            self.dependencies.on_slot(Slot::Includes);
            let includes = self.includes_of(file, |unit| self.direct_includes(unit));
            includes.names.iter().for_each(|name| self.dependencies.on_key(name));
            opened.extend(includes.opened.iter().cloned());
            for &found in &includes.files {
                if files.len() < MAX_INCLUDED && seen.insert(found) {
                    files.push(found);
                }
            }
        }
        seen.remove(&unit.file);
        opened.sort_unstable();
        opened.dedup();
        Included { files: seen, opened }
    }

    fn direct_includes(&self, unit: &FileRef) -> DirectIncludes {
        let mut includes = DirectIncludes::default();
        for import in unit.imports().iter().filter(|import| import.kind == ImportKind::Effect) {
            let path = unit.outline_text(import.module);
            includes.names.push(file_stem(path));
            includes.files.extend(self.include(unit, path));
        }
        includes.opened = unit.unrecorded().opened_by_macros();
        includes
    }

    /// The file that an include names: relative to the file or a directory above, below an include directory, or the
    /// only one whose path ends with it.
    pub(crate) fn include(&self, unit: &FileRef, path: &str) -> Option<u32> {
        let path = path.trim_matches(['<', '>', '"', ' ']);
        let directory = unit.directory();
        let above = std::iter::successors(Some(&*directory), |directory| {
            (!directory.is_empty()).then(|| directory.rsplit_once('/').map_or("", |(outer, _)| outer))
        });
        let manifests = self.resolver.project.of(&unit.rules);
        let roots = manifests.flat_map(|manifest| {
            manifest.all(Says::Root).filter_map(|(_, root)| normal(&manifest.directory, root))
        });
        let directories = above.map(str::to_owned).chain(roots);
        let paths = directories.filter_map(|directory| normal(&directory, path));
        if let Some(file) = self.first_file_at(paths, PathKey::Name) {
            return Some(file);
        }
        let clean = normal("", path).unwrap_or_else(|| path.trim_start_matches("../").to_owned());
        let ending = self.files_ending_with(&clean);
        match ending[..] {
            [] => None,
            [one] => Some(one),
            _ => self.nearest(unit, &ending),
        }
    }

    /// The file whose path shares the longest prefix with this one's; the first if several do.
    fn nearest(&self, unit: &FileRef, files: &[u32]) -> Option<u32> {
        let own = unit.path().display().into_owned();
        let shared = |file: u32| {
            let path = self.path_of(file).unwrap_or_default();
            own.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count()
        };
        let best = files.iter().map(|&file| shared(file)).max()?;
        let mut nearest = files.iter().filter(|&&file| shared(file) == best);
        let first = nearest.next()?;
        if nearest.next().is_some() { files.first().copied() } else { Some(*first) }
    }

    /// A top-level name of an included file; else a name that is unique in the whole program.
    pub(super) fn included_symbol(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let mut found: Vec<Target> = Vec::new();
        if !self.kinds_named(&unit.rules, name).is_empty() {
            let included = self.included(unit);
            for namesake in self.included_symbols(&unit.rules, name, |file| included.files.contains(&file)) {
                let Some(home) = self.unit_of(namesake.sym) else { continue };
                let Some(symbol) = home.symbol(namesake.sym.at) else { continue };
                let at_top = home.binding_of(namesake.sym.at).is_some_and(|binding| binding.scope == 0);
                let is_named = symbol.qualifier.is_none() && !Self::is_scoped_member(&home, namesake.sym.at);
                if at_top && is_named && symbol.kind != SymbolKind::Constructor {
                    found.push(Target::symbol(namesake.sym, Rule::Include));
                }
            }
        }
        if !found.is_empty() {
            return self.prefer_definitions(found);
        }
        for import in unit.imports().iter().filter(|import| import.kind == ImportKind::Wildcard) {
            let space = dotted(unit.outline_text(import.module));
            let inner = self.qualified_member(unit, &space, name);
            if !inner.is_empty() {
                return inner;
            }
        }
        let in_opened = self.in_opened_namespace(unit, name);
        if in_opened.is_empty() { self.program_wide_function(unit, name) } else { in_opened }
    }

    /// A name in a namespace that a macro opens. Where the macro stands is not followed: the code between it and the end is outside of the
    /// namespace for us, and sees its names from there.
    fn in_opened_namespace(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let included = self.included(unit);
        let spaces = included.opened.iter().rev();
        let mut found = spaces.map(|space| self.namespace_symbol(unit, space, name, Rule::Package));
        let found = found.find(|found| !found.is_empty()).unwrap_or_default();
        found.into_iter().map(|one| one.at_most(Confidence::Probable)).collect()
    }

    /// A name that is qualified by a namespace which only a macro opens: a top-level name of this file or of an included one.
    pub(crate) fn qualified_by_opened(&self, unit: &FileRef, space: &str, name: &str) -> Vec<Target> {
        let is_it = |full: &String| full.rsplit('.').next() == Some(space);
        if !self.included(unit).opened.iter().any(is_it) {
            return Vec::new();
        }
        let found = self.lookup(&top(unit), name).into_iter().filter(|one| one.sym().is_some());
        found.map(|one| one.by(Rule::Qualified).at_most(Confidence::Probable)).collect()
    }

    /// A function that no included file declares, if its name is unique in the program.
    fn program_wide_function(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let syms: Vec<SymbolId> = self
            // A function of this file may have internal linkage.
            .symbols_within_or_in(&unit.rules, name, Reach::Program, unit.file)
            .iter()
            .filter(|namesake| {
                namesake.kind == SymbolKind::Function && !namesake.modifiers.contains(Modifier::Declaration)
            })
            .map(|namesake| namesake.sym)
            .filter(|&sym| {
                self.unit_of(sym).is_some_and(|home| {
                    let symbol = home.symbol(sym.at);
                    symbol.is_some_and(|symbol| symbol.parent.is_none() && symbol.qualifier.is_none())
                })
            })
            .filter(|&sym| sym.file == unit.file || !self.is_file_local(sym))
            .collect();
        let named: Vec<SymbolId> = syms.iter().copied().filter(|&sym| !self.is_named_by_macro(sym)).collect();
        match if named.is_empty() { &syms[..] } else { &named[..] } {
            [one] => vec![Target::symbol(*one, Rule::Global).at_most(Confidence::Probable)],
            [] => self.program_wide_type(unit, name),
            _ => Vec::new(),
        }
    }

    /// A type that no included file defines, if its name is unique in the program: a header may only declare it (`class
    /// Entry;`).
    fn program_wide_type(&self, unit: &FileRef, name: &str) -> Vec<Target> {
        let namesakes = self.symbols_within(&unit.rules, name, Reach::Types);
        // In a namespace, it is meant if this file opens the same one.
        let opens = |space: &str| {
            let mut spaces = unit.symbols().filter(|&at| unit.kind(at) == Some(SymbolKind::Module));
            spaces.any(|at| unit.has_full_name(at, space))
        };
        let stands_alone = |sym: SymbolId| {
            let home = self.unit_of(sym);
            let around = home.as_ref().and_then(|home| Some((home, home.symbol(sym.at)?.parent?)));
            match around {
                None => self.has_full_name(sym, name),
                Some((home, at)) => {
                    home.kind(at) == Some(SymbolKind::Module)
                        && self.full_name(sym).rsplit_once('.').is_some_and(|(space, _)| opens(space))
                }
            }
        };
        let types = namesakes.iter().filter(|namesake| namesake.kind.is_type());
        let mut types = types.filter(|namesake| stands_alone(namesake.sym));
        let (Some(one), None) = (types.next(), types.next()) else { return Vec::new() };
        vec![Target::symbol(one.sym, Rule::Global).at_most(Confidence::Probable)]
    }

    /// Whether a function has internal linkage.
    fn is_file_local(&self, sym: SymbolId) -> bool {
        let home = self.unit_of(sym);
        home.as_ref().and_then(|home| home.symbol(sym.at)).is_some_and(|symbol| {
            let hidden =
                symbol.visibility == Visibility::Private || symbol.modifiers.contains(Modifier::Static);
            hidden && symbol.parent.is_none()
        })
    }

    /// Whether a macro call generates a function: `TEST(name) { … }`. Only the macro knows its real name, so no call
    /// means it; an argument of a macro may.
    pub(crate) fn is_named_by_macro(&self, sym: SymbolId) -> bool {
        let Some(unit) = self.unit_of(sym).filter(|unit| unit.rules.modules == Modules::Include) else {
            return false;
        };
        if unit.kind(sym.at) != Some(SymbolKind::Function) {
            return false;
        }
        let typed = unit.binding_of(sym.at).is_none_or(|binding| binding.ty.is_some());
        !typed && unit.is_typed_before_its_name(sym.at)
    }

    /// The namespace or type that a file names. The lookup passes the namespaces that the file opens, and may lead back
    /// to itself; a nested query for the same name gets no answer.
    fn named_space(&self, unit: &FileRef, space: &str) -> Rc<[Target]> {
        let namespaces = &self.queries.namespaces;
        let key = (unit.file, Box::from(space));
        if let Some(known) = namespaces.get(&key) {
            return known;
        }
        let outermost = namespaces.in_progress().is_empty();
        let find = || self.lookup_dotted(&top(unit), space);
        let found = namespaces.in_progress().enter(&self.limits, &key, find);
        let found = Target::stored(found.unwrap_or_default());
        if outermost || !found.is_empty() {
            namespaces.insert(key, found.clone());
        }
        found
    }

    /// A name inside a namespace or type.
    pub(super) fn qualified_member(&self, unit: &FileRef, space: &str, name: &str) -> Vec<Target> {
        let outer = self.named_space(unit, space);
        let mut found = Vec::new();
        for sym in outer.iter().filter_map(Target::sym) {
            found = match self.kind(sym) {
                Some(SymbolKind::Module) => {
                    self.namespace_symbol(unit, &self.full_name(sym), name, Rule::Qualified)
                }
                _ => self.type_member(&Ty::instance(sym), name, 0, Rule::Qualified),
            };
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// A name in the namespaces around a scope, innermost first, in this file and its includes.
    pub(crate) fn enclosing_namespace_symbols(
        &self,
        unit: &FileRef,
        scope: &Scope,
        name: &str,
    ) -> Vec<Target> {
        let Some(symbol) = scope.symbol else { return Vec::new() };
        let space = match scope.kind {
            ScopeKind::Module => self.full_name(unit.sym(symbol)),
            ScopeKind::Function if unit.qualifier(symbol).is_some() => {
                let full = self.full_name(unit.sym(symbol));
                full.rsplit_once('.').map_or(String::new(), |(outer, _)| outer.to_owned())
            }
            _ => return Vec::new(),
        };
        let mut space = space.as_str();
        while !space.is_empty() {
            let found = self.namespace_symbol(unit, space, name, Rule::Package);
            if !found.is_empty() {
                return found;
            }
            space = space.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        Vec::new()
    }

    /// A name in a namespace, declared in this file or its includes.
    pub(crate) fn namespace_symbol(
        &self,
        unit: &FileRef,
        space: &str,
        name: &str,
        rule: Rule,
    ) -> Vec<Target> {
        if self.kinds_named(&unit.rules, name).is_empty() {
            return Vec::new();
        }
        let included = self.included(unit);
        let full = format!("{space}.{name}");
        let mut found: Vec<Target> = Vec::new();
        let sees = |file| file == unit.file || included.files.contains(&file);
        let namesakes = self.included_symbols(&unit.rules, name, sees);
        for namesake in namesakes.iter().filter(|namesake| namesake.kind != SymbolKind::Constructor) {
            if self.has_full_name(namesake.sym, &full) {
                found.push(Target::symbol(namesake.sym, rule));
            }
        }
        // Every file may reopen the namespace: the first represents all.
        if found.iter().all(|one| one.sym().and_then(|sym| self.kind(sym)) == Some(SymbolKind::Module)) {
            found.truncate(1);
        }
        self.prefer_definitions(found)
    }

    /// The definition of a target that is only a declaration.
    pub(crate) fn definition_of(&self, found: Target) -> Target {
        let Some(sym) = found.sym() else { return found };
        let Some(unit) = self.unit_of(sym) else { return found };
        let Some(symbol) = unit.symbol(sym.at) else { return found };
        if unit.rules.modules != Modules::Include
            || !symbol.modifiers.contains(Modifier::Declaration)
            || symbol.modifiers.contains(Modifier::Abstract)
        {
            return found;
        }
        let name = unit.name(sym.at);
        let full = self.full_name(sym);
        // A definition in the same file may have internal linkage.
        let reach = container(&full).map_or(Reach::Program, Reach::Inside);
        let named = self.symbols_within_or_in(&unit.rules, name, reach, sym.file);
        let mut candidates: Vec<SymbolId> = named
            .iter()
            .filter(|namesake| !namesake.modifiers.contains(Modifier::Declaration))
            .map(|namesake| namesake.sym)
            .filter(|&other| other != sym && self.is_definition_of(other, symbol.kind, &full))
            .filter(|&other| other.file == sym.file || !self.is_file_local(other))
            .filter(|&other| self.is_variadic(other) == self.is_variadic(sym))
            .collect();
        if candidates.len() > 1 {
            let count = symbol.params.len();
            let fit = |other: &SymbolId| {
                self.unit_of(*other).and_then(|home| Some(home.symbol(other.at)?.params.len())) == Some(count)
            };
            if candidates.iter().any(fit) {
                candidates.retain(fit);
            }
        }
        if candidates.len() > 1 {
            let own = word_after_params(&unit, sym.at);
            let alike = |other: &SymbolId| {
                self.unit_of(*other).is_some_and(|home| word_after_params(&home, other.at) == own)
            };
            if candidates.iter().any(alike) {
                candidates.retain(alike);
            }
        }
        if candidates.len() > 1 {
            let header = file_stem(&unit.path().display());
            let beside = |other: &SymbolId| {
                self.unit_of(*other).is_some_and(|home| file_stem(&home.path().display()) == header)
            };
            if candidates.iter().any(beside) {
                candidates.retain(beside);
            }
        }
        match candidates[..] {
            [one] => Target { referent: Referent::Symbol(one, None), ..found },
            _ => found,
        }
    }

    fn is_variadic(&self, sym: SymbolId) -> bool {
        let home = self.unit_of(sym);
        let symbol = home.as_ref().and_then(|home| home.symbol(sym.at));
        symbol.is_some_and(|symbol| symbol.params.iter().any(|param| param.variadic))
    }

    fn is_definition_of(&self, sym: SymbolId, kind: SymbolKind, full: &str) -> bool {
        let Some(home) = self.unit_of(sym) else { return false };
        let Some(symbol) = home.symbol(sym.at) else { return false };
        symbol.has_body
            && (symbol.kind == kind || (symbol.kind.is_callable() && kind.is_callable()))
            && (self.has_full_name(sym, full) || self.names_same_member(&home, sym, full))
    }

    /// Whether a qualified definition outside of its namespace has this name: `A::f` inside of `namespace n`.
    fn names_same_member(&self, home: &FileRef, sym: SymbolId, full: &str) -> bool {
        let own = self.full_name(sym);
        home.qualifier(sym.at).is_some()
            && (full.ends_with(&format!(".{own}")) || own.ends_with(&format!(".{full}")))
    }
}

/// The first word after the parameters of a function: `const` distinguishes overloads.
fn word_after_params(unit: &FileRef, symbol: u32) -> Option<&str> {
    let signature = unit.outline_text(unit.symbol(symbol)?.signature);
    let (_, behind) = signature.rsplit_once(')')?;
    behind.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())
}

/// The namespaces that the macros of a file open, in full: `a` and `a.b` of `#define BEGIN namespace a { namespace b {`.
pub(crate) fn opened_by_macros(outline: &Outline, word: &str) -> Vec<String> {
    let mut opened = Vec::new();
    if word.is_empty() {
        return opened;
    }
    for symbol in outline.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Macro) {
        let text = outline.strings.get(symbol.signature);
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let mut full = String::new();
        while words.any(|one| one == word) {
            let name = words.next().unwrap_or_default().replace("::", ".");
            let is_param = symbol.params.iter().any(|param| outline.strings.get(param.name) == name);
            if name.is_empty() || is_param {
                break;
            }
            full = if full.is_empty() { name } else { format!("{full}.{name}") };
            opened.push(full.clone());
        }
    }
    opened
}
