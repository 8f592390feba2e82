//! Versions of a file: the symbols of any content.

use crate::extraction::{self, Language};
use orient_model::{Handle, RepoPath, SymbolKind, Visibility};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A symbol in a version of a file.
#[derive(Clone, Debug)]
pub struct SymbolVersion {
    /// Its qualified name: `Server.run`.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// Its first line, from one.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The header as written, white space folded.
    pub signature: String,
    /// The documentation.
    pub doc: Option<String>,
    /// Hash of the definition's text.
    pub(crate) text: u64,
    /// Hash of the text without the header.
    pub(crate) body: u64,
    content: Arc<Vec<u8>>,
    body_range: Range<usize>,
    /// Computed on first use: most symbols have a namesake and are never compared by their body.
    shingles: OnceLock<Vec<u64>>,
}

/// The symbols of a version of a file, in the order of the source.
#[derive(Clone, Debug, Default)]
pub struct FileVersion {
    /// The symbols.
    pub symbols: Vec<SymbolVersion>,
}

impl SymbolVersion {
    /// Its own name, without container.
    pub fn own_name(&self) -> String {
        Handle::split(&self.name).pop().unwrap_or_default()
    }

    /// The shingles of the body, sorted.
    pub(crate) fn shingles(&self) -> &[u64] {
        self.shingles.get_or_init(|| crate::symbol_identity::shingles(&self.content[self.body_range.clone()]))
    }

    /// Length of the body in bytes.
    pub(crate) fn body_length(&self) -> usize {
        self.body_range.len()
    }
}

impl FileVersion {
    /// Extracts the symbols of a content. The path selects the language.
    pub fn extract(path: &RepoPath, content: &Arc<Vec<u8>>) -> Self {
        let Some(language) = Language::detect(path, content) else { return Self::default() };
        let outline = extraction::facts(Some(language), path, content).outline;
        let range = |start: u32, end: u32| {
            let end = (end as usize).min(content.len());
            (start as usize).min(end)..end
        };
        let symbols = (0..).zip(&outline.symbols).map(|(at, symbol)| {
            let span = symbol.span;
            let body_range = match symbol.body {
                Some(body) => range(body.start, body.end),
                None => range(symbol.header.end.max(span.start), span.end),
            };
            SymbolVersion {
                name: Handle::join(outline.qualified(at)),
                kind: symbol.kind,
                visibility: symbol.visibility,
                first_line: span.first_line,
                last_line: span.last_line,
                signature: outline.strings.get(symbol.signature).to_owned(),
                doc: symbol.doc.map(|doc| outline.strings.get(doc).to_owned()),
                text: hash(&content[range(span.start, span.end)]),
                body: hash(&content[body_range.clone()]),
                content: Arc::clone(content),
                body_range,
                shingles: OnceLock::new(),
            }
        });
        Self { symbols: symbols.collect() }
    }

    /// The name of the language of a file with this path.
    pub fn language(path: &RepoPath) -> Option<&'static str> {
        Language::detect(path, b"").map(Language::name)
    }

    /// Whether a file of this name may have symbols.
    pub fn is_code(path: &RepoPath) -> bool {
        Language::detect(path, b"").is_some()
    }

    /// The symbol with a qualified name and kind.
    pub fn find(&self, name: &str, kind: SymbolKind) -> Option<&SymbolVersion> {
        self.symbols.iter().find(|symbol| symbol.kind == kind && symbol.name == name)
    }
}

pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
