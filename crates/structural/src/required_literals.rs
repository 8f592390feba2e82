//! The texts that every match of a pattern contains, and their trigrams.

use ast_grep_core::MatchStrictness;
use ast_grep_core::matcher::PatternNode;
use orient_text::{PatternSyntax, TrigramQuery, required_trigrams};

/// Adds the texts of the named leaves of a pattern: `x.unwrap()` contains `x` and `unwrap`. The matcher compares anonymous
/// tokens by kind only, so their text is not required.
pub(crate) fn collect(node: &PatternNode, strictness: &MatchStrictness, literals: &mut Vec<String>) {
    if matches!(strictness, MatchStrictness::Signature) {
        return;
    }
    match node {
        PatternNode::MetaVar { .. } => {}
        PatternNode::Terminal { text, is_named, .. } => {
            if *is_named && !text.is_empty() && !literals.contains(text) {
                literals.push(text.clone());
            }
        }
        PatternNode::Internal { children, .. } => {
            for child in children {
                collect(child, strictness, literals);
            }
        }
    }
}

/// The trigrams of a text that contains all these literals.
pub(crate) fn trigrams(literals: &[String]) -> TrigramQuery {
    let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: true };
    TrigramQuery::and(literals.iter().map(|literal| required_trigrams([literal.as_str()], syntax)))
}
