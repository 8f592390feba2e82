//! The places a task is about.

use crate::error::ToolError;
use crate::found::subject;
use crate::meaning::Meaning;
use crate::ops::search::replaced;
use crate::session::Session;
use orient_engine::{Analysis, Definition, SearchHit, SearchQuery, Snapshot, SymbolId, analyse};
use orient_model::{ChunkKind, Role};
use std::collections::BTreeSet;

/// How many hits are looked at for each place: several may lie in one symbol.
const HITS_FOR_EACH: usize = 3;

/// The places, best first, and how the task was understood.
pub(super) struct Chosen {
    /// The places.
    pub(super) spots: Vec<SearchHit>,
    /// How the task was understood.
    pub(super) analysis: Analysis,
    /// Whether there are more.
    pub(super) more: bool,
    /// What is good to know.
    pub(super) notes: Vec<String>,
}

/// The one symbol that is named, or the places that answer best, each symbol once.
pub(super) fn choose(
    session: &Session<'_>,
    snapshot: &Snapshot,
    task: &str,
    limit: usize,
) -> Result<Chosen, ToolError> {
    if !task.contains(char::is_whitespace)
        && let Ok(subject) = subject(snapshot, task)?
    {
        let notes = subject.note().into_iter().collect();
        let role = snapshot.file(&subject.definition.path)?.map_or(Role::Source, |file| file.role);
        let spots = vec![whole(subject.definition, role)];
        return Ok(Chosen { spots, analysis: analyse(task), more: false, notes });
    }
    let meaning = Meaning::of(session, snapshot, task)?;
    let query = SearchQuery {
        text: task.to_owned(),
        limit: limit * HITS_FOR_EACH,
        other: meaning.question.clone(),
        ..SearchQuery::default()
    };
    let found = snapshot.search(&query)?;
    let notes = replaced(&found).chain(meaning.said(&found)).collect();
    let mut known: BTreeSet<SymbolId> = BTreeSet::new();
    let mut spots: Vec<SearchHit> = found.hits;
    spots.retain(|hit| hit.symbol.is_none_or(|symbol| known.insert(symbol)));
    let more = found.more || spots.len() > limit;
    spots.truncate(limit);
    Ok(Chosen { spots, analysis: found.analysis, more, notes })
}

/// A definition as a place.
fn whole(definition: Definition, role: Role) -> SearchHit {
    SearchHit {
        first_line: definition.span.first_line,
        last_line: definition.span.last_line,
        symbol: Some(definition.id),
        name: definition.handle.names,
        symbol_kind: Some(definition.kind),
        language: definition.language,
        path: definition.path,
        role,
        kind: ChunkKind::Symbol,
        score: 1.0,
        exact: true,
        parts: Vec::new(),
        also: Vec::new(),
    }
}
