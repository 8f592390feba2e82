//! Second chances: where a file does not parse, known gaps of its grammar are bridged and it is parsed again.
//!
//! Bridging never moves anything: a few bytes are replaced by as many others, so that every place stays what it was.

use crate::error::PackError;
use crate::parse;
use orient_grammars::tree_sitter::{Language, Tree};
use regex::bytes::Regex;
use serde::Deserialize;

/// One gap of a grammar, as a pack writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MendSpec {
    /// What to look for; its first group is replaced.
    pub(crate) pattern: String,
    /// The byte that replaces each byte of it; a blank if not said.
    pub(crate) with: Option<String>,
}

/// The same, compiled.
pub(crate) struct Mend {
    pattern: Regex,
    with: u8,
}

impl Mend {
    pub(crate) fn compile(pack: &str, spec: &MendSpec) -> Result<Self, PackError> {
        let pattern = Regex::new(&spec.pattern).map_err(|error| PackError::Pattern {
            pack: pack.to_owned(),
            place: "mend".to_owned(),
            message: error.to_string(),
        })?;
        Ok(Self { pattern, with: spec.with.as_ref().and_then(|with| with.bytes().next()).unwrap_or(b' ') })
    }
}

/// The tree of a file whose first tree has errors: another one if it has fewer, else the first.
pub(crate) fn mend(language: &Language, mends: &[Mend], source: &[u8], first: Tree) -> Tree {
    if mends.is_empty() || !first.root_node().has_error() {
        return first;
    }
    let mut patched = source.to_vec();
    for mend in mends {
        // A replaced byte may be what the next match looks back at.
        let mut from = 0;
        while let Some(found) = mend.pattern.captures_at(&patched, from) {
            let Some(group) = found.get(1) else { break };
            let (range, end) = (group.range(), group.end());
            let breaks = patched[range.clone()].contains(&b'\n');
            if !breaks {
                patched[range].fill(mend.with);
            }
            from = end.max(from + 1);
            if from > patched.len() {
                break;
            }
        }
    }
    if patched == source {
        return first;
    }
    match parse::parse(language, &patched) {
        Some(second) if damage(&second) < damage(&first) => second,
        _ => first,
    }
}

/// How many bytes stand in errors, and how many errors there are.
fn damage(tree: &Tree) -> (usize, usize) {
    let (mut bytes, mut count) = (0, 0);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let own = node.is_error() || node.is_missing();
        if own {
            bytes += node.end_byte() - node.start_byte();
            count += 1;
        }
        if !own && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (bytes, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_group_is_replaced_and_nothing_moves() {
        let spec = MendSpec { pattern: r"(BAD) ".to_owned(), with: None };
        let language = orient_grammars::grammar("c").expect("the grammar is there");
        let source = b"int BAD BAD x(void) { return 1; }";
        let first = parse::parse(&language, source).expect("it parses");
        assert!(first.root_node().has_error());
        let mend = Mend::compile("c", &spec).expect("the pattern is good");
        let second = super::mend(&language, &[mend], source, first);
        assert!(!second.root_node().has_error());
        assert_eq!(second.root_node().end_byte(), source.len());
    }
}
