//! Puts answers, remarks and errors on the terminal, in colours where it shows them.

use crate::config::Form;
use crate::pager::Pager;
use crate::terminal::{Links, Terminal};
use orient_tools::{Reply, Style, TextWriter, ToolError, write_json};
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How an answer is put on the terminal.
pub(crate) struct Manner {
    pub(crate) form: Form,
    pub(crate) colour: bool,
    pub(crate) links: Option<Links>,
    /// How many lines the screen has, where what is longer is paged, and what to set once it is.
    pub(crate) screen: Option<(usize, Arc<AtomicBool>)>,
}

/// Writes an answer to the standard output. Gives whether what surrounds the data is part of what was written.
pub(crate) fn answer(reply: &dyn Reply, manner: Manner) -> io::Result<bool> {
    if manner.form == Form::Text {
        return text(reply, manner).map(|()| false);
    }
    let mut terminal = Terminal::stdout(manner.colour);
    let mut whole = false;
    if let Some(written) = reply.json_lines(&mut terminal.out) {
        written?;
    } else {
        reply.json(&mut terminal.out)?;
        whole = true;
    }
    terminal.out.flush()?;
    Ok(whole)
}

fn text(reply: &dyn Reply, manner: Manner) -> io::Result<()> {
    let Some((rows, paging)) = manner.screen else {
        let mut terminal = Terminal::stdout(manner.colour).linked(manner.links);
        reply.text(&mut TextWriter::new(&mut terminal))?;
        return terminal.out.flush();
    };
    let mut pager = Pager::new(rows, paging, |name| std::env::var(name).ok());
    let mut terminal = Terminal::over(Box::new(&mut pager), manner.colour, true).linked(manner.links);
    let written = reply.text(&mut TextWriter::new(&mut terminal)).and_then(|()| terminal.out.flush());
    drop(terminal);
    // Whoever leaves the pager early has seen enough; it is waited for all the same.
    pager.finish()?;
    written
}

/// Writes text of our own to the standard output.
pub(crate) fn page(
    colour: bool,
    write: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut terminal = Terminal::stdout(colour);
    write(&mut TextWriter::new(&mut terminal))?;
    terminal.out.flush()
}

/// Writes bytes whose form was agreed with other programs to the standard output.
pub(crate) fn raw(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// Writes what surrounds an answer to the standard error, so that it is in nobody's pipe.
pub(crate) fn remarks(reply: &dyn Reply, colour: bool) -> io::Result<()> {
    let mut terminal = Terminal::stderr(colour);
    reply.notes(&mut TextWriter::new(&mut terminal))?;
    terminal.out.flush()
}

/// Writes an error to the standard error.
pub(crate) fn error(error: &ToolError, form: Form, colour: bool) -> io::Result<()> {
    let mut terminal = Terminal::stderr(colour);
    if form == Form::Json {
        write_json(error, &mut terminal.out)?;
        return terminal.out.flush();
    }
    let mut page = TextWriter::new(&mut terminal);
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
