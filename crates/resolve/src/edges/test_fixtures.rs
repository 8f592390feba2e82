//! Edges from tests to the code that a test runner runs for them: setup, enclosing suites, fixtures.
//!
//! Test runners go by conventions, so no edge from here is exact. Fixtures from plain imports and from plugins are not
//! followed.

use crate::file::FileRef;
use crate::resolver::PathKey;
use crate::session::Session;
use crate::types::eval::join;
use crate::types::target::Value;
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    Binding, Confidence, Edge, EdgeKind, Modifier, Node, Param, RefKind, Resolved, Rule, SymbolKind,
};
use rustc_hash::FxHashSet;

/// Maximum number of supertypes of a test class that are followed.
const BASES: usize = 32;

/// Adds the edges of all tests and fixtures of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    let mut shared = None;
    for at in unit.symbols() {
        let Some(symbol) = unit.symbol(at) else { continue };
        let case = symbol.modifiers.is_test_case(unit.role());
        if case {
            setup(session, unit, at, out);
        }
        if receives_fixtures(unit, at) {
            let shared = shared.get_or_insert_with(|| directory_files(session, unit));
            let from = FixtureConsumer { session, unit, at, shared };
            from.requested_fixtures(out);
            if case {
                from.automatic_fixtures(out);
            }
        }
    }
}

/// Whether a test runner passes fixtures to a symbol: to a test or to another fixture.
fn receives_fixtures(unit: &FileRef, at: u32) -> bool {
    unit.rules.fixtures.injected_by_parameter
        && unit.symbol(at).is_some_and(|symbol| {
            symbol.modifiers.is_test_case(unit.role()) || symbol.modifiers.contains(Modifier::Fixture)
        })
}

impl Session<'_> {
    /// The value that a test runner passes for a parameter of a test or fixture: the result of the fixture of its name, or what it yields.
    pub(crate) fn injected_fixture(&self, unit: &FileRef, param: &Binding) -> Value {
        let owner = unit.scope(param.scope).and_then(|scope| scope.symbol);
        let Some(at) = owner.filter(|&at| receives_fixtures(unit, at)) else { return Value::unknown() };
        let name = unit.text(param.name);
        let shared = directory_files(self, unit);
        let consumer = FixtureConsumer { session: self, unit, at, shared: &shared };
        if !consumer.requested_params().any(|requested| requested == name) {
            return Value::unknown();
        }
        let Some((home, fixture)) = consumer.fixture(name).and_then(|sym| Some((self.unit_of(sym)?, sym)))
        else {
            return Value::unknown();
        };
        let result = self.result_of(fixture).ty;
        let ty = if home.is(fixture.at, Modifier::Generator) { yielded(&result) } else { result };
        Value { ty, rule: Rule::Inferred, confidence: Confidence::Probable }
    }
}

/// What a generator of this type yields.
fn yielded(generator: &Ty) -> Ty {
    Ty::union(generator.alternatives().iter().map(|ty| match ty {
        Ty::List(inner) => (**inner).clone(),
        Ty::External(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
        _ => Ty::Unknown,
    }))
}

fn edge(unit: &FileRef, from: u32, to: SymbolId, rule: Rule) -> Edge {
    Edge {
        from: Node { file: unit.file, symbol: Some(from) },
        kind: EdgeKind::Calls,
        to: Node { file: to.file, symbol: Some(to.at) },
        line: unit.line(from),
        confidence: Confidence::Probable,
        rule,
    }
}

/// The setup of a test: of the suites and types around it, of their supertypes, and of its file.
fn setup(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    suites(unit, at, out);
    let mut around = unit.symbol(at).and_then(|symbol| symbol.parent);
    while let Some(outer) = around {
        if unit.kind(outer).is_some_and(SymbolKind::is_type) {
            for member in type_setup(session, unit.sym(outer)) {
                out.edges.push(edge(unit, at, member, Rule::Setup));
            }
        }
        around = unit.symbol(outer).and_then(|symbol| symbol.parent);
    }
    for &child in unit.children(None) {
        if unit.is(child, Modifier::Setup) && child != at {
            out.edges.push(edge(unit, at, unit.sym(child), Rule::Setup));
        }
    }
}

/// The suites around a test whose own code runs for it: hooks, and what a suite calls outside of the definitions in it.
fn suites(unit: &FileRef, at: u32, out: &mut Resolved) {
    let mut around = unit.symbol(at).and_then(|symbol| symbol.parent);
    while let Some(outer) = around.filter(|&outer| unit.kind(outer) == Some(SymbolKind::Test)) {
        if runs_code(unit, outer) {
            out.edges.push(edge(unit, at, unit.sym(outer), Rule::Setup));
        }
        around = unit.symbol(outer).and_then(|symbol| symbol.parent);
    }
}

/// Whether a suite runs code of its own. The calls that define what is in it are no such code; neither is anything but a hook where
/// the language says what its hooks are called.
fn runs_code(unit: &FileRef, suite: u32) -> bool {
    let hooks = &unit.rules.suite_hooks;
    let is_in = |at: u32, child: &u32| {
        unit.spans(*child).is_some_and(|(whole, _)| (whole.start..whole.end).contains(&at))
    };
    unit.references_in(suite).any(|reference| {
        let runs = matches!(reference.kind, RefKind::Call | RefKind::Construct | RefKind::Expand);
        let name = unit.last_name(reference.expr);
        let is_hook = || hooks.is_empty() || name.is_some_and(|name| hooks.iter().any(|hook| hook == name));
        runs && is_hook() && !unit.children(Some(suite)).iter().any(|child| is_in(reference.at, child))
    })
}

/// What runs for every test of a type: its setup and constructors, and those of its supertypes. Setup that a subtype overrides runs only if
/// the override calls it.
fn type_setup(session: &Session<'_>, of: SymbolId) -> Vec<SymbolId> {
    let (mut found, mut overridden) = (Vec::new(), FxHashSet::default());
    for sym in with_bases(session, of) {
        let Some(unit) = session.unit_of(sym) else { continue };
        for &child in unit.children(Some(sym.at)) {
            let is_constructor = unit.kind(child) == Some(SymbolKind::Constructor);
            let is_method = unit.kind(child) == Some(SymbolKind::Method);
            let is_new = !is_method || overridden.insert(unit.folded(unit.name(child)).into_owned());
            if is_constructor || (unit.is(child, Modifier::Setup) && is_new) {
                found.push(unit.sym(child));
            }
        }
    }
    found
}

/// A type and its supertypes in the repository, in breadth-first order.
fn with_bases(session: &Session<'_>, of: SymbolId) -> Vec<SymbolId> {
    let (mut found, mut known) = (vec![of], FxHashSet::from_iter([of]));
    let mut next = 0;
    while next < found.len() && found.len() < BASES {
        for (base, _) in session.supertypes(found[next]).iter() {
            for ty in base.alternatives() {
                if let Ty::Instance(sym, _) | Ty::Metatype(sym, _) = ty
                    && known.insert(*sym)
                {
                    found.push(*sym);
                }
            }
        }
        next += 1;
    }
    found
}

/// The files whose fixtures this file may use: those of its own directory first, then of the directories above.
fn directory_files(session: &Session<'_>, unit: &FileRef) -> Vec<FileRef> {
    let mut found = Vec::new();
    let mut directory = unit.directory();
    loop {
        for name in &unit.rules.fixtures.directory_files {
            let path = join(&directory, name);
            let paths = unit.rules.extensions.iter().map(|extension| format!("{path}.{extension}"));
            let file = session.first_file_at(paths, PathKey::Whole).filter(|&file| file != unit.file);
            found.extend(file.and_then(|file| session.unit(file)));
        }
        match directory.rsplit_once('/') {
            _ if directory.is_empty() => return found,
            Some((outer, _)) => directory = outer.to_owned(),
            None => directory.clear(),
        }
    }
}

/// A test or fixture that uses fixtures.
struct FixtureConsumer<'a, 'r> {
    session: &'a Session<'r>,
    unit: &'a FileRef,
    at: u32,
    /// Files whose fixtures it may use, nearest first.
    shared: &'a [FileRef],
}

impl FixtureConsumer<'_, '_> {
    /// Adds the fixtures that it requests by parameters and attributes.
    fn requested_fixtures(&self, out: &mut Resolved) {
        let mut names: Vec<&str> = self.requested_params().collect();
        names.extend(self.attributes(&self.unit.rules.fixtures.requested_by).flat_map(quoted));
        for name in names {
            if let Some(sym) = self.fixture(name) {
                out.edges.push(edge(self.unit, self.at, sym, Rule::Fixture));
            }
        }
    }

    /// The parameters that request fixtures. The test itself says the values of the others.
    fn requested_params(&self) -> impl Iterator<Item = &str> {
        let params: &[Param] = self.unit.symbol(self.at).map_or(&[], |symbol| symbol.params);
        let required = params.iter().filter(|param| !param.default && !param.variadic);
        required.map(|param| self.unit.outline_text(param.name)).filter(|name| {
            !self.attributes(&self.unit.rules.fixtures.replaced_by).any(|text| quotes(text, name))
        })
    }

    /// Adds the automatic fixtures of shared files. Those of its own file and type are part of its setup.
    fn automatic_fixtures(&self, out: &mut Resolved) {
        for unit in self.shared {
            for &at in unit.children(None) {
                if unit.is(at, Modifier::Fixture) && unit.is(at, Modifier::Setup) {
                    out.edges.push(edge(self.unit, self.at, unit.sym(at), Rule::Fixture));
                }
            }
        }
    }

    /// Attributes with one of these last names, of the symbol and of the symbols around it.
    fn attributes<'t>(&'t self, wanted: &'t [String]) -> impl Iterator<Item = &'t str> {
        let around = std::iter::successors(self.unit.symbol(self.at), |symbol| {
            symbol.parent.and_then(|parent| self.unit.symbol(parent))
        });
        let texts =
            around.flat_map(|symbol| symbol.attributes.iter().map(|&text| self.unit.outline_text(text)));
        texts.filter(|text| {
            let name = text.split('(').next().unwrap_or_default();
            let last = name.rsplit('.').next().unwrap_or_default().trim();
            wanted.iter().any(|one| one == last)
        })
    }

    /// The nearest fixture of a name: in the enclosing types, in the file, in shared files. A fixture that requests its
    /// own name means the next one.
    fn fixture(&self, name: &str) -> Option<SymbolId> {
        let mut around = self.unit.symbol(self.at).and_then(|symbol| symbol.parent);
        while let Some(outer) = around {
            for sym in with_bases(self.session, self.unit.sym(outer)) {
                let found =
                    self.session.unit_of(sym).and_then(|unit| self.fixture_in(&unit, Some(sym.at), name));
                if found.is_some() {
                    return found;
                }
            }
            around = self.unit.symbol(outer).and_then(|symbol| symbol.parent);
        }
        std::iter::once(self.unit).chain(self.shared).find_map(|unit| self.fixture_in(unit, None, name))
    }

    fn fixture_in(&self, unit: &FileRef, of: Option<u32>, name: &str) -> Option<SymbolId> {
        let own = self.unit.sym(self.at);
        let mut fixtures = unit.children(of).iter().rev().copied();
        let found = fixtures.find(|&at| {
            unit.is(at, Modifier::Fixture) && unit.sym(at) != own && fixture_name(unit, at) == name
        });
        found.map(|at| unit.sym(at))
    }
}

/// The name by which tests request a fixture.
fn fixture_name(unit: &FileRef, at: u32) -> &str {
    let renamed = unit.rules.fixtures.renamed_by.as_deref().and_then(|argument| {
        let symbol = unit.symbol(at)?;
        symbol.attributes.iter().find_map(|&text| argument_text(unit.outline_text(text), argument))
    });
    renamed.unwrap_or_else(|| unit.name(at))
}

/// The text of a named argument: `b` in `f(a="b")`.
fn argument_text<'t>(call: &'t str, argument: &str) -> Option<&'t str> {
    for (start, _) in call.match_indices(argument) {
        let starts = call[..start].ends_with(['(', ',', ' ', '\n', '\t']);
        let rest = call[start + argument.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=').filter(|_| starts) {
            return quoted(value).next();
        }
    }
    None
}

/// The texts between quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '\'']).skip(1).step_by(2)
}

/// Whether one of the quoted texts contains a name as a word: `"a, b"` contains `a`.
fn quotes(text: &str, name: &str) -> bool {
    quoted(text).any(|words| words.split([',', ' ']).any(|word| word == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_attributes_are_found_by_name() {
        assert_eq!(argument_text("pytest.fixture(scope='module', name=\"db\")", "name"), Some("db"));
        assert_eq!(argument_text("fixture(rename = 'db')", "name"), None);
        assert_eq!(argument_text("fixture", "name"), None);
    }

    #[test]
    fn a_quoted_text_may_list_several_names() {
        assert!(quotes("pytest.mark.parametrize('a, b', [(1, 2)])", "b"));
        assert!(!quotes("pytest.mark.parametrize('ab', [1])", "b"));
    }
}
