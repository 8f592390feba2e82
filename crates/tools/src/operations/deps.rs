//! `deps`: the dependencies of a file or directory.

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
    const ABOUT: &'static str = "Show the files, directories or packages that a file or directory uses";
    const DETAILS: &'static str = "\
Every proven use of a symbol in another file counts, not only imports; use --kind imports for imports only. External packages \
are named as in the source. --cycles finds dependency cycles.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "deps src/server.go", about: "the files a file uses" },
        Example { command: "deps src --by directory --depth 2", about: "directories, two levels" },
        Example { command: "deps src --by entry", about: "what the parts of a directory use of each other" },
        Example {
            command: "deps --cycles --by directory",
            about: "circular dependencies between directories",
        },
        Example { command: "deps --cycles --kind imports", about: "import cycles in the whole repository" },
        Example { command: "deps src --by directory --format dot", about: "a diagram for Graphviz" },
        Example { command: "deps . --by package --json", about: "packages, for a script" },
    ];
    const TERMINAL_ONLY: &'static [&'static str] = &["format"];
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
