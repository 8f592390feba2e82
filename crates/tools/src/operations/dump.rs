//! `dump`: the contents of the index as canonical text.

use crate::answer::Answer;
use crate::answer::unread_files::AnswerScope;
use crate::error::ToolError;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::writer::TextWriter;
use clap::Args;
use orient_engine::{EngineError, Snapshot};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

pub(crate) struct Dump;

/// No arguments.
#[derive(Args)]
pub(crate) struct DumpArgs {}

/// The facts of a snapshot, one per line, sorted. Streamed, since it can be larger than memory.
pub(crate) struct DumpOut(Snapshot);

impl DumpOut {
    /// Passes the lines to `take`, one by one. Errors of `take` are returned unchanged, so that a closed pipe is still
    /// recognised.
    fn lines<E>(&self, take: impl FnMut(&str) -> Result<(), E>) -> Result<(), Failure<E>> {
        let mut lines = Lines { rest: Vec::new(), take, failed: None };
        let dumped = self.0.dump(&mut lines);
        match (lines.failed, dumped) {
            (Some(error), _) => Err(Failure::Consumer(error)),
            (None, Err(error)) => Err(Failure::Index(error)),
            (None, Ok(())) => Ok(()),
        }
    }
}

/// The side that failed.
enum Failure<E> {
    Consumer(E),
    Index(EngineError),
}

impl Serialize for DumpOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match self.lines(|line| list.serialize_element(line)) {
            Ok(()) => list.end(),
            Err(Failure::Consumer(error)) => Err(error),
            Err(Failure::Index(error)) => Err(S::Error::custom(error)),
        }
    }
}

impl TypedOperation for Dump {
    const NAME: &'static str = "dump";
    const ABOUT: &'static str = "Print the contents of the index, one fact per line";
    const DETAILS: &'static str = "\
The text is canonical: the same files give the same bytes, whatever the history of the index, on any machine and with any \
number of threads. Compare two dumps to see what changed, or compare a dump with that of a rebuilt index to verify it.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "dump", about: "all facts as text" },
        Example { command: "dump --at HEAD~5", about: "the facts of an earlier commit" },
        Example { command: "dump --no-refresh", about: "without refreshing the index" },
    ];
    const EXPOSED: bool = false;
    type Args = DumpArgs;
    type Out = DumpOut;

    fn run(session: &Session<'_>, _args: DumpArgs) -> Result<Answer<DumpOut>, ToolError> {
        let snapshot = session.snapshot()?;
        Ok(session.answer_within(&snapshot, AnswerScope::FilesRead, ()).with_data(DumpOut(snapshot)))
    }

    fn text(out: &DumpOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let written = out.lines(|line| {
            writer.plain(line)?;
            writer.end_line()
        });
        written.map_err(|failure| match failure {
            Failure::Consumer(error) => error,
            Failure::Index(error) => io::Error::other(error),
        })
    }
}

/// Splits written bytes into lines.
struct Lines<F, E> {
    rest: Vec<u8>,
    take: F,
    failed: Option<E>,
}

impl<E, F: FnMut(&str) -> Result<(), E>> Write for Lines<F, E> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut start = 0;
        for end in bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at) {
            self.rest.extend_from_slice(&bytes[start..end]);
            if let Err(error) = (self.take)(&String::from_utf8_lossy(&self.rest)) {
                self.failed = Some(error);
                return Err(io::Error::other("the consumer failed"));
            }
            self.rest.clear();
            start = end + 1;
        }
        self.rest.extend_from_slice(&bytes[start..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
