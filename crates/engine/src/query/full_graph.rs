//! The whole graph at once, for questions about all of the repository. Nodes are numbered by path and place.

use super::entry_point;
use crate::extraction;
use crate::query::traversal::reversed;
use crate::{EdgeRow, EngineError, Entry, NodeId, Snapshot};
use orient_model::{Issue, IssueKind, Modifier, Modifiers, Role, Rules, Span, SymbolKind, Visibility};
use orient_store::{FileRow, INDEXED};
use rustc_hash::FxHashMap;

/// Every node of the graph, by path and place: each file is followed by its symbols.
pub struct Whole {
    /// The files, by path.
    pub files: Vec<FileRow>,
    /// The nodes.
    pub nodes: Vec<WholeNode>,
    firsts: Vec<u32>,
    numbers: FxHashMap<NodeId, u32>,
    names: String,
}

/// A node, as far as questions about all of them look at it.
#[derive(Clone, Copy, Debug)]
pub struct WholeNode {
    /// The node.
    pub id: NodeId,
    /// Its file, as an index into the files.
    pub file: u32,
    /// Its place in the outline; nothing for a file.
    pub at: Option<u32>,
    /// The node around it; itself for a file.
    pub parent: u32,
    /// What it is; nothing for a file.
    pub kind: Option<SymbolKind>,
    /// Who may use it.
    pub visibility: Visibility,
    /// What else its header says.
    pub modifiers: Modifiers,
    /// The line of the declared name; 0 for a file.
    pub line: u32,
    /// The first line of all of it; 0 for a file.
    pub first_line: u32,
    /// The last line of all of it; 0 for a file.
    pub last_line: u32,
    /// The first byte of all of it.
    pub start: u32,
    /// The first byte of the declared name.
    pub name_start: u32,
    /// Whether it names the type it belongs to itself, outside of it.
    pub qualified: bool,
    /// How many bases its header names.
    pub bases: u32,
    /// Whether the parser did not understand something in it.
    pub misread: bool,
    /// Whether it has attributes.
    pub attributed: bool,
    /// Whether the outside enters here, as far as the header tells.
    pub entry: Option<Entry>,
    name: (u32, u32),
}

impl Whole {
    /// Reads the nodes of a snapshot.
    pub fn read(snapshot: &Snapshot) -> Result<Self, EngineError> {
        let mut files = Vec::new();
        snapshot.store.each_file(|file| files.push(file))?;
        files.retain(|file| file.status == INDEXED);
        let mut whole = Self {
            files: Vec::new(),
            nodes: Vec::new(),
            firsts: Vec::with_capacity(files.len()),
            numbers: FxHashMap::default(),
            names: String::new(),
        };
        for (index, file) in files.iter().enumerate() {
            whole.add_file(snapshot, index as u32, file)?;
        }
        whole.files = files;
        Ok(whole)
    }

    fn add_file(&mut self, snapshot: &Snapshot, index: u32, file: &FileRow) -> Result<(), EngineError> {
        let first = self.nodes.len() as u32;
        self.firsts.push(first);
        self.push(WholeNode {
            id: file.id.into(),
            file: index,
            at: None,
            parent: first,
            kind: None,
            visibility: Visibility::Private,
            modifiers: Modifiers::default(),
            line: 0,
            first_line: 0,
            last_line: 0,
            start: 0,
            name_start: 0,
            qualified: false,
            bases: 0,
            misread: false,
            attributed: false,
            entry: None,
            name: (0, 0),
        });
        let held = snapshot.outline(file.clone())?;
        for (at, (symbol, &id)) in held.outline.symbols.iter().zip(&held.ids).enumerate() {
            let start = self.names.len() as u32;
            let name = held.outline.strings.get(symbol.name);
            let attributes = symbol.attributes.iter().map(|&text| held.outline.strings.get(text));
            self.names.push_str(name);
            self.push(WholeNode {
                id: id.into(),
                file: index,
                at: Some(at as u32),
                parent: symbol.parent.map_or(first, |parent| first + 1 + parent),
                kind: Some(symbol.kind),
                visibility: symbol.visibility,
                modifiers: symbol.modifiers,
                line: symbol.name_span.first_line,
                first_line: symbol.span.first_line,
                last_line: symbol.span.last_line,
                start: symbol.span.start,
                name_start: symbol.name_span.start,
                qualified: symbol.qualifier.is_some(),
                bases: symbol.bases.len() as u32,
                misread: held.outline.issues.iter().any(|issue| spoils(issue, &symbol.span)),
                attributed: !symbol.attributes.is_empty(),
                entry: entry_point::of_header(name, symbol.kind, symbol.modifiers, attributes),
                name: (start, self.names.len() as u32),
            });
        }
        Ok(())
    }

    fn push(&mut self, node: WholeNode) {
        self.numbers.insert(node.id, self.nodes.len() as u32);
        self.nodes.push(node);
    }

    /// The number of a node.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        self.numbers.get(&node).copied()
    }

    /// The number of the node of a file, itself an index into the files.
    pub fn file_node(&self, file: u32) -> u32 {
        self.firsts[file as usize]
    }

    /// The name of a node; empty for a file.
    pub fn name(&self, number: u32) -> &str {
        let (start, end) = self.nodes[number as usize].name;
        &self.names[start as usize..end as usize]
    }

    /// The file of a node.
    pub fn file(&self, number: u32) -> &FileRow {
        &self.files[self.nodes[number as usize].file as usize]
    }

    /// What resolution knows of the language of a node.
    pub fn rules(&self, number: u32) -> Option<&'static Rules> {
        extraction::rules(self.file(number).language.as_deref()?)
    }

    /// Who uses a node without naming it in the source: the language, a runtime, a framework.
    pub fn runtime_use(&self, number: u32) -> Option<&'static str> {
        let kind = self.nodes[number as usize].kind?;
        extraction::runtime_use(self.file(number).language.as_deref()?, self.name(number), kind)
    }

    /// Whether a node is code of tests: a test, or what only tests can see.
    pub fn is_test(&self, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        self.file(number).role == Role::Test
            || node.kind == Some(SymbolKind::Test)
            || node.modifiers.contains(Modifier::Test)
    }

    /// Whether a node is another or lies inside it.
    pub fn is_within(&self, mut node: u32, outer: u32) -> bool {
        while node > outer {
            let parent = self.nodes[node as usize].parent;
            if parent == node {
                return false;
            }
            node = parent;
        }
        node == outer
    }

    /// Shows every edge, file by file; none that only follows from another.
    pub fn each_edge(&self, snapshot: &Snapshot, mut see: impl FnMut(&EdgeRow)) -> Result<(), EngineError> {
        for file in &self.files {
            snapshot.file_graph(file.id)?.edges.iter().for_each(&mut see);
        }
        Ok(())
    }

    /// The numbers of both ends of an edge.
    pub fn ends(&self, edge: &EdgeRow) -> Option<(u32, u32)> {
        Some((self.number(edge.source)?, self.number(edge.target)?))
    }

    /// The edges that the file they start in does not know of: those another file gave rise to, and the dispatch that
    /// follows from overrides. Sorted by file.
    pub fn strays(&self, snapshot: &Snapshot) -> Result<Strays, EngineError> {
        let mut strays = Vec::new();
        for file in &self.files {
            let graph = snapshot.file_graph(file.id)?;
            let follows = graph.edges.iter().filter_map(reversed);
            let elsewhere = graph.edges[graph.own..].iter().copied();
            for edge in follows.chain(elsewhere) {
                if let Some(number) = self.number(edge.source) {
                    strays.push((self.nodes[number as usize].file, edge));
                }
            }
        }
        strays.sort_unstable();
        strays.dedup();
        Ok(Strays(strays))
    }

    /// The edges that start in a file, by line, then by the places of both ends.
    pub fn edges_of(
        &self,
        snapshot: &Snapshot,
        strays: &Strays,
        file: u32,
    ) -> Result<Vec<EdgeRow>, EngineError> {
        let graph = snapshot.file_graph(self.files[file as usize].id)?;
        let mut edges = graph.edges[..graph.own].to_vec();
        let start = strays.0.partition_point(|stray| stray.0 < file);
        let here = strays.0[start..].iter().take_while(|stray| stray.0 == file);
        edges.extend(here.map(|(_, edge)| *edge));
        edges.sort_by_key(|edge| (edge.line, self.ends(edge), edge.kind, edge.confidence, edge.rule));
        edges.dedup_by_key(|edge| (edge.line, edge.source, edge.target, edge.kind));
        Ok(edges)
    }
}

/// Whether an issue makes doubtful what was read of these bytes. One without a place concerns the whole file.
fn spoils(issue: &Issue, span: &Span) -> bool {
    let somewhere = issue.span != Span::default();
    let touches = issue.span.start < span.end && span.start < issue.span.end.max(issue.span.start + 1);
    issue.kind != IssueKind::Encoding && (!somewhere || touches)
}

/// Edges that the file they start in does not know of.
pub struct Strays(Vec<(u32, EdgeRow)>);
