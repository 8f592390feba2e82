//! The answer of `context`: chunks with source and neighbours, fitted into a token budget.

use super::chunk_selection::ChunkSelection;
use super::neighbours::{self, Neighbour, Neighbourhood};
use crate::error::ToolError;
use crate::graph::call_path::CallPath;
use crate::history::last_change::last_changes;
use crate::operations::source_lines::SourceLines;
use crate::text::token_estimate::tokens;
use crate::text::writer::{Excerpt, Style, TextWriter};
use orient_engine::{Analysis, GraphView, NodeId, SearchHit, Snapshot};
use orient_model::{ChunkKind, Handle, Span, SymbolKind};
use serde::Serialize;
use std::io;

/// Numbers of lines tried for a chunk whose source does not fit.
const EXCERPT_LINES: [usize; 4] = [24, 12, 6, 3];
/// Maximum number of neighbours of each kind.
const MAX_NEIGHBOURS: usize = 8;
/// Percentage of a chunk's budget for its source; the rest is for its neighbours.
const SOURCE_SHARE: usize = 70;

/// The chunks that match a task.
#[derive(Serialize)]
pub(crate) struct ContextOut {
    /// The task.
    task: String,
    /// The chunks, best first.
    chunks: Vec<ContextChunk>,
}

/// A chunk with its source and neighbours.
#[derive(Serialize)]
struct ContextChunk {
    /// The handle of its symbol; the path if there is none.
    handle: String,
    /// Its kind.
    kind: &'static str,
    /// Its file.
    path: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// Its current lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<SourceLines>,
    /// Whether `source` has all of its lines.
    whole: bool,
    /// The commit that last changed it, and who wrote most of the last commits of its file; with a history index only.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_change: Option<String>,
    /// Symbols that call it, construct it or inherit from it, without tests.
    #[serde(skip_serializing_if = "NeighbourList::is_empty")]
    callers: NeighbourList,
    /// Symbols it calls.
    #[serde(skip_serializing_if = "NeighbourList::is_empty")]
    callees: NeighbourList,
    /// Types it uses.
    #[serde(skip_serializing_if = "NeighbourList::is_empty")]
    types: NeighbourList,
    /// Tests that reach it, with their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<CallPath>,
}

/// Neighbours of one kind.
#[derive(Default, Serialize)]
struct NeighbourList {
    /// Total number.
    total: u64,
    /// The first neighbours, by confidence and number of uses.
    shown: Vec<Neighbour>,
}

impl NeighbourList {
    fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The neighbours that fit into the budget, which is reduced.
    fn fit(found: Vec<Neighbour>, budget: &mut usize) -> Self {
        let total = found.len() as u64;
        let mut shown = Vec::new();
        for one in found.into_iter().take(MAX_NEIGHBOURS) {
            let cost = tokens(&one.line());
            if cost > *budget {
                break;
            }
            *budget -= cost;
            shown.push(one);
        }
        Self { total, shown }
    }

    fn write(&self, word: &str, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for (at, one) in self.shown.iter().enumerate() {
            writer.put(Style::Dim, &format!("  {:<10}", if at == 0 { word } else { "" }))?;
            writer.line(Style::Plain, &one.line())?;
        }
        let left = self.total - self.shown.len() as u64;
        if left > 0 {
            let word = if self.shown.is_empty() { word } else { "" };
            writer.line(Style::Dim, &format!("  {word:<10}{left} more"))?;
        }
        Ok(())
    }
}

impl Neighbour {
    fn line(&self) -> String {
        let what =
            self.signature.clone().unwrap_or_else(|| format!("{} {}", self.node.kind, self.node.called()));
        let lines: Vec<String> = self.lines.iter().take(4).map(u32::to_string).collect();
        let sure = if self.confidence == "exact" { String::new() } else { format!("  {}", self.confidence) };
        format!("{}  {what}  at {}{sure}", self.node.anchor(), lines.join(","))
    }
}

impl ContextOut {
    pub(super) fn new(
        snapshot: &Snapshot,
        task: String,
        chosen: &ChunkSelection,
        budget: usize,
        tests: bool,
    ) -> Result<Self, ToolError> {
        let view = snapshot.graph();
        let mut chunks: Vec<ContextChunk> = Vec::with_capacity(chosen.chunks.len());
        for hit in &chosen.chunks {
            chunks.push(ContextChunk::new(&view, hit)?);
        }
        let handles: Vec<&str> = chunks.iter().map(|chunk| chunk.handle.as_str()).collect();
        let last = last_changes(snapshot, &handles);
        for (chunk, last) in chunks.iter_mut().zip(last) {
            chunk.last_change = last;
        }
        let head = |chunk: &ContextChunk| {
            tokens(&chunk.heading()) + chunk.last_change.as_deref().map_or(0, |last| tokens(last) + 3)
        };
        let mut left = budget.saturating_sub(chunks.iter().map(head).sum());
        let last = chunks.len().saturating_sub(1);
        for (at, (chunk, hit)) in chunks.iter_mut().zip(&chosen.chunks).enumerate() {
            // Twice an equal share: earlier chunks are more likely, and what one leaves goes to the others.
            let mut budget = left * 2 / (last - at + 2);
            left -= budget;
            chunk.fill(snapshot, &view, hit, &chosen.analysis, &mut budget, tests)?;
            left += budget;
        }
        Ok(Self { task, chunks })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Number of chunks that are shown only in part.
    pub(super) fn shortened(&self) -> usize {
        let is_cut = |list: &NeighbourList| (list.shown.len() as u64) < list.total;
        let is_partial = |chunk: &&ContextChunk| {
            !chunk.whole || is_cut(&chunk.callers) || is_cut(&chunk.callees) || is_cut(&chunk.types)
        };
        self.chunks.iter().filter(is_partial).count()
    }

    pub(super) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.chunks.is_empty() {
            return writer.line(Style::Warn, &format!("nothing matches `{}`", self.task));
        }
        for (at, chunk) in self.chunks.iter().enumerate() {
            if at > 0 {
                writer.end_line()?;
            }
            chunk.write(writer)?;
        }
        Ok(())
    }
}

impl ContextChunk {
    fn new(view: &GraphView<'_>, hit: &SearchHit) -> Result<Self, ToolError> {
        let path = hit.path.display().into_owned();
        let described = hit.symbol.map(|symbol| view.describe(NodeId::from(symbol))).transpose()?;
        let handle = described.and_then(|one| one.definition).map(|definition| definition.handle);
        Ok(Self {
            handle: handle.map_or_else(|| path.clone(), |handle: Handle| handle.to_string()),
            kind: hit.symbol_kind.map_or(hit.kind.as_str(), SymbolKind::as_str),
            path,
            start_line: hit.first_line,
            end_line: hit.last_line,
            source: Vec::new(),
            whole: false,
            last_change: None,
            callers: NeighbourList::default(),
            callees: NeighbourList::default(),
            types: NeighbourList::default(),
            tests: Vec::new(),
        })
    }

    fn heading(&self) -> String {
        let name = self.handle.rsplit_once('#').map_or("", |(_, name)| name);
        format!("{}:{}-{}  {} {name}", self.path, self.start_line, self.end_line, self.kind)
    }

    /// Adds source and neighbours within the budget, which is reduced.
    fn fill(
        &mut self,
        snapshot: &Snapshot,
        view: &GraphView<'_>,
        hit: &SearchHit,
        analysis: &Analysis,
        budget: &mut usize,
        tests: bool,
    ) -> Result<(), ToolError> {
        let mut share = *budget * SOURCE_SHARE / 100;
        *budget -= share;
        self.read(snapshot, hit, analysis, &mut share)?;
        *budget += share;
        let Some(symbol) = hit.symbol else { return Ok(()) };
        let part = (hit.kind != ChunkKind::Symbol).then_some(hit.first_line..=hit.last_line);
        let Neighbourhood { callers, callees, types, tests } =
            neighbours::neighbourhood(view, NodeId::from(symbol), part.as_ref(), tests)?;
        self.callers = NeighbourList::fit(callers, budget);
        for test in tests {
            let cost = tokens(&test_line(&test));
            if cost <= *budget {
                *budget -= cost;
                self.tests.push(test);
            }
        }
        self.callees = NeighbourList::fit(callees, budget);
        self.types = NeighbourList::fit(types, budget);
        Ok(())
    }

    /// Adds all lines if they fit, else the best excerpts.
    fn read(
        &mut self,
        snapshot: &Snapshot,
        hit: &SearchHit,
        analysis: &Analysis,
        budget: &mut usize,
    ) -> Result<(), ToolError> {
        let Some(file) = snapshot.file(&hit.path)? else { return Ok(()) };
        let span = Span { first_line: hit.first_line, last_line: hit.last_line, ..Span::default() };
        // A file that cannot be read now is listed without source.
        let Ok(source) = snapshot.source(&file, span, 0) else { return Ok(()) };
        let whole = SourceLines::new(source.first_line, &source.lines);
        if cost(&whole) <= *budget {
            *budget -= cost(&whole);
            self.source = vec![whole];
            self.whole = true;
            return Ok(());
        }
        for max in EXCERPT_LINES {
            let excerpts = snapshot.hit_text(hit, analysis, max)?.snippets.into_iter();
            let lines: Vec<SourceLines> = excerpts.map(SourceLines::from).collect();
            let cost: usize = lines.iter().map(cost).sum();
            if cost <= *budget {
                *budget -= cost;
                self.source = lines;
                break;
            }
        }
        Ok(())
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}-{}", self.path, self.start_line, self.end_line))?;
        writer.plain("  ")?;
        writer.put(Style::Kind, self.kind)?;
        if let Some((_, name)) = self.handle.rsplit_once('#') {
            writer.plain(" ")?;
            writer.put(Style::Name, name)?;
        }
        writer.end_line()?;
        if let Some(last) = &self.last_change {
            writer.put(Style::Dim, "  last changed ")?;
            writer.line(Style::Dim, last)?;
        }
        for (at, lines) in self.source.iter().enumerate() {
            if at > 0 {
                writer.line(Style::Dim, "…")?;
            }
            writer.excerpt(&Excerpt { path: &self.path, first_line: lines.line, text: &lines.text })?;
        }
        self.callers.write("callers", writer)?;
        for (at, test) in self.tests.iter().enumerate() {
            writer.put(Style::Dim, &format!("  {:<10}", if at == 0 { "tests" } else { "" }))?;
            writer.line(Style::Plain, &test_line(test))?;
        }
        self.callees.write("calls", writer)?;
        self.types.write("types", writer)
    }
}

/// The cost of lines in tokens.
fn cost(lines: &SourceLines) -> usize {
    // Each line is preceded by its number.
    tokens(&lines.text) + 3 * lines.text.lines().count()
}

fn test_line(test: &CallPath) -> String {
    let location = test.steps.first().map(|step| step.node.anchor()).unwrap_or_default();
    format!("{location}  {}", test.chain())
}
