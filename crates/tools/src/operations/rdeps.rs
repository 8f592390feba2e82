//! `rdeps`: the dependents of a file or directory.

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::graph::dependencies::{self, DependsArgs, DependsOut};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use orient_engine::Direction;
use std::io;

pub(crate) struct Rdeps;

impl TypedOperation for Rdeps {
    const NAME: &'static str = "rdeps";
    const ABOUT: &'static str = "Show the files, directories or packages that use a file or directory";
    const DETAILS: &'static str = "\
Every proven use of one of its symbols counts, not only imports; use --kind imports for imports only.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "rdeps src/server.go", about: "the files that use a file" },
        Example { command: "rdeps src/net --by directory --no-tests", about: "directories, without tests" },
        Example { command: "rdeps src/server.go --depth 3", about: "three levels" },
    ];
    const TERMINAL_ONLY: &'static [&'static str] = &["format"];
    type Args = DependsArgs;
    type Out = DependsOut;

    fn run(session: &Session<'_>, args: DependsArgs) -> Result<Answer<DependsOut>, ToolError> {
        dependencies::run(session, &args, Direction::In)
    }

    fn text(out: &DependsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &DependsOut) -> Exit {
        if out.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
