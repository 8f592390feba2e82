//! Second chances: where a file does not parse, known gaps of its grammar are bridged and it is parsed again.
//!
//! Bridging never moves anything: a few bytes are replaced by as many others, so that every place stays what it was.

use crate::parse::budget::Budget;
use crate::parse::run_parser;
use crate::schema::error::PackError;
use orient_grammars::{Language, Tree};
use regex::bytes::Regex;
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::Range;

/// One gap of a grammar, as a pack writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MendSpec {
    /// What to look for; its first group is replaced.
    pub(crate) pattern: String,
    /// What of the group is replaced, wherever it stands in it; all of it if not said.
    pub(crate) inside: Option<String>,
    /// What replaces it: a text of the same length, or a byte for each of its bytes; a blank if not said.
    pub(crate) with: Option<String>,
    /// Whether it is the beginning of the definition that follows it, which loses sight of it; each match of `inside`
    /// is then one of its attributes.
    pub(crate) opens: bool,
    /// Whether it is only looked for around a word that is never a name, and was taken for one.
    pub(crate) at_never_names: bool,
}

/// The same, compiled.
pub(crate) struct Mend {
    pattern: Regex,
    inside: Option<Regex>,
    with: Vec<u8>,
    opens: bool,
    at_never_names: bool,
}

impl Mend {
    pub(crate) fn compile(pack: &str, spec: &MendSpec) -> Result<Self, PackError> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|error| PackError::Pattern {
                pack: pack.to_owned(),
                place: "mend".to_owned(),
                message: error.to_string(),
            })
        };
        let with = spec.with.as_deref().filter(|with| !with.is_empty()).unwrap_or(" ");
        Ok(Self {
            pattern: compile(&spec.pattern)?,
            inside: spec.inside.as_ref().map(compile).transpose()?,
            with: with.as_bytes().to_vec(),
            opens: spec.opens,
            at_never_names: spec.at_never_names,
        })
    }

    /// Bridges the gap wherever it is in `text`; the places where it did, if definitions begin there. `misread` are
    /// the words that are never names and were taken for some.
    fn apply(&self, text: &mut [u8], misread: &[usize]) -> Vec<Opened> {
        let mut opened = Vec::new();
        let mut from = 0;
        // A replaced byte may be what the next match looks back at, so each match is looked for in the new text.
        while let Some(found) = self.pattern.captures_at(text, from) {
            let Some(group) = found.get(1) else { break };
            let (start, end) = (group.start(), group.end());
            let whole = found.get(0).map_or(start..end, |whole| whole.range());
            from = end.max(from + 1);
            if self.at_never_names && !misread.iter().any(|at| whole.contains(at)) {
                if from > text.len() {
                    break;
                }
                continue;
            }
            let parts: Vec<Range<usize>> = match &self.inside {
                Some(inside) => inside
                    .find_iter(&text[start..end])
                    .map(|part| part.start() + start..part.end() + start)
                    .collect(),
                None => std::iter::once(start..end).collect(),
            };
            for part in parts {
                self.replace(&mut text[part.clone()]);
                if self.opens {
                    let attribute = self.inside.is_some();
                    opened.push(Opened { start: part.start as u32, end: part.end as u32, attribute });
                }
            }
            if from > text.len() {
                break;
            }
        }
        opened
    }

    /// Line breaks stay: lines are counted by them.
    fn replace(&self, part: &mut [u8]) {
        let whole = part.len() == self.with.len();
        for (at, byte) in part.iter_mut().enumerate() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = if whole { self.with[at] } else { self.with[0] };
            }
        }
    }
}

/// A place before a definition that no tree shows although it belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Opened {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether it is an attribute.
    pub(crate) attribute: bool,
}

/// All that is known of a grammar's gaps.
pub(crate) struct Mends {
    mends: Vec<Mend>,
    never_names: Vec<String>,
}

impl Mends {
    pub(crate) fn new(never_names: Vec<String>) -> Self {
        Self { mends: Vec::new(), never_names }
    }

    pub(crate) fn add(&mut self, mend: Mend) {
        self.mends.push(mend);
    }
}

/// A tree, and what it does not show.
pub(crate) struct Mended {
    pub(crate) tree: Tree,
    pub(crate) opened: Vec<Opened>,
}

/// The tree of a file whose first tree has errors: another one if it has fewer, else the first. All known gaps are
/// bridged; where something is still wrong, only those are that each make it better.
pub(crate) fn mend(
    language: &Language,
    known: &Mends,
    source: &[u8],
    first: Tree,
    budget: &mut Budget,
) -> Mended {
    let held = Mended { tree: first, opened: Vec::new() };
    if known.mends.is_empty() || !held.tree.root_node().has_error() && known.never_names.is_empty() {
        return held;
    }
    let damage = damage(&held.tree, source, &known.never_names);
    if damage.is_none() {
        return held;
    }
    let mut work = Work { language, known, source, budget };
    let all = work.all(&damage);
    if let Some((mended, left)) = all
        && left.weight() < damage.weight()
    {
        if left.is_none() {
            return mended;
        }
        let (other, less) = work.one_by_one(held, damage);
        return if less.weight() < left.weight() { other } else { mended };
    }
    work.one_by_one(held, damage).0
}

/// A file being mended.
struct Work<'w> {
    language: &'w Language,
    known: &'w Mends,
    source: &'w [u8],
    budget: &'w mut Budget,
}

impl Work<'_> {
    fn all(&mut self, damage: &Damage) -> Option<(Mended, Damage)> {
        let mut text = self.source.to_vec();
        let mut opened = Vec::new();
        for mend in &self.known.mends {
            opened.extend(mend.apply(&mut text, &damage.misread));
        }
        let (tree, left) = self.parse(&text)?;
        Some((Mended { tree, opened }, left))
    }

    fn one_by_one(&mut self, mut held: Mended, mut left: Damage) -> (Mended, Damage) {
        let mut text = Cow::Borrowed(self.source);
        for mend in &self.known.mends {
            let mut patched = text.to_vec();
            let opened = mend.apply(&mut patched, &left.misread);
            if patched == *text {
                continue;
            }
            let Some((tree, now)) = self.parse(&patched) else { continue };
            if now.weight() < left.weight() {
                held.tree = tree;
                held.opened.extend(opened);
                (text, left) = (Cow::Owned(patched), now);
            }
        }
        (held, left)
    }

    fn parse(&mut self, text: &[u8]) -> Option<(Tree, Damage)> {
        // Where there is not enough left for another tree, the one at hand stays.
        let tree = run_parser::parse(self.language, text, self.budget).ok()?;
        let damage = damage(&tree, self.source, &self.known.never_names);
        Some((tree, damage))
    }
}

/// What is wrong with a tree.
#[derive(Default)]
struct Damage {
    /// Bytes inside errors, and the number of errors.
    bytes: usize,
    errors: usize,
    /// Where words that are never names were taken for some.
    misread: Vec<usize>,
}

impl Damage {
    fn is_none(&self) -> bool {
        self.errors == 0 && self.misread.is_empty()
    }

    fn weight(&self) -> (usize, usize, usize) {
        (self.bytes, self.errors, self.misread.len())
    }
}

fn damage(tree: &Tree, source: &[u8], never_names: &[String]) -> Damage {
    let mut found = Damage::default();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let own = node.is_error() || node.is_missing();
        if own {
            found.bytes += node.end_byte() - node.start_byte();
            found.errors += 1;
        }
        if !own && (node.has_error() || !never_names.is_empty()) && cursor.goto_first_child() {
            continue;
        }
        if node.is_named()
            && let Some(text) = source.get(node.byte_range())
            && never_names.iter().any(|word| word.as_bytes() == text)
            && source[..node.start_byte()].last() != Some(&b':')
        {
            found.misread.push(node.start_byte());
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_group_is_replaced_and_nothing_moves() {
        let spec = MendSpec { pattern: r"(BAD) ".to_owned(), ..MendSpec::default() };
        let language = orient_grammars::grammar("c").expect("the grammar is there");
        let source = b"int BAD BAD x(void) { return 1; }";
        let budget = &mut Budget::of(source.len());
        let first = run_parser::parse(&language, source, budget).expect("it parses");
        assert!(first.root_node().has_error());
        let mend = Mend::compile("c", &spec).expect("the pattern is good");
        let mut mends = Mends::new(Vec::new());
        mends.add(mend);
        let second = super::mend(&language, &mends, source, first, budget).tree;
        assert!(!second.root_node().has_error());
        assert_eq!(second.root_node().end_byte(), source.len());
    }

    #[test]
    fn a_mend_may_touch_parts_of_its_group_and_never_a_line_break() {
        let mend = |inside: Option<&str>, with: &str| {
            let spec = MendSpec {
                pattern: "(?s)<(.*?)>".to_owned(),
                inside: inside.map(str::to_owned),
                with: Some(with.to_owned()),
                opens: true,
                ..MendSpec::default()
            };
            Mend::compile("x", &spec).expect("the pattern is good")
        };
        let mut text = b"<a$b\n$c> $ <$>".to_vec();
        let opened = mend(Some(r"\$"), "_").apply(&mut text, &[]);
        assert_eq!(
            opened.iter().map(|it| (it.start, it.end)).collect::<Vec<_>>(),
            [(2, 3), (5, 6), (12, 13)]
        );
        assert_eq!(text, b"<a_b\n_c> $ <_>");
        let mut text = b"<if> <a\nb>".to_vec();
        mend(None, ", ").apply(&mut text, &[]);
        assert_eq!(text, b"<, > <,\n,>");
    }
}
