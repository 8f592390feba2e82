//! What the rows of a file are made of: an outline without all that is only shown.
//!
//! Made on the extracting threads, so that the one writing thread has little left to do. Two digests of the same
//! file tell what an edit changed.

use crate::codec::{self, CodecError, Encoded};
use orient_model::{Atom, ChunkKind, IssueKind, Outline, Strings, SymbolKind, Visibility};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Stands for "none" among places in an outline.
pub(crate) const NONE: u32 = u32::MAX;

/// The facts of a file, ready to be written: its outline as bytes, and what the rows need of it.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) outline: Encoded,
    pub(crate) digest: Digest,
}

impl Prepared {
    /// Prepares an outline.
    pub fn new(outline: &Outline) -> Self {
        Self { outline: codec::encode_outline(outline), digest: Digest::of(outline) }
    }

    /// Prepares an outline that was encoded before, as it comes from the cache; gives the outline as well.
    pub fn from_encoded(outline: Encoded) -> Result<(Self, Outline), CodecError> {
        let decoded = codec::decode_outline(outline.as_bytes())?;
        let digest = Digest::of(&decoded);
        Ok((Self { outline, digest }, decoded))
    }

    /// The outline as bytes.
    pub fn outline(&self) -> &Encoded {
        &self.outline
    }

    /// How many symbols it has.
    pub fn symbols(&self) -> usize {
        self.digest.symbols.len()
    }

    /// Whether the text says that a program wrote it.
    pub fn generated(&self) -> bool {
        self.digest.generated
    }
}

/// What the rows of a file are made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest {
    /// The names below, each once.
    pub(crate) names: Strings,
    pub(crate) symbols: Vec<SymbolDigest>,
    /// Sorted, each once.
    pub(crate) tags: Vec<TagDigest>,
    pub(crate) chunks: Vec<ChunkDigest>,
    pub(crate) lines: u32,
    pub(crate) issues: u32,
    pub(crate) generated: bool,
    /// Whether it says where modules are.
    pub(crate) manifest: bool,
    /// Whether the parser gave up.
    pub(crate) unparsed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolDigest {
    /// Hash of qualified name, kind and ordinal: what makes it the same symbol after an edit.
    pub(crate) key: u64,
    /// Index into the names of the digest.
    pub(crate) name: u32,
    pub(crate) parent: u32,
    pub(crate) kind: SymbolKind,
    pub(crate) visibility: Visibility,
    pub(crate) modifiers: u32,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// What is said about a symbol by a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum TagKind {
    Attribute = 0,
    Base = 1,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TagDigest {
    /// Index into the names of the digest.
    pub(crate) name: u32,
    pub(crate) what: TagKind,
    /// Place of the symbol in the outline.
    pub(crate) symbol: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkDigest {
    pub(crate) kind: ChunkKind,
    /// Place of the symbol in the outline.
    pub(crate) symbol: u32,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

impl ChunkDigest {
    pub(crate) fn same_lines(&self, other: &Self) -> bool {
        (self.first_line, self.last_line) == (other.first_line, other.last_line)
    }
}

/// Whether an issue means that no structure was read from the file at all.
fn gives_up(issue: IssueKind) -> bool {
    matches!(issue, IssueKind::Budget | IssueKind::Failed)
}

impl Digest {
    pub(crate) fn of(outline: &Outline) -> Self {
        let mut names = Names::new(outline);
        let mut digest = Self {
            symbols: Vec::with_capacity(outline.symbols.len()),
            lines: outline.lines,
            issues: outline.issues.len() as u32,
            generated: outline.generated,
            manifest: !outline.manifest.is_empty(),
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
            digest.symbols.push(SymbolDigest {
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
                digest.tags.push(TagDigest { name, what: TagKind::Base, symbol: at as u32 });
                names.tag(base.text, TagKind::Base, at as u32, &mut digest.tags);
            }
        }
        digest.tags.sort_unstable();
        digest.tags.dedup();
        digest.chunks.extend(outline.chunks.iter().map(|chunk| ChunkDigest {
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

/// The hash is only compared with others of this process; it is not stored.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Names of a digest while it is made.
struct Names<'o> {
    strings: &'o Strings,
    table: Strings,
    /// What is known of an atom; the strings of an outline need not be unique.
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

    fn tag(&mut self, atom: Atom, what: TagKind, symbol: u32, tags: &mut Vec<TagDigest>) {
        for word in tag_words(self.strings.get(atom)) {
            let name = self.word(word);
            tags.push(TagDigest { name, what, symbol });
        }
    }
}

/// The names under which something written like `app.route("/")` is asked for: `app.route` and `route`.
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
    fn a_tag_is_found_by_its_whole_name_and_by_its_last_part() {
        let words = |text| tag_words(text).collect::<Vec<_>>();
        assert_eq!(words("app.route(\"/x\", methods=[\"GET\"])"), ["app.route", "route"]);
        assert_eq!(words("tokio::test"), ["tokio::test", "test"]);
        assert_eq!(words("Override"), ["Override"]);
        assert_eq!(words("List<Map<String, V>>"), ["List"]);
        assert_eq!(words("(weird)"), [""; 0]);
    }
}
