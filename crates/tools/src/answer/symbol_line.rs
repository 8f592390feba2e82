//! A symbol as every operation shows it.

use crate::error::ToolError;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Definition, DefinitionQuery, NameMatch, Snapshot};
use orient_model::Handle;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A symbol: enough to recognise it and to ask for it again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct SymbolLine {
    /// Its address: `src/server.go#Server.Run`. Give it to `show`.
    pub(crate) handle: String,
    /// Its own name.
    pub(crate) name: String,
    /// Its name with those of its containers.
    pub(crate) qualified: String,
    /// What it is.
    pub(crate) kind: String,
    /// The language of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<String>,
    /// Its file.
    pub(crate) path: String,
    /// Its first line.
    pub(crate) line: u32,
    /// Its last line.
    pub(crate) last_line: u32,
    /// Its header as written.
    pub(crate) signature: String,
    /// How it fits what was asked: `exact`, `case`, `prefix`, `word` or `fuzzy`. A fuzzy one is a suggestion, not an answer.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub(crate) matched: Option<&'static str>,
}

impl SymbolLine {
    /// A definition, and how it fits what was asked.
    pub(crate) fn new(definition: Definition, matched: Option<&'static str>) -> Self {
        Self {
            qualified: Handle::join(definition.handle.names.iter().map(String::as_str)),
            handle: definition.handle.to_string(),
            name: definition.name,
            kind: definition.kind.as_str().to_owned(),
            language: definition.language,
            path: definition.path.display().into_owned(),
            line: definition.span.first_line,
            last_line: definition.span.last_line,
            signature: definition.signature,
            matched,
        }
    }

    /// One line: where it is, what it is, what it is called, and its header.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}", self.path, self.line))?;
        writer.plain("  ")?;
        writer.put(Style::Kind, &self.kind)?;
        writer.plain(" ")?;
        writer.put(Style::Name, &self.qualified)?;
        self.write_header(writer)
    }

    /// The same with the handle in place of the name, for choosing among several.
    pub(crate) fn write_handle(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &self.handle)?;
        writer.put(Style::Dim, &format!("  line {}  ", self.line))?;
        writer.put(Style::Kind, &self.kind)?;
        self.write_header(writer)
    }

    fn write_header(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let said = [self.name.clone(), format!("{} {}", self.kind, self.name)];
        if !self.signature.is_empty() && !said.contains(&self.signature) {
            writer.put(Style::Dim, &format!("  {}", shortened(&self.signature)))?;
        }
        writer.end_line()
    }
}

/// The symbols that bear these names, as suggestions: a few of each, since one common name would hide the others.
pub(crate) fn suggestions(
    snapshot: &Snapshot,
    filters: &DefinitionQuery,
    names: Vec<String>,
) -> Result<Vec<SymbolLine>, ToolError> {
    const OF_EACH: usize = 3;
    let mut found = Vec::new();
    for name in names {
        let query = DefinitionQuery { name: NameMatch::Exact(name), ..filters.clone() };
        let rows = snapshot.symbols(&query, 0, OF_EACH)?.rows;
        found.extend(rows.into_iter().map(|definition| SymbolLine::new(definition, Some("fuzzy"))));
    }
    Ok(found)
}

/// A header can be long; a line of a list should not be.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
