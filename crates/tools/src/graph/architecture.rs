//! The architecture of a part of the repository: components in layers, the abstractions they consist of, and the calls that lead
//! from entry points to them.

use orient_engine::{CsrGraph, EngineError, FullGraph, Snapshot, pagerank};
use orient_model::{Confidence, EdgeKind, Role, SymbolKind};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of components.
const MAX_COMPONENTS: usize = 14;
/// Maximum number of symbols that a question is explained by.
const MAX_SYMBOLS: usize = 48;
/// A component with a larger share of the lines, in percent, is split into its directories.
const MAX_SHARE: u64 = 35;

/// A part of the repository in figures. Nodes are those of the full graph.
pub(crate) struct Architecture {
    /// The components, those of the highest layer first.
    pub(crate) components: Vec<Component>,
    /// Uses of one component by another, most first: both as indexes, the number, and the first use.
    pub(crate) links: Vec<ComponentLink>,
    /// The most central symbols, most central first, with the number of symbols that use each.
    pub(crate) central: Vec<(u32, u32)>,
    /// Entry points, by path.
    pub(crate) entries: Vec<u32>,
    /// Calls that lead from an entry point to a central symbol.
    pub(crate) flows: Vec<Vec<u32>>,
    /// Number of files.
    pub(crate) files: u64,
    /// Their lines.
    pub(crate) lines: u64,
    calls: CsrGraph,
    uses: CsrGraph,
}

/// A directory, as a unit of the architecture.
pub(crate) struct Component {
    /// Its path; `.` for the root.
    pub(crate) path: String,
    /// Number of files.
    pub(crate) files: u64,
    /// How far it is from what uses nothing: 0 for the lowest layer.
    pub(crate) layer: u32,
}

/// The uses of one component by another.
pub(crate) struct ComponentLink {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) count: u32,
    /// The nodes of one of them.
    pub(crate) example: (u32, u32),
}

/// What the architecture is about.
pub(crate) enum Scope<'s> {
    /// A directory; empty for the whole repository.
    Directory(&'s str),
    /// These symbols.
    Symbols(Vec<u32>),
}

impl Architecture {
    /// Computes the architecture of a scope.
    pub(crate) fn of(snapshot: &Snapshot, whole: &FullGraph, scope: &Scope<'_>) -> Result<Self, EngineError> {
        let (calls, uses) = edges(snapshot, whole)?;
        let extended;
        let scope = match scope {
            Scope::Symbols(nodes) => {
                extended = Scope::Symbols(with_neighbours(&calls, nodes));
                &extended
            }
            Scope::Directory(_) => scope,
        };
        let inside = files_in(whole, scope);
        let component_of = components_of(whole, &inside, scope);
        let names: Vec<String> = {
            let mut names: Vec<String> = component_of.values().cloned().collect();
            names.sort();
            names.dedup();
            names
        };
        let index = |file: u32| component_of.get(&file).and_then(|name| names.binary_search(name).ok());
        let links = links(whole, &uses, &index);
        let layers = layers(names.len(), &links);
        let mut components: Vec<Component> = names
            .iter()
            .zip(layers)
            .map(|(path, layer)| Component { path: path.clone(), files: 0, layer })
            .collect();
        for &file in &inside {
            if let Some(at) = index(file) {
                components[at].files += 1;
            }
        }
        let lines = inside.iter().map(|&file| u64::from(whole.files[file as usize].lines)).sum();
        let central = central(whole, &uses, &inside, scope);
        let entries = entries(whole, &inside, scope);
        let mut found = Self {
            components,
            links,
            central,
            entries,
            flows: Vec::new(),
            files: inside.len() as u64,
            lines,
            calls,
            uses,
        };
        found.flows = found.find_flows(whole, scope);
        Ok(found)
    }

    /// The central symbols that a central symbol uses itself or through its members.
    pub(crate) fn partners(&self, whole: &FullGraph, node: u32) -> Vec<u32> {
        let is_partner = |other: u32| {
            other != node
                && (0..whole.nodes.len() as u32)
                    .skip(node as usize)
                    .take_while(|&inner| whole.is_within(inner, node))
                    .any(|inner| self.uses.targets(inner).binary_search(&other).is_ok())
        };
        let others = self.central.iter().take(40).map(|&(other, _)| other);
        others.filter(|&other| is_partner(other)).take(4).collect()
    }

    /// The shortest calls from entry points to central symbols, the most central first; each symbol is in one of them only.
    fn find_flows(&self, whole: &FullGraph, scope: &Scope<'_>) -> Vec<Vec<u32>> {
        let mut starts = self.entries.clone();
        if let Scope::Symbols(_) = scope {
            starts = (0..whole.nodes.len() as u32).filter(|&node| is_entry(whole, node)).collect();
        }
        let before = breadth_first(&self.calls, &starts);
        let mut flows: Vec<Vec<u32>> = Vec::new();
        for &(node, _) in self.central.iter().take(60) {
            if flows.iter().flatten().any(|&known| known == node) {
                continue;
            }
            let (mut way, mut at) = (vec![node], node);
            while let Some(previous) = before[at as usize].filter(|&previous| previous != at) {
                way.push(previous);
                at = previous;
            }
            way.reverse();
            if before[node as usize].is_some() && (3..=8).contains(&way.len()) {
                flows.push(way);
            }
        }
        flows.sort_by_key(|way| std::cmp::Reverse(way.len()));
        flows
    }
}

/// Nodes, followed by what they call and by what calls them.
fn with_neighbours(calls: &CsrGraph, nodes: &[u32]) -> Vec<u32> {
    let mut found = nodes.to_vec();
    let callees = nodes.iter().flat_map(|&node| calls.targets(node).iter().copied());
    let callers =
        (0..calls.nodes() as u32).filter(|&node| calls.targets(node).iter().any(|to| nodes.contains(to)));
    for node in callees.chain(callers) {
        if found.len() < MAX_SYMBOLS && !found.contains(&node) {
            found.push(node);
        }
    }
    found
}

/// Whether a node is part of the program and not of its tests.
fn counts(whole: &FullGraph, node: u32) -> bool {
    whole.file(node).role == Role::Source && !whole.is_test(node)
}

fn is_entry(whole: &FullGraph, node: u32) -> bool {
    whole.nodes[node as usize].entry.is_some() && counts(whole, node)
}

/// Calls, and uses of any kind, outside of tests.
fn edges(snapshot: &Snapshot, whole: &FullGraph) -> Result<(CsrGraph, CsrGraph), EngineError> {
    let (mut calls, mut uses) = (Vec::new(), Vec::new());
    whole.each_edge(snapshot, |edge| {
        let Some((source, target)) = whole.ends(edge) else { return };
        let sure = edge.confidence < Confidence::Approximate;
        if source == target || !sure || !counts(whole, source) || !counts(whole, target) {
            return;
        }
        if matches!(
            edge.kind,
            EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::Registers | EdgeKind::Dispatches
        ) {
            calls.push((source, target));
        }
        if !matches!(edge.kind, EdgeKind::Imports | EdgeKind::Overrides) {
            uses.push((source, target));
            // A use of a member is one of its type.
            let parent = whole.nodes[target as usize].parent;
            if whole.nodes[parent as usize].kind.is_some() && !whole.is_within(source, parent) {
                uses.push((source, parent));
            }
        }
    })?;
    let nodes = whole.nodes.len();
    Ok((CsrGraph::new(nodes, calls), CsrGraph::new(nodes, uses)))
}

/// The source files of a scope, by path.
fn files_in(whole: &FullGraph, scope: &Scope<'_>) -> Vec<u32> {
    let is_source = |file: &u32| {
        let row = &whole.files[*file as usize];
        row.role == Role::Source && row.symbols > 0
    };
    match scope {
        Scope::Directory(path) => {
            let is_inside = |file: &u32| {
                let own = whole.files[*file as usize].path.display();
                path.is_empty() || own.strip_prefix(*path).is_some_and(|rest| rest.starts_with('/'))
            };
            (0..whole.files.len() as u32).filter(is_source).filter(is_inside).collect()
        }
        Scope::Symbols(nodes) => {
            let mut files: Vec<u32> = nodes.iter().map(|&node| whole.nodes[node as usize].file).collect();
            files.sort_unstable();
            files.dedup();
            files.retain(is_source);
            files
        }
    }
}

/// The component of each file: the directories below the scope, where large ones are split.
fn components_of(whole: &FullGraph, files: &[u32], scope: &Scope<'_>) -> BTreeMap<u32, String> {
    let directory = |file: u32| {
        let path = whole.files[file as usize].path.display().into_owned();
        path.rsplit_once('/').map_or_else(String::new, |(directory, _)| directory.to_owned())
    };
    if let Scope::Symbols(_) = scope {
        return files.iter().map(|&file| (file, shown(&directory(file)))).collect();
    }
    let Scope::Directory(root) = scope else { return BTreeMap::new() };
    let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::from([((*root).to_owned(), files.to_vec())]);
    let lines =
        |files: &[u32]| files.iter().map(|&file| u64::from(whole.files[file as usize].lines)).sum::<u64>();
    let total = lines(files).max(1);
    let mut done: Vec<String> = Vec::new();
    while groups.len() < MAX_COMPONENTS {
        // The largest group that is worth splitting.
        let largest = groups
            .iter()
            .filter(|(name, files)| {
                !done.contains(name) && (groups.len() < 4 || lines(files) * 100 > total * MAX_SHARE)
            })
            .max_by_key(|(name, files)| (lines(files), std::cmp::Reverse((*name).clone())));
        let Some((name, members)) = largest.map(|(name, members)| (name.clone(), members.clone())) else {
            break;
        };
        let mut parts: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for file in members {
            let path = directory(file);
            let rest = path.strip_prefix(name.as_str()).unwrap_or(&path).trim_start_matches('/');
            let part = match rest.split('/').next().filter(|next| !next.is_empty()) {
                Some(next) if name.is_empty() => next.to_owned(),
                Some(next) => format!("{name}/{next}"),
                None => name.clone(),
            };
            parts.entry(part).or_default().push(file);
        }
        let is_same = parts.len() == 1 && parts.contains_key(&name);
        if is_same || groups.len() + parts.len() > MAX_COMPONENTS * 2 {
            done.push(name);
            continue;
        }
        groups.remove(&name);
        // Files directly in the directory remain a group, which cannot be split.
        if parts.contains_key(&name) {
            done.push(name);
        }
        groups.extend(parts);
    }
    let each =
        groups.into_iter().flat_map(|(name, files)| files.into_iter().map(move |file| (file, shown(&name))));
    each.collect()
}

fn shown(directory: &str) -> String {
    if directory.is_empty() { ".".to_owned() } else { directory.to_owned() }
}

/// The uses between components, most first.
fn links(whole: &FullGraph, uses: &CsrGraph, index: &dyn Fn(u32) -> Option<usize>) -> Vec<ComponentLink> {
    let mut found: BTreeMap<(usize, usize), ComponentLink> = BTreeMap::new();
    for source in 0..whole.nodes.len() as u32 {
        let Some(from) = index(whole.nodes[source as usize].file) else { continue };
        for &target in uses.targets(source) {
            let Some(to) = index(whole.nodes[target as usize].file).filter(|&to| to != from) else {
                continue;
            };
            let link = ComponentLink { from, to, count: 0, example: (source, target) };
            found.entry((from, to)).or_insert(link).count += 1;
        }
    }
    let mut links: Vec<ComponentLink> = found.into_values().collect();
    links.sort_by_key(|link| (std::cmp::Reverse(link.count), link.from, link.to));
    links
}

/// The layer of each component: one above the highest that it uses. Of two components that use each other, the one with more
/// uses is above.
fn layers(components: usize, links: &[ComponentLink]) -> Vec<u32> {
    let count = |from: usize, to: usize| {
        links.iter().find(|link| (link.from, link.to) == (from, to)).map_or(0, |link| link.count)
    };
    let below: Vec<Vec<usize>> = (0..components)
        .map(|from| (0..components).filter(|&to| count(from, to) > count(to, from)).collect())
        .collect();
    let mut known = vec![None; components];
    (0..components).map(|at| height(at, &below, &mut known, &mut Vec::new())).collect()
}

/// The layer of one component; `way` are those above it, so that a cycle ends.
fn height(at: usize, below: &[Vec<usize>], known: &mut [Option<u32>], way: &mut Vec<usize>) -> u32 {
    if let Some(known) = known[at] {
        return known;
    }
    way.push(at);
    let mut own = 0;
    for &next in &below[at] {
        if !way.contains(&next) {
            own = own.max(height(next, below, known, way) + 1);
        }
    }
    way.pop();
    known[at] = Some(own);
    own
}

/// The most central symbols of a scope; those that are asked about come first.
fn central(whole: &FullGraph, uses: &CsrGraph, files: &[u32], scope: &Scope<'_>) -> Vec<(u32, u32)> {
    let weights = pagerank(uses);
    let used_by = uses.sources();
    let is_shown = |node: u32| {
        let kind = whole.nodes[node as usize].kind;
        kind.is_some_and(|kind| (kind.is_callable() || kind.is_type()) && kind != SymbolKind::Impl)
            && counts(whole, node)
            && files.binary_search(&whole.nodes[node as usize].file).is_ok()
    };
    let mut order: Vec<u32> = match scope {
        Scope::Symbols(nodes) => nodes.iter().copied().filter(|&node| is_shown(node)).collect(),
        Scope::Directory(_) => (0..whole.nodes.len() as u32)
            .filter(|&node| is_shown(node) && used_by[node as usize] > 0)
            .collect(),
    };
    if let Scope::Directory(_) = scope {
        order.sort_by(|&a, &b| weights[b as usize].total_cmp(&weights[a as usize]).then(a.cmp(&b)));
    }
    // A type stands for its members.
    let mut kept: Vec<u32> = Vec::new();
    for node in order.into_iter().take(400) {
        if !kept.iter().any(|&outer| whole.is_within(node, outer)) {
            kept.push(node);
        }
    }
    kept.into_iter().take(120).map(|node| (node, used_by[node as usize])).collect()
}

/// The entry points of a scope.
fn entries(whole: &FullGraph, files: &[u32], scope: &Scope<'_>) -> Vec<u32> {
    let inside = |node: u32| files.binary_search(&whole.nodes[node as usize].file).is_ok();
    match scope {
        Scope::Directory(_) => {
            (0..whole.nodes.len() as u32).filter(|&node| is_entry(whole, node) && inside(node)).collect()
        }
        Scope::Symbols(nodes) => nodes.iter().copied().filter(|&node| is_entry(whole, node)).collect(),
    }
}

/// For each node that the starts reach, the node before it on a shortest way; a start precedes itself.
fn breadth_first(graph: &CsrGraph, starts: &[u32]) -> Vec<Option<u32>> {
    let mut before = vec![None; graph.nodes()];
    let mut queue = VecDeque::new();
    for &start in starts {
        before[start as usize] = Some(start);
        queue.push_back(start);
    }
    while let Some(at) = queue.pop_front() {
        for &next in graph.targets(at) {
            if before[next as usize].is_none() {
                before[next as usize] = Some(at);
                queue.push_back(next);
            }
        }
    }
    before
}
