//! How a pack tells tests from other code: rules over the header of a symbol and of what is around it.
//!
//! A file's facts know nothing of its path. What is told by a name alone is therefore a test only if the file turns out
//! to be one of tests; what an attribute or a whole signature says holds anywhere.

use crate::schema::error::PackError;
use crate::schema::vocabulary;
use orient_model::{Atom, Modifier, Modifiers, Symbol, SymbolKind};
use regex::Regex;
use serde::Deserialize;

/// `[tests]` of a pack.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TestSpec {
    /// Files of tests, by name or path.
    pub(crate) files: Vec<String>,
    /// What a runner runs as a test.
    cases: Vec<RuleSpec>,
    /// What a runner runs before or after the tests around it.
    setup: Vec<RuleSpec>,
    /// What a runner gives to whoever asks for it by its name.
    fixtures: Vec<RuleSpec>,
    /// What else only tests can see or use.
    code: Vec<RuleSpec>,
}

/// A rule as written: a symbol must satisfy all patterns that are given.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RuleSpec {
    /// Its kind is one of these; any that can be called without it.
    kinds: Vec<String>,
    /// Its name.
    names: Option<String>,
    /// One of its attributes.
    attributes: Option<String>,
    /// Its header.
    signatures: Option<String>,
    /// The name of what is directly around it; empty at the top level.
    within: Option<String>,
    /// A base of what is directly around it.
    bases: Option<String>,
}

/// The compiled rules, each with what it says of a symbol.
#[derive(Default)]
pub(crate) struct TestRules(Vec<(Modifiers, Rule)>);

struct Rule {
    kinds: Vec<SymbolKind>,
    names: Option<Regex>,
    attributes: Option<Regex>,
    signatures: Option<Regex>,
    within: Option<Regex>,
    bases: Option<Regex>,
}

impl TestSpec {
    /// Compiles the rules of a pack.
    pub(crate) fn compile(&self, pack: &str) -> Result<TestRules, PackError> {
        let lists = [
            ("tests.cases", &self.cases, Modifier::Case),
            ("tests.setup", &self.setup, Modifier::Setup),
            ("tests.fixtures", &self.fixtures, Modifier::Fixture),
            ("tests.code", &self.code, Modifier::Test),
        ];
        let mut rules = Vec::new();
        for (place, list, modifier) in lists {
            for spec in list {
                let rule = spec.compile(pack, place)?;
                let mut says = Modifiers::default();
                says.insert(modifier);
                if rule.attributes.is_some() || rule.signatures.is_some() {
                    says.insert(Modifier::Test);
                }
                rules.push((says, rule));
            }
        }
        Ok(TestRules(rules))
    }
}

impl RuleSpec {
    fn compile(&self, pack: &str, place: &str) -> Result<Rule, PackError> {
        let regex = |pattern: &Option<String>| {
            pattern.as_deref().map(Regex::new).transpose().map_err(|error| PackError::Pattern {
                pack: pack.to_owned(),
                place: place.to_owned(),
                message: error.to_string(),
            })
        };
        let kind = |word: &String| vocabulary::symbol(word).map_err(|unknown| unknown.at(pack, place, word));
        Ok(Rule {
            kinds: self.kinds.iter().map(kind).collect::<Result<_, _>>()?,
            names: regex(&self.names)?,
            attributes: regex(&self.attributes)?,
            signatures: regex(&self.signatures)?,
            within: regex(&self.within)?,
            bases: regex(&self.bases)?,
        })
    }
}

impl TestRules {
    /// Marks the tests among the symbols of a file, and what belongs to them. `text` gives the text of an atom.
    pub(crate) fn mark<'t>(&self, symbols: &mut [Symbol], text: impl Fn(Atom) -> &'t str) {
        for at in 0..symbols.len() {
            let parent = symbols[at].parent.and_then(|parent| symbols.get(parent as usize));
            let in_tests = parent.is_some_and(|outer| {
                let holds = outer.kind == SymbolKind::Module || outer.kind.is_type();
                holds && outer.modifiers.contains(Modifier::Test)
            });
            let mut says = self.says(&symbols[at], parent, &text);
            let named_by_text = symbols[at].kind == SymbolKind::Test;
            if named_by_text && !symbols[at].modifiers.contains(Modifier::Test) {
                says.insert(Modifier::Case);
            }
            if in_tests || named_by_text {
                says.insert(Modifier::Test);
            }
            symbols[at].modifiers = symbols[at].modifiers.with(says);
            // A test with tests inside is a suite.
            if named_by_text
                && let Some(outer) = symbols[at].parent.and_then(|parent| symbols.get_mut(parent as usize))
                && outer.kind == SymbolKind::Test
            {
                outer.modifiers.remove(Modifier::Case);
            }
        }
    }

    fn says<'t>(
        &self,
        symbol: &Symbol,
        parent: Option<&Symbol>,
        text: &impl Fn(Atom) -> &'t str,
    ) -> Modifiers {
        let mut says = Modifiers::default();
        for (modifiers, rule) in &self.0 {
            if rule.holds(symbol, parent, text) {
                says = says.with(*modifiers);
            }
        }
        says
    }
}

impl Rule {
    fn holds<'t>(&self, symbol: &Symbol, parent: Option<&Symbol>, text: &impl Fn(Atom) -> &'t str) -> bool {
        let of_kind = if self.kinds.is_empty() {
            let by_header = self.attributes.is_some();
            symbol.kind.is_callable()
                || by_header && (symbol.kind.is_type() || symbol.kind == SymbolKind::Module)
        } else {
            self.kinds.contains(&symbol.kind)
        };
        let is =
            |pattern: &Option<Regex>, what: &str| pattern.as_ref().is_none_or(|known| known.is_match(what));
        let around = symbol.qualifier.or(parent.map(|parent| parent.name)).map_or("", text);
        of_kind
            && is(&self.names, text(symbol.name))
            && is(&self.signatures, text(symbol.signature))
            && is(&self.within, around)
            && self.attributes.as_ref().is_none_or(|known| {
                symbol.attributes.iter().any(|&attribute| known.is_match(text(attribute)))
            })
            && self.bases.as_ref().is_none_or(|known| {
                parent.is_some_and(|parent| parent.bases.iter().any(|base| known.is_match(text(base.text))))
            })
    }
}
