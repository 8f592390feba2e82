//! `context`: what one must know to start on a task, in one answer.

mod chunk_selection;
mod context_answer;
mod neighbours;

use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use clap::Args;
use context_answer::ContextOut;
use schemars::JsonSchema;
use serde::Deserialize;
use std::io;

pub(crate) struct Context;

const DEFAULT_TOKENS: usize = 4000;
const MIN_TOKENS: usize = 200;
const CHUNKS: usize = 5;
const MAX_CHUNKS: usize = 30;

/// A task, and how much may be said about it.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextArgs {
    /// What you want to do or know: a task in words, or a symbol
    #[arg(value_name = "TASK|SYMBOL", required = true)]
    #[serde(deserialize_with = "crate::arguments::string_or_list::one_or_many")]
    #[schemars(with = "String")]
    task: Vec<String>,
    /// The answer is no longer than about so many tokens
    #[arg(long, value_name = "N")]
    #[serde(default)]
    max_tokens: Option<usize>,
    /// At most so many places
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<usize>,
    /// Leave out tests that reach the places
    #[arg(long)]
    #[serde(default)]
    no_tests: bool,
}

impl TypedOperation for Context {
    const NAME: &'static str = "context";
    const ABOUT: &'static str = "Collect what a task needs: the code, who calls it, what it uses, its tests";
    const DETAILS: &'static str = "\
The places a task is about, best first, each with its source, its callers and callees, the types it uses and the tests \
that reach it, within a budget of tokens, of which the first place gets the most. Of a symbol, that symbol \
alone. What did not fit is counted.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "context \"add a timeout to uploads\"", about: "before starting on a task" },
        Example { command: "context Server.Run", about: "all around one symbol" },
        Example { command: "context \"session cookies\" --max-tokens 8000", about: "more of it" },
    ];
    const HEAVY: bool = true;
    type Args = ContextArgs;
    type Out = ContextOut;

    fn run(session: &Session<'_>, args: ContextArgs) -> Result<Answer<ContextOut>, ToolError> {
        let task = args.task.join(" ").trim().to_owned();
        if task.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "say what you want to do, or name a symbol")
                .hint("for example `orient context \"add a timeout to uploads\"`"));
        }
        let tokens = args.max_tokens.unwrap_or(DEFAULT_TOKENS).max(MIN_TOKENS);
        let limit = args.limit.unwrap_or(CHUNKS).clamp(1, MAX_CHUNKS);
        let snapshot = session.snapshot()?;
        let chosen = chunk_selection::choose(session, &snapshot, &task, limit)?;
        let out = ContextOut::new(&snapshot, task, &chosen, tokens, !args.no_tests)?;
        let shortened = out.shortened();
        let mut answer = session.answer(&snapshot, out);
        answer.notes.extend(chosen.notes);
        if chosen.more {
            answer = answer.partial(format!("the best {limit} places; more with --limit"));
        }
        if shortened > 0 {
            answer = answer.partial(format!("{shortened} shortened to fit --max-tokens {tokens}"));
        }
        Ok(answer)
    }

    fn text(out: &ContextOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &ContextOut) -> Exit {
        if out.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
