//! The page of a file: source with links, outline, uses of a symbol, blame.

use super::card::{OutlineSymbol, outline};
use super::name_links::{DefinedName, EdgeData, name_links};
use super::source_text::{LineStyle, SourceText, occurrences};
use super::uses::{SymbolPanel, symbol_panel};
use super::{FileData, WINDOW_LINES, revision_argument, window_of_line};
use crate::ask::{Asked, Asker, NamedSymbol};
use crate::request::PageRequest;
use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{ToolError, bytes, count};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

/// Maximum number of definitions in the outline.
const MAX_OUTLINE: usize = 1500;

/// The text of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShownData {
    source: String,
}

/// Who wrote each line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BlameData {
    by_line: Vec<BlamedLine>,
}

/// Who wrote a line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct BlamedLine {
    line: u32,
    commit: Option<String>,
    date: Option<String>,
    author: Option<String>,
}

pub(crate) fn page(context: &PageContext<'_>, file: &FileData, revision: &str) -> Result<View, ToolError> {
    let (asker, request) = (context.asker, context.request);
    let path = file.path.as_str();
    let arguments = json!({ "symbol": path, "lines": "1-", "at": revision_argument(revision) });
    let shown = asker.ask::<NamedSymbol<ShownData>>(Asked::Show, arguments)?;
    let text = match shown.data {
        NamedSymbol::One(shown) => shown.source,
        NamedSymbol::Several { .. } | NamedSymbol::None { .. } => String::new(),
    };
    let source = SourceText::new(path, &text);
    let definitions = outline(asker, path, revision).unwrap_or_default();
    let edges: Vec<EdgeData> =
        asker.ask(Asked::Edges, json!({ "in": path, "at": revision_argument(revision) }))?.data;
    let defined: Vec<DefinedName<'_>> = definitions
        .iter()
        .map(|one| DefinedName {
            name: &one.name,
            handle: &one.handle,
            first_line: one.line,
            last_line: one.last_line,
        })
        .collect();
    let links = name_links(&source, path, revision, &defined, &edges);
    let symbol = request.get("symbol");
    let panel =
        if symbol.is_empty() { None } else { Some(symbol_panel(asker, request, symbol, path, revision)?) };
    let window = Window::new(request, source.len() as u32);
    let marks = panel.as_ref().map_or_else(Vec::new, |panel| uses_in_file(&source, panel));
    // The history is read from the working tree: another revision has no blame, and neither has a shared tree.
    let blames = request.flag("blame") && revision.is_empty() && !context.is_shared;
    let blamed = if blames { blame(asker, path, &window)? } else { BTreeMap::new() };
    let style = LineStyle { links: &links, marks: &marks, whole: request.flag("whole") };
    let body = html! {
        div.pagehead {
            (layout::breadcrumbs(path, revision))
            (labels(file, revision))
            (actions(request, path, context.is_shared))
        }
        (layout::notes(&shown.metadata))
        div.code-page.with-panel[panel.is_some()] {
            @if !definitions.is_empty() { (outline_nav(&definitions, path, revision, symbol)) }
            div.source-column {
                (window.navigation(request))
                (lines(&source, &window, &style, &blamed, request))
                (window.navigation(request))
            }
            @if let Some(panel) = &panel {
                aside.panel aria-label="Symbol" {
                    a.close href=(request.with_one("symbol", "")) { "Close" }
                    (panel.panel)
                }
            }
        }
    };
    Ok(View::Page { title: path.to_owned(), section: "code", body })
}

/// Labels that say what kind of file it is.
fn labels(file: &FileData, revision: &str) -> Markup {
    html! {
        p.labels {
            @if let Some(language) = &file.language { span { (language) } }
            span { (count(u64::from(file.lines))) " lines" }
            span { (bytes(file.bytes)) }
            @if !matches!(file.role.as_str(), "source" | "") { span.badge { (file.role) } }
            @if file.issues > 0 { span.badge.maybe { "parsed in part" } }
            @if !revision.is_empty() { span.badge { "at " (revision) } }
        }
    }
}

/// Links to more about the file. Only a checkout has a history.
fn actions(request: &PageRequest, path: &str, is_shared: bool) -> Markup {
    let blames = request.flag("blame");
    html! {
        div.actions {
            @if request.get("at").is_empty() && !is_shared {
                a href=(request.with_one("blame", if blames { "" } else { "1" })) data-blame { @if blames { "Hide blame" } @else { "Blame" } }
            }
            a href=(urls::with_parameters("/graph", &[("symbol", path), ("view", "dependencies")])) { "Dependencies" }
            @if !is_shared {
                a href=(urls::with_parameters("/change", &[("range", "HEAD"), ("path", path)])) { "Diff" }
                form.inline action=(urls::code(path, "")) method="get" {
                    label.hidden for="at" { "Revision" }
                    input id="at" name="at" size="10" placeholder="revision" value=(request.get("at"));
                }
            }
        }
    }
}

/// The lines of a long file that a page shows, and the lines that it marks.
struct Window {
    shown: RangeInclusive<u32>,
    marked: Option<RangeInclusive<u32>>,
    total: u32,
}

impl Window {
    fn new(request: &PageRequest, total: u32) -> Self {
        let marked = line_range(request.get("lines"));
        let wanted =
            request.get("from").parse().ok().or(marked.as_ref().map(|lines| *lines.start())).unwrap_or(1);
        let first = window_of_line(wanted.clamp(1, total.max(1)));
        let last = total.min(first.saturating_add(WINDOW_LINES - 1));
        Self { shown: first..=last, marked, total }
    }

    fn navigation(&self, request: &PageRequest) -> Markup {
        let (first, last) = (*self.shown.start(), *self.shown.end());
        let to = |line: u32| {
            request.with(|parameters| {
                parameters.retain(|(name, _)| name != "from" && name != "lines");
                parameters.push(("from".to_owned(), line.to_string()));
            })
        };
        html! {
            @if self.total > WINDOW_LINES {
                nav.window aria-label="Parts of the file" {
                    @if first > 1 { a rel="prev" href=(to(first.saturating_sub(WINDOW_LINES).max(1))) { "← earlier lines" } }
                    span.dim { "lines " (count(first.into())) "–" (count(last.into())) " of " (count(self.total.into())) }
                    @if last < self.total { a rel="next" href=(to(last + 1)) { "later lines →" } }
                }
            }
        }
    }
}

/// Parses `10` or `10-20`, with or without `L`.
fn line_range(text: &str) -> Option<RangeInclusive<u32>> {
    let number = |part: &str| part.trim().trim_start_matches('L').parse::<u32>().ok();
    match text.split_once('-') {
        Some((first, last)) => Some(number(first)?..=number(last)?),
        None => number(text).map(|line| line..=line),
    }
}

/// The places in the file that use the symbol of the panel.
fn uses_in_file(source: &SourceText<'_>, panel: &SymbolPanel) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for line in &panel.lines {
        let range = source.line((*line as usize).saturating_sub(1));
        let start = range.start;
        let text = &source.text[range];
        marks.extend(occurrences(text, &panel.name).map(|one| start + one.start..start + one.end));
    }
    marks.sort_unstable_by_key(|mark| (mark.start, mark.end));
    marks.dedup();
    marks
}

fn blame(asker: &Asker<'_>, path: &str, window: &Window) -> Result<BTreeMap<u32, BlamedLine>, ToolError> {
    let target = format!("{path}:{}-{}", window.shown.start(), window.shown.end());
    let found =
        asker.ask::<NamedSymbol<BlameData>>(Asked::Blame, json!({ "target": target, "lines": true }))?;
    let NamedSymbol::One(blamed) = found.data else { return Ok(BTreeMap::new()) };
    Ok(blamed.by_line.into_iter().map(|line| (line.line, line)).collect())
}

fn lines(
    source: &SourceText<'_>,
    window: &Window,
    style: &LineStyle<'_>,
    blamed: &BTreeMap<u32, BlamedLine>,
    request: &PageRequest,
) -> Markup {
    let oldest_first = ages(blamed);
    let is_marked = |line: u32| window.marked.as_ref().is_some_and(|marked| marked.contains(&line));
    html! {
        @if source.len() == 0 {
            p.empty { "The file is empty." }
        } @else {
            div.source.blamed[!blamed.is_empty()] role="region" aria-label="Source" tabindex="0" data-source {
                @for line in window.shown.clone() {
                    div.l.marked[is_marked(line)] id={ "L" (line) } {
                        a.n href={ "#L" (line) } aria-label={ "Line " (line) } { (line) }
                        @if !blamed.is_empty() {
                            @let commit = blamed.get(&line);
                            @let previous = blamed.get(&(line - 1)).and_then(|commit| commit.commit.as_deref());
                            (blame_cell(commit, previous, &oldest_first))
                        }
                        code { (source.render(line as usize - 1, style)) "\n" }
                    }
                }
            }
            @if !style.whole && has_long_line(source, window) {
                p.dim { "Long lines are cut. " a href=(request.with_one("whole", "1")) { "Show them whole" } }
            }
        }
    }
}

fn has_long_line(source: &SourceText<'_>, window: &Window) -> bool {
    window.shown.clone().any(|line| source.line(line as usize - 1).len() > super::source_text::MAX_LINE_CHARS)
}

/// The dates of the shown lines, oldest first, without duplicates.
fn ages(blamed: &BTreeMap<u32, BlamedLine>) -> Vec<&str> {
    let mut dates: Vec<&str> = blamed.values().filter_map(|line| line.date.as_deref()).collect();
    dates.sort_unstable();
    dates.dedup();
    dates
}

/// The commit of a line, once per run of lines, on a shade for its age among the shown lines: 0 is the oldest, 4 the newest.
fn blame_cell(line: Option<&BlamedLine>, previous: Option<&str>, dates: &[&str]) -> Markup {
    let Some(line) = line else { return html! { span.blame {} } };
    let (Some(commit), Some(date)) = (line.commit.as_deref(), line.date.as_deref()) else {
        return html! { span.blame.age4 { "not committed" } };
    };
    let position = dates.iter().position(|known| *known == date).unwrap_or(0);
    let shade = if dates.len() < 2 { 2 } else { position * 4 / (dates.len() - 1) };
    let class = ["age0", "age1", "age2", "age3", "age4"][shade.min(4)];
    let author = line.author.as_deref().unwrap_or_default();
    html! {
        span.blame.(class) title={ (commit) " " (date) " " (author) } {
            @if previous != Some(commit) {
                a href=(urls::with_parameters("/change", &[("range", &format!("{commit}~1..{commit}"))])) { (date) }
                " " (author)
            }
        }
    }
}

fn outline_nav(definitions: &[OutlineSymbol], path: &str, revision: &str, symbol: &str) -> Markup {
    html! {
        details.outline open data-outline {
            summary { "Outline " span.count { (definitions.len()) } }
            nav aria-label="Outline" {
                ul {
                    @for one in definitions.iter().take(MAX_OUTLINE) {
                        li.(["d0", "d1", "d2", "d3"][(one.depth as usize).min(3)]) {
                            a href=(urls::symbol(path, &one.handle, one.line, revision)) title=(one.signature)
                                aria-current=[(one.handle == symbol).then_some("true")] data-line=(one.line) {
                                (layout::kind(&one.kind)) " " (one.name)
                            }
                        }
                    }
                }
                @if definitions.len() > MAX_OUTLINE { p.dim { (definitions.len() - MAX_OUTLINE) " more" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ranges_are_read_as_people_write_them() {
        assert_eq!(line_range("10"), Some(10..=10));
        assert_eq!(line_range("L10-L20"), Some(10..=20));
        assert_eq!(line_range("x"), None);
    }

    #[test]
    fn a_long_file_is_shown_in_parts() {
        let window = |target: &str, total| Window::new(&PageRequest::parse(target), total).shown;
        assert_eq!(window("/code/a", 10), 1..=10);
        assert_eq!(window("/code/a", 5000), 1..=2000);
        assert_eq!(window("/code/a?from=2500", 5000), 2001..=4000);
        assert_eq!(window("/code/a?lines=4500-4501", 5000), 4001..=5000);
        assert_eq!(window("/code/a?from=99999", 5000), 4001..=5000);
        assert!(window("/code/a?from=-7", 0).is_empty());
    }
}
