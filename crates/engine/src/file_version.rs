//! Versions of a file: the symbols of any content.

use crate::extraction::{self, Language};
use crate::shared_definitions::{RemainingText, SharedUnits, UnitRun};
use orient_model::{Handle, RepoPath, SymbolKind, Visibility};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

/// Unless this part of a content is shared with another version, all of it is parsed: a quarter.
const MIN_SHARED: usize = 4;

/// What a symbol is, wherever it stands: versions of a file share it while it does not change.
#[derive(Debug)]
pub struct DefinitionText {
    /// Its qualified name: `Server.run`.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// The header as written, white space folded.
    pub signature: String,
    /// The documentation.
    pub doc: Option<String>,
    /// Hash of the definition's text.
    pub(crate) text: u64,
    /// Hash of the text without the header.
    pub(crate) body: u64,
    /// Whether it has a body: a prototype has none.
    pub(crate) has_body: bool,
    /// Computed on first use: most symbols have a namesake and are never compared by their body.
    shingles: OnceLock<Vec<u64>>,
}

/// A symbol in a version of a file.
#[derive(Clone, Debug)]
pub struct SymbolVersion {
    pub(crate) definition: Arc<DefinitionText>,
    /// Its first line, from one.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The symbol around it, by its place among the symbols of the version.
    pub(crate) parent: Option<usize>,
    content: Arc<Vec<u8>>,
    pub(crate) span: Range<usize>,
    body_range: Range<usize>,
}

impl Deref for SymbolVersion {
    type Target = DefinitionText;

    fn deref(&self) -> &DefinitionText {
        &self.definition
    }
}

/// The symbols of a version of a file, in the order of the source.
#[derive(Clone, Debug, Default)]
pub struct FileVersion {
    /// The symbols.
    pub symbols: Vec<SymbolVersion>,
    /// Whether all of it was parsed.
    is_parsed: bool,
    /// Whether its language declares functions apart from their definitions.
    pub(crate) has_prototypes: bool,
    language: Option<&'static str>,
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
    /// The tokens of the body.
    pub(crate) fn tokens(&self) -> Vec<u64> {
        crate::symbol_identity::tokens(&self.content[self.body_range.clone()])
    }

    /// Its own name, without container.
    pub fn own_name(&self) -> String {
        Handle::split(&self.name).pop().unwrap_or_default()
    }

    /// The shingles of the body, sorted.
    pub(crate) fn shingles(&self) -> &[u64] {
        let body = || crate::symbol_identity::shingles(&self.content[self.body_range.clone()]);
        self.definition.shingles.get_or_init(body)
    }

    /// Length of the body in bytes.
    pub(crate) fn body_length(&self) -> usize {
        self.body_range.len()
    }

    /// The symbol at another place.
    fn moved(&self, content: &Arc<Vec<u8>>, from: usize, to: usize, lines: i64) -> Self {
        let place = |range: &Range<usize>| range.start - from + to..range.end - from + to;
        let line = |line: u32| u32::try_from(i64::from(line) + lines).unwrap_or(line);
        Self {
            definition: Arc::clone(&self.definition),
            first_line: line(self.first_line),
            last_line: line(self.last_line),
            parent: self.parent,
            content: Arc::clone(content),
            span: place(&self.span),
            body_range: place(&self.body_range),
        }
    }
}

impl FileVersion {
    /// Extracts the symbols of a content. The path selects the language.
    pub fn extract(path: &RepoPath, content: &Arc<Vec<u8>>) -> Self {
        match Language::detect(path, content) {
            Some(language) => Self::parse(language, path, content, &RemainingText::all(content)),
            None => Self::default(),
        }
    }

    /// Like [`Self::extract`], given another version of the file and the bytes that both share, in order. Definitions that both share are not
    /// parsed again, which is most of a file whose history is read. Where the parser reports errors, how it recovers depends on all of
    /// the text, so everything is parsed.
    pub fn extract_beside(
        path: &RepoPath,
        content: &Arc<Vec<u8>>,
        other: &Self,
        shared: &[SharedBytes],
    ) -> Self {
        Self::parse_rest(path, content, other, shared).unwrap_or_else(|| Self::extract(path, content))
    }

    /// Parses what another version does not have. `None` if the result could differ from that of the whole content.
    fn parse_rest(
        path: &RepoPath,
        content: &Arc<Vec<u8>>,
        other: &Self,
        shared: &[SharedBytes],
    ) -> Option<Self> {
        let language = Language::detect(path, content)?;
        let is_same_language = other.language == Some(language.name());
        if !other.is_parsed || !is_same_language || !language.has_independent_definitions() {
            return None;
        }
        let units = SharedUnits::find(other, shared)?;
        if units.bytes() < content.len() / MIN_SHARED {
            return None;
        }
        let remaining = RemainingText::new(content, &units, language.has_directives());
        let parsed = Self::parse(language, path, content, &remaining);
        if parsed.is_parsed { parsed.with_units(other, &units) } else { None }
    }

    /// Adds the symbols of units that were not parsed. `None` if they are not in the container that they are in in the other version.
    fn with_units(self, other: &Self, units: &SharedUnits) -> Option<Self> {
        let Self { symbols: parsed, is_parsed, has_prototypes, language, content } = self;
        let mut merged = MergedSymbols {
            other,
            content: &content,
            symbols: Vec::with_capacity(other.symbols.len() + parsed.len()),
            lines: (LineCounter::default(), LineCounter::default()),
        };
        let mut runs = units.0.iter().peekable();
        let mut left_out = 0;
        let mut places: Vec<Option<usize>> = Vec::with_capacity(parsed.len());
        for symbol in parsed {
            while let Some(run) = runs.next_if(|run| run.range.start <= symbol.span.start) {
                merged.add(run)?;
                left_out = run.range.end;
            }
            // A directive of a unit that is left out was parsed all the same.
            if symbol.span.start < left_out {
                places.push(None);
                continue;
            }
            let parent = match symbol.parent {
                Some(parent) => Some((*places.get(parent)?)?),
                None => None,
            };
            places.push(Some(merged.symbols.len()));
            merged.symbols.push(SymbolVersion { parent, ..symbol });
        }
        for run in runs {
            merged.add(run)?;
        }
        Some(Self { symbols: merged.symbols, is_parsed, has_prototypes, language, content })
    }

    /// Extracts the symbols of what is left of a content.
    fn parse(
        language: Language,
        path: &RepoPath,
        content: &Arc<Vec<u8>>,
        remaining: &RemainingText<'_>,
    ) -> Self {
        let outline = extraction::facts(Some(language), path, &remaining.text).outline;
        let offset = |at: u32| at as usize + remaining.left_out_before(at).0;
        let range = |start: u32, end: u32| {
            // The end is where the last byte is, plus one: what is left out may begin right there.
            let end = if end > start { offset(end - 1) + 1 } else { offset(end) };
            let end = end.min(content.len());
            offset(start).min(end)..end
        };
        let symbols = (0..).zip(&outline.symbols).map(|(at, symbol)| {
            let span = symbol.span;
            let body_range = match symbol.body {
                Some(body) => range(body.start, body.end),
                None => range(symbol.header.end.max(span.start), span.end),
            };
            let span_range = range(span.start, span.end);
            let definition = DefinitionText {
                name: Handle::join(outline.qualified(at)),
                kind: symbol.kind,
                visibility: symbol.visibility,
                signature: outline.strings.get(symbol.signature).to_owned(),
                doc: symbol.doc.map(|doc| outline.strings.get(doc).to_owned()),
                text: hash(&content[span_range.clone()]),
                body: hash(&content[body_range.clone()]),
                has_body: symbol.body.is_some(),
                shingles: OnceLock::new(),
            };
            SymbolVersion {
                definition: Arc::new(definition),
                first_line: span.first_line + remaining.left_out_before(span.start).1,
                last_line: span.last_line + remaining.left_out_before(span.end.saturating_sub(1)).1,
                parent: symbol.parent.map(|parent| parent as usize),
                content: Arc::clone(content),
                span: span_range,
                body_range,
            }
        });
        Self {
            symbols: symbols.collect(),
            is_parsed: outline.issues.is_empty(),
            has_prototypes: language.has_directives(),
            language: Some(language.name()),
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

    /// The symbol with a qualified name and kind: rather a definition than a prototype.
    pub fn find(&self, name: &str, kind: SymbolKind) -> Option<&SymbolVersion> {
        let namesakes = || self.symbols.iter().filter(|symbol| symbol.kind == kind && symbol.name == name);
        namesakes().find(|symbol| symbol.has_body).or_else(|| namesakes().next())
    }
}

/// Symbols that were parsed, and those of another version.
struct MergedSymbols<'v> {
    other: &'v FileVersion,
    content: &'v Arc<Vec<u8>>,
    symbols: Vec<SymbolVersion>,
    /// Of the content and of the other version.
    lines: (LineCounter, LineCounter),
}

impl MergedSymbols<'_> {
    /// Adds the symbols of units. `None` unless the symbol that they are in is the same as in the other version.
    fn add(&mut self, run: &UnitRun) -> Option<()> {
        let mut around = self.symbols.len().checked_sub(1);
        while let Some(symbol) =
            around.map(|at| &self.symbols[at]).filter(|symbol| symbol.span.end < run.range.end)
        {
            around = symbol.parent;
        }
        let container = run.container.map(|at| &self.other.symbols[at]);
        let is_same = match (around.map(|at| &self.symbols[at]), container) {
            (None, None) => true,
            (Some(new), Some(old)) => (new.kind, &new.name) == (old.kind, &old.name),
            _ => false,
        };
        if !is_same {
            return None;
        }
        let line = i64::from(self.lines.0.at(self.content, run.range.start));
        let lines = line - i64::from(self.lines.1.at(&self.other.content, run.other.start));
        let shift = self.symbols.len();
        for symbol in &self.other.symbols[run.symbols.clone()] {
            let mut moved = symbol.moved(self.content, run.other.start, run.range.start, lines);
            moved.parent = match symbol.parent {
                Some(parent) if run.symbols.contains(&parent) => Some(parent - run.symbols.start + shift),
                _ => around,
            };
            self.symbols.push(moved);
        }
        Some(())
    }
}

/// Counts lines up to places that only grow.
#[derive(Default)]
struct LineCounter {
    counted: usize,
    lines: u32,
}

impl LineCounter {
    fn at(&mut self, text: &[u8], place: usize) -> u32 {
        self.lines += memchr::memchr_iter(b'\n', &text[self.counted..place]).count() as u32;
        self.counted = place;
        self.lines
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
            let SymbolVersion { first_line, last_line, parent, span, body_range, .. } = symbol;
            let DefinitionText { name, kind, visibility, signature, doc, text, body, .. } =
                &*symbol.definition;
            format!(
                "{name} {kind:?} {visibility:?} {first_line}-{last_line} {parent:?} {span:?} {body_range:?} {signature} {doc:?} {text} {body} {:?}",
                symbol.shingles()
            )
        };
        version.symbols.iter().map(row).collect()
    }

    /// Extracts `content` beside a version from which only the line `changed` differs; returns how many definitions both share.
    fn beside(path: &str, content: &str, changed: &str) -> usize {
        let path = RepoPath::from(path);
        let (head, tail) = content.split_once(changed).expect("the line is there");
        let other_text =
            format!("{head}{}\n\n{tail}", changed.replace('2', "1").replacen("first", "former", 1));
        assert_ne!(content, other_text, "the line is there");
        let content = Arc::new(content.as_bytes().to_vec());
        let other = FileVersion::extract(&path, &Arc::new(other_text.as_bytes().to_vec()));
        let start = content.len() - tail.len();
        let shared = [
            SharedBytes { other: 0, start: 0, length: head.len() },
            SharedBytes { other: other_text.len() - tail.len(), start, length: tail.len() },
        ];
        let version = FileVersion::extract_beside(&path, &content, &other, &shared);
        assert_eq!(described(&version), described(&FileVersion::extract(&path, &content)));
        let shares = |symbol: &&SymbolVersion| {
            other.symbols.iter().any(|known| Arc::ptr_eq(&known.definition, &symbol.definition))
        };
        version.symbols.iter().filter(shares).count()
    }

    const BODY: &str = "{\n    step(1);\n    if (ready()) {\n        again(\"}\");\n    }\n    step(2);\n    step(3); /* a longer body */\n}\n";

    #[test]
    fn symbols_extracted_beside_another_version_are_those_of_the_whole_content() {
        let c = format!(
            "#include <a.h>\n/* First. */\nint first(int a) {BODY}\nstruct point {{ int x; }};\n\n/* Second. */\nstatic int second(void) {{\n    int here = 2;\n    use(here);\n}}\n\n#define TWICE(x) \\\n    ((x) * 2)\n/* Third. */\nint third() {BODY}\n#ifdef FOURTH\nint fourth() {BODY}#endif\n"
        );
        assert!(beside("a.c", &c, "    int here = 2;\n") >= 3);
        let java = format!(
            "class Shop {{\n    int here = 2;\n    /** Buys. */\n    void buy() {BODY}\n    /** Sells. */\n    void sell() {BODY}\n    class Cart {{\n        void add() {BODY}    }}\n}}\n"
        );
        assert!(beside("Shop.java", &java, "    int here = 2;\n") >= 3);
        assert!(beside("Shop.java", &java, "        void add() {") >= 2, "a change in an inner class");
        let method = |name: &str| {
            format!(
                "    def {name}(self):\n        \"\"\"Does {name}.\"\"\"\n        return self.{name}_value + 2\n\n"
            )
        };
        let python = format!(
            "import os\n\n\nclass Shop:\n    \"\"\"A shop.\"\"\"\n\n{}{}{}\n\n@cached\ndef total(items):\n    return sum(items) * 2\n",
            method("first"),
            method("second"),
            method("third")
        );
        beside("shop.py", &python, "        return self.second_value + 2\n");
        beside("shop.py", &python, "    return sum(items) * 2\n");
    }

    #[test]
    fn groups_of_definitions_stay_groups() {
        let mode = |n: usize| format!("\t// Mode {n} is a mode.\n\tMode{n} = \"mode{n}\"\n");
        let text = (0..9).map(mode).collect::<Vec<_>>().concat();
        let go = format!(
            "package modes\n\nconst (\n{text})\n\nconst (\n\tzero = iota\n\tone\n\ttwo\n)\n\nfunc first() int {{\n\treturn 2\n}}\n"
        );
        beside("mode.go", &go, "\ttwo\n");
        beside("mode.go", &go, "\tMode2 = \"mode2\"\n");
        beside("mode.go", &go, "\treturn 2\n");
    }

    #[test]
    fn renamed_container_takes_its_parts_along() {
        let java = format!(
            "/** A shop. It is a comment of some length, so that most of the file is shared by both versions whatever the code says. */\nclass first {{\n    void buy() {BODY}\n    void sell() {BODY}\n    void swap() {BODY}\n}}\n"
        );
        beside("first.java", &java, "class first {\n");
    }

    #[test]
    fn after_a_syntax_error_the_symbols_are_still_those_of_the_whole_content() {
        let broken = format!(
            "int first(int a) {BODY}\n    int here = 2;\nint lost( {{\nint second(void) {BODY}\nint third() {BODY}"
        );
        beside("a.c", &broken, "    int here = 2;\n");
    }
}
