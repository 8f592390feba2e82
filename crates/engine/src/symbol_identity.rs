//! The identity of symbols over time: which symbol of one version of the code is which symbol of another.
//!
//! In a file, a symbol is the one of the same qualified name and kind; overloads that did not change are matched first, then the rest in order. A symbol without
//! namesake is the one of the same kind with a similar body that has none either: it was renamed. Between files, a symbol that
//! one file gained is one that another lost: the namesake with a body that is partly the same, or any with a similar body. A function that becomes a
//! method stays what it is. A prototype says nothing about a function whose definition is in the same file.
//!
//! Similarity is the share of common shingles: runs of five tokens. Example: `a b c d e f` and `a b c d e g` have two shingles
//! each and share one, a similarity of 0.5.

use crate::file_version::{FileVersion, SymbolVersion, hash};
use orient_model::SymbolKind;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Number of tokens in a shingle.
const SHINGLE: usize = 5;
/// The similarity from which a body is the same body.
const SAME_BODY: f64 = 0.8;
/// The similarity from which a symbol of the same name, in another container or another file, is the same symbol.
const SAME_BODY_OF_NAMESAKE: f64 = 0.5;
/// The same for a symbol of the same qualified name.
const SAME_BODY_OF_FULL_NAMESAKE: f64 = 0.3;
/// The share of common tokens, in order, from which the only function that a file lost is the only one that it gained.
const SAME_TOKENS_OF_ONLY_PAIR: f64 = 0.6;
/// Bodies with more pairs of tokens are not compared token by token.
const MAX_TOKEN_PAIRS: usize = 250_000;
/// A shorter body is not compared token by token.
const MIN_TOKENS: usize = 12;
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
        if Arc::ptr_eq(&old.definition, &new.definition) {
            return Self::default();
        }
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
        let stays = |version: &FileVersion, symbol: &SymbolVersion| {
            version.find(&symbol.name, symbol.kind).is_some_and(|other| other.has_body == symbol.has_body)
        };
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
    let prototypes = shadowed_prototypes(old, new);
    let is_compared = |symbol: &&SymbolVersion| symbol.has_body || !prototypes.contains(symbol.name.as_str());
    for symbol in own_definitions(old, new).filter(is_compared).rev() {
        before.entry((&symbol.name, symbol.kind)).or_default().push(symbol);
    }
    let mut without_equal = Vec::new();
    for symbol in own_definitions(new, old).filter(is_compared) {
        let namesakes = before.get_mut(&(symbol.name.as_str(), symbol.kind));
        let is_equal = |old: &&SymbolVersion| !SymbolDelta::between(old, symbol).is_change();
        match namesakes.and_then(|old| Some((old.iter().rposition(is_equal)?, old))) {
            Some((at, old)) => drop(old.remove(at)),
            None => without_equal.push(symbol),
        }
    }
    let (mut changes, mut added) = (Vec::new(), Vec::new());
    for symbol in without_equal {
        match before.get_mut(&(symbol.name.as_str(), symbol.kind)).and_then(Vec::pop) {
            Some(old) => changes.push(change(Some(old), Some(symbol))),
            None => added.push(symbol),
        }
    }
    let mut removed: Vec<&SymbolVersion> = before.into_values().flatten().collect();
    let by_body = added.len().saturating_mul(removed.len()) <= MAX_PAIRS;
    for symbol in added {
        let candidates = removed.iter().enumerate().filter(|_| by_body);
        let best = best_body(symbol, candidates.map(|(at, other)| (at, *other)));
        changes.push(change(best.map(|at| removed.remove(at)), Some(symbol)));
    }
    if let Some((gained, lost)) = only_pair(&changes, &removed) {
        let old = removed.remove(lost);
        changes[gained] = change(Some(old), changes[gained].new);
    }
    changes.sort_by_key(|change| change.new.map(|symbol| (symbol.first_line, symbol.last_line)));
    removed.sort_by_key(|symbol| symbol.first_line);
    changes.extend(removed.into_iter().map(|symbol| change(Some(symbol), None)));
    changes
}

/// The names of functions that one of two versions defines and one only declares as well. In a language without prototypes, a function
/// without a body is an overload, and part of what the function promises.
fn shadowed_prototypes<'v>(a: &'v FileVersion, b: &'v FileVersion) -> HashSet<&'v str> {
    if !a.has_prototypes && !b.has_prototypes {
        return HashSet::new();
    }
    let callables = || a.symbols.iter().chain(&b.symbols).filter(|symbol| is_callable(symbol.kind));
    if callables().all(|symbol| symbol.has_body) {
        return HashSet::new();
    }
    callables().filter(|symbol| symbol.has_body).map(|symbol| symbol.name.as_str()).collect()
}

/// The only function among the changes that has no predecessor, and the only one that is gone, by their places, if their bodies are
/// much alike.
fn only_pair(changes: &[SymbolChange<'_>], removed: &[&SymbolVersion]) -> Option<(usize, usize)> {
    let gained = changes.iter().enumerate().filter(|(_, change)| {
        change.old.is_none() && change.new.is_some_and(|symbol| is_callable(symbol.kind))
    });
    let lost = removed.iter().enumerate().filter(|(_, symbol)| is_callable(symbol.kind));
    let gained = only(gained.map(|(at, _)| at))?;
    let lost = only(lost.map(|(at, _)| at))?;
    let alike = token_similarity(&changes[gained].new?.tokens(), &removed[lost].tokens());
    (alike >= SAME_TOKENS_OF_ONLY_PAIR).then_some((gained, lost))
}

fn only(mut places: impl Iterator<Item = usize>) -> Option<usize> {
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// The length of a longest common subsequence of two bodies, as a share of the longer one; zero if they are too long to compare.
fn token_similarity(a: &[u64], b: &[u64]) -> f64 {
    // A body of a few tokens is like any other.
    if a.len().min(b.len()) < MIN_TOKENS || a.len() * b.len() > MAX_TOKEN_PAIRS {
        return 0.0;
    }
    let mut lengths = vec![0_u32; b.len() + 1];
    for token in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = lengths[at + 1];
            lengths[at + 1] = if token == other { diagonal + 1 } else { above.max(lengths[at]) };
            diagonal = above;
        }
    }
    let longest = u32::try_from(a.len().max(b.len())).unwrap_or(u32::MAX);
    f64::from(lengths[b.len()]) / f64::from(longest)
}

/// Whether symbols of a kind are called: a function may become a method.
fn is_callable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

/// Whether a symbol of one kind may have been of another.
pub fn is_same_kind(a: SymbolKind, b: SymbolKind) -> bool {
    a == b || is_callable(a) && is_callable(b)
}

/// The symbols of a version whose definition another version does not share.
fn own_definitions<'v>(
    version: &'v FileVersion,
    other: &FileVersion,
) -> impl DoubleEndedIterator<Item = &'v SymbolVersion> {
    let address = |symbol: &SymbolVersion| Arc::as_ptr(&symbol.definition).addr();
    let shared: HashSet<usize> = other.symbols.iter().map(address).collect();
    version.symbols.iter().filter(move |symbol| !shared.contains(&address(symbol)))
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
        let Some(best) = best_body(symbol, candidates) else { continue };
        let (from, place) = lost.remove(best);
        files[from][place].moved_to = Some((file, at));
        let old = files[from][place].old;
        let change = &mut files[file][at];
        (change.old, change.moved_from) = (old, Some(from));
        change.delta = old.map(|old| SymbolDelta::between(old, symbol)).unwrap_or_default();
    }
}

/// The candidate of the same kind with the most similar body, if that is similar enough: of equal ones the last. Less is enough
/// for one of the same name.
fn best_body<'v>(
    symbol: &SymbolVersion,
    candidates: impl Iterator<Item = (usize, &'v SymbolVersion)>,
) -> Option<usize> {
    let own_name = symbol.own_name();
    let candidates = candidates
        .filter(|(_, other)| is_same_kind(other.kind, symbol.kind) && other.has_body == symbol.has_body);
    let scored = candidates.filter_map(|(at, other)| {
        let is_namesake = other.own_name() == own_name;
        let least = match is_namesake {
            true if other.name == symbol.name => SAME_BODY_OF_FULL_NAMESAKE,
            true => SAME_BODY_OF_NAMESAKE,
            false => SAME_BODY,
        };
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

/// The hashes of the tokens of a text: words, and single characters that are no white space.
pub(crate) fn tokens(text: &[u8]) -> Vec<u64> {
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
    tokens
}

/// The hashes of all runs of five tokens, sorted, without duplicates. A shorter text has none.
pub(crate) fn shingles(text: &[u8]) -> Vec<u64> {
    let tokens = tokens(text);
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

    fn c_version(text: &str) -> FileVersion {
        FileVersion::extract(&RepoPath::from("a.c"), &Arc::new(text.as_bytes().to_vec()))
    }

    fn words(old: &FileVersion, new: &FileVersion) -> Vec<String> {
        let describe = |change: &SymbolChange<'_>| {
            let name = change.new.or(change.old).map(|symbol| symbol.name.clone()).unwrap_or_default();
            format!("{name} {}", change.parts(new, old).words().join("+"))
        };
        changes_since(new, old).iter().map(describe).collect()
    }

    #[test]
    fn function_that_becomes_a_method_or_changes_its_container_is_the_same() {
        let body = "        total = 0\n        for item in items:\n            total += item.price\n        return total\n";
        let old = version(&format!("def total_of(items):\n{body}\nclass Cart:\n    x = 1\n"));
        let new = version(&format!("class Cart:\n    x = 1\n\n    def total_of(self, items):\n{body}"));
        let words = words(&old, &new);
        assert!(words.iter().any(|words| words.starts_with("Cart.total_of renamed")), "{words:?}");
    }

    #[test]
    fn only_function_that_is_gone_became_the_only_new_one_if_they_are_much_alike() {
        let old = "def match_fingerprint(cert, print):\n    count, rest = divmod(len(print), 2)\n    if rest:\n        raise Error(count)\n    return digest(cert) == print\n";
        let new = "def assert_fingerprint(cert, wanted):\n    count, rest = divmod(len(wanted), 2)\n    if rest or count not in known:\n        raise Error(count)\n    if digest(cert) != wanted:\n        raise Error(wanted)\n";
        assert_eq!(words(&version(old), &version(new)), ["assert_fingerprint renamed+body"]);
        let other = "def parse(text):\n    for line in text.splitlines():\n        yield line.strip().partition('=')[2].encode('ascii')\n";
        assert_eq!(words(&version(old), &version(other)), ["parse added", "match_fingerprint removed"]);
    }

    #[test]
    fn overload_without_a_body_counts() {
        let version = |overload: &str| {
            let text = format!(
                "export function pick(a: string): string\nexport function pick(a: number): {overload}\n\
                 export function pick(a: any): any {{\n    return a;\n}}\n"
            );
            FileVersion::extract(&RepoPath::from("a.ts"), &Arc::new(text.into_bytes()))
        };
        assert_eq!(words(&version("number"), &version("bigint")), ["pick signature"]);
    }

    #[test]
    fn prototype_does_not_count_beside_the_definition() {
        let body = "{\n    int x = read_it();\n    return x + offset;\n}\n";
        let plain = c_version(&format!("int get(void) {body}"));
        let declared = c_version(&format!("int get(void);\n\nint get(void) {body}"));
        assert!(words(&plain, &declared).is_empty() && words(&declared, &plain).is_empty());
        let renamed = c_version(&format!("int fetch(void);\n\nint fetch(void) {body}"));
        assert_eq!(words(&declared, &renamed).iter().filter(|words| words.starts_with("fetch")).count(), 1);
        let only_declared = c_version("int get(void);\n");
        assert_eq!(words(&only_declared, &declared), ["get added"]);
        assert_eq!(words(&declared, &only_declared), ["get removed"]);
    }
}
