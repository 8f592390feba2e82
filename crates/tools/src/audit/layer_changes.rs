//! What the compiler layer changes, as an answer.

use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{LayerAudit, LayerEdge};
use serde::Serialize;
use std::io;

/// The edges that the compiler layer confirms, adds and drops.
#[derive(Serialize)]
pub(crate) struct LayerChanges {
    /// The programs that said it.
    tools: Vec<String>,
    /// Number of files that the layers cover.
    files: u64,
    /// Number of edges that the compiler and our rules agree on.
    confirmed: u64,
    /// Number of edges of our rules about which the compiler says nothing.
    kept: u64,
    /// Number of edges that only the compiler knows.
    added: u64,
    /// Number of edges of our rules that the compiler contradicts.
    dropped: u64,
    /// The first added edges.
    added_edges: Vec<LayerEdgeLine>,
    /// The first dropped edges.
    dropped_edges: Vec<LayerEdgeLine>,
}

/// An edge that the layer adds or drops.
#[derive(Serialize)]
struct LayerEdgeLine {
    /// The file of the use.
    path: String,
    /// The line of the use.
    line: u32,
    /// The kind of edge.
    kind: &'static str,
    /// The target: its file and its qualified name.
    target: String,
    /// The rule that proved it.
    rule: &'static str,
}

impl LayerChanges {
    pub(crate) fn of(audit: &LayerAudit, tools: Vec<String>, show: usize) -> Self {
        let lines = |edges: &[LayerEdge]| edges.iter().take(show).map(LayerEdgeLine::of).collect();
        Self {
            tools,
            files: audit.files,
            confirmed: audit.confirmed,
            kept: audit.kept,
            added: audit.added.len() as u64,
            dropped: audit.dropped.len() as u64,
            added_edges: lines(&audit.added),
            dropped_edges: lines(&audit.dropped),
        }
    }

    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let files = plural(self.files, "covered file", "covered files");
        writer.line(
            Style::Head,
            &format!(
                "{files}: {} edges confirmed, {} added, {} dropped, {} that the compiler says nothing about",
                count(self.confirmed),
                count(self.added),
                count(self.dropped),
                count(self.kept)
            ),
        )?;
        writer.line(Style::Dim, &format!("  said by {}", self.tools.join(", ")))?;
        for (head, edges) in [("added", &self.added_edges), ("dropped", &self.dropped_edges)] {
            if !edges.is_empty() {
                writer.line(Style::Head, head)?;
            }
            for edge in edges {
                writer.put(Style::Path, &format!("  {}:{}", edge.path, edge.line))?;
                writer.plain(&format!("  {} ", edge.kind))?;
                writer.put(Style::Name, &edge.target)?;
                writer.line(Style::Dim, &format!("  {}", edge.rule))?;
            }
        }
        Ok(())
    }
}

impl LayerEdgeLine {
    fn of(edge: &LayerEdge) -> Self {
        let (path, name) = &edge.target;
        let path = path.display();
        Self {
            path: edge.path.display().into_owned(),
            line: edge.line,
            kind: edge.kind.as_str(),
            target: if name.is_empty() { path.into_owned() } else { format!("{path}#{name}") },
            rule: edge.rule.as_str(),
        }
    }
}
