//! Gathers the nodes and edges of a diagram from the answers of operations.

use crate::ask::{Asked, Asker, NamedSymbol, NodeData, SymbolData, UseData};
use crate::layout;
use crate::request::PageRequest;
use maud::Markup;
use orient_tools::{AnswerMetadata, ToolError};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of symbols in each direction.
const MAX_NODES: u32 = 300;
/// Maximum number of files whose dependencies are asked for.
const MAX_FILES: usize = 60;

/// What a diagram shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphView {
    Calls,
    Callers,
    Callees,
    Hierarchy,
    Dependencies,
}

/// The views: value of the parameter, name.
pub(crate) const VIEWS: &[(GraphView, &str, &str)] = &[
    (GraphView::Calls, "calls", "Callers and callees"),
    (GraphView::Callers, "callers", "Callers"),
    (GraphView::Callees, "callees", "Callees"),
    (GraphView::Hierarchy, "hierarchy", "Types and implementations"),
    (GraphView::Dependencies, "dependencies", "Dependencies of a file"),
];

/// The parameters of a diagram.
pub(crate) struct GraphQuery<'r> {
    pub(crate) symbol: &'r str,
    /// The other end of a path; may be empty.
    pub(crate) to: &'r str,
    pub(crate) view: GraphView,
    pub(crate) depth: u32,
    pub(crate) confidence: &'static str,
    pub(crate) tests: bool,
    pub(crate) pinned: Vec<&'r str>,
    pub(crate) expanded: Vec<&'r str>,
    pub(crate) hidden: Vec<&'r str>,
}

impl<'r> GraphQuery<'r> {
    pub(crate) fn parse(request: &'r PageRequest) -> Self {
        let view = request.get("view");
        let confidence = request.get("confidence");
        Self {
            symbol: request.get("symbol").trim(),
            to: request.get("to").trim(),
            view: VIEWS
                .iter()
                .find(|(_, word, _)| *word == view)
                .map_or(GraphView::Calls, |(view, ..)| *view),
            depth: request.number("depth", 1, 1, 5),
            confidence: ["exact", "probable", "approximate"]
                .into_iter()
                .find(|word| *word == confidence)
                .unwrap_or("probable"),
            tests: request.get("tests") != "0",
            pinned: request.all("pin").collect(),
            expanded: request.all("expand").collect(),
            hidden: request.all("hide").collect(),
        }
    }
}

/// A node of the diagram.
#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    pub(crate) node: NodeData,
    pub(crate) is_focus: bool,
}

/// An edge of the diagram: what its source does with its target, and how sure that is.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphEdge {
    pub(crate) kind: String,
    pub(crate) confidence: String,
    pub(crate) uses: u64,
    pub(crate) line: u32,
}

/// A line of the text tree.
#[derive(Clone, Debug)]
pub(crate) struct TreeLine {
    pub(crate) depth: u32,
    pub(crate) handle: String,
    pub(crate) repeated: bool,
}

/// A gathered graph. Nodes are known by their handles.
#[derive(Debug, Default)]
pub(crate) struct GatheredGraph {
    pub(crate) nodes: BTreeMap<String, GraphNode>,
    pub(crate) edges: BTreeMap<(String, String), GraphEdge>,
    /// Trees with their titles.
    pub(crate) trees: Vec<(String, Vec<TreeLine>)>,
    pub(crate) metadata: Vec<AnswerMetadata>,
    /// What to say if there is no path.
    pub(crate) message: Option<String>,
}

/// A name that does not mean one symbol.
pub(crate) enum Unclear {
    Several(String, Vec<SymbolData>),
    None(String, Vec<SymbolData>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallsData {
    symbol: NodeData,
    calls: Vec<CallData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CallData {
    level: u32,
    parent: Option<usize>,
    #[serde(flatten)]
    node: NodeData,
    uses: Vec<UseData>,
    relation: Option<UseData>,
    dispatch: bool,
    repeated: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HierarchyData {
    symbol: NodeData,
    up: Vec<CallData>,
    down: Vec<CallData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DependsData {
    links: Vec<DependencyLink>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DependencyLink {
    name: String,
    uses: u64,
    first: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TraceData {
    paths: Vec<PathData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PathData {
    steps: Vec<StepData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StepData {
    #[serde(flatten)]
    node: NodeData,
    edge: Option<UseData>,
}

/// Gathers the graph of a query.
pub(crate) fn gather(
    asker: &Asker<'_>,
    query: &GraphQuery<'_>,
) -> Result<Result<GatheredGraph, Unclear>, ToolError> {
    let mut gathering = Gathering { asker, query, graph: GatheredGraph::default(), unclear: None };
    if !query.to.is_empty() {
        gathering.path()?;
    } else if query.view == GraphView::Dependencies {
        gathering.dependencies()?;
    } else {
        gathering.around(query.symbol, query.view, query.depth, true)?;
    }
    for pinned in &query.pinned {
        gathering.around(pinned, query.view, 1, false)?;
    }
    for expanded in &query.expanded {
        gathering.around(expanded, query.view, 1, false)?;
    }
    if let Some(unclear) = gathering.unclear {
        return Ok(Err(unclear));
    }
    gathering.graph.hide(&query.hidden);
    Ok(Ok(gathering.graph))
}

struct Gathering<'g, 'r> {
    asker: &'g Asker<'g>,
    query: &'g GraphQuery<'r>,
    graph: GatheredGraph,
    unclear: Option<Unclear>,
}

impl Gathering<'_, '_> {
    /// Unwraps the answer about one symbol; remembers candidates otherwise.
    fn one<T>(&mut self, answer: NamedSymbol<T>) -> Option<T> {
        match answer {
            NamedSymbol::One(found) => return Some(found),
            NamedSymbol::Several { name, candidates } => {
                self.unclear.get_or_insert(Unclear::Several(name, candidates));
            }
            NamedSymbol::None { name, did_you_mean } => {
                self.unclear.get_or_insert(Unclear::None(name, did_you_mean));
            }
        }
        None
    }

    /// What is around a symbol.
    fn around(&mut self, symbol: &str, view: GraphView, depth: u32, is_focus: bool) -> Result<(), ToolError> {
        match view {
            GraphView::Callers => self.calls(Asked::Callers, symbol, depth, is_focus),
            GraphView::Callees => self.calls(Asked::Callees, symbol, depth, is_focus),
            GraphView::Hierarchy => self.hierarchy(symbol, is_focus),
            GraphView::Dependencies => self.file_links(symbol),
            GraphView::Calls => {
                self.calls(Asked::Callers, symbol, depth, is_focus)?;
                self.calls(Asked::Callees, symbol, depth, is_focus)
            }
        }
    }

    fn calls(&mut self, operation: Asked, symbol: &str, depth: u32, is_focus: bool) -> Result<(), ToolError> {
        let arguments = json!({
            "symbol": symbol,
            "depth": depth,
            "limit": MAX_NODES,
            "per_level": MAX_NODES,
            "no_tests": !self.query.tests,
            "confidence": self.query.confidence,
        });
        let found = self.asker.ask::<NamedSymbol<CallsData>>(operation, arguments)?;
        let Some(data) = self.one(found.data) else { return Ok(()) };
        if is_focus {
            self.graph.metadata.push(found.metadata);
            let title = if operation == Asked::Callers { "Callers" } else { "Callees" };
            self.graph.add_tree(title, &data.calls);
        }
        self.graph.add_levels(&data.symbol, &data.calls, operation == Asked::Callers, is_focus);
        Ok(())
    }

    fn hierarchy(&mut self, symbol: &str, is_focus: bool) -> Result<(), ToolError> {
        let found =
            self.asker.ask::<NamedSymbol<HierarchyData>>(Asked::Hierarchy, json!({ "symbol": symbol }))?;
        let Some(data) = self.one(found.data) else { return Ok(()) };
        if is_focus {
            self.graph.metadata.push(found.metadata);
            self.graph.add_tree("Supertypes", &data.up);
            self.graph.add_tree("Subtypes and implementations", &data.down);
        }
        self.graph.add_levels(&data.symbol, &data.up, false, is_focus);
        self.graph.add_levels(&data.symbol, &data.down, true, is_focus);
        Ok(())
    }

    /// The dependencies of a file or directory, level by level.
    fn dependencies(&mut self) -> Result<(), ToolError> {
        let start = self.query.symbol.trim_end_matches('/').to_owned();
        self.graph.add_file(&start, true);
        let mut next = vec![start];
        let mut asked = BTreeSet::new();
        for _ in 0..self.query.depth {
            let mut found = Vec::new();
            for file in next {
                if asked.len() < MAX_FILES && asked.insert(file.clone()) {
                    self.file_links(&file)?;
                    found.extend(self.graph.nodes.keys().filter(|name| !asked.contains(*name)).cloned());
                }
            }
            next = found;
        }
        Ok(())
    }

    fn file_links(&mut self, path: &str) -> Result<(), ToolError> {
        let arguments =
            |limit: u32| json!({ "path": path, "by": "file", "no_tests": !self.query.tests, "limit": limit });
        let is_first = self.graph.trees.is_empty();
        for (operation, title) in [(Asked::Rdeps, "Used by"), (Asked::Deps, "Uses")] {
            let found = self.asker.ask::<DependsData>(operation, arguments(MAX_FILES as u32))?;
            let mut lines = Vec::new();
            for link in found.data.links {
                self.graph.add_file(&link.name, false);
                let ends = if operation == Asked::Deps {
                    (path.to_owned(), link.name.clone())
                } else {
                    (link.name.clone(), path.to_owned())
                };
                let line = link.first.rsplit_once(':').and_then(|(_, line)| line.parse().ok()).unwrap_or(0);
                let kind = "uses".to_owned();
                let edge = GraphEdge { kind, confidence: "exact".to_owned(), uses: link.uses, line };
                self.graph.edges.entry(ends).or_insert(edge);
                lines.push(TreeLine { depth: 0, handle: link.name, repeated: false });
            }
            if is_first {
                self.graph.trees.push((title.to_owned(), lines));
                self.graph.metadata.push(found.metadata);
            }
        }
        Ok(())
    }

    /// The paths between two symbols.
    fn path(&mut self) -> Result<(), ToolError> {
        let arguments = json!({
            "from": self.query.symbol,
            "to": self.query.to,
            "paths": 5,
            "no_tests": !self.query.tests,
            "confidence": self.query.confidence,
        });
        let found = self.asker.ask::<NamedSymbol<TraceData>>(Asked::Trace, arguments)?;
        let Some(data) = self.one(found.data) else { return Ok(()) };
        if data.paths.is_empty() {
            self.graph.message = Some(format!(
                "No path of proven calls leads from {} to {}.",
                self.query.symbol, self.query.to
            ));
        }
        for (number, path) in data.paths.iter().enumerate() {
            let mut lines = Vec::new();
            for (at, step) in path.steps.iter().enumerate() {
                let is_end = at == 0 || at + 1 == path.steps.len();
                self.graph.add_node(&step.node, is_end);
                lines.push(TreeLine { depth: at as u32, handle: step.node.handle.clone(), repeated: false });
                if let (Some(evidence), Some(next)) = (&step.edge, path.steps.get(at + 1)) {
                    self.graph.add_edge(
                        &step.node.handle,
                        &next.node.handle,
                        std::slice::from_ref(evidence),
                        false,
                    );
                }
            }
            self.graph.trees.push((format!("Path {}", number + 1), lines));
        }
        self.graph.metadata.push(found.metadata);
        Ok(())
    }
}

impl GatheredGraph {
    fn add_node(&mut self, node: &NodeData, is_focus: bool) {
        let entry = self.nodes.entry(node.handle.clone());
        entry.or_insert_with(|| GraphNode { node: node.clone(), is_focus }).is_focus |= is_focus;
    }

    fn add_file(&mut self, path: &str, is_focus: bool) {
        let node = NodeData {
            handle: path.to_owned(),
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            kind: "file".to_owned(),
            path: path.to_owned(),
            ..NodeData::default()
        };
        self.add_node(&node, is_focus);
    }

    fn add_edge(&mut self, from: &str, to: &str, uses: &[UseData], is_dispatch: bool) {
        let Some(first) = uses.first().cloned().or_else(|| is_dispatch.then(UseData::default)) else {
            return;
        };
        let confidence =
            if is_dispatch && first.confidence.is_empty() { "probable".to_owned() } else { first.confidence };
        let kind = if first.kind.is_empty() { "dispatches".to_owned() } else { first.kind };
        let edge = GraphEdge { kind, confidence, uses: uses.len().max(1) as u64, line: first.line };
        self.edges.entry((from.to_owned(), to.to_owned())).or_insert(edge);
    }

    /// Adds a list with parents. If it leads `inwards`, every entry uses its parent; otherwise the parent uses it.
    fn add_levels(&mut self, focus: &NodeData, list: &[CallData], inwards: bool, is_focus: bool) {
        self.add_node(focus, is_focus);
        for call in list {
            let parent = call.parent.and_then(|at| list.get(at)).map_or(focus, |parent| &parent.node);
            // A base outside of the repository is only a name.
            if call.node.handle.is_empty() {
                continue;
            }
            self.add_node(&call.node, false);
            let (from, to) = if inwards {
                (&call.node.handle, &parent.handle)
            } else {
                (&parent.handle, &call.node.handle)
            };
            let (from, to) = (from.clone(), to.clone());
            let relation = call.relation.as_ref().map(std::slice::from_ref);
            self.add_edge(&from, &to, relation.unwrap_or(&call.uses), call.dispatch);
        }
    }

    /// Adds a list with parents as a tree: every entry below its parent.
    fn add_tree(&mut self, title: &str, list: &[CallData]) {
        let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (at, call) in list.iter().enumerate() {
            children.entry(call.parent).or_default().push(at);
        }
        let mut lines = Vec::new();
        let mut next: Vec<usize> = children.get(&None).into_iter().flatten().rev().copied().collect();
        while let Some(at) = next.pop() {
            let call = &list[at];
            if !call.node.handle.is_empty() {
                let (handle, repeated) = (call.node.handle.clone(), call.repeated);
                lines.push(TreeLine { depth: call.level.saturating_sub(1), handle, repeated });
            }
            next.extend(children.get(&Some(at)).into_iter().flatten().rev());
        }
        self.trees.push((title.to_owned(), lines));
    }

    /// Removes nodes, and everything that only they connected with the focus.
    fn hide(&mut self, hidden: &[&str]) {
        for handle in hidden {
            self.nodes.remove(*handle);
        }
        self.edges.retain(|(from, to), _| self.nodes.contains_key(from) && self.nodes.contains_key(to));
        if hidden.is_empty() {
            return;
        }
        let mut reached: BTreeSet<String> =
            self.nodes.iter().filter(|(_, node)| node.is_focus).map(|(handle, _)| handle.clone()).collect();
        loop {
            let before = reached.len();
            for (from, to) in self.edges.keys() {
                if reached.contains(from) || reached.contains(to) {
                    reached.extend([from.clone(), to.clone()]);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        self.nodes.retain(|handle, _| reached.contains(handle));
        self.edges.retain(|(from, to), _| self.nodes.contains_key(from) && self.nodes.contains_key(to));
    }

    /// What the answers say about themselves.
    pub(crate) fn notes(&self) -> Markup {
        let mut all = AnswerMetadata::default();
        for metadata in &self.metadata {
            all.reasons.extend(metadata.reasons.iter().cloned());
            all.notes.extend(metadata.notes.iter().cloned());
        }
        all.notes.dedup();
        layout::notes(&all)
    }
}

/// The arguments as the page repeats them in its form.
pub(crate) fn view_word(view: GraphView) -> &'static str {
    VIEWS.iter().find(|(known, ..)| *known == view).map_or("calls", |(_, word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(handle: &str) -> NodeData {
        NodeData { handle: handle.to_owned(), ..NodeData::default() }
    }

    fn call(handle: &str, parent: Option<usize>) -> CallData {
        let uses = vec![UseData { confidence: "exact".to_owned(), ..UseData::default() }];
        CallData { node: node(handle), parent, uses, ..CallData::default() }
    }

    #[test]
    fn callers_point_to_their_parents_and_callees_away_from_them() {
        let mut graph = GatheredGraph::default();
        let list = [call("a", None), call("b", Some(0))];
        graph.add_levels(&node("focus"), &list, true, true);
        graph.add_levels(&node("focus"), &[call("c", None)], false, true);
        let edges: Vec<String> = graph.edges.keys().map(|(from, to)| format!("{from}>{to}")).collect();
        assert_eq!(edges, ["a>focus", "b>a", "focus>c"]);
    }

    #[test]
    fn a_tree_lists_every_entry_below_its_parent() {
        let mut graph = GatheredGraph::default();
        let list = [call("a", None), call("b", None), call("of b", Some(1)), call("of a", Some(0))];
        graph.add_tree("Callers", &list);
        let order: Vec<&str> = graph.trees[0].1.iter().map(|line| line.handle.as_str()).collect();
        assert_eq!(order, ["a", "of a", "b", "of b"]);
    }

    #[test]
    fn hiding_a_node_hides_what_only_it_connects() {
        let mut graph = GatheredGraph::default();
        let list = [call("a", None), call("b", Some(0)), call("c", None), call("b", Some(2))];
        graph.add_levels(&node("focus"), &list, true, true);
        graph.hide(&["a"]);
        assert_eq!(graph.nodes.keys().collect::<Vec<_>>(), ["b", "c", "focus"]);
        graph.hide(&["c"]);
        assert_eq!(graph.nodes.keys().collect::<Vec<_>>(), ["focus"]);
    }
}
