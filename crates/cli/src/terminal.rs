//! Output to a terminal or a pipe: colours, hyperlinks, syntax highlighting.

use anstream::{AutoStream, ColorChoice};
use orient_engine::{TokenClass, highlight};
use orient_tools::{Excerpt, OutputMode, Style, TextSink, escape_invisible};
use std::io::{self, BufWriter, IsTerminal, Write};

/// How paths become hyperlinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The root of relative paths.
    root: String,
    /// The URI prefix of an absolute path.
    scheme: &'static str,
    /// Whether the URI can contain a line number.
    lines: bool,
}

impl Links {
    /// Hyperlinks for the terminal program. The terminal of an editor gets the editor's URIs, which contain the line.
    pub(crate) fn new(root: &std::path::Path, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        if variable("TERM").is_some_and(|term| term == "dumb" || term == "linux") {
            return None;
        }
        let (scheme, lines) = match variable("TERM_PROGRAM").as_deref() {
            Some("vscode") => ("vscode://file", true),
            Some("zed") => ("zed://file", true),
            _ => ("file://", false),
        };
        Some(Self { root: root.to_str()?.trim_end_matches('/').to_owned(), scheme, lines })
    }

    /// The URI of `path`, `path:line` or `path:first-last`.
    fn uri(&self, written: &str) -> String {
        use std::fmt::Write;
        let (path, line) = match written.rsplit_once(':') {
            Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => (path, Some(line)),
            _ => (written, None),
        };
        let mut address = self.scheme.to_owned();
        let full = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.root) };
        for byte in full.bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
                address.push(byte as char);
            } else {
                let _ = write!(address, "%{byte:02X}");
            }
        }
        if let (true, Some(line)) = (self.lines, line) {
            let first = line.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            let _ = write!(address, ":{first}");
        }
        address
    }
}

/// A writer for text, with or without colours.
pub(crate) struct Terminal<'w> {
    pub(crate) out: BufWriter<Box<dyn Write + 'w>>,
    colour: bool,
    /// Whether the output is a terminal.
    watched: bool,
    links: Option<Links>,
}

impl Terminal<'static> {
    pub(crate) fn stdout(colour: bool) -> Self {
        let out: Box<dyn Write> = if colour {
            Box::new(AutoStream::new(io::stdout().lock(), ColorChoice::Always))
        } else {
            Box::new(io::stdout().lock())
        };
        Self::over(out, colour, io::stdout().is_terminal())
    }

    pub(crate) fn stderr(colour: bool) -> Self {
        let out: Box<dyn Write> = if colour {
            Box::new(AutoStream::new(io::stderr().lock(), ColorChoice::Always))
        } else {
            Box::new(io::stderr().lock())
        };
        Self::over(out, colour, io::stderr().is_terminal())
    }
}

impl<'w> Terminal<'w> {
    /// Wraps another writer.
    pub(crate) fn over(out: Box<dyn Write + 'w>, colour: bool, watched: bool) -> Self {
        Self { out: BufWriter::with_capacity(1 << 16, out), colour, watched, links: None }
    }

    /// Adds hyperlinks if the output is a terminal.
    pub(crate) fn linked(self, links: Option<Links>) -> Self {
        let links = links.filter(|_| self.colour && self.watched);
        Self { links, ..self }
    }

    fn styled(&mut self, style: &str, text: &str) -> io::Result<()> {
        if !self.colour || style.is_empty() || text.is_empty() {
            return self.out.write_all(text.as_bytes());
        }
        write!(self.out, "\x1b[{style}m{text}\x1b[0m")
    }
}

impl TextSink for Terminal<'_> {
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        match self.links.as_ref().filter(|_| tone == Style::Path && !text.is_empty()) {
            None => self.styled(style(tone), text),
            Some(links) => {
                let address = links.uri(text);
                write!(self.out, "\x1b]8;;{address}\x1b\\")?;
                self.styled(style(tone), text)?;
                self.out.write_all(b"\x1b]8;;\x1b\\")
            }
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn mode(&self) -> OutputMode {
        OutputMode { terminal: self.watched, colours: self.colour, quoted: false }
    }

    fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        if !self.colour {
            return Ok(false);
        }
        let pieces = highlight(excerpt.path, excerpt.text);
        let mut pieces = pieces.iter().peekable();
        let lines = excerpt.text.lines().count();
        let width = (excerpt.first_line as usize + lines.saturating_sub(1)).to_string().len();
        let mut at = 0;
        for (line, number) in excerpt.text.split('\n').take(lines).zip(excerpt.first_line..) {
            self.styled(style(Style::Number), &format!("{number:>width$}"))?;
            self.out.write_all(b"  ")?;
            let (mut here, end) = (at, at + line.len());
            at = end + 1;
            while here < end {
                while pieces.next_if(|(span, _)| span.end <= here).is_some() {}
                let (stop, class) = match pieces.peek() {
                    Some((span, class)) if span.start <= here => (span.end.min(end), Some(*class)),
                    Some((span, _)) => (span.start.min(end), None),
                    None => (end, None),
                };
                let text = excerpt.text.get(here..stop).unwrap_or_default();
                self.styled(class.map_or("", token_colour), &escape_invisible(text.trim_end_matches('\r')))?;
                here = stop;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(true)
    }
}

/// The standard 16 colours, which users configure to be readable.
fn style(tone: Style) -> &'static str {
    match tone {
        Style::Plain => "",
        Style::Path => "35",
        Style::Name | Style::Head => "1",
        Style::Kind => "36",
        Style::Number => "32",
        Style::Dim => "2",
        Style::Warn => "33",
    }
}

/// The standard 16 colours for syntax highlighting.
fn token_colour(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Keyword => "35",
        TokenClass::Text => "32",
        TokenClass::Comment => "2",
        TokenClass::Number => "36",
        TokenClass::Type => "33",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn links(program: &str) -> Links {
        Links::new(Path::new("/w/my shop"), |name| (name == "TERM_PROGRAM").then(|| program.to_owned()))
            .expect("a root that is text")
    }

    #[test]
    fn a_location_has_a_uri() {
        assert_eq!(links("").uri("src/a b.py:12"), "file:///w/my%20shop/src/a%20b.py");
        assert_eq!(links("vscode").uri("src/a.py:12-40"), "vscode://file/w/my%20shop/src/a.py:12");
        assert_eq!(links("vscode").uri("src/a.py"), "vscode://file/w/my%20shop/src/a.py");
        assert_eq!(links("").uri("/etc/x;y"), "file:///etc/x%3By");
        assert_eq!(Links::new(Path::new("/w"), |_| Some("dumb".to_owned())), None);
    }

    fn shown(watched: bool, write: impl FnOnce(&mut Terminal<'_>)) -> String {
        let mut bytes = Vec::new();
        let mut terminal = Terminal::over(Box::new(&mut bytes), true, watched).linked(Some(links("")));
        write(&mut terminal);
        terminal.out.flush().expect("memory takes everything");
        drop(terminal);
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn paths_are_hyperlinks_on_a_terminal() {
        let put = |terminal: &mut Terminal<'_>| terminal.put(Style::Path, "a.py:1").expect("memory");
        let link = "\u{1b}]8;;file:///w/my%20shop/a.py\u{1b}\\\u{1b}[35ma.py:1\u{1b}[0m\u{1b}]8;;\u{1b}\\";
        assert_eq!(shown(true, put), link);
        assert_eq!(shown(false, put), "\u{1b}[35ma.py:1\u{1b}[0m");
    }

    #[test]
    fn source_is_highlighted_line_by_line() {
        let text = "def f():\n    '''a\n    b'''\n    return 1  # \u{1b}[2J\n";
        let excerpt = Excerpt { path: "a.py", first_line: 9, text };
        let painted = shown(true, |terminal| {
            assert!(terminal.excerpt(&excerpt).expect("memory"));
        });
        let lines: Vec<&str> = painted.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[0], "\u{1b}[32m 9\u{1b}[0m  \u{1b}[35mdef\u{1b}[0m f():");
        assert!(
            lines[1].contains("\u{1b}[32m'''a\u{1b}[0m") && lines[2].contains("\u{1b}[32m    b'''\u{1b}[0m")
        );
        assert!(lines[3].contains("\\u{1b}[2J"), "what would steer the terminal is shown: {:?}", lines[3]);
    }
}
