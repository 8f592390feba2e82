//! Forwards a command to the watcher or server of the same tree, which has the index open and its caches warm. The command sends its
//! arguments and prints the reply.
//!
//! The answer is rendered where it is computed and is byte for byte what the command would print. The other process declines a
//! command of another build or with other settings, one it cannot answer at once, and one whose answer is long; then, and without
//! another process, the command answers itself.

use crate::args::{self, Args, CommandKind};
use crate::config::{Config, OutputFormat};
use crate::render;
use crate::terminal::{Links, Terminal};
use orient_engine::{Cancel, Engine, Freshness, NoProgress};
use orient_live::CommandHandler;
use orient_settings::Loaded;
use orient_tools::{Code, Exit, OpenTree, Operation, Reply, Session, SessionOptions, TextWriter};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// A command, as it travels.
#[derive(Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each describes an output of its own")]
struct Request {
    /// Identifies the program file.
    build: String,
    /// All settings.
    settings: String,
    /// The words of the command line.
    typed: Vec<String>,
    /// The directory or file that was named, or the current directory.
    start: PathBuf,
    /// The directory that relative paths start from.
    directory: PathBuf,
    /// Whether standard output is coloured, and a terminal.
    colour: bool,
    terminal: bool,
    /// The same for standard error.
    colour_stderr: bool,
    terminal_stderr: bool,
    /// The variables that decide how paths become hyperlinks.
    terminal_kind: Option<String>,
    terminal_program: Option<String>,
}

/// Whether another process may answer an operation. It may not if the answer is streamed or depends on the client.
fn may_forward(tool: &Operation) -> bool {
    tool.exposed && !tool.streamed && !tool.per_client && !tool.own_environment
}

/// Has a running watcher or server answer the command; `None` if there is none that does.
pub(crate) fn ask(session: &Session<'_>, config: &Config, tool: &Operation) -> Option<Answered> {
    if !may_forward(tool) || !config.setup.refresh {
        return None;
    }
    let answer = session.forward(|| serde_json::to_vec(&Request::new(session, config)?).ok())?;
    Answered::from_bytes(&answer)
}

impl Request {
    /// This command; `None` if it cannot be written as text.
    fn new(session: &Session<'_>, config: &Config) -> Option<Self> {
        Some(Self {
            build: build()?,
            settings: settings(session.loaded()),
            typed: std::env::args_os().map(OsString::into_string).collect::<Result<_, _>>().ok()?,
            start: config.setup.start.clone(),
            directory: config.setup.directory.clone(),
            colour: config.colour,
            terminal: io::stdout().is_terminal(),
            colour_stderr: config.colour_stderr,
            terminal_stderr: io::stderr().is_terminal(),
            terminal_kind: std::env::var("TERM").ok(),
            terminal_program: std::env::var("TERM_PROGRAM").ok(),
        })
    }
}

/// What a command prints, and its exit code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) exit: Exit,
    pub(crate) out: Vec<u8>,
    pub(crate) notes: Vec<u8>,
}

impl Answered {
    /// The exit code, the length of the output in four bytes, the output, the notes.
    fn to_bytes(&self) -> Option<Vec<u8>> {
        let length = u32::try_from(self.out.len()).ok()?;
        Some([&[self.exit as u8][..], &length.to_le_bytes(), &self.out, &self.notes].concat())
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (&code, rest) = bytes.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (out, notes) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let exit = Exit::ALL.iter().copied().find(|exit| *exit as u8 == code)?;
        Some(Self { exit, out: out.to_vec(), notes: notes.to_vec() })
    }

    /// Prints the answer.
    pub(crate) fn print(
        &self,
        config: &Config,
        paging: Arc<std::sync::atomic::AtomicBool>,
    ) -> io::Result<()> {
        let screen = config.screen.filter(|_| config.format == OutputFormat::Text);
        render::rendered(&self.out, screen.map(|rows| (rows, paging)))?;
        io::stderr().lock().write_all(&self.notes)
    }
}

/// Answers the commands that other processes send to the watcher of an engine.
pub(crate) fn handler(
    setup: SessionOptions,
    engine: &Arc<Engine>,
    loaded: &Loaded,
    freshness: Arc<dyn Freshness>,
) -> CommandHandler {
    let tree = OpenTree::assemble(setup, loaded.clone(), engine.clone(), freshness);
    let (build, settings) = (build(), settings(loaded));
    Box::new(move |bytes| {
        let request: Request = serde_json::from_slice(bytes).ok()?;
        if build.as_ref() != Some(&request.build) || settings != request.settings {
            return None;
        }
        answer(&tree, request)?.to_bytes()
    })
}

fn answer(tree: &OpenTree, request: Request) -> Option<Answered> {
    let typed: Vec<OsString> = request.typed.iter().map(OsString::from).collect();
    let Ok(Args { globals, command: CommandKind::Operation(tool), matches }) = args::parse_words(&typed)
    else {
        return None;
    };
    if !may_forward(tool) {
        return None;
    }
    let (format, quiet) = (OutputFormat::of(globals.json), globals.quiet);
    let options =
        SessionOptions { start: request.start, directory: request.directory, ..tree.options().clone() };
    let (tree, cancel) = (tree.with_options(options), Cancel::default());
    let session = Session::for_tree(&tree, &NoProgress, &cancel);
    let _call = crate::log::CallSpan::begin(tool.name);
    let reply = tool.run(&session, &matches);
    let (mut out, mut notes) = (Vec::new(), Vec::new());
    let mut stderr = Terminal::over(Box::new(&mut notes), request.colour_stderr, request.terminal_stderr);
    let exit = match reply {
        Ok(reply) => {
            let links = Links::new(session.root(), |name| match name {
                "TERM" => request.terminal_kind.clone(),
                _ => request.terminal_program.clone(),
            });
            let mut stdout =
                Terminal::over(Box::new(&mut out), request.colour, request.terminal).linked(links);
            let has_notes = write(reply.as_ref(), format, &mut stdout).ok()?;
            if !has_notes && !quiet {
                reply.notes(&mut TextWriter::new(&mut stderr)).ok()?;
            }
            reply.exit()
        }
        // The first index is not complete: the command shows its progress.
        Err(error) if error.code() == Code::Busy => return None,
        Err(error) => {
            render::write_error(&error, format, &mut stderr).ok()?;
            error.code().exit()
        }
    };
    stderr.out.flush().ok()?;
    drop(stderr);
    Some(Answered { exit, out, notes })
}

/// Writes an answer; returns whether that included its notes.
fn write(reply: &dyn Reply, format: OutputFormat, terminal: &mut Terminal<'_>) -> io::Result<bool> {
    if format == OutputFormat::Json {
        return render::json(reply, terminal);
    }
    reply.text(&mut TextWriter::new(terminal))?;
    terminal.out.flush()?;
    Ok(false)
}

/// Identifies the program file: another build may answer differently.
fn build() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let modified = program.metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {}", program.display(), since.as_nanos()))
}

/// All settings and the notes about them, which answers repeat.
fn settings(loaded: &Loaded) -> String {
    format!("{:?} {:?}", loaded.settings, loaded.notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_survives_a_round_trip_and_a_cut_one_is_none() {
        let answered =
            Answered { exit: Exit::Nothing, out: b"a.c:1\n".to_vec(), notes: b"note: x\n".to_vec() };
        let bytes = answered.to_bytes().expect("it is short");
        assert_eq!(Answered::from_bytes(&bytes), Some(answered));
        assert_eq!(Answered::from_bytes(&bytes[..8]), None);
        assert_eq!(Answered::from_bytes(&[77, 0, 0, 0, 0]), None);
    }
}
