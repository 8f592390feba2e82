//! `context`: the code, callers, callees and tests that a task needs, within a token budget.

mod chunk_selection;
mod context_answer;
mod neighbours;

use crate::answer::{Answer, Doubt, Note};
use crate::arguments::program_arguments::Word;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use clap::Args;
use context_answer::ContextOut;
use std::io;

pub(crate) struct Context;

const DEFAULT_TOKENS: usize = 4000;
const MIN_TOKENS: usize = 200;
/// The default number of chunks is one for this many tokens, and at least a few.
const TOKENS_PER_CHUNK: usize = 400;
const MIN_CHUNKS: usize = 5;
const MAX_CHUNKS: usize = 30;

/// Arguments of `context`.
#[derive(Args)]
pub(crate) struct ContextArgs {
    /// A task in words, or a symbol
    #[arg(value_name = "TASK|SYMBOL", required = true)]
    task: Vec<Word>,
    /// Maximum number of tokens, approximately
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// Maximum number of chunks; 0 means all that fit, at most 30 [default: one for 400 tokens, at least 5]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Exclude tests
    #[arg(long)]
    no_tests: bool,
}

impl TypedOperation for Context {
    const NAME: &'static str = "context";
    const ABOUT: &'static str = "Collect the code, callers, callees and tests that a task needs";
    const DETAILS: &'static str = "\
The chunks that match a task, best first, each with its source, callers, callees, used types and tests, within a token \
budget; earlier chunks get larger parts. For a symbol, only that symbol. Omitted parts are counted.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "context \"add a timeout to uploads\"", about: "before starting a task" },
        Example { command: "context Server.Run", about: "one symbol and its neighbours" },
        Example { command: "context \"session cookies\" --max-tokens 8000", about: "a larger answer" },
    ];
    const PROVISIONAL: bool = true;
    const HEAVY: bool = true;
    type Args = ContextArgs;
    type Out = ContextOut;

    fn run(session: &Session<'_>, args: ContextArgs) -> Result<Answer<ContextOut>, ToolError> {
        let task = args.task.join(" ").trim().to_owned();
        if task.is_empty() {
            return Err(ToolError::new(Code::BadArgument, "a task or a symbol is required")
                .hint("for example `orient context \"add a timeout to uploads\"`"));
        }
        let tokens = args.max_tokens.unwrap_or(DEFAULT_TOKENS).max(MIN_TOKENS);
        let limit = match args.limit {
            Some(0) => MAX_CHUNKS,
            limit => limit.unwrap_or((tokens / TOKENS_PER_CHUNK).max(MIN_CHUNKS)).min(MAX_CHUNKS),
        };
        let snapshot = session.snapshot()?;
        let chosen = chunk_selection::choose(session, &snapshot, &task, limit)?;
        let out = ContextOut::new(&snapshot, task, &chosen, tokens, !args.no_tests)?;
        let shortened = out.shortened();
        let mut answer = session.answer(&snapshot, out);
        answer.add_notes(chosen.notes);
        if chosen.more {
            answer =
                answer.partial(Doubt::limit(1, Note::from(format!("the best {limit} chunks")).see("limit")));
        }
        if shortened > 0 {
            answer = answer.partial(Doubt::limit(
                1,
                Note::from(format!("{shortened} shortened to {tokens} tokens")).see("max_tokens"),
            ));
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
