//! A symbol as every operation shows it.

use crate::page::{Page, Tone};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// A symbol: enough to recognise it and to ask for it again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolLine {
    /// Its address: `src/server.go#Server.Run`. Give it to `show`.
    pub handle: String,
    /// Its own name.
    pub name: String,
    /// Its name with those of its containers.
    pub qualified: String,
    /// What it is.
    pub kind: String,
    /// The language of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its file.
    pub path: String,
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub last_line: u32,
    /// Its header as written.
    pub signature: String,
    /// How it fits what was asked: `exact`, `prefix`, `word` or `fuzzy`. A fuzzy one is a suggestion, not an answer.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matched: Option<&'static str>,
}

impl SymbolLine {
    /// One line: where it is, what it is, what it is called, and its header.
    pub(crate) fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Path, &format!("{}:{}", self.path, self.line))?;
        page.plain("  ")?;
        self.write_what(page)
    }

    /// The same with the handle in front, for choosing among several.
    pub(crate) fn write_handle(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Path, &self.handle)?;
        page.put(Tone::Dim, &format!("  line {}  ", self.line))?;
        self.write_what(page)
    }

    fn write_what(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Kind, &self.kind)?;
        page.plain(" ")?;
        page.put(Tone::Name, &self.qualified)?;
        if !self.signature.is_empty() && self.signature != self.qualified {
            page.put(Tone::Dim, &format!("  {}", shortened(&self.signature)))?;
        }
        page.end()
    }
}

/// A header can be long; a line of a list should not be.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
