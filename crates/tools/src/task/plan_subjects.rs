//! The symbols, files and tests of this repository that a plan is about.

use crate::error::ToolError;
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use crate::task::dependents;
use orient_engine::{Lookup, NodeId, SearchQuery, Similarity, Snapshot};
use orient_model::{Handle, RepoPath, Role};
use orient_task::{Frame, FrameSlot, PlanSubject, Record};

/// Number of subjects.
const MAX_SUBJECTS: usize = 6;
/// Number of hits that they are chosen from.
const HITS: usize = 14;

/// The subjects of a plan, best first.
pub(crate) struct PlanSubjects {
    pub(crate) subjects: Vec<PlanSubject>,
    /// Whether anything in the index answers the request well.
    pub(crate) confident: bool,
    /// A text of the request that is worth searching for literally.
    pub(crate) phrase: Option<String>,
}

/// Finds the subjects: symbols that the request names, then what a search for it finds. Tests come with the code they test.
pub(crate) fn find(
    session: &Session<'_>,
    snapshot: &Snapshot,
    request: &str,
    frame: &Frame,
    record: &Record,
) -> Result<PlanSubjects, ToolError> {
    let mut found: Vec<PlanSubject> = Vec::new();
    for name in identifiers(request) {
        if let Lookup::One(definition) = snapshot.symbol(&name)? {
            add(&mut found, &definition.handle.to_string(), &definition.path.display());
        }
    }
    let named = found.len();
    let target = frame.get(&FrameSlot::TargetFeature).map(|slot| slot.value.as_str()).unwrap_or_default();
    let text = format!("{target} {request}").trim().to_owned();
    let query_embedding = QueryEmbedding::of(session, snapshot, &text)?;
    let query = SearchQuery { text, limit: HITS, remote: query_embedding.question, ..SearchQuery::default() };
    let results = snapshot.search(&query)?;
    for hit in results.hits.iter().filter(|hit| !matches!(hit.role, Role::Test | Role::Doc)) {
        let path = hit.path.display().into_owned();
        let names = Handle::join(hit.name.iter().map(String::as_str));
        let handle = if names.is_empty() { path.clone() } else { format!("{path}#{names}") };
        add(&mut found, &handle, &path);
    }
    found.truncate(MAX_SUBJECTS.max(named));
    let view = snapshot.graph();
    for (at, subject) in found.iter_mut().enumerate() {
        subject.served = record.symbols.get(&subject.handle).is_some_and(|view| !view.stale);
        let Lookup::One(definition) = snapshot.symbol(&subject.handle)? else { continue };
        let nodes = view.members(NodeId::from(definition.id))?;
        let dependents = dependents::of_nodes(&view, &nodes, true)?;
        subject.callers = dependents.must.iter().map(|one| one.symbol.clone()).collect();
        subject.tests = dependents.tests.iter().map(|one| one.symbol.clone()).collect();
        if at == 0
            && let Some(file) = snapshot.file(&RepoPath::from(subject.path.as_str()))?
            && let Some((_, similar)) =
                snapshot.similar(&file, definition.name_span.first_line, Similarity::Meaning, 3)?
        {
            let other =
                similar.iter().find(|one| !one.name.is_empty() && one.name != definition.handle.names);
            subject.similar = other.map(|one| {
                format!("{}#{}", one.path.display(), Handle::join(one.name.iter().map(String::as_str)))
            });
        }
    }
    Ok(PlanSubjects { subjects: found, confident: results.confident || named > 0, phrase: quoted(request) })
}

fn add(found: &mut Vec<PlanSubject>, handle: &str, path: &str) {
    if found.iter().all(|known| known.handle != handle) {
        found.push(PlanSubject {
            handle: handle.to_owned(),
            path: path.to_owned(),
            ..PlanSubject::default()
        });
    }
}

/// Words of a text that are written as code: `snake_case`, `camelCase`, `a.b`, `f()`, or in backticks.
fn identifiers(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '<' | '>')) {
        let ticked = word.contains('`') || word.ends_with("()");
        let name = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').trim_end_matches("()");
        let inner_upper =
            name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
        let is_code =
            ticked || name.contains('_') || name.contains('.') || name.contains("::") || inner_upper;
        if is_code && name.len() > 2 && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found.truncate(8);
    found
}

/// The first text in double quotes or backticks.
fn quoted(text: &str) -> Option<String> {
    for mark in ['"', '`'] {
        let mut parts = text.split(mark);
        parts.next();
        if let (Some(inside), Some(_)) = (parts.next(), parts.next())
            && (4..=80).contains(&inside.len())
            && !inside.contains('\n')
        {
            return Some(inside.replace('"', ""));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_written_as_code_are_found_in_a_request() {
        let names = identifiers("`Context.invoke` fails when default_map is set, see getValue() and Click");
        assert_eq!(names, ["Context.invoke", "default_map", "getValue"]);
    }

    #[test]
    fn a_quoted_text_is_searched_for_literally() {
        assert_eq!(quoted("prints \"no such option\" twice"), Some("no such option".to_owned()));
        assert_eq!(quoted("nothing quoted"), None);
    }
}
