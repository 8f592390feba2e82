//! Data of the repository map: entry points, central symbols by `PageRank`, and their directories.

use super::node_line::NodeLine;
use crate::operations::{CentralLine, DirectoryLine, EntryLine};
use orient_engine::{CsrGraph, EngineError, EntryPoint, FullGraph, GraphView, Snapshot, pagerank};
use orient_model::{Confidence, EdgeKind, RepoPath, Role, SymbolKind, directory_of_examples};
use std::collections::BTreeMap;

/// Maximum number of central symbols.
const MAX_CENTRAL: usize = 2_000;
/// Maximum number of names per directory.
const MAX_NAMES: usize = 5;
/// Maximum number of examples listed per directory.
const MAX_EXAMPLES: usize = 3;

/// The parts of the map, each list with the most important first.
pub(crate) struct RepositoryMap {
    pub(crate) directories: Vec<DirectoryLine>,
    pub(crate) entries: Vec<EntryLine>,
    pub(crate) central: Vec<CentralLine>,
    /// Number of symbols with a use.
    pub(crate) symbols: usize,
    pub(crate) languages: Vec<String>,
}

/// Computes the map of a snapshot.
pub(crate) fn map_repository(snapshot: &Snapshot, whole: &FullGraph) -> Result<RepositoryMap, EngineError> {
    let view = snapshot.graph();
    let Uses { graph, scripts } = usage(snapshot, whole)?;
    let weights = pagerank(&graph);
    let used_by = graph.sources();
    let mut order: Vec<u32> = (0..whole.nodes.len() as u32).filter(|&node| matters(whole, node)).collect();
    order.retain(|&node| used_by[node as usize] > 0);
    let heavier = |&a: &u32, &b: &u32| weights[b as usize].total_cmp(&weights[a as usize]).then(a.cmp(&b));
    order.sort_by(heavier);
    let mut central = Vec::new();
    for &node in order.iter().take(MAX_CENTRAL) {
        let line = NodeLine::of(&view.describe(whole.nodes[node as usize].id)?);
        central.push(CentralLine { node: line, used_by: used_by[node as usize].into() });
    }
    Ok(RepositoryMap {
        directories: directories(snapshot, whole, &weights, &order)?,
        entries: entries(&view, whole, &scripts)?,
        central,
        symbols: order.len(),
        languages: languages(whole),
    })
}

/// Whether a node can be on the map: a callable or a type in source code that is not a test.
fn matters(whole: &FullGraph, node: u32) -> bool {
    let kind = whole.nodes[node as usize].kind;
    let shown = kind.is_some_and(|kind| {
        (kind.is_callable() || kind.is_type() || kind == SymbolKind::TypeAlias) && kind != SymbolKind::Impl
    });
    shown && whole.file(node).role == Role::Source && !whole.is_test(node)
}

/// Uses outside tests.
struct Uses {
    /// A use of a member also counts for its type.
    graph: CsrGraph,
    /// For each file, whether its top-level code calls something and no other file imports it.
    scripts: Vec<bool>,
}

fn usage(snapshot: &Snapshot, whole: &FullGraph) -> Result<Uses, EngineError> {
    let mut pairs = Vec::new();
    let (mut runs, mut imported) = (vec![false; whole.files.len()], vec![false; whole.files.len()]);
    whole.each_edge(snapshot, |edge| {
        if let Some((source, target)) = whole.ends(edge) {
            let (from, to) = (whole.nodes[source as usize], whole.nodes[target as usize]);
            let calls = matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs);
            runs[from.file as usize] |= calls && from.kind.is_none();
            imported[to.file as usize] |= edge.kind == EdgeKind::Imports && from.file != to.file;
        }
        let counts = !matches!(edge.kind, EdgeKind::Imports | EdgeKind::Dispatches | EdgeKind::Overrides)
            && edge.confidence < Confidence::Approximate;
        let Some((source, target)) = whole.ends(edge).filter(|_| counts) else { return };
        if source == target || whole.is_test(source) || whole.file(source).role != Role::Source {
            return;
        }
        pairs.push((source, target));
        let parent = whole.nodes[target as usize].parent;
        if whole.nodes[parent as usize].kind.is_some() && !whole.is_within(source, parent) {
            pairs.push((source, parent));
        }
    })?;
    let scripts = runs.into_iter().zip(imported).map(|(runs, imported)| runs && !imported).collect();
    Ok(Uses { graph: CsrGraph::new(whole.nodes.len(), pairs), scripts })
}

fn entries(view: &GraphView<'_>, whole: &FullGraph, scripts: &[bool]) -> Result<Vec<EntryLine>, EngineError> {
    let mut found: Vec<(EntryPoint, u32)> = Vec::new();
    for (number, node) in whole.nodes.iter().enumerate() {
        let number = number as u32;
        if whole.file(number).role != Role::Source || whole.is_test(number) {
            continue;
        }
        let script = node.kind.is_none() && scripts[node.file as usize];
        let entry = node.entry.or(script.then_some(EntryPoint::Script));
        found.extend(entry.map(|entry| (entry, number)));
    }
    found.sort_unstable();
    let mut lines: Vec<EntryLine> = Vec::new();
    for (entry, number) in found {
        let path = whole.file(number).path.display();
        let known = lines.last_mut().filter(|line| line.path == path && line.reason == entry.as_str());
        let node = view.describe(whole.nodes[number as usize].id)?;
        let name = node.definition.is_some().then(|| format!("{}:{}", node.qualified(), node.line()));
        match known {
            Some(line) => line.names.extend(name),
            None => lines.push(EntryLine {
                path: path.into_owned(),
                reason: entry.as_str(),
                names: name.into_iter().collect(),
            }),
        }
    }
    Ok(with_examples_last(lines))
}

/// The entry points with those of examples last; a directory with many examples is one line.
fn with_examples_last(lines: Vec<EntryLine>) -> Vec<EntryLine> {
    let mut examples: BTreeMap<String, Vec<EntryLine>> = BTreeMap::new();
    let mut sorted = Vec::new();
    for line in lines {
        match directory_of_examples(&line.path).map(str::to_owned) {
            Some(directory) => examples.entry(directory).or_default().push(line),
            None => sorted.push(line),
        }
    }
    for (directory, lines) in examples {
        if lines.len() <= MAX_EXAMPLES {
            sorted.extend(lines);
            continue;
        }
        let within = |line: &EntryLine| line.path[directory.len() + 1..].to_owned();
        let mut names: Vec<String> = lines.iter().take(MAX_EXAMPLES).map(within).collect();
        names.push(format!("{} more", lines.len() - MAX_EXAMPLES));
        sorted.push(EntryLine { path: directory, reason: "examples", names });
    }
    sorted
}

/// Directories, the highest total rank first.
fn directories(
    snapshot: &Snapshot,
    whole: &FullGraph,
    weights: &[f64],
    order: &[u32],
) -> Result<Vec<DirectoryLine>, EngineError> {
    let projects = snapshot.projects()?;
    let directory = |path: &RepoPath| RepoPath::new(path.directory()).display().into_owned();
    let mut found: BTreeMap<String, (f64, DirectoryLine)> = BTreeMap::new();
    for file in whole.files.iter().filter(|file| file.role == Role::Source && file.symbols > 0) {
        let path = directory(&file.path);
        let package = projects.iter().find(|project| project.directory == path);
        let (_, line) = found.entry(path.clone()).or_insert_with(|| {
            let path = if path.is_empty() { ".".to_owned() } else { path.clone() };
            let package = package.map(|project| project.name.clone());
            (0.0, DirectoryLine { path, package, files: 0, lines: 0, names: Vec::new() })
        });
        line.files += 1;
        line.lines += u64::from(file.lines);
    }
    for &node in order {
        if let Some((weight, line)) = found.get_mut(&directory(&whole.file(node).path)) {
            *weight += weights[node as usize];
            let name = whole.name(node);
            if line.names.len() < MAX_NAMES && !line.names.iter().any(|known| known == name) {
                line.names.push(name.to_owned());
            }
        }
    }
    let mut rows: Vec<(f64, DirectoryLine)> = found.into_values().collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    Ok(rows.into_iter().map(|(_, line)| line).collect())
}

fn languages(whole: &FullGraph) -> Vec<String> {
    let mut lines: BTreeMap<&str, u64> = BTreeMap::new();
    for file in &whole.files {
        if let Some(language) = file.language.as_deref().filter(|_| file.symbols > 0) {
            *lines.entry(language).or_default() += u64::from(file.lines);
        }
    }
    let total: u64 = lines.values().sum::<u64>().max(1);
    let mut rows: Vec<(&str, u64)> = lines.into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let share =
        |(language, lines): &(&str, u64)| format!("{language} {} %", (lines * 100 + total / 2) / total);
    rows.iter().take(6).filter(|(_, lines)| lines * 200 >= total).map(share).collect()
}
