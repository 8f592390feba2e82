//! `callees`: what a symbol calls.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Exit, ToolError};
use crate::graph::call_tree::{self, CallsArgs, CallsOut};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use orient_engine::Direction;
use std::io;

pub(crate) struct Callees;

impl TypedOperation for Callees {
    const NAME: &'static str = "callees";
    const ABOUT: &'static str = "Show what a symbol calls, proven call by proven call";
    const DETAILS: &'static str = "\
Each line is where the called symbol is declared, and the lines of the calls. Below a call of an interface or base member \
stands what it may reach. Calls that lead out of the repository, and calls that could not be resolved, are listed apart. \
Of a type, the calls of all that is in it.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "callees Server.Run", about: "direct callees" },
        Example { command: "callees main --depth 3 --per-level 20", about: "a wide tree, cut to size" },
        Example { command: "callees Server.Run --flat --json", about: "a list for a script" },
    ];
    type Args = CallsArgs;
    type Out = SymbolAnswer<CallsOut>;

    fn run(session: &Session<'_>, args: CallsArgs) -> Result<Answer<Self::Out>, ToolError> {
        call_tree::run(session, &args, Direction::Out)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, CallsOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}
