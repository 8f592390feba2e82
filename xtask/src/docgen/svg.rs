//! A terminal screen as SVG: coloured output in, a picture out.

use std::fmt::Write as _;

/// Pixels of a character cell, at a font size of 14.
const CELL: (usize, usize) = (8, 19);
const MARGIN: usize = 18;
/// The height of the title bar.
const BAR: usize = 34;

const BACKGROUND: &str = "#1e2127";
const FOREGROUND: &str = "#d7dae0";
/// Black to white, as escape sequences number them; the second row is bright.
const PALETTE: [&str; 16] = [
    "#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0", //
    "#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

/// How a piece of text looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    colour: Option<usize>,
    bold: bool,
    dim: bool,
    underlined: bool,
}

/// The picture of a command and what it printed.
pub(super) fn render(command: &str, output: &str) -> String {
    let lines: Vec<Vec<(Style, String)>> = output.trim_end().lines().map(pieces).collect();
    let width = |line: &Vec<(Style, String)>| line.iter().map(|(_, text)| text.chars().count()).sum();
    let columns = lines.iter().map(width).max().unwrap_or(0).max(command.chars().count() + 2);
    let (width, height) =
        (columns * CELL.0 + CELL.0 + 2 * MARGIN, BAR + (lines.len() + 1) * CELL.1 + 2 * MARGIN - 8);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n",
        escape(command)
    );
    for (at, colour) in ["#ff5f56", "#ffbd2e", "#27c93f"].into_iter().enumerate() {
        let x = MARGIN + 4 + at * 20;
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"18\" r=\"6\" fill=\"{colour}\"/>");
    }
    svg.push_str(
        "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace\" font-size=\"13.2\" \
         xml:space=\"preserve\">\n",
    );
    let prompt = vec![
        (Style { colour: Some(2), ..Style::default() }, "$ ".to_owned()),
        (Style { bold: true, ..Style::default() }, command.to_owned()),
    ];
    for (row, line) in std::iter::once(&prompt).chain(&lines).enumerate() {
        let y = BAR + MARGIN + row * CELL.1;
        let mut column = 0;
        for (style, text) in line {
            let length = text.chars().count();
            if !text.trim().is_empty() {
                let x = MARGIN + column * CELL.0;
                let stretch = length * CELL.0;
                let _ = writeln!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" textLength=\"{stretch}\"{}>{}</text>",
                    attributes(*style),
                    escape(text)
                );
            }
            column += length;
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// The pieces of a line between escape sequences. Links (`ESC ] … ESC \`) are dropped.
fn pieces(line: &str) -> Vec<(Style, String)> {
    let mut pieces = Vec::new();
    let mut style = Style::default();
    let mut rest = line;
    while let Some(at) = rest.find('\x1b') {
        let (text, escape) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push((style, text.to_owned()));
        }
        rest = if let Some(sequence) = escape.strip_prefix("\x1b[") {
            let end = sequence.find('m').unwrap_or(sequence.len());
            apply(&mut style, &sequence[..end]);
            sequence.get(end + 1..).unwrap_or_default()
        } else {
            escape.split_once("\x1b\\").map_or("", |(_, after)| after)
        };
    }
    if !rest.is_empty() {
        pieces.push((style, rest.to_owned()));
    }
    pieces
}

/// Changes a style by the numbers of an SGR sequence.
fn apply(style: &mut Style, sequence: &str) {
    for number in sequence.split(';') {
        match number.parse::<usize>() {
            Ok(0) | Err(_) => *style = Style::default(),
            Ok(1) => style.bold = true,
            Ok(2) => style.dim = true,
            Ok(4) => style.underlined = true,
            Ok(colour @ 30..=37) => style.colour = Some(colour - 30),
            Ok(colour @ 90..=97) => style.colour = Some(colour - 90 + 8),
            Ok(_) => {}
        }
    }
}

fn attributes(style: Style) -> String {
    let mut text = format!(" fill=\"{}\"", style.colour.map_or(FOREGROUND, |colour| PALETTE[colour]));
    if style.bold {
        text.push_str(" font-weight=\"bold\"");
    }
    if style.dim {
        text.push_str(" opacity=\"0.65\"");
    }
    if style.underlined {
        text.push_str(" text-decoration=\"underline\"");
    }
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_styles() {
        let line = "\x1b]8;;file:///x\x1b\\\x1b[36ma.py\x1b[0m\x1b]8;;\x1b\\  \x1b[1mf\x1b[0m";
        let shown: Vec<(Option<usize>, bool, String)> =
            pieces(line).into_iter().map(|(style, text)| (style.colour, style.bold, text)).collect();
        let expected = [(Some(6), false, "a.py"), (None, false, "  "), (None, true, "f")];
        assert_eq!(shown, expected.map(|(colour, bold, text)| (colour, bold, text.to_owned())));
    }

    #[test]
    fn text_is_escaped() {
        let svg = render("orient show 'Vec<T>'", "a && b");
        assert!(svg.contains("Vec&lt;T&gt;") && svg.contains("a &amp;&amp; b"), "{svg}");
    }
}
