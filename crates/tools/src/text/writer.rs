//! Styled text output: pieces of text, lines, excerpts and tables. The interface chooses the colours.

use crate::text::escape::{escape_invisible, escape_invisible_bytes};
use crate::text::safe_line::SafeLine;
use std::io;

/// What a piece of text is, so that an interface can colour it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// A path, or a `path:line` anchor.
    Path,
    /// The name of a symbol.
    Name,
    /// A category: a kind, a language.
    Kind,
    /// A line number.
    Number,
    /// Less important than the rest.
    Dim,
    /// A heading.
    Head,
    /// A warning.
    Warn,
}

/// Receives styled text. Each interface implements it once; the text contains no control characters.
pub trait TextSink {
    /// Writes a piece of a line.
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()>;
    /// Ends the line.
    fn end_line(&mut self) -> io::Result<()>;
    /// Writes bytes in the format of another program, unchanged.
    fn raw(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Where the text is shown.
    fn mode(&self) -> OutputMode;
    /// Writes a line of Orient's own text. All other text may come from the repository; a sink for agents marks it as such.
    fn own_line(&mut self, tone: Style, words: &OwnText) -> io::Result<()> {
        self.put(tone, &words.0)?;
        self.end_line()
    }
    /// Writes lines of a file, and returns whether it did. If not, they are written as numbered lines.
    fn excerpt(&mut self, _excerpt: &Excerpt<'_>) -> io::Result<bool> {
        Ok(false)
    }
}

/// Lines of a file, unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt<'e> {
    /// The file.
    pub path: &'e str,
    /// The number of the first line.
    pub first_line: u32,
    /// The lines.
    pub text: &'e str,
}

/// A line of Orient's own text. Only `TextWriter::own_line` builds one, from a literal with escaped quotations, so that no
/// repository text can pass for it.
pub struct OwnText(String);

impl OwnText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputMode {
    /// Whether on a terminal.
    pub terminal: bool,
    /// Whether in colour.
    pub colours: bool,
    /// Whether to an agent, which must not take quotations for instructions.
    pub quoted: bool,
}

/// Plain text in a string: for interfaces without colours, and for tests.
impl TextSink for String {
    fn put(&mut self, _tone: Style, text: &str) -> io::Result<()> {
        self.push_str(text);
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.push('\n');
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.push_str(&String::from_utf8_lossy(bytes));
        Ok(())
    }

    fn mode(&self) -> OutputMode {
        OutputMode::default()
    }
}

/// Writes the text form of an answer. It escapes invisible characters, so operations need not.
pub struct TextWriter<'i> {
    sink: &'i mut dyn TextSink,
}

impl<'i> TextWriter<'i> {
    /// A writer to a sink.
    pub fn new(sink: &'i mut dyn TextSink) -> Self {
        Self { sink }
    }

    /// Writes text whose first line ends with a remark.
    pub(crate) fn with_first_line(
        &mut self,
        remark: &str,
        write: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut sink =
            FirstLine { sink: &mut *self.sink, remark: Some(escape_invisible(remark).into_owned()) };
        write(&mut TextWriter { sink: &mut sink })
    }

    /// Writes a piece of a line.
    pub fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.sink.put(tone, &escape_invisible(text))
    }

    /// Writes ordinary text.
    pub fn plain(&mut self, text: &str) -> io::Result<()> {
        self.put(Style::Plain, text)
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> io::Result<()> {
        self.sink.end_line()
    }

    /// Writes bytes in the format of another program. For terminals and agents, invisible characters but colours are escaped.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.mode().terminal || self.mode().quoted {
            self.sink.raw(&escape_invisible_bytes(bytes))
        } else {
            self.sink.raw(bytes)
        }
    }

    /// Where the text is shown.
    pub fn mode(&self) -> OutputMode {
        self.sink.mode()
    }

    /// Writes a line.
    pub fn line(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.put(tone, text)?;
        self.end_line()
    }

    /// Writes a line of Orient's own text: a literal, in which each `{}` is replaced by an escaped quotation.
    pub(crate) fn own_line(&mut self, tone: Style, words: &'static str, quoted: &[&str]) -> io::Result<()> {
        /// Maximum length of a quotation, in characters.
        const MAX_QUOTE_CHARS: usize = 200;
        let mut line = String::new();
        let mut quoted = quoted.iter();
        for (index, part) in words.split("{}").enumerate() {
            if index > 0 {
                let text = quoted.next().copied().unwrap_or_default();
                if self.mode().quoted {
                    // A backtick would end the quotation.
                    line.push_str(
                        &SafeLine::truncated(text, MAX_QUOTE_CHARS).as_str().replace('`', "\\u{60}"),
                    );
                } else {
                    line.push_str(&escape_invisible(text));
                }
            }
            line.push_str(part);
        }
        self.sink.own_line(tone, &OwnText(line))
    }

    /// Passes lines of a file to a sink that formats them itself; returns whether it does.
    pub(crate) fn delegate_excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        self.sink.excerpt(excerpt)
    }

    /// Writes lines of a file with their numbers.
    pub(crate) fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<()> {
        if self.delegate_excerpt(excerpt)? {
            return Ok(());
        }
        let width =
            (excerpt.first_line as usize + excerpt.text.lines().count().saturating_sub(1)).to_string().len();
        for (line, number) in excerpt.text.lines().zip(excerpt.first_line..) {
            self.put(Style::Number, &format!("{number:>width$}"))?;
            if !line.is_empty() {
                self.plain("  ")?;
                self.plain(line)?;
            }
            self.end_line()?;
        }
        Ok(())
    }

    /// Writes a table. Columns are as wide as their widest cell and separated by two spaces.
    pub(crate) fn table(&mut self, indent: usize, rows: &[Vec<Cell>]) -> io::Result<()> {
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.column_width());
            }
        }
        for row in rows {
            let last = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
            let mut gap = indent;
            for (cell, width) in row[..last].iter().zip(&widths) {
                let room = width.saturating_sub(cell.width());
                let (before, after) = if cell.right { (room, 0) } else { (0, room) };
                self.plain(&" ".repeat(gap + before))?;
                self.put(cell.tone, &cell.text)?;
                gap = after + 2;
            }
            self.end_line()?;
        }
        Ok(())
    }
}

/// A sink that ends the first line with a remark.
struct FirstLine<'s> {
    sink: &'s mut dyn TextSink,
    remark: Option<String>,
}

impl TextSink for FirstLine<'_> {
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.sink.put(tone, text)
    }

    fn end_line(&mut self) -> io::Result<()> {
        if let Some(remark) = self.remark.take() {
            self.sink.put(Style::Warn, &remark)?;
        }
        self.sink.end_line()
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink.raw(bytes)
    }

    fn mode(&self) -> OutputMode {
        self.sink.mode()
    }

    fn own_line(&mut self, tone: Style, words: &OwnText) -> io::Result<()> {
        self.sink.own_line(tone, words)?;
        // What names something of the repository is no text of our own: it gets a line of its own.
        match self.remark.take() {
            Some(remark) => {
                self.sink.put(Style::Warn, remark.trim_start())?;
                self.sink.end_line()
            }
            None => Ok(()),
        }
    }

    fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        self.sink.excerpt(excerpt)
    }
}

/// One cell of a table.
pub(crate) struct Cell {
    text: String,
    tone: Style,
    right: bool,
}

impl Cell {
    /// Left-aligned text.
    pub(crate) fn new(tone: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone, right: false }
    }

    /// A right-aligned number.
    pub(crate) fn number(tone: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone, right: true }
    }

    fn width(&self) -> usize {
        escape_invisible(&self.text).chars().count()
    }

    /// Its contribution to the width of the column. Very long cells do not widen it.
    fn column_width(&self) -> usize {
        const MAX_WIDTH: usize = 120;
        Some(self.width()).filter(|width| *width <= MAX_WIDTH).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_without_trailing_spaces() {
        let mut text = String::new();
        let row = |name: &str, count: &str, note: &str| {
            vec![
                Cell::new(Style::Name, name),
                Cell::number(Style::Number, count),
                Cell::new(Style::Dim, note),
            ]
        };
        let rows = [row("a", "1", ""), row("größe", "1,000", "x")];
        TextWriter::new(&mut text).table(2, &rows).expect("a string takes everything");
        assert_eq!(text, "  a          1\n  größe  1,000  x\n");
    }

    #[test]
    fn a_very_long_cell_does_not_widen_the_other_rows() {
        let mut text = String::new();
        let long = "x".repeat(10_000);
        let rows = [
            vec![Cell::new(Style::Name, "a"), Cell::new(Style::Dim, "1")],
            vec![Cell::new(Style::Name, long.as_str()), Cell::new(Style::Dim, "2")],
        ];
        TextWriter::new(&mut text).table(0, &rows).expect("a string takes everything");
        assert_eq!(text, format!("a  1\n{long}  2\n"));
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let mut text = String::new();
        TextWriter::new(&mut text).line(Style::Name, "evil\u{1b}[2Jname").expect("a string takes everything");
        assert_eq!(text, "evil\\u{1b}[2Jname\n");
    }
}
