//! Fact extraction, the entry point of the crate: from the bytes of a file to its facts.

use crate::conventions::generated;
use crate::embedded::{self, EmbeddedText, Merger};
use crate::facts::chunks;
use crate::facts::resolvable::is_resolvable;
use crate::grammar_repair;
use crate::item_macros::UnwrappedItems;
use crate::lower;
use crate::node_table::NodeTable;
use crate::pack::{Extractor, Pack};
use crate::parse::budget::{Budget, Limit};
use crate::parse::flat_tree::Tree;
use crate::parse::run_parser;
use crate::preprocess::{PreprocessedSource, Preprocessor};
use orient_grammars::Language;
use orient_model::{Facts, Issue, IssueKind, Outline, Span};
use std::borrow::Cow;

/// The facts of a file. Without a pack the file is plain text.
pub fn extract(pack: Option<&Pack>, bytes: &[u8]) -> Facts {
    extract_within(pack, bytes, &mut Budget::of(bytes.len()))
}

/// The facts of a file with this name. Some files are a symbol themselves, which has the name of the file.
pub fn extract_file(pack: Option<&Pack>, file_name: &str, bytes: &[u8]) -> Facts {
    let mut facts = extract(pack, bytes);
    if let Some(symbol) = pack.and_then(|pack| pack.file_symbol(file_name, bytes)) {
        symbol.add(&mut facts, file_name, bytes);
    }
    facts
}

/// The facts of a file, or of a text embedded in one, within the budget of the file.
pub(crate) fn extract_within(pack: Option<&Pack>, bytes: &[u8], budget: &mut Budget) -> Facts {
    let mut facts = match pack {
        Some(pack) => by_pack(pack, bytes, budget),
        None => plain(bytes),
    };
    if std::str::from_utf8(bytes).is_err() {
        facts.outline.issues.push(Issue { kind: IssueKind::Encoding, span: Span::default() });
    }
    if let Some(project) = pack.and_then(Pack::project) {
        project.add(bytes, &mut facts.outline, budget);
    }
    facts.outline.generated = generated::is_generated(bytes);
    facts
}

fn by_pack(pack: &Pack, bytes: &[u8], budget: &mut Budget) -> Facts {
    let (language, PreprocessedSource { text, mut erased }) = match pack.extractor() {
        Extractor::Deep(table) => (&table.language, preprocessed(table, bytes)),
        Extractor::Shallow(queries) => (queries.language(), unchanged(bytes)),
        Extractor::Scanner(scanner) => {
            let facts = scanner(pack.conventions(), bytes);
            return with_embedded(facts, EmbeddedText::delimited(pack, bytes).as_slice(), bytes, budget);
        }
        Extractor::Text => return plain(bytes),
    };
    let mut raw = match parsed(pack, language, &text, budget) {
        Ok(raw) => raw,
        Err(limit) => return over_limit(bytes, limit),
    };
    let (mut text, mut macros) = (text, Vec::new());
    if let Some(unwrapped) = unwrapped(pack, &text, &raw, budget) {
        (raw, text, macros) = (unwrapped.tree, Cow::Owned(unwrapped.text), unwrapped.names);
    }
    let embedded = embedded::find(pack, &raw, bytes);
    let facts = match pack.extractor() {
        Extractor::Deep(table) => {
            let repaired = grammar_repair::repair(&table.language, &table.grammar_gaps, &text, raw, budget);
            erased.extend(repaired.erased);
            let shown = if table.preprocessor.as_ref().is_some_and(Preprocessor::erases_directives) {
                &text
            } else {
                bytes
            };
            let tree = Tree::new(bytes, shown, &repaired.tree, &repaired.joined_lines, &table.tokens);
            drop(repaired.tree);
            lower::lower(pack.conventions(), table, &tree, &erased, &macros)
        }
        Extractor::Shallow(queries) => queries.extract(pack.conventions(), raw, bytes, budget),
        Extractor::Scanner(_) | Extractor::Text => plain(bytes),
    };
    with_embedded(facts, &embedded, bytes, budget)
}

/// The facts of a file with those of the texts embedded in it.
fn with_embedded(
    mut facts: Facts,
    embedded: &[EmbeddedText<'_>],
    bytes: &[u8],
    budget: &mut Budget,
) -> Facts {
    if !embedded.is_empty() {
        let mut merger = Merger::new(&mut facts);
        for text in embedded {
            merger.add(text, extract_within(Some(text.pack), text.text(bytes), budget));
        }
        merger.finish(bytes);
    }
    if is_resolvable(&facts) { facts } else { over_limit(bytes, Limit::Work) }
}

/// The syntax tree of a text; the limit that the parser reached, or would exceed.
fn parsed(
    pack: &Pack,
    language: &Language,
    text: &[u8],
    budget: &mut Budget,
) -> Result<orient_grammars::Tree, Limit> {
    let ended =
        pack.manifest().needs_newline_after.as_deref().and_then(|opens| run_parser::ended(text, opens));
    run_parser::parse_within(
        language,
        pack.manifest().parser_traits(),
        ended.as_deref().unwrap_or(text),
        budget,
    )
}

/// The tree of a text without the macro calls around its items; `None` if there are none.
fn unwrapped(
    pack: &Pack,
    text: &[u8],
    raw: &orient_grammars::Tree,
    budget: &mut Budget,
) -> Option<UnwrappedItems> {
    let Extractor::Deep(table) = pack.extractor() else { return None };
    table.item_macros.as_ref()?.unwrap(&table.language, text, raw, budget)
}

/// The syntax tree from which facts are extracted.
pub(crate) fn tree(pack: &Pack, bytes: &[u8]) -> Option<orient_grammars::Tree> {
    let budget = &mut Budget::of(bytes.len());
    match pack.extractor() {
        Extractor::Deep(table) => {
            let PreprocessedSource { mut text, .. } = preprocessed(table, bytes);
            let mut raw = parsed(pack, &table.language, &text, budget).ok()?;
            if let Some(unwrapped) = unwrapped(pack, &text, &raw, budget) {
                (raw, text) = (unwrapped.tree, Cow::Owned(unwrapped.text));
            }
            Some(grammar_repair::repair(&table.language, &table.grammar_gaps, &text, raw, budget).tree)
        }
        Extractor::Shallow(queries) => parsed(pack, queries.language(), bytes, budget).ok(),
        Extractor::Scanner(_) | Extractor::Text => None,
    }
}

/// The syntax tree of a text as it is, without preprocessing or repair; `None` if the language has no grammar or the parser
/// reached a limit.
pub fn parse_unmodified(pack: &Pack, bytes: &[u8]) -> Option<orient_grammars::Tree> {
    parsed(pack, pack.grammar()?, bytes, &mut Budget::of(bytes.len())).ok()
}

/// Parses and drops the tree: the lower bound that indexing is measured against. False if the language has no grammar.
pub fn parse_only(pack: &Pack, bytes: &[u8]) -> bool {
    parse_unmodified(pack, bytes).is_some()
}

/// The source rewritten for the grammar, with all offsets unchanged.
fn preprocessed<'b>(table: &NodeTable, bytes: &'b [u8]) -> PreprocessedSource<'b> {
    table.preprocessor.as_ref().map_or_else(|| unchanged(bytes), |preprocessor| preprocessor.apply(bytes))
}

fn unchanged(bytes: &[u8]) -> PreprocessedSource<'_> {
    PreprocessedSource { text: Cow::Borrowed(bytes), erased: Vec::new() }
}

/// The facts of plain text: windows of lines.
pub(crate) fn plain(bytes: &[u8]) -> Facts {
    let mut outline = Outline { lines: chunks::count_lines(bytes), ..Outline::default() };
    outline.chunks = chunks::cut(bytes, &outline);
    Facts { outline, flow: orient_model::Flow::default() }
}

/// The facts of a file that reached a limit: windows of lines, and an issue.
fn over_limit(bytes: &[u8], limit: Limit) -> Facts {
    let mut facts = plain(bytes);
    facts.outline.issues.push(Issue { kind: limit.issue(), span: Span::default() });
    facts
}
