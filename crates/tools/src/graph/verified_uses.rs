//! The definitions that have a verified use.

use orient_engine::{CsrGraph, EngineError, FullGraph, Snapshot};
use orient_model::{EdgeKind, Modifier};
use std::collections::{BTreeMap, BTreeSet};

/// Verified uses in the whole graph.
pub(crate) struct VerifiedUses {
    used: Vec<bool>,
    /// Members that override a base member.
    overrides: Vec<bool>,
    /// Number of resolved bases of each type.
    bases: Vec<u32>,
    /// The resolved bases of each type.
    known_bases: BTreeMap<u32, Vec<u32>>,
    /// Number of unresolved uses of each name.
    missed: BTreeMap<String, u64>,
    languages: BTreeSet<String>,
}

impl VerifiedUses {
    /// Reads all edges.
    pub(crate) fn read(snapshot: &Snapshot, whole: &FullGraph, no_tests: bool) -> Result<Self, EngineError> {
        let mut usage = Self {
            used: vec![false; whole.nodes.len()],
            overrides: vec![false; whole.nodes.len()],
            bases: vec![0; whole.nodes.len()],
            known_bases: BTreeMap::new(),
            missed: BTreeMap::new(),
            languages: BTreeSet::new(),
        };
        let mut overriders = Vec::new();
        for file in &whole.files {
            let graph = snapshot.file_graph(file.id)?;
            for edge in &graph.edges {
                let Some((source, target)) = whole.ends(edge) else { continue };
                if matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Implements) {
                    usage.overrides[source as usize] = true;
                }
                if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements) {
                    usage.bases[source as usize] += 1;
                    usage.known_bases.entry(source).or_default().push(target);
                }
                match edge.kind {
                    EdgeKind::Overrides => overriders.push((target, source)),
                    EdgeKind::Dispatches => overriders.push((source, target)),
                    _ if no_tests && whole.is_test(source) => {}
                    _ => usage.mark(whole, source, target),
                }
            }
            for miss in &graph.unresolved {
                *usage.missed.entry(miss.name.clone()).or_default() += 1;
            }
            if !(graph.edges.is_empty() && graph.external.is_empty() && graph.unresolved.is_empty()) {
                usage.languages.extend(file.language.clone());
            }
        }
        usage.propagate(whole, overriders);
        Ok(usage)
    }

    /// Propagates uses: from a base member to its overrides, and between definitions of one name in one scope, since the
    /// program may choose between them at run time.
    fn propagate(&mut self, whole: &FullGraph, overriders: Vec<(u32, u32)>) {
        let bases: Vec<u32> =
            overriders.iter().map(|(base, _)| *base).filter(|&base| self.is_used(base)).collect();
        let reached = CsrGraph::new(whole.nodes.len(), overriders).reached(bases);
        for (used, reached) in self.used.iter_mut().zip(reached) {
            *used |= reached;
        }
        let mut used_names: BTreeSet<(u32, &str)> = BTreeSet::new();
        for (number, node) in whole.nodes.iter().enumerate().filter(|(number, _)| self.used[*number]) {
            used_names.insert((node.parent, whole.name(number as u32)));
        }
        for (number, node) in whole.nodes.iter().enumerate() {
            self.used[number] |= used_names.contains(&(node.parent, whole.name(number as u32)));
        }
    }

    /// A use counts for its target and all enclosing symbols that do not enclose the source.
    fn mark(&mut self, whole: &FullGraph, source: u32, target: u32) {
        let mut node = target;
        while whole.nodes[node as usize].kind.is_some() && !whole.is_within(source, node) {
            self.used[node as usize] = true;
            node = whole.nodes[node as usize].parent;
        }
    }

    /// Whether anything outside a node uses it or its members.
    pub(crate) fn is_used(&self, number: u32) -> bool {
        self.used[number as usize]
    }

    /// Whether uses in this language are resolved.
    pub(crate) fn resolves_language(&self, language: &str) -> bool {
        self.languages.contains(language)
    }

    /// Whether a member overrides a base member.
    pub(crate) fn overrides(&self, whole: &FullGraph, number: u32) -> bool {
        self.overrides[number as usize] || whole.nodes[number as usize].modifiers.contains(Modifier::Override)
    }

    /// Whether a type or one of its resolved bases has an external or unresolved base.
    pub(crate) fn has_external_base(&self, whole: &FullGraph, of: u32) -> bool {
        let (mut next, mut seen) = (vec![of], BTreeSet::from([of]));
        while let Some(number) = next.pop() {
            if self.bases[number as usize] < whole.nodes[number as usize].bases {
                return true;
            }
            let known = self.known_bases.get(&number).into_iter().flatten();
            next.extend(known.filter(|&&base| seen.insert(base)));
        }
        false
    }

    /// Number of unresolved uses of this name.
    pub(crate) fn unresolved(&self, name: &str) -> u64 {
        self.missed.get(name).copied().unwrap_or_default()
    }
}
