//! Writes what was served to the record of the client's task, and reads it back with what has become stale.

use crate::session::Session;
use crate::task::served_marks::{ServedMarks, ServedPlace};
use orient_engine::{
    Engine, EngineError, FileRow, Lookup, ServedBatch, ServedRange, ServedRows, ServedSymbolRow, Snapshot,
};
use orient_model::{ContentHash, RepoPath};
use orient_task::{Record, ServedCall, SymbolView};
use std::collections::BTreeMap;

/// The operations that are no evidence: what they name comes from the task itself.
const NOT_RECORDED: &[&str] = &["task", "plan", "insights"];
/// Maximum number of symbols that are looked up for one answer.
const MAX_PLACES: usize = 2_000;

/// What a call of an operation serves, as the rules of tasks name it.
fn kinds_of(operation: &str) -> &'static str {
    match operation {
        "show" | "symbol" | "symbols" => "definitions",
        "outline" => "definitions structure",
        "references" | "callers" | "callees" | "implementations" | "hierarchy" | "trace" | "impact" => {
            "references"
        }
        "rdeps" | "deps" => "references structure",
        "grep" | "find" | "absent" => "text",
        "search" | "similar" => "search",
        "context" => "search definitions",
        "map" | "files" | "endpoints" | "surface" => "structure",
        _ => "other",
    }
}

/// A call that was answered.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredCall<'c> {
    /// The client.
    pub client: &'c str,
    /// The operation.
    pub operation: &'c str,
    /// What it was about.
    pub subject: &'c str,
    /// The generation of the index that it was answered from.
    pub generation: u64,
}

/// Adds an answer to the record of the client's task. Without a task, this costs one look at the store. A failure is logged:
/// the answer was sent, and the agent will be told that it was never served.
pub fn record_served(engine: &Engine, call: &AnsweredCall<'_>, marks: ServedMarks) {
    if NOT_RECORDED.contains(&call.operation) {
        return;
    }
    if let Err(error) = try_record(engine, call, marks) {
        let reason = error.to_string().len();
        tracing::warn!(reason, "what was served could not be recorded");
    }
}

fn try_record(engine: &Engine, call: &AnsweredCall<'_>, marks: ServedMarks) -> Result<(), EngineError> {
    let Some(store) = engine.tasks(false)? else { return Ok(()) };
    let Some(task) = store.active(call.client)? else { return Ok(()) };
    let snapshot = engine.snapshot()?;
    let mut files = KnownFiles {
        snapshot: &snapshot,
        same: snapshot.generation() == call.generation,
        known: BTreeMap::new(),
    };
    let mut batch = ServedBatch {
        kinds: kinds_of(call.operation).to_owned(),
        operation: call.operation.to_owned(),
        subject: call.subject.chars().take(300).collect(),
        generation: call.generation,
        ..ServedBatch::default()
    };
    for (path, first, last) in ranges(marks.lines) {
        if files.contains(&path)? {
            let content = files.content(&path);
            batch.ranges.push(ServedRange { path, first, last, content, ..ServedRange::default() });
        }
    }
    for place in marks.places.into_iter().take(MAX_PLACES) {
        if !files.contains(&place.path)? {
            continue;
        }
        let content = files.content(&place.path);
        if matches!(call.operation, "outline" | "files") {
            let directory = place.path.rsplit_once('/').map_or("", |(directory, _)| directory);
            if !batch.directories.iter().any(|known| known == directory) {
                batch.directories.push(directory.to_owned());
            }
        }
        if let Some((handle, line)) = symbol_at(&snapshot, &place)? {
            let path = place.path.clone();
            batch.symbols.push(ServedSymbolRow { handle, path, line, content });
        }
        for line in place.lines {
            let path = place.path.clone();
            batch.ranges.push(ServedRange {
                path,
                first: line,
                last: line,
                mentioned: true,
                content,
                generation: 0,
            });
        }
    }
    Ok(store.record(task.id, &batch)?)
}

/// The handle and the line of the symbol at a place.
fn symbol_at(snapshot: &Snapshot, place: &ServedPlace) -> Result<Option<(String, u32)>, EngineError> {
    let Some(name) = &place.name else { return Ok(None) };
    let of = |one: &orient_engine::Definition| (one.handle.to_string(), one.span.first_line);
    match snapshot.symbol(&format!("{}#{name}", place.path))? {
        Lookup::One(definition) => return Ok(Some(of(&definition))),
        Lookup::Many { candidates, .. } => {
            let here = candidates.iter().find(|one| place.lines.contains(&one.span.first_line));
            return Ok(here.or(candidates.first()).map(of));
        }
        Lookup::Nothing { .. } => {}
    }
    let Some(file) = snapshot.file(&RepoPath::from(place.path.as_str()))? else { return Ok(None) };
    let held = snapshot.outline(file)?;
    let found = held.definitions().find(|one| {
        one.name == *name
            && (place.lines.contains(&one.span.first_line) || place.lines.contains(&one.name_span.first_line))
    });
    Ok(found.as_ref().map(of))
}

/// Consecutive lines as ranges.
fn ranges(mut lines: Vec<(String, u32)>) -> Vec<(String, u32, u32)> {
    lines.sort();
    lines.dedup();
    let mut ranges: Vec<(String, u32, u32)> = Vec::new();
    for (path, line) in lines {
        match ranges.last_mut() {
            Some((known, _, last)) if *known == path && *last + 1 == line => *last = line,
            _ => ranges.push((path, line, line)),
        }
    }
    ranges
}

/// The files of the index, each looked up once.
struct KnownFiles<'s> {
    snapshot: &'s Snapshot,
    /// Whether the snapshot is what the answer was computed from.
    same: bool,
    known: BTreeMap<String, Option<FileRow>>,
}

impl KnownFiles<'_> {
    /// Whether a file is indexed.
    fn contains(&mut self, path: &str) -> Result<bool, EngineError> {
        if !self.known.contains_key(path) {
            let row = self.snapshot.file(&RepoPath::from(path))?;
            self.known.insert(path.to_owned(), row);
        }
        Ok(self.known.get(path).is_some_and(Option::is_some))
    }

    /// The content of a file that is known to be indexed; `None` if it may have changed since.
    fn content(&self, path: &str) -> Option<ContentHash> {
        let row = self.known.get(path).and_then(Option::as_ref)?;
        row.hash.filter(|_| self.same)
    }
}

/// Reads the record of a task. `current` is the content of a file now.
pub(crate) fn load(rows: ServedRows, mut current: impl FnMut(&str) -> Option<ContentHash>) -> Record {
    let mut record = Record::default();
    let mut now: BTreeMap<String, Option<ContentHash>> = BTreeMap::new();
    let written: BTreeMap<&str, Option<ContentHash>> =
        rows.written.iter().map(|file| (file.path.as_str(), file.content)).collect();
    let mut is_stale = |path: &str, served: Option<ContentHash>| {
        let current = *now.entry(path.to_owned()).or_insert_with(|| current(path));
        let own = written.get(path).is_some_and(|content| content.is_none() || *content == current);
        (served.is_none() || served != current) && !own
    };
    for range in rows.ranges {
        let stale = is_stale(&range.path, range.content);
        if range.mentioned {
            if !stale {
                record.mentioned.entry(range.path).or_default().push(range.first);
            }
            continue;
        }
        let view = record
            .files
            .entry(range.path)
            .or_insert_with(|| orient_task::FileView { stale: true, ..orient_task::FileView::default() });
        if view.stale && !stale {
            view.lines.clear();
        }
        if view.stale || !stale {
            view.add(range.first, range.last);
        }
        view.stale &= stale;
        view.generation = view.generation.max(range.generation);
    }
    for symbol in rows.symbols {
        let stale = is_stale(&symbol.path, symbol.content);
        record.symbols.insert(symbol.handle, SymbolView { path: symbol.path, line: symbol.line, stale });
    }
    for call in rows.calls {
        for kind in call.kinds.split(' ') {
            record.calls.push(ServedCall { kind: kind.to_owned(), subject: call.subject.clone() });
        }
    }
    record.directories = rows.directories;
    record.written = rows.written.into_iter().map(|file| file.path).collect();
    record
}

/// The record of a task, compared with the files of a snapshot.
pub(crate) fn of_snapshot(rows: ServedRows, snapshot: &Snapshot) -> Record {
    load(rows, |path| snapshot.file(&RepoPath::from(path)).ok().flatten().and_then(|row| row.hash))
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// The commit that the tree is at; empty without git.
pub(crate) fn head(session: &Session<'_>) -> String {
    let head = orient_history::History::open(session.root()).and_then(|mut history| history.revision("HEAD"));
    head.map(|id| id.to_string()).unwrap_or_default()
}
