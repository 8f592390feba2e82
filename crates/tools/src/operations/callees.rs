//! `callees`: the symbols that a symbol calls.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Exit, ToolError};
use crate::graph::call_lines::CallsOut;
use crate::graph::call_tree::{self, CallsArgs};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use orient_engine::Direction;
use std::io;

pub(crate) struct Callees;

impl TypedOperation for Callees {
    const NAME: &'static str = "callees";
    const ABOUT: &'static str = "Show the symbols that a symbol calls";
    const DETAILS: &'static str = "\
Each line shows where the called symbol is declared, and the lines of the calls. The possible targets of a call of an \
interface or base member are listed below it. External and unresolved calls are listed separately. For a type, the \
calls of all its members are shown.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "callees Server.Run", about: "direct callees" },
        Example {
            command: "callees main --depth 3 --per-level 20",
            about: "three levels, at most 20 symbols each",
        },
        Example { command: "callees Server.Run --flat --json", about: "a list for a script" },
    ];
    const PROVISIONAL: bool = true;
    const TERMINAL_ONLY: &'static [&'static str] = &["role"];
    const IS_NEGATIVE: fn(&Self::Out) -> bool = |out| out.is_negative(CallsOut::is_empty);
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
