//! Puts answers, remarks and errors on the terminal, in colours where it shows them.

use crate::config::Form;
use anstream::{AutoStream, ColorChoice};
use orient_tools::{Ink, Look, Page, Reply, Tone, ToolError, write_json};
use std::io::{self, BufWriter, IsTerminal, Write};

/// A stream of text, coloured or not.
struct Terminal<'w> {
    out: BufWriter<Box<dyn Write + 'w>>,
    colour: bool,
    /// Whether a person watches.
    watched: bool,
}

impl Terminal<'static> {
    fn stdout(colour: bool) -> Self {
        let out: Box<dyn Write> = if colour {
            Box::new(AutoStream::new(io::stdout().lock(), ColorChoice::Always))
        } else {
            Box::new(io::stdout().lock())
        };
        Self { out: BufWriter::with_capacity(1 << 16, out), colour, watched: io::stdout().is_terminal() }
    }

    fn stderr(colour: bool) -> Self {
        let out: Box<dyn Write> = if colour {
            Box::new(AutoStream::new(io::stderr().lock(), ColorChoice::Always))
        } else {
            Box::new(io::stderr().lock())
        };
        Self { out: BufWriter::new(out), colour, watched: io::stderr().is_terminal() }
    }
}

impl Ink for Terminal<'_> {
    fn put(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let style = if self.colour { style(tone) } else { "" };
        if style.is_empty() || text.is_empty() {
            return self.out.write_all(text.as_bytes());
        }
        write!(self.out, "\x1b[{style}m{text}\x1b[0m")
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn look(&self) -> Look {
        Look { terminal: self.watched, colours: self.colour, quoted: false }
    }
}

/// The sixteen colours every terminal has and every user has chosen to be readable.
fn style(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Path => "35",
        Tone::Name | Tone::Head => "1",
        Tone::Kind => "36",
        Tone::Number => "32",
        Tone::Dim => "2",
        Tone::Warn => "33",
    }
}

/// Writes an answer to the standard output. Gives whether what surrounds the data is part of what was written.
pub(crate) fn answer(reply: &dyn Reply, form: Form, colour: bool) -> io::Result<bool> {
    let mut terminal = Terminal::stdout(colour);
    let mut whole = false;
    if form == Form::Text {
        reply.text(&mut Page::new(&mut terminal))?;
    } else if let Some(written) = reply.lines(&mut terminal.out) {
        written?;
    } else {
        reply.json(&mut terminal.out)?;
        whole = true;
    }
    terminal.out.flush()?;
    Ok(whole)
}

/// Writes what surrounds an answer to the standard error, so that it is in nobody's pipe.
pub(crate) fn remarks(reply: &dyn Reply, colour: bool) -> io::Result<()> {
    let mut terminal = Terminal::stderr(colour);
    reply.remarks(&mut Page::new(&mut terminal))?;
    terminal.out.flush()
}

/// Writes an error to the standard error.
pub(crate) fn error(error: &ToolError, form: Form, colour: bool) -> io::Result<()> {
    let mut terminal = Terminal::stderr(colour);
    if form == Form::Json {
        write_json(error, &mut terminal.out)?;
        return terminal.out.flush();
    }
    let mut page = Page::new(&mut terminal);
    page.put(Tone::Warn, "error: ")?;
    for (index, line) in error.message().lines().enumerate() {
        if index > 0 {
            page.plain("       ")?;
        }
        page.line(Tone::Plain, line)?;
    }
    if !error.help().is_empty() {
        page.put(Tone::Dim, "help:  ")?;
        page.line(Tone::Plain, error.help())?;
    }
    terminal.out.flush()
}
