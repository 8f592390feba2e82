//! Prints answers to standard output, and notes and errors to standard error.

use crate::config::OutputFormat;
use crate::pager::Pager;
use crate::terminal::{Links, Terminal};
use orient_tools::{Code, Exit, RecordingSink, Reply, ServedMarks, Style, TextWriter, ToolError, write_json};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How to print an answer.
pub(crate) struct RenderOptions {
    pub(crate) format: OutputFormat,
    pub(crate) colour: bool,
    pub(crate) links: Option<Links>,
    /// Height of the terminal if long output goes to a pager, and the flag to set once it runs.
    pub(crate) screen: Option<(usize, Arc<AtomicBool>)>,
}

/// Prints an answer; returns whether that included its notes, and what it has shown if `recorded`.
pub(crate) fn answer(
    reply: &dyn Reply,
    options: RenderOptions,
    recorded: bool,
) -> io::Result<(bool, Option<ServedMarks>)> {
    if options.format == OutputFormat::Text {
        return text(reply, options, recorded).map(|marks| (false, marks));
    }
    let has_notes = json(reply, &mut Terminal::stdout(options.colour))?;
    if !recorded {
        return Ok((has_notes, None));
    }
    // The data says at least what the text does.
    let mut sink = RecordingSink::default();
    reply.text(&mut TextWriter::new(&mut sink))?;
    Ok((has_notes, Some(sink.finish())))
}

/// Writes an answer as JSON; returns whether that included its notes.
pub(crate) fn json(reply: &dyn Reply, terminal: &mut Terminal<'_>) -> io::Result<bool> {
    let mut has_notes = false;
    if let Some(written) = reply.json_lines(&mut terminal.out) {
        written?;
    } else {
        reply.json(&mut terminal.out)?;
        has_notes = true;
    }
    terminal.out.flush()?;
    Ok(has_notes)
}

fn text(reply: &dyn Reply, options: RenderOptions, recorded: bool) -> io::Result<Option<ServedMarks>> {
    let Some((rows, paging)) = options.screen else {
        let mut terminal = Terminal::stdout(options.colour).linked(options.links);
        let mut marks = None;
        if recorded {
            let mut sink = RecordingSink::over(&mut terminal);
            reply.text(&mut TextWriter::new(&mut sink))?;
            marks = Some(sink.finish());
        } else {
            reply.text(&mut TextWriter::new(&mut terminal))?;
        }
        return terminal.out.flush().map(|()| marks);
    };
    let mut pager = Pager::new(rows, paging, |name| std::env::var(name).ok());
    let mut terminal = Terminal::over(Box::new(&mut pager), options.colour, true).linked(options.links);
    let written = reply.text(&mut TextWriter::new(&mut terminal)).and_then(|()| terminal.out.flush());
    drop(terminal);
    // Wait for the pager even if the user quits it before the end.
    pager.finish()?;
    // A pager is for a person, and nobody knows how far they read.
    written.map(|()| None)
}

/// Prints an answer that was rendered elsewhere, through a pager if it is longer than the screen.
pub(crate) fn rendered(text: &[u8], screen: Option<(usize, Arc<AtomicBool>)>) -> io::Result<()> {
    let Some((rows, paging)) = screen else {
        let mut out = io::stdout().lock();
        out.write_all(text)?;
        return out.flush();
    };
    let mut pager = Pager::new(rows, paging, |name| std::env::var(name).ok());
    let written = (&mut &mut pager).write_all(text);
    pager.finish()?;
    written
}

/// Prints text to standard output.
pub(crate) fn page(
    colour: bool,
    write: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut terminal = Terminal::stdout(colour);
    write(&mut TextWriter::new(&mut terminal))?;
    terminal.out.flush()
}

/// Prints bytes to standard output without any processing.
pub(crate) fn raw(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// The outcome of printing something: a reader that closes the pipe early has what it wants.
pub(crate) fn written(result: io::Result<()>) -> Result<Exit, ToolError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(ToolError::new(Code::Io, format!("cannot write: {error}")))
        }
        _ => Ok(Exit::Ok),
    }
}

/// Prints the notes of an answer to standard error, so that they do not end up in a pipe.
pub(crate) fn notes(reply: &dyn Reply, colour: bool) -> io::Result<()> {
    let mut terminal = Terminal::stderr(colour);
    reply.notes(&mut TextWriter::new(&mut terminal))?;
    terminal.out.flush()
}

/// Prints an error to standard error.
pub(crate) fn error(error: &ToolError, format: OutputFormat, colour: bool) -> io::Result<()> {
    write_error(error, format, &mut Terminal::stderr(colour))
}

/// Writes an error.
pub(crate) fn write_error(
    error: &ToolError,
    format: OutputFormat,
    terminal: &mut Terminal<'_>,
) -> io::Result<()> {
    if format == OutputFormat::Json {
        write_json(error, &mut terminal.out)?;
        return terminal.out.flush();
    }
    let mut page = TextWriter::new(terminal);
    page.put(Style::Warn, "error: ")?;
    for (index, line) in error.message().lines().enumerate() {
        if index > 0 {
            page.plain("       ")?;
        }
        page.line(Style::Plain, line)?;
    }
    if !error.help().is_empty() {
        page.put(Style::Dim, "help:  ")?;
        page.line(Style::Plain, error.help())?;
    }
    terminal.out.flush()
}
