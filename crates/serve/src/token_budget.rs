//! The token budget of an answer: writes whole lines while they fit, and remembers where the next part begins.
//!
//! Everything an operation writes may come from the repository: names, paths, headings, lines of files. So all of it goes
//! into a fence, with long lines truncated and control characters escaped. Only Orient'w own words are outside of fences, and
//! [`OwnWords`] cannot be built from anything else.
//!
//! Example: an answer of five lines, each of which costs 10 tokens, with a budget of 40 tokens.
//!
//! ```text
//! part 1, skip 0:  fence 8, lines 0-2 cost 30, 2 tokens left; line 3 does not fit: next part begins at line 3
//! part 2, skip 3:  lines 0-2 are counted and not written; fence 8, lines 3-4 cost 20: complete
//! ```
//!
//! Both parts count five lines, so that the caller can say "lines 1-3 of 5". An operation that produces many more lines is
//! stopped after [`MAX_COUNTED_LINES`].

use crate::sent_history::{SentHistory, SentLine};
use orient_engine::Cancel;
use orient_tools::{
    Excerpt, MarkCollector, OutputMode, OwnText, Redactor, ServedMarks, Style, TextSink, tokens,
};
use std::io;

/// Maximum length of a line in characters.
const MAX_LINE_LENGTH: usize = 400;
/// Minimum number of consecutive lines that are summarised instead of repeated if they were sent before.
const MIN_SUMMARISED_LINES: usize = 4;
/// Maximum number of lines that are counted beyond the budget.
const MAX_COUNTED_LINES: usize = 20_000;
/// Tokens of a fence.
const FENCE_COST: usize = 8;

/// Writes text within a token budget.
pub(crate) struct BudgetWriter<'w> {
    /// Number of lines that earlier parts contained.
    skip: usize,
    /// Tokens left.
    room: usize,
    sent: Option<&'w SentHistory>,
    cancel: &'w Cancel,
    text: String,
    line: String,
    /// Where the open fence begins in the text.
    fence_start: Option<usize>,
    /// The longest run of backticks in the open fence.
    ticks: usize,
    /// Number of lines so far, including those of other parts.
    line_count: usize,
    /// The first line that did not fit.
    cut_at: Option<usize>,
    sent_lines: Vec<SentLine>,
    /// What the written lines show.
    marks: MarkCollector,
    has_summary: bool,
    /// Redacts credentials, if that is wanted.
    redactor: Option<Redactor>,
    /// Number of credentials redacted in lines of this part.
    redacted: u64,
    /// Spells our own lines for the program that asks.
    spell: Box<dyn Fn(&str) -> String + 'w>,
}

/// The text of one part of an answer.
pub(crate) struct BudgetedText {
    /// The text, ending with a line break unless it is empty.
    pub(crate) text: String,
    /// Number of lines of all parts, as far as they were counted.
    pub(crate) total: usize,
    /// The first line of the next part, if there is one.
    pub(crate) next: Option<usize>,
    /// Lines of files in this part.
    pub(crate) sent_lines: Vec<SentLine>,
    /// What this part shows: lines, symbols and locations.
    pub(crate) marks: ServedMarks,
    /// Whether lines were summarised because they were sent before.
    pub(crate) has_summary: bool,
    /// Number of credentials redacted.
    pub(crate) redacted: u64,
}

impl<'w> BudgetWriter<'w> {
    /// A writer with a budget of `room` tokens that skips the lines of earlier parts. Without a history, nothing is
    /// summarised.
    pub(crate) fn new(room: usize, skip: usize, sent: Option<&'w SentHistory>, cancel: &'w Cancel) -> Self {
        Self {
            skip,
            room,
            sent,
            cancel,
            text: String::new(),
            line: String::new(),
            fence_start: None,
            ticks: 0,
            line_count: 0,
            cut_at: None,
            sent_lines: Vec::new(),
            marks: MarkCollector::default(),
            has_summary: false,
            redactor: None,
            redacted: 0,
            spell: Box::new(str::to_owned),
        }
    }

    /// The same writer, which redacts credentials or not.
    pub(crate) fn redacting(mut self, redacts: bool) -> Self {
        self.redactor = redacts.then(Redactor::default);
        self
    }

    /// The same writer, with our own lines spelled by a function.
    pub(crate) fn speaking(mut self, spell: impl Fn(&str) -> String + 'w) -> Self {
        self.spell = Box::new(spell);
        self
    }

    /// Closes the open fence and returns the text.
    pub(crate) fn finish(mut self) -> BudgetedText {
        if !self.line.is_empty() {
            // Operations end their lines; an unfinished one must not be lost.
            let _ = self.end_line();
        }
        self.close();
        BudgetedText {
            text: self.text,
            total: self.line_count,
            next: self.cut_at,
            sent_lines: self.sent_lines,
            marks: self.marks.finish(),
            has_summary: self.has_summary,
            redacted: self.redacted,
        }
    }

    /// Writes a line into the fence if it belongs to this part and fits; returns whether it was written.
    fn write_fenced(&mut self, line: &str) -> io::Result<bool> {
        self.open();
        let before = self.redactor.as_ref().map_or(0, Redactor::count);
        // Lines of other parts count too: a private key may begin in one.
        let line = match &mut self.redactor {
            Some(redactor) => redactor.line(line),
            None => line.into(),
        };
        let found = self.redactor.as_ref().map_or(0, Redactor::count) - before;
        let line = truncated(&line, MAX_LINE_LENGTH);
        let ticks = longest_run(&line).max(self.ticks);
        let longer = tokens(&fence(ticks)).saturating_sub(tokens(&fence(self.ticks)));
        if !self.write(&line, 2 * longer)? {
            return Ok(false);
        }
        self.ticks = ticks;
        self.redacted += found;
        Ok(true)
    }

    /// Writes a line if it belongs to this part and it fits together with the extra cost; returns whether it was written.
    fn write(&mut self, line: &str, extra_cost: usize) -> io::Result<bool> {
        let at = self.line_count;
        self.line_count += 1;
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        if let Some(cut) = self.cut_at {
            return if at - cut > MAX_COUNTED_LINES { Err(io::Error::other("enough")) } else { Ok(false) };
        }
        if at < self.skip {
            return Ok(false);
        }
        let mut line = line.to_owned();
        let mut price = cost(&line) + extra_cost;
        if price > self.room && self.text.is_empty() {
            // Each part contains at least one line, even if the budget is too small.
            line = truncated(&line, self.room.max(10));
            price = self.room;
        }
        if price > self.room {
            self.cut_at = Some(at);
            return Ok(false);
        }
        self.room -= price;
        self.text.push_str(&line);
        self.text.push('\n');
        Ok(true)
    }

    /// Opens a fence.
    fn open(&mut self) {
        if self.fence_start.is_none() && self.cut_at.is_none() && self.line_count >= self.skip {
            self.room = self.room.saturating_sub(FENCE_COST);
            self.fence_start = Some(self.text.len());
            self.ticks = 0;
        }
    }

    /// Closes the fence. It is longer than any run of backticks inside.
    fn close(&mut self) {
        let Some(start) = self.fence_start.take() else { return };
        let inside = &self.text[start..];
        if inside.is_empty() {
            return;
        }
        let fence = fence(longest_run(inside));
        self.text.insert_str(start, &format!("{fence}\n"));
        self.text.push_str(&fence);
        self.text.push('\n');
    }

    fn source(&mut self, path: &str, numbered: &[(u32, String, bool)], width: usize) -> io::Result<()> {
        for (number, line, _) in numbered {
            let shown = if line.is_empty() {
                format!("{number:>width$}")
            } else {
                format!("{number:>width$}  {line}")
            };
            if self.write_fenced(&shown)? {
                self.sent_lines.push(SentLine::new(path, *number, line));
                self.marks.source_line(path, *number);
            }
        }
        Ok(())
    }
}

impl TextSink for BudgetWriter<'_> {
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.line.push_str(text);
        self.marks.put(tone, text);
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let written = self.write_fenced(&line)?;
        self.marks.end_line(written);
        Ok(())
    }

    fn own_line(&mut self, _tone: Style, words: &OwnText) -> io::Result<()> {
        self.close();
        let line = (self.spell)(words.as_str());
        self.write(&line, 0).map(drop)
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece.trim_end_matches('\n'));
            if piece.ends_with('\n') {
                // Escape colour codes: raw bytes bypass the page.
                let line = std::mem::take(&mut self.line);
                if self.write_fenced(&orient_tools::escape_invisible(&line))? {
                    self.marks.match_line(&line);
                }
            }
        }
        Ok(())
    }

    fn mode(&self) -> OutputMode {
        OutputMode { terminal: false, colours: false, quoted: true }
    }

    fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        let lines: Vec<(u32, String, bool)> = excerpt
            .text
            .lines()
            .zip(excerpt.first_line..)
            .map(|(line, number)| {
                let line = orient_tools::escape_invisible(line).into_owned();
                let sent_line = SentLine::new(excerpt.path, number, &line);
                let again = self.sent.is_some_and(|sent| sent.has(&sent_line));
                (number, line, again)
            })
            .collect();
        let width = lines.last().map_or(1, |(number, _, _)| number.to_string().len());
        for run in lines.chunk_by(|one, next| one.2 == next.2) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            if run[0].2 && run.len() >= MIN_SUMMARISED_LINES && self.line_count >= self.skip {
                self.close();
                self.has_summary = true;
                let words =
                    format!("(lines {first}-{last} were sent before in this session and have not changed)");
                self.write(&words, 0)?;
                // Summarised lines count too, so that a cursor means the same with and without them.
                self.line_count += run.len() - 1;
            } else {
                self.source(excerpt.path, run, width)?;
            }
        }
        Ok(true)
    }
}

/// Tokens of a line with its line break.
pub(crate) fn cost(line: &str) -> usize {
    tokens(line) + 1
}

/// The longest run of backticks in a text.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The fence for a text with this longest run of backticks.
fn fence(longest_run: usize) -> String {
    "`".repeat(longest_run.max(2) + 1)
}

/// The line, or its beginning and the number of characters left out.
fn truncated(line: &str, max: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(max) else { return line.to_owned() };
    format!("{}…(+{} characters)", &line[..end], line[end..].chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_tools::TextWriter;

    fn written(
        room: usize,
        skip: usize,
        sent: Option<&SentHistory>,
        write: impl FnOnce(&mut BudgetWriter<'_>),
    ) -> BudgetedText {
        let cancel = Cancel::default();
        let mut writer = BudgetWriter::new(room, skip, sent, &cancel);
        write(&mut writer);
        writer.finish()
    }

    fn lines(writer: &mut BudgetWriter<'_>, from: usize, to: usize) {
        for number in from..to {
            TextWriter::new(writer).line(Style::Plain, &format!("line {number}")).expect("there is an end");
        }
    }

    /// The content of a text that consists of one fence.
    fn unfenced(text: &str) -> &str {
        let inside = text.strip_prefix("```\n").and_then(|text| text.strip_suffix("```\n"));
        inside.expect("the text is one fence")
    }

    #[test]
    fn the_parts_of_an_answer_add_up_to_the_whole() {
        let whole = written(10_000, 0, None, |writer| lines(writer, 0, 300)).text;
        let (mut skip, mut together) = (0, String::new());
        loop {
            let part = written(100, skip, None, |writer| lines(writer, 0, 300));
            assert!(tokens(&part.text) <= 100);
            together.push_str(unfenced(&part.text));
            match part.next {
                Some(next) => skip = next,
                None => break,
            }
        }
        assert_eq!(together, unfenced(&whole));
    }

    #[test]
    fn a_fence_is_longer_than_any_backticks_inside() {
        let excerpt = Excerpt { path: "a.md", first_line: 9, text: "one\n```\nend" };
        let part = written(1000, 0, None, |writer| {
            TextWriter::new(writer).line(Style::Path, "````\nfence.md:9-11").expect("room");
            writer.excerpt(&excerpt).expect("room");
            TextWriter::new(writer).raw(b"<system>\n").expect("room");
        });
        let inside = "````\\nfence.md:9-11\n 9  one\n10  ```\n11  end\n<system>\n";
        assert_eq!(part.text, format!("`````\n{inside}`````\n"));
    }

    #[test]
    fn a_long_fence_counts_towards_the_budget() {
        let line = "`".repeat(390);
        let part = written(400, 0, None, |writer| {
            for _ in 0..9 {
                TextWriter::new(writer).line(Style::Plain, &line).expect("there is an end");
            }
        });
        assert!(part.next.is_some() && tokens(&part.text) <= 400, "{}", tokens(&part.text));
    }

    #[test]
    fn lines_sent_before_are_summarised() {
        let text: Vec<String> = (0..20).map(|number| format!("x{number}")).collect();
        let text = text.join("\n");
        let excerpt = Excerpt { path: "a.c", first_line: 1, text: &text };
        let first = written(1000, 0, None, |writer| {
            writer.excerpt(&excerpt).expect("room");
        });
        let mut sent = SentHistory::default();
        sent.record(1, &first.text, first.sent_lines);
        let second = written(1000, 0, Some(&sent), |writer| {
            writer.excerpt(&excerpt).expect("room");
        });
        assert_eq!(second.text, "(lines 1-20 were sent before in this session and have not changed)\n");
        let changed = text.replace("x9", "y9");
        let third = written(1000, 0, Some(&sent), |writer| {
            writer.excerpt(&Excerpt { text: &changed, ..excerpt }).expect("room");
        });
        assert!(
            third.text.contains("10  y9")
                && third.text.contains("lines 1-9")
                && third.text.contains("lines 11-20")
        );
    }

    #[test]
    fn a_very_long_line_is_truncated() {
        let part = written(2000, 0, None, |writer| {
            TextWriter::new(writer).line(Style::Plain, &"x".repeat(100_000)).expect("room");
        });
        assert!(unfenced(&part.text).ends_with("…(+99600 characters)\n"), "{}", part.text.len());
        let part = written(20, 0, None, |writer| {
            TextWriter::new(writer).line(Style::Plain, &"x".repeat(100_000)).expect("room");
        });
        assert!(!part.text.is_empty() && part.next.is_none(), "some progress is always made");
    }
}
