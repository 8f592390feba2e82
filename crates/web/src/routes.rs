//! The table of routes: every address that the server answers, from which the documentation and the tests derive.

use crate::ask::Asker;
use crate::request::PageRequest;
use crate::response::View;
use crate::status::ServerReport;
use crate::{change, code, graph, home, map, search, status};
use orient_tools::ToolError;
use std::fmt::Write;

/// Everything a page is rendered from.
pub(crate) struct PageContext<'c> {
    pub(crate) asker: &'c Asker<'c>,
    pub(crate) request: &'c PageRequest,
    /// The state of the server, computed on demand.
    pub(crate) server: &'c dyn Fn() -> ServerReport,
    /// Whether the server has many repositories for many people.
    pub(crate) is_shared: bool,
}

/// Renders a page.
pub(crate) type Render = fn(&PageContext<'_>) -> Result<View, ToolError>;

/// What answers a route.
#[derive(Clone, Copy)]
pub(crate) enum RouteKind {
    /// A page that depends on the index and the request alone: cached and tagged by generation.
    Indexed(Render),
    /// A page that depends on more: any question, history.
    Fresh(Render),
    /// A page about the working tree or the server itself.
    Local(Render),
    /// A file of this crate.
    Asset,
    /// The server itself.
    Server,
}

/// A route.
pub struct Route {
    /// The path; `*` at the end stands for any rest.
    pub path: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// Its parameters, for the documentation.
    pub parameters: &'static [(&'static str, &'static str)],
    /// What answers it.
    pub(crate) kind: RouteKind,
}

/// Every route.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/",
        about: "The start page: search, sizes, languages, directories",
        parameters: &[],
        kind: RouteKind::Indexed(home::page),
    },
    Route {
        path: "/search",
        about: "Search for names, words, questions, regular expressions and code patterns",
        parameters: &[
            ("q", "the query; `path:`, `lang:` and `kind:` narrow it"),
            ("mode", "`auto` (default), `names`, `regex` or `structural`"),
            ("explain", "`1` shows why each hit ranks where it does"),
            ("limit", "number of hits, at most 200"),
            ("fragment", "`1` returns only the list of hits"),
        ],
        kind: RouteKind::Fresh(search::page),
    },
    Route {
        path: "/code/*",
        about: "A directory, or a file with its names linked to their definitions",
        parameters: &[
            ("symbol", "a handle; its uses are listed beside the code"),
            ("lines", "lines to mark, `10` or `10-20`"),
            ("from", "the first line of the part of a long file to show"),
            ("at", "a revision"),
            ("blame", "`1` shows the commit and age of each line"),
            ("whole", "`1` does not cut very long lines"),
        ],
        kind: RouteKind::Indexed(code::page),
    },
    Route {
        path: "/card",
        about: "The card of a symbol: signature, documentation, counts",
        parameters: &[
            ("symbol", "a handle, a name or `path:line`"),
            ("at", "a revision"),
            ("fragment", "`1` returns only the card"),
        ],
        kind: RouteKind::Indexed(code::card_page),
    },
    Route {
        path: "/graph",
        about: "Callers, callees, hierarchy or dependencies as a diagram and as a tree",
        parameters: graph::PARAMETERS,
        kind: RouteKind::Indexed(graph::page),
    },
    Route {
        path: "/graph.svg",
        about: "The diagram as an SVG file",
        parameters: graph::PARAMETERS,
        kind: RouteKind::Indexed(graph::svg_file),
    },
    Route {
        path: "/graph.dot",
        about: "The diagram in the language of Graphviz",
        parameters: graph::PARAMETERS,
        kind: RouteKind::Indexed(graph::dot_file),
    },
    Route {
        path: "/graph.mmd",
        about: "The diagram in the language of Mermaid",
        parameters: graph::PARAMETERS,
        kind: RouteKind::Indexed(graph::mermaid_file),
    },
    Route {
        path: "/map",
        about: "Directories with size, languages, complexity, churn, dependencies and cycles",
        parameters: &[
            ("path", "the directory; default: the root"),
            ("whole", "`1` waits for dependencies, complexity and churn"),
        ],
        kind: RouteKind::Indexed(map::page),
    },
    Route {
        path: "/change",
        about: "What changed: symbols, what may break, tests, and a side-by-side diff",
        parameters: &[
            ("range", "`HEAD` (default) for uncommitted changes, `v1..v2`, `main...`"),
            ("path", "a file; shows its diff"),
            ("breaking", "`1` shows only what may break users"),
        ],
        kind: RouteKind::Local(change::page),
    },
    Route {
        path: "/status",
        about: "The index, its languages and issues, and the recent calls of agents",
        parameters: &[("fragment", "`1` returns only the content")],
        kind: RouteKind::Local(status::page),
    },
    Route {
        path: "/help",
        about: "The keys and the syntax of queries",
        parameters: &[],
        kind: RouteKind::Indexed(home::help),
    },
    Route {
        path: "/assets/*",
        about: "The style sheet and the scripts",
        parameters: &[],
        kind: RouteKind::Asset,
    },
    Route {
        path: "/events",
        about: "Server-sent events: `generation` and `pending` whenever the index changes",
        parameters: &[],
        kind: RouteKind::Server,
    },
    Route {
        path: "/login",
        about: "The form for the token, if the server requires one",
        parameters: &[],
        kind: RouteKind::Server,
    },
];

/// The route that answers a path.
pub(crate) fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| match route.path.strip_suffix('*') {
        Some(prefix) => path.starts_with(prefix) || path == prefix.trim_end_matches('/'),
        None => route.path == path,
    })
}

/// The table of routes in Markdown.
pub fn reference() -> String {
    let mut page = "| address | shows | parameters |\n|---|---|---|\n".to_owned();
    for route in ROUTES {
        let parameters: Vec<String> =
            route.parameters.iter().map(|(name, about)| format!("`{name}`: {about}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| `{}` | {} | {} |", route.path, route.about, parameters.join("; "));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_at_most_one_route() {
        for route in ROUTES {
            let found = find(route.path.trim_end_matches('*')).map(|found| found.path);
            assert_eq!(found, Some(route.path));
        }
        assert!(find("/nowhere").is_none());
        assert!(find("/codex").is_none());
    }
}
