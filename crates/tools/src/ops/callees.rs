//! `callees`: what a symbol calls.

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::found::Found;
use crate::graph::calls::{self, CallsArgs, CallsOut};
use crate::page::Page;
use crate::session::Session;
use crate::tool::{Example, Operation};
use orient_engine::Direction;
use std::io;

pub(crate) struct Callees;

impl Operation for Callees {
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
    type Out = Found<CallsOut>;

    fn run(session: &Session<'_>, args: CallsArgs) -> Result<Answer<Self::Out>, ToolError> {
        calls::run(session, &args, Direction::Out)
    }

    fn text(out: &Self::Out, page: &mut Page<'_>) -> io::Result<()> {
        out.write(page, CallsOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}
