//! `edges`: all edges of the graph, one per line.

use crate::answer::Answer;
use crate::answer::escaped_json::write_json_line;
use crate::arguments::enum_values;
use crate::arguments::path_argument;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    DescribedNode, EdgeRow, Edges as _, EngineError, FileId, ForeignEdges, FullGraph, NodeId, NodeOrder,
    PathPattern, Snapshot, WithDispatch,
};
use orient_model::{Confidence, EdgeKind, Rule};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

pub(crate) struct Edges;

/// Arguments of `edges`.
#[derive(Args)]
pub(crate) struct EdgesArgs {
    /// Only these edge kinds: calls, constructs, references, `type_of`, inherits, implements, overrides, imports, dispatches, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL")]
    confidence: Option<String>,
    /// Only edges proven by these rules: scope, import, declared, inferred, …
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    rule: Vec<String>,
    /// Only edges whose source is in this file or directory, or in files that match this glob
    #[arg(long = "in", value_name = "PATH")]
    within: Option<String>,
}

/// The edges of a snapshot. Those of the whole graph are streamed, since they can be larger than memory.
pub(crate) enum EdgesOut {
    Graph(Box<GraphEdges>),
    /// The edges of one file, which are read without the rest of the graph.
    File(Vec<EdgeLine<'static>>),
}

pub(crate) struct GraphEdges {
    snapshot: Snapshot,
    whole: FullGraph,
    strays: ForeignEdges,
    filter: EdgeFilter,
}

struct EdgeFilter {
    kinds: Vec<EdgeKind>,
    least: Confidence,
    rules: Vec<Rule>,
    within: Option<PathPattern>,
}

/// An edge.
#[derive(Serialize)]
pub(crate) struct EdgeLine<'w> {
    /// The source: the innermost symbol around the use.
    pub(crate) caller: EndLine<'w>,
    /// The target.
    pub(crate) callee: EndLine<'w>,
    /// The line of the use, in the file of the caller.
    pub(crate) line: u32,
    /// The kind.
    pub(crate) kind: &'static str,
    /// The confidence.
    pub(crate) confidence: &'static str,
    /// The rule that proved it.
    pub(crate) rule: &'static str,
}

/// One end of an edge.
#[derive(Serialize)]
pub(crate) struct EndLine<'w> {
    /// The file.
    pub(crate) path: Cow<'w, str>,
    /// The line of the declared name; 0 for the top-level code of a file, or the file itself.
    pub(crate) line: u32,
    /// The name; empty for a file.
    pub(crate) name: Cow<'w, str>,
}

impl<'w> EndLine<'w> {
    fn of(whole: &'w FullGraph, number: u32) -> Self {
        Self {
            path: whole.file(number).path.display(),
            line: whole.nodes[number as usize].line,
            name: whole.name(number).into(),
        }
    }

    fn of_node(node: &DescribedNode) -> EndLine<'static> {
        EndLine {
            path: node.file.path.display().into_owned().into(),
            line: node.line(),
            name: node.definition.as_ref().map_or_else(String::new, |one| one.name.clone()).into(),
        }
    }

    fn anchor(&self) -> String {
        if self.line == 0 { self.path.to_string() } else { format!("{}:{}", self.path, self.line) }
    }
}

impl<'w> EdgeLine<'w> {
    /// The line of an edge; `None` if the index lacks one of its ends.
    pub(crate) fn of(whole: &'w FullGraph, edge: &EdgeRow) -> Option<Self> {
        let (source, target) = whole.ends(edge)?;
        Some(Self {
            caller: EndLine::of(whole, source),
            callee: EndLine::of(whole, target),
            line: edge.line,
            kind: edge.kind.as_str(),
            confidence: edge.confidence.as_str(),
            rule: edge.rule.as_str(),
        })
    }
}

/// The side that failed.
enum Failure<E> {
    Consumer(E),
    Index(EngineError),
}

impl Failure<io::Error> {
    fn into_io(self) -> io::Error {
        match self {
            Self::Consumer(error) => error,
            Self::Index(error) => io::Error::other(error),
        }
    }
}

impl EdgesOut {
    /// Passes the edges to `take`, in the order of path and line.
    fn each<E>(&self, mut take: impl FnMut(&EdgeLine<'_>) -> Result<(), E>) -> Result<(), Failure<E>> {
        match self {
            Self::Graph(graph) => graph.each(take),
            Self::File(edges) => edges.iter().try_for_each(|edge| take(edge).map_err(Failure::Consumer)),
        }
    }
}

impl GraphEdges {
    fn each<E>(&self, mut take: impl FnMut(&EdgeLine<'_>) -> Result<(), E>) -> Result<(), Failure<E>> {
        for (index, file) in self.whole.files.iter().enumerate() {
            if self.filter.within.as_ref().is_some_and(|within| !within.matches(&file.path)) {
                continue;
            }
            let edges = self.whole.edges_of(&self.snapshot, &self.strays, index as u32);
            for edge in edges.map_err(Failure::Index)?.iter().filter(|edge| self.filter.accepts(edge)) {
                if let Some(line) = EdgeLine::of(&self.whole, edge) {
                    take(&line).map_err(Failure::Consumer)?;
                }
            }
        }
        Ok(())
    }
}

/// The edges that start in a file, as [`FullGraph::edges_of`] orders them.
fn edges_of_file(
    snapshot: &Snapshot,
    file: FileId,
    filter: &EdgeFilter,
) -> Result<Vec<EdgeLine<'static>>, EngineError> {
    let view = snapshot.graph();
    let mut edges = Vec::new();
    for node in view.members(NodeId::from(file))? {
        edges.extend(WithDispatch(&view).outgoing(node)?.into_iter().filter(|edge| filter.accepts(edge)));
    }
    let mut nodes = BTreeMap::new();
    for node in edges.iter().flat_map(|edge| [edge.source, edge.target]) {
        if let Entry::Vacant(entry) = nodes.entry(node) {
            let NodeOrder { path, at, .. } = view.order(node)?;
            entry.insert(((path, at), view.describe(node)?));
        }
    }
    let position = |node: &NodeId| &nodes[node].0;
    edges.sort_by(|a, b| {
        let key = |edge: &EdgeRow| (edge.kind, edge.confidence, edge.rule);
        let ends = |edge: &EdgeRow| (position(&edge.source), position(&edge.target));
        (a.line, ends(a), key(a)).cmp(&(b.line, ends(b), key(b)))
    });
    edges.dedup_by_key(|edge| (edge.line, edge.source, edge.target, edge.kind));
    let line = |edge: &EdgeRow| EdgeLine {
        caller: EndLine::of_node(&nodes[&edge.source].1),
        callee: EndLine::of_node(&nodes[&edge.target].1),
        line: edge.line,
        kind: edge.kind.as_str(),
        confidence: edge.confidence.as_str(),
        rule: edge.rule.as_str(),
    };
    Ok(edges.iter().map(line).collect())
}

impl EdgeFilter {
    fn accepts(&self, edge: &EdgeRow) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&edge.kind))
            && edge.confidence <= self.least
            && (self.rules.is_empty() || self.rules.contains(&edge.rule))
    }
}

impl Serialize for EdgesOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match self.each(|edge| list.serialize_element(edge)) {
            Ok(()) => list.end(),
            Err(Failure::Consumer(error)) => Err(error),
            Err(Failure::Index(error)) => Err(S::Error::custom(error)),
        }
    }
}

impl TypedOperation for Edges {
    const NAME: &'static str = "edges";
    const ABOUT: &'static str = "Print all edges of the graph, one per line";
    const DETAILS: &'static str = "\
Sorted by path and line. With --json, every line is an object: `caller` and `callee` with `path`, `line` (of the declared \
name; 0 for top-level code) and `name`, the `line` of the use, its `kind`, `confidence` and `rule`. `dispatches` leads from an \
interface or base member to the possible targets of its calls.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "edges --kind calls,constructs --json", about: "the call graph, for a script" },
        Example { command: "edges --in src/server.go", about: "the edges from one file" },
        Example { command: "edges --confidence exact --rule import", about: "by confidence and rule" },
    ];
    const HEAVY: bool = true;
    const STREAMED: bool = true;
    type Args = EdgesArgs;
    type Out = EdgesOut;

    fn run(session: &Session<'_>, args: EdgesArgs) -> Result<Answer<EdgesOut>, ToolError> {
        let least = args.confidence.as_deref().map(|word| enum_values::confidence(Some(word))).transpose()?;
        let (kinds, rules) = (enum_values::edge_kinds(&args.kind)?, enum_values::rules(&args.rule)?);
        let snapshot = session.snapshot()?;
        let within = args
            .within
            .as_deref()
            .map(|typed| path_argument::resolve(session, &snapshot, typed))
            .transpose()?;
        let file = within.as_ref().and_then(|named| named.file.as_ref()).map(|file| file.id);
        let filter = EdgeFilter {
            kinds,
            least: least.unwrap_or(Confidence::Approximate),
            rules,
            within: within.map(|named| named.pattern),
        };
        if let Some(file) = file {
            let edges = edges_of_file(&snapshot, file, &filter)?;
            return Ok(session.answer(&snapshot, EdgesOut::File(edges)));
        }
        let whole = FullGraph::read(&snapshot)?;
        let strays = whole.foreign_edges(&snapshot)?;
        let answer = session.answer(&snapshot, ());
        let data = GraphEdges { snapshot, whole, strays, filter };
        Ok(answer.with_data(EdgesOut::Graph(Box::new(data))))
    }

    fn text(out: &EdgesOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let written = out.each(|edge| {
            let shown = |end: &EndLine<'_>| {
                if end.name.is_empty() { "(top level)".to_owned() } else { end.name.to_string() }
            };
            writer.put(Style::Path, &format!("{}:{}", edge.caller.path, edge.line))?;
            writer.plain("  ")?;
            writer.put(Style::Name, &shown(&edge.caller))?;
            writer.put(Style::Kind, &format!("  {}  ", edge.kind))?;
            writer.put(Style::Name, &shown(&edge.callee))?;
            writer.put(Style::Path, &format!("  {}", edge.callee.anchor()))?;
            writer.line(Style::Dim, &format!("  {}: {}", edge.confidence, edge.rule))
        });
        written.map_err(Failure::into_io)
    }

    fn json_lines(out: &EdgesOut, to: &mut dyn io::Write) -> Option<io::Result<()>> {
        Some(out.each(|edge| write_json_line(edge, to)).map_err(Failure::into_io))
    }
}
