//! The symbol that a query names exactly: signature, place, counts and first lines instead of ranked hits.

use crate::answer::symbol_line::{SymbolLine, shortened};
use crate::arguments::symbol_lookup::{ResolvedSymbol, is_code, resolve_symbol};
use crate::error::ToolError;
use crate::graph::call_tree::called_nodes;
use crate::operations::source_lines::SourceLines;
use crate::text::number_format::plural;
use crate::text::token_estimate::tokens;
use crate::text::writer::{Excerpt, Style, TextWriter};
use orient_engine::{Edges, NodeId, Snapshot};
use orient_model::{Confidence, EdgeKind, Span};
use serde::Serialize;
use std::io;

/// Maximum number of source lines.
const MAX_LINES: u32 = 6;
/// Maximum number of tokens of the source lines.
const MAX_SOURCE_TOKENS: usize = 55;

/// The only symbol of a name.
#[derive(Serialize)]
pub(crate) struct NamedSymbol {
    /// The symbol.
    #[serde(flatten)]
    symbol: SymbolLine,
    /// Number of proven uses.
    uses: u64,
    /// Number of symbols inside it.
    members: u64,
    /// Its first lines.
    source: SourceLines,
}

impl NamedSymbol {
    /// The symbol that a text names, if it is the only one; with the note about declarations and namesakes that are not code.
    pub(crate) fn of(snapshot: &Snapshot, text: &str) -> Result<Option<(Self, Option<String>)>, ToolError> {
        if text.contains(char::is_whitespace) {
            return Ok(None);
        }
        let Ok(subject) = resolve_symbol(snapshot, text)? else { return Ok(None) };
        if !is_code(subject.definition.kind) {
            return Ok(None);
        }
        let note = subject.note();
        Ok(Some((Self::new(snapshot, subject)?, note)))
    }

    fn new(snapshot: &Snapshot, subject: ResolvedSymbol) -> Result<Self, ToolError> {
        let view = snapshot.graph();
        let mut uses = 0;
        for node in called_nodes(&view, &subject)? {
            let proven = |edge: &&orient_engine::EdgeRow| {
                edge.confidence < Confidence::Approximate && edge.kind != EdgeKind::Dispatches
            };
            uses += view.incoming(node)?.iter().filter(proven).count() as u64;
        }
        let definition = subject.definition;
        let members = view.members(NodeId::from(definition.id))?.len() as u64 - 1;
        let span = definition.span;
        let last_line = span.last_line.min(span.first_line + MAX_LINES - 1);
        let mut source = SourceLines::new(span.first_line, &[]);
        if let Some(file) = snapshot.file(&definition.path)? {
            let mut left = MAX_SOURCE_TOKENS;
            let lines = snapshot.source(&file, Span { last_line, ..span }, 0)?.lines;
            let fitting = lines.into_iter().map(|line| shortened(&line)).take_while(|line| {
                let cost = tokens(line) + 2;
                let fits = cost <= left;
                left = left.saturating_sub(cost);
                fits
            });
            source = SourceLines::new(span.first_line, &fitting.collect::<Vec<_>>());
        }
        Ok(Self { symbol: SymbolLine::new(definition, Some("exact")), uses, members, source })
    }

    /// Writes place, kind and name, the first lines, and the counts.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let symbol = &self.symbol;
        writer.put(Style::Path, &format!("{}:{}-{}", symbol.path, symbol.line, symbol.last_line))?;
        writer.plain("  ")?;
        writer.put(Style::Kind, &symbol.kind)?;
        writer.plain(" ")?;
        writer.put(Style::Name, &symbol.qualified)?;
        writer.end_line()?;
        let is_in_source = !symbol.signature.is_empty() && {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            words(&self.source.text).contains(&words(&symbol.signature))
        };
        if !is_in_source && !symbol.signature.is_empty() {
            writer.line(Style::Dim, &format!("  {}", shortened(&symbol.signature)))?;
        }
        let excerpt = Excerpt { path: &symbol.path, first_line: self.source.line, text: &self.source.text };
        if !writer.delegate_excerpt(&excerpt)? {
            for (number, line) in (self.source.line..).zip(self.source.text.lines()) {
                writer.put(Style::Number, &format!("{number}"))?;
                writer.plain(&format!(" {line}"))?;
                writer.end_line()?;
            }
        }
        let mut counts = vec![plural(self.uses, "verified use", "verified uses")];
        if self.members > 0 {
            counts.push(plural(self.members, "member", "members"));
        }
        writer.line(Style::Dim, &format!("  {}", counts.join(", ")))
    }
}
