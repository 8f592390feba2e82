//! `search`: the places that answer a question best.

mod args;
mod search_answer;

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use crate::text::writer::TextWriter;
use args::{Group, SearchArgs};
use orient_engine::{Form, Scope, SearchResults};
use search_answer::SearchOut;
use std::io;

pub(crate) struct Search;

/// What to say of words that stand nowhere.
pub(crate) fn replaced(found: &SearchResults) -> impl Iterator<Item = String> {
    let said = |(word, names): &(String, Vec<String>)| {
        format!("`{word}` stands nowhere; looked for {} in its place", names.join(", "))
    };
    found.replaced.iter().map(said)
}

impl TypedOperation for Search {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Find the code that answers a question, best first";
    const DETAILS: &'static str = "\
A question in words, a name or a path. Words and meaning are both compared; a name that is asked for comes first. A hit is the \
best place of its file, and `also` names up to four others. Tests, \
prose and generated files count less unless the question speaks of them. A word that stands nowhere is looked for as what \
it was perhaps meant to be, and the answer says so. For every place where a pattern matches, use `grep`.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "search \"where are retries handled\"", about: "a question" },
        Example { command: "search Server.run", about: "a name: its definition comes first" },
        Example {
            command: "search \"parse dates\" --lang python --path src",
            about: "within a part of the tree",
        },
        Example { command: "search \"connection pool\" --explain", about: "with the reasons for the order" },
    ];
    const HEAVY: bool = true;
    type Args = SearchArgs;
    type Out = SearchOut;

    fn run(session: &Session<'_>, args: SearchArgs) -> Result<Answer<SearchOut>, ToolError> {
        let group = args.group()?;
        let snapshot = session.snapshot()?;
        let mut query = args.query(session, &snapshot)?;
        let query_embedding = if query.without_vectors {
            QueryEmbedding::default()
        } else {
            QueryEmbedding::of(session, &snapshot, &query.text)?
        };
        query.remote.clone_from(&query_embedding.question);
        let found = snapshot.search(&query)?;
        let group = group.unwrap_or(match found.analysis.scope {
            Scope::CrossCutting | Scope::Exploratory => Group::File,
            Scope::Targeted => Group::None,
        });
        let out = SearchOut::new(&snapshot, &query.text, &found, group, &args)?;
        let (shown, left_out) = (out.shown(), out.left_out());
        let mut answer = session.answer_about(&snapshot, query.path.as_ref().into(), out);
        if found.more {
            answer = answer.partial(format!("the best {} places; more with --limit", found.hits.len()));
        }
        if left_out > 0 {
            answer = answer
                .note(format!("{left_out} of {shown} without source, for --max-tokens {}", args.tokens()));
        }
        answer.notes.extend(replaced(&found));
        answer.notes.extend(query_embedding.note(&found));
        if !found.confident && !found.hits.is_empty() {
            answer = answer.note("nothing matches well: these are only the nearest places");
        }
        if found.analysis.form == Form::Name
            && !found.hits.is_empty()
            && !found.hits.iter().any(|hit| hit.exact)
        {
            answer = answer
                .note(format!("nothing is called exactly `{}`; these are the nearest places", query.text));
        }
        if found.analysis.form == Form::Pattern {
            answer =
                answer.note("this looks like a pattern; `orient grep` finds every place where it matches");
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
