//! `deps`: what a file or folder uses.

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::graph::dependencies::{self, DependsArgs, DependsOut};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use orient_engine::Direction;
use std::io;

pub(crate) struct Deps;

impl TypedOperation for Deps {
    const NAME: &'static str = "deps";
    const ABOUT: &'static str = "Show which files, folders or packages a file or folder uses";
    const DETAILS: &'static str = "\
Every proven use of something in another file counts, not only imports: --kind imports leaves the rest out. Packages outside \
the repository are named as the source names them. --cycles finds what uses each other in a circle.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "deps src/server.go", about: "the files a file uses" },
        Example { command: "deps src --by folder --depth 2", about: "folders, and what they use in turn" },
        Example {
            command: "deps --cycles --kind imports",
            about: "circles of imports in the whole repository",
        },
        Example { command: "deps . --by package --json", about: "outside packages, for a script" },
    ];
    type Args = DependsArgs;
    type Out = DependsOut;

    fn run(session: &Session<'_>, args: DependsArgs) -> Result<Answer<DependsOut>, ToolError> {
        dependencies::run(session, &args, Direction::Out)
    }

    fn text(out: &DependsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &DependsOut) -> Exit {
        if out.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
