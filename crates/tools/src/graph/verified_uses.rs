//! Which definitions have a verified use.

use orient_engine::{CsrGraph, EngineError, FullGraph, Snapshot};
use orient_model::{EdgeKind, Modifier};
use std::collections::{BTreeMap, BTreeSet};

/// What the whole graph says about uses.
pub(crate) struct VerifiedUses {
    used: Vec<bool>,
    /// Members that stand in for one of a base.
    overrides: Vec<bool>,
    /// How many bases of each type are known.
    bases: Vec<u32>,
    /// The known bases of each type that has some.
    known_bases: BTreeMap<u32, Vec<u32>>,
    /// Names of unresolved uses, with how many there are.
    missed: BTreeMap<String, u64>,
    languages: BTreeSet<String>,
}

impl VerifiedUses {
    /// Looks at every edge.
    pub(crate) fn read(snapshot: &Snapshot, whole: &FullGraph, no_tests: bool) -> Result<Self, EngineError> {
        let mut usage = Self {
            used: vec![false; whole.nodes.len()],
            overrides: vec![false; whole.nodes.len()],
            bases: vec![0; whole.nodes.len()],
            known_bases: BTreeMap::new(),
            missed: BTreeMap::new(),
            languages: BTreeSet::new(),
        };
        let mut heirs = Vec::new();
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
    fn spread(&mut self, whole: &FullGraph, heirs: Vec<(u32, u32)>) {
        let bases: Vec<u32> =
            heirs.iter().map(|(base, _)| *base).filter(|&base| self.is_used(base)).collect();
        let reached = CsrGraph::new(whole.nodes.len(), heirs).reached(bases);
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
    fn mark(&mut self, whole: &FullGraph, source: u32, target: u32) {
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

    /// Whether a member stands in for one of a base.
    pub(crate) fn overrides(&self, whole: &FullGraph, number: u32) -> bool {
        self.overrides[number as usize] || whole.nodes[number as usize].modifiers.contains(Modifier::Override)
    }

    /// Whether a type, or one of the bases known here, has a base that is not: outside of the repository, or unresolved.
    pub(crate) fn has_foreign_base(&self, whole: &FullGraph, of: u32) -> bool {
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

    /// How many unresolved uses have this name.
    pub(crate) fn unresolved(&self, name: &str) -> u64 {
        self.missed.get(name).copied().unwrap_or_default()
    }
}
