//! The identity of symbols over time: which symbol of one version of the code is which symbol of another.
//!
//! In a file, a symbol is the one of the same qualified name and kind; overloads are matched in order. A symbol without
//! namesake is the one of the same kind with a similar body that has none either: it was renamed. Between files, a symbol that
//! one file gained is one that another lost: the namesake with a body that is half the same, or any with a similar body.
//!
//! Similarity is the share of common shingles: runs of five tokens. Example: `a b c d e f` and `a b c d e g` have two shingles
//! each and share one, a similarity of 0.5.

use crate::file_version::{FileVersion, SymbolVersion, hash};
use orient_model::SymbolKind;
use std::collections::BTreeMap;

/// Number of tokens in a shingle.
const SHINGLE: usize = 5;
/// The similarity from which a body is the same body.
const SAME_BODY: f64 = 0.8;
/// The similarity from which a symbol of the same name in another file was moved there.
const SAME_BODY_OF_NAMESAKE: f64 = 0.5;
/// If more pairs of gained and lost symbols would be compared, only namesakes are.
const MAX_PAIRS: usize = 100_000;

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
    /// How a symbol differs between two versions.
    pub fn between(old: &SymbolVersion, new: &SymbolVersion) -> Self {
        let signature = new.signature != old.signature;
        let body = new.body != old.body;
        let documentation = new.doc != old.doc;
        let layout = new.text != old.text && !signature && !body;
        Self { signature, body, documentation, layout }
    }

    /// Whether anything changed.
    pub fn is_change(self) -> bool {
        self != Self::default()
    }
}

/// What happened to a symbol: a set of [`ChangeParts::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeParts(pub u8);

impl ChangeParts {
    /// The parts with their words, in the order of output.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::ADDED, "added"),
        (Self::REMOVED, "removed"),
        (Self::MOVED, "moved"),
        (Self::RENAMED, "renamed"),
        (Self::SIGNATURE, "signature"),
        (Self::BODY, "body"),
        (Self::DOCUMENTATION, "documentation"),
        (Self::LAYOUT, "layout"),
    ];
    /// It is new.
    pub const ADDED: Self = Self(1);
    /// It is gone.
    pub const REMOVED: Self = Self(2);
    /// It comes from another file.
    pub const MOVED: Self = Self(4);
    /// It has another name.
    pub const RENAMED: Self = Self(8);
    /// Its header changed.
    pub const SIGNATURE: Self = Self(16);
    /// Its body changed.
    pub const BODY: Self = Self(32);
    /// Its documentation changed.
    pub const DOCUMENTATION: Self = Self(64);
    /// Only the layout of its header changed.
    pub const LAYOUT: Self = Self(128);

    /// Whether a part is in the set.
    pub fn contains(self, part: Self) -> bool {
        self.0 & part.0 != 0
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The words of the parts.
    pub fn words(self) -> Vec<&'static str> {
        Self::ALL.iter().filter(|(part, _)| self.contains(*part)).map(|(_, word)| *word).collect()
    }
}

impl From<SymbolDelta> for ChangeParts {
    fn from(delta: SymbolDelta) -> Self {
        let parts = [
            (delta.signature, Self::SIGNATURE),
            (delta.body, Self::BODY),
            (delta.documentation, Self::DOCUMENTATION),
            (delta.layout, Self::LAYOUT),
        ];
        parts.iter().filter(|(changed, _)| *changed).fold(Self::default(), |all, (_, part)| all.with(*part))
    }
}

/// A symbol that differs between two versions.
#[derive(Clone, Debug)]
pub struct SymbolChange<'v> {
    /// The symbol before; `None` if it was added.
    pub old: Option<&'v SymbolVersion>,
    /// The symbol after; `None` if it was removed.
    pub new: Option<&'v SymbolVersion>,
    /// What changed about a symbol in both versions.
    pub delta: SymbolDelta,
    /// The file that it was moved from, by its place among the files of [`pair_moves`].
    pub moved_from: Option<usize>,
    /// Where a removed symbol went: the file, and the change in it.
    pub moved_to: Option<(usize, usize)>,
}

impl SymbolChange<'_> {
    /// What happened to the symbol between two versions of its file. An overload that comes or goes changes the body of the
    /// symbol, which stays.
    pub fn parts(&self, new: &FileVersion, old: &FileVersion) -> ChangeParts {
        let stays =
            |version: &FileVersion, symbol: &SymbolVersion| version.find(&symbol.name, symbol.kind).is_some();
        match (self.old, self.new) {
            (None, Some(symbol)) if stays(old, symbol) => ChangeParts::BODY,
            (Some(symbol), None) if stays(new, symbol) => ChangeParts::BODY,
            (None, _) => ChangeParts::ADDED,
            (_, None) => ChangeParts::REMOVED,
            (Some(before), Some(after)) => {
                let is_moved = self.moved_from.is_some();
                let is_renamed =
                    if is_moved { before.own_name() != after.own_name() } else { before.name != after.name };
                let mut parts = ChangeParts::from(self.delta);
                if is_moved || is_renamed {
                    // The header contains the name.
                    parts.0 &= !(ChangeParts::SIGNATURE.0 | ChangeParts::LAYOUT.0);
                }
                if is_moved {
                    parts = parts.with(ChangeParts::MOVED);
                }
                if is_renamed { parts.with(ChangeParts::RENAMED) } else { parts }
            }
        }
    }
}

/// The symbols that differ from an older version of a file, in the order of the source; removed symbols last.
pub fn changes_since<'v>(new: &'v FileVersion, old: &'v FileVersion) -> Vec<SymbolChange<'v>> {
    let change = |old: Option<&'v SymbolVersion>, new: Option<&'v SymbolVersion>| SymbolChange {
        old,
        new,
        delta: old.zip(new).map(|(old, new)| SymbolDelta::between(old, new)).unwrap_or_default(),
        moved_from: None,
        moved_to: None,
    };
    let mut before: BTreeMap<(&str, SymbolKind), Vec<&SymbolVersion>> = BTreeMap::new();
    for symbol in old.symbols.iter().rev() {
        before.entry((&symbol.name, symbol.kind)).or_default().push(symbol);
    }
    let (mut changes, mut added) = (Vec::new(), Vec::new());
    for symbol in &new.symbols {
        match before.get_mut(&(symbol.name.as_str(), symbol.kind)).and_then(Vec::pop) {
            Some(old) => {
                let change = change(Some(old), Some(symbol));
                if change.delta.is_change() {
                    changes.push(change);
                }
            }
            None => added.push(symbol),
        }
    }
    let mut removed: Vec<&SymbolVersion> = before.into_values().flatten().collect();
    let by_body = added.len().saturating_mul(removed.len()) <= MAX_PAIRS;
    for symbol in added {
        let candidates = removed.iter().enumerate().filter(|_| by_body);
        let best = best_body(symbol, candidates.map(|(at, other)| (at, *other)), false);
        changes.push(change(best.map(|at| removed.remove(at)), Some(symbol)));
    }
    changes.sort_by_key(|change| change.new.map(|symbol| (symbol.first_line, symbol.last_line)));
    removed.sort_by_key(|symbol| symbol.first_line);
    changes.extend(removed.into_iter().map(|symbol| change(Some(symbol), None)));
    changes
}

/// Pairs the symbols that files lost with those that other files gained: the gained one gets its previous version, and both
/// refer to each other.
pub fn pair_moves(files: &mut [Vec<SymbolChange<'_>>]) {
    let places = |files: &[Vec<SymbolChange<'_>>], is_lost: bool| -> Vec<(usize, usize)> {
        let wanted = |change: &SymbolChange<'_>| {
            if is_lost { change.new.is_none() } else { change.old.is_none() }
        };
        let of_file = |(file, changes): (usize, &Vec<SymbolChange<'_>>)| -> Vec<(usize, usize)> {
            let numbered = changes.iter().enumerate();
            numbered.filter(|(_, change)| wanted(change)).map(|(at, _)| (file, at)).collect()
        };
        files.iter().enumerate().flat_map(of_file).collect()
    };
    let (mut lost, gained) = (places(files, true), places(files, false));
    let by_body = lost.len().saturating_mul(gained.len()) <= MAX_PAIRS;
    for (file, at) in gained {
        let Some(symbol) = files[file][at].new else { continue };
        let own_name = symbol.own_name();
        let candidates = lost.iter().enumerate().filter(|(_, (other, _))| *other != file);
        let candidates = candidates.filter_map(|(place, (other, at))| Some((place, files[*other][*at].old?)));
        let candidates = candidates.filter(|(_, old)| by_body || old.own_name() == own_name);
        let Some(best) = best_body(symbol, candidates, true) else { continue };
        let (from, place) = lost.remove(best);
        files[from][place].moved_to = Some((file, at));
        let old = files[from][place].old;
        let change = &mut files[file][at];
        (change.old, change.moved_from) = (old, Some(from));
        change.delta = old.map(|old| SymbolDelta::between(old, symbol)).unwrap_or_default();
    }
}

/// The candidate of the same kind with the most similar body, if that is similar enough: of equal ones the last. With
/// `namesakes`, less is enough for one of the same name.
fn best_body<'v>(
    symbol: &SymbolVersion,
    candidates: impl Iterator<Item = (usize, &'v SymbolVersion)>,
    namesakes: bool,
) -> Option<usize> {
    let own_name = symbol.own_name();
    let scored = candidates.filter(|(_, other)| other.kind == symbol.kind).filter_map(|(at, other)| {
        let is_namesake = namesakes && other.own_name() == own_name;
        let least = if is_namesake { SAME_BODY_OF_NAMESAKE } else { SAME_BODY };
        // A body of a few tokens is evidence only together with the name.
        let is_same = is_namesake && symbol.body == other.body && symbol.signature == other.signature;
        let score = if is_same { 1.0 } else { similarity(symbol, other, least) };
        (score >= least).then_some((score, at))
    });
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, at)| at)
}

/// The similarity of two bodies, up to 1; zero if their lengths alone make `least` impossible.
fn similarity(a: &SymbolVersion, b: &SymbolVersion, least: f64) -> f64 {
    let share = |a: usize, b: usize| {
        let (small, large) = (a.min(b), a.max(b).max(1));
        f64::from(u32::try_from(small).unwrap_or(u32::MAX))
            / f64::from(u32::try_from(large).unwrap_or(u32::MAX))
    };
    // Layout counts for the length and not for the shingles: four times as long is beyond layout.
    if share(a.body_length(), b.body_length()) < least / 4.0 {
        return 0.0;
    }
    let (left, right) = (a.shingles(), b.shingles());
    if share(left.len(), right.len()) < least {
        return 0.0;
    }
    let (mut common, mut at) = (0, 0);
    for shingle in left {
        while right.get(at).is_some_and(|other| other < shingle) {
            at += 1;
        }
        common += usize::from(right.get(at) == Some(shingle));
    }
    share(common, left.len().max(right.len()))
}

/// The hashes of all runs of five tokens, sorted, without duplicates. A shorter text has none.
pub(crate) fn shingles(text: &[u8]) -> Vec<u64> {
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
    let combine = |run: &[u64]| {
        run.iter().fold(0_u64, |sum, token| sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ token)
    };
    let mut shingles: Vec<u64> = tokens.windows(SHINGLE).map(combine).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::RepoPath;
    use std::sync::Arc;

    fn version(text: &str) -> FileVersion {
        FileVersion::extract(&RepoPath::from("a.py"), &Arc::new(text.as_bytes().to_vec()))
    }

    fn described(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (version(old), version(new));
        let name =
            |symbol: Option<&SymbolVersion>| symbol.map_or("-".to_owned(), |symbol| symbol.name.clone());
        let changes = changes_since(&new, &old);
        changes
            .iter()
            .map(|change| {
                format!(
                    "{} {} {}",
                    name(change.old),
                    name(change.new),
                    ChangeParts::from(change.delta).words().join("+")
                )
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

    #[test]
    fn overload_that_comes_or_goes_changes_the_symbol() {
        let one = version("def f(a):\n    return a\n");
        let two = version("def f(a):\n    return a\n\ndef f(a, b):\n    return a - b * 7\n");
        let only = |new: &FileVersion, old: &FileVersion| {
            let changes = changes_since(new, old);
            assert_eq!(changes.len(), 1);
            changes[0].parts(new, old)
        };
        assert_eq!(only(&two, &one).words(), ["body"]);
        assert_eq!(only(&one, &two).words(), ["body"]);
        assert_eq!(only(&one, &FileVersion::default()).words(), ["added"]);
    }

    #[test]
    fn symbol_that_left_one_file_for_another_was_moved() {
        let body = "    total = 0\n    for item in items:\n        total += item.price * item.count\n    return total\n";
        let with = version(&format!("def total(items):\n{body}\ndef rest():\n    return 1\n"));
        let without = version("def rest():\n    return 1\n");
        let other = version(&format!("def grand_total(items):\n{body}"));
        let nothing = FileVersion::default();
        let mut files = [changes_since(&without, &with), changes_since(&other, &nothing)];
        pair_moves(&mut files);
        assert_eq!(files[0][0].moved_to, Some((1, 0)));
        assert_eq!(files[1][0].moved_from, Some(0));
        assert_eq!(files[1][0].old.map(|symbol| symbol.name.as_str()), Some("total"));
        assert_eq!(files[1][0].parts(&other, &nothing).words(), ["moved", "renamed"]);
    }
}
