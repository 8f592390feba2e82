//! The status page: the index, its languages and issues, and the recent calls of agents.

use crate::ask::Asked;
use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{ToolError, bytes, count, duration};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// The state of the index.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StatusData {
    pub(crate) root: String,
    pub(crate) store: String,
    pub(crate) index_bytes: u64,
    pub(crate) cache_bytes: u64,
    pub(crate) generation: u64,
    pub(crate) summary: SummaryData,
    pub(crate) graph: Option<GraphCountData>,
}

/// The contents of the index.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SummaryData {
    pub(crate) files: u64,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) symbols: u64,
    pub(crate) languages: Vec<LanguageData>,
    pub(crate) skipped: Vec<GroupData>,
    pub(crate) issues: Vec<GroupData>,
}

/// The contents of the graph.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GraphCountData {
    pub(crate) functions: u64,
    pub(crate) types: u64,
    pub(crate) calls: u64,
    pub(crate) edges: u64,
    pub(crate) external: u64,
    pub(crate) unresolved: u64,
}

/// What is known about a language.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LanguageData {
    pub(crate) name: String,
    pub(crate) files: u64,
    pub(crate) lines: u64,
    pub(crate) symbols: u64,
}

/// Files with something in common.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct GroupData {
    reason: String,
    files: u64,
    examples: Vec<GroupExampleData>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct GroupExampleData {
    path: String,
    line: Option<u32>,
    detail: String,
}

/// What a server knows about itself.
#[derive(Clone, Debug, Default)]
pub struct ServerReport {
    /// How long it has been running.
    pub uptime: Duration,
    /// Number of open sessions of agents.
    pub sessions: usize,
    /// Resident memory in bytes, where the system tells.
    pub memory: Option<u64>,
    /// What is being indexed, if something is.
    pub indexing: Option<String>,
    /// The recent calls, newest first.
    pub calls: Vec<RecentCall>,
}

/// A call of an agent.
#[derive(Clone, Debug)]
pub struct RecentCall {
    /// How long ago it began.
    pub age: Duration,
    /// The program that asked.
    pub client: String,
    /// The tool.
    pub tool: &'static str,
    /// What was asked: the arguments, shortened.
    pub question: String,
    /// How long it took.
    pub took: Duration,
    /// Estimated tokens of the answer.
    pub tokens: usize,
    /// How it ended.
    pub outcome: &'static str,
}

/// The page, or its content alone. The page shows the counts of the graph, which take a pass over the whole index, when a script
/// fetches them or the reader asks for the whole page.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    if context.request.flag("fragment") {
        return Ok(View::Fragment(content(context, false)?));
    }
    let is_whole = context.request.flag("whole");
    let shown = content(context, !is_whole)?;
    let body = html! {
        h1 { "Status" }
        div data-reload="/status" {
            @if is_whole { (shown) } @else { (layout::deferred(context.request, "the counts of the graph", &shown)) }
        }
    };
    Ok(View::Page { title: "Status".to_owned(), section: "status", body })
}

fn content(context: &PageContext<'_>, is_brief: bool) -> Result<Markup, ToolError> {
    let found = context.asker.ask::<StatusData>(Asked::Status, json!({ "brief": is_brief }))?;
    let report = (context.server)();
    Ok(html! {
        (layout::notes(&found.metadata))
        @if let Some(indexing) = &report.indexing { p.badge role="status" { "indexing: " (indexing) } }
        div.columns {
            (index(&found.data))
            (server(&report))
        }
        (calls(&report.calls))
        (languages(&found.data.summary))
        (groups("Files parsed in part", "issues", &found.data.summary.issues))
        (groups("Skipped files", "skipped", &found.data.summary.skipped))
    })
}

fn index(status: &StatusData) -> Markup {
    let summary = &status.summary;
    html! {
        section aria-labelledby="index" {
            h2 id="index" { "Index" }
            dl.facts {
                dt { "Directory" } dd.mono { (status.root) }
                dt { "Index" } dd.mono { (status.store) }
                dt { "Generation" } dd { (count(status.generation)) }
                dt { "Size" } dd { (bytes(status.index_bytes)) " and " (bytes(status.cache_bytes)) " of cache" }
                dt { "Files" } dd { (count(summary.files)) ", " (count(summary.lines)) " lines, " (bytes(summary.bytes)) }
                dt { "Symbols" } dd { (count(summary.symbols)) }
                @if let Some(graph) = &status.graph {
                    dt { "Graph" }
                    dd { (count(graph.functions)) " functions, " (count(graph.types)) " types, " (count(graph.calls)) " calls, " (count(graph.edges)) " edges" }
                    dt { "Not resolved" }
                    dd { (count(graph.unresolved)) " uses; " (count(graph.external)) " lead outside the repository" }
                }
            }
        }
    }
}

fn server(report: &ServerReport) -> Markup {
    html! {
        section aria-labelledby="server" {
            h2 id="server" { "Server" }
            dl.facts {
                dt { "Running for" } dd { (duration(report.uptime)) }
                dt { "Sessions of agents" } dd { (report.sessions) }
                @if let Some(memory) = report.memory { dt { "Memory" } dd { (bytes(memory)) } }
            }
        }
    }
}

fn calls(calls: &[RecentCall]) -> Markup {
    html! {
        section aria-labelledby="calls" {
            h2 id="calls" { "Recent calls of agents" }
            @if calls.is_empty() {
                p.dim { "No agent has asked this server anything yet." }
            } @else {
                div.scroll tabindex="0" role="region" aria-labelledby="calls" {
                    table.listing {
                        thead { tr {
                            th scope="col" { "When" } th scope="col" { "Client" } th scope="col" { "Tool" } th scope="col" { "Question" }
                            th.num scope="col" { "Took" } th.num scope="col" { "Tokens" } th scope="col" { "Outcome" }
                        } }
                        tbody {
                            @for call in calls {
                                tr {
                                    td.dim { (duration(call.age)) " ago" }
                                    td { (call.client) }
                                    td { (call.tool) }
                                    td.mono { (call.question) }
                                    td.num { (duration(call.took)) }
                                    td.num { (count(call.tokens as u64)) }
                                    td { span.badge.sure[call.outcome == "ok"].maybe[call.outcome != "ok"] { (call.outcome) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn languages(summary: &SummaryData) -> Markup {
    let most = summary.languages.iter().map(|language| language.lines).max().unwrap_or(0);
    html! {
        section aria-labelledby="languages" {
            h2 id="languages" { "Languages" }
            table.listing {
                thead { tr { th scope="col" { "Language" } th.num scope="col" { "Files" } th.num scope="col" { "Symbols" } th.num scope="col" { "Lines" } th.wide { } } }
                tbody {
                    @for language in &summary.languages {
                        tr {
                            td { @if language.name.is_empty() { span.dim { "none" } } @else { (language.name) } }
                            td.num { (count(language.files)) }
                            td.num { (count(language.symbols)) }
                            td.num { (count(language.lines)) }
                            td.wide { (layout::bar(language.lines, most)) }
                        }
                    }
                }
            }
        }
    }
}

fn groups(title: &str, id: &str, groups: &[GroupData]) -> Markup {
    html! {
        @if !groups.is_empty() {
            section aria-labelledby=(id) {
                h2 id=(id) { (title) }
                ul.plain {
                    @for group in groups {
                        li {
                            strong { (group.reason) } " " span.count { (count(group.files)) }
                            ul.plain {
                                @for example in &group.examples {
                                    li { a href=(urls::line(&example.path, example.line.unwrap_or(0), "")) { (example.path) } " " span.dim { (example.detail) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
