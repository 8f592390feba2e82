//! A symbol as answers show it: handle, kind, location and signature.

use crate::error::ToolError;
use crate::graph::symbol_roles::bracketed;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{Definition, DefinitionQuery, NameMatch, Snapshot};
use orient_model::{Handle, Modifier};
use serde::Serialize;
use std::io;

/// A symbol in a list.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SymbolLine {
    /// Its handle: `src/server.go#Server.Run`. `show` accepts it.
    pub(crate) handle: String,
    /// Its name.
    pub(crate) name: String,
    /// Its name with those of its containers: `Server.Run`.
    pub(crate) qualified: String,
    /// Its kind.
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
    /// Its signature as written.
    pub(crate) signature: String,
    /// Who may use it: public, protected, internal or private.
    pub(crate) visibility: &'static str,
    /// Its modifiers: static, async, abstract, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) modifiers: Vec<&'static str>,
    /// Its return or value type as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) returns: Option<String>,
    /// The types of its parameters as written; empty for one without a type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<String>,
    /// Its attributes, annotations or decorators as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) attributes: Vec<String>,
    /// What it inherits from, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bases: Vec<String>,
    /// What it is for: `handler`, `model`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<String>,
    /// How its name matches: `exact`, `case`, `prefix`, `word` or `fuzzy`. A fuzzy match is a suggestion, not an answer.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub(crate) matched: Option<&'static str>,
}

impl SymbolLine {
    /// A definition, and how its name matches.
    pub(crate) fn new(definition: Definition, matched: Option<&'static str>) -> Self {
        Self {
            kind: definition.shown_kind().as_str().to_owned(),
            qualified: Handle::join(definition.handle.names.iter().map(String::as_str)),
            handle: definition.handle.to_string(),
            name: definition.name,
            language: definition.language,
            path: definition.path.display().into_owned(),
            line: definition.span.first_line,
            last_line: definition.span.last_line,
            signature: definition.signature,
            visibility: definition.visibility.as_str(),
            modifiers: definition.modifiers.iter().map(Modifier::as_str).collect(),
            returns: definition.returns,
            parameters: definition.params.into_iter().map(|param| param.ty.unwrap_or_default()).collect(),
            attributes: definition.attributes,
            bases: definition.bases.into_iter().map(|(_, text)| text).collect(),
            roles: Vec::new(),
            matched,
        }
    }

    /// Puts its path below the name of its root.
    pub(crate) fn label(&mut self, root: &str) {
        self.handle = format!("{root}/{}", self.handle);
        self.path = format!("{root}/{}", self.path);
    }

    /// Writes one line: location, kind, qualified name, signature.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}", self.path, self.line))?;
        writer.plain("  ")?;
        writer.put(Style::Kind, &self.kind)?;
        writer.plain(" ")?;
        writer.put(Style::Name, &self.qualified)?;
        writer.put(Style::Dim, &bracketed(&self.roles, &self.kind))?;
        self.write_header(writer)
    }

    /// Writes one line with the handle instead of the name, for choosing among candidates.
    pub(crate) fn write_handle(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &self.handle)?;
        writer.put(Style::Dim, &format!("  line {}  ", self.line))?;
        writer.put(Style::Kind, &self.kind)?;
        self.write_header(writer)
    }

    fn write_header(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let redundant = [self.name.clone(), format!("{} {}", self.kind, self.name)];
        if !self.signature.is_empty() && !redundant.contains(&self.signature) {
            writer.put(Style::Dim, &format!("  {}", shortened(&self.signature)))?;
        }
        writer.end_line()
    }
}

/// Symbols with these names as suggestions: a few of each, since one common name would hide the others.
pub(crate) fn suggestions(
    snapshot: &Snapshot,
    filters: &DefinitionQuery,
    names: Vec<String>,
) -> Result<Vec<SymbolLine>, ToolError> {
    const MAX_OF_EACH: usize = 3;
    let mut found = Vec::new();
    for name in names {
        let query = DefinitionQuery { name: NameMatch::Exact(name), ..filters.clone() };
        let rows = snapshot.symbols(&query, 0, MAX_OF_EACH)?.rows;
        found.extend(rows.into_iter().map(|definition| SymbolLine::new(definition, Some("fuzzy"))));
    }
    Ok(found)
}

/// A signature shortened for a list.
pub(crate) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 100;
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
