//! Which definitions are used at all, and what speaks for those that are not.

use crate::amount::plural;
use orient_engine::{Compact, EngineError, Entry, Snapshot, Whole};
use orient_model::{EdgeKind, Modifier, SymbolKind, Visibility};
use std::collections::{BTreeMap, BTreeSet};

/// What the whole graph says about uses.
pub(crate) struct Usage {
    used: Vec<bool>,
    /// Members that stand in for one of a base.
    stands_in: Vec<bool>,
    /// How many bases of each type are known.
    bases: Vec<u32>,
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
            bases: vec![0; whole.nodes.len()],
            missed: BTreeMap::new(),
            languages: BTreeSet::new(),
        };
        let mut heirs = Vec::new();
        for file in &whole.files {
            let graph = snapshot.file_graph(file.id)?;
            for edge in &graph.edges {
                let Some((source, target)) = whole.ends(edge) else { continue };
                if matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Implements) {
                    usage.stands_in[source as usize] = true;
                }
                if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements) {
                    usage.bases[source as usize] += 1;
                }
                match edge.kind {
                    EdgeKind::Overrides => heirs.push((target, source)),
                    EdgeKind::Dispatches => heirs.push((source, target)),
                    _ if no_tests && whole.is_test(source) => {}
                    _ => usage.mark(whole, source, target),
                }
            }
            for miss in &graph.misses {
                *usage.missed.entry(miss.name.clone()).or_default() += 1;
            }
            if !(graph.edges.is_empty() && graph.outside.is_empty() && graph.misses.is_empty()) {
                usage.languages.extend(file.language.clone());
            }
        }
        usage.spread(whole, heirs);
        Ok(usage)
    }

    /// What a call of a base's member may reach is used with it, and so is each of several definitions of one name in
    /// one place: which of them a program means is decided when it runs.
    fn spread(&mut self, whole: &Whole, heirs: Vec<(u32, u32)>) {
        let bases: Vec<u32> =
            heirs.iter().map(|(base, _)| *base).filter(|&base| self.is_used(base)).collect();
        let reached = Compact::new(whole.nodes.len(), heirs).reached(bases);
        for (used, reached) in self.used.iter_mut().zip(reached) {
            *used |= reached;
        }
        let mut twins: BTreeSet<(u32, &str)> = BTreeSet::new();
        for (number, node) in whole.nodes.iter().enumerate().filter(|(number, _)| self.used[*number]) {
            twins.insert((node.parent, whole.name(number as u32)));
        }
        for (number, node) in whole.nodes.iter().enumerate() {
            self.used[number] |= twins.contains(&(node.parent, whole.name(number as u32)));
        }
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
    say(member && !overrides && around(whole, usage, number), "its type has a base that is not here");
    say(name.len() > 4 && name.starts_with("__") && name.ends_with("__"), "a name the language calls");
    let exported = node.modifiers.contains(Modifier::Exported) || node.modifiers.contains(Modifier::Extern);
    say(exported, "exported");
    say(!exported && node.visibility == Visibility::Public, "public");
    if let Some(&uses) = usage.missed.get(name) {
        reasons.push(plural(uses, "name-only mention", "name-only mentions"));
    }
    reasons
}

/// How often the names of some nodes stand in the text of the files where nothing explains them: not at a definition of
/// that name, not at a use that is known to mean something else, not inside the node itself.
///
/// What resolution does not see (comments, strings, macros, other languages) is seen here, so that "nothing speaks for
/// it" can be relied on.
pub(crate) fn unexplained(
    snapshot: &Snapshot,
    whole: &Whole,
    nodes: &[u32],
) -> Result<BTreeMap<u32, u64>, EngineError> {
    let names: BTreeSet<&str> = nodes.iter().map(|&node| whole.name(node)).collect();
    let mut explained: BTreeSet<(u32, u32, &str)> = BTreeSet::new();
    for (number, node) in whole.nodes.iter().enumerate() {
        if let Some(&name) = names.get(whole.name(number as u32)) {
            explained.insert((node.file, node.line, name));
        }
    }
    whole.each_edge(snapshot, |edge| {
        let Some((source, target)) = whole.ends(edge) else { return };
        if let Some(&name) = names.get(whole.name(target)) {
            explained.insert((whole.nodes[source as usize].file, edge.line, name));
        }
    })?;
    let mut places: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    let mut index = 0;
    let numbered: BTreeMap<_, u32> = whole.files.iter().map(|file| file.id).zip(0..).collect();
    snapshot.each_text(&whole.files, |file, text| {
        index = numbered.get(&file.id).copied().unwrap_or(index);
        for (line, words) in (1..).zip(text.lines()) {
            for word in words.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if let Some(&name) = names.get(word)
                    && !explained.contains(&(index, line, name))
                {
                    places.entry(name).or_default().push((index, line));
                }
            }
        }
    })?;
    let mut found = BTreeMap::new();
    for &node in nodes {
        let held = &whole.nodes[node as usize];
        let outside = |&&(file, line): &&(u32, u32)| {
            file != held.file || line < held.first_line || line > held.last_line
        };
        let count = places.get(whole.name(node)).map_or(0, |all| all.iter().filter(outside).count() as u64);
        if count > 0 {
            found.insert(node, count);
        }
    }
    Ok(found)
}

/// Whether the type around a node has a base that is not known: outside the repository, or not resolved.
fn around(whole: &Whole, usage: &Usage, number: u32) -> bool {
    let parent = whole.nodes[number as usize].parent;
    parent != number && usage.bases[parent as usize] < whole.nodes[parent as usize].bases
}
