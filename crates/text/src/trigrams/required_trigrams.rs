//! The trigrams a pattern cannot do without, by one walk over its parsed form.
//!
//! Of every part of the pattern three things are known: all strings it can match, where they are few; else how its
//! matches start and end; and what they need besides. A sequence joins ends with starts, so that trigrams across the
//! seam are found; alternatives join with "or". Where sets grow too large they are cut to what a later trigram could
//! still use, two bytes, after their own trigrams were noted.

use super::case_folding;
use super::string_set::Strings;
use super::trigram_query::Query;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// More exact strings than this are no longer followed one by one.
const MOST_EXACT: usize = 16;
/// More starts or ends than this are cut shorter.
const MOST_EDGES: usize = 16;
/// A class of more characters is taken for any character.
const MOST_IN_CLASS: usize = 64;
/// How often a repeated part is written out.
const MOST_COPIES: u32 = 4;
/// A query of more trigrams costs more than it saves.
const MOST_GRAMS: usize = 256;

/// What is known of a part of a pattern.
struct Part {
    /// Every string it matches, where they are known.
    exact: Option<Strings>,
    /// Each match starts with one of these; of no use where `exact` is known.
    starts: Strings,
    /// Each match ends with one of these; of no use where `exact` is known.
    ends: Strings,
    /// What else a text with a match must have.
    needs: Query,
}

/// What a text must have that matches the pattern.
pub(crate) fn of(pattern: &Hir) -> Query {
    part(pattern).into_query()
}

/// What a text must have that holds this string.
pub(crate) fn of_literal(literal: &[u8]) -> Query {
    of_bytes(literal).into_query()
}

fn part(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::exactly(Strings::empty_string()),
        HirKind::Literal(literal) => of_bytes(&literal.0),
        HirKind::Class(class) => of_class(class),
        HirKind::Repetition(repetition) => of_repetition(repetition),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(part).fold(Part::nothing(), Part::then),
        HirKind::Alternation(parts) => parts.iter().map(part).reduce(Part::or).unwrap_or_else(Part::anything),
    }
}

/// A literal. A byte that is no part of a whole character could be a part of one in the text, and be folded there.
fn of_bytes(literal: &[u8]) -> Part {
    let mut all = Part::nothing();
    let mut rest = literal;
    while let Some((_, behind)) = rest.split_first() {
        if let Some(c) = case_folding::first_char(rest) {
            all = all.then(Part::exactly(Strings::new([case_folding::of_char(c)])));
            rest = &rest[c.len_utf8()..];
        } else {
            all = all.then(Part::anything());
            rest = behind;
        }
    }
    all
}

fn of_class(class: &Class) -> Part {
    let folded = match class {
        Class::Unicode(class) => {
            let size: usize =
                class.iter().map(|range| range.end() as usize - range.start() as usize + 1).sum();
            let chars = || class.iter().flat_map(|range| range.start()..=range.end());
            (size <= MOST_IN_CLASS).then(|| Strings::new(chars().map(case_folding::of_char)))
        }
        Class::Bytes(class) => {
            let bytes = || class.iter().flat_map(|range| range.start()..=range.end());
            (bytes().count() <= MOST_IN_CLASS && bytes().all(|byte| byte.is_ascii()))
                .then(|| Strings::new(bytes().map(|byte| vec![byte.to_ascii_lowercase()])))
        }
    };
    match folded {
        Some(strings) if (1..=MOST_EXACT).contains(&strings.len()) => Part::exactly(strings),
        _ => Part::anything(),
    }
}

fn of_repetition(repetition: &Repetition) -> Part {
    let (min, max) = (repetition.min, repetition.max);
    if max == Some(0) {
        return Part::exactly(Strings::empty_string());
    }
    if min == 0 {
        return match max {
            Some(1) => part(&repetition.sub).or(Part::exactly(Strings::empty_string())),
            _ => Part::anything(),
        };
    }
    let copies = min.min(MOST_COPIES);
    let mut all = Part::nothing();
    for _ in 0..copies {
        all = all.then(part(&repetition.sub));
    }
    if max == Some(copies) {
        return all;
    }
    // However often it is repeated, the last one is one of them.
    let last = part(&repetition.sub).open();
    let all = all.then(Part::anything());
    Part { ends: last.ends, ..all }
}

impl Part {
    fn exactly(strings: Strings) -> Self {
        Self {
            exact: Some(strings),
            starts: Strings::empty_string(),
            ends: Strings::empty_string(),
            needs: Query::All,
        }
    }

    /// What a sequence begins with.
    fn nothing() -> Self {
        Self::exactly(Strings::empty_string())
    }

    /// Matches whatever it likes, nothing included.
    fn anything() -> Self {
        Self {
            exact: None,
            starts: Strings::empty_string(),
            ends: Strings::empty_string(),
            needs: Query::All,
        }
    }

    /// The same with starts and ends in place of exact strings.
    fn open(self) -> Self {
        let Some(exact) = self.exact else { return self };
        let needs = Query::and([self.needs, exact.query()]);
        Self { exact: None, starts: exact.clone(), ends: exact, needs }.cut()
    }

    /// Keeps sets small: what is cut off was noted before.
    fn cut(self) -> Self {
        let needs = Query::and([self.needs, self.starts.query(), self.ends.query()]);
        let (mut starts, mut ends) = (self.starts, self.ends);
        for length in (0..3).rev() {
            starts = starts.starts(length);
            if starts.len() <= MOST_EDGES {
                break;
            }
        }
        for length in (0..3).rev() {
            ends = ends.ends(length);
            if ends.len() <= MOST_EDGES {
                break;
            }
        }
        let needs = if needs.size() > MOST_GRAMS { Query::All } else { needs };
        Self { exact: self.exact, starts, ends, needs }
    }

    fn then(self, next: Self) -> Self {
        if let (Some(one), Some(two)) = (&self.exact, &next.exact)
            && one.len() * two.len() <= MOST_EXACT
        {
            let needs = Query::and([self.needs, next.needs]);
            let joined = Self { needs, ..Self::exactly(one.cross(two)) };
            // A long string is followed no further than its trigrams.
            let long = joined.exact.as_ref().is_some_and(|exact| exact.shortest() >= 64);
            return if long { joined.open() } else { joined };
        }
        match (&self.exact, &next.exact) {
            (Some(one), None) if one.len() * next.starts.len() <= MOST_EXACT => {
                let starts = one.cross(&next.starts);
                Self { exact: None, starts, ends: next.ends, needs: Query::and([self.needs, next.needs]) }
                    .cut()
            }
            (None, Some(two)) if self.ends.len() * two.len() <= MOST_EXACT => {
                let ends = self.ends.cross(two);
                Self { exact: None, starts: self.starts, ends, needs: Query::and([self.needs, next.needs]) }
                    .cut()
            }
            _ => {
                let (one, two) = (self.open(), next.open());
                let seam = if one.ends.len() * two.starts.len() <= MOST_EXACT {
                    one.ends.cross(&two.starts).query()
                } else {
                    Query::All
                };
                let needs = Query::and([one.needs, two.needs, seam]);
                Self { exact: None, starts: one.starts, ends: two.ends, needs }.cut()
            }
        }
    }

    fn or(self, other: Self) -> Self {
        if let (Some(one), Some(two)) = (&self.exact, &other.exact)
            && one.len() + two.len() <= MOST_EXACT
        {
            // What each needed besides is needed by its own strings alone.
            let needs = Query::or([self.needs, other.needs]);
            return Self { needs, ..Self::exactly(one.clone().union(two.clone())) };
        }
        let (one, two) = (self.open(), other.open());
        Self {
            exact: None,
            starts: one.starts.union(two.starts),
            ends: one.ends.union(two.ends),
            needs: Query::or([one.needs, two.needs]),
        }
        .cut()
    }

    fn into_query(self) -> Query {
        let needs = self.open().needs;
        if needs.size() > MOST_GRAMS { Query::All } else { needs }
    }
}
