//! Required trigrams: computes, in one pass over a parsed pattern, the trigrams that every match contains.
//!
//! For each part of the pattern the analysis knows the exact set of strings it matches, if that set is small; otherwise the
//! possible prefixes and suffixes of its matches, and the trigrams required besides. A concatenation joins suffixes with
//! prefixes, so that trigrams across the boundary are found; an alternation is a disjunction. Sets that grow too large are
//! cut to two bytes per string, which is all that a later trigram can use, after their own trigrams are recorded.
//!
//! Example: `ab(c|d)e.*xyz`. `ab` is exact: {ab}. After `(c|d)` the set is {abc, abd}, after `e` {abce, abde}. `.*` matches
//! anything, so the exact set ends: its trigrams `(abc AND bce) OR (abd AND bde)` are recorded. `xyz` adds `xyz`. The query
//! is `xyz AND ((abc AND bce) OR (abd AND bde))`.

use super::case_folding;
use super::string_set::StringSet;
use super::trigram_query::TrigramQuery;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// The maximum size of a set of exact strings.
const MAX_EXACT: usize = 16;
/// The maximum number of prefixes or suffixes before they are shortened.
const MAX_EDGES: usize = 16;
/// A character class with more characters counts as any character.
const MAX_CLASS: usize = 64;
/// The maximum number of copies into which a repetition is expanded.
const MAX_COPIES: u32 = 4;
/// A query with more trigrams costs more than it saves.
const MAX_TRIGRAMS: usize = 256;

/// What is known about a part of a pattern.
struct PatternInfo {
    /// All strings it matches, if they are known.
    exact: Option<StringSet>,
    /// Each match starts with one of these. Unused if `exact` is known.
    prefixes: StringSet,
    /// Each match ends with one of these. Unused if `exact` is known.
    suffixes: StringSet,
    /// The trigrams that each match contains besides.
    required: TrigramQuery,
}

/// The trigrams that a text contains if it matches the pattern.
pub(crate) fn of(pattern: &Hir) -> TrigramQuery {
    analyse(pattern).into_query()
}

/// The trigrams that a text contains if it contains this string.
pub(crate) fn of_literal(literal: &[u8]) -> TrigramQuery {
    of_bytes(literal).into_query()
}

fn analyse(hir: &Hir) -> PatternInfo {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => PatternInfo::exactly(StringSet::empty_string()),
        HirKind::Literal(literal) => of_bytes(&literal.0),
        HirKind::Class(class) => of_class(class),
        HirKind::Repetition(repetition) => of_repetition(repetition),
        HirKind::Capture(capture) => analyse(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(analyse).fold(PatternInfo::nothing(), PatternInfo::then),
        HirKind::Alternation(parts) => {
            parts.iter().map(analyse).reduce(PatternInfo::or).unwrap_or_else(PatternInfo::anything)
        }
    }
}

/// A literal. A byte outside of a complete character may be part of one in the text and be folded there, so it counts as
/// anything.
fn of_bytes(literal: &[u8]) -> PatternInfo {
    let mut all = PatternInfo::nothing();
    let mut rest = literal;
    while let Some((_, behind)) = rest.split_first() {
        if let Some(c) = case_folding::first_char(rest) {
            all = all.then(PatternInfo::exactly(StringSet::new([case_folding::folded_char(c)])));
            rest = &rest[c.len_utf8()..];
        } else {
            all = all.then(PatternInfo::anything());
            rest = behind;
        }
    }
    all
}

fn of_class(class: &Class) -> PatternInfo {
    let folded = match class {
        Class::Unicode(class) => {
            let size: usize =
                class.iter().map(|range| range.end() as usize - range.start() as usize + 1).sum();
            let chars = || class.iter().flat_map(|range| range.start()..=range.end());
            (size <= MAX_CLASS).then(|| StringSet::new(chars().map(case_folding::folded_char)))
        }
        Class::Bytes(class) => {
            let bytes = || class.iter().flat_map(|range| range.start()..=range.end());
            (bytes().count() <= MAX_CLASS && bytes().all(|byte| byte.is_ascii()))
                .then(|| StringSet::new(bytes().map(|byte| vec![byte.to_ascii_lowercase()])))
        }
    };
    match folded {
        Some(strings) if (1..=MAX_EXACT).contains(&strings.len()) => PatternInfo::exactly(strings),
        _ => PatternInfo::anything(),
    }
}

fn of_repetition(repetition: &Repetition) -> PatternInfo {
    let (min, max) = (repetition.min, repetition.max);
    if max == Some(0) {
        return PatternInfo::exactly(StringSet::empty_string());
    }
    if min == 0 {
        return match max {
            Some(1) => analyse(&repetition.sub).or(PatternInfo::exactly(StringSet::empty_string())),
            _ => PatternInfo::anything(),
        };
    }
    let copies = min.min(MAX_COPIES);
    let mut all = PatternInfo::nothing();
    for _ in 0..copies {
        all = all.then(analyse(&repetition.sub));
    }
    if max == Some(copies) {
        return all;
    }
    // A match ends with a match of the repeated part.
    let last = analyse(&repetition.sub).opened();
    let all = all.then(PatternInfo::anything());
    PatternInfo { suffixes: last.suffixes, ..all }
}

impl PatternInfo {
    fn exactly(strings: StringSet) -> Self {
        Self {
            exact: Some(strings),
            prefixes: StringSet::empty_string(),
            suffixes: StringSet::empty_string(),
            required: TrigramQuery::All,
        }
    }

    /// Matches the empty string: the start of a concatenation.
    fn nothing() -> Self {
        Self::exactly(StringSet::empty_string())
    }

    /// Matches any string, including the empty one.
    fn anything() -> Self {
        Self {
            exact: None,
            prefixes: StringSet::empty_string(),
            suffixes: StringSet::empty_string(),
            required: TrigramQuery::All,
        }
    }

    /// Replaces the exact strings by prefixes and suffixes, and records their trigrams.
    fn opened(self) -> Self {
        let Some(exact) = self.exact else { return self };
        let required = TrigramQuery::and([self.required, exact.query()]);
        Self { exact: None, prefixes: exact.clone(), suffixes: exact, required }.shortened()
    }

    /// Shortens prefixes and suffixes until the sets are small, after recording their trigrams.
    fn shortened(self) -> Self {
        let required = TrigramQuery::and([self.required, self.prefixes.query(), self.suffixes.query()]);
        let (mut prefixes, mut suffixes) = (self.prefixes, self.suffixes);
        for length in (0..3).rev() {
            prefixes = prefixes.prefixes(length);
            if prefixes.len() <= MAX_EDGES {
                break;
            }
        }
        for length in (0..3).rev() {
            suffixes = suffixes.suffixes(length);
            if suffixes.len() <= MAX_EDGES {
                break;
            }
        }
        let required = if required.trigrams() > MAX_TRIGRAMS { TrigramQuery::All } else { required };
        Self { exact: self.exact, prefixes, suffixes, required }
    }

    fn then(self, next: Self) -> Self {
        if let (Some(one), Some(two)) = (&self.exact, &next.exact)
            && one.len() * two.len() <= MAX_EXACT
        {
            let required = TrigramQuery::and([self.required, next.required]);
            let joined = Self { required, ..Self::exactly(one.cross(two)) };
            // Of a long string only the trigrams are kept.
            let long = joined.exact.as_ref().is_some_and(|exact| exact.shortest() >= 64);
            return if long { joined.opened() } else { joined };
        }
        match (&self.exact, &next.exact) {
            (Some(one), None) if one.len() * next.prefixes.len() <= MAX_EXACT => {
                let prefixes = one.cross(&next.prefixes);
                Self {
                    exact: None,
                    prefixes,
                    suffixes: next.suffixes,
                    required: TrigramQuery::and([self.required, next.required]),
                }
                .shortened()
            }
            (None, Some(two)) if self.suffixes.len() * two.len() <= MAX_EXACT => {
                let suffixes = self.suffixes.cross(two);
                Self {
                    exact: None,
                    prefixes: self.prefixes,
                    suffixes,
                    required: TrigramQuery::and([self.required, next.required]),
                }
                .shortened()
            }
            _ => {
                let (one, two) = (self.opened(), next.opened());
                let boundary = if one.suffixes.len() * two.prefixes.len() <= MAX_EXACT {
                    one.suffixes.cross(&two.prefixes).query()
                } else {
                    TrigramQuery::All
                };
                let required = TrigramQuery::and([one.required, two.required, boundary]);
                Self { exact: None, prefixes: one.prefixes, suffixes: two.suffixes, required }.shortened()
            }
        }
    }

    fn or(self, other: Self) -> Self {
        if let (Some(one), Some(two)) = (&self.exact, &other.exact)
            && one.len() + two.len() <= MAX_EXACT
        {
            // Each side requires its own trigrams only for its own strings.
            let required = TrigramQuery::or([self.required, other.required]);
            return Self { required, ..Self::exactly(one.clone().union(two.clone())) };
        }
        let (one, two) = (self.opened(), other.opened());
        Self {
            exact: None,
            prefixes: one.prefixes.union(two.prefixes),
            suffixes: one.suffixes.union(two.suffixes),
            required: TrigramQuery::or([one.required, two.required]),
        }
        .shortened()
    }

    fn into_query(self) -> TrigramQuery {
        let required = self.opened().required;
        if required.trigrams() > MAX_TRIGRAMS { TrigramQuery::All } else { required }
    }
}
