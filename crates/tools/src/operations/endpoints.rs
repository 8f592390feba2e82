//! `endpoints`: the HTTP endpoints that a program exposes through web frameworks.

use crate::answer::completeness::{Question, SurfaceQuestion};
use crate::answer::{Answer, Cursor, PageWindow};
use crate::error::{Exit, ToolError};
use crate::graph::node_line::NodeLine;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::plural;
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{DESCRIBED_ONLY, Endpoint, EngineError, GraphView, NodeId, Snapshot, is_partly_unknown};
use orient_model::{SurfaceEntry, SurfaceKind};
use serde::Serialize;
use std::io;

pub(crate) struct Endpoints;

/// Default number of endpoints.
const DEFAULT_LIMIT: u64 = 200;
/// Maximum number of requests and of descriptions shown for each endpoint.
const MAX_PLACES: usize = 3;

/// Arguments of `endpoints`.
#[derive(Args)]
pub(crate) struct EndpointsArgs {
    /// Only paths that contain this text, or that serve it: `/users/42`
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only these methods: GET, POST, …
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    method: Vec<String>,
    /// Only handlers whose name contains this text
    #[arg(long, value_name = "NAME")]
    handler: Option<String>,
    /// Only endpoints of this framework
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,
    /// Also endpoints that test code registers
    #[arg(long)]
    tests: bool,
    /// Maximum number of endpoints; 0 means all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// The endpoints, by path and method.
#[derive(Serialize)]
pub(crate) struct EndpointsOut {
    /// Number of endpoints that match.
    total: u64,
    /// Number of endpoints that test code registers and that are left out.
    in_tests: u64,
    /// The endpoints.
    endpoints: Vec<EndpointLine>,
}

/// An endpoint.
#[derive(Serialize)]
struct EndpointLine {
    /// The HTTP method; `ANY` for all of them.
    method: String,
    /// The full path, with parameters as the framework writes them; `{?}` for a part that is computed at run time.
    path: String,
    /// The symbol that handles it; absent for a closure or an external function.
    #[serde(skip_serializing_if = "Option::is_none")]
    handler: Option<NodeLine>,
    /// The handler as written, if it is no symbol.
    #[serde(skip_serializing_if = "String::is_empty")]
    handler_text: String,
    /// What runs before the handler, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    middleware: Vec<String>,
    /// The framework.
    framework: String,
    /// The file that registers it.
    registered_in: String,
    /// The line.
    line: u32,
    /// False if nothing was found that mounts its router: a prefix may be missing.
    mounted: bool,
    /// Requests in the repository that reach it, in any language: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requested_at: Vec<String>,
    /// Descriptions of it, such as OpenAPI documents: `path:line`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    described_at: Vec<String>,
}

impl EndpointLine {
    fn of(
        view: &GraphView<'_>,
        endpoint: &Endpoint<NodeId>,
        requests: &[SurfaceEntry<NodeId>],
        descriptions: &[SurfaceEntry<NodeId>],
    ) -> Result<Self, EngineError> {
        let places = |entries: &[SurfaceEntry<NodeId>]| -> Result<Vec<String>, EngineError> {
            let place = |entry: &SurfaceEntry<NodeId>| {
                Ok(format!("{}:{}", view.file_of(entry.from)?.path.display(), entry.line))
            };
            entries.iter().map(place).collect()
        };
        let route = &endpoint.route;
        let handler = route.handler.map(|node| view.describe(node)).transpose()?;
        Ok(Self {
            method: route.method.clone(),
            path: endpoint.path.clone(),
            handler: handler.as_ref().map(NodeLine::of),
            handler_text: route.text.clone(),
            middleware: route.middleware.clone(),
            framework: route.framework.clone(),
            registered_in: view.file_of(route.from)?.path.display().into_owned(),
            line: route.line,
            mounted: endpoint.mounted,
            requested_at: places(requests)?,
            described_at: places(descriptions)?,
        })
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Kind, &format!("{:7}", self.method))?;
        writer.put(Style::Name, &self.path)?;
        writer.plain("  ")?;
        let here = format!("{}:{}", self.registered_in, self.line);
        if let Some(handler) = &self.handler {
            handler.write_name(writer)?;
            writer.plain(" ")?;
            writer.put(Style::Path, &handler.anchor())?;
            if handler.anchor() != here {
                writer.put(Style::Dim, &format!("  registered {here}"))?;
            }
        } else {
            let text = if self.handler_text.is_empty() { "handler" } else { &self.handler_text };
            writer.plain(&format!("{text} "))?;
            writer.put(Style::Path, &here)?;
        }
        if !self.middleware.is_empty() {
            writer.put(Style::Dim, &format!("  through {}", self.middleware.join(", ")))?;
        }
        for (word, places) in [("requested", &self.requested_at), ("described", &self.described_at)] {
            if places.is_empty() {
                continue;
            }
            let shown: Vec<&str> = places.iter().take(MAX_PLACES).map(String::as_str).collect();
            let more = places.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            writer.put(Style::Dim, &format!("  {word} {}{more}", shown.join(", ")))?;
        }
        if !self.mounted {
            writer.put(Style::Dim, "  not mounted")?;
        }
        writer.put(Style::Dim, &format!("  [{}]", self.framework))?;
        writer.end_line()
    }
}

/// Whether a request for a path reaches a route, or the route contains it as text.
fn matches_path(route: &str, wanted: &str) -> bool {
    if route.to_ascii_lowercase().contains(&wanted.to_ascii_lowercase()) {
        return true;
    }
    let parts = |path: &str| path.trim_matches('/').split('/').map(str::to_owned).collect::<Vec<_>>();
    let (route, wanted) = (parts(route), parts(wanted));
    let fits = |(part, text): (&String, &String)| part == text || part.starts_with([':', '{', '<', '*', '[']);
    route.len() == wanted.len() && route.iter().zip(&wanted).all(fits)
}

impl EndpointsArgs {
    fn selects(&self, endpoint: &Endpoint<NodeId>) -> bool {
        let route = &endpoint.route;
        let is_method = |method: &String| method.eq_ignore_ascii_case(&route.method) || route.method == "ANY";
        (self.method.is_empty() || self.method.iter().any(is_method))
            && self.path.as_deref().is_none_or(|wanted| matches_path(&endpoint.path, wanted))
            && self.framework.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(&route.framework))
    }

    fn selects_handler(&self, line: &EndpointLine) -> bool {
        let Some(wanted) = self.handler.as_deref().map(str::to_ascii_lowercase) else { return true };
        let name = line.handler.as_ref().map_or(line.handler_text.as_str(), |handler| handler.name.as_str());
        name.to_ascii_lowercase().contains(&wanted)
    }
}

impl TypedOperation for Endpoints {
    const NAME: &'static str = "endpoints";
    const ABOUT: &'static str = "List the HTTP endpoints that web frameworks serve";
    const DETAILS: &'static str = "\
Method, full path, handler, what runs before it, and where it is registered. The path joins the prefixes of groups, mounts and \
types; `not mounted` says that one may be missing, `described only` that only OpenAPI has it. callers, trace, impact and unused follow the same registrations.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "endpoints", about: "all endpoints" },
        Example { command: "endpoints --path /users/42 --method GET", about: "what serves a request" },
        Example { command: "endpoints --handler UserController --json", about: "by handler, for a script" },
    ];
    const TERMINAL_ONLY: &'static [&'static str] = &["framework"];
    type Args = EndpointsArgs;
    type Out = EndpointsOut;

    fn run(session: &Session<'_>, args: EndpointsArgs) -> Result<Answer<EndpointsOut>, ToolError> {
        let snapshot = session.snapshot()?;
        let view = snapshot.graph();
        let (mut found, mut in_tests) = (Vec::new(), 0);
        let mut selected = snapshot.described_endpoints()?;
        let all: Vec<RegisteredEndpoint> = selected
            .iter()
            .map(|(endpoint, _)| RegisteredEndpoint::of(&view, endpoint))
            .collect::<Result<_, _>>()?;
        selected.retain(|(endpoint, _)| args.selects(endpoint));
        let (selected, descriptions): (Vec<_>, Vec<_>) = selected.into_iter().unzip();
        let requests = snapshot.requests_of(&selected)?;
        for ((endpoint, requests), descriptions) in selected.iter().zip(&requests).zip(&descriptions) {
            let line = EndpointLine::of(&view, endpoint, requests, descriptions)?;
            if !args.selects_handler(&line) {
                continue;
            }
            if !args.tests && view.is_test(endpoint.route.from)? {
                in_tests += 1;
                continue;
            }
            found.push(line);
        }
        let total = found.len();
        let window = PageWindow::new(args.limit, DEFAULT_LIMIT, args.after);
        let endpoints: Vec<EndpointLine> = found.into_iter().skip(window.offset).take(window.limit).collect();
        let shown = endpoints.len();
        let out = EndpointsOut { total: total as u64, in_tests, endpoints };
        let answer = answer_about_endpoints(session, &snapshot, &args, &all, out)?;
        Ok(window.paginate(answer, shown, total))
    }

    fn text(out: &EndpointsOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let mut head = plural(out.total, "endpoint", "endpoints");
        if out.in_tests > 0 {
            head = format!("{head}, {} in tests left out", out.in_tests);
        }
        writer.line(Style::Head, &head)?;
        out.endpoints.iter().try_for_each(|line| line.write(writer))
    }

    fn exit(out: &EndpointsOut) -> Exit {
        if out.endpoints.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}

/// What says whether an endpoint is all that there is.
struct RegisteredEndpoint {
    path: String,
    framework: String,
    registered_in: String,
    line: u32,
    mounted: bool,
    in_test: bool,
    /// Whether only a description such as an OpenAPI document has it.
    described_only: bool,
}

impl RegisteredEndpoint {
    fn of(view: &GraphView<'_>, endpoint: &Endpoint<NodeId>) -> Result<Self, EngineError> {
        let route = &endpoint.route;
        Ok(Self {
            path: endpoint.path.clone(),
            framework: route.framework.clone(),
            registered_in: view.file_of(route.from)?.path.display().into_owned(),
            line: route.line,
            mounted: endpoint.mounted,
            in_test: view.is_test(route.from)?,
            described_only: route.text == DESCRIBED_ONLY,
        })
    }
}

/// The answer, partial if a framework may register endpoints that are not in it.
fn answer_about_endpoints(
    session: &Session<'_>,
    snapshot: &Snapshot,
    args: &EndpointsArgs,
    all: &[RegisteredEndpoint],
    out: EndpointsOut,
) -> Result<Answer<EndpointsOut>, ToolError> {
    let known = || all.iter().filter(|one| !one.in_test && !one.described_only);
    let found: Vec<(SurfaceKind, String, String)> = known()
        .map(|one| (SurfaceKind::Endpoint, one.framework.clone(), one.registered_in.clone()))
        .collect();
    // Any endpoint whose address is not known may be the one that a filter asks for.
    let number = |is: fn(&RegisteredEndpoint) -> bool| known().filter(|one| is(one)).count() as u64;
    let elsewhere = match &args.path {
        Some(path) if out.total == 0 => places_of_path(snapshot, path, all)?,
        _ => Vec::new(),
    };
    let surface = SurfaceQuestion {
        kinds: &[SurfaceKind::Endpoint],
        found: &found,
        partly_unknown: number(|one| is_partly_unknown(&one.path)),
        unmounted: number(|one| !one.mounted),
        elsewhere: &elsewhere,
    };
    session.answer_about(snapshot, &Question::Surface(surface), out)
}

/// Where the text of the program has the last literal part of a path, and registers no endpoint that is known.
fn places_of_path(
    snapshot: &Snapshot,
    path: &str,
    all: &[RegisteredEndpoint],
) -> Result<Vec<String>, ToolError> {
    let is_literal =
        |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let Some(part) = path.split('/').rfind(|part| is_literal(part) && !is_number(part)) else {
        return Ok(Vec::new());
    };
    let places = snapshot.path_mentions(part)?;
    let is_known =
        |(file, line): &(String, u32)| all.iter().any(|one| one.registered_in == *file && one.line == *line);
    let places = places.into_iter().map(|(path, line)| (path.display().into_owned(), line));
    Ok(places.filter(|place| !is_known(place)).map(|(path, line)| format!("{path}:{line}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_matches_parameters() {
        assert!(matches_path("/users/:id", "/users/42"));
        assert!(matches_path("/users/{id}/posts", "/users/42/posts"));
        assert!(matches_path("/api/users/<int:id>", "/USERS"));
        assert!(!matches_path("/users/:id", "/users/42/posts"));
        assert!(!matches_path("/items/{id}", "/users/42"));
    }
}
