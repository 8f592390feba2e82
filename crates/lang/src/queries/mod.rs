//! Shallow languages: extracts symbols and references by name with tree-sitter queries.
//!
//! A shallow pack is one file of queries whose captures come from a closed list. One run of the query collects drafts;
//! they are merged, one for each symbol, and become the same facts that a deep pack gives, by name only.

mod build_facts;
mod captures;
mod drafts;
mod imports_exports;
mod merge_drafts;
mod references;
mod regex_symbols;
mod run_query;

pub(crate) use build_facts::build;
pub(crate) use drafts::{Comment, FileDrafts, ImportDraft, ReferenceDraft, SymbolDraft};

use crate::conventions::Conventions;
use crate::parse::budget::Budget;
use crate::schema::error::PackError;
use crate::schema::manifest::RegexSymbolSpec;
use captures::{Capture, Pattern};
use orient_grammars::{Language, Query, Tree};
use orient_model::{Facts, Issue, IssueKind, Span};
use regex_symbols::RegexSymbol;

/// Maximum number of syntax errors reported for a file.
const ISSUES_CAP: usize = 20;

/// The compiled queries of a shallow pack.
pub(crate) struct QuerySet {
    language: Language,
    query: Query,
    /// The meaning of each capture of the query.
    captures: Vec<Capture>,
    /// The settings of each pattern.
    patterns: Vec<Pattern>,
    /// Symbols that the grammar has no node for.
    regex_symbols: Vec<RegexSymbol>,
}

impl QuerySet {
    pub(crate) fn compile(
        pack: &str,
        language: Language,
        query: &str,
        regex_symbols: &[RegexSymbolSpec],
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
        let regex_symbols = regex_symbols.iter().map(|spec| RegexSymbol::compile(pack, spec));
        let regex_symbols = regex_symbols.collect::<Result<_, _>>()?;
        Ok(Self { language, query, captures, patterns, regex_symbols })
    }

    pub(crate) fn language(&self) -> &Language {
        &self.language
    }

    pub(crate) fn extract(
        &self,
        conventions: &Conventions,
        tree: Tree,
        source: &[u8],
        budget: &mut Budget,
    ) -> Facts {
        let (mut file_drafts, limit) = self.gather(&tree, source, budget);
        let mut issues = issues(&tree);
        issues.extend(limit.map(|limit| Issue { kind: limit.issue(), span: Span::default() }));
        // Free the tree before building the facts, which takes memory as well.
        drop(tree);
        self.regex_symbols.iter().for_each(|symbol| symbol.add(source, &mut file_drafts.symbols));
        let mut facts = build(conventions, source, file_drafts);
        facts.outline.issues = issues;
        facts
    }
}

/// The syntax errors of a tree. Visits only subtrees that contain one.
fn issues(tree: &Tree) -> Vec<Issue> {
    let mut issues = Vec::new();
    if !tree.root_node().has_error() {
        return issues;
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        // A missing semicolon is optional in many languages: not worth an issue.
        if is_error && !(node.is_missing() && node.kind() == ";") {
            issues.push(Issue { kind: IssueKind::Syntax, span: drafts::span(node) });
        }
        if issues.len() == ISSUES_CAP {
            return issues;
        }
        if !is_error && node.has_error() && cursor.goto_first_child() {
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
