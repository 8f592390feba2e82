//! Versions of a file: the symbols of any content, and how they differ between two contents.
//!
//! A symbol of one version is the symbol of the same qualified name and kind in the other; a symbol without namesake is the
//! one of the same kind with a similar body, which was renamed. Similarity is the share of common shingles: runs of five
//! tokens. Example: `a b c d e f` and `a b c d e g` have two shingles each and share one, a similarity of 0.5.

use crate::extraction::{self, Language};
use orient_model::{Handle, RepoPath, SymbolKind, Visibility};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// Number of tokens in a shingle.
const SHINGLE: usize = 5;
/// The similarity from which a body is the same body.
pub const SAME_BODY: f64 = 0.8;

/// A symbol in a version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    text: u64,
    /// Hash of the text without the header.
    body: u64,
    shingles: BTreeSet<u64>,
}

/// The symbols of a version of a file, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileVersion {
    /// The symbols.
    pub symbols: Vec<SymbolVersion>,
}

/// What changed about a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four parts that change independently")]
pub struct SymbolDelta {
    /// The header.
    pub signature: bool,
    /// The body.
    pub body: bool,
    /// The documentation.
    pub documentation: bool,
    /// Only the layout of the header.
    pub layout: bool,
}

impl SymbolDelta {
    /// Whether anything changed.
    pub fn is_change(self) -> bool {
        self != Self::default()
    }

    /// The parts that changed.
    pub fn parts(self) -> Vec<&'static str> {
        let parts = [
            (self.signature, "signature"),
            (self.body, "body"),
            (self.documentation, "documentation"),
            (self.layout, "layout"),
        ];
        parts.into_iter().filter(|(changed, _)| *changed).map(|(_, name)| name).collect()
    }
}

/// A symbol that differs between two versions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolChange<'v> {
    /// The symbol before; `None` if it was added.
    pub old: Option<&'v SymbolVersion>,
    /// The symbol after; `None` if it was removed.
    pub new: Option<&'v SymbolVersion>,
    /// What changed about a symbol in both versions.
    pub delta: SymbolDelta,
}

impl SymbolVersion {
    /// How this version differs from an older one.
    pub fn delta(&self, old: &Self) -> SymbolDelta {
        let signature = self.signature != old.signature;
        let body = self.body != old.body;
        let documentation = self.doc != old.doc;
        let layout = self.text != old.text && !signature && !body;
        SymbolDelta { signature, body, documentation, layout }
    }

    /// The similarity of two bodies, up to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        let most = self.shingles.len().max(other.shingles.len());
        if most == 0 {
            return 0.0;
        }
        let common = self.shingles.intersection(&other.shingles).count();
        f64::from(u32::try_from(common).unwrap_or(u32::MAX))
            / f64::from(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// Its own name, without container.
    pub fn own_name(&self) -> String {
        Handle::split(&self.name).pop().unwrap_or_default()
    }
}

impl FileVersion {
    /// Extracts the symbols of a content. The path selects the language.
    pub fn extract(path: &RepoPath, bytes: &[u8]) -> Self {
        let Some(language) = Language::detect(path, bytes) else { return Self::default() };
        let outline = extraction::facts(Some(language), bytes).outline;
        let text = |start: u32, end: u32| bytes.get(start as usize..end as usize).unwrap_or_default();
        let symbols = (0..).zip(&outline.symbols).map(|(at, symbol)| {
            let span = symbol.span;
            let body = match symbol.body {
                Some(body) => text(body.start, body.end),
                None => text(symbol.header.end.max(span.start), span.end),
            };
            SymbolVersion {
                name: Handle::join(outline.qualified(at)),
                kind: symbol.kind,
                visibility: symbol.visibility,
                first_line: span.first_line,
                last_line: span.last_line,
                signature: outline.strings.get(symbol.signature).to_owned(),
                doc: symbol.doc.map(|doc| outline.strings.get(doc).to_owned()),
                text: hash(text(span.start, span.end)),
                body: hash(body),
                shingles: shingles(body),
            }
        });
        Self { symbols: symbols.collect() }
    }

    /// The symbol with a qualified name and kind.
    pub fn find(&self, name: &str, kind: SymbolKind) -> Option<&SymbolVersion> {
        self.symbols.iter().find(|symbol| symbol.kind == kind && symbol.name == name)
    }

    /// The symbol of an older version that became `symbol`, which has no namesake there: of the same kind, without namesake
    /// in this version, and with a similar body.
    pub fn renamed_from<'v>(&self, old: &'v Self, symbol: &SymbolVersion) -> Option<&'v SymbolVersion> {
        let gone = old
            .symbols
            .iter()
            .filter(|other| other.kind == symbol.kind && self.find(&other.name, other.kind).is_none());
        let scored = gone.map(|other| (symbol.similarity(other), other));
        let best = scored.filter(|(score, _)| *score >= SAME_BODY).max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, other)| other)
    }

    /// The symbols that differ from an older version, in the order of the source; removed symbols last.
    pub fn changes_since<'v>(&'v self, old: &'v Self) -> Vec<SymbolChange<'v>> {
        // Overloads share name and kind: they are matched in order.
        let mut before: BTreeMap<(&str, &str), Vec<&SymbolVersion>> = BTreeMap::new();
        for symbol in old.symbols.iter().rev() {
            before.entry((&symbol.name, symbol.kind.as_str())).or_default().push(symbol);
        }
        let (mut changes, mut added) = (Vec::new(), Vec::new());
        for symbol in &self.symbols {
            match before.get_mut(&(symbol.name.as_str(), symbol.kind.as_str())).and_then(Vec::pop) {
                Some(old) => {
                    let delta = symbol.delta(old);
                    if delta.is_change() {
                        changes.push(SymbolChange { old: Some(old), new: Some(symbol), delta });
                    }
                }
                None => added.push(symbol),
            }
        }
        let mut removed: Vec<&SymbolVersion> = before.into_values().flatten().collect();
        for symbol in added {
            let scored = removed.iter().enumerate().filter(|(_, other)| other.kind == symbol.kind);
            let best = scored
                .map(|(at, other)| (symbol.similarity(other), at))
                .filter(|(score, _)| *score >= SAME_BODY)
                .max_by(|a, b| a.0.total_cmp(&b.0));
            let old = best.map(|(_, at)| removed.remove(at));
            let delta = old.map(|old| symbol.delta(old)).unwrap_or_default();
            changes.push(SymbolChange { old, new: Some(symbol), delta });
        }
        changes.sort_by_key(|change| change.new.map(|symbol| (symbol.first_line, symbol.last_line)));
        removed.sort_by_key(|symbol| symbol.first_line);
        let gone = |old| SymbolChange { old: Some(old), new: None, delta: SymbolDelta::default() };
        changes.extend(removed.into_iter().map(gone));
        changes
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The hashes of all runs of five tokens. A shorter text is one shingle.
fn shingles(text: &[u8]) -> BTreeSet<u64> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let length =
            if is_word(byte) { text[at..].iter().take_while(|&&byte| is_word(byte)).count() } else { 1 };
        if !byte.is_ascii_whitespace() {
            tokens.push(hash(&text[at..at + length]));
        }
        at += length;
    }
    if tokens.is_empty() {
        return BTreeSet::new();
    }
    let combine = |run: &[u64]| {
        run.iter().fold(0_u64, |sum, token| sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ token)
    };
    if tokens.len() < SHINGLE {
        return BTreeSet::from([combine(&tokens)]);
    }
    tokens.windows(SHINGLE).map(combine).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> FileVersion {
        FileVersion::extract(&RepoPath::from("a.py"), text.as_bytes())
    }

    fn described(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (version(old), version(new));
        let name =
            |symbol: Option<&SymbolVersion>| symbol.map_or("-".to_owned(), |symbol| symbol.name.clone());
        let changes = new.changes_since(&old);
        changes
            .iter()
            .map(|change| {
                format!("{} {} {}", name(change.old), name(change.new), change.delta.parts().join("+"))
            })
            .collect()
    }

    #[test]
    fn signature_body_and_documentation_are_told_apart() {
        let old = "def f(a):\n    \"\"\"Adds.\"\"\"\n    return a + 1\n\ndef g():\n    return 2\n";
        assert!(described(old, old).is_empty());
        let moved = format!("\n\n{old}");
        assert!(described(old, &moved).is_empty());
        assert_eq!(described(old, &old.replace("f(a)", "f(a, b)")), ["f f signature"]);
        assert_eq!(described(old, &old.replace("return 2", "return 3")), ["g g body"]);
        assert!(described(old, &old.replace("Adds.", "Sums."))[0].contains("documentation"));
    }

    #[test]
    fn renamed_added_and_removed_symbols_are_told_apart() {
        let body = "    total = 0\n    for item in items:\n        total += item.price * item.count\n    return total\n";
        let old = format!("def sum_up(items):\n{body}\ndef gone():\n    return missing\n");
        let new = format!("def total_of(items):\n{body}\ndef fresh(x, y):\n    return x ** y - 7\n");
        assert_eq!(described(&old, &new), ["sum_up total_of signature", "- fresh ", "gone - "]);
    }
}
