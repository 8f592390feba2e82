//! Which definitions are used at all, and what speaks for those that are not.

use crate::amount::plural;
use orient_engine::{EngineError, Entry, Snapshot, Whole};
use orient_model::{EdgeKind, Modifier, RefKind, SymbolKind, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// What the whole graph says about uses.
pub(crate) struct Usage {
    used: Vec<bool>,
    /// Members that stand in for one of a base.
    stands_in: Vec<bool>,
    /// Types with a base outside the repository.
    outside_base: Vec<bool>,
    /// Names of unresolved uses, with how many there are.
    missed: BTreeMap<String, u64>,
    languages: BTreeSet<String>,
}

impl Usage {
    /// Looks at every edge.
    pub(crate) fn read(snapshot: &Snapshot, whole: &Whole, no_tests: bool) -> Result<Self, EngineError> {
        let mut usage = Self {
            used: vec![false; whole.nodes.len()],
            stands_in: vec![false; whole.nodes.len()],
            outside_base: vec![false; whole.nodes.len()],
            missed: BTreeMap::new(),
            languages: BTreeSet::new(),
        };
        for file in &whole.files {
            let graph = snapshot.file_graph(file.id)?;
            for edge in &graph.edges {
                let Some((source, target)) = whole.ends(edge) else { continue };
                if matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Implements) {
                    usage.stands_in[source as usize] = true;
                }
                // What a call of a base's member reaches is used with it.
                if !(no_tests && whole.is_test(source)) {
                    usage.mark(whole, source, target);
                }
            }
            for row in graph.outside.iter().filter(|row| row.kind == RefKind::Inherit) {
                if let Some(source) = whole.number(row.source) {
                    usage.outside_base[source as usize] = true;
                }
            }
            for miss in &graph.misses {
                *usage.missed.entry(miss.name.clone()).or_default() += 1;
            }
            if !(graph.edges.is_empty() && graph.outside.is_empty() && graph.misses.is_empty()) {
                usage.languages.extend(file.language.clone());
            }
        }
        Ok(usage)
    }

    /// A use counts for all that is around its target and not around its source.
    fn mark(&mut self, whole: &Whole, source: u32, target: u32) {
        let mut node = target;
        while whole.nodes[node as usize].kind.is_some() && !whole.is_within(source, node) {
            self.used[node as usize] = true;
            node = whole.nodes[node as usize].parent;
        }
    }

    /// Whether something outside it uses a node, or anything in it.
    pub(crate) fn is_used(&self, number: u32) -> bool {
        self.used[number as usize]
    }

    /// Whether uses in files of this language are resolved.
    pub(crate) fn judges(&self, language: &str) -> bool {
        self.languages.contains(language)
    }
}

/// Why a definition that nothing here uses may be used still.
pub(crate) fn reasons(whole: &Whole, usage: &Usage, number: u32) -> Vec<String> {
    let node = &whole.nodes[number as usize];
    let name = whole.name(number);
    let mut reasons: Vec<String> = Vec::new();
    let mut say = |holds: bool, why: &str| {
        if holds {
            reasons.push(why.to_owned());
        }
    };
    say(node.entry == Some(Entry::Main), "entry point");
    say(whole.is_test(number), "test");
    say(node.attributed, "has attributes");
    let overrides = usage.stands_in[number as usize] || node.modifiers.contains(Modifier::Override);
    say(overrides, "stands in for a member of a base");
    let member = matches!(node.kind, Some(SymbolKind::Method | SymbolKind::Property));
    say(member && !overrides && around(whole, usage, number), "its type has a base outside");
    say(name.len() > 4 && name.starts_with("__") && name.ends_with("__"), "a name the language calls");
    let exported = node.modifiers.contains(Modifier::Exported) || node.modifiers.contains(Modifier::Extern);
    say(exported, "exported");
    say(!exported && node.visibility == Visibility::Public, "public");
    if let Some(&uses) = usage.missed.get(name) {
        reasons.push(plural(uses, "name-only mention", "name-only mentions"));
    }
    reasons
}

/// Whether a type around a node has a base outside the repository.
fn around(whole: &Whole, usage: &Usage, number: u32) -> bool {
    let parent = whole.nodes[number as usize].parent;
    parent != number && usage.outside_base[parent as usize]
}
