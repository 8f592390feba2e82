//! The map: the directories of a directory with their size, languages, complexity and churn, and how they depend on each other.

use crate::ask::{Asked, Asker, SymbolData};
use crate::code::{FilesData, TreeData, depth_of};
use crate::graph::{DiagramEdge, DiagramNode, diagram};
use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{ToolError, bytes, count};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of entries whose dependencies are shown: the largest.
const MAX_ENTRIES: usize = 40;
/// Maximum number of dependencies that are drawn: those with the most uses. More make no picture.
const MAX_DRAWN: usize = 60;
/// A function of this cyclomatic complexity or more counts as complex, as in common linters.
const COMPLEX: u32 = 15;
/// Maximum number of complex functions that are counted.
const MAX_COMPLEX: u32 = 2000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DependenciesData {
    between: Vec<EntryUsesData>,
    cycles: Vec<CycleData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EntryUsesData {
    from: String,
    to: String,
    uses: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CycleData {
    members: Vec<String>,
    path: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SymbolsData {
    symbols: Vec<SymbolData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HotspotsData {
    commits: u64,
    files: Vec<ChurnData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ChurnData {
    path: String,
    commits: u64,
}

/// A directory or file of the map.
#[derive(Debug, Default)]
struct MapEntry {
    /// Its name inside of the shown directory; ends with a slash for a directory.
    name: String,
    path: String,
    files: u64,
    lines: u64,
    bytes: u64,
    language: String,
    complex: u64,
    commits: u64,
    in_cycle: bool,
}

/// The map of a directory. Dependencies, complexity and churn of a large one take longer than the page.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let path = context.request.get("path").trim_matches('/');
    let mut entries = entries(context.asker, path)?;
    if context.request.flag("fragment") {
        return Ok(View::Fragment(details(context.asker, path, &mut entries)?));
    }
    let is_whole = context.request.flag("whole");
    let title = if path.is_empty() { context.asker.root_name() } else { path.to_owned() };
    let body = html! {
        div.pagehead {
            h1 { "Map of " (title) }
            (crumbs(path))
            div.actions { a href=(urls::code(path, "")) { "Files" } }
        }
        @if entries.is_empty() {
            (layout::empty("This directory has no indexed files.", &html! {}))
        } @else if is_whole {
            (details(context.asker, path, &mut entries)?)
        } @else {
            (layout::deferred(context.request, "dependencies, complexity and churn", &table(&entries, None)))
        }
    };
    Ok(View::Page { title: format!("Map of {title}"), section: "map", body })
}

/// The entries of a directory with all that is known about them.
fn details(asker: &Asker<'_>, path: &str, entries: &mut [MapEntry]) -> Result<Markup, ToolError> {
    let churn = measure(asker, path, entries)?;
    let cycles = cycles(asker, path)?;
    let uses = dependencies(asker, path, entries)?;
    mark_cycles(entries, &uses);
    Ok(html! {
        (picture(entries, &uses))
        (table(entries, Some(churn)))
        (dependency_list(entries, &uses))
        (cycle_list(&cycles))
    })
}

fn crumbs(path: &str) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    html! {
        nav.crumbs aria-label="Path" {
            a href="/map" { "root" }
            @for (at, part) in parts.iter().enumerate() {
                span.sep aria-hidden="true" { "/" }
                a href=(urls::map(&parts[..=at].join("/"))) aria-current=[(at + 1 == parts.len()).then_some("page")] { (part) }
            }
        }
    }
}

/// What is directly inside of a directory, largest first.
fn entries(asker: &Asker<'_>, path: &str) -> Result<Vec<MapEntry>, ToolError> {
    let glob = if path.is_empty() { json!(null) } else { json!(path) };
    let tree = asker
        .ask::<FilesData>(Asked::Files, json!({ "glob": glob, "tree": true, "depth": depth_of(path) + 1 }))?;
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let direct = |entry: &&TreeData| {
        let rest = entry.path.strip_prefix(&prefix).unwrap_or_default();
        !rest.is_empty() && rest != "./" && !rest.trim_end_matches('/').contains('/')
    };
    let mut entries: Vec<MapEntry> = tree
        .data
        .tree
        .iter()
        .filter(direct)
        .map(|entry| MapEntry {
            name: entry.path[prefix.len()..].to_owned(),
            path: entry.path.trim_end_matches('/').to_owned(),
            files: entry.files,
            lines: entry.lines,
            bytes: entry.bytes,
            ..MapEntry::default()
        })
        .collect();
    entries.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
    Ok(entries)
}

/// The entry that a path belongs to.
fn entry_of<'e>(entries: &'e mut [MapEntry], path: &str) -> Option<&'e mut MapEntry> {
    entries.iter_mut().find(|entry| is_within(path, &entry.path))
}

fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Adds languages, complexity and churn. Returns whether churn is known.
fn measure(asker: &Asker<'_>, path: &str, entries: &mut [MapEntry]) -> Result<bool, ToolError> {
    let within = if path.is_empty() { json!(null) } else { json!(path) };
    let files = asker.ask::<FilesData>(Asked::Files, json!({ "glob": within }))?;
    let mut languages: BTreeMap<(String, String), u64> = BTreeMap::new();
    for file in &files.data.files {
        if let (Some(language), Some(entry)) = (&file.language, entry_of(entries, &file.path)) {
            *languages.entry((entry.path.clone(), language.clone())).or_default() += u64::from(file.lines);
        }
    }
    for entry in &mut *entries {
        let own = languages.iter().filter(|((path, _), _)| *path == entry.path);
        let most = own.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.1.cmp(&a.0.1)));
        entry.language = most.map_or_else(String::new, |((_, language), _)| language.clone());
    }
    let arguments = json!({ "in": within, "min_complexity": COMPLEX, "limit": MAX_COMPLEX });
    for symbol in asker.ask::<SymbolsData>(Asked::Symbols, arguments)?.data.symbols {
        if let Some(entry) = entry_of(entries, &symbol.path) {
            entry.complex += 1;
        }
    }
    // Without a history index, or without a history, churn is not known.
    let Ok(activity) = asker.ask::<HotspotsData>(Asked::Hotspots, json!({ "path": within, "limit": 1000 }))
    else {
        return Ok(false);
    };
    for file in &activity.data.files {
        if let Some(entry) = entry_of(entries, &file.path) {
            entry.commits += file.commits;
        }
    }
    Ok(activity.data.commits > 0)
}

/// Uses between entries: (from, to) as indices, with their number.
type Uses = BTreeMap<(usize, usize), u64>;

fn dependencies(asker: &Asker<'_>, path: &str, entries: &[MapEntry]) -> Result<Uses, ToolError> {
    if entries.is_empty() {
        return Ok(Uses::new());
    }
    let within = if path.is_empty() { "." } else { path };
    let arguments = json!({ "path": within, "by": "entry", "limit": 0, "no_tests": true });
    let found = asker.ask::<DependenciesData>(Asked::Deps, arguments)?;
    let shown = &entries[..entries.len().min(MAX_ENTRIES)];
    let position = |name: &str| shown.iter().position(|entry| entry.name == name);
    let both = |link: EntryUsesData| Some(((position(&link.from)?, position(&link.to)?), link.uses));
    Ok(found.data.between.into_iter().filter_map(both).collect())
}

/// Marks the entries that depend on themselves through others.
fn mark_cycles(entries: &mut [MapEntry], uses: &Uses) {
    let reach = |start: usize| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
        while let Some(at) = next.pop() {
            for ((_, to), _) in uses.range((at, 0)..=(at, usize::MAX)) {
                if seen.insert(*to) {
                    next.push(*to);
                }
            }
        }
        seen
    };
    for (at, entry) in entries.iter_mut().enumerate().take(MAX_ENTRIES) {
        entry.in_cycle = reach(at).contains(&at);
    }
}

fn cycles(asker: &Asker<'_>, path: &str) -> Result<Vec<CycleData>, ToolError> {
    let within = if path.is_empty() { json!(null) } else { json!(path) };
    let arguments = json!({ "path": within, "by": "directory", "cycles": true, "no_tests": true });
    Ok(asker.ask::<DependenciesData>(Asked::Deps, arguments)?.data.cycles)
}

/// The diagram of the entries that depend on each other.
fn picture(entries: &[MapEntry], uses: &Uses) -> Markup {
    let mut strongest: Vec<(&(usize, usize), &u64)> = uses.iter().collect();
    strongest.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let omitted = strongest.len().saturating_sub(MAX_DRAWN);
    strongest.truncate(MAX_DRAWN);
    strongest.sort_unstable();
    let connected: BTreeSet<usize> = strongest.iter().flat_map(|((from, to), _)| [*from, *to]).collect();
    let number: BTreeMap<usize, usize> =
        connected.iter().enumerate().map(|(at, entry)| (*entry, at)).collect();
    let node = |at: &usize| {
        let entry = &entries[*at];
        let is_directory = entry.name.ends_with('/');
        DiagramNode {
            label: entry.name.clone(),
            detail: format!("{} lines", count(entry.lines)),
            href: if is_directory { urls::map(&entry.path) } else { urls::code(&entry.path, "") },
            class: if entry.in_cycle { "cycle" } else { "" },
            ..DiagramNode::default()
        }
    };
    let edge = |((from, to), number_of_uses): &(&(usize, usize), &u64)| DiagramEdge {
        from: number[from],
        to: number[to],
        class: if uses.contains_key(&(*to, *from)) { "cycle" } else { "" },
        title: format!("{} → {}: {} uses", entries[*from].name, entries[*to].name, count(**number_of_uses)),
    };
    let nodes: Vec<DiagramNode> = connected.iter().map(node).collect();
    let edges: Vec<DiagramEdge> = strongest.iter().map(edge).collect();
    html! {
        @if nodes.len() > 1 {
            div.diagram tabindex="0" role="region" aria-label="Dependencies as a diagram; the same is listed below" {
                (diagram(&nodes, &edges))
            }
            p.dim {
                "Arrows point to what is used; red ones have a counterpart. Tests do not count."
                @if omitted > 0 { " " (count(omitted as u64)) " weaker dependencies are only listed." }
            }
        }
    }
}

/// The entries. `churn` says whether it is known; `None` before anything but sizes is.
fn table(entries: &[MapEntry], churn: Option<bool>) -> Markup {
    let (is_measured, has_churn) = (churn.is_some(), churn == Some(true));
    let most = entries.iter().map(|entry| entry.lines).max().unwrap_or(0);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Entries" {
            table.listing {
                caption.hidden { "Entries" }
                thead { tr {
                    th scope="col" { "Name" } th.num scope="col" { "Lines" } th.wide { } th.num scope="col" { "Files" } th.num scope="col" { "Size" }
                    @if is_measured {
                        th scope="col" { "Language" } th.num scope="col" title={ "Functions of cyclomatic complexity " (COMPLEX) " or more" } { "Complex" }
                        @if has_churn { th.num scope="col" { "Commits" } }
                        th scope="col" { span.hidden { "Cycle" } }
                    }
                } }
                tbody {
                    @for entry in entries {
                        tr {
                            td {
                                @if entry.name.ends_with('/') { a.dir href=(urls::map(&entry.path)) data-item { (entry.name) } }
                                @else { a.file href=(urls::code(&entry.path, "")) data-item { (entry.name) } }
                            }
                            td.num { (count(entry.lines)) }
                            td.wide { (layout::bar(entry.lines, most)) }
                            td.num { (count(entry.files)) }
                            td.num { (bytes(entry.bytes)) }
                            @if is_measured {
                                td { (entry.language) }
                                td.num { @if entry.complex > 0 { (count(entry.complex)) } }
                                @if has_churn { td.num { @if entry.commits > 0 { (count(entry.commits)) } } }
                                td { @if entry.in_cycle { span.badge.maybe { "cycle" } } }
                            }
                        }
                    }
                }
            }
        }
        @if churn == Some(false) { p.dim { "Churn is not known: " code { "orient index --history" } " indexes the history." } }
    }
}

fn dependency_list(entries: &[MapEntry], uses: &Uses) -> Markup {
    html! {
        @if !uses.is_empty() {
            section aria-labelledby="dependencies" {
                h2 id="dependencies" { "Dependencies" }
                ul.plain {
                    @for (at, entry) in entries.iter().enumerate() {
                        @let targets: Vec<_> = uses.range((at, 0)..=(at, usize::MAX)).collect();
                        @if !targets.is_empty() {
                            li {
                                strong { (entry.name) } " uses "
                                @for ((_, to), number) in targets { span.chip { (entries[*to].name) " " span.count { (count(*number)) } } " " }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cycle_list(cycles: &[CycleData]) -> Markup {
    const MAX_CYCLES: usize = 20;
    html! {
        section aria-labelledby="cycles" {
            h2 id="cycles" { "Cycles between directories " span.count { (cycles.len()) } }
            @if cycles.is_empty() { p.dim { "No directory depends on itself through others." } }
            ul.plain {
                @for cycle in cycles.iter().take(MAX_CYCLES) {
                    li { (cycle.path.join(" → ")) @if cycle.members.len() + 1 > cycle.path.len() { span.dim { " · " (cycle.members.len()) " directories in all" } } }
                }
            }
            @if cycles.len() > MAX_CYCLES { p.dim { (cycles.len() - MAX_CYCLES) " more" } }
        }
    }
}
