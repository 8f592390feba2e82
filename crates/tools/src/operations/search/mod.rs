//! `search`: ranked search by words and meaning.

mod across_roots;
mod args;
mod named_symbol;
mod phrases;
mod search_answer;

use crate::answer::{Answer, Doubt, Note};
use crate::error::{Exit, ToolError};
use crate::operation::{AcrossRoots, Example, TypedOperation};
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use crate::task::agreements;
use crate::text::writer::TextWriter;
use crate::workspace::RootFilter;
use args::{Group, SearchArgs};
use named_symbol::NamedSymbol;
use orient_engine::{Form, Scope, SearchHit, SearchResults, TranslatedWord};
use phrases::Phrases;
use search_answer::SearchOut;
use std::io;

pub(crate) struct Search;

/// The notes about spell-corrected words.
pub(crate) fn spelling_notes(found: &SearchResults) -> impl Iterator<Item = String> {
    let note = |(word, names): &(String, Vec<String>)| {
        format!("`{word}` does not occur; searched for {} instead", names.join(", "))
    };
    found.replaced.iter().map(note)
}

/// Drops hits below a likelihood. Returns a note with their number.
pub(crate) fn drop_unlikely<H>(hits: &mut Vec<H>, minimum: f32, of: fn(&H) -> &SearchHit) -> Option<Note> {
    let before = hits.len();
    hits.retain(|hit| of(hit).evidence.likelihood() >= minimum);
    let dropped = before - hits.len();
    (dropped > 0).then(|| Note::from(format!("{dropped} less likely hits left out")).see("min_score"))
}

/// The note about translated words. An explanation also lists the words that are not in the glossary.
pub(crate) fn translation_note(found: &SearchResults, explain: bool) -> Option<String> {
    let translation =
        found.analysis.translation.as_ref().filter(|found| explain || !found.words.is_empty())?;
    let english = |word: &TranslatedWord| match word.english.first() {
        Some(best) if !explain => (*best).to_owned(),
        _ => word.english.join(", "),
    };
    let separator = if explain { "; " } else { ", " };
    // The parts of a compound follow each other.
    let words = translation.words.chunk_by(|a, b| a.word == b.word).map(|parts| {
        let parts_in_english: Vec<String> = parts.iter().map(english).collect();
        format!("{} → {}", parts[0].word, parts_in_english.join(" + "))
    });
    let words: Vec<String> = words.collect();
    let mut note = format!("translated from {}: {}", translation.language.as_str(), words.join(separator));
    if explain && !translation.unknown.is_empty() {
        note.push_str("; not translated: ");
        note.push_str(&translation.unknown.join(", "));
    }
    Some(note)
}

/// The note about a question that is about every part of the repository.
fn scope_note(found: &SearchResults) -> Option<&'static str> {
    let every_part = found.analysis.scope == Scope::EveryPart;
    every_part.then_some(
        "asks for every place of a kind: one hit for each package or directory first, no project files",
    )
}

impl TypedOperation for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Find the code that best answers a question";
    const DETAILS: &'static str = "\
The query is a question, a name or a path. Ranking combines words and meaning; exact matches of a name come first. `also` lists \
further chunks of a hit's file. Tests, documentation and generated files rank lower unless \
the query asks for them. Hits contain phrases in double quotes literally. Unknown words are spell-corrected, other languages translated; a note says so. \
\"All places where …\" has one hit per package first. For all matches of a pattern, use `grep`.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "search \"where are retries handled\"", about: "a question" },
        Example { command: "search Server.run", about: "a name: its definition comes first" },
        Example {
            command: "search \"parse dates\" --lang python --path src",
            about: "in a part of the tree",
        },
        Example { command: "search \"connection pool\" --explain", about: "with the score of each rule" },
    ];
    const PROVISIONAL: bool = true;
    const HEAVY: bool = true;
    const ACROSS: Option<AcrossRoots<Self>> = Some(across_roots::across);
    const ROOT_FILTER: fn(&SearchArgs) -> RootFilter = |args| RootFilter::Words(args.query.join(" "));
    type Args = SearchArgs;
    type Out = SearchOut;

    fn run(session: &Session<'_>, args: SearchArgs) -> Result<Answer<SearchOut>, ToolError> {
        let group = args.group()?;
        let snapshot = session.snapshot()?;
        let mut query = args.query(session, &snapshot)?;
        if args.wants_single()
            && let Some((symbol, note)) = NamedSymbol::of(&snapshot, &query.text)?
        {
            let mut answer = session.answer(&snapshot, SearchOut::single(&query.text, symbol));
            answer.add_notes(note);
            return Ok(answer.note("the only symbol of this name; `limit` adds other hits"));
        }
        let (agreed, agreement_notes) = if args.limit.is_none() {
            agreements::answer(session, &snapshot, &query.text)?
        } else {
            (None, Vec::new())
        };
        if let Some(agreed) = agreed
            && let Some((symbol, note)) = NamedSymbol::of(&snapshot, &agreed.handle)?
        {
            let mut answer = session.answer(&snapshot, SearchOut::single(&query.text, symbol));
            answer.add_notes(note);
            answer.add_notes(agreement_notes);
            let said =
                format!("agreed: \"{}\" means {}; `limit` adds other hits", agreed.words, agreed.handle);
            return Ok(answer.note(said));
        }
        let query_embedding = if query.without_vectors {
            QueryEmbedding::default()
        } else {
            QueryEmbedding::of(session, &snapshot, &query.text)?
        };
        query.remote.clone_from(&query_embedding.question);
        let (phrases, limit) = (Phrases::find(&snapshot, &query.text, args.all_words)?, query.limit);
        if let Some(phrases) = &phrases {
            phrases.restrict(&mut query);
            query.limit = args::MAX_LIMIT;
        }
        let mut found = snapshot.search(&query)?;
        if let Some(phrases) = &phrases {
            found.hits.retain(|hit| phrases.are_in(hit));
            found.more |= found.hits.len() > limit;
            found.hits.truncate(limit);
        }
        let unlikely = drop_unlikely(&mut found.hits, args.min_score()?, |hit| hit);
        let group = group.unwrap_or(Group::default_for(found.analysis.scope));
        let out = SearchOut::new(&snapshot, &query.text, &found, group, &args)?;
        let (shown, left_out) = (out.shown(), out.left_out());
        let mut answer = session.answer_within(&snapshot, query.path.as_ref().into(), out);
        if found.more {
            answer = answer.partial(Doubt::limit(
                found.hits.len() as u64,
                Note::from(format!("the best {} hits", found.hits.len())).see("limit"),
            ));
        }
        if left_out > 0 {
            let text = format!("{left_out} of {shown} hits without source to stay within the token budget");
            answer = answer.note(Note::from(text).see("max_tokens"));
        }
        answer.add_notes(unlikely);
        answer.add_notes(agreement_notes);
        answer.add_notes(translation_note(&found, args.explain));
        answer.add_notes(scope_note(&found).filter(|_| args.explain));
        answer.add_notes(spelling_notes(&found));
        answer.add_notes(query_embedding.note(&found));
        if !found.confident && !found.hits.is_empty() {
            answer = answer.note("nothing matches well: these are only the nearest chunks");
        }
        if found.analysis.form == Form::Name
            && !found.hits.is_empty()
            && !found.hits.iter().any(|hit| hit.exact)
        {
            answer = answer
                .note(format!("no symbol is named exactly `{}`; these are the nearest chunks", query.text));
        }
        if found.hits.is_empty() && phrases.as_ref().is_some_and(Phrases::occur) {
            answer =
                answer.note("the phrase occurs, but in no ranked chunk; `orient grep` finds all its places");
        }
        if found.analysis.form == Form::Pattern {
            answer = answer.note("this looks like a pattern; `orient grep` finds all its matches");
        }
        Ok(answer)
    }

    fn text(out: &SearchOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &SearchOut) -> Exit {
        if out.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
