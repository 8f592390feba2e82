//! Source text as HTML: highlighted tokens, links and marks, line by line.

use maud::{Markup, html};
use orient_engine::{TokenClass, highlight};
use std::ops::Range;

/// Larger texts are not highlighted: parsing them would take longer than a reader waits.
const MAX_HIGHLIGHTED_BYTES: usize = 1 << 20;
/// Longer lines are cut unless the whole line is requested. Nobody reads minified code, and browsers are slow with it.
pub(crate) const MAX_LINE_CHARS: usize = 2000;

/// A text with its lines and token classes.
pub(crate) struct SourceText<'t> {
    pub(crate) text: &'t str,
    /// The bytes of each line, without the line break.
    lines: Vec<Range<usize>>,
    /// In order, without overlap.
    classes: Vec<(Range<usize>, TokenClass)>,
}

/// A name that leads somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkSpan {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// The address of its definition, or of its uses.
    pub(crate) href: String,
    /// The address of its card; empty for a file.
    pub(crate) card: String,
    /// The class: how sure it is, or that it is a definition.
    pub(crate) class: &'static str,
}

/// How to render lines.
pub(crate) struct LineStyle<'l> {
    /// In order, without overlap.
    pub(crate) links: &'l [LinkSpan],
    /// Bytes to mark, in order.
    pub(crate) marks: &'l [Range<usize>],
    /// Whether long lines are not cut.
    pub(crate) whole: bool,
}

impl<'t> SourceText<'t> {
    /// Splits and highlights a text; the path selects the language.
    pub(crate) fn new(path: &str, text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let shown = line.trim_end_matches('\n').trim_end_matches('\r');
            lines.push(start..start + shown.len());
            start += line.len();
        }
        let classes = if text.len() <= MAX_HIGHLIGHTED_BYTES { highlight(path, text) } else { Vec::new() };
        Self { text, lines, classes }
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The bytes of a line, counted from 0; empty for a line that does not exist.
    pub(crate) fn line(&self, index: usize) -> Range<usize> {
        self.lines.get(index).cloned().unwrap_or(0..0)
    }

    /// The class of the token at a byte.
    pub(crate) fn class_at(&self, byte: usize) -> Option<TokenClass> {
        let at = self.classes.partition_point(|(range, _)| range.end <= byte);
        self.classes.get(at).filter(|(range, _)| range.start <= byte).map(|(_, class)| *class)
    }

    /// The string literals that begin in a line, counted from 0.
    pub(crate) fn strings_in(&self, index: usize) -> impl Iterator<Item = Range<usize>> {
        let line = self.line(index);
        let start = self.classes.partition_point(|(range, _)| range.start < line.start);
        let here = self.classes[start..].iter().take_while(move |(range, _)| range.end <= line.end);
        here.filter(|(_, class)| *class == TokenClass::Text).map(|(range, _)| range.clone())
    }

    /// Renders the content of a line, counted from 0.
    pub(crate) fn render(&self, index: usize, style: &LineStyle<'_>) -> Markup {
        let line = self.line(index);
        let end = if style.whole { line.end } else { self.cut(&line) };
        let omitted = self.text[end..line.end].chars().count();
        let segments = self.segments(line.start..end, style);
        html! {
            @for segment in segments {
                @match (segment.link, segment.class, segment.marked) {
                    (Some(link), class, marked) => a.(link.class).(class.unwrap_or("id")) href=(link.href)
                        data-card=[(!link.card.is_empty()).then_some(&link.card)] {
                        @if marked { mark { (self.text[segment.range]) } } @else { (self.text[segment.range]) }
                    },
                    (None, Some(class), true) => mark.(class) { (self.text[segment.range]) },
                    (None, None, true) => mark { (self.text[segment.range]) },
                    (None, Some(class), false) => span.(class) { (self.text[segment.range]) },
                    (None, None, false) => (self.text[segment.range]),
                }
            }
            @if omitted > 0 { span.cut { "… " (omitted) " more characters" } }
        }
    }

    fn cut(&self, line: &Range<usize>) -> usize {
        let text = &self.text[line.clone()];
        text.char_indices().nth(MAX_LINE_CHARS).map_or(line.end, |(at, _)| line.start + at)
    }

    /// Splits a range of bytes wherever a class, a link or a mark begins or ends.
    fn segments<'l>(&self, line: Range<usize>, style: &LineStyle<'l>) -> Vec<Segment<'l>> {
        let first = self.classes.partition_point(|(range, _)| range.end <= line.start);
        let classes: Vec<_> =
            self.classes[first..].iter().take_while(|(range, _)| range.start < line.end).collect();
        let links = overlapping(style.links, &line, |link| &link.range);
        let marks = overlapping(style.marks, &line, |mark| mark);
        let ranges =
            classes.iter().map(|(range, _)| range).chain(links.iter().map(|link| &link.range)).chain(marks);
        let mut cuts: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([line.start, line.end]);
        cuts.retain(|&cut| line.start <= cut && cut <= line.end && self.text.is_char_boundary(cut));
        cuts.sort_unstable();
        cuts.dedup();
        let covers = |range: &Range<usize>, at: usize| range.start <= at && at < range.end;
        let pairs = cuts.windows(2).map(|pair| pair[0]..pair[1]);
        pairs
            .map(|range| Segment {
                class: classes
                    .iter()
                    .find(|(token, _)| covers(token, range.start))
                    .map(|(_, class)| css(*class)),
                link: links.iter().find(|link| covers(&link.range, range.start)),
                marked: marks.iter().any(|mark| covers(mark, range.start)),
                range,
            })
            .collect()
    }
}

/// A part of a line that is rendered alike.
struct Segment<'l> {
    range: Range<usize>,
    class: Option<&'static str>,
    link: Option<&'l LinkSpan>,
    marked: bool,
}

/// The items of an ordered list whose range touches a line.
fn overlapping<'l, T>(items: &'l [T], line: &Range<usize>, range: impl Fn(&T) -> &Range<usize>) -> &'l [T] {
    let start = items.partition_point(|item| range(item).end <= line.start);
    let count = items[start..].iter().take_while(|item| range(item).start < line.end).count();
    &items[start..start + count]
}

fn css(class: TokenClass) -> &'static str {
    match class {
        TokenClass::Keyword => "kw",
        TokenClass::Text => "st",
        TokenClass::Comment => "co",
        TokenClass::Number => "nu",
        TokenClass::Type => "ty",
    }
}

/// The occurrences of a name in a text, as whole words: `run` does not occur in `rerun`, but `ok?` does in `ok?(1)`.
pub(crate) fn occurrences<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (first, last) =
        (name.chars().next().is_some_and(is_word), name.chars().next_back().is_some_and(is_word));
    let found = text.match_indices(if name.is_empty() { "\0" } else { name });
    found.map(|(at, found)| at..at + found.len()).filter(move |range| {
        let before = text[..range.start].chars().next_back().is_some_and(is_word);
        let after = text[range.end..].chars().next().is_some_and(is_word);
        !(first && before || last && after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(path: &str, text: &str, links: &[LinkSpan], marks: &[Range<usize>]) -> String {
        let source = SourceText::new(path, text);
        let style = LineStyle { links, marks, whole: false };
        (0..source.len()).map(|line| source.render(line, &style).into_string()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tokens_links_and_marks_are_rendered_together() {
        let link =
            LinkSpan { range: 9..12, href: "/code/b#L1".to_owned(), card: String::new(), class: "sure" };
        let page = render("a.rs", "let x1 = run(\"a\"); // b", &[link], std::slice::from_ref(&(9..10)));
        assert_eq!(
            page,
            "<span class=\"kw\">let</span> x1 = <a class=\"sure id\" href=\"/code/b#L1\"><mark>r</mark></a>\
             <a class=\"sure id\" href=\"/code/b#L1\">un</a>(<span class=\"st\">&quot;a&quot;</span>); <span class=\"co\">// b</span>"
        );
    }

    #[test]
    fn markup_in_source_stays_text() {
        let page = render("a.txt", "<script>alert('1')</script>&\r\n\"><img>", &[], &[]);
        assert_eq!(page, "&lt;script&gt;alert('1')&lt;/script&gt;&amp;\n&quot;&gt;&lt;img&gt;");
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let page = render("a.txt", &"é".repeat(MAX_LINE_CHARS + 7), &[], &[]);
        assert!(page.ends_with("<span class=\"cut\">… 7 more characters</span>"));
    }

    #[test]
    fn names_occur_as_whole_words() {
        let found = |text, name| occurrences(text, name).map(|range| range.start).collect::<Vec<_>>();
        assert_eq!(found("run(rerun, run_all, run)", "run"), [0, 20]);
        assert_eq!(found("ok?(1) look? ok?", "ok?"), [0, 13]);
        assert_eq!(found("a", ""), [0; 0]);
    }
}
