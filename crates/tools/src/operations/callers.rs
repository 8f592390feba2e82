//! `callers`: the symbols that call a symbol.

use crate::answer::Answer;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Exit, ToolError};
use crate::graph::call_lines::CallsOut;
use crate::graph::call_tree::{self, CallsArgs};
use crate::operation::{AcrossRoots, Example, ParseArgs, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use crate::workspace::{RootFilter, about_symbol};
use orient_engine::Direction;
use std::io;

pub(crate) struct Callers;

impl TypedOperation for Callers {
    const NAME: &'static str = "callers";
    const ABOUT: &'static str = "Show the symbols that call a symbol";
    const DETAILS: &'static str = "\
Each line shows the location of a call and the calling symbol; a call that is only probable also shows the rule that found \
it. Calls of an interface or base member that may reach the symbol are listed below `via`. Unresolved calls of the same \
name are counted and listed separately: they may mean the symbol or another. So are places that pass, return or store a function \
without calling it. Tests come last. --role searches all levels.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "callers Server.Run", about: "direct callers" },
        Example { command: "callers Server.Run --depth 3 --no-tests", about: "three levels, without tests" },
        Example { command: "callers src/server.go#Server.Run --flat", about: "by handle, as a list" },
        Example { command: "callers Server.Run --at v1.2", about: "as of a tag" },
        Example {
            command: "callers Store.save --role handler --depth 8",
            about: "the handlers of requests that lead to it",
        },
        Example {
            command: "callers on_change --via passes",
            about: "only where it is passed, returned or stored",
        },
        Example {
            command: "callers Run --confidence exact --json",
            about: "only certain calls, for a script",
        },
    ];
    const PROVISIONAL: bool = true;
    const ACROSS: Option<AcrossRoots<Self>> = Some(across);
    const ROOT_FILTER: fn(&CallsArgs) -> RootFilter = |args| RootFilter::defines_or_uses(args.symbol());
    const IS_NEGATIVE: fn(&Self::Out) -> bool = |out| out.is_negative(CallsOut::is_empty);
    type Args = CallsArgs;
    type Out = SymbolAnswer<CallsOut>;

    fn run(session: &Session<'_>, args: CallsArgs) -> Result<Answer<Self::Out>, ToolError> {
        call_tree::run(session, &args, Direction::In)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, CallsOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

/// The callers in the root of the symbol, then those in other roots.
fn across(
    session: &Session<'_>,
    args: &ParseArgs<'_, Callers>,
) -> Result<Answer<SymbolAnswer<CallsOut>>, ToolError> {
    let asked = args()?;
    about_symbol::<Callers, CallsOut>(session, args, asked.symbol(), CallsOut::label, |out, uses| {
        out.add_callers(uses, &asked)
    })
}
