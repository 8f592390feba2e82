//! What a text has shown: lines of files, symbols with their locations, and locations alone.
//!
//! Collected from the styled pieces that every operation writes, line by line, so that only what was really printed counts, and
//! text of the repository cannot pass for a location.

use crate::text::writer::{Excerpt, OutputMode, OwnText, Style, TextSink};
use std::io;

/// What a text has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedMarks {
    /// Lines of files: path and number.
    pub(crate) lines: Vec<(String, u32)>,
    /// Locations, each with the name of the symbol there if one was shown.
    pub(crate) places: Vec<ServedPlace>,
}

/// A location that was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServedPlace {
    pub(crate) path: String,
    pub(crate) lines: Vec<u32>,
    pub(crate) name: Option<String>,
}

/// Collects the marks of a text while it is written.
#[derive(Debug, Default)]
pub struct MarkCollector {
    marks: ServedMarks,
    /// The pieces of the current line.
    pieces: Vec<(Style, String)>,
    /// The file that the following lines are about.
    file: Option<String>,
}

impl MarkCollector {
    /// Takes a piece of a line.
    pub fn put(&mut self, tone: Style, text: &str) {
        if matches!(tone, Style::Path | Style::Name | Style::Number) {
            self.pieces.push((tone, text.trim().to_owned()));
        }
    }

    /// Ends the line; if it was not shown, its pieces are dropped.
    pub fn end_line(&mut self, shown: bool) {
        let pieces = std::mem::take(&mut self.pieces);
        if !shown || pieces.is_empty() {
            return;
        }
        let of =
            |tone: Style| pieces.iter().filter(move |piece| piece.0 == tone).map(|piece| piece.1.as_str());
        let places: Vec<ServedPlace> = of(Style::Path).filter_map(ServedPlace::parse).collect();
        let names: Vec<&str> = of(Style::Name).filter(|name| !name.is_empty()).collect();
        let number = of(Style::Number).find_map(|text| text.parse::<u32>().ok());
        if let Some(first) = places.first() {
            self.file = Some(first.path.clone());
        }
        let mut shown = Vec::new();
        match (&places[..], &names[..]) {
            ([], names) => {
                let (Some(path), Some(line)) = (&self.file, number) else { return };
                let at = |name| ServedPlace { path: path.clone(), lines: vec![line], name };
                shown.extend(names.iter().map(|name| at(Some((*name).to_owned()))));
                if names.is_empty() {
                    shown.push(at(None));
                }
            }
            (places, names) if places.len() == names.len() => {
                let named = |(place, name): (&ServedPlace, &&str)| {
                    let name = place.name.clone().or_else(|| Some((*name).to_owned()));
                    ServedPlace { name, ..place.clone() }
                };
                shown.extend(places.iter().zip(names).map(named));
            }
            (places, names) => {
                shown.extend(places.iter().cloned());
                let named = |name: &&str| ServedPlace { name: Some((*name).to_owned()), ..places[0].clone() };
                shown.extend(names.iter().map(named));
            }
        }
        self.marks.places.extend(shown);
    }

    /// Takes a line of a file that was shown.
    pub fn source_line(&mut self, path: &str, line: u32) {
        self.marks.lines.push((path.to_owned(), line));
    }

    /// Takes a line in the format of a text search: `12:text` below the path of its file, or `path:12:text`.
    pub fn match_line(&mut self, line: &str) {
        let numbered = |text: &str| {
            let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let ends = text[digits..].starts_with([':', '-']);
            (digits > 0 && ends).then(|| text[..digits].parse::<u32>().ok()).flatten()
        };
        if let (Some(number), Some(path)) = (numbered(line), self.file.clone()) {
            return self.source_line(&path, number);
        }
        for (at, _) in line.match_indices([':', '-']) {
            if let Some(number) = numbered(&line[at + 1..]) {
                return self.source_line(&line[..at], number);
            }
        }
        self.file = Some(line.trim().to_owned()).filter(|path| !path.is_empty());
    }

    /// The marks so far.
    pub fn finish(self) -> ServedMarks {
        self.marks
    }
}

impl ServedPlace {
    /// Parses an anchor as answers write it: `path`, `path:12`, `path:12-40`, `path:12,30`, `path#Name`.
    fn parse(text: &str) -> Option<Self> {
        if let Some((path, name)) = text.split_once('#') {
            return Some(Self { path: path.to_owned(), lines: Vec::new(), name: Some(name.to_owned()) });
        }
        let (path, lines) = match text.rsplit_once(':') {
            Some((path, numbers)) if numbers.starts_with(|c: char| c.is_ascii_digit()) => {
                let first = |part: &str| part.split('-').next().and_then(|number| number.parse().ok());
                (path, numbers.split(',').filter_map(first).collect())
            }
            _ => (text, Vec::new()),
        };
        (!path.is_empty()).then(|| Self { path: path.to_owned(), lines, name: None })
    }
}

/// Passes text on to another sink and collects its marks.
pub struct RecordingSink<'s> {
    inner: Option<&'s mut dyn TextSink>,
    marks: MarkCollector,
    raw: Vec<u8>,
}

impl<'s> RecordingSink<'s> {
    /// Over another sink.
    pub fn over(inner: &'s mut dyn TextSink) -> Self {
        Self { inner: Some(inner), marks: MarkCollector::default(), raw: Vec::new() }
    }

    /// The marks of what was written.
    pub fn finish(mut self) -> ServedMarks {
        for line in String::from_utf8_lossy(&std::mem::take(&mut self.raw)).lines() {
            self.marks.match_line(line);
        }
        self.marks.finish()
    }
}

/// Collects marks only: for an answer that is sent in another form.
impl Default for RecordingSink<'_> {
    fn default() -> Self {
        Self { inner: None, marks: MarkCollector::default(), raw: Vec::new() }
    }
}

/// Maximum number of bytes of another program's format that are searched for marks.
const MAX_RAW: usize = 1 << 20;

impl TextSink for RecordingSink<'_> {
    fn put(&mut self, tone: Style, text: &str) -> io::Result<()> {
        self.marks.put(tone, text);
        self.inner.as_mut().map_or(Ok(()), |inner| inner.put(tone, text))
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.marks.end_line(true);
        self.inner.as_mut().map_or(Ok(()), |inner| inner.end_line())
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.raw.len() < MAX_RAW {
            self.raw.extend_from_slice(bytes);
        }
        self.inner.as_mut().map_or(Ok(()), |inner| inner.raw(bytes))
    }

    fn mode(&self) -> OutputMode {
        self.inner.as_ref().map_or_else(OutputMode::default, |inner| inner.mode())
    }

    fn own_line(&mut self, tone: Style, words: &OwnText) -> io::Result<()> {
        self.inner.as_mut().map_or(Ok(()), |inner| inner.own_line(tone, words))
    }

    fn excerpt(&mut self, excerpt: &Excerpt<'_>) -> io::Result<bool> {
        for (_, number) in excerpt.text.lines().zip(excerpt.first_line..) {
            self.marks.source_line(excerpt.path, number);
        }
        self.inner.as_mut().map_or(Ok(false), |inner| inner.excerpt(excerpt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(lines: &[&[(Style, &str)]]) -> Vec<(String, Vec<u32>, Option<String>)> {
        let mut collector = MarkCollector::default();
        for line in lines {
            for (tone, text) in *line {
                collector.put(*tone, text);
            }
            collector.end_line(true);
        }
        collector.finish().places.into_iter().map(|place| (place.path, place.lines, place.name)).collect()
    }

    #[test]
    fn locations_and_names_are_read_as_operations_write_them() {
        let named = |path: &str, lines: &[u32], name: &str| {
            (path.to_owned(), lines.to_vec(), (!name.is_empty()).then(|| name.to_owned()))
        };
        assert_eq!(
            marks(&[&[(Style::Path, "a.go:12-40"), (Style::Name, "Run")]]),
            [named("a.go", &[12], "Run")]
        );
        assert_eq!(
            marks(&[&[(Style::Name, "Run"), (Style::Path, "a.go:3,9")]]),
            [named("a.go", &[3, 9], "Run")]
        );
        assert_eq!(marks(&[&[(Style::Path, "a.go#T.Run")]]), [named("a.go", &[], "T.Run")]);
        let outline: &[&[(Style, &str)]] =
            &[&[(Style::Path, "a.go")], &[(Style::Number, "  7"), (Style::Name, "Run")]];
        assert_eq!(marks(outline), [named("a.go", &[], ""), named("a.go", &[7], "Run")]);
    }

    #[test]
    fn lines_of_the_repository_are_no_locations() {
        assert_eq!(marks(&[&[(Style::Plain, "see b.go:99"), (Style::Dim, "c.go#X")]]), []);
    }

    #[test]
    fn matches_of_a_text_search_are_lines_that_were_shown() {
        let mut collector = MarkCollector::default();
        for line in ["src/a.go", "12:func Run()", "13-  body", "", "src/b.go:7:text"] {
            collector.match_line(line);
        }
        let shown = collector.finish().lines;
        assert_eq!(
            shown,
            [("src/a.go".to_owned(), 12), ("src/a.go".to_owned(), 13), ("src/b.go".to_owned(), 7)]
        );
    }

    #[test]
    fn a_line_that_did_not_fit_leaves_no_mark() {
        let mut collector = MarkCollector::default();
        collector.put(Style::Path, "a.go:1");
        collector.end_line(false);
        assert_eq!(collector.finish(), ServedMarks::default());
    }
}
