//! Test detection: rules of a pack over the header of a symbol and over its container.
//!
//! The facts of a file do not know its path. A symbol that only its name marks as a test is therefore a test only if the
//! file turns out to be a test file; an attribute or a signature decides anywhere.

use crate::schema::error::PackError;
use crate::schema::manifest::{TestRuleSpec, TestSpec};
use crate::schema::vocabulary;
use orient_model::{Atom, Modifier, Modifiers, Symbol, SymbolKind};
use regex::Regex;

/// The compiled rules, each with the modifiers it gives a symbol.
#[derive(Default)]
pub(crate) struct TestRules(Vec<(Modifiers, TestRule)>);

struct TestRule {
    kinds: Vec<SymbolKind>,
    names: Option<Regex>,
    attributes: Option<Regex>,
    signatures: Option<Regex>,
    within: Option<Regex>,
    bases: Option<Regex>,
}

impl TestRules {
    /// Compiles the rules of a pack.
    pub(crate) fn compile(pack: &str, spec: &TestSpec) -> Result<Self, PackError> {
        let lists = [
            ("tests.cases", &spec.cases, Modifier::Case),
            ("tests.setup", &spec.setup, Modifier::Setup),
            ("tests.fixtures", &spec.fixtures, Modifier::Fixture),
            ("tests.test_only", &spec.test_only, Modifier::Test),
        ];
        let mut rules = Vec::new();
        for (place, list, modifier) in lists {
            for spec in list {
                let rule = TestRule::compile(pack, place, spec)?;
                let mut modifiers = Modifiers::default();
                modifiers.insert(modifier);
                if rule.attributes.is_some() || rule.signatures.is_some() {
                    modifiers.insert(Modifier::Test);
                }
                rules.push((modifiers, rule));
            }
        }
        Ok(Self(rules))
    }

    /// Marks the tests among the symbols of a file, and everything inside them. `text` returns the text of an atom.
    pub(crate) fn mark<'t>(&self, symbols: &mut [Symbol], text: impl Fn(Atom) -> &'t str) {
        for at in 0..symbols.len() {
            let parent = symbols[at].parent.and_then(|parent| symbols.get(parent as usize));
            let in_tests = parent.is_some_and(|outer| {
                let contains = outer.kind == SymbolKind::Module || outer.kind.is_type();
                contains && outer.modifiers.contains(Modifier::Test)
            });
            let mut added = self.modifiers(&symbols[at], parent, &text);
            let is_text_test = symbols[at].kind == SymbolKind::Test;
            if is_text_test && !symbols[at].modifiers.contains(Modifier::Test) {
                added.insert(Modifier::Case);
            }
            if in_tests || is_text_test {
                added.insert(Modifier::Test);
            }
            symbols[at].modifiers = symbols[at].modifiers.with(added);
            // A test with tests inside is a suite.
            if is_text_test
                && let Some(outer) = symbols[at].parent.and_then(|parent| symbols.get_mut(parent as usize))
                && outer.kind == SymbolKind::Test
            {
                outer.modifiers.remove(Modifier::Case);
            }
        }
    }

    fn modifiers<'t>(
        &self,
        symbol: &Symbol,
        parent: Option<&Symbol>,
        text: &impl Fn(Atom) -> &'t str,
    ) -> Modifiers {
        let mut added = Modifiers::default();
        for (modifiers, rule) in &self.0 {
            if rule.applies_to(symbol, parent, text) {
                added = added.with(*modifiers);
            }
        }
        added
    }
}

impl TestRule {
    fn compile(pack: &str, place: &str, spec: &TestRuleSpec) -> Result<Self, PackError> {
        let regex = |pattern: &Option<String>| {
            pattern.as_deref().map(Regex::new).transpose().map_err(|error| PackError::Pattern {
                pack: pack.to_owned(),
                place: place.to_owned(),
                message: error.to_string(),
            })
        };
        let kind = |word: &String| vocabulary::symbol(word).map_err(|unknown| unknown.at(pack, place, word));
        Ok(Self {
            kinds: spec.kinds.iter().map(kind).collect::<Result<_, _>>()?,
            names: regex(&spec.names)?,
            attributes: regex(&spec.attributes)?,
            signatures: regex(&spec.signatures)?,
            within: regex(&spec.within)?,
            bases: regex(&spec.bases)?,
        })
    }

    /// Whether the rule applies to a symbol.
    fn applies_to<'t>(
        &self,
        symbol: &Symbol,
        parent: Option<&Symbol>,
        text: &impl Fn(Atom) -> &'t str,
    ) -> bool {
        let of_kind = if self.kinds.is_empty() {
            let by_attribute = self.attributes.is_some();
            symbol.kind.is_callable()
                || by_attribute && (symbol.kind.is_type() || symbol.kind == SymbolKind::Module)
        } else {
            self.kinds.contains(&symbol.kind)
        };
        let matches =
            |pattern: &Option<Regex>, what: &str| pattern.as_ref().is_none_or(|known| known.is_match(what));
        let container = symbol.qualifier.or(parent.map(|parent| parent.name)).map_or("", text);
        of_kind
            && matches(&self.names, text(symbol.name))
            && matches(&self.signatures, text(symbol.signature))
            && matches(&self.within, container)
            && self.attributes.as_ref().is_none_or(|known| {
                symbol.attributes.iter().any(|&attribute| known.is_match(text(attribute)))
            })
            && self.bases.as_ref().is_none_or(|known| {
                parent.is_some_and(|parent| parent.bases.iter().any(|base| known.is_match(text(base.text))))
            })
    }
}
