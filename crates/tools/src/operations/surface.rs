//! `surface`: what a program exposes, and what it depends on by name: endpoints, commands, topics, tables, variables.

use crate::answer::completeness::{Question, SurfaceQuestion};
use crate::answer::{Answer, Cursor, PageWindow};
use crate::arguments::enum_values;
use crate::error::{Exit, ToolError};
use crate::graph::node_line::NodeLine;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count_of, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EngineError, GraphView, NodeId};
use orient_model::{SurfaceEntry, SurfaceKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

pub(crate) struct SurfaceList;

/// Default number of entries.
const DEFAULT_LIMIT: u64 = 200;

/// Arguments of `surface`.
#[derive(Args)]
pub(crate) struct SurfaceArgs {
    /// Only these kinds: endpoint, rpc, field, tool, command, job, topic, event, table, variable, setting, flag, request, service, component
    #[arg(value_name = "KIND")]
    kind: Vec<String>,
    /// Only names that contain this text, or entries of this kind
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Only these roles: handles, defines, calls, produces, consumes, reads, sets
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    role: Vec<String>,
    /// Only entries of this framework
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,
    /// Also what test code does
    #[arg(long)]
    tests: bool,
    /// Maximum number of entries; 0 means all
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after the cursor of the previous answer
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// The entries, by kind and name.
#[derive(Serialize)]
pub(crate) struct SurfaceOut {
    /// Number of entries that match.
    total: u64,
    /// Number of entries of each kind.
    kinds: BTreeMap<&'static str, u64>,
    /// Number of entries in test code that are left out.
    in_tests: u64,
    /// The entries.
    entries: Vec<EntryLine>,
}

/// Something that the program exposes or depends on.
#[derive(Serialize)]
struct EntryLine {
    /// What it is.
    kind: &'static str,
    /// Its name; that of an endpoint is its method and path, and `{?}` stands for a part that is computed at run time.
    name: String,
    /// What the code does with it.
    role: &'static str,
    /// The symbol that handles or defines it, or that contains the line; a file for top-level code.
    symbol: NodeLine,
    /// The handler as written, if it is no symbol; the types of a remote procedure.
    #[serde(skip_serializing_if = "String::is_empty")]
    handler_text: String,
    /// The file that says so.
    path: String,
    /// The line.
    line: u32,
    /// The framework.
    framework: String,
    /// Whether only the name of a method tells that the framework is meant.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approximate: bool,
}

impl EntryLine {
    fn of(view: &GraphView<'_>, entry: &SurfaceEntry<NodeId>) -> Result<Self, EngineError> {
        Ok(Self {
            kind: entry.kind.as_str(),
            name: entry.name.clone(),
            role: entry.role.as_str(),
            symbol: NodeLine::of(&view.describe(entry.symbol.unwrap_or(entry.from))?),
            handler_text: entry.text.clone(),
            path: view.file_of(entry.from)?.path.display().into_owned(),
            line: entry.line,
            framework: entry.framework.clone(),
            approximate: !entry.proven,
        })
    }

    fn order(&self) -> (&str, &str, &str, &str, u32, &str) {
        (self.kind, &self.name, self.role, &self.path, self.line, &self.symbol.handle)
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Kind, &format!("{:8} ", self.kind))?;
        writer.put(Style::Name, &self.name)?;
        writer.put(Style::Dim, &format!("  {}  ", self.role))?;
        let here = format!("{}:{}", self.path, self.line);
        if self.handler_text.is_empty() {
            self.symbol.write_name(writer)?;
            writer.plain(" ")?;
            // Where a handler is declared says more than where it is registered; of anything else, the line is what counts.
            let is_registered =
                matches!(self.role, "handles" | "consumes" | "defines") && self.symbol.line > 0;
            let anchor = if is_registered { self.symbol.anchor() } else { here.clone() };
            writer.put(Style::Path, &anchor)?;
            if anchor != here {
                writer.put(Style::Dim, &format!("  registered {here}"))?;
            }
        } else {
            writer.plain(&format!("{} ", self.handler_text))?;
            writer.put(Style::Path, &here)?;
        }
        writer.put(
            Style::Dim,
            &format!("  [{}]{}", self.framework, if self.approximate { " ?" } else { "" }),
        )?;
        writer.end_line()
    }
}

/// What the program runs when something outside asks for it: the kinds that an answer about all kinds must not miss.
const REGISTERED_KINDS: &[SurfaceKind] =
    &[SurfaceKind::Endpoint, SurfaceKind::Rpc, SurfaceKind::Command, SurfaceKind::Job, SurfaceKind::Topic];

/// The kind, the rules and the file of every entry of the program.
fn registered(
    view: &GraphView<'_>,
    entries: &[SurfaceEntry<NodeId>],
) -> Result<Vec<(SurfaceKind, String, String)>, EngineError> {
    let mut found = Vec::new();
    for entry in entries {
        if !view.is_test(entry.from)? {
            let path = view.file_of(entry.from)?.path.display().into_owned();
            found.push((entry.kind, entry.framework.clone(), path));
        }
    }
    Ok(found)
}

impl TypedOperation for SurfaceList {
    const NAME: &'static str = "surface";
    const ABOUT: &'static str =
        "List tables, environment variables, commands, topics and what else has a name";
    const DETAILS: &'static str = "\
What a program exposes, and what it uses by a name that is text: kind, name, role, symbol, location, framework. Topics and tables \
show both sides; variables and settings where they are read and set. A library counts only where it is imported; `?` marks what is \
recognized by a method's name alone. callers, trace, impact and unused follow the handlers; `endpoints` shows more of endpoints.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "surface", about: "everything" },
        Example { command: "surface variable", about: "environment variables, and where each is read" },
        Example { command: "surface table --name orders", about: "the code that reads or writes a table" },
        Example { command: "surface topic --name orders", about: "who produces and consumes a topic" },
        Example { command: "surface command job --json", about: "commands and jobs, for a script" },
    ];
    const GROUPED_ONLY: bool = true;
    type Args = SurfaceArgs;
    type Out = SurfaceOut;

    fn run(session: &Session<'_>, args: SurfaceArgs) -> Result<Answer<SurfaceOut>, ToolError> {
        let mut kinds = enum_values::surface_kinds(&args.kind)?;
        let mut args = args;
        // The name of a kind selects the kind.
        if let (true, Some(name)) = (kinds.is_empty(), &args.name)
            && let Ok(named) = enum_values::surface_kinds(std::slice::from_ref(name))
        {
            kinds = named;
            args.name = None;
        }
        let roles = enum_values::surface_roles(&args.role)?;
        let wanted = args.name.as_deref().map(str::to_lowercase);
        let snapshot = session.snapshot()?;
        let view = snapshot.graph();
        let (mut found, mut in_tests) = (Vec::new(), 0);
        let entries = snapshot.surface()?;
        let registered = registered(&view, &entries)?;
        let asked = if kinds.is_empty() { REGISTERED_KINDS.to_vec() } else { kinds.clone() };
        for entry in entries {
            let selected = (kinds.is_empty() || kinds.contains(&entry.kind))
                && (roles.is_empty() || roles.contains(&entry.role))
                && wanted.as_deref().is_none_or(|text| entry.name.to_lowercase().contains(text))
                && args.framework.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(&entry.framework));
            if !selected {
                continue;
            }
            if !args.tests && view.is_test(entry.from)? {
                in_tests += 1;
                continue;
            }
            found.push(EntryLine::of(&view, &entry)?);
        }
        found.sort_by(|a, b| a.order().cmp(&b.order()));
        // Copies of one definition lead to the same implementations.
        found.dedup_by(|a, b| a.order() == b.order());
        let mut kinds = BTreeMap::new();
        for line in &found {
            *kinds.entry(line.kind).or_default() += 1;
        }
        let total = found.len();
        let window = PageWindow::new(args.limit, DEFAULT_LIMIT, args.after);
        let entries: Vec<EntryLine> = found.into_iter().skip(window.offset).take(window.limit).collect();
        let shown = entries.len();
        let out = SurfaceOut { total: total as u64, kinds, in_tests, entries };
        let question = SurfaceQuestion {
            kinds: &asked,
            found: &registered,
            partly_unknown: 0,
            unmounted: 0,
            elsewhere: &[],
        };
        let answer = session.answer_about(&snapshot, &Question::Surface(question), out)?;
        Ok(window.paginate(answer, shown, total))
    }

    fn text(out: &SurfaceOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let mut head = plural(out.total, "entry", "entries");
        if out.kinds.len() > 1 {
            let counts: Vec<String> = out.kinds.iter().map(|(kind, count)| count_of(*count, kind)).collect();
            head = format!("{head}: {}", counts.join(", "));
        }
        if out.in_tests > 0 {
            head = format!("{head}; {} in tests left out", out.in_tests);
        }
        writer.line(Style::Head, &head)?;
        out.entries.iter().try_for_each(|line| line.write(writer))
    }

    fn exit(out: &SurfaceOut) -> Exit {
        if out.entries.is_empty() { Exit::Nothing } else { Exit::Ok }
    }
}
