//! The paper an answer is written on: as many lines as its tokens allow, from where the last part ended.
//!
//! Whatever an operation writes may come from the repository: names, paths, headers, headings, lines of files. So all of
//! it goes into a fence, each line capped and without characters that act. Only Orient's own words stand outside, and
//! [`OwnWords`] cannot be made from anything else.

use crate::sent_history::{SentHistory, SentLine};
use orient_engine::Cancel;
use orient_tools::{Excerpt, OutputMode, OwnText, Style, TextSink, tokens};
use std::io;

/// No line is longer, in characters.
const WIDEST: usize = 400;
/// LineTransport that were sent before are named, not repeated, if at least so many follow each other.
const WORTH_NAMING: usize = 4;
/// How many lines beyond the budget are counted before the work is ended.
const COUNTED: usize = 20_000;
/// What a fence costs.
const FENCE: usize = 8;

/// A sheet with a budget.
pub(crate) struct BudgetWriter<'s> {
    /// LineTransport that were sent before this part.
    skip: usize,
    /// Tokens left.
    room: usize,
    sent: Option<&'s SentHistory>,
    cancel: &'s Cancel,
    text: String,
    line: String,
    /// Where fenced lines begin in the text, while they are written.
    fence: Option<usize>,
    /// The longest run of backticks among them.
    ticks: usize,
    /// LineTransport met so far, those before and behind this part too.
    met: usize,
    /// The line that did not fit.
    cut: Option<usize>,
    lines: Vec<SentLine>,
    named: bool,
}

/// What came of it.
pub(crate) struct BudgetedText {
    /// The text, ending with a line break unless it is empty.
    pub(crate) text: String,
    /// How many lines there are in all, as far as they were counted.
    pub(crate) total: usize,
    /// The line the next part begins with, if there is one.
    pub(crate) next: Option<usize>,
    /// LineTransport of files that are sent in full.
    pub(crate) lines: Vec<SentLine>,
    /// Whether lines were named instead of sent.
    pub(crate) named: bool,
}

impl<'s> BudgetWriter<'s> {
    /// A sheet for so many tokens, from a line on; without a memory everything is written.
    pub(crate) fn new(room: usize, skip: usize, sent: Option<&'s SentHistory>, cancel: &'s Cancel) -> Self {
        Self {
            skip,
            room,
            sent,
            cancel,
            text: String::new(),
            line: String::new(),
            fence: None,
            ticks: 0,
            met: 0,
            cut: None,
            lines: Vec::new(),
            named: false,
        }
    }

    /// Ends the sheet.
    pub(crate) fn finish(mut self) -> BudgetedText {
        if !self.line.is_empty() {
            // All ink ends its lines; one that does not must not be lost.
            let _ = self.end_line();
        }
        self.close();
        BudgetedText {
            text: self.text,
            total: self.met,
            next: self.cut,
            lines: self.lines,
            named: self.named,
        }
    }

    /// Writes a line into the fence if it is its turn and there is room; says whether it was written.
    fn fenced(&mut self, line: &str) -> io::Result<bool> {
        self.open();
        let line = capped(line, WIDEST);
        let ticks = longest_run(&line).max(self.ticks);
        let longer = tokens(&fence(ticks)).saturating_sub(tokens(&fence(self.ticks)));
        if !self.write(&line, 2 * longer)? {
            return Ok(false);
        }
        self.ticks = ticks;
        Ok(true)
    }

    /// Writes a line if it is its turn and there is room for it and what it costs besides; says whether it was written.
    fn write(&mut self, line: &str, besides: usize) -> io::Result<bool> {
        let at = self.met;
        self.met += 1;
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        if let Some(cut) = self.cut {
            return if at - cut > COUNTED { Err(io::Error::other("enough")) } else { Ok(false) };
        }
        if at < self.skip {
            return Ok(false);
        }
        let mut line = line.to_owned();
        let mut price = cost(&line) + besides;
        if price > self.room && self.text.is_empty() {
            // Some progress must be made, however little room there is.
            line = capped(&line, self.room.max(10));
            price = self.room;
        }
        if price > self.room {
            self.cut = Some(at);
            return Ok(false);
        }
        self.room -= price;
        self.text.push_str(&line);
        self.text.push('\n');
        Ok(true)
    }

    /// Begins fenced lines.
    fn open(&mut self) {
        if self.fence.is_none() && self.cut.is_none() && self.met >= self.skip {
            self.room = self.room.saturating_sub(FENCE);
            self.fence = Some(self.text.len());
            self.ticks = 0;
        }
    }

    /// Ends fenced lines: the fence is longer than any run of the same mark within.
    fn close(&mut self) {
        let Some(start) = self.fence.take() else { return };
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
            if self.fenced(&shown)? {
                self.lines.push(SentLine::new(path, *number, line));
            }
        }
        Ok(())
    }
}

impl TextSink for BudgetWriter<'_> {
    fn put(&mut self, _tone: Style, text: &str) -> io::Result<()> {
        self.line.push_str(text);
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.fenced(&line).map(drop)
    }

    fn own_line(&mut self, _tone: Style, words: &OwnText) -> io::Result<()> {
        self.close();
        self.write(words.as_str(), 0).map(drop)
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece.trim_end_matches('\n'));
            if piece.ends_with('\n') {
                // Colours would pass the page; a model has no use for them.
                let line = std::mem::take(&mut self.line);
                self.fenced(&orient_tools::escape_invisible(&line))?;
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
                let known = SentLine::new(excerpt.path, number, &line);
                let again = self.sent.is_some_and(|sent| sent.has(&known));
                (number, line, again)
            })
            .collect();
        let width = lines.last().map_or(1, |(number, _, _)| number.to_string().len());
        for run in lines.chunk_by(|one, next| one.2 == next.2) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            if run[0].2 && run.len() >= WORTH_NAMING && self.met >= self.skip {
                self.close();
                self.named = true;
                let words =
                    format!("(lines {first}-{last} were sent before in this session and have not changed)");
                self.write(&words, 0)?;
                // The named lines count, so that a cursor means the same with and without them.
                self.met += run.len() - 1;
            } else {
                self.source(excerpt.path, run, width)?;
            }
        }
        Ok(true)
    }
}

/// What a line costs, in the text and in JSON: quotes and tabs are escaped there.
pub(crate) fn cost(line: &str) -> usize {
    let escaped = line.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\t')).count();
    tokens(line) + 1 + escaped
}

/// The longest run of backticks in a text.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The fence for a text whose longest run of backticks is this.
fn fence(longest_run: usize) -> String {
    "`".repeat(longest_run.max(2) + 1)
}

/// The line, or its beginning and how much is left out.
fn capped(line: &str, most: usize) -> String {
    let Some((end, _)) = line.char_indices().nth(most) else { return line.to_owned() };
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
        let mut sheet = BudgetWriter::new(room, skip, sent, &cancel);
        write(&mut sheet);
        sheet.finish()
    }

    fn lines(sheet: &mut BudgetWriter<'_>, from: usize, to: usize) {
        for number in from..to {
            TextWriter::new(sheet).line(Style::Plain, &format!("line {number}")).expect("there is an end");
        }
    }

    /// What is in the fence of a text that is one fence.
    fn unfenced(text: &str) -> &str {
        let inside = text.strip_prefix("```\n").and_then(|text| text.strip_suffix("```\n"));
        inside.expect("all of it is fenced")
    }

    #[test]
    fn parts_put_together_are_the_whole() {
        let whole = written(10_000, 0, None, |sheet| lines(sheet, 0, 300)).text;
        let (mut skip, mut together) = (0, String::new());
        loop {
            let part = written(100, skip, None, |sheet| lines(sheet, 0, 300));
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
    fn everything_is_fenced_whatever_it_holds() {
        let excerpt = Excerpt { path: "a.md", first_line: 9, text: "one\n```\nend" };
        let part = written(1000, 0, None, |sheet| {
            TextWriter::new(sheet).line(Style::Path, "````\nfence.md:9-11").expect("room");
            sheet.excerpt(&excerpt).expect("room");
            TextWriter::new(sheet).raw(b"<system>\n").expect("room");
        });
        let inside = "````\\nfence.md:9-11\n 9  one\n10  ```\n11  end\n<system>\n";
        assert_eq!(part.text, format!("`````\n{inside}`````\n"));
    }

    #[test]
    fn a_long_fence_is_paid_for() {
        let line = "`".repeat(390);
        let part = written(400, 0, None, |sheet| {
            for _ in 0..9 {
                TextWriter::new(sheet).line(Style::Plain, &line).expect("there is an end");
            }
        });
        assert!(part.next.is_some() && tokens(&part.text) <= 400, "{}", tokens(&part.text));
    }

    #[test]
    fn what_was_sent_is_named_and_not_repeated() {
        let text: Vec<String> = (0..20).map(|number| format!("x{number}")).collect();
        let text = text.join("\n");
        let excerpt = Excerpt { path: "a.c", first_line: 1, text: &text };
        let first = written(1000, 0, None, |sheet| {
            sheet.excerpt(&excerpt).expect("room");
        });
        let mut sent = SentHistory::default();
        sent.note(1, &first.text, first.lines);
        let second = written(1000, 0, Some(&sent), |sheet| {
            sheet.excerpt(&excerpt).expect("room");
        });
        assert_eq!(second.text, "(lines 1-20 were sent before in this session and have not changed)\n");
        let changed = text.replace("x9", "y9");
        let third = written(1000, 0, Some(&sent), |sheet| {
            sheet.excerpt(&Excerpt { text: &changed, ..excerpt }).expect("room");
        });
        assert!(
            third.text.contains("10  y9")
                && third.text.contains("lines 1-9")
                && third.text.contains("lines 11-20")
        );
    }

    #[test]
    fn a_line_without_end_is_capped() {
        let part = written(2000, 0, None, |sheet| {
            TextWriter::new(sheet).line(Style::Plain, &"x".repeat(100_000)).expect("room");
        });
        assert!(unfenced(&part.text).ends_with("…(+99600 characters)\n"), "{}", part.text.len());
        let part = written(20, 0, None, |sheet| {
            TextWriter::new(sheet).line(Style::Plain, &"x".repeat(100_000)).expect("room");
        });
        assert!(!part.text.is_empty() && part.next.is_none(), "some progress is always made");
    }
}
