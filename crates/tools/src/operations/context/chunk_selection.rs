//! Selection of the chunks that match a task.

use crate::arguments::symbol_lookup::resolve_symbol;
use crate::error::ToolError;
use crate::operations::search::{spelling_notes, translation_note};
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use orient_engine::{Analysis, Definition, HitEvidence, SearchHit, SearchQuery, Snapshot, SymbolId, analyse};
use orient_model::{ChunkKind, Role};
use std::collections::BTreeSet;

/// Number of hits requested per chunk: several may belong to one symbol.
const HITS_PER_CHUNK: usize = 3;

/// A longer list, or one of longer items, is running text.
const MAX_PARTS: usize = 8;
const MAX_PART_WORDS: usize = 4;

/// The selected chunks, best first.
pub(super) struct ChunkSelection {
    /// The chunks.
    pub(super) chunks: Vec<SearchHit>,
    /// The analysis of the task.
    pub(super) analysis: Analysis,
    /// Whether more chunks match.
    pub(super) more: bool,
    /// Notes.
    pub(super) notes: Vec<String>,
}

/// The named symbol, or the chunks that match best, at most one per symbol.
pub(super) fn choose(
    session: &Session<'_>,
    snapshot: &Snapshot,
    task: &str,
    limit: usize,
) -> Result<ChunkSelection, ToolError> {
    if !task.contains(char::is_whitespace)
        && let Ok(subject) = resolve_symbol(snapshot, task)?
    {
        let notes = subject.note().into_iter().collect();
        let role = snapshot.file(&subject.definition.path)?.map_or(Role::Source, |file| file.role);
        let chunks = vec![whole(subject.definition, role)];
        return Ok(ChunkSelection { chunks, analysis: analyse(task), more: false, notes });
    }
    let query_embedding = QueryEmbedding::of(session, snapshot, task)?;
    let query = SearchQuery {
        text: task.to_owned(),
        limit: limit * HITS_PER_CHUNK,
        remote: query_embedding.question.clone(),
        ..SearchQuery::default()
    };
    let found = snapshot.search(&query)?;
    let notes = translation_note(&found, false);
    let notes = notes.into_iter().chain(spelling_notes(&found)).chain(query_embedding.note(&found)).collect();
    let mut best_of_parts = Vec::new();
    for text in listed_parts(task) {
        let query = SearchQuery { text, limit: HITS_PER_CHUNK, ..SearchQuery::default() };
        best_of_parts.extend(snapshot.search(&query)?.hits.into_iter().next());
    }
    let mut known: BTreeSet<SymbolId> = BTreeSet::new();
    let mut chunks: Vec<SearchHit> = found.hits;
    let rest = chunks.split_off(chunks.len().min(1));
    chunks.extend(best_of_parts.into_iter().chain(rest));
    chunks.retain(|hit| hit.symbol.is_none_or(|symbol| known.insert(symbol)));
    let more = found.more || chunks.len() > limit;
    chunks.truncate(limit);
    Ok(ChunkSelection { chunks, analysis: found.analysis, more, notes })
}

/// The parts that a task lists after a colon, each as a query of its own together with what precedes the colon:
/// `add a field to Owner: entity, form` asks for `add a field to Owner entity` and `add a field to Owner form`.
fn listed_parts(task: &str) -> Vec<String> {
    let Some((subject, list)) = task.split_once(": ") else { return Vec::new() };
    let items = list.split([',', ';']).flat_map(|item| item.split(" and "));
    let items: Vec<&str> =
        items.map(|item| item.trim().trim_end_matches('.')).filter(|item| !item.is_empty()).collect();
    let is_list = (2..=MAX_PARTS).contains(&items.len())
        && items.iter().all(|item| item.split_whitespace().count() <= MAX_PART_WORDS)
        && !task.contains('\n');
    if is_list { items.iter().map(|item| format!("{subject} {item}")).collect() } else { Vec::new() }
}

/// A definition as a search hit.
fn whole(definition: Definition, role: Role) -> SearchHit {
    SearchHit {
        symbol_kind: Some(definition.shown_kind()),
        first_line: definition.span.first_line,
        last_line: definition.span.last_line,
        symbol: Some(definition.id),
        name: definition.handle.names,
        language: definition.language,
        path: definition.path,
        role,
        kind: ChunkKind::Symbol,
        score: 1.0,
        evidence: HitEvidence::default(),
        exact: true,
        parts: Vec::new(),
        also: Vec::new(),
        part: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_parts_are_asked_for_separately() {
        let parts = listed_parts("add an email to Owner: entity, form template and schema");
        assert_eq!(
            parts,
            [
                "add an email to Owner entity",
                "add an email to Owner form template",
                "add an email to Owner schema"
            ]
        );
        assert!(
            listed_parts("fix: the parser drops the last token of every line, which is wrong").is_empty()
        );
        assert!(listed_parts("add a timeout to uploads").is_empty());
    }
}
