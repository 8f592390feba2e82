//! What `context` gives: places with their source and surroundings, within a budget of tokens.

use super::around::{self, Around, Neighbour};
use super::spots::Chosen;
use crate::error::ToolError;
use crate::graph::route::Route;
use crate::ops::lines::LinesOut;
use crate::page::{Excerpt, Page, Tone};
use crate::tokens::tokens;
use orient_engine::{Analysis, GraphView, NodeId, SearchHit, Snapshot};
use orient_model::{ChunkKind, Handle, Span, SymbolKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A place whose source does not fit is shown by so many of its lines, or by fewer.
const EXCERPT_LINES: [usize; 4] = [24, 12, 6, 3];
/// At most so many of each kind of neighbour.
const NEIGHBOURS: usize = 8;
/// The share of a place's room that its source may take; the rest is for what stands around it.
const SOURCE_SHARE: usize = 70;

/// The places a task is about.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ContextOut {
    /// What was asked.
    task: String,
    /// The places, best first.
    spots: Vec<SpotOut>,
}

/// A place with what belongs to it.
#[derive(Serialize, JsonSchema)]
struct SpotOut {
    /// The address of the symbol, to ask on with; the path where there is none.
    handle: String,
    /// What it is.
    kind: &'static str,
    /// Its file.
    path: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// Its lines, as they are in the file now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<LinesOut>,
    /// Whether those are all of its lines.
    whole: bool,
    /// Who calls it, makes one of it or inherits from it; tests are apart.
    #[serde(skip_serializing_if = "Circle::is_empty")]
    callers: Circle,
    /// What it calls.
    #[serde(skip_serializing_if = "Circle::is_empty")]
    callees: Circle,
    /// The types it uses.
    #[serde(skip_serializing_if = "Circle::is_empty")]
    types: Circle,
    /// Tests that reach it, and the way they take.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<Route>,
}

/// Neighbours of one kind.
#[derive(Default, Serialize, JsonSchema)]
struct Circle {
    /// How many there are.
    total: u64,
    /// The first of them: the surest, then those with the most uses.
    shown: Vec<Neighbour>,
}

impl Circle {
    fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// As many as there is room for; takes the room.
    fn fit(found: Vec<Neighbour>, room: &mut usize) -> Self {
        let total = found.len() as u64;
        let mut shown = Vec::new();
        for one in found.into_iter().take(NEIGHBOURS) {
            let cost = tokens(&one.line());
            if cost > *room {
                break;
            }
            *room -= cost;
            shown.push(one);
        }
        Self { total, shown }
    }

    fn write(&self, word: &str, page: &mut Page<'_>) -> io::Result<()> {
        for (at, one) in self.shown.iter().enumerate() {
            page.put(Tone::Dim, &format!("  {:<10}", if at == 0 { word } else { "" }))?;
            page.line(Tone::Plain, &one.line())?;
        }
        let left = self.total - self.shown.len() as u64;
        if left > 0 {
            let word = if self.shown.is_empty() { word } else { "" };
            page.line(Tone::Dim, &format!("  {word:<10}{left} more"))?;
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
        chosen: &Chosen,
        budget: usize,
        tests: bool,
    ) -> Result<Self, ToolError> {
        let view = snapshot.graph();
        let mut spots: Vec<SpotOut> = Vec::with_capacity(chosen.spots.len());
        for hit in &chosen.spots {
            spots.push(SpotOut::new(&view, hit)?);
        }
        let mut left = budget.saturating_sub(spots.iter().map(|spot| tokens(&spot.heading())).sum());
        let last = spots.len().saturating_sub(1);
        for (at, (spot, hit)) in spots.iter_mut().zip(&chosen.spots).enumerate() {
            // The first place gets more than half: it is what most readers came for.
            let mut room = match at {
                _ if at == last => left,
                0 => left * 3 / 5,
                _ => left / 2,
            };
            left -= room;
            spot.fill(snapshot, &view, hit, &chosen.analysis, &mut room, tests)?;
            left += room;
        }
        Ok(Self { task, spots })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// How many places have less of them than there is.
    pub(super) fn shortened(&self) -> usize {
        let cut = |circle: &Circle| (circle.shown.len() as u64) < circle.total;
        let less =
            |spot: &&SpotOut| !spot.whole || cut(&spot.callers) || cut(&spot.callees) || cut(&spot.types);
        self.spots.iter().filter(less).count()
    }

    pub(super) fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.spots.is_empty() {
            return page.line(Tone::Warn, &format!("nothing here is about `{}`", self.task));
        }
        for (at, spot) in self.spots.iter().enumerate() {
            if at > 0 {
                page.end()?;
            }
            spot.write(page)?;
        }
        Ok(())
    }
}

impl SpotOut {
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
            callers: Circle::default(),
            callees: Circle::default(),
            types: Circle::default(),
            tests: Vec::new(),
        })
    }

    fn heading(&self) -> String {
        let name = self.handle.rsplit_once('#').map_or("", |(_, name)| name);
        format!("{}:{}-{}  {} {name}", self.path, self.start_line, self.end_line, self.kind)
    }

    /// Puts source and surroundings into the room there is, and takes it.
    fn fill(
        &mut self,
        snapshot: &Snapshot,
        view: &GraphView<'_>,
        hit: &SearchHit,
        analysis: &Analysis,
        room: &mut usize,
        tests: bool,
    ) -> Result<(), ToolError> {
        let mut share = *room * SOURCE_SHARE / 100;
        *room -= share;
        self.read(snapshot, hit, analysis, &mut share)?;
        *room += share;
        let Some(symbol) = hit.symbol else { return Ok(()) };
        let part = (hit.kind != ChunkKind::Symbol).then_some(hit.first_line..=hit.last_line);
        let Around { callers, callees, types, tests } =
            around::look(view, NodeId::from(symbol), part.as_ref(), tests)?;
        self.callers = Circle::fit(callers, room);
        for test in tests {
            let cost = tokens(&test_line(&test));
            if cost <= *room {
                *room -= cost;
                self.tests.push(test);
            }
        }
        self.callees = Circle::fit(callees, room);
        self.types = Circle::fit(types, room);
        Ok(())
    }

    /// All lines if they fit, else those most worth reading.
    fn read(
        &mut self,
        snapshot: &Snapshot,
        hit: &SearchHit,
        analysis: &Analysis,
        room: &mut usize,
    ) -> Result<(), ToolError> {
        let Some(file) = snapshot.file(&hit.path)? else { return Ok(()) };
        let span = Span { first_line: hit.first_line, last_line: hit.last_line, ..Span::default() };
        // A file that cannot be read now still has its place in the answer.
        let Ok(source) = snapshot.source(&file, span, 0) else { return Ok(()) };
        let whole = LinesOut::new(source.first_line, &source.lines);
        if cost(&whole) <= *room {
            *room -= cost(&whole);
            self.source = vec![whole];
            self.whole = true;
            return Ok(());
        }
        for most in EXCERPT_LINES {
            let excerpts = snapshot.shown(hit, analysis, most)?.excerpts.into_iter();
            let lines: Vec<LinesOut> = excerpts.map(LinesOut::from).collect();
            let cost: usize = lines.iter().map(cost).sum();
            if cost <= *room {
                *room -= cost;
                self.source = lines;
                break;
            }
        }
        Ok(())
    }

    fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Path, &format!("{}:{}-{}", self.path, self.start_line, self.end_line))?;
        page.plain("  ")?;
        page.put(Tone::Kind, self.kind)?;
        if let Some((_, name)) = self.handle.rsplit_once('#') {
            page.plain(" ")?;
            page.put(Tone::Name, name)?;
        }
        page.end()?;
        for (at, lines) in self.source.iter().enumerate() {
            if at > 0 {
                page.line(Tone::Dim, "…")?;
            }
            page.excerpt(&Excerpt { path: &self.path, first_line: lines.line, text: &lines.text })?;
        }
        self.callers.write("callers", page)?;
        for (at, test) in self.tests.iter().enumerate() {
            page.put(Tone::Dim, &format!("  {:<10}", if at == 0 { "tests" } else { "" }))?;
            page.line(Tone::Plain, &test_line(test))?;
        }
        self.callees.write("calls", page)?;
        self.types.write("types", page)
    }
}

/// What lines take of the budget.
fn cost(lines: &LinesOut) -> usize {
    // Each line has its number in front of it.
    tokens(&lines.text) + 3 * lines.text.lines().count()
}

fn test_line(test: &Route) -> String {
    let place = test.steps.first().map(|step| step.node.anchor()).unwrap_or_default();
    format!("{place}  {}", test.chain())
}
