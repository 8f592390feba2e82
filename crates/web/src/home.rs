//! The start page, and the page with keys and syntax.

use crate::ask::Asked;
use crate::code::FilesData;
use crate::response::View;
use crate::routes::PageContext;
use crate::search::{MODES, QUALIFIERS};
use crate::status::StatusData;
use crate::{layout, urls};
use maud::{Markup, html};
use orient_tools::{ToolError, count};
use serde_json::json;

/// Maximum number of directories and of languages.
const MAX_LISTED: usize = 12;

/// The title of the page with keys and syntax.
pub(crate) const HELP: &str = "Keys and syntax";

/// The keys: which, and what they do.
const KEYS: &[(&str, &str)] = &[
    ("/", "go to the search box"),
    ("↓ or j, ↑ or k", "move to the next or previous link of a list"),
    ("Enter", "open it"),
    ("g then s, c, g, m, d or t", "go to search, code, graph, map, changes or status"),
    ("o", "show or hide the outline"),
    ("b", "show or hide blame"),
    ("Esc", "close a card, leave a box"),
    ("?", "show this list"),
];

/// The start page.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let status = context.asker.ask::<StatusData>(Asked::Status, json!({ "brief": true }))?;
    let tree = context.asker.ask::<FilesData>(Asked::Files, json!({ "tree": true, "depth": 1 }))?;
    let summary = &status.data.summary;
    let most = summary.languages.iter().map(|language| language.lines).max().unwrap_or(0);
    let directories: Vec<_> =
        tree.data.tree.iter().filter(|entry| entry.depth == 1 && entry.path.ends_with('/')).collect();
    let largest = directories.iter().map(|entry| entry.lines).max().unwrap_or(0);
    let body = html! {
        div.home {
            h1 { (context.asker.root_name()) }
            p.dim {
                (count(summary.files)) " files · " (count(summary.lines)) " lines · " (count(summary.symbols)) " symbols"
            }
            form.search action="/search" method="get" data-search {
                label.hidden for="sq" { "Query" }
                input id="sq" type="search" name="q" autocomplete="off" autofocus spellcheck="false"
                    placeholder="A name, some words, or a question";
                button type="submit" { "Search" }
            }
            div id="results" aria-live="polite" data-results {}
            div.columns {
                section aria-labelledby="directories" {
                    h2 id="directories" { "Directories" }
                    table.listing {
                        tbody {
                            @for entry in directories.iter().take(MAX_LISTED) {
                                tr {
                                    td { a.dir href=(urls::code(&entry.path, "")) data-item { (entry.path) } }
                                    td.wide { (layout::bar(entry.lines, largest)) }
                                    td.num { (count(entry.lines)) }
                                }
                            }
                            tr { td { a.dir href="/code/" data-item { "all files" } } td {} td {} }
                        }
                    }
                }
                section aria-labelledby="languages" {
                    h2 id="languages" { "Languages" }
                    table.listing {
                        tbody {
                            @for language in summary.languages.iter().filter(|one| !one.name.is_empty()).take(MAX_LISTED) {
                                tr {
                                    td { (language.name) }
                                    td.wide { (layout::bar(language.lines, most)) }
                                    td.num { (count(language.lines)) }
                                }
                            }
                        }
                    }
                }
                section aria-labelledby="views" {
                    h2 id="views" { "Views" }
                    ul.plain {
                        li { a href="/map" data-item { "Map" } " " span.dim { "how the directories depend on each other" } }
                        li { a href="/graph" data-item { "Graph" } " " span.dim { "who calls whom" } }
                        @if !context.is_shared {
                            li { a href="/change" data-item { "Changes" } " " span.dim { "what is not committed yet" } }
                            li { a href="/status" data-item { "Status" } " " span.dim { "the index, and what agents ask" } }
                        }
                    }
                }
            }
        }
    };
    Ok(View::Page { title: context.asker.root_name(), section: "home", body })
}

/// The page with keys and syntax.
#[expect(clippy::unnecessary_wraps, reason = "every page may fail, and the table of routes has one type")]
pub(crate) fn help(_context: &PageContext<'_>) -> Result<View, ToolError> {
    Ok(View::Page { title: HELP.to_owned(), section: "", body: help_body() })
}

/// The lists of keys, modes and qualifiers.
pub(crate) fn help_body() -> Markup {
    html! {
        div.narrow {
            h1 { (HELP) }
            h2 { "Keys" }
            table.listing { tbody { @for (keys, about) in KEYS { tr { td { kbd { (keys) } } td { (about) } } } } }
            h2 { "Modes of a search" }
            table.listing { tbody { @for (_, name, about) in MODES { tr { td { (name) } td { (about) } } } } }
            h2 { "Qualifiers" }
            table.listing { tbody { @for (name, about) in QUALIFIERS { tr { td { code { (name) ":" } } td { (about) } } } } }
            p { "A value with spaces is quoted: " code { "path:\"my files\"" } "." }
        }
    }
}
