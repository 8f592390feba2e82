//! `rdeps`: who uses a file or folder.

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
    const ABOUT: &'static str = "Show which files, folders or packages use a file or folder";
    const DETAILS: &'static str = "\
Every proven use of something in it counts, not only imports: --kind imports leaves the rest out.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "rdeps src/server.go", about: "the files that use a file" },
        Example { command: "rdeps src/net --by folder --no-tests", about: "folders, without tests" },
        Example { command: "rdeps src/server.go --depth 3", about: "and who uses those" },
    ];
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
