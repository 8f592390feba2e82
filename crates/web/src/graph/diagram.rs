//! A diagram as SVG. Colours are attributes, so that an exported file looks right by itself; the style sheet of a page overrides them.

use super::layered_layout::{Layout, NodeSize, layered_layout, number};
use maud::{Markup, html};
use std::fmt::Write;

/// Width of a character of a label, and of the smaller text below it.
const CHAR_WIDTH: f64 = 7.3;
const SMALL_CHAR_WIDTH: f64 = 6.1;
/// Space around the text of a node.
const PADDING: f64 = 10.0;
/// Height of a node with two lines of text.
const NODE_HEIGHT: f64 = 40.0;
/// Longer labels are shortened.
const MAX_LABEL_CHARS: usize = 36;
/// Space around the diagram.
const MARGIN: f64 = 12.0;

/// A node to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiagramNode {
    pub(crate) label: String,
    /// A smaller line below the label.
    pub(crate) detail: String,
    pub(crate) href: String,
    /// The address of its card; may be empty.
    pub(crate) card: String,
    /// The class: `focus`, `pinned`, `test`, `cycle` or none.
    pub(crate) class: &'static str,
}

/// An edge to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiagramEdge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The class: `likely`, `maybe`, `cycle` or none.
    pub(crate) class: &'static str,
    /// What a reader sees when the pointer rests on it.
    pub(crate) title: String,
}

/// Draws a diagram.
pub(crate) fn diagram(nodes: &[DiagramNode], edges: &[DiagramEdge]) -> Markup {
    let sizes: Vec<NodeSize> = nodes.iter().map(size).collect();
    let ends: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let layout = layered_layout(&sizes, &ends);
    let (width, height) = (layout.width + 2.0 * MARGIN, layout.height + 2.0 * MARGIN);
    html! {
        svg.graph xmlns="http://www.w3.org/2000/svg" width=(round(width)) height=(round(height))
            viewBox={ (round(-MARGIN)) " " (round(-MARGIN)) " " (round(width)) " " (round(height)) }
            font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12" {
            defs {
                marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse" {
                    path.tip d="M0 0.8 L7 4 L0 7.2 z" fill="#7a8594" {}
                }
            }
            g.edges fill="none" stroke="#7a8594" { @for (edge, route) in edges.iter().zip(&layout.routes) {
                path.(edge.class) d=(curve(&route.points)) stroke-dasharray=[dashes(edge.class)] marker-end="url(#arrow)" {
                    title { (edge.title) }
                }
            } }
            g.nodes { @for (at, node) in nodes.iter().enumerate() { (drawn_node(node, sizes[at], &layout, at)) } }
        }
    }
}

fn size(node: &DiagramNode) -> NodeSize {
    let chars = |text: &str| number(text.chars().count().min(MAX_LABEL_CHARS));
    let width = (chars(&node.label) * CHAR_WIDTH).max(chars(&node.detail) * SMALL_CHAR_WIDTH);
    NodeSize { width: width + 2.0 * PADDING, height: NODE_HEIGHT }
}

fn drawn_node(node: &DiagramNode, size: NodeSize, layout: &Layout, at: usize) -> Markup {
    let place = layout.places[at];
    let text_x = place.x + PADDING;
    let fill = if node.class == "focus" { "#dbe8ff" } else { "#ffffff" };
    html! {
        a.node.(node.class) href=(node.href) data-card=[(!node.card.is_empty()).then_some(&node.card)] {
            title { (node.label) " · " (node.detail) }
            rect x=(round(place.x)) y=(round(place.y)) width=(round(size.width)) height=(round(size.height)) rx="5"
                fill=(fill) stroke="#7a8594" {}
            text x=(round(text_x)) y=(round(place.y + 17.0)) fill="#1a2230" { (shortened(&node.label, false)) }
            text.detail x=(round(text_x)) y=(round(place.y + 32.0)) fill="#5a6473" font-size="10" { (shortened(&node.detail, true)) }
        }
    }
}

/// A curve through points that leaves and enters horizontally.
fn curve(points: &[(f64, f64)]) -> String {
    let Some(((x, y), rest)) = points.split_first() else { return String::new() };
    // Writing to a string cannot fail.
    let mut path = format!("M{} {}", round(*x), round(*y));
    let (mut x, mut y) = (*x, *y);
    for &(to_x, to_y) in rest {
        if to_y.to_bits() == y.to_bits() {
            let _ = write!(path, " H{}", round(to_x));
            x = to_x;
            continue;
        }
        let middle = f64::midpoint(x, to_x);
        let _ = write!(
            path,
            " C{m} {} {m} {} {} {}",
            round(y),
            round(to_y),
            round(to_x),
            round(to_y),
            m = round(middle)
        );
        (x, y) = (to_x, to_y);
    }
    path
}

fn dashes(class: &str) -> Option<&'static str> {
    match class {
        "likely" => Some("6 3"),
        "maybe" => Some("2 3"),
        _ => None,
    }
}

/// One decimal is enough, and keeps pages small.
fn round(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A text that fits into a node; of a path, the end is kept.
fn shortened(text: &str, keep_end: bool) -> String {
    let length = text.chars().count();
    if length <= MAX_LABEL_CHARS {
        return text.to_owned();
    }
    if keep_end {
        let end: String = text.chars().skip(length - MAX_LABEL_CHARS + 1).collect();
        return format!("…{end}");
    }
    let start: String = text.chars().take(MAX_LABEL_CHARS - 1).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn node(label: &str) -> DiagramNode {
        DiagramNode { label: label.to_owned(), href: "/code/a".to_owned(), ..DiagramNode::default() }
    }

    #[test]
    fn hostile_names_stay_text() {
        let picture = diagram(&[node("</text><script>alert(1)</script>")], &[]).into_string();
        assert!(!picture.contains("<script"), "{picture}");
        assert!(picture.contains("&lt;/text&gt;"));
    }

    #[test]
    fn long_names_are_shortened_at_the_useful_end() {
        assert_eq!(shortened("short", false), "short");
        assert!(shortened(&"x".repeat(50), false).ends_with("x…"));
        assert!(shortened("a/very/long/path/to/some/directory/and/file.rs", true).ends_with("file.rs"));
    }

    /// The bar is 200 ms in a release build; this guards against a layout that is slower by an order of magnitude. The best of several
    /// attempts counts, since other tests run at the same time.
    #[test]
    fn three_hundred_nodes_are_laid_out_quickly() {
        let nodes: Vec<DiagramNode> = (0..300).map(|at| node(&format!("module.function_{at}"))).collect();
        let edges: Vec<DiagramEdge> = (1..300)
            .flat_map(|at| [(at / 3, at), (at * 7 % 300, at * 11 % 300)])
            .map(|(from, to)| DiagramEdge { from, to, ..DiagramEdge::default() })
            .collect();
        let attempt = || {
            let begun = Instant::now();
            let picture = diagram(&nodes, &edges).into_string();
            assert!(picture.len() > 50_000);
            begun.elapsed().as_millis()
        };
        let best = std::iter::repeat_with(attempt).take(5).find(|taken| *taken < 2_000);
        assert!(best.is_some(), "no attempt took less than two seconds");
    }
}
