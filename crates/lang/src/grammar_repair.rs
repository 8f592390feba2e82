//! Grammar repair: if a file has syntax errors, known gaps of its grammar are rewritten and the file is parsed again.
//!
//! A rewrite replaces bytes by as many others, so that all offsets stay valid.
//!
//! Example: a grammar does not know `context(Logger) fun run() { … }`. The pack describes the gap with a pattern whose
//! group is `context(Logger)`, and marks it as a definition's prefix. The group is overwritten with spaces, the rest
//! parses, and the definition's span is extended to begin at `context` again.

use crate::parse::budget::Budget;
use crate::parse::erased_prefix::ErasedPrefix;
use crate::parse::run_parser;
use crate::schema::error::PackError;
use crate::schema::source_rewriting::GrammarGapSpec;
use orient_grammars::{Language, Node, Tree};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::ops::Range;

/// A construct that the grammar does not know, compiled.
pub(crate) struct GrammarGap {
    pattern: Regex,
    only: Option<Regex>,
    replacement: Vec<u8>,
    is_definition_prefix: bool,
    at_misread_words: bool,
    joins_lines: bool,
}

/// What a rewrite hides from the tree.
#[derive(Default)]
struct Hidden {
    /// The erased prefixes of definitions.
    erased: Vec<ErasedPrefix>,
    /// The offsets of replaced line breaks.
    joined: Vec<u32>,
}

impl Hidden {
    fn add(&mut self, other: Self) {
        self.erased.extend(other.erased);
        self.joined.extend(other.joined);
    }
}

impl GrammarGap {
    pub(crate) fn compile(pack: &str, spec: &GrammarGapSpec) -> Result<Self, PackError> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|error| PackError::Pattern {
                pack: pack.to_owned(),
                place: "grammar_gap".to_owned(),
                message: error.to_string(),
            })
        };
        let with = spec.replacement.as_deref().filter(|with| !with.is_empty()).unwrap_or(" ");
        Ok(Self {
            pattern: compile(&spec.pattern)?,
            only: spec.only.as_ref().map(compile).transpose()?,
            replacement: with.as_bytes().to_vec(),
            is_definition_prefix: spec.is_definition_prefix,
            at_misread_words: spec.at_misread_words,
            joins_lines: spec.joins_lines,
        })
    }

    /// Rewrites the construct wherever it occurs in `text`, and returns what it hides. `misread` are the offsets of text that the
    /// grammar misread.
    fn apply(&self, text: &mut [u8], misread: &[usize]) -> Hidden {
        let mut hidden = Hidden::default();
        let mut from = 0;
        // The next match may include replaced bytes, so search the rewritten text.
        while let Some(found) = self.pattern.captures_at(text, from) {
            let Some(group) = found.get(1) else { break };
            let (start, end) = (group.start(), group.end());
            let whole = found.get(0).map_or(start..end, |whole| whole.range());
            from = end.max(from + 1);
            if self.at_misread_words && !misread.iter().any(|at| whole.contains(at)) {
                if from > text.len() {
                    break;
                }
                continue;
            }
            let parts: Vec<Range<usize>> = match &self.only {
                Some(inside) => inside
                    .find_iter(&text[start..end])
                    .map(|part| part.start() + start..part.end() + start)
                    .collect(),
                None => std::iter::once(start..end).collect(),
            };
            for part in parts {
                hidden
                    .joined
                    .extend(self.replace(&mut text[part.clone()]).map(|at| (part.start + at) as u32));
                if self.is_definition_prefix {
                    let attribute = self.only.is_some();
                    hidden.erased.push(ErasedPrefix {
                        start: part.start as u32,
                        end: part.end as u32,
                        attribute,
                    });
                }
            }
            if from > text.len() {
                break;
            }
        }
        hidden
    }

    /// Overwrites a part. Keeps its line breaks, so that line numbers stay valid, or returns where they were.
    fn replace(&self, part: &mut [u8]) -> impl Iterator<Item = usize> {
        let whole = part.len() == self.replacement.len();
        let mut joined = Vec::new();
        for (at, byte) in part.iter_mut().enumerate() {
            if matches!(byte, b'\n' | b'\r') && !self.joins_lines {
                continue;
            }
            if *byte == b'\n' {
                joined.push(at);
            }
            *byte = if whole { self.replacement[at] } else { self.replacement[0] };
        }
        joined.into_iter()
    }
}

/// The known gaps of a grammar.
pub(crate) struct GrammarGaps {
    gaps: Vec<GrammarGap>,
    reserved_words: Vec<String>,
    /// Kinds of nodes, and the kind that each cannot end with.
    impossible_endings: Vec<(u16, u16)>,
}

impl GrammarGaps {
    pub(crate) fn new(reserved_words: Vec<String>) -> Self {
        Self { gaps: Vec::new(), reserved_words, impossible_endings: Vec::new() }
    }

    /// Nodes of a kind cannot end with a node of another kind.
    pub(crate) fn forbid_ending(&mut self, kind: u16, ending: u16) {
        self.impossible_endings.push((kind, ending));
    }

    /// Whether a tree without errors may still be misread.
    fn finds_misreadings(&self) -> bool {
        !self.reserved_words.is_empty() || !self.impossible_endings.is_empty()
    }

    pub(crate) fn add(&mut self, gap: GrammarGap) {
        self.gaps.push(gap);
    }
}

/// A syntax tree, and the text that it does not show.
pub(crate) struct RepairedTree {
    pub(crate) tree: Tree,
    pub(crate) erased: Vec<ErasedPrefix>,
    /// The offsets of line breaks that the parser did not see, in order.
    pub(crate) joined_lines: Vec<u32>,
}

impl RepairedTree {
    fn new(tree: Tree, mut hidden: Hidden) -> Self {
        hidden.joined.sort_unstable();
        Self { tree, erased: hidden.erased, joined_lines: hidden.joined }
    }
}

/// Repairs the tree of a file: returns another tree if it has less damage than the first, and the first otherwise.
///
/// Rewrites all known gaps at once. If damage remains, also tries them one by one, keeps each rewrite that reduces the
/// damage, and returns the better of the two results.
pub(crate) fn repair(
    language: &Language,
    known: &GrammarGaps,
    source: &[u8],
    first: Tree,
    budget: &mut Budget,
) -> RepairedTree {
    let held = RepairedTree::new(first, Hidden::default());
    if known.gaps.is_empty() || !held.tree.root_node().has_error() && !known.finds_misreadings() {
        return held;
    }
    let damage = damage(&held.tree, source, known);
    if damage.is_none() {
        return held;
    }
    let mut repair = Repair { language, known, source, budget };
    let all = repair.all_at_once(&damage);
    if let Some((repaired, left)) = all
        && left.weight() < damage.weight()
    {
        if left.is_none() {
            return repaired;
        }
        let (other, less) = repair.one_by_one(held.tree, damage);
        return if less.weight() < left.weight() { other } else { repaired };
    }
    repair.one_by_one(held.tree, damage).0
}

/// A file under repair.
struct Repair<'w> {
    language: &'w Language,
    known: &'w GrammarGaps,
    source: &'w [u8],
    budget: &'w mut Budget,
}

impl Repair<'_> {
    fn all_at_once(&mut self, damage: &Damage) -> Option<(RepairedTree, Damage)> {
        let mut text = self.source.to_vec();
        let mut hidden = Hidden::default();
        for gap in &self.known.gaps {
            hidden.add(gap.apply(&mut text, &damage.misread));
        }
        let (tree, left) = self.parse(&text)?;
        Some((RepairedTree::new(tree, hidden), left))
    }

    fn one_by_one(&mut self, mut best: Tree, mut left: Damage) -> (RepairedTree, Damage) {
        let mut text = Cow::Borrowed(self.source);
        let mut hidden = Hidden::default();
        for gap in &self.known.gaps {
            let mut patched = text.to_vec();
            let by_gap = gap.apply(&mut patched, &left.misread);
            if patched == *text {
                continue;
            }
            let Some((tree, now)) = self.parse(&patched) else { continue };
            if now.weight() < left.weight() {
                best = tree;
                hidden.add(by_gap);
                (text, left) = (Cow::Owned(patched), now);
            }
        }
        (RepairedTree::new(best, hidden), left)
    }

    fn parse(&mut self, text: &[u8]) -> Option<(Tree, Damage)> {
        // Without budget for another parse the current tree stays.
        let tree = run_parser::parse(self.language, text, self.budget).ok()?;
        let damage = damage(&tree, self.source, self.known);
        Some((tree, damage))
    }
}

/// The damage of a syntax tree.
#[derive(Default)]
struct Damage {
    /// Bytes inside error nodes, and the number of error nodes.
    bytes: usize,
    errors: usize,
    /// Offsets of reserved words that the grammar took for names, and of endings that nodes cannot have.
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

fn damage(tree: &Tree, source: &[u8], known: &GrammarGaps) -> Damage {
    let mut found = Damage::default();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let own = node.is_error() || node.is_missing();
        if own {
            found.bytes += node.end_byte() - node.start_byte();
            found.errors += 1;
        }
        let ending = known.impossible_endings.iter().find(|(kind, _)| *kind == node.kind_id());
        found.misread.extend(ending.and_then(|&(_, ending)| last_descendant(node, ending)));
        if !own && (node.has_error() || known.finds_misreadings()) && cursor.goto_first_child() {
            continue;
        }
        if node.is_named()
            && let Some(text) = source.get(node.byte_range())
            && known.reserved_words.iter().any(|word| word.as_bytes() == text)
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

/// The start of the node of this kind that another node ends with.
fn last_descendant(node: Node<'_>, kind: u16) -> Option<usize> {
    let mut at = node;
    loop {
        let last = at.named_child_count().checked_sub(1)?;
        at = at.named_child(last as _)?;
        if at.kind_id() == kind {
            return Some(at.start_byte());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_replaces_the_group_and_keeps_all_offsets() {
        let spec = GrammarGapSpec { pattern: r"(BAD) ".to_owned(), ..GrammarGapSpec::default() };
        let language = orient_grammars::grammar("c").expect("the grammar is there");
        let source = b"int BAD BAD x(void) { return 1; }";
        let budget = &mut Budget::of(source.len());
        let first = run_parser::parse(&language, source, budget).expect("it parses");
        assert!(first.root_node().has_error());
        let gap = GrammarGap::compile("c", &spec).expect("the pattern is good");
        let mut gaps = GrammarGaps::new(Vec::new());
        gaps.add(gap);
        let second = repair(&language, &gaps, source, first, budget).tree;
        assert!(!second.root_node().has_error());
        assert_eq!(second.root_node().end_byte(), source.len());
    }

    #[test]
    fn a_repair_may_replace_parts_of_the_group_but_no_line_break() {
        let gap = |inside: Option<&str>, with: &str| {
            let spec = GrammarGapSpec {
                pattern: "(?s)<(.*?)>".to_owned(),
                only: inside.map(str::to_owned),
                replacement: Some(with.to_owned()),
                is_definition_prefix: true,
                ..GrammarGapSpec::default()
            };
            GrammarGap::compile("x", &spec).expect("the pattern is good")
        };
        let mut text = b"<a$b\n$c> $ <$>".to_vec();
        let hidden = gap(Some(r"\$"), "_").apply(&mut text, &[]);
        assert_eq!(
            hidden.erased.iter().map(|it| (it.start, it.end)).collect::<Vec<_>>(),
            [(2, 3), (5, 6), (12, 13)]
        );
        assert_eq!(text, b"<a_b\n_c> $ <_>");
        let mut text = b"<if> <a\nb>".to_vec();
        gap(None, ", ").apply(&mut text, &[]);
        assert_eq!(text, b"<, > <,\n,>");
    }

    #[test]
    fn a_repair_that_joins_lines_says_where_they_were() {
        let spec =
            GrammarGapSpec { pattern: r"a(\s+)b".to_owned(), joins_lines: true, ..GrammarGapSpec::default() };
        let mut text = b"a\r\n b\na\n\nb".to_vec();
        let hidden = GrammarGap::compile("x", &spec).expect("the pattern is good").apply(&mut text, &[]);
        assert_eq!(text, b"a   b\na  b");
        assert_eq!(hidden.joined, [2, 7, 8]);
    }
}
