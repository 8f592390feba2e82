//! The full graph in memory, for queries about the whole repository. Nodes are numbered by path and position.

use super::entry_point;
use crate::extraction;
use crate::query::traversal::reversed;
use crate::{EdgeRow, EngineError, EntryPoint, NodeId, Snapshot};
use orient_model::{
    Framework, Import, Issue, IssueKind, Modifier, Modifiers, Outline, Role, Rules, Span, SymbolKind,
    Visibility,
};
use orient_store::{FileRow, INDEXED};
use rustc_hash::FxHashMap;

/// All nodes of the graph, by path and position: each file is followed by its symbols.
pub struct FullGraph {
    /// The files, sorted by path.
    pub files: Vec<FileRow>,
    /// The nodes.
    pub nodes: Vec<FullGraphNode>,
    firsts: Vec<u32>,
    numbers: FxHashMap<NodeId, u32>,
    names: String,
    /// The frameworks that a file imports, with the family of their language.
    frameworks: Vec<(&'static str, &'static Framework)>,
}

/// A node with the properties that whole-repository queries use.
#[derive(Clone, Copy, Debug)]
pub struct FullGraphNode {
    /// The node id.
    pub id: NodeId,
    /// The index of its file in `files`.
    pub file: u32,
    /// Its position in the outline; `None` for a file.
    pub at: Option<u32>,
    /// The enclosing node; itself for a file.
    pub parent: u32,
    /// Its kind; `None` for a file.
    pub kind: Option<SymbolKind>,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// The line of the declared name; 0 for a file.
    pub line: u32,
    /// The first line of the definition; 0 for a file.
    pub first_line: u32,
    /// The last line of the definition; 0 for a file.
    pub last_line: u32,
    /// The first byte of the definition.
    pub start: u32,
    /// The first byte of the declared name.
    pub name_start: u32,
    /// Whether it is defined outside its type and names the type, as in `Type::name`.
    pub qualified: bool,
    /// The number of supertypes in its header.
    pub bases: u32,
    /// Whether it contains a parse error.
    pub misread: bool,
    /// Whether it has attributes.
    pub attributed: bool,
    /// Why it is an entry point, judged by its header.
    pub entry: Option<EntryPoint>,
    name: (u32, u32),
}

impl FullGraph {
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
            frameworks: Vec::new(),
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
        self.push(FullGraphNode {
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
        self.add_frameworks(file, &held.outline);
        for (at, (symbol, &id)) in held.outline.symbols.iter().zip(&held.ids).enumerate() {
            let start = self.names.len() as u32;
            let name = held.outline.strings.get(symbol.name);
            let attributes = symbol.attributes.iter().map(|&text| held.outline.strings.get(text));
            self.names.push_str(name);
            self.push(FullGraphNode {
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

    /// Adds the frameworks that a file imports and that use definitions by themselves.
    fn add_frameworks(&mut self, file: &FileRow, outline: &Outline) {
        let Some(rules) = file.language.as_deref().and_then(extraction::rules) else { return };
        for framework in rules.frameworks.iter().filter(|framework| !framework.implicit_uses.is_empty()) {
            let family = rules.family.as_str();
            let is_known = |(of, known): &(&str, &Framework)| *of == family && known.name == framework.name;
            let module = |import: &Import| {
                let module = outline.strings.get(import.module);
                let item = import.name.map(|name| outline.strings.get(name));
                framework.owns(module) || item.is_some_and(|item| framework.owns_item(module, item))
            };
            let is_used = framework.ambient || outline.imports.iter().any(module);
            if is_used && !self.frameworks.iter().any(is_known) {
                self.frameworks.push((family, framework));
            }
        }
    }

    fn push(&mut self, node: FullGraphNode) {
        self.numbers.insert(node.id, self.nodes.len() as u32);
        self.nodes.push(node);
    }

    /// The number of a node.
    pub fn number(&self, node: NodeId) -> Option<u32> {
        self.numbers.get(&node).copied()
    }

    /// The node number of a file, given its index in `files`.
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

    /// The resolution rules of a node's language.
    pub fn rules(&self, number: u32) -> Option<&'static Rules> {
        extraction::rules(self.file(number).language.as_deref()?)
    }

    /// The language, runtime or framework that uses a node without naming it in the source. Frameworks may judge by the
    /// type of its result, as written.
    pub fn runtime_use(&self, number: u32, returns: Option<&str>) -> Option<&'static str> {
        let kind = self.nodes[number as usize].kind?;
        let (file, name) = (self.file(number), self.name(number));
        let path = file.path.display();
        let family = self.rules(number).map(|rules| rules.family.as_str());
        // What is rendered belongs to the framework of any language.
        let applies = |of: &str| Some(of) == family || kind.is_rendered();
        let frameworks = self.frameworks.iter().filter(|(of, _)| applies(of));
        let mut rules = frameworks.flat_map(|(_, framework)| &framework.implicit_uses);
        let of_framework = rules.find(|rule| rule.fits(&path, name, kind, returns));
        let language = file.language.as_deref();
        of_framework
            .map(|rule| rule.why.as_str())
            .or_else(|| extraction::runtime_use(language?, &path, name, kind))
    }

    /// Whether a framework judges by the type of a node's result.
    pub fn is_judged_by_result(&self, number: u32) -> bool {
        let judges =
            |framework: &Framework| framework.implicit_uses.iter().any(|rule| !rule.returns.is_empty());
        let is_method = self.nodes[number as usize].kind.is_some_and(SymbolKind::is_callable);
        is_method && self.rules(number).is_some_and(|rules| rules.frameworks.iter().any(judges))
    }

    /// Whether a node is test code: a test, or visible to tests only.
    pub fn is_test(&self, number: u32) -> bool {
        let node = &self.nodes[number as usize];
        self.file(number).role == Role::Test
            || node.kind == Some(SymbolKind::Test)
            || node.modifiers.contains(Modifier::Test)
    }

    /// Whether a node equals another or is inside it.
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

    /// Calls `see` for every stored edge, file by file; derived dispatch edges are not included.
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

    /// The edges that are stored with another file than that of their source, and the dispatch derived from
    /// overrides. Sorted by file.
    pub fn foreign_edges(&self, snapshot: &Snapshot) -> Result<ForeignEdges, EngineError> {
        let mut foreign = Vec::new();
        for file in &self.files {
            let graph = snapshot.file_graph(file.id)?;
            let follows = graph.edges.iter().filter_map(reversed);
            let elsewhere = graph.edges[graph.own..].iter().copied();
            for edge in follows.chain(elsewhere) {
                if let Some(number) = self.number(edge.source) {
                    foreign.push((self.nodes[number as usize].file, edge));
                }
            }
        }
        foreign.sort_unstable();
        foreign.dedup();
        Ok(ForeignEdges(foreign))
    }

    /// The edges that start in a file, by line, then by the positions of both ends.
    pub fn edges_of(
        &self,
        snapshot: &Snapshot,
        foreign: &ForeignEdges,
        file: u32,
    ) -> Result<Vec<EdgeRow>, EngineError> {
        let graph = snapshot.file_graph(self.files[file as usize].id)?;
        let mut edges = graph.edges[..graph.own].to_vec();
        let start = foreign.0.partition_point(|stray| stray.0 < file);
        let here = foreign.0[start..].iter().take_while(|stray| stray.0 == file);
        edges.extend(here.map(|(_, edge)| *edge));
        edges.sort_by_key(|edge| (edge.line, self.ends(edge), edge.kind, edge.confidence, edge.rule));
        edges.dedup_by_key(|edge| (edge.line, edge.source, edge.target, edge.kind));
        Ok(edges)
    }
}

/// Whether an issue makes the facts of these bytes doubtful. An issue without a position concerns the whole file.
fn spoils(issue: &Issue, span: &Span) -> bool {
    let somewhere = issue.span != Span::default();
    let touches = issue.span.start < span.end && span.start < issue.span.end.max(issue.span.start + 1);
    issue.kind != IssueKind::Encoding && (!somewhere || touches)
}

/// Edges that are stored with another file than that of their source.
pub struct ForeignEdges(Vec<(u32, EdgeRow)>);
