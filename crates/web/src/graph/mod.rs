//! The graph page: callers, callees, hierarchy or dependencies as a diagram and as a tree, and the path between two symbols.
//!
//! All state is in the address: which symbols are expanded, hidden or pinned. So every picture can be shared, and no script is needed.

mod diagram;
mod export;
mod gather;
mod layered_layout;

pub(crate) use diagram::{DiagramEdge, DiagramNode, diagram};

use crate::ask::{Asked, NodeData};
use crate::request::PageRequest;
use crate::response::View;
use crate::routes::PageContext;
use crate::symbol_choice::{choice, several, unknown};
use crate::{layout, urls};
use gather::{GatheredGraph, GraphNode, GraphQuery, GraphView, TreeLine, Unclear, VIEWS, gather, view_word};
use maud::{Markup, html};
use orient_tools::{Code, DiagramFormat, ToolError, count};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// The parameters of a diagram, for the documentation.
pub(crate) const PARAMETERS: &[(&str, &str)] = &[
    ("symbol", "a handle, a name, or a path for dependencies"),
    ("view", "`calls` (default), `callers`, `callees`, `hierarchy` or `dependencies`"),
    ("to", "another symbol; shows the paths of calls to it"),
    ("depth", "number of levels, 1 to 5"),
    ("confidence", "the least confidence: `exact`, `probable` (default) or `approximate`"),
    ("tests", "`0` leaves out tests"),
    ("expand", "a handle whose neighbours are added; may be repeated"),
    ("hide", "a handle that is left out, with what only it connects; may be repeated"),
    ("pin", "a handle that is kept with its neighbours when the focus changes; may be repeated"),
    ("whole", "without a symbol: `1` waits for the most central ones"),
];

/// Maximum number of nodes that are drawn.
const MAX_DRAWN: usize = 400;

/// The page.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let request = context.request;
    let query = GraphQuery::parse(request);
    let content = if query.symbol.is_empty() {
        if request.flag("fragment") {
            return Ok(View::Fragment(central_symbols(context)?));
        }
        start(context)?
    } else {
        match gather(context.asker, &query)? {
            Ok(graph) => content(&graph, request),
            Err(unclear) => unclear_name(unclear, request),
        }
    };
    let title =
        if query.symbol.is_empty() { "Graph".to_owned() } else { format!("Graph of {}", query.symbol) };
    let body = html! {
        h1.hidden { "Graph" }
        (form(&query))
        (content)
    };
    Ok(View::Page { title, section: "graph", body })
}

/// The diagram as a file.
pub(crate) fn svg_file(context: &PageContext<'_>) -> Result<View, ToolError> {
    let graph = gathered(context)?;
    let (nodes, edges) = drawn(&graph, context.request);
    Ok(View::File { content_type: "image/svg+xml", text: diagram(&nodes, &edges).into_string() })
}

/// The diagram in DOT.
pub(crate) fn dot_file(context: &PageContext<'_>) -> Result<View, ToolError> {
    let text = export::text(&gathered(context)?, DiagramFormat::Dot);
    Ok(View::File { content_type: "text/vnd.graphviz; charset=utf-8", text })
}

/// The diagram in Mermaid.
pub(crate) fn mermaid_file(context: &PageContext<'_>) -> Result<View, ToolError> {
    let text = export::text(&gathered(context)?, DiagramFormat::Mermaid);
    Ok(View::File { content_type: "text/plain; charset=utf-8", text })
}

fn gathered(context: &PageContext<'_>) -> Result<GatheredGraph, ToolError> {
    let query = GraphQuery::parse(context.request);
    if query.symbol.is_empty() {
        return Err(ToolError::new(Code::BadArgument, "a symbol is required"));
    }
    match gather(context.asker, &query)? {
        Ok(graph) => Ok(graph),
        Err(Unclear::Several(name, _)) => {
            Err(ToolError::new(Code::NotFound, format!("several symbols are named {name}"))
                .hint("use a handle"))
        }
        Err(Unclear::None(name, _)) => {
            Err(ToolError::new(Code::NotFound, format!("no symbol is named {name}")))
        }
    }
}

fn form(query: &GraphQuery<'_>) -> Markup {
    let word = view_word(query.view);
    html! {
        form.search action="/graph" method="get" {
            label for="symbol" { "Symbol" }
            input id="symbol" name="symbol" value=(query.symbol) autocomplete="off" spellcheck="false" placeholder="a name, a handle or a file";
            label for="view" { "View" }
            select id="view" name="view" {
                @for (_, value, name) in VIEWS { option value=(value) selected[*value == word] { (name) } }
            }
            label for="depth" { "Levels" }
            select id="depth" name="depth" { @for depth in 1..=5_u32 { option value=(depth) selected[depth == query.depth] { (depth) } } }
            label for="confidence" { "Confidence" }
            select id="confidence" name="confidence" {
                @for (value, name) in [("exact", "exact"), ("probable", "probable or better"), ("approximate", "any")] {
                    option value=(value) selected[value == query.confidence] { (name) }
                }
            }
            label for="tests" { "Tests" }
            select id="tests" name="tests" { option value="1" { "shown" } option value="0" selected[!query.tests] { "hidden" } }
            label for="to" { "Path to" }
            input id="to" name="to" value=(query.to) autocomplete="off" spellcheck="false" placeholder="another symbol";
            button type="submit" { "Draw" }
        }
    }
}

/// What to show before a symbol is chosen: the most central symbols. Of a large repository, they take longer than the page.
fn start(context: &PageContext<'_>) -> Result<Markup, ToolError> {
    let symbols = if context.request.flag("whole") {
        central_symbols(context)?
    } else {
        layout::deferred(context.request, "the most central symbols", &html! {})
    };
    Ok(html! {
        div.empty {
            p { "Who calls whom, and through what? Enter a symbol, or begin with one of the most central ones:" }
            (symbols)
        }
    })
}

fn central_symbols(context: &PageContext<'_>) -> Result<Markup, ToolError> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct MapData {
        central: Vec<NodeData>,
    }
    const MAX_CENTRAL: usize = 24;
    let found = context.asker.ask::<MapData>(Asked::Map, json!({ "tokens": 3000 }))?;
    Ok(html! {
        ul.symbols {
            @for node in found.data.central.iter().take(MAX_CENTRAL) {
                li {
                    a href=(urls::graph(&node.handle)) data-item { (layout::kind(&node.kind)) " " strong { (node.name) } }
                    " " span.dim { (node.path) ":" (node.line) }
                }
            }
        }
    })
}

fn unclear_name(unclear: Unclear, request: &PageRequest) -> Markup {
    let (message, symbols) = match unclear {
        Unclear::Several(name, candidates) => (several(&name), candidates),
        Unclear::None(name, similar) => (unknown(&name), similar),
    };
    choice(&message, &symbols, |one| request.with_one("symbol", &one.handle))
}

fn content(graph: &GatheredGraph, request: &PageRequest) -> Markup {
    let (nodes, edges) = drawn(graph, request);
    let export = |extension: &str| {
        let mut file = request.clone();
        file.path = format!("/graph.{extension}");
        file.with(|_| {})
    };
    html! {
        (graph.notes())
        @if let Some(message) = &graph.message { p.empty { (message) } }
        @if !nodes.is_empty() {
            p.summary role="status" {
                (count(nodes.len() as u64)) " symbols, " (count(edges.len() as u64)) " relations"
                @if graph.nodes.len() > MAX_DRAWN { " (the first " (MAX_DRAWN) " of " (count(graph.nodes.len() as u64)) " symbols)" }
                " · export " a href=(export("svg")) { "SVG" } " " a href=(export("dot")) { "DOT" } " " a href=(export("mmd")) { "Mermaid" }
                @if request.all("hide").next().is_some() { " · " a href=(request.with(|all| all.retain(|(name, _)| name != "hide"))) { "show hidden" } }
            }
            p.legend { span.line.sure { "exact" } span.line.likely { "probable" } span.line.maybe { "approximate" } }
            div.graph-page {
                div.diagram tabindex="0" role="region" aria-label="Diagram; the same as text beside it" { (diagram(&nodes, &edges)) }
                aside.panel aria-label="The diagram as text" {
                    @for (title, lines) in &graph.trees { (tree(title, lines, graph, request)) }
                }
            }
        }
    }
}

fn tree(title: &str, lines: &[TreeLine], graph: &GatheredGraph, request: &PageRequest) -> Markup {
    const MAX_LINES: usize = 300;
    html! {
        section {
            h2 { (title) " " span.count { (lines.len()) } }
            @if lines.is_empty() { p.dim { "none" } }
            ul.tree {
                @for line in lines.iter().take(MAX_LINES) {
                    @if let Some(node) = graph.nodes.get(&line.handle) {
                        li.(["d0", "d1", "d2", "d3"][(line.depth as usize).min(3)]) {
                            (tree_line(node, line, request))
                        }
                    }
                }
            }
            @if lines.len() > MAX_LINES { p.dim { (lines.len() - MAX_LINES) " more" } }
        }
    }
}

fn tree_line(node: &GraphNode, line: &TreeLine, request: &PageRequest) -> Markup {
    let toggle = |name: &'static str| {
        let is_set = request.all(name).any(|handle| handle == line.handle);
        let address = request.with(|parameters| {
            if is_set {
                parameters.retain(|(known, handle)| known != name || *handle != line.handle);
            } else {
                parameters.push((name.to_owned(), line.handle.clone()));
            }
        });
        (is_set, address)
    };
    let (is_expanded, expand) = toggle("expand");
    let (is_pinned, pin) = toggle("pin");
    let (_, hide) = toggle("hide");
    let name = called(&node.node);
    html! {
        a href=(focus_on(request, &line.handle)) data-item data-card=(urls::card(&line.handle, "")) { (name) }
        " " span.dim { (layout::kind(&node.node.kind)) @if line.repeated { " see above" } }
        @if node.node.test { " " span.badge { "test" } }
        span.tools {
            a href=(urls::line(&node.node.path, node.node.line, "")) { "code" }
            a href=(expand) aria-label={ @if is_expanded { "Collapse " } @else { "Expand " } (name) } { @if is_expanded { "−" } @else { "+" } }
            a href=(pin) aria-label={ @if is_pinned { "Unpin " } @else { "Pin " } (name) } { @if is_pinned { "unpin" } @else { "pin" } }
            a href=(hide) aria-label={ "Hide " (name) } { "hide" }
        }
    }
}

fn called(node: &NodeData) -> &str {
    if node.name.is_empty() { &node.path } else { &node.name }
}

/// The same diagram around another symbol. What was expanded or hidden around the old one is forgotten; pins are kept.
fn focus_on(request: &PageRequest, handle: &str) -> String {
    let mut page = request.clone();
    "/graph".clone_into(&mut page.path);
    page.with(|parameters| {
        parameters.retain(|(name, _)| !matches!(name.as_str(), "symbol" | "to" | "expand" | "hide"));
        parameters.insert(0, ("symbol".to_owned(), handle.to_owned()));
    })
}

/// The nodes and edges to draw.
fn drawn(graph: &GatheredGraph, request: &PageRequest) -> (Vec<DiagramNode>, Vec<DiagramEdge>) {
    let pinned: Vec<&str> = request.all("pin").collect();
    let is_files = GraphQuery::parse(request).view == GraphView::Dependencies;
    let mut order: Vec<(&String, &GraphNode)> = graph.nodes.iter().collect();
    order.sort_by_key(|(handle, node)| (!node.is_focus, node.node.test, *handle));
    order.truncate(MAX_DRAWN);
    let numbers: BTreeMap<&str, usize> =
        order.iter().enumerate().map(|(at, (handle, _))| (handle.as_str(), at)).collect();
    let nodes = order.iter().map(|(handle, node)| DiagramNode {
        label: called(&node.node).to_owned(),
        detail: match node.node.line {
            0 => node.node.path.clone(),
            line => format!("{}:{line}", node.node.path),
        },
        href: if node.is_focus {
            urls::line(&node.node.path, node.node.line, "")
        } else {
            focus_on(request, handle)
        },
        card: if is_files { String::new() } else { urls::card(handle, "") },
        class: match (node.is_focus, pinned.contains(&handle.as_str()), node.node.test) {
            (true, ..) => "focus",
            (_, true, _) => "pinned",
            (_, _, true) => "test",
            _ => "",
        },
    });
    let edges = graph.edges.iter().filter_map(|((from, to), edge)| {
        Some(DiagramEdge {
            from: *numbers.get(from.as_str())?,
            to: *numbers.get(to.as_str())?,
            class: match edge.confidence.as_str() {
                "exact" => "",
                "probable" => "likely",
                _ => "maybe",
            },
            title: format!("{} at line {}, {} ({} in all)", edge.kind, edge.line, edge.confidence, edge.uses),
        })
    });
    (nodes.collect(), edges.collect())
}
