//! Reads symbols and names of a language by queries alone.
//!
//! A shallow pack is one file of tree-sitter queries whose captures come from a closed list. One pass of the query
//! gathers what they found; building turns that into the same facts a deep pack gives, on the level of names.

mod build_facts;
mod captures;
mod drafts;
mod imports_exports;
mod merge_drafts;
mod references;
mod regex_symbols;
mod run_query;

pub(crate) use build_facts::build;
pub(crate) use drafts::{Comment, Draft, Gathered, ImportDraft, Mention};
pub(crate) use regex_symbols::AlsoSpec;

use crate::pack::Pack;
use crate::parse::budget::Budget;
use crate::schema::error::PackError;
use captures::{Capture, Pattern};
use orient_grammars::{Language, Query, Tree};
use orient_model::{Facts, Issue, IssueKind, Span};
use regex_symbols::Also;

/// Issues kept per file: enough to show where it goes wrong.
const ISSUES_CAP: usize = 20;

/// The compiled queries of a shallow pack.
pub(crate) struct Tags {
    language: Language,
    query: Query,
    /// What each capture of the query says.
    captures: Vec<Capture>,
    /// What each pattern says beyond its captures.
    patterns: Vec<Pattern>,
    /// What the grammar does not know.
    also: Vec<Also>,
}

impl Tags {
    pub(crate) fn compile(
        pack: &str,
        language: Language,
        query: &str,
        also: &[AlsoSpec],
    ) -> Result<Self, PackError> {
        let query = Query::new(&language, query)
            .map_err(|error| PackError::Query { pack: pack.to_owned(), message: error.to_string() })?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| captures::capture(name).map_err(|unknown| unknown.at(pack, "tags.scm", name)))
            .collect::<Result<_, _>>()?;
        let patterns = (0..query.pattern_count())
            .map(|index| captures::pattern(pack, query.property_settings(index)))
            .collect::<Result<_, _>>()?;
        let also = also.iter().map(|spec| Also::compile(pack, spec)).collect::<Result<_, _>>()?;
        Ok(Self { language, query, captures, patterns, also })
    }

    pub(crate) fn language(&self) -> &Language {
        &self.language
    }

    pub(crate) fn extract(&self, pack: &Pack, tree: Tree, source: &[u8], budget: &mut Budget) -> Facts {
        let (mut gathered, limit) = self.gather(&tree, source, budget);
        let mut issues = issues(&tree);
        issues.extend(limit.map(|limit| Issue { kind: limit.issue(), span: Span::default() }));
        // Nothing of it is needed any more, and building takes memory of its own.
        drop(tree);
        self.also.iter().for_each(|also| also.add(source, &mut gathered.drafts));
        let mut facts = build(pack, source, gathered);
        facts.outline.issues = issues;
        facts
    }
}

/// Where the grammar did not understand the text. Only branches with an error in them are looked at.
fn issues(tree: &Tree) -> Vec<Issue> {
    let mut issues = Vec::new();
    if !tree.root_node().has_error() {
        return issues;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let bad = node.is_error() || node.is_missing();
        // A separator that many languages let be left out is nothing to speak of.
        if bad && !(node.is_missing() && node.kind() == ";") {
            issues.push(Issue { kind: IssueKind::Syntax, span: drafts::span(node) });
        }
        if issues.len() == ISSUES_CAP {
            return issues;
        }
        if !bad && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return issues;
            }
        }
    }
}

/// The text under a span.
fn text_at(source: &[u8], span: Span) -> std::borrow::Cow<'_, str> {
    crate::facts::display_text::lossy(span.of(source))
}
