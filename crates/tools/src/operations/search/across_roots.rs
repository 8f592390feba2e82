//! `search` over the roots of a workspace: their chunks are ranked together.

use super::args::{Group, MAX_LIMIT, SearchArgs};
use super::phrases::Phrases;
use super::search_answer::{RootHit, SearchOut};
use super::{Search, drop_unlikely, spelling_notes, translation_note};
use crate::answer::{Answer, Doubt, Note};
use crate::error::{Code, ToolError};
use crate::operation::ParseArgs;
use crate::session::Session;
use crate::workspace::append_answer;
use orient_engine::{JoinedHits, SearchQuery, SearchedRoot, Snapshot, search_roots};

/// A root that takes part in a search.
struct SearchRoot<'s, 'p> {
    session: &'s Session<'p>,
    snapshot: Snapshot,
    query: SearchQuery,
    phrases: Option<Phrases>,
}

/// Searches all roots that have what the filters name.
pub(super) fn across(
    session: &Session<'_>,
    args: &ParseArgs<'_, Search>,
) -> Result<Answer<SearchOut>, ToolError> {
    let asked = args()?;
    let group = asked.group()?;
    let (roots, limit) = prepare(session, &asked)?;
    let searched: Vec<SearchedRoot<'_>> = roots
        .iter()
        .map(|root| SearchedRoot {
            snapshot: &root.snapshot,
            name: root.session.root_name(),
            query: root.query.clone(),
        })
        .collect();
    let JoinedHits { mut hits, results } = search_roots(&searched)?;
    hits.retain(|(root, hit)| roots[*root].phrases.as_ref().is_none_or(|phrases| phrases.are_in(hit)));
    let is_cut = hits.len() > limit || results.first().is_some_and(|found| found.more);
    hits.truncate(limit);
    let unlikely = drop_unlikely(&mut hits, asked.min_score()?, |(_, hit)| hit);
    let shown: Vec<RootHit<'_>> = hits
        .iter()
        .map(|(root, hit)| RootHit {
            snapshot: &roots[*root].snapshot,
            root: Some(roots[*root].session.root_name()),
            hit,
        })
        .collect();
    let Some(found) = results.first() else { return Err(ToolError::new(Code::Internal, "there is no root")) };
    let group = group.unwrap_or(Group::default_for(found.analysis.scope));
    let out = SearchOut::of(&shown, &roots[0].query.text, found, group, &asked)?;
    let mut answer = frame(&roots).with_data(out);
    if is_cut {
        answer = answer.partial(Doubt::limit(
            hits.len() as u64,
            Note::from(format!("the best {} hits", hits.len())).see("limit"),
        ));
    }
    answer.add_notes(unlikely);
    answer.add_notes(translation_note(found, asked.explain));
    for (root, found) in roots.iter().zip(&results) {
        answer.add_notes(spelling_notes(found).map(|note| format!("{}: {note}", root.session.root_name())));
    }
    if !found.confident && !hits.is_empty() {
        answer = answer.note("nothing matches well: these are only the nearest chunks");
    }
    Ok(answer)
}

/// The roots that have what the filters name, with the query of each; and the number of hits.
fn prepare<'s, 'p>(
    session: &'s Session<'p>,
    asked: &SearchArgs,
) -> Result<(Vec<SearchRoot<'s, 'p>>, usize), ToolError> {
    let (mut roots, mut missing, mut limit) = (Vec::new(), None, MAX_LIMIT);
    for root in session.roots() {
        let snapshot = root.snapshot()?;
        let mut query = match asked.query(root, &snapshot) {
            Err(error) if error.code() == Code::NotFound => {
                missing.get_or_insert(error);
                continue;
            }
            query => query?,
        };
        limit = query.limit;
        let phrases = Phrases::find(&snapshot, &query.text, asked.all_words)?;
        if let Some(phrases) = &phrases {
            phrases.restrict(&mut query);
            query.limit = MAX_LIMIT;
        }
        roots.push(SearchRoot { session: root, snapshot, query, phrases });
    }
    match missing {
        Some(error) if roots.is_empty() => Err(error),
        _ => Ok((roots, limit)),
    }
}

/// What the roots say about the state of their indexes.
fn frame(roots: &[SearchRoot<'_, '_>]) -> Answer<()> {
    let mut all: Option<Answer<()>> = None;
    for SearchRoot { session, snapshot, query, .. } in roots {
        let mut answer = session.answer_within(snapshot, query.path.as_ref().into(), ());
        answer.metadata.name_root(session.root_name());
        all = Some(match all {
            None => answer,
            Some(before) => append_answer(before, answer),
        });
    }
    all.unwrap_or_else(|| Answer::new(()))
}
