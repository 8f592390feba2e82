//! The door: from bytes to facts.

use crate::embedded;
use crate::facts::chunks;
use crate::facts::resolvable::is_resolvable;
use crate::grammar_repair;
use crate::lower;
use crate::node_table::Table;
use crate::pack::file_role;
use crate::pack::{Body, Pack};
use crate::parse::budget::{Budget, Limit};
use crate::parse::flat_tree::Tree;
use crate::parse::run_parser;
use crate::preprocess::{Blank, Readable};
use orient_grammars::Language;
use orient_model::{Facts, Issue, IssueKind, Outline, Span};
use std::borrow::Cow;

/// The facts of a file. Without a pack it is taken as plain text.
pub fn extract(pack: Option<&Pack>, bytes: &[u8]) -> Facts {
    extract_within(pack, bytes, &mut Budget::of(bytes.len()))
}

/// The facts of a file, or of a piece of one, as far as the budget of the file goes.
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
    facts.outline.generated = file_role::says_generated(bytes);
    facts
}

fn by_pack(pack: &Pack, bytes: &[u8], budget: &mut Budget) -> Facts {
    let (language, Readable { text, mut opened }) = match pack.body() {
        Body::Deep(table) => (&table.language, readable(table, bytes)),
        Body::Shallow(tags) => (tags.language(), untouched(bytes)),
        Body::Scanner(scanner) => return scanner(pack, bytes),
        Body::Text => return plain(bytes),
    };
    let raw = match parsed(pack, language, &text, budget) {
        Ok(raw) => raw,
        Err(limit) => return over_limit(bytes, limit),
    };
    let pieces = embedded::find(pack, &raw, bytes);
    let mut facts = match pack.body() {
        Body::Deep(table) => {
            let mended = grammar_repair::mend(&table.language, &table.mends, &text, raw, budget);
            opened.extend(mended.opened);
            let shown = if table.blank.as_ref().is_some_and(Blank::is_flat) { &text } else { bytes };
            let tree = Tree::new(bytes, shown, &mended.tree, &table.tokens);
            drop(mended.tree);
            lower::lower(pack, table, &tree, &opened)
        }
        Body::Shallow(tags) => tags.extract(pack, raw, bytes, budget),
        Body::Scanner(_) | Body::Text => plain(bytes),
    };
    embedded::merge(&mut facts, &pieces, bytes, budget);
    if is_resolvable(&facts) { facts } else { over_limit(bytes, Limit::Work) }
}

/// The tree of a text; a limit where the parser reached it, or might not survive the text.
fn parsed(
    pack: &Pack,
    language: &Language,
    text: &[u8],
    budget: &mut Budget,
) -> Result<orient_grammars::Tree, Limit> {
    let ended = pack.header.unended.as_deref().and_then(|opens| run_parser::ended(text, opens));
    run_parser::parse_within(language, pack.header.levels, ended.as_deref().unwrap_or(text), budget)
}

/// The tree that facts are read from.
pub(crate) fn tree(pack: &Pack, bytes: &[u8]) -> Option<orient_grammars::Tree> {
    let budget = &mut Budget::of(bytes.len());
    match pack.body() {
        Body::Deep(table) => {
            let Readable { text, .. } = readable(table, bytes);
            let raw = parsed(pack, &table.language, &text, budget).ok()?;
            Some(grammar_repair::mend(&table.language, &table.mends, &text, raw, budget).tree)
        }
        Body::Shallow(tags) => parsed(pack, tags.language(), bytes, budget).ok(),
        Body::Scanner(_) | Body::Text => None,
    }
}

/// Parses and throws the tree away: the floor that indexing is measured against. False where nothing parses the file.
pub fn parse_only(pack: &Pack, bytes: &[u8]) -> bool {
    let budget = &mut Budget::of(bytes.len());
    match pack.body() {
        Body::Deep(table) => parsed(pack, &table.language, bytes, budget).is_ok(),
        Body::Shallow(tags) => parsed(pack, tags.language(), bytes, budget).is_ok(),
        Body::Scanner(_) | Body::Text => false,
    }
}

/// The text as the grammar of a table can read it; all offsets are those of the original.
fn readable<'b>(table: &Table, bytes: &'b [u8]) -> Readable<'b> {
    table.blank.as_ref().map_or_else(|| untouched(bytes), |blank| blank.apply(bytes))
}

fn untouched(bytes: &[u8]) -> Readable<'_> {
    Readable { text: Cow::Borrowed(bytes), opened: Vec::new() }
}

/// A file without structure: windows.
pub(crate) fn plain(bytes: &[u8]) -> Facts {
    let mut outline = Outline { lines: chunks::count_lines(bytes), ..Outline::default() };
    outline.chunks = chunks::cut(bytes, &outline);
    Facts { outline, flow: orient_model::Flow::default() }
}

/// A file whose parser reached a limit: windows, and an issue that says so.
fn over_limit(bytes: &[u8], limit: Limit) -> Facts {
    let mut facts = plain(bytes);
    facts.outline.issues.push(Issue { kind: limit.issue(), span: Span::default() });
    facts
}
