//! Prepares the rows of a file: the part of an outline that is searched, without what is only shown.
//!
//! The extracting threads do this, so that the single writing thread has little left to do. Comparing two summaries of a
//! file shows what an edit changed.

use crate::codec::{self, CodecError, Encoded};
use orient_model::{Atom, ChunkKind, IssueKind, Outline, Strings, SymbolKind, Visibility};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Represents a missing index into an outline.
pub(crate) const NONE: u32 = u32::MAX;

/// The facts of a file, ready to be written: the encoded outline and a summary for its rows.
#[derive(Clone, Debug)]
pub struct PreparedFile {
    pub(crate) outline: Encoded,
    pub(crate) digest: OutlineSummary,
}

impl PreparedFile {
    /// Prepares an outline.
    pub fn new(outline: &Outline) -> Self {
        Self { outline: codec::encode_outline(outline), digest: OutlineSummary::of(outline) }
    }

    /// Prepares an encoded outline from the cache. Returns the decoded outline as well.
    pub fn from_encoded(outline: Encoded) -> Result<(Self, Outline), CodecError> {
        let decoded = codec::decode_outline(outline.as_bytes())?;
        let digest = OutlineSummary::of(&decoded);
        Ok((Self { outline, digest }, decoded))
    }

    /// The encoded outline.
    pub fn outline(&self) -> &Encoded {
        &self.outline
    }

    /// The number of symbols.
    pub fn symbols(&self) -> usize {
        self.digest.symbols.len()
    }

    /// Whether its text says that it is generated.
    pub fn generated(&self) -> bool {
        self.digest.generated
    }
}

/// What the rows of a file consist of.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutlineSummary {
    /// The distinct names used below.
    pub(crate) names: Strings,
    pub(crate) symbols: Vec<SymbolSummary>,
    /// Sorted and distinct.
    pub(crate) tags: Vec<TagSummary>,
    pub(crate) chunks: Vec<ChunkSummary>,
    pub(crate) lines: u32,
    pub(crate) issues: u32,
    pub(crate) generated: bool,
    /// Whether it is a project file.
    pub(crate) is_project_file: bool,
    /// Whether the parser gave up.
    pub(crate) unparsed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolSummary {
    /// A hash of qualified name, kind and ordinal, which identify a symbol across edits.
    pub(crate) key: u64,
    /// An index into the names of the summary.
    pub(crate) name: u32,
    pub(crate) parent: u32,
    pub(crate) kind: SymbolKind,
    pub(crate) visibility: Visibility,
    pub(crate) modifiers: u32,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum TagKind {
    Attribute = 0,
    Base = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TagSummary {
    /// An index into the names of the summary.
    pub(crate) name: u32,
    pub(crate) what: TagKind,
    /// The index of the symbol in the outline.
    pub(crate) symbol: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkSummary {
    pub(crate) kind: ChunkKind,
    /// The index of the symbol in the outline.
    pub(crate) symbol: u32,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

impl ChunkSummary {
    pub(crate) fn same_lines(&self, other: &Self) -> bool {
        (self.first_line, self.last_line) == (other.first_line, other.last_line)
    }
}

/// Whether an issue means that the file has no known structure.
fn gives_up(issue: IssueKind) -> bool {
    matches!(issue, IssueKind::Budget | IssueKind::Failed)
}

impl OutlineSummary {
    pub(crate) fn of(outline: &Outline) -> Self {
        let mut names = Names::new(outline);
        let mut digest = Self {
            symbols: Vec::with_capacity(outline.symbols.len()),
            lines: outline.lines,
            issues: outline.issues.len() as u32,
            generated: outline.generated,
            is_project_file: !outline.manifest.is_empty(),
            unparsed: outline.issues.iter().any(|issue| gives_up(issue.kind)),
            ..Self::default()
        };
        let mut scopes: Vec<u64> = Vec::with_capacity(outline.symbols.len());
        for (at, symbol) in outline.symbols.iter().enumerate() {
            let parent = symbol.parent.filter(|&parent| (parent as usize) < at).unwrap_or(NONE);
            let scope = hash(&(
                scopes.get(parent as usize).copied().unwrap_or_default(),
                symbol.qualifier.map(|qualifier| outline.strings.get(qualifier)),
                outline.strings.get(symbol.name),
            ));
            scopes.push(scope);
            digest.symbols.push(SymbolSummary {
                key: hash(&(scope, symbol.kind as u8, symbol.ordinal)),
                name: names.atom(symbol.name),
                parent,
                kind: symbol.kind,
                visibility: symbol.visibility,
                modifiers: symbol.modifiers.0,
                first_line: symbol.span.first_line,
                last_line: symbol.span.last_line,
            });
            for &attribute in &symbol.attributes {
                names.tag(attribute, TagKind::Attribute, at as u32, &mut digest.tags);
            }
            for base in &symbol.bases {
                let name = names.atom(base.name);
                digest.tags.push(TagSummary { name, what: TagKind::Base, symbol: at as u32 });
                names.tag(base.text, TagKind::Base, at as u32, &mut digest.tags);
            }
        }
        digest.tags.sort_unstable();
        digest.tags.dedup();
        digest.chunks.extend(outline.chunks.iter().map(|chunk| ChunkSummary {
            kind: chunk.kind,
            symbol: chunk.symbol.filter(|&s| (s as usize) < outline.symbols.len()).unwrap_or(NONE),
            first_line: chunk.span.first_line,
            last_line: chunk.span.last_line,
        }));
        digest.names = names.table;
        digest
    }

    pub(crate) fn name(&self, index: u32) -> &str {
        self.names.get(Atom(index))
    }
}

/// A hash that is only compared within this process and never stored.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The names of a summary while it is built.
struct Names<'o> {
    strings: &'o Strings,
    table: Strings,
    /// The number of each atom. The strings of an outline need not be distinct.
    by_atom: Vec<u32>,
    by_text: HashMap<&'o str, u32>,
}

impl<'o> Names<'o> {
    fn new(outline: &'o Outline) -> Self {
        let by_atom = vec![NONE; outline.strings.len()];
        Self { strings: &outline.strings, table: Strings::default(), by_atom, by_text: HashMap::new() }
    }

    fn atom(&mut self, atom: Atom) -> u32 {
        if let Some(&known) = self.by_atom.get(atom.0 as usize).filter(|&&known| known != NONE) {
            return known;
        }
        let number = self.word(self.strings.get(atom));
        if let Some(unknown) = self.by_atom.get_mut(atom.0 as usize) {
            *unknown = number;
        }
        number
    }

    fn word(&mut self, word: &'o str) -> u32 {
        *self.by_text.entry(word).or_insert_with(|| self.table.push(word).0)
    }

    fn tag(&mut self, atom: Atom, what: TagKind, symbol: u32, tags: &mut Vec<TagSummary>) {
        for word in tag_words(self.strings.get(atom)) {
            let name = self.word(word);
            tags.push(TagSummary { name, what, symbol });
        }
    }
}

/// The names under which an attribute or base is found: `app.route` and `route` for `app.route("/")`.
fn tag_words(text: &str) -> impl Iterator<Item = &str> {
    let is_name =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '-' | '.' | ':' | '\\' | '/' | '@');
    let text = text.trim_start();
    let whole = &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())];
    let whole = whole.trim_end_matches(['.', ':', '\\', '/', '-']);
    let last = whole.rsplit(['.', ':', '\\', '/', '@']).next().unwrap_or_default();
    let both = if last == whole { [whole, ""] } else { [whole, last] };
    both.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_its_qualified_name_and_its_last_component() {
        let words = |text| tag_words(text).collect::<Vec<_>>();
        assert_eq!(words("app.route(\"/x\", methods=[\"GET\"])"), ["app.route", "route"]);
        assert_eq!(words("tokio::test"), ["tokio::test", "test"]);
        assert_eq!(words("Override"), ["Override"]);
        assert_eq!(words("List<Map<String, V>>"), ["List"]);
        assert_eq!(words("(weird)"), [""; 0]);
    }
}
