//! Versions of a file: the symbols of any content.

use crate::extraction::{self, Language};
use orient_model::{Handle, RepoPath, SymbolKind, Visibility};
use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A shorter body is parsed: leaving it out gains nothing.
const MIN_ELIDED: usize = 64;

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
    span: Range<usize>,
    body_range: Range<usize>,
    /// Computed on first use: most symbols have a namesake and are never compared by their body.
    shingles: OnceLock<Vec<u64>>,
}

/// The symbols of a version of a file, in the order of the source.
#[derive(Clone, Debug, Default)]
pub struct FileVersion {
    /// The symbols.
    pub symbols: Vec<SymbolVersion>,
    /// Whether all of it was parsed.
    is_parsed: bool,
    content: Arc<Vec<u8>>,
}

/// Bytes that a content shares with another version of the file.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes {
    /// Where they start in the other version.
    pub other: usize,
    /// Where they start in the content.
    pub start: usize,
    /// Their number.
    pub length: usize,
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
        Self::extract_without(path, content, &Elisions::default())
    }

    /// Like [`Self::extract`], given another version of the file and the bytes that both share, in order. The bodies of
    /// functions that both share are not parsed again, which is most of a file whose history is read. Where the parser reports errors,
    /// how it recovers depends on all of the text, so everything is parsed.
    pub fn extract_beside(
        path: &RepoPath,
        content: &Arc<Vec<u8>>,
        other: &Self,
        shared: &[SharedBytes],
    ) -> Self {
        if !other.is_parsed {
            return Self::extract(path, content);
        }
        let bodies = other.function_bodies().filter_map(|(symbol, body)| {
            let after = shared.partition_point(|block| block.other <= body.start);
            let block = shared.get(after.checked_sub(1)?)?;
            let is_shared = body.end <= block.other + block.length;
            is_shared.then(|| {
                (symbol, body.start - block.other + block.start..body.end - block.other + block.start)
            })
        });
        let version = Self::extract_without(path, content, &Elisions::new(content, bodies));
        if version.is_parsed { version } else { Self::extract(path, content) }
    }

    /// What is inside the braces of functions in which nothing else is defined.
    fn function_bodies(&self) -> impl Iterator<Item = (&SymbolVersion, Range<usize>)> {
        let next_starts = self.symbols.iter().skip(1).map(|symbol| symbol.span.start);
        let next_starts = next_starts.chain(std::iter::once(usize::MAX));
        self.symbols.iter().zip(next_starts).filter_map(|(symbol, next)| {
            let body = &symbol.body_range;
            let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
            let text = self.content.get(body.clone())?;
            let is_braced = text.len() >= MIN_ELIDED && text.starts_with(b"{") && text.ends_with(b"}");
            (is_function && is_braced && next >= body.end).then(|| (symbol, body.start + 1..body.end - 1))
        })
    }

    /// Extracts the symbols of a content of which some bodies are not parsed.
    fn extract_without(path: &RepoPath, content: &Arc<Vec<u8>>, elisions: &Elisions<'_>) -> Self {
        let Some(language) = Language::detect(path, content) else { return Self::default() };
        let outline = extraction::facts(Some(language), path, &elisions.apply(content)).outline;
        let range = |start: u32, end: u32| {
            // The end is where the last byte is, plus one: a body that is left out may begin right there.
            let end = if end > start {
                elisions.before(end - 1).offset(end - 1) + 1
            } else {
                elisions.before(end).offset(end)
            };
            let end = end.min(content.len());
            elisions.before(start).offset(start).min(end)..end
        };
        let symbols = (0..).zip(&outline.symbols).map(|(at, symbol)| {
            let span = symbol.span;
            let body_range = match symbol.body {
                Some(body) => range(body.start, body.end),
                None => range(symbol.header.end.max(span.start), span.end),
            };
            let elided = elisions.body_at(body_range.start);
            let span_range = range(span.start, span.end);
            SymbolVersion {
                name: Handle::join(outline.qualified(at)),
                kind: elided.map_or(symbol.kind, |other| other.kind),
                visibility: symbol.visibility,
                first_line: span.first_line + elisions.before(span.start).lines,
                last_line: span.last_line + elisions.before(span.end.saturating_sub(1)).lines,
                signature: outline.strings.get(symbol.signature).to_owned(),
                doc: symbol.doc.map(|doc| outline.strings.get(doc).to_owned()),
                text: hash(&content[span_range.clone()]),
                body: elided.map_or_else(|| hash(&content[body_range.clone()]), |other| other.body),
                content: Arc::clone(content),
                span: span_range,
                body_range,
                shingles: OnceLock::new(),
            }
        });
        Self {
            symbols: symbols.collect(),
            is_parsed: outline.issues.is_empty(),
            content: Arc::clone(content),
        }
    }

    /// The whole content.
    pub fn content(&self) -> &[u8] {
        &self.content
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

/// Bodies that are left out of what is parsed.
#[derive(Default)]
struct Elisions<'v> {
    elisions: Vec<Elision<'v>>,
}

/// A body that is left out, and what is left out up to its end.
struct Elision<'v> {
    /// Where it is, in the content.
    range: Range<usize>,
    /// Where it would start, in what is parsed.
    at: usize,
    until: Elided,
    /// The function in the other version.
    other: &'v SymbolVersion,
}

/// What is left out before a place.
#[derive(Clone, Copy, Default)]
struct Elided {
    bytes: usize,
    lines: u32,
}

impl Elided {
    fn offset(self, parsed: u32) -> usize {
        parsed as usize + self.bytes
    }
}

impl<'v> Elisions<'v> {
    fn new(content: &[u8], bodies: impl Iterator<Item = (&'v SymbolVersion, Range<usize>)>) -> Self {
        let mut elisions: Vec<Elision<'v>> = Vec::new();
        let mut until = Elided::default();
        for (other, range) in bodies {
            let is_in_order = elisions.last().is_none_or(|last| last.range.end <= range.start);
            let Some(text) = content.get(range.clone()).filter(|_| is_in_order) else { continue };
            let at = range.start - until.bytes;
            until.bytes += text.len();
            until.lines += memchr::memchr_iter(b'\n', text).count() as u32;
            elisions.push(Elision { range, at, until, other });
        }
        Self { elisions }
    }

    /// The content without the bodies.
    fn apply<'c>(&self, content: &'c [u8]) -> Cow<'c, [u8]> {
        if self.elisions.is_empty() {
            return Cow::Borrowed(content);
        }
        let mut left = Vec::new();
        let mut at = 0;
        for elision in &self.elisions {
            left.extend_from_slice(&content[at..elision.range.start]);
            at = elision.range.end;
        }
        left.extend_from_slice(&content[at..]);
        Cow::Owned(left)
    }

    /// What is left out before a byte of what is parsed.
    fn before(&self, parsed: u32) -> Elided {
        let after = self.elisions.partition_point(|elision| elision.at <= parsed as usize);
        after.checked_sub(1).map_or_else(Elided::default, |last| self.elisions[last].until)
    }

    /// The function in the other version whose body, from its brace on, is left out here.
    fn body_at(&self, start: usize) -> Option<&'v SymbolVersion> {
        let found = self.elisions.binary_search_by_key(&(start + 1), |elision| elision.range.start).ok()?;
        Some(self.elisions[found].other)
    }
}

pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that is compared between versions.
    fn described(version: &FileVersion) -> Vec<String> {
        let row = |symbol: &SymbolVersion| {
            let SymbolVersion { name, kind, first_line, last_line, signature, doc, text, body, .. } = symbol;
            format!(
                "{name} {kind:?} {first_line}-{last_line} {signature} {doc:?} {text} {body} {:?}",
                symbol.shingles()
            )
        };
        version.symbols.iter().map(row).collect()
    }

    /// Extracts `content` beside a version from which only the line `changed` differs.
    fn beside(path: &str, content: &str, changed: &str) {
        let path = RepoPath::from(path);
        let other_text = content.replacen(changed, "    int other = 1; // inserted\n\n", 1);
        assert_ne!(content, other_text, "the line is there");
        let (head, tail) = content.split_once(changed).expect("the line is there");
        let content = Arc::new(content.as_bytes().to_vec());
        let other = FileVersion::extract(&path, &Arc::new(other_text.as_bytes().to_vec()));
        let start = content.len() - tail.len();
        let shared = [
            SharedBytes { other: 0, start: 0, length: head.len() },
            SharedBytes { other: other_text.len() - tail.len(), start, length: tail.len() },
        ];
        let bodies = other.function_bodies().count();
        assert!(bodies >= 2, "{}: {bodies} bodies can be left out", path.display());
        let version = FileVersion::extract_beside(&path, &content, &other, &shared);
        assert_eq!(described(&version), described(&FileVersion::extract(&path, &content)));
    }

    #[test]
    fn symbols_extracted_beside_another_version_are_those_of_the_whole_content() {
        let body = "{\n    step(1);\n    if (ready()) {\n        again(\"}\");\n    }\n    step(2);\n    step(3); /* a longer body */\n}\n";
        let c = format!(
            "#include <a.h>\n/* First. */\nint first(int a) {body}\nstruct point {{ int x; }};\n\n/* Second. */\nstatic int second(void) {{\n    int here = 2;\n    use(here);\n    use(here + here + here + here + here + here);\n}}\n\nint third() {body}"
        );
        beside("a.c", &c, "    int here = 2;\n");
        let java = format!(
            "class Shop {{\n    int here = 2;\n    /** Buys. */\n    void buy() {body}\n    void sell() {body}\n    class Cart {{\n        void add() {body}    }}\n}}\n"
        );
        beside("Shop.java", &java, "    int here = 2;\n");
    }

    #[test]
    fn after_a_syntax_error_the_symbols_are_still_those_of_the_whole_content() {
        let body = "{\n    step(1);\n    step(2);\n    step(3); /* a body that is long enough to be left out */\n}\n";
        let broken = format!(
            "int first(int a) {body}\n    int here = 2;\nint lost( {{\nint second(void) {body}\nint third() {body}"
        );
        beside("a.c", &broken, "    int here = 2;\n");
    }
}
