//! What a text form is written on: pieces of text with a tone, and tables of them. Colours are the surface's affair.

use crate::text::escape::{escape_invisible, escape_invisible_bytes};
use crate::text::safe_line::SafeLine;
use std::io;

/// What a piece of text is, so that a surface can colour it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// A path, or a `path:line` anchor.
    Path,
    /// The name of a symbol.
    Name,
    /// A word that classifies: a kind, a language.
    Kind,
    /// A number of a line.
    Number,
    /// Less important than the rest.
    Dim,
    /// A heading.
    Head,
    /// Something to be aware of.
    Warn,
}

/// Takes the pieces. A surface implements it once; what it gets holds nothing that could steer a terminal.
pub trait TextSink {
    /// Puts down one piece of a line.
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()>;
    /// Ends the line.
    fn end_line(&mut self) -> io::Result<()>;
    /// Puts down bytes whose form was agreed with other programs: nothing is changed.
    fn raw(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Where it is shown.
    fn mode(&self) -> OutputMode;
    /// Puts down a whole line in Orient's own words. All other text may come from the repository, and an ink for a
    /// model marks it as such.
    fn own_line(&mut self, tone: Style, words: &OwnText) -> io::Result<()> {
        self.put(tone, &words.0)?;
        self.end_line()
    }
    /// Puts down lines of a file. Says whether it did: if not, they are written as numbered lines.
    fn excerpt(&mut self, _excerpt: &Excerpt<'_>) -> io::Result<bool> {
        Ok(false)
    }
}

/// Lines of a file, as they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt<'e> {
    /// The file.
    pub path: &'e str,
    /// The number of the first line.
    pub first_line: u32,
    /// The lines.
    pub text: &'e str,
}

/// A line in Orient's own words. What it quotes was escaped; it is made by `Page::say` alone, from a text of the
/// program, so that nothing of the repository can pass for it.
pub struct OwnText(String);

impl OwnText {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a text form is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputMode {
    /// Whether on a terminal, to a person.
    pub terminal: bool,
    /// Whether in colours.
    pub colours: bool,
    /// Whether to a reader that must not be steered by what is quoted: a model.
    pub quoted: bool,
}

/// Plain text in a string: for surfaces without colours, and for tests.
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

/// Where a text form is written. Makes everything visible that passes through it, so no operation can forget to.
pub struct TextWriter<'i> {
    sink: &'i mut dyn TextSink,
}

impl<'i> TextWriter<'i> {
    /// A page on the given ink.
    pub fn new(sink: &'i mut dyn TextSink) -> Self {
        Self { sink }
    }

    /// Puts down one piece of a line.
    pub fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.sink.put(tone, &escape_invisible(text))
    }

    /// Puts down ordinary text.
    pub fn plain(&mut self, text: &str) -> io::Result<()> {
        self.put(Style::Plain, text)
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> io::Result<()> {
        self.sink.end_line()
    }

    /// Puts down bytes in a form agreed with other programs; on a terminal all but colours is made visible.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.mode().terminal || self.mode().quoted {
            self.sink.raw(&escape_invisible_bytes(bytes))
        } else {
            self.sink.raw(bytes)
        }
    }

    /// Where it is shown.
    pub fn mode(&self) -> OutputMode {
        self.sink.mode()
    }

    /// A whole line.
    pub fn line(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.put(tone, text)?;
        self.end_line()
    }

    /// A whole line in Orient's own words: a text of the program, with each `{}` replaced by what it quotes.
    pub(crate) fn own_line(&mut self, tone: Style, words: &'static str, quoted: &[&str]) -> io::Result<()> {
        /// The longest quotation, in characters.
        const MAX_QUOTE_CHARS: usize = 200;
        let mut line = String::new();
        let mut quoted = quoted.iter();
        for (index, part) in words.split("{}").enumerate() {
            if index > 0 {
                let text = quoted.next().copied().unwrap_or_default();
                if self.mode().quoted {
                    // Within backticks none may end the quotation.
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

    /// Hands lines of a file to an ink that has a form of its own for them; says whether it has.
    pub(crate) fn delegate_excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        self.sink.excerpt(excerpt)
    }

    /// Lines of a file with their numbers.
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

    /// A table: each column as wide as its widest cell, two spaces between, nothing behind the last.
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

/// One cell of a table.
pub(crate) struct Cell {
    text: String,
    tone: Style,
    right: bool,
}

impl Cell {
    /// Text, starting at the left.
    pub(crate) fn new(tone: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone, right: false }
    }

    /// A number, ending at the right.
    pub(crate) fn number(tone: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone, right: true }
    }

    fn width(&self) -> usize {
        escape_invisible(&self.text).chars().count()
    }

    /// How wide its column must be. One endless name does not push the columns of all rows out of sight.
    fn column_width(&self) -> usize {
        const WIDEST: usize = 120;
        Some(self.width()).filter(|width| *width <= WIDEST).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_end_at_the_last_word() {
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
    fn an_endless_name_does_not_widen_the_other_rows() {
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
    fn nothing_reaches_the_ink_unseen() {
        let mut text = String::new();
        TextWriter::new(&mut text).line(Style::Name, "evil\u{1b}[2Jname").expect("a string takes everything");
        assert_eq!(text, "evil\\u{1b}[2Jname\n");
    }
}
